//! Stage, bust and light put together. Stage and bust are drawn by resvg, once each; silhouettes, shade
//! and key light are blended from the bust's own pixels, which costs a fraction of drawing it five times.

use std::sync::LazyLock;

use resvg::{
    tiny_skia::{
        BlendMode, Color, FillRule, GradientStop, LinearGradient, Mask, MaskType, Paint, PathBuilder, Pixmap,
        PixmapPaint, Point, RadialGradient, Rect, Shader, SpreadMode, Transform,
    },
    usvg,
};

use super::{
    data::{self, Gel, Recipe},
    figure::{figure, fill, mix},
};
use crate::engines::{Drawing, EngineError, Format};

/// Size of the scene in its own units.
const SCENE: (f32, f32) = (600.0, 800.0);

/// Which part of the scene is seen, in scene units. The middle 600 × 800 of a portrait is the playbill
/// itself, so a 3:4 card loses nothing; the stage is enlarged to fill what lies beyond.
struct Frame {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

impl Frame {
    fn of(format: Format) -> Self {
        match format {
            Format::Portrait => {
                let height = SCENE.0 * 1216.0 / 832.0;
                Self { x: 0.0, y: (SCENE.1 - height) / 2.0, width: SCENE.0, height }
            }
            Format::Square => Self { x: -40.0, y: 8.0, width: 680.0, height: 680.0 },
        }
    }

    /// Enlarges the stage about its middle until it fills the frame.
    fn stage(&self) -> String {
        let (cx, cy) = (SCENE.0 / 2.0, SCENE.1 / 2.0);
        let reach = |from: f32, size: f32, centre: f32| (centre - from).max(from + size - centre) / centre;
        let scale = reach(self.x, self.width, cx).max(reach(self.y, self.height, cy)).max(1.0);
        format!("translate({cx} {cy}) scale({scale}) translate(-{cx} -{cy})")
    }
}

/// # Errors
/// When the data files hold something that is no SVG, which their test excludes.
pub fn draw(recipe: &Recipe, format: Format) -> Result<Drawing, EngineError> {
    let broken = |what: &str| EngineError::Refused(format!("{what} of {recipe:?}"));
    let gel = data::data().palettes.gels.get(&recipe.gel).ok_or_else(|| broken("gel"))?;
    let frame = Frame::of(format);
    let mut canvas = render(&stage(recipe, gel, &frame), &frame, format).ok_or_else(|| broken("stage"))?;
    let shadow = Shader::SolidColor(colour(&gel.deep, 1.0).ok_or_else(|| broken("gel"))?);
    paint(&mut canvas, shadow, BlendMode::SourceOver, dots(format)).ok_or_else(|| broken("dots"))?;
    let bust = render(&bust(recipe), &frame, format).ok_or_else(|| broken("figure"))?;
    Light { recipe, gel, frame, width: canvas.width() }
        .cast(&mut canvas, &bust)
        .ok_or_else(|| broken("light"))?;
    Ok(Drawing {
        width: canvas.width(),
        height: canvas.height(),
        // Opaque: premultiplied equals plain.
        rgba: canvas.take(),
        gel: Some(recipe.gel.clone()),
    })
}

fn render(body: &str, frame: &Frame, format: Format) -> Option<Pixmap> {
    let (width, height) = format.size();
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="{} {} {} {}" preserveAspectRatio="none">{body}</svg>"#,
        frame.x, frame.y, frame.width, frame.height
    );
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).ok()?;
    let mut pixmap = Pixmap::new(width, height)?;
    resvg::render(&tree, Transform::identity(), &mut pixmap.as_mut());
    Some(pixmap)
}

