//! Tests of the runner: the laws over all combinations, faults, the boundary, authorities, the trail.

mod authorities;
mod boundary;
mod faults;
mod laws;
mod model;
mod support;
mod trail;
