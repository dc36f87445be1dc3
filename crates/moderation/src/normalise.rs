//! One spelling for many.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use crate::vocabulary::Words;

/// Letters spaced out one by one are a word from this many on.
const SPELLED: usize = 3;
/// Most runs of one letter in a word that are tried short and double.
const RUNS: usize = 4;
/// Bytes, stretched letters counted as three, up to which a word is taken for a disguised one: every way to read it
/// is tried, which takes its time.
const DISGUISED: usize = 64;

/// A normalised text: words with a blank before each and after the last; sentences end with the word `.`,
/// clauses with the word `,`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plain {
    pub text: String,
    /// Byte where each word begins.
    pub starts: Vec<u32>,
}

impl Plain {
    /// Which word begins there, or next after it.
    pub fn word_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| (start as usize) < byte)
    }

    pub fn word(&self, at: usize) -> &str {
        let Some(&start) = self.starts.get(at) else { return "" };
        let rest = &self.text[start as usize..];
        &rest[..rest.find(' ').unwrap_or(rest.len())]
    }
}

/// Lower case, compatibility forms folded, accents dropped, look-alikes read as the Latin letters that they look
/// like; digits, signs, stretched letters and separators inside a word read away where a word of `words`
/// comes out; letters spaced out one by one joined.
pub fn normalise(text: &str, words: &Words) -> Plain {
    let mut writer = Writer::new(words, text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = writer.take_usual(rest).unwrap_or_else(|| {
            writer.take_any(c);
            c.len_utf8()
        });
        rest = &rest[taken..];
    }
    writer.finish()
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Letters that look like Latin ones, after folding.
fn latin(c: char) -> &'static str {
    match c {
        'а' | 'α' | 'ɑ' => "a",
        'в' | 'β' => "b",
        'ϲ' | 'с' | 'ᴄ' => "c",
        'ԁ' | 'đ' | 'ð' => "d",
        'е' | 'ε' | 'ɛ' | 'є' => "e",
        'ƒ' => "f",
        'ɡ' | 'ց' => "g",
        'һ' | 'н' => "h",
        'і' | 'ι' | 'ı' | 'ӏ' => "i",
        'ј' => "j",
        'к' | 'κ' => "k",
        'ł' => "l",
        'м' => "m",
        'п' | 'η' | 'ո' => "n",
        'о' | 'ο' | 'ø' | 'օ' | 'σ' => "o",
        'р' | 'ρ' => "p",
        'ԛ' => "q",
        'г' | 'ʀ' => "r",
        'ѕ' => "s",
        'т' | 'τ' => "t",
        'υ' | 'ս' | 'μ' => "u",
        'ν' | 'ѵ' => "v",
        'ω' | 'ԝ' | 'ш' => "w",
        'х' | 'χ' => "x",
        'у' | 'γ' => "y",
        'ᴢ' => "z",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        '’' | 'ʼ' | '‘' | '＇' => "'",
        _ => "",
    }
}

/// Words before an apostrophe that say nothing of their own (`l'enfant`).
pub fn is_elision(word: &str) -> bool {
    matches!(word, "l" | "d" | "j" | "qu" | "n" | "s" | "c" | "m" | "t")
}

struct Writer<'a> {
    words: &'a Words,
    out: Plain,
    /// The words between two blanks, one behind the other; the last is being read.
    chunk: String,
    /// Where those before it end.
    ends: Vec<usize>,
    /// What ends the piece of a sentence, when a blank follows.
    stop: Option<char>,
    /// Words of one letter, one after the other, with the stops after them.
    run: Vec<(char, Option<char>)>,
}

impl<'a> Writer<'a> {
    fn new(words: &'a Words, size: usize) -> Self {
        Self {
            words,
            out: Plain {
                text: String::with_capacity(size + size / 8 + 2),
                starts: Vec::with_capacity(size / 5 + 1),
            },
            chunk: String::new(),
            ends: Vec::new(),
            stop: None,
            run: Vec::new(),
        }
    }

