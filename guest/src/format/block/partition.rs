//! Code that BC6H and BC7 share: partitions of a block, weights of its indices. (Direct3D 11 functional specification,
//! BC6H and BC7; ARB_texture_compression_bptc.)

/// Weights of 64 of the second end point, by index bits.
pub(super) const fn weights(index_bits: u32) -> &'static [u32] {
    match index_bits {
        2 => &[0, 21, 43, 64],
        3 => &[0, 9, 18, 27, 37, 46, 55, 64],
        _ => &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
    }
}

/// A mixture of two end points: `weight` 64ths of the second.
pub(super) const fn mix(first: i32, second: i32, weight: u32) -> i32 {
    let weight = weight as i32;
    ((64 - weight) * first + weight * second + 32) >> 6
}

/// Which subset each texel belongs to, and whose indices lack their highest bit.
#[derive(Clone, Copy)]
pub(super) struct Partition {
    /// Subset of texel i in bits 2i and 2i + 1.
    texels: u32,
    /// The anchor texel of each subset.
    anchors: [u8; 3],
}

impl Partition {
    /// One subset.
    pub(super) const WHOLE: Partition = Partition { texels: 0, anchors: [0; 3] };

    /// A partition in two or three subsets, 0 to 63; any other count is one.
    pub(super) fn of(subsets: u32, shape: u32) -> Partition {
        let shape = (shape & 63) as usize;
        match subsets {
            2 => Partition { texels: doubled(TWO[shape]), anchors: [0, TWO_ANCHORS[shape], 0] },
            3 => Partition { texels: THREE[shape], anchors: [0, THREE_ANCHORS[shape][0], THREE_ANCHORS[shape][1]] },
            _ => Partition::WHOLE,
        }
    }

    /// The subset of a texel.
    pub(super) const fn subset(&self, texel: usize) -> usize {
        (self.texels >> (2 * texel) & 3) as usize
    }

    /// Whether the texel's index lacks its highest bit.
    pub(super) const fn is_anchor(&self, texel: usize) -> bool {
        self.anchors[self.subset(texel)] as usize == texel
    }
}

/// Bit i of 16 bits at bit 2i.
const fn doubled(bits: u16) -> u32 {
    let bits = bits as u32;
    let bits = (bits | bits << 8) & 0x00FF_00FF;
    let bits = (bits | bits << 4) & 0x0F0F_0F0F;
    let bits = (bits | bits << 2) & 0x3333_3333;
    (bits | bits << 1) & 0x5555_5555
}

/// Texels of the second of two subsets: texel i is bit i.
const TWO: [u16; 64] = [
    0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8, 0xFF00,
    0xFFF0, 0xF000, 0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110, 0x6666, 0x366C,
    0x17E8, 0x0FF0, 0x718E, 0x399C, 0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696, 0xA55A, 0x73CE, 0x13C8,
    0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660, 0x0272, 0x04E4, 0x4E40, 0x2720, 0xC936, 0x936C, 0x39C6, 0x639C,
    0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22,
];

/// The anchor of the second of two subsets.
const TWO_ANCHORS: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
];

/// Subsets of texels of three: that of texel i in bits 2i and 2i + 1.
const THREE: [u32; 64] = [
    0xAA68_5050,
    0x6A5A_5040,
    0x5A5A_4200,
    0x5450_A0A8,
    0xA5A5_0000,
    0xA0A0_5050,
    0x5555_A0A0,
    0x5A5A_5050,
    0xAA55_0000,
    0xAA55_5500,
    0xAAAA_5500,
    0x9090_9090,
    0x9494_9494,
    0xA4A4_A4A4,
    0xA9A5_9450,
    0x2A0A_4250,
    0xA594_5040,
    0x0A42_5054,
    0xA5A5_A500,
    0x55A0_A0A0,
    0xA8A8_5454,
    0x6A6A_4040,
    0xA4A4_5000,
    0x1A1A_0500,
    0x0050_A4A4,
    0xAAA5_9090,
    0x1469_6914,
    0x6969_1400,
    0xA085_85A0,
    0xAA82_1414,
    0x50A4_A450,
    0x6A5A_0200,
    0xA9A5_8000,
    0x5090_A0A8,
    0xA8A0_9050,
    0x2424_2424,
    0x00AA_5500,
    0x2492_4924,
    0x2449_9224,
    0x50A5_0A50,
    0x500A_A550,
    0xAAAA_4444,
    0x6666_0000,
    0xA5A0_A5A0,
    0x50A0_50A0,
    0x6928_6928,
    0x44AA_AA44,
    0x6666_6600,
    0xAA44_4444,
    0x54A8_54A8,
    0x9580_9580,
    0x9696_9600,
    0xA854_54A8,
    0x8095_9580,
    0xAA14_1414,
    0x9696_0000,
    0xAAAA_1414,
    0xA050_50A0,
    0xA0A5_A5A0,
    0x9600_0000,
    0x4080_4080,
    0xA9A8_A9A8,
    0xAAAA_AA44,
    0x2A4A_5254,
];

/// The anchors of the second and the third of three subsets.
const THREE_ANCHORS: [[u8; 2]; 64] = [
    [3, 15],
    [3, 8],
    [15, 8],
    [15, 3],
    [8, 15],
    [3, 15],
    [15, 3],
    [15, 8],
    [8, 15],
    [8, 15],
    [6, 15],
    [6, 15],
    [6, 15],
    [5, 15],
    [3, 15],
    [3, 8],
    [3, 15],
    [3, 8],
    [8, 15],
    [15, 3],
    [3, 15],
    [3, 8],
    [6, 15],
    [10, 8],
    [5, 3],
    [8, 15],
    [8, 6],
    [6, 10],
    [8, 15],
    [5, 15],
    [15, 10],
    [15, 8],
    [8, 15],
    [15, 3],
    [3, 15],
    [5, 10],
    [6, 10],
    [10, 8],
    [8, 9],
    [15, 10],
    [15, 6],
    [3, 15],
    [15, 8],
    [5, 15],
    [15, 3],
    [15, 6],
    [15, 6],
    [15, 8],
    [3, 15],
    [15, 3],
    [5, 15],
    [5, 15],
    [5, 15],
    [8, 15],
    [5, 15],
    [10, 15],
    [5, 15],
    [10, 15],
    [8, 15],
    [13, 15],
    [15, 3],
    [12, 15],
    [3, 15],
    [3, 8],
];
