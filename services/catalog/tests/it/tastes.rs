use std::time::Duration;

use catalog::{learn_words, seed::Seed};
use kit::testing::{as_user, eventually, publish};
use proto::{
    catalog::v1::{
        BlockKind, ListCategoriesRequest, ListForYouRequest, ListForYouResponse, ListFromFollowedRequest,
        ReactRequest, Reaction, SearchRequest, SetBlockRequest, Sort, because::Why,
        blocks_client::BlocksClient, listings_client::ListingsClient, reactions_client::ReactionsClient,
    },
    common::v1::PageRequest,
    events::v1::FollowChanged,
};

use crate::support::{House, draft, house, id};

async fn made(house: &House, token: &str, name: &str, tags: &[&str], words: &str) -> String {
    let mut d = draft(name);
    d.tags = tags.iter().map(|t| (*t).to_owned()).collect();
    d.description = words.into();
    id(&house.create(token, d).await.expect("created"))
}

async fn found(house: &House, keywords: &str) -> Vec<String> {
    let ask = SearchRequest { keywords: keywords.into(), sort: Sort::New.into(), ..SearchRequest::default() };
    let answer = ListingsClient::new(house.channel()).search(ask).await.expect("answered").into_inner();
    answer.list.expect("a list").cards.into_iter().map(|c| c.name).collect()
}

#[tokio::test]
async fn typing_errors_are_forgiven_when_the_exact_search_finds_few() {
    let house = house().await;
    let (_, ada) = house.creator("adalind").await;
    made(&house, &ada, "Maren", &["historical"], "Keeps a lighthouse.").await;
    made(&house, &ada, "Otto", &["robot"], "Bakes bread before dawn.").await;
    for n in 0..6 {
        made(&house, &ada, &format!("Guest {n}"), &["elf"], "Waits in a harbour tavern.").await;
    }
    house.listed(None, 8).await;
    let house = house.again().await;
    eventually(|| async {
        let known: i64 =
            sqlx::query_scalar("select count(*) from vocabulary").fetch_one(&house.db.pool).await.ok()?;
        (known > 0).then_some(())
    })
    .await;
    for (typed, meant) in [
        ("lighthuose", vec!["Maren"]),
        ("Marne", vec!["Maren"]),
        ("keeps lihgthouse", vec!["Maren"]),
        ("histroical", vec!["Maren"]),
        ("robbot bread", vec!["Otto"]),
        ("adalimd robot", vec!["Otto"]),
        ("bakes", vec!["Otto"]),
        ("Otot", vec!["Otto"]),
        ("zzzzzzzz", vec![]),
    ] {
        assert_eq!(found(&house, typed).await, meant, "{typed}");
    }
    assert_eq!(found(&house, "tavren").await.len(), 6);
    assert_eq!(found(&house, "tavern").await.len(), 6, "what is found is not widened");
}

/// Whoever begins while words are known does not learn them again, which takes PostgreSQL a core.
#[tokio::test]
async fn words_are_learnt_once_an_hour_whoever_begins() {
    const HOUR: Duration = Duration::from_secs(3_600);
    let house = house().await;
    let (_, ada) = house.creator("adalind").await;
    let db = &house.db.pool;
    let known = async |word: &str| -> bool {
        sqlx::query_scalar("select exists (select from vocabulary where word = $1)")
            .bind(word)
            .fetch_one(db)
            .await
            .expect("answered")
    };
    made(&house, &ada, "Maren", &["historical"], "Keeps a lighthouse.").await;
    house.listed(None, 1).await;
    assert_eq!(learn_words(db, HOUR).await.expect("learnt"), HOUR, "that nothing was known is no lesson");
    assert!(known("lighthouse").await);

    made(&house, &ada, "Otto", &["robot"], "Bakes bread before dawn.").await;
    house.listed(None, 2).await;
    let good = learn_words(db, HOUR).await.expect("known");
    assert!(good < HOUR && good > HOUR / 2 && !known("bread").await, "{good:?}");

    sqlx::query("update words_learnt set at = at - interval '61 minutes'")
        .execute(db)
        .await
        .expect("made older");
    assert_eq!(learn_words(db, HOUR).await.expect("learnt"), HOUR);
    assert!(known("bread").await && known("lighthouse").await);
}

