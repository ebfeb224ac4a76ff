//! `punctual schema`: the JSON schema of the configuration file, for editors.

use crate::{Failure, screen};

pub(crate) fn run() -> Result<(), Failure> {
    let schema = punctual_config::schema::json();
    screen::say(&serde_json::to_string_pretty(&schema).map_err(|e| Failure::Start(e.to_string()))?);
    Ok(())
}
