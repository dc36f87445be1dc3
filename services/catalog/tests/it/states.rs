use kit::testing::{as_user, eventually, published};
use proto::{
    catalog::v1::{
        ContentState, DeleteCharacterRequest, ListByCreatorRequest, ListDeletedCharactersRequest,
        OpenCharacterRequest, RestoreCharacterRequest, listings_client::ListingsClient,
    },
    events::v1::CharacterChanged,
};
use uuid::Uuid;

use crate::support::{House, draft, house, id, reason};

async fn set_state(house: &House, id: &str, state: &str) {
    // As a moderator's decision does it.
    sqlx::query("update character set state = $2 where id = $1")
        .bind(Uuid::try_parse(id).expect("an id"))
        .bind(state)
        .execute(&house.db.pool)
        .await
        .expect("set");
    house.relist(id).await;
}

#[tokio::test]
async fn every_state_is_seen_by_those_it_is_for() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    house.listed(None, 1).await;
    // (state, by address for others, in lists of others, for the owner)
    for (state, address, listed, own) in [
        ("limited", true, false, true),
        ("quarantined", false, false, true),
        ("pending", false, false, true),
        ("removed", false, false, false),
        ("live", true, true, true),
    ] {
        set_state(&house, &made, state).await;
        house.listed(None, u64::from(listed)).await;
        for token in [None, Some(bea.as_str())] {
            assert_eq!(house.see(token, &made).await.is_ok(), address, "{state}");
        }
        let open = OpenCharacterRequest { id: made.clone() };
        let chats = as_user(&bea, house.characters().open_character(open)).await.is_ok();
        assert_eq!(chats, address, "{state}: to chat with");
        assert_eq!(house.see(Some(&ada), &made).await.is_ok(), own, "{state}: the owner");
        let ask = ListByCreatorRequest { creator_id: Some(owner.to_string()), page: None };
        let list = ListingsClient::new(house.channel()).list_by_creator(ask).await.expect("answered");
        assert_eq!(list.into_inner().list.expect("a list").cards.len(), usize::from(listed), "{state}");
    }
    set_state(&house, &made, "quarantined").await;
    let seen = house.see(Some(&ada), &made).await.expect("hers").character.expect("one");
    assert_eq!(seen.state(), ContentState::Quarantined);
    assert!(seen.card.expect("a card").image_signed);
}

#[tokio::test]
async fn deletion_can_be_undone_for_thirty_days_and_then_all_is_erased() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.creator("bea").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    house.like(&bea, &made).await;
    house.listed(None, 1).await;

    let delete = DeleteCharacterRequest { id: made.clone() };
    let refused = as_user(&bea, house.characters().delete_character(delete.clone())).await.expect_err("hers");
    assert_eq!(reason(&refused), "character_not_found");
    let first = as_user(&ada, house.characters().delete_character(delete.clone())).await.expect("deleted");
    let again = as_user(&ada, house.characters().delete_character(delete.clone())).await.expect("as once");
    assert_eq!(first.into_inner(), again.into_inner(), "the days are counted from the first time");
    seen.wait::<CharacterChanged>("catalog.character.changed", |c| c.deleted).await;
    house.listed(None, 0).await;
    for token in [None, Some(bea.as_str()), Some(ada.as_str())] {
        assert_eq!(reason(&house.see(token, &made).await.expect_err("gone")), "character_not_found");
    }
    let list = async |token: &str| {
        let mut characters = house.characters();
        let ask = characters.list_deleted_characters(ListDeletedCharactersRequest {});
        as_user(token, ask).await.expect("answered").into_inner().characters
    };
    assert_eq!(list(&ada).await[0].card.as_ref().expect("a card").name, "Tess");
    assert!(list(&bea).await.is_empty());

    let restore = RestoreCharacterRequest { id: made.clone() };
    as_user(&bea, house.characters().restore_character(restore.clone())).await.expect_err("not bea's");
    as_user(&ada, house.characters().restore_character(restore.clone())).await.expect("back");
    house.listed(None, 1).await;
    let card = house.see(None, &made).await.expect("back").character.expect("one").card.expect("a card");
    assert_eq!(card.counts.expect("counts").likes, 1, "with all that people did");

    as_user(&ada, house.characters().delete_character(delete)).await.expect("deleted again");
    sqlx::query("update character set deleted_at = now() - interval '30 days 1 minute'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    let late = as_user(&ada, house.characters().restore_character(restore)).await.expect_err("too late");
    assert_eq!(reason(&late), "character_not_found");
    assert!(list(&ada).await.is_empty());
    let house = house.again().await;
    eventually(|| async {
        let rows: i64 = sqlx::query_scalar(
            "select (select count(*) from character) + (select count(*) from reaction) + (select count(*) from listing)",
        )
        .fetch_one(&house.db.pool)
        .await
        .ok()?;
        (rows == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn who_lets_a_card_be_exported_shows_what_is_written_in_it() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let mut open = draft("Tess");
    open.exportable = true;
    let made = id(&house.create(&ada, open.clone()).await.expect("created"));
    let seen = house.see(None, &made).await.expect("public").character.expect("one");
    assert!(seen.exportable);
    assert_eq!(
        (seen.personality.as_str(), seen.scenario.as_str()),
        ("Patient, curious, a little sharp.", "A workshop at dusk.")
    );
    open.nsfw = true;
    let made = id(&house.create(&ada, open).await.expect("created"));
    let seen = house.see(None, &made).await.expect("a cover").character.expect("one");
    assert_eq!(seen.personality, "", "a cover has no text");
}
