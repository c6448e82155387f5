//! Opcodes of x86-64 with AVX2, BMI2 and FMA, as Intel's Software Developer's Manual, volume 2, lists them.

/// What precedes an opcode to tell instructions apart, numbered as in VEX prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Prefix {
    None = 0,
    P66 = 1,
    PF3 = 2,
    PF2 = 3,
}

/// Tables of opcodes, numbered as in VEX prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Map {
    OneByte = 0,
    M0F = 1,
    M0F38 = 2,
    M0F3A = 3,
}

/// An opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opcode {
    /// Whether the encoding begins with a VEX prefix: three operands, vectors.
    pub vex: bool,
    pub prefix: Prefix,
    pub map: Map,
    pub byte: u8,
    /// Whether operands have 64 bits; tells some vector instructions apart.
    pub w: bool,
}

/// Conditions of branches, as the processor numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Condition {
    Below = 2,
    AboveOrEqual = 3,
    Equal = 4,
    NotEqual = 5,
    BelowOrEqual = 6,
    Above = 7,
    Less = 12,
    GreaterOrEqual = 13,
    LessOrEqual = 14,
    Greater = 15,
}

impl Condition {
    /// The one that holds if this does not.
    pub fn inverse(self) -> Condition {
        match self {
            Condition::Below => Condition::AboveOrEqual,
            Condition::AboveOrEqual => Condition::Below,
            Condition::Equal => Condition::NotEqual,
            Condition::NotEqual => Condition::Equal,
            Condition::BelowOrEqual => Condition::Above,
            Condition::Above => Condition::BelowOrEqual,
            Condition::Less => Condition::GreaterOrEqual,
            Condition::GreaterOrEqual => Condition::Less,
            Condition::LessOrEqual => Condition::Greater,
            Condition::Greater => Condition::LessOrEqual,
        }
    }
}

use Map::{M0F, M0F3A, M0F38, OneByte};
use Prefix::{P66, PF2, PF3};

const fn vex(prefix: Prefix, map: Map, byte: u8) -> Opcode {
    Opcode { vex: true, prefix, map, byte, w: false }
}

const fn legacy(prefix: Prefix, map: Map, byte: u8) -> Opcode {
    Opcode { vex: false, prefix, map, byte, w: false }
}

impl Opcode {
    /// The same one with operands of 64 bits, if `is_64`.
    pub const fn with_w(self, is_64: bool) -> Opcode {
        Opcode { w: is_64, ..self }
    }
}

/// The opcode of packed singles; that of doubles has the prefix 66.
pub(super) const fn packed(byte: u8, double: bool) -> Opcode {
    vex(if double { P66 } else { Prefix::None }, M0F, byte)
}

// Packed floats.
pub(super) const ADDP: u8 = 0x58;
pub(super) const MULP: u8 = 0x59;
pub(super) const SUBP: u8 = 0x5C;
pub(super) const DIVP: u8 = 0x5E;
pub(super) const SQRTP: u8 = 0x51;
pub(super) const MINP: u8 = 0x5D;
pub(super) const MAXP: u8 = 0x5F;
pub(super) const CMPP: u8 = 0xC2;
pub(super) const XORP: u8 = 0x57;
pub(super) const ANDP: u8 = 0x54;
pub(super) const UNPCKLP: u8 = 0x14;
pub(super) const UNPCKHP: u8 = 0x15;
pub(super) const SHUFPS: Opcode = packed(0xC6, false);
pub(super) const ROUNDPS: Opcode = vex(P66, M0F3A, 0x08);
pub(super) const ROUNDPD: Opcode = vex(P66, M0F3A, 0x09);
pub(super) const FMADD213: Opcode = vex(P66, M0F38, 0xA8);
pub(super) const CVTDQ2PS: Opcode = vex(Prefix::None, M0F, 0x5B);
pub(super) const CVTTPS2DQ: Opcode = vex(PF3, M0F, 0x5B);
/// Of the lower half of a vector.
pub(super) const CVTPS2PD: Opcode = packed(0x5A, false);
pub(super) const CVTDQ2PD: Opcode = vex(PF3, M0F, 0xE6);
/// To the lower half of a vector.
pub(super) const CVTPD2PS: Opcode = packed(0x5A, true);
pub(super) const BLENDVPS: Opcode = vex(P66, M0F3A, 0x4A);
pub(super) const MOVMSKPS: Opcode = packed(0x50, false);
pub(super) const MOVMSKPD: Opcode = packed(0x50, true);
/// Lanes of 64 bits in any order.
pub(super) const PERMQ: Opcode = vex(P66, M0F3A, 0x00).with_w(true);
pub(super) const PERMILPS: Opcode = vex(P66, M0F3A, 0x04);

