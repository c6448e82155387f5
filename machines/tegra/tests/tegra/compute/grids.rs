//! Grids on several threads: what they leave is what their blocks leave in order, and whether they were shared is as
//! expected.

use crate::compute::{BEGIN, CODE, descriptor, launch};
use crate::support::threed::texture_header;
use crate::support::{COMPUTE, DATA, Machine, methods};
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::FaultKind;
use triglyph_guest::tegra::methods::threed::regs as r;
use triglyph_guest::tegra::shader::assemble_program;
use triglyph_options::Options;
use triglyph_tegra::GridParts;

/// Offsets in the data: constants, what programs load, what they store, headers of textures, texels.
const CONSTANTS: u32 = 0x3000;
const INPUT: u32 = 0x2_0000;
const OUTPUT: u32 = 0x10_0000;
const POOL: u32 = 0x1_0000;
const TEXELS: u32 = 0x20_0000;

/// What a submission may cost: warps of a grid have 31 units in reserve.
const FUEL: u64 = 1 << 27;

/// Blocks in x and y, threads of each.
const GRID: [u32; 3] = [16, 32, 1];
const THREADS: u32 = 64;

/// Texels of a row and of a column of the image.
const EDGE: u32 = 256;

/// R10 is the place of the thread's word of the input, R12 of the output.
const PLACES: &str = "\
shl r6, r5, 0x2
mov r11, rz, 0xf
mov r13, rz, 0xf
mov r10, c[0][0x0], 0xf
iadd r10, r10, r6
mov r12, c[0][0x4], 0xf
iadd r12, r12, r6
";

/// Whether blocks are shared among threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Shared,
    /// Again in order after they were shared.
    Undone,
    /// For either, as it depends on which blocks are done at the same time.
    Any,
}

const ALL: [(TierMode, usize); 6] = [
    (TierMode::InterpreterOnly, 1),
    (TierMode::InterpreterOnly, 2),
    (TierMode::InterpreterOnly, 4),
    (TierMode::JitOnly, 1),
    (TierMode::JitOnly, 2),
    (TierMode::JitOnly, 4),
];

