//! Prints what a shell text contains: `cargo run -p gate-ast --example units -- 'ls | head'`.
#![allow(missing_docs)]

fn main() {
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
