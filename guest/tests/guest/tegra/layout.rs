//! Block-linear images: offsets, levels, layers, compared with the documented numbers.

use triglyph_guest::layout::{Blocks, Mipmaps};
use triglyph_testkit::data::{Value, vectors};

const VECTORS: &str = "tegra/vectors/blocklinear.json";

fn number(value: &Value, key: &str) -> u32 {
    value[key].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_else(|| panic!("no {key} in {value}"))
}

#[test]
fn bytes_stand_where_they_should() {
    for surface in vectors(VECTORS, "surfaces", 7) {
        let get = |key| number(&surface, key);
        let blocks = Blocks {
            gobs_across: get("pitch_bytes").div_ceil(64),
            rows: get("rows"),
            slices: get("slices"),
            log2_gobs: get("block_height_log2") as u8,
            log2_slices: get("block_depth_log2") as u8,
        };
        for point in surface["points"].as_array().expect("a list") {
            let get = |key| number(point, key);
            let offset = blocks.offset(get("x_bytes"), get("y"), get("z"));
            assert_eq!(offset, u64::from(get("offset")), "{} {point}", surface["name"]);
        }
    }
}

#[test]
fn levels_and_layers_follow_each_other() {
    for chain in vectors(VECTORS, "mip_chains", 8) {
        let get = |key| number(&chain, key);
        let levels = chain["levels"].as_array().expect("a list");
        let image = Mipmaps {
            size: [get("width"), get("height"), get("depth")],
            texel_block: [get("block_w"), get("block_h")],
            bytes: get("bytes_per_block"),
            log2_gobs: get("header_block_height_log2") as u8,
            log2_slices: get("header_block_depth_log2") as u8,
            log2_spacing: 0,
            levels: levels.len() as u32,
        };
        for level in levels {
            let get = |key| number(level, key);
            let blocks = image.level(get("level"));
            let found =
                [blocks.gobs_across, blocks.rows, blocks.slices, blocks.log2_gobs.into(), blocks.log2_slices.into()];
            let expected = ["gobs_x", "height", "depth", "block_height_log2", "block_depth_log2"].map(get);
            assert_eq!(found, expected, "{} {level}", chain["name"]);
            let place = [image.level_offset(get("level")), blocks.bytes()];
            assert_eq!(place, ["offset", "size"].map(|key| u64::from(get(key))), "{} {level}", chain["name"]);
        }
        let sizes = [image.level_offset(image.levels), image.layer_bytes()];
        assert_eq!(sizes, ["sum", "layer_stride"].map(|key| u64::from(get(key))), "{}", chain["name"]);
    }
}
