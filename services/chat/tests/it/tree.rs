//! Swipes, edits, branches, what is taken away and comes back.

use futures::StreamExt as _;
use kit::{
    house::House,
    notice::{Notice, NoticeEvent},
    shutdown::Shutdown,
    testing::{as_user, as_user_with_key, published},
};
use proto::chat::v1::{
    DeleteMessageRequest, DeleteMessageResponse, EditAndReplyRequest, EditMessageRequest, ForkChatRequest,
    ForkChatResponse, GenerationEvent, GetTreeRequest, GetTreeResponse, Message, RegenerateRequest,
    RestoreMessageRequest, SendRequest, SetLeafRequest, UndoClearRequest, send_request::Turn,
    tree_client::TreeClient, turns_client::TurnsClient,
};
use proto::events::v1::UserStruck;
use tonic::Status;

use crate::{
    model::Step,
    support::{Reply, Talk, gather, house, house_with_model, next_text, read, reason, says},
};

impl Talk {
    fn tree(&self) -> TreeClient<kit::client::Channel> {
        TreeClient::new(self.channel.clone()).max_decoding_message_size(usize::MAX)
    }

    pub async fn regenerate(&self, message: &str) -> Result<Reply, Status> {
        let request = RegenerateRequest {
            chat_id: self.chat.clone(),
            message_id: message.into(),
            ..Default::default()
        };
        let mut client = TurnsClient::new(self.channel.clone());
        let events = as_user(&self.token, client.regenerate(request)).await?.into_inner();
        let events: Vec<GenerationEvent> =
            events.map(|e| e.expect("an event").event.expect("not empty")).collect().await;
        Ok(gather(&events))
    }

    pub async fn edit(&self, message: &str, content: &str) -> Result<Vec<Message>, Status> {
        let request = EditMessageRequest {
            chat_id: self.chat.clone(),
            message_id: message.into(),
            content: content.into(),
        };
        Ok(as_user(&self.token, self.tree().edit_message(request)).await?.into_inner().messages)
    }

    pub async fn edit_and_reply(&self, key: &str, message: &str, content: &str) -> Result<Reply, Status> {
        let request = EditAndReplyRequest {
            chat_id: self.chat.clone(),
            message_id: message.into(),
            content: content.into(),
            ..Default::default()
        };
        let mut client = TurnsClient::new(self.channel.clone());
        let events = as_user_with_key(&self.token, key, client.edit_and_reply(request)).await?.into_inner();
        let events: Vec<GenerationEvent> =
            events.map(|e| e.expect("an event").event.expect("not empty")).collect().await;
        Ok(gather(&events))
    }

    pub async fn go_to(&self, message: &str) -> Result<Vec<Message>, Status> {
        let request = SetLeafRequest { chat_id: self.chat.clone(), message_id: message.into() };
        Ok(as_user(&self.token, self.tree().set_leaf(request)).await?.into_inner().messages)
    }

    pub async fn delete(&self, message: &str) -> Result<DeleteMessageResponse, Status> {
        let request = DeleteMessageRequest { chat_id: self.chat.clone(), message_id: message.into() };
        Ok(as_user(&self.token, self.tree().delete_message(request)).await?.into_inner())
    }

    pub async fn restore(&self, message: &str) -> Result<Vec<Message>, Status> {
        let request = RestoreMessageRequest { chat_id: self.chat.clone(), message_id: message.into() };
        Ok(as_user(&self.token, self.tree().restore_message(request)).await?.into_inner().messages)
    }

    pub async fn undo_clear(&self) -> Result<Vec<Message>, Status> {
        let request = UndoClearRequest { chat_id: self.chat.clone() };
        Ok(as_user(&self.token, self.tree().undo_clear(request)).await?.into_inner().messages)
    }

    pub async fn fork(&self, key: &str, message: &str) -> Result<ForkChatResponse, Status> {
        let request = ForkChatRequest { chat_id: self.chat.clone(), message_id: message.into() };
        Ok(as_user_with_key(&self.token, key, self.tree().fork_chat(request)).await?.into_inner())
    }

    pub async fn map(&self, after: &str) -> Result<GetTreeResponse, Status> {
        let request = GetTreeRequest { chat_id: self.chat.clone(), after: after.into() };
        Ok(as_user(&self.token, self.tree().get_tree(request)).await?.into_inner())
    }
}

pub fn texts(path: &[Message]) -> Vec<&str> {
    path.iter().map(|m| m.content.as_str()).collect()
}

