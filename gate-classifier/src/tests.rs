//! Tests of parsers, protocols, evidence and the layer.

mod evidence;
mod fake;
mod layer;
mod parse;
mod risk;
mod staged;
