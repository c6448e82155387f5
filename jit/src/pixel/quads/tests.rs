//! Every quad with a covered pixel is drawn once, whatever other quads are drawn with it.

#![allow(unsafe_code)]

use std::mem::offset_of;

use cranelift_codegen::ir::types::I32;
use triglyph_guest::num::ops::Ops;

use super::*;
use crate::code::{Code, Compiler};
use crate::effort::Effort;
use crate::lane::I32x4;
use crate::pixel::interpolate::pica::picked;
use crate::pixel::target::surface::QuadAddress;

/// What quads are drawn to.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    coverage: u64,
    /// The first pixel of the last quad that went a rare way.
    rare: u64,
    colors: [[i32; 4]; QUADS],
    beyond: [[i32; 4]; AT_ONCE],
}

/// As pixel kernels draw.
const ITERATION: Iteration = Iteration { lanes: 4, quads: AT_ONCE, picks: false };

/// As pixel kernels draw that pick their pixels.
const PICKING: Iteration = Iteration { picks: true, ..ITERATION };

/// Quads of a block.
const QUADS: usize = 16;

/// Colours above it are drawn in a rare way.
const USUAL: i32 = 1000;

/// A quad's coverage in all lanes.
fn splat(e: &mut Emit<'_>, cover: Value) -> I32x4 {
    let cover = e.b.ins().ireduce(I32, cover);
    e.splat_i32(cover)
}

/// Quads share all memory.
const SHARED: PrivateMemory = PrivateMemory { own: Vec::new(), counters: 0..0, storage: None };

/// Emits the end of the code.
fn finish(e: &mut Emit<'_>, end: Block) {
    e.switch_to(end);
    e.succeed();
}

/// Emits a loop over the covered quads of a block.
fn emit_quads(
    e: &mut Emit<'_>,
    iteration: Iteration,
    place: QuadCount,
    draw: impl FnOnce(&mut Emit<'_>, CoveredQuad),
) -> Result<(), Unsupported> {
    let next = e.block(&[]);
    let coverage = e.load_i64(e.args, offset_of!(Memory, coverage) as i32);
    let block = CoveredBlock::new(e, coverage);
    let draw = |e: &mut Emit<'_>, quad: CoveredQuad, done: Block| {
        draw(e, quad);
        e.jump(done, &[]);
        Ok(())
    };
    each_quad(e, iteration, block, next, &SHARED, draw, |_, _, _| place)?;
    finish(e, next);
    Ok(())
}

/// Checks code of each effort, for each number of quads at once; `check` gets what it is as well.
fn check_code<A>(emit: impl Fn(&mut Emit<'_>, QuadCount) -> Result<(), Unsupported>, check: impl Fn(&Code<A>, &str)) {
    for effort in [Effort::Baseline, Effort::Optimized] {
        let compiler = Compiler::new(effort).unwrap();
        for place in [QuadCount::Two, QuadCount::FourInCoveredBlocks, QuadCount::Four] {
            let code = compiler.compile(1, |e| emit(e, place)).unwrap();
            check(&code, &format!("{effort:?}, {place:?}"));
        }
    }
}

/// Emits a loop that adds their coverage to the colours of quads.
fn emit(e: &mut Emit<'_>, place: QuadCount) -> Result<(), Unsupported> {
    let args = e.args;
    emit_quads(e, ITERATION, place, |e, quad| {
        let offset = e.b.ins().ishl_imm_u(quad.pixels, 2);
        let color_at = e.b.ins().iadd(args, offset);
        let colors = offset_of!(Memory, colors) as i32;
        let color = e.load_ints(color_at, colors);
        let limit = e.i(USUAL);
        let above = e.ilt(limit, color);
        let any = e.any(above);
        let (rare, usual) = (e.cold_block(&[]), e.block(&[]));
        e.branch_if_rare(any, rare, (usual, &[]));
        e.switch_to(rare);
        e.store(quad.pixels, args, offset_of!(Memory, rare) as i32);
        e.jump(usual, &[]);
        e.switch_to(usual);
        let cover = splat(e, quad.cover);
        let sum = e.iadd(color, cover);
        e.store(sum.0, color_at, colors);
    })
}

/// Emits a change of the covered pixels of a picked quad, whose block is at `colors`.
fn change_picked(
    e: &mut Emit<'_>,
    colors: Value,
    quad: CoveredQuad,
    change: impl FnOnce(&mut Emit<'_>, I32x4) -> I32x4,
) {
    let addresses = picked(e, quad.pixels).map(|pixel| {
        let offset = e.scale(pixel, 4);
        e.b.ins().iadd(colors, offset)
    });
    let pixels = QuadAddress::scattered(4, addresses);
    let color = pixels.load(e)[0];
    let (cover, bits, zero) = (splat(e, quad.cover), e.ints([1, 2, 4, 8]), e.i(0));
    let cover = e.iand(cover, bits);
    let covered = e.ilt(zero, cover);
    let changed = change(e, color);
    let stored = e.iselect(covered, changed, color);
    pixels.store_all(e, &[stored]);
}

/// Emits a loop that adds 1 to the colours of picked pixels.
fn emit_picking(e: &mut Emit<'_>, place: QuadCount) -> Result<(), Unsupported> {
    let args = e.args;
    emit_quads(e, PICKING, place, |e, quad| {
        let colors = e.b.ins().iadd_imm_u(args, offset_of!(Memory, colors) as i64);
        change_picked(e, colors, quad, |e, color| {
            let one = e.i(1);
            e.iadd(color, one)
        });
    })
}

/// Two places, eight primitives' blocks, and what they are drawn to.
#[repr(C, align(16))]
struct StreamMemory {
    blocks: *const PixelBlock,
    end: *const PixelBlock,
    are_apart: u32,
    colors: [[i32; 64]; 2],
}

/// Emits a loop over blocks in columns 0 and 8 that makes `3 * color + primitive` of the colours of pixels.
fn emit_stream(e: &mut Emit<'_>, place: QuadCount) -> Result<(), Unsupported> {
    let args = e.args;
    let exit = e.block(&[]);
    let stream = Stream {
        blocks: offset_of!(StreamMemory, blocks) as i32,
        end: offset_of!(StreamMemory, end) as i32,
        are_apart: offset_of!(StreamMemory, are_apart) as i32,
    };
    let draw = |e: &mut Emit<'_>, block: Value, quad: CoveredQuad, done: Block| {
        let column = e.b.ins().uload16(I64, crate::lane::memory(), block, offset_of!(PixelBlock, x) as i32);
        let offset = e.scale(column, 32);
        let colors = e.b.ins().iadd_imm_u(args, offset_of!(StreamMemory, colors) as i64);
        let colors = e.b.ins().iadd(colors, offset);
        change_picked(e, colors, quad, |e, color| {
            let primitive = e.load_splat_i32(block, offset_of!(PixelBlock, primitive) as i32);
            let twice = e.iadd(color, color);
            let sum = e.iadd(twice, color);
            e.iadd(sum, primitive)
        });
        e.jump(done, &[]);
        Ok(())
    };
    each_quad_of_all(e, PICKING, stream, exit, &SHARED, draw, |_, _, _| place)?;
    finish(e, exit);
    Ok(())
}

#[test]
fn blocks_that_are_drawn_at_once_stay_in_order() {
    let mut state = 1u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.rotate_left(32)
    };
    // From none to all pixels, and few most often.
    let mut coverage = || match word() % 8 {
        0 => 0,
        1 => u64::MAX,
        2 => word(),
        3 => word() & word(),
        _ => word() & word() & word() & word(),
    };
    let jobs: Vec<Vec<PixelBlock>> = (0..200u32)
        .map(|job| {
            let block = |primitive: u32| {
                let x = if job % 3 == 0 { 0 } else { 8 * (primitive % 2) as u16 };
                PixelBlock { primitive, x, row: 0, coverage: coverage() }
            };
            (0..job % 9).map(block).collect()
        })
        .collect();
    check_code(emit_stream, |code, name| {
        for (number, blocks) in jobs.iter().enumerate() {
            let colors = [[1; 64], [2; 64]];
            let mut wanted = colors;
            for block in blocks {
                for pixel in (0..64).filter(|pixel| block.coverage >> pixel & 1 != 0) {
                    let color = &mut wanted[usize::from(block.x / 8)][pixel];
                    *color = *color * 3 + block.primitive as i32;
                }
            }
            let Range { start, end } = blocks.as_ptr_range();
            let mut memory = StreamMemory { blocks: start, end, are_apart: number as u32 % 2, colors };
            // SAFETY: the code reads the blocks, which are in the two columns, and the fields of `memory`.
            unsafe { code.call(&raw mut memory) };
            assert_eq!(memory.colors, wanted, "{name}, job {number}");
        }
    });
}

