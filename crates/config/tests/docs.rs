//! The documentation says what the code does: examples that load, keys that are there, defaults that hold.
//!
//! Every YAML block of the README and of `docs/` is a whole file that somebody will paste, so each is checked
//! as one, with the variables and files it names. `docs/configuration.md` is held to the JSON schema: each
//! key stands in the section of its place with its default, and nothing stands there that is no key.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

use punctual_config::{Environment, check_text, render, schema};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The README and every page of `docs/`, by path.
fn pages() -> Vec<(String, String)> {
    let mut names = vec!["README.md".to_owned()];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            names.push(format!("docs/{name}"));
        }
    }
    names.sort();
    names.into_iter().map(|n| (n.clone(), page(&n))).collect()
}

/// The fenced blocks of one language, each with the line it begins on.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let (mut found, mut open): (Vec<(usize, String)>, bool) = (Vec::new(), false);
    for (n, line) in text.lines().enumerate() {
        match (open, line.strip_prefix("```")) {
            (false, Some(l)) if l == language => {
                found.push((n + 2, String::new()));
                open = true;
            }
            (true, Some("")) => open = false,
            (true, _) => {
                let (_, block) = found.last_mut().unwrap();
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    found
}

/// Names in `${NAME}`, with a value each.
fn variables(block: &str) -> Environment {
    let names = block.split("${").skip(1).map(|after| {
        after
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next()
            .unwrap()
    });
    names.map(|n| (n, "the-value-of-an-example")).collect()
}

/// Makes every file that a block names.
fn make_files(block: &str, folder: &Path) {
    for after in block.split("_file: ").skip(1) {
        let name = after.split([' ', ',', '}', '\n']).next().unwrap();
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("the-content-of-{name}")).unwrap();
    }
}

#[test]
fn every_example_is_a_file_without_mistakes_and_warnings() {
    let folder = std::env::temp_dir().join(format!("punctual-docs-{}", std::process::id()));
    let (mut wrong, mut checked) = (String::new(), 0);
    for (name, text) in pages() {
        for (line, block) in blocks(&text, "yaml") {
            make_files(&block, &folder);
            let file = folder.join("punctual.yaml").display().to_string();
            let found = check_text(&file, &block, &variables(&block));
            checked += 1;
            if !found.problems.is_empty() {
                wrong.push_str(&format!("{name}:{line}\n{}\n", render(&found.problems)));
            }
        }
    }
    let _ = fs::remove_dir_all(folder);
    assert!(wrong.is_empty(), "{wrong}");
    assert!(checked >= 6, "{checked} examples");
}

/// Part of a page between a `## ` heading that names `key` and the next.
fn section<'a>(text: &'a str, key: &str) -> &'a str {
    let named = |s: &&str| s.lines().next().unwrap().contains(&format!("`{key}`"));
    text.split("\n## ")
        .skip(1)
        .find(named)
        .unwrap_or_else(|| panic!("no section names `{key}`"))
}

/// First cells of the tables of a section that list keys, each with the second.
fn rows(section: &str) -> Vec<(Vec<&str>, &str)> {
    let mut rows = Vec::new();
    let mut is_keys = false;
    for line in section.lines() {
        if line.starts_with("|-") {
            continue;
        }
        let Some(cells) = line.strip_prefix("| ") else {
            is_keys = false;
            continue;
        };
        let mut cells = cells.split(" |").map(str::trim);
        let (first, second) = (cells.next().unwrap(), cells.next().unwrap());
        match first {
            "key" => is_keys = true,
            _ if is_keys => rows.push((first.split('`').skip(1).step_by(2).collect(), second)),
            _ => {}
        }
    }
    rows
}

fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap()
}

