//! Characters that nobody wrote, for load. Their sentences are those of the first cast with other words in
//! them; words, tags and creators are drawn as people use them: a few all the time, most hardly ever (Zipf's law
//! in Mandelbrot's form, `1 / (rank + shift)^exponent`). A number always gives the same character.

use std::collections::{BTreeMap, HashSet};

use moderation::{Place, Verdict};
use rand::{
    Rng as _, SeedableRng as _,
    distr::{Distribution as _, weighted::WeightedIndex},
    rngs::StdRng,
    seq::SliceRandom as _,
};
use uuid::Uuid;

use super::{Character, portrait_asset, user_id};

/// Words that texts are made of, the commonest in three texts of ten, the rarest in a few of a hundred thousand.
const WORDS: usize = 40_000;
const WORD_SHIFT: f64 = 5.0;
/// Tags beside those of the categories page, as people make them up.
const OWN_TAGS: usize = 1_900;
const TAG_SHIFT: f64 = 0.2;
const FIRST_NAMES: usize = 4_000;
const NAME_SHIFT: f64 = 20.0;
/// Letters of a word that may stand for another.
const CONTENT_MIN: usize = 4;
/// How often it does.
const REPLACED: f64 = 0.5;
/// Characters for each creator, on the average; the first creators have more.
const EACH: u32 = 40;
const CREATORS_MIN: u32 = 50;
/// Share of characters that are NSFW by their theme.
const NSFW_SHARE: f64 = 0.12;
/// Mean age of a card, and the greatest, in minutes.
const AGE_MEAN: f64 = 180.0 * 1_440.0;
const AGE_MAX: f64 = 900.0 * 1_440.0;

/// Words that hold a sentence together: they stay what they are.
const FUNCTION: &str = "about above across after again against all almost along already also although always among \
    and another any anybody anyone anything are around because been before behind being below beneath beside besides \
    between beyond both but came can cannot could did does doesn done down during each either else enough even ever \
    every everybody everyone everything except few for from gave gets given goes had has hasn have haven her here hers \
    herself him himself his how however if into isn its itself just kept last least less like made make makes many may \
    might more most much must near neither never next nobody none nor not nothing now off once one only onto other \
    others our out over own per perhaps quite rather said same says seems several shall she should since some somebody \
    someone something sometimes somewhere still such take takes than that the their theirs them themselves then there \
    these they this those though three through till to together too toward towards twice two under until upon very was \
    wasn were weren what whatever when where whether which while who whoever whole whom whose why will with within \
    without won would yes yet you your yours yourself";

/// Words that sit badly beside words drawn by chance: of youth, of age, of harm.
const UNSUITED: &str = "age aged ages apprentice apprentices baby birthday blood body born boy boys bruise child childhood \
    children class cut cuts dead death daughter daughters died dies dying eight eighteen eighty eleven fifteen fifty five \
    forty four fourteen girl girls grade hang hanged harm hundred hurt infant kid kids kill killed killer kills knife \
    knives lesson lessons little minor minors murder naked nephew nephews niece nieces nine nineteen ninety nursery \
    nurse old older oldest orphan orphans poison pupil pupils school schools seven seventeen seventy six sixteen sixty \
    sleep sleeping small smaller smallest son sons student students tall teach teacher teachers teaches teen teens ten three \
    thirteen thirty thousand tiny toy toys tutor twelve twenty uniform uniforms weapon year years young younger \
    youngest youth";

const BEGINNINGS: [&str; 50] = [
    "vel", "mor", "ash", "bel", "cor", "dun", "el", "fen", "gar", "hol", "ith", "jor", "kel", "lor", "mar",
    "nor", "or", "per", "quil", "ros", "sar", "tal", "ul", "ven", "wyn", "yar", "zeph", "bri", "cal", "dra",
    "eri", "fal", "gwen", "hal", "isk", "jas", "kar", "lin", "mel", "nim", "oph", "pry", "rav", "sel", "tor",
    "und", "var", "wes", "yel", "zan",
];
const ENDINGS: [&str; 20] = [
    "a", "and", "ane", "ar", "eth", "ia", "iel", "ine", "ith", "mere", "mond", "more", "na", "ric", "stead",
    "ton", "vale", "wick", "wood", "wyn",
];

