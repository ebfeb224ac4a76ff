//! `punctual keys new`: a key for a caller, shown once, and what the configuration stores of it.
//!
//! The key itself is written nowhere but to standard output. What goes into the file is its hash, from which
//! nobody can find the key; so a configuration can be committed, mounted and logged.

use crate::{Failure, args, screen::say};
use punctual_config::keys::{hash, new_key};

pub(crate) fn run(args: &args::NewKey) -> Result<(), Failure> {
    let key = new_key()
        .map_err(|e| Failure::Start(format!("the system has no randomness to give: {e}")))?;
    say(&told(&args.name, &key));
    Ok(())
}

/// What is printed: each of the three things on lines of its own.
fn told(name: &str, key: &str) -> String {
    let hash = hash(key);
    format!(
        "The key, for the caller. It is shown this once and stored nowhere:

  {key}

Its hash, in the configuration file:

keys:
  {name}:
    hash: {hash}

Callers send `Authorization: Bearer <key>`. To replace a key without a gap, let both live for a while:
hash: [ <the old hash>, <the new hash> ]."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use punctual_config::{Environment, check_text};

    #[test]
    fn what_is_printed_can_be_pasted_and_opens_the_door() {
        for name in ["agent-1", "true", "no", "e5"] {
            let told = told(name, "pk-secret");
            let from = told.find("keys:\n").unwrap();
            let yaml = told[from..].split("\n\n").next().unwrap();
            let rest =
                "\nproviders: { ollama: {} }\nroutes: { \"*\": { plan: { pass: ollama } } }\n";
            let (config, warnings) =
                check_text("f.yaml", &format!("{yaml}{rest}"), &Environment::default())
                    .into_result()
                    .unwrap_or_else(|p| panic!("{name}: {p:?}"));
            assert_eq!(warnings, []);
            let key = config.keys.verify("pk-secret").unwrap();
            assert_eq!(&*key.name, name);
        }
    }
}
