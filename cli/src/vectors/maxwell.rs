//! Programs of the Tegra X1 (Maxwell): operands are r1 to r3 of four threads, the result is r0 of each. Operations on
//! doubles have r2 to r7 of two threads, lower word first, and give r0 and r1. Bits, NaN too.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, Environment, GlobalMemory};
use triglyph_guest::kernel::program::stage::{Blocks, ShaderJob, ShaderKey, Stage, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::kernel::{Accuracy, Window, window};
use triglyph_guest::tegra::shader::assemble_program;

use super::table::{Block, Words};
use super::values::{
    DOUBLES, FEW_DOUBLES, FEW_HALVES, FEW_INTEGERS, FEW_SINGLES, HALVES, INTEGERS, SINGLES, pair_rows, rows,
};
use super::{Tiers, block};

/// Operations on singles, and how many operands they have.
const ON_SINGLES: [(&str, usize); 38] = [
    ("fadd r0, r1, r2", 2),
    ("fadd.rz r0, r1, r2", 2),
    ("fadd.ftz r0, r1, r2", 2),
    ("fadd.sat r0, r1, r2", 2),
    ("fmul r0, r1, r2", 2),
    ("fmul.rp r0, r1, r2", 2),
    ("fmul.ftz r0, r1, r2", 2),
    ("fmul.fmz r0, r1, r2", 2),
    ("ffma r0, r1, r2, r3", 3),
    ("ffma.rm r0, r1, r2, r3", 3),
    ("ffma.ftz r0, r1, r2, r3", 3),
    ("ffma.fmz r0, r1, r2, r3", 3),
    ("fmnmx r0, r1, r2, pt", 2),
    ("fmnmx r0, r1, r2, !pt", 2),
    ("fset.bf.lt.and r0, r1, r2, pt", 2),
    ("fset.bf.geu.and r0, r1, r2, pt", 2),
    ("fset.bf.num.and r0, r1, r2, pt", 2),
    ("fcmp.gt r0, r1, r2, r3", 3),
    ("fcmp.neu r0, r1, r2, r3", 3),
    ("rro.sincos r0, r1", 1),
    ("rro.ex2 r0, r1", 1),
    ("mufu.cos r0, r1", 1),
    ("mufu.sin r0, r1", 1),
    ("mufu.ex2 r0, r1", 1),
    ("mufu.lg2 r0, r1", 1),
    ("mufu.rcp r0, r1", 1),
    ("mufu.rsq r0, r1", 1),
    ("mufu.sqrt r0, r1", 1),
    ("f2f.f16.f32 r0, r1", 1),
    ("f2f.int.f32.f32 r0, r1", 1),
    ("f2f.int.f32.f32.rm r0, r1", 1),
    ("f2f.int.f32.f32.rz r0, r1", 1),
    ("f2f.ftz.f32.f32 r0, r1", 1),
    ("f2i.signed.b32.f32.rz r0, r1", 1),
    ("f2i.b32.f32 r0, r1", 1),
    ("f2i.signed.b16.f32.rm r0, r1", 1),
    ("f2f.f32.f16 r0, r1", 1),
    ("fadd r0, -|r1|, |r2|", 2),
];

/// Operations on integers.
const ON_INTEGERS: [(&str, usize); 47] = [
    ("iadd r0, r1, r2", 2),
    ("iadd r0, -r1, r2", 2),
    ("iadd.sat r0, r1, r2", 2),
    ("iadd3.all.all.all r0, r1, r2, r3", 3),
    ("iadd3.all.all.all.rs r0, r1, r2, r3", 3),
    ("iadd3.h0.h1.h1.ls r0, -r1, r2, -r3", 3),
    ("iscadd r0, r1, r2, 0x4", 2),
    ("imul r0, r1, r2", 2),
    ("imul.hi.s32a.s32b r0, r1, r2", 2),
    ("imad r0, r1, r2, r3", 3),
    ("imad.hi.s32a.s32b r0, r1, r2, r3", 3),
    ("xmad r0, r1, r2, r3", 3),
    ("xmad.mrg.h1a.h1b r0, r1, r2, r3", 3),
    ("xmad.psl.h1a.cbcc r0, r1, r2, r3", 3),
    ("xmad.chi r0, r1, r2, r3", 3),
    ("imnmx.s32 r0, r1, r2, pt", 2),
    ("imnmx r0, r1, r2, !pt", 2),
    ("iset.lt.and r0, r1, r2, pt", 2),
    ("iset.bf.s32.ge.and r0, r1, r2, pt", 2),
    ("icmp.s32.gt r0, r1, r2, r3", 3),
    ("lop.and r0, pt, r1, r2", 2),
    ("lop.or r0, pt, ~r1, ~r2", 2),
    ("lop.xor r0, pt, r1, r2", 2),
    ("lop3 r0, pt, r1, r2, r3, 0x96", 3),
    ("lop3 r0, pt, r1, r2, r3, 0xca", 3),
    ("shl r0, r1, r2", 2),
    ("shl.w r0, r1, r2", 2),
    ("shr r0, r1, r2", 2),
    ("shr.s32 r0, r1, r2", 2),
    ("shf_l r0, r1, r2, r3", 3),
    ("shf_l.w.u64 r0, r1, r2, r3", 3),
    ("shf_r r0, r1, r2, r3", 3),
    ("shf_r.s64 r0, r1, r2, r3", 3),
    ("bfe r0, r1, r2", 2),
    ("bfe.s32 r0, r1, r2", 2),
    ("bfi r0, r1, r2, r3", 3),
    ("flo r0, r1", 1),
    ("flo.s32 r0, r1", 1),
    ("flo.sh r0, ~r1", 1),
    ("popc r0, r1", 1),
    ("lea r0, pt, r1, r2, 0x4", 2),
    ("lea_hi r0, pt, r1, r2, r3, 0x4", 3),
    ("i2f.signed.f32.b32 r0, r1, 0x0", 1),
    ("i2f.f32.b32 r0, r1, 0x0", 1),
    ("i2f.f32.b32.rz r0, r1, 0x0", 1),
    ("i2i.from_signed.sat.b8.b32 r0, r1, 0x0", 1),
    ("i2i.to_signed.from_signed.b16.b32 r0, r1, 0x0", 1),
];

/// Operations that pick bytes: both others are picked from, r2 says which.
const ON_BYTES: [(&str, usize); 7] = [
    ("prmt r0, r1, r3, r2", 3),
    ("prmt.f4e r0, r1, r3, r2", 3),
    ("prmt.b4e r0, r1, r3, r2", 3),
    ("prmt.rc8 r0, r1, r3, r2", 3),
    ("prmt.ecl r0, r1, r3, r2", 3),
    ("prmt.ecr r0, r1, r3, r2", 3),
    ("prmt.rc16 r0, r1, r3, r2", 3),
];

/// Operations on two halves in a word.
const ON_HALVES: [(&str, usize); 23] = [
    ("hadd2 r0, r1, r2", 2),
    ("hadd2.ftz r0, r1, r2", 2),
    ("hadd2.sat r0, r1, r2", 2),
    ("hadd2.ftz.merge_f32 r0, -r1.h1_h1, |r2.h0_h0|", 2),
    ("hadd2.merge_h0 r0, r1, r2", 2),
    ("hadd2.merge_h1 r0, r1, r2.h0_h0", 2),
    ("hmul2 r0, r1, r2", 2),
    ("hmul2.ftz r0, r1, r2", 2),
    ("hmul2.fmz r0, r1, r2", 2),
    ("hmul2.sat r0, r1, r2", 2),
    ("hmul2.neg.fmz r0, r1.f32, r2", 2),
    ("hfma2 r0, r1, r2, r3", 3),
    ("hfma2.ftz r0, r1, r2, r3", 3),
    ("hfma2.fmz r0, r1, r2, r3", 3),
    ("hfma2.neg.sat r0, r1, r2.h1_h1, -r3", 3),
    ("hfma2.merge_f32 r0, r1, r2, r3", 3),
    ("hset2.gt.and r0, r1, r2, pt", 2),
    ("hset2.bf.leu.and r0, r1, r2, pt", 2),
    ("hset2.bf.num.and r0, r1, r2, pt", 2),
    ("hset2.ne.and r0, |r1|, r2, pt", 2),
    ("f2f.int.f16.f16 r0, r1", 1),
    ("f2i.signed.b32.f16.rz r0, r1", 1),
    ("f2i.b32.f16 r0, r1", 1),
];

/// Operations on doubles. Results of one word leave r1 as it is: 0.
const ON_DOUBLES: [(&str, usize); 25] = [
    ("dadd r0, r2, r4", 2),
    ("dadd.rz r0, r2, r4", 2),
    ("dadd.rp r0, r2, -|r4|", 2),
    ("dmul r0, r2, r4", 2),
    ("dmul.rm r0, r2, r4", 2),
    ("dmul.neg.rz r0, r2, r4", 2),
    ("dfma r0, r2, r4, r6", 3),
    ("dfma.rz r0, r2, r4, r6", 3),
    ("dfma.neg.rp r0, r2, r4, -r6", 3),
    ("dmnmx r0, r2, r4, pt", 2),
    ("dmnmx r0, -r2, |r4|, !pt", 2),
    ("dset.gt.and r0, r2, r4, pt", 2),
    ("dset.bf.leu.and r0, r2, r4, pt", 2),
    ("dset.bf.num.and r0, r2, r4, pt", 2),
    ("f2f.f32.f64 r0, r2", 1),
    ("f2f.f32.f64.rz r0, r2", 1),
    ("f2f.f64.f32 r0, r2", 1),
    ("f2f.int.f64.f64 r0, r2", 1),
    ("f2i.signed.b32.f64.rz r0, r2", 1),
    ("f2i.b32.f64 r0, r2", 1),
    ("i2f.signed.f64.b32 r0, r2, 0x0", 1),
    ("i2f.f64.b32 r0, r2, 0x0", 1),
    ("mufu.rcp64h r0, r3", 1),
    ("mufu.rsq64h r0, r3", 1),
    ("dadd r0, |r2|, -r4", 2),
];

/// Words of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    One,
    Two,
}

