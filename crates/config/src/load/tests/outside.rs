//! What others see of a configuration: who may reach it, with which headers and as whom it asks.

use super::*;

#[test]
fn a_reload_opens_nothing_that_is_bound_where_others_come() {
    let server = |text: &str| {
        let rest =
            "providers: { sim: { dialect: openai, base_url: http://127.0.0.1:1/v1, api_key: k } }
targets: { t: { provider: sim, model: m } }
routes: { a: { plan: t } }
";
        config(&format!("{text}{rest}")).server
    };
    let keys = "keys: { me: { value: pk-0123456789012345678901234567890123456789 } }\n";
    let public = server(&format!(
        "server: {{ listen: 0.0.0.0:8080, admin: {{ listen: 0.0.0.0:8081, token: secret-token }} }}\n{keys}"
    ));
    let local = server("");
    let guarded = server(&format!("server: {{ admin: {{ token: other }} }}\n{keys}"));
    let exposed = |now: &str| {
        let field = server(now).exposed_at(&public);
        field.map(|text| text.split(':').next().unwrap_or_default().to_owned())
    };
    let listen = Some("server.listen".to_owned());
    let admin = Some("server.admin.listen".to_owned());
    assert_eq!(guarded.exposed_at(&public), None);
    assert_eq!(exposed("server: { admin: { token: t } }\n"), listen);
    assert_eq!(
        exposed("server: { auth: none, admin: { token: t } }\n"),
        None
    );
    assert_eq!(exposed(keys), admin);
    assert_eq!(
        exposed(&format!("server: {{ admin: {{ listen: none }} }}\n{keys}")),
        admin
    );
    assert_eq!(local.exposed_at(&local), None, "nobody else comes here");
}

#[test]
fn headers_of_all_layers_are_merged_by_name_and_the_nearest_wins() {
    let config = config(
        "defaults: { headers: { x-a: default, x-b: default, x-c: default } }
providers: { p: { dialect: openai, base_url: http://127.0.0.1:1/v1, api_key: k, headers: { X-B: provider, x-c: provider } } }
targets: { t: { provider: p, model: m, headers: { X-C: target } } }
routes: { r: { plan: t } }
",
    );
    let mut sent: Vec<_> = config.targets[0]
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    sent.sort_unstable();
    assert_eq!(sent, ["x-a: default", "x-b: provider", "x-c: target"]);
}

#[test]
fn a_header_that_is_wrong_is_told_where_it_stands() {
    let told = told(
        "providers: { p: { dialect: openai, base_url: http://127.0.0.1:1/v1, api_key: k, headers: { Host: h } } }
targets: { t: { provider: p, model: m, headers: { x: y } } }
routes: { r: { plan: t } }
",
    );
    assert_eq!(
        told,
        ["1:98 E providers.p.headers.Host: host cannot be set here"]
    );
}

#[test]
fn a_credential_in_a_header_is_part_of_whose_health_it_is() {
    let ids = |header: &str| {
        let config = config(&format!(
            "providers: {{ p: {{ dialect: openai, base_url: http://127.0.0.1:1/v1, api_key: k }} }}
targets: {{ t: {{ provider: p, model: m, headers: {{ x-key: {header} }} }} }}
routes: {{ r: {{ plan: t }} }}
"
        ));
        let t = &config.targets[0];
        assert!(!format!("{}{}", t.credential_id, t.health_id).contains(header));
        (
            t.credential_id.clone(),
            t.health_id.clone(),
            t.lane_id.clone(),
        )
    };
    let (one, same, other) = (ids("first-key"), ids("first-key"), ids("second-key"));
    assert_eq!(one, same);
    assert!(one.0 != other.0 && one.1 != other.1 && one.2 == other.2);
}

#[test]
fn a_client_certificate_is_part_of_the_credential() {
    let dir = std::env::temp_dir().join(format!("punctual-cert-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let id = |cert: &str| {
        std::fs::write(dir.join("cert.pem"), cert).unwrap();
        std::fs::write(dir.join("key.pem"), "key").unwrap();
        let text = format!(
            "providers: {{ p: {{ dialect: openai, base_url: https://127.0.0.1:1/v1, api_key: k, client_cert_file: {0}/cert.pem, client_key_file: {0}/key.pem }} }}
targets: {{ t: {{ provider: p, model: m }} }}
routes: {{ r: {{ plan: t }} }}
",
            dir.display()
        );
        config(&text).targets[0].credential_id.clone()
    };
    let (one, same, other) = (id("one"), id("one"), id("two"));
    assert!(one == same && one != other);
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_variable_that_the_file_reads_is_not_called_unread() {
    let env = [("PUNCTUAL_UPSTREAM_KEY", "sk-x"), ("PUNCTUAL_BIN", "/x")];
    let env: Environment = env.into_iter().collect();
    let text = "providers: { p: { dialect: openai, base_url: http://127.0.0.1:1/v1, api_key: \"${PUNCTUAL_UPSTREAM_KEY}\" } }
targets: { t: { provider: p, model: m } }
routes: { r: { plan: t } }
";
    let problems = check_text("p.yaml", text, &env).problems;
    let unread: Vec<_> = problems.iter().map(|p| p.path.to_string()).collect();
    assert!(
        unread.iter().any(|path| path.contains("PUNCTUAL_BIN")),
        "{unread:?}"
    );
    assert!(
        !unread.iter().any(|path| path.contains("UPSTREAM_KEY")),
        "{unread:?}"
    );
}
