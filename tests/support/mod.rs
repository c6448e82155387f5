//! What several test files need: test data, random numbers, kernels of both tiers, a console to give command lists to.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

pub mod console;
pub mod json;
pub mod pixel;
pub mod random;
pub mod tegra;
pub mod transfer;
pub mod vertex;

use std::path::PathBuf;
use std::sync::Arc;

use triglyph_guest::kernel::Tier;
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

/// A file below `tests/`.
pub fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Both tiers by name, the reference first. A host without a code generator has the reference alone.
pub fn tiers() -> Vec<(&'static str, Arc<dyn Tier>)> {
    let mut tiers: Vec<(&'static str, Arc<dyn Tier>)> = vec![("interp", Arc::new(Interpreter))];
    if let Ok(jit) = Jit::new() {
        tiers.push(("jit", Arc::new(jit)));
    }
    tiers
}

/// A number from the environment, decimal or 0x and hexadecimal, or the default.
pub fn setting(name: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return default };
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.unwrap_or_else(|error| panic!("{name}={text}: {error}"))
}

/// Equal to the bit, or both NaN.
pub fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}
