//! Captures made small by delta debugging: as few edits as possible, if there are any, then as few records, entries of
//! submissions, commands, words of data and other bytes that are not zero.

use std::ops::Range;

use triglyph::Machine;
use triglyph::capture::Kind;

use super::document::Document;
use super::edit::Edit;
use super::mutate::Base;
use super::sites::{MEM_HEADER, Site, Sites};

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
    let small = shrink_document(document.edited(&edits), &mut budget, fails);
    Small { edits, file: small.to_small_bytes() }
}

/// Makes a capture small that `fails`, which is asked as often as the budget allows. What is left fails as well.
pub fn shrink_document(mut small: Document, budget: &mut usize, fails: &mut dyn FnMut(&[u8]) -> bool) -> Document {
    let header = small.header;
    small.blocks =
        fewest(&small.blocks, budget, &mut |blocks| fails(&Document { header, blocks: blocks.to_vec() }.to_bytes()));
    fewest_entries(&mut small, budget, fails);
    for pieces in [commands, data_words] {
        let pieces = pieces(&small);
        let kept = fewest(&pieces, budget, &mut |kept| fails(&with_pieces(&small, &pieces, kept).to_bytes()));
        small = with_pieces(&small, &pieces, &kept);
    }
    zero_memory(&mut small, budget, fails);
    small
}

/// Leaves segments and entries out of submissions; each stays one of its machine's form.
fn fewest_entries(document: &mut Document, budget: &mut usize, fails: &mut dyn FnMut(&[u8]) -> bool) {
    let (head, size) = document.entry_form();
    for record in 0..document.blocks.len() {
        let payload = &document.blocks[record].payload;
        if document.blocks[record].kind != Kind::Submit as u32 || payload.len() <= head + size {
            continue;
        }
        let (start, entries) = payload.split_at(head);
        let (start, entries): (Vec<u8>, Vec<Vec<u8>>) = (start.to_vec(), entries.chunks(size).map(Vec::from).collect());
        let submit = |entries: &[Vec<u8>]| [start.clone(), entries.concat()].concat();
        let kept = fewest(&entries, budget, &mut |entries| {
            document.blocks[record].payload = submit(entries);
            fails(&document.to_bytes())
        });
        document.blocks[record].payload = submit(&kept);
    }
}

/// Bytes of a record's payload.
type Piece = (usize, Range<usize>);

/// The packets of command lists and push buffers, headers and data. Where one is zero, nothing is done on any machine.
fn commands(document: &Document) -> Vec<Piece> {
    let sites = Sites::of(document);
    // On the 3DS the first word of data is before the header.
    let before = if document.header.machine == Machine::N3ds { 4 } else { 0 };
    let mut data: Vec<&Site> = sites.data.iter().chain(&sites.instructions).collect();
    data.sort_by_key(|site| (site.record, site.at));
    let next_headers = sites.headers.iter().skip(1).map(Some).chain([None]);
    let packets = sites.headers.iter().zip(next_headers).map(|(header, next)| {
        let start = header.at.saturating_sub(before);
        let limit =
            next.filter(|next| next.record == header.record).map_or(usize::MAX, |next| next.at - before.min(next.at));
        // Other bytes may be between the end of a list and the next one.
        let first = data.partition_point(|site| (site.record, site.at) < (header.record, start));
        let own = data[first..].iter().take_while(|site| site.record == header.record && site.at < limit);
        let end = own.map(|site| site.at + 4).max().unwrap_or(0).max(header.at + 4);
        (header.record, start..end)
    });
    nonzero(document, packets)
}

/// The words of data in command lists and push buffers.
fn data_words(document: &Document) -> Vec<Piece> {
    let sites = Sites::of(document);
    let words = sites.data.iter().chain(&sites.instructions).map(|site| (site.record, site.at..site.at + 4));
    nonzero(document, words)
}

/// Those pieces that are not zero.
fn nonzero(document: &Document, pieces: impl Iterator<Item = Piece>) -> Vec<Piece> {
    let bytes = |(record, range): &Piece| document.blocks.get(*record)?.payload.get(range.clone());
    pieces.filter(|piece| bytes(piece).is_some_and(|bytes| bytes.iter().any(|byte| *byte != 0))).collect()
}

/// The document with those of the pieces zero that are not kept.
fn with_pieces(document: &Document, pieces: &[Piece], kept: &[Piece]) -> Document {
    let mut with = document.clone();
    for (record, range) in pieces {
        with.blocks[*record].payload[range.clone()].fill(0);
    }
    for (record, range) in kept {
        let old = &document.blocks[*record].payload[range.clone()];
        with.blocks[*record].payload[range.clone()].copy_from_slice(old);
    }
    with
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
    let header = MEM_HEADER;
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
    fn of_a_command_list_what_matters_is_left() {
        let mut document = Document::new(Machine::N3ds);
        document.push_map(0, 0x2000_0000, 0x1000, 3);
        // Four writes, the third of them to two registers in a row, and bytes that are no commands.
        let list = [1, 0xF_0041, 2, 0xF_0042, 3, 0x801F_0043, 4, 0, 5, 0xF_0045];
        let list: Vec<u8> = list.into_iter().flat_map(u32::to_le_bytes).collect();
        document.push_mem(0, 0x2000_0000, &[&list[..], &[0; 88], &[9; 24]].concat());
        let submit = [1, 0x3000_0000, list.len() as u32, 0, 0, 0, 0, 0];
        document.push(Kind::Submit as u32, submit.into_iter().flat_map(u32::to_le_bytes).collect());
        let list_of =
            |document: &Document| commands(document).iter().map(|(_, range)| range.clone()).collect::<Vec<_>>();
        assert_eq!(list_of(&document), [16..24, 24..32, 32..44, 48..56]);
        let submits = |document: &Document| document.has(Kind::Submit as u32);
        let mut fails = |file: &[u8]| {
            let document = Document::parse(file).expect("a capture");
            submits(&document) && document.blocks.iter().any(|block| block.payload.get(36..44) == Some(&list[20..28]))
        };
        let small = shrink_document(document, &mut 1000, &mut fails);
        let payload = &small.blocks.iter().find(|block| block.kind == Kind::Mem as u32).expect("a MEM").payload;
        let words: Vec<u8> = payload.iter().skip(16).copied().filter(|byte| *byte != 0).collect();
        assert_eq!(words, [0x43, 0x1F, 0x80, 4]);
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
