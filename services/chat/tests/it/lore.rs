//! Lorebooks: the character's and one's own.

use kit::testing::as_user;
use proto::{
    catalog::v1::CardExtras,
    chat::v1::{
        CreateLorebookRequest, CreateLorebookResponse, DeleteLorebookRequest, GetLorebookRequest,
        ListLorebooksRequest, LoreBook, LoreEntry, Lorebook, LorebookDraft, UpdateLorebookRequest,
        lorebooks_client::LorebooksClient,
    },
};
use serde_json::json;
use tonic::Status;

use crate::{
    model::Step,
    support::{House, Talk, house, house_with_model, reason},
};

impl Talk {
    fn lorebooks(&self) -> LorebooksClient<kit::client::Channel> {
        LorebooksClient::new(self.channel.clone())
    }

    pub async fn make(&self, draft: LorebookDraft, import: &str) -> Result<CreateLorebookResponse, Status> {
        let request = CreateLorebookRequest { draft: Some(draft), import: import.into() };
        Ok(as_user(&self.token, self.lorebooks().create_lorebook(request)).await?.into_inner())
    }

    async fn listed(&self) -> Vec<Lorebook> {
        let answer = as_user(&self.token, self.lorebooks().list_lorebooks(ListLorebooksRequest {})).await;
        answer.expect("listed").into_inner().lorebooks
    }
}

fn entry(key: &str, content: &str) -> LoreEntry {
    LoreEntry { keys: vec![key.into()], content: content.into(), enabled: true, ..Default::default() }
}

fn draft(name: &str, entries: Vec<LoreEntry>) -> LorebookDraft {
    let book = LoreBook { scan_depth: 4, entries, ..Default::default() };
    LorebookDraft { name: name.into(), enabled: true, book: Some(book), ..Default::default() }
}

async fn prompt_of(house: &House, talk: &Talk, words: &str) -> String {
    house.model.streams(&[Step::Say("So it is."), Step::Finish]);
    talk.say(words).await.expect("answered");
    house.model.last_prompt()
}

#[tokio::test]
async fn what_is_written_of_the_world_is_told_when_it_is_spoken_of() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let made =
        talk.make(draft("Coast", vec![entry("gull", "Gulls here steal spoons, says {{char}}.")]), "").await;
    let book = made.expect("kept").lorebook.expect("kept");
    // The character has one of its own, and instructions.
    {
        let mut cards = house.peers.cards.lock().expect("no holder panics");
        cards.get_mut(&talk.character.to_string()).expect("there").extras = Some(CardExtras {
            character_book: json!({ "entries": [
                { "keys": ["storm"], "content": "Storms last three days.", "enabled": true, "insertion_order": 1, "extensions": {} },
                { "keys": ["("], "content": "Broken.", "enabled": true, "use_regex": true },
                { "keys": [], "content": "The coast is steep.", "enabled": true, "constant": true },
            ] })
            .to_string(),
            system_prompt: "{{original}} Speak in riddles.".into(),
            post_history_instructions: "One line only.".into(),
            nickname: "Captain".into(),
            ..Default::default()
        });
    }
    let talk_again = house.replica().await;
    let there = talk.at(&talk_again);
    let quiet = prompt_of(&house, &there, "Good evening.").await;
    assert!(!quiet.contains("steal spoons") && !quiet.contains("Storms last"));
    assert!(quiet.contains("The coast is steep.") && quiet.contains("You are Captain;"));
    assert!(
        quiet.contains("Speak in riddles.")
            && quiet.contains("18 or older")
            && quiet.contains("One line only.")
    );
    let loud = prompt_of(&house, &there, "Is that a gull in the storm?").await;
    assert!(
        loud.contains("Gulls here steal spoons, says Captain.") && loud.contains("Storms last three days.")
    );

    let reply = there.page().await.messages.pop().expect("a reply");
    let manifest = there.manifest(&reply.id).await.expect("shown");
    let lore = manifest.blocks.iter().find(|block| block.block == "lore").expect("told");
    let own = lore.entries.iter().find(|entry| entry.id == book.id).expect("told");
    assert!(own.included && own.text.contains("steal spoons"));
    let of_card = lore.entries.iter().find(|entry| entry.id == "card" && entry.included).expect("told");
    assert!(of_card.text.is_empty(), "the card's lore is its creator's to read");
    assert!(lore.entries.iter().any(|entry| entry.why == "bad_regex"));

    // One that is for somebody else, or switched off, says nothing.
    let mut change = draft("Coast", vec![entry("gull", "Gulls here steal spoons.")]);
    change.character_ids = vec![uuid::Uuid::now_v7().to_string()];
    let request = UpdateLorebookRequest { id: book.id, draft: Some(change) };
    as_user(&talk.token, talk.lorebooks().update_lorebook(request)).await.expect("changed");
    assert!(!prompt_of(&house, &there, "Another gull!").await.contains("steal spoons"));
}

