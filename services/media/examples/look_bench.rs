//! How far apart pictures look, in bits of their perceptual hash: copies of one picture, and different portraits.
//! `cargo run --release -p media --example look_bench`

#![expect(clippy::print_stdout, reason = "prints what it measured")]

use std::{collections::BTreeMap, io::Cursor};

use image::{DynamicImage, ImageFormat, imageops::FilterType};
use media::{
    engines::{DrawRequest, Format, Options, Playbill},
    pictures::look,
};

/// Portraits of the stage that are compared with each other.
const PORTRAITS: u64 = 120;

fn main() -> anyhow::Result<()> {
    let mut portraits = Vec::new();
    for seed in 0..PORTRAITS {
        let gender = ["female", "male", "futa", "femboy"][usize::try_from(seed % 4)?];
        let options = Options { gender: gender.into(), ..Options::default() };
        let request = DrawRequest {
            options,
            tags: Vec::new(),
            seed: seed * 7_919,
            format: Format::Portrait,
            cast: None,
        };
        let drawing = Playbill::draw_now(&request)?;
        let rgba = image::RgbaImage::from_raw(drawing.width, drawing.height, drawing.rgba).expect("its size");
        portraits.push(DynamicImage::ImageRgba8(rgba));
    }
    let looks: Vec<look::Look> = portraits.iter().map(look::of).collect();
    let mut apart: Vec<u32> = Vec::new();
    for (n, one) in looks.iter().enumerate() {
        apart.extend(looks[..n].iter().map(|other| look::distance(one, other)));
    }
    apart.sort_unstable();
    println!(
        "different portraits: min {}, 1 % {}, median {}",
        apart[0],
        apart[apart.len() / 100],
        apart[apart.len() / 2]
    );
    let mut copies: BTreeMap<&str, u32> = BTreeMap::new();
    for (portrait, original) in portraits.iter().zip(&looks) {
        for (name, copy) in alike(portrait)? {
            let far = look::distance(original, &look::of(&copy));
            copies.entry(name).and_modify(|most| *most = far.max(*most)).or_insert(far);
        }
    }
    for (name, most) in copies {
        println!("{name}: at most {most}");
    }
    println!("alike is up to {} of {} bits", look::ALIKE, look::BITS);
    Ok(())
}

/// The same picture, as it comes back.
fn alike(picture: &DynamicImage) -> anyhow::Result<Vec<(&'static str, DynamicImage)>> {
    let mut jpeg = Vec::new();
    picture.to_rgb8().write_to(&mut Cursor::new(&mut jpeg), ImageFormat::Jpeg)?;
    let (width, height) = (picture.width(), picture.height());
    Ok(vec![
        ("as JPEG", image::load_from_memory(&jpeg)?),
        ("half the size", picture.resize(width / 2, height / 2, FilterType::Triangle)),
        ("a third of the size", picture.resize(width / 3, height / 3, FilterType::Lanczos3)),
        ("brighter", picture.brighten(18)),
        ("more contrast", picture.adjust_contrast(12.0)),
        ("grey", picture.grayscale()),
        ("2 % cropped", picture.crop_imm(width / 100, height / 100, width * 98 / 100, height * 98 / 100)),
    ])
}
