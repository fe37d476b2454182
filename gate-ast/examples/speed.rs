//! Prints how long texts of several sizes take: `cargo run --release -p gate-ast --example speed`.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Instant;

fn main() {
    let twenty = "a -l x; b \"$y\" | c; ".repeat(10);
    let texts = [
        ("git status", "git status".to_owned()),
        ("20 commands", twenty),
        ("16 KB", "echo a $b \"c d\" | grep x > /dev/null\n".repeat(420)),
        ("32 KB", "echo a $b \"c d\" $(e f) 'long plain text to fill the line' abcdefghijklmnopqrstuvwxyz | grep x\n".repeat(330)),
    ];
    for (name, text) in texts {
        let rounds = (200_000 / text.len()).clamp(3, 2_000);
        let mut times: Vec<_> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                black_box(gate_ast::parse(black_box(&text), gate_ast::Limits::default()));
                start.elapsed()
            })
            .collect();
        times.sort();
        println!("{name:12} {:6} bytes  min {:?}  median {:?}", text.len(), times.first(), times.get(times.len() / 2));
    }
}
