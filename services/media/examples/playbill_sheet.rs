//! Draws portraits to look at: `cargo run -p media --example playbill_sheet -- <folder> [cast | random]`
//! writes the eighteen of the cast, or a dozen of random choices, as PNG.

use std::{env, path::PathBuf};

use media::engines::{DrawRequest, Format, Options, Playbill};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("which folder?")?);
    let random = args.next().is_some_and(|what| what == "random");
    let draw = |name: &str, cast: Option<&str>, options: Options, seed: u64, format: Format| {
        let request = DrawRequest { options, tags: Vec::new(), seed, format, cast: cast.map(str::to_owned) };
        let drawing = Playbill::draw_now(&request)?;
        image::save_buffer(
            folder.join(format!("{name}.png")),
            &drawing.rgba,
            drawing.width,
            drawing.height,
            image::ExtendedColorType::Rgba8,
        )?;
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    if !random {
        for key in Playbill::cast() {
            draw(key, Some(key), Options::default(), 0, Format::Portrait)?;
        }
        return Ok(());
    }
    let choices = [
        ("female", "Latina", "20s", "Purple", "Smile", "anime", "a pirate queen on a stormy sea"),
        ("male", "Ebony", "40s", "Black", "Smug", "realistic", "noir detective, rain on the window"),
        ("female", "Asian", "30s", "Black", "Calm", "", "astronaut looking at the stars"),
        ("male", "European", "50s", "Brunette", "Default", "", "old wizard in his library"),
        ("femboy", "European", "18", "Pink", "Blush", "anime", "vtuber idol"),
        ("futa", "Indian", "20s", "Multicolored", "Joyful", "", "garden with flowers"),
        ("male", "Arabian", "30s", "Black", "Looking at Viewer", "", "desert prince"),
        ("female", "", "20s", "White", "Smug", "", "succubus"),
        ("male", "", "", "", "Default", "", "orc blacksmith"),
        ("female", "Ebony", "40s", "Multicolored", "Surprised", "realistic", ""),
        ("male", "Asian", "18", "Multicolored", "Shocked", "", ""),
        ("female", "European", "50s", "White", "Default", "", "witch in the forest"),
    ];
    for (i, (gender, ethnicity, age, hair, face, style, prompt)) in choices.into_iter().enumerate() {
        let options = Options {
            gender: gender.into(),
            ethnicity: ethnicity.into(),
            age: age.into(),
            hair_color: hair.into(),
            face: face.into(),
            style: style.into(),
            prompt: prompt.into(),
            ..Options::default()
        };
        let seed = 7 * i as u64 + 1;
        draw(&format!("r{i:02}"), None, options.clone(), seed, Format::Portrait)?;
        draw(&format!("s{i:02}"), None, options, seed, Format::Square)?;
    }
    Ok(())
}
