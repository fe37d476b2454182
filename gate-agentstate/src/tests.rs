//! Tests of states, events, order and the layer.
