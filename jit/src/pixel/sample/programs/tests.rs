//! Lookups on both tiers: random units, random coordinates, everything that instructions can ask.

use std::mem::offset_of;

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::program::random_texture::random_unit;
use triglyph_guest::kernel::program::sampler::{Texture, TextureKey};
use triglyph_interp::program::sampler as reference;

use super::*;
use crate::code::Compiler;
use crate::effort::Effort;

/// Results of four vectors each, and how many.
const RESULTS: usize = 8;

/// What the code is called with.
#[repr(C, align(64))]
struct Job {
    scratch: [u32; 16],
    coordinates: [[f32; 4]; 4],
    gradients: [[[f32; 4]; 3]; 2],
    /// Of samples, then of each texel of a gather along s and t.
    offsets: [[i32; 4]; 11],
    reference: [f32; 4],
    level: [f32; 4],
    place: [[i32; 4]; 3],
    layer: [i32; 4],
    number: [i32; 4],
    results: [[[u32; 4]; 4]; RESULTS],
    texture: TextureArgs,
}

/// Offset of a field of the job.
macro_rules! job {
    ($($field:tt)+) => { offset_of!(Job, $($field)+) as i32 };
}

fn build(e: &mut Emit<'_>, key: &TextureKey, channel: usize) {
    let args = e.args;
    let texture = e.b.ins().iadd_imm_u(args, i64::from(job!(texture)));
    let unit = TextureUnit { key, args: texture, scratch: job!(scratch) };
    let coordinates = [0, 1, 2, 3].map(|i| e.load_floats(args, job!(coordinates) + 16 * i));
    let gradients = [0, 1].map(|d| [0, 1, 2].map(|i| e.load_floats(args, job!(gradients) + 48 * d + 16 * i)));
    let mut offset = |i: i32| e.load_ints(args, job!(offsets) + 16 * i);
    let offsets = [0, 1, 2].map(&mut offset);
    let each = [0, 1, 2, 3].map(|texel| [0, 1].map(|axis| offset(3 + 2 * texel + axis)));
    let operand = e.load_floats(args, job!(reference));
    let level = e.load_floats(args, job!(level));
    let [place, others] = [job!(place), job!(layer)].map(|at| [0, 1, 2].map(|i| at + 16 * i));
    let place = place.map(|at| e.load_ints(args, at));
    let [layer, number] = [others[0], others[1]].map(|at| e.load_ints(args, at));
    let needed = [true; 4];
    let base = Lookup {
        offset: offsets.map(Some),
        reference: Reference::Operand(operand),
        ..Lookup::new(coordinates, LodSource::Implicit { bias: Some(level) }, needed)
    };

    let missing = Lookup { reference: Reference::Missing, lod_source: LodSource::Level(level), ..base };
    let by_gradients = Lookup { offset: [None; 3], lod_source: LodSource::Gradients(gradients), ..base };
    let common = GatherOffsets::Common([Some(offsets[0]), Some(offsets[1])]);
    let gathered = Gather { coordinates, channel, offsets: common, reference: base.reference, needed };
    let apart = Gather { offsets: GatherOffsets::Each(each), reference: Reference::Missing, ..gathered };
    let results = [
        sample(e, unit, &base),
        sample(e, unit, &missing),
        sample(e, unit, &by_gradients),
        gather(e, unit, &gathered),
        gather(e, unit, &apart),
        fetch(e, unit, &Fetch { at: place, layer: Some(layer), level: Some(number), needed }),
    ];
    let store = |e: &mut Emit<'_>, result: usize, lane: usize, value: Value| {
        e.store(value, args, job!(results) + (64 * result + 16 * lane) as i32);
    };
    for (i, result) in results.into_iter().enumerate() {
        for (channel, value) in result.into_iter().enumerate() {
            store(e, i, channel, value.0);
        }
    }
    let levels = query_level(e, unit, &base);
    for (i, value) in levels.into_iter().chain(query_size(e, unit, number)).enumerate() {
        store(e, 6 + i / 4, i % 4, value.0);
    }
    e.succeed();
}

