//! RAMFC: the saved state of a channel that is not the current one. 128 bytes a channel in instance memory.
//!
//! Sources: nouveau's `nvkm/engine/fifo/nv40` for offsets, registers and widths; envytools `nv4_pfifo.xml` for bits.

use super::fifo::{Methods, PusherError};
use crate::listed;

/// Bytes of a channel's part.
pub const BYTES: u32 = 0x80;

/// Channels that the register fields of this library's model name. The chip's have room for more, LV1 organises eight.
pub const CHANNELS: u32 = 8;

/// Where RAMFC lies: register 0x2220.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ramfc(pub u32);

impl Ramfc {
    /// At 0x20000 (nouveau). Where LV1 puts it is not known.
    pub const DEFAULT: Ramfc = Ramfc(0x0003_0002);

    /// First byte of a channel's part in instance memory.
    pub const fn channel(self, channel: u32) -> u32 {
        ((self.0 & 0xFF) << 16).wrapping_add(channel * BYTES)
    }
}

listed! {
    /// A word of RAMFC: its offset, and the register that it is saved from and loaded into. In the order of their
    /// words.
    #[allow(missing_docs)]
    pub enum Field {
        DmaPut,
        DmaGet,
        RefCnt,
        DmaInstance,
        DmaDcount,
        DmaState,
        DmaFetch,
        Engine,
        Pull1,
        AcquireValue,
        AcquireTimestamp,
        AcquireTimeout,
        Semaphore,
        DmaSubroutine,
        GrctxInstance,
        DmaTimeslice,
        /// Registers without a known meaning, saved as they are.
        Unknown32E4,
        /// See `Unknown32E4`.
        Unknown32E8,
        /// See `Unknown32E4`.
        Unknown2088,
        /// See `Unknown32E4`.
        Unknown3300,
        /// See `Unknown32E4`.
        Unknown330C,
    }
}

/// Words of a channel that are used.
pub const FIELDS: usize = Field::ALL.len();

impl Field {
    /// Offset in the channel's part.
    pub const fn offset(self) -> u32 {
        4 * self as u32
    }

    /// The register, an address in BAR0, of the current channel.
    pub const fn register(self) -> u32 {
        match self {
            Field::DmaPut => 0x3240,
            Field::DmaGet => 0x3244,
            Field::RefCnt => 0x3248,
            Field::DmaInstance => 0x322C,
            Field::DmaDcount => 0x32A0,
            Field::DmaState => 0x3228,
            Field::DmaFetch => 0x3224,
            Field::Engine => 0x3280,
            Field::Pull1 => 0x3254,
            Field::AcquireValue => 0x3268,
            Field::AcquireTimestamp => 0x3264,
            Field::AcquireTimeout => 0x3260,
            Field::Semaphore => 0x326C,
            Field::DmaSubroutine => 0x324C,
            Field::GrctxInstance => 0x32E0,
            Field::DmaTimeslice => 0x2044,
            Field::Unknown32E4 => 0x32E4,
            Field::Unknown32E8 => 0x32E8,
            Field::Unknown2088 => 0x2088,
            Field::Unknown3300 => 0x3300,
            Field::Unknown330C => 0x330C,
        }
    }

    /// The field of a register; `None` for registers that no channel keeps.
    pub fn of_register(register: u32) -> Option<Field> {
        Field::ALL.into_iter().find(|field| field.register() == register)
    }
}

/// The pusher's place in a packet.
///
/// | bits | field |
/// |---|---|
/// | 0 | all words go to the same method |
/// | 12:2 | next method |
/// | 15:13 | subchannel |
/// | 17 | inside of a subroutine (dumps of a console: elad335/myps3tests, call stack limit and others) |
/// | 28:18 | words still to come |
/// | 31:29 | error |
pub mod dma_state {
    use super::{Methods, PusherError};

    /// Inside of a subroutine, as bit 0 of [`super::dma_subroutine`] says.
    const SUBROUTINE: u32 = 1 << 17;

    /// The register of a packet, of whether it is inside of a subroutine, and of an error.
    pub const fn encode(packet: Methods, subroutine: bool, error: Option<PusherError>) -> u32 {
        let code = match error {
            Some(error) => error as u32,
            None => 0,
        };
        !packet.increasing as u32
            | packet.method & 0x1FFC
            | (packet.subchannel & 7) << 13
            | if subroutine { SUBROUTINE } else { 0 }
            | (packet.count & 0x7FF) << 18
            | code << 29
    }

    /// The packet of a register.
    pub const fn packet(word: u32) -> Methods {
        Methods {
            method: word & 0x1FFC,
            subchannel: word >> 13 & 7,
            count: word >> 18 & 0x7FF,
            increasing: word & 1 == 0,
        }
    }

    /// The error of a register.
    pub const fn error(word: u32) -> Option<PusherError> {
        PusherError::from_number(word >> 29)
    }
}

