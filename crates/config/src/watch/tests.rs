use super::*;
use std::fs;

fn text(deadline: &str, key: &str) -> String {
    format!(
        "server: {{ request_deadline: {deadline} }}\n\
         providers: {{ openai: {{ api_key_file: {key} }} }}\n\
         routes: {{ \"*\": {{ plan: {{ pass: openai }} }} }}\n"
    )
}

/// A folder of its own, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("punctual-watch-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn next(watch: &mut Watch) -> Checked {
    timeout(Duration::from_secs(10), watch.changed())
        .await
        .expect("no change was seen")
}

#[tokio::test]
async fn a_change_is_told_and_a_wrong_file_is_told_as_wrong() {
    let folder = Folder::new("change");
    folder.write("key", "one");
    let file = folder.write("p.yaml", &text("5s", "key"));
    let first = load(&file, &Environment::default()).config.unwrap();
    let mut watch = Watch::new(file.clone(), first.files, Environment::default()).unwrap();

    folder.write("p.yaml", &text("6s", "key"));
    let config = next(&mut watch).await.config.unwrap();
    assert_eq!(config.server.request_deadline, Some(Duration::from_secs(6)));

    folder.write("p.yaml", &text("6", "key"));
    let checked = next(&mut watch).await;
    assert!(checked.config.is_none());
    assert_eq!(checked.problems[0].path, "server.request_deadline");

    let aside = folder.write("p.yaml.new", &text("7s", "key"));
    fs::rename(aside, &file).unwrap();
    let config = next(&mut watch).await.config.unwrap();
    assert_eq!(config.server.request_deadline, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn a_secret_in_a_file_is_part_of_the_configuration() {
    let folder = Folder::new("secret");
    folder.write("key", "one");
    let file = folder.write("p.yaml", &text("5s", "key"));
    let first = load(&file, &Environment::default()).config.unwrap();
    let mut watch = Watch::new(file, first.files.clone(), Environment::default()).unwrap();
    folder.write("key", "two");
    let second = next(&mut watch).await.config.unwrap();
    assert_ne!(
        first.targets[0].credential_id,
        second.targets[0].credential_id
    );
}

#[tokio::test]
async fn the_same_content_is_no_change() {
    let folder = Folder::new("touch");
    folder.write("key", "one");
    let file = folder.write("p.yaml", &text("5s", "key"));
    let mut watch = Watch::new(file, vec![folder.0.join("key")], Environment::default()).unwrap();
    folder.write("p.yaml", &text("5s", "key"));
    assert!(
        timeout(Duration::from_millis(500), watch.changed())
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_secret_that_was_missing_is_seen_when_it_comes() {
    let folder = Folder::new("late");
    folder.write("key", "one");
    let file = folder.write("p.yaml", &text("5s", "key"));
    let mut watch = Watch::new(file, vec![folder.0.join("key")], Environment::default()).unwrap();
    folder.write("p.yaml", &text("5s", "late"));
    assert!(next(&mut watch).await.config.is_none());
    folder.write("late", "two");
    assert!(next(&mut watch).await.config.is_some());
}
