//! What can be bought, as data (specification, section 9).

mod grpc;

use proto::billing::v1 as pb;

/// A plan that somebody can be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    Free,
    Premium,
    Deluxe,
}

/// How long one payment lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    Monthly,
    Yearly,
}

/// What a plan costs and gives. Prices in minor units of [`CURRENCY`].
#[derive(Debug)]
pub struct Details {
    pub plan: Plan,
    pub name: &'static str,
    pub monthly: i64,
    pub yearly: i64,
    pub messages_per_month: u32,
    pub coins_per_month: u32,
    /// Unless the operator says otherwise: [`Memory`].
    memory_tokens: u32,
    /// `{messages}`, `{coins}` and `{memory}` stand for the numbers above.
    perks: &'static [&'static str],
}

/// Tokens that a character reads for each reply, by plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct Memory {
    /// Tokens of prompt and reply on the free plan.
    #[arg(id = "memory_tokens_free", long = "memory-tokens-free", env = "MEMORY_TOKENS_FREE", default_value_t = PLANS[0].memory_tokens)]
    pub free: u32,
    /// The same on Premium.
    #[arg(id = "memory_tokens_premium", long = "memory-tokens-premium", env = "MEMORY_TOKENS_PREMIUM", default_value_t = PLANS[1].memory_tokens)]
    pub premium: u32,
    /// The same on Deluxe.
    #[arg(id = "memory_tokens_deluxe", long = "memory-tokens-deluxe", env = "MEMORY_TOKENS_DELUXE", default_value_t = PLANS[2].memory_tokens)]
    pub deluxe: u32,
}

impl Default for Memory {
    fn default() -> Self {
        let [free, premium, deluxe] = PLANS.each_ref().map(|plan| plan.memory_tokens);
        Self { free, premium, deluxe }
    }
}

impl Memory {
    pub fn of(self, plan: Plan) -> u32 {
        match plan {
            Plan::Free => self.free,
            Plan::Premium => self.premium,
            Plan::Deluxe => self.deluxe,
        }
    }
}

/// ISO 4217.
pub const CURRENCY: &str = "USD";

pub const PLANS: [Details; 3] = [
    Details {
        plan: Plan::Free,
        name: "Free",
        monthly: 0,
        yearly: 0,
        messages_per_month: 0,
        coins_per_month: 0,
        memory_tokens: 2_048,
        perks: &["Chats of up to 20 messages", "Every public character"],
    },
    Details {
        plan: Plan::Premium,
        name: "Premium",
        monthly: 900,
        yearly: 9_900,
        messages_per_month: 5_000,
        coins_per_month: 400,
        memory_tokens: 4_096,
        perks: &[
            "{messages} messages a month",
            "{coins} free coins a month",
            "Chat history",
            "Custom characters",
            "Creator badge",
        ],
    },
    Details {
        plan: Plan::Deluxe,
        name: "Deluxe",
        monthly: 1_400,
        yearly: 14_900,
        messages_per_month: 20_000,
        coins_per_month: 1_200,
        memory_tokens: 8_192,
        perks: &[
            "{messages} messages a month",
            "{coins} free coins a month",
            "{memory}K memory",
            "Custom images",
            "Your images are drawn first",
            "Voice, soon",
            "Pictures in chat, soon",
        ],
    },
];

/// A code that lowers the first payment, once per account.
#[derive(Debug)]
pub struct Promotion {
    pub code: &'static str,
    /// 1 to 100.
    pub percent_off: i64,
}

pub const PROMOTIONS: [Promotion; 1] = [Promotion { code: "SPOOKYSZN", percent_off: 70 }];

/// The promotion a person means, whatever the case and blanks around it.
pub fn promotion(typed: &str) -> Option<&'static Promotion> {
    PROMOTIONS.iter().find(|p| p.code.eq_ignore_ascii_case(typed.trim()))
}

