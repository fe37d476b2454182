//! Reads replies. Strict where a reply lets something run: no wrapper, no fence, no extra key, no key twice.

use serde::Deserialize;
use serde_json::Value;

use crate::{Outcome, Risk, Tier};

/// The one-digit reply: `Some(false)` nothing against it, `Some(true)` needs a review, `None` anything else.
#[must_use]
pub fn fast(text: &str) -> Option<bool> {
    match text.trim() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// The structured review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Allow or deny, never ask.
    pub outcome: Outcome,
    /// Which part of the policy decided.
    pub tier: Tier,
    /// Why; not blank.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReview {
    decision: String,
    tier: String,
    reason: String,
}

/// The structured review: exactly one object with exactly the keys `decision`, `tier` and `reason`, each once, and a
/// tier that goes with the decision. `None` for everything else.
#[must_use]
pub fn detailed(text: &str) -> Option<Review> {
    let text = text.trim();
    if !(text.starts_with('{') && text.ends_with('}')) {
        return None;
    }
    // Keys are counted in the raw text: the derived reader refuses a repeated field as well, also one that is spelled
    // with escapes.
    if ["decision", "tier", "reason"].iter().any(|k| key_count(text, k) != 1) {
        return None;
    }
    let raw: RawReview = serde_json::from_str(text).ok()?;
    if raw.reason.trim().is_empty() {
        return None;
    }
    let (outcome, tier) = match (raw.decision.as_str(), raw.tier.as_str()) {
        ("allow", "allow") => (Outcome::Allow, Tier::Allow),
        ("allow", "explicit_intent") => (Outcome::Allow, Tier::ExplicitIntent),
        ("allow", "none") => (Outcome::Allow, Tier::None),
        ("block", "hard_deny") => (Outcome::Deny, Tier::HardDeny),
        ("block", "soft_deny") => (Outcome::Deny, Tier::SoftDeny),
        ("block", "none") => (Outcome::Deny, Tier::None),
        _ => return None,
    };
    Some(Review { outcome, tier, reason: raw.reason })
}

/// How often `"key"`, blanks and a colon stand in the text.
fn key_count(text: &str, key: &str) -> usize {
    let quoted = format!("\"{key}\"");
    text.match_indices(&quoted).filter(|(at, m)| text.get(at + m.len()..).is_some_and(|rest| rest.trim_start().starts_with(':'))).count()
}

/// The reply of the risk protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct RiskReply {
    /// What the model would do.
    pub outcome: Outcome,
    /// How risky it finds it.
    pub risk: Risk,
    /// Why.
    pub reason: String,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
}

/// The reply of the risk protocol, read tolerantly: what stands from the first `{` to the last `}`, whatever is around
/// it; values without case; `reason` and `score` for `reasoning` and `confidence`. `None` for two objects, a missing or
/// repeated field, or a value that means nothing.
#[must_use]
pub fn risk(text: &str) -> Option<RiskReply> {
    let object = text.get(text.find('{')?..=text.rfind('}')?)?;
    let fields: UniqueFields = serde_json::from_str(object).ok()?;
    let word = |v: &Value| v.as_str().map(|s| s.trim().to_ascii_lowercase());
    let outcome = match word(fields.get(&["outcome"])?)?.as_str() {
        "allow" => Outcome::Allow,
        "ask" => Outcome::Ask,
        "deny" => Outcome::Deny,
        _ => return None,
    };
    let risk = match word(fields.get(&["risk_level"])?)?.as_str() {
        "low" => Risk::Low,
        "medium" => Risk::Medium,
        "high" => Risk::High,
        _ => return None,
    };
    let reason = fields.get(&["reasoning", "reason"])?.as_str()?.to_owned();
    let confidence = match fields.get(&["confidence", "score"])? {
        Value::Number(n) => n.as_f64()?,
        Value::String(s) => s.trim().parse::<f64>().ok().filter(|n| n.is_finite())?,
        _ => return None,
    };
    Some(RiskReply { outcome, risk, reason, confidence: confidence.clamp(0.0, 1.0) })
}

/// The fields of an object; an object with a repeated one is refused.
struct UniqueFields(Vec<(String, Value)>);

impl UniqueFields {
    /// The one field of these names. Two of them at once mean nothing certain.
    fn get(&self, names: &[&str]) -> Option<&Value> {
        let mut found = self.0.iter().filter(|(k, _)| names.contains(&k.as_str()));
        let first = found.next()?;
        if found.next().is_some() { None } else { Some(&first.1) }
    }
}

impl<'de> Deserialize<'de> for UniqueFields {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> serde::de::Visitor<'de> for Fields {
            type Value = UniqueFields;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object without repeated fields")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<UniqueFields, A::Error> {
                let mut fields: Vec<(String, Value)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if fields.iter().any(|(k, _)| *k == key) {
                        return Err(serde::de::Error::custom("repeated field"));
                    }
                    fields.push((key, value));
                }
                Ok(UniqueFields(fields))
            }
        }
        d.deserialize_map(Fields)
    }
}
