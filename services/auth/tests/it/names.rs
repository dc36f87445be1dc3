use auth::Suspend;
use kit::testing::as_user;
use proto::{
    auth::v1::{
        GetPeopleRequest, ListFollowersRequest, ListFollowingRequest, Person, ToggleFollowRequest,
        UpdateProfileRequest, people_client::PeopleClient, profiles_client::ProfilesClient,
    },
    common::v1::PageRequest,
};

use crate::support::{house, reason, told};

#[tokio::test]
async fn names_that_look_alike_are_one_name() {
    let house = house().await;
    let ada = house.member("Will_Marlow").await;
    for (n, twin) in ["willmarlow", "W1ll_Marlow", "wi1lmar1ow", "vvill_marlow"].into_iter().enumerate() {
        let taken = house.sign_up_with(&format!("t{n}@example.org"), "Footlights1", twin).await;
        assert_eq!(reason(&taken.expect_err(twin)), "username_taken", "{twin}");
    }
    for like_the_house in ["adm1n", "_support_", "rn0derator"] {
        let refused = house.sign_up(like_the_house).await.expect_err("reserved");
        assert_eq!(told(&refused), "This username is reserved.", "{like_the_house}");
    }
    let change = |name: &str| UpdateProfileRequest {
        username: Some(name.into()),
        bio: None,
        avatar_asset: None,
        sponsor_me_link: None,
    };
    let mut profiles = ProfilesClient::new(house.channel());
    as_user(&ada, profiles.update_profile(change("WillMarlow"))).await.expect("one's own twin is no other");
    house.member("bea").await;
    let taken = as_user(&ada, profiles.update_profile(change("b_ea"))).await.expect_err("taken");
    assert_eq!(reason(&taken), "username_taken");
}

#[tokio::test]
async fn who_had_a_twin_before_the_rule_keeps_their_name() {
    let house = house().await;
    house.sign_up("marlow").await.expect("signed up");
    // As the migration leaves an account that was there before.
    sqlx::query(
        "insert into account (id, email, username, password_hash, old_twin)
         values (gen_random_uuid(), 'old@example.org', 'mar_low', '!', true)",
    )
    .execute(&house.db.pool)
    .await
    .expect("both are there");
    let taken = house.sign_up_with("x@example.org", "Footlights1", "m_arlow").await.expect_err("a third");
    assert_eq!(reason(&taken), "username_taken");
}

#[tokio::test]
async fn followers_are_listed_page_by_page_newest_first() {
    let house = house().await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;
    let mut fans = Vec::new();
    for name in ["bea", "cleo", "dora"] {
        let fan = house.member(name).await;
        let ask = ToggleFollowRequest { user_id: id.clone() };
        as_user(&fan, ProfilesClient::new(house.channel()).toggle_follow(ask)).await.expect("follows");
        fans.push(house.own(&fan).await.profile.expect("public").id);
    }
    let mut people = PeopleClient::new(house.channel());
    let page = |page, limit| Some(PageRequest { page, limit });
    let mut names = Vec::new();
    for n in [1, 2, 3] {
        let ask = ListFollowersRequest { user_id: id.clone(), page: page(n, 2) };
        let listed = people.list_followers(ask).await.expect("listed, for a visitor too").into_inner();
        let info = listed.page.expect("info");
        assert_eq!((info.total, info.total_pages, info.has_more), (3, 2, n == 1));
        names.extend(listed.followers.into_iter().map(|p| p.username));
    }
    assert_eq!(names, ["dora", "cleo", "bea"]);

    let ask = ListFollowingRequest { user_id: fans[0].clone(), page: None };
    let followed = people.list_following(ask).await.expect("listed").into_inner().following;
    assert_eq!(followed.iter().map(|p| p.username.as_str()).collect::<Vec<_>>(), ["ada"]);
    for unknown in ["odd", "0197a000-0000-7000-8000-000000000000"] {
        let ask = ListFollowersRequest { user_id: unknown.into(), page: None };
        assert_eq!(reason(&people.list_followers(ask).await.expect_err("nobody")), "user_not_found");
    }
    let ask = ListFollowersRequest { user_id: id, page: page(1, 101) };
    assert_eq!(reason(&people.list_followers(ask).await.expect_err("too many")), "invalid");
}