#[test]
fn every_key_is_documented_in_its_section_and_every_documented_key_is_one() {
    let text = page("docs/configuration.md");
    let keys = schema::keys();
    let mut missing = Vec::new();
    for key in &keys {
        let top = key.split('.').next().unwrap();
        let section = section(&text, top);
        let quoted: BTreeSet<&str> = section.split('`').skip(1).step_by(2).map(last).collect();
        if !quoted.contains(last(key)) {
            missing.push(key.clone());
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "not in their section");

    let mut seen = 0;
    for top in ["server", "keys", "defaults", "routes", "telemetry"] {
        let section = section(&text, top);
        let tops: Vec<&str> = section.lines().next().unwrap().split('`').collect();
        for (names, _) in rows(section) {
            for name in names {
                let is_key = |k: &&String| {
                    tops.contains(&k.split('.').next().unwrap())
                        && (k.ends_with(&format!(".{name}")))
                };
                assert!(keys.iter().any(|k| is_key(&k)), "{top}: `{name}` is no key");
                seen += 1;
            }
        }
    }
    assert!(seen > 80, "{seen} keys");
}

/// What the description of a key calls its default, up to the first stop.
fn default_of(description: &str) -> Option<&str> {
    let (_, after) = description.split_once("Default ")?;
    let default = after.split([',', ';', '(']).next()?;
    Some(default.trim().trim_end_matches('.'))
}

/// Keys and descriptions of one struct of the schema.
fn described(schema: &Value, name: &str) -> Vec<(String, String)> {
    let properties = &schema["$defs"][name]["properties"];
    let properties = properties
        .as_object()
        .unwrap_or_else(|| panic!("{name} is not there"));
    properties
        .iter()
        .filter_map(|(k, v)| Some((k.clone(), v["description"].as_str()?.to_owned())))
        .collect()
}

#[test]
fn every_default_is_the_one_of_the_code() {
    let (text, schema) = (page("docs/configuration.md"), schema::json());
    let mut compared = 0;
    for (top, name) in [
        ("server", "Server"),
        ("server", "Admin"),
        ("keys", "Key"),
        ("targets", "Target"),
        ("routes", "Route"),
        ("routes", "Retry"),
        ("telemetry", "Telemetry"),
        ("telemetry", "Otlp"),
    ] {
        let rows = rows(section(&text, top));
        for (key, description) in described(&schema, name) {
            let Some(default) = default_of(&description) else {
                continue;
            };
            let path = match name {
                "Admin" => format!("admin.{key}"),
                "Otlp" => format!("otlp.{key}"),
                _ => key.clone(),
            };
            let row = rows
                .iter()
                .find(|(names, _)| names.contains(&path.as_str()));
            let (_, cell) = row.unwrap_or_else(|| panic!("{top}: `{path}` has no row"));
            assert!(
                cell.contains(default),
                "{top}.{path}: documented as {cell:?}, the code says {default:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared} defaults");
}

#[test]
fn every_header_in_which_time_is_forwarded_is_documented() {
    let text = page("docs/deadlines.md");
    for header in punctual_config::DEADLINE_HEADERS {
        assert!(
            text.contains(&format!("\n| `{header}` | ")),
            "{header} has no row"
        );
    }
}

/// A heading as GitHub names its anchor.
#[test]
fn every_key_that_is_looked_for_without_a_file_is_documented() {
    let text = page("docs/configuration.md");
    let (_, without) = text.split_once("\n## Serving without a file").unwrap();
    let keys = punctual_config::known::PROVIDERS
        .iter()
        .filter_map(|p| p.key);
    let missing: Vec<_> = keys
        .filter(|key| !without.contains(&format!("`{key}`")))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

fn anchor(heading: &str) -> String {
    let plain = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading
        .to_lowercase()
        .chars()
        .filter(plain)
        .collect::<String>()
        .replace(' ', "-")
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let mut dead = Vec::new();
    for (name, text) in pages().into_iter().filter(|(n, _)| n.starts_with("docs/")) {
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|after| after.split(')').next())
        {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let path = match file {
                "" => root().join(&name),
                file => root().join("docs").join(file),
            };
            let there = fs::read_to_string(path).is_ok_and(|page| {
                heading.is_empty()
                    || page.lines().any(|l| {
                        l.starts_with('#') && anchor(l.trim_start_matches('#').trim()) == heading
                    })
            });
            if !there {
                dead.push(format!("{name}: {link}"));
            }
        }
    }
    assert_eq!(dead, Vec::<String>::new());
}

#[test]
fn every_test_that_is_named_for_a_fault_is_there() {
    let text = page("docs/known-faults.md");
    let named = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|q| q.split_once("::"));
    let (mut gone, mut seen) = (Vec::new(), 0);
    for (file, test) in named {
        let source = fs::read_to_string(root().join("crates").join(file));
        if !source.is_ok_and(|s| s.contains(test)) {
            gone.push(format!("{file}::{test}"));
        }
        seen += 1;
    }
    assert_eq!(gone, Vec::<String>::new());
    assert!(seen > 100, "{seen} tests");
}
