//! `punctual check`: every mistake of a configuration, what each plan can take at worst, and which surfaces it
//! serves.
//!
//! A file that passes must start: after the check everything is built as `serve` would build it, short of
//! listening. Nothing here talks to a network.

use crate::{Failure, args, build, screen::say, serve};
use punctual_config::{Checked, Config, Environment, Problem, Severity, load};
use std::path::Path;

mod serves;

pub(crate) fn run(args: &args::Check) -> Result<(), Failure> {
    let file = args
        .file
        .path()
        .unwrap_or_else(|| args::DEFAULT_FILE.into());
    let checked = rehearsed(load(&file, &Environment::of_process()), &file)?;
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

/// Builds what `serve` would serve, because only then certificates and their like are looked into.
fn rehearsed(mut checked: Checked, file: &Path) -> Result<Checked, Failure> {
    let built = match &checked.config {
        Some(config) => rehearse(config)?,
        None => Ok(()),
    };
    if let Err(message) = built {
        checked.config = None;
        checked.problems.push(Problem {
            severity: Severity::Error,
            file: Some(file.display().to_string()),
            line: None,
            column: None,
            path: String::new(),
            message,
            suggestion: None,
        });
    }
    Ok(checked)
}

fn rehearse(config: &Config) -> Result<Result<(), String>, Failure> {
    let runtime = serve::runtime(Some(1))?;
    Ok(runtime.block_on(async {
        let lasting = build::Lasting::new();
        let built = build::snapshot(config, &lasting).map(|_| ());
        lasting.pools.shutdown().await;
        built
    }))
}

fn text(checked: &Checked, errors: usize) {
    for line in punctual_config::render(&checked.problems).lines() {
        say(line);
    }
    if let Some(config) = &checked.config {
        for (n, (ladder, route)) in config.ladders().iter().zip(&config.routes).enumerate() {
            if n > 0 {
                say("");
            }
            for line in ladder.to_string().lines() {
                say(line);
            }
            say(&serves::line(config, route));
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

fn json(checked: &Checked) -> String {
    let routes = checked.config.as_ref().map(routes);
    serde_json::json!({ "problems": checked.problems, "routes": routes }).to_string()
}

/// Every route's worst cases, with what serves each of its surfaces.
fn routes(config: &Config) -> serde_json::Value {
    let mut all = punctual_config::ladder::json(config);
    for (told, route) in all.as_array_mut().into_iter().flatten().zip(&config.routes) {
        let served = serves::of(config, route).into_iter();
        let served: serde_json::Map<_, _> =
            served.map(|(s, by)| (s.to_owned(), by.into())).collect();
        if let Some(told) = told.as_object_mut() {
            told.insert("surfaces".to_owned(), served.into());
        }
    }
    all
}
