//! Macros of the Tegra X1: operands are three parameters of four calls, in r1 to r3; each call sends r4.

use std::cell::Cell;

use triglyph_guest::kernel::mme::{BRANCHES, CALL, METHODS, MmeJob, MmeKey, MmeMachine, MmeStop};
use triglyph_guest::tegra::mme::assemble_program;

use super::table::{Block, Words};
use super::values::{FEW_INTEGERS, INTEGERS, rows};
use super::{Tiers, block};

/// Operations. The carry flag is bit 31 of r3 where r3 is added to itself before.
const OPERATIONS: [&str; 24] = [
    "add r4, r1, r2",
    "add r0, r3, r3 | adc r4, r1, r2",
    "add r5, r1, r2 | adc r4, r0, r0",
    "add r0, r3, r3 | adc r5, r1, r2 | adc r4, r0, r0",
    "sub r4, r1, r2",
    "sub r5, r1, r2 | adc r4, r0, r0",
    "add r0, r3, r3 | sbb r4, r1, r2",
    "add r0, r3, r3 | sbb r5, r1, r2 | adc r4, r0, r0",
    "add r0, r3, r3 | addi r5, r1, 1 | adc r4, r0, r0",
    "xor r4, r1, r2",
    "or r4, r1, r2",
    "and r4, r1, r2",
    "andn r4, r1, r2",
    "nand r4, r1, r2",
    "addi r4, r1, 131071",
    "addi r4, r1, -131072",
    "insert r4, r1, r2, 0, 8, 24",
    "insert r4, r1, r2, 12, 31, 4",
    "insert r4, r1, r2, 31, 1, 0",
    "extract r4, r1, r2, 8, 0",
    "extract r4, r1, r2, 31, 5",
    "deposit r4, r1, r2, 0, 8",
    "deposit r4, r1, r2, 7, 31",
    "extract r4, r1, r2, 0, 3",
];

/// A scratch register of the 3D class (SET_MME_SHADOW_SCRATCH 0), to which results are sent.
const SCRATCH: u32 = 0xD00;

/// Every operation.
pub fn blocks(tiers: &Tiers) -> anyhow::Result<Vec<Block>> {
    OPERATIONS.iter().map(|text| one(tiers, text)).collect()
}

/// What a call sends.
#[derive(Default)]
struct Sent(Vec<(u32, u32)>);

impl MmeMachine for Sent {
    fn send(&mut self, method: u32, datum: u32) {
        self.0.push((method, datum));
    }
}

fn one(tiers: &Tiers, text: &str) -> anyhow::Result<Block> {
    let program = format!(
        "addi.fetch r2, r0, 0\naddi.fetch r3, r0, 0\n{}\naddi.addr r0, r0, {SCRATCH:#x}\n\
         addi.send.exit r0, r4, 0\naddi r0, r0, 0\n",
        text.replace(" | ", "\n")
    );
    let words = assemble_program(&program).map_err(|error| anyhow::anyhow!("{text}: {error}"))?;
    let (key, _) = MmeKey::new(&words, 0);
    let kernel = tiers.kernel(|tier| tier.mme(&key))?;
    let reference = tiers.reference.mme(&key).map_err(|error| anyhow::anyhow!("{error}"))?;
    let registers = || -> Box<[Cell<u32>; METHODS]> { Box::new([const { Cell::new(0) }; METHODS]) };
    let (live, shadow, groups) = (registers(), registers(), Box::new([CALL; METHODS]));
    let call = |parameters: &[u32]| -> anyhow::Result<Option<u32>> {
        let (mut sent, dirty, direct, branches) =
            (Sent::default(), Cell::new(0), Cell::new(false), Cell::new(BRANCHES));
        let mut job = MmeJob {
            parameters,
            live: &live,
            shadow: &shadow,
            groups: &groups,
            dirty: &dirty,
            direct: &direct,
            branches: &branches,
            machine: &mut sent,
        };
        let end = kernel.run(&mut job).or_else(|_| {
            tiers.note_fallback();
            reference.run(&mut job)
        });
        let end = end.map_err(|error| anyhow::anyhow!("{text}: {error}"))?;
        anyhow::ensure!(end.stop == MmeStop::Exit, "{text}: {:?}", end.stop);
        match sent.0[..] {
            [(SCRATCH, datum)] => Ok(Some(datum)),
            _ => anyhow::bail!("{text}: sends {:?}", sent.0),
        }
    };
    block(text, words, rows(3, &INTEGERS, &FEW_INTEGERS), |operands| {
        let mut results: Words = [None; 4];
        for (component, result) in results.iter_mut().enumerate() {
            let parameters: Vec<u32> = operands.iter().map(|words| words[component].unwrap_or(0)).collect();
            *result = call(&parameters)?;
        }
        Ok(results)
    })
}
