//! Commands that no agent runs: deletion of homes and systems, weakened TLS, persistence, platform security, file
//! systems and partition tables, and what switches the gate off.

use gate_core::{Case, Reason, Unit, Word, path};

use super::{deny, gate};
use crate::danger::block_device;
use crate::words::{Target, git, has, operands, options, program, target};

const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/private",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var",
    "/System",
    "/Library",
    "/Applications",
];
const TEMP: &[&str] = &["/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", "/var/folders", "/private/var/folders", "/tmp"];
/// Folders whose own removal is the removal of a machine or of other people's homes.
const ROOTS: &[&str] = &["/", "/home", "/Users", "/opt", "/root", "/srv", "/mnt", "/media", "/Volumes"];

pub(super) fn unit(case: &Case<'_>, unit: &Unit) -> Option<Reason> {
    let words = unit.words.as_slice();
    let name = program(words).to_ascii_lowercase();
    tls(unit, &name).or_else(|| super::network::unit(case, unit, &name)).or_else(|| match name.as_str() {
        "rm" => remove(case, unit).or_else(|| handed(case, unit)),
        "shred" | "unlink" | "srm" => handed(case, unit).or_else(|| disks(&name, words)),
        "cp" | "install" | "scp" | "mv" | "rsync" | "ln" => lands(case, unit),
        n if ["python", "perl", "ruby", "node", "php"].iter().any(|i| n.starts_with(i)) => deletes_by_code(case, words),
        "visudo" => Some(persistence()),
        "find" | "gfind" => find(case, unit),
        "chmod" | "chown" | "chgrp" => modes(case, unit),
        "crontab" => {
            (!options(words).any(|o| o.contains('l')) || options(words).any(|o| o.contains('r') || o.contains('e'))).then(persistence)
        }
        "at" | "batch" => (!options(words).any(|o| matches!(o, "-l" | "-c" | "-V"))).then(persistence),
        "launchctl" => first(words, &["load", "bootstrap", "enable", "submit"]).then(persistence),
        "systemctl" => first(words, &["enable", "disable", "mask", "link"]).then(persistence),
        "security" => first(words, &["add-trusted-cert", "authorizationdb"]).then(platform),
        "spctl" => options(words).any(|o| matches!(o, "--master-disable" | "--global-disable")).then(platform),
        "csrutil" => first(words, &["disable"]).then(platform),
        "ssh-copy-id" => Some(deny("hard/authorized-keys", "SSH authorized_keys modification")),
        "gate" => gate::switch(words),
        "killall" | "pkill" | "kill" | "apt" | "apt-get" | "dnf" | "yum" | "pacman" | "zypper" | "apk" | "snap" | "brew" | "port"
        | "npm" | "pnpm" | "yarn" | "bun" | "cargo" | "nix-env" | "mise" | "asdf" => gate::removed(&name, unit),
        "git" => git_control(case, unit),
        "dd" => copied(case, unit).or_else(|| disks(&name, words)),
        _ => disks(&name, words),
    })
}

fn persistence() -> Reason {
    deny("hard/persistence", "persistence or system service mutation")
}

fn platform() -> Reason {
    deny("hard/platform-security", "platform security weakening")
}

fn first(words: &[Word], names: &[&str]) -> bool {
    operands(words).first().and_then(|w| w.literal()).is_some_and(|t| names.contains(&t))
}

fn tls(unit: &Unit, name: &str) -> Option<Reason> {
    let words = unit.words.as_slice();
    let off = |n: &str, v: &str| match n {
        "NODE_TLS_REJECT_UNAUTHORIZED" | "PYTHONHTTPSVERIFY" => v == "0",
        "GIT_SSL_NO_VERIFY" => !matches!(v, "" | "0" | "false"),
        _ => false,
    };
    let assigned = unit.assignments.iter().any(|a| a.value.literal().is_some_and(|v| off(&a.name, v)));
    let passed = name == "env" && words.iter().filter_map(Word::literal).filter_map(|t| t.split_once('=')).any(|(n, v)| off(n, v));
    if assigned || passed {
        return Some(deny("hard/tls", "TLS verification weakening"));
    }
    match name {
        "curl" | "wget" | "wget2" => {
            let insecure = options(words).any(|o| {
                let long = o.split('=').next().unwrap_or(o);
                (long.len() > 6 && "--insecure".starts_with(long))
                    || long == "--proxy-insecure"
                    || (long.len() > 8 && "--no-check-certificate".starts_with(long))
                    || (name == "curl" && short_insecure(o))
            });
            insecure.then(|| deny("hard/tls", "certificate verification weakening"))
        }
        "npm" | "yarn" | "pnpm" => {
            let all: Vec<&str> = words.iter().skip(1).filter_map(Word::literal).collect();
            let sets = all.contains(&"set");
            let weak = all.windows(2).any(|w| matches!(w, ["strict-ssl", "false"] | ["cafile" | "ca", "null" | ""]))
                || all
                    .iter()
                    .any(|t| matches!(*t, "strict-ssl=false" | "cafile=null" | "ca=null" | "--strict-ssl=false" | "--no-strict-ssl"));
            (weak && (sets || all.iter().any(|t| t.starts_with("--")))).then(|| deny("hard/tls", "package-manager TLS weakening"))
        }
        "git" => {
            let texts: Vec<String> = words.iter().skip(1).filter_map(Word::literal).map(str::to_ascii_lowercase).collect();
            let falsy = |v: &str| matches!(v, "false" | "no" | "off" | "0");
            let option = texts.iter().any(|t| t.split_once('=').is_some_and(|(k, v)| k.ends_with("sslverify") && falsy(v)));
            let set = texts.iter().any(|t| t == "config")
                && texts.windows(2).any(|w| matches!(w, [k, v] if k.ends_with("sslverify") && falsy(v)));
            (option || set).then(|| deny("hard/tls", "git TLS verification weakening"))
        }
        _ => None,
    }
}

