//! Every shipped file is right and its examples come out as it says; the rules of the matcher, one by one.

use super::*;

fn files() -> Vec<(String, String)> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/commands");
    let mut out: Vec<(String, String)> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .map(|p| (p.display().to_string(), std::fs::read_to_string(&p).unwrap()))
        .collect();
    out.sort();
    out
}

#[test]
fn catalogue_examples_come_out_as_the_files_say() {
    let mut bad = String::new();
    for (file, text) in files() {
        let name = file.rsplit('/').next().unwrap();
        match check_family(&file, &text) {
            Ok(failures) => failures.iter().for_each(|f| bad.push_str(&format!("{name}: {f}\n"))),
            Err(problems) => problems.iter().for_each(|p| bad.push_str(&format!("{p}\n"))),
        }
    }
    assert!(bad.is_empty(), "\n{bad}");
}
