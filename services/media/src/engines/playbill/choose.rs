//! From the choices of a job to a recipe. What the options leave open is decided by words of the prompt,
//! then tags, then the seed; one slot's decision never moves another's.

use sha2::{Digest as _, Sha256};

use super::data::{self, Cloth, Data, Dye, Expression, Gender, Recipe, Role, STAGES};
use super::figure::mix;
use crate::engines::{Options, Poses};

/// Worn on the head: one at a time, and not over piled-up hair.
const HEADWEAR: [&str; 8] = ["witch", "fedora", "tophat", "crown", "band", "laurel", "halo", "horns"];
/// Over the eyes: one at a time, and no glasses.
const EYEWEAR: [&str; 2] = ["mask", "patch"];
/// Hair that sticks out through a hat.
const TALL_HAIR: [&str; 11] = [
    "variant04",
    "variant05",
    "variant20",
    "variant24",
    "variant27",
    "variant31",
    "variant38",
    "variant41",
    "variant42",
    "variant45",
    "variant46",
];

/// Years from which lines are drawn, and from which hair greys.
const LINED: u32 = 40;
const GREY: u32 = 50;

/// Of a hundred.
const BEARD: u64 = 45;
const GLASSES: u64 = 12;
const EARRINGS: u64 = 45;
const FRECKLES: u64 = 15;
const FLIP: u64 = 40;

/// A stable choice per slot.
struct Dice(u64);

impl Dice {
    fn roll(&self, slot: &str) -> u64 {
        let digest = Sha256::new().chain_update(self.0.to_le_bytes()).chain_update(slot).finalize();
        digest.iter().take(8).fold(0, |n, byte| n << 8 | u64::from(*byte))
    }

    fn chance(&self, slot: &str, percent: u64) -> bool {
        self.roll(slot) % 100 < percent
    }

    /// One of the list; `None` when it is empty.
    fn pick<'a, T>(&self, slot: &str, list: &'a [T]) -> Option<&'a T> {
        let index = self.roll(slot).checked_rem(list.len() as u64)?;
        list.get(usize::try_from(index).ok()?)
    }

    fn text(&self, slot: &str, list: &[String]) -> String {
        self.pick(slot, list).cloned().unwrap_or_default()
    }
}

/// The recipe for these choices: always an adult, never a part that the data exclude.
#[must_use]
pub fn recipe(options: &Options, tags: &[String], seed: u64) -> Recipe {
    let data = data::data();
    let dice = Dice(seed);
    let roles = roles(data, &options.prompt, tags);
    let gender = named(&data.faces.genders, &options.gender)
        .or_else(|| named(&data.faces.genders, if dice.chance("gender", 50) { "female" } else { "male" }));
    let Some(gender) = gender else { unreachable!("faces.json has female and male") };
    let years = years(&options.age);

    let mut extras = worn(&roles);
    if years >= LINED {
        extras.push("age".into());
    }
    let face = expression(data, &options.face, &dice);
    extras.extend(face.extras.iter().cloned());
    if let Some(beard) = beard(gender, &roles, data, &dice) {
        extras.insert(0, beard);
    }
    let has = |names: &[&str]| extras.iter().any(|e| names.contains(&e.as_str()));
    let covered = has(&HEADWEAR[..6]);
    let (scale, dy) = place(&dice, &extras);
    let pose = Poses::everyday(&options.pose);
    let posed = pose.map(|p| &p.stages).filter(|stages| !stages.is_empty());
    let stages: Vec<String> = STAGES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let gels: Vec<String> = data.palettes.gels.keys().cloned().collect();
    let never = &data.faces.never;
    let fits = |h: &&String| !(never.hair.contains(h) || covered && TALL_HAIR.contains(&h.as_str()));
    let hair: Vec<String> = gender.hair.iter().filter(fits).cloned().collect();

    Recipe {
        id: String::new(),
        gel: dice.text("gel", first(&roles, |r| &r.gels).unwrap_or(&gels)),
        stage: dice.text("stage", first(&roles, |r| &r.stages).or(posed).unwrap_or(&stages)),
        body: named(&data.faces.bodies, &options.body_type).map_or(gender.body, |b| b * gender.body / 0.93),
        scale,
        dx: 0.0,
        dy,
        flip: u8::from(dice.chance("flip", FLIP) != pose.is_some_and(|p| p.turned)),
        hair: dice.text("hair", &hair),
        hair_color: hair_colour(data, &options.hair_color, years, &dice),
        skin: skin(data, &options.ethnicity, &roles, &dice),
        nose: dice
            .text("nose", if years >= LINED { &data.faces.noses_from_forty } else { &data.faces.noses }),
        head: dice.text("head", &gender.heads),
        lips: gender.painted.then(|| dice.text("lips", &data.palettes.lips)),
        brow_color: None,
        glasses: (!has(&EYEWEAR)).then(|| glasses(data, &roles, &dice)).flatten(),
        earrings: (roles.iter().any(|r| r.earrings) || gender.painted && dice.chance("earrings", EARRINGS))
            .then(|| dice.text("earring", &data.faces.earrings)),
        freckles: u8::from(
            roles.iter().any(|r| r.freckles)
                || options.ethnicity.eq_ignore_ascii_case("european") && dice.chance("freckles", FRECKLES),
        ),
        flowers: u8::from(gender.painted && !covered && roles.iter().any(|r| r.flowers)),
        costume: costume(data, gender, &roles, &dice),
        shade: match options.style.to_ascii_lowercase().as_str() {
            "anime" => 0.45,
            "realistic" => 0.75,
            _ => Recipe::shade(),
        },
        eyes: face.eyes,
        brows: face.brows,
        mouth: face.mouth,
        extras,
    }
}

