//! Every number of chat, with its unit.

use std::time::Duration;

/// Characters of a message that a user writes.
pub const MESSAGE_MAX: usize = 4_000;
/// Characters of a persona's name.
pub const PERSONA_NAME_MAX: usize = 60;
/// Characters of a persona's description.
pub const PERSONA_DESCRIPTION_MAX: usize = 2_000;
/// Characters of a chat's title.
pub const TITLE_MAX: usize = 100;
/// Characters of a message that is edited; a reply may be longer than what a user sends.
pub const EDIT_MAX: usize = 16_000;
/// Versions of a message.
pub const VARIANTS_MAX: usize = 20;
/// Nodes of one answer of the map.
pub const NODES_MAX: i64 = 5_000;
/// Characters of the preview on the map.
pub const TREE_PREVIEW_MAX: i32 = 80;
/// Seconds for which what was taken away can be brought back.
pub const UNDO_FOR_S: f64 = 86_400.0;
/// How often what can no longer be brought back is looked for.
pub const ERASE_EVERY: Duration = Duration::from_secs(300);
/// Chats, and removals, that are erased in one statement.
pub const SWEPT_AT_ONCE: i64 = 100;
/// Characters of what is looked for.
pub const QUERY_MAX: usize = 200;
/// Messages of one page of what was found.
pub const HITS_MAX: usize = 20;
/// Pages of what was found.
pub const HIT_PAGES_MAX: u32 = 50;
/// Characters of a snippet.
pub const SNIPPET_MAX: usize = 160;
/// Bytes of a chat file that is brought in.
pub const IMPORT_BYTES: usize = 10 * 1024 * 1024;
/// Bytes of one of its lines: a message with all its swipes.
pub const IMPORT_LINE_BYTES: usize = 512 * 1024;
/// Bytes of one of its texts.
pub const IMPORT_TEXT_BYTES: usize = 64 * 1024;
/// Messages of the path that it makes.
pub const IMPORT_MESSAGES_MAX: usize = 5_000;
/// Lines that are told to be wrong.
pub const IMPORT_WRONG_MAX: usize = 20;
/// Characters of the preview in the list of chats.
pub const PREVIEW_MAX: usize = 200;
/// Chats of one page of the list.
pub const CHATS_PAGE: i64 = 50;
/// Messages of a path that are read, shown and considered for a prompt.
pub const PATH_MAX: i32 = 2_000;
/// Of a path that is longer than what is read of it: the history begins at a message whose depth is a multiple of this, or
/// it would begin at another one each turn.
pub const STRIDE: usize = 250;
/// Characters of a token at most, on the average of a whole prompt: twice what English has.
pub const TOKEN_CHARS: u32 = 8;
/// Bytes of a talk whose prompt is put together where the turn is taken, if there are no lorebooks and tokens are
/// estimated: another thread would have to be woken for it.
pub const PROMPT_AT_ONCE: usize = 16 * 1024;
/// Bytes of a path that is kept for the next turn in its chat at most: what is read of one for [`CONTEXT_TOKENS`] of the widest
/// tokens …
pub const PATH_KEPT: usize = 256 * 1024;
/// … of all that are: of some two hundred people who talk at once, in chats of two hundred messages. Where they are fewer than
/// come back in turn, each is let go of just before it is asked for …
pub const PATHS_KEPT: usize = 8 * 1024 * 1024;
/// Bytes of what is remembered in a chat that is kept for its next turn at most: of some thousand summaries …
pub const MEMORIES_KEPT: usize = 1024 * 1024;
/// … and of all that is.
pub const ALL_MEMORIES_KEPT: usize = 8 * 1024 * 1024;
/// How long either is kept.
pub const KEPT_LIFE: Duration = Duration::from_mins(10);
/// Newest messages that an edited one is judged after.
pub const SAID_BEFORE: usize = 20;
/// Characters of them that are looked at, from the end.
pub const SAID_CHARS: usize = 600;
/// A free user is stopped when the path holds more messages.
pub const FREE_PATH: u32 = 20;
/// Replies of a free user in one day (UTC), over all chats.
pub const FREE_PER_DAY: i32 = 200;
/// Tokens that a model which thinks first may think, beyond its reply.
pub const THOUGHT_TOKENS: u32 = 2_000;
/// Bytes of one reply, whatever the engine sends.
pub const REPLY_MAX: usize = 64 * 1024;

/// How long a generation belongs to its owner without a sign of life.
pub const LEASE_S: f64 = 6.0;
/// Seconds of its lease that are left when it is renewed: enough for a [`SAVE_EVERY`] and a database that is two seconds late.
pub const RENEW_BELOW_S: f64 = 4.0;
/// How often the owner writes text, and looks at its leases.
pub const SAVE_EVERY: Duration = Duration::from_secs(1);
/// How often expired leases are looked for.
pub const SWEEP_EVERY: Duration = Duration::from_secs(2);
/// How far the copy in Redis may be behind.
pub const COPY_EVERY: Duration = Duration::from_millis(250);
/// Seconds that the copy in Redis lives.
pub const COPY_LIFE_S: i64 = 600;
/// New text of a reply is told its reader no more often than this.
pub const TELL_EVERY: Duration = Duration::from_millis(4);
/// How often a process that does not own a generation looks for more of it.
pub const FOLLOW_EVERY: Duration = Duration::from_millis(100);
/// How long a Stop waits for the owner.
pub const STOP_PATIENCE: Duration = Duration::from_secs(4);
/// Kept back of the grace period, to tell readers how it ended.
pub const GRACE_MARGIN: Duration = Duration::from_secs(2);

