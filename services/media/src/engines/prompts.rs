//! From the choices of a picture to the words of an engine, by tables (`prompts/*.toml`).
//!
//! Whatever is chosen, written or configured: every prompt says that everybody is an adult, and every negative
//! prompt excludes minors.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Options, poses::Pose};

/// How an engine reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Words between commas, and negative ones.
    Tags,
    /// Sentences; no negative prompt.
    Prose,
}

/// What an engine is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub positive: String,
    /// For engines that take one.
    pub negative: String,
}

/// A choice and its words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// As it is sent and stored.
    pub value: String,
    /// As people read it.
    pub label: String,
    /// Only for who has NSFW on, and only in private pictures.
    #[serde(default)]
    pub nsfw: bool,
    anime: String,
    realistic: String,
}

/// The choices of one field.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// As the API has it ("hairColor").
    pub name: String,
    /// Its words count for these genders only.
    #[serde(default)]
    only_gender: Vec<String>,
    #[serde(rename = "choice")]
    pub choices: Vec<Choice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Negative {
    anime: String,
    realistic: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    field: Vec<Field>,
    negative: Negative,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Adults {
    tags: String,
    prose: String,
    never: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("../../prompts/options.toml")).expect("a test reads prompts/options.toml")
});
static ADULTS: LazyLock<Adults> = LazyLock::new(|| {
    toml::from_str(include_str!("../../prompts/adults.toml")).expect("a test reads prompts/adults.toml")
});

/// What engines read as syntax: weights, alternatives, networks, escapes. A prompt is words.
const SYNTAX: &[char] = &['(', ')', '[', ']', '{', '}', '<', '>', '|', '\\'];
/// Style of a picture for which none was chosen.
const STYLE: &str = "anime";

/// All fields of choices but the poses.
#[must_use]
pub fn fields() -> &'static [Field] {
    &TABLE.field
}

/// The words of these choices; `tags` are those of the character.
#[must_use]
pub fn write(options: &Options, pose: Option<&Pose>, tags: &[String], voice: Voice) -> Prompt {
    let style = if options.style.is_empty() { STYLE } else { options.style.as_str() };
    let words = |anime: &str, realistic: &str| {
        let prose = voice == Voice::Prose || !style.eq_ignore_ascii_case("anime");
        (if prose { realistic } else { anime }).to_owned()
    };
    let chosen = |name: &str, value: &str| {
        let field = TABLE.field.iter().find(|f| f.name == name)?;
        let fits = field.only_gender.is_empty() || field.only_gender.contains(&options.gender);
        let choice = field.choices.iter().find(|c| fits && c.value.eq_ignore_ascii_case(value))?;
        Some(match (name, voice) {
            // The style decides everything else; its own words follow the voice alone.
            ("style", Voice::Tags) => choice.anime.clone(),
            ("style", Voice::Prose) => choice.realistic.clone(),
            _ => words(&choice.anime, &choice.realistic),
        })
    };
    let gender = chosen("gender", &options.gender).unwrap_or_else(|| words("solo, adult", "an adult person"));
    let mut parts = vec![chosen("style", style).unwrap_or_default()];
    if voice == Voice::Tags {
        parts.push(ADULTS.tags.clone());
    }
    parts.push(gender);
    let rest = [
        ("age", &options.age),
        ("ethnicity", &options.ethnicity),
        ("bodyType", &options.body_type),
        ("breastSize", &options.breast_size),
        ("hairColor", &options.hair_color),
        ("face", &options.face),
    ];
    parts.extend(rest.iter().filter_map(|(name, value)| chosen(name, value)));
    parts.extend(pose.map(|p| words(&p.anime, &p.realistic)));
    parts.push(plain(&options.prompt));
    parts.extend(tags.iter().map(|tag| plain(tag)));
    parts.retain(|part| !part.is_empty());
    let negative = words(&TABLE.negative.anime, &TABLE.negative.realistic);
    Prompt {
        positive: match voice {
            Voice::Tags => [parts.join(", "), ADULTS.tags.clone()].join(", "),
            Voice::Prose => {
                let (opening, rest) = parts.split_first().expect("the style and the gender");
                [opening, " ", &rest.join(", "), ". ", &ADULTS.prose].concat()
            }
        },
        negative: [ADULTS.never.join(", "), negative].join(", "),
    }
}

