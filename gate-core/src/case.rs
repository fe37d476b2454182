//! A call with all that is known about it.

use std::sync::OnceLock;

use crate::{Analysis, Call, Facts, Script, Settings};

/// A call with all that is known about it. Built by the caller; layers only read it.
pub struct Case<'a> {
    /// What the agent wants to do.
    pub call: &'a Call,
    /// The settings in force for this call.
    pub settings: &'a Settings,
    /// The parsed shell text; a shell call without one is denied.
    pub script: Option<Script>,
    /// Facts of the world.
    pub facts: &'a dyn Facts,
    analysis: OnceLock<Analysis>,
}

impl<'a> Case<'a> {
    /// A case. Shell calls need a script.
    #[must_use]
    pub const fn new(call: &'a Call, settings: &'a Settings, script: Option<Script>, facts: &'a dyn Facts) -> Self {
        Self { call, settings, script, facts, analysis: OnceLock::new() }
    }

    /// What the parts of the call do; computed by the first who asks.
    pub fn analysis(&self, compute: impl FnOnce(&Self) -> Analysis) -> &Analysis {
        self.analysis.get_or_init(|| compute(self))
    }

    /// The analysis, when somebody has asked for it already.
    #[must_use]
    pub fn known_analysis(&self) -> Option<&Analysis> {
        self.analysis.get()
    }
}
