//! Where a turn stands in the tree: below a message, beside a reply, in place of the user's own words.

use kit::db::Transaction;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{paths::Paths, store};
use crate::{
    chats::{self, Chat, Message, Told},
    error::{Error, Result},
    limits::VARIANTS_MAX,
    tree,
};

/// Where the turn is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// At the end of the path that is shown.
    AtLeaf,
    /// Below this message.
    Below(Uuid),
    /// Another reply beside this one, or to these words of the user.
    Beside(Uuid),
    /// With new words of the user in place of these.
    Instead(Uuid),
}

/// What was said up to the message that the turn will follow, from the root or as far back as a prompt reaches, without
/// versions.
#[derive(Default)]
pub struct Path {
    /// Where it was read from, unless a message was still being written then; what came to nothing there is left out.
    end: Option<Uuid>,
    pub messages: Vec<Told>,
}

impl Path {
    /// Reads back from a message so many characters as a prompt may rest on. Where something `follows`, a reply that came
    /// to nothing is left beside the path, and counts for nothing.
    pub async fn read(db: &mut PgConnection, end: Uuid, reach: i64, follows: bool) -> Result<Self> {
        let mut messages = chats::store::told(db, end, reach).await?;
        let written = messages.iter().all(|message| message.is_written);
        while follows && messages.last().is_some_and(Told::is_void) {
            messages.pop();
        }
        Ok(Self { end: written.then_some(end), messages })
    }

    /// The path that was kept to the end of what is shown.
    fn kept(paths: &Paths, end: Uuid, reach: i64) -> Option<Self> {
        Some(Self { end: Some(end), messages: paths.take(end, reach)? })
    }

    /// Its last message, where that is the end of what the chat shows.
    pub fn at_end(&self, chat: &Chat) -> Option<&Told> {
        self.messages.last().filter(|last| self.end == Some(last.id) && chat.leaf_id == self.end)
    }

    /// Whether it would read the same now: words do not change once they are written, and while a message is there, all
    /// before it are.
    fn holds(&self, end: Uuid) -> bool {
        self.end == Some(end)
    }
}

/// Where it will stand.
pub struct Place {
    /// In place of the path that was read before, when that does not hold any more.
    pub anew: Option<Path>,
    /// Messages of the path that it lengthens or replaces, for the limit of a free chat.
    pub length: u32,
    /// Replies that stood there before: the next one is to be another.
    pub take: u64,
    /// Nothing stands there yet, so that what is written now has no versions beside it.
    pub free: bool,
}

impl Stand {
    /// Under which name an idempotency key is kept.
    pub fn op(self) -> &'static str {
        match self {
            Self::AtLeaf | Self::Below(_) => "send",
            Self::Beside(_) => "regenerate",
            Self::Instead(_) => "edit",
        }
    }

    /// The message that was named.
    pub fn message(self) -> Option<Uuid> {
        match self {
            Self::AtLeaf => None,
            Self::Below(id) | Self::Beside(id) | Self::Instead(id) => Some(id),
        }
    }

    /// The path to the message after which the turn will stand, before the chat is held: it may be another by then.
    ///
    /// `paths` are asked first where something will be said at its end.
    pub async fn path(
        self,
        db: &mut PgConnection,
        chat: &Chat,
        reach: i64,
        paths: Option<&Paths>,
    ) -> Result<Path> {
        if let (Self::AtLeaf, Some(paths), Some(leaf)) = (self, paths, chat.leaf_id)
            && let Some(kept) = Path::kept(paths, leaf, reach)
        {
            return Ok(kept);
        }
        let end = match self.message() {
            None => chat.leaf_id,
            Some(id) => tree::store::live(&mut *db, chat.id, id).await?.and_then(|message| {
                let anew = self.is_anew() && message.by_user() == matches!(self, Self::Instead(_));
                if anew { message.parent_id } else { Some(id) }
            }),
        };
        match end {
            Some(end) => Path::read(db, end, reach, !self.is_anew()).await,
            None => Ok(Path::default()),
        }
    }

    /// Whether the turn stands in place of another.
    pub fn is_anew(self) -> bool {
        matches!(self, Self::Beside(_) | Self::Instead(_))
    }

    /// Finds the place, where the user says something or else only the character does; the chat's row is locked by
    /// the caller. `read` is the path that was read before, and `reach` how far.
    ///
    /// # Errors
    /// When a reply is being written, and when nothing may stand there.
    pub async fn find(
        self,
        tx: &mut Transaction,
        chat: &Chat,
        by_user: bool,
        read: &Path,
        reach: i64,
    ) -> Result<Place> {
        let (end, length) = self.end(tx, chat).await?;
        let anew = match read.holds(end) {
            true => None,
            false => Some(Path::read(tx, end, reach, !self.is_anew()).await?),
        };
        let path = &anew.as_ref().unwrap_or(read).messages;
        let last = path.last().ok_or(Error::ChatNotFound)?;
        let met = store::meet(tx, chat.id, last.id, by_user).await?;
        if let Some(running) = met.running {
            return Err(Error::Running(running));
        }
        if met.versions >= VARIANTS_MAX as i64 {
            return Err(Error::TooManyVariants);
        }
        let length = length.unwrap_or(last.depth).unsigned_abs();
        // New words have had no reply.
        let take = if matches!(self, Self::Instead(_)) { 0 } else { met.replies_ever.unsigned_abs() };
        // What the user says has its reply below it, where nothing can be.
        let free = !self.is_anew() && by_user && met.versions == 0;
        Ok(Place { anew, length, take, free })
    }

    /// The message after which the turn stands, and the length of the path where it is not that to this message.
    async fn end(self, tx: &mut Transaction, chat: &Chat) -> Result<(Uuid, Option<i32>)> {
        match self {
            Self::AtLeaf => Ok((chat.leaf_id.ok_or(Error::ChatNotFound)?, None)),
            Self::Below(id) => Ok((find(tx, chat, id).await?.id, None)),
            Self::Beside(id) => {
                let message = find(tx, chat, id).await?;
                let parent = match message.parent_id {
                    _ if message.by_user() => message.id,
                    Some(parent) => parent,
                    None => return Err(Error::GreetingStays),
                };
                // Replies that came to nothing make room, and are no versions to look at.
                let leaf = chat.leaf_id.unwrap_or(parent);
                tree::store::remove_void(tx, chat.id, parent, leaf).await?;
                Ok((parent, Some(message.depth)))
            }
            Self::Instead(id) => {
                let message = find(tx, chat, id).await?;
                match message.parent_id.filter(|_| message.by_user()) {
                    Some(parent) => Ok((parent, None)),
                    None => {
                        let text = "Only words of your own are answered.";
                        Err(kit::error::Failure::invalid("reply", text).into())
                    }
                }
            }
        }
    }
}

async fn find(tx: &mut Transaction, chat: &Chat, id: Uuid) -> Result<Message> {
    tree::store::live(&mut **tx, chat.id, id).await?.ok_or(Error::MessageNotFound)
}