/// Somebody's words without what an engine reads as syntax.
fn plain(text: &str) -> String {
    let text = text.replace(SYNTAX, " ").replace(':', " ");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.trim_end_matches(['.', ',', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::Poses;

    /// What no prompt may say of anybody but as excluded.
    const MINORS: &[&str] = &["child", "underage", "teen", "loli", "shota", "toddler", "minor"];

    /// Every combination of the choices of any three fields, the others left open. Fields add their words each for
    /// itself, at most by what the gender and the style are: four fields together say nothing new.
    fn combinations() -> Vec<Options> {
        let mut all = Vec::new();
        let fields = fields();
        for (i, first) in fields.iter().enumerate() {
            for (j, second) in fields.iter().enumerate().skip(i + 1) {
                for third in fields.iter().skip(j + 1) {
                    all.extend(combined(&[first, second, third]));
                }
            }
        }
        all
    }

    fn combined(fields: &[&Field]) -> Vec<Options> {
        fields.iter().fold(vec![Options::default()], |known, field| {
            let choices = field.choices.iter();
            let with = |choice: &Choice| {
                let mut chosen = known.clone();
                chosen.iter_mut().for_each(|o| slot(o, &field.name).clone_from(&choice.value));
                chosen
            };
            choices.flat_map(with).chain(known.clone()).collect()
        })
    }

    fn slot<'a>(o: &'a mut Options, name: &str) -> &'a mut String {
        match name {
            "gender" => &mut o.gender,
            "ethnicity" => &mut o.ethnicity,
            "age" => &mut o.age,
            "hairColor" => &mut o.hair_color,
            "face" => &mut o.face,
            "bodyType" => &mut o.body_type,
            "breastSize" => &mut o.breast_size,
            "style" => &mut o.style,
            other => panic!("{other} is no field of the options"),
        }
    }

    #[test]
    fn every_prompt_excludes_minors_whatever_is_chosen() {
        let combinations = combinations();
        assert!(combinations.len() > 10_000);
        let never = ADULTS.never.join(", ");
        for options in &combinations {
            for voice in [Voice::Tags, Voice::Prose] {
                let prompt = write(options, None, &[], voice);
                assert!(prompt.negative.starts_with(&never), "{options:?}");
                assert!(prompt.positive.contains("adult"), "{options:?}");
                let said = prompt.positive.to_lowercase();
                assert!(!MINORS.iter().any(|m| said.contains(m)), "{said}");
            }
        }
    }

    #[test]
    fn every_pose_and_every_wish_ends_in_words_for_adults() {
        let poses = Poses::default();
        for pose in poses.all() {
            for (voice, end) in [(Voice::Tags, &ADULTS.tags), (Voice::Prose, &ADULTS.prose)] {
                let wish = Options { prompt: "in the rain. ".into(), ..Options::default() };
                let prompt = write(&wish, Some(pose), &["noir".into()], voice);
                assert!(prompt.positive.ends_with(end.as_str()), "{}", prompt.positive);
                assert!(prompt.positive.contains("in the rain, noir"), "{}", prompt.positive);
            }
        }
    }

    #[test]
    fn choices_become_words_of_the_style() {
        let mut options = Options {
            gender: "female".into(),
            age: "30s".into(),
            hair_color: "Pink".into(),
            breast_size: "small".into(),
            ..Options::default()
        };
        let drawn = write(&options, None, &[], Voice::Tags).positive;
        assert!(drawn.starts_with("masterpiece, best quality, anime illustration, adult, 18+, 1woman"));
        assert!(drawn.contains("pink hair") && drawn.contains("small breasts"), "{drawn}");
        options.style = "realistic".into();
        let told = write(&options, None, &[], Voice::Prose).positive;
        assert!(told.starts_with("A detailed photograph of an adult woman, in their thirties"), "{told}");
        options.gender = "male".into();
        assert!(!write(&options, None, &[], Voice::Tags).positive.contains("breasts"));
    }

    #[test]
    fn a_wish_is_words_and_no_syntax() {
        let wish = "(a red coat:1.4) [adult::0.1] <lora:thing:1> embedding:x | {y}";
        let options = Options { prompt: wish.into(), ..Options::default() };
        let prompt = write(&options, None, &[], Voice::Tags).positive;
        assert!(prompt.contains("a red coat 1.4 adult 0.1 lora thing 1 embedding x y"), "{prompt}");
    }
}