/// The backdrop in the gel's colours.
fn stage(recipe: &Recipe, gel: &Gel, frame: &Frame) -> String {
    let Gel { deep, mid, glow, spark } = gel;
    let backdrop = fill(
        data::stage(&recipe.stage).unwrap_or_default(),
        &[("deep", deep), ("mid", mid), ("glow", glow), ("spark", spark)],
    );
    let Frame { x, y, width, height } = frame;
    format!(
        r##"<defs>
<linearGradient id="bg" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{deep}"/><stop offset=".55" stop-color="{mid}"/><stop offset="1" stop-color="{deep}"/></linearGradient>
<linearGradient id="bg2" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{mid}"/><stop offset=".6" stop-color="{glow}"/><stop offset="1" stop-color="{mid}"/></linearGradient>
<linearGradient id="up" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{glow}"/><stop offset="1" stop-color="{mid}"/></linearGradient>
<linearGradient id="side" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="{mid}" stop-opacity=".15"/><stop offset=".6" stop-color="{glow}" stop-opacity=".9"/><stop offset="1" stop-color="{spark}" stop-opacity=".95"/></linearGradient>
<radialGradient id="halo" gradientUnits="userSpaceOnUse" cx="300" cy="330" r="380"><stop offset="0" stop-color="{glow}" stop-opacity=".85"/><stop offset=".55" stop-color="{mid}" stop-opacity=".35"/><stop offset="1" stop-color="{deep}" stop-opacity=".78"/></radialGradient>
</defs>
<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{deep}"/><g transform="{enlarged}">{backdrop}</g>"##,
        enlarged = frame.stage(),
    )
}

/// Halftone dots that fade in over the lower part of the stage: the same for all, so drawn once.
fn dots(format: Format) -> Option<&'static Mask> {
    static PORTRAIT: LazyLock<Option<Mask>> = LazyLock::new(|| draw_dots(Format::Portrait));
    static SQUARE: LazyLock<Option<Mask>> = LazyLock::new(|| draw_dots(Format::Square));
    match format {
        Format::Portrait => PORTRAIT.as_ref(),
        Format::Square => SQUARE.as_ref(),
    }
}

fn draw_dots(format: Format) -> Option<Mask> {
    let frame = Frame::of(format);
    let Frame { x, y, width, height } = frame;
    let svg = format!(
        r##"<defs>
<linearGradient id="fade" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="0" y2="800"><stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#fff" stop-opacity=".75"/></linearGradient>
<pattern id="dots" width="9" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(30)"><circle cx="4.5" cy="4.5" r="2.1"/></pattern>
<mask id="lower" maskUnits="userSpaceOnUse" x="{x}" y="{y}" width="{width}" height="{height}"><rect x="{x}" y="{y}" width="{width}" height="{height}" fill="url(#fade)"/></mask>
</defs>
<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="url(#dots)" mask="url(#lower)"/>"##
    );
    Some(Mask::from_pixmap(render(&svg, &frame, format)?.as_ref(), MaskType::Alpha))
}