/// Things, the common ones first.
struct Ranked<T> {
    things: Vec<T>,
    by: WeightedIndex<f64>,
}

impl<T> Ranked<T> {
    fn new(things: Vec<T>, shift: f64) -> anyhow::Result<Self> {
        #[expect(clippy::cast_precision_loss, reason = "ranks")]
        let by = WeightedIndex::new((1..=things.len()).map(|rank| 1.0 / (rank as f64 + shift)))?;
        Ok(Self { things, by })
    }

    fn draw(&self, rng: &mut StdRng) -> &T {
        &self.things[self.by.sample(rng)]
    }
}

enum Piece {
    Fixed(String),
    /// The name of whoever it is about.
    Name,
    /// A word that may be another.
    Word(String),
}

type Sentence = Vec<Piece>;

/// A picture of the first cast, lent to others.
struct Lent {
    asset: String,
    gel: String,
}

/// What the statements write of an invented character.
#[derive(Debug, PartialEq)]
pub struct Invented {
    pub id: Uuid,
    pub owner: Uuid,
    pub name: String,
    pub age: Option<u32>,
    pub tags: Vec<String>,
    pub description: String,
    pub personality: String,
    pub first_message: String,
    pub scenario: String,
    pub example_conversation: String,
    pub nsfw: bool,
    pub image_asset: String,
    pub gel: String,
    /// How long ago it was made.
    pub minutes: i32,
    pub likes: i64,
    pub dislikes: i64,
    pub follows: i64,
    pub chats: i64,
    pub messages: i64,
    pub trend: f64,
}

impl Invented {
    /// All texts at once, as the strictest places read them.
    fn is_allowed(&self) -> bool {
        let tags = self.tags.join(" ");
        let texts = [
            &self.name,
            &tags,
            &self.description,
            &self.personality,
            &self.first_message,
            &self.scenario,
            &self.example_conversation,
        ];
        let together = texts.map(String::as_str).join("\n");
        moderation::judge_in(&together, &[Place::Card, Place::Greeting]) == Verdict::Allow
    }
}

/// Somebody who made invented characters.
pub struct Maker {
    pub id: Uuid,
    pub username: String,
    pub followers: i64,
}

/// Makes characters up.
pub struct Inventor {
    words: Ranked<String>,
    names: Ranked<String>,
    tags: Ranked<String>,
    sentences: Vec<Sentence>,
    coined: Vec<String>,
    /// By theme: for everybody, and NSFW.
    lent: [Vec<Lent>; 2],
}

impl Inventor {
    /// Learns how characters are written from the first cast; `tags` are those of the categories page.
    ///
    /// # Errors
    /// A cast from which nothing can be learnt.
    pub(super) fn new(cast: &[Character], tags: Vec<String>) -> anyhow::Result<Self> {
        let function: HashSet<&str> = FUNCTION.split_whitespace().collect();
        let unsuited: HashSet<&str> = UNSUITED.split_whitespace().collect();
        let mut sentences = Vec::new();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for c in cast {
            let own: HashSet<&str> = c.name.split_whitespace().collect();
            for text in [&c.description, &c.personality, &c.scenario] {
                for sentence in text.split_inclusive(['.', '?', '!']).map(str::trim) {
                    if is_plain(sentence, &unsuited) {
                        sentences.push(parse(sentence, &own, &function, &mut seen));
                    }
                }
            }
        }
        anyhow::ensure!(sentences.len() > 20, "the first cast has too few sentences to invent others from");
        let mut words: Vec<(String, usize)> = seen.into_iter().collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let coined = coined();
        let mut words: Vec<String> = words.into_iter().map(|(word, _)| word).collect();
        words.extend(coined.iter().take(WORDS.saturating_sub(words.len())).cloned());
        let mut names: Vec<String> =
            cast.iter().filter_map(|c| c.name.split_whitespace().next()).map(str::to_owned).collect();
        names.retain(|name| name.chars().all(char::is_alphabetic) && name.len() >= CONTENT_MIN);
        names.extend(coined.iter().rev().take(FIRST_NAMES).map(|word| capital(word)));
        let mut tags = tags;
        tags.extend(coined.iter().rev().skip(FIRST_NAMES).take(OWN_TAGS).cloned());
        let lent = [false, true].map(|nsfw| {
            let lent = cast.iter().filter(|c| c.nsfw == nsfw);
            lent.map(|c| Lent { asset: portrait_asset(&c.key), gel: c.gel.clone() }).collect()
        });
        Ok(Self {
            words: Ranked::new(words, WORD_SHIFT)?,
            names: Ranked::new(names, NAME_SHIFT)?,
            tags: Ranked::new(tags, TAG_SHIFT)?,
            sentences,
            coined,
            lent,
        })
    }