fn last(path: &[Message]) -> &Message {
    path.last().expect("a message")
}

#[tokio::test]
async fn a_swipe_is_another_reply_and_the_first_is_still_there() {
    let house = house().await;
    let talk = house.talk().await;
    let first = talk.say("Tell me about the sea.").await.expect("sent");
    let first = first.message().clone();
    let second = talk.regenerate(&first.id).await.expect("swiped");
    assert!(second.user_message.is_none(), "nobody said anything");
    let second = second.message().clone();
    assert_ne!(second.content, first.content, "another reply, not the same one again");
    assert_eq!((second.variants, second.variant), (2, 2));
    assert_eq!(second.siblings, [first.id.as_str(), second.id.as_str()]);
    assert_eq!(second.parent_id, first.parent_id);
    assert_eq!(last(&talk.page().await.messages).id, second.id);

    let back = talk.go_to(&first.id).await.expect("shown");
    assert_eq!((last(&back).id.as_str(), last(&back).variant), (first.id.as_str(), 1));
    assert_eq!(texts(&talk.page().await.messages), texts(&back));
    assert_eq!(talk.page().await.usage.expect("told").used, 2, "a swipe counts");
}

#[tokio::test]
async fn other_tabs_hear_that_a_chat_has_changed() {
    let house = house().await;
    let talk = house.talk().await;
    let other = House::open_without_broker(&house.common, Shutdown::new()).await.expect("Redis");
    let mut hints = other.notices.subscribe();
    let expected = Notice::Hint {
        user: talk.user,
        what: "chat.changed".into(),
        id: talk.chat.clone(),
        traceparent: None,
    };
    let mut heard =
        async || while hints.recv().await.expect("open") != NoticeEvent::Notice(expected.clone()) {};
    let reply = talk.say("Tell me about the sea.").await.expect("sent").message().id.clone();
    // The turn, and the end of its reply.
    heard().await;
    heard().await;
    talk.edit(&reply, "Another.").await.expect("edited");
    heard().await;
    talk.go_to(&reply).await.expect("shown");
    heard().await;
    talk.delete(&reply).await.expect("deleted");
    heard().await;
}

#[tokio::test]
async fn first_contact_lasts_until_something_was_said() {
    let house = house().await;
    let talk = house.talk().await;
    assert!(talk.page().await.first_contact && talk.part(None, 1).await.first_contact);
    let said = talk.say("Good evening.").await.expect("sent").user_message.expect("said");
    for part in [talk.page().await, talk.part(None, 1).await, talk.part(Some(&said.id), 1).await] {
        assert!(!part.first_contact, "{:?}", texts(&part.messages));
    }
}

#[tokio::test]
async fn a_reply_has_at_most_twenty_versions() {
    let house = house().await;
    let talk = house.talk().await;
    let reply = talk.say("Tell me about the sea.").await.expect("sent").message().id.clone();
    for _ in 0..19 {
        talk.regenerate(&reply).await.expect("swiped");
    }
    assert_eq!(reason(&talk.regenerate(&reply).await.expect_err("refused")), "too_many_variants");
    assert_eq!(reason(&talk.edit(&reply, "Another.").await.expect_err("refused")), "too_many_variants");
    talk.delete(&reply).await.expect("deleted");
    let other = last(&talk.page().await.messages).clone();
    assert_eq!(other.variants, 19, "the shown one is beside the deleted one");
    talk.regenerate(&other.id).await.expect("there is room again");
}

#[tokio::test]
async fn there_are_as_many_versions_whichever_way_they_are_made() {
    let house = house().await;
    let talk = house.talk().await;
    let reply = talk.say("Tell me about the sea.").await.expect("sent").message().clone();
    let below = async |parent: &str, turn: Option<Turn>| {
        let request = SendRequest { parent_id: Some(parent.to_owned()), ..talk.request(turn) };
        Ok::<_, Status>(read(talk.begin_with(request).await?).await)
    };
    for n in 0..20 {
        let said = below(&reply.id, says(&format!("Number {n}."))).await.expect("sent");
        assert_eq!(said.user_message.expect("said").variants, n + 1);
    }
    let refused = below(&reply.id, says("One too many.")).await.expect_err("refused");
    assert_eq!(reason(&refused), "too_many_variants");
    for _ in 0..19 {
        below(&reply.parent_id, Some(Turn::Continue(true))).await.expect("another reply");
    }
    let refused = below(&reply.parent_id, Some(Turn::Continue(true))).await.expect_err("refused");
    assert_eq!(reason(&refused), "too_many_variants");
}

