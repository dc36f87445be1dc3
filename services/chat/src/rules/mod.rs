//! What users write, held against the rules: one way for all rooms.

use moderation::{Place, Rule, SELF_HARM_INTENT, Said, Verdict};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::{
    App,
    chats::{self, Told},
    error::{Error, Result},
    events,
    limits::{SAID_BEFORE, SAID_CHARS},
};

/// What becomes of what a user wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    Stands,
    /// It stands, and help lines stand in place of the reply.
    NeedsHelp,
}

/// What a text is.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Where the user wrote it.
    pub field: &'static str,
    /// What a strike says of it; nothing where it is not the user's own, or was judged when it was written.
    pub object: Option<&'static str>,
    /// Which rules hold.
    pub place: Place,
}

impl Kind {
    pub const TURN: Self = Self { field: "content", object: Some("a message"), place: Place::UserTurn };
    pub const EDIT: Self = Self { object: Some("an edited message"), ..Self::TURN };
    /// What stands in the chat already.
    pub const SAID: Self = Self { object: None, ..Self::TURN };
    pub const PERSONA: Self = Self { field: "persona", object: Some("a persona"), place: Place::Persona };
    pub const TITLE: Self = Self { field: "title", object: Some("the title of a chat"), place: Place::Label };
    pub const PRESET: Self =
        Self { field: "label", object: Some("the name of a preset"), place: Place::Label };
    pub const MEMORY: Self = Self { field: "text", object: Some("a memory"), place: Place::Lorebook };
    pub const LOREBOOK: Self = Self { field: "name", object: Some("a lorebook"), place: Place::Lorebook };
    pub const LORE: Self = Self { field: "book", ..Self::LOREBOOK };
}

/// Whether a person should answer these words rather than a character.
#[must_use]
pub fn needs_help(words: &str) -> bool {
    matches!(moderation::judge(words, Place::UserTurn), Verdict::Limit(rule) if rule.as_str() == SELF_HARM_INTENT)
}

/// Whether going on along a path would let a character answer words that a person should answer: what the user said
/// last says so, or help lines have answered it, which a classifier may have asked for.
#[must_use]
pub fn asks_for_help(path: &[Told]) -> bool {
    let Some(last) = path.iter().rposition(Told::is_said) else { return false };
    let answered = || path[last + 1..].iter().any(|message| message.is_help);
    path[last].by_user && (answered() || needs_help(&path[last].content))
}

/// The end of what was said in lines (whether by the user, and what), as the rules see it: of the user's own, which
/// longer replies between them would part, and of all of them.
#[must_use]
pub fn ends<'a>(lines: impl DoubleEndedIterator<Item = (bool, &'a str)> + Clone) -> [Said; 2] {
    let own = lines.clone().filter(|(by_user, _)| *by_user);
    [end(own.map(|(_, text)| text)), end(lines.map(|(_, text)| text))].map(|text| Said::of(&text))
}

/// The same of the messages of a path.
#[must_use]
pub fn said(path: &[Told]) -> [Said; 2] {
    let said = path.iter().filter(|message| message.is_said());
    ends(said.map(|message| (message.by_user, message.content.as_str())))
}

fn end<'a>(lines: impl DoubleEndedIterator<Item = &'a str>) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for line in lines.rev() {
        // The judge looks at so many characters, of up to four bytes each.
        if bytes >= SAID_CHARS * 4 {
            break;
        }
        bytes += line.len();
        kept.push(line);
    }
    kept.reverse();
    kept.join("\n")
}

/// The end of the path that ends with a message.
///
/// # Errors
/// When the database does not answer.
pub async fn said_until(db: impl PgExecutor<'_>, end: Option<Uuid>) -> Result<Vec<Told>> {
    match end {
        Some(end) => chats::store::said_back_from(db, end, SAID_BEFORE as i32).await,
        None => Ok(Vec::new()),
    }
}

impl App {
    /// What the rules say of a text of the user. What is held elsewhere passes here: nobody else reads it.
    ///
    /// # Errors
    /// `moderated`; where the rule strikes, auth hears of it.
    pub(crate) async fn judge(&self, user: Uuid, kind: Kind, text: &str) -> Result<Judged> {
        self.follow(user, kind, moderation::judge(text, kind.place)).await
    }

    /// What a text of the user completes of what was said before: of what they said themselves, which strikes, and of
    /// what both said, which may have come to nothing but a misunderstanding.
    ///
    /// # Errors
    /// `moderated`.
    pub(crate) async fn judge_after(
        &self,
        user: Uuid,
        kind: Kind,
        [own, all]: &[Said; 2],
        text: &str,
    ) -> Result<()> {
        let verdicts = moderation::judge_after([own, all], text, kind.place);
        for (verdict, kind) in verdicts.into_iter().zip([kind, Kind { object: None, ..kind }]) {
            self.follow(user, kind, verdict).await?;
        }
        Ok(())
    }

    /// What the classifier says of a text, where there is one. A private chat does not wait for one that is away:
    /// the rules have been asked.
    ///
    /// # Errors
    /// `moderated`; where the rule strikes, auth hears of it.
    pub(crate) async fn classify(&self, user: Uuid, kind: Kind, text: &str) -> Result<Judged> {
        let Some(classifier) = &self.classifier else { return Ok(Judged::Stands) };
        match classifier.text(text, kind.place).await {
            Ok(verdict) => self.follow(user, kind, verdict).await,
            Err(error) => {
                metrics::counter!("chat_classifier_away_total").increment(1);
                tracing::warn!(%error, "a text was judged by the rules alone");
                Ok(Judged::Stands)
            }
        }
    }

    async fn follow(&self, user: Uuid, kind: Kind, verdict: Verdict) -> Result<Judged> {
        match verdict {
            Verdict::Refuse(rule) => {
                if let Some(object) = kind.object {
                    self.strike(user, rule, object).await;
                }
                Err(Error::Moderated(kind.field, rule))
            }
            Verdict::Limit(rule) if rule.as_str() == SELF_HARM_INTENT => Ok(Judged::NeedsHelp),
            Verdict::Allow | Verdict::Limit(_) | Verdict::Hold(_) => Ok(Judged::Stands),
        }
    }

    /// Tells auth, where the rule strikes, in a transaction of its own: that of what was refused never is. The
    /// refusal stands whether it can be told or not.
    pub(crate) async fn strike(&self, user: Uuid, rule: Rule, object: &str) {
        if !rule.strikes() {
            return;
        }
        if let Err(error) = events::user_struck(&self.db, user, rule, object).await {
            tracing::error!(%error, %user, "a strike was not told");
        }
    }
}
