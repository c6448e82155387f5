//! Whole shader programs back to text.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::descriptor::{DescriptorPool, Wanted};
use super::isa::{Branch, Op, Uniform, decode, parse_instruction, print_instruction};
use super::syntax::{Assembly, Listing};
use crate::table::{Fields, Shape};

/// The text of a program. It assembles back to the same code and to descriptors that mean the same to each
/// instruction. Words that text cannot express bit for bit (unknown opcodes, bits the hardware ignores) are `.word`
/// lines with the instruction as a comment.
pub fn disassemble_program(code: &[u32], descriptors: &[u32]) -> String {
    let targets = jump_targets(code);
    let label = |at: u16| match targets.contains(&at) {
        true => format!("L{at}"),
        false => at.to_string(),
    };
    let listing = Listing::with_labels(descriptors, &label);
    let mut printer = Printer { listing, descriptors, pool: DescriptorPool::default(), out: String::new() };
    for (at, &word) in code.iter().enumerate() {
        if targets.contains(&(at as u16)) {
            let _ = writeln!(printer.out, "L{at}:");
        }
        printer.word(word);
    }
    if targets.contains(&(code.len() as u16)) {
        let _ = writeln!(printer.out, "L{}:", code.len());
    }
    printer.out
}

/// Starts and ends of the blocks that the program names, as far as they lie in it.
fn jump_targets(code: &[u32]) -> BTreeSet<u16> {
    let mut targets = BTreeSet::new();
    for &word in code {
        let Some(op) = decode(word) else { continue };
        let fields = Fields::new(word.into(), &op.info().pattern);
        let (target, count) = match op.info().shape {
            _ if op.info().pattern.field(b't') == 0 => continue,
            Branch::NAME => {
                let Branch { target, count, .. } = Branch::decode(fields);
                (target, count)
            }
            // The number of JMPU is no length.
            Uniform::NAME if op == Op::jmpu => (Uniform::decode(fields).target, 0),
            _ => {
                let Uniform { target, count, .. } = Uniform::decode(fields);
                (target, count)
            }
        };
        targets.insert(target);
        targets.insert(target + u16::from(count));
    }
    targets.retain(|&target| usize::from(target) <= code.len());
    targets
}

/// Prints words and follows which descriptors the assembler will have chosen.
struct Printer<'a> {
    listing: Listing<'a>,
    descriptors: &'a [u32],
    pool: DescriptorPool,
    out: String,
}

impl Printer<'_> {
    fn word(&mut self, word: u32) {
        let Some(text) = print_instruction(word, &self.listing) else {
            let _ = writeln!(self.out, "    .word 0x{word:08x}");
            return;
        };
        let descriptor = descriptor_of(word);
        let explicit = descriptor.map(|index| format!("{text} @{index}"));
        for text in std::iter::once(&text).chain(&explicit) {
            if self.assembles_to(text, word) {
                let _ = writeln!(self.out, "    {text}");
                return;
            }
        }
        if let Some(index) = descriptor {
            let value = self.descriptors.get(index).copied().unwrap_or(0);
            let _ = writeln!(self.out, "    .descriptor {index}, 0x{value:08x}");
            let _ = self.pool.place(index, Wanted { value, care: u32::MAX }, 128);
        }
        let _ = writeln!(self.out, "    .word 0x{word:08x} ; {text}");
    }

    /// Whether the assembler makes `word` of the text; if so the pool is as it is after that.
    fn assembles_to(&mut self, text: &str, word: u32) -> bool {
        let mut pool = self.pool.clone();
        let labels = |name: &str| name.strip_prefix('L')?.parse().ok();
        let same = parse_instruction(text, &mut Assembly::with_labels(&mut pool, &labels)) == Ok(word);
        if same {
            self.pool = pool;
        }
        same
    }
}

/// Which descriptor an instruction refers to.
fn descriptor_of(word: u32) -> Option<usize> {
    let pattern = &decode(word)?.info().pattern;
    (pattern.field(b'p') != 0).then(|| Fields::new(word.into(), pattern).get(b'p') as usize)
}