    /// The tags that invented characters may have.
    pub fn tags(&self) -> &[String] {
        &self.tags.things
    }

    /// Those who made the first `characters`.
    pub fn makers(&self, characters: u32) -> impl Iterator<Item = Maker> + '_ {
        (0..makers(characters)).map(|n| {
            let username = self.username(n);
            let mut rng = StdRng::seed_from_u64(u64::from(n) << 32);
            Maker { id: user_id(&username), username, followers: heavy(&mut rng, 20.0, 200_000.0) }
        })
    }

    fn username(&self, n: u32) -> String {
        format!("{}{n}", self.coined[n as usize % self.coined.len()])
    }

    /// The character of this number: the first that the rules have nothing against. What chance puts together
    /// may mean what nobody meant.
    pub fn character(&self, number: u32) -> Invented {
        let mut rng = StdRng::seed_from_u64(number.into());
        loop {
            let made = self.attempt(number, &mut rng);
            if made.is_allowed() {
                return made;
            }
        }
    }

    fn attempt(&self, number: u32, rng: &mut StdRng) -> Invented {
        let name = self.name(rng);
        let nsfw = rng.random_bool(NSFW_SHARE) && !self.lent[1].is_empty();
        let lent = &self.lent[usize::from(nsfw)];
        let lent = &lent[rng.random_range(0..lent.len())];
        let mut tags: Vec<String> = Vec::new();
        for _ in 0..rng.random_range(2..=5) {
            let tag = self.tags.draw(rng);
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        // Most are short, some are long.
        let length = 1 + usize::from(rng.random_bool(0.3)) + 2 * usize::from(rng.random_bool(0.05));
        let mut prose = |from: usize, to: usize| {
            let count = rng.random_range(from..=to) * length;
            let sentences: Vec<String> = (0..count).map(|_| self.sentence(rng, &name)).collect();
            sentences.join(" ")
        };
        let mut description = prose(2, 4);
        cut(&mut description, crate::limits::DESCRIPTION_MAX);
        let personality = prose(3, 5);
        let scenario = prose(1, 3);
        let first_message = format!("*{}* \"{}\" *{}*", prose(1, 1), prose(1, 2), prose(1, 1));
        let example_conversation = format!(
            "<START>\n{{{{user}}}}: {}\n{{{{char}}}}: *{}* \"{}\"",
            prose(1, 1),
            prose(1, 1),
            prose(1, 2)
        );
        let likes = heavy(rng, 4.0, 60_000.0);
        let chats = scaled(likes, rng.random_range(0.5..4.0)) + rng.random_range(0..4);
        // As much of late as its chats say, and more or less than that.
        #[expect(clippy::cast_precision_loss, reason = "a count of chats")]
        let trend = (chats.max(1) as f64).ln() + rng.random_range(-2.0..2.0);
        let minutes = (-rng.random_range(f64::EPSILON..1.0f64).ln() * AGE_MEAN).min(AGE_MAX);
        // Later creators take their share of what is made later: the same whatever the number in all.
        let u: f64 = rng.random();
        let maker = f64::from(makers(number)) * u * u;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range")]
        let (maker, minutes) = (maker as u32, minutes as i32);
        Invented {
            id: id(number),
            owner: user_id(&self.username(maker)),
            age: rng.random_bool(0.8).then(|| rng.random_range(18..=70)),
            tags,
            description,
            personality,
            first_message,
            scenario,
            example_conversation,
            nsfw,
            image_asset: lent.asset.clone(),
            gel: lent.gel.clone(),
            minutes,
            dislikes: scaled(likes, rng.random_range(0.0..0.06)),
            follows: scaled(likes, rng.random_range(0.1..0.4)),
            messages: scaled(chats, rng.random_range(2.0..20.0)),
            trend,
            likes,
            chats,
            name,
        }
    }

    fn name(&self, rng: &mut StdRng) -> String {
        let first = self.names.draw(rng);
        if rng.random_bool(0.25) {
            format!("{first} the {}", capital(self.words.draw(rng)))
        } else {
            let family = &self.coined[rng.random_range(0..self.coined.len())];
            format!("{first} {}", capital(family))
        }
    }

    fn sentence(&self, rng: &mut StdRng, name: &str) -> String {
        let sentence = &self.sentences[rng.random_range(0..self.sentences.len())];
        let first = name.split(' ').next().unwrap_or(name);
        let mut text = String::new();
        for piece in sentence {
            match piece {
                Piece::Fixed(fixed) => text.push_str(fixed),
                Piece::Name => text.push_str(first),
                Piece::Word(_) if rng.random_bool(REPLACED) => text.push_str(self.words.draw(rng)),
                Piece::Word(word) => text.push_str(word),
            }
        }
        text
    }
}

