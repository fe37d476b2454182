//! Polls what layers return: panics caught, time bounded, nothing of it escapes the runner.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::Timer;

/// What a method of a layer returns.
pub(super) type Boxed<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// One time budget, shared by everything that is driven with it. It starts when something has to wait for the first
/// time, so that a decision that never waits starts no timer.
pub(super) struct Budget<'t> {
    timer: Option<&'t dyn Timer>,
    ms: Option<u64>,
    sleep: Option<Boxed<'t, ()>>,
    over: bool,
}

impl<'t> Budget<'t> {
    /// That many milliseconds. Without a timer nothing may wait at all: what waits is over its budget at once.
    pub(super) const fn of(ms: u64, timer: Option<&'t dyn Timer>) -> Self {
        Self { timer, ms: Some(ms), sleep: None, over: false }
    }

    /// As long as it takes (people).
    pub(super) const fn endless() -> Self {
        Self { timer: None, ms: None, sleep: None, over: false }
    }

    /// Is it used up? Registers to be woken when it will be. A timer that panics has run out.
    fn used_up(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(ms) = self.ms else { return false };
        let Some(timer) = self.timer else { return true };
        if !self.over {
            self.over = quietly(|| {
                let sleep = self.sleep.get_or_insert_with(|| timer.sleep(ms));
                sleep.as_mut().poll(cx).is_ready()
            })
            .unwrap_or(true);
        }
        self.over
    }

    fn fault(&self) -> String {
        match (self.timer, self.ms) {
            (None, _) => "it waits, and the runner was given no timer to bound that".to_owned(),
            (Some(_), ms) => format!("it took longer than {} ms", ms.unwrap_or_default()),
        }
    }
}

/// The value of a layer's future, or why there is none: it panicked (when called, polled or dropped), or the budget
/// is used up.
pub(super) async fn bounded<'f, T>(call: impl FnOnce() -> Boxed<'f, T>, budget: &mut Budget<'_>) -> Result<T, String> {
    let mut future = quietly(call)?;
    let outcome = poll_fn(|cx| match quietly(|| future.as_mut().poll(cx)) {
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Ok(Poll::Pending) if budget.used_up(cx) => Poll::Ready(Err(budget.fault())),
        Ok(Poll::Pending) => Poll::Pending,
        Err(fault) => Poll::Ready(Err(fault)),
    })
    .await;
    match (outcome, quietly(move || drop(future))) {
        (Ok(_), Err(fault)) | (Err(fault), _) => Err(fault),
        (Ok(value), Ok(())) => Ok(value),
    }
}

/// Runs it; a panic becomes a text.
pub(super) fn quietly<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| {
        let text = said(panic.as_ref());
        // A payload may panic when it is dropped; leaking a few bytes of a broken layer is the lesser evil.
        std::mem::forget(panic);
        format!("it panicked: {text}")
    })
}

/// The beginning of what a panic says.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").chars().take(200).collect()
}
