//! The choices of the specification (section 9), checked.

use kit::{error::Violations, text};
use moderation::{Place, Verdict};
use proto::media::v1::{ImageChoice, ImageChoices, ImageOptions};

use crate::{
    engines::{Options, Pose, Poses, prompts},
    error::{Error, Result},
    limits,
};

/// Brings the choices to the specification's spelling; what was left open stays empty.
///
/// # Errors
/// `invalid` with every field that is none of its values, `moderated` when the prompt is against the rules.
pub fn checked(asked: Option<ImageOptions>, poses: &Poses) -> Result<Options> {
    let asked = asked.unwrap_or_default();
    let mut v = Violations::new();
    let mut one_of = |name: &'static str, value: &str| {
        let value = value.trim();
        let known =
            prompts::fields().iter().filter(|field| field.name == name).flat_map(|field| &field.choices);
        let found = known.map(|choice| &choice.value).find(|known| known.eq_ignore_ascii_case(value));
        v.check(found.is_some() || value.is_empty(), name, "Please choose one of the options.");
        found.cloned().unwrap_or_default()
    };
    let mut options = Options {
        gender: one_of("gender", &asked.gender),
        ethnicity: one_of("ethnicity", &asked.ethnicity),
        age: one_of("age", &asked.age),
        hair_color: one_of("hairColor", &asked.hair_color),
        face: one_of("face", &asked.face),
        body_type: one_of("bodyType", &asked.body_type),
        breast_size: one_of("breastSize", &asked.breast_size),
        style: one_of("style", &asked.style),
        ..Options::default()
    };
    let pose = poses.find(&asked.pose);
    v.check(pose.is_some() || asked.pose.trim().is_empty(), "pose", "Please choose one of the options.");
    options.pose = pose.map(|pose| pose.name.clone()).unwrap_or_default();
    options.prompt = free_text(&mut v, "prompt", &asked.prompt, limits::PROMPT);
    v.done()?;
    moderate("prompt", &options.prompt, Place::ImagePrompt)?;
    Ok(options)
}

/// Whether a picture of these choices is for its owner alone.
#[must_use]
pub fn must_be_private(options: &Options, poses: &Poses) -> bool {
    let chosen = |name: &str, value: &str| {
        let fields = prompts::fields().iter().filter(|field| field.name == name);
        fields.flat_map(|field| &field.choices).any(|choice| choice.nsfw && choice.value == value)
    };
    poses.find(&options.pose).is_some_and(|pose| pose.nsfw) || chosen("face", &options.face)
}

/// All choices, as people read them.
#[must_use]
pub fn told(poses: &Poses) -> Vec<ImageChoices> {
    let fields = prompts::fields().iter().map(|field| ImageChoices {
        field: field.name.clone(),
        choices: field
            .choices
            .iter()
            .map(|c| ImageChoice { value: c.value.clone(), label: c.label.clone(), nsfw: c.nsfw })
            .collect(),
    });
    let pose = |p: &Pose| ImageChoice { value: p.name.clone(), label: p.name.clone(), nsfw: p.nsfw };
    fields.chain([ImageChoices { field: "pose".into(), choices: poses.all().map(pose).collect() }]).collect()
}

/// # Errors
/// `invalid`, or `moderated`.
pub fn label(text: &str) -> Result<String> {
    let mut v = Violations::new();
    let label = free_text(&mut v, "label", text, limits::LABEL);
    v.done()?;
    moderate("label", &label, Place::Label)?;
    // It says what is seen.
    moderate("label", &label, Place::ImagePrompt)?;
    Ok(label)
}

/// Tags stand beside the prompt in what an engine is asked for: both are judged as one.
///
/// # Errors
/// `moderated`.
pub fn with_tags(prompt: &str, tags: &[String]) -> Result<()> {
    let spoken = tags.join(" ").replace('-', " ");
    moderate("tags", &spoken, Place::ImagePrompt)?;
    moderate("prompt", &[prompt, &spoken].join(" "), Place::ImagePrompt)
}

fn free_text(v: &mut Violations, field: &'static str, value: &str, max: usize) -> String {
    text::clean(value, max).unwrap_or_else(|why| {
        v.add(field, why.to_string());
        String::new()
    })
}

/// What is held elsewhere until a moderator has decided is refused here: a picture cannot wait for its words.
fn moderate(field: &'static str, text: &str, place: Place) -> Result<()> {
    match moderation::judge(text, place) {
        Verdict::Allow | Verdict::Limit(_) => Ok(()),
        Verdict::Hold(rule) | Verdict::Refuse(rule) => Err(Error::Moderated { field, rule }),
    }
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
        let options = checked(Some(asked), &Poses::default()).expect("two of the values");
        assert_eq!((options.gender.as_str(), options.face.as_str()), ("female", "Looking at Viewer"));
        assert_eq!(options.age, "");
    }

    #[test]
    fn every_wrong_choice_is_named() {
        let asked = ImageOptions { age: "17".into(), hair_color: "plaid".into(), ..Default::default() };
        let refused = Failure::from_status(&Status::from(
            checked(Some(asked), &Poses::default()).expect_err("two are wrong"),
        ));
        let fields: Vec<&str> = refused.fields.iter().map(|(f, _)| f.as_str()).collect();
        assert_eq!(fields, ["age", "hairColor"]);
    }

    #[test]
    fn everybody_is_an_adult_in_labels_and_tags_as_well() {
        for text in ["15 years old", "a child", "underage"] {
            label(text).expect_err(text);
        }
        label("My first try").expect("harmless");
        let tags = |all: &[&str]| all.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        for bad in [tags(&["underage"]), tags(&["fifteen-year-old"]), tags(&["15", "years-old"])] {
            with_tags("a poet", &bad).expect_err("no adult");
        }
        with_tags("she is 15", &tags(&["years-old"])).expect_err("together");
        with_tags("a poet", &tags(&["monster-girl", "30-years-old"])).expect("adults");
    }
}