impl Plan {
    pub fn details(self) -> &'static Details {
        &PLANS[self as usize]
    }

    /// As stored and told in events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Premium => "premium",
            Self::Deluxe => "deluxe",
        }
    }

    pub fn parse(text: &str) -> Self {
        match text {
            "premium" => Self::Premium,
            "deluxe" => Self::Deluxe,
            _ => Self::Free,
        }
    }

    /// A plan that can be bought.
    pub fn from_proto(plan: pb::Plan) -> Option<Self> {
        match plan {
            pb::Plan::Premium => Some(Self::Premium),
            pb::Plan::Deluxe => Some(Self::Deluxe),
            pb::Plan::Free | pb::Plan::Unspecified => None,
        }
    }

    pub fn to_proto(self) -> pb::Plan {
        match self {
            Self::Free => pb::Plan::Free,
            Self::Premium => pb::Plan::Premium,
            Self::Deluxe => pb::Plan::Deluxe,
        }
    }
}

/// Where a change of plan leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Same,
    /// Paid for and there at once.
    Up,
    /// Waits for the end of what was paid.
    Down,
}

/// Upwards is a higher plan, or a longer period of the same one.
pub fn step(from: (Plan, Period), to: (Plan, Period)) -> Step {
    match to.cmp(&from) {
        std::cmp::Ordering::Equal => Step::Same,
        std::cmp::Ordering::Greater => Step::Up,
        std::cmp::Ordering::Less => Step::Down,
    }
}

impl Period {
    /// How many months it has.
    pub fn months(self) -> u32 {
        match self {
            Self::Monthly => 1,
            Self::Yearly => 12,
        }
    }

    pub fn from_proto(period: pb::Period) -> Option<Self> {
        match period {
            pb::Period::Monthly => Some(Self::Monthly),
            pb::Period::Yearly => Some(Self::Yearly),
            pb::Period::Unspecified => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
        }
    }

    pub fn parse(text: &str) -> Self {
        if text == "yearly" { Self::Yearly } else { Self::Monthly }
    }

    pub fn to_proto(self) -> pb::Period {
        match self {
            Self::Monthly => pb::Period::Monthly,
            Self::Yearly => pb::Period::Yearly,
        }
    }
}

/// As people read it: `20,000`.
fn grouped(number: u32) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

impl Details {
    /// What it offers, in words; the numbers are those that hold.
    pub fn perks(&self, memory: Memory) -> Vec<String> {
        let told = |perk: &&str| {
            perk.replace("{messages}", &grouped(self.messages_per_month))
                .replace("{coins}", &grouped(self.coins_per_month))
                .replace("{memory}", &(memory.of(self.plan) / 1_024).to_string())
        };
        self.perks.iter().map(told).collect()
    }

    pub fn price(&self, period: Period) -> i64 {
        match period {
            Period::Monthly => self.monthly,
            Period::Yearly => self.yearly,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_plan_finds_its_own_details() {
        for plan in [Plan::Free, Plan::Premium, Plan::Deluxe] {
            assert_eq!(plan.details().plan, plan);
            assert_eq!(Plan::parse(plan.as_str()), plan);
        }
    }

    #[test]
    fn a_higher_plan_or_a_longer_period_is_up() {
        use Period::{Monthly, Yearly};
        let (premium, deluxe) = (Plan::Premium, Plan::Deluxe);
        for (from, to, expected) in [
            ((premium, Monthly), (premium, Monthly), Step::Same),
            ((premium, Monthly), (premium, Yearly), Step::Up),
            ((premium, Yearly), (deluxe, Monthly), Step::Up),
            ((premium, Monthly), (deluxe, Yearly), Step::Up),
            ((deluxe, Monthly), (premium, Yearly), Step::Down),
            ((deluxe, Yearly), (deluxe, Monthly), Step::Down),
        ] {
            assert_eq!(step(from, to), expected, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn what_a_plan_offers_is_told_with_its_numbers() {
        assert_eq!(
            Plan::Premium.details().perks(Memory::default())[..2],
            ["5,000 messages a month", "400 free coins a month"]
        );
        let deluxe = Plan::Deluxe.details().perks(Memory::default());
        assert_eq!(deluxe[..3], ["20,000 messages a month", "1,200 free coins a month", "8K memory"]);
    }

    #[test]
    fn a_code_is_known_whatever_its_case() {
        assert_eq!(promotion(" spookyszn ").map(|p| p.percent_off), Some(70));
        assert!(promotion("OTHER").is_none());
    }
}
