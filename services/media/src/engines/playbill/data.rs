//! The data files, read once. They are compiled in, and a test reads them all: a mistake in one cannot
//! reach a user.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

macro_rules! stages {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../../../data/playbill/stages/", $name, ".svg")))),*] };
}

/// Name and SVG fragment (600 × 800) of each backdrop.
pub const STAGES: [(&str, &str); 18] = stages!(
    "arches" "blinds" "bulbs" "city" "clouds" "curtain" "embers" "garden" "library" "night" "peaks" "rays"
    "rings" "sea" "smoke" "space" "spot" "wood"
);

/// Colours of the light: shadow, middle, light, highlight.
#[derive(Debug, Clone, Deserialize)]
pub struct Gel {
    pub deep: String,
    pub mid: String,
    pub glow: String,
    pub spark: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Palettes {
    pub ink: String,
    pub gels: BTreeMap<String, Gel>,
    pub skins: BTreeMap<String, Vec<String>>,
    /// Skins of those who are not human, by the word a role uses.
    pub unearthly_skins: BTreeMap<String, Vec<String>>,
    /// One colour, or two for a gradient.
    pub hair_colors: BTreeMap<String, Vec<Vec<String>>>,
    pub grey_hair: Vec<String>,
    pub grey_towards: String,
    pub lips: Vec<String>,
    /// Triples a, b, c by costume.
    pub cloth: BTreeMap<String, Vec<[String; 3]>>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Expression {
    pub eyes: String,
    pub brows: String,
    pub mouth: String,
    #[serde(default)]
    pub extras: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Gender {
    pub hair: Vec<String>,
    pub heads: Vec<String>,
    /// Width of the shoulders, 1 = as drawn.
    pub body: f64,
    pub costumes: Vec<String>,
    /// Lips and earrings.
    pub painted: bool,
    pub beards: bool,
}

/// Variants that never are drawn: they could read as under age, or hide the face.
#[derive(Debug, Deserialize)]
pub struct Never {
    pub hair: Vec<String>,
    pub eyes: Vec<String>,
    pub brows: Vec<String>,
    pub mouth: Vec<String>,
}

impl Never {
    pub fn has(&self, face: &Expression) -> bool {
        self.eyes.contains(&face.eyes) || self.brows.contains(&face.brows) || self.mouth.contains(&face.mouth)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Faces {
    pub bodies: BTreeMap<String, f64>,
    pub genders: BTreeMap<String, Gender>,
    pub beards: Vec<String>,
    pub noses: Vec<String>,
    pub noses_from_forty: Vec<String>,
    pub glasses: Vec<String>,
    pub dark_glasses: String,
    pub earrings: Vec<String>,
    pub expressions: BTreeMap<String, Expression>,
    /// Faces for who asks for none in particular.
    pub resting: Vec<Expression>,
    pub never: Never,
}

/// What a word asks for; each list is a choice, decided by the seed.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Role {
    pub words: Vec<String>,
    pub costumes: Vec<String>,
    pub stages: Vec<String>,
    pub gels: Vec<String>,
    pub skins: Vec<String>,
    pub extras: Vec<String>,
    pub beard: Option<String>,
    pub glasses: bool,
    pub dark_glasses: bool,
    pub freckles: bool,
    pub earrings: bool,
    pub flowers: bool,
}

impl Role {
    /// Whether it sets a scene, rather than naming one thing.
    pub fn is_tale(&self) -> bool {
        !self.stages.is_empty()
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Costume {
    pub back: String,
    pub front: String,
    #[serde(rename = "bareShoulders")]
    pub bare_shoulders: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Costumes {
    pub skin_body: String,
    pub jaw_shadow: String,
    pub costumes: BTreeMap<String, Costume>,
}

/// Fragments of a hat, a mark …: behind the figure, on the skin, in front.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Extra {
    pub behind: String,
    pub after_skin: String,
    pub front: String,
}

/// A node of Lorelei: a part to be looked up, or an SVG element.
#[derive(Debug, Deserialize)]
pub struct Node {
    #[serde(rename = "type")]
    pub kind: NodeKind,
    pub name: String,
    #[serde(default)]
    pub attributes: BTreeMap<String, Attribute>,
    #[serde(default)]
    pub children: Vec<Node>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    Component,
    Element,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Attribute {
    Text(String),
    /// Names a paint.
    Colour {
        name: String,
    },
}

impl Node {
    pub fn text(&self, attribute: &str) -> Option<&str> {
        match self.attributes.get(attribute) {
            Some(Attribute::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn painted(&self, paint: &str) -> bool {
        matches!(self.attributes.get("fill"), Some(Attribute::Colour { name }) if name == paint)
    }
}

#[derive(Debug, Deserialize)]
pub struct Variant {
    pub elements: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub struct Component {
    pub variants: BTreeMap<String, Variant>,
}

#[derive(Debug, Deserialize)]
pub struct Lorelei {
    pub components: BTreeMap<String, Component>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Cloth {
    #[serde(rename = "type")]
    pub kind: String,
    pub a: String,
    #[serde(default)]
    pub a2: Option<String>,
    pub b: String,
    pub c: String,
}

/// One colour or two, as a recipe writes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Dye {
    Plain(String),
    Two([String; 2]),
}

/// Everything that decides a portrait.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recipe {
    #[serde(default)]
    pub id: String,
    pub gel: String,
    pub stage: String,
    #[serde(default = "Recipe::body")]
    pub body: f64,
    #[serde(default = "Recipe::scale")]
    pub scale: f64,
    #[serde(default)]
    pub dx: f64,
    #[serde(default)]
    pub dy: f64,
    /// Not 0: looks the other way.
    #[serde(default)]
    pub flip: u8,
    pub hair: String,
    pub hair_color: Dye,
    pub skin: String,
    pub eyes: String,
    pub brows: String,
    pub mouth: String,
    pub nose: String,
    pub head: String,
    #[serde(default)]
    pub lips: Option<String>,
    #[serde(default)]
    pub brow_color: Option<String>,
    #[serde(default)]
    pub glasses: Option<String>,
    #[serde(default)]
    pub earrings: Option<String>,
    #[serde(default)]
    pub freckles: u8,
    #[serde(default)]
    pub flowers: u8,
    #[serde(default)]
    pub extras: Vec<String>,
    pub costume: Cloth,
    /// Strength of the shade, 0 to 1.
    #[serde(default = "Recipe::shade")]
    pub shade: f64,
}

impl Recipe {
    fn body() -> f64 {
        0.95
    }
    fn scale() -> f64 {
        0.56
    }
    pub fn shade() -> f64 {
        0.62
    }
}

pub struct Data {
    pub palettes: Palettes,
    pub faces: Faces,
    pub roles: Vec<Role>,
    pub costumes: Costumes,
    pub extras: BTreeMap<String, Extra>,
    pub lorelei: Lorelei,
    pub cast: Vec<Recipe>,
}

macro_rules! read {
    ($file:literal) => {
        serde_json::from_str(include_str!(concat!("../../../data/playbill/", $file)))
            .unwrap_or_else(|error| panic!("{}: {error}", $file))
    };
}

static DATA: LazyLock<Data> = LazyLock::new(|| Data {
    palettes: read!("palettes.json"),
    faces: read!("faces.json"),
    roles: read!("roles.json"),
    costumes: read!("costumes.json"),
    extras: read!("extras.json"),
    lorelei: read!("lorelei.min.json"),
    cast: read!("cast.json"),
});

pub fn data() -> &'static Data {
    &DATA
}

pub fn cast(key: &str) -> Option<&'static Recipe> {
    DATA.cast.iter().find(|recipe| recipe.id == key)
}

pub fn stage(name: &str) -> Option<&'static str> {
    STAGES.iter().find(|(n, _)| *n == name).map(|(_, svg)| *svg)
}