#[tokio::test]
async fn restoring_what_is_there_changes_nothing() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Finish]);
    let failed = talk.say("Is anybody there?").await.expect("sent").trouble().1.clone();
    house.model.streams(&[Step::Say("Here I am."), Step::Finish]);
    let reply = talk.regenerate(&failed.id).await.expect("tried again").message().clone();
    house.model.streams(&[Step::Say("Here too."), Step::Finish]);
    let other = talk.regenerate(&reply.id).await.expect("another").message().clone();
    // Neither the reply that made room for it, nor one on another branch.
    for there in [&reply, &other] {
        let path = talk.restore(&there.id).await.expect("it is there");
        assert_eq!((last(&path).id.as_str(), last(&path).variants), (other.id.as_str(), 2));
    }
    // What came to nothing was taken away under its own name.
    let path = talk.restore(&failed.id).await.expect("restored");
    assert_eq!(path[1].content, "Is anybody there?");
    assert!(talk.map("").await.expect("a map").nodes.iter().any(|node| node.id == failed.id));
}

#[tokio::test]
async fn a_failed_reply_makes_room_for_the_next_try() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Finish]);
    let failed = talk.say("Is anybody there?").await.expect("sent");
    let failed = failed.trouble().1.clone();
    house.model.streams(&[Step::Say("Here I am."), Step::Finish]);
    let reply = talk.regenerate(&failed.id).await.expect("tried again");
    assert_eq!((reply.text.as_str(), reply.message().variants), ("Here I am.", 1));
    assert_eq!(talk.page().await.messages.len(), 3);

    // By the user's message it goes as well.
    let said = reply.message().parent_id.clone();
    house.model.streams(&[Step::Say("Still here."), Step::Finish]);
    assert_eq!(talk.regenerate(&said).await.expect("answered").message().variant, 2);
    let greeting = talk.page().await.messages[0].id.clone();
    assert_eq!(reason(&talk.regenerate(&greeting).await.expect_err("refused")), "greeting_stays");
}

#[tokio::test]
async fn an_edit_stands_beside_what_was_said_and_is_what_the_character_hears() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("A herring."), Step::Finish]);
    let reply = talk.say("What is that, a herring?").await.expect("sent");
    let said = reply.user_message.as_ref().expect("told").id.clone();

    let path = talk.edit(&said, "What is that, a gull?").await.expect("edited");
    let new = last(&path).clone();
    assert_eq!((new.content.as_str(), new.edited, new.variant), ("What is that, a gull?", true, 2));
    assert_eq!(path.len(), 2, "its reply is still to come");
    house.model.streams(&[Step::Say("A gull."), Step::Finish]);
    talk.regenerate(&new.id).await.expect("answered");
    assert!(!house.model.last_prompt().contains("herring"), "{}", house.model.last_prompt());

    house.model.streams(&[Step::Say("A seal."), Step::Finish]);
    let seal = talk.edit_and_reply("k1", &said, "What is that, a seal?").await.expect("edited");
    let again = talk.edit_and_reply("k1", &said, "What is that, a seal?").await.expect("joined");
    assert_eq!((seal.text.as_str(), seal.generation), ("A seal.", again.generation));
    assert!(seal.user_message.expect("told").edited);
    let page = talk.page().await;
    assert_eq!(texts(&page.messages)[1..], ["What is that, a seal?", "A seal."]);
    assert_eq!(page.messages[1].variants, 3);

    // The character's words can be changed too; the greeting as well.
    let path = talk.edit(&page.messages[2].id, "A very old seal.").await.expect("edited");
    assert_eq!((last(&path).content.as_str(), last(&path).variant), ("A very old seal.", 2));
    let path = talk.edit(&page.messages[0].id, "Good evening.").await.expect("edited");
    assert_eq!(texts(&path), ["Good evening."]);
    let path = talk.go_to(&page.messages[0].id).await.expect("shown");
    assert_eq!(last(&path).content, "A very old seal.", "nothing was lost");
}

