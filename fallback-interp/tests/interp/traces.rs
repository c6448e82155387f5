//! Traces of random vertices: the traced run computes the same record as the kernel, and ends with its values.

use triglyph_guest::kernel::program::random_vertex as programs;
use triglyph_guest::kernel::trace::{MAX_STEPS, Trace, Tracer, Tracing, Wanted};
use triglyph_guest::kernel::vertex::SCREEN;
use triglyph_guest::kernel::{ContentHash, Tier, random_vertex};
use triglyph_interp::Interpreter;
use triglyph_testkit::random::Random;

/// The traces that a job makes for one vertex.
fn traced(number: u32, run: impl FnOnce(Tracing<'_>)) -> Vec<Trace> {
    let tracer = Tracer::new(Wanted::Vertex(Some(number)));
    run(Tracing { tracer: &tracer, kernel: ContentHash(1) });
    tracer.take()
}

fn same(words: &[u32], floats: &[f32]) -> bool {
    let equal = |(word, float): (&u32, &f32)| *word == float.to_bits() || float.is_nan();
    words.len() == floats.len() && words.iter().zip(floats).all(equal)
}

#[test]
fn vertices_of_the_3ds() {
    let mut random = Random::new(11);
    let mut count = 0;
    for _ in 0..200 {
        let (key, batch) = random_vertex::case(&mut || random.word(), Default::default());
        let (kernel, stride) = (Interpreter.vertex(&key).unwrap(), key.outputs.stride());
        let (records, clip, _) = batch.run(stride, |job| kernel.shade(job, 0));
        let place = random.below(batch.vertices.len() as u32) as usize;
        let (mut again, mut codes) = (Vec::new(), Vec::new());
        let traces = traced(batch.vertices[place], |tracing| {
            (again, codes, _) = batch.run(stride, |job| kernel.shade_traced(job, tracing));
        });
        assert!(clip == codes && records.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
        for trace in traces.iter().filter(|trace| !trace.cut) {
            assert!(!trace.steps.is_empty() && trace.steps.len() <= MAX_STEPS);
            let [(_, screen), (_, position)] = trace.results.as_slice() else { panic!() };
            let record = &records[place * stride..][..2 * SCREEN];
            assert!(same(screen, &record[..SCREEN]) && same(position, &record[SCREEN..]));
            count += 1;
        }
    }
    assert!(count > 100, "{count} traces");
}

#[test]
fn vertices_of_the_rsx() {
    let mut random = Random::new(12);
    let mut count = 0;
    for _ in 0..200 {
        let (mut key, batch) = programs::case(&mut || random.word(), Default::default());
        // Clamping comes after what a trace has.
        key.clamped = 0;
        let kernel = Interpreter.program_vertex(&key).unwrap();
        let (records, _) = batch.run(&key, |job| kernel.shade(job, 0));
        let place = random.below(batch.vertices.len() as u32) as usize;
        let mut again = None;
        let traces = traced(batch.vertices[place], |tracing| {
            again = Some(batch.run(&key, |job| kernel.shade_traced(job, tracing)).0);
        });
        assert!(again.unwrap().same(&records));
        // Once programs run away, the vertices that follow have no run.
        for trace in traces.iter().filter(|trace| !trace.cut && records.exhausted == 0) {
            for register in (0..16).filter(|&register| key.outputs >> register & 1 != 0) {
                let at = place * key.stride() + key.offset(register).unwrap();
                let found = trace.last(0, &format!("o{register}")).unwrap();
                assert!(same(&found, &records.values[at..at + 4]), "o{register}: {found:x?}");
            }
            count += 1;
        }
    }
    assert!(count > 100, "{count} traces");
}
