//! Tests of the grant and of its time limit.
