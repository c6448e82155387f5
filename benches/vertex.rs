//! Vertex kernels: fetch, a lighting program of 58 instructions, output map, clip codes and viewport of 4096 vertices
//! of three attributes of four floats.
//!
//! `cargo bench --bench vertex`

mod support;

use criterion::{Criterion, Throughput};
use support::{Numbers, programs};
use triglyph_guest::kernel::VertexKernel;
use triglyph_guest::kernel::vertex::{Stream, Uniforms, VertexConstants, VertexJob, VertexKey};
use triglyph_guest::kernel::window::{Window, buffer};

const VERTICES: u32 = 4096;
/// Bytes of a vertex: three attributes of four floats.
const STRIDE: u32 = 48;

/// A batch and where its results go.
struct Batch {
    key: VertexKey,
    uniforms: Uniforms,
    memory: Vec<std::sync::atomic::AtomicU8>,
    vertices: Vec<u32>,
    records: Vec<f32>,
    clip: Vec<u8>,
}

impl Batch {
    /// With the array elements in `vertices`.
    fn new(vertices: Vec<u32>) -> Self {
        let key = programs::key(&programs::lighting());
        assert_eq!(programs::length(&key), 58);
        let mut numbers = Numbers::new(1);
        let mut bytes = Vec::new();
        for _ in 0..VERTICES {
            let mut vector = |low, high, w: f32| {
                let xyz = [(); 3].map(|()| numbers.between(low, high));
                bytes.extend(xyz.iter().chain(&[w]).flat_map(|v| v.to_le_bytes()));
            };
            vector(-1.0, 1.0, 1.0);
            vector(-1.0, 1.0, 0.0);
            vector(0.0, 1.0, 1.0);
        }
        let records = vec![0.0; vertices.len() * key.outputs.stride()];
        let clip = vec![0; vertices.len()];
        let uniforms = programs::lighting_uniforms();
        Batch { key, uniforms, memory: buffer(&bytes), vertices, records, clip }
    }

    fn shade(&mut self, kernel: &dyn VertexKernel) {
        let mut streams = [Stream::default(); 16];
        for (i, stream) in streams.iter_mut().enumerate().take(3) {
            *stream = Stream { window: Window::new(&self.memory).from(16 * i), stride: STRIDE };
        }
        let done = kernel.shade(
            &mut VertexJob {
                exhausted: 0,
                streams: &streams,
                fixed: &[[0.0; 4]; 16],
                uniforms: &self.uniforms,
                constants: VertexConstants { half: [120.0, 200.0], corner: [0.0; 2], clip_plane: [0.0; 4] },
                vertices: &self.vertices,
                last_vertex: VERTICES - 1,
                records: &mut self.records,
                clip: &mut self.clip,
            },
            0,
        );
        assert_eq!(done, self.vertices.len(), "nothing here is left to the reference");
    }

    /// The bits of all results.
    fn results(&mut self, kernel: &dyn VertexKernel) -> (Vec<u32>, Vec<u8>) {
        self.records.fill(0.0);
        self.shade(kernel);
        (self.records.iter().map(|v| v.to_bits()).collect(), self.clip.clone())
    }
}

fn main() {
    let mut criterion = support::criterion();
    let scattered = (0..VERTICES).map(|i| i.wrapping_mul(1361) % VERTICES).collect();
    for (order, vertices) in [("in order", (0..VERTICES).collect()), ("scattered", scattered)] {
        measure(&mut criterion, order, Batch::new(vertices));
    }
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion, order: &str, mut batch: Batch) {
    let mut group = criterion.benchmark_group(format!("vertex/{order}"));
    group.throughput(Throughput::Elements(VERTICES.into()));
    let mut expected = None;
    for (name, tier) in support::tiers() {
        let Some(kernel) = support::kernel_or_note(name, tier.vertex(&batch.key)) else { continue };
        let results = batch.results(&*kernel);
        assert!(*expected.get_or_insert_with(|| results.clone()) == results, "{name} differs from the reference");
        group.bench_function(name, |b| b.iter(|| batch.shade(&*kernel)));
    }
    group.finish();
}
