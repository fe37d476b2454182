//! What flows from one unit of a script into another: downloaded or decoded text that is run, secrets that are sent.

use gate_core::{Access, AccessMode, Analysis, Assessment, Effect, Nesting, Piece, Place, Script, Stdin, Unit, UnitId, Word};

/// What flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// Text from the network is run.
    DownloadRun,
    /// Decoded text is run.
    DecodeRun,
    /// A secret reaches something that sends.
    SecretSent,
    /// A secret is read and something is sent in the same call, without a visible way between them.
    SecretNearSender,
}

/// One flow, from a unit to a unit (may be the same).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// What flows.
    pub kind: FlowKind,
    /// Where it starts.
    pub from: UnitId,
    /// Where it ends.
    pub to: UnitId,
    /// On which way, for people: `pipe`, `substitution`, `file PATH`, `arguments`, `same call`.
    pub way: String,
}

/// Every flow of a script.
#[must_use]
pub fn flows(script: &Script, analysis: &Analysis) -> Vec<Flow> {
    let g = Graph { script, analysis };
    let mut out = Vec::new();
    let n = script.units.len().min(analysis.units.len());
    let starts: Vec<UnitId> = (0..n).filter(|i| g.source(*i)).collect();
    for &from in &starts {
        for to in 0..n {
            g.pair(from, to, &mut out);
        }
    }
    out
}

struct Graph<'a> {
    script: &'a Script,
    analysis: &'a Analysis,
}

/// Does it read or show a secret?
fn reads_secret(a: &Assessment) -> bool {
    let read = |x: &Access| x.mode == AccessMode::Read && x.place == Place::Sensitive && !(x.maybe && x.glob);
    a.effects.has(Effect::Reveals) || a.accesses.iter().any(read)
}

fn decodes(a: &Assessment) -> bool {
    a.notes.iter().any(|n| n.code.ends_with("/decodes"))
}

fn sends(a: &Assessment) -> bool {
    a.effects.has(Effect::Sends) || a.effects.has(Effect::Fetches)
}

