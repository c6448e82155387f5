//! Helpers of several benches.
#![allow(dead_code, reason = "every bench uses a part of it")]

pub mod list;
pub mod n3ds;
pub mod pixels;
pub mod programs;
pub mod recorded;

use std::time::Duration;

use criterion::Criterion;
use triglyph_guest::kernel::Tier;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};

/// Criterion with short runs: the benches are many, and ratios inside one run are what counts.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200))
        .sample_size(20)
        .configure_from_args()
}

/// The tiers by name: the reference first, then the compiler with its fast and with its good register allocator.
pub fn tiers() -> Vec<(&'static str, Box<dyn Tier>)> {
    let mut tiers: Vec<(&'static str, Box<dyn Tier>)> = vec![("interp", Box::new(Interpreter))];
    for (name, effort) in [("jit-quick", Effort::Baseline), ("jit", Effort::Optimized)] {
        match Jit::with_effort(effort) {
            Ok(jit) => tiers.push((name, Box::new(jit))),
            Err(refused) => eprintln!("{name}: {refused}"),
        }
    }
    tiers
}

/// A kernel, or a note that the tier leaves this key to the reference.
pub fn kernel_or_note<K: ?Sized>(
    name: &str,
    kernel: Result<std::sync::Arc<K>, triglyph_guest::kernel::Unsupported>,
) -> Option<std::sync::Arc<K>> {
    kernel.map_err(|refused| eprintln!("{name}: {refused}")).ok()
}

/// A stream of numbers that is the same in every run.
pub struct Numbers(u32);

impl Numbers {
    /// From a seed.
    pub fn new(seed: u32) -> Self {
        Numbers(seed | 1)
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0.wrapping_mul(0x9E37_79B1)
    }

    /// A float between `low` and `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.word() >> 8) as f32 / (1 << 24) as f32
    }
}