#[tokio::test]
async fn a_turn_below_any_message_is_a_branch() {
    let house = house().await;
    let talk = house.talk().await;
    let first = talk.say("Tell me about the sea.").await.expect("sent").message().clone();
    talk.say("And the lamp?").await.expect("sent");
    let mut request = talk.request(says("And the gulls?"));
    request.parent_id = Some(first.id.clone());
    let branch = read(talk.begin_with(request).await.expect("sent")).await;
    let said = branch.user_message.as_ref().expect("told");
    assert_eq!((said.parent_id.as_str(), said.variants, said.variant), (first.id.as_str(), 2, 2));
    assert_eq!(talk.page().await.messages.len(), 5);
    let other = talk.go_to(&said.siblings[0]).await.expect("shown");
    assert_eq!(texts(&other)[3], "And the lamp?");
    assert_eq!(other.len(), 5, "down to its newest leaf");

    let map = talk.map("").await.expect("a map");
    assert_eq!((map.nodes.len(), map.has_more), (7, false));
    assert_eq!(map.leaf_id, last(&other).id);
    let node = map.nodes.iter().find(|n| n.preview == "And the gulls?").expect("on the map");
    assert_eq!((node.parent_id.as_str(), node.variants, node.depth), (first.id.as_str(), 2, 4));
    let rest = talk.map(&map.nodes[4].id).await.expect("the rest");
    assert_eq!(rest.nodes.len(), 2);
}

#[tokio::test]
async fn what_is_deleted_is_gone_for_the_character_and_comes_back_for_a_day() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("Noted."), Step::Finish]);
    let first = talk.say("My cat is called Vesper.").await.expect("sent");
    talk.say("Now the weather.").await.expect("sent");
    let said = first.user_message.expect("told").id;

    let gone = talk.delete(&said).await.expect("deleted");
    assert_eq!((gone.deleted, gone.messages.len()), (4, 1), "with all that followed");
    assert!(gone.undo_until.is_some());
    assert_eq!(talk.page().await.messages.len(), 1);
    talk.say("Who are you?").await.expect("sent");
    assert!(!house.model.last_prompt().contains("Vesper"), "what was deleted is forgotten");
    let beside = talk.page().await.messages[1].clone();
    assert_eq!(beside.variants, 1, "what was deleted is no version");
    assert_eq!(talk.map("").await.expect("a map").nodes.len(), 3);

    let path = talk.restore(&said).await.expect("restored");
    assert_eq!(texts(&path)[1], "My cat is called Vesper.");
    assert_eq!(path.len(), 5, "to where it was left");
    assert_eq!((path[1].variants, talk.map("").await.expect("a map").nodes.len()), (2, 7));
    let path = talk.restore(&said).await.expect("twice is once");
    assert_eq!(path.len(), 5);

    let greeting = path[0].id.clone();
    assert_eq!(reason(&talk.delete(&greeting).await.expect_err("refused")), "greeting_stays");
}

#[tokio::test]
async fn of_what_was_deleted_twice_the_outer_comes_back_first() {
    let house = house().await;
    let talk = house.talk().await;
    let outer = talk.say("Tell me about the sea.").await.expect("sent").user_message.expect("told").id;
    let inner = talk.say("And the lamp?").await.expect("sent").user_message.expect("told").id;
    talk.delete(&inner).await.expect("deleted");
    talk.delete(&outer).await.expect("deleted");
    assert_eq!(reason(&talk.restore(&inner).await.expect_err("not yet")), "message_not_found");
    assert_eq!(talk.restore(&outer).await.expect("restored").len(), 3);
    assert_eq!(talk.restore(&inner).await.expect("restored").len(), 5);
}

#[tokio::test]
async fn clearing_can_be_undone_and_nothing_said_since_is_lost() {
    let house = house().await;
    let talk = house.talk().await;
    assert!(talk.clear().await.expect("cleared").undo_until.is_none(), "there was nothing");
    assert_eq!(reason(&talk.undo_clear().await.expect_err("refused")), "nothing_to_undo");
    let before = talk.say("Tell me about the sea.").await.expect("sent").message().id.clone();
    talk.clear().await.expect("cleared");
    let page = talk.page().await;
    assert!(page.messages.len() == 1 && page.clear_undo_until.is_some());
    let since = talk.say("Good evening.").await.expect("sent").user_message.expect("told").id;

    let path = talk.undo_clear().await.expect("undone");
    assert_eq!(last(&path).id, before);
    assert_eq!(path[1].variants, 2, "what was said since is beside it");
    assert_eq!(talk.go_to(&since).await.expect("there").len(), 3);
    assert_eq!(reason(&talk.undo_clear().await.expect_err("refused")), "nothing_to_undo");
}

