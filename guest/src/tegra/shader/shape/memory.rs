//! Memory: constants, global, local, shared; atomics; caches.
//!
//! `data` is the first register that is loaded or stored, `dst` of an atomic gets the old value. How many bits the
//! offset of an address has, and whether it counts words, is in the patterns of the operations.

use crate::table::{Cursor, Encoder, Fields, TextError};
use crate::tegra::shader::number::{Address, Number, Offset, Small, parse_offset, print_offset};
use crate::tegra::shader::operand::{Pred, Reg, parse_reg, print_reg};
use crate::tegra::shader::part::{Part, modifiers, shapes};
use crate::tegra::shader::syntax::{Assembly, Listing};

modifiers! {
    /// The type that is loaded or stored.
    MemorySize, 3 bits {
        U8 = 0 "u8"; S8 = 1 "s8"; U16 = 2 "u16"; S16 = 3 "s16"; B32 = 4 "b32"; B64 = 5 "b64"; B128 = 6 "b128";
        /// As `B128`.
        UB128 = 7 "u_b128";
    }

    /// A hint for caches, without effect.
    CacheOp, 2 bits; plain C0 { C0 = 0 "c0"; C1 = 1 "c1"; C2 = 2 "c2"; C3 = 3 "c3"; }

    /// How LDC finds slot and offset.
    LdcMode, 2 bits; plain Plain {
        Plain = 0 "plain";
        /// Indexed linear: the upper half of the sum is added to the slot.
        Il = 1 "il";
        /// Taken as `Il`.
        Is = 2 "is";
        /// Taken as `Il`.
        Isl = 3 "isl";
    }

    /// Types of atomics.
    AtomicType, 3 bits, others {
        U32 = 0 "u32"; S32 = 1 "s32"; U64 = 2 "u64"; F32 = 3 "f32"; F16x2 = 4 "f16x2"; S64 = 5 "s64";
    }

    /// Types of shared atomics.
    SharedAtomicType, 2 bits { U32 = 0 "u32"; S32 = 1 "s32"; U64 = 2 "u64"; S64 = 3 "s64"; }

    /// Operations of atomics on memory `m` and value `v`. INC is `m >= v ? 0 : m + 1`, DEC `m == 0 || m > v ? v : m -
    /// 1`, SAFEADD not known.
    AtomicOp, 4 bits, others {
        Add = 0 "add"; Min = 1 "min"; Max = 2 "max"; Inc = 3 "inc"; Dec = 4 "dec"; And = 5 "and"; Or = 6 "or";
        Xor = 7 "xor"; Exchange = 8 "exch"; SafeAdd = 10 "safeadd";
    }

    /// How shared memory is compared and exchanged.
    SharedCasKind, 2 bits, others { Cast = 0 "cast"; Spin = 1 "cast_spin"; Cas = 2 "cas"; }

    /// How far a memory barrier reaches.
    BarrierScope, 2 bits { Block = 0 "cta"; Device = 1 "gl"; System = 2 "sys"; Vc = 3 "vc"; }
}

impl MemorySize {
    /// Bytes of an access.
    pub const fn bytes(self) -> u8 {
        match self {
            MemorySize::U8 | MemorySize::S8 => 1,
            MemorySize::U16 | MemorySize::S16 => 2,
            MemorySize::B32 => 4,
            MemorySize::B64 => 8,
            MemorySize::B128 | MemorySize::UB128 => 16,
        }
    }
}

/// A constant whose offset has a register added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexedConstant {
    /// Slot, 0 to 31.
    pub slot: u8,
    /// The register.
    pub index: Reg,
    /// Bytes, -32768 to 32767.
    pub offset: i16,
}

/// Slot, register, bytes: `s a w`.
pub(super) struct ConstantAddress;

impl Part for ConstantAddress {
    type Value = IndexedConstant;
    const BITS: &'static [(u32, u32)] = &[(5, 5), (8, 8), (16, 16)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> IndexedConstant {
        IndexedConstant {
            slot: fields.byte(letters[0]),
            index: Reg(fields.byte(letters[1])),
            offset: fields.signed(letters[2]) as i16,
        }
    }

    fn write(value: &IndexedConstant, word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], value.slot.into());
        word.put(letters[1], value.index.0.into());
        word.put_signed(letters[2], value.offset.into());
    }

    fn print(value: &IndexedConstant, _: &Listing<'_>, out: &mut String) {
        out.push_str(&format!("c[{}][", value.slot));
        print_reg(value.index, out);
        print_offset(value.offset.into(), out);
        out.push(']');
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<IndexedConstant, TextError> {
        text.expect("c[")?;
        let slot = text.number("a constant buffer", 31)? as u8;
        text.expect("]")?;
        text.expect("[")?;
        let index = parse_reg(text)?;
        let before = text.clone();
        let offset = parse_offset(text)?.try_into().map_err(|_| before.expected("an offset of 16 bits"))?;
        text.expect("]")?;
        Ok(IndexedConstant { slot, index, offset })
    }
}

