//! A turn: what the character does, the answer to what was said, something of its own, and a step on.

use super::{
    bank::{self, Slots},
    hear::{self, Act, Heard},
    random::Random,
    sentences::{self, Said},
    voice::{Example, Style, Voice},
};
use crate::engines::{Person, Scene};

/// Words of a reply: at least …
const WORDS_MIN: usize = 46;
/// … and at most.
const WORDS_MAX: usize = 108;

/// Part of a reply.
enum Part {
    Does(String),
    Says(String),
    /// Set already, as the card has it.
    Ready(String),
}

/// The whole reply to a scene; the same for the same scene and seed.
pub fn reply(scene: &Scene) -> String {
    let user = who(&scene.user, scene);
    let voice = Voice::read(scene, &user);
    let newest = scene.history.iter().rev().find(|line| line.by_user).map_or("", |line| line.text.as_str());
    let turn = scene.history.iter().filter(|line| !line.by_user).count();
    let random = Random::new(scene.seed).with(newest).with(&format!("{}/{turn}", scene.history.len()));

    let mut said = Said::default();
    for line in scene.history.iter().filter(|line| !line.by_user) {
        said.add(&line.text);
    }
    let mut heard = hear::hear(newest, voice.pronouns.object, voice.pronouns.possessive);
    if scene.continuing || newest.is_empty() {
        heard = Heard { act: Act::Continue, speech: String::new(), topic: None, said: None, vp: None };
    }
    let told: Vec<String> = scene
        .history
        .iter()
        .rev()
        .skip(1)
        .filter(|line| line.by_user)
        .flat_map(|line| hear::facts(&line.text))
        .collect();
    let fact = told.into_iter().find(|fact| {
        let known = fact.to_lowercase();
        !scene.history.iter().any(|line| !line.by_user && line.text.to_lowercase().contains(&known))
    });
    let called_lately = scene
        .history
        .iter()
        .rev()
        .filter(|line| !line.by_user)
        .take(2)
        .any(|line| line.text.contains(user.as_str()));
    let mut stage =
        Stage { voice: &voice, user: &user, heard: &heard, fact, said, random, parts: Vec::new() };
    stage.play(turn, !called_lately || heard.act == Act::Name);
    stage.set()
}

/// The name to call them by: as they said in this chat, else as their persona has it.
fn who(person: &Person, scene: &Scene) -> String {
    let introduced =
        scene.history.iter().rev().filter(|line| line.by_user).find_map(|line| hear::introduced(&line.text));
    introduced.unwrap_or_else(|| person.name.trim().to_owned())
}

struct Stage<'a> {
    voice: &'a Voice,
    user: &'a str,
    heard: &'a Heard,
    fact: Option<String>,
    said: Said,
    random: Random,
    parts: Vec<Part>,
}

