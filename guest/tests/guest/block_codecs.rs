//! Compressed blocks: documented ones with their texels, and random ones.

use serde_json::Value;
use triglyph_guest::format::block::{BlockCodec, MAX_TEXELS};
use triglyph_guest::kernel::program::sampler::Texels;
use triglyph_guest::num::half;
use triglyph_guest::num::ops::Scalar;
use triglyph_testkit::data::vectors;
use triglyph_testkit::random::words;

fn codec(name: &str) -> BlockCodec {
    match name {
        "BC1" => BlockCodec::Bc1,
        "BC2" => BlockCodec::Bc2,
        "BC3" => BlockCodec::Bc3,
        "BC4_UNORM" => BlockCodec::Bc4 { signed: false },
        "BC6H_UF16" => BlockCodec::Bc6h { signed: false },
        "BC6H_SF16" => BlockCodec::Bc6h { signed: true },
        "BC7" => BlockCodec::Bc7,
        "ETC2_RGB" => BlockCodec::Etc2Rgb,
        "ETC2_RGB_PTA" => BlockCodec::Etc2RgbPunchThrough,
        "ETC2_RGBA" => BlockCodec::Etc2Rgba,
        "EAC_R11_UNORM" => BlockCodec::EacR11 { signed: false },
        "EAC_R11_SNORM" => BlockCodec::EacR11 { signed: true },
        _ => {
            let size = name.strip_prefix("ASTC_").unwrap_or_else(|| panic!("format {name}"));
            let (width, height) = size.split_once('x').expect("two numbers");
            let number = |text: &str| text.parse().expect("a number");
            BlockCodec::Astc { width: number(width), height: number(height) }
        }
    }
}

/// The block, its end filled with zeros.
fn block(hex: &str) -> [u8; 16] {
    let mut out = [0; 16];
    for (i, byte) in out.iter_mut().enumerate().take(hex.len() / 2) {
        *byte = u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal digits");
    }
    out
}

/// The numbers of a texel, one or more.
fn numbers(texel: &Value) -> Vec<f64> {
    match texel.as_array() {
        Some(list) => list.iter().map(|number| number.as_f64().expect("a number")).collect(),
        None => vec![texel.as_f64().expect("a number")],
    }
}

/// What the texels of a block of floats are in the numbers of the vectors.
fn float_numbers(codec: BlockCodec, texel: [f32; 4]) -> Vec<f64> {
    let scale = match codec {
        BlockCodec::Bc4 { .. } => 255.0,
        BlockCodec::EacR11 { signed: false } => 2047.0,
        BlockCodec::EacR11 { signed: true } => 1023.0,
        _ => return texel[..3].iter().map(|&v| f64::from(half::bits(&mut Scalar, v))).collect(),
    };
    assert_eq!(texel[1..], [0.0, 0.0, 1.0]);
    vec![f64::from(texel[0]) * scale]
}

#[test]
fn documented_blocks() {
    for vector in &vectors("tegra/vectors/blocks.json", "blocks", 92) {
        let name = format!("{} {}", vector["format"], vector["name"]);
        let codec = codec(vector["format"].as_str().expect("a name"));
        let hex = vector["block"].as_str().expect("hexadecimal digits");
        assert_eq!(hex.len(), 2 * codec.bytes() as usize, "{name}");
        let expected: Vec<Vec<f64>> = vector["texels"].as_array().expect("a list").iter().map(numbers).collect();
        let (width, height) = codec.size();
        assert_eq!(expected.len(), (width * height) as usize, "{name}");
        let found: Vec<Vec<f64>> = match codec.texels() {
            Texels::Rgba8 | Texels::Srgb8 => {
                let mut out = [0; MAX_TEXELS];
                codec.decode_bytes(block(hex), false, &mut out);
                out.map(|texel| texel.to_le_bytes().map(f64::from).to_vec()).to_vec()
            }
            Texels::Float4 => codec.decode_floats(block(hex)).map(|texel| float_numbers(codec, texel)).to_vec(),
        };
        // Mixtures of these are rounded where the vectors cut off.
        let tolerance = match codec {
            BlockCodec::Bc1 | BlockCodec::Bc2 | BlockCodec::Bc3 | BlockCodec::Bc4 { .. } => 1.0,
            _ => 1e-3,
        };
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let near = found.len() == expected.len()
                && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance + 1e-9);
            assert!(near, "{name} texel {i}: {found:?} instead of {expected:?}");
        }
    }
}

