//! Runs a case on both tiers and reports differences.

use std::fmt::Write;

use triglyph_guest::kernel::random_vertex::Batch;
use triglyph_guest::kernel::vertex::{Program, VertexJob, VertexKey};
use triglyph_guest::kernel::{Tier, VertexKernel};
use triglyph_guest::pica::disassemble_program;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::fallback;

/// What became of cases.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub cases: usize,
    /// Keys that were not compiled.
    pub unsupported: usize,
    /// Vertices that compiled code finished.
    pub compiled: usize,
    /// Vertices that it bailed out of.
    pub reference: usize,
}

/// Shades a job with compiled code, and with the reference where that bails out.
pub fn shade(
    kernel: &dyn VertexKernel,
    reference: &dyn VertexKernel,
    stride: usize,
    job: &mut VertexJob<'_>,
    tally: &mut Tally,
) {
    let interpreted = fallback::vertices(kernel, reference, stride, job);
    tally.compiled += job.vertices.len() - interpreted;
    tally.reference += interpreted;
}

/// Compares both tiers on a case.
pub fn compare(key: &VertexKey, batch: &Batch, effort: Effort, tally: &mut Tally) {
    tally.cases += 1;
    let jit = Jit::with_effort(effort).expect("a code generator");
    let Ok(kernel) = jit.vertex(key) else {
        tally.unsupported += 1;
        return;
    };
    let reference = Interpreter.vertex(key).expect("the reference supports everything");
    let stride = key.outputs.stride();
    let (want, want_clip, _) = batch.run(stride, |job| reference.shade(job, 0));
    let (got, got_clip, ()) = batch.run(stride, |job| shade(&*kernel, &*reference, stride, job, tally));
    let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    if got_clip == want_clip && got.iter().zip(&want).all(|(&a, &b)| same(a, b)) {
        return;
    }
    let mut report = String::new();
    let Program::Pica(program) = &key.program;
    let _ = writeln!(report, "{effort:?} entry {} bools {:#06x}", program.entry, program.bools);
    report += &disassemble_program(&program.code, &program.descriptors);
    let _ = writeln!(report, "{:#?}\n{:?} user clip {}", key.inputs, key.outputs, key.user_clip);
    let _ = writeln!(report, "ints {:?} fixed {:?}\n{:?}", batch.uniforms.ints, batch.fixed, batch.constants);
    for (n, value) in batch.uniforms.floats[..96].iter().enumerate() {
        let _ = writeln!(report, "c{n} {value:?}");
    }
    for (i, (got, want)) in got.chunks(stride).zip(want.chunks(stride)).enumerate() {
        let _ = write!(report, "vertex {i} (element {})", batch.vertices[i]);
        for (slot, (&got, &want)) in got.iter().zip(want).enumerate() {
            let star = if same(got, want) { "" } else { "*" };
            let _ = write!(report, "{}{got:?}/{want:?}{star} ", if slot % 4 == 0 { "\n    " } else { "" });
        }
        let star = if got_clip[i] == want_clip[i] { "" } else { "*" };
        let _ = writeln!(report, "\n    clip {:#04x}/{:#04x}{star}", got_clip[i], want_clip[i]);
    }
    panic!("compiled/reference differ\n{report}");
}
