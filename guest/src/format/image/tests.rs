use super::*;
use crate::format::block::BlockCodec;

const fn unorm(shift: u8, bits: u8) -> Channel {
    Channel::Unorm(Bits { shift, bits })
}

const fn float(shift: u8, bits: u8) -> Channel {
    Channel::Float(Bits { shift, bits })
}

fn packed(bytes: u8, swap: u8, channels: [Channel; 4]) -> Coding {
    Coding::Packed(ColorFormat { bytes, swap, channels })
}

fn level(offset: u32, size: [u32; 3], arrangement: Arrangement) -> LevelLayout {
    LevelLayout { offset, size, skip: [0; 3], arrangement }
}

fn decode(image: &ImageLayout, source: &[u8]) -> Vec<u32> {
    let mut out = vec![0xDEAD_BEEF; image.words() as usize];
    image.decode(source, &mut out);
    out.truncate(out.len() - PADDING);
    out
}

fn block(codec: BlockCodec, srgb: bool) -> Coding {
    Coding::Block(BlockCoding { codec, srgb })
}

fn one(coding: Coding, size: [u32; 3], arrangement: Arrangement) -> ImageLayout {
    ImageLayout { coding, levels: vec![level(0, size, arrangement)], layers: 1, layer_stride: 0, form: Form::Plain }
}

fn row(coding: Coding, width: u32, source: &[u8]) -> Vec<u32> {
    decode(&one(coding, [width, 1, 1], Arrangement::Rows { pitch: source.len() as u32, slice: 0 }), source)
}

#[test]
fn unorm_fields_become_the_nearest_byte() {
    for bits in 1..=8 {
        let max = (1u32 << bits) - 1;
        for v in 0..=max {
            let coding = packed(2, 1, [unorm(3, bits), Channel::Absent, unorm(3, bits), Channel::Absent]);
            let exact = (f64::from(v) * 255.0 / f64::from(max) + 0.5).floor() as u32;
            let texel = row(coding, 1, &((v as u16) << 3).to_le_bytes())[0];
            assert_eq!(texel, exact | exact << 16 | 0xFF00_0000, "{v} of {bits} bits");
        }
    }
}

#[test]
fn words_are_of_either_byte_order() {
    let channels = [unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)];
    assert_eq!(row(packed(4, 1, channels), 1, &[0x0B, 0x06, 0x08, 0x0A]), [0x0A0B_0608]);
    assert_eq!(row(packed(4, 4, channels), 1, &[0x0A, 0x08, 0x06, 0x0B]), [0x0A0B_0608]);
    let color = [unorm(11, 5), unorm(5, 6), unorm(0, 5), Channel::Absent];
    assert_eq!(row(packed(2, 2, color), 2, &[0xF8, 0x00, 0x07, 0xE0]), [0xFF00_00FF, 0xFF00_FF00]);
    assert_eq!(row(packed(1, 1, [unorm(0, 8); 4]), 2, &[1, 2]), [0x0101_0101, 0x0202_0202]);
}

#[test]
fn other_fields_become_floats() {
    let halves = [float(0, 16), float(16, 16), float(32, 16), float(48, 16)];
    let bits = |texel: [f32; 4]| texel.map(f32::to_bits).to_vec();
    let source = [0x3C, 0x00, 0x40, 0x00, 0xC0, 0x00, 0x38, 0x00];
    assert_eq!(row(packed(8, 2, halves), 1, &source), bits([1.0, 2.0, -2.0, 0.5]));
    let singles = [float(0, 32), float(32, 32), float(64, 32), float(96, 32)];
    let source: Vec<u8> = [1.5f32, -0.0, 3.0, 1e-20].into_iter().flat_map(f32::to_be_bytes).collect();
    assert_eq!(row(packed(16, 4, singles), 1, &source), bits([1.5, -0.0, 3.0, 1e-20]));
    let depth = packed(4, 4, [unorm(8, 24); 4]);
    assert_eq!(row(depth, 2, &[0xFF, 0xFF, 0xFF, 7, 0, 0, 1, 9])[4..], bits([1.0 / 16_777_215.0; 4]));
    let signed =
        packed(2, 1, [Channel::Snorm(Bits { shift: 0, bits: 8 }), Channel::Absent, Channel::Absent, Channel::Absent]);
    assert_eq!(row(signed, 1, &[0x80, 0]), bits([-1.0, 0.0, 0.0, 1.0]));
    assert_eq!(row(signed, 1, &[0x7F, 0]), bits([1.0, 0.0, 0.0, 1.0]));
    let small = packed(4, 1, [float(0, 11), float(11, 11), float(22, 10), float(0, 24)]);
    let one = 15 << 6 | (15 << 6) << 11 | (15 << 5) << 22;
    assert_eq!(row(small, 1, &u32::to_le_bytes(one))[..3], bits([1.0; 4])[..3]);
}