    /// What most of most texts is, in one go: a word of ASCII letters that is no disguised one, with the blank behind it or a
    /// stop before that. Answers its bytes; `None` where it is to be taken sign by sign, which comes to the same.
    fn take_usual(&mut self, rest: &str) -> Option<usize> {
        if !(self.chunk.is_empty() && self.ends.is_empty() && self.run.is_empty()) {
            return None;
        }
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, behind) = rest.split_at(letters);
        let (stop, bytes) = match behind.as_bytes() {
            [b' ', ..] => (None, 1),
            [b'.' | b'?', b' ', ..] => (Some('.'), 2),
            [b',', b' ', ..] => (Some(','), 2),
            _ => return None,
        };
        // Letters that differ in nothing, or in the bit that says whether they are large.
        let thrice = |w: &[u8]| ((w[0] ^ w[1]) | (w[1] ^ w[2])) & !0x20 == 0;
        if letters < 2 || word.as_bytes().windows(3).any(thrice) {
            return None;
        }
        self.stop = None;
        let from = self.out.text.len();
        self.write(word);
        self.out.text[from..].make_ascii_lowercase();
        stop.into_iter().for_each(|stop| self.write_stop(stop));
        Some(letters + bytes)
    }

    /// One sign, folded to what it is read as.
    fn take_any(&mut self, c: char) {
        if c.is_ascii() {
            self.take(c.to_ascii_lowercase());
        } else if !is_invisible(c) {
            decompose_compatible(c, |part| {
                if !is_combining_mark(part) {
                    part.to_lowercase().filter(|&c| !is_combining_mark(c)).for_each(|c| self.take_wide(c));
                }
            });
        }
    }

    fn take_wide(&mut self, c: char) {
        match latin(c) {
            "" => self.take(c),
            read => read.chars().for_each(|c| self.take(c)),
        }
    }

    fn take(&mut self, c: char) {
        match c {
            'a'..='z' | '0'..='9' | '@' | '$' => {
                self.chunk.push(c);
                self.stop = None;
            }
            '!' | '|' | '+' => {
                // A letter where letters follow, else an end.
                self.chunk.push(c);
                self.stop = Some('.');
            }
            '\'' => {
                if self.ends.is_empty() && is_elision(&self.chunk) {
                    self.chunk.clear();
                }
            }
            ' ' | '\t' | '\r' => self.end_chunk(),
            '\n' => {
                self.stop = Some('.');
                self.end_chunk();
            }
            '.' | '?' | ';' | '…' | '。' => {
                self.end_word();
                self.stop = Some('.');
            }
            ',' | '(' | ')' | '–' | '—' => {
                self.end_word();
                self.stop = self.stop.or(Some(','));
            }
            c if c.is_alphanumeric() => {
                self.chunk.push(c);
                self.stop = None;
            }
            c if c.is_whitespace() => self.end_chunk(),
            _ => self.end_word(),
        }
    }

    fn end_word(&mut self) {
        let begin = self.ends.last().copied().unwrap_or_default();
        let end = begin + self.chunk[begin..].trim_end_matches(['!', '|', '+']).len();
        self.chunk.truncate(end);
        if end > begin {
            self.ends.push(end);
        }
    }

    fn end_chunk(&mut self) {
        self.end_word();
        let mut chunk = std::mem::take(&mut self.chunk);
        let mut ends = std::mem::take(&mut self.ends);
        if ends.len() > 1 && chunk.len() <= DISGUISED && self.words.has(&chunk) {
            self.emit(&chunk);
        } else {
            let mut begin = 0;
            for end in ends.iter().copied() {
                self.emit(&chunk[begin..end]);
                begin = end;
            }
        }
        chunk.clear();
        ends.clear();
        (self.chunk, self.ends) = (chunk, ends);
        if let Some(stop) = self.stop.take() {
            match self.run.last_mut() {
                Some((_, after)) => *after = after.filter(|after| *after == '.').or(Some(stop)),
                None => self.write_stop(stop),
            }
        }
    }

    fn emit(&mut self, word: &str) {
        if is_plain(word) && word.chars().nth(1).is_some() {
            self.end_run();
            return self.write(word);
        }
        let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        // `17yo` is a number and a word, and `1st` no word that is disguised.
        let digits = bare.find(|c: char| !c.is_ascii_digit()).unwrap_or(bare.len());
        let ordinal = digits > 0 && matches!(&bare[digits..], "st" | "nd" | "rd" | "th");
        let mut letters = bare.chars();
        match (letters.next(), letters.next()) {
            (None, _) => {}
            (Some(c), None) if c.is_alphabetic() || !self.run.is_empty() && c.is_ascii_digit() => {
                self.run.push((c, None));
            }
            (Some(_), None) => {
                self.end_run();
                self.write(&bare);
            }
            _ => {
                let read = read(word, self.words).or_else(|| read(&bare, self.words)).filter(|_| !ordinal);
                if let Some(read) = read {
                    self.end_run();
                    self.write(&read);
                } else if digits > 0 && digits < bare.len() {
                    self.emit(&bare[..digits]);
                    self.emit(&bare[digits..]);
                } else {
                    self.end_run();
                    self.write(&calm(&bare));
                }
            }
        }
    }

    fn end_run(&mut self) {
        let mut run = std::mem::take(&mut self.run);
        let spelled = run.iter().rposition(|(c, _)| c.is_alphabetic()).map_or(0, |at| at + 1);
        let word: String = run[..spelled].iter().map(|(c, _)| c).collect();
        let letters = run.iter().filter(|(c, _)| c.is_alphabetic()).count();
        let digits = letters < spelled;
        let read = if letters < 2 { None } else { read(&word, self.words) };
        if read.is_some() && digits || letters >= SPELLED && !digits {
            match read {
                Some(read) => self.write(&read),
                None => self.write(&calm(&word)),
            }
            let stop = run.get(spelled - 1).and_then(|(_, stop)| *stop);
            stop.into_iter().for_each(|stop| self.write_stop(stop));
            run.drain(..spelled);
        }
        for (c, stop) in run.drain(..) {
            self.write(c.encode_utf8(&mut [0; 4]));
            stop.into_iter().for_each(|stop| self.write_stop(stop));
        }
        self.run = run;
    }

    fn write(&mut self, word: &str) {
        if !word.is_empty() {
            self.out.text.push(' ');
            self.out.starts.push(u32::try_from(self.out.text.len()).unwrap_or(u32::MAX));
            self.out.text.push_str(word);
        }
    }

    fn write_stop(&mut self, stop: char) {
        if !self.out.text.is_empty() && !self.out.text.ends_with(" .") {
            self.write(if stop == '.' { "." } else { "," });
        }
    }

    fn finish(mut self) -> Plain {
        self.end_chunk();
        self.end_run();
        self.out.text.push(' ');
        self.out
    }
}