/// How words are fetched. The bits below are the hardware's tuning of the fetcher, without effect here.
pub mod dma_fetch {
    /// Words are big-endian.
    pub const BIG_ENDIAN: u32 = 1 << 31;
    /// 128 bytes at a time, at most 8 fetches under way (nouveau's setting).
    pub const DEFAULT: u32 = 0x0007_8078;
}

/// The last action of the puller, and whether it waits.
pub mod pull1 {
    /// The engine used last, bits 3:0 (the width is that of [`super::Field::Engine`]; unverified).
    pub const ENGINE: u32 = 0xF;
    /// A semaphore is waited for (the place of the bit is unverified).
    pub const ACQUIRE: u32 = 1 << 8;
}

/// The semaphore that the puller's methods work on.
///
/// | bits | field |
/// |---|---|
/// | 0 | there is one |
/// | 1 | the last offset was not taken, so that nothing is released (the place of the bit is unverified) |
/// | 11:2 | offset in its object, in bytes |
/// | 31:12 | address of its object in instance memory / 16 |
pub mod semaphore {
    /// The last offset was not taken.
    const NO_OFFSET: u32 = 1 << 1;

    /// The register of an object (its address / 16; 0 for none) and an offset, if there is a good one.
    pub const fn encode(instance: u32, offset: Option<u32>) -> u32 {
        let offset = match offset {
            Some(offset) => offset & 0xFFC,
            None => NO_OFFSET,
        };
        instance << 12 | offset | (instance != 0) as u32
    }

    /// Whether there is a semaphore.
    pub const fn valid(word: u32) -> bool {
        word & 1 != 0
    }

    /// The object's address / 16.
    pub const fn instance(word: u32) -> u32 {
        word >> 12
    }

    /// Offset in the object, if there is a good one.
    pub const fn offset(word: u32) -> Option<u32> {
        if word & NO_OFFSET == 0 { Some(word & 0xFFC) } else { None }
    }
}

/// Where a called piece returns to: bits 31:2. Bit 0 says that it has not returned yet; the address stays when it has
/// (dumps of a console: elad335/myps3tests).
pub mod dma_subroutine {
    /// The meaning of the register.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Subroutine {
        /// Where the last call returns to.
        pub target: u32,
        /// Whether it has not returned yet.
        pub active: bool,
    }

    impl Subroutine {
        /// The register.
        pub const fn encode(self) -> u32 {
            self.target & !3 | self.active as u32
        }

        /// The meaning of a register.
        pub const fn decode(word: u32) -> Self {
            Subroutine { target: word & !3, active: word & 1 != 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::dma_subroutine::Subroutine;
    use super::*;

    #[test]
    fn fields_stand_one_after_the_other() {
        for (i, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field.offset(), 4 * i as u32);
            assert_eq!(Field::of_register(field.register()), Some(field));
        }
        assert_eq!(Field::DmaTimeslice.offset(), 0x3C);
        assert_eq!(Field::Unknown330C.offset(), 0x50);
        assert_eq!(Field::of_register(0x3200), None);
        assert_eq!(Ramfc::DEFAULT.channel(2), 0x2_0100);
    }

    #[test]
    fn packed_registers_come_back() {
        let packet = Methods { method: 0x1818, subchannel: 7, count: 2047, increasing: false };
        let word = dma_state::encode(packet, true, Some(PusherError::InvalidCommand));
        assert_eq!(dma_state::packet(word), packet);
        assert_eq!(dma_state::error(word), Some(PusherError::InvalidCommand));
        assert_eq!(dma_state::error(dma_state::encode(packet, false, None)), None);
        for subroutine in [Subroutine { target: 0x1_0004, active: true }, Subroutine { target: 0x44, active: false }] {
            assert_eq!(Subroutine::decode(subroutine.encode()), subroutine);
        }
        for offset in [Some(0xFFC), None] {
            let word = semaphore::encode(0x4_0123, offset);
            assert_eq!((semaphore::instance(word), semaphore::offset(word)), (0x4_0123, offset));
            assert!(semaphore::valid(word));
            assert_eq!(semaphore::offset(semaphore::encode(0, offset)), offset);
        }
        assert!(!semaphore::valid(0));
    }

    /// Registers of the dumps in elad335/myps3tests: call stack limit, TEXTURE_LOCATION, unaligned commands.
    #[test]
    fn registers_are_those_of_a_consoles_dumps() {
        let packet = |method, count| Methods { method, subchannel: 0, count, increasing: true };
        assert_eq!(dma_state::encode(packet(0x54, 0), true, Some(PusherError::CallActive)), 0x2002_0054);
        assert_eq!(dma_state::encode(packet(0x22C, 2), true, None), 0x000A_022C);
        assert_eq!(dma_state::encode(packet(0x54, 0), false, Some(PusherError::InvalidCommand)), 0x8000_0054);
        assert_eq!(Subroutine { target: 0x13A0, active: false }.encode(), 0x13A0);
    }
}
