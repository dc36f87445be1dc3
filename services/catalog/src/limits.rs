//! Every number of catalog, with its unit.

use std::time::Duration;

pub const AGE_MIN: u32 = 18;
/// An age beyond this is a typing error, or a dragon: dragons leave it out.
pub const AGE_MAX: u32 = 10_000;
pub const TAGS_MAX: usize = 5;

/// Characters of the texts of a card.
pub const NAME_MAX: usize = 80;
pub const TAG_MAX: usize = 30;
pub const DESCRIPTION_MAX: usize = 2_000;
/// Cards of other houses carry their whole definition here; more than a model's budget of 8K tokens helps nobody.
pub const PERSONALITY_MAX: usize = 32_000;
pub const FIRST_MESSAGE_MAX: usize = 4_000;
pub const SCENARIO_MAX: usize = 4_000;
pub const EXAMPLE_MAX: usize = 16_000;
pub const OUTFIT_MAX: usize = 500;
pub const PROMPT_MAX: usize = 1_000;
pub const KINKS_MAX: usize = 20;
pub const KINK_MAX: usize = 60;
/// Further parts of a card (versions 2 and 3), in characters …
pub const INSTRUCTIONS_MAX: usize = 8_000;
pub const NOTES_MAX: usize = 16_000;
pub const CARD_VERSION_MAX: usize = 100;
/// … its greetings beside the first, each as long as that …
pub const GREETINGS_MAX: usize = 20;
/// … and its lorebook: bytes of JSON, entries, keys of an entry.
pub const BOOK_BYTES: usize = 512 * 1024;
pub const BOOK_ENTRIES_MAX: usize = 500;
pub const BOOK_KEYS_MAX: usize = 100;
pub const COMMENT_MAX: usize = 2_000;
pub const KEYWORDS_MAX: usize = 200;

/// Cards that are read or judged at once, each on a thread of its own.
pub const JUDGED_AT_ONCE: usize = 2;
/// Cards whose verdict is remembered.
pub const VERDICTS_KEPT: usize = 1_000;

/// Bytes of a card file, and of a message that carries one with a picture beside it.
pub const CARD_BYTES: usize = 25 * 1024 * 1024;
pub const CARD_MESSAGE: usize = 48 * 1024 * 1024;

/// Bytes of a card's JSON, also after inflating it.
pub const CARD_JSON_BYTES: usize = 8 * 1024 * 1024;
/// How deep its arrays and objects may stand in each other.
pub const CARD_DEPTH: usize = 64;
/// Texts and keys in it, whatever they say: a card of five hundred entries has some 20,000.
pub const CARD_WORDS_MAX: usize = 200_000;
/// Characters of a key or the like, which tells nothing to moderators.
pub const CARD_WORD_MAX: usize = 40;
/// Bytes of the cards that are kept of one user, with their files …
pub const CARDS_BYTES: i64 = 200 * 1024 * 1024;
/// … and of a card's JSON that the export of an account brings whole; larger ones are told by their size, and exported
/// one by one.
pub const CARD_EXPORT_BYTES: i32 = 1024 * 1024;
/// Files that come with a card: how many, their bytes in all, and characters of a name.
pub const CARD_FILES_MAX: usize = 50;
pub const CARD_FILES_BYTES: usize = 20 * 1024 * 1024;
pub const CARD_PATH_MAX: usize = 200;
/// Bytes of a card's picture: as much as `media` takes.
pub const CARD_PICTURE_BYTES: usize = 10 * 1024 * 1024;
/// Entries of a CHARX file, folders among them.
pub const CARD_ENTRIES_MAX: usize = 500;
/// Inflated bytes for each that is stored: nothing honest comes near.
pub const CARD_RATIO_MAX: usize = 300;
/// Bytes that all packed texts of a PNG may inflate to: two cards and the files, encoded …
pub const CARD_INFLATED_BYTES: usize = 4 * CARD_JSON_BYTES + 2 * CARD_FILES_BYTES;
/// … of each version that many different texts.
pub const CARD_TEXTS_MAX: usize = 2;