/// Letters only, and none of them three times in a row; or digits only.
fn is_plain(word: &str) -> bool {
    let bytes = word.as_bytes();
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits > 0 {
        return digits == bytes.len();
    }
    word.chars().all(char::is_alphabetic) && !bytes.windows(3).any(|w| w[0] == w[1] && w[1] == w[2])
}

/// The word of `words` that a disguised one stands for.
fn read(word: &str, words: &Words) -> Option<String> {
    let word = &at_most(word, 3);
    if word.len() > DISGUISED {
        return None;
    }
    [word.clone(), letters(word, 'i'), letters(word, 'l')].iter().find_map(|word| {
        let runs = stretched(word);
        // Each run of one letter is tried short and double.
        (0..1_u32 << runs.min(RUNS)).map(|doubles| shorten(word, doubles)).find(|tried| words.has(tried))
    })
}

/// Digits and signs that stand for letters.
fn letters(word: &str, one: char) -> String {
    word.chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | '!' | '|' => one,
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' | '+' => 't',
            '8' => 'b',
            '9' => 'g',
            _ => c,
        })
        .collect()
}

/// How many times a letter stands three times or more in a row.
fn stretched(word: &str) -> usize {
    runs(word).filter(|(_, length)| *length >= 3).count()
}

/// Stretched letters once, or twice where the bit of their run is set.
fn shorten(word: &str, doubles: u32) -> String {
    let mut nth = 0;
    let mut out = String::with_capacity(word.len());
    for (c, length) in runs(word) {
        let kept = if length < 3 {
            length
        } else {
            nth += 1;
            // Only so many are tried double: `doubles` has a bit for each of them.
            1 + usize::from(nth <= RUNS && doubles >> (nth - 1) & 1 == 1)
        };
        out.extend(std::iter::repeat_n(c, kept));
    }
    out
}

