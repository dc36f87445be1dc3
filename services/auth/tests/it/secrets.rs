//! The real program, told secrets that can be found again: none of them is in what it logs, traces or prints.

use std::{
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
};

use axum::{Router, body::Bytes, extract::State};
use kit::testing::{Issuer, as_user, channel, common, database, eventually};
use proto::auth::v1::{
    Device, ListMailRequest, LogInRequest, LogOutRequest, SignUpRequest, VerifyRequest,
    accounts_client::AccountsClient, mailbox_client::MailboxClient,
};

/// Part of every secret below.
const MARK: &str = "Marked7Secret";
const VARIABLES: [&str; 3] = ["AUTH_CODE_KEY", "AUTH_KEY_SECRET", "AGE_PROVIDER_SECRET"];

/// The bodies that were sent to a collector of traces.
type Sent = Arc<Mutex<Vec<u8>>>;

async fn collector() -> (Sent, String) {
    let sent = Sent::default();
    let keep = |State(sent): State<Sent>, body: Bytes| async move {
        sent.lock().expect("no holder panics").extend_from_slice(&body);
    };
    let router = Router::new().fallback(keep).with_state(sent.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (sent, url)
}

/// Ended with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn auth(log: &Path) -> Command {
    let out = std::fs::OpenOptions::new().create(true).append(true).open(log).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_auth"));
    for variable in VARIABLES {
        command.env(variable, format!("{MARK}-{variable}"));
    }
    command
        .env("LOG", "info,auth=debug,kit=debug,troupe_kit=debug")
        .env("TROUPE_ENV", "dev")
        .stdin(Stdio::null())
        .stdout(out.try_clone().expect("a handle"))
        .stderr(out);
    command
}

fn with_password(url: &str) -> String {
    let mut url = reqwest::Url::parse(url).expect("an address");
    let user = if url.username().is_empty() { "postgres".to_owned() } else { url.username().to_owned() };
    if url.password().is_some() {
        return url.to_string();
    }
    url.set_username(&user).expect("an address with a host");
    url.set_password(Some(&format!("{MARK}-database"))).expect("an address with a host");
    url.to_string()
}

#[tokio::test]
async fn no_secret_is_in_the_log_or_the_traces_of_the_real_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let db = database(&auth::MIGRATOR).await;
    let common = common(&Issuer::start().await);
    let (sent, traces) = collector().await;
    let port = TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("bound").port();
    let child = auth(&log)
        .arg("serve")
        .env("GRPC_ADDR", format!("127.0.0.1:{port}"))
        .env("OPS_ADDR", "127.0.0.1:0")
        // Where it is trusted without one, it can be any.
        .env("DATABASE_URL", with_password(&db.url))
        .env("REDIS_URL", common.redis_url.expose())
        .env("AMQP_URL", common.amqp_url.expose())
        .env("AUTH_JWKS_URL", &common.auth_jwks_url)
        .env("AUTH_GRPC_URL", &common.auth_grpc_url)
        .env("TROUPE_PREFIX", &common.prefix)
        .env("TROUPE_QUEUE_LIFE_S", "60")
        .env("MAIL_DIR", folder.path().join("mail"))
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", traces)
        .spawn()
        .expect("it starts");
    let _process = Process(child);
    let at = channel(&format!("http://127.0.0.1:{port}"));
    let accounts = AccountsClient::new(at.clone());
    let password = format!("{MARK}-password");
    let email = format!("{MARK}@example.org").to_lowercase();
    let sign_up = SignUpRequest {
        email: email.clone(),
        password: password.clone(),
        username: "ada".into(),
        ip: "127.0.0.1".into(),
        ..Default::default()
    };
    eventually(|| async { accounts.clone().sign_up(sign_up.clone()).await.ok() }).await;
    let mailbox = MailboxClient::new(at);
    let code = eventually(|| async {
        let mails = mailbox.clone().list_mail(ListMailRequest {}).await.ok()?.into_inner().mails;
        mails
            .into_iter()
            .find(|mail| mail.subject.contains("is your"))
            .map(|mail| mail.subject[..6].to_owned())
    })
    .await;
    let verify = VerifyRequest { code: code.clone(), email: Some(email.clone()), ip: "127.0.0.1".into() };
    accounts.clone().verify(verify).await.expect("verified");
    let log_in = |password: String| LogInRequest {
        email: email.clone(),
        password,
        device: Some(Device { ip: "127.0.0.1".into(), ..Default::default() }),
        otp: None,
    };
    accounts.clone().log_in(log_in(format!("{MARK}-wrong"))).await.expect_err("wrong");
    let token = accounts.clone().log_in(log_in(password)).await.expect("logged in").into_inner().token;
    as_user(&token, accounts.clone().log_out(LogOutRequest {})).await.expect("logged out");

    // Spans of all of it have come.
    let told = eventually(|| async {
        let sent = sent.lock().expect("no holder panics").clone();
        sent.windows(6).any(|w| w == b"LogOut").then_some(sent)
    })
    .await;
    let said = std::fs::read_to_string(&log).expect("a log");
    for event in ["login refused: not the password", "logged in", "logged out"] {
        assert!(said.contains(event), "{event}: {said}");
    }
    let signature = token.rsplit('.').next().expect("three parts");
    for (what, text) in [("the log", said), ("the traces", String::from_utf8_lossy(&told).into_owned())] {
        let lower = text.to_lowercase();
        assert!(!lower.contains(&MARK.to_lowercase()), "{what} holds a secret:\n{}", around(&text, MARK));
        assert!(!text.contains(signature), "{what} holds a token");
        assert!(!text.contains(&code), "{what} holds the code of a mail:\n{}", around(&text, &code));
    }
}

/// The lines of a text in which a word stands.
fn around(text: &str, word: &str) -> String {
    let word = word.to_lowercase();
    text.lines().filter(|line| line.to_lowercase().contains(&word)).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_secret_is_in_what_the_program_says_of_itself_or_of_its_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let secret = |at: &str| format!("{at}://someone:{MARK}@127.0.0.1:1/x");
    let run = |arguments: &[&str]| {
        auth(&log)
            .args(arguments)
            .env("DATABASE_URL", secret("postgres"))
            .env("REDIS_URL", secret("redis"))
            .env("AMQP_URL", secret("amqp"))
            .env("SMTP_URL", secret("smtp"))
            .status()
            .expect("it ran")
    };
    assert!(run(&["serve", "--help"]).success());
    assert!(!run(&["serve"]).success(), "nothing listens there");
    assert!(!run(&["migrate"]).success(), "nothing listens there");
    let said = std::fs::read_to_string(&log).expect("a log");
    assert!(said.contains("AUTH_CODE_KEY") && said.len() > 1_000, "it has spoken: {said}");
    assert!(!said.contains(MARK), "{}", around(&said, MARK));
}
