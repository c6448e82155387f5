//! Findings made small: first as few edits as possible, then as few records, then as little memory.

use triglyph::capture::Kind;

use super::document::Document;
use super::edit::Edit;
use super::mutate::Base;

/// A finding made small.
#[derive(Clone, Debug)]
pub struct Small {
    /// The edits that are left.
    pub edits: Vec<Edit>,
    /// The file.
    pub file: Vec<u8>,
}

/// Makes a finding small. `fails` says whether a file still is one; it is asked at most `budget` times.
pub fn shrink(base: &Base, edits: &[Edit], mut budget: usize, fails: &mut dyn FnMut(&[u8]) -> bool) -> Small {
    let document = &base.document;
    let edits = fewest(edits, &mut budget, &mut |edits| fails(&document.mutant(edits)));
    if edits.iter().any(Edit::is_of_file) {
        // Records are no longer those that a writer would write.
        return Small { file: document.mutant(&edits), edits };
    }
    let mut small = document.edited(&edits);
    small.blocks = fewest(&small.blocks, &mut budget, &mut |blocks| {
        fails(&Document { header: small.header, blocks: blocks.to_vec() }.to_bytes())
    });
    zero_memory(&mut small, &mut budget, fails);
    Small { edits, file: small.to_small_bytes() }
}

/// Delta debugging: leaves out ever smaller parts of a list as long as the rest still fails.
pub fn fewest<T: Clone>(list: &[T], budget: &mut usize, fails: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut left = list.to_vec();
    let mut part = left.len().div_ceil(2).max(1);
    while !left.is_empty() {
        let mut at = 0;
        let mut progress = false;
        while at < left.len() {
            if *budget == 0 {
                return left;
            }
            *budget -= 1;
            let end = (at + part).min(left.len());
            let rest = [&left[..at], &left[end..]].concat();
            if fails(&rest) {
                left = rest;
                progress = true;
            } else {
                at = end;
            }
        }
        if part == 1 && !progress {
            break;
        }
        part = part.div_ceil(2).max(1);
    }
    left
}

/// Makes memory zero where that changes nothing, in ever smaller pieces.
fn zero_memory(document: &mut Document, budget: &mut usize, fails: &mut dyn FnMut(&[u8]) -> bool) {
    const SMALLEST: usize = 64;
    let header = super::sites::MEM_HEADER;
    for record in 0..document.blocks.len() {
        if document.blocks[record].kind != Kind::Mem as u32 {
            continue;
        }
        let mut size = document.blocks[record].payload.len().saturating_sub(header).next_power_of_two();
        while size >= SMALLEST {
            let length = document.blocks[record].payload.len();
            for start in (header..length).step_by(size) {
                let end = (start + size).min(length);
                let old = document.blocks[record].payload[start..end].to_vec();
                if old.iter().all(|byte| *byte == 0) {
                    continue;
                }
                if *budget == 0 {
                    return;
                }
                *budget -= 1;
                document.blocks[record].payload[start..end].fill(0);
                if !fails(&document.to_bytes()) {
                    document.blocks[record].payload[start..end].copy_from_slice(&old);
                }
            }
            size /= 4;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph::Machine;

    #[test]
    fn what_matters_is_left() {
        let list: Vec<u32> = (0..100).collect();
        let mut budget = 1000;
        let left = fewest(&list, &mut budget, &mut |list| list.contains(&17) && list.contains(&80));
        assert_eq!(left, [17, 80]);
        let mut none = 0;
        assert_eq!(fewest(&list, &mut none, &mut |_| true), list);
    }

    #[test]
    fn findings_become_small() {
        let mut document = Document::new(Machine::N3ds);
        document.push_map(0, 0x1800_0000, 0x1000, 3);
        document.push_mem(0, 0x1800_0000, &[5; 0x1000]);
        document.push_mem(0, 0x1800_0000, &[6; 0x10]);
        let base = Base::new("test", document);
        let edit = |at, byte| Edit::Bytes { record: 1, at, bytes: vec![byte], what: String::new() };
        let edits = [edit(20, 1), edit(0x800, 99), edit(30, 2)];
        let has = |file: &[u8]| {
            let document = Document::parse(file).expect("a capture");
            document.blocks.iter().any(|block| block.payload.contains(&99))
        };
        let small = shrink(&base, &edits, 10_000, &mut |file| has(file));
        assert_eq!(small.edits, edits[1..2]);
        let document = Document::parse(&small.file).expect("a capture");
        assert_eq!(document.blocks.len(), 1);
        assert!(document.blocks[0].payload.iter().filter(|byte| **byte != 0).count() < 100);
    }
}