/// Roles that the prompt asks for in the order of its words, then those of the tags; clothes and colours
/// asked for by name before the tales around them.
fn roles<'a>(data: &'a Data, prompt: &str, tags: &[String]) -> Vec<&'a Role> {
    let words = format!("{prompt} {}", tags.join(" ")).to_lowercase();
    let mut found: Vec<&Role> = Vec::new();
    for word in words.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|w| !w.is_empty()) {
        let means = |role: &&Role| role.words.iter().any(|r| r == word || word.strip_suffix('s') == Some(r));
        for role in data.roles.iter().filter(means) {
            if !found.iter().any(|f| std::ptr::eq(*f, role)) {
                found.push(role);
            }
        }
    }
    found.sort_by_key(|role| role.is_tale());
    found
}

/// The first role that has something to say about it.
fn first<'a>(roles: &[&'a Role], of: fn(&Role) -> &Vec<String>) -> Option<&'a Vec<String>> {
    roles.iter().map(|role| of(role)).find(|list| !list.is_empty())
}

/// Looks a choice up without regard to case.
fn named<'a, T>(map: &'a std::collections::BTreeMap<String, T>, key: &str) -> Option<&'a T> {
    map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value)
}

/// Hats and marks: all that are asked for by name, and those of the first tale; one per place.
fn worn(roles: &[&Role]) -> Vec<String> {
    let mut worn: Vec<String> = Vec::new();
    let mut told = false;
    for role in roles.iter().filter(|r| !r.extras.is_empty()) {
        if role.is_tale() && std::mem::replace(&mut told, true) {
            continue;
        }
        for extra in &role.extras {
            let taken = |place: &[&str]| {
                place.contains(&extra.as_str()) && worn.iter().any(|w| place.contains(&w.as_str()))
            };
            if !worn.contains(extra) && !taken(&HEADWEAR) && !taken(&EYEWEAR) {
                worn.push(extra.clone());
            }
        }
    }
    worn
}

fn beard(gender: &Gender, roles: &[&Role], data: &Data, dice: &Dice) -> Option<String> {
    let asked = roles.iter().find_map(|r| r.beard.clone());
    let grown = || dice.chance("bearded", BEARD).then(|| dice.text("beard", &data.faces.beards));
    if gender.beards { asked.or_else(grown) } else { None }
}

