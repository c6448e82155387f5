//! How long a kernel takes from its key to executable code.
//!
//! `cargo bench --bench compile`
//!
//! Vertex programs of several lengths, none of whose instructions is dead, and pixel states, with the fast register
//! allocator (`quick`, what new kernels get) and the good one (`hot`, what busy ones get).

mod support;

use criterion::{Criterion, Throughput};
use support::{pixels, programs};
use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::pixel::Filter;
use triglyph_jit::{Effort, Jit};

fn main() {
    let mut criterion = support::criterion();
    for (name, effort) in [("quick", Effort::Baseline), ("hot", Effort::Optimized)] {
        match Jit::with_effort(effort) {
            Ok(jit) => {
                vertex(&mut criterion, name, &jit);
                pixel(&mut criterion, name, &jit);
            }
            Err(refused) => eprintln!("{name}: {refused}"),
        }
    }
    criterion.final_summary();
}

fn vertex(criterion: &mut Criterion, effort: &str, jit: &Jit) {
    let mut group = criterion.benchmark_group(format!("compile vertex/{effort}"));
    let programs = [20, 60, 200, 500].map(|length| (format!("{length}"), programs::of_length(length)));
    for (name, text) in programs.into_iter().chain([("lighting".to_owned(), programs::lighting())]) {
        let key = programs::key(&text);
        if support::kernel_or_note(&name, jit.vertex(&key)).is_none() {
            continue;
        }
        group.throughput(Throughput::Elements(programs::length(&key) as u64));
        group.bench_function(name, |b| b.iter(|| jit.vertex(&key).is_ok()));
    }
    group.finish();
}

fn pixel(criterion: &mut Criterion, effort: &str, jit: &Jit) {
    let mut group = criterion.benchmark_group(format!("compile pixel/{effort}"));
    for (name, key) in
        [("colour", pixels::color()), ("linear texture", pixels::texture(Filter::Linear)), ("all", pixels::full())]
    {
        if support::kernel_or_note(name, jit.pixel(&key)).is_some() {
            group.bench_function(name, |b| b.iter(|| jit.pixel(&key).is_ok()));
        }
    }
    group.finish();
}
