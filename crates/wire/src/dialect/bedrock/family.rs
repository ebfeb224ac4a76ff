//! Whose words a model understands where it is asked by InvokeModel, told from its name.
//!
//! A model's id is `maker.model`, behind a region where it is an inference profile (`us.anthropic.…`), and
//! stands at the end of an ARN (<https://docs.aws.amazon.com/bedrock/latest/userguide/models-supported.html>).
//! What somebody made for themselves (an application's profile, provisioned throughput, an import) has an id
//! without a dot, which tells nothing.

/// Models that are asked alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Anthropic's, by its Messages API.
    Claude,
    /// Amazon's text embeddings.
    TitanEmbed,
    /// Cohere's embeddings.
    CohereEmbed,
    /// Of a maker whose own words are not spoken here.
    Other,
    /// The name does not tell.
    Unknown,
}

impl Family {
    /// By the model's id or ARN.
    pub fn of(model: &str) -> Self {
        let id = model.rsplit('/').next().unwrap_or_default();
        let holds = |part: &str| id.contains(part);
        match () {
            () if holds("claude") => Self::Claude,
            () if holds("titan-embed") => Self::TitanEmbed,
            () if holds("cohere.embed") => Self::CohereEmbed,
            () if holds(".") => Self::Other,
            () => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Family;

    #[test]
    fn a_family_is_told_from_any_spelling_of_a_models_name() {
        for (model, family) in [
            ("anthropic.claude-3-5-sonnet-20241022-v2:0", Family::Claude),
            (
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                Family::Claude,
            ),
            (
                "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-6-v1",
                Family::Claude,
            ),
            ("amazon.titan-embed-text-v2:0", Family::TitanEmbed),
            ("cohere.embed-english-v3", Family::CohereEmbed),
            ("us.cohere.embed-v4:0", Family::CohereEmbed),
            ("cohere.command-r-v1:0", Family::Other),
            ("amazon.nova-lite-v1:0", Family::Other),
            ("us.meta.llama3-3-70b-instruct-v1:0", Family::Other),
            (
                "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3",
                Family::Unknown,
            ),
            ("", Family::Unknown),
        ] {
            assert_eq!(Family::of(model), family, "{model}");
        }
    }
}
