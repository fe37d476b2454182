//! Real bash in a sealed jail: what does it run for a script? Owns the jail, the driver scripts and the trace reader;
//! judges nothing.
//!
//! The jail (bubblewrap, no network, no other process, read-only root) holds bash and its libraries only, and an empty
//! search path: every command that is no builtin "is not found", and a handler gives it the exit status that the
//! current mode wants, so that both arms of a condition are seen. `set -x` on a private descriptor with a marked
//! prompt prints each simple command after all expansions.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What bash did for one script, over all modes.
#[derive(Debug, Default, Clone)]
pub struct Truth {
    /// Every simple command after expansion, each once.
    pub argvs: BTreeSet<Vec<String>>,
    /// Files that appeared in the working directory.
    pub files: Vec<String>,
    /// Bash reported a syntax error.
    pub syntax: bool,
    /// Bash got as far as starting.
    pub ran: bool,
}

/// Exit statuses of unknown commands: bit i of the mode is the status of command `ci`.
const MODES: [u32; 4] = [0, 1023, 341, 682];

const PRELUDE: &str = r#"PATH=/nonexistent; export LC_ALL=C.UTF-8; FUNCNEST=30
command_not_found_handle() { local n=$1 i=0; [[ $n =~ ^c([0-9])$ ]] && i=${BASH_REMATCH[1]}; return $(( (WANT >> i) & 1 )); }
PS4=$'\x02\x03${FUNCNAME[0]-}\x03 '
BASH_XTRACEFD=250
set -x
"#;

const DRIVER: &str = r#"ulimit -t 1 -c 0 -f 2000
mapfile -d '' -t IN < /in/batch
for m in $MODES; do
for i in "${!IN[@]}"; do
  cd "/w/$i" || continue
  WANT=$m BASH_ENV=/in/prelude /sys-bash/bash -c "${IN[i]}" bash 250>"/t/$i.$m" </dev/null >/dev/null 2>"/t/$i.$m.err"
done
done
"#;

/// A prepared root folder with bash in it.
pub struct Jail {
    base: PathBuf,
    count: AtomicUsize,
}

impl Jail {
    /// Copies bash and its libraries below a fresh temporary folder.
    ///
    /// # Errors
    /// No bash, no bubblewrap, or the folder cannot be written.
    pub fn new() -> io::Result<Self> {
        let version = Command::new("bwrap").arg("--version").output();
        if !version.is_ok_and(|o| o.status.success()) {
            return Err(io::Error::other("bubblewrap (`bwrap`) is not installed"));
        }
        let base = std::env::temp_dir().join(format!("gate-oracle-{}", std::process::id()));
        let root = base.join("root");
        for dir in ["sys-bash", "dev", "in", "proc", "t", "tmp", "w"] {
            fs::create_dir_all(root.join(dir))?;
        }
        let bash = ["/bin/bash", "/usr/bin/bash"].into_iter().find(|p| Path::new(p).exists());
        let bash = bash.ok_or_else(|| io::Error::other("bash is not installed"))?;
        fs::copy(bash, root.join("sys-bash/bash"))?;
        let ldd = Command::new("ldd").arg(bash).output()?;
        for line in String::from_utf8_lossy(&ldd.stdout).lines() {
            let Some(lib) = line.split_whitespace().find(|w| w.starts_with('/')) else { continue };
            let target = root.join(lib.trim_start_matches('/'));
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::copy(lib, target)?;
        }
        let locale = Path::new("/usr/lib/locale/C.utf8");
        if locale.is_dir() {
            copy_dir(locale, &root.join("usr/lib/locale/C.utf8"))?;
        }
        let jail = Self { base, count: AtomicUsize::new(0) };
        let probe = jail.run(&["c1 works".to_owned()])?;
        match probe.first() {
            Some(t) if t.argvs.contains(&vec!["c1".to_owned(), "works".to_owned()]) => Ok(jail),
            _ => Err(io::Error::other("bubblewrap cannot make a jail here")),
        }
    }