/// What holds characters is looked at this often …
pub const HOLD_LOOK: Duration = Duration::from_secs(1);
/// … so many at the same time …
pub const HOLDS_AT_ONCE: usize = 8;
/// … for so long at most, in which nobody else asks …
pub const HOLD_WORK: Duration = Duration::from_secs(120);
/// … a long text in so many parts at the same time …
pub const PARTS_AT_ONCE: usize = 4;
/// … and again after so many seconds, twice as many each time, until this many.
pub const HOLD_AGAIN_S: f64 = 2.0;
pub const HOLD_AGAIN_MAX_S: f64 = 300.0;
/// Characters of one text, and of all texts, of a character in the moderators' queue: a page of a hundred is one
/// message. Whole it is asked for by itself.
pub const HELD_TEXT: usize = 2_000;
pub const HELD_TEXTS: usize = 8_000;
/// Characters of a text that a classifier is asked about at once.
pub const CHECK_CHARS: usize = 16_000;

/// Reviews that come with a character.
pub const NEWEST_REVIEWS: i64 = 20;
/// Cards of one `GetCards`.
pub const CARDS_MAX: usize = 200;
/// Tags of one search.
pub const SEARCH_TAGS_MAX: usize = 10;
/// Tags whose numbers a process remembers.
pub const TAGS_KNOWN: usize = 10_000;
/// Matches of keywords that are looked at when `SEARCH_MATCHES_MAX` does not say otherwise; the total is capped there.
pub const MATCHES_MAX: u16 = 5_000;
/// What a search has found is remembered for so long …
pub const FINDS_KEPT: Duration = Duration::from_secs(30);
/// … when it has at least so many matches, or was looked for among as many cards …
pub const FINDS_FROM: usize = 100;
/// … of all searches so many bytes.
pub const FINDS_BYTES: u64 = 8 * 1024 * 1024;
/// So many, at most 20 kB each, if they have as many matches as are looked at.
pub const FINDS_EXPECTED: usize = 400;
/// Bytes of the cards that are kept of what lists have shown, …
pub const SHOWN_BYTES: u64 = 8 * 1024 * 1024;
/// … which is about so many.
pub const SHOWN_EXPECTED: usize = 5_000;
/// Pages whose cards are asked for together at most: twenty cards take PostgreSQL 0.1 ms.
pub const SHOWN_TOGETHER: usize = 16;
/// How long pages wait for the answer to those before them: three times what a full question takes. Then they ask the next.
pub const SHOWN_PATIENCE: Duration = Duration::from_millis(10);
/// Of a word that more cards have than that, so many of the list's best are asked whether they have it …
pub const WALK_FIRST: usize = WALK_STEPS[0] + WALK_STEPS[1] + WALK_STEPS[2];
/// … and when fewer of them have it, it is searched for as any other. A page of the usual length.
pub const WALK_ENOUGH: usize = 20;
/// Cards that are asked at once: first, next, and then always as many as the last.
pub const WALK_STEPS: [usize; 4] = [100, 400, 1_500, 4_000];
/// Cards that are asked for one page at most; 3 µs each.
pub const WALK_MAX: usize = 50_000;
/// Words of one search.
pub const WORDS_MAX: usize = 12;
/// Below this many matches typing errors are forgiven …
pub const FEW_MATCHES: usize = 5;
/// … in words of at least this many letters …
pub const FORGIVEN_MIN: usize = 4;
/// … by a known word with at least this much in common (trigrams).
pub const ALIKE: f32 = 0.4;
/// Between lessons of the words of all cards, whichever process learns.
pub const LEARN: Duration = Duration::from_secs(3_600);
/// Tags that *For You* takes from what a reader likes and follows.
pub const TASTE_TAGS: i64 = 8;
/// Liked and followed characters that *For You* explains itself by.
pub const TASTE_CHARACTERS: i64 = 50;
/// Tags that a card must share with a liked character to be there because of it.
pub const TASTE_SHARED: usize = 3;
/// Rows of the lists of creators.
pub const TOP_CREATORS: usize = 24;
/// Chats that are added to a creator's before messages are divided by them.
pub const ENGAGING_DISCOUNT: f64 = 20.0;
/// Blocks of a kind of one reader.
pub const BLOCKS_MAX: i64 = 500;
/// Characters of a shelf of the home page.
pub const SHELF: usize = 9;
/// Followed characters that come with the viewer.
pub const FOLLOWED_MAX: i64 = 500;

