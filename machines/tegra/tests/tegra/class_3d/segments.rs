//! Draws that are done in parts leave what whole ones do, and are paid as what they are.

use crate::support::threed::*;
use crate::support::{DATA, Machine, options};
use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::{Fault, FaultKind};
use triglyph_guest::kernel::maxwell::{FUEL, FUEL_UNIT};
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
use triglyph_options::Options;

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Room for index buffers of any size.
const LARGE: u64 = 0x20_0000;

/// Primitives of all streams and stages, and runs of programs.
const COUNTERS: [u32; 15] = [1, 3, 5, 7, 9, 0xB, 0xD, 0xF, 0x11, 0x12, 0x13, 0x15, 0x1B, 0x1D, 0x1F];

/// What a draw leaves: memory with the counters, faults with their places, the time.
type Left = (Vec<u8>, Vec<(FaultKind, u64)>, u64);

fn places(faults: &[Fault]) -> Vec<(FaultKind, u64)> {
    faults.iter().map(|fault| (fault.kind, fault.address)).collect()
}

fn left(options: &Options, (segment, part): (usize, usize), draw: &impl Fn(&mut Machine)) -> Left {
    let mut m = ready_on(Machine::with(options));
    m.gpu.set_max_segment(segment);
    m.gpu.set_max_part(part);
    draw(&mut m);
    m.release();
    let counters: Vec<u64> = COUNTERS.map(|kind| report(&mut m, kind, 0)).into();
    let mut memory = m.data();
    memory.extend(counters.iter().flat_map(|counter| counter.to_le_bytes()));
    (memory, places(m.gpu.faults().first()), m.gpu.core().budget.now())
}

/// Draws whole and in parts of some sizes, on both tiers. All leave the same, which comes back.
fn same(what: &str, draw: impl Fn(&mut Machine)) -> Left {
    let wanted = left(&options(), (usize::MAX, usize::MAX), &draw);
    let (interpreter, compiler) = (options(), Options::new(TierMode::JitOnly, 2));
    for (options, segment, part) in [(&interpreter, 12, 64), (&compiler, 16, 1 << 10), (&compiler, 27, usize::MAX)] {
        let found = left(options, (segment, part), &draw);
        assert_eq!((&found.1, found.2), (&wanted.1, wanted.2), "{what} by {segment}, {part}: faults, time");
        let at = found.0.iter().zip(&wanted.0).position(|(a, b)| a != b);
        assert_eq!(at, None, "{what} by {segment}, {part}: memory");
    }
    wanted
}

fn pixels_of((memory, ..): &Left) -> usize {
    let layers = memory[TARGET as usize..][..3 * 4 * 64 * 64].chunks_exact(4);
    layers.filter(|pixel| **pixel != [0; 4]).count()
}

/// The vertex program writes the layer that the second component of generic 1 says.
fn layered(m: &mut Machine) {
    let text = "
        ald.w4 r0, [rz+0x80], rz
        ald.w4 r4, [rz+0x90], rz
        ast r5, [rz+0x64], rz
        mov r5, rz, 0xf
        ast.w4 r0, [rz+0x70], rz
        ast.w4 r4, [rz+0x80], rz
        exit
    ";
    let outputs = [vec![0x64], words(attribute::POSITION, 4), words(attribute::GENERIC, 4)].concat();
    program(m, VERTEX, header(1, &words(attribute::GENERIC, 8), &outputs), text);
    m.threed(&[
        (r::set_rt_layer::ID, 1 << 16),
        (r::set_color_target_third_dimension::id(0), 3),
        (r::set_color_target_array_pitch::id(0), 64 * 64),
    ]);
}

/// Places around the window's middle.
fn spiral(count: usize, color: impl Fn(usize) -> [f32; 4]) -> Vec<Vertex> {
    let at = |i: usize| {
        let (angle, far) = (i as f32 * 1.7, 0.3 + 0.6 * i as f32 / count as f32);
        vertex(far * angle.cos(), far * angle.sin(), 0.5, color(i))
    };
    (0..count).map(at).collect()
}