#[test]
fn missing_bytes_are_zero() {
    let coding = packed(4, 1, [unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)]);
    let image = one(coding, [2, 2, 1], Arrangement::Rows { pitch: 8, slice: 0 });
    assert_eq!(image.bytes(), 16);
    assert_eq!(decode(&image, &[1, 2, 3, 4, 5, 6]), [0x0403_0201, 0x0605, 0, 0]);
    for codec in [BlockCodec::Bc1, BlockCodec::Bc2, BlockCodec::Bc3, BlockCodec::Bc7] {
        let coding = block(codec, false);
        assert_eq!(decode(&one(coding, [4, 4, 1], Arrangement::Rows { pitch: 16, slice: 0 }), &[]).len(), 16);
    }
}

#[test]
fn interleaved_texels_stand_where_the_layout_says() {
    for (log2, size) in [([3, 1, 0], [8, 2, 1]), ([2, 2, 2], [4, 4, 4]), ([0, 3, 1], [1, 8, 2])] {
        let image = one(packed(1, 1, [unorm(0, 8); 4]), size, Arrangement::Interleaved { log2, part: 1 });
        let source: Vec<u8> = (0..image.bytes() as u8).collect();
        let found = decode(&image, &source);
        let mut at = 0;
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    assert_eq!(found[at] & 0xFF, swizzle3([x, y, z], log2.map(u32::from)), "{x} {y} {z} of {size:?}");
                    at += 1;
                }
            }
        }
    }
}

/// Of texels of 16 bytes, which are four words beside each other: (0, 0) is words 0, 1, 4, 5, (0, 1) is 2, 3, 6, 7.
#[test]
fn words_of_wide_texels_are_interleaved() {
    let coding = packed(16, 4, [float(0, 32), float(32, 32), float(64, 32), float(96, 32)]);
    let image = one(coding, [2, 2, 1], Arrangement::Interleaved { log2: [3, 1, 0], part: 4 });
    assert_eq!(image.bytes(), 64);
    let source: Vec<u8> = (0..16u32).flat_map(u32::to_be_bytes).collect();
    let wanted = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];
    assert_eq!(decode(&image, &source), wanted);
    // The image begins after a border of one texel.
    let mut image = one(coding, [1, 1, 1], Arrangement::Interleaved { log2: [3, 1, 0], part: 4 });
    image.levels[0].skip = [1, 1, 0];
    assert_eq!(decode(&image, &source), wanted[12..]);
    // Words of 8 bytes lie next to each other, so that bit 0 of y comes before that of x.
    let coding = packed(8, 2, [float(0, 16), float(16, 16), float(32, 16), float(48, 16)]);
    let image = one(coding, [2, 2, 1], Arrangement::Interleaved { log2: [2, 1, 0], part: 4 });
    let source: Vec<u8> = (0..4u8).flat_map(|i| [0x3C, 4 * i, 0, 0, 0, 0, 0, 0]).collect();
    let reds: Vec<u32> = decode(&image, &source).chunks(4).map(|texel| texel[0] >> 15 & 0xFF).collect();
    assert_eq!(reds, [0, 2, 1, 3]);
}

#[test]
fn borders_are_left_out() {
    let coding = packed(1, 1, [unorm(0, 8); 4]);
    let mut image = one(coding, [2, 1, 1], Arrangement::Rows { pitch: 4, slice: 0 });
    image.levels[0].skip = [1, 1, 0];
    assert_eq!(decode(&image, &[0, 0, 0, 0, 9, 1, 2, 9]).iter().map(|t| t & 0xFF).collect::<Vec<_>>(), [1, 2]);
    let mut image = one(coding, [8, 8, 1], Arrangement::Interleaved { log2: [4, 4, 0], part: 1 });
    image.levels[0].skip = [4, 4, 0];
    let source: Vec<u8> = (0..=255).collect();
    assert_eq!(decode(&image, &source)[0] & 0xFF, swizzle3([4, 4, 0], [4, 4, 0]));
}

