//! Triggers and what must not trigger.
