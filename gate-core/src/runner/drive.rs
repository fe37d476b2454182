//! Polls a layer's future with its panics caught and its time bounded.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use crate::Timer;

struct Caught<F>(F);

impl<F: Future + Unpin> Future for Caught<F> {
    type Output = Result<F::Output, String>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let inner = Pin::new(&mut self.0);
        match catch_unwind(AssertUnwindSafe(|| inner.poll(cx))) {
            Ok(Poll::Ready(v)) => Poll::Ready(Ok(v)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
                Poll::Ready(Err(format!("it panicked: {}", text.unwrap_or_default())))
            }
        }
    }
}

/// The future's value, or why there is none: it panicked, or took longer than `ms`. The timer is only started when
/// the future has to wait.
pub(super) async fn bounded<F: Future>(future: F, timer: &dyn Timer, ms: u64) -> Result<F::Output, String> {
    let mut work = pin!(future);
    let mut caught = Caught(work.as_mut());
    let first = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut caught).poll(cx))).await;
    if let Poll::Ready(out) = first {
        return out;
    }
    let mut alarm = (ms < u64::MAX).then(|| timer.sleep(ms));
    std::future::poll_fn(|cx| {
        if let Poll::Ready(out) = Pin::new(&mut caught).poll(cx) {
            return Poll::Ready(out);
        }
        match alarm.as_mut().map(|a| a.as_mut().poll(cx)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(format!("it took longer than {ms} ms"))),
            _ => Poll::Pending,
        }
    })
    .await
}
