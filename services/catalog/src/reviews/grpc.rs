use kit::{
    caller,
    caller::User,
    error::Violations,
    idempotency::{self, Begun, Held},
    page::Page,
    text,
};
use moderation::Place;
use prost::Message as _;
use proto::{
    catalog::v1::{
        DeleteReviewRequest, DeleteReviewResponse, ListReviewsRequest, ListReviewsResponse, PutReviewRequest,
        PutReviewResponse, reviews_server::Reviews,
    },
    events::v1::ReviewPosted,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::store;
use crate::{
    App,
    characters::{rows, store as characters},
    error::{Error, Result, refuse},
    events, limits, viewers,
};

#[tonic::async_trait]
impl Reviews for App {
    async fn put_review(
        &self,
        request: Request<PutReviewRequest>,
    ) -> Result<Response<PutReviewResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let ask = request.into_inner();
        let held = match idempotency::begin(&self.db, user.id, "put_review", key, &ask).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let put = self.review(&user, ask, held.as_ref()).await;
        Ok(Response::new(idempotency::settle(&self.db, held, put).await?))
    }

    async fn delete_review(
        &self,
        request: Request<DeleteReviewRequest>,
    ) -> Result<Response<DeleteReviewResponse>, Status> {
        let user = caller::user(&request)?;
        let id = kit::ids::find("character_not_found", &request.into_inner().character_id)?;
        // One's own words can be taken away also when the character is no longer to be seen.
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        if !store::delete(&mut tx, id, user.id).await? {
            return Err(Error::ReviewNotFound.into());
        }
        tx.commit().await.map_err(Error::from)?;
        Ok(Response::new(DeleteReviewResponse {}))
    }

    async fn list_reviews(
        &self,
        request: Request<ListReviewsRequest>,
    ) -> Result<Response<ListReviewsResponse>, Status> {
        let caller = caller::maybe(&request).map(|u| u.id);
        let ask = request.into_inner();
        let id = kit::ids::find("character_not_found", &ask.character_id)?;
        let page = Page::from_proto(ask.page.as_ref())?;
        let gate = viewers::gate(&self.db, caller).await?;
        let row = rows::one(&self.db, id).await?;
        let card = row.and_then(|row| gate.card(&row)).ok_or(Error::CharacterNotFound)?;
        if card.locked {
            return Ok(Response::new(ListReviewsResponse { reviews: Vec::new(), page: Some(page.info(0)) }));
        }
        let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
        let reviews = store::newest(&self.db, id, &gate.blocks.creators, page.limit.into(), offset).await?;
        let total = store::count(&self.db, id).await?;
        Ok(Response::new(ListReviewsResponse {
            reviews: reviews.into_iter().map(Into::into).collect(),
            page: Some(page.info(total.unsigned_abs())),
        }))
    }
}

impl App {
    async fn review(
        &self,
        user: &User,
        ask: PutReviewRequest,
        held: Option<&Held>,
    ) -> Result<PutReviewResponse> {
        let id = kit::ids::find("character_not_found", &ask.character_id)?;
        let mut v = Violations::new();
        v.check((1..=5).contains(&ask.rating), "rating", "Between 1 and 5.");
        let comment = text::clean(&ask.comment, limits::COMMENT_MAX).unwrap_or_else(|e| {
            v.add("comment", e.to_string());
            String::from("?")
        });
        v.check(!comment.is_empty(), "comment", "Must fill out all fields!");
        v.done()?;
        // Nobody looks at reviews before others read them: what would be held is refused.
        let judged = moderation::judge(&comment, Place::Review).unless_held();
        self.within_rules(user.id, "a review", judged.map_err(|rule| refuse("comment", rule))).await?;
        let character = self.must_see(user.id, id).await?;
        if character.owner() == user.id {
            return Err(Error::OwnReview);
        }

        let mut tx = self.db.begin().await?;
        characters::know_creator(&mut *tx, user.id, &user.name).await?;
        let rating = i32::try_from(ask.rating).unwrap_or(5);
        let (review, first) =
            store::put(&mut tx, id, user.id, rating, &comment, OffsetDateTime::now_utc()).await?;
        if first {
            let posted = ReviewPosted {
                review_id: review.to_string(),
                character_id: id.to_string(),
                character_name: character.name().to_owned(),
                owner_id: character.owner().to_string(),
                reviewer_id: user.id.to_string(),
                reviewer_name: user.name.clone(),
                rating: ask.rating,
            };
            events::review_posted(&mut tx, &posted).await?;
        }
        let answer = PutReviewResponse { review: store::find(&mut *tx, review).await?.map(Into::into) };
        if let Some(held) = held {
            held.finish(&mut *tx, &answer.encode_to_vec()).await?;
        }
        tx.commit().await?;
        Ok(answer)
    }
}