/// A machine with a program after [`BEGIN`] and [`PLACES`], its constants, and numbers where it loads and stores.
fn machine(program: &str, (tier, threads): (TierMode, usize)) -> Machine {
    let mut options = Options::new(tier, threads);
    options.fuel = FUEL;
    let mut machine = Machine::with(&options);
    let words = assemble_program(&format!("{BEGIN}{PLACES}{program}\nexit")).expect("a program");
    machine.write(CODE.into(), &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
    let at = |offset: u32| DATA as u32 + offset;
    let constants = [at(INPUT), at(OUTPUT), GRID[0], THREADS, at(OUTPUT + 2), 0];
    machine.write(CONSTANTS.into(), &constants.map(u32::to_le_bytes).concat());
    let numbers = |seed: u32| (0..0x3_0000u32).flat_map(move |n| (n.wrapping_mul(seed) >> 7).to_le_bytes());
    machine.write(INPUT.into(), &numbers(0x9E37_79B1).take(0xD_0000).collect::<Vec<u8>>());
    machine.write(OUTPUT.into(), &numbers(0x85EB_CA6B).take(0x8_0000).collect::<Vec<u8>>());
    let header = texture_header(TEXELS.into(), EDGE).map(u32::to_le_bytes).concat();
    machine.write(POOL.into(), &header);
    for (register, datum) in [
        (r::set_tex_header_pool_b::ID, at(POOL)),
        (r::set_tex_header_pool_c::ID, 0),
        (r::set_tex_sampler_pool_b::ID, at(POOL + 0x1000)),
    ] {
        machine.run(&methods(COMPUTE, register as u32, &[datum]));
    }
    machine.run(&methods(COMPUTE, 0x582, &[0, DATA as u32]));
    machine
}

fn parts(machine: &Machine) -> GridParts {
    machine.gpu.channel(0).expect("a channel").units().grid_parts()
}

/// Launches a grid several times on each tier and any number of threads. Memory and faults are always the same.
#[track_caller]
fn check_grid(program: &str, grid: [u32; 3], block: [u32; 3], expected: Expected) -> Vec<u8> {
    let mut left: Option<(Vec<u8>, [u64; 4])> = None;
    for how in ALL {
        let mut machine = machine(program, how);
        for _ in 0..3 {
            launch(&mut machine, &descriptor(grid, block, false));
        }
        let kinds = [FaultKind::UnmappedRead, FaultKind::UnmappedWrite, FaultKind::OutOfFuel, FaultKind::BadShader];
        let now = (machine.data(), kinds.map(|kind| machine.faults(kind)));
        let parts = parts(&machine);
        let GridParts { shared, undone, in_order } = parts;
        // A grid has one part, or several with a loop in its program.
        let loops = program.contains("bra ");
        let is = |count: u64, parts: u64| count == parts || loops && count > parts;
        let is_right = match expected {
            _ if how.1 == 1 => (shared, undone) == (0, 0) && is(in_order, 3),
            Expected::Shared => (undone, in_order) == (0, 0) && is(shared, 3),
            Expected::Undone => is(shared, 0) && undone == 1 && is(in_order, 2),
            Expected::Any => true,
        };
        assert!(is_right, "{how:?}: {parts:?}");
        match &left {
            None => left = Some(now),
            Some(left) => {
                let differs = left.0.iter().zip(&now.0).position(|(a, b)| a != b);
                assert_eq!((differs, left.1), (None, now.1), "{how:?}");
            }
        }
    }
    left.expect("runs").0
}

#[track_caller]
fn check(program: &str, expected: Expected) -> Vec<u8> {
    check_grid(program, GRID, [THREADS, 1, 1], expected)
}

/// Word `n` of the output.
fn output(data: &[u8], n: u32) -> u32 {
    let at = (OUTPUT + 4 * n) as usize;
    u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"))
}

#[test]
fn blocks_that_change_their_own_words_are_shared() {
    let data = check("ldg.e.b32 r8, [r12]\nimad r8, r8, r4, r5\nstg.e.b32 r8, [r12]", Expected::Shared);
    let mut value = 3u32.wrapping_mul(0x85EB_CA6B) >> 7;
    for _ in 0..3 {
        value = value.wrapping_mul(THREADS).wrapping_add(3);
    }
    assert_eq!(output(&data, 3), value);
}

#[test]
fn blocks_that_load_what_nobody_stores_are_shared() {
    let gather = "\
        imad r8, r5, r3, r2\nlop.and r8, pt, r8, r9\nshl r8, r8, 0x2\nmov r10, c[0][0x0], 0xf\niadd r10, r10, r8\n\
        ldg.e.b32 r8, [r10]\nldg.e.b32 r9, [r10+0x40]\nxmad r8, r8, r9, r5\nstg.e.b32 r8, [r12]";
    check(&format!("mov32i r9, 0x7fff, 0xf\n{gather}"), Expected::Shared);
    // In some lanes, and more bytes at once.
    check(
        "lop.and r8, pt, r5, 0x4\nisetp.s32.eq.and p0, pt, r8, rz, pt\nshr r10, r10, 0x4\nshl r10, r10, 0x4\n\
         mov r8, r5, 0xf\n@p0 ldg.e.b128 r8, [r10]\nstg.e.b32 r8, [r12]",
        Expected::Shared,
    );
}

#[test]
fn blocks_that_load_what_others_store_are_in_order() {
    // Each block adds to what the one before it left.
    let data = check(
        "shl r8, r4, 0x2\niadd r14, r12, -r8\nmov r15, rz, 0xf\nldg.e.b32 r8, [r14]\niadd r8, r8, 0x1\n\
         stg.e.b32 r8, [r12]",
        Expected::Undone,
    );
    let first = output(&data, 0);
    assert_eq!(output(&data, 500 * THREADS), first + 500);
}

#[test]
fn blocks_that_store_to_the_same_words_are_in_order() {
    let data = check(
        "lop.and r8, pt, r5, 0xfff\nshl r8, r8, 0x2\nmov r12, c[0][0x4], 0xf\n\
         iadd r12, r12, r8\nstg.e.b32 r5, [r12]",
        Expected::Undone,
    );
    let threads = GRID[0] * GRID[1] * THREADS;
    assert_eq!(output(&data, 7), threads - 0x1000 + 7);
}

/// A word for each of sixteen threads.
const SIXTEENTH: &str = "lop.and r8, pt, r5, 0xf\nshl r8, r8, 0x2\nmov r12, c[0][0x4], 0xf\niadd r12, r12, r8\n";

#[test]
fn reductions_into_the_same_words_are_shared() {
    let threads = GRID[0] * GRID[1] * THREADS;
    let data = check(&format!("{SIXTEENTH}red.e.u32.add r5, [r12]"), Expected::Shared);
    let before = 2u32.wrapping_mul(0x85EB_CA6B) >> 7;
    let sum = (0..threads / 16).fold(0u32, |sum, n| sum.wrapping_add(16 * n + 2));
    assert_eq!(output(&data, 2), before.wrapping_add(sum.wrapping_mul(3)));
    for what in ["s32.min", "s32.max", "u32.min", "u32.max", "u32.and", "u32.or", "u32.xor"] {
        let scrambled = format!("{SIXTEENTH}mov32i r9, 0x9e3779b1, 0xf\nimul r8, r5, r9\n");
        check(&format!("{scrambled}atom.e.{what} rz, [r12], r8"), Expected::Shared);
        // Of some lanes of a warp.
        check(&format!("{scrambled}isetp.s32.ge.and p0, pt, r8, rz, pt\n@p0 red.e.{what} r8, [r12]"), Expected::Shared);
    }
    let long = "shl r8, r5, 0x4\nlop.and r8, pt, r8, 0x38\nmov r12, c[0][0x4], 0xf\niadd r12, r12, r8\n\
        mov r8, r5, 0xf\nshl r9, r5, 0x3\n";
    for what in ["u64.add", "s64.min", "u64.max", "u64.xor"] {
        check(&format!("{long}red.e.{what} r8, [r12]"), Expected::Shared);
    }
}

#[test]
fn reductions_that_somebody_sees_are_in_order() {
    let add = format!("{SIXTEENTH}red.e.u32.add r5, [r12]");
    // Loads of the same words, stores to them, other reductions there.
    check(&format!("{add}\nldg.e.b32 r8, [r12]\nstg.e.b32 r8, [r10]"), Expected::Undone);
    check(&format!("{add}\n@!pt exit\nstg.e.b32 r5, [r12]"), Expected::Undone);
    check(&format!("{add}\nred.e.u32.xor r5, [r12]"), Expected::Undone);
    // What they find.
    check(
        "mov r8, c[0][0x4], 0xf\nmov r9, rz, 0xf\natom.e.u32.add r8, [r8], r4\nstg.e.b32 r8, [r10]",
        Expected::Undone,
    );
    // Words that are not aligned, increments, floats.
    check(&format!("{SIXTEENTH}red.e.u32.add r5, [r12+0x2]"), Expected::Undone);
    check(&format!("{SIXTEENTH}mov32i r8, 0x123, 0xf\nred.e.u32.inc r8, [r12]"), Expected::Undone);
    check(&format!("{SIXTEENTH}i2f.f32.b32 r8, r5, 0x0\nred.e.f32.add r8, [r12]"), Expected::Undone);
}

#[test]
fn reductions_into_many_words_are_the_same() {
    check("red.e.u32.add r5, [r12]", Expected::Any);
    check(
        "imad r8, r5, r3, r2\nlop.and r8, pt, r8, 0xfff\nshl r8, r8, 0x2\nmov r12, c[0][0x4], 0xf\n\
        iadd r12, r12, r8\nred.e.u32.add r5, [r12]",
        Expected::Any,
    );
}

#[test]
fn what_is_missed_is_counted_alike() {
    // The last rows store beyond memory, all load from none.
    check(
        "shl r8, r5, 0x6\nmov r12, c[0][0x4], 0xf\niadd r12, r12, r8\nldg.e.b32 r9, [r6]\nstg.e.b32 r5, [r12]",
        Expected::Shared,
    );
}

/// Makes programs with loops long enough that the few of their blocks which begin at a time are worth sharing.
fn padding() -> String {
    "nop 0x0\n".repeat(600)
}

/// Some blocks take a unit each from the reserve. Where that is little, it is known that all would have had it in
/// order.
#[test]
fn long_blocks_are_shared_where_there_is_enough_in_reserve() {
    for (blocks, expected) in [(8, Expected::Shared), (24, Expected::Undone)] {
        let program = format!(
            "isetp.s32.lt.and p0, pt, r5, {:#x}, pt\nmov32i r9, 0x1, 0xf\n@p0 mov32i r9, 0x186a0, 0xf\n\
             mov r8, rz, 0xf\nagain:\niadd r8, r8, 0x1\nisetp.s32.lt.and p1, pt, r8, r9, pt\n@p1 bra again\n\
             {}stg.e.b32 r8, [r12]",
            blocks * THREADS,
            padding(),
        );
        let data = check_grid(&program, GRID, [1, 1, 1], expected);
        assert!((0..512).all(|block| output(&data, block * THREADS) == if block < blocks { 100_000 } else { 1 }));
    }
}

#[test]
fn grids_that_do_not_end_stop_at_the_same_block() {
    // Some blocks do not end: those after the sixteenth of them store nothing.
    let endless = "stg.e.b32 r5, [r12]\nisetp.s32.ge.and p0, pt, r1, 0x4, pt\nagain:\n@p0 bra again";
    let data = check(&format!("{endless}\n{}", padding()), Expected::Undone);
    let blocks = |n: u32| output(&data, n * THREADS) == n * THREADS;
    assert!(blocks(4 * GRID[0] - 1) && !blocks(12 * GRID[0]));
}

/// R8 is the column and R9 the row of a texel, R12 the handle of the image, R4 to R7 what is stored.
const TEXEL: &str = "\
s2r r4, sr_tid_y
shl r8, r0, 0x0
s2r r8, sr_ctaid_x
shl r8, r8, 0x3
iadd r8, r8, r2
shl r9, r1, 0x3
iadd r9, r9, r4
mov r12, rz, 0xf
i2f.f32.b32 r4, r8, 0x0
fmul32i r4, r4, 0x3b808081
i2f.f32.b32 r5, r9, 0x0
fmul32i r5, r5, 0x3b808081
mov r6, r4, 0xf
mov32i r7, 0x3f800000, 0xf
";

#[test]
fn images_whose_texels_are_stored_once_are_shared() {
    let (grid, block) = ([EDGE / 8, EDGE / 8, 1], [8, 8, 1]);
    let data = check_grid(&format!("{TEXEL}sust_p.d2.ign r4, r8, r12, 0xf"), grid, block, Expected::Shared);
    assert_eq!(data[TEXELS as usize..][..4], [0, 0, 0, 255]);
    assert!(data[TEXELS as usize..][..(4 * EDGE * EDGE) as usize].chunks(4).all(|texel| texel[3] == 255));
    // In some lanes, and texels that are loaded before.
    let some = format!("{TEXEL}isetp.s32.ge.and p0, pt, r2, 0x3, pt\n@p0 sust_p.d2.ign r4, r8, r12, 0x5");
    check_grid(&some, grid, block, Expected::Shared);
    let changed = format!(
        "{TEXEL}suld_p.d2.ign r4, pt, r8, r12, 0xf\nfmul r4, r4, r5\nfadd r5, r4, r7\nsust_p.d2.ign r4, r8, r12, 0xf"
    );
    check_grid(&changed, grid, block, Expected::Shared);
}

#[test]
fn images_of_which_blocks_see_the_same_rows_are_in_order() {
    let (grid, block) = ([EDGE / 8, EDGE / 8, 1], [8, 8, 1]);
    // Rows of half as many blocks as there are.
    let twice = format!("{TEXEL}shr r9, r9, 0x1\nsust_p.d2.ign r4, r8, r12, 0xf");
    check_grid(&twice, grid, block, Expected::Any);
    let all = format!("{TEXEL}lop.and r9, pt, r9, 0x7\nsust_p.d2.ign r4, r8, r12, 0xf");
    check_grid(&all, grid, block, Expected::Undone);
    let above = format!(
        "{TEXEL}mov r14, r8, 0xf\niadd32i r15, r9, 0xfffffff8\nsuld_p.d2.ign r4, pt, r14, r12, 0xf\nfadd r5, r4, r7\n\
         sust_p.d2.ign r4, r8, r12, 0xf"
    );
    check_grid(&above, grid, block, Expected::Undone);
    // The image's memory by address.
    let aliased = format!("{TEXEL}sust_p.d2.ign r4, r8, r12, 0xf\nmov r10, c[0][0x10], 0xf\nstg.e.b32 r4, [r10]");
    check_grid(&aliased, grid, block, Expected::Undone);
}
