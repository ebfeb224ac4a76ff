//! The Converse API of Amazon Bedrock.
