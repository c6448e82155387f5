//! Packets of command lists against documented examples.

mod support;

use support::{hex, list, objects, strings, text};
use triglyph_guest::pica::command::{Packets, Write, unpack_f24};

#[test]
fn documented_packets_give_their_writes() {
    let json = text("vectors/command_list.json");
    let mut count = 0;
    for packet in objects(list(&json, "packets")) {
        let words: Vec<u32> = strings(list(packet, "words")).map(hex).collect();
        let expected: Vec<u32> = strings(list(packet, "writes")).map(hex).collect();
        let expected: Vec<Write> = expected
            .chunks_exact(3)
            .map(|write| Write { id: write[0] as usize, value: write[1], mask: write[2] as u8 })
            .collect();
        let packets: Vec<_> = Packets::new(&words).collect();
        assert_eq!(packets.len(), 1);
        assert_eq!(packets[0].header.packet_words(), words.len());
        assert_eq!(packets[0].writes().collect::<Vec<_>>(), expected);
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn documented_packed_floats_unpack() {
    let json = text("vectors/command_list.json");
    let mut count = 0;
    for example in objects(list(&json, "f24_packing")) {
        let words: Vec<u32> = strings(list(example, "words")).map(hex).collect();
        let expected: Vec<u32> = strings(list(example, "xyzw_f24")).map(hex).collect();
        assert_eq!(unpack_f24([words[0], words[1], words[2]]).to_vec(), expected);
        count += 1;
    }
    assert_eq!(count, 3);
}
