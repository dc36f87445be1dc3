//! The bust as SVG: Lorelei's parts by substitution, clothes and extras around them.

use std::fmt::Write as _;

use super::data::{Attribute, Data, Dye, Node, NodeKind, Recipe};

/// Mixes two colours `#rrggbb`; 0 is the first, 1 the second.
pub fn mix(from: &str, to: &str, t: f64) -> String {
    let rgb = |c: &str| {
        [1, 3, 5].map(|i| f64::from(u8::from_str_radix(c.get(i..i + 2).unwrap_or("0"), 16).unwrap_or(0)))
    };
    let (a, b) = (rgb(from), rgb(to));
    let mut mixed = String::from("#");
    for i in 0..3 {
        let value = (a[i] + (b[i] - a[i]) * t).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 255 by construction"
        )]
        let _ = write!(mixed, "{:02x}", value as u8);
    }
    mixed
}

/// Replaces each `{name}` by its value; an unknown name is left standing (a test finds those).
pub fn fill(svg: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(svg.len());
    let mut rest = svg;
    while let Some(start) = rest.find('{') {
        let Some(end) = rest[start..].find('}').map(|e| start + e) else { break };
        out.push_str(&rest[..start]);
        match values.iter().find(|(name, _)| *name == &rest[start + 1..end]) {
            Some((_, value)) => out.push_str(value),
            None => out.push_str(&rest[start..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

fn at(transform: &str, svg: &str) -> String {
    if svg.is_empty() { String::new() } else { format!(r#"<g transform="{transform}">{svg}</g>"#) }
}

/// The bust in Lorelei's units (980 × 980); the shoulders reach from -220 to 1200 and below the canvas.
pub fn figure(data: &Data, recipe: &Recipe) -> String {
    let ink = data.palettes.ink.as_str();
    let (hair, dyed) = match &recipe.hair_color {
        Dye::Plain(colour) => (colour.as_str(), None),
        Dye::Two([from, to]) => (from.as_str(), Some(to)),
    };
    let hair_paint = if dyed.is_some() { "url(#hair)" } else { hair };
    let (skin, cloth) = (recipe.skin.as_str(), &recipe.costume);
    let a2 = cloth.a2.clone().unwrap_or_else(|| mix(&cloth.a, ink, 0.28));
    let (skin_line, hair_line) = (mix(skin, ink, 0.55), mix(hair, ink, 0.45));
    let scar = mix(skin, "#7a1f2a", 0.55);
    let values = [
        ("ink", ink),
        ("skin", skin),
        ("hair", hair_paint),
        ("a", &cloth.a),
        ("a2", &a2),
        ("b", &cloth.b),
        ("c", &cloth.c),
        ("skin-line", &skin_line),
        ("hair-line", &hair_line),
        ("scar", &scar),
    ];
    let costume = data.costumes.costumes.get(&cloth.kind).cloned().unwrap_or_default();
    let extras = |slot: fn(&super::data::Extra) -> &str| -> String {
        recipe
            .extras
            .iter()
            .filter_map(|name| data.extras.get(name))
            .map(|e| fill(slot(e), &values))
            .collect()
    };
    let body = |svg: &str| at(&format!("translate(488 0) scale({} 1) translate(-488 0)", recipe.body), svg);
    let shoulders = if costume.bare_shoulders {
        format!(
            r#"<path d="{}" fill="{skin}" stroke="{ink}" stroke-width="13" stroke-linejoin="round" stroke-linecap="round"/>"#,
            data.costumes.skin_body
        )
    } else {
        String::new()
    };
    let jaw = format!(r#"<path d="{}" fill="{}"/>"#, data.costumes.jaw_shadow, mix(skin, "#3a1430", 0.34));
    let head = Head { data, recipe, ink, hair: hair_paint, on_skin: jaw + &extras(|e| &e.after_skin) };
    let (behind, face, before) = head.layers();

    let mut svg = String::with_capacity(64 * 1024);
    if let Some(to) = dyed {
        let _ = write!(
            svg,
            r#"<linearGradient id="hair" gradientUnits="userSpaceOnUse" x1="0" y1="80" x2="0" y2="760"><stop offset=".3" stop-color="{hair}"/><stop offset="1" stop-color="{to}"/></linearGradient>"#
        );
    }
    svg += &extras(|e| &e.behind);
    svg += &body(&fill(&costume.back, &values));
    svg += &behind;
    svg += &body(&shoulders);
    svg += &face;
    svg += &body(&fill(&costume.front, &values));
    svg += &before;
    svg += &extras(|e| &e.front);
    if recipe.flowers != 0 {
        svg += &at("translate(183 329)", &head.variant("hairAccessories", "flowers"));
    }
    svg
}

struct Head<'a> {
    data: &'a Data,
    recipe: &'a Recipe,
    ink: &'a str,
    hair: &'a str,
    /// Jaw shadow, beard, blush, lines: clipped to the face, under the features.
    on_skin: String,
}

impl Head<'_> {
    /// What lies behind the head, the head, what lies before it. In Lorelei the hair contains the head.
    fn layers(&self) -> (String, String, String) {
        let hair = self.elements("hair", &self.recipe.hair);
        let cut = hair.iter().position(|node| node.name == "head").unwrap_or(hair.len());
        let layer =
            |nodes: &[Node]| at("translate(76 3)", &nodes.iter().map(|n| self.draw(n)).collect::<String>());
        let (behind, rest) = hair.split_at(cut);
        let (head, before) = rest.split_at(rest.len().min(1));
        (layer(behind), layer(head), layer(before))
    }

    fn elements(&self, component: &str, variant: &str) -> &[Node] {
        let variants = self.data.lorelei.components.get(component).map(|c| &c.variants);
        variants.and_then(|v| v.get(variant)).map_or(&[], |v| v.elements.as_slice())
    }

    fn pick(&self, component: &str) -> Option<&str> {
        let recipe = self.recipe;
        Some(match component {
            "hair" => &recipe.hair,
            "head" => &recipe.head,
            "eyes" => &recipe.eyes,
            "eyebrows" => &recipe.brows,
            "nose" => &recipe.nose,
            "mouth" => &recipe.mouth,
            "glasses" => recipe.glasses.as_ref()?,
            "earrings" => recipe.earrings.as_ref()?,
            "freckles" if recipe.freckles != 0 => "variant01",
            _ => return None,
        })
    }

    fn paint(&self, name: &str) -> &str {
        match name {
            "skin" => &self.recipe.skin,
            "hair" => self.hair,
            "mouth" => self.recipe.lips.as_deref().unwrap_or(self.ink),
            "eyebrows" => self.recipe.brow_color.as_deref().unwrap_or(self.ink),
            _ => self.ink,
        }
    }

    fn variant(&self, component: &str, variant: &str) -> String {
        let elements = self.elements(component, variant);
        if component != "head" {
            return elements.iter().map(|node| self.draw(node)).collect();
        }
        let mut svg = String::new();
        for node in elements {
            svg += &self.draw(node);
            if let (true, Some(skin)) = (node.painted("skin"), node.text("d")) {
                let _ = write!(
                    svg,
                    r##"<clipPath id="face"><path transform="translate(207 171)" d="{skin}"/></clipPath><g transform="translate(-207 -171)" clip-path="url(#face)">{}</g>"##,
                    self.on_skin
                );
            }
        }
        svg
    }

    fn draw(&self, node: &Node) -> String {
        if node.kind == NodeKind::Component {
            return match self.pick(&node.name) {
                Some(variant) => at(node.text("transform").unwrap_or(""), &self.variant(&node.name, variant)),
                None => String::new(),
            };
        }
        let mut svg = format!("<{}", node.name);
        for (key, value) in &node.attributes {
            let value = match value {
                Attribute::Text(text) => text,
                Attribute::Colour { name } => self.paint(name),
            };
            let _ = write!(svg, r#" {key}="{value}""#);
        }
        svg.push('>');
        svg.extend(node.children.iter().map(|child| self.draw(child)));
        let _ = write!(svg, "</{}>", node.name);
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_mix_by_channel() {
        assert_eq!(mix("#000000", "#ffffff", 0.5), "#808080");
        assert_eq!(mix("#102030", "#405060", 0.0), "#102030");
        assert_eq!(mix("#102030", "#405060", 1.0), "#405060");
    }

    #[test]
    fn names_in_braces_are_replaced_and_unknown_ones_stand() {
        assert_eq!(fill("a{x}b{y}c", &[("x", "1")]), "a1b{y}c");
    }
}
