//! Transfers against the reference: random fills, copies and conversions, every byte of memory equal.

use std::collections::HashMap;
use std::sync::Arc;

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::random_transfer::{Case, case, convert};
use triglyph_guest::kernel::transfer::{ConvertKey, Layout, Scale, TransferKey};
use triglyph_guest::kernel::{Tier, TransferKernel};
use triglyph_guest::layout::Block;
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;
use triglyph_testkit::random::Random;

/// Compiled kernels by key.
struct Kernels {
    jit: Jit,
    made: HashMap<TransferKey, Arc<dyn TransferKernel>>,
}

impl Kernels {
    fn new() -> Self {
        Kernels { jit: Jit::new().expect("a code generator"), made: HashMap::new() }
    }

    fn get(&mut self, key: TransferKey) -> Arc<dyn TransferKernel> {
        let make = || self.jit.transfer(&key).expect("all transfers are compiled");
        self.made.entry(key).or_insert_with(make).clone()
    }

    /// Compares both tiers; whether the kernel took the job. A unsupported job must leave memory alone.
    fn compare(&mut self, case: &Case) -> bool {
        let (got, answer) = case.run(|job| self.get(case.key).run(job));
        let (reference, _) = case.run(|job| Interpreter.transfer(&case.key).map(|kernel| kernel.run(job)));
        let want = if answer.is_ok() { reference } else { case.before() };
        if let Some(at) = (0..got.len()).find(|&at| got[at] != want[at]) {
            let wrong = (0..got.len()).filter(|&at| got[at] != want[at]).count();
            panic!(
                "{:?} {:?}\nsource {:?} target {:?} answer {answer:?}\n{wrong} bytes differ, first at {at}\n\
                 got  {:x?}\nwant {:x?}",
                case.key,
                case.job,
                case.source(),
                case.target(),
                &got[at..(at + 32).min(got.len())],
                &want[at..(at + 32).min(want.len())]
            );
        }
        answer.is_ok()
    }
}

#[test]
fn random_transfers() {
    let mut noise = Random::new(0x1234_5678_9ABC_DEF1);
    let mut kernels = Kernels::new();
    let mut taken = 0;
    for _ in 0..3000 {
        taken += usize::from(kernels.compare(&case(&mut || noise.word())));
    }
    assert!(taken > 1800, "{taken} taken");
}

#[test]
fn every_pair_of_formats_layouts_and_scales() {
    let mut noise = Random::new(77);
    let mut kernels = Kernels::new();
    let layouts = [Layout::Linear, Layout::Tiled(Block::B8), Layout::Tiled(Block::B32)];
    for input in PixelFormat::ALL {
        for output in PixelFormat::ALL {
            for (input_layout, output_layout) in layouts.iter().flat_map(|&a| layouts.map(|b| (a, b))) {
                for scale in [Scale::None, Scale::Half, Scale::Quarter] {
                    let key = ConvertKey { input, output, input_layout, output_layout, scale };
                    let taken = (0..12).filter(|_| kernels.compare(&convert(&mut || noise.word(), key))).count();
                    assert!(taken > 2, "{key:?}");
                }
            }
        }
    }
}