// Packed integers, by the bytes of a lane: 1, 2, 4, 8.
pub(super) const PADD: [Opcode; 4] = [int(0xFC), int(0xFD), int(0xFE), int(0xD4)];
pub(super) const PSUB: [Opcode; 4] = [int(0xF8), int(0xF9), int(0xFA), int(0xFB)];
pub(super) const PCMPEQ: [Opcode; 4] = [int(0x74), int(0x75), int(0x76), int38(0x29)];
pub(super) const PCMPGT: [Opcode; 4] = [int(0x64), int(0x65), int(0x66), int38(0x37)];
pub(super) const PMINS: [Opcode; 3] = [int38(0x38), int(0xEA), int38(0x39)];
pub(super) const PMINU: [Opcode; 3] = [int(0xDA), int38(0x3A), int38(0x3B)];
pub(super) const PMAXS: [Opcode; 3] = [int38(0x3C), int(0xEE), int38(0x3D)];
pub(super) const PMAXU: [Opcode; 3] = [int(0xDE), int38(0x3E), int38(0x3F)];
pub(super) const PADDUS: [Opcode; 2] = [int(0xDC), int(0xDD)];
pub(super) const PSUBUS: [Opcode; 2] = [int(0xD8), int(0xD9)];
pub(super) const PADDS: [Opcode; 2] = [int(0xEC), int(0xED)];
pub(super) const PSUBS: [Opcode; 2] = [int(0xE8), int(0xE9)];
pub(super) const PABS: [Opcode; 3] = [int38(0x1C), int38(0x1D), int38(0x1E)];
pub(super) const PUNPCKL: [Opcode; 4] = [int(0x60), int(0x61), int(0x62), int(0x6C)];
pub(super) const PUNPCKH: [Opcode; 4] = [int(0x68), int(0x69), int(0x6A), int(0x6D)];
/// Shifts by an immediate; of lanes of 2, 4 and 8 bytes.
pub(super) const SHIFT_IMMEDIATE: [Opcode; 3] = [int(0x71), int(0x72), int(0x73)];
/// Shifts by a register: left, right, right with the sign.
pub(super) const PSLL: [Opcode; 3] = [int(0xF1), int(0xF2), int(0xF3)];
pub(super) const PSRL: [Opcode; 3] = [int(0xD1), int(0xD2), int(0xD3)];
pub(super) const PSRA: [Opcode; 2] = [int(0xE1), int(0xE2)];
/// Averages, rounded up; of lanes of 1 and 2 bytes.
pub(super) const PAVG: [Opcode; 2] = [int(0xE0), int(0xE3)];
pub(super) const PMULLW: Opcode = int(0xD5);
pub(super) const PMULHUW: Opcode = int(0xE4);
pub(super) const PMULLD: Opcode = int38(0x40);
/// The products of the even lanes of 32 bits, unsigned and signed.
pub(super) const PMULUDQ: Opcode = int(0xF4);
pub(super) const PMULDQ: Opcode = int38(0x28);
pub(super) const PMADDWD: Opcode = int(0xF5);
pub(super) const PHADDW: Opcode = int38(0x01);
pub(super) const PHADDD: Opcode = int38(0x02);
pub(super) const PAND: Opcode = int(0xDB);
pub(super) const PANDN: Opcode = int(0xDF);
pub(super) const POR: Opcode = int(0xEB);
pub(super) const PXOR: Opcode = int(0xEF);
pub(super) const PACKSSWB: Opcode = int(0x63);
pub(super) const PACKSSDW: Opcode = int(0x6B);
pub(super) const PACKUSWB: Opcode = int(0x67);
pub(super) const PACKUSDW: Opcode = int38(0x2B);
pub(super) const PSHUFB: Opcode = int38(0x00);
pub(super) const PSHUFD: Opcode = int(0x70);
pub(super) const PALIGNR: Opcode = vex(P66, M0F3A, 0x0F);
pub(super) const PBLENDW: Opcode = vex(P66, M0F3A, 0x0E);
pub(super) const PTEST: Opcode = int38(0x17);
pub(super) const PMOVMSKB: Opcode = int(0xD7);
pub(super) const PMOVZXWD: Opcode = int38(0x33);