/// A word that very many cards have: the best are found, not the first that were written.
#[tokio::test]
async fn of_a_word_that_most_cards_have_the_best_come_first() {
    let house = house().await;
    let (_, ada) = house.creator("adalind").await;
    let (_, bea) = house.issuer.user("bea");
    let mut last = String::new();
    for n in 0..9 {
        let tag = if n % 4 == 0 { "elf" } else { "robot" };
        last = made(&house, &ada, &format!("Nr {n}"), &[tag], "Keeps a lantern lit.").await;
    }
    made(&house, &ada, "Otto", &["robot"], "Bakes bread before dawn.").await;
    let mut dark = draft("Marlow");
    (dark.nsfw, dark.description) = (true, "Has put his lantern out.".into());
    house.create(&ada, dark).await.expect("created");
    let like = ReactRequest { character_id: last, reaction: Reaction::Like.into() };
    as_user(&bea, ReactionsClient::new(house.channel()).react(like)).await.expect("liked");
    house.listed(None, 11).await;
    // Three matches are looked at, and so nine are many.
    let house = house.again_looking_at(3).await;

    let ask = |keywords: &str, tags: &[&str]| SearchRequest {
        keywords: keywords.into(),
        tags: tags.iter().map(|t| (*t).to_owned()).collect(),
        ..SearchRequest::default()
    };
    let search = |ask: SearchRequest| {
        let mut listings = ListingsClient::new(house.channel());
        async move { listings.search(ask).await.expect("answered").into_inner().list.expect("a list") }
    };
    // Until the words of all cards are known, three of them are all that is found.
    let list = eventually(|| async {
        let list = search(ask("lantern", &[])).await;
        (list.page?.total == 9).then_some(list)
    })
    .await;
    assert_eq!(list.cards[0].name, "Nr 8", "the most liked is first");
    assert_eq!(list.cards.len(), 9, "not by a text that is not shown, and none without the word");
    assert!(!list.page.as_ref().expect("told").total_capped, "all were asked");
    // Half a word is none that many cards have: it is searched for, and no further than three matches.
    let half = search(ask("lan", &[])).await;
    let told = half.page.expect("told");
    assert_eq!((half.cards.len(), told.total, told.total_capped), (3, 3, true), "and the page says so");
    let elves = search(ask("lantern", &["elf"])).await;
    assert_eq!(elves.cards.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["Nr 8", "Nr 4", "Nr 0"]);
    assert_eq!(search(ask("lantern lit keeps", &[])).await.cards.len(), 9, "several common words");
}

/// To learn the words of a million cards takes long, and whoever begins waits for who learns them.
#[tokio::test]
async fn the_best_are_found_while_words_are_learnt_anew() {
    let house = house().await;
    let (_, ada) = house.creator("adalind").await;
    for n in 0..5 {
        made(&house, &ada, &format!("Nr {n}"), &["robot"], "Keeps a lantern lit.").await;
    }
    house.listed(None, 5).await;
    learn_words(&house.db.pool, Duration::from_secs(3_600)).await.expect("learnt");
    let mut who_learns = house.db.pool.begin().await.expect("begun");
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('catalog.vocabulary', 0))")
        .execute(&mut *who_learns)
        .await
        .expect("held");
    // Three matches are looked at, and so five are many.
    let house = house.again_looking_at(3).await;
    eventually(|| async { (found(&house, "lantern").await.len() == 5).then_some(()) }).await;
    who_learns.rollback().await.expect("ended");
}

#[tokio::test]
async fn a_text_that_is_withheld_is_not_found_by_guessing_its_words() {
    let house = house().await;
    let (_, ada) = house.creator("adalind").await;
    let (_, robin) = house.issuer.user("robin");
    let mut dark = draft("Marlow");
    dark.nsfw = true;
    dark.description = "Remembers a word, quorumzyx, and no other.".into();
    house.create(&ada, dark).await.expect("created");
    made(&house, &ada, "Otto", &["robot"], "Quorumzyx is his word as well.").await;
    house.listed(None, 2).await;

    assert_eq!(found(&house, "quorumzyx").await, ["Otto"], "not by a text that is not shown");
    assert_eq!(found(&house, "marlow").await, ["Marlow"], "by the name, which is");
    house.turn_nsfw_on(&robin).await;
    let ask = SearchRequest { keywords: "quorumzyx".into(), ..SearchRequest::default() };
    let mut listings = ListingsClient::new(house.channel());
    let list = as_user(&robin, listings.search(ask)).await.expect("answered").into_inner().list;
    assert_eq!(list.expect("a list").cards.len(), 2, "for whom it is open");
}

async fn for_you(house: &House, token: &str, page: u32, sort: Sort) -> ListForYouResponse {
    let ask = ListForYouRequest { page: Some(PageRequest { page, limit: 20 }), sort: sort.into() };
    as_user(token, ListingsClient::new(house.channel()).list_for_you(ask))
        .await
        .expect("answered")
        .into_inner()
}

fn names(list: &ListForYouResponse) -> Vec<&str> {
    list.list.as_ref().expect("a list").cards.iter().map(|c| c.name.as_str()).collect()
}

