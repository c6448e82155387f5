use triglyph_guest::kernel::packet_trace::{Packet, Store};

use super::table::{Lookup, MAX_ENTRIES, MAX_LIST, MIN_WORDS, PATIENCE, REQUESTS, list};
use super::*;

/// Packets of a header and as many words as it says, which go to its register.
fn analyze(words: &[u32], at: usize) -> Option<(Packet, Shape)> {
    let word = *words.get(at).filter(|&&header| header != 0)?;
    let count = word as usize & 0xFF;
    words.get(at..at + 1 + count)?;
    let header = at as u32;
    let stores = vec![Store::words(header + 1, word >> 16, vec![1; count])];
    let shape = Shape { words: 1 + count, ends: word >> 8 & 1 != 0 };
    Some((Packet { header, mask: u32::MAX, word, expected: Vec::new(), stores }, shape))
}

fn record(words: &[u32]) -> Option<PacketTrace> {
    PacketTrace::record(0, words, |words, at, _| analyze(words, at))
}

#[test]
fn traces_end_where_packets_do() {
    let words = [0x1_0002, 5, 6, 0x2_0001, 7, 0x3_0101, 8, 0x4_0001, 9];
    let trace = record(&words).unwrap();
    assert_eq!((trace.words(), trace.packets()), (7, 3), "the third is the last one");
    assert_eq!([0, 1, 2, 3].map(|packet| trace.start(packet)), [0, 3, 5, 7]);
    assert_eq!(trace.first_mismatch(0, &words), 3);
    let mut other = words;
    other[3] += 1;
    assert_eq!((trace.first_mismatch(0, &other), trace.first_mismatch(2, &other)), (1, 3));
    assert!(trace.begins(&words) && !trace.begins(&other) && !trace.begins(&words[..6]));
    // An incomplete packet does not count.
    assert_eq!(record(&words[..4]).unwrap().words(), 3);
    assert_eq!((record(&words[..2]), record(&[0])), (None, None));
    // Many words, many packets.
    assert_eq!(record(&[0x1_0001; 1000]).unwrap().words(), MAX_WORDS);
    assert_eq!(record(&[0x1_0000; 1000]).unwrap().words(), 128);
    // Code depends on headers, not on data.
    other = words;
    other[1] += 1;
    assert_eq!(record(&other).unwrap().key, trace.key);
}

fn is_recorded(traces: &mut PacketTraces, header: u32) -> bool {
    matches!(traces.find(header, &[header; MIN_WORDS], 4), Lookup::Record(_))
}

#[test]
fn headers_are_counted_and_replaced() {
    let mut traces = PacketTraces::default();
    assert_eq!([1, 2, 3, 4, 5].map(|_| is_recorded(&mut traces, 7)), [false, false, false, true, true]);
    // Too few words to tell.
    assert!((0..9).all(|_| traces.find(6, &[6; MIN_WORDS - 1], 4) == Lookup::Nothing));
    (8..8 + MAX_ENTRIES as u32 - 1).for_each(|header| assert!(!is_recorded(&mut traces, header)));
    // The table is full. Requests are denied until entries that are not met have no patience left.
    let requests = usize::from(PATIENCE) * REQUESTS;
    let met = (0..2 * requests).position(|_| {
        assert!(is_recorded(&mut traces, 7), "entries that are met stay");
        is_recorded(&mut traces, 5)
    });
    // Three times more than it takes to get in.
    assert_eq!((met, traces.entries.len()), (Some(requests + 3), 2));
    traces.clear();
    assert!(!is_recorded(&mut traces, 7));
    // So it is with a list that is full; one request is denied already.
    let alike: Vec<u32> = (0..).filter(|&header| list(header) == list(7) && header != 7).take(MAX_LIST).collect();
    assert!(!alike.iter().any(|&header| is_recorded(&mut traces, header)));
    let other = alike[MAX_LIST - 1];
    assert_eq!((0..2 * requests).position(|_| is_recorded(&mut traces, other)), Some(requests + 2));
    assert!(traces.entries.len() == 1 && traces.entries[0].header == other);
}
