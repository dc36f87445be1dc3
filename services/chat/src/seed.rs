//! A long chat, for load: `chat seed`.

use kit::db::Db;
use uuid::Uuid;

use crate::{
    chats::store::{self as chats, NewChat},
    tree::batch::{Batch, Entry},
};

/// What the user says by turns …
const ASKED: [&str; 6] = [
    "Tell me how the evening went on after the lamps were lit.",
    "I set the map on the table. Which road would you take, and why that one?",
    "You never said who taught you to play. Was it somebody from the harbour?",
    "Let us wait until the rain has passed. What shall we talk about?",
    "I have kept the letter, as you asked. It is still sealed.",
    "Then we go in the morning. What do we need to bring?",
];
/// … and what the character answers, about as long as replies are.
const ANSWERED: [&str; 5] = [
    "*The kettle is taken from the fire, and two cups are set out without a word.* \"It went on as such evenings do. \
     Somebody sang, somebody else forgot the second verse, and by midnight nobody wanted to be the first to leave. You \
     would have liked the part with the accordion.\"",
    "*A finger follows the river to where the ink has faded.* \"The long one, past the mill. It costs us a day, but \
     there is a bridge that I trust, and an inn where they ask no questions. The short road looks better on paper than \
     under one's boots.\"",
    "\"From the harbour, yes. He mended nets and played on Sundays, always the same three tunes, and he would stop in \
     the middle if he thought that somebody listened too closely.\" *A shrug, not quite careless.* \"So I learnt to \
     listen from behind the boats.\"",
    "*The window is opened by a hand's breadth, to hear it better.* \"About what we would do if it never stopped. I \
     would build a boat out of the piano, and you would complain about the tuning all the way to the sea.\"",
    "\"Bread, the good rope, the lantern that does not smoke. And leave a note for your neighbour, so that the cat is \
     not asked to explain our absence.\" *The list is folded twice and given over.* \"I will see to the rest.\"",
];

/// `chat seed`
#[derive(Debug, Clone, clap::Args)]
pub struct Seed {
    #[command(flatten)]
    database: kit::db::Target,
    /// Whose chat it is.
    #[arg(long)]
    user: Uuid,
    /// With which character …
    #[arg(long)]
    character: Uuid,
    /// … and how it is called.
    #[arg(long)]
    name: String,
    /// Messages of its path.
    #[arg(long)]
    messages: u32,
}

impl Seed {
    #[must_use]
    pub fn new(database: kit::db::Target, user: Uuid, character: Uuid, messages: u32) -> Self {
        Self { database, user, character, name: "Vesper Lang".into(), messages }
    }

    /// Writes the chat, unless the user has one of this length with the character; answers its id.
    ///
    /// # Errors
    /// What the database says.
    pub async fn run(&self) -> anyhow::Result<Uuid> {
        let db = kit::db::connect(&self.database, kit::db::Pool::default()).await?;
        let chat = match self.there(&db).await? {
            Some(chat) => chat,
            None => self.write(&db).await?,
        };
        tracing::info!(chat.id = %chat, messages = self.messages, "the chat is there");
        Ok(chat)
    }

    async fn there(&self, db: &Db) -> anyhow::Result<Option<Uuid>> {
        Ok(sqlx::query_scalar!(
            "select chat.id from chat join message leaf on leaf.id = chat.leaf_id
             where chat.user_id = $1 and chat.character_id = $2 and chat.deleted_at is null and leaf.depth >= $3
             limit 1",
            self.user,
            self.character,
            i32::try_from(self.messages)?
        )
        .fetch_optional(db)
        .await?)
    }

    async fn write(&self, db: &Db) -> anyhow::Result<Uuid> {
        anyhow::ensure!(self.messages > 0, "a chat has a message at least");
        let mut batch = Batch::default();
        let mut leaf = Uuid::nil();
        let mut parent = None;
        for depth in 1..=self.messages {
            // The character begins.
            let by_user = depth % 2 == 0;
            let turn = (depth / 2) as usize;
            let text = if by_user { ASKED[turn % ASKED.len()] } else { ANSWERED[turn % ANSWERED.len()] };
            leaf = batch.add(Entry::new(parent, i32::try_from(depth)?, by_user, format!("{text} ({depth})")));
            parent = Some(leaf);
        }
        let mut tx = db.begin().await?;
        let new = NewChat { user: self.user, character: self.character, name: &self.name, title: "" };
        let chat = chats::create(&mut tx, new).await?;
        batch.write(&mut tx, chat).await?;
        chats::show(&mut tx, chat, leaf).await?;
        tx.commit().await?;
        // Or the database goes through a few messages, as it thinks, for each that is asked for.
        sqlx::query("analyze message").execute(db).await?;
        Ok(chat)
    }
}