#[tokio::test]
async fn a_lorebook_is_its_owners_and_what_is_wrong_in_it_is_named() {
    let house = house().await;
    let talk = house.talk().await;
    let book = talk.make(draft("Coast", vec![entry("gull", "Gulls steal.")]), "").await.expect("kept");
    let book = book.lorebook.expect("kept");
    assert_eq!((book.entry_count, book.name.as_str()), (1, "Coast"));
    assert_eq!(talk.listed().await.len(), 1);

    let broken = LoreEntry { regex: true, name: "Birds".into(), ..entry("(gull", "Gulls.") };
    let refused = talk.make(draft("Broken", vec![broken]), "").await.expect_err("refused");
    let failure = kit::error::Failure::from_status(&refused);
    assert_eq!((failure.reason.as_str(), failure.fields[0].0.as_str()), ("invalid", "book.entries[0].keys"));
    assert!(failure.fields[0].1.contains("\"Birds\""), "{:?}", failure.fields);
    for wrong in [
        draft("", vec![]),
        draft("No key", vec![LoreEntry { keys: vec![], ..entry("", "Text.") }]),
        draft("Nothing to tell", vec![entry("gull", " ")]),
        draft("Too long", vec![entry("gull", &"x".repeat(4_001))]),
        draft("Too many", (0..201).map(|_| entry("gull", "Gulls.")).collect()),
    ] {
        assert_eq!(
            reason(&talk.make(wrong.clone(), "").await.expect_err("refused")),
            "invalid",
            "{}",
            wrong.name
        );
    }

    let (_, other) = house.issuer.user("eve");
    let get = GetLorebookRequest { id: book.id.clone() };
    let theirs = as_user(&other, talk.lorebooks().get_lorebook(get.clone())).await;
    assert_eq!(reason(&theirs.expect_err("refused")), "lorebook_not_found");
    let delete = DeleteLorebookRequest { id: book.id.clone() };
    let theirs = as_user(&other, talk.lorebooks().delete_lorebook(delete.clone())).await;
    assert_eq!(reason(&theirs.expect_err("refused")), "lorebook_not_found");
    let read = as_user(&talk.token, talk.lorebooks().get_lorebook(get)).await.expect("read").into_inner();
    assert_eq!(read.lorebook.expect("there").book.expect("whole").entries[0].content, "Gulls steal.");
    as_user(&talk.token, talk.lorebooks().delete_lorebook(delete)).await.expect("deleted");
    assert!(talk.listed().await.is_empty());

    for n in 0..20 {
        talk.make(draft(&format!("Book {n}"), vec![]), "").await.expect("kept");
    }
    assert_eq!(
        reason(&talk.make(draft("One more", vec![]), "").await.expect_err("full")),
        "too_many_lorebooks"
    );
}

#[tokio::test]
async fn books_of_other_houses_are_read() {
    let house = house().await;
    let talk = house.talk().await;
    let lone = json!({ "spec": "lorebook_v3", "data": {
        "name": "Harbour", "scan_depth": 9, "token_budget": 300, "recursive_scanning": true, "extensions": {},
        "entries": [
            { "keys": ["pier"], "secondary_keys": ["night"], "selective": true, "content": "@@depth 2\nThe pier creaks.",
              "enabled": true, "insertion_order": 7, "use_regex": false, "position": "before_char", "extensions": {} },
            { "keys": ["("], "content": "Broken.", "enabled": true, "insertion_order": 1, "use_regex": true, "name": "Bad" },
            { "keys": ["x"], "content": "", "enabled": true },
        ] } });
    let made = talk
        .make(LorebookDraft { enabled: true, ..Default::default() }, &lone.to_string())
        .await
        .expect("kept");
    assert_eq!(made.skipped.len(), 2, "{:?}", made.skipped);
    assert!(made.skipped.iter().any(|why| why.contains("Bad")));
    let book = made.lorebook.expect("kept");
    assert_eq!(book.name, "Harbour");
    let book = book.book.expect("whole");
    assert_eq!(
        (book.scan_depth, book.token_budget, book.recursive, book.entries.len()),
        (9, Some(300), true, 1)
    );
    let pier = &book.entries[0];
    assert_eq!((pier.content.as_str(), pier.depth, pier.order), ("The pier creaks.", Some(2), 7));
    assert!(pier.before_character && pier.secondary_keys == ["night"]);

    let world = json!({ "entries": {
        "0": { "uid": 0, "key": ["/gul+s?/i"], "keysecondary": [], "comment": "Birds", "content": "Gulls steal.",
               "constant": false, "selective": true, "selectiveLogic": 0, "order": 50, "position": 4, "depth": 3,
               "disable": false, "matchWholeWords": true, "caseSensitive": null, "scanDepth": null },
        "1": { "uid": 1, "key": ["fog"], "content": "Fog is dear.", "disable": true },
    } });
    let named = LorebookDraft { name: "World".into(), enabled: true, ..Default::default() };
    let book = talk.make(named, &world.to_string()).await.expect("kept").lorebook.expect("kept");
    assert_eq!((book.name.as_str(), book.entry_count), ("World", 2));
    let entries = book.book.expect("whole").entries;
    let birds = entries.iter().find(|entry| entry.name == "Birds").expect("there");
    assert!(birds.regex && birds.keys == ["(?i)gul+s?"] && birds.depth == Some(3) && birds.whole_words);
    assert!(entries.iter().any(|entry| !entry.enabled));

    let refused = talk.make(LorebookDraft::default(), "[1, 2]").await.expect_err("refused");
    assert_eq!(reason(&refused), "invalid");
}
