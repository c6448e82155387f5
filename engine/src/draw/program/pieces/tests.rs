//! Setup by one thread and by several, whole and in goes.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use smallvec::smallvec;
use triglyph_guest::kernel::program::fragment::Samples;

use super::*;
use crate::draw::program::project::{Projection, Viewport};
use crate::draw::program::setup::{
    CullFace, DepthOffset, Fill, LineShape, LineStipple, Planes, PointSize, PolygonMode, Winding,
};
use crate::draw::program::unfinished::UnfinishedDraw;
use crate::draw::program::varying::{Interpolate, Output, Varying};
use crate::draw::program::{Binned, Provoking, RESTART};
use crate::frontend::budget::cost;
use crate::scene::{Allowance, Rect};

const SIZE: u32 = 256;

fn setup(line_stipple: Option<LineStipple>) -> ProgramSetup {
    let half = SIZE as f32 / 2.0;
    let viewport = Viewport { scale: [half, half, 0.5], offset: [half, half, 0.5] };
    let register = Output::Register(4);
    ProgramSetup {
        projection: Projection {
            viewport,
            depth_clip: [Some(0.0), Some(1.0)],
            ignore_w_sign: true,
            divided: false,
            distances: [None; 8],
            position: 0,
            single: None,
        },
        front: Winding::Clockwise,
        cull: CullFace { front: false, back: true },
        modes: [PolygonMode::Fill; 2],
        edges: true,
        depth_offset: DepthOffset::default(),
        provoking: Provoking::Last,
        varyings: smallvec![Varying { front: register, back: register, interpolate: Interpolate::Perspective }],
        planes: Planes::Nearest,
        words: None,
        cull_distances: Vec::new(),
        fill: Fill::Inside,
        line_width: 1.0,
        line_shape: LineShape::Steps,
        line_stipple,
        point_size: PointSize::Fixed(3.0),
        smallest_point: 1.0,
        round_points: false,
        right_edges: false,
        sample_span: [[128; 2]; 2],
        clip: Some(Rect { x0: 0, y0: 0, x1: SIZE - 1, y1: SIZE - 1 }),
    }
}

struct Random(Cell<u64>);

impl Random {
    fn below(&self, limit: u32) -> u32 {
        let next = self.0.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0.set(next);
        ((next >> 33) % u64::from(limit)) as u32
    }
}

const VERTICES: u32 = 3000;

fn records(random: &Random) -> Records {
    let value = |scale: f32| (random.below(2048) as f32 / 1024.0 - 1.0) * scale;
    let mut vertex = |_| {
        let w = if random.below(8) == 0 { -1.0 } else { 1.5 };
        [value(1.2), value(1.2), value(1.0), w, value(1.0), 0.5, value(1.0), 1.0]
    };
    Records { floats: (0..VERTICES).flat_map(&mut vertex).collect(), stride: 8, exhausted: 0, excess: 0 }
}

fn order(random: &Random) -> Vec<u32> {
    (0..20_000).map(|_| if random.below(90) == 0 { RESTART } else { random.below(VERTICES) }).collect()
}

fn scene(allowance: Allowance) -> ProgramScene {
    let target = ProgramTarget { width: SIZE, rows: SIZE, samples: Samples::ONE, ..ProgramTarget::NOWHERE };
    let mut scene = ProgramScene::new(target);
    scene.allowance = allowance;
    scene
}

fn text(scene: &ProgramScene, drawn: Drawn) -> String {
    let ProgramScene { primitives, edges, bounds, varyings, bins, allowance, taken, .. } = scene;
    format!("{drawn:?} {allowance:?} {taken} {primitives:?} {edges:?} {bounds:?} {varyings:?} {bins:?}")
}

fn draw(setup: &ProgramSetup, of: Primitives<'_>, records: &Records, fuel: Allowance, threads: usize) -> String {
    let (mut scene, scheduler) = (scene(fuel), Scheduler::new(threads).expect("threads"));
    let threads = SetupThreads { scheduler: &scheduler, scenes: &mut Vec::new() };
    let mut out = Binned { scene: &mut scene, projected: &mut ProjectedVertices::default(), threads };
    let drawn = setup.draw(of, 0, records, &mut out);
    text(&scene, drawn)
}

const TOPOLOGIES: [Topology; 8] = [
    Topology::Points,
    Topology::Lines,
    Topology::LineStrip,
    Topology::Triangles,
    Topology::TriangleStrip,
    Topology::TriangleFan,
    Topology::Quads,
    Topology::QuadStripAsTriangles,
];

#[test]
fn threads_change_nothing() {
    let random = Random(Cell::new(5));
    let stipple = LineStipple { factor: 3, pattern: 0xF0F3 };
    for (topology, stipple) in TOPOLOGIES.into_iter().zip([None, Some(stipple)].into_iter().cycle()) {
        let (setup, records, order) = (setup(stipple), records(&random), order(&random));
        let of = Primitives::Order(topology, &order);
        for fuel in [Allowance::UNBOUNDED, Allowance::new(200_000, 2), Allowance::new(20_000_000, 1)] {
            let alone = draw(&setup, of, &records, fuel, 1);
            assert!(alone == draw(&setup, of, &records, fuel, 3), "{topology:?} {fuel:?}");
        }
    }
}

