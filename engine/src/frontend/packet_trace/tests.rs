use triglyph_guest::kernel::packet_trace::Store;

use super::table::{MAX_ENTRIES, MAX_LIST, MIN_STORED, PATIENCE, REQUESTS, list};
use super::*;

/// Packets of a header and as many words as it says, which go to its register in one of two banks.
fn record(words: &[u32]) -> PacketTrace {
    PacketTrace::record(words, |words, at| {
        let word = *words.get(at).filter(|&&header| header != 0)?;
        let count = word as usize & 0xFF;
        words.get(at..at + 1 + count)?;
        let guards = vec![Guard { at: at as u32, mask: u32::MAX, word }];
        let stores = vec![Store::words(at as u32 + 1, word >> 16, vec![1; count])];
        Some(Packet { words: 1 + count, bank: word as usize >> 8 & 1, guards, stores })
    })
}

#[test]
fn traces_end_where_packets_do() {
    let words = [0x1_0102, 5, 6, 0x2_0101, 7, 0x3_0101, 8, 0x4_0001, 9];
    let trace = record(&words);
    assert_eq!((trace.words(), trace.packets, trace.last, trace.bank), (7, 3, 5, 1), "the fourth has another bank");
    let mut other = words;
    other[5] += 1;
    assert!(trace.begins(&words) && !trace.begins(&other) && !trace.begins(&words[..6]));
    // An incomplete packet does not count.
    assert_eq!([4, 2].map(|count| record(&words[..count]).words()), [3, 0]);
    assert_eq!(record(&[0]).words(), 0);
    // The last one begins before the greatest length.
    assert_eq!(record(&[0x1_0002; 1000]).words(), MAX_WORDS.next_multiple_of(3));
    // Code depends on headers, not on data.
    other = words;
    other[1] += 1;
    assert_eq!(record(&other), trace);
}

/// Looks up a header with so many words. Returns whether what follows it was asked for.
fn meet(traces: &mut PacketTraces, header: u32, words: usize) -> bool {
    let mut asked = false;
    let found = traces.find(header, &vec![header; words], 4, |_| {
        asked = true;
        None
    });
    assert!(found.is_none());
    asked
}

#[test]
fn headers_are_counted_and_replaced() {
    const WORDS: usize = 2 * MIN_STORED;
    let is_known = |traces: &PacketTraces, header| traces.entries.iter().any(|entry| entry.header == header);
    let mut traces = PacketTraces::default();
    assert_eq!([1, 2, 3, 4, 5].map(|_| meet(&mut traces, 7, WORDS)), [false, false, false, true, false]);
    // Too few words to tell.
    assert!(!meet(&mut traces, 6, WORDS - 1) && !is_known(&traces, 6));
    (8..8 + MAX_ENTRIES as u32 - 1).for_each(|header| assert!(!meet(&mut traces, header, WORDS)));
    // The table is full. Requests are denied until entries that are not met have no patience left.
    let requests = usize::from(PATIENCE) * REQUESTS;
    let met = (0..2 * requests).position(|_| {
        meet(&mut traces, 7, WORDS);
        meet(&mut traces, 5, WORDS);
        is_known(&traces, 5)
    });
    assert_eq!((met, traces.entries.len()), (Some(requests), 2));
    assert!(is_known(&traces, 7), "entries that are met stay");
    traces.clear();
    meet(&mut traces, 7, WORDS);
    // So it is with a list that is full; one request is denied already.
    let alike: Vec<u32> = (0..).filter(|&header| list(header) == list(7) && header != 7).take(MAX_LIST).collect();
    alike.iter().for_each(|&header| assert!(!meet(&mut traces, header, WORDS)));
    let other = alike[MAX_LIST - 1];
    let met = (0..2 * requests).position(|_| {
        meet(&mut traces, other, WORDS);
        is_known(&traces, other)
    });
    assert_eq!((met, traces.entries.len()), (Some(requests - 1), 1));
}