impl Graph<'_> {
    fn unit(&self, i: UnitId) -> Option<(&Unit, &Assessment)> {
        Some((self.script.units.get(i)?, self.analysis.units.get(i)?))
    }

    fn source(&self, i: UnitId) -> bool {
        self.unit(i).is_some_and(|(_, a)| a.downloads || decodes(a) || reads_secret(a))
    }

    fn pair(&self, from: UnitId, to: UnitId, out: &mut Vec<Flow>) {
        let (Some((fu, fa)), Some((tu, ta))) = (self.unit(from), self.unit(to)) else { return };
        let way = self.way(from, to);
        let mut push = |kind, way: String| out.push(Flow { kind, from, to, way });
        let by_pipe = way.as_deref() == Some("pipe");
        let saved = || self.file(fa, ta, fu, tu);
        if fa.downloads || decodes(fa) {
            let kind = if fa.downloads { FlowKind::DownloadRun } else { FlowKind::DecodeRun };
            let fed = by_pipe && (ta.runs_stdin || self.runs_stdin(to));
            let text = way.as_deref() == Some("substitution") && self.runs_text(to);
            if fed || text {
                push(kind, way.clone().unwrap_or_default());
            } else if from < to
                && let Some(path) = saved()
            {
                push(kind, format!("file {path}"));
            }
        }
        if reads_secret(fa) {
            if from == to {
                if ta.effects.has(Effect::Sends) {
                    push(FlowKind::SecretSent, "arguments".to_owned());
                }
            } else if sends(ta) && way.is_some() {
                push(FlowKind::SecretSent, way.unwrap_or_default());
            } else if sends(ta) && self.variable(fu, tu) {
                push(FlowKind::SecretSent, "variable".to_owned());
            } else if from < to && ta.effects.has(Effect::Sends) {
                push(FlowKind::SecretNearSender, "same call".to_owned());
            }
        }
    }

    /// The visible way of output of one unit into another: a later stage of a pipeline, or words.
    fn way(&self, from: UnitId, to: UnitId) -> Option<String> {
        let feeding = self.stages(from, true);
        let fed = self.stages(to, false);
        if feeding.iter().any(|(p, i)| fed.iter().any(|(q, j)| p == q && i < j)) {
            return Some("pipe".to_owned());
        }
        // A substitution feeds the words of the unit around it, and what that unit is part of.
        let mut at = from;
        for _ in 0..self.script.units.len() {
            let u = self.script.units.get(at)?;
            let parent = u.parent?;
            if matches!(u.nesting, Nesting::CommandSubstitution | Nesting::ProcessSubstitution) {
                let around = self.script.units.get(parent)?;
                if parent == to || self.inside(to, parent) && !around.words.is_empty() {
                    return Some("substitution".to_owned());
                }
                let onward = self.stages(parent, true);
                if onward.iter().any(|(p, i)| fed.iter().any(|(q, j)| p == q && i < j)) {
                    return Some("pipe".to_owned());
                }
            }
            at = parent;
        }
        None
    }

    /// The stages that a unit stands in, those of the units around it included. `output`: only as far as its output goes there.
    fn stages(&self, unit: UnitId, output: bool) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut at = Some(unit);
        for _ in 0..self.script.units.len() {
            let Some(u) = at.and_then(|i| self.script.units.get(i)) else { break };
            out.extend(u.pipe.map(|p| (p.pipeline, p.index)));
            if output && matches!(u.nesting, Nesting::CommandSubstitution | Nesting::ProcessSubstitution) {
                break;
            }
            at = u.parent;
        }
        out
    }

    /// Is the unit the inner command of the other, at any depth?
    fn inside(&self, unit: UnitId, around: UnitId) -> bool {
        let mut at = unit;
        for _ in 0..self.script.units.len() {
            match self.script.units.get(at) {
                Some(u) if matches!(u.nesting, Nesting::Wrapped | Nesting::ShellText) => match u.parent {
                    Some(p) if p == around => return true,
                    Some(p) => at = p,
                    None => return false,
                },
                _ => return false,
            }
        }
        false
    }

    /// Does a wrapper around it or a command inside it run standard input?
    fn runs_stdin(&self, unit: UnitId) -> bool {
        self.script.units.iter().enumerate().any(|(i, _)| (self.inside(i, unit)) && self.unit(i).is_some_and(|(_, a)| a.runs_stdin))
    }

    /// Does the unit run a text or a file that stands in its words?
    fn runs_text(&self, unit: UnitId) -> bool {
        let Some((u, a)) = self.unit(unit) else { return false };
        a.runs_stdin
            || a.effects.has(Effect::Runs)
            || matches!(u.program().map(gate_core::path::name), Some("eval" | "source" | "." | "bash" | "sh" | "zsh" | "dash" | "ksh"))
            || u.program().is_none() && !u.words.is_empty()
    }

    /// A file that one unit writes and the other runs.
    fn file(&self, fa: &Assessment, ta: &Assessment, fu: &Unit, tu: &Unit) -> Option<String> {
        let written = fa.accesses.iter().filter(|a| a.mode == AccessMode::Write);
        // Download pipelines save further on: `curl … | tee x`, `curl … | tar x`.
        let piped = self
            .script
            .units
            .iter()
            .zip(&self.analysis.units)
            .filter(|(u, _)| u.pipe.zip(fu.pipe).is_some_and(|(p, q)| p.pipeline == q.pipeline && p.index > q.index));
        let later: Vec<&Access> = piped.flat_map(|(_, a)| a.accesses.iter().filter(|x| x.mode == AccessMode::Write)).collect();
        let runs = |w: &Access| {
            let same = |x: &Access| x.path.is_some() && x.path == w.path;
            let executes =
                ta.accesses.iter().any(|x| same(x) && (x.mode == AccessMode::Execute || ta.effects.has(Effect::Runs) || ta.runs_stdin));
            let first = tu.words.first().and_then(Word::literal).is_some_and(|p| {
                let p = p.trim_start_matches("./");
                p.len() > 2 && (w.shown.trim_start_matches("./") == p || p.starts_with('/') && w.path.as_deref() == Some(p))
            });
            let shell = matches!(tu.program().map(gate_core::path::name), Some("source" | "." | "bash" | "sh" | "zsh" | "dash" | "ksh"))
                && tu
                    .words
                    .iter()
                    .skip(1)
                    .any(|x| x.literal().is_some_and(|t| t.trim_start_matches("./") == w.shown.trim_start_matches("./")));
            executes || first || shell
        };
        written.chain(later).find(|w| runs(w)).map(|w| w.shown.clone())
    }

    /// A variable that holds the output of one unit stands in the words of the other.
    fn variable(&self, fu: &Unit, tu: &Unit) -> bool {
        let Some(holder) = fu.parent.and_then(|p| self.script.units.get(p)).filter(|_| fu.nesting == Nesting::CommandSubstitution) else {
            return false;
        };
        let used = |name: &str, w: &Word| w.pieces.iter().any(|p| matches!(p, Piece::Unknown { source, .. } if source.contains(name)));
        holder.assignments.iter().any(|s| {
            !s.name.is_empty() && (tu.words.iter().any(|w| used(&s.name, w)) || matches!(&tu.stdin, Stdin::Text(w) if used(&s.name, w)))
        })
    }
}