/// Every operation.
pub fn blocks(tiers: &Tiers) -> anyhow::Result<Vec<Block>> {
    let words = [
        (&ON_SINGLES[..], &SINGLES[..], &FEW_SINGLES),
        (&ON_INTEGERS, &INTEGERS, &FEW_INTEGERS),
        (&ON_BYTES, &INTEGERS, &FEW_INTEGERS),
        (&ON_HALVES, &HALVES, &FEW_HALVES),
    ];
    let words = words.into_iter().flat_map(|(operations, all, few)| {
        operations.iter().map(move |&(text, count)| (text, Width::One, rows(count, all, few)))
    });
    let doubles = ON_DOUBLES.iter().map(|&(text, count)| {
        let rows = pair_rows(count, &DOUBLES, &FEW_DOUBLES);
        (text, Width::Two, rows)
    });
    words.chain(doubles).map(|(text, width, operands)| one(tiers, text, width, operands)).collect()
}

/// Where the four results go.
const RESULTS: u64 = 0x1000;

/// The bytes from there on.
#[derive(Default)]
struct Results(Mutex<[u8; 16]>);

impl GlobalMemory for Results {
    fn read(&self, _: u64, bytes: &mut [u8]) {
        bytes.fill(0);
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        let mut results = self.0.lock().expect("nobody panics");
        let at = address.wrapping_sub(RESULTS) as usize;
        if let Some(place) = results.get_mut(at..at.saturating_add(bytes.len())) {
            place.copy_from_slice(bytes);
        }
    }
}

