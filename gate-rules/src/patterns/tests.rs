//! Tables for patterns.
