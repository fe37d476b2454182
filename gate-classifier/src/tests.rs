//! Tests of parsers, protocols, evidence and the layer.