/// Lines go on with their stipple, and blocks of pixels with their time, where the next segment begins in the same
/// layer, and nowhere else.
#[test]
fn layers_of_segments_go_on() {
    for (topology, each) in [(Topology::LineStrip, 7), (Topology::LineStrip, 1), (Topology::TriangleStrip, 5)] {
        let color = |i: usize| [1.0, f32::from_bits((i / each % 3) as u32), 0.0, 1.0];
        let drawn = same(&format!("{topology:?} by {each}"), |m| {
            layered(m);
            m.threed(&[(r::set_line_stipple::ID, 1), (r::set_line_stipple_parameters::ID, 2 | 0x35F3 << 8)]);
            vertices(m, &spiral(50, color));
            draw(m, topology, 0, 50);
        });
        assert!(pixels_of(&drawn) > 500 && drawn.1.is_empty(), "{}", pixels_of(&drawn));
    }
}

/// Draws with bytes at [`LARGE`] as indices; the last of them may be at `limit`.
fn drawn_bytes(topology: Topology, limit: u32, count: u32) -> [(usize, u32); 7] {
    let first = (DATA + LARGE) as u32;
    [
        (r::set_index_buffer_b::ID, first),
        (r::set_index_buffer_d::ID, first + limit),
        (r::set_index_buffer_e::ID, 0),
        (r::begin::ID, topology.bits()),
        (r::set_index_buffer_f::ID, 0),
        (r::draw_index_buffer::ID, count),
        (r::end::ID, 0),
    ]
}

/// Polygons by their vertices, with the number that restarts between them.
fn polygons(m: &mut Machine, topology: Topology, indices: &[u8]) {
    vertices(m, &spiral(64, |_| RED));
    m.write(LARGE, indices);
    m.threed(
        &[
            &[(r::set_da_primitive_restart::ID, 1), (r::set_da_primitive_restart_index::ID, 99)],
            &drawn_bytes(topology, 0xFFFF, indices.len() as u32)[..],
        ]
        .concat(),
    );
}

#[test]
fn polygons_of_segments_have_the_number_and_the_edges_of_the_whole() {
    // A small one, one of several segments, and another one.
    let indices: Vec<u8> = (0..5).chain([99]).chain(5..50).chain([99]).chain(50..64).collect();
    for (topology, mode) in [(Topology::Polygon, 0x1B02), (Topology::Polygon, 0x1B01), (Topology::Quads, 0x1B01)] {
        let drawn = same(&format!("{topology:?} {mode:x}"), |m| {
            number_pixels(m, 1.0 / 16.0);
            m.threed(&[(r::set_front_polygon_mode::ID, mode), (r::set_back_polygon_mode::ID, mode)]);
            polygons(m, topology, &indices);
            // The numbers go on.
            polygons(m, Topology::Triangles, &[60, 61, 62]);
        });
        assert!(pixels_of(&drawn) > 300 && drawn.1.is_empty(), "{}", pixels_of(&drawn));
    }
}

/// The flag is that of a place in the draw: the same vertex has it in one triangle, and not in the next.
#[test]
fn edge_flags_are_those_of_places() {
    let corners = [(-0.75, -0.75), (0.75, -0.75), (0.75, 0.75), (-0.75, 0.75)].map(|(x, y)| vertex(x, y, 0.5, RED));
    let flagged = |m: &mut Machine, indices: &[(u32, u32)]| {
        vertices(m, &corners);
        m.threed(&[(r::set_front_polygon_mode::ID, 0x1B01), (r::set_back_polygon_mode::ID, 0x1B01)]);
        let words =
            indices.iter().flat_map(|&(index, flag)| [(r::set_edge_flag::ID, flag), (r::draw_inline_index::ID, index)]);
        m.threed(&[(r::begin::ID, Topology::Triangles.bits())]);
        m.threed(&words.collect::<Vec<_>>());
        m.threed(&[(r::end::ID, 0)]);
    };
    let first = [(0, 1), (1, 1), (2, 1)];
    let second = [(0, 0), (2, 0), (3, 0)];
    let alone = same("one triangle", |m| flagged(m, &first));
    let both = same("two triangles", |m| flagged(m, &[first, second].concat()));
    assert_eq!((pixels_of(&both), pixels_of(&alone) > 100), (pixels_of(&alone), true));
    // Many of both, so that they come in several segments.
    let many: Vec<_> = (0..20).flat_map(|i| if i % 3 == 0 { first } else { second }).collect();
    assert_eq!(pixels_of(&same("many triangles", |m| flagged(m, &many))), pixels_of(&alone));
}