#[test]
fn large_draws_are_shared() {
    let random = Random(Cell::new(6));
    let (setup, records, order) = (setup(None), records(&random), order(&random));
    let scheduler = Scheduler::new(2).expect("threads");
    let (mut scene, mut scenes) = (scene(Allowance::UNBOUNDED), Vec::new());
    let threads = SetupThreads { scheduler: &scheduler, scenes: &mut scenes };
    let mut out = Binned { scene: &mut scene, projected: &mut ProjectedVertices::default(), threads };
    setup.draw(Primitives::Order(Topology::Triangles, &order), 0, &records, &mut out);
    assert_eq!(scenes.len(), 3);
}

#[test]
fn interrupts_change_nothing() {
    let random = Random(Cell::new(7));
    for topology in TOPOLOGIES {
        let (setup, records, order) = (Arc::new(setup(None)), records(&random), order(&random));
        let of = Primitives::Order(topology, &order);
        for fuel in [Allowance::UNBOUNDED, Allowance::new(20_000_000, 1)] {
            let whole = draw(&setup, of, &records, fuel, 1);
            let (mut scene, scheduler) = (scene(fuel), Scheduler::new(3).expect("threads"));
            let owned = Records { floats: records.floats.clone(), ..records };
            let mut left = UnfinishedDraw::new(setup.clone(), of.into(), 0, owned, ProjectedVertices::default());
            let (mut scenes, mut goes) = (Vec::new(), 1);
            loop {
                let (looks, limit) = (AtomicU32::new(0), 1 + random.below(40));
                let is_interrupted = || looks.fetch_add(1, Relaxed) >= limit;
                let threads = SetupThreads { scheduler: &scheduler, scenes: &mut scenes };
                if left.go_on(&mut scene, threads, is_interrupted) {
                    break;
                }
                goes += 1;
            }
            assert!(text(&scene, left.drawn()) == whole, "{topology:?} {fuel:?}");
            assert!(goes > 1, "{topology:?}");
        }
    }
}

/// What is drawn of these vertices, as a strip of lines or of triangles, takes so much fuel.
fn fuel_of(setup: &ProgramSetup, topology: Topology, vertices: &[[f32; 4]]) -> u64 {
    let floats = vertices.iter().flat_map(|&[x, y, z, w]| [x, y, z, w, 0.0, 0.0, 0.0, 1.0]).collect();
    let records = Records { floats, stride: 8, exhausted: 0, excess: 0 };
    let order: Vec<u32> = (0..vertices.len() as u32).collect();
    let (mut scene, scheduler) = (scene(Allowance::new(1 << 31, 1)), Scheduler::new(1).expect("a thread"));
    let threads = SetupThreads { scheduler: &scheduler, scenes: &mut Vec::new() };
    let mut out = Binned { scene: &mut scene, projected: &mut ProjectedVertices::default(), threads };
    let drawn = setup.draw(Primitives::Order(topology, &order), 0, &records, &mut out);
    assert_eq!(drawn.primitives, 0);
    scene.taken
}

#[test]
fn work_that_draws_nothing_costs_fuel() {
    // A line across all columns without a dash.
    let unseen = setup(Some(LineStipple { factor: 1, pattern: 0 }));
    let line = [[-1.0, 0.0, 0.0, 1.0], [1.0, 0.1, 0.0, 1.0]];
    assert!(fuel_of(&unseen, Topology::LineStrip, &line) >= u64::from(SIZE - 1) / cost::STIPPLED_PIXELS);
    // A triangle around the corner of the near plane and the left one: nothing is left of it.
    let outside = [[-3.0, 0.0, 0.5, 1.0], [-0.9, 0.0, -2.0, 1.0], [-3.0, 0.5, 0.5, 1.0]];
    let clipped = fuel_of(&setup(None), Topology::Triangles, &outside);
    assert!(clipped >= cost::clip_in_f64(1, 8), "{clipped}");
}

#[test]
fn shapes_that_become_many_primitives_are_few_at_once() {
    let stippled = |factor: u32, width: u32| {
        let clip = Some(Rect { x0: 0, y0: 0, x1: width - 1, y1: 7 });
        ProgramSetup { clip, ..setup(Some(LineStipple { factor, pattern: 0x5555 })) }
    };
    assert_eq!(setup(None).shapes_at_once(), usize::MAX);
    // 8192 dashes of two triangles, on three edges.
    assert!((20..22).contains(&stippled(1, 16_384).shapes_at_once()));
    assert!(stippled(1, 256).shapes_at_once() > 1000 && stippled(256, 256).shapes_at_once() > 50_000);
    assert!(ProgramSetup { round_points: true, ..setup(None) }.shapes_at_once() > 10_000);
}
