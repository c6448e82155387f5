//! Packets of command lists against documented examples.

use triglyph_guest::pica::command::{Packets, Write, unpack_f24};
use triglyph_testkit::data::{Value, items, number, vectors};

fn listed(list: &Value) -> Vec<u32> {
    items(list).iter().map(|word| number(word) as u32).collect()
}

#[test]
fn documented_packets_give_their_writes() {
    for packet in &vectors("3ds/vectors/command_list.json", "packets", 4) {
        let words = listed(&packet["words"]);
        let expected: Vec<u32> = items(&packet["writes"]).iter().flat_map(listed).collect();
        let expected: Vec<Write> = expected
            .chunks_exact(3)
            .map(|write| Write { id: write[0] as usize, value: write[1], mask: write[2] as u8 })
            .collect();
        let packets: Vec<_> = Packets::new(&words).collect();
        assert_eq!(packets.len(), 1);
        assert_eq!(packets[0].header.packet_words(), words.len());
        assert_eq!(packets[0].writes().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn documented_packed_floats_unpack() {
    for example in &vectors("3ds/vectors/command_list.json", "f24_packing", 3) {
        let words = listed(&example["words"]);
        let expected = listed(&example["xyzw_f24"]);
        assert_eq!(unpack_f24([words[0], words[1], words[2]]).to_vec(), expected);
    }
}