fn bust(recipe: &Recipe) -> String {
    let scale = recipe.scale;
    let figure = figure(data::data(), recipe);
    let (x, y) = (recipe.dx + 300.0 - 478.0 * scale, recipe.dy + 136.0);
    let placed = format!(r#"<g transform="translate({x} {y}) scale({scale})">{figure}</g>"#);
    if recipe.flip == 0 {
        placed
    } else {
        format!(r#"<g transform="translate(600 0) scale(-1 1)">{placed}</g>"#)
    }
}

struct Light<'a> {
    recipe: &'a Recipe,
    gel: &'a Gel,
    frame: Frame,
    /// Of the canvas, px.
    width: u32,
}

impl Light<'_> {
    /// Shadow, rim light, bust, shade, key light and the dark of the floor, in this order.
    fn cast(&self, canvas: &mut Pixmap, bust: &Pixmap) -> Option<()> {
        let side = if self.recipe.flip == 0 { 1.0 } else { -1.0 };
        let Gel { deep, mid, spark, .. } = self.gel;
        self.silhouette(canvas, bust, deep, 0.5, (-16.0 * side, 12.0))?;
        self.silhouette(canvas, bust, spark, 1.0, (7.0 * side, -4.0))?;
        canvas.draw_pixmap(0, 0, bust.as_ref(), &PixmapPaint::default(), Transform::identity(), None);

        // The axis runs in fractions of the scene, like an objectBoundingBox gradient.
        let (from, to) = if side > 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
        let shade = LinearGradient::new(
            Point::from_xy(from, 0.75),
            Point::from_xy(to, 0.2),
            vec![
                GradientStop::new(0.0, colour(&mix(deep, mid, 0.45), 1.0)?),
                GradientStop::new(0.34, colour(&mix(mid, "#ffffff", 0.45), 1.0)?),
                GradientStop::new(0.62, Color::WHITE),
            ],
            SpreadMode::Pad,
            self.units().pre_scale(SCENE.0, SCENE.1),
        )?;
        #[expect(clippy::cast_possible_truncation, reason = "0 to 1")]
        self.over_bust(canvas, bust, shade, BlendMode::Multiply, self.recipe.shade as f32)?;

        let centre = Point::from_xy(300.0 + 150.0 * side, 240.0);
        let stops =
            vec![GradientStop::new(0.0, colour(spark, 0.5)?), GradientStop::new(1.0, colour(spark, 0.0)?)];
        let key = RadialGradient::new(centre, 0.0, centre, 330.0, stops, SpreadMode::Pad, self.units())?;
        self.over_bust(canvas, bust, key, BlendMode::SoftLight, 1.0)?;

        let ink = &data::data().palettes.ink;
        let floor = LinearGradient::new(
            Point::from_xy(0.0, 520.0),
            Point::from_xy(0.0, 800.0),
            vec![GradientStop::new(0.0, colour(ink, 0.0)?), GradientStop::new(1.0, colour(ink, 0.6)?)],
            SpreadMode::Pad,
            self.units(),
        )?;
        paint(canvas, floor, BlendMode::SourceOver, None)
    }

    /// From scene units to pixels.
    fn units(&self) -> Transform {
        let scale = self.scale();
        Transform::from_row(scale, 0.0, 0.0, scale, -self.frame.x * scale, -self.frame.y * scale)
    }

    fn scale(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "about a thousand")]
        let width = self.width as f32;
        width / self.frame.width
    }

    fn silhouette(
        &self,
        canvas: &mut Pixmap,
        bust: &Pixmap,
        tint: &str,
        opacity: f32,
        by: (f32, f32),
    ) -> Option<()> {
        let mut shape = bust.clone();
        paint(&mut shape, Shader::SolidColor(colour(tint, 1.0)?), BlendMode::SourceIn, None)?;
        let paint = PixmapPaint { opacity, ..PixmapPaint::default() };
        // Whole pixels: nothing is resampled.
        #[expect(clippy::cast_possible_truncation, reason = "a few pixels")]
        let (x, y) = ((by.0 * self.scale()).round() as i32, (by.1 * self.scale()).round() as i32);
        canvas.draw_pixmap(x, y, shape.as_ref(), &paint, Transform::identity(), None);
        Some(())
    }

    fn over_bust(
        &self,
        canvas: &mut Pixmap,
        bust: &Pixmap,
        shader: Shader<'_>,
        blend_mode: BlendMode,
        opacity: f32,
    ) -> Option<()> {
        let mut light = bust.clone();
        paint(&mut light, shader, BlendMode::SourceIn, None)?;
        let paint = PixmapPaint { blend_mode, opacity, ..PixmapPaint::default() };
        canvas.draw_pixmap(0, 0, light.as_ref(), &paint, Transform::identity(), None);
        Some(())
    }
}

fn paint(pixmap: &mut Pixmap, shader: Shader<'_>, blend_mode: BlendMode, mask: Option<&Mask>) -> Option<()> {
    #[expect(clippy::cast_precision_loss, reason = "about a thousand")]
    let whole = Rect::from_xywh(0.0, 0.0, pixmap.width() as f32, pixmap.height() as f32)?;
    let paint = Paint { shader, blend_mode, anti_alias: false, ..Paint::default() };
    pixmap.fill_path(&PathBuilder::from_rect(whole), &paint, FillRule::Winding, Transform::identity(), mask);
    Some(())
}

fn colour(hex: &str, opacity: f32) -> Option<Color> {
    let channel = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
    let mut colour = Color::from_rgba8(channel(1)?, channel(3)?, channel(5)?, 255);
    colour.set_alpha(opacity);
    Some(colour)
}
