//! The list of chats, kept in order, and search in one's messages.

use kit::testing::{as_user, as_user_with_key};
use proto::chat::v1::{
    ChatSummary, DeleteChatRequest, Hit, ListChatsRequest, RestoreChatRequest, SearchMessagesRequest,
    StartChatRequest, StartChatResponse, UpdateChatRequest, chats_client::ChatsClient,
    shelf_client::ShelfClient,
};
use tonic::Status;
use uuid::Uuid;

use crate::support::{Talk, house, reason};

impl Talk {
    fn shelf(&self) -> ShelfClient<kit::client::Channel> {
        ShelfClient::new(self.channel.clone())
    }

    async fn another(&self, key: &str, greeting: u32) -> Result<StartChatResponse, Status> {
        let request = StartChatRequest { character_id: self.character.to_string(), greeting };
        Ok(as_user_with_key(&self.token, key, self.shelf().start_chat(request)).await?.into_inner())
    }

    async fn change(&self, change: UpdateChatRequest) -> Result<ChatSummary, Status> {
        let change = UpdateChatRequest { chat_id: self.chat.clone(), ..change };
        let answer = as_user(&self.token, self.shelf().update_chat(change)).await?.into_inner();
        Ok(answer.chat.expect("the chat"))
    }

    pub async fn put_away(&self) -> Result<(), Status> {
        let request = DeleteChatRequest { chat_id: self.chat.clone() };
        as_user(&self.token, self.shelf().delete_chat(request)).await.map(drop)
    }

    async fn take_out(&self) -> Result<ChatSummary, Status> {
        let request = RestoreChatRequest { chat_id: self.chat.clone() };
        let answer = as_user(&self.token, self.shelf().restore_chat(request)).await?.into_inner();
        Ok(answer.chat.expect("the chat"))
    }

    async fn list(&self, archived: bool, query: &str) -> Vec<ChatSummary> {
        self.list_after(archived, query, "").await
    }

    async fn list_after(&self, archived: bool, query: &str, after: &str) -> Vec<ChatSummary> {
        let request = ListChatsRequest {
            archived,
            query: query.into(),
            after: after.into(),
            character_id: String::new(),
        };
        let mut client = ChatsClient::new(self.channel.clone());
        as_user(&self.token, client.list_chats(request)).await.expect("listed").into_inner().chats
    }

    async fn find(&self, query: &str) -> Vec<Hit> {
        let request = SearchMessagesRequest { query: query.into(), page: 1 };
        as_user(&self.token, self.shelf().search_messages(request)).await.expect("found").into_inner().hits
    }
}

#[tokio::test]
async fn another_chat_with_the_same_character_begins_with_the_greeting_that_was_chosen() {
    let house = house().await;
    let character = house.peers.add_character_with_greetings("Maren Holt", &["\"Careful, {{user}}.\""]);
    let (user, token) = house.issuer.user("robin");
    let opened = house.open(&token, character).await.expect("opened");
    let channel = kit::testing::channel(&house.server.url);
    let talk = Talk { user, token, chat: opened.chat_id, character, channel };

    let other = talk.another("k", 1).await.expect("begun");
    assert_ne!(other.chat_id, talk.chat);
    assert_eq!(other.messages[0].content, "\"Careful, robin.\"");
    assert_eq!((other.messages[0].variant, other.messages[0].variants), (2, 2));
    assert_eq!(talk.another("k", 1).await.expect("the same").chat_id, other.chat_id);
    assert_eq!(talk.list(false, "").await.len(), 2);
    assert_eq!(reason(&talk.another("k2", 2).await.expect_err("there are two")), "invalid");
    assert_eq!(talk.page().await.chat_id, other.chat_id, "the most recent one opens");
}

#[tokio::test]
async fn chats_are_named_pinned_put_away_and_found_by_their_names() {
    let house = house().await;
    let talk = house.talk().await;
    let isolde = house.peers.add_character("Isolde");
    house.open(&talk.token, isolde).await.expect("opened");
    let named = talk
        .change(UpdateChatRequest { title: Some("  The  100% storm ".into()), ..Default::default() })
        .await
        .expect("named");
    assert_eq!(named.title, "The 100% storm");
    let pinned =
        talk.change(UpdateChatRequest { pinned: Some(true), ..Default::default() }).await.expect("pinned");
    assert!(pinned.pinned && pinned.title == "The 100% storm", "what is not told stays");

    let names = |chats: Vec<ChatSummary>| -> Vec<String> {
        chats.into_iter().map(|chat| chat.character_name).collect()
    };
    assert_eq!(names(talk.list(false, "").await), ["Maren Holt", "Isolde"], "pinned ones first");
    assert_eq!(names(talk.list(false, "isol").await), ["Isolde"]);
    assert_eq!(names(talk.list(false, "100%").await), ["Maren Holt"]);
    assert!(talk.list(false, "1_0").await.is_empty(), "no wildcards");

    talk.change(UpdateChatRequest { archived: Some(true), ..Default::default() }).await.expect("put away");
    assert_eq!(names(talk.list(false, "").await), ["Isolde"]);
    assert_eq!(names(talk.list(true, "").await), ["Maren Holt"]);

    let long = UpdateChatRequest { title: Some("x".repeat(101)), ..Default::default() };
    assert_eq!(reason(&talk.change(long).await.expect_err("refused")), "invalid");
}

