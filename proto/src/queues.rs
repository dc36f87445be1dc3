//! Which queue hears which events: the part of the contracts that `.proto` files cannot hold. Whoever publishes
//! declares the queues that hear it first, so an event cannot be lost because its reader has not been started yet.

/// A durable queue and the routing keys that lead to it.
#[derive(Debug, Clone, Copy)]
pub struct Queue {
    pub name: &'static str,
    /// `room.thing.verb`; `*` stands for one of the three.
    pub topics: &'static [&'static str],
}

pub const AUTH: Queue = Queue {
    name: "auth.events",
    topics: &[
        "*.mail.requested",
        "catalog.review.posted",
        "catalog.report.decided",
        "media.image.completed",
        "media.image.failed",
        "media.asset.judged",
        "billing.entitlement.changed",
        "*.user.erased",
        "catalog.user.struck",
        "chat.user.struck",
        "media.user.struck",
    ],
};

pub const BILLING: Queue = Queue {
    name: "billing.events",
    topics: &["media.image.completed", "media.image.failed", "media.image.canceled", "auth.user.erased"],
};

pub const CATALOG: Queue = Queue {
    name: "catalog.events",
    topics: &[
        "auth.user.registered",
        "auth.user.updated",
        "auth.user.suspended",
        "auth.user.reinstated",
        "auth.user.erased",
        "auth.follow.changed",
        "billing.entitlement.changed",
        "chat.activity.recorded",
        "media.image.completed",
        "media.image.failed",
        "media.image.canceled",
        "media.asset.judged",
    ],
};

pub const CHAT: Queue = Queue {
    name: "chat.events",
    topics: &["catalog.character.changed", "auth.user.suspended", "auth.user.erased"],
};

pub const MEDIA: Queue = Queue {
    name: "media.events",
    topics: &[
        "catalog.character.changed",
        "catalog.report.decided",
        "auth.user.erased",
        "auth.user.suspended",
    ],
};

/// Tickets of image jobs, for the workers.
pub const MEDIA_JOBS: Queue = Queue { name: "media.jobs", topics: &["media.job.queued"] };

pub const ALL: [Queue; 6] = [AUTH, BILLING, CATALOG, CHAT, MEDIA, MEDIA_JOBS];

/// The queues that hear an event.
pub fn hearing(topic: &str) -> impl Iterator<Item = Queue> {
    ALL.into_iter().filter(move |queue| queue.topics.iter().any(|pattern| matches(pattern, topic)))
}

/// As a topic exchange compares: word by word, `*` being any one.
fn matches(pattern: &str, topic: &str) -> bool {
    let (mut pattern, mut topic) = (pattern.split('.'), topic.split('.'));
    loop {
        match (pattern.next(), topic.next()) {
            (None, None) => return true,
            (Some(wanted), Some(word)) if wanted == "*" || wanted == word => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, hearing};

    fn names(topic: &str) -> Vec<&'static str> {
        hearing(topic).map(|queue| queue.name).collect()
    }

    #[test]
    fn an_event_is_heard_by_those_who_asked_for_it() {
        assert_eq!(names("billing.mail.requested"), ["auth.events"]);
        assert_eq!(
            names("auth.user.erased"),
            ["auth.events", "billing.events", "catalog.events", "chat.events", "media.events"]
        );
        assert_eq!(names("media.job.queued"), ["media.jobs"]);
        assert_eq!(names("mail.requested"), [""; 0]);
        assert_eq!(names("chat.mail.requested.again"), [""; 0]);
    }

    #[test]
    fn no_pattern_needs_more_than_single_words() {
        for topic in ALL.iter().flat_map(|queue| queue.topics) {
            assert_eq!(topic.split('.').count(), 3, "{topic}");
            assert!(!topic.contains('#'), "{topic}");
        }
    }
}
