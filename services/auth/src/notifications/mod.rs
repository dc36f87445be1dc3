//! What has happened to people: sentences for them to read, fed by events.

mod grpc;
pub mod store;

use proto::events::v1::{EntitlementChanged, ImageEnded, ReportDecided, ReviewPosted};
use uuid::Uuid;

/// A notification that is about to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub kind: &'static str,
    pub text: String,
    /// A path of the web app.
    pub link: String,
    /// Whom or what it is about.
    pub about: Option<Uuid>,
}

impl Note {
    fn new(kind: &'static str, text: impl Into<String>, link: impl Into<String>) -> Self {
        Self { kind, text: text.into(), link: link.into(), about: None }
    }

    pub fn follower(follower: Uuid, username: &str) -> Self {
        let note = Self::new("follower", format!("{username} follows you."), format!("/creator/{username}"));
        Self { about: Some(follower), ..note }
    }

    pub fn review(review: &ReviewPosted) -> Self {
        let stars = if review.rating == 1 { "star" } else { "stars" };
        let text = format!(
            "{} reviewed {}: {} {stars}.",
            review.reviewer_name, review.character_name, review.rating
        );
        let note = Self::new("review", text, format!("/character/{}", review.character_id));
        Self { about: Uuid::try_parse(&review.reviewer_id).ok(), ..note }
    }

    /// Portraits are shown where they are made; only pictures for the gallery are told.
    pub fn image(image: &ImageEnded, ready: bool) -> Option<Self> {
        if image.purpose != "gallery" {
            return None;
        }
        Some(if ready {
            Self::new("image_ready", "Your image is ready.", "/my-images")
        } else {
            Self::new("image_failed", "Your image could not be made. It cost you nothing.", "/my-images")
        })
    }

    /// `None` when there is nothing to tell: the free plan at its beginning.
    pub fn subscription(change: &EntitlementChanged) -> Option<Self> {
        let plan = capital(&change.plan);
        let text = match (change.plan.as_str(), change.status.as_str()) {
            ("free", _) | (_, "inactive") => "You are on the free plan now.".to_owned(),
            (_, "active") => format!("You are on {plan} now."),
            (_, "past_due") => {
                format!("The payment for {plan} did not go through. Please look at your card.")
            }
            (_, "canceled") => format!("{plan} is canceled. You keep it for the time that is paid."),
            _ => return None,
        };
        Some(Self::new("subscription", text, "/account"))
    }

    /// `None` for decisions that change nothing; a suspension tells of itself.
    pub fn decision(decided: &ReportDecided) -> Option<Self> {
        let subject = if decided.subject.is_empty() { "something of yours" } else { &decided.subject };
        let done = match decided.decision.as_str() {
            "limit" => "is shown to fewer people after a report",
            "quarantine" => "is withheld while a report is looked into",
            "remove" => "was removed after a report",
            "restore" => "is back after another look",
            _ => return None,
        };
        let mut text = format!("{} {done}.", capital(subject));
        if !decided.reasons.is_empty() {
            text.push_str(" Reasons: ");
            text.push_str(&decided.reasons);
        }
        let link = match decided.statement.as_str() {
            "" => "/account".to_owned(),
            number => format!("/reports/{number}"),
        };
        Some(Self::new("decision", text, link))
    }

    /// What was refused counts, and a repeat suspends.
    pub fn struck(object: &str, rule: &str) -> Self {
        let text = format!(
            "{} was refused. {rule} If it happens again, your account is suspended.",
            capital(object)
        );
        Self::new("decision", text, "/account")
    }

    pub fn suspended(reason: &str) -> Self {
        Self::new("decision", format!("Your account was suspended: {reason}"), "/account")
    }

    pub fn reinstated() -> Self {
        Self::new("decision", "Your account is open again.", "/account")
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
