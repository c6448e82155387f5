//! Random geometry programs on random primitives.

use std::fmt::Write as _;
use std::ops::Range;

use triglyph_guest::kernel::geometry::{GeometryJob, GeometryKey};
use triglyph_guest::kernel::random_geometry::{Done, Job, case};
use triglyph_guest::kernel::random_vertex::Mix;
use triglyph_guest::kernel::vertex::{Numbers, SCREEN};
use triglyph_guest::kernel::{GeometryKernel, Tier};
use triglyph_guest::pica::random::Options;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};

use super::vertex::OFTEN;
use super::{Outcome, effort, microcode, minimising};
use triglyph_testkit::fallback;
use triglyph_testkit::number::same;
use triglyph_testkit::random::Random;

/// Programs as compilers write them.
pub fn structured(seed: u64) -> Outcome {
    structured_in(seed, Numbers::F32)
}

fn structured_in(seed: u64, numbers: Numbers) -> Outcome {
    let mut random = Random::new(seed);
    let program = Options {
        length: 1 + random.pick(&[2, 5, 10, 20, 40, 80]).min(random.below(120)) as usize,
        flow: !random.one_in(3),
        relative: !random.one_in(3),
        geometry: true,
        ..Options::default()
    };
    let special = random.pick(&[0, 0, 0, 0, 400, 400, 30, 6]);
    check(&mut random, Mix { program, special, vertices: 13, holes: false, numbers })
}

/// As [`structured`], in 24-bit floats.
pub fn console(seed: u64) -> Outcome {
    structured_in(seed, Numbers::F24)
}

/// Programs that break every rule.
pub fn ragged(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let program = Options {
        length: 1 + random.below(80) as usize,
        ragged: true,
        garbage: random.one_in(2),
        geometry: true,
        ..Options::default()
    };
    check(&mut random, Mix { program, special: 100, vertices: 6, holes: false, numbers: Numbers::F32 })
}

fn check(random: &mut Random, mix: Mix) -> Outcome {
    let (key, job) = case(&mut || random.word(), mix);
    let effort = effort(random);
    minimising(&key, |key| compare(key, &job, effort), |key| minimised(key, &job, effort))
}

/// Runs a job with both tiers.
fn compare(key: &GeometryKey, job: &Job, effort: Effort) -> Outcome {
    let kernel = match Jit::with_effort(effort).and_then(|jit| jit.geometry(key)) {
        Ok(kernel) => kernel,
        Err(refused) => return Outcome::refused(refused, || describe(key, job, effort)),
    };
    let reference = Interpreter.geometry(key).expect("the reference never refuses");
    let (want, _) = job.run(|job| reference.run(job, 0));
    let (got, replayed) = job.run(|job| both(job, &*kernel, &*reference));
    let mut differences = differences(key, &want, &got);
    if differences.is_empty() && replayed > 0 {
        // Once more, now that it knows that there are many of those.
        job.run(|job| (0..OFTEN).fold(0, |at, _| kernel.run(job, at)));
        let (got, _) = job.run(|job| both(job, &*kernel, &*reference));
        differences = self::differences(key, &want, &got);
    }
    if differences.is_empty() {
        return Outcome::Equal(1.0 - replayed as f64 / job.primitives.len() as f64);
    }
    Outcome::Different(describe(key, job, effort) + &differences)
}

/// Runs a job as the engine does. Returns how many primitives the reference did.
fn both(job: &mut GeometryJob<'_>, kernel: &dyn GeometryKernel, reference: &dyn GeometryKernel) -> usize {
    let total = job.primitives.len();
    fallback::run(
        job,
        total,
        |job| job.exhausted,
        |job, first| kernel.run(job, first),
        |job, Range { start, end }| {
            let mut part = job.until(end);
            assert_eq!(reference.run(&mut part, start), end);
            job.exhausted = part.exhausted;
        },
    )
}

/// Differences of outputs and state after a job; empty when there are none.
#[derive(Default)]
struct Report(String);

impl Report {
    fn item<T: PartialEq + std::fmt::Debug>(&mut self, name: &str, want: &T, got: &T) {
        if want != got {
            let _ = writeln!(self.0, "* {name}: interp, jit\n  {want:02x?}\n  {got:02x?}");
        }
    }

    fn floats(&mut self, name: &str, want: &[f32], got: &[f32]) {
        if want.len() != got.len() || want.iter().zip(got).any(|(&a, &b)| !same(a, b)) {
            let _ = writeln!(self.0, "* {name}: interp, jit\n  {want:?}\n  {got:?}");
        }
    }
}

fn differences(key: &GeometryKey, want: &Done, got: &Done) -> String {
    let mut report = Report::default();
    let (a, b) = (&want.out, &got.out);
    report.item("triangles", &a.triangles, &b.triangles);
    report.item("turned", &a.turned, &b.turned);
    report.item("clip codes", &a.clip, &b.clip);
    report.item("slots", &want.state.slots, &got.state.slots);
    report.item("setting", &want.state.emit, &got.state.emit);
    report.floats("uniforms", want.uniforms.floats.as_flattened(), got.uniforms.floats.as_flattened());
    report.item("length of the records", &a.records.len(), &b.records.len());
    let stride = key.outputs.stride();
    for (vertex, (a, b)) in a.records.chunks(stride).zip(b.records.chunks(stride)).enumerate() {
        report.floats(&format!("vertex {vertex}, screen"), &a[..SCREEN], &b[..SCREEN]);
        for group in (0..key.outputs.slots.len() / 4).filter(|&group| key.outputs.group_written(group)) {
            let at = SCREEN + 4 * group;
            report.floats(&format!("vertex {vertex}, slots from {}", 4 * group), &a[at..at + 4], &b[at..at + 4]);
        }
    }
    if key.keeps_registers {
        let (a, b) = (&want.state.registers, &got.state.registers);
        for n in 0..16 {
            report.floats(&format!("r{n}"), &a.temporaries[n], &b.temporaries[n]);
            (0..2).for_each(|bank| {
                report.floats(&format!("o{n}, bank {bank}"), &a.outputs[bank][n], &b.outputs[bank][n])
            });
        }
        // Numbers that need more than 8 bits may be 0 there.
        let short = |address: [i32; 2]| address.map(|value| if (-128..128).contains(&value) { value } else { 0 });
        report.item("address", &short(a.address), &short(b.address));
        report.item("aL", &a.loop_counter, &b.loop_counter);
        report.item("flags", &a.flags, &b.flags);
    }
    report.0
}

/// The key with as many instructions as possible made NOP, the tiers still differing.
fn minimised(key: &GeometryKey, job: &Job, effort: Effort) -> GeometryKey {
    let with = |program| GeometryKey { program, ..key.clone() };
    microcode::minimised(&key.program, with, |key| compare(key, job, effort))
}

/// Program and inputs.
fn describe(key: &GeometryKey, job: &Job, effort: Effort) -> String {
    let mut report = microcode::report(&key.program, effort);
    let _ = writeln!(report, "inputs {:?}, keeps registers: {}", key.inputs, key.keeps_registers);
    let _ = writeln!(report, "outputs {:?}", key.outputs.slots);
    let _ = writeln!(report, "integers {:?}, limit {}, room {}", job.uniforms.ints, job.limit, job.room);
    let _ = writeln!(report, "primitives {:?}\nvalues {:?}", job.primitives, job.values);
    let _ = writeln!(report, "{:?}", job.state);
    report + &microcode::constants(&job.uniforms.floats)
}
