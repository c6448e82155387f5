//! Vectors of the RSX's documentation: headers, the hash table, swizzled images, formats.

use triglyph_guest::layout::surface::swizzle3;
use triglyph_guest::rsx::fifo::{Command, Methods};
use triglyph_guest::rsx::ramht::Ramht;
use triglyph_guest::rsx::two_d::format::Bits;
use triglyph_testkit::data::{Value, items, json, vectors};

/// A number of a vector: JSON's, or hexadecimal text.
fn number(value: &Value) -> u64 {
    triglyph_testkit::data::number(value) as u64
}

#[test]
fn headers() {
    for vector in &vectors("rsx/vectors/fifo_headers.json", "vectors", 15) {
        let word = number(&vector["word"]) as u32;
        let field = |name: &str| number(&vector[name]) as u32;
        let methods = |increasing| {
            let (method, subchannel, count) = (field("method"), field("subchannel"), field("count"));
            Command::Methods(Methods { method, subchannel, count, increasing })
        };
        let wanted = match vector["kind"].as_str() {
            Some("increasing") => methods(true),
            Some("non_increasing") => methods(false),
            Some("jump") => Command::Jump(field("target")),
            Some("call") => Command::Call(field("target")),
            Some("return") => Command::Return,
            Some("invalid") => Command::Invalid,
            Some(other) => panic!("kind {other}"),
            None => Command::Methods(Methods { method: 0, subchannel: 0, count: 0, increasing: true }),
        };
        assert_eq!(Command::decode(word), wanted, "{word:#010x}: {}", vector["meaning"]);
    }
}

#[test]
fn hashes() {
    for vector in &vectors("rsx/vectors/ramht.json", "vectors", 30) {
        let (bits, channel) = (number(&vector["bits"]) as u32, number(&vector["chid"]) as u32);
        let table = Ramht(0x100 | (bits - 9) << 16);
        assert_eq!((table.bits(), u64::from(table.entries())), (bits, number(&vector["entries"])));
        let hash = table.hash(number(&vector["handle"]) as u32, channel);
        assert_eq!(u64::from(hash), number(&vector["hash"]), "{vector}");
        assert_eq!(u64::from(hash * 8), number(&vector["byte_offset"]), "{vector}");
    }
}

#[test]
fn swizzled_images() {
    for vector in &vectors("rsx/vectors/morton.json", "vectors", 29) {
        let of = |name: &str, default: u64| vector.get(name).map_or(default, number) as u32;
        let at = [of("x", 0), of("y", 0), of("z", 0)];
        let log2 = [of("width", 1), of("height", 1), of("depth", 1)].map(u32::ilog2);
        assert_eq!(u64::from(swizzle3(at, log2)), number(&vector["texel_index"]), "{vector}");
    }
}

#[test]
fn channels_are_widened() {
    let widened = |name: &str| {
        let file = json("rsx/vectors/misc.json");
        let vectors = items(&file["vectors"]);
        let vector = vectors.iter().find(|vector| vector["what"] == name).expect("a vector").clone();
        let list =
            |key: &str| -> Vec<u32> { vector[key].as_array().unwrap().iter().map(|v| number(v) as u32).collect() };
        list("in").into_iter().zip(list("out")).collect::<Vec<_>>()
    };
    for (narrow, wide) in widened("5 to 8 bit") {
        let [r, _, b, _] = Bits::R5G6B5.decode(narrow << 11 | narrow);
        assert_eq!([u32::from(r), u32::from(b)], [wide; 2]);
    }
    for (narrow, wide) in widened("6 to 8 bit") {
        assert_eq!(u32::from(Bits::R5G6B5.decode(narrow << 5)[1]), wide);
    }
}