#[tokio::test]
async fn after_a_day_what_was_taken_away_is_erased() {
    let house = house().await;
    let talk = house.talk().await;
    talk.say("Tell me about the sea.").await.expect("sent");
    talk.clear().await.expect("cleared");
    let kept = talk.say("Good evening.").await.expect("sent").message().id.clone();
    sqlx::query("update removal set at = at - interval '25 hours'")
        .execute(&house.db.pool)
        .await
        .expect("a day later");
    assert_eq!(reason(&talk.undo_clear().await.expect_err("too late")), "nothing_to_undo");
    let _replica = house.replica().await;
    kit::testing::eventually(|| async {
        let left: (i64, i64) =
            sqlx::query_as("select (select count(*) from message), (select count(*) from generation)")
                .fetch_one(&house.db.pool)
                .await
                .expect("counted");
        (left == (3, 1)).then_some(())
    })
    .await;
    assert_eq!(last(&talk.page().await.messages).id, kept);
}

#[tokio::test]
async fn a_fork_is_a_chat_of_its_own_with_a_copy_of_the_path() {
    let house = house().await;
    let talk = house.talk().await;
    let first = talk.say("Tell me about the sea.").await.expect("sent").message().clone();
    talk.say("And the lamp?").await.expect("sent");
    let fork = talk.fork("f1", &first.id).await.expect("forked");
    assert_eq!(fork.title, "Fork of Maren Holt");
    assert_eq!(talk.fork("f1", &first.id).await.expect("the same").chat_id, fork.chat_id);
    let there = Talk { chat: fork.chat_id.clone(), ..talk.at(&house.server) };
    let before = talk.map("").await.expect("a map");
    there.say("Another way.").await.expect("sent");
    let map = there.map("").await.expect("a map");
    assert_eq!(map.nodes.len(), 5, "three copies and a turn");
    assert!(!before.nodes.iter().any(|m| map.nodes.iter().any(|n| n.id == m.id)), "copies");
    talk.delete(&first.id).await.expect("deleted");
    assert_eq!(there.map("").await.expect("a map").nodes.len(), 5, "the fork does not care");
}

#[tokio::test]
async fn while_a_reply_runs_nothing_is_changed_but_one_may_look_elsewhere() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("The first."), Step::Finish]);
    let first = talk.say("Hello.").await.expect("sent").message().clone();
    house.model.streams(&[Step::Say("The second. "), Step::Wait, Step::Say("Its end."), Step::Finish]);
    let request =
        RegenerateRequest { chat_id: talk.chat.clone(), message_id: first.id.clone(), ..Default::default() };
    let mut client = TurnsClient::new(talk.channel.clone());
    let mut running = as_user(&talk.token, client.regenerate(request)).await.expect("begun").into_inner();
    running.message().await.expect("a stream").expect("the start");

    for refused in [
        talk.edit(&first.id, "Otherwise.").await.expect_err("refused"),
        talk.delete(&first.id).await.expect_err("refused"),
        talk.regenerate(&first.id).await.expect_err("refused"),
        talk.say("Me too.").await.expect_err("refused"),
    ] {
        assert_eq!(reason(&refused), "generation_running");
    }
    let shown = talk.go_to(&first.id).await.expect("shown");
    assert_eq!(last(&shown).content, "The first.");
    house.model.go_on();
    let rest: Vec<_> = running.map(|e| e.expect("an event")).collect().await;
    assert!(!rest.is_empty());
    talk.settled().await;
    let page = talk.page().await;
    assert_eq!(last(&page.messages).id, first.id, "the view stays where it was put");
    let second = last(&page.messages).siblings[1].clone();
    assert_eq!(last(&talk.go_to(&second).await.expect("there")).content, "The second. Its end.");
}

#[tokio::test]
async fn of_two_tabs_that_swipe_at_once_one_writes_and_the_other_is_told() {
    let house = house().await;
    let talk = house.talk().await;
    let slow = house.with_engine(|e| e.improv_pace_ms = 5).await;
    let (one, two) = (talk.at(&house.server), talk.at(&slow));
    let reply = talk.say("Tell me about the sea.").await.expect("sent").message().id.clone();
    for _ in 0..4 {
        let both = tokio::join!(one.regenerate(&reply), two.regenerate(&reply));
        let refused = [both.0.as_ref().err(), both.1.as_ref().err()];
        for status in refused.into_iter().flatten() {
            assert_eq!(reason(status), "generation_running");
        }
        assert!(both.0.is_ok() || both.1.is_ok(), "one of them writes");
        talk.settled().await;
    }
    let shown = talk.settled().await;
    let made = usize::try_from(shown.variants).expect("few");
    assert!(shown.siblings.len() == made && made >= 5, "{shown:?}");
}