#[test]
fn levels_and_layers_follow_each_other() {
    let coding = packed(1, 1, [unorm(0, 8); 4]);
    let rows = |pitch| Arrangement::Rows { pitch, slice: 0 };
    let levels = vec![level(0, [2, 1, 1], rows(2)), level(2, [1, 1, 1], rows(1))];
    let image = ImageLayout { coding, levels, layers: 2, layer_stride: 4, form: Form::Plain };
    assert_eq!(image.bytes(), 7);
    let found: Vec<u32> = decode(&image, &[1, 2, 3, 9, 4, 5, 6]).iter().map(|t| t & 0xFF).collect();
    assert_eq!(found, [1, 2, 3, 4, 5, 6]);
    let levels = image.sampler_levels();
    assert_eq!(levels[0], Level { offset: 0, width: 2, height: 1, depth: 1 });
    assert_eq!(levels[1..].iter().filter(|l| **l == Level { offset: 2, width: 1, height: 1, depth: 1 }).count(), 15);
}

#[test]
fn signed_channels_have_their_highest_bit_flipped() {
    let signed = |coding, signed, source: &[u8]| {
        let image = one(coding, [1, 1, 1], Arrangement::Rows { pitch: source.len() as u32, slice: 0 });
        decode(&ImageLayout { form: Form::Signed(signed), ..image }, source)
    };
    let bytes = packed(4, 1, [unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)]);
    assert_eq!(signed(bytes, [true, true, false, true], &[0x80, 0x7F, 0x12, 0xFF]), [0x7F12_FF00]);
    // After fields have become bytes: 16 of 31 is 132, and alpha that is not there is 255.
    let few = |shift| Channel::UnormRsx(Bits { shift, bits: 5 });
    let color = packed(2, 1, [few(10), few(5), few(0), Channel::Absent]);
    assert_eq!(signed(color, [true, false, true, true], &u16::to_le_bytes(0x4210)), [0x7F04_8404]);
    let words = packed(4, 1, [unorm(16, 16), unorm(0, 16), unorm(0, 16), unorm(16, 16)]);
    let value = |word: u16| (f32::from(word) * (1.0 / 65535.0)).to_bits();
    for word in [0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF] {
        let expected = [value(word ^ 0x8000), value(0x1234), value(0x9234), value(word)];
        assert_eq!(
            signed(words, [true, false, true, false], &(u32::from(word) << 16 | 0x1234).to_le_bytes()),
            expected
        );
    }
}

#[test]
fn pairs_share_two_channels() {
    let coding = Coding::Pair { red: [1, 3], green: [2; 2], blue: [0; 2] };
    assert_eq!(
        row(coding, 3, &[0xB0, 0x01, 0xC0, 0x02, 0xB1, 0x03, 0xC1, 0x04]),
        [0xFFB0_C001, 0xFFB0_C002, 0xFFB1_C103]
    );
}

#[test]
fn slices_of_a_volume_of_blocks_come_in_groups() {
    // Two groups: four slices and one, of two blocks each.
    let image = one(block(BlockCodec::Bc1, false), [8, 4, 5], Arrangement::GroupedSlices);
    assert_eq!(image.bytes(), 80);
    let level = image.levels[0];
    let at = |x, z| level.block_offset(&image.coding, [x, 0, z]);
    assert_eq!([at(0, 0), at(0, 3), at(1, 0), at(1, 3), at(0, 4), at(1, 4)], [0, 24, 32, 56, 64, 72]);
}

#[test]
fn srgb_stays_bytes_where_all_of_it_is_bytes() {
    let srgb = |shift| Channel::Srgb(Bits { shift, bits: 8 });
    let coding = packed(4, 1, [srgb(0), srgb(8), srgb(16), unorm(24, 8)]);
    assert_eq!((coding.texels(), row(coding, 1, &[0, 128, 255, 7])), (Texels::Srgb8, vec![0x07FF_8000]));
    let red = packed(1, 1, [srgb(0), Channel::Absent, Channel::Absent, Channel::Absent]);
    assert_eq!((red.texels(), row(red, 1, &[128])), (Texels::Srgb8, vec![0xFF00_0080]));
    assert_eq!(block(BlockCodec::Bc1, true).texels(), Texels::Srgb8);
    let mixed = packed(4, 1, [srgb(0), unorm(8, 8), unorm(16, 8), unorm(24, 8)]);
    let found = row(mixed, 1, &[128, 255, 0, 0]);
    assert_eq!((mixed.texels(), f32::from_bits(found[1])), (Texels::Float4, 1.0));
    assert!((f32::from_bits(found[0]) - 0.215_860_5).abs() < 1e-6);
}

