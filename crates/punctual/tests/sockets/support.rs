//! Every client, pointed at a simulator.

use punctual::{
    Answer, Call, Client, Error, Node, Timeouts, anthropic, aws, google, openai, typesafe, vercel,
};
use punctual_sim::{Listen, Sim};
use std::time::Duration;

pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(crate) async fn sim() -> Sim {
    Sim::start(Listen::loopback()).await.unwrap()
}

pub(crate) fn hi() -> Call {
    Call::new().user("hi")
}

/// How a client is made for a table: at this simulator, for this model, with these clocks.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) streams: bool,
    make: fn(&str, &str, Timeouts) -> Node,
    call: fn() -> Call,
}

impl Row {
    pub(crate) fn client(&self, sim: &Sim, script: &str, timeouts: impl Into<Timeouts>) -> Node {
        let model = format!("sim:{script}");
        (self.make)(&sim.url(), &model, timeouts.into())
    }

    pub(crate) fn at(&self, url: &str, timeouts: impl Into<Timeouts>) -> Node {
        (self.make)(url, "m", timeouts.into())
    }

    pub(crate) fn call(&self) -> Call {
        (self.call)()
    }

    /// Whole answers, and streams where there are any.
    pub(crate) fn ways(&self) -> &'static [bool] {
        if self.streams {
            &[false, true]
        } else {
            &[false]
        }
    }
}

macro_rules! row {
    ($name:literal, $streams:literal, $call:expr, |$url:ident, $model:ident| $client:expr) => {
        Row {
            name: $name,
            streams: $streams,
            make: |$url, $model, timeouts| $client.key("k").timeouts(timeouts).node(),
            call: $call,
        }
    };
}

pub(crate) fn rows() -> [Row; 14] {
    let asked = || Call::new().user(r#"{"questions":{"q":{"type":"noul","question":"?"}}}"#);
    [
        row!("openai::Chat", true, hi, |u, m| openai::Chat::new(m)
            .base_url(format!("{u}/v1"))),
        row!("openai::Generic", true, hi, |u, m| openai::Generic::new(
            format!("{u}/v1"),
            m
        )),
        row!("openai::Responses", true, hi, |u, m| {
            openai::Responses::new(m).base_url(format!("{u}/v1"))
        }),
        row!("openai::Azure", true, hi, |u, m| openai::Azure::new(u, m)),
        row!("openai::OpenRouter", true, hi, |u, m| {
            openai::OpenRouter::new(m).base_url(format!("{u}/api/v1"))
        }),
        row!("openai::Ollama", true, hi, |u, m| openai::Ollama::new(m)
            .base_url(u)),
        row!("openai::Image", false, hi, |u, m| openai::Image::new(m)
            .base_url(format!("{u}/v1"))),
        row!("anthropic::Messages", true, hi, |u, m| {
            anthropic::Messages::new(m).base_url(format!("{u}/v1"))
        }),
        row!("google::Gemini", true, hi, |u, m| {
            google::Gemini::new(m).base_url(format!("{u}/v1beta"))
        }),
        row!("google::Vertex", true, hi, |u, m| {
            google::Vertex::new("p", "l", m).base_url(format!("{u}/v1"))
        }),
        row!("aws::Bedrock", true, hi, |u, m| aws::Bedrock::new(
            "us-east-1",
            m
        )
        .base_url(u)),
        row!("aws::Bedrock::invoke_model", true, hi, |u, m| {
            aws::Bedrock::new("us-east-1", m).base_url(u).invoke_model()
        }),
        row!("typesafe::SystemOne", false, asked, |u, m| {
            typesafe::SystemOne::new(format!("{u}/v1"), m)
        }),
        row!("vercel::AiGatewayImage", false, hi, |u, m| {
            vercel::AiGatewayImage::new(m).base_url(format!("{u}/v3/ai"))
        }),
    ]
}

pub(crate) async fn ask(client: &Node, call: &Call, stream: bool) -> Result<Answer, Error> {
    let answer = async {
        match stream {
            true => client.invoke_stream(call).await?.collect().await,
            false => client.invoke(call).await,
        }
    };
    tokio::time::timeout(PATIENCE, answer)
        .await
        .expect("an answer in time")
}
