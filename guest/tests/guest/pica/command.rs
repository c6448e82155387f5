//! Packets of command lists against documented examples.

use triglyph_guest::pica::command::{Packets, Write, unpack_f24};
use triglyph_testkit::data::{Value, items, json, number};

fn listed(list: &Value) -> Vec<u32> {
    items(list).iter().map(|word| number(word) as u32).collect()
}

#[test]
fn documented_packets_give_their_writes() {
    let json = json("3ds/vectors/command_list.json");
    let mut count = 0;
    for packet in items(&json["packets"]) {
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
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn documented_packed_floats_unpack() {
    let json = json("3ds/vectors/command_list.json");
    let mut count = 0;
    for example in items(&json["f24_packing"]) {
        let words = listed(&example["words"]);
        let expected = listed(&example["xyzw_f24"]);
        assert_eq!(unpack_f24([words[0], words[1], words[2]]).to_vec(), expected);
        count += 1;
    }
    assert_eq!(count, 3);
}