/// Ids as real ones look, in the order of the numbers: half a minute apart from 2025 on.
pub fn id(number: u32) -> Uuid {
    const BEGIN_MS: u64 = 1_735_689_600_000;
    let mut rest = [0; 10];
    rest[..4].copy_from_slice(&number.to_be_bytes());
    rest[4..].copy_from_slice(b"troupe");
    uuid::Builder::from_unix_timestamp_millis(BEGIN_MS + u64::from(number) * 30_000, &rest).into_uuid()
}

fn makers(characters: u32) -> u32 {
    CREATORS_MIN + characters / EACH
}

/// A count that most have little of and a few have very much of (Pareto, exponent 1.2).
fn heavy(rng: &mut StdRng, least: f64, most: f64) -> i64 {
    let u: f64 = rng.random_range(f64::EPSILON..1.0);
    #[expect(clippy::cast_possible_truncation, reason = "a count, capped")]
    let count = (least * (u.powf(-1.0 / 1.2) - 1.0)).min(most) as i64;
    count
}

fn scaled(count: i64, by: f64) -> i64 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a count")]
    let scaled = (count as f64 * by) as i64;
    scaled
}

/// Prose that can be given other words.
fn is_plain(sentence: &str, unsuited: &HashSet<&str>) -> bool {
    let plain = |c: char| c.is_alphabetic() || c.is_whitespace() || ".,;:?!'’-".contains(c);
    sentence.len() > 20
        && sentence.chars().all(plain)
        && !sentence
            .split(|c: char| !c.is_alphabetic())
            .any(|word| unsuited.contains(word.to_lowercase().as_str()))
}

