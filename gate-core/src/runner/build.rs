//! Collects layers and builds a runner of them; refuses what could not decide.

use std::sync::Arc;

use thiserror::Error;

use super::{Placed, Runner};
use crate::{Layer, Log, Stage, Timer};

/// Why a runner cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// Two layers of one name at one stage.
    #[error("two layers named `{0}` at stage {1:?}")]
    Duplicate(&'static str, Stage),
    /// A stage without which nothing may be decided has no layer.
    #[error("no layer at stage {0:?}; the gate cannot decide without it")]
    Missing(Stage),
    /// A layer claims the runner's own stage.
    #[error("layer `{0}` claims the boundary, which is the runner's own")]
    Boundary(&'static str),
}

/// Collects layers.
#[derive(Default)]
pub struct RunnerBuilder {
    layers: Vec<Placed>,
    timer: Option<Arc<dyn Timer>>,
    log: Option<Box<dyn Log>>,
}

impl RunnerBuilder {
    /// Adds a layer; its stage says where it stands.
    #[must_use]
    pub fn layer(self, layer: impl Layer + 'static) -> Self {
        self.boxed(Box::new(layer))
    }
    /// Adds a layer that is boxed already.
    #[must_use]
    pub fn boxed(mut self, layer: Box<dyn Layer>) -> Self {
        self.layers.push(Placed { stage: layer.stage(), name: layer.name(), layer });
        self
    }
    /// Adds the yolo grant (a layer at [`Stage::Grant`]).
    #[must_use]
    pub fn grant(self, layer: impl Layer + 'static) -> Self {
        self.layer(layer)
    }
    /// Adds somebody who answers questions.
    #[must_use]
    pub fn authority(self, layer: impl Layer + 'static) -> Self {
        self.layer(layer)
    }
    /// Bounds what a layer may take. Without a timer, a layer that waits is at fault; give [`crate::NoTimer`] to wait
    /// without a bound.
    #[must_use]
    pub fn timer(mut self, timer: Arc<dyn Timer>) -> Self {
        self.timer = Some(timer);
        self
    }
    /// Where the one record of each decision goes.
    #[must_use]
    pub fn log(mut self, log: impl Log + 'static) -> Self {
        self.log = Some(Box::new(log));
        self
    }
    /// Builds the runner.
    ///
    /// # Errors
    /// Two layers of one name at one stage, a layer at the boundary, or no layer at `Structure`, `Deny` or `Paths`.
    pub fn build(self) -> Result<Runner, BuildError> {
        let mut layers = self.layers;
        layers.sort_by_key(|l| l.stage);
        for (i, l) in layers.iter().enumerate() {
            if l.stage == Stage::Boundary {
                return Err(BuildError::Boundary(l.name));
            }
            if layers.iter().skip(i + 1).any(|o| o.stage == l.stage && o.name == l.name) {
                return Err(BuildError::Duplicate(l.name, l.stage));
            }
        }
        for stage in [Stage::Structure, Stage::Deny, Stage::Paths] {
            if !layers.iter().any(|l| l.stage == stage) {
                return Err(BuildError::Missing(stage));
            }
        }
        Ok(Runner { layers, timer: self.timer, log: self.log })
    }
}
