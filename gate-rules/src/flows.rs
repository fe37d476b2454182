//! What flows from one unit of a script into another: downloaded or decoded text that is run, secrets that are sent.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use gate_core::{AccessMode, Analysis, Assessment, Effect, Nesting, Piece, Place, Script, Stdin, Unit, UnitId, Word, path};

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

/// What may flow out of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matter {
    Download,
    Decoded,
    /// A file that holds a secret.
    SecretFile,
    /// Another secret: a variable, what a program prints.
    Secret,
}

const MATTERS: [Matter; 4] = [Matter::Download, Matter::Decoded, Matter::SecretFile, Matter::Secret];

/// The first unit from which each matter comes.
#[derive(Clone, Copy, Debug, Default)]
struct First([Option<UnitId>; 4]);

impl First {
    fn note(&mut self, matter: Matter, from: UnitId) {
        if let Some(slot) = self.0.get_mut(matter as usize) {
            slot.get_or_insert(from);
        }
    }
    fn of(&self, matter: Matter) -> Option<UnitId> {
        self.0.get(matter as usize).copied().flatten()
    }
}

/// The flows of a script, in the order of the units where they end. At most one for each end, matter and way: the time
/// grows with the script, not with its square.
#[must_use]
pub fn flows(script: &Script, analysis: &Analysis) -> Vec<Flow> {
    let mut g = Graph {
        script,
        analysis,
        pipes: HashMap::new(),
        substituted: HashMap::new(),
        files: HashMap::new(),
        variables: HashMap::new(),
        any: First::default(),
        feeds_shell: vec![false; script.units.len()],
    };
    let n = script.units.len().min(analysis.units.len());
    for i in 0..n {
        g.source(i);
    }
    if g.any.0.iter().all(Option::is_none) {
        return Vec::new();
    }
    g.saved();
    g.shells();
    let mut out = Vec::new();
    for to in 0..n {
        g.arrivals(to, &mut out);
    }
    out
}

struct Graph<'a> {
    script: &'a Script,
    analysis: &'a Analysis,
    /// By pipeline: the earliest stage out of which a matter comes, and from which unit.
    pipes: HashMap<usize, [Option<(usize, UnitId)>; 4]>,
    /// By unit: what the substitutions among its words bring.
    substituted: HashMap<UnitId, First>,
    /// By path, and by the name as written: what was saved there.
    files: HashMap<String, First>,
    /// By variable: what its value brings.
    variables: HashMap<&'a str, First>,
    any: First,
    /// Units of which an inner command runs standard input.
    feeds_shell: Vec<bool>,
}

/// Does it read a file with a secret?
fn reads_secret_file(a: &Assessment) -> bool {
    a.accesses.iter().any(|x| x.mode == AccessMode::Read && x.place == Place::Sensitive && !(x.maybe && x.glob))
}

fn decodes(a: &Assessment) -> bool {
    a.notes.iter().any(|n| n.code.ends_with("/decodes"))
}

fn matter(a: &Assessment) -> Option<Matter> {
    match a {
        a if a.downloads => Some(Matter::Download),
        a if decodes(a) => Some(Matter::Decoded),
        _ => None,
    }
}

fn secret(a: &Assessment) -> Option<Matter> {
    match a {
        a if reads_secret_file(a) => Some(Matter::SecretFile),
        a if a.effects.has(Effect::Reveals) => Some(Matter::Secret),
        _ => None,
    }
}

fn sends(a: &Assessment) -> bool {
    a.effects.has(Effect::Sends) || a.effects.has(Effect::Fetches)
}

/// The name of a file as it is compared with words.
fn plain(name: &str) -> &str {
    name.trim_start_matches("./")
}

impl<'a> Graph<'a> {
    fn unit(&self, i: UnitId) -> Option<(&'a Unit, &'a Assessment)> {
        Some((self.script.units.get(i)?, self.analysis.units.get(i)?))
    }