/// What the reference says of one lane.
fn expected(key: &TextureKey, texture: &Texture<'_>, job: &Job, channel: usize, lane: usize) -> [[u32; 4]; RESULTS] {
    let unit = reference::TextureUnit { key, texture };
    let at = |lane: usize| job.coordinates.map(|c| c[lane]);
    let gradient = |d: usize| {
        let [x, y, z] = job.gradients[d].map(|g| g[lane]);
        [x, y, z, 0.0]
    };
    let offset = |i: usize| job.offsets[i][lane];
    let (left, above) = if unit.shares_differences() { (0, 0) } else { (lane & !1, lane & 1) };
    let neighbours = reference::LodSource::Neighbours {
        row: Some([at(left), at(left + 1)]),
        column: Some([at(above), at(above + 2)]),
        bias: job.level[lane],
    };
    let base = reference::Lookup {
        at: at(lane),
        lod_source: neighbours,
        offset: [offset(0), offset(1), offset(2)],
        reference: reference::Reference::Operand(job.reference[lane]),
    };
    let missing = reference::Reference::Missing;
    let explicit = reference::LodSource::Level(job.level[lane]);
    let by_gradients = reference::LodSource::Gradients([gradient(0), gradient(1)]);
    let each = [0, 1, 2, 3].map(|texel| [offset(3 + 2 * texel), offset(4 + 2 * texel)]);
    let [a, b] = unit.query_level(&base);
    let [width, height, depth, levels] = unit.query_size(job.number[lane]);
    let apart = reference::Lookup { reference: missing, ..base };
    let floats = [
        unit.look_up(&base),
        unit.look_up(&reference::Lookup { reference: missing, lod_source: explicit, ..base }),
        unit.look_up(&reference::Lookup { offset: [0; 3], lod_source: by_gradients, ..base }),
        unit.gather(&base, channel, reference::GatherOffsets::Common),
        unit.gather(&apart, channel, reference::GatherOffsets::Each(each)),
        unit.fetch(job.place.map(|c| c[lane]), job.layer[lane] as u32, job.number[lane]),
    ];
    let [s, m, g, c, p, f] = floats.map(|result| result.map(f32::to_bits));
    [s, m, g, c, p, f, [a as u32, b as u32, width, height], [depth, levels, 0, 0]]
}

/// Numbers for four lanes.
fn four<T>(mut number: impl FnMut() -> T) -> [T; 4] {
    std::array::from_fn(|_| number())
}

fn random_job(rng: &mut impl FnMut() -> u32, texture: TextureArgs) -> Job {
    let unit = |rng: &mut dyn FnMut() -> u32| (rng() >> 8) as f32 / (1 << 24) as f32;
    let spread = [0.02, 0.3, 3.0][rng() as usize % 3];
    let coordinate = |rng: &mut dyn FnMut() -> u32| {
        if rng().is_multiple_of(64) {
            return [f32::NAN, f32::INFINITY, -1e30, 0.0][rng() as usize % 4];
        }
        unit(rng) * 4.0 - 1.5
    };
    let start = std::array::from_fn::<f32, 4, _>(|_| coordinate(rng));
    let coordinates = start.map(|c| four(|| c + spread * ((rng() >> 8) as f32 / (1 << 24) as f32)));
    let small = |rng: &mut dyn FnMut() -> u32, low: i32, count: u32| (rng() % count) as i32 + low;
    Job {
        scratch: [0; 16],
        coordinates,
        gradients: std::array::from_fn(|_| std::array::from_fn(|_| four(|| coordinate(rng) * spread))),
        offsets: std::array::from_fn(|_| four(|| small(rng, -32, 64))),
        reference: four(|| coordinate(rng)),
        level: four(|| coordinate(rng) * 2.0),
        place: std::array::from_fn(|_| four(|| small(rng, -2, 22))),
        layer: four(|| small(rng, -1, 14)),
        number: four(|| small(rng, -1, 7)),
        results: [[[0; 4]; 4]; RESULTS],
        texture,
    }
}

#[test]
fn both_tiers_say_the_same_of_every_lookup() {
    let mut state = 0x5A3Du64;
    let mut rng = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    for round in 0..200u32 {
        let (key, texture) = random_unit(&mut rng);
        let texture = texture.texture();
        let args = TextureArgs::new(&key, &texture).expect("random units are ones that are compiled");
        let channel = rng() as usize % 4;
        let effort = if round.is_multiple_of(2) { Effort::Baseline } else { Effort::Optimized };
        let build = |e: &mut Emit<'_>| {
            build(e, &key, channel);
            Ok(())
        };
        let code = Compiler::new(effort).unwrap().compile(1, build).unwrap();
        for _ in 0..20 {
            let mut job = random_job(&mut rng, args);
            // SAFETY: the code writes scratch and results of the job and reads the rest and the texture, which was
            // checked.
            #[allow(unsafe_code)]
            unsafe {
                code.call(&raw mut job);
            }
            for lane in 0..4 {
                let expected = expected(&key, &texture, &job, channel, lane);
                for (i, expected) in expected.into_iter().enumerate() {
                    let found = job.results[i].map(|channel| channel[lane]);
                    let same = found.iter().zip(expected).all(|(&found, expected)| {
                        let nan = |bits: u32| f32::from_bits(bits).is_nan();
                        found == expected || i < 6 && nan(found) && nan(expected)
                    });
                    let at = job.coordinates.map(|c| c[lane]);
                    assert!(
                        same,
                        "result {i}, round {round}, lane {lane} at {at:?}: {found:x?}, {expected:x?}\n{key:?}\n{:?}",
                        texture.levels
                    );
                }
            }
        }
    }
}
