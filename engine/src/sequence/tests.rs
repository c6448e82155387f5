use triglyph_guest::kernel::sequence::{Act, Packet, SequenceKey, Store};

use super::shape::Seen;
use super::*;

/// Packets of a header and as many words as it says, which go to its register.
fn see(words: &[u32], at: usize) -> Option<Seen> {
    let header = *words.get(at).filter(|&&header| header != 0)?;
    let count = header & 0xFF;
    let store =
        Store::Words { at: at as u32 + 1, register: header >> 16, mask: u32::MAX, groups: vec![1; count as usize] };
    let packet = Packet { header: at as u32, mask: u32::MAX, word: header, act: Act::Store(vec![store]) };
    Some(Seen { packet, words: 1 + count as usize, position: at as u32 + 1, last: header >> 8 & 1 != 0 })
}

fn observe(words: &[u32]) -> Option<Sequence> {
    Sequence::observe(SequenceKey { registers: 1 << 16, ..SequenceKey::default() }, words, see)
}

#[test]
fn sequences_end_where_packets_do() {
    let words = [0x1_0002, 5, 6, 0x2_0001, 7, 0x3_0101, 8, 0x4_0001, 9];
    let sequence = observe(&words).unwrap();
    assert_eq!((sequence.words(), sequence.key.packets.len()), (7, 3), "the third is the last one");
    assert_eq!([0, 1, 2, 3].map(|packet| sequence.start(packet)), [0, 3, 5, 7]);
    assert_eq!(sequence.position(1), 4);
    assert_eq!(sequence.differs(0, &words), 3);
    let mut other = words;
    other[3] += 1;
    assert_eq!((sequence.differs(0, &other), sequence.differs(2, &other)), (1, 3));
    // What is not there as a whole does not count.
    assert_eq!(observe(&words[..4]).unwrap().words(), 3);
    assert_eq!(observe(&words[..2]), None);
    assert_eq!(observe(&[0]), None);
    // Many words, many packets.
    assert_eq!(observe(&[0x1_0001; 1000]).unwrap().words(), MOST_WORDS);
    assert_eq!(observe(&[0x1_0000; 1000]).unwrap().words(), 128);
    // What code depends on are headers, not data.
    other = words;
    other[1] += 1;
    assert_eq!(observe(&other).unwrap().hash(), sequence.hash());
    other[0] += 1 << 16;
    assert_ne!(observe(&other).unwrap().hash(), sequence.hash());
}

#[test]
fn headers_are_counted_and_wear_each_other_out() {
    let mut sequences = Sequences::default();
    let next = |sequences: &mut Sequences, header| matches!(sequences.at(header, &[header], 4), Next::Look);
    assert_eq!([1, 2, 3, 4, 5].map(|_| next(&mut sequences, 7)), [false, false, false, true, true]);
    let others: Vec<u32> = (8..).filter(|&header| set(header) == set(7)).take(WAYS).collect();
    // The set is full then.
    for &header in &others[1..] {
        assert_eq!((0..4).filter(|_| next(&mut sequences, header)).count(), 1);
    }
    // Each has counted up to the threshold, so another one takes that long to push one of them out.
    assert_eq!([1, 2, 3, 4].map(|_| next(&mut sequences, others[0])), [false; 4]);
    // The fourth time it was in, so three more make four.
    assert_eq!((0..16).position(|_| next(&mut sequences, others[0])), Some(2));
    sequences.clear();
    assert!(!next(&mut sequences, 7));
}

#[test]
fn sequences_begin_at_the_same_words_with_and_without_code() {
    let mut sequences = Sequences::default();
    assert!(sequences.is_due());
    sequences.looked();
    assert!(!sequences.crosses(1000), "longer than any sequence: it passes as it is");
    sequences.passed(MOST_WORDS - 10);
    assert!(!sequences.crosses(10) && !sequences.is_due());
    assert!(sequences.crosses(11) && sequences.is_due());
    sequences.begin_behind(3);
    sequences.passed(3);
    assert!(sequences.is_due());
}
