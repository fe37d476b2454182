//! All combinations of what layers can say, and a small model of what must come of each, written without the runner.

use super::support::*;
use crate::*;

/// What a floor may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floor {
    None,
    Plain,
    Kept,
}

/// What the structure may doubt of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubted {
    No,
    Plain,
    Named,
    /// Lifted when the unit after it is vouched for.
    ByInner,
    /// Claims to have inner units, and has none.
    ByNothing,
    NamedOrInner,
}

/// What the rules may say of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruled {
    No,
    Allow(Strength),
    Ask,
    Deny,
}

/// One combination. Of two units the first is the outer one.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub units: usize,
    pub trust: Floor,
    pub doubted: Doubted,
    pub deny: bool,
    /// The ask list: no, yes, kept.
    pub ask: Floor,
    pub paths: Floor,
    pub rules: [Ruled; 2],
    pub allow: [Option<Strength>; 2],
    pub mode: Mode,
    pub headless: bool,
}

const FLOORS: [Floor; 3] = [Floor::None, Floor::Plain, Floor::Kept];
const STRENGTHS: [Strength; 3] = [Strength::Broad, Strength::Narrow, Strength::Named];
const ALLOWS: [Option<Strength>; 4] = [None, Some(Strength::Broad), Some(Strength::Narrow), Some(Strength::Named)];

fn rules() -> impl Iterator<Item = Ruled> + Clone {
    [Ruled::No, Ruled::Ask, Ruled::Deny].into_iter().chain(STRENGTHS.map(Ruled::Allow))
}