const fn int(byte: u8) -> Opcode {
    vex(P66, M0F, byte)
}

const fn int38(byte: u8) -> Opcode {
    vex(P66, M0F38, byte)
}

// Moves of vectors and of their lanes.
pub(super) const MOVUPS_LOAD: Opcode = packed(0x10, false);
pub(super) const MOVUPS_STORE: Opcode = packed(0x11, false);
pub(super) const MOVAPS: Opcode = packed(0x28, false);
pub(super) const MOVSS_LOAD: Opcode = vex(PF3, M0F, 0x10);
pub(super) const MOVSS_STORE: Opcode = vex(PF3, M0F, 0x11);
pub(super) const MOVSD_LOAD: Opcode = vex(PF2, M0F, 0x10);
pub(super) const MOVSD_STORE: Opcode = vex(PF2, M0F, 0x11);
/// From a general purpose register.
pub(super) const MOVD_FROM: Opcode = int(0x6E);
/// To a general purpose register.
pub(super) const MOVD_TO: Opcode = int(0x7E);
/// The lower half of a vector from memory, and the upper one.
pub(super) const MOVLPS: Opcode = packed(0x12, false);
pub(super) const MOVHPS: Opcode = packed(0x16, false);
pub(super) const MOVHPS_STORE: Opcode = packed(0x17, false);
pub(super) const MOVDDUP: Opcode = vex(PF2, M0F, 0x12);
pub(super) const BROADCASTSS: Opcode = int38(0x18);
pub(super) const BROADCASTSD: Opcode = int38(0x19);
pub(super) const BROADCASTF128: Opcode = int38(0x1A);
/// From a vector's first lane; of 1, 2, 4 and 8 bytes.
pub(super) const PBROADCAST: [Opcode; 4] = [int38(0x78), int38(0x79), int38(0x58), int38(0x59)];
pub(super) const INSERTF128: Opcode = vex(P66, M0F3A, 0x18);
pub(super) const EXTRACTF128: Opcode = vex(P66, M0F3A, 0x19);
pub(super) const INSERTPS: Opcode = vex(P66, M0F3A, 0x21);
/// Of lanes of 1, 2, 4 and 8 bytes.
pub(super) const PINSR: [Opcode; 4] =
    [vex(P66, M0F3A, 0x20), int(0xC4), vex(P66, M0F3A, 0x22), vex(P66, M0F3A, 0x22).with_w(true)];
pub(super) const PEXTR: [Opcode; 4] =
    [vex(P66, M0F3A, 0x14), vex(P66, M0F3A, 0x15), vex(P66, M0F3A, 0x16), vex(P66, M0F3A, 0x16).with_w(true)];

