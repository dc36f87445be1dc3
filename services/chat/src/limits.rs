//! Every number of chat, with its unit.

use std::time::Duration;

/// Characters of a message that a user writes.
pub const MESSAGE_MAX: usize = 4_000;
/// Characters of a persona's name.
pub const PERSONA_NAME_MAX: usize = 60;
/// Characters of a persona's description.
pub const PERSONA_DESCRIPTION_MAX: usize = 2_000;
/// Characters of the preview in the list of chats.
pub const PREVIEW_MAX: usize = 200;
/// Chats of one list.
pub const CHATS_MAX: i64 = 200;
/// Messages of a path that are read, shown and considered for a prompt.
pub const PATH_MAX: i32 = 2_000;
/// A free user is stopped when the path holds more messages.
pub const FREE_PATH: u32 = 20;
/// Replies of a free user in one day (UTC), over all chats.
pub const FREE_PER_DAY: i32 = 200;
/// Bytes of one reply, whatever the engine sends.
pub const REPLY_MAX: usize = 64 * 1024;

/// How long a generation belongs to its owner without a sign of life.
pub const LEASE_S: f64 = 6.0;
/// How often the owner writes text and lease.
pub const SAVE_EVERY: Duration = Duration::from_secs(1);
/// How often expired leases are looked for.
pub const SWEEP_EVERY: Duration = Duration::from_secs(2);
/// How far the copy in Redis may be behind.
pub const COPY_EVERY: Duration = Duration::from_millis(250);
/// Seconds that the copy in Redis lives.
pub const COPY_LIFE_S: i64 = 600;
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

/// How long an entitlement or a card is believed without asking again.
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