/// `-k` in a cluster, before the first letter that takes a value.
fn short_insecure(option: &str) -> bool {
    if option.starts_with("--") {
        return false;
    }
    option.chars().skip(1).take_while(|c| !"AbcCdDeEFhHKmoPQrtTuUwxXyYz".contains(*c)).any(|c| c == 'k')
}

/// A folder whose loss is the loss of a home or a system.
fn vital(case: &Case<'_>, at: &str, inside: bool) -> bool {
    let home = case.call.home.as_str();
    if ROOTS.contains(&at) {
        return true;
    }
    if at == home || path::within(home, at) {
        return true;
    }
    if path::within(at, home) {
        return false;
    }
    let other_home = ["/home/", "/Users/"].iter().any(|h| at.strip_prefix(h).is_some_and(|r| !r.is_empty() && !r.contains('/')));
    if other_home && !path::within(&case.call.project, at) {
        return true;
    }
    if path::within(at, &case.call.project) && at != case.call.project {
        return false;
    }
    SYSTEM.iter().any(|s| path::within(at, s)) && !TEMP.iter().any(|t| path::within(at, t) && (at != *t || inside))
}

fn remove(case: &Case<'_>, unit: &Unit) -> Option<Reason> {
    let words = unit.words.as_slice();
    if !has(words, "rR", &["recursive"]) || crate::danger::helps(words) {
        return None;
    }
    let hit = operands(words).into_iter().any(|w| match target(case, unit, w) {
        Target::At(p) => {
            vital(case, &p, false) || matches!(case.facts.resolve(&p), gate_core::Resolved::To(real) if vital(case, &real, false))
        }
        Target::Inside(p) => vital(case, &p, true),
        Target::Unknown => unknown_root(w, &case.call.home),
    });
    hit.then(deleted)
}

fn deleted() -> Reason {
    Reason {
        instead: Some("delete a folder inside the project".to_owned()),
        ..deny("hard/delete", "irreversible deletion of home/root/system paths")
    }
}

/// Files that are put into a folder keep their names: `cp settings.json FOLDER`, `cp -t FOLDER settings.json`.
fn lands(case: &Case<'_>, unit: &Unit) -> Option<Reason> {
    let words = unit.words.as_slice();
    let mut all = operands(words);
    let mut folder = None;
    for pair in words.windows(2) {
        let [o, value] = pair else { continue };
        if matches!(o.literal(), Some("-t" | "--target-directory")) {
            folder = Some(value.clone());
            all.retain(|w| *w != value);
        }
    }
    let glued = |w: &Word| ["--target-directory=", "-t"].iter().find_map(|p| w.prefix().strip_prefix(p).map(|_| p.len()));
    let folder = folder.or_else(|| words.iter().find_map(|w| w.without_prefix(glued(w).filter(|n| w.prefix().len() > *n)?)));
    let folder = match folder {
        Some(f) => f,
        None => all.pop()?.clone(),
    };
    let (Target::At(at) | Target::Inside(at)) = target(case, unit, &folder) else { return None };
    let names = all.into_iter().filter_map(Word::literal).map(|t| path::name(t.trim_end_matches('/')));
    names.into_iter().find_map(|n| super::file_write(case, &path::resolve(&at, n)))
}