fn glasses(data: &Data, roles: &[&Role], dice: &Dice) -> Option<String> {
    if roles.iter().any(|r| r.dark_glasses) {
        return Some(data.faces.dark_glasses.clone());
    }
    (roles.iter().any(|r| r.glasses) || dice.chance("glasses", GLASSES))
        .then(|| dice.text("glass", &data.faces.glasses))
}

/// Size of the figure and how far it is moved down, so that a hat stays in the picture.
fn place(dice: &Dice, extras: &[String]) -> (f64, f64) {
    let wears = |name: &str| extras.iter().any(|e| e == name);
    if wears("tophat") {
        (0.52, 10.0)
    } else if wears("witch") {
        (0.54, 0.0)
    } else if wears("fedora") || wears("crown") || wears("halo") {
        (0.56, 0.0)
    } else {
        *dice
            .pick("scale", &[(0.57, -2.0), (0.58, -5.0), (0.59, -8.0), (0.60, -12.0), (0.61, -14.0)])
            .unwrap_or(&(0.58, -5.0))
    }
}

/// Years of an age option: "18", "30s", "27". Whatever it says, nobody under 18 is drawn.
fn years(age: &str) -> u32 {
    let digits: String = age.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(25).max(18)
}

fn hair_colour(data: &Data, option: &str, years: u32, dice: &Dice) -> Dye {
    let colours = named(&data.palettes.hair_colors, option).or_else(|| named(&data.palettes.hair_colors, ""));
    let picked = colours.and_then(|c| dice.pick("hair colour", c)).map(Vec::as_slice);
    match picked {
        Some([from, to]) => Dye::Two([from.clone(), to.clone()]),
        Some([plain, ..]) if years >= GREY && dice.chance("grey", 50) => {
            Dye::Plain(mix(plain, &data.palettes.grey_towards, 0.5))
        }
        _ if years >= GREY => Dye::Plain(dice.text("grey hair", &data.palettes.grey_hair)),
        Some([plain, ..]) => Dye::Plain(plain.clone()),
        _ => Dye::Plain(data.palettes.ink.clone()),
    }
}

/// By ethnicity; where none is chosen, a role may ask for a skin that is not human.
fn skin(data: &Data, ethnicity: &str, roles: &[&Role], dice: &Dice) -> String {
    if let Some(skins) = named(&data.palettes.skins, ethnicity) {
        return dice.text("skin", skins);
    }
    let unearthly = first(roles, |r| &r.skins).and_then(|kinds| dice.pick("kind of skin", kinds));
    if let Some(skins) = unearthly.and_then(|kind| data.palettes.unearthly_skins.get(kind)) {
        return dice.text("skin", skins);
    }
    let all: Vec<String> = data.palettes.skins.values().flatten().cloned().collect();
    dice.text("skin", &all)
}

fn expression(data: &Data, option: &str, dice: &Dice) -> Expression {
    let resting = || dice.pick("resting", &data.faces.resting).cloned();
    let allowed = |e: &Expression| !data.faces.never.has(e);
    let asked =
        (!option.eq_ignore_ascii_case("default")).then(|| named(&data.faces.expressions, option).cloned());
    asked
        .flatten()
        .or_else(resting)
        .filter(allowed)
        .unwrap_or_else(|| unreachable!("faces.json has faces for adults only"))
}

fn costume(data: &Data, gender: &Gender, roles: &[&Role], dice: &Dice) -> Cloth {
    let fits = |list: &Vec<String>| -> Vec<String> {
        list.iter().filter(|c| gender.costumes.contains(c)).cloned().collect()
    };
    let asked = roles.iter().map(|r| fits(&r.costumes)).find(|list| !list.is_empty());
    let kind = dice.text("costume", asked.as_ref().unwrap_or(&gender.costumes));
    let cloth = data.palettes.cloth.get(&kind).and_then(|list| dice.pick("cloth", list));
    let [a, b, c] = cloth.cloned().unwrap_or_else(|| unreachable!("every costume has its cloth"));
    Cloth { kind, a, a2: None, b, c }
}
