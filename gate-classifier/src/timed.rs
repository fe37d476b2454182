//! One request within its own time budget.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use gate_core::Timer;

use crate::{Model, ModelError, Reply, Request};

/// Asks the model; a request past its budget is dropped, which aborts it. Without a timer the model alone keeps the
/// budget.
pub(crate) async fn complete<M: Model + ?Sized>(model: &M, request: &Request, timer: Option<&dyn Timer>) -> Result<Reply, ModelError> {
    let Some(timer) = timer else { return model.complete(request).await };
    let mut work = pin!(model.complete(request));
    let mut alarm = pin!(timer.sleep(request.timeout_ms));
    poll_fn(|cx| {
        if let Poll::Ready(reply) = work.as_mut().poll(cx) {
            return Poll::Ready(reply);
        }
        alarm.as_mut().poll(cx).map(|()| Err(ModelError::TimedOut))
    })
    .await
}
