//! Password, devices and the second step of a login.

mod grpc;
pub mod two_step;

use kit::error::Failure;

use crate::limits;

/// The rule of a changed password (specification, section 5): narrower than that of a sign-up.
const RULE: &str =
    "Password must include an uppercase character and a number, and be at least 8 characters long.";

/// # Errors
/// The literal text of the rule.
fn check_changed(password: &str) -> Result<(), Failure> {
    let plain = password.bytes().all(|b| b.is_ascii_alphanumeric() || b"@$!%*#?&".contains(&b));
    let long = (limits::PASSWORD_MIN..=limits::PASSWORD_MAX).contains(&password.len());
    let upper = password.bytes().any(|b| b.is_ascii_uppercase());
    let digit = password.bytes().any(|b| b.is_ascii_digit());
    if plain && long && upper && digit { Ok(()) } else { Err(Failure::invalid("newPassword", RULE)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_password_keeps_to_the_alphabet() {
        for good in ["Abcdefg1", "A1@$!%*#?&"] {
            assert!(check_changed(good).is_ok(), "{good}");
        }
        for bad in ["Abcdef1", "abcdefg1", "Abcdefgh", "Abcdefg1 ", "Abcdefg1-", "Äbcdefg1", &"A1".repeat(65)]
        {
            assert_eq!(check_changed(bad).expect_err(bad).fields[0].1, RULE);
        }
    }
}
