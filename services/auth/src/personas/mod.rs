//! Who people are in their chats.

mod grpc;
pub mod store;

use std::collections::HashSet;

use kit::{error::Violations, text};
use moderation::Place;
use proto::auth::v1::{Persona as PbPersona, PersonaGender};
use serde::Deserialize;

use crate::{error::Result, limits, profiles::grpc::judged};

/// A persona that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Persona {
    pub id: String,
    pub name: String,
    pub description: String,
    pub gender: String,
    pub is_default: bool,
}

/// Checks a whole list: ids are unique, names are there, at most one is the default.
///
/// # Errors
/// `invalid` with all that is wrong, or `moderated`.
pub fn check(list: Vec<PbPersona>) -> Result<Vec<Persona>> {
    let mut v = Violations::new();
    v.check(
        list.len() <= limits::PERSONAS,
        "personas",
        format!("You can have at most {} personas.", limits::PERSONAS),
    );
    v.check(
        list.iter().filter(|p| p.is_default).count() <= 1,
        "personas",
        "Only one persona can be the default.",
    );
    let mut ids = HashSet::new();
    let mut checked = Vec::with_capacity(list.len());
    for (n, p) in list.into_iter().enumerate() {
        let at = |field: &str| format!("personas[{n}].{field}");
        let gender = gender_text(p.gender());
        v.check(
            !p.id.is_empty() && p.id.len() <= limits::PERSONA_ID_MAX,
            at("id"),
            format!("Between 1 and {} characters.", limits::PERSONA_ID_MAX),
        );
        v.check(ids.insert(p.id.clone()), at("id"), "Two personas have the same id.");
        let mut clean = |field: &str, text: &str, max: usize| match text::clean(text, max) {
            Ok(text) => text,
            Err(e) => {
                v.add(at(field), e.to_string());
                String::new()
            }
        };
        let name = clean("name", &p.name, limits::PERSONA_NAME_MAX);
        let description = clean("description", &p.description, limits::PERSONA_DESCRIPTION_MAX);
        v.check(!name.is_empty(), at("name"), "Name is required.");
        checked.push(Persona {
            id: p.id,
            name,
            description,
            gender: gender.into(),
            is_default: p.is_default,
        });
    }
    v.done()?;
    for (n, p) in checked.iter().enumerate() {
        // Whoever appears in a chat is an adult, the person who plays in it included.
        for (field, text) in [("name", &p.name), ("description", &p.description)] {
            judged(text, Place::Persona, &format!("personas[{n}].{field}"))?;
        }
    }
    Ok(checked)
}

fn gender_text(gender: PersonaGender) -> &'static str {
    match gender {
        PersonaGender::Unspecified => "",
        PersonaGender::Male => "male",
        PersonaGender::Female => "female",
        PersonaGender::Trans => "trans",
        PersonaGender::Other => "other",
    }
}

impl From<Persona> for PbPersona {
    fn from(p: Persona) -> Self {
        let gender = match p.gender.as_str() {
            "male" => PersonaGender::Male,
            "female" => PersonaGender::Female,
            "trans" => PersonaGender::Trans,
            "other" => PersonaGender::Other,
            _ => PersonaGender::Unspecified,
        };
        Self {
            id: p.id,
            name: p.name,
            description: p.description,
            gender: gender.into(),
            is_default: p.is_default,
        }
    }
}
