//! Work on a thread of its own with a known stack; the main thread answers when it does not come back.

use std::sync::mpsc;
use std::time::Duration;

/// Stack of the deciding thread, in bytes: far more than the bounded depth of any walk needs.
const STACK: usize = 32 * 1024 * 1024;

/// The work's value; `None`: it panicked, or took longer than `ms`. Work that spins stays behind on its thread and ends
/// with the process.
pub fn within<T: Send + 'static>(ms: u64, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (send, receive) = mpsc::channel();
    let started = std::thread::Builder::new().name("decide".to_owned()).stack_size(STACK).spawn(move || {
        let value = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // The other side may be gone already.
        let _ = send.send(value.ok());
    });
    if started.is_err() {
        return None;
    }
    receive.recv_timeout(Duration::from_millis(ms)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn answers_in_time() {
        assert_eq!(within(5_000, || 7), Some(7));
    }
    #[test]
    fn a_panic_is_no_answer() {
        assert_eq!(within(5_000, || -> u8 { panic!("no") }), None);
    }
    #[test]
    fn spinning_work_is_left_behind() {
        let begun = std::time::Instant::now();
        assert_eq!(
            within(50, || loop {
                std::hint::spin_loop()
            } as u8),
            None
        );
        assert!(begun.elapsed() < std::time::Duration::from_secs(5));
    }
}