/// Of each run of one letter so many.
fn at_most(word: &str, count: usize) -> String {
    runs(word).flat_map(|(c, length)| std::iter::repeat_n(c, length.min(count))).collect()
}

/// Stretched letters twice.
fn calm(word: &str) -> String {
    let most = |c: char| if c.is_ascii_digit() { usize::MAX } else { 2 };
    runs(word).flat_map(|(c, length)| std::iter::repeat_n(c, length.min(most(c)))).collect()
}

fn runs(word: &str) -> impl Iterator<Item = (char, usize)> + '_ {
    let mut rest = word.chars().peekable();
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let mut length = 1;
        while rest.next_if_eq(&c).is_some() {
            length += 1;
        }
        Some((c, length))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vocabulary::VOCABULARY;

    fn plain(text: &str) -> String {
        normalise(text, &VOCABULARY.words).text.trim().to_owned()
    }

    #[test]
    fn disguises_fall_off() {
        for disguised in [
            "child",
            "CHILD",
            "ch1ld",
            "c h i l d",
            "c.h.i.l.d",
            "çhîld",
            "сhіld",
            "ch\u{200B}ild",
            "chiiiild",
            "ch!ld",
            "c-h-i-l-d",
            "chi-ld",
            "ｃｈｉｌｄ",
            "𝓬𝓱𝓲𝓵𝓭",
            "c h 1 l d",
            "ⓒⓗⓘⓛⓓ",
            "c\u{301}hild",
        ] {
            assert_eq!(plain(disguised), "child", "{disguised}");
        }
    }

    #[test]
    fn letters_of_any_script_are_read_alike() {
        assert_eq!(plain("s t i l l"), "still");
        assert_eq!(plain("ф и л ь м"), "фильm");
        // With a sign at the first of them or without.
        assert_eq!(plain("Щ$ 0 a a a"), plain("щ 0 a a a"));
    }

    #[test]
    fn ordinary_words_stay_what_they_are() {
        assert_eq!(plain("I'm 17, she is 17yo."), "im 17 , she is 17 yo .");
        assert_eq!(plain("L'enfant, 1st of 3."), "enfant , 1 st of 3 .");
        assert_eq!(plain("The b C-3PO ate 10% of it"), "the b c 3 po ate 10 of it");
        assert_eq!(plain("fünf Straßen"), "funf strassen");
    }

    #[test]
    fn long_words_are_read_in_no_time_and_break_nothing() {
        for word in ["aaa1bbb2ccc3ddd4", "aaabbb", "a1", "1a", "a.", "a!", "1", "a", "é", "ch1ld"] {
            let begun = std::time::Instant::now();
            plain(&word.repeat(4_000));
            assert!(begun.elapsed().as_secs() < 5, "{word}: {:?}", begun.elapsed());
        }
        // A disguise that is stretched stays one.
        assert_eq!(plain(&format!("c{}1l{}", "h".repeat(400), "d".repeat(400))), "child");
    }

    proptest! {
        #[test]
        fn nothing_breaks_on_long_words(text in "([a-c1-3!.]{0,400}|(aaa|bbb|111|é){0,100})") {
            plain(&text);
        }

        /// What is taken in one go comes to what it comes to sign by sign.
        #[test]
        fn usual_words_are_read_as_all_others_are(
            parts in prop::collection::vec(
                prop_oneof!["[a-zA-Z]{1,6}", "[aA]{1,4}", "[ .,?!'\n*\"(1é]{1,3}", "child", "c h i l d", Just(" ".to_owned())],
                0..24,
            )
        ) {
            let text = parts.concat();
            let mut writer = Writer::new(&VOCABULARY.words, text.len());
            text.chars().for_each(|c| writer.take_any(c));
            prop_assert_eq!(normalise(&text, &VOCABULARY.words), writer.finish());
        }

        #[test]
        fn what_is_normal_stays_so(text in "([a-zA-Z0-9@$!|'., \\-]{0,40}|\\PC{0,40}|[saexc3h1ild .]{0,30})") {
            let once = plain(&text);
            prop_assert_eq!(plain(&once), once);
        }
    }
}
