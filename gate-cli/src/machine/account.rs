//! The home of the account, from the user database: a changed `HOME` moves nothing.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gate_core::path;

/// Where there is no home, no settings are found and the defaults decide.
const NOBODY: &str = "/nonexistent";

/// The home of the user who runs this. `HOME` only where the database has no entry, and only when nobody but the system
/// can have made that folder.
#[must_use]
pub fn account_home() -> String {
    let known = from_database().or_else(|| std::env::var("HOME").ok().filter(|h| made_by_the_system(Path::new(h))));
    known.filter(|h| h.starts_with('/')).map_or_else(|| NOBODY.to_owned(), |h| path::resolve("/", &h))
}

#[cfg(target_os = "linux")]
fn from_database() -> Option<String> {
    let text = std::fs::read_to_string("/etc/passwd").ok()?;
    home_in(&text, rustix::process::geteuid().as_raw())
}

#[cfg(not(target_os = "linux"))]
fn from_database() -> Option<String> {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten()?;
    user.dir.to_str().map(ToOwned::to_owned)
}

#[cfg(any(test, target_os = "linux"))]
fn home_in(passwd: &str, uid: u32) -> Option<String> {
    let fields = passwd.lines().map(|l| l.split(':').collect::<Vec<_>>());
    let mut of_user = fields.filter(|f| f.get(2).and_then(|n| n.parse().ok()) == Some(uid));
    let home = of_user.next()?.get(5).map(|h| (*h).to_owned())?;
    home.starts_with('/').then_some(home)
}

/// A folder of this user in a folder in which this user can make none.
fn made_by_the_system(home: &Path) -> bool {
    let me = rustix::process::geteuid().as_raw();
    let above = home.parent().filter(|_| home.is_absolute()).and_then(|p| std::fs::symlink_metadata(p).ok());
    let own = std::fs::symlink_metadata(home).is_ok_and(|m| m.is_dir() && m.uid() == me);
    let closed = |m: &std::fs::Metadata| m.is_dir() && m.uid() != me && m.mode() & 0o022 == 0;
    own && above.is_some_and(|m| closed(&m))
}

#[cfg(test)]
mod tests {
    use super::{home_in, made_by_the_system};

    #[test]
    fn the_entry_of_the_user() {
        let text = "root:x:0:0:root:/root:/bin/sh\nu:x:1000:1000::/home/u:/bin/sh\nodd:x:1001:1001::relative:/bin/sh\nshort:x:1002\n";
        assert_eq!(home_in(text, 1000).as_deref(), Some("/home/u"));
        for nobody in [1001, 1002, 5] {
            assert_eq!(home_in(text, nobody), None, "{nobody}");
        }
    }

    #[test]
    fn a_home_that_anybody_can_make_does_not_count() {
        let made = std::env::temp_dir().join(format!("gate-home-{}", std::process::id()));
        std::fs::create_dir_all(&made).unwrap();
        assert!(!made_by_the_system(&made));
        assert!(!made_by_the_system(std::path::Path::new("relative")));
        std::fs::remove_dir(&made).unwrap();
    }
}
