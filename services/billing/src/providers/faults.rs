//! How the sandbox misbehaves when it is told to, as providers on the internet do: webhooks that are lost,
//! late, doubled and out of order.

use std::{str::FromStr, time::Duration};

use rand::Rng as _;

/// Shares are between 0 and 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Faults {
    /// Share of webhooks that come twice.
    pub repeat: f64,
    /// Share that others overtake.
    pub reorder: f64,
    /// Share of deliveries that are lost, and tried again.
    pub fail: f64,
    /// How late every webhook is.
    pub delay: Duration,
}

/// How much later a webhook is that others overtake.
const OVERTAKEN: Duration = Duration::from_millis(1_500);

impl Faults {
    /// How late the next webhook is.
    pub fn lateness(&self) -> Duration {
        let overtaken =
            if chance(self.reorder) { OVERTAKEN.mul_f64(rand::rng().random()) } else { Duration::ZERO };
        self.delay + overtaken
    }

    pub fn repeats(&self) -> bool {
        chance(self.repeat)
    }

    pub fn loses(&self) -> bool {
        chance(self.fail)
    }
}

fn chance(share: f64) -> bool {
    share > 0.0 && rand::rng().random_bool(share)
}

impl FromStr for Faults {
    type Err = String;

    /// `repeat=0.5,reorder=0.5,delay_ms=500,fail=0.2`, in any order; what is absent does not happen.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut faults = Self::default();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is not name=value"))?;
            let share = || match value.parse::<f64>() {
                Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
                _ => Err(format!("`{name}` is a share between 0 and 1")),
            };
            match name {
                "repeat" => faults.repeat = share()?,
                "reorder" => faults.reorder = share()?,
                "fail" => faults.fail = share()?,
                "delay_ms" => {
                    let millis =
                        value.parse().map_err(|_| "`delay_ms` is a number of milliseconds".to_owned())?;
                    faults.delay = Duration::from_millis(millis);
                }
                other => return Err(format!("there is no fault `{other}`")),
            }
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_and_what_is_absent_does_not_happen() {
        let faults: Faults = "repeat=0.5, delay_ms=20".parse().expect("well formed");
        assert_eq!(faults, Faults { repeat: 0.5, delay: Duration::from_millis(20), ..Faults::default() });
        assert_eq!("".parse::<Faults>(), Ok(Faults::default()));
        for wrong in ["repeat=2", "repeat", "explode=1", "delay_ms=soon"] {
            wrong.parse::<Faults>().expect_err(wrong);
        }
    }
}
