//! Follows one agent by the events of its host, used alone. `cargo run -p gate-agentstate --example follow`

use gate_agentstate::{Change, HostEvent, Row, State, Tracker, age, order};

fn main() {
    let mut tracker = Tracker::new();
    let events = [
        HostEvent { name: "SessionStart", ..HostEvent::default() },
        HostEvent { name: "UserPromptSubmit", ..HostEvent::default() },
        HostEvent { name: "Notification", notification: Some("permission_prompt"), message: Some("wants to push"), ..HostEvent::default() },
        HostEvent { name: "PostToolUse", tool: Some("Bash"), ..HostEvent::default() },
        HostEvent { name: "Stop", ..HostEvent::default() },
    ];
    for event in events {
        let Some(what) = event.meaning() else { continue };
        match tracker.apply(&what) {
            Change::Set(now) => println!("{:<16} -> {} {}", event.name, now.state.name(), now.message),
            Change::Clear => println!("{:<16} -> gone", event.name),
            Change::None => println!("{:<16} -> nothing new", event.name),
        }
    }
    let row = |id: &str, state, updated_at| Row {
        id: id.to_owned(),
        state,
        updated_at,
        visited_at: None,
        cwd: format!("/home/u/{id}"),
        message: String::new(),
    };
    let mut rows = [row("docs", State::Working, 100), row("api", State::Blocked, 3_000), row("web", State::Done, 2_000)];
    order(&mut rows);
    for row in &rows {
        println!("{:<8} {:<6} {}", row.state.name(), age(row.updated_at, 4_000), row.folder());
    }
}
