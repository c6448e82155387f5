//! Grids of the Tegra X1's compute class: descriptors, blocks, shared memory, constants, semaphores.

mod grids;

use crate::support::{COMPUTE, DATA, Machine, methods, options};
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::FaultKind;
use triglyph_guest::tegra::shader::assemble_program;
use triglyph_options::Options;

/// Offsets in the data: descriptor, code, constant buffers, results, order of the blocks, semaphores.
const QMD: u32 = 0x1000;
pub const CODE: u32 = 0x2000;
const CONSTANTS: [u32; 2] = [0x3000, 0x3100];
const RESULTS: u32 = 0x4000;
const ORDER: u32 = 0x8000;
const SEMAPHORES: u32 = 0x9000;

/// Programs begin with it: R0 is the number of the block in the grid, R5 that of the thread in the grid, R2 that of the
/// thread in its block, which has R4 of them.
pub const BEGIN: &str = "\
s2r r0, sr_ctaid_x
s2r r1, sr_ctaid_y
s2r r2, sr_tid_x
mov r3, c[0][0x8], 0xf
imad r0, r1, r3, r0
mov r4, c[0][0xc], 0xf
imad r5, r0, r4, r2
";

/// Every thread stores its number in the grid, the number of a thread of its block that it reads from shared memory,
/// and a constant, all added. The first thread of each block appends the block's number to a list.
const PROGRAM: &str = "\
shl r6, r2, 0x2
sts.b32 r2, [r6]
bar.sync 0x0, 0x0, pt
iadd r7, -r2, r4
shl r7, r7, 0x2
lds.u.b32 r8, [r7-0x4]
iadd r8, r8, r5
mov r9, c[1][0x4], 0xf
iadd r8, r8, r9
shl r10, r5, 0x2
mov r11, c[0][0x0], 0xf
iadd r10, r10, r11
mov r11, c[0][0x4], 0xf
stg.e.b32 r8, [r10]
isetp.s32.ge.and p0, pt, r2, 0x1, pt
@p0 exit
mov r12, c[0][0x10], 0xf
mov r13, rz, 0xf
ldg.e.b32 r14, [r12]
shl r15, r14, 0x2
iadd r16, r15, r12
mov r17, rz, 0xf
stg.e.b32 r0, [r16+0x4]
iadd r14, r14, 0x1
stg.e.b32 r14, [r12]
exit";

const THREADS: u32 = 40;
const GRID: [u32; 3] = [3, 2, 1];

/// A descriptor with two constant buffers and, if it says so, a semaphore of one word and one that is added to.
pub fn descriptor(grid: [u32; 3], block: [u32; 3], releases: bool) -> [u32; 64] {
    let mut words = [0; 64];
    let at = |offset: u32| DATA as u32 + offset;
    if releases {
        words[6] = 3 << 10;
        words[23..26].copy_from_slice(&[at(SEMAPHORES), 1 << 31, 77]);
        // Reduction 0 is ADD.
        words[26..29].copy_from_slice(&[at(SEMAPHORES + 16), 1 << 26, 5]);
    }
    words[8] = CODE;
    words[12] = grid[0];
    words[13] = grid[1] | grid[2] << 16;
    words[17] = 0x100;
    words[18] = block[0] << 16;
    words[19] = block[1] | block[2] << 16;
    words[20] = 3;
    for (index, offset) in CONSTANTS.into_iter().enumerate() {
        words[29 + 2 * index] = at(offset);
        words[30 + 2 * index] = 0x100 << 15;
    }
    words[46] = 20 << 24;
    words
}

/// A machine with a program and its constants.
fn machine(program: &str) -> Machine {
    machine_with(&options(), program)
}

fn machine_with(options: &Options, program: &str) -> Machine {
    let mut machine = Machine::with(options);
    let code: Vec<u8> =
        assemble_program(program).expect("a program").iter().flat_map(|word| word.to_le_bytes()).collect();
    machine.write(CODE.into(), &code);
    let at = |offset: u32| DATA as u32 + offset;
    let constants = [at(RESULTS), 0, GRID[0], THREADS, at(ORDER)];
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    machine.write(CONSTANTS[0].into(), &bytes(&constants));
    machine.write(CONSTANTS[1].into(), &bytes(&[0, 1000]));
    machine.run(&methods(COMPUTE, 0x582, &[0, DATA as u32]));
    machine
}

pub fn launch(machine: &mut Machine, words: &[u32; 64]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    machine.write(QMD.into(), &bytes);
    machine.run(&methods(COMPUTE, 0xAD, &[(DATA as u32 + QMD) >> 8]));
    machine.run(&methods(COMPUTE, 0xAF, &[3]));
}

#[test]
fn grids_run_block_after_block() {
    let mut machine = machine(&format!("{BEGIN}{PROGRAM}"));
    launch(&mut machine, &descriptor(GRID, [THREADS, 1, 1], false));
    machine.expect_no_faults();
    let results: [u32; 6 * THREADS as usize] = machine.words(RESULTS.into());
    for (index, result) in results.into_iter().enumerate() {
        let thread = index as u32 % THREADS;
        assert_eq!(result, index as u32 + (THREADS - 1 - thread) + 1000, "thread {index}");
    }
    assert_eq!(machine.words(ORDER.into()), [6, 0, 1, 2, 3, 4, 5]);
    // Versions are not looked at, and other words say nothing: a descriptor that is not scheduled.
    machine.run(&methods(COMPUTE, 0xAF, &[1]));
    assert_eq!(machine.words(ORDER.into()), [6]);
    // A program that is written over is noticed, with or without a word about it.
    let short: Vec<u8> =
        assemble_program("exit").expect("a program").iter().flat_map(|word| word.to_le_bytes()).collect();
    machine.write(CODE.into(), &short);
    machine.run(&methods(COMPUTE, 0xAF, &[2]));
    assert_eq!(machine.words(ORDER.into()), [6]);
    machine.expect_no_faults();
}

