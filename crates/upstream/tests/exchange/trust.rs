//! TLS that must not succeed, and mistakes in a target.

use crate::support::{Ask, Bench, HTTP1, PATIENCE, Way, attempt};
use punctual_core::Code;
use punctual_sim::Listen;
use punctual_upstream::{Auth, Dialect, EgressProxy, Pools, TargetSpec, Upstreams, UsageRule};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const TLS: Way = Way {
    tls: true,
    http2: false,
};

#[tokio::test]
async fn an_unknown_authority_and_a_wrong_name_are_refused_in_words_without_the_host() {
    let platform = |spec: &mut TargetSpec| {
        spec.endpoint.tls.ca_pem = None;
        spec.endpoint.tls.only_ca = false;
    };
    let renamed = |spec: &mut TargetSpec| spec.endpoint.tls.server_name = Some("other.test".into());
    for (bench, words) in [
        (
            Bench::with(TLS, Listen::loopback(), platform).await,
            "not trusted",
        ),
        (
            Bench::with(TLS, Listen::loopback(), renamed).await,
            "for another name",
        ),
    ] {
        let failure = bench.fails(&Ask::unary("m")).await;
        assert_eq!(failure.code, Code::ConnectFailed);
        assert!(failure.message.contains(words), "{}", failure.message);
        assert!(!failure.message.contains("other.test") && !failure.message.contains("localhost"));
    }
}

#[tokio::test]
async fn plain_http_where_tls_is_meant_is_told_as_such() {
    let https = |spec: &mut TargetSpec| {
        spec.endpoint.base_url = spec.endpoint.base_url.replace("http://", "https://");
    };
    let bench = Bench::with(HTTP1, Listen::loopback(), https).await;
    let failure = bench.fails(&Ask::unary("m")).await;
    assert_eq!(failure.code, Code::ConnectFailed);
    assert!(failure.message.contains("TLS"), "{}", failure.message);
}

#[tokio::test]
async fn mistakes_name_target_field_and_fix_and_no_secret() {
    let pools = Pools::new();
    let wrong = |field: &str, change: &dyn Fn(&mut TargetSpec)| {
        let mut spec = TargetSpec::new("t", "https://h/v1");
        change(&mut spec);
        let error = Upstreams::new(vec![spec], &pools).unwrap_err();
        assert_eq!((error.field, &*error.target), (field, "t"));
        assert!(
            !error.fix.is_empty() && !error.to_string().contains("secret"),
            "{error}"
        );
    };
    wrong("base_url", &|s| s.endpoint.base_url = "h".into());
    wrong("base_url", &|s| {
        s.endpoint.base_url = "https://u:secret@h".into()
    });
    wrong("api_key", &|s| s.auth = Auth::Key("secret\n".into()));
    wrong("usage", &|s| {
        s.dialect = Dialect::Generic;
        s.usage = UsageRule::Inject;
    });
    wrong("headers", &|s| {
        drop(s.headers.insert("host", "x".parse().unwrap()))
    });
    wrong("forward_headers", &|s| {
        s.forward_headers = vec!["cookie".parse().unwrap()]
    });
    wrong("forward_headers", &|s| {
        s.forward_headers = vec!["x-litellm-timeout".parse().unwrap()]
    });
    wrong("ca_file", &|s| {
        s.endpoint.tls.ca_pem = Some(b"secret".to_vec())
    });
    wrong("https_proxy", &|s| {
        s.endpoint.proxy = Some(EgressProxy {
            https: "socks5://secret@p".into(),
            ..EgressProxy::default()
        });
    });
    wrong("server_name", &|s| {
        s.endpoint.tls.server_name = Some("a b".into())
    });
}

#[tokio::test]
async fn handshakes_with_a_silent_upstream_keep_nobody_else_waiting() {
    let bench = Bench::new(TLS).await;
    let silent = Listen::loopback()
        .tls()
        .accept("silent-tls".parse().unwrap());
    let silent = punctual_sim::Sim::start(silent).await.unwrap();
    let spec = TargetSpec::new("silent", silent.url());
    let upstreams = Arc::new(Upstreams::new(vec![spec], &bench.pools).unwrap());
    let mut stuck = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let upstreams = upstreams.clone();
        stuck.spawn(async move {
            let progress = punctual_core::Progress::new();
            attempt(&upstreams, &Ask::unary("m"), &progress)
                .await
                .map(drop)
        });
    }
    let all = silent
        .wait_connections(PATIENCE, |all| all.len() == 40)
        .await;
    assert_eq!(all.unwrap().len(), 40);
    let started = Instant::now();
    bench.hear(&Ask::unary("m")).await.complete();
    assert!(
        started.elapsed() < Duration::from_secs(1),
        "{:?}",
        started.elapsed()
    );
    assert!(stuck.try_join_next().is_none());
}
