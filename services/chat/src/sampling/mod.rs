//! How freely the model writes: presets of the house and of one's own, and what is set for a chat.

mod grpc;
pub mod store;
mod usual;

use std::{collections::BTreeMap, sync::LazyLock};

use kit::error::Violations;
use proto::chat::v1 as pb;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::usual::Usual;
use crate::limits::{STOP_LENGTH_MAX, STOP_MAX};

/// Values of parameters; what is absent is left to whoever comes next.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Values {
    /// By the parameter's name (`top_p`).
    #[serde(flatten)]
    pub numbers: BTreeMap<String, f64>,
    /// A reply ends before any of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
}

impl Values {
    /// These, and under them those of `base`; stop strings add up.
    #[must_use]
    pub fn over(&self, mut base: Self) -> Self {
        base.numbers.extend(self.numbers.iter().map(|(parameter, value)| (parameter.clone(), *value)));
        let others = self.stop.iter().filter(|stop| !base.stop.contains(stop));
        base.stop.extend(others.cloned().collect::<Vec<_>>());
        base
    }

    /// A parameter's value as JSON has it: a whole number where the parameter is one.
    #[must_use]
    pub fn json(&self, parameter: &str) -> Option<Value> {
        let value = *self.numbers.get(parameter)?;
        let whole = bound(parameter).is_some_and(|bound| bound.whole());
        #[expect(clippy::cast_possible_truncation, reason = "bounded, and whole")]
        Some(if whole { json!(value as i64) } else { json!(value) })
    }

    /// Tokens of one reply, at most `cap`.
    #[must_use]
    pub fn reply_tokens(&self, cap: u32) -> u32 {
        let own = self.numbers.get("max_tokens").copied().unwrap_or(f64::from(cap));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
        let own = own.clamp(1.0, f64::from(u32::MAX)) as u32;
        own.min(cap)
    }
}

/// What a parameter may be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    pub parameter: String,
    pub min: f64,
    pub max: f64,
    pub step: f64,
}

impl Bound {
    fn whole(&self) -> bool {
        self.step >= 1.0
    }
}

/// A preset of the house.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    pub id: String,
    pub label: String,
    pub description: String,
    pub values: Values,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    usual: Usual,
    presets: Vec<Preset>,
    bounds: Vec<Bound>,
}

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/sampling.toml")).expect("a test reads data/sampling.toml")
});

/// Presets of the house.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &BOOK.presets
}

/// The preset of that id.
#[must_use]
pub fn preset(id: &str) -> Option<&'static Preset> {
    BOOK.presets.iter().find(|preset| preset.id == id)
}

/// What each parameter may be; a reply's length up to `reply_tokens`.
pub fn bounds(reply_tokens: u32) -> impl Iterator<Item = Bound> {
    BOOK.bounds.iter().cloned().map(move |mut bound| {
        if bound.parameter == "max_tokens" {
            bound.max = bound.max.min(f64::from(reply_tokens)).max(bound.min);
        }
        bound
    })
}

fn bound(parameter: &str) -> Option<&'static Bound> {
    BOOK.bounds.iter().find(|bound| bound.parameter == parameter)
}

/// What a user sent, if it is within the bounds.
///
/// # Errors
/// `invalid`, naming each parameter that is not.
pub fn read(values: Option<pb::SamplingValues>, reply_tokens: u32) -> Result<Values, kit::error::Failure> {
    let values = Values::from(values.unwrap_or_default());
    let mut wrong = Violations::new();
    for bound in bounds(reply_tokens) {
        let Some(value) = values.numbers.get(&bound.parameter) else { continue };
        let fits = (bound.min..=bound.max).contains(value) && (!bound.whole() || value.fract() == 0.0);
        let kind = if bound.whole() { "A whole number" } else { "A number" };
        let told = format!("{kind} from {} to {}.", bound.min, bound.max);
        wrong.check(fits, format!("values.{}", bound.parameter), told);
    }
    // As it is: line breaks and blanks are what many replies should end at.
    let stop_fits = |stop: &String| {
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        !stop.is_empty() && stop.chars().count() <= STOP_LENGTH_MAX && !stop.contains(control)
    };
    wrong.check(
        values.stop.len() <= STOP_MAX && values.stop.iter().all(stop_fits),
        "values.stop",
        format!("At most {STOP_MAX} stop strings of up to {STOP_LENGTH_MAX} characters each."),
    );
    wrong.done()?;
    Ok(values)
}

/// What is set for a chat, as its rows say.
#[derive(Debug, Clone, Default)]
pub struct Set {
    /// `None` where nothing is set, or what was set is gone.
    pub preset: Option<String>,
    /// Values of that preset, where it is the user's own.
    pub own: Option<Values>,
    pub values: Values,
}

