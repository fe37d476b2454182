//! The person behind the host: asked through the host's own dialog, when somebody can be asked.

use async_trait::async_trait;
use gate_core::{Answer, Layer, Question, Stage};

/// Hands a question over to the host's dialog; passes when nobody sits there.
pub struct HostDialog;

#[async_trait]
impl Layer for HostDialog {
    fn stage(&self) -> Stage {
        Stage::Human
    }
    fn name(&self) -> &'static str {
        "host-dialog"
    }
    async fn answer(&self, question: &Question<'_>) -> Answer {
        if question.case().call.headless { Answer::Pass } else { Answer::HandOver }
    }
}
