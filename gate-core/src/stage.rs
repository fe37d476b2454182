//! The one order. A stage says where a layer stands and what it may say there; registration order means nothing.

use serde::Serialize;

/// A place in the order, in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Cancelled turns, malformed or oversized calls, faults of layers. The runner itself stands here.
    Boundary,
    /// What the settings snapshot found: rejected sources, unapproved project files.
    Trust,
    /// What was not understood in the script; wrappers.
    Structure,
    /// Deny list, hard-deny, denied paths, whole-command deny.
    Deny,
    /// The ask list.
    Ask,
    /// Protected and sensitive paths, places outside the project.
    Paths,
    /// Ordered rules, last match wins, per unit.
    Rules,
    /// The tiers that vouch: working directory, allow list, command tree, catalogue, read-only tools.
    Allow,
    /// A stored approval of this session answers the question.
    Approval,
    /// Yolo answers the question.
    Grant,
    /// The model answers the question.
    Classifier,
    /// A person answers the question, or the host is told to ask one.
    Human,
    /// The parent session of a sub-agent answers the question.
    Parent,
    /// Hears the decision.
    Observe,
}

/// What a layer at a stage may say. Anything else is a fault of the layer, and a fault is a deny.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit {
    /// May vote deny.
    pub deny: bool,
    /// May vote ask.
    pub ask: bool,
    /// May vote allow.
    pub allow: bool,
    /// May put a floor.
    pub floor: bool,
    /// May answer a question.
    pub answer: bool,
}

impl Stage {
    /// What this stage's row of the order permits.
    #[must_use]
    pub const fn permits(self) -> Permit {
        let none = Permit { deny: false, ask: false, allow: false, floor: false, answer: false };
        match self {
            Self::Boundary | Self::Deny => Permit { deny: true, ..none },
            Self::Trust | Self::Structure | Self::Paths => Permit { floor: true, ..none },
            Self::Ask => Permit { ask: true, ..none },
            Self::Rules => Permit { deny: true, ask: true, allow: true, ..none },
            Self::Allow => Permit { allow: true, ..none },
            Self::Approval | Self::Grant | Self::Classifier | Self::Human | Self::Parent => Permit { answer: true, ..none },
            Self::Observe => none,
        }
    }

    /// The stages whose layers vote, in order.
    pub const VOTING: [Self; 7] = [Self::Trust, Self::Structure, Self::Deny, Self::Ask, Self::Paths, Self::Rules, Self::Allow];
    /// The stages whose layers answer a question, in order.
    pub const ANSWERING: [Self; 5] = [Self::Approval, Self::Grant, Self::Classifier, Self::Human, Self::Parent];
}
