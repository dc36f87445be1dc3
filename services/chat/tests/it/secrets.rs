//! The real program, told secrets that can be found again, before a model that says aloud what it was shown, and with a
//! classifier that cannot be reached.

use kit::testing::{Issuer, MARK, Overheard, channel, common, database, eventually, marked};
use proto::chat::v1::MemoryScope;

use crate::{
    model::{Answer, Model, Step},
    peers::Peers,
    support::{Talk, open},
};

const CHAT: &str = env!("CARGO_BIN_EXE_chat");
const SECRETS: [&str; 4] =
    ["LLM_API_KEY", "LLM_FALLBACK_API_KEY", "EMBEDDINGS_API_KEY", "MODERATION_API_KEY"];
const ALOUD: &str = r#"{"error":{"message":"Incorrect API key provided: Marked7Secret-LLM_API_KEY."}}"#;

#[tokio::test]
async fn no_secret_and_no_word_of_a_chat_is_in_the_log_or_the_traces_of_the_real_program() {
    assert!(ALOUD.contains(&marked("LLM_API_KEY")), "what is looked for");
    let issuer = Issuer::start().await;
    let (peers, model) = (Peers::default(), Model::start().await);
    let (catalog, billing, auth) = peers.serve().await;
    let mut common = common(&issuer);
    common.auth_grpc_url = auth;
    let db = database(&chat::MIGRATOR).await;
    let heard = Overheard::start().await;
    let (mut command, url) = heard.serving(CHAT, &SECRETS, &common, &db);
    // Addresses may hold keys as well.
    let nowhere = format!("http://127.0.0.1:1/{}", marked("address"));
    command
        .env("CATALOG_GRPC_URL", catalog)
        .env("BILLING_GRPC_URL", billing)
        .env("LLM_BASE_URL", &model.url)
        .env("LLM_FALLBACK_BASE_URL", &model.url)
        .env("EMBEDDINGS_BASE_URL", &nowhere)
        .env("EMBEDDINGS_MODEL", "near")
        .env("MODERATION_BASE_URL", &nowhere);
    let _chat = heard.spawn(command);

    let character = peers.add_character("Maren Holt");
    let (user, token) = issuer.user("robin");
    let at = channel(&url);
    let opened = eventually(|| async { open(&at, &token, character).await.ok() }).await;
    let talk = Talk { user, token, chat: opened.chat_id, character, channel: at };
    talk.remember(&marked("memory"), true, MemoryScope::Chat).await.expect("kept");
    model.will(Answer::Refusal(401, ALOUD));
    model.streams(&[Step::Say("Marked7Secret-reply, and no more."), Step::Finish]);
    let reply = talk.say(&marked("message")).await.expect("answered");
    assert!(reply.text.contains(MARK), "the second engine has written it: {reply:?}");
    let keys = model.keys.lock().expect("no holder panics").clone();
    assert_eq!(keys, SECRETS[..2].iter().map(|key| format!("Bearer {}", marked(key))).collect::<Vec<_>>());

    let lines = ["the language model refused", "the second engine takes over", "judged by the rules alone"];
    heard.until("Generations/Send", &lines).await;
    heard.assert_no_secret(&[("a token", &talk.token)]);
}

#[tokio::test]
async fn no_secret_is_in_what_the_program_says_of_itself_or_of_its_failure() {
    let heard = Overheard::start().await;
    let run = |arguments: &[&str]| {
        let mut command = heard.command(CHAT, &SECRETS);
        command
            .args(arguments)
            .env("DATABASE_URL", format!("postgres://someone:{MARK}@127.0.0.1:1/x"))
            // With these numbers it does not begin.
            .env("LLM_CONNECT_TIMEOUT_S", "0");
        heard.run(command)
    };
    assert!(run(&["serve", "--help"]));
    assert!(!run(&["serve"]), "no connection stands at once");
    let said = heard.said();
    for word in SECRETS.into_iter().chain(["LLM_CONNECT_TIMEOUT_S must be more than 0"]) {
        assert!(said.contains(word), "{word}: {said}");
    }
    heard.assert_no_secret(&[]);
}
