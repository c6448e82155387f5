//! Special registers. Sources: envytools, Ryujinx, yuzu, Mesa.

use super::isa::{Op, ReadSpecial, decode, form};
use super::part::Part;
use super::syntax::{Assembly, Listing};
use crate::table::{Cursor, Encoder, Fields, OpInfo, Shape, TextError};

macro_rules! special_registers {
    ($( $(#[doc = $doc:literal])+ $name:ident = $code:literal $text:literal; )+) => {
        /// The registers that S2R and CS2R read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SpecialRegister {
            $( $(#[doc = $doc])+ $name, )+
            /// A register without known meaning; reads 0.
            Other(u8),
        }

        impl SpecialRegister {
            const NAMES: &'static [(&'static str, SpecialRegister)] = &[$( ($text, SpecialRegister::$name), )+];

            /// By its number.
            pub const fn from_bits(bits: u8) -> Self {
                match bits {
                    $( $code => SpecialRegister::$name, )+
                    other => SpecialRegister::Other(other),
                }
            }

            /// Its number.
            pub const fn bits(self) -> u8 {
                match self {
                    $( SpecialRegister::$name => $code, )+
                    SpecialRegister::Other(bits) => bits,
                }
            }
        }
    };
}

special_registers! {
    /// Lane in the warp, 0 to 31.
    LaneId = 0x00 "sr_laneid";
    /// A counter.
    Clock = 0x01 "sr_clock";
    /// Warps and units; 0.
    VirtCfg = 0x02 "sr_virtcfg";
    /// Warp and unit; 0.
    VirtId = 0x03 "sr_virtid";
    /// Vertices of the primitive in bits 15:8. Source: Mesa
    PrimType = 0x10 "sr_prim_type";
    /// Invocation of a geometry or tessellation control program.
    InvocationId = 0x11 "sr_invocation_id";
    /// +1.0 or -1.0 by the window's origin.
    YDirection = 0x12 "sr_y_direction";
    /// All ones in helper lanes, otherwise 0.
    ThreadKill = 0x13 "sr_thread_kill";
    /// Not known.
    ShaderType = 0x14 "sr_shader_type";
    /// 0
    MachineId0 = 0x18 "sr_machine_id_0";
    /// 0
    MachineId1 = 0x19 "sr_machine_id_1";
    /// 0
    MachineId2 = 0x1A "sr_machine_id_2";
    /// 0
    MachineId3 = 0x1B "sr_machine_id_3";
    /// 0
    Affinity = 0x1C "sr_affinity";
    /// Vertices of the input primitive in bits 23:16.
    InvocationInfo = 0x1D "sr_invocation_info";
    /// 1.0
    WScaleFactorXy = 0x1E "sr_wscalefactor_xy";
    /// 1.0
    WScaleFactorZ = 0x1F "sr_wscalefactor_z";
    /// Thread in its block: x in bits 15:0, y in 25:16, z in 31:26.
    Tid = 0x20 "sr_tid";
    /// Thread in its block, x.
    TidX = 0x21 "sr_tid_x";
    /// Thread in its block, y.
    TidY = 0x22 "sr_tid_y";
    /// Thread in its block, z.
    TidZ = 0x23 "sr_tid_z";
    /// Not known.
    CtaParam = 0x24 "sr_cta_param";
    /// Block in the grid, x.
    CtaIdX = 0x25 "sr_ctaid_x";
    /// Block in the grid, y.
    CtaIdY = 0x26 "sr_ctaid_y";
    /// Block in the grid, z.
    CtaIdZ = 0x27 "sr_ctaid_z";
    /// Size of a block, packed as `Tid`.
    Ntid = 0x28 "sr_ntid";
    /// 0
    CirQueueIncrMinusOne = 0x29 "sr_cirqueueincrminusone";
    /// 0
    Nlatc = 0x2A "sr_nlatc";
    /// Base of shared memory in generic addresses.
    SwinLo = 0x30 "sr_swinlo";
    /// Size of the window of shared memory.
    SwinSz = 0x31 "sr_swinsz";
    /// Size of shared memory.
    SmemSz = 0x32 "sr_smemsz";
    /// Banks of shared memory.
    SmemBanks = 0x33 "sr_smembanks";
    /// Base of local memory in generic addresses.
    LwinLo = 0x34 "sr_lwinlo";
    /// Size of the window of local memory.
    LwinSz = 0x35 "sr_lwinsz";
    /// Size of local memory, positive side.
    LmemLoSz = 0x36 "sr_lmemlosz";
    /// Offset of local memory, negative side.
    LmemHiOff = 0x37 "sr_lmemhioff";
    /// This lane's bit.
    EqMask = 0x38 "sr_eqmask";
    /// Bits of lower lanes.
    LtMask = 0x39 "sr_ltmask";
    /// Bits of lower lanes and this one.
    LeMask = 0x3A "sr_lemask";
    /// Bits of higher lanes.
    GtMask = 0x3B "sr_gtmask";
    /// Bits of higher lanes and this one.
    GeMask = 0x3C "sr_gemask";
    /// 0
    RegAlloc = 0x3D "sr_regalloc";
    /// 0
    CtxAddr = 0x3E "sr_ctxaddr";
    /// 0
    GlobalErrorStatus = 0x40 "sr_globalerrorstatus";
    /// 0
    WarpErrorStatus = 0x42 "sr_warperrorstatus";
    /// 0
    WarpErrorStatusClear = 0x43 "sr_warperrorstatusclear";
    /// Cycles, lower word.
    ClockLo = 0x50 "sr_clocklo";
    /// Cycles, upper word.
    ClockHi = 0x51 "sr_clockhi";
    /// Nanoseconds, lower word.
    GlobalTimerLo = 0x52 "sr_globaltimerlo";
    /// Nanoseconds, upper word.
    GlobalTimerHi = 0x53 "sr_globaltimerhi";
}

impl SpecialRegister {
    /// Whether it is a clock or a timer.
    pub const fn is_clock(self) -> bool {
        use SpecialRegister::{Clock, ClockHi, ClockLo, GlobalTimerHi, GlobalTimerLo};
        matches!(self, Clock | ClockLo | ClockHi | GlobalTimerLo | GlobalTimerHi)
    }
}

/// Whether an instruction asks for the time.
pub fn reads_clock(word: u64) -> bool {
    let reads = |form: &OpInfo| ReadSpecial::decode(Fields::new(word, &form.pattern)).source.is_clock();
    matches!(decode(word), Some(Op::s2r | Op::cs2r)) && form(word).is_some_and(reads)
}

impl Part for SpecialRegister {
    type Value = SpecialRegister;
    const BITS: &'static [(u32, u32)] = &[(8, 8)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> SpecialRegister {
        SpecialRegister::from_bits(fields.byte(letters[0]))
    }

    fn write(value: &SpecialRegister, word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], value.bits().into());
    }

    fn print(value: &SpecialRegister, _: &Listing<'_>, out: &mut String) {
        match Self::NAMES.iter().find(|(_, known)| known == value) {
            Some((name, _)) => out.push_str(name),
            None => out.push_str(&format!("sr_{}", value.bits())),
        }
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<SpecialRegister, TextError> {
        let mut ahead = text.clone();
        let name = ahead.name().unwrap_or("");
        let known = Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let numbered = || name.strip_prefix("sr_")?.parse().ok().map(SpecialRegister::from_bits);
        let register = known.or_else(numbered).ok_or_else(|| text.expected("a special register"))?;
        *text = ahead;
        Ok(register)
    }
}