/// How often counts are told to catalog.
pub const FLUSH_EVERY: Duration = Duration::from_secs(2);
/// Rows of one telling.
pub const FLUSH_MAX: i64 = 5_000;

/// Characters of a memory.
pub const MEMORY_MAX: usize = 1_000;
/// Facts that a chat remembers, those of its character included.
pub const MEMORIES_MAX: i64 = 200;
/// Lorebooks of a user.
pub const LOREBOOKS_MAX: i64 = 20;
/// Entries of a lorebook.
pub const LORE_ENTRIES_MAX: usize = 200;
/// Characters of the name of a lorebook, or of an entry.
pub const LORE_NAME_MAX: usize = 100;
/// Characters of what an entry tells.
pub const LORE_CONTENT_MAX: usize = 4_000;
/// Keys of an entry, of each kind.
pub const LORE_KEYS_MAX: usize = 30;
/// Characters of a key.
pub const LORE_KEY_MAX: usize = 200;
/// Characters that a lorebook is limited to.
pub const LORE_CHARACTERS_MAX: usize = 100;
/// Newest messages that a lorebook searches.
pub const LORE_SCAN_MAX: u32 = 100;

/// Bytes of the newest messages that a lorebook searches, and of what it has told so far.
pub const LORE_SEARCHED_BYTES: usize = 32 * 1024;

/// Bytes of a lorebook's keys up to which what finds them is kept with the card: it takes some twelve times as much.
pub const LORE_KEYS_KEPT: usize = 16 * 1024;

/// Share of a prompt that the card and the rules may take, in percent.
pub const CARD_SHARE: usize = 60;
/// Share of a prompt that examples of the character's speech may take, in percent.
pub const EXAMPLES_SHARE: usize = 15;
/// Share of a prompt that pinned memories may take, in percent.
pub const PINNED_SHARE: usize = 10;
/// Share of a prompt that chosen memories may take, in percent: those that stay between two cuts of the
/// history, and those that the newest turn recalls.
pub const MEMORY_SHARE: usize = 15;
/// Memories that find no room in a part of a prompt before no more are tried, and that the owner is shown as left out.
pub const MEMORIES_LEFT_OUT: usize = 20;
/// Tokens for history and memories below which those that stay have a twelfth of them, not an eighth: with less
/// room the history is cut more often, and what is cut is read anew.
pub const MEMORY_SMALL: usize = 2_000;
/// See [`MEMORY_SHARE`].
pub const RECALL_SHARE: usize = 10;
/// One part of so many of a context is for the reply at most.
pub const REPLY_PART: u32 = 4;
/// Share of the context that lorebooks may take, in percent.
pub const LORE_SHARE: usize = 25;
/// Of the history's room, what is kept when the history is cut, in percent: of a small one little, or it would
/// be cut, and read anew, every few turns; of one of [`KEEP_ROOM`] tokens and more, the second.
pub const KEEP_SHARE: (usize, usize) = (10, 50);
/// See [`KEEP_SHARE`], in tokens.
pub const KEEP_ROOM: usize = 6_000;

/// Messages of one summary.
pub const SUMMARY_BATCH: usize = 20;
/// Newest messages of a path that are not summarised yet.
pub const SUMMARY_NEWEST: usize = 10;
/// How often a process looks for chats to be summarised.
pub const SUMMARY_EVERY: Duration = Duration::from_secs(2);
/// How long a process may work on the summaries of a chat before another takes them up.
pub const SUMMARY_LEASE: Duration = Duration::from_secs(120);
/// Seconds until a summary that failed is tried again; doubles.
pub const SUMMARY_RETRY_S: f64 = 15.0;
/// Longest of these pauses, in seconds.
pub const SUMMARY_RETRY_MAX_S: f64 = 3_600.0;

/// Texts of memories for which vectors are asked at once.
pub const EMBEDDED_AT_ONCE: usize = 16;
/// Rounds of them for one chat; the rest waits for the next turn.
pub const EMBEDDED_ROUNDS: usize = 15;
/// Characters of what was said last that a vector is asked for, from the end.
pub const EMBEDDED_MAX: usize = 2_000;
/// Numbers of a vector at most.
pub const EMBEDDING_MAX: usize = 4_096;
/// Bytes of an answer that are read at most: [`EMBEDDED_AT_ONCE`] vectors of [`EMBEDDING_MAX`] numbers, with room.
pub const EMBEDDING_BYTES: usize = 2 * 1024 * 1024;
/// How long nobody waits for vectors after there were none.
pub const EMBEDDING_PAUSE: Duration = Duration::from_secs(15);
/// Cosine from which two texts have to do with each other: any two have a little.
pub const NEAR_FROM: f32 = 0.3;

/// How long an entitlement, a card or a persona is believed without asking again.
pub const CACHE_LIFE: Duration = Duration::from_secs(30);
/// Entries of a cache; at more, it is emptied.
pub const CACHE_MAX: usize = 20_000;

/// Characters of the label of a preset of one's own.
pub const PRESET_LABEL_MAX: usize = 40;
/// Presets of one's own.
pub const PRESETS_MAX: i64 = 20;
/// Stop strings that somebody may set.
pub const STOP_MAX: usize = 8;
/// Characters of one of them.
pub const STOP_LENGTH_MAX: usize = 40;

/// Tokens of prompt and reply, where the operator says nothing: more is slow on what runs at home.
pub const CONTEXT_TOKENS: u32 = 8_192;
