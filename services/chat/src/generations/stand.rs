//! Where a turn stands in the tree: below a message, beside a reply, in place of the user's own words.

use kit::db::Transaction;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::{
    chats::{self, Chat, Message},
    error::{Error, Result},
    limits::VARIANTS_MAX,
    tree::{self, store::Followed},
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

/// Where it will stand.
pub struct Place {
    /// To the message that the turn follows, from the root or as far back as a prompt reaches, without versions; never empty.
    pub path: Vec<Message>,
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

    /// The message after which the turn will stand, before the chat is held: it may be another by then.
    pub async fn end(self, db: impl PgExecutor<'_>, chat: &Chat) -> Result<Option<Uuid>> {
        let Some(id) = self.message() else { return Ok(chat.leaf_id) };
        let Some(message) = tree::store::live(db, chat.id, id).await? else { return Ok(None) };
        let anew = self.is_anew() && message.by_user() == matches!(self, Self::Instead(_));
        Ok(if anew { message.parent_id } else { Some(id) })
    }

    /// Whether the turn stands in place of another.
    pub fn is_anew(self) -> bool {
        matches!(self, Self::Beside(_) | Self::Instead(_))
    }

    /// Finds the place, where the user says something or else only the character does; the chat's row is locked by
    /// the caller. Of the path so many characters are read as a prompt may rest on.
    pub async fn find(self, tx: &mut Transaction, chat: &Chat, by_user: bool, reach: i64) -> Result<Place> {
        match self {
            Self::AtLeaf => {
                let leaf = chat.leaf_id.ok_or(Error::ChatNotFound)?;
                follow(tx, leaf, by_user, reach).await
            }
            Self::Below(id) => {
                let message = find(tx, chat, id).await?;
                follow(tx, message.id, by_user, reach).await
            }
            Self::Beside(id) => {
                let message = find(tx, chat, id).await?;
                let (parent, length) = match message.parent_id {
                    _ if message.by_user() => (message.id, message.depth),
                    Some(parent) => (parent, message.depth),
                    None => return Err(Error::GreetingStays),
                };
                beside(tx, chat, parent, length, reach).await
            }
            Self::Instead(id) => {
                let message = find(tx, chat, id).await?;
                let Some(parent) = message.parent_id.filter(|_| message.by_user()) else {
                    let text = "Only words of your own are answered.";
                    return Err(kit::error::Failure::invalid("reply", text).into());
                };
                if message.siblings.len() >= VARIANTS_MAX {
                    return Err(Error::TooManyVariants);
                }
                let path = chats::store::told(&mut **tx, parent, reach).await?;
                let length = path.last().ok_or(Error::MessageNotFound)?.depth.unsigned_abs();
                Ok(Place { path, length, take: 0, free: false })
            }
        }
    }
}

async fn find(tx: &mut Transaction, chat: &Chat, id: Uuid) -> Result<Message> {
    tree::store::live(&mut **tx, chat.id, id).await?.ok_or(Error::MessageNotFound)
}

async fn follow(tx: &mut Transaction, leaf: Uuid, by_user: bool, reach: i64) -> Result<Place> {
    let mut path = chats::store::told(&mut **tx, leaf, reach).await?;
    // A reply that came to nothing is left beside the path, and counts for nothing.
    while path.last().is_some_and(Message::is_void) {
        path.pop();
    }
    let last = path.last().ok_or(Error::ChatNotFound)?;
    let followed = room(tx, last.id, by_user).await?;
    let length = last.depth.unsigned_abs();
    // What the user says has its reply below it, where nothing can be.
    Ok(Place {
        path,
        length,
        take: followed.replies_ever.unsigned_abs(),
        free: by_user && followed.versions == 0,
    })
}

async fn beside(tx: &mut Transaction, chat: &Chat, parent: Uuid, length: i32, reach: i64) -> Result<Place> {
    let leaf = chat.leaf_id.unwrap_or(parent);
    // Replies that came to nothing make room, and are no versions to look at.
    tree::store::remove_void(tx, chat.id, parent, leaf).await?;
    let take = room(tx, parent, false).await?.replies_ever.unsigned_abs();
    let path = chats::store::told(&mut **tx, parent, reach).await?;
    Ok(Place { path, length: length.unsigned_abs(), take, free: false })
}

/// What has followed a message, where one more version of what follows it may be.
async fn room(tx: &mut Transaction, parent: Uuid, by_user: bool) -> Result<Followed> {
    let followed = tree::store::followed(&mut **tx, parent, by_user).await?;
    if followed.versions < VARIANTS_MAX as i64 { Ok(followed) } else { Err(Error::TooManyVariants) }
}
