use kit::testing::{as_user, as_user_with_key, eventually, publish, published};
use proto::{
    catalog::v1::{
        ContentState, CreateCharacterRequest, OpenCharacterRequest, SetViewerRequest, UpdateCharacterRequest,
        create_character_request::Portrait, viewers_client::ViewersClient,
    },
    events::v1::{CharacterChanged, ImageEnded},
    media::v1::ImageOptions,
};
use tonic::Code;

use crate::support::{draft, house, id, reason};

#[tokio::test]
async fn only_a_paid_plan_creates_and_everybody_sees_the_result() {
    let house = house().await;
    let (_, free) = house.issuer.user("free");
    assert_eq!(reason(&house.create(&free, draft("Tess")).await.expect_err("free")), "upgrade_required");

    let seen = published(&house.common, &["catalog.#"]).await;
    let (owner, token) = house.creator("ada").await;
    let made = house.create(&token, draft("Tess")).await.expect("created");
    assert_eq!(
        (made.state(), made.personality.as_str()),
        (ContentState::Live, "Patient, curious, a little sharp.")
    );
    let event =
        seen.wait::<CharacterChanged>("catalog.character.changed", |c| c.character_id == id(&made)).await;
    assert_eq!((event.owner_id, event.public), (owner.to_string(), true));

    let public = house.see(None, &id(&made)).await.expect("public").character.expect("one");
    assert_eq!(public.card.expect("a card").creator.expect("a creator").username, "ada");
    assert_eq!(public.personality, "", "what makes the character is its owner's");
    assert_eq!(public.first_message, "*She looks up.* \"You are early.\"");
}

#[tokio::test]
async fn a_private_character_is_there_for_its_owner_alone() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.creator("bea").await;
    let mut private = draft("Tess");
    private.public = false;
    let made = house.create(&ada, private).await.expect("created");
    let card = house
        .see(Some(&ada), &id(&made))
        .await
        .expect("the owner")
        .character
        .expect("one")
        .card
        .expect("a card");
    assert!(card.image_signed, "its picture is not publicly addressed");
    for token in [None, Some(bea.as_str())] {
        let refused = house.see(token, &id(&made)).await.expect_err("not theirs");
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "character_not_found"));
    }
    let open = OpenCharacterRequest { id: id(&made) };
    as_user(&bea, house.characters().open_character(open.clone())).await.expect_err("nor to chat with");
    as_user(&ada, house.characters().open_character(open)).await.expect("the owner may");
}

#[tokio::test]
async fn nsfw_is_a_cover_until_the_reader_has_confirmed_and_turned_it_on() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let mut dark = draft("Nocturne");
    dark.nsfw = true;
    let made = id(&house.create(&ada, dark).await.expect("created"));

    for token in [None, Some(bea.as_str())] {
        let seen = house.see(token, &made).await.expect("a cover").character.expect("one");
        let card = seen.card.expect("a card");
        assert!(card.locked && card.nsfw);
        assert_eq!(
            (card.description.as_str(), card.image_asset.as_str(), seen.first_message.as_str()),
            ("", "", "")
        );
        assert_eq!(card.name, "Nocturne");
    }
    let mut viewers = ViewersClient::new(house.channel());
    let eager = SetViewerRequest { age_confirmed: None, nsfw_on: Some(true) };
    let refused = as_user(&bea, viewers.set_viewer(eager)).await.expect_err("age first");
    assert_eq!(reason(&refused), "age_unconfirmed");
    house.turn_nsfw_on(&bea).await;
    let open =
        house.see(Some(&bea), &made).await.expect("open").character.expect("one").card.expect("a card");
    assert!(!open.locked && open.image_signed && !open.description.is_empty());
}

#[tokio::test]
async fn only_the_owner_changes_a_character() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.creator("bea").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let change = UpdateCharacterRequest { id: made.clone(), draft: Some(draft("Tessa")), portrait: None };
    let refused =
        as_user(&bea, house.characters().update_character(change.clone())).await.expect_err("not bea's");
    assert_eq!(reason(&refused), "character_not_found");
    let changed =
        as_user(&ada, house.characters().update_character(change)).await.expect("ada's").into_inner();
    let card = changed.character.expect("one").card.expect("a card");
    assert_eq!((card.name.as_str(), card.image_asset.len()), ("Tessa", 32), "the picture stays");
}

