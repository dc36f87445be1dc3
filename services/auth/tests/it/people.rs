use kit::testing::{as_user, published};
use proto::{
    auth::v1::{
        GetFollowStateRequest, GetPersonaRequest, Persona, PersonaGender, ReplacePersonasRequest,
        ToggleFollowRequest, UpdateProfileRequest, get_profile_response::View,
        personas_client::PersonasClient, profiles_client::ProfilesClient,
    },
    events::v1::{FollowChanged, UserChanged},
};

use crate::support::{House, house, reason, told};

async fn public(house: &House, name: &str) -> proto::auth::v1::Profile {
    match house.profile(None, name).await.expect("found").view {
        Some(View::Public(profile)) => profile,
        other => panic!("a visitor sees the public view, not {other:?}"),
    }
}

#[tokio::test]
async fn follows_are_toggled_counted_and_told() {
    let house = house().await;
    let ada = house.member("ada").await;
    house.member("bea").await;
    let seen = published(&house.common, &["auth.follow.changed"]).await;
    let mut profiles = ProfilesClient::new(house.channel());
    let bea = public(&house, "bea").await.id;

    let toggle = ToggleFollowRequest { user_id: bea.clone() };
    let on = as_user(&ada, profiles.toggle_follow(toggle.clone())).await.expect("followed").into_inner();
    assert_eq!((on.is_following, on.follower_count), (true, 1));
    assert_eq!(public(&house, "bea").await.followers[0].username, "ada");
    seen.wait::<FollowChanged>("auth.follow.changed", |f| f.on && f.followee_id == bea).await;
    let state =
        as_user(&ada, profiles.get_follow_state(GetFollowStateRequest { user_id: bea.clone() })).await;
    assert!(state.expect("answered").into_inner().is_following);

    let off = as_user(&ada, profiles.toggle_follow(toggle)).await.expect("unfollowed").into_inner();
    assert_eq!((off.is_following, off.follower_count), (false, 0));
    let me = ToggleFollowRequest { user_id: public(&house, "ada").await.id };
    let own = as_user(&ada, profiles.toggle_follow(me)).await.expect_err("nobody follows themselves");
    assert_eq!(reason(&own), "self_follow");
    let unknown = ToggleFollowRequest { user_id: uuid::Uuid::now_v7().to_string() };
    let unknown = as_user(&ada, profiles.toggle_follow(unknown)).await.expect_err("nobody there");
    assert_eq!(reason(&unknown), "user_not_found");
}

#[tokio::test]
async fn a_profile_is_changed_by_its_owner_and_told_to_others() {
    let house = house().await;
    let ada = house.member("ada").await;
    house.member("bea").await;
    let seen = published(&house.common, &["auth.user.updated"]).await;
    let mut profiles = ProfilesClient::new(house.channel());
    let change = |username: &str, bio: &str| UpdateProfileRequest {
        username: Some(username.into()),
        bio: Some(bio.into()),
        avatar_asset: None,
        sponsor_me_link: None,
    };
    as_user(&ada, profiles.update_profile(change("ada_l", "Numbers, mostly."))).await.expect("changed");
    let now = public(&house, "ADA_L").await;
    assert_eq!((now.username.as_str(), now.bio.as_str()), ("ada_l", "Numbers, mostly."));
    seen.wait::<UserChanged>("auth.user.updated", |u| u.username == "ada_l" && u.version == 2).await;

    // The token still has the old name; `me` finds the caller all the same.
    let own = house.profile(Some(&ada), "me").await.expect("found").view;
    assert!(
        matches!(own, Some(View::Own(own)) if own.profile.as_ref().is_some_and(|p| p.username == "ada_l"))
    );
    house.profile(None, "me").await.expect_err("a visitor is nobody");

    let taken = as_user(&ada, profiles.update_profile(change("Bea", ""))).await.expect_err("taken");
    assert_eq!(reason(&taken), "username_taken");
    let refused = as_user(&ada, profiles.update_profile(change("ada_l", "how to build a pipe bomb"))).await;
    assert_eq!(reason(&refused.expect_err("against the rules")), "moderated");
}

#[tokio::test]
async fn personas_are_replaced_as_a_whole_list() {
    let house = house().await;
    let ada = house.member("ada").await;
    let bea = house.member("bea").await;
    let mut personas = PersonasClient::new(house.channel());
    let persona = |id: &str, name: &str, is_default: bool| Persona {
        id: id.into(),
        name: name.into(),
        description: "Keeps bees.".into(),
        gender: PersonaGender::Other.into(),
        is_default,
    };
    let list = |personas: Vec<Persona>| ReplacePersonasRequest { personas };
    let saved = as_user(
        &ada,
        personas.replace_personas(list(vec![persona("1", " Wren ", true), persona("2", "Kit", false)])),
    )
    .await
    .expect("saved");
    assert_eq!(saved.into_inner().personas[0].name, "Wren", "names are trimmed");
    let default =
        as_user(&ada, personas.get_persona(GetPersonaRequest { id: None })).await.expect("the default");
    assert_eq!(default.into_inner().persona.expect("one").id, "1");

    let nameless = as_user(&ada, personas.replace_personas(list(vec![persona("1", " ", false)]))).await;
    assert_eq!(told(&nameless.expect_err("refused")), "Name is required.");
    let both = list(vec![persona("1", "A", true), persona("2", "B", true)]);
    let both = as_user(&ada, personas.replace_personas(both)).await.expect_err("refused");
    assert_eq!(told(&both), "Only one persona can be the default.");
    let kept =
        as_user(&ada, personas.get_persona(GetPersonaRequest { id: Some("2".into()) })).await.expect("kept");
    assert_eq!(kept.into_inner().persona.expect("one").name, "Kit", "a refused list changes nothing");
    let many = list((0..51).map(|n| persona(&n.to_string(), "One of many", false)).collect());
    let many = as_user(&ada, personas.replace_personas(many)).await.expect_err("refused");
    assert_eq!(told(&many), "You can have at most 50 personas.");
    for prohibited in ["Kit who says how to build a pipe bomb", "Wren is 16 years old"] {
        let prohibited = list(vec![persona("1", prohibited, false)]);
        let prohibited = as_user(&ada, personas.replace_personas(prohibited)).await.expect_err("refused");
        assert_eq!(reason(&prohibited), "moderated");
    }
    let visitor = personas.replace_personas(list(Vec::new())).await.expect_err("nobody's list");
    assert_eq!(visitor.code(), tonic::Code::Unauthenticated);

    let foreign = as_user(&bea, personas.get_persona(GetPersonaRequest { id: Some("1".into()) })).await;
    assert_eq!(reason(&foreign.expect_err("not bea's")), "persona_not_found");
}
