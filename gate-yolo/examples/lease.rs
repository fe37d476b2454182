//! Yolo for half an hour, used alone: no runner, no settings file. `cargo run -p gate-yolo --example lease`

use gate_core::{Ask, Mode, Reason, Subject};
use gate_yolo::{Lease, verdict};

fn main() {
    let lease = Lease { since: 1_700_000_000, minutes: Some(30) };
    let ask = |text: &str, kept| Ask {
        subject: Subject::Call,
        reason: Reason::new("open", text),
        matched: None,
        sentinel: None,
        open: true,
        kept,
    };
    for minutes in [0, 29, 30] {
        let now = lease.since + minutes * 60;
        let mode = if lease.active(now) { Mode::Yolo } else { Mode::Auto };
        println!("after {minutes} minutes, {:?} seconds left", lease.remaining(now));
        println!("  a push:            {:?}", verdict(mode, &[ask("this sends", false)]));
        println!("  the gate's own file: {:?}", verdict(mode, &[ask("this changes the gate's settings", true)]));
    }
}