impl Set {
    /// Which preset holds, what is set beyond it, and both together. A plan that may set nothing has the
    /// usual preset, whatever was set before.
    #[must_use]
    pub fn hold(&self, paid: bool, usual: &str) -> (String, Values, Values) {
        let named = self.preset.as_deref().filter(|_| paid);
        let base = named.and_then(|id| match &self.own {
            Some(own) => Some((id.to_owned(), own.clone())),
            None => preset(id).map(|known| (id.to_owned(), known.values.clone())),
        });
        let (id, base) = base.unwrap_or_else(|| {
            (usual.to_owned(), preset(usual).map(|known| known.values.clone()).unwrap_or_default())
        });
        let values = if paid { self.values.clone() } else { Values::default() };
        let effective = values.over(base);
        (id, values, effective)
    }
}

/// Both ways between the messages' fields and names.
macro_rules! named {
    ($($field:ident)*) => {
        impl From<pb::SamplingValues> for Values {
            fn from(values: pb::SamplingValues) -> Self {
                let mut numbers = BTreeMap::new();
                $(if let Some(value) = values.$field {
                    numbers.insert(stringify!($field).to_owned(), value);
                })*
                Self { numbers, stop: values.stop }
            }
        }

        impl From<Values> for pb::SamplingValues {
            fn from(values: Values) -> Self {
                Self {
                    $($field: values.numbers.get(stringify!($field)).copied(),)*
                    stop: values.stop,
                }
            }
        }

        #[cfg(test)]
        const FIELDS: &[&str] = &[$(stringify!($field)),*];
    };
}

named! {
    temperature top_p top_k min_p presence_penalty frequency_penalty repetition_penalty dry_multiplier dry_base
    dry_allowed_length xtc_probability xtc_threshold seed max_tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_name_what_there_is_and_keep_to_the_bounds() {
        let known: Vec<&str> = BOOK.bounds.iter().map(|bound| bound.parameter.as_str()).collect();
        assert_eq!(known, FIELDS);
        for preset in presets() {
            let values = pb::SamplingValues::from(preset.values.clone());
            let read = read(Some(values), 4_000).unwrap_or_else(|e| panic!("{}: {e:?}", preset.id));
            assert_eq!(read, preset.values, "{}", preset.id);
        }
    }

    #[test]
    fn what_is_set_goes_over_the_preset_and_only_with_a_plan() {
        let values =
            Values { numbers: BTreeMap::from([("temperature".into(), 0.2)]), stop: vec!["\n\n".into()] };
        let set = Set { preset: Some("precise".into()), own: None, values };
        let (id, _, effective) = set.hold(true, "balanced");
        assert_eq!((id.as_str(), effective.numbers["temperature"]), ("precise", 0.2));
        assert_eq!((effective.numbers["min_p"], effective.stop.len()), (0.1, 1));
        let (id, values, effective) = set.hold(false, "balanced");
        assert_eq!(
            (id.as_str(), values, effective.numbers["temperature"]),
            ("balanced", Values::default(), 0.9)
        );
        assert_eq!(effective.reply_tokens(200), 200);
        assert_eq!(effective.json("dry_allowed_length"), Some(json!(2)));
        let gone = Set { preset: Some("was deleted".into()), ..Set::default() };
        assert_eq!(gone.hold(true, "balanced").0, "balanced");
    }

    #[test]
    fn a_reply_may_end_at_a_line_break() {
        let stops = |stop: &str| {
            let values = pb::SamplingValues { stop: vec![stop.to_owned()], ..Default::default() };
            read(Some(values), 200).map(|read| read.stop)
        };
        let longest = "\n".repeat(STOP_LENGTH_MAX);
        for stop in ["\n", "\n\n", " ", "\r\n", &longest] {
            assert_eq!(stops(stop).expect("kept as it is"), [stop]);
        }
        let too_long = "\n".repeat(STOP_LENGTH_MAX + 1);
        for stop in ["", "\u{0}", &too_long] {
            stops(stop).expect_err("refused");
        }
    }

    #[test]
    fn each_value_that_does_not_fit_is_named() {
        let values = pb::SamplingValues {
            temperature: Some(3.0),
            top_k: Some(1.5),
            min_p: Some(f64::NAN),
            max_tokens: Some(300.0),
            stop: vec![String::new()],
            ..Default::default()
        };
        let failure = read(Some(values), 200).expect_err("refused");
        let fields: Vec<&str> = failure.fields.iter().map(|(field, _)| field.as_str()).collect();
        let expected =
            ["values.temperature", "values.top_k", "values.min_p", "values.max_tokens", "values.stop"];
        assert_eq!(fields, expected);
    }
}
