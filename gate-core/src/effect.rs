//! What a unit does, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One kind of thing that a unit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[repr(u16)]
pub enum Effect {
    /// Looks at local state.
    Reads = 1,
    /// Creates or overwrites local files.
    Writes = 2,
    /// Changes local state that is not a plain file write: an index, a database, a running service.
    Changes = 4,
    /// Receives from the network without changing anything there.
    Fetches = 8,
    /// Sends to the network, or changes something there.
    Sends = 16,
    /// Runs other code: scripts, build files, plugins, hooks.
    Runs = 32,
    /// Loses what cannot be had back.
    Destroys = 64,
    /// Shows secrets.
    Reveals = 128,
    /// Gains rights.
    Escalates = 256,
}

impl Effect {
    /// All effects, mildest first.
    pub const ALL: [Self; 9] =
        [Self::Reads, Self::Writes, Self::Changes, Self::Fetches, Self::Sends, Self::Runs, Self::Destroys, Self::Reveals, Self::Escalates];

    /// The name used in settings, families and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Changes => "changes",
            Self::Fetches => "fetches",
            Self::Sends => "sends",
            Self::Runs => "runs",
            Self::Destroys => "destroys",
            Self::Reveals => "reveals",
            Self::Escalates => "escalates",
        }
    }

    /// The effect of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name() == name)
    }
}

/// A set of effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effects(pub u16);

impl Effects {
    /// No effect at all.
    pub const NONE: Self = Self(0);

    /// The set with that one effect.
    #[must_use]
    pub const fn of(effect: Effect) -> Self {
        Self(effect as u16)
    }
    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// Is the effect in the set?
    #[must_use]
    pub const fn has(self, effect: Effect) -> bool {
        self.0 & effect as u16 != 0
    }
    /// Adds an effect.
    pub const fn add(&mut self, effect: Effect) {
        self.0 |= effect as u16;
    }
    /// Is there no effect?
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// The effects, mildest first.
    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL.into_iter().filter(move |e| self.has(*e))
    }
}

impl Serialize for Effects {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.iter().map(Effect::name))
    }
}

/// Where an effect lands. When several fit, the last one of this list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Inside the project.
    Project,
    /// A folder for temporary files.
    Temp,
    /// The user's home, outside the project.
    Home,
    /// Folders of the operating system.
    System,
    /// Anywhere else, or not known.
    Outside,
    /// Keys, credentials, tokens, histories (`gate-rules/paths.toml`).
    Sensitive,
    /// Files that make programs run something (`gate-rules/paths.toml`).
    Protected,
    /// The gate's and the agents' own controls: settings, approvals, hooks.
    Control,
}

impl Place {
    /// The name used in settings and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Temp => "temp",
            Self::Home => "home",
            Self::System => "system",
            Self::Outside => "outside",
            Self::Sensitive => "sensitive",
            Self::Protected => "protected",
            Self::Control => "control",
        }
    }
}