#[tokio::test]
async fn who_is_suspended_is_in_nobody_s_list() {
    let house = house().await;
    let (ada, bea, cleo) = (house.member("ada").await, house.member("bea").await, house.member("cleo").await);
    let id = async |token: &str| house.own(token).await.profile.expect("public").id;
    let (ada_id, bea_id, cleo_id) = (id(&ada).await, id(&bea).await, id(&cleo).await);
    let mut profiles = ProfilesClient::new(house.channel());
    for (fan, star) in [(&ada, &bea_id), (&bea, &ada_id), (&cleo, &ada_id), (&ada, &cleo_id)] {
        let ask = ToggleFollowRequest { user_id: star.clone() };
        as_user(fan, profiles.toggle_follow(ask)).await.expect("follows");
    }
    let suspend = Suspend {
        database: house.db.target(),
        mail: house.mail_config(),
        username: "bea".into(),
        reason: "A test.".into(),
    };
    suspend.run().await.expect("suspended");

    let names = |people: Vec<Person>| people.into_iter().map(|p| p.username).collect::<Vec<_>>();
    let mut people = PeopleClient::new(house.channel());
    let ask = ListFollowersRequest { user_id: ada_id.clone(), page: None };
    let followers = people.list_followers(ask).await.expect("listed").into_inner();
    assert_eq!(followers.page.expect("info").total, 1);
    assert_eq!(names(followers.followers), ["cleo"]);
    let ask = ListFollowingRequest { user_id: ada_id.clone(), page: None };
    let following = people.list_following(ask).await.expect("listed").into_inner();
    assert_eq!(following.page.expect("info").total, 1);
    assert_eq!(names(following.following), ["cleo"]);
    let own = house.own(&ada).await.profile.expect("public");
    assert_eq!(own.follower_count, 1);
    assert_eq!(
        (names(own.followers), names(own.followed_creators)),
        (vec!["cleo".into()], vec!["cleo".into()])
    );
    let ask = GetPeopleRequest { ids: vec![bea_id, cleo_id.clone()] };
    let seen = profiles.get_people(ask).await.expect("answered").into_inner().people;
    assert_eq!(names(seen), ["cleo"]);
    let many = GetPeopleRequest { ids: vec![cleo_id; 201] };
    assert_eq!(told(&profiles.get_people(many).await.expect_err("too many")), "At most 200 at once.");
}

#[tokio::test]
async fn a_link_to_sponsors_is_a_plain_https_address() {
    let house = house().await;
    let ada = house.member("ada").await;
    let set = async |link: &str| {
        let ask = UpdateProfileRequest { sponsor_me_link: Some(link.into()), ..Default::default() };
        let set = as_user(&ada, ProfilesClient::new(house.channel()).update_profile(ask)).await?;
        Ok::<_, tonic::Status>(
            set.into_inner().profile.expect("own").profile.expect("public").sponsor_me_link,
        )
    };
    assert_eq!(set("https://sponsors.example/ada").await.expect("set"), "https://sponsors.example/ada");
    let long = format!("https://sponsors.example/{}", "x".repeat(200));
    for bad in
        ["http://sponsors.example", "javascript:alert(1)", "https://a@b.example", "https://x", "ada", &long]
    {
        assert_eq!(reason(&set(bad).await.expect_err(bad)), "invalid", "{bad}");
    }
    assert_eq!(
        house.own(&ada).await.profile.expect("public").sponsor_me_link,
        "https://sponsors.example/ada"
    );
    assert_eq!(set("").await.expect("taken away"), "");
}