/// The folders that a call moves away, replaces, covers or empties as a whole.
fn touched<'u>(unit: &'u Unit, name: &str) -> Vec<&'u Word> {
    let words = unit.words.as_slice();
    let all = operands(words);
    let last = all.len().saturating_sub(1);
    match name {
        // `mv -t FOLDER a b`: every operand is moved.
        "mv" => {
            let aimed = options(words).any(|o| o.starts_with("-t") || o.starts_with("--target-directory"));
            all.into_iter().take(if aimed { usize::MAX } else { last }).collect()
        }
        "rsync" => {
            let looks = has(words, "nh", &["dry-run", "list-only", "help"]);
            let empties = options(words).any(|o| o.starts_with("--del")) && !looks;
            all.into_iter().skip(last).filter(|_| empties).collect()
        }
        _ => all,
    }
}

/// Is a home or a system moved away, or emptied by a copy?
pub(crate) fn loses(case: &Case<'_>, unit: &Unit, name: &str) -> bool {
    touched(unit, name).into_iter().any(|w| match target(case, unit, w) {
        Target::At(p) => vital(case, &p, false),
        Target::Inside(p) => vital(case, &p, true),
        Target::Unknown => unknown_root(w, &case.call.home),
    })
}

/// Inline code that deletes a folder named in it.
fn deletes_by_code(case: &Case<'_>, words: &[Word]) -> Option<Reason> {
    const CALLS: [&str; 7] = ["rmtree", "rm_rf", "rm_r", "remove_dir_all", "rmSync", "rmdirSync", "remove_entry"];
    let vital_text = |t: &str| {
        let at = t.strip_prefix('~').map_or_else(|| t.to_owned(), |rest| format!("{}{rest}", case.call.home));
        at.starts_with('/') && vital(case, &path::resolve("/", &at), false)
    };
    // Code is not understood, so a person may be asked, where one is.
    let hit = crate::danger::strict(case)
        && words
            .iter()
            .skip(1)
            .filter_map(Word::literal)
            .filter(|t| CALLS.iter().any(|c| t.contains(c)))
            .any(|code| code.split(['"', '\'']).skip(1).step_by(2).any(vital_text));
    hit.then(deleted)
}

/// An operand with an unknown tail right below the root: `/$X` may be everything.
fn unknown_root(word: &Word, home: &str) -> bool {
    let p = word.prefix();
    p == "/" || p == home
}

fn find(case: &Case<'_>, unit: &Unit) -> Option<Reason> {
    let words = unit.words.as_slice();
    let deletes = words.iter().filter_map(Word::literal).any(|t| t == "-delete");
    let runs = words.windows(2).any(|w| matches!((w.first().and_then(Word::literal), w.get(1).and_then(Word::literal)), (Some("-exec" | "-execdir" | "-ok" | "-okdir"), Some(p)) if matches!(path::name(p), "rm" | "shred" | "unlink" | "rmdir" | "mv")));
    if !deletes && !runs {
        return None;
    }
    searches_vital(case, unit).then(|| deny("hard/delete", "system-wide delete"))
}

/// Does a search go through a whole home or system?
fn searches_vital(case: &Case<'_>, unit: &Unit) -> bool {
    let words = unit.words.as_slice();
    let roots: Vec<&Word> = words
        .iter()
        .skip(1)
        .skip_while(|w| matches!(w.literal(), Some("-H" | "-L" | "-P" | "-E" | "-X")))
        .take_while(|w| !w.prefix().starts_with(['-', '(', '!']))
        .collect();
    // A search limited to names inside a home is a clean-up, not the loss of the home.
    let limited =
        words.iter().filter_map(Word::literal).any(|t| matches!(t, "-name" | "-iname" | "-path" | "-mtime" | "-mmin" | "-size" | "-regex"));
    roots.iter().any(|w| match target(case, unit, w) {
        Target::At(p) | Target::Inside(p) => vital(case, &p, false) && !(p == case.call.home && limited),
        Target::Unknown => false,
    })
}

/// Files that a search before it in the pipeline hands to the program.
fn handed(case: &Case<'_>, unit: &Unit) -> Option<Reason> {
    let script = case.script.as_ref().filter(|_| unit.words.iter().any(Word::is_unknown))?;
    let own: Vec<gate_core::Pipe> = script.stages(unit).collect();
    let feeds = |u: &&Unit| script.stages(u).any(|p| own.iter().any(|q| p.pipeline == q.pipeline && p.index < q.index));
    let finds = |u: &Unit| matches!(program(&u.words), "find" | "gfind") && searches_vital(case, u);
    script.units.iter().filter(feeds).any(finds).then(deleted)
}

