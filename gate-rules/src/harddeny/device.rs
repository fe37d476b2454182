//! File systems, partition tables, raw writes to block devices, and fork bombs.

use super::{Hard, Line};

const CODE: &str = "hard-deny/device";
/// Beginnings of names of block devices.
const BLOCK: [&str; 14] = ["sd", "hd", "nvme", "mmcblk", "vd", "xvd", "disk", "rdisk", "dm-", "md", "loop", "mapper/", "sr", "zvol/"];

/// A block device by its path.
pub(super) fn is_block(path: &str) -> bool {
    path.strip_prefix("/dev/").is_some_and(|n| n.starts_with("disk/by-") || BLOCK.iter().any(|b| n.starts_with(b) && n.len() > b.len()))
}

pub(super) fn check(line: &Line<'_>) -> Option<Hard> {
    let device = |t: &&str| line.at.resolve(t).is_some_and(|p| is_block(&p));
    let operands = line.operands();
    let on_device = operands.iter().find(|t| device(t)).copied();
    let deny = |what: &str, t: &str| Some(Hard::new(CODE, format!("{what} is hard-denied: {t}")));
    let p = line.program;
    let makes = p == "mkfs" || p.starts_with("mkfs.") || p.starts_with("mke2fs") || matches!(p, "mkswap" | "mkdosfs" | "mkntfs" | "wipefs" | "blkdiscard" | "newfs");
    if makes {
        let reads = p == "wipefs" && !line.short('a') && !line.has(&["--all"]) && !line.short('o') || line.has(&["--help", "--version", "-V", "-h"]);
        return if reads { None } else { on_device.and_then(|t| deny("making or wiping a file system", t)) };
    }
    match p {
        "fdisk" | "sfdisk" | "cfdisk" | "gdisk" | "sgdisk" | "parted" => {
            let reads = ["-l", "--list", "-p", "--print", "-d", "--dump", "-s", "--show-size", "-v", "--verify", "-J", "--json"];
            let reads = if p == "parted" { ["-l", "--list", "-v", "--version", "-h", "--help"].as_slice() } else { reads.as_slice() };
            let prints = p == "parted" && operands.iter().any(|o| *o == "print");
            if line.has(reads) || prints { None } else { on_device.and_then(|t| deny("changing a partition table", t)) }
        }
        "dd" | "dcfldd" => line.words.iter().filter_map(|w| w.strip_prefix("of=")).find(|t| device(t)).and_then(|t| deny("raw writing to a block device", t)),
        "shred" | "tee" | "cp" | "mv" | "badblocks" | "pv" | "install" if p != "badblocks" || line.short('w') => {
            let to = if matches!(p, "cp" | "mv" | "install") { operands.last().copied().filter(|t| device(t)) } else { on_device };
            to.filter(|_| p != "pv").and_then(|t| deny("raw writing to a block device", t))
        }
        "hdparm" if line.options().any(|o| o.contains("security-erase") || o.contains("trim-sector") || o.contains("write-sector")) => deny("erasing a drive", "hdparm"),
        "nvme" if operands.first().is_some_and(|o| matches!(*o, "format" | "sanitize" | "write-zeroes")) => deny("erasing a drive", "nvme"),
        "diskutil" if operands.first().is_some_and(|o| {
            let o = o.to_lowercase();
            ["erase", "partition", "zero", "random", "secureerase", "reformat"].iter().any(|x| o.starts_with(x))
        }) || p == "diskutil" && operands.first() == Some(&"apfs") && operands.get(1).is_some_and(|o| o.to_lowercase().starts_with("delete")) =>
        {
            deny("erasing a drive", "diskutil")
        }
        "cryptsetup" if operands.first().is_some_and(|o| matches!(*o, "luksFormat" | "erase" | "luksErase" | "reencrypt")) => deny("making an encrypted volume over a device", "cryptsetup"),
        _ => None,
    }
}

/// `NAME(){ NAME|NAME& };NAME` in a text, whatever the name; and the loops of other languages.
pub(crate) fn fork_bomb(text: &str) -> bool {
    let flat: String = text.chars().filter(|c| !c.is_whitespace()).take(20_000).collect();
    let mut from = 0;
    while let Some(i) = flat.get(from..).and_then(|t| t.find("(){")).map(|i| i + from) {
        let before = flat.get(..i).unwrap_or("");
        let start = before.rfind([';', '&', '|', '(', '{', '}', '\'', '"']).map_or(0, |k| k + 1);
        let name = before.get(start..).unwrap_or("");
        let name = name.strip_prefix("function").filter(|n| !n.is_empty()).unwrap_or(name);
        let body = flat.get(i + 3..).unwrap_or("");
        let body = body.split('}').next().unwrap_or("");
        if !name.is_empty() && body.contains(&format!("{name}|{name}")) {
            return true;
        }
        from = i + 3;
    }
    ["forkwhilefork", "forkwhile1", "forkwhiletrue", "whileTrue:os.fork()", "while1:os.fork()", "loop{fork}", "fork{fork"].iter().any(|p| flat.contains(p))
}