// General purpose registers.
pub(super) const OR: Opcode = legacy(Prefix::None, OneByte, 0x0B);
pub(super) const AND: Opcode = legacy(Prefix::None, OneByte, 0x23);
pub(super) const SUB: Opcode = legacy(Prefix::None, OneByte, 0x2B);
pub(super) const XOR: Opcode = legacy(Prefix::None, OneByte, 0x33);
pub(super) const CMP: Opcode = legacy(Prefix::None, OneByte, 0x3B);
pub(super) const TEST: Opcode = legacy(Prefix::None, OneByte, 0x85);
pub(super) const TEST_BYTE: Opcode = legacy(Prefix::None, OneByte, 0x84);
pub(super) const IMUL: Opcode = legacy(Prefix::None, M0F, 0xAF);
pub(super) const IMUL_IMMEDIATE: Opcode = legacy(Prefix::None, OneByte, 0x69);
/// With an immediate of 32 bits, whose extensions are those of [`immediate_extension`].
pub(super) const ALU_IMMEDIATE: Opcode = legacy(Prefix::None, OneByte, 0x81);
/// Shifts by an immediate: extensions 4, 5 and 7 are left, right, right with the sign.
pub(super) const SHIFT: Opcode = legacy(Prefix::None, OneByte, 0xC1);
/// TEST has extension 0; NOT and NEG have extensions 2 and 3.
pub(super) const UNARY: Opcode = legacy(Prefix::None, OneByte, 0xF7);
pub(super) const LEA: Opcode = legacy(Prefix::None, OneByte, 0x8D);
pub(super) const LOAD: Opcode = legacy(Prefix::None, OneByte, 0x8B);
pub(super) const STORE: Opcode = legacy(Prefix::None, OneByte, 0x89);
pub(super) const STORE_16: Opcode = legacy(P66, OneByte, 0x89);
pub(super) const STORE_8: Opcode = legacy(Prefix::None, OneByte, 0x88);
pub(super) const MOVZX_8: Opcode = legacy(Prefix::None, M0F, 0xB6);
pub(super) const MOVZX_16: Opcode = legacy(Prefix::None, M0F, 0xB7);
pub(super) const MOVSX_8: Opcode = legacy(Prefix::None, M0F, 0xBE);
pub(super) const MOVSX_16: Opcode = legacy(Prefix::None, M0F, 0xBF);
pub(super) const MOVSX_32: Opcode = legacy(Prefix::None, OneByte, 0x63);
pub(super) const TZCNT: Opcode = legacy(PF3, M0F, 0xBC);
pub(super) const LZCNT: Opcode = legacy(PF3, M0F, 0xBD);
pub(super) const POPCNT: Opcode = legacy(PF3, M0F, 0xB8);
pub(super) const ANDN: Opcode = vex(Prefix::None, M0F38, 0xF2);
pub(super) const SHLX: Opcode = vex(P66, M0F38, 0xF7);
pub(super) const SARX: Opcode = vex(PF3, M0F38, 0xF7);
pub(super) const SHRX: Opcode = vex(PF2, M0F38, 0xF7);
/// Added to it: the condition.
pub(super) const SETCC: Opcode = legacy(Prefix::None, M0F, 0x90);
/// Added to it: the condition.
pub(super) const CMOVCC: Opcode = legacy(Prefix::None, M0F, 0x40);

impl Opcode {
    /// An opcode that holds a condition.
    pub const fn with_condition(self, condition: Condition) -> Opcode {
        Opcode { byte: self.byte + condition as u8, ..self }
    }

    /// The extension of [`ALU_IMMEDIATE`] that does what this instruction does.
    pub const fn immediate_extension(self) -> u8 {
        self.byte >> 3
    }

    /// Whether the operand `rm` or `reg` is the lowest byte of a register: numbers 4 to 7 need a prefix for that.
    pub const fn has_byte_registers(self) -> bool {
        let byte = self.byte;
        match self.map {
            OneByte => byte == STORE_8.byte || byte == TEST_BYTE.byte,
            M0F => byte == MOVZX_8.byte || byte == MOVSX_8.byte || byte & 0xF0 == SETCC.byte,
            _ => false,
        }
    }
}