/// Emits a small triangle at each vertex of a primitive, in its colour.
fn emitting(m: &mut Machine) {
    let text = "
        mov32i r9, 0x0, 0xf
        ald.w4 r4, [rz+0x80], r9
        ald.w4 r0, [rz+0x70], r9
        mov32i r10, 0x3d800000, 0xf
        ast.w4 r0, [rz+0x70], r9
        ast.w4 r4, [rz+0x80], r9
        out.emit r9, r9, rz
        fadd r0, r0, r10
        ast.w4 r0, [rz+0x70], r9
        out.emit r9, r9, rz
        fadd r1, r1, r10
        ast.w4 r0, [rz+0x70], r9
        out.emit_cut r9, r9, rz
        exit
    ";
    let outputs = [words(attribute::POSITION, 4), words(attribute::GENERIC, 4)].concat();
    let mut head = header(4, &outputs, &outputs);
    head[2] |= 1 << 24;
    head[3] |= 7 << 24;
    head[4] |= 3;
    program(m, GEOMETRY, head, text);
}

/// The words of generic 0.
const GENERIC: [u8; 4] = [0x20, 0x21, 0x22, 0x23];

#[test]
fn what_geometry_programs_emit_is_drawn_in_parts() {
    let color = |i: usize| [1.0 / (i + 1) as f32, 0.5, i as f32 / 64.0, 1.0];
    let drawn = same("emitted", |m| {
        emitting(m);
        vertices(m, &spiral(60, color));
        capture(m, &GENERIC, 0x1_0000);
        draw(m, Topology::TriangleStrip, 0, 60);
    });
    assert!(pixels_of(&drawn) > 50 && drawn.1.is_empty(), "{}", pixels_of(&drawn));
    let last = f32::from_bits(u32::from_le_bytes(drawn.0[CAPTURED as usize + 48 * 57..][..4].try_into().unwrap()));
    // Every second triangle begins with its second vertex.
    assert_eq!(last, color(58)[0], "58 triangles were captured");
}

/// Patches of three vertices, whose evaluation program moves them about.
fn patches(m: &mut Machine) {
    let text = "
        ald.o.w2 r0, [rz+0x2f0], rz
        mov r9, rz, 0xf
        ald.w4 r4, [rz+0x80], r9
        fadd r0, r0, r4
        fadd r1, r1, r5
        mov32i r2, 0x3f000000, 0xf
        mov32i r3, 0x3f800000, 0xf
        ast.w4 r0, [rz+0x70], rz
        ast.w4 r4, [rz+0x80], rz
        exit
    ";
    let outputs = [words(attribute::POSITION, 4), words(attribute::GENERIC, 4)].concat();
    program(m, EVALUATION, header(3, &words(attribute::GENERIC, 4), &outputs), text);
    m.threed(&r::set_tessellation_lod::IDS.map(|id| (id, 3f32.to_bits())));
    m.threed(&[(r::set_patch::ID, 3), (r::set_tessellation_parameters::ID, 1 | 3 << 8)]);
}

#[test]
fn patches_are_drawn_in_parts() {
    let drawn = same("patches", |m| {
        patches(m);
        let color = |i: usize| [-0.02 * i as f32, 0.01 * i as f32 - 0.4, 0.5, 1.0];
        vertices(m, &spiral(61, color));
        capture(m, &GENERIC, 0x1_0000);
        draw(m, Topology::Patches, 0, 61);
    });
    assert!(pixels_of(&drawn) > 100 && drawn.1.is_empty(), "{}", pixels_of(&drawn));
}

