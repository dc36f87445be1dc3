//! Signatures of the addresses of pictures, as media gives them.

/// When it ends (Unix seconds) and what proves it, of `exp=…&sig=…`; of nothing, what an unsigned address has.
#[must_use]
pub fn parts(query: &str) -> (i64, String) {
    let part = |name: &str| {
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default()
    };
    (part("exp").parse().unwrap_or_default(), part("sig").to_owned())
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn a_signature_is_taken_apart() {
        assert_eq!(parts("exp=17&sig=ab_c"), (17, "ab_c".to_owned()));
        assert_eq!(parts(""), (0, String::new()));
    }
}