/// A third of 8 is 3, two thirds are 5.
#[test]
fn mixtures_are_rounded() {
    let mut out = [0; MAX_TEXELS];
    BlockCodec::Bc1.decode_bytes(block("01000000e4e4e4e4"), false, &mut out);
    assert_eq!([0, 1, 2, 3].map(|i| out[i] >> 16 & 0xFF), [8, 0, 5, 3]);
}

const ALL: [BlockCodec; 15] = [
    BlockCodec::Bc1,
    BlockCodec::Bc2,
    BlockCodec::Bc3,
    BlockCodec::Bc4 { signed: false },
    BlockCodec::Bc4 { signed: true },
    BlockCodec::Bc5 { signed: true },
    BlockCodec::Bc6h { signed: false },
    BlockCodec::Bc6h { signed: true },
    BlockCodec::Bc7,
    BlockCodec::Etc2Rgb,
    BlockCodec::Etc2RgbPunchThrough,
    BlockCodec::Etc2Rgba,
    BlockCodec::EacR11 { signed: true },
    BlockCodec::EacRg11 { signed: false },
    BlockCodec::EacRg11 { signed: true },
];

/// Floats of normalised formats stay in range whatever the bits are.
#[test]
fn random_blocks_decode() {
    let mut rng = words(0xB10C);
    let astc = [(4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 5), (8, 6), (8, 8), (10, 5), (10, 6), (10, 8), (10, 10)];
    let astc = astc.into_iter().chain([(12, 10), (12, 12)]).map(|(width, height)| BlockCodec::Astc { width, height });
    let codecs: Vec<BlockCodec> = ALL.into_iter().chain(astc).collect();
    let mut good = 0;
    for _ in 0..3000 {
        let mut block = [0; 16];
        block.as_chunks_mut().0.iter_mut().for_each(|word| *word = rng().to_le_bytes());
        for codec in &codecs {
            if codec.texels() == Texels::Rgba8 {
                let mut out = [0; MAX_TEXELS];
                codec.decode_bytes(block, rng() & 1 != 0, &mut out);
                good += u32::from(matches!(codec, BlockCodec::Astc { .. }) && out[0] != 0xFFFF_00FF);
                continue;
            }
            let signed = codec.decode_floats(block);
            match codec {
                BlockCodec::Bc6h { .. } => assert!(signed.iter().flatten().all(|v| v.abs() <= 65504.0)),
                _ => assert!(signed.iter().flatten().all(|v| v.abs() <= 1.0)),
            }
        }
    }
    assert!(good > 1000, "{good} of the random ASTC blocks are valid");
}

/// A BC5 block is two BC4 blocks, an EAC block of two channels two of one.
#[test]
fn two_channels_are_one_twice() {
    let mut rng = words(0x2C);
    let pairs = [false, true].map(|signed| {
        [
            (BlockCodec::Bc4 { signed }, BlockCodec::Bc5 { signed }),
            (BlockCodec::EacR11 { signed }, BlockCodec::EacRg11 { signed }),
        ]
    });
    for (one, two) in pairs.into_iter().flatten() {
        for _ in 0..100 {
            let halves = [0, 1].map(|_| u64::from(rng()) << 32 | u64::from(rng()));
            let of = |low: u64, high: u64| (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
            let [red, green] = halves.map(|half| one.decode_floats(of(half, 0)));
            for (i, texel) in two.decode_floats(of(halves[0], halves[1])).into_iter().enumerate() {
                assert_eq!(texel, [red[i][0], green[i][0], 0.0, 1.0]);
            }
        }
    }
}
