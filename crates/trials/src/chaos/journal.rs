//! What the crowd was promised, so that it can be asked afterwards whether the house has kept it.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use uuid::Uuid;

/// A message that was sent, perhaps several times under one key.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Nobody else ever said the same.
    pub content: String,
    /// The house said that it has it.
    pub promised: bool,
    /// Id and text of the reply, when it was read to its end.
    pub reply: Option<(Uuid, String)>,
}

/// How requests ended.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Rightly.
    pub answered: u64,
    /// With an honest 503.
    pub put_off: u64,
    /// With the door.
    pub lost: u64,
    /// Replies that the house itself has ended early.
    pub failed: u64,
}

impl std::ops::Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            answered: self.answered - before.answered,
            put_off: self.put_off - before.put_off,
            lost: self.lost - before.lost,
            failed: self.failed - before.failed,
        }
    }
}

/// What people were told last of something that they set themselves, by what it is about and by user name. Where an
/// answer was lost nothing is known any more, until the next one.
#[derive(Debug)]
pub struct LastWord<T>(Mutex<HashMap<(Uuid, String), T>>);

impl<T> Default for LastWord<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> LastWord<T> {
    /// `None`: the answer was lost.
    pub fn hear(&self, about: Uuid, username: &str, word: Option<T>) {
        let key = (about, username.to_owned());
        match word {
            Some(word) => drop(held(&self.0).insert(key, word)),
            None => drop(held(&self.0).remove(&key)),
        }
    }

    /// What somebody was told last; `None` where that is not known.
    #[must_use]
    pub fn last(&self, about: Uuid, username: &str) -> Option<T> {
        held(&self.0).get(&(about, username.to_owned())).cloned()
    }

    #[must_use]
    pub fn all(&self) -> HashMap<(Uuid, String), T> {
        held(&self.0).clone()
    }
}

/// What happened so far.
#[derive(Default)]
pub struct Journal {
    /// `like` or `dislike` of a character, or neither.
    pub reactions: LastWord<Option<String>>,
    /// Whether a character is followed.
    pub follows: LastWord<bool>,
    /// Whether the creator of a character is followed.
    pub creators: LastWord<bool>,
    /// The rating of one's own review of a character; `None` when it was taken away.
    pub ratings: LastWord<Option<i32>>,
    sent: Mutex<Vec<Sent>>,
    /// Jobs that were accepted.
    images: Mutex<Vec<Uuid>>,
    /// Checkouts whose payment was accepted, by user name.
    paid: Mutex<Vec<(String, Uuid)>>,
    /// Accounts that have signed in.
    people: Mutex<Vec<String>>,
    /// Answers that no house may give.
    wrong: Mutex<Vec<String>>,
    /// Answers that were right.
    answered: AtomicU64,
    /// … and those that were an honest 503.
    put_off: AtomicU64,
    /// Requests whose answer was lost with the door.
    lost: AtomicU64,
    /// Replies that the house itself has ended early.
    failed: AtomicU64,
}

fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().expect("no holder panics")
}

impl Journal {
    pub fn sent(&self, sent: Sent) {
        held(&self.sent).push(sent);
    }

    pub fn image(&self, job: Uuid) {
        held(&self.images).push(job);
    }

    pub fn paid(&self, username: &str, checkout: Uuid) {
        held(&self.paid).push((username.to_owned(), checkout));
    }

    pub fn person(&self, username: &str) {
        held(&self.people).push(username.to_owned());
    }

    pub fn wrong(&self, what: String) {
        held(&self.wrong).push(what);
    }

    pub fn answered(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    pub fn put_off(&self) {
        self.put_off.fetch_add(1, Ordering::Relaxed);
    }

    pub fn lost(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    pub fn failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    #[must_use]
    pub fn all_sent(&self) -> Vec<Sent> {
        held(&self.sent).clone()
    }

    #[must_use]
    pub fn all_images(&self) -> Vec<Uuid> {
        held(&self.images).clone()
    }

    #[must_use]
    pub fn all_paid(&self) -> Vec<(String, Uuid)> {
        held(&self.paid).clone()
    }

    #[must_use]
    pub fn all_people(&self) -> Vec<String> {
        held(&self.people).clone()
    }

    /// Wrong answers since the last time.
    #[must_use]
    pub fn take_wrong(&self) -> Vec<String> {
        std::mem::take(&mut *held(&self.wrong))
    }

    /// What has happened until now.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let of = |n: &AtomicU64| n.load(Ordering::Relaxed);
        Counts {
            answered: of(&self.answered),
            put_off: of(&self.put_off),
            lost: of(&self.lost),
            failed: of(&self.failed),
        }
    }
}
