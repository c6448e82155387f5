//! The 3DS front end: decoding command lists.
//!
//! `cargo bench --bench front_end`
//!
//! Words a second for writes and uploads. What draws cost before any vertex or pixel of them is in `draws`.

mod support;

use criterion::{Criterion, Throughput};
use support::list::List;
use support::n3ds::{Console, uniforms};
use triglyph_guest::pica::regs;

fn words(criterion: &mut Criterion) {
    const WORDS: usize = 32 << 10;
    let filled = |step: &dyn Fn(&mut List, u32)| {
        let mut list = List::default();
        for i in 0.. {
            if list.len() >= WORDS {
                break;
            }
            step(&mut list, i);
        }
        list
    };
    // Blend colour and the constants of the combiner stages: state that changes with every write, but starts nothing.
    let single = filled(&|list, i| {
        list.write(regs::blend_color::ID, i);
    });
    let run = filled(&|list, i| {
        list.writes(regs::tev_source::IDS[0], &[0x000F_000F ^ i & 1, 0, 0, i, 0]);
    });
    let upload = filled(&|list, i| uniforms(list, i));
    let mut group = criterion.benchmark_group("front_end/words");
    for (name, list) in [("single writes", single), ("runs of 5 registers", run), ("float uniforms", upload)] {
        group.throughput(Throughput::Elements(list.len() as u64));
        let mut console = Console::new(list);
        group.bench_function(name, |b| b.iter(|| console.run()));
    }
    group.finish();
}

fn main() {
    let mut criterion = support::criterion();
    words(&mut criterion);
    criterion.final_summary();
}