#[tokio::test]
async fn for_you_says_why_and_holds_nothing_that_is_unwanted() {
    let house = house().await;
    let (ada_id, ada) = house.creator("ada").await;
    let (_, bea) = house.creator("bea").await;
    let (fan_id, fan) = house.creator("fan").await;
    made(&house, &ada, "Followed", &["books"], "By ada.").await;
    let liked = made(&house, &bea, "Liked", &["robot", "elf", "magical"], "Much liked.").await;
    let alike = made(&house, &bea, "Alike", &["robot", "elf", "magical"], "Much like it.").await;
    let tagged = made(&house, &bea, "Tagged", &["robot", "manga"], "One tag.").await;
    let disliked = made(&house, &bea, "Disliked", &["robot"], "Not wanted.").await;
    let blocked = made(&house, &bea, "Blocked", &["robot"], "Nor this.").await;
    made(&house, &bea, "Unrelated", &["manga"], "Nothing in common.").await;
    made(&house, &fan, "Own", &["robot"], "Made by the reader.").await;
    house.listed(None, 8).await;
    let before = for_you(&house, &fan, 1, Sort::New).await;
    assert_eq!(names(&before).len(), 7, "without tastes it is everybody's ranking, without one's own");
    assert!(before.because.is_empty());

    house.like(&fan, &liked).await;
    let dislike = ReactRequest { character_id: disliked, reaction: Reaction::Dislike.into() };
    as_user(&fan, ReactionsClient::new(house.channel()).react(dislike)).await.expect("disliked");
    let block = SetBlockRequest { kind: BlockKind::Character.into(), target: blocked, on: true };
    as_user(&fan, BlocksClient::new(house.channel()).set_block(block)).await.expect("blocked");
    let follow = FollowChanged {
        follower_id: fan_id.to_string(),
        followee_id: ada_id.to_string(),
        on: true,
        version: 1,
    };
    publish(&house.common, "auth.follow.changed", &follow).await;
    let told = eventually(|| async {
        let told = for_you(&house, &fan, 1, Sort::New).await;
        names(&told).contains(&"Followed").then_some(told)
    })
    .await;
    assert_eq!(names(&told), ["Tagged", "Alike", "Liked", "Followed"]);
    assert_eq!(told.list.as_ref().and_then(|l| l.page.as_ref()).map(|p| p.total), Some(4));
    let why = |id: &str| told.because.get(id).and_then(|b| b.why.clone());
    assert_eq!(why(&alike), Some(Why::Character("Liked".into())));
    assert_eq!(why(&tagged), Some(Why::Tag("Robot".into())));
    let followed = &told.list.as_ref().expect("a list").cards[3].id;
    assert_eq!(why(followed), Some(Why::Creator("ada".into())));

    let mut listings = ListingsClient::new(house.channel());
    for sort in [Sort::MostLiked, Sort::Popular, Sort::Trending, Sort::RecentHits, Sort::New] {
        assert_eq!(names(&for_you(&house, &fan, 1, sort).await).len(), 4, "{sort:?}");
        let ask = ListFromFollowedRequest { sort: sort.into(), ..ListFromFollowedRequest::default() };
        let list = as_user(&fan, listings.list_from_followed(ask)).await.expect("answered").into_inner().list;
        assert_eq!(list.expect("a list").cards.len(), 1, "{sort:?}");
    }
}

#[tokio::test]
async fn categories_are_the_groups_in_order_with_what_the_reader_may_see() {
    let house = house().await;
    let seeds = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seeds");
    Seed::new(house.db.target(), seeds, 0).run().await.expect("seeded");
    let (_, ada) = house.issuer.user("ada");
    let categories = async |token: Option<&str>| {
        let mut listings = ListingsClient::new(house.channel());
        let ask = listings.list_categories(ListCategoriesRequest {});
        let answer = match token {
            Some(token) => as_user(token, ask).await,
            None => ask.await,
        };
        answer.expect("answered").into_inner().categories
    };
    let sum = |list: &[proto::catalog::v1::Category], slug: &str| {
        list.iter().flat_map(|c| &c.tags).find(|t| t.slug == slug).expect("a tag").characters
    };
    let seen = eventually(|| async {
        let seen = categories(None).await;
        (sum(&seen, "female") > 5).then_some(seen)
    })
    .await;
    let groups: Vec<&str> = seen.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        groups,
        [
            "Character Type",
            "Genre",
            "Personality",
            "Goal",
            "Origin",
            "Physical Traits",
            "Sexuality",
            "Fantasy",
            "Kink",
            "Ethnicity",
            "Religion"
        ]
    );
    assert!(seen.iter().all(|c| !c.emoji.is_empty() && !c.tags.is_empty()));
    let total = |list: &[proto::catalog::v1::Category]| {
        list.iter().flat_map(|c| &c.tags).map(|t| t.characters).sum::<u64>()
    };
    house.turn_nsfw_on(&ada).await;
    assert_eq!(sum(&seen, "nsfw"), 0, "nothing of it is open to a visitor");
    eventually(|| async { (sum(&categories(Some(&ada)).await, "nsfw") > 0).then_some(()) }).await;
    // NSFW counts for whom it is open, once the index has followed the seeds to their end.
    eventually(|| async {
        (total(&categories(Some(&ada)).await) > total(&categories(None).await)).then_some(())
    })
    .await;
    let block = SetBlockRequest { kind: BlockKind::Tag.into(), target: "female".into(), on: true };
    as_user(&ada, BlocksClient::new(house.channel()).set_block(block)).await.expect("blocked");
    assert_eq!(sum(&categories(Some(&ada)).await, "female"), 0);
    let followers: i64 =
        sqlx::query_scalar("select seeded_followers from creator where username = 'velvetfox'")
            .fetch_one(&house.db.pool)
            .await
            .expect("seeded");
    assert_eq!(followers, 18_420);
}