/// Rows of a signed-in viewer's list that stay as they were at page 1 …
pub const STABLE_ROWS: usize = 500;
/// … for this long, in seconds.
pub const STABLE_S: u64 = 300;

/// Rows with which a list begins that are kept until the listing is ranked anew, …
pub const OPENING_ROWS: usize = STABLE_ROWS;
/// … of so many lists that somebody asked for: 2 MB in all.
pub const OPENINGS_KEPT: usize = 1_024;
/// Between looks for changes of the listing, at least.
pub const REFRESH_MIN: Duration = Duration::from_secs(1);
/// … and at least this many times what the last build took.
pub const REFRESH_FACTOR: u32 = 20;
/// Between two rankings of all creators, at least so long for each of their characters: some two hundred times what it takes
/// PostgreSQL …
pub const RANK_EACH: Duration = Duration::from_micros(500);
/// … up to here.
pub const RANK_MAX: Duration = Duration::from_secs(600);

/// Half-life of activity in *Trending*, in days.
pub const TREND_HALF_LIFE_DAYS: f64 = 2.0;
/// What one started chat weighs, in messages.
pub const CHAT_WEIGHT: f64 = 5.0;

/// For this long a deleted character can be brought back; then it is erased.
pub const CHANGE_OF_MIND: time::Duration = time::Duration::days(30);
/// Deleted characters that are shown to their owner.
pub const DELETED_MAX: i64 = 500;
/// Between looks for what is to be erased.
pub const SWEEP: Duration = Duration::from_secs(300);
/// Characters that one look erases.
pub const SWEEP_MAX: i64 = 100;

/// How long a portrait waits for the character it was made for.
pub const COMMIT_PATIENCE: time::Duration = time::Duration::minutes(2);

/// How long a creation waits for the event of a payment, and between looks.
pub const PAYMENT_PATIENCE: Duration = Duration::from_millis(1_500);
pub const PAYMENT_LOOK: Duration = Duration::from_millis(100);

/// Working days (Monday to Friday, in UTC) for a report, a complaint, a removal request, an appeal.
pub const REPORT_BUSINESS_DAYS: u32 = 7;
/// Days for a copyright notice, and for what is said against one.
pub const DMCA_DAYS: i64 = 3;
pub const COUNTER_NOTICE_DAYS: i64 = 14;
/// Hours for intimate images made without consent.
pub const INTIMATE_IMAGE_HOURS: i64 = 48;
/// Characters of a report, and of its reporter's name and e-mail.
pub const REPORT_TEXT_MIN: usize = 10;
pub const REPORT_TEXT_MAX: usize = 5_000;
pub const REPORTER_NAME_MAX: usize = 120;
pub const REPORTER_EMAIL_MAX: usize = 254;
/// Characters of an address or a text that is reported.
pub const SUBJECT_MAX: usize = 2_000;
/// Characters of it in its label.
pub const SUBJECT_LABEL_MAX: usize = 200;
/// Hashes of the picture that was sent.
pub const REPORT_HASHES_MAX: usize = 50;
/// Pictures of one report: as many copies as there are, within reason.
pub const REPORT_ASSETS_MAX: usize = 10_000;
/// REPORTS_A_DAY, so many times in development.
pub const DEV_REPORTS_FACTOR: u32 = 100;
/// Letters of a number after its prefix: 80 bits.
pub const NUMBER_CHARS: usize = 16;
/// Days that what was decided is kept: 6 years.
pub const DECISION_KEPT_DAYS: i32 = 2_192;
/// Between looks for reports that are kept no longer.
pub const REPORT_SWEEP: Duration = Duration::from_secs(3_600);
