//! A real program of the house, told secrets that can be found again, and all that it says.

use std::{
    io::Read,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use axum::{Router, body::Bytes, extract::State};

use super::{LOOK, PATIENCE, TestDb};
use crate::config::Common;

/// Part of every secret that is made up here.
pub const MARK: &str = "Marked7Secret";

/// Ours in full; libraries as they are in production.
const LOG: &str =
    "info,auth=debug,billing=debug,catalog=debug,chat=debug,media=debug,kit=debug,troupe_kit=debug";

type Heard = Arc<Mutex<Vec<u8>>>;

/// A secret of this name.
#[must_use]
pub fn marked(name: &str) -> String {
    format!("{MARK}-{name}")
}

/// What programs have said on standard output and error, and what they have sent to a collector of traces.
pub struct Overheard {
    said: Heard,
    traced: Heard,
    traces_url: String,
}

/// A program that is ended with the test.
pub struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Overheard {
    /// # Panics
    /// When no port can be bound.
    pub async fn start() -> Self {
        let traced = Heard::default();
        let keep = |State(traced): State<Heard>, body: Bytes| async move { hear(&traced, &body) };
        let router = Router::new().fallback(keep).with_state(traced.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let traces_url = format!("http://{}", listener.local_addr().expect("bound"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { said: Heard::default(), traced, traces_url }
    }

    /// The program, as in development, with a marked secret in each of these variables.
    #[must_use]
    pub fn command(&self, program: &str, secrets: &[&str]) -> Command {
        let mut command = Command::new(program);
        for variable in secrets {
            command.env(variable, marked(variable));
        }
        command.env("LOG", LOG).env("TROUPE_ENV", "dev").env("GRPC_ADDR", "127.0.0.1:0").stdin(Stdio::null());
        command
    }

    /// The same, to serve in the house of a test; answers with where its gRPC is.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn serving(
        &self,
        program: &str,
        secrets: &[&str],
        common: &Common,
        db: &TestDb,
    ) -> (Command, String) {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let at = free.local_addr().expect("bound");
        let mut command = self.command(program, secrets);
        command
            .arg("serve")
            .env("GRPC_ADDR", at.to_string())
            .env("OPS_ADDR", "127.0.0.1:0")
            .env("DATABASE_URL", with_password(&db.url))
            .env("REDIS_URL", common.redis_url.expose())
            .env("AMQP_URL", common.amqp_url.expose())
            .env("AUTH_JWKS_URL", &common.auth_jwks_url)
            .env("AUTH_GRPC_URL", &common.auth_grpc_url)
            .env("TROUPE_PREFIX", &common.prefix)
            .env("TROUPE_QUEUE_LIFE_S", "60")
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", &self.traces_url);
        (command, format!("http://{at}"))
    }

    /// Runs it to its end; whether that was a good one.
    ///
    /// # Panics
    /// When it cannot be run.
    pub fn run(&self, mut command: Command) -> bool {
        let ended = command.output().expect("it ran");
        hear(&self.said, &ended.stdout);
        hear(&self.said, &ended.stderr);
        ended.status.success()
    }

    /// Starts it, and listens for as long as it lives.
    ///
    /// # Panics
    /// When it cannot be run.
    pub fn spawn(&self, mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        listen(child.stdout.take().expect("piped"), self.said.clone());
        listen(child.stderr.take().expect("piped"), self.said.clone());
        Running(child)
    }

    #[must_use]
    pub fn said(&self) -> String {
        text(&self.said)
    }

    /// Waits until a span of this name has come, and a line with each of these texts was said.
    ///
    /// # Panics
    /// With all that was said, when they do not come.
    pub async fn until(&self, span: &str, lines: &[&str]) {
        let come = async || {
            while !(text(&self.traced).contains(span) && lines.iter().all(|line| self.said().contains(line)))
            {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(PATIENCE, come()).await.is_err() {
            panic!("no span {span:?} has come, or one of the lines {lines:?} has not:\n{}", self.said());
        }
    }

    /// Holds all that was said and traced against the mark, and against other secrets by what they are.
    ///
    /// # Panics
    /// When one is there, with the lines that hold it.
    pub fn assert_no_secret(&self, others: &[(&str, &str)]) {
        for (what, text) in [("the log", self.said()), ("the traces", text(&self.traced))] {
            let found = around(&text.to_lowercase(), &MARK.to_lowercase());
            assert!(found.is_empty(), "{what} holds a secret:\n{found}");
            for (which, secret) in others {
                let found = around(&text, secret);
                assert!(found.is_empty(), "{what} holds {which}:\n{found}");
            }
        }
    }
}

fn hear(heard: &Heard, bytes: &[u8]) {
    heard.lock().expect("no holder panics").extend_from_slice(bytes);
}

fn text(heard: &Heard) -> String {
    String::from_utf8_lossy(&heard.lock().expect("no holder panics")).into_owned()
}

fn listen(mut from: impl Read + Send + 'static, heard: Heard) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            hear(&heard, &bytes[..count]);
        }
    });
}

/// The lines of a text in which a word stands.
fn around(text: &str, word: &str) -> String {
    text.lines().filter(|line| line.contains(word)).collect::<Vec<_>>().join("\n")
}

/// Where the database is trusted without a password, it can be any.
fn with_password(url: &str) -> String {
    let mut url = url::Url::parse(url).expect("an address");
    if url.password().is_some() {
        return url.to_string();
    }
    let user = if url.username().is_empty() { "postgres".to_owned() } else { url.username().to_owned() };
    url.set_username(&user).expect("an address with a host");
    url.set_password(Some(&marked("database"))).expect("an address with a host");
    url.to_string()
}
