use proptest::prelude::*;

use super::{Playbill, data::data, figure::figure, recipe};
use crate::engines::{DrawRequest, Format, Options, Poses};

/// Parts that read as adult, apart from what the data exclude.
const NOSES: [&str; 3] = ["variant01", "variant04", "variant05"];
const BEARDS: [&str; 3] = ["stubble", "short", "tache"];

fn choice(values: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![prop::sample::select(values).prop_map(str::to_owned), Just(String::new())]
}

prop_compose! {
    fn any_options()(
        gender in choice(&["female", "male", "futa", "femboy", "?"]),
        ethnicity in choice(&["European", "Indian", "Ebony", "Asian", "Latina", "Arabian"]),
        age in choice(&["18", "20s", "30s", "40s", "50s", "9", "none"]),
        hair_color in choice(&["Multicolored", "Black", "White", "Brunette", "Purple", "Pink"]),
        face in choice(&["Default", "Orgasm Face", "Smug", "Blush", "Calm", "Smile", "Surprised", "Shocked", "Looking at Viewer", "Joyful"]),
        body_type in choice(&["skinny", "fit", "chubby", "fat", "muscular"]),
        style in choice(&["anime", "realistic"]),
        prompt in "(witch|king|pirate|orc|robot|samurai|poet|red|beard|crown|mask|glasses|[a-z ]{0,12}| ){0,6}",
    ) -> Options {
        Options { gender, ethnicity, age, hair_color, face, body_type, style, prompt, ..Options::default() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_chosen_an_adult_is_drawn_of_allowed_parts(options in any_options(), seed: u64) {
        let recipe = recipe(&options, &["elf".into(), "royalty".into()], seed);
        let never = &data().faces.never;
        prop_assert!(!never.hair.contains(&recipe.hair));
        prop_assert!(!never.eyes.contains(&recipe.eyes));
        prop_assert!(!never.brows.contains(&recipe.brows));
        prop_assert!(!never.mouth.contains(&recipe.mouth));
        prop_assert!(NOSES.contains(&recipe.nose.as_str()));
        let bearded = recipe.extras.iter().any(|e| BEARDS.contains(&e.as_str()));
        prop_assert!(!bearded || !["female", "futa", "femboy"].contains(&options.gender.as_str()));
        prop_assert_eq!(recipe.extras.iter().any(|e| e == "age"), ["40s", "50s"].contains(&options.age.as_str()));

        let svg = figure(data(), &recipe);
        prop_assert!(!svg.contains(['{', '}']), "a name that nothing fills");
        let whole = ["<svg>", &svg, "</svg>"].concat();
        prop_assert!(resvg::usvg::roxmltree::Document::parse(&whole).is_ok());
    }
}

fn ask(options: Options, seed: u64) -> DrawRequest {
    DrawRequest { options, tags: Vec::new(), seed, format: Format::Portrait, cast: None }
}

#[test]
fn every_part_that_the_data_name_is_there() {
    let data = data();
    let known =
        |component: &str, variant: &str| data.lorelei.components[component].variants.contains_key(variant);
    for (name, gender) in &data.faces.genders {
        assert!(gender.hair.iter().all(|v| known("hair", v)), "{name}");
        assert!(gender.heads.iter().all(|v| known("head", v)), "{name}");
        assert!(gender.costumes.iter().all(|c| data.costumes.costumes.contains_key(c)), "{name}");
    }
    for face in data.faces.expressions.values().chain(&data.faces.resting) {
        assert!(
            known("eyes", &face.eyes) && known("eyebrows", &face.brows) && known("mouth", &face.mouth),
            "{face:?}"
        );
        assert!(!data.faces.never.has(face), "{face:?}");
    }
    for role in &data.roles {
        assert!(role.costumes.iter().all(|c| data.palettes.cloth.contains_key(c)), "{role:?}");
        assert!(role.stages.iter().all(|s| super::data::stage(s).is_some()), "{role:?}");
        assert!(role.gels.iter().all(|g| data.palettes.gels.contains_key(g)), "{role:?}");
        assert!(role.extras.iter().chain(&role.beard).all(|e| data.extras.contains_key(e)), "{role:?}");
        assert!(role.skins.iter().all(|s| data.palettes.unearthly_skins.contains_key(s)), "{role:?}");
    }
    assert!(data.costumes.costumes.keys().all(|c| data.palettes.cloth.contains_key(c)));
}

#[test]
fn the_eighteen_of_the_cast_are_drawn_each_through_its_gel() {
    let keys: Vec<&str> = Playbill::cast().collect();
    assert_eq!(keys.len(), 18);
    for key in keys {
        let request = DrawRequest { cast: Some(key.into()), ..ask(Options::default(), 0) };
        let drawing = Playbill::draw_now(&request).expect(key);
        assert_eq!((drawing.width, drawing.height), (832, 1216));
        assert!(drawing.rgba.chunks_exact(4).all(|p| p[3] == 255), "{key} has holes");
        let gel = drawing.gel.expect("lit");
        assert!(data().palettes.gels.contains_key(&gel), "{gel}");
    }
}

#[test]
fn a_request_always_gives_the_same_picture_and_a_seed_another() {
    let draw = |seed| Playbill::draw_now(&ask(Options::default(), seed)).expect("drawn").rgba;
    let first = draw(3);
    assert!(first == draw(3));
    assert!(first != draw(4));
}

#[test]
fn a_square_is_square() {
    let request = DrawRequest { format: Format::Square, ..ask(Options::default(), 1) };
    let drawing = Playbill::draw_now(&request).expect("drawn");
    assert_eq!((drawing.width, drawing.height), (1024, 1024));
}

#[test]
fn words_of_the_prompt_choose_costume_stage_and_what_is_worn() {
    let options = Options {
        gender: "female".into(),
        prompt: "A witch, deep in the forest".into(),
        ..Options::default()
    };
    for seed in 0..20 {
        let recipe = recipe(&options, &["knight".into()], seed);
        assert_eq!(recipe.costume.kind, "cloak");
        assert!(["garden", "night", "wood"].contains(&recipe.stage.as_str()));
        assert!(recipe.extras.contains(&"witch".to_owned()));
    }
}

#[test]
fn a_pose_has_its_stage_unless_words_ask_for_another_and_turns_who_looks_back() {
    for pose in Poses::default().all() {
        assert!(pose.stages.iter().all(|s| super::data::stage(s).is_some()), "{}", pose.name);
    }
    let pose = |name: &str| Options { pose: name.into(), ..Options::default() };
    for seed in 0..20 {
        assert!(
            ["library", "blinds"].contains(&recipe(&pose("Reading in a chair"), &[], seed).stage.as_str())
        );
        let asked = Options { prompt: "a witch".into(), ..pose("Reading in a chair") };
        assert!(["garden", "night", "wood"].contains(&recipe(&asked, &[], seed).stage.as_str()));
        let (plain, back) = (recipe(&pose(""), &[], seed), recipe(&pose("Over the shoulder"), &[], seed));
        assert_eq!(plain.flip + back.flip, 1);
        assert_eq!((&plain.hair, &plain.stage), (&back.hair, &back.stage));
    }
}

#[test]
fn options_show_hair_skin_and_age() {
    let options = Options {
        gender: "male".into(),
        ethnicity: "Ebony".into(),
        age: "50s".into(),
        hair_color: "White".into(),
        style: "anime".into(),
        ..Options::default()
    };
    let recipe = recipe(&options, &[], 5);
    assert!(data().palettes.skins["Ebony"].contains(&recipe.skin));
    assert!(recipe.extras.contains(&"age".to_owned()));
    assert!(recipe.shade < super::Recipe::shade());
}

#[test]
fn an_unknown_recipe_is_refused() {
    let request = DrawRequest { cast: Some("nobody".into()), ..ask(Options::default(), 0) };
    assert!(Playbill::draw_now(&request).is_err());
}
