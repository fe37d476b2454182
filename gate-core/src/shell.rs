//! The seams between shell analysis and the catalogue, so that neither crate needs the other.

use crate::{Script, Sentinel, ShellKind, Word};

/// What the command inside a wrapper is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InnerCommand {
    /// These words are run (`timeout 5 CMD ARGS`; appended arguments of `xargs` as unknown words).
    Words(Vec<Word>),
    /// This word is a script text for that shell (`bash -c '…'`).
    Script {
        /// The text.
        text: Word,
        /// The shell that reads it.
        shell: ShellKind,
    },
    /// Standard input is a script for that shell (`bash -s`, bare `bash` at the end of a pipe).
    Stdin(ShellKind),
    /// A script file of that shell or interpreter is run.
    File(Word),
    /// Something runs that cannot be known from the words.
    Hidden,
}

/// One command inside a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inner {
    /// What runs.
    pub command: InnerCommand,
    /// The name of the floor, `<indirection-bash-wrapper>` or `<opaque-bash-wrapper>`.
    pub sentinel: Sentinel,
    /// The floor is lifted when every inner unit is vouched for.
    pub transparent: bool,
    /// The floor is lifted when a specific allow entry names the wrapper.
    pub named: bool,
    /// The folder in which the inner command runs, when an option of the wrapper names one.
    pub moved: Option<Word>,
    /// The inner command runs on another machine or in a container: its paths are not ours.
    pub elsewhere: bool,
}

/// Where a wrapper's inner command stands. Implemented by the catalogue of gate-rules.
pub trait WrapperGrammar: Send + Sync {
    /// The commands that a program started with these words would run; empty when it is no wrapper.
    fn unwrap_command(&self, words: &[Word]) -> Vec<Inner>;
}

/// Knows no wrapper.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWrappers;

impl WrapperGrammar for NoWrappers {
    fn unwrap_command(&self, _: &[Word]) -> Vec<Inner> {
        Vec::new()
    }
}

/// What a parse may use besides the text.
#[derive(Clone, Copy)]
pub struct ParseContext<'a> {
    /// Which shell reads the text.
    pub shell: ShellKind,
    /// What `~` and `$HOME` stand for; `None`: not known.
    pub home: Option<&'a str>,
    /// What `$PWD` stands for until the script moves; `None`: not known.
    pub cwd: Option<&'a str>,
    /// Where wrappers keep their inner commands.
    pub wrappers: &'a dyn WrapperGrammar,
}

/// Parses a shell text. Implemented by gate-ast.
pub trait ParseShell: Send + Sync {
    /// Never fails and never panics: what is not understood is a doubt of the script.
    fn parse(&self, text: &str, context: &ParseContext<'_>) -> Script;
}
