//! What others offer, on the same machine in the same run: the proxy of LiteLLM as it comes from PyPI, with one worker and
//! its own mock of a model, or before ours. It checks a key and relays, and stores nothing: it does less than a turn of
//! ours, and other things.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, ensure};
use serde_json::json;
use uuid::Uuid;
use xtask::{
    process::{Process, wait_for},
    progress, python,
};

use super::{
    House,
    load::closed,
    meter::{Meter, mebibytes, sum},
};
use crate::upstream::Script;

/// The version of the figures that goals 1, 3 and 12 name.
const VERSION: &str = "1.106.2";
/// The longest that it takes to be there.
const START: Duration = Duration::from_secs(60);
/// Who asks its mock at once: as many as make turns where their CPU is measured; and as many as make the most.
const CLIENTS: (usize, usize) = (2, 16);
/// Replies that it relays at once. More than it can, and they come late.
const STREAMS: usize = 8;
/// Length of one of them, and the pause before each token.
const TOKENS: usize = 100;
const PACE: Duration = Duration::from_millis(20);

/// What LiteLLM takes here.
pub struct LiteLlm {
    /// CPU ms per request to its mock.
    pub request: f64,
    /// Requests per second to its mock, sixteen clients, with what is left of this machine.
    pub rate: f64,
    /// CPU µs per token that it relays from our model.
    pub token: f64,
    /// MiB while nobody asks.
    pub idle: f64,
}

/// Installs it, starts it, asks it, and ends it.
///
/// # Errors
/// When PyPI cannot be reached, or it does not answer as it should.
pub async fn litellm(house: &House) -> Result<LiteLlm> {
    let began = Instant::now();
    let (key, port) = (Uuid::new_v4().to_string(), house.stand.instance.port("litellm"));
    let port = port.map_err(|e| anyhow!(e))?;
    let process = start(house, &key, port).await?;
    let measured = measure(house, &process, &key, port).await;
    process.stop();
    eprintln!("      LiteLLM {VERSION}: {:.1} s", began.elapsed().as_secs_f64());
    measured
}

async fn start(house: &House, key: &str, port: u16) -> Result<Process> {
    let (run, model) = (house.stand.instance.run.clone(), house.upstream.base());
    let config = run.join("litellm.json");
    // YAML is JSON with more ways to write it.
    let config_text = json!({
        "model_list": [
            { "model_name": "mock", "litellm_params": {
                "model": "openai/mock", "api_key": "none", "mock_response": "Yes. The lamp burns low." } },
            { "model_name": "relay", "litellm_params": {
                "model": "openai/script", "api_key": "none", "api_base": model } },
        ],
        "general_settings": { "master_key": format!("sk-{key}") },
        "litellm_settings": { "telemetry": false },
    });
    fs::write(&config, config_text.to_string())?;
    let program = tokio::task::spawn_blocking(|| {
        let mut step = progress::step("LiteLLM, for comparison");
        let list = format!("litellm[proxy]=={VERSION}\n");
        let programs = python::packages(&format!("litellm-{VERSION}"), &list, &mut step)?;
        step.done("");
        Ok::<_, String>(programs.join("litellm"))
    });
    let program = program.await?.map_err(|e| anyhow!(e))?;
    let mut command = Command::new(program);
    command.arg("--config").arg(config).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
    // Prices of models are not fetched.
    command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").current_dir(run);
    let instance = &house.stand.instance;
    let process =
        instance.register.start("litellm", &mut command, &instance.log("litellm")).map_err(|e| anyhow!(e))?;
    let there = || xtask::infra::get_status(port, "/health/liveliness") == Some(200);
    wait_for(&process, START, there).map_err(|e| anyhow!(e))?;
    Ok(process)
}

async fn measure(house: &House, process: &Process, key: &str, port: u16) -> Result<LiteLlm> {
    let (http, bearer) = (house.http.clone(), format!("sk-{key}"));
    let address = format!("http://127.0.0.1:{port}/v1/chat/completions");
    let ask = move |model: &'static str, streams: bool| {
        let asked = http.post(&address).bearer_auth(&bearer);
        let messages = json!([{ "role": "user", "content": "And what then?" }]);
        let asked = asked
            .header("content-type", "application/json")
            .body(json!({ "model": model, "stream": streams, "messages": messages }).to_string());
        async move { Ok::<_, anyhow::Error>(asked.send().await?.error_for_status()?.text().await?) }
    };
    let mock = {
        let ask = ask.clone();
        move |_| {
            let answer = ask("mock", false);
            async move {
                ensure!(answer.await?.contains("lamp"), "LiteLLM's mock says something else");
                Ok(())
            }
        }
    };
    let idle = mebibytes(process)?;
    closed(CLIENTS.0, house.warm(), mock.clone()).await.sound("LiteLLM, warming up")?;
    let meter = Meter::begin(std::iter::once(process))?;
    let taken = closed(CLIENTS.0, house.lasts(), mock.clone()).await.sound("requests of LiteLLM")?;
    let request = sum(&meter.per(taken.count())?) / 1000.0;
    let rate = closed(CLIENTS.1, house.lasts(), mock).await.sound("as many as LiteLLM can")?.rate();

    house.upstream.plays(Script { tokens: TOKENS, pace: PACE, ..Script::default() });
    let relay = move |_| {
        let answer = ask("relay", true);
        async move {
            let text = answer.await?;
            ensure!(text.contains("[DONE]"), "a stream of LiteLLM ended early");
            Ok(())
        }
    };
    closed(STREAMS, house.warm(), relay.clone()).await.sound("streams of LiteLLM, warming up")?;
    let meter = Meter::begin(std::iter::once(process))?;
    let taken = closed(STREAMS, house.lasts(), relay).await.sound("streams of LiteLLM")?;
    let token = sum(&meter.per(taken.count() * TOKENS as u64)?);
    Ok(LiteLlm { request, rate, token, idle })
}