/// Every combination for no unit and for one unit.
pub fn flat(mut visit: impl FnMut(Spec)) {
    let doubts = [Doubted::No, Doubted::Plain, Doubted::Named, Doubted::ByNothing];
    for units in [0, 1] {
        for trust in FLOORS {
            for doubted in doubts {
                for deny in [false, true] {
                    for ask in FLOORS {
                        for paths in FLOORS {
                            for rule in rules() {
                                for allow in ALLOWS {
                                    for mode in MODES {
                                        for headless in [false, true] {
                                            let (rules, allow) = ([rule, Ruled::No], [allow, None]);
                                            visit(Spec { units, trust, doubted, deny, ask, paths, rules, allow, mode, headless });
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Every combination for a wrapper and what it runs, in approve mode with a person at hand.
pub fn nested(mut visit: impl FnMut(Spec)) {
    let doubts = [Doubted::No, Doubted::Plain, Doubted::Named, Doubted::ByInner, Doubted::ByNothing, Doubted::NamedOrInner];
    for doubted in doubts {
        for paths in FLOORS {
            for trust in [Floor::None, Floor::Plain] {
                for ask in [Floor::None, Floor::Plain] {
                    for outer in rules() {
                        for inner in rules() {
                            for a in ALLOWS {
                                for b in ALLOWS {
                                    let (rules, allow, mode) = ([outer, inner], [a, b], Mode::Approve);
                                    let (units, deny, headless) = (2, false, false);
                                    visit(Spec { units, trust, doubted, deny, ask, paths, rules, allow, mode, headless });
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Spec {
    fn subjects(&self) -> usize {
        self.units.max(1)
    }

    fn subject(&self, i: usize) -> Subject {
        if self.units == 0 { Subject::Call } else { Subject::Unit(i) }
    }

    /// What the layers say: trust of the call; the structure of the outer, the paths and the ask list of the last unit.
    pub fn votes(&self) -> Vec<(Stage, Votes)> {
        let (first, last) = (self.subject(0), self.subject(self.subjects() - 1));
        let mut out = Vec::new();
        let mut put = |stage, votes: Votes| out.push((stage, votes));
        if self.trust != Floor::None {
            put(Stage::Trust, vec![vote(Subject::Call, floor(self.trust == Floor::Kept), "trust")]);
        }
        let lift = match self.doubted {
            Doubted::No => None,
            Doubted::Plain => Some((None, false)),
            Doubted::Named => Some((None, true)),
            Doubted::ByInner => Some((Some(vec![1]), false)),
            Doubted::ByNothing => Some((Some(Vec::new()), false)),
            Doubted::NamedOrInner => Some((Some(vec![1]), true)),
        };
        if let Some((vouched, named)) = lift {
            let say = Say::Floor { doubt: doubt("<wrapper>", vouched, named), kept: false };
            put(Stage::Structure, vec![vote(first, say, "structure")]);
        }
        if self.deny {
            put(Stage::Deny, vec![vote(last, Say::Deny, "deny")]);
        }
        if self.ask != Floor::None {
            put(Stage::Ask, vec![vote(last, Say::Ask { kept: self.ask == Floor::Kept }, "ask")]);
        }
        if self.paths != Floor::None {
            put(Stage::Paths, vec![vote(last, floor(self.paths == Floor::Kept), "paths")]);
        }
        let mut ruled = Vec::new();
        let mut allowed = Vec::new();
        for i in 0..self.subjects() {
            let say = match self.rules[i] {
                Ruled::No => None,
                Ruled::Allow(s) => Some(Say::Allow(s)),
                Ruled::Ask => Some(Say::Ask { kept: false }),
                Ruled::Deny => Some(Say::Deny),
            };
            ruled.extend(say.map(|s| vote(self.subject(i), s, "rules")));
            allowed.extend(self.allow[i].map(|s| vote(self.subject(i), Say::Allow(s), "allow")));
        }
        put(Stage::Rules, ruled);
        put(Stage::Allow, allowed);
        out
    }

    /// Every layer's vote, a grant, and a host whose own dialog asks the person.
    pub fn decide(&self) -> Decision {
        let builder = voting(self.votes()).grant(Grant).authority(Fixed::answering(Stage::Human, Answer::HandOver));
        decide_with(builder, &call_of(self.units, self.headless), &mode(self.mode), script(self.units))
    }

    pub fn denied(&self) -> bool {
        self.deny || self.rules.iter().take(self.subjects()).any(|r| *r == Ruled::Deny)
    }

    /// The strength with which rules and tiers allow a unit, floors apart; nothing when they do not.
    fn strength(&self, i: usize) -> Option<Strength> {
        match self.rules[i] {
            Ruled::Ask | Ruled::Deny => None,
            Ruled::Allow(s) => Some(self.allow[i].map_or(s, |a| a.max(s))),
            Ruled::No => self.allow[i],
        }
    }

    /// Does the outer unit's doubt stay?
    pub fn doubt_stays(&self) -> bool {
        let last = self.subjects() - 1;
        let listed_outer = self.ask != Floor::None && last == 0;
        let named = self.units > 0 && !listed_outer && self.strength(0) == Some(Strength::Named) && !(self.deny && last == 0);
        let clean = self.trust == Floor::None && self.paths == Floor::None && self.ask == Floor::None && !self.deny;
        let inner = self.units == 2 && clean && matches!(self.strength(1), Some(Strength::Narrow | Strength::Named));
        match self.doubted {
            Doubted::No => false,
            Doubted::Plain | Doubted::ByNothing => true,
            Doubted::Named => !named,
            Doubted::ByInner => !inner,
            Doubted::NamedOrInner => !named && !inner,
        }
    }

    pub fn kept(&self) -> bool {
        [self.trust, self.ask, self.paths].contains(&Floor::Kept)
    }

    /// Is there anything to answer?
    pub fn open(&self) -> bool {
        let uncovered = (0..self.subjects()).any(|i| self.strength(i).is_none());
        let floored = self.trust != Floor::None || self.paths != Floor::None || self.doubt_stays();
        uncovered || floored || self.ask != Floor::None || self.mode == Mode::Strict
    }

    /// What must come of it.
    pub fn expected(&self) -> Outcome {
        match (self.denied(), self.open(), self.mode) {
            (true, ..) => Outcome::Deny,
            (_, false, _) => Outcome::Allow,
            (_, _, Mode::Yolo) => {
                if self.kept() {
                    Outcome::Deny
                } else {
                    Outcome::Allow
                }
            }
            _ => {
                if self.headless {
                    Outcome::Deny
                } else {
                    Outcome::Ask
                }
            }
        }
    }
}
