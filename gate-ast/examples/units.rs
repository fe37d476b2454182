//! Prints what a shell text contains: `cargo run -p gate-ast --example units -- 'ls | head'`.
//! `--json`: one JSON string a line in, one parsed script a line out.
#![allow(missing_docs)]

use std::io::BufRead;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("--json") {
        return json();
    }
    for text in std::env::args().skip(1) {
        let script = gate_ast::parse(&text, gate_ast::Limits::default());
        println!("{text:?}: {}", if script.understood() { "understood" } else { "not understood" });
        for d in &script.doubts {
            println!("  ? {} {}", d.sentinel, d.text);
        }
        for (i, u) in script.units.iter().enumerate() {
            let words: Vec<String> = u.words.iter().map(|w| format!("{:?}", w.shown())).collect();
            println!("  {i} {:?} parent={:?} cwd={:?} {}", u.nesting, u.parent, u.cwd, words.join(" "));
            for r in &u.redirects {
                println!("      {:?} {}", r.mode, r.target.shown())
            }
            for a in &u.assignments {
                println!("      {}={}", a.name, a.value.shown())
            }
            for d in &u.doubts {
                println!("      ? {} {} {:?}", d.sentinel, d.text, d.lift)
            }
        }
    }
}

fn json() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let text: String = serde_json::from_str(&line).unwrap_or_default();
        let script = gate_ast::parse(&text, gate_ast::Limits::default());
        println!("{}", serde_json::to_string(&script).unwrap_or_default());
    }
}
