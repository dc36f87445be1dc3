//! Every number of auth, with its unit.

use time::Duration;

/// Characters of a username.
pub const USERNAME: std::ops::RangeInclusive<usize> = 3..=30;
/// Characters of an e-mail address (RFC 5321: 254 octets).
pub const EMAIL_MAX: usize = 254;
/// Characters of a password.
pub const PASSWORD_MIN: usize = 8;
pub const PASSWORD_MAX: usize = 128;
pub const BIO_MAX: usize = 1_000;
/// How long a list of leaked passwords may take, and the bytes of its answer: a range has some 40 kB, padding included.
pub const LEAKS_PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);
pub const LEAKS_BYTES_MAX: usize = 512 * 1024;
pub const REFERRAL_MAX: usize = 64;

/// Characters of a verification code.
pub const CODE_LENGTH: usize = 6;
pub const CODE_LIFE: Duration = Duration::minutes(30);
/// Wrong tries before a code is dead.
pub const CODE_TRIES: i32 = 5;
pub const RESET_LIFE: Duration = Duration::hours(1);

pub const TOKEN_LIFE: Duration = Duration::days(7);
/// A session can be renewed for this long after login.
pub const SESSION_LIFE: Duration = Duration::days(30);
/// A new key is published this long before it signs.
pub const KEY_LEAD: Duration = Duration::minutes(10);

/// In development an address may fail this many times more: a test suite comes from one.
pub const DEV_FACTOR: u32 = 100;

/// Personas of one user, and characters of their fields.
pub const PERSONAS: usize = 50;
pub const PERSONA_ID_MAX: usize = 64;
pub const PERSONA_NAME_MAX: usize = 60;
pub const PERSONA_DESCRIPTION_MAX: usize = 2_000;

/// People in the lists of a profile.
pub const PROFILE_LIST: u32 = 50;
/// Ids of one `GetPeople`.
pub const PEOPLE_MAX: usize = 200;
/// Mails of one `ListMail`.
pub const MAILBOX_MAX: usize = 100;

/// Bytes of the secret of an authenticator app (RFC 4226: at least 16, 20 recommended).
pub const STEP_SECRET: usize = 20;
/// Seconds of a time step, and digits of a code.
pub const STEP_S: u64 = 30;
pub const STEP_DIGITS: usize = 6;
/// Time steps that a clock may be off.
pub const STEP_SKEW: u64 = 1;
/// Recovery codes of a user.
pub const RECOVERY_CODES: usize = 10;

/// Characters of the reason of a suspension.
pub const REASON_MAX: usize = 2_000;

/// Strikes within this time are one occasion: a repeat of the same slip.
pub const OCCASION: Duration = Duration::minutes(10);
/// How long an occasion counts, and the one that suspends.
pub const STRIKE_LIFE: Duration = Duration::days(180);
pub const OCCASIONS: i64 = 2;

/// Notifications kept of a user, and for how long.
pub const NOTIFICATIONS: i64 = 500;
pub const NOTIFICATION_LIFE: Duration = Duration::days(90);

/// What is left of a session after its end, and of a code.
pub const SESSION_KEPT: Duration = Duration::days(7);
pub const DEAD_CODE_KEPT: Duration = Duration::days(1);
/// Deliveries of a mail before it is given up, and what is left of it then: it holds addresses and codes.
pub const MAIL_ATTEMPTS: i32 = 12;
pub const DEAD_MAIL_KEPT: Duration = Duration::days(7);
/// A wish for a mail is granted at once, or it is too late.
pub const WISH_KEPT: Duration = Duration::days(1);
/// A key is kept this long after the last token that it signed has run out.
pub const DEAD_KEY_KEPT: Duration = Duration::days(7);
/// What is left of an erasure that every service has confirmed.
pub const ERASURE_KEPT: Duration = Duration::days(30);
/// Characters of the link to a page of sponsors.
pub const LINK_MAX: usize = 200;
/// Bytes of what an age provider hands back.
pub const PROOF_MAX: usize = 4_096;
