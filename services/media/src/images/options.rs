//! The choices of the specification (section 9), checked.

use kit::{error::Violations, text};
use proto::media::v1::ImageOptions;

use crate::{
    engines::Options,
    error::{Error, Result},
    limits,
};

const GENDERS: &[&str] = &["female", "male", "futa", "femboy"];
const ETHNICITIES: &[&str] = &["European", "Indian", "Ebony", "Asian", "Latina", "Arabian"];
/// There is none below 18.
const AGES: &[&str] = &["18", "20s", "30s", "40s", "50s"];
const HAIR_COLORS: &[&str] = &["Multicolored", "Black", "White", "Brunette", "Purple", "Pink"];
const FACES: &[&str] = &[
    "Default",
    "Orgasm Face",
    "Smug",
    "Blush",
    "Calm",
    "Smile",
    "Surprised",
    "Shocked",
    "Looking at Viewer",
    "Joyful",
];
const BODY_TYPES: &[&str] = &["skinny", "fit", "chubby", "fat", "muscular"];
const BREAST_SIZES: &[&str] = &["small", "medium", "large", "sagging breast"];
const STYLES: &[&str] = &["anime", "realistic"];

/// Brings the choices to the specification's spelling; what was left open stays empty.
///
/// # Errors
/// `invalid` with every field that is none of its values, `moderated` when the prompt is against the rules.
pub fn checked(asked: Option<ImageOptions>) -> Result<Options> {
    let asked = asked.unwrap_or_default();
    let mut v = Violations::new();
    let mut one_of = |field: &'static str, value: &str, values: &[&str]| {
        let found = values.iter().find(|known| known.eq_ignore_ascii_case(value.trim()));
        v.check(found.is_some() || value.trim().is_empty(), field, "Please choose one of the options.");
        found.map(|f| (*f).to_owned()).unwrap_or_default()
    };
    let mut options = Options {
        gender: one_of("gender", &asked.gender, GENDERS),
        ethnicity: one_of("ethnicity", &asked.ethnicity, ETHNICITIES),
        age: one_of("age", &asked.age, AGES),
        hair_color: one_of("hairColor", &asked.hair_color, HAIR_COLORS),
        face: one_of("face", &asked.face, FACES),
        body_type: one_of("bodyType", &asked.body_type, BODY_TYPES),
        breast_size: one_of("breastSize", &asked.breast_size, BREAST_SIZES),
        style: one_of("style", &asked.style, STYLES),
        ..Options::default()
    };
    options.pose = free_text(&mut v, "pose", &asked.pose, limits::POSE);
    options.prompt = free_text(&mut v, "prompt", &asked.prompt, limits::PROMPT);
    v.done()?;
    moderate("prompt", &options.prompt)?;
    moderate("pose", &options.pose)?;
    Ok(options)
}

/// # Errors
/// `invalid`, or `moderated`.
pub fn label(text: &str) -> Result<String> {
    let mut v = Violations::new();
    let label = free_text(&mut v, "label", text, limits::LABEL);
    v.done()?;
    moderate("label", &label)?;
    Ok(label)
}

fn free_text(v: &mut Violations, field: &'static str, value: &str, max: usize) -> String {
    text::clean(value, max).unwrap_or_else(|why| {
        v.add(field, why.to_string());
        String::new()
    })
}

fn moderate(field: &'static str, text: &str) -> Result<()> {
    moderation::check(text).map_err(|rule| Error::Moderated { field, rule })
}

#[cfg(test)]
mod tests {
    use kit::error::Failure;
    use tonic::Status;

    use super::*;

    #[test]
    fn spelling_is_forgiven_and_open_choices_stay_open() {
        let asked =
            ImageOptions { gender: "FEMALE".into(), face: "looking at viewer ".into(), ..Default::default() };
        let options = checked(Some(asked)).expect("two of the values");
        assert_eq!((options.gender.as_str(), options.face.as_str()), ("female", "Looking at Viewer"));
        assert_eq!(options.age, "");
    }

    #[test]
    fn every_wrong_choice_is_named() {
        let asked = ImageOptions { age: "17".into(), hair_color: "plaid".into(), ..Default::default() };
        let refused = Failure::from_status(&Status::from(checked(Some(asked)).expect_err("two are wrong")));
        let fields: Vec<&str> = refused.fields.iter().map(|(f, _)| f.as_str()).collect();
        assert_eq!(fields, ["age", "hairColor"]);
    }
}