#[tokio::test]
async fn alternate_greetings_are_versions_of_the_first_message() {
    let house = house().await;
    let character = house.peers.add_character_with_greetings(
        "Maren Holt",
        &["*{{char}} is asleep.*", "  ", "\"Careful on the stairs, {{user}}.\""],
    );
    let (_, token) = house.issuer.user("robin");
    let opened = house.open(&token, character).await.expect("opened");
    let greeting = opened.messages[0].clone();
    assert_eq!((greeting.variants, greeting.variant), (3, 1));
    let talk = Talk {
        user: uuid::Uuid::nil(),
        token,
        chat: opened.chat_id,
        character,
        channel: kit::testing::channel(&house.server.url),
    };
    let other = talk.go_to(&greeting.siblings[2]).await.expect("shown");
    assert_eq!(texts(&other), ["\"Careful on the stairs, robin.\""]);
    talk.say("Good evening.").await.expect("sent");
    let cleared = talk.clear().await.expect("cleared").first_message.expect("the greeting");
    assert_eq!(cleared.id, greeting.siblings[2], "back to the greeting that was chosen");
    assert_eq!(cleared.variants, 3);
}

#[tokio::test]
async fn a_strangers_tree_is_not_there() {
    let house = house().await;
    let talk = house.talk().await;
    let reply = talk.say("A secret.").await.expect("sent").message().id.clone();
    let mut theirs = talk.at(&house.server);
    theirs.token = house.issuer.user("mallory").1;
    for refused in [
        theirs.regenerate(&reply).await.expect_err("refused"),
        theirs.edit(&reply, "Mine now.").await.expect_err("refused"),
        theirs.go_to(&reply).await.expect_err("refused"),
        theirs.delete(&reply).await.expect_err("refused"),
        theirs.restore(&reply).await.expect_err("refused"),
        theirs.undo_clear().await.expect_err("refused"),
        theirs.fork("f", &reply).await.expect_err("refused"),
        theirs.map("").await.expect_err("refused"),
    ] {
        assert_eq!(reason(&refused), "chat_not_found");
    }
    // By way of a chat of one's own it is not there either.
    theirs.chat = theirs.page().await.chat_id;
    for refused in [
        theirs.go_to(&reply).await.expect_err("refused"),
        theirs.delete(&reply).await.expect_err("refused"),
        theirs.regenerate(&reply).await.expect_err("refused"),
        theirs.fork("f", &reply).await.expect_err("refused"),
    ] {
        assert_eq!(reason(&refused), "message_not_found");
    }
    let mut below = theirs.request(says("Hello."));
    below.parent_id = Some(reply);
    assert_eq!(reason(&theirs.begin_with(below).await.expect_err("refused")), "message_not_found");
}

#[tokio::test]
async fn a_path_is_read_page_by_page() {
    let house = house().await;
    let talk = house.talk().await;
    for _ in 0..4 {
        talk.say("Go on about the sea.").await.expect("sent");
    }
    let whole = talk.page().await;
    assert!(whole.messages.len() == 9 && !whole.has_earlier);
    let end = talk.part(None, 4).await;
    assert_eq!(texts(&end.messages), texts(&whole.messages[5..]));
    assert!(end.has_earlier);
    let before = talk.part(Some(&end.messages[0].id), 10).await;
    assert_eq!(texts(&before.messages), texts(&whole.messages[..5]));
    assert!(!before.has_earlier);
    assert_eq!(before.usage.expect("told").path_messages, 9, "of the whole path");
    assert!(next_text(&mut talk.begin("One more.").await.expect("sent")).await.1 > 0);
}

#[tokio::test]
async fn an_edit_that_is_not_allowed_changes_nothing_and_is_told() {
    let house = house().await;
    let told = published(&house.common, &["chat.user.struck"]).await;
    let talk = house.talk().await;
    let said = talk.say("Hello.").await.expect("sent").user_message.expect("told").id;
    let refused = talk.edit(&said, "She is 15 years old and has sex with him.").await.expect_err("refused");
    assert_eq!(reason(&refused), "moderated");
    assert_eq!(talk.map("").await.expect("a map").nodes.len(), 3);
    let user = talk.user.to_string();
    told.wait::<UserStruck>("chat.user.struck", |struck| struck.user_id == user).await;
}