#[tokio::test]
async fn bad_cards_are_refused_and_say_why() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let mut young = draft("Tess");
    young.age = Some(17);
    assert_eq!(reason(&house.create(&ada, young).await.expect_err("refused")), "under_age");
    let mut written = draft("Tess");
    written.description = "Tess is 15 years old.".into();
    assert_eq!(reason(&house.create(&ada, written).await.expect_err("refused")), "moderated");
    let request = CreateCharacterRequest { draft: Some(draft("Tess")), portrait: None };
    let faceless = as_user(&ada, house.characters().create_character(request)).await.expect_err("refused");
    let told = kit::error::Failure::from_status(&faceless).fields[0].1.clone();
    assert_eq!(told, "Please upload an image or select generate mode for the character's image!");
}

fn generate() -> CreateCharacterRequest {
    let options = ImageOptions { gender: "female".into(), age: "40s".into(), ..ImageOptions::default() };
    CreateCharacterRequest { draft: Some(draft("Tess")), portrait: Some(Portrait::Generate(options)) }
}

#[tokio::test]
async fn a_generated_portrait_arrives_by_event() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let made =
        as_user(&ada, house.characters().create_character(generate())).await.expect("created").into_inner();
    let made = made.character.expect("one");
    assert!(made.portrait_pending);
    assert_eq!(made.card.as_ref().expect("a card").age, Some(40), "the age is the generation's");
    assert_eq!(house.portraits.asked.lock().expect("no holder panics")[0].character_id, id(&made));

    let arrived = ImageEnded {
        job_id: uuid::Uuid::now_v7().to_string(),
        user_id: owner.to_string(),
        purpose: "portrait".into(),
        character_id: id(&made),
        asset: "f".repeat(32),
        version: 1,
        gel: "rose".into(),
        ..ImageEnded::default()
    };
    publish(&house.common, "media.image.completed", &arrived).await;
    let card = eventually(|| async {
        let now = house.see(Some(&ada), &id(&made)).await.ok()?.character?;
        (!now.portrait_pending).then_some(now.card?)
    })
    .await;
    assert_eq!((card.image_asset, card.gel.as_str()), ("f".repeat(32), "rose"));
}

#[tokio::test]
async fn without_coins_for_the_portrait_nothing_is_created() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    *house.portraits.broke.lock().expect("no holder panics") = true;
    let refused = as_user(&ada, house.characters().create_character(generate())).await.expect_err("no coins");
    assert_eq!(reason(&refused), "coins_short");
    let count: i64 = sqlx::query_scalar("select count(*) from character")
        .fetch_one(&house.db.pool)
        .await
        .expect("a count");
    assert_eq!(count, 0);
}

#[tokio::test]
async fn a_portrait_may_be_nsfw_where_the_character_is_and_its_maker_has_it_on() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let order = |nsfw| {
        let mut order = generate();
        order.draft.as_mut().expect("a draft").nsfw = nsfw;
        order
    };
    for nsfw in [true, false] {
        as_user(&ada, house.characters().create_character(order(nsfw))).await.expect("created");
    }
    house.turn_nsfw_on(&ada).await;
    for nsfw in [true, false] {
        as_user(&ada, house.characters().create_character(order(nsfw))).await.expect("created");
    }
    let asked = house.portraits.asked.lock().expect("no holder panics");
    assert_eq!(asked.iter().map(|p| p.nsfw).collect::<Vec<_>>(), [false, false, true, false]);
}

#[tokio::test]
async fn the_same_key_creates_one_character() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let first =
        as_user_with_key(&ada, "k", house.characters().create_character(generate())).await.expect("created");
    let again =
        as_user_with_key(&ada, "k", house.characters().create_character(generate())).await.expect("the same");
    assert_eq!(first.into_inner(), again.into_inner());
    assert_eq!(house.portraits.asked.lock().expect("no holder panics").len(), 1);
}
