//! The replies that this process writes: the text so far in memory, and who waits for more.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::text_after;
use crate::chats::Message;

/// One reply that is being written here.
pub struct Live {
    pub id: Uuid,
    /// Somebody pressed Stop.
    pub stop: CancellationToken,
    /// The process ends.
    pub cut: CancellationToken,
    /// The lease went to another: nothing more may be written.
    pub fenced: CancellationToken,
    written: Mutex<Written>,
    /// Whether there is no more.
    changed: watch::Sender<bool>,
    /// Being saved for good: no longer to be kept alive.
    closing: AtomicBool,
}

#[derive(Default)]
struct Written {
    text: String,
    /// Bytes that are in Redis.
    copied: usize,
    /// Bytes that are in `generation_text`.
    saved: usize,
    outcome: Option<Outcome>,
}

/// What readers are told when there is no more.
#[derive(Debug, Clone)]
pub enum Outcome {
    Ended(Box<Message>),
    /// This process no longer knows; the database does.
    Lost,
}

impl Live {
    pub fn new(id: Uuid) -> Self {
        Self {
            id,
            stop: CancellationToken::new(),
            cut: CancellationToken::new(),
            fenced: CancellationToken::new(),
            written: Mutex::default(),
            changed: watch::Sender::new(false),
            closing: AtomicBool::new(false),
        }
    }

    fn written(&self) -> std::sync::MutexGuard<'_, Written> {
        self.written.lock().expect("no holder panics")
    }

    pub fn append(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.written().text.push_str(text);
        self.changed.send_modify(|_| ());
    }

    pub fn text(&self) -> String {
        self.written().text.clone()
    }

    /// Bytes so far.
    pub fn written_bytes(&self) -> usize {
        self.written().text.len()
    }

    /// Told once; later calls change nothing.
    pub fn end(&self, outcome: Outcome) {
        self.written().outcome.get_or_insert(outcome);
        self.changed.send_replace(true);
    }

    /// Wakes with every change; true when there is no more.
    pub fn changes(&self) -> watch::Receiver<bool> {
        self.changed.subscribe()
    }

    /// What comes after byte `offset`, and how it ended, if it has.
    pub fn after(&self, offset: usize) -> (String, Option<Outcome>) {
        let written = self.written();
        (text_after(&written.text, offset).to_owned(), written.outcome.clone())
    }

    /// What is not in Redis yet: where it begins, and the text. Counts as copied from now on.
    pub fn take_uncopied(&self) -> Option<(usize, String)> {
        let mut written = self.written();
        let (from, to) = (written.copied, written.text.len());
        (from < to).then(|| {
            written.copied = to;
            (from, written.text[from..to].to_owned())
        })
    }

    /// What is not in `generation_text` yet.
    pub fn unsaved(&self) -> Option<(usize, String)> {
        let written = self.written();
        (written.saved < written.text.len())
            .then(|| (written.saved, written.text[written.saved..].to_owned()))
    }

    /// The first `bytes` are in `generation_text`.
    pub fn saved(&self, bytes: usize) {
        let mut written = self.written();
        written.saved = written.saved.max(bytes);
    }

    pub fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    pub fn closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }
}

/// The replies of this process. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub struct Registry(Arc<Mutex<HashMap<Uuid, Arc<Live>>>>);

impl Registry {
    pub fn get(&self, id: Uuid) -> Option<Arc<Live>> {
        self.0.lock().expect("no holder panics").get(&id).cloned()
    }

    pub fn all(&self) -> Vec<Arc<Live>> {
        self.0.lock().expect("no holder panics").values().cloned().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().expect("no holder panics").is_empty()
    }

    /// Enters a reply; it leaves when the answer is dropped, and readers that still wait are sent to the
    /// database.
    pub fn enter(&self, live: Arc<Live>) -> Entered {
        self.0.lock().expect("no holder panics").insert(live.id, live.clone());
        Entered { registry: self.clone(), live }
    }
}

/// A reply's place in the registry.
pub struct Entered {
    registry: Registry,
    pub live: Arc<Live>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.registry.0.lock().expect("no holder panics").remove(&self.live.id);
        self.live.end(Outcome::Lost);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

    use super::{Live, Outcome, Registry};

    #[test]
    fn a_reader_who_comes_back_gets_exactly_the_rest() {
        let live = Live::new(Uuid::now_v7());
        live.append("Grüß");
        live.append(" Gott");
        assert_eq!(live.after(0).0, "Grüß Gott");
        assert_eq!(live.after("Grüß".len()).0, " Gott");
        assert_eq!(live.after(100).0, "");
        assert_eq!(live.after(3).0, "üß Gott", "an offset inside a character begins with it");
    }

    #[test]
    fn what_was_copied_is_not_copied_again() {
        let live = Live::new(Uuid::now_v7());
        live.append("one ");
        assert_eq!(live.take_uncopied(), Some((0, "one ".to_owned())));
        assert_eq!(live.take_uncopied(), None);
        live.append("two");
        assert_eq!(live.take_uncopied(), Some((4, "two".to_owned())));
    }

    #[test]
    fn readers_are_sent_on_when_the_writer_is_gone() {
        let registry = Registry::default();
        let entered = registry.enter(Arc::new(Live::new(Uuid::now_v7())));
        let live = entered.live.clone();
        drop(entered);
        assert!(registry.is_empty());
        assert!(matches!(live.after(0).1, Some(Outcome::Lost)));
    }
}
