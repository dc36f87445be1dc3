use std::sync::Arc;

use kit::testing::{as_user, eventually, publish, publish_as};
use proto::{
    catalog::v1::{
        PutReviewRequest, ReactRequest, Reaction, ToggleCharacterFollowRequest,
        reactions_client::ReactionsClient, reviews_client::ReviewsClient,
    },
    events::v1::{ActivityRecorded, CharacterActivity},
};
use tokio::task::JoinSet;

use crate::support::{draft, house, id, reason};

#[tokio::test]
async fn the_same_reaction_clears_and_the_other_replaces() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let react = async |reaction: Reaction| {
        let request = ReactRequest { character_id: made.clone(), reaction: reaction.into() };
        let answer = as_user(&bea, ReactionsClient::new(house.channel()).react(request)).await;
        let answer = answer.expect("taken").into_inner();
        (answer.likes, answer.dislikes, answer.user_reaction())
    };
    assert_eq!(react(Reaction::Like).await, (1, 0, Reaction::Like));
    assert_eq!(react(Reaction::Dislike).await, (0, 1, Reaction::Dislike));
    assert_eq!(react(Reaction::Dislike).await, (0, 0, Reaction::Unspecified));
}

#[tokio::test]
async fn two_hundred_likes_at_once_are_two_hundred() {
    let house = Arc::new(house().await);
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut likes = JoinSet::new();
    for n in 0..200 {
        let (house, made) = (house.clone(), made.clone());
        likes.spawn(async move {
            let (_, token) = house.issuer.user(&format!("fan{n}"));
            let request = ReactRequest { character_id: made, reaction: Reaction::Like.into() };
            as_user(&token, ReactionsClient::new(house.channel()).react(request)).await.expect("taken");
        });
    }
    likes.join_all().await;
    let counts =
        house.see(None, &made).await.expect("there").character.expect("one").card.expect("a card").counts;
    assert_eq!(counts.expect("counts").likes, 200);
}

#[tokio::test]
async fn a_second_review_replaces_the_first_and_nobody_reviews_their_own() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let put = |rating: u32, comment: &str| PutReviewRequest {
        character_id: made.clone(),
        rating,
        comment: comment.into(),
    };
    let mut reviews = ReviewsClient::new(house.channel());
    as_user(&bea, reviews.put_review(put(2, "Too quiet."))).await.expect("taken");
    as_user(&bea, reviews.put_review(put(5, "I was wrong."))).await.expect("taken");
    let seen = house.see(None, &made).await.expect("there").character.expect("one");
    assert_eq!((seen.reviews.len(), seen.average_rating), (1, Some(5.0)));
    assert_eq!(
        (seen.reviews[0].comment.as_str(), seen.reviews[0].username.as_str()),
        ("I was wrong.", "bea")
    );

    let own = as_user(&ada, reviews.put_review(put(5, "Mine."))).await.expect_err("refused");
    assert_eq!(reason(&own), "own_review");
    let empty = as_user(&bea, reviews.put_review(put(6, " "))).await.expect_err("refused");
    assert_eq!(kit::error::Failure::from_status(&empty).fields.len(), 2);
}

#[tokio::test]
async fn follows_are_toggled_and_counted() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let toggle = async || {
        let request = ToggleCharacterFollowRequest { character_id: made.clone() };
        let answer =
            as_user(&bea, ReactionsClient::new(house.channel()).toggle_character_follow(request)).await;
        let answer = answer.expect("taken").into_inner();
        (answer.is_following, answer.follow_count)
    };
    assert_eq!(toggle().await, (true, 1));
    assert!(house.see(Some(&bea), &made).await.expect("there").is_following);
    assert_eq!(toggle().await, (false, 0));
}

#[tokio::test]
async fn activity_of_chats_is_counted_once() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let activity = |messages, chats| ActivityRecorded {
        characters: vec![CharacterActivity { character_id: made.clone(), messages, chats }],
    };
    let event = publish(&house.common, "chat.activity.recorded", &activity(10, 1)).await;
    publish_as(&house.common, event, "chat.activity.recorded", &activity(10, 1)).await;
    publish(&house.common, "chat.activity.recorded", &activity(5, 0)).await;
    let counts = eventually(|| async {
        let counts = house.see(None, &made).await.ok()?.character?.card?.counts?;
        (counts.messages >= 15).then_some(counts)
    })
    .await;
    assert_eq!((counts.messages, counts.chats), (15, 1));
}