fn modes(case: &Case<'_>, unit: &Unit) -> Option<Reason> {
    let words = unit.words.as_slice();
    // `--re` could also be `--reference`, which both programs refuse.
    let recursive = has(words, "R", &[]) || options(words).any(|o| o.len() > 4 && "--recursive".starts_with(o));
    let all = operands(words);
    let mode = all.first().and_then(|w| w.literal()).unwrap_or_default();
    let opens = program(words) == "chmod"
        && (mode.len() >= 3 && mode.bytes().all(|b| b.is_ascii_digit()) && !mode.ends_with("00")
            || mode.contains("o+")
            || mode.contains("a+")
            || mode.contains("g+"));
    let hit = all.iter().skip(1).any(|w| match target(case, unit, w) {
        Target::At(p) | Target::Inside(p) => {
            let system = ["/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/System", "/Library", "/private/etc"]
                .iter()
                .any(|s| path::within(&p, s));
            let root = recursive && (p == "/" || p == case.call.home || path::within(&case.call.home, &p) || p == "/var");
            let ssh = path::within(&p, &format!("{}/.ssh", case.call.home)) && opens;
            system || root || ssh
        }
        Target::Unknown => false,
    });
    hit.then(|| deny("hard/permissions", "system or SSH permission mutation"))
}

/// Programs that make or break file systems and partition tables, aimed at a device.
fn disks(name: &str, words: &[Word]) -> Option<Reason> {
    let maker = name.starts_with("mkfs")
        || matches!(
            name,
            "mke2fs"
                | "mkswap"
                | "wipefs"
                | "blkdiscard"
                | "fdisk"
                | "sfdisk"
                | "cfdisk"
                | "gdisk"
                | "sgdisk"
                | "parted"
                | "cryptsetup"
                | "pvremove"
                | "mdadm"
                | "shred"
                | "hdparm"
                | "newfs"
                | "dd"
        );
    let looks = name == "wipefs" && !has(words, "ao", &["all", "offset"])
        || options(words).any(|o| matches!(o, "--test" | "--examine" | "--detail" | "-E" | "-D" | "--dry-run"))
        || options(words).any(|o| matches!(o, "-l" | "--list" | "-n" | "--no-act" | "-p" | "--print" | "-d" | "--dump" | "-i" | "-I"))
        || words.iter().filter_map(Word::literal).any(|t| matches!(t, "print" | "luksDump" | "status" | "isLuks"))
        || (name == "cryptsetup" && !words.iter().filter_map(Word::literal).any(|t| t == "luksFormat"))
        || (name == "hdparm" && !options(words).any(|o| o.starts_with("--security-erase")));
    let device = words
        .iter()
        .skip(1)
        .filter_map(Word::literal)
        .any(|t| block_device(t) && name != "dd" || t.strip_prefix("of=").is_some_and(block_device));
    let diskutil = name == "diskutil"
        && first(words, &["eraseDisk", "eraseVolume", "zeroDisk", "secureErase", "partitionDisk", "randomDisk", "reformat"]);
    ((maker && device && !looks) || diskutil).then(|| deny("hard/disk", "making or erasing a file system or partition table"))
}

/// `dd of=FILE` onto a file that is never written.
fn copied(case: &Case<'_>, unit: &Unit) -> Option<Reason> {
    let targets = unit.words.iter().filter(|w| w.prefix().starts_with("of=")).filter_map(|w| w.without_prefix(3));
    targets.into_iter().find_map(|w| match target(case, unit, &w) {
        Target::At(p) => super::file_write(case, &p),
        _ => None,
    })
}

fn git_control(case: &Case<'_>, unit: &Unit) -> Option<Reason> {
    let (sub, words) = git(&unit.words)?;
    if !matches!(sub, "checkout" | "restore" | "mv" | "rm" | "apply" | "stash") {
        return None;
    }
    let paths = crate::paths::Paths::new(case);
    let control = |p: &str| paths.control(p) || paths.holds_control(p, false);
    // `-C` moves where the operands start.
    let globals = unit.words.len().saturating_sub(words.len());
    let head: Vec<&str> = unit.words.iter().take(globals).map(|w| w.literal().unwrap_or("\u{1}")).collect();
    let moved = head.windows(2).filter_map(|w| if let ["-C", dir] = w { Some(*dir) } else { None });
    let here = crate::analysis::cwd_of(case, unit).map(|at| moved.fold(at, |at, dir| path::resolve(&at, dir)));
    let named = |w: &Word| match (w.literal(), &here) {
        (Some(text), Some(here)) => control(&path::resolve(here, text)),
        _ => matches!(target(case, unit, w), Target::At(p) if control(&p)),
    };
    let hit = here.as_deref().is_some_and(control) || operands(words).into_iter().any(named);
    hit.then(|| deny("hard/control", "auto-mode or permission safety-control modification"))
}