/// What is wrong with a draw is one fault, however it is done.
#[test]
fn faults_are_those_of_the_whole() {
    type Spoil = fn(&mut Machine);
    let cases: [(&str, Topology, Spoil); 7] = [
        ("patches of no vertices", Topology::Patches, |m| {
            patches(m);
            m.threed(&[(r::set_patch::ID, 0)]);
        }),
        ("no evaluation program", Topology::Patches, |m| {
            patches(m);
            m.threed(&[(r::set_pipeline_program::id(EVALUATION), 0x70_0000)]);
        }),
        ("no geometry program", Topology::TriangleStrip, |m| {
            emitting(m);
            m.threed(&[(r::set_pipeline_program::id(GEOMETRY), 0x70_0000)]);
        }),
        ("no pixel program", Topology::TriangleStrip, |m| {
            capture(m, &GENERIC, 0x1_0000);
            m.threed(&[(r::set_pipeline_program::id(PIXEL), 0x70_0000)]);
        }),
        ("a stream outside memory", Topology::TriangleStrip, |m| {
            let place = (DATA + 0x70_0000) as u32;
            let stream = [
                (r::set_vertex_stream_a_location_b::id(0), place),
                (r::set_vertex_stream_limit_a_b::id(0), place + 0x1_0000),
            ];
            m.threed(&stream);
        }),
        ("a target outside memory", Topology::TriangleStrip, |m| {
            m.threed(&[(r::set_color_target_b::id(0), (DATA + 0x70_0000) as u32)]);
        }),
        ("layers outside memory", Topology::TriangleStrip, |m| {
            layered(m);
            m.threed(&[(r::set_color_target_b::id(0), (DATA + 0x70_0000) as u32)]);
        }),
    ];
    for (what, topology, spoil) in cases {
        let (_, faults, _) = same(what, |m| {
            vertices(m, &spiral(64, |i| [0.5, f32::from_bits((i / 20) as u32), 0.5, 1.0]));
            spoil(m);
            draw(m, topology, 0, 64);
            draw(m, topology, 0, 64);
        });
        assert!(!faults.is_empty() && faults.len().is_multiple_of(2), "{what}: {faults:?}");
    }
}

/// Vertices that several segments have are shaded in each, and paid. With the usual size of segments.
#[test]
fn vertices_are_paid_as_often_as_they_are_shaded() {
    const COUNT: u32 = 150_000;
    const MORE: u64 = 200;
    let spent = |more: u64| {
        let mut m = ready();
        let text = format!("{}{PASS}", "mov r9, rz, 0xf\n".repeat(more as usize));
        let inputs = words(attribute::GENERIC, 8);
        let outputs = [words(attribute::POSITION, 4), words(attribute::GENERIC, 4)].concat();
        program(&mut m, VERTEX, header(1, &inputs, &outputs), &text);
        m.write(LARGE, &(0..COUNT).map(|i| i as u8).collect::<Vec<_>>());
        m.hold();
        m.threed(&[&[(r::set_raster_enable::ID, 0)], &drawn_bytes(Topology::Points, COUNT - 1, COUNT)[..]].concat());
        m.release();
        m.expect_no_faults();
        (m.gpu.core().budget.used(), m.gpu.core().budget.now(), m.gpu.stats().vertices)
    };
    let ((less, earlier, vertices), (more, later, _)) = (spent(0), spent(MORE));
    assert_eq!(vertices, 3 * 256, "each of three segments has them");
    assert!(more - less >= vertices * MORE, "{}", more - less);
    // The console shades each once.
    assert!(later - earlier < 2 * 256 * MORE, "{}", later - earlier);
}

/// Programs without end count for the whole draw, and are paid before the next segment.
#[test]
fn endless_vertices_of_all_segments_count_together() {
    let text = "
        ald.w4 r0, [rz+0x80], rz
        ald.w4 r4, [rz+0x90], rz
        isetp.s32.lt.and p0, pt, rz, r4, pt
    again:
        @p0 bra again
        ast.w4 r0, [rz+0x70], rz
        exit
    ";
    let mut m = ready();
    m.gpu.set_max_segment(16);
    program(&mut m, VERTEX, header(1, &words(attribute::GENERIC, 8), &words(attribute::POSITION, 4)), text);
    // Every eighth one.
    vertices(&mut m, &spiral(512, |i| [if i % 8 == 0 { 1.0 } else { 0.0 }, 0.0, 0.0, 1.0]));
    m.hold();
    draw(&mut m, Topology::Points, 0, 512);
    m.release();
    let [fault] = m.gpu.faults().first() else { panic!("{:?}", m.gpu.faults()) };
    assert_eq!((fault.kind, &*fault.what), (FaultKind::OutOfFuel, "16 programs without end"));
    assert!(m.gpu.core().budget.used() >= 16 * u64::from(FUEL), "{}", m.gpu.core().budget.used());
    assert_eq!(m.gpu.stats().vertices, 128, "what is left is given up");
}