#[test]
fn bits_and_common_exponents() {
    assert_eq!(row(Coding::Bits, 10, &[0b0000_0101, 2])[..3], [0xFF00_00FF, 0xFF00_0000, 0xFF00_00FF]);
    assert_eq!(row(Coding::Bits, 10, &[0b0000_0101, 2])[8..], [0xFF00_0000, 0xFF00_00FF]);
    let word = 256 | 128 << 9 | 511 << 18 | 16 << 27;
    let bits = [1.0f32, 0.5, 511.0 / 256.0, 1.0].map(f32::to_bits);
    assert_eq!(row(Coding::SharedExponent, 1, &u32::to_le_bytes(word)), bits);
}

#[test]
fn blocks_of_any_size_are_cut_at_the_edges() {
    let codec = BlockCodec::Astc { width: 12, height: 5 };
    let mut source = vec![0xFC, 0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];
    source.extend([0, 10, 0, 20, 0, 30, 0, 40]);
    source.extend_from_slice(&[0; 48]);
    let found = decode(&one(block(codec, false), [13, 6, 1], Arrangement::Rows { pitch: 32, slice: 0 }), &source);
    assert_eq!((found[0], found[11], found[4 * 13 + 11]), (0x281E_140A, 0x281E_140A, 0x281E_140A));
    // A reserved mode.
    assert_eq!((found[12], found[5 * 13]), (0xFFFF_00FF, 0xFFFF_00FF));
}

/// The bytes of a part.
fn part_of<'b>(image: &ImageLayout, bytes: &'b [u8], part: usize) -> &'b [u8] {
    let Range { start, end } = image.part_bytes(part);
    &bytes[start as usize..end as usize]
}

#[test]
fn pieces_of_any_size_make_the_same_image() {
    let bytes: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(0x9E37_79B9) >> 13) as u8).collect();
    let rgba = packed(4, 1, [unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)]);
    let codings = [
        rgba,
        packed(8, 2, [float(0, 16), float(16, 16), float(32, 16), float(48, 16)]),
        Coding::Pair { red: [1, 3], green: [2; 2], blue: [0; 2] },
        block(BlockCodec::Bc3, false),
        block(BlockCodec::Bc5 { signed: true }, false),
        block(BlockCodec::Astc { width: 5, height: 6 }, false),
    ];
    for coding in codings {
        let signed = Form::Signed([true, false, true, false]);
        for form in [Form::Plain, signed, Form::Seamless, Form::Samples(vec![[0, 0], [1, 0]])] {
            let rows = |pitch, slice| Arrangement::Rows { pitch, slice };
            let levels = vec![level(0, [10, 10, 1], rows(80, 0)), level(600, [5, 5, 1], rows(40, 0))];
            let flat = ImageLayout { coding, levels, layers: 6, layer_stride: 300, form };
            let deep = ImageLayout {
                levels: vec![level(3, [6, 7, 3], rows(48, 400))],
                layers: 1,
                form: Form::Plain,
                ..flat.clone()
            };
            for image in [flat, deep] {
                let whole = decode(&image, &bytes);
                for words in [1, 45, 300] {
                    let mut out = vec![7; image.words() as usize];
                    let mut count = 0;
                    // Even parts, then odd ones.
                    for first in 0..2.min(image.parts()) {
                        let numbers = (first..image.parts()).step_by(2);
                        let parts: Vec<_> = numbers.map(|part| (part, part_of(&image, &bytes, part))).collect();
                        image.decode_parts(&parts, &mut out, words, |pieces| {
                            count += pieces.len();
                            pieces.into_iter().rev().for_each(Piece::decode);
                        });
                    }
                    assert!(count > image.layers as usize * image.levels.len() || words == 300, "{count} of {words}");
                    assert!(out[..whole.len()] == whole, "{image:?} in pieces of {words}");
                }
            }
        }
    }
}
