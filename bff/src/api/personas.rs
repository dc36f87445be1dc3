//! Who the user is in a chat.

use axum::{Json, extract::State as Shared};
use proto::auth::v1::{self as pb, PersonaGender, ReplacePersonasRequest};
use serde::{Deserialize, Serialize};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ObjectBuilder, RefOr,
        schema::{Schema, Type},
    },
};

use super::Said;
use crate::{
    State,
    errors::{Answer, Problem},
    extract::JsonBody,
};

/// A persona.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Persona {
    /// Chosen by the client: a time stamp in text.
    #[schema(max_length = 64)]
    pub id: String,
    #[schema(max_length = 60)]
    pub name: String,
    #[serde(default)]
    #[schema(required, max_length = 2000)]
    pub description: String,
    /// Empty, `male`, `female`, `trans` or `other`.
    #[serde(default)]
    #[schema(value_type = Gender, required)]
    pub gender: String,
    #[serde(default, rename = "default")]
    #[schema(required)]
    pub is_default: bool,
}

/// The genders that the form offers; empty when none was chosen.
#[derive(Debug)]
pub struct Gender;

impl PartialSchema for Gender {
    fn schema() -> RefOr<Schema> {
        let choices = ["", "male", "female", "trans", "other"];
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(choices)).into()
    }
}

impl ToSchema for Gender {}

impl From<pb::Persona> for Persona {
    fn from(persona: pb::Persona) -> Self {
        let gender = match persona.gender() {
            PersonaGender::Unspecified => "",
            PersonaGender::Male => "male",
            PersonaGender::Female => "female",
            PersonaGender::Trans => "trans",
            PersonaGender::Other => "other",
        };
        Self {
            id: persona.id,
            name: persona.name,
            description: persona.description,
            gender: gender.into(),
            is_default: persona.is_default,
        }
    }
}

impl Persona {
    fn into_pb(self, index: usize) -> Answer<pb::Persona> {
        let gender = match self.gender.to_ascii_lowercase().as_str() {
            "" => PersonaGender::Unspecified,
            "male" => PersonaGender::Male,
            "female" => PersonaGender::Female,
            "trans" => PersonaGender::Trans,
            "other" => PersonaGender::Other,
            _ => return Err(Problem::field(&format!("personas[{index}].gender"), "Not one of the choices.")),
        };
        Ok(pb::Persona {
            id: self.id,
            name: self.name,
            description: self.description,
            gender: gender.into(),
            is_default: self.is_default,
        })
    }
}

#[derive(Deserialize, ToSchema)]
pub struct PersonasBody {
    /// The full list; what is not in it goes.
    #[schema(max_items = 50)]
    personas: Vec<Persona>,
}

#[derive(Serialize, ToSchema)]
pub struct PersonasKept {
    success: bool,
    #[serde(flatten)]
    said: Said,
    personas: Vec<Persona>,
}

/// Replaces one's personas.
#[utoipa::path(post, path = "/personas/update", tag = "people", request_body = PersonasBody, responses((status = 200, body = PersonasKept)))]
pub async fn update(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<PersonasBody>,
) -> Answer<Json<PersonasKept>> {
    let personas =
        body.personas.into_iter().enumerate().map(|(i, p)| p.into_pb(i)).collect::<Answer<Vec<_>>>()?;
    let kept =
        app.clients.personas().replace_personas(ReplacePersonasRequest { personas }).await?.into_inner();
    Ok(Json(PersonasKept {
        success: true,
        said: Said::new("Persona updated successfully!"),
        personas: kept.personas.into_iter().map(Into::into).collect(),
    }))
}
