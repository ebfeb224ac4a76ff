//! Every word of the script language, in the order of effect.
//!
//! One row says everything about a word: its name, its value, its explanation and what it does to an
//! [`Answer`]. A new fault is a new row in one of the files below; parser, help and both protocols follow.

mod ending;
mod listener;
mod noise;
mod pace;
mod shape;
mod silence;
mod status;
mod transport;

use std::sync::OnceLock;

use crate::answer::Answer;
use crate::script::{Arg, Form};

/// One word of the script language.
pub struct Word {
    /// As it is written.
    pub name: &'static str,
    /// One line of explanation.
    pub help: &'static str,
    /// May stand more than once in a script.
    pub(crate) repeats: bool,
    pub(crate) form: Form,
    pub(crate) effect: fn(&mut Answer, &Arg),
}

const fn word(
    name: &'static str,
    form: Form,
    help: &'static str,
    effect: fn(&mut Answer, &Arg),
) -> Word {
    Word {
        name,
        help,
        repeats: false,
        form,
        effect,
    }
}

impl Word {
    /// How it is written with its value, as in `gap=50ms`; square brackets mark what may be left out.
    pub fn usage(&self) -> String {
        format!("{}{}", self.name, self.form.placeholder())
    }

    const fn repeated(mut self) -> Self {
        self.repeats = true;
        self
    }
}

/// Words of one kind, and what is done to the layout once they have had their effect.
pub(crate) struct Stage {
    title: &'static str,
    pub(crate) words: &'static [Word],
    pub(crate) then: fn(&mut Answer),
}

const fn stage(title: &'static str, words: &'static [Word], then: fn(&mut Answer)) -> Stage {
    Stage { title, words, then }
}

/// Contents first, then how they are dressed and paced, last where they break off.
pub(crate) static STAGES: [Stage; 8] = [
    stage("what the answer contains", shape::WORDS, Answer::build),
    stage("status, head and body", status::WORDS, Answer::undress),
    stage("transport", transport::WORDS, |_| {}),
    stage("pace", pace::WORDS, Answer::strike),
    stage("silence", silence::WORDS, |_| {}),
    stage("noise", noise::WORDS, |_| {}),
    stage("endings", ending::WORDS, |_| {}),
    stage("connections", listener::WORDS, |_| {}),
];

/// The stages of [`STAGES`] with words that can be about a connection before it has carried a request.
pub(crate) fn about_connections() -> &'static [Stage] {
    STAGES.last_chunk::<2>().map_or(&STAGES, |last| last)
}

/// All words, in the order of effect.
pub fn words() -> impl Iterator<Item = &'static Word> {
    STAGES.iter().flat_map(|stage| stage.words)
}

pub(crate) fn find(name: &str) -> Option<&'static Word> {
    words().find(|w| w.name == name)
}

/// Where explanations start.
const COLUMN: usize = 22;

/// How to reach the simulator, and all words with one line each.
pub fn routes_help() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let mut text = String::from(ROUTES);
        for stage in &STAGES {
            text.push_str(&format!("\n{}:\n", stage.title));
            for word in stage.words {
                let usage = word.usage();
                let gap = if usage.len() > COLUMN {
                    format!("\n{:COLUMN$}", "")
                } else {
                    String::new()
                };
                text.push_str(&format!("  {usage:<COLUMN$}{gap}  {}\n", word.help));
            }
        }
        text
    })
}

const ROUTES: &str = "\
Behind any prefix, told by the end of the path:
  OpenAI      POST chat/completions, completions, embeddings, images/generations, responses;
              GET and DELETE responses/ID, POST responses/ID/cancel; GET models
  Azure       the same below /openai/deployments/NAME/ and /openai/v1/
  Anthropic   POST messages, messages/count_tokens
  Gemini      POST models/NAME:generateContent, :streamGenerateContent, :countTokens, :embedContent,
              :batchEmbedContents; a stream is SSE with ?alt=sse, else one JSON array
  Vertex      as Gemini below publishers/google/, models/NAME:predict for embeddings;
              publishers/anthropic/models/NAME:rawPredict and :streamRawPredict as Anthropic
  Bedrock     POST model/NAME/converse, converse-stream, invoke, invoke-with-response-stream (Claude);
              invoke is told by its body and also gives Titan's and Cohere's embeddings
  Ollama      POST api/chat, api/generate, api/embed; GET api/tags
  TypeSafe    POST systemone
  Vercel      POST image-model
  credentials by name, where others have a model: google-token (POST token), google-iam
              (POST ACCOUNT:generateAccessToken), gce-metadata (GET computeMetadata/v1/…), entra-token
              (POST TENANT/oauth2/v2.0/token), azure-metadata (GET metadata/identity/oauth2/token),
              aws-imds (latest/…), aws-container (GET v2/credentials/ID), aws-sts (Action=AssumeRole,
              AssumeRoleWithWebIdentity), aws-sso (GET federation/credentials), aws-sso-oidc (POST token
              with JSON)
The script of a request is, in this order: a path segment /sim:SCRIPT/ before the route, the script set
for its model, the model's own name (sim:SCRIPT). Steps are joined with `,` or `+`; a value that contains
one stands in double quotes. In a model name `:` may stand for `=` and `/` for `,`.
GET /_sim/report (the newest 10,000 requests and connections), POST /_sim/reset,
POST /_sim/script {\"model\":…,\"script\":…}, GET /_sim/words.
N counts tokens of a stream, bytes of a unary body.
";
