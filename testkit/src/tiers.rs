//! Both tiers, and the comparison of their results.

use std::sync::Arc;

use triglyph_guest::kernel::Tier;
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

/// Both tiers by name, the reference first. A host without a code generator has the reference alone.
pub fn tiers() -> Vec<(&'static str, Arc<dyn Tier>)> {
    let mut tiers: Vec<(&'static str, Arc<dyn Tier>)> = vec![("interp", Arc::new(Interpreter))];
    if let Ok(jit) = Jit::new() {
        tiers.push(("jit", Arc::new(jit)));
    }
    tiers
}