    /// Runs every script in every mode.
    ///
    /// # Errors
    /// The jail cannot be started or its results cannot be read.
    pub fn run(&self, scripts: &[String]) -> io::Result<Vec<Truth>> {
        let run = self.base.join(format!("run-{}", self.count.fetch_add(1, Ordering::Relaxed)));
        for dir in ["in", "w", "t"] {
            fs::create_dir_all(run.join(dir))?;
        }
        fs::write(run.join("in/prelude"), PRELUDE)?;
        fs::write(run.join("in/driver"), DRIVER)?;
        let mut batch = Vec::new();
        for (i, s) in scripts.iter().enumerate() {
            batch.extend_from_slice(s.as_bytes());
            batch.push(0);
            fs::create_dir(run.join(format!("w/{i}")))?;
        }
        fs::write(run.join("in/batch"), batch)?;
        let modes = MODES.map(|m| m.to_string()).join(" ");
        let bind = |name: &str| run.join(name).display().to_string();
        let status = Command::new("timeout")
            .args(["-s", "KILL", "120", "bwrap", "--unshare-all", "--die-with-parent", "--clearenv"])
            .args(["--ro-bind", &self.base.join("root").display().to_string(), "/", "--dev", "/dev", "--tmpfs", "/tmp"])
            .args(["--ro-bind", &bind("in"), "/in", "--bind", &bind("w"), "/w", "--bind", &bind("t"), "/t"])
            .args(["--setenv", "MODES", &modes, "--setenv", "HOME", "/home/u"])
            .args(["--", "/sys-bash/bash", "--norc", "--noprofile", "/in/driver"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status?;
        let truths = (0..scripts.len()).map(|i| read_truth(&run, i)).collect();
        let _ = fs::remove_dir_all(&run);
        Ok(truths)
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.base);
    }
}

fn copy_dir(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_dir(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn read_truth(run: &Path, i: usize) -> Truth {
    let mut truth = Truth::default();
    for mode in MODES {
        if let Ok(bytes) = fs::read(run.join(format!("t/{i}.{mode}"))) {
            truth.ran = true;
            let part = bytes.get(..bytes.len().min(400_000)).unwrap_or_default();
            truth.argvs.extend(trace(&String::from_utf8_lossy(part)));
        }
        if let Ok(bytes) = fs::read(run.join(format!("t/{i}.{mode}.err"))) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            truth.syntax |= ["syntax error", "unexpected EOF", "unexpected end of file"].iter().any(|m| text.contains(m));
        }
    }
    if let Ok(dir) = fs::read_dir(run.join(format!("w/{i}"))) {
        truth.files = dir.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        truth.files.sort();
    }
    truth
}

/// The simple commands of a trace. Records begin with the marked prompt; bash prints conditions and loop heads too,
/// and assignments alone, which are none.
pub fn trace(text: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    for record in text.split('\u{2}').filter(|r| r.starts_with('\u{3}')) {
        let mut parts = record.splitn(3, '\u{3}');
        let (Some(_), Some(function), Some(body)) = (parts.next(), parts.next(), parts.next()) else { continue };
        if function == "command_not_found_handle" {
            continue;
        }
        let body = body.strip_prefix(' ').unwrap_or(body).trim_end_matches('\n');
        let head = ["[[ ", "(( ", "((", "for ", "case ", "select "];
        if head.iter().any(|h| body.starts_with(h)) || is_assignment(body) {
            continue;
        }
        if let Some(words) = unquote(body)
            && !words.is_empty()
        {
            out.push(words);
        }
    }
    out
}

fn is_assignment(body: &str) -> bool {
    let name: String = body.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let mut rest = body.get(name.len()..).unwrap_or_default();
    if rest.starts_with('[') {
        rest = rest.split_once(']').map_or("", |(_, r)| r);
    }
    rest.starts_with('=') || rest.starts_with("+=")
}

/// Reads back the quoting of `set -x`: bare, `'…'`, `$'…'` and `\c`.
pub fn unquote(text: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => {
                let w = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => w.push(c),
                    }
                }
            }
            '$' if chars.peek() == Some(&'\'') => {
                chars.next();
                ansi(&mut chars, word.get_or_insert_default())?;
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

fn ansi(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, word: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            '\'' => return Some(()),
            '\\' => match chars.next()? {
                'a' => word.push('\u{7}'),
                'b' => word.push('\u{8}'),
                'e' | 'E' => word.push('\u{1b}'),
                'f' => word.push('\u{c}'),
                'n' => word.push('\n'),
                'r' => word.push('\r'),
                't' => word.push('\t'),
                'v' => word.push('\u{b}'),
                d @ '0'..='7' => {
                    let mut n = d.to_digit(8)?;
                    for _ in 0..2 {
                        let Some(d) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                        chars.next();
                        n = n * 8 + d;
                    }
                    word.push(char::from_u32(n)?);
                }
                c => word.push(c),
            },
            c => word.push(c),
        }
    }
}
