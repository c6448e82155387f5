use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceKey, Store};

use super::table::{Lookup, MAX_ENTRIES, MAX_LIST, MIN_WORDS, PATIENCE, list};
use super::*;

/// Packets of a header and as many words as it says, which go to its register.
fn analyze(words: &[u32], at: usize) -> Option<AnalyzedPacket> {
    let header = *words.get(at).filter(|&&header| header != 0)?;
    let count = header & 0xFF;
    let store =
        Store::Words { at: at as u32 + 1, register: header >> 16, mask: u32::MAX, groups: vec![1; count as usize] };
    let packet = Packet { header: at as u32, mask: u32::MAX, word: header, act: Act::Store(vec![store]) };
    Some(AnalyzedPacket {
        packet,
        words: 1 + count as usize,
        position: at as u32 + 1,
        ends_trace: header >> 8 & 1 != 0,
    })
}

fn record(words: &[u32]) -> Option<PacketTrace> {
    PacketTrace::record(PacketTraceKey { registers: 1 << 16, ..PacketTraceKey::default() }, words, analyze)
}

#[test]
fn traces_end_where_packets_do() {
    let words = [0x1_0002, 5, 6, 0x2_0001, 7, 0x3_0101, 8, 0x4_0001, 9];
    let trace = record(&words).unwrap();
    assert_eq!((trace.words(), trace.key.packets.len()), (7, 3), "the third is the last one");
    assert_eq!([0, 1, 2, 3].map(|packet| trace.start(packet)), [0, 3, 5, 7]);
    assert_eq!(trace.position(1), 4);
    assert_eq!(trace.first_mismatch(0, &words), 3);
    let mut other = words;
    other[3] += 1;
    assert_eq!((trace.first_mismatch(0, &other), trace.first_mismatch(2, &other)), (1, 3));
    // An incomplete packet does not count.
    assert_eq!(record(&words[..4]).unwrap().words(), 3);
    assert_eq!(record(&words[..2]), None);
    assert_eq!(record(&[0]), None);
    // Many words, many packets.
    assert_eq!(record(&[0x1_0001; 1000]).unwrap().words(), MAX_WORDS);
    assert_eq!(record(&[0x1_0000; 1000]).unwrap().words(), 128);
    // Code depends on headers, not on data.
    other = words;
    other[1] += 1;
    assert_eq!(record(&other).unwrap().hash(), trace.hash());
    other[0] += 1 << 16;
    assert_ne!(record(&other).unwrap().hash(), trace.hash());
}

fn is_analyzed(traces: &mut PacketTraces, header: u32) -> bool {
    matches!(traces.lookup(header, &[header; MIN_WORDS], 4), Lookup::Analyze(_))
}

#[test]
fn headers_are_counted_and_replaced() {
    let mut traces = PacketTraces::default();
    assert_eq!([1, 2, 3, 4, 5].map(|_| is_analyzed(&mut traces, 7)), [false, false, false, true, true]);
    (8..8 + MAX_ENTRIES as u32 - 1).for_each(|header| assert!(!is_analyzed(&mut traces, header)));
    // The table is full. Requests are denied until an entry that is not met has no patience left.
    let met = |traces: &mut PacketTraces| {
        (0..(PATIENCE as usize + 1) * MAX_ENTRIES).position(|_| {
            assert!(is_analyzed(traces, 7), "entries that are met stay");
            is_analyzed(traces, 5)
        })
    };
    let patience = usize::from(PATIENCE);
    // Three times more than it takes to get in.
    assert_eq!(met(&mut traces), Some((patience - 1) * MAX_ENTRIES + 1 + 3));
    traces.clear();
    assert!(!is_analyzed(&mut traces, 7));
    // Too few words to tell.
    assert!((0..9).all(|_| matches!(traces.lookup(6, &[6; MIN_WORDS - 1], 4), Lookup::Nothing)));
}

#[test]
fn a_list_of_headers_has_an_end() {
    let mut traces = PacketTraces::default();
    let alike: Vec<u32> = (0..).filter(|&header| list(header) == list(7)).take(MAX_LIST + 1).collect();
    let (other, alike) = alike.split_last().unwrap();
    alike.iter().for_each(|&header| (0..3).for_each(|_| assert!(!is_analyzed(&mut traces, header))));
    // Each entry is asked in turn, so it takes as many rounds as they have patience.
    let rounds = (MAX_LIST * (usize::from(PATIENCE) - 1)) as u32;
    assert_eq!((0..2 * rounds).find(|_| is_analyzed(&mut traces, *other)), Some(rounds + 3));
    let known = |header: u32| traces.entries.iter().any(|entry| entry.header == header);
    assert!(known(*other) && traces.entries.len() == MAX_LIST);
    assert_eq!(alike.iter().filter(|&&header| known(header)).count(), MAX_LIST - 1, "one is out");
}

#[test]
fn traces_begin_at_the_same_words_with_and_without_code() {
    let mut traces = PacketTraces::default();
    assert!(traces.is_due());
    traces.looked();
    assert!(!traces.crosses(1000), "longer than any trace: no trace begins there");
    traces.passed(MAX_WORDS - 10);
    assert!(!traces.crosses(10) && !traces.is_due());
    assert!(traces.crosses(11) && traces.is_due());
    traces.begin_after(3);
    traces.passed(3);
    assert!(traces.is_due());
}
