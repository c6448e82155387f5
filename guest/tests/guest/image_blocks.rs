//! Compressed blocks: recorded ones with their texels.

use serde_json::Value;
use triglyph_guest::format::block::BlockCodec;
use triglyph_guest::format::{Arrangement, BlockCoding, Coding, Form, ImageLayout, LevelLayout};
use triglyph_testkit::data::vectors;

/// The texels of one block, as bytes r, g, b, a.
fn texels(coding: Coding, block: &[u8]) -> Vec<[u8; 4]> {
    let arrangement = Arrangement::Rows { pitch: block.len() as u32, slice: 0 };
    let level = LevelLayout { offset: 0, size: [4, 4, 1], skip: [0; 3], arrangement };
    let image = ImageLayout { coding, levels: vec![level], layers: 1, layer_stride: 0, form: Form::Plain };
    let mut out = vec![0; image.words() as usize];
    image.decode(block, &mut out);
    out[..16].iter().map(|texel| texel.to_le_bytes()).collect()
}

fn bytes(list: &Value) -> Vec<u8> {
    list.as_array().expect("a list").iter().map(|byte| byte.as_u64().expect("a byte") as u8).collect()
}

#[test]
fn recorded_blocks() {
    for vector in &vectors("rsx/vectors/dxt.json", "vectors", 7) {
        let codec = match vector["format"].as_str().expect("a name") {
            "DXT1" => BlockCodec::Bc1,
            "DXT23" => BlockCodec::Bc2,
            "DXT45" => BlockCodec::Bc3,
            other => panic!("format {other}"),
        };
        let coding = Coding::Block(BlockCoding { codec, srgb: false });
        let found = texels(coding, &bytes(&vector["block"]));
        if let Some(expected) = vector["texels_rgba"].as_array() {
            let found: Vec<Vec<u8>> = found.iter().map(|texel| texel.to_vec()).collect();
            let expected: Vec<Vec<u8>> = expected.iter().map(bytes).collect();
            assert_eq!(found, expected, "{}", vector["name"]);
        } else {
            let alphas: Vec<u8> = found.iter().map(|texel| texel[3]).collect();
            assert_eq!(alphas, bytes(&vector["alpha"]), "{}", vector["name"]);
        }
    }
}
