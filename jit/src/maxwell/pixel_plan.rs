//! A pixel program as the input of code generation.

use std::sync::Arc;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::PixelCode;
use triglyph_guest::kernel::program::fragment::FragmentKey;

use super::graph::{Graph, Sharing};
use super::stage::stores;

/// Most instructions of a program that is emitted once for each sample.
const MAX_SAMPLE_COPIES: usize = 4000;

/// A pixel program and what code generation depends on.
#[derive(Debug)]
pub struct PixelPlan {
    pub code: Arc<PixelCode>,
    pub graph: Graph,
    /// Fragments that fail their tests must run as well: for their stores, or for the fuel they use.
    pub always: bool,
    /// Number of planes that primitives must have.
    pub planes: usize,
}

impl PixelPlan {
    pub fn new(code: &Arc<PixelCode>, key: &FragmentKey) -> Result<PixelPlan, Unsupported> {
        let graph = Graph::new(&code.code, |_| Sharing::default())?.counting_repeats();
        if code.per_sample && graph.size * key.samples.count() > MAX_SAMPLE_COPIES {
            return Err(Unsupported("a long program for every sample"));
        }
        let planes = code.inputs.iter().map(|input| usize::from(input.plane) + 1).max().unwrap_or(0);
        let always = stores(&code.code) || graph.counted;
        Ok(PixelPlan { code: code.clone(), graph, always, planes })
    }
}
