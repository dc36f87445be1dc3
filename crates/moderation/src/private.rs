//! Numbers and addresses of people, found in the text as it was written.

use std::sync::LazyLock;

use regex::Regex;

/// What of the kind a text holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Private {
    pub card_number: bool,
    pub phone: bool,
    pub email: bool,
    pub street: bool,
}

/// Digits of the shortest telephone number with its prefix that is taken for one.
const PHONE_MIN: usize = 9;
const PHONE_MAX: usize = 15;

/// Digits with blanks, dots, hyphens and brackets between them.
static DIGITS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\+?\(?[0-9][0-9 .\-/()]{7,28}[0-9]").expect("the pattern compiles"));

/// An id (a UUID as text): digits of it can have the form of a number by chance, and are nobody's.
static ID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b").expect("the pattern compiles")
});

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b[a-z0-9][a-z0-9._%+-]*@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b")
        .expect("the pattern compiles")
});

/// A house: its number before or after the name of a street.
static STREET: LazyLock<Regex> = LazyLock::new(|| {
    let names = r"street|avenue|road|lane|boulevard|drive";
    let pattern = [
        r"(?i)\b[0-9]{1,4},? (?:[a-z'-]+ ){1,3}(?:",
        names,
        r")\b|\b[0-9]{1,4},? (?:rue|avenue|boulevard|place) (?:de |du |des |la |le |les |l')*[a-zà-ÿ'-]+",
        r"|\b[a-zà-ÿ-]{3,}(?:straat|laan|weg|straße|strasse|allee|platz|plein) [0-9]{1,4}\b",
        r"|\b(?:calle|avenida|plaza) (?:de |del |la |las |los |el )*[a-zà-ÿ-]+,? [0-9]{1,4}\b",
    ]
    .concat();
    Regex::new(&pattern).expect("the pattern compiles")
});

/// Looks only where there are digits or an `@`.
pub fn find(text: &str) -> Private {
    let mut found = Private::default();
    let (mut digits, mut at) = (0_usize, false);
    for byte in text.bytes() {
        digits += usize::from(byte.is_ascii_digit());
        at |= byte == b'@';
    }
    if digits >= PHONE_MIN {
        for run in DIGITS.find_iter(&ID.replace_all(text, "#")) {
            let number: Vec<u8> = run.as_str().bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect();
            found.card_number |= is_card(&number);
            found.phone |= is_phone(run.as_str(), &number);
        }
    }
    found.email = at && EMAIL.is_match(text);
    found.street = digits > 0 && STREET.is_match(text);
    found
}

/// 13 to 19 digits whose check digit is right (Luhn), as of the payment networks.
fn is_card(number: &[u8]) -> bool {
    if !(13..=19).contains(&number.len()) || !matches!(number[0], 2..=6) {
        return false;
    }
    let sum: u32 = number
        .iter()
        .rev()
        .enumerate()
        .map(|(at, &digit)| {
            let digit = u32::from(digit) << (at % 2);
            if digit > 9 { digit - 9 } else { digit }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// With a prefix (`+`, `0`, or groups as North America writes them).
fn is_phone(written: &str, number: &[u8]) -> bool {
    let groups: Vec<usize> =
        written.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|length| *length > 0).collect();
    let dates = groups.first() == Some(&4) && groups.get(1).is_some_and(|l| *l <= 2);
    (PHONE_MIN..=PHONE_MAX).contains(&number.len())
        && !dates
        && (written.starts_with('+')
            || written.trim_start_matches('(').starts_with('0') && groups.len() <= 6
            || groups == [3, 3, 4]
            || groups == [1, 3, 3, 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_people_are_told_from_other_numbers() {
        for phone in
            ["+32 470 12 34 56", "(555) 010-9999", "06 12 34 56 78", "0170 1234567", "+1-202-555-0143"]
        {
            assert!(find(phone).phone, "{phone}");
        }
        for other in
            ["2026-11-21 12:00", "1 000 000 000", "5 of 5 after 120 messages in 2026", "3.14159265358979"]
        {
            assert_eq!(find(other), Private::default(), "{other}");
        }
        // Ids whose digits have the form of a telephone number and of a card's.
        for id in ["01995123-4567-78a0-a1b2-c3d4e5f60718", "a9f3411e-4111-4111-1111-111112e5f607"] {
            assert_eq!(find(&format!("My page is /chats/{id}.")), Private::default(), "{id}");
        }
        assert!(find("4111 1111 1111 1111").card_number);
        assert!(!find("4111 1111 1111 1112").card_number, "its check digit is wrong");
    }
}