#[tokio::test]
async fn the_list_goes_on_after_its_last_chat_until_all_were_shown_once() {
    let house = house().await;
    let talk = house.talk().await;
    for n in 0..119 {
        talk.another(&format!("chat-{n}"), 0).await.expect("started");
    }
    let pinned = talk.list(false, "").await.last().expect("a chat").id.clone();
    let change = UpdateChatRequest { chat_id: pinned.clone(), pinned: Some(true), ..Default::default() };
    as_user(&talk.token, talk.shelf().update_chat(change)).await.expect("pinned");

    let mut shown: Vec<ChatSummary> = Vec::new();
    let mut pages = Vec::new();
    loop {
        let after = shown.last().map_or_else(String::new, |chat| chat.id.clone());
        let page = talk.list_after(false, "", &after).await;
        pages.push(page.len());
        if page.is_empty() {
            break;
        }
        shown.extend(page);
    }
    assert_eq!(pages, [50, 50, 20, 0]);
    assert_eq!(shown[0].id, pinned);
    let distinct: std::collections::HashSet<_> = shown.iter().map(|chat| chat.id.as_str()).collect();
    assert_eq!(distinct.len(), 120);
    let isolde = house.peers.add_character("Isolde");
    house.open(&talk.token, isolde).await.expect("opened");
    let request = ListChatsRequest { character_id: isolde.to_string(), ..ListChatsRequest::default() };
    let mut client = ChatsClient::new(talk.channel.clone());
    let hers = as_user(&talk.token, client.list_chats(request)).await.expect("listed").into_inner().chats;
    assert_eq!(hers.iter().map(|chat| chat.character_name.as_str()).collect::<Vec<_>>(), ["Isolde"]);
    let gone = talk.list_after(false, "", &Uuid::nil().to_string()).await;
    assert!(gone.is_empty(), "nobody's chat has no successors");
}

#[tokio::test]
async fn a_deleted_chat_is_gone_at_once_and_comes_back_for_a_day() {
    let house = house().await;
    let talk = house.talk().await;
    let reply = talk.say("The lamp is lit.").await.expect("sent").message().id.clone();
    talk.put_away().await.expect("deleted");
    assert!(talk.list(false, "").await.is_empty() && talk.find("lamp").await.is_empty());
    assert_eq!(reason(&talk.say("Hello?").await.expect_err("refused")), "chat_not_found");
    assert_eq!(reason(&talk.go_to(&reply).await.expect_err("refused")), "chat_not_found");
    assert_eq!(reason(&talk.put_away().await.expect_err("refused")), "chat_not_found");

    assert_eq!(talk.take_out().await.expect("restored").message_count, 3);
    talk.take_out().await.expect("twice is once");
    talk.say("Hello again.").await.expect("sent");

    talk.put_away().await.expect("deleted");
    sqlx::query("update chat set deleted_at = deleted_at - interval '25 hours'")
        .execute(&house.db.pool)
        .await
        .expect("a day later");
    assert_eq!(reason(&talk.take_out().await.expect_err("too late")), "chat_not_found");
    let _replica = house.replica().await;
    kit::testing::eventually(|| async {
        let left: i64 = sqlx::query_scalar("select count(*) from message")
            .fetch_one(&house.db.pool)
            .await
            .expect("counted");
        (left == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn ones_own_messages_are_found_by_the_beginnings_of_their_words() {
    let house = house().await;
    let (talk, other) = (house.talk().await, house.talk().await);
    let said = talk.say("The Lighthouse at Skagen was cold.").await.expect("sent");
    let said = said.user_message.expect("told").id;
    other.say("My lighthouse is warmer.").await.expect("sent");

    let hits = talk.find("skag lighth").await;
    let [hit] = hits.as_slice() else { panic!("one: {hits:?}") };
    assert_eq!((hit.message_id.as_str(), hit.character_name.as_str()), (said.as_str(), "Maren Holt"));
    assert_eq!(
        (hit.chat_id.as_str(), hit.snippet.as_str()),
        (talk.chat.as_str(), "The Lighthouse at Skagen was cold.")
    );
    let marked: Vec<&str> =
        hit.marks.iter().map(|m| &hit.snippet[m.start as usize..m.end as usize]).collect();
    assert_eq!(marked, ["Lighthouse", "Skagen"]);
    assert!(talk.find("warmer").await.is_empty(), "what others wrote is theirs");
    assert!(talk.find("house").await.iter().all(|hit| !hit.snippet.contains("Lighthouse")), "beginnings");
    assert!(talk.find("!&|").await.is_empty());

    talk.delete(&said).await.expect("deleted");
    assert!(talk.find("skagen").await.is_empty(), "what was deleted is not found");
    talk.restore(&said).await.expect("restored");
    talk.clear().await.expect("cleared");
    assert!(talk.find("skagen").await.is_empty(), "nor what was cleared");
}
