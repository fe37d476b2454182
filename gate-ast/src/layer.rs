//! The layer at stage Structure: doubts of the script and of its units become floors.

use async_trait::async_trait;
use gate_core::{Case, Doubt, Layer, Lift, Origin, Reason, Say, Stage, Subject, Vote, Votes, WrapperPolicy};

use crate::{INDIRECTION, OPAQUE};

/// Says what was not understood, and where something runs something else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Structure;

#[async_trait]
impl Layer for Structure {
    fn stage(&self) -> Stage {
        Stage::Structure
    }
    fn name(&self) -> &'static str {
        "structure"
    }
    async fn check(&self, case: &Case<'_>) -> Votes {
        let Some(script) = &case.script else { return Votes::new() };
        let call = script.doubts.iter().map(|d| vote(Subject::Call, d, case));
        let units = script.units.iter().enumerate().flat_map(|(i, u)| u.doubts.iter().map(move |d| vote(Subject::Unit(i), d, case)));
        call.chain(units).collect()
    }
}

fn vote(subject: Subject, doubt: &Doubt, case: &Case<'_>) -> Vote {
    let wrapper = doubt.sentinel == OPAQUE || doubt.sentinel == INDIRECTION;
    let mut doubt = doubt.clone();
    if wrapper && case.settings.wrappers == WrapperPolicy::Floor {
        doubt.lift = Lift::default()
    }
    let code = if wrapper { "wrapper" } else { "not_understood" };
    let reason = Reason::new(code, doubt.text.clone());
    let matched = Some(doubt.sentinel.to_string());
    Vote { subject, say: Say::Floor { doubt, kept: false }, reason, matched, origin: Origin::BuiltIn }
}