    /// The units around one, itself first.
    fn around(&self, i: UnitId) -> impl Iterator<Item = (UnitId, &'a Unit)> + use<'a> {
        let units = &self.script.units;
        std::iter::successors(Some(i), move |i| units.get(*i)?.parent.filter(|p| p < i)).filter_map(move |i| Some((i, units.get(i)?)))
    }

    /// Notes where the output of a unit goes.
    fn source(&mut self, i: UnitId) {
        let Some((u, a)) = self.unit(i) else { return };
        for m in [matter(a), secret(a)].into_iter().flatten() {
            self.any.note(m, i);
            for (_, part) in self.around(i) {
                for pipe in self.script.stages(part) {
                    self.stage(m, pipe.pipeline, pipe.index, i)
                }
                // A substitution feeds the words of the unit around it.
                if matches!(part.nesting, Nesting::CommandSubstitution | Nesting::ProcessSubstitution)
                    && let Some(parent) = part.parent
                {
                    self.substituted.entry(parent).or_default().note(m, i)
                }
            }
            if u.nesting == Nesting::CommandSubstitution
                && let Some(holder) = u.parent.and_then(|p| self.script.units.get(p))
            {
                for s in holder.assignments.iter().filter(|s| !s.name.is_empty()) {
                    self.variables.entry(&s.name).or_default().note(m, i)
                }
            }
        }
    }

    fn stage(&mut self, m: Matter, pipeline: usize, index: usize, from: UnitId) {
        if let Some(slot) = self.pipes.entry(pipeline).or_default().get_mut(m as usize)
            && slot.is_none_or(|(first, _)| index < first)
        {
            *slot = Some((index, from))
        }
    }

    /// Notes the files that sources write, and those that later stages of their pipelines write (`curl … | tee x`).
    fn saved(&mut self) {
        for (i, (u, a)) in self.script.units.iter().zip(&self.analysis.units).enumerate() {
            let mut brings: Vec<(Matter, UnitId)> = matter(a).map(|m| (m, i)).into_iter().collect();
            for pipe in self.script.stages(u) {
                let Some(stages) = self.pipes.get(&pipe.pipeline) else { continue };
                let earlier =
                    MATTERS.iter().zip(stages).filter_map(|(m, s)| s.filter(|(at, _)| *at < pipe.index).map(|(_, from)| (*m, from)));
                brings.extend(earlier)
            }
            for w in a.accesses.iter().filter(|x| x.mode == AccessMode::Write) {
                for (m, from) in &brings {
                    for name in w.path.as_deref().into_iter().chain([plain(&w.shown)]) {
                        self.files.entry(name.to_owned()).or_default().note(*m, *from)
                    }
                }
            }
        }
    }

    fn shells(&mut self) {
        for (i, _) in self.analysis.units.iter().enumerate().filter(|(_, a)| a.runs_stdin) {
            for (at, u) in self.around(i) {
                if let Some(f) = self.feeds_shell.get_mut(at) {
                    *f = true
                }
                if !matches!(u.nesting, Nesting::Wrapped | Nesting::ShellText) {
                    break;
                }
            }
        }
    }

    /// What flows into a unit.
    fn arrivals(&self, to: UnitId, out: &mut Vec<Flow>) {
        let Some((u, a)) = self.unit(to) else { return };
        let begun = out.len();
        let mut push = |kind, from, way: String| out.push(Flow { kind, from, to, way });
        let runs = |m| if m == Matter::Download { FlowKind::DownloadRun } else { FlowKind::DecodeRun };
        let fed = self.feeds_shell.get(to).copied().unwrap_or(false);
        let text = self.runs_text(u, a);
        for m in MATTERS {
            let is_secret = matches!(m, Matter::SecretFile | Matter::Secret);
            let piped = self.around(to).flat_map(|(_, part)| self.script.stages(part)).find_map(|pipe| {
                let (index, from) = (*self.pipes.get(&pipe.pipeline)?.get(m as usize)?)?;
                (index < pipe.index).then_some(from)
            });
            let substituted = self.substituted_into(to, m);
            if is_secret {
                if secret(a) == Some(m) && a.effects.has(Effect::Sends) {
                    push(FlowKind::SecretSent, to, "arguments".to_owned())
                }
                if sends(a) {
                    for (from, way) in [(piped, "pipe"), (substituted, "substitution"), (self.variable(u, m), "variable")] {
                        if let Some(from) = from.filter(|f| *f != to) {
                            push(FlowKind::SecretSent, from, way.to_owned())
                        }
                    }
                }
                continue;
            }
            match (piped, substituted) {
                (Some(from), _) if fed => push(runs(m), from, "pipe".to_owned()),
                (_, Some(from)) if text => push(runs(m), from, "substitution".to_owned()),
                _ => {
                    if let Some((from, path)) = self.file(u, a, to, m) {
                        push(runs(m), from, format!("file {path}"))
                    }
                }
            }
        }
        if a.effects.has(Effect::Sends) && !out.iter().skip(begun).any(|f| f.kind == FlowKind::SecretSent) {
            let near = [Matter::SecretFile, Matter::Secret].iter().filter_map(|m| self.any.of(*m)).filter(|from| *from < to).min();
            if let Some(from) = near {
                out.push(Flow { kind: FlowKind::SecretNearSender, from, to, way: "same call".to_owned() })
            }
        }
    }

    /// What a substitution among its words brings, or among those of the unit of which it is the inner command.
    fn substituted_into(&self, to: UnitId, m: Matter) -> Option<UnitId> {
        for (at, u) in self.around(to) {
            let found = self.substituted.get(&at).and_then(|f| f.of(m));
            if found.is_some() && (at == to || !u.words.is_empty()) {
                return found;
            }
            if !matches!(u.nesting, Nesting::Wrapped | Nesting::ShellText) {
                break;
            }
        }
        None
    }

    /// Does the unit run a text or a file that stands in its words?
    fn runs_text(&self, u: &Unit, a: &Assessment) -> bool {
        a.runs_stdin
            || a.effects.has(Effect::Runs)
            || matches!(u.program().map(path::name), Some("eval" | "source" | "." | "bash" | "sh" | "zsh" | "dash" | "ksh"))
            || u.program().is_none() && !u.words.is_empty()
    }

    /// A file with that matter that the unit runs.
    fn file(&self, u: &Unit, a: &Assessment, to: UnitId, m: Matter) -> Option<(UnitId, String)> {
        let saved = |name: &str| self.files.get(name).and_then(|f| f.of(m)).filter(|from| *from < to);
        for x in &a.accesses {
            if (x.mode == AccessMode::Execute || a.effects.has(Effect::Runs) || a.runs_stdin)
                && let Some(from) = x.path.as_deref().and_then(saved)
            {
                return Some((from, x.shown.clone()));
            }
        }
        let shell = matches!(u.program().map(path::name), Some("source" | "." | "bash" | "sh" | "zsh" | "dash" | "ksh"));
        let first = u.words.first().and_then(Word::literal).filter(|p| plain(p).len() > 2);
        let others = u.words.iter().skip(1).filter(|_| shell).filter_map(Word::literal);
        first.into_iter().chain(others).find_map(|w| saved(plain(w)).map(|from| (from, w.to_owned())))
    }

    /// A variable with that matter stands in the words.
    fn variable(&self, u: &Unit, m: Matter) -> Option<UnitId> {
        if self.variables.is_empty() {
            return None;
        }
        let stdin = match &u.stdin {
            Stdin::Text(w) => Some(w),
            _ => None,
        };
        let sources = u.words.iter().chain(stdin).flat_map(|w| &w.pieces).filter_map(|p| match p {
            Piece::Unknown { source, .. } => Some(source.as_str()),
            _ => None,
        });
        sources
            .flat_map(|s| s.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
            .find_map(|name| self.variables.get(name).and_then(|f| f.of(m)))
    }
}
