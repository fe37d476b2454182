//! Where a path is: special paths as data (`paths.toml`, compiled into `table.rs`) and the ordinary places.
//! Owns the placing of words that are used as paths; what follows from a place is the layers' business.

mod place;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use place::{Places, Special};
pub(crate) use table::{Rule, RULES};