shapes! {
    /// A load of a constant.
    LoadConstant {
        modifiers { mode: LdcMode[z], size: MemorySize[y] }
        operands { dst: Reg[d], source: IndexedConstant = ConstantAddress[s a w] }
    }

    /// A load or store by generic address.
    GenericAccess {
        flags {
            /// Addresses of 64 bits, in two registers.
            wide x "e",
        }
        modifiers { size: MemorySize[z], cache: CacheOp[y] }
        operands {
            data: Reg[d], address: Address = Offset<1>[a i],
            /// The result of the address computation.
            pred: Pred[q],
        }
    }

    /// A load or store of global memory.
    GlobalAccess {
        flags {
            /// Addresses of 64 bits, in two registers.
            wide x "e",
        }
        modifiers { size: MemorySize[z], cache: CacheOp[y] }
        operands { data: Reg[d], address: Address = Offset<1>[a i] }
    }

    /// A load of global memory with a predicate; seen in one source.
    GlobalPredicated {
        flags { wide x "e" }
        modifiers { size: MemorySize[z], cache: CacheOp[y] }
        operands {
            dst: Reg[d], address: Address = Offset<1>[a i],
            /// The bits of the word: those of the predicate inverted.
            pred_code: u8 = Small[q],
        }
    }

    /// A load or store of local memory.
    LocalAccess {
        modifiers { size: MemorySize[z], cache: CacheOp[y] }
        operands { data: Reg[d], address: Address = Offset<1>[a i] }
    }

    /// A load or store of shared memory.
    SharedAccess {
        flags { u x "u" }
        modifiers { size: MemorySize[z] }
        operands { data: Reg[d], address: Address = Offset<1>[a i] }
    }

    /// An atomic on global memory.
    GlobalAtomic {
        flags { wide x "e" }
        modifiers { ty: AtomicType[z], op: AtomicOp[y] }
        operands { dst: Reg[d], address: Address = Offset<1>[a i], b: Reg[b] }
    }

    /// A compare and exchange on global memory.
    GlobalCas {
        flags {
            wide x "e",
            /// 64 bits.
            bits64 z "b64",
        }
        operands {
            dst: Reg[d], address: Address = Offset<1>[a i],
            /// The value that is compared; the new one follows it.
            b: Reg[b],
        }
    }

    /// An atomic on shared memory.
    SharedAtomic {
        modifiers { ty: SharedAtomicType[z], op: AtomicOp[y] }
        operands { dst: Reg[d], address: Address = Offset<4>[a i], b: Reg[b] }
    }

    /// A compare and exchange on shared memory.
    SharedCas {
        flags {
            /// 64 bits.
            bits64 x "b64",
        }
        modifiers { kind: SharedCasKind[z] }
        operands {
            dst: Reg[d], address: Address = Offset<4>[a i],
            /// The value that is compared; the new one follows it.
            b: Reg[b],
        }
    }

    /// An atomic on global memory whose old value is not returned.
    Reduce {
        flags { wide x "e" }
        modifiers { ty: AtomicType[z], op: AtomicOp[y] }
        operands {
            /// The value.
            data: Reg[d],
            address: Address = Offset<1>[a i],
        }
    }

    /// Control of a cache line.
    CacheControl {
        flags { wide x "e" }
        operands { address: Address = Offset<4>[a i], op: u8 = Small[z], cache: u8 = Small[y] }
    }

    /// Control of the texture cache, by handle.
    TextureCacheControl {
        operands { op: u8 = Small[z], handle: u32 = Number[h] }
    }

    /// Control of the texture cache, by handle in a register.
    TextureCacheControlReg {
        operands { op: u8 = Small[z], handle: Reg[c] }
    }

    /// A memory barrier.
    MemoryBarrier {
        modifiers { scope: BarrierScope[y] }
        operands { invalidate: u8 = Small[z] }
    }

    /// Not known.
    Stp {
        flags { wait x "wait" }
        operands { value: u8 = Small[i] }
    }
}