/// The whole program of an operation with so many operands.
fn program(text: &str, width: Width, count: usize) -> String {
    let (shift, bits, first, apart) = match width {
        Width::One => (2, 32, 1, 1),
        Width::Two => (3, 64, 2, 2),
    };
    let mut program = format!("s2r r250, sr_laneid\nshl r250, r250, {shift:#x}\n");
    for n in 0..count {
        program += &format!("ldc.plain.b{bits} r{}, c[0][r250+{:#x}]\n", first + apart * n, 16 * n);
    }
    program + &format!("{text}\nstg.b{bits} r0, [r250+{RESULTS:#x}]\nexit\n")
}

fn one(tiers: &Tiers, text: &str, width: Width, operands: Vec<Vec<Words>>) -> anyhow::Result<Block> {
    let count = operands.first().map_or(0, Vec::len);
    let threads = if width == Width::One { 4 } else { 2 };
    let words = assemble_program(&program(text, width, count)).map_err(|error| anyhow::anyhow!("{text}: {error}"))?;
    let halves = words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect();
    let code = Code {
        units: Vec::new(),
        targets: Vec::new(),
        words,
        handle_buffer: 0,
        local_bytes: 0,
        accuracy: Accuracy::Exact,
    };
    let none = WordSet::default();
    let (textures, images) = (Vec::new(), Vec::new());
    let key = ShaderKey { stage: Stage::Compute, code: Arc::new(code), inputs: none, outputs: none, textures, images };
    let kernel = tiers.kernel(|tier| tier.shader(&key))?;
    let reference = tiers.reference.shader(&key).map_err(|error| anyhow::anyhow!("{error}"))?;
    block(text, halves, operands, |operands| {
        let words = operands.iter().flatten().map(|word| word.unwrap_or(0));
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let constants: Vec<AtomicU8> = window::buffer(&bytes);
        let mut buffers = [Window::default(); CONSTANT_BUFFERS];
        buffers[0] = Window::new(&constants);
        let (results, exhausted) = (Results::default(), AtomicU32::new(0));
        let environment =
            Environment { constants: &buffers, memory: &results, exhausted: &exhausted, ..Environment::NONE };
        let threads = Blocks::new(&[[0; 3]], [threads, 1, 1], &mut []);
        let mut job = ShaderJob { environment, work: Work::Blocks(threads) };
        if kernel.run(&mut job).is_err() {
            tiers.note_fallback();
            reference.run(&mut job).map_err(|error| anyhow::anyhow!("{text}: {error}"))?;
        }
        anyhow::ensure!(exhausted.load(Relaxed) == 0, "{text}: does not end");
        let bytes = *results.0.lock().expect("nobody panics");
        Ok([0, 4, 8, 12].map(|i| Some(u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]))))
    })
}