#[test]
fn grids_release_their_semaphores() {
    let mut machine = machine("exit");
    for (grid, count) in [(GRID, 1), ([0, 7, 1], 2)] {
        machine.write(SEMAPHORES.into(), &[0; 4]);
        launch(&mut machine, &descriptor(grid, [1, 1, 1], true));
        assert_eq!(
            (machine.words(SEMAPHORES.into()), machine.words(u64::from(SEMAPHORES) + 16)),
            ([77, 0], [5 * count])
        );
    }
    // A condition that does not hold.
    machine.run(&methods(COMPUTE, 0x556, &[0]));
    machine.write(SEMAPHORES.into(), &[0; 4]);
    launch(&mut machine, &descriptor(GRID, [1, 1, 1], true));
    assert_eq!(machine.words(SEMAPHORES.into()), [0]);
    machine.expect_no_faults();
}

#[test]
fn grids_that_cannot_be_are_counted() {
    let mut machine = machine(&format!("{BEGIN}{PROGRAM}"));
    for block in [[0, 1, 1], [1024, 2, 1]] {
        machine.write(SEMAPHORES.into(), &[0; 4]);
        launch(&mut machine, &descriptor(GRID, block, true));
        assert_eq!(machine.words(SEMAPHORES.into()), [77]);
    }
    assert_eq!((machine.faults(FaultKind::BadMethod), machine.gpu_faults()), (2, 2));
    assert_eq!(machine.words(ORDER.into()), [0]);
    // No memory where the descriptor should be: it reads as zeros.
    machine.run(&methods(COMPUTE, 0xAD, &[1]));
    machine.run(&methods(COMPUTE, 0xAF, &[3]));
    assert_eq!(machine.faults(FaultKind::UnmappedRead), 1);
}

#[test]
fn grids_without_end_are_stopped() {
    let mut machine = machine("exit");
    launch(&mut machine, &descriptor([u32::MAX, 0xFFFF, 0xFFFF], [1, 1, 1], false));
    // The grid, and the words after it.
    assert_eq!((machine.faults(FaultKind::OutOfFuel), machine.gpu_faults()), (2, 2));
    // Programs that do not end are stopped warp by warp, and then altogether.
    let mut machine = self::machine("again: bra again");
    launch(&mut machine, &descriptor([1000, 1, 1], [1, 1, 1], true));
    assert!(machine.faults(FaultKind::OutOfFuel) >= 1);
    assert_eq!(machine.words(SEMAPHORES.into()), [77]);
}

/// Blocks with long loops pay what they execute, and are left when the fuel is used up: the same ones on both tiers and
/// any number of threads.
#[test]
fn grids_pay_what_they_execute() {
    const ROUNDS: u64 = 2000;
    let text = format!(
        "s2r r0, sr_ctaid_x
        shl r1, r0, 0x2
        mov r3, c[0][0x0], 0xf
        iadd r1, r1, r3
        mov r2, c[0][0x4], 0xf
        mov r3, rz, 0xf
        mov32i r5, {ROUNDS:#x}, 0xf
    again:
        iadd r3, r3, 0x1
        isetp.lt.and p0, pt, r3, r5, pt
        @p0 bra again
        mov r6, r1, 0xf
        mov r7, r2, 0xf
        stg.e.b32 r3, [r6]
        exit"
    );
    let (block, blocks) = (4 * 3 * ROUNDS, 200);
    let fuel = 100 * block + 200_000;
    let left = |tier, threads| {
        let mut machine = machine_with(&Options::new(tier, threads), &text);
        machine.gpu.set_fuel(fuel);
        launch(&mut machine, &descriptor([blocks, 1, 1], [32, 1, 1], false));
        (machine.read(RESULTS.into(), 4 * blocks as usize), machine.gpu.core().budget.used())
    };
    let wanted = left(TierMode::InterpreterOnly, 1);
    let done = wanted.0.chunks(4).filter(|word| **word == (ROUNDS as u32).to_le_bytes()).count();
    assert!((90..120).contains(&done), "{done} blocks");
    for (tier, threads) in [(TierMode::InterpreterOnly, 3), (TierMode::JitOnly, 1), (TierMode::JitOnly, 4)] {
        assert!(left(tier, threads) == wanted, "{tier:?}, {threads} threads");
    }
}

/// Stores outside of memory are counted, and nothing else happens.
#[test]
fn stores_of_programs_stay_inside() {
    let mut machine = machine("mov r0, rz, 0xf\nmov r1, rz, 0xf\nstg.e.b32 r0, [r0]\nldg.e.b32 r2, [r0]\nexit");
    launch(&mut machine, &descriptor([1, 1, 1], [2, 1, 1], false));
    assert_eq!((machine.faults(FaultKind::UnmappedWrite), machine.faults(FaultKind::UnmappedRead)), (1, 1));
}