/// What code leaves in memory.
fn run(code: &Code<Memory>, mut memory: Memory) -> Memory {
    // SAFETY: the code reads and writes the fields of `memory`.
    unsafe { code.call(&raw mut memory) };
    memory
}

/// Some coverages of blocks.
const COVERAGES: [u64; 7] =
    [0, 1, u64::MAX, 0x8000_0000_0000_0000, 0x00F1_0000_2000_0301, u64::MAX >> 4, 0xFFFF_0000_0000];

#[test]
fn each_picked_pixel_is_drawn_once() {
    check_code(emit_picking, |code, name| {
        let some = (0..64).map(|n| 0x1357_9BDF_0246_8ACE_u64.rotate_left(n) & (u64::MAX >> n));
        for coverage in COVERAGES.into_iter().chain(some) {
            let colors = std::array::from_fn(|quad| [10, 20, 30, 40].map(|color| color + quad as i32));
            let start = Memory { coverage, rare: 0, colors, beyond: [[0; 4]; AT_ONCE] };
            let mut wanted = start;
            for (pixel, color) in wanted.colors.as_flattened_mut().iter_mut().enumerate() {
                *color += (coverage >> pixel & 1) as i32;
            }
            assert_eq!(run(code, start), wanted, "{name}, coverage {coverage:#x}");
        }
    });
}

#[test]
fn several_quads_are_drawn_by_copies_of_the_code() {
    let stores = |effort| {
        let compiler = Compiler::new(effort).unwrap();
        compiler.dump(1, |e| emit(e, QuadCount::Four)).matches("store").count()
    };
    assert!(stores(Effort::Optimized) > stores(Effort::Baseline));
}

#[test]
fn each_quad_is_drawn_once() {
    check_code(emit, |code, name| {
        for (coverage, rare) in COVERAGES.into_iter().flat_map(|coverage| [0, 1, 0x8421, 0xFFFF].map(|r| (coverage, r)))
        {
            let color = |quad: usize| [if rare >> quad & 1 == 0 { 10 } else { USUAL + 1 }, 20, 30, 40];
            let colors = std::array::from_fn(color);
            let start = Memory { coverage, rare: 0, colors, beyond: [[0; 4]; AT_ONCE] };
            let mut wanted = start;
            for quad in 0..QUADS {
                let cover = (coverage >> (4 * quad) & 15) as i32;
                wanted.colors[quad] = wanted.colors[quad].map(|channel| channel + cover);
                if cover != 0 && rare >> quad & 1 != 0 {
                    wanted.rare = 4 * quad as u64;
                }
            }
            assert_eq!(run(code, start), wanted, "{name}, coverage {coverage:#x}, rare {rare:#x}");
        }
    });
}
