//! A workflow of `ComfyUI` in its API format, with places for what changes from picture to picture.

use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;

use crate::limits;

/// Places that a workflow must have: without the negative prompt minors would not be excluded.
const NEEDED: [&str; 3] = ["%prompt%", "%negative_prompt%", "%seed%"];
/// Places that it may have.
const KNOWN: [&str; 6] = ["%prompt%", "%negative_prompt%", "%seed%", "%width%", "%height%", "%model%"];

/// A workflow with its places.
#[derive(Debug, Clone)]
pub(super) struct Workflow(Value);

/// What is put into the places.
pub(super) struct Filling<'a> {
    pub prompt: &'a str,
    pub negative: &'a str,
    pub model: &'a str,
    pub seed: u64,
    pub width: u32,
    pub height: u32,
}

impl Workflow {
    /// The operator's file, or the one that is shipped.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|p| !p.as_os_str().is_empty()) else {
            return Self::read(include_str!("../../../prompts/comfy.json"));
        };
        let name = path.display();
        let size = std::fs::metadata(path)
            .with_context(|| format!("IMAGE_WORKFLOW_FILE {name} cannot be read"))?
            .len();
        anyhow::ensure!(size <= limits::WORKFLOW_BYTES, "IMAGE_WORKFLOW_FILE {name} is too large");
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("IMAGE_WORKFLOW_FILE {name} cannot be read"))?;
        Self::read(&text).with_context(|| format!("IMAGE_WORKFLOW_FILE {name} is not as it should be"))
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        let graph: Value = serde_json::from_str(text)?;
        let nodes = graph.as_object().context("it is no object of nodes")?;
        anyhow::ensure!(
            nodes.values().all(|node| node.get("class_type").is_some()),
            "it is not in the API format (Workflow, Export (API) in ComfyUI)"
        );
        let mut found = Vec::new();
        places(&graph, &mut found);
        for place in NEEDED {
            anyhow::ensure!(found.iter().any(|f| f == place), "it has no {place}");
        }
        if let Some(unknown) = found.iter().find(|f| !KNOWN.contains(&f.as_str())) {
            anyhow::bail!("nothing is known of {unknown}");
        }
        Ok(Self(graph))
    }

    /// Whether it asks for a model.
    pub(super) fn wants_model(&self) -> bool {
        let mut found = Vec::new();
        places(&self.0, &mut found);
        found.iter().any(|f| f == "%model%")
    }

    pub(super) fn filled(&self, filling: &Filling<'_>) -> Value {
        let mut graph = self.0.clone();
        fill(&mut graph, filling);
        graph
    }
}

/// Every `%name%` in the texts of the workflow.
fn places(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let mut rest = text.as_str();
            while let Some((_, after)) = rest.split_once('%') {
                let end = after.find(|c: char| !(c.is_ascii_lowercase() || c == '_'));
                match end.filter(|end| *end > 0 && after[*end..].starts_with('%')) {
                    Some(end) => {
                        found.push(["%", &after[..end], "%"].concat());
                        rest = &after[end + 1..];
                    }
                    None => rest = after,
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|v| places(v, found)),
        Value::Object(map) => map.values().for_each(|v| places(v, found)),
        _ => {}
    }
}

fn fill(value: &mut Value, with: &Filling<'_>) {
    match value {
        Value::String(text) => {
            // A text that is nothing but a number's place becomes the number.
            match text.as_str() {
                "%seed%" => *value = with.seed.into(),
                "%width%" => *value = with.width.into(),
                "%height%" => *value = with.height.into(),
                _ => *text = filled(text, with),
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|v| fill(v, with)),
        Value::Object(map) => map.values_mut().for_each(|v| fill(v, with)),
        _ => {}
    }
}

/// In one pass: what is put in is never looked at for places.
fn filled(text: &str, with: &Filling<'_>) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let place = KNOWN.iter().find(|place| rest.starts_with(**place));
        match place.copied() {
            Some("%prompt%") => out.push_str(with.prompt),
            Some("%negative_prompt%") => out.push_str(with.negative),
            Some("%model%") => out.push_str(with.model),
            Some("%seed%") => out.push_str(&with.seed.to_string()),
            Some("%width%") => out.push_str(&with.width.to_string()),
            Some(_) => out.push_str(&with.height.to_string()),
            None => out.push('%'),
        }
        rest = &rest[place.map_or(1, |p| p.len())..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filling<'a>() -> Filling<'a> {
        let (prompt, negative, model) = ("a %seed% \"quoted\" coat", "nobody", "any.safetensors");
        Filling { prompt, negative, model, seed: u64::MAX, width: 832, height: 1216 }
    }

    #[test]
    fn places_are_filled_once_and_numbers_are_numbers() {
        let workflow = Workflow::open(None).expect("the shipped one");
        assert!(workflow.wants_model());
        let graph = workflow.filled(&filling());
        assert_eq!(graph["3"]["inputs"]["seed"], u64::MAX);
        assert_eq!(graph["5"]["inputs"]["width"], 832);
        assert_eq!(graph["6"]["inputs"]["text"], "a %seed% \"quoted\" coat", "what is put in stays as it is");
        assert_eq!(graph["7"]["inputs"]["text"], "nobody");
        assert_eq!(graph["4"]["inputs"]["ckpt_name"], "any.safetensors");
    }

    #[test]
    fn a_workflow_that_cannot_be_used_is_refused_with_a_reason() {
        let shipped = include_str!("../../../prompts/comfy.json");
        let refused = |text: String| Workflow::read(&text).expect_err("refused").to_string();
        assert_eq!(refused(shipped.replace("%negative_prompt%", "ugly")), "it has no %negative_prompt%");
        assert_eq!(refused(shipped.replace("%width%", "%depth%")), "nothing is known of %depth%");
        assert!(refused(r#"{"nodes":[1],"links":[]}"#.into()).contains("API format"));
        assert!(Workflow::read(&shipped.replace("\"troupe\"", "\"100% troupe, 5 %\"")).is_ok());
    }
}