fn parse<'a>(
    sentence: &'a str,
    own: &HashSet<&'a str>,
    function: &HashSet<&str>,
    seen: &mut BTreeMap<String, usize>,
) -> Sentence {
    let mut pieces = Vec::new();
    let mut fixed = String::new();
    let mut rest = sentence;
    while !rest.is_empty() {
        let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(letters);
        let named = own.contains(word);
        let free = word.chars().count() >= CONTENT_MIN
            && word.chars().all(|c| c.is_ascii_lowercase())
            && !function.contains(word);
        if named || free {
            if !fixed.is_empty() {
                pieces.push(Piece::Fixed(std::mem::take(&mut fixed)));
            }
            if named {
                pieces.push(Piece::Name);
            } else {
                *seen.entry(word.to_owned()).or_default() += 1;
                pieces.push(Piece::Word(word.to_owned()));
            }
        } else {
            fixed.push_str(word);
        }
        let between = after.find(char::is_alphabetic).unwrap_or(after.len());
        fixed.extend(after[..between].chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
        rest = &after[between..];
    }
    pieces.push(Piece::Fixed(fixed));
    pieces
}

/// Words that nobody has used, in an order that tells nothing.
fn coined() -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for first in BEGINNINGS {
        for ending in ENDINGS {
            words.push(format!("{first}{ending}"));
            for second in BEGINNINGS.iter().filter(|second| **second != first) {
                words.push(format!("{first}{second}{ending}"));
            }
        }
    }
    words.sort_unstable();
    words.dedup();
    words.shuffle(&mut StdRng::seed_from_u64(1));
    words
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// At most so many characters, to the end of a sentence where there is one.
fn cut(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most) {
        let end = text[..at].rfind('.').map_or(at, |dot| dot + 1);
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proto::catalog::v1::CharacterDraft;

    use super::{super::Seed, *};
    use crate::characters::Draft;

    fn inventor() -> Inventor {
        let seeds = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
        Seed::inventor(&seeds).expect("the first cast")
    }

    #[test]
    fn what_is_invented_passes_every_rule_of_what_people_write() {
        let inventor = inventor();
        for number in 1..=1_500 {
            let c = inventor.character(number);
            let draft = Draft::new(CharacterDraft {
                name: c.name.clone(),
                age: c.age,
                tags: c.tags.clone(),
                description: c.description.clone(),
                personality: c.personality,
                first_message: c.first_message,
                scenario: c.scenario,
                example_conversation: c.example_conversation,
                nsfw: c.nsfw,
                public: true,
                ..CharacterDraft::default()
            });
            let draft = draft.unwrap_or_else(|why| panic!("{number}, {}: {why:?}", c.description));
            let judged = draft.judged;
            assert_eq!(judged.hold.or(judged.limit), None, "{number}: {} {}", c.name, c.description);
            assert_eq!(
                (draft.name, draft.tags, draft.description),
                (c.name, c.tags, c.description),
                "as it was"
            );
        }
    }

    #[test]
    fn every_tag_that_is_made_up_may_stand_in_a_list() {
        for tag in inventor().tags() {
            let verdict = moderation::judge(tag, moderation::Place::Label);
            assert_eq!(verdict, moderation::Verdict::Allow, "{tag}");
        }
    }

    #[test]
    fn a_number_is_always_the_same_character() {
        let (one, other) = (inventor(), inventor());
        for number in [1, 77, 1_000_000] {
            assert_eq!(one.character(number), other.character(number));
        }
        let ids: HashSet<Uuid> = (1..=100_000).map(id).collect();
        assert_eq!(ids.len(), 100_000);
        let makers: HashSet<Uuid> = one.makers(2_000).map(|m| m.id).collect();
        assert!((1..=2_000).all(|n| makers.contains(&one.character(n).owner)), "somebody made each");
    }

    #[test]
    fn a_few_words_and_tags_are_everywhere_and_most_hardly_anywhere() {
        let inventor = inventor();
        let (mut words, mut tags) = (HashMap::<String, usize>::new(), HashMap::<String, usize>::new());
        for number in 1..=2_000 {
            let c = inventor.character(number);
            let said: HashSet<String> = c.description.split(' ').map(str::to_lowercase).collect();
            said.into_iter().for_each(|word| *words.entry(word).or_default() += 1);
            c.tags.into_iter().for_each(|tag| *tags.entry(tag).or_default() += 1);
        }
        let commonest = inventor.words.things[..5].iter().map(|w| words.get(w).copied().unwrap_or(0));
        assert!(commonest.min() > Some(200), "in more than a tenth of all");
        assert!(words.values().filter(|n| **n == 1).count() > 2_000, "most are rare");
        assert!(
            (400..1_000).contains(tags.values().max().expect("tags")),
            "one of four or so has the first tag"
        );
        assert!(tags.len() > 500 && tags.values().filter(|n| **n <= 3).count() > tags.len() / 2);
    }
}
