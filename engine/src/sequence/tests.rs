use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceKey, Store};

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
    Sequence::observe(PacketTraceKey { registers: 1 << 16, ..PacketTraceKey::default() }, words, see)
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

fn looks(sequences: &mut Sequences, header: u32) -> bool {
    matches!(sequences.at(header, &[header; LEAST_WORDS], 4), Next::Look(_))
}

#[test]
fn headers_are_counted_and_wear_each_other_out() {
    let mut sequences = Sequences::default();
    assert_eq!([1, 2, 3, 4, 5].map(|_| looks(&mut sequences, 7)), [false, false, false, true, true]);
    (8..8 + PLACES as u32 - 1).for_each(|header| assert!(!looks(&mut sequences, header)));
    // All places are taken. Whoever asks is turned away until one that nobody meets has no patience left.
    let met = |sequences: &mut Sequences| {
        (0..(PATIENCE as usize + 1) * PLACES).position(|_| {
            assert!(looks(sequences, 7), "who is met keeps its place");
            looks(sequences, 5)
        })
    };
    let patience = usize::from(PATIENCE);
    // Three times more than it takes to get in.
    assert_eq!(met(&mut sequences), Some((patience - 1) * PLACES + 1 + 3));
    sequences.clear();
    assert!(!looks(&mut sequences, 7));
    // Too few words to tell.
    assert!((0..9).all(|_| matches!(sequences.at(6, &[6; LEAST_WORDS - 1], 4), Next::Nothing)));
}

#[test]
fn a_list_of_headers_has_an_end() {
    let mut sequences = Sequences::default();
    let alike: Vec<u32> = (0..).filter(|&header| list(header) == list(7)).take(LONGEST + 1).collect();
    let (other, alike) = alike.split_last().unwrap();
    alike.iter().for_each(|&header| (0..3).for_each(|_| assert!(!looks(&mut sequences, header))));
    // Each is asked in turn, so it takes as many rounds as they have patience.
    let rounds = (LONGEST * (usize::from(PATIENCE) - 1)) as u32;
    assert_eq!((0..2 * rounds).find(|_| looks(&mut sequences, *other)), Some(rounds + 3));
    let known = |header: u32| sequences.slots.iter().any(|slot| slot.header == header);
    assert!(known(*other) && sequences.slots.len() == LONGEST);
    assert_eq!(alike.iter().filter(|&&header| known(header)).count(), LONGEST - 1, "one is out");
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
