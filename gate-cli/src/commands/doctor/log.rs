//! Is the log the user's alone?

use std::os::unix::fs::MetadataExt;

use super::Check;
use crate::setup::Setup;

const NAME: &str = "log";

pub(super) fn private(setup: &Setup) -> Vec<Check> {
    let folder = setup.places.state_dir.join("log");
    let file = folder.join("decisions.jsonl");
    let me = rustix::process::geteuid().as_raw();
    for path in [&folder, &file] {
        let shown = path.display();
        let Ok(found) = std::fs::symlink_metadata(path) else { continue };
        if found.is_symlink() {
            return vec![Check::bad(NAME, format!("{shown} is a symbolic link, so that nothing is logged"), format!("rm {shown}"))];
        }
        if found.uid() != me {
            return vec![Check::bad(
                NAME,
                format!("{shown} belongs to user id {}", found.uid()),
                format!("sudo chown \"$(id -u)\" {shown}"),
            )];
        }
        if found.mode() & 0o077 != 0 {
            return vec![Check::bad(NAME, format!("other users can read {shown}"), format!("chmod go-rwx {shown}"))];
        }
    }
    let wanted = setup.loaded.snapshot.tuning.log.decisions;
    vec![Check::good(NAME, if wanted { file.display().to_string() } else { "not written".to_owned() })]
}