/// A draw may make many scenes. What the programs of one have taken the next ones do not have.
#[test]
fn scenes_of_a_draw_share_its_fuel() {
    const SCENES: usize = 20;
    // A pixel may take twenty units in the first scene, and takes eighteen.
    let (fuel, rounds) = (32 * 20 * u64::from(FUEL_UNIT), (18 * FUEL_UNIT / 3) as f32);
    let white = |threads| {
        let mut m = ready_on(Machine::with(&Options::new(TierMode::JitOnly, threads)));
        layered(&mut m);
        program(&mut m, PIXEL, pixel_header(2), ROUNDS);
        let place = |i: usize| (2.0 * i as f32 + 0.5) / 32.0 - 1.0;
        let color = |i: usize| [rounds, f32::from_bits((i % 2) as u32), 0.0, 1.0];
        vertices(&mut m, &(0..SCENES).map(|i| vertex(place(i), 0.01, 0.5, color(i))).collect::<Vec<_>>());
        m.gpu.set_fuel(fuel);
        m.hold();
        draw(&mut m, Topology::Points, 0, SCENES as u32);
        m.release();
        let layers = m.read(TARGET, 2 * 4 * 64 * 64);
        layers.chunks_exact(4).filter(|pixel| **pixel == [0xFF; 4]).count()
    };
    let found = white(1);
    assert!((6..18).contains(&found), "{found}");
    assert_eq!(white(3), found);
}

/// Dashes of a line, or slices of a disc, are so many primitives that of such shapes only some are drawn before it is
/// seen whether the scene is full: with this stipple 5,140 lines across the target, of 32 dashes each.
const CHUNK: usize = (1 << 20) / 204;

/// Draws lines with a stipple by the numbers of their vertices. Returns the samples that were covered, and the time.
fn dashes(m: &mut Machine, topology: Topology, indices: &[u8]) -> (u64, u64) {
    m.write(LARGE, indices);
    m.hold();
    m.threed(
        &[
            &[
                (r::set_line_stipple::ID, 1),
                (r::set_line_stipple_parameters::ID, 1 | 0x5555 << 8),
                (r::set_zpass_pixel_count::ID, 1),
            ],
            &drawn_bytes(topology, 0xF_FFFF, indices.len() as u32)[..],
        ]
        .concat(),
    );
    m.release();
    (report(m, 0x15, 0), m.gpu.core().budget.now())
}

/// The stipple goes on from chunk to chunk as it does from segment to segment.
#[test]
fn chunks_of_lines_are_those_of_the_whole() {
    let indices: Vec<u8> = (0..2 * CHUNK + 100).map(|i| (i * i % 7) as u8).collect();
    let drawn = |segment: usize| {
        let mut m = ready_on(Machine::with(&Options::new(TierMode::JitOnly, 2)));
        m.gpu.set_max_segment(segment);
        vertices(&mut m, &spiral(7, |i| [1.0, i as f32 / 7.0, 0.25, 1.0]));
        let counted = dashes(&mut m, Topology::LineStrip, &indices);
        m.expect_no_faults();
        (counted, m.read(TARGET, 4 * 64 * 64))
    };
    let whole = drawn(usize::MAX);
    assert!(whole.0.0 > 50_000 && drawn(1000) == whole, "{:?}", whole.0);
}

/// Each chunk may be a scene, and has what the ones before have left.
#[test]
fn scenes_of_chunks_share_the_fuel_of_their_draw() {
    let fuel = 1 << 29;
    let rounds = (0.96 * fuel as f64 / 32.0 / 3.0) as f32;
    let mut m = ready_on(Machine::with(&Options::new(TierMode::JitOnly, 2)));
    program(&mut m, PIXEL, pixel_header(2), ROUNDS);
    let line = |[x0, x1]: [f32; 2], y: f32, rounds: f32| [x0, x1].map(|x| vertex(x, y, 0.5, [rounds, 0.0, 0.0, 1.0]));
    // Lines across all of the target, and three short ones whose programs run long.
    let short = (1..4).map(|i| line([0.0, 0.04], i as f32 / 4.0, rounds));
    let all: Vec<Vertex> = std::iter::once(line([-1.0, 1.0], 0.0, 0.0)).chain(short).flatten().collect();
    vertices(&mut m, &all);
    let pair = |i: usize| if i % CHUNK == 100 { 2 + 2 * (i / CHUNK) as u8 } else { 0 };
    let indices: Vec<u8> = (0..3 * CHUNK).flat_map(|i| [pair(i), pair(i) + 1]).collect();
    m.gpu.set_fuel(fuel);
    dashes(&mut m, Topology::Lines, &indices);
    let mut is_white = |y: u32| (28..36).any(|x| pixel(&mut m, x, y) == [0xFF; 4]);
    let white = [1, 2, 3].map(|i| is_white(31 + 8 * i) || is_white(32 + 8 * i));
    assert_eq!(white, [true, false, false]);
}
