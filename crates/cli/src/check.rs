//! `punctual check`: every mistake of a configuration, and what each plan can take at worst.

use crate::{Failure, args, screen::say};
use punctual_config::{Environment, load};

pub(crate) fn run(args: &args::Check) -> Result<(), Failure> {
    let checked = load(&args.config, &Environment::of_process());
    let errors = checked.problems.iter().filter(|p| p.is_error()).count();
    if args.json {
        say(&json(&checked));
    } else {
        text(&checked, errors);
    }
    if errors == 0 {
        Ok(())
    } else {
        Err(Failure::Wrong)
    }
}

fn text(checked: &punctual_config::Checked, errors: usize) {
    for line in punctual_config::render(&checked.problems).lines() {
        say(line);
    }
    if let Some(config) = &checked.config {
        for line in punctual_config::ladder::render(config).lines() {
            say(line);
        }
    }
    let warnings = checked.problems.len() - errors;
    say(&format!(
        "{errors} {}, {warnings} {}",
        plural(errors, "error"),
        plural(warnings, "warning")
    ));
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 {
        word.to_owned()
    } else {
        format!("{word}s")
    }
}

fn json(checked: &punctual_config::Checked) -> String {
    let routes = checked.config.as_ref().map(punctual_config::ladder::json);
    serde_json::json!({ "problems": checked.problems, "routes": routes }).to_string()
}
