//! What follows when something of somebody's is refused by a rule whose repeat suspends.

use kit::{
    error::Failure,
    testing::{as_user, eventually, publish, published},
};
use proto::{
    auth::v1::{
        ListNotificationsRequest, Persona, ReplacePersonasRequest, UpdateProfileRequest,
        notifications_client::NotificationsClient, personas_client::PersonasClient,
        profiles_client::ProfilesClient,
    },
    events::v1::{UserStruck, UserSuspended},
};
use tonic::Code;

use crate::support::{House, PASSWORD, house, reason};

async fn id(house: &House, token: &str) -> String {
    house.own(token).await.profile.expect("public").id
}

fn struck(user: &str) -> UserStruck {
    UserStruck { user_id: user.into(), rule: "minor.sexual".into(), object: "a message".into() }
}

/// Waits until so many strikes are kept.
async fn strikes(house: &House, wanted: i64) {
    eventually(|| async {
        let kept: i64 =
            sqlx::query_scalar("select count(*) from strike").fetch_one(&house.db.pool).await.ok()?;
        (kept == wanted).then_some(())
    })
    .await;
}

/// As if all that was kept had happened earlier.
async fn later(house: &House, interval: &str) {
    sqlx::query("update strike set at = at - $1::text::interval")
        .bind(interval)
        .execute(&house.db.pool)
        .await
        .expect("moved");
}

async fn persona(house: &House, token: &str, description: &str) -> tonic::Status {
    let persona = Persona {
        id: "1".into(),
        name: "Wren".into(),
        description: description.into(),
        ..Default::default()
    };
    let list = ReplacePersonasRequest { personas: vec![persona] };
    as_user(token, PersonasClient::new(house.channel()).replace_personas(list)).await.expect_err("refused")
}

#[tokio::test]
async fn the_first_time_is_explained_and_the_second_suspends() {
    let house = house().await;
    let seen = published(&house.common, &["auth.user.#"]).await;
    let ada = house.member("ada").await;
    let user = id(&house, &ada).await;

    publish(&house.common, "chat.user.struck", &struck(&user)).await;
    let mail = house.mail("ada", "was refused").await.text;
    assert!(
        mail.contains("a message") && mail.contains("under 18") && mail.contains("is suspended"),
        "{mail}"
    );
    let list = ListNotificationsRequest::default();
    let notes = as_user(&ada, NotificationsClient::new(house.channel()).list_notifications(list))
        .await
        .expect("hers");
    let note = notes.into_inner().notifications.into_iter().next().expect("told").text;
    assert!(note.starts_with("A message was refused.") && note.contains("suspended"), "{note}");

    // The same slip, again and again, is one; another service's counts with it.
    publish(&house.common, "chat.user.struck", &struck(&user)).await;
    publish(&house.common, "media.user.struck", &struck(&user)).await;
    strikes(&house, 3).await;
    house.log_in("ada", PASSWORD).await.expect("not suspended for one occasion");

    later(&house, "11 minutes").await;
    publish(&house.common, "catalog.user.struck", &struck(&user)).await;
    house.refused(&ada).await;
    let told = eventually(|| async { house.log_in("ada", PASSWORD).await.err() }).await;
    let why = Failure::from_status(&told).meta["reason"].clone();
    assert!(why.contains("under 18") && why.contains("second time"), "{why}");
    assert!(house.mail("ada", "was suspended").await.text.contains("answer this mail"), "she can appeal");
    seen.wait::<UserSuspended>("auth.user.suspended", |e| e.user_id == user).await;
}

#[tokio::test]
async fn what_is_half_a_year_old_counts_no_longer() {
    let house = house().await;
    let ada = house.member("ada").await;
    let user = id(&house, &ada).await;
    publish(&house.common, "chat.user.struck", &struck(&user)).await;
    strikes(&house, 1).await;
    later(&house, "181 days").await;
    publish(&house.common, "chat.user.struck", &struck(&user)).await;
    strikes(&house, 2).await;
    house.log_in("ada", PASSWORD).await.expect("the first was too long ago");
    // Somebody who is gone is nobody to strike.
    publish(&house.common, "chat.user.struck", &struck("0197a000-0000-7000-8000-000000000000")).await;
    later(&house, "11 minutes").await;
    publish(&house.common, "chat.user.struck", &struck(&user)).await;
    house.refused(&ada).await;
}

#[tokio::test]
async fn personas_and_profiles_count_too() {
    let house = house().await;
    let ada = house.member("ada").await;
    let young = persona(&house, &ada, "Wren is 16 years old.").await;
    assert_eq!(Failure::from_status(&young).meta["rule"], "minor.character");
    strikes(&house, 0).await;
    let refused = persona(&house, &ada, "A nude schoolgirl.").await;
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "moderated"));
    assert_eq!(Failure::from_status(&refused).fields[0].0, "personas[0].description");
    strikes(&house, 1).await;
    house.mail("ada", "was refused").await;

    later(&house, "1 day").await;
    let bio = UpdateProfileRequest { bio: Some("All gays should be killed.".into()), ..Default::default() };
    let refused =
        as_user(&ada, ProfilesClient::new(house.channel()).update_profile(bio)).await.expect_err("refused");
    assert_eq!(Failure::from_status(&refused).meta["rule"], "hate.incitement");
    house.refused(&ada).await;
}

#[tokio::test]
async fn nobody_speaks_for_the_house_by_their_name() {
    let house = house().await;
    let ada = house.member("ada").await;
    for name in ["official_admin", "verified_support_agent"] {
        let change = UpdateProfileRequest { username: Some(name.into()), ..Default::default() };
        let refused = as_user(&ada, ProfilesClient::new(house.channel()).update_profile(change)).await;
        assert_eq!(reason(&refused.expect_err("refused")), "moderated", "{name}");
    }
    assert_eq!(reason(&house.sign_up("official_moderator").await.expect_err("refused")), "moderated");
    house.sign_up("lighthouse_keeper").await.expect("a name");
}