impl Stage<'_> {
    fn play(&mut self, turn: usize, mut call: bool) {
        call &= !self.user.is_empty();
        let from_card = self.example();
        if let Some(answer) = &from_card {
            call &= !answer.contains(self.user);
            self.take(Part::Ready(answer.clone()));
        } else {
            self.open();
            self.answer(&mut call);
        }
        // Something of the character's own, from its card.
        let of_place = matches!(self.heard.act, Act::Where | Act::When | Act::What);
        if from_card.is_none() && (of_place || self.random.chance(70)) {
            self.narrate(of_place);
        }
        if turn % 3 == 2 && self.fact.is_some() {
            self.add("fact", &mut call);
        }
        if self.heard.topic.is_some() && self.words() < 70 && self.random.chance(60) {
            self.add("topic", &mut call);
        }
        if self.words() < 80 && (self.random.chance(50) || self.heard.act == Act::Continue) {
            self.add("move", &mut call);
        }
        for section in ["story", "any", "move", "story", "any"] {
            if self.words() >= WORDS_MIN {
                break;
            }
            self.add(section, &mut call);
        }
        if call {
            self.add("vocative", &mut call);
        }
        if self.words() < 88 {
            let last = if self.heard.act == Act::Bye || self.random.chance(30) { "close" } else { "ask" };
            if !self.add(last, &mut call) {
                self.add("any", &mut call);
            }
        }
    }

    fn words(&self) -> usize {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Does(text) | Part::Says(text) | Part::Ready(text) => sentences::words(text),
            })
            .sum()
    }

    /// An action before the words.
    fn open(&mut self) {
        let mut no_call = false;
        if self.heard.vp.is_some() && self.add("did", &mut no_call) {
            return;
        }
        if self.heard.said.is_some() && self.random.chance(30) && self.add("said", &mut no_call) {
            return;
        }
        if self.random.chance(45) {
            let new: Vec<&String> = self.voice.beats.iter().filter(|b| self.said.is_new(b)).collect();
            if !new.is_empty() {
                let beat = new[self.random.below(new.len())].clone();
                self.take(Part::Does(beat));
                return;
            }
        }
        self.add("beat", &mut no_call);
    }

    /// What is said to what was said.
    fn answer(&mut self, call: &mut bool) {
        let yes_or_no = if self.random.chance(60) { "yes" } else { "no" };
        let section = match self.heard.act {
            Act::Greet => "greet",
            Act::Name => "name",
            Act::Who => "who",
            Act::What => "what",
            Act::Where => "where",
            Act::When => "when",
            Act::Why => "why",
            Act::How => "how",
            Act::HowAreYou => "howareyou",
            Act::YesNo => yes_or_no,
            Act::Choice => "choice",
            Act::Thanks => "thanks",
            Act::Bye => "bye",
            Act::Sorry => "sorry",
            Act::Praise => "praise",
            Act::Love => "love",
            Act::Sad => "sad",
            Act::Happy => "happy",
            Act::Afraid => "afraid",
            Act::Tired => "tired",
            Act::Angry => "angry",
            Act::Lonely => "lonely",
            Act::Agree => "agree",
            Act::Refuse => "refuse",
            Act::Threat => "threat",
            Act::Command => "command",
            Act::Tell => "tell",
            Act::Did => "didword",
            Act::Statement => "statement",
            Act::Short => "short",
            Act::Continue => "continue",
        };
        if !self.add(section, call) {
            self.add("any", call);
        }
        match self.heard.act {
            Act::Who => {
                self.line(call);
            }
            Act::Tell | Act::Continue => {
                self.add("story", call);
            }
            _ => {}
        }
    }

    /// A line of the description, as something that others say.
    fn line(&mut self, call: &mut bool) {
        let lines: Vec<&String> = self.voice.lines.iter().filter(|l| self.said.is_new(l)).collect();
        if lines.is_empty() {
            return;
        }
        let line = lines[self.random.below(lines.len())].clone();
        self.add_with("line", call, Some(&line));
    }

    /// A sentence of the card, told by the narrator.
    fn narrate(&mut self, of_place: bool) {
        let (first, second) = if of_place {
            (&self.voice.scenery, &self.voice.musings)
        } else {
            (&self.voice.musings, &self.voice.scenery)
        };
        for source in [first, second] {
            let new: Vec<&String> = source.iter().filter(|s| self.said.is_new(s)).collect();
            if !new.is_empty() {
                let sentence = new[self.random.below(new.len())].clone();
                self.take(Part::Does(sentence));
                return;
            }
        }
    }

    /// An answer that the card has for what was said, whole, if it was not given yet.
    fn example(&mut self) -> Option<String> {
        let asked = content_words(&self.heard.speech);
        let fits = |example: &&Example| {
            let known = content_words(&example.asked);
            let shared = asked.iter().filter(|w| known.contains(w)).count();
            shared >= 2 || (shared == 1 && known.len() <= 2 && asked.len() <= 3)
        };
        let found = self.voice.examples.iter().filter(fits).find(|e| self.said.is_new(&e.answered))?;
        (self.heard.act != Act::Continue && sentences::words(&found.answered) <= 85)
            .then(|| found.answered.clone())
    }

    fn add(&mut self, section: &str, call: &mut bool) -> bool {
        self.add_with(section, call, None)
    }

    fn add_with(&mut self, section: &str, call: &mut bool, line: Option<&str>) -> bool {
        let mut slots = Slots {
            voice: self.voice,
            user: self.user,
            call: *call,
            topic: self.heard.topic.as_deref(),
            said: self.heard.said.as_deref(),
            vp: self.heard.vp.as_deref(),
            fact: self.fact.as_deref(),
            line,
        };
        let Some(text) = bank::pick(section, &mut slots, &self.said, &mut self.random) else { return false };
        *call = slots.call;
        if self.words() + sentences::words(&text) > WORDS_MAX {
            return false;
        }
        match text.strip_prefix('*').and_then(|t| t.strip_suffix('*')) {
            Some(action) => self.take(Part::Does(action.to_owned())),
            None => self.take(Part::Says(text)),
        }
        true
    }

    fn take(&mut self, part: Part) {
        match &part {
            Part::Does(text) | Part::Says(text) | Part::Ready(text) => self.said.add(text),
        }
        self.parts.push(part);
    }

    /// The parts as the greeting sets its own: neighbours of a kind become one.
    fn set(self) -> String {
        let Style { stars, quotes } = self.voice.style;
        let mut out: Vec<String> = Vec::new();
        let mut open: Option<(bool, String)> = None;
        let close = |open: &mut Option<(bool, String)>, out: &mut Vec<String>| {
            if let Some((does, text)) = open.take() {
                out.push(match (does, stars, quotes) {
                    (true, true, _) => format!("*{text}*"),
                    (false, _, Some((left, right))) => format!("{left}{text}{right}"),
                    _ => text,
                });
            }
        };
        for part in self.parts {
            let (does, text) = match part {
                Part::Ready(text) => {
                    close(&mut open, &mut out);
                    out.push(text);
                    continue;
                }
                Part::Does(text) => (true, text.replace('*', "")),
                Part::Says(text) => (false, text),
            };
            match &mut open {
                Some((kind, so_far)) if *kind == does => {
                    so_far.push(' ');
                    so_far.push_str(&text);
                }
                _ => {
                    close(&mut open, &mut out);
                    open = Some((does, text));
                }
            }
        }
        close(&mut open, &mut out);
        out.join(" ")
    }
}

/// Words that carry the matter of a sentence.
fn content_words(text: &str) -> Vec<String> {
    const EMPTY: [&str; 52] = [
        "what", "who", "where", "when", "why", "how", "which", "the", "and", "you", "your", "are", "was",
        "were", "did", "does", "have", "has", "had", "can", "could", "would", "will", "should", "that",
        "this", "with", "for", "from", "about", "there", "here", "just", "not", "but", "all", "one", "some",
        "any", "tell", "know", "think", "like", "want", "really", "then", "very", "been", "they", "them",
        "ever", "out",
    ];
    let lower = text.to_lowercase().replace('’', "'");
    let mut words: Vec<String> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|w| w.trim_end_matches("'s").trim_end_matches('s').to_owned())
        .filter(|w| w.chars().count() >= 3 && !EMPTY.contains(&w.as_str()))
        .collect();
    words.dedup();
    words
}
