//! Every length, count and time of this service, once.

use std::time::Duration;

/// Coins that one picture costs.
pub const IMAGE_COST: u32 = 10;

/// Bytes of an upload.
pub const UPLOAD_BYTES: usize = 10 * 1024 * 1024;
/// Pixels of an upload, read from its header before anything is decoded.
pub const UPLOAD_PIXELS: u64 = 40_000_000;
/// Shortest side of an upload, px.
pub const UPLOAD_SIDE_MIN: u32 = 64;
/// Bytes of its pixels as they are unpacked: 40 MP in red, green and blue; with transparency 30 MP.
pub const DECODER_PIXELS: u64 = UPLOAD_PIXELS * 3;
/// Bytes that a decoder may take beside them: colour profile, texts, what it works in.
pub const DECODER_EXTRAS: u64 = 16 * 1024 * 1024;
/// Below this many unpacked bytes no file is a bomb, however well it is packed …
pub const UPLOAD_DENSE_BYTES: u64 = 64 * 1024 * 1024;
/// … above it, bytes that each byte of the file may unpack to: a JPEG of a white wall has 255.
pub const UPLOAD_RATIO: u64 = 300;

/// Longest side of the full rendition, px.
pub const FULL_SIDE: u32 = 1216;
/// Width of the card rendition, px.
pub const CARD_WIDTH: u32 = 480;
/// Width of the thumb rendition, px.
pub const THUMB_WIDTH: u32 = 240;
/// Quality of lossy WebP, 0 to 100.
pub const WEBP_QUALITY: f32 = 82.0;

/// How long a signed address holds at least.
pub const SIGNATURE: Duration = Duration::from_secs(600);
/// Signatures change on this grid, so that a browser's cache meets the same address again.
pub const SIGNATURE_GRID: Duration = Duration::from_secs(300);
/// Assets of one request for signatures.
pub const SIGN_MAX: usize = 200;

/// Characters of a prompt.
pub const PROMPT: usize = 1_000;
/// Characters of a label.
pub const LABEL: usize = 100;
/// Characters of a pose (their names are the web's).
pub const POSE: usize = 60;
/// Tags that count for a portrait.
pub const TAGS: usize = 10;

/// For this long a deleted picture can be brought back; then it is erased.
pub const CHANGE_OF_MIND: time::Duration = time::Duration::days(1);
/// So much longer has a plan with priority waited for its turn, where turns are compared.
pub const HEAD_START: Duration = Duration::from_secs(30);
/// Attempts at one picture before it has failed for good.
pub const ATTEMPTS: i32 = 5;
/// A ticket that comes while all that waits is not due yet comes again when it is, and after so long at the latest: the
/// clock by which it is due may have been set.
pub const TICKET_PAUSE: Duration = Duration::from_secs(5);
/// A ticket that came back so often is exchanged for a new one: half of what would make it a dead letter.
pub const TICKET_RETURNS: i64 = kit::broker::DELIVERY_LIMIT / 2;
/// A job that was not paid for after this is cancelled. Longer than any request may take.
pub const UNPAID: Duration = Duration::from_secs(30);
/// How often unpaid jobs and ended leases are looked for.
pub const SWEEP: Duration = Duration::from_secs(5);
/// Jobs that one sweep takes up.
pub const SWEEP_BATCH: i64 = 100;
/// Copies of one picture that are told, the newest: what is older is found once these are gone.
pub const COPIES_MAX: i64 = 10_000;
/// For this long after an event something older may still come.
pub const LATE: Duration = Duration::from_secs(7 * DAY_S);
/// A character that is deleted for this long is forgotten: 30 days to bring it back, and what comes late.
pub const CHARACTER_GONE: Duration = Duration::from_secs(37 * DAY_S);
const DAY_S: u64 = 24 * 60 * 60;

/// Until the classifier is asked again about a picture.
pub const JUDGE_AGAIN: time::Duration = time::Duration::seconds(30);
/// Characters of a moderator's reasons.
pub const REASONS: usize = 5_000;

/// How often a worker tells how far a drawing is, and looks whether it is still wanted.
pub const TELL_PROGRESS: Duration = Duration::from_secs(1);
/// How long an engine may take to stop.
pub const FAREWELL: Duration = Duration::from_secs(3);
/// … of which it may wait for the name of what it has just asked for.
pub const ENGINE_FAREWELL: Duration = Duration::from_secs(1);

/// Time to reach an image engine's server.
pub const ENGINE_CONNECT: Duration = Duration::from_secs(5);
/// Time for an answer of an image engine that is no picture.
pub const ENGINE_ASK: Duration = Duration::from_secs(10);
/// How often an image engine is asked how far it is.
pub const ENGINE_POLL: Duration = Duration::from_millis(500);
/// Bytes of a workflow file.
pub const WORKFLOW_BYTES: u64 = 1024 * 1024;
