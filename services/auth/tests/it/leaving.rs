use auth::Erasures;
use kit::{
    client::Channel,
    testing::{as_user, eventually, publish, published},
};
use proto::{
    auth::v1::{
        CancelDeletionRequest, ExportAccountDataRequest, Legacy, ReplacePersonasRequest,
        ScheduleDeletionRequest, ToggleFollowRequest, account_data_client::AccountDataClient,
        personas_client::PersonasClient, profiles_client::ProfilesClient,
    },
    events::v1::{ErasureDone, UserErased},
};
use tonic::Status;
use uuid::Uuid;

use crate::support::{House, PASSWORD, house, reason};

fn data(house: &House) -> AccountDataClient<Channel> {
    AccountDataClient::new(house.channel())
}

async fn schedule(house: &House, token: &str, password: &str, legacy: Legacy) -> Result<i64, Status> {
    let ask = ScheduleDeletionRequest { password: password.into(), characters: legacy.into() };
    let answer = as_user(token, data(house).schedule_deletion(ask)).await?;
    Ok(answer.into_inner().erased_at.expect("a day").seconds)
}

async fn follow(house: &House, token: &str, user: &str) {
    let ask = ToggleFollowRequest { user_id: user.into() };
    as_user(token, ProfilesClient::new(house.channel()).toggle_follow(ask)).await.expect("follows");
}

async fn id(house: &House, token: &str) -> String {
    house.own(token).await.profile.expect("public").id
}

#[tokio::test]
async fn an_export_holds_what_is_stored_and_no_secret() {
    let house = house().await;
    let (ada, bea) = (house.member("ada").await, house.member("bea").await);
    let (ada_id, bea_id) = (id(&house, &ada).await, id(&house, &bea).await);
    follow(&house, &ada, &bea_id).await;
    follow(&house, &bea, &ada_id).await;
    let persona = proto::auth::v1::Persona { id: "p".into(), name: "Countess".into(), ..Default::default() };
    let personas = ReplacePersonasRequest { personas: vec![persona] };
    as_user(&ada, PersonasClient::new(house.channel()).replace_personas(personas)).await.expect("kept");
    house.two_step(&ada).await;
    sqlx::query("insert into suspension (user_id, cause, reason) select id, 'r1', 'Spam.' from account where username = 'ada'")
        .execute(&house.db.pool)
        .await
        .expect("was suspended");

    sqlx::query(
        "insert into strike (id, user_id, rule, object, service, at, opens)
         select gen_random_uuid(), id, 'minor.sexual', 'a message', 'chat', now(), true from account where username = 'ada'",
    )
    .execute(&house.db.pool)
    .await
    .expect("was struck");

    let export = as_user(&ada, data(&house).export_account_data(ExportAccountDataRequest {})).await;
    let text = export.expect("exported").into_inner().json;
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["account"]["email"], "ada@example.org");
    assert_eq!(json["followers"][0]["username"], "bea");
    assert_eq!(json["following"][0]["username"], "bea");
    assert_eq!(json["personas"][0]["name"], "Countess");
    assert_eq!(json["notifications"][0]["text"], "bea follows you.");
    assert_eq!(json["sessions"][0]["ip"], "127.0.0.1");
    assert_eq!(json["suspensions"][0]["reason"], "Spam.");
    assert_eq!(json["strikes"][0]["rule"], "minor.sexual");
    assert_eq!(json["two_step"]["recovery_codes_left"], 10);
    for secret in ["argon2", "hash", "sealed"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    let visitor = data(&house).export_account_data(ExportAccountDataRequest {}).await.expect_err("nobody");
    assert_eq!(reason(&visitor), "unauthenticated");
}

#[tokio::test]
async fn who_wants_to_leave_has_thirty_days_to_stay() {
    let house = house().await;
    let ada = house.member("ada").await;
    let there = house.log_in("ada", PASSWORD).await.expect("logged in").token;
    let wrong = schedule(&house, &ada, "Wrong1234", Legacy::Remove).await.expect_err("not the owner?");
    assert_eq!(reason(&wrong), "password_wrong");
    let unsaid = schedule(&house, &ada, PASSWORD, Legacy::Unspecified).await.expect_err("no choice");
    assert_eq!(reason(&unsaid), "invalid");

    let at = schedule(&house, &ada, PASSWORD, Legacy::Remove).await.expect("marked");
    let days = (at - time::OffsetDateTime::now_utc().unix_timestamp()) / 86_400;
    assert!((29..=30).contains(&days), "{days} days");
    let again = schedule(&house, &ada, PASSWORD, Legacy::Anonymise).await.expect("another choice");
    assert_eq!(again, at, "the day stays");
    house.refused(&there).await;
    assert_eq!(house.own(&ada).await.erased_at.expect("a day").seconds, at);
    assert!(house.mail("ada", "will be deleted").await.text.contains("http://troupe.example/account"));
    auth::sweep(&house.db.pool).await.expect("swept");
    house.log_in("ada", PASSWORD).await.expect("nothing is erased yet");

    for _ in 0..2 {
        as_user(&ada, data(&house).cancel_deletion(CancelDeletionRequest {})).await.expect("kept");
    }
    assert_eq!(house.own(&ada).await.erased_at, None);
    house.mail("ada", "account stays").await;
}

#[tokio::test]
async fn an_account_is_erased_everywhere_and_its_name_is_free() {
    let house = house().await;
    let seen = published(&house.common, &["auth.user.erased"]).await;
    let (ada, bea) = (house.member("ada").await, house.member("bea").await);
    let ada_id = id(&house, &ada).await;
    follow(&house, &ada, &id(&house, &bea).await).await;
    schedule(&house, &ada, PASSWORD, Legacy::Anonymise).await.expect("marked");
    sqlx::query("update account set deletion_at = now() where username = 'ada'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    auth::sweep(&house.db.pool).await.expect("swept");

    let event = seen.wait::<UserErased>("auth.user.erased", |e| e.user_id == ada_id).await;
    assert_eq!(event.characters, "anonymise");
    let pseudonym = Uuid::parse_str(&event.pseudonym).expect("an id");
    assert_ne!(pseudonym.to_string(), ada_id);
    house.refused(&ada).await;
    assert_eq!(reason(&house.log_in("ada", PASSWORD).await.expect_err("gone")), "credentials_wrong");
    let left: i64 = sqlx::query_scalar(
        "select (select count(*) from account where username = 'ada') + (select count(*) from follow)
              + (select count(*) from notification) + (select count(*) from session where user_id = $1)",
    )
    .bind(Uuid::parse_str(&ada_id).expect("an id"))
    .fetch_one(&house.db.pool)
    .await
    .expect("counted");
    assert_eq!(left, 0);
    house.sign_up("ada").await.expect("name and address are free again");

    let erasures = Erasures { database: house.db.target() };
    let missing = erasures.lines().await.expect("listed");
    assert!(missing[0].starts_with(&ada_id) && missing[0].ends_with("billing, catalog, chat, media"));
    for service in ["catalog", "chat", "media", "billing", "catalog"] {
        let done = ErasureDone { user_id: ada_id.clone() };
        publish(&house.common, &format!("{service}.user.erased"), &done).await;
    }
    eventually(|| async { erasures.lines().await.ok().filter(Vec::is_empty) }).await;
}
