//! The state of a channel that lasts from one word to the next.

use triglyph_guest::rsx::fifo::{Methods, PusherError, SUBCHANNELS};
use triglyph_guest::rsx::ramfc::dma_subroutine::Subroutine;
use triglyph_guest::rsx::ramfc::{FIELDS, Field, dma_fetch, dma_state, pull1, semaphore};

use super::dma::DmaObject;
use crate::core::Core;
use triglyph_engine::snapshot::state;

/// The memory that a push buffer is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PushBuffer {
    /// All of an address space.
    Space(u32),
    /// A DMA object, as object methods name it.
    Object(u32),
}

/// The state of a channel's pusher and puller: in exact mode what RAMFC keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// GET, PUT, jumps and calls are offsets in it.
    pub buffer: PushBuffer,
    /// Whether words in memory are big-endian.
    pub big_endian: bool,
    /// Offset of the next word to fetch.
    pub get: u32,
    /// Offset at which the words end that are valid.
    pub put: u32,
    /// What the last REF_CNT method stored.
    pub reference: u32,
    /// The packet that is being executed: the next method, and how many words are still to come.
    pub packet: Methods,
    /// Data words fetched of the packet.
    pub fetched: u32,
    /// Where a return goes.
    pub subroutine: Subroutine,
    /// Why the pusher has stopped.
    pub error: Option<PusherError>,
    /// The engines of the subchannels.
    pub engines: [u8; SUBCHANNELS],
    /// The engine that was used last.
    pub engine: u8,
    /// The object that semaphore methods work on, as an object method names it.
    pub semaphore: u32,
    /// Byte offset of the semaphore in it; `None` when the last one was not taken.
    pub semaphore_offset: Option<u32>,
    /// The value that an acquire waits for.
    pub acquire: Option<u32>,
    /// Words that are kept and not looked at, in the order of RAMFC: those of other fields are 0.
    kept: [u32; FIELDS],
}

impl Default for Channel {
    fn default() -> Self {
        let mut kept = [0; FIELDS];
        kept[Field::DmaTimeslice as usize] = 0x1_FFFF;
        kept[Field::DmaFetch as usize] = dma_fetch::DEFAULT;
        Channel {
            buffer: PushBuffer::Object(0),
            big_endian: false,
            get: 0,
            put: 0,
            reference: 0,
            packet: Methods::default(),
            fetched: 0,
            subroutine: Subroutine::default(),
            error: None,
            engines: [0; SUBCHANNELS],
            engine: 0,
            semaphore: 0,
            semaphore_offset: Some(0),
            acquire: None,
            kept,
        }
    }
}

impl Channel {
    /// Whether there is something to execute.
    pub fn has_work(&self) -> bool {
        self.error.is_none() && (self.get != self.put || self.acquire.is_some())
    }

    /// Begins anew at an offset: nothing is left of a packet, a call or an error.
    pub fn set_up(&mut self, get: u32, put: u32) {
        (self.get, self.put) = (get & !3, put & !3);
        self.packet = Methods::default();
        self.subroutine.active = false;
        self.error = None;
        self.acquire = None;
    }

    /// The memory of the push buffer.
    pub(super) fn memory(&self, core: &Core) -> Option<DmaObject> {
        match self.buffer {
            PushBuffer::Space(space) => Some(DmaObject::whole(space)),
            PushBuffer::Object(name) => core.resolve(name),
        }
    }

    /// A field as RAMFC has it.
    pub fn field(&self, field: Field) -> u32 {
        let kept = self.kept[field as usize];
        match field {
            Field::DmaPut => self.put,
            Field::DmaGet => self.get,
            Field::RefCnt => self.reference,
            Field::DmaInstance => match self.buffer {
                PushBuffer::Object(name) => name & 0xF_FFFF,
                PushBuffer::Space(_) => 0,
            },
            Field::DmaDcount => self.fetched,
            Field::DmaState => dma_state::encode(self.packet, self.subroutine.active, self.error),
            Field::DmaFetch => kept | if self.big_endian { dma_fetch::BIG_ENDIAN } else { 0 },
            Field::Engine => (0..).zip(self.engines).map(|(i, engine)| u32::from(engine & 0xF) << (4 * i)).sum(),
            Field::Pull1 => {
                let waits = if self.acquire.is_some() { pull1::ACQUIRE } else { 0 };
                kept | u32::from(self.engine) & pull1::ENGINE | waits
            }
            Field::AcquireValue => self.acquire.unwrap_or(kept),
            Field::Semaphore => semaphore::encode(self.semaphore, self.semaphore_offset),
            Field::DmaSubroutine => self.subroutine.encode(),
            _ => kept,
        }
    }

    /// Sets a field from RAMFC's form.
    pub fn set_field(&mut self, field: Field, word: u32) {
        match field {
            Field::DmaPut => self.put = word & !3,
            Field::DmaGet => self.get = word & !3,
            Field::RefCnt => self.reference = word,
            Field::DmaInstance => self.buffer = PushBuffer::Object(word & 0xF_FFFF),
            Field::DmaDcount => self.fetched = word,
            Field::DmaState => {
                self.packet = dma_state::packet(word);
                self.error = dma_state::error(word);
            }
            Field::DmaFetch => {
                self.big_endian = word & dma_fetch::BIG_ENDIAN != 0;
                self.kept[field as usize] = word & !dma_fetch::BIG_ENDIAN;
            }
            Field::Engine => {
                for (i, engine) in self.engines.iter_mut().enumerate() {
                    *engine = (word >> (4 * i) & 0xF) as u8;
                }
            }
            Field::Pull1 => {
                self.engine = (word & pull1::ENGINE) as u8;
                let value = self.acquire.unwrap_or(self.kept[Field::AcquireValue as usize]);
                self.acquire = (word & pull1::ACQUIRE != 0).then_some(value);
                self.kept[field as usize] = word & !(pull1::ENGINE | pull1::ACQUIRE);
            }
            Field::AcquireValue => {
                self.acquire = self.acquire.map(|_| word);
                self.kept[field as usize] = word;
            }
            Field::Semaphore => {
                let valid = semaphore::valid(word);
                self.semaphore = if valid { semaphore::instance(word) } else { 0 };
                self.semaphore_offset = semaphore::offset(word);
            }
            Field::DmaSubroutine => self.subroutine = Subroutine::decode(word),
            _ => self.kept[field as usize] = word,
        }
    }
}

state! {
    /// A channel in a snapshot.
    pub(in crate) struct SavedChannel {
        buffer: SavedBuffer,
        big_endian: bool,
        get: u32,
        put: u32,
        reference: u32,
        packet: [u32; 4],
        fetched: u32,
        subroutine: u32,
        error: u32,
        engines: [u8; SUBCHANNELS],
        engine: u8,
        semaphore: u32,
        semaphore_offset: Option<u32>,
        acquire: Option<u32>,
        kept: [u32; FIELDS],
    }
    /// The push buffer's memory: a space, or a name.
    pub(in crate) struct SavedBuffer { is_space: bool, number: u32 }
}

impl Channel {
    pub(crate) fn save(&self) -> SavedChannel {
        let Methods { method, subchannel, count, increasing } = self.packet;
        let (is_space, number) = match self.buffer {
            PushBuffer::Space(space) => (true, space),
            PushBuffer::Object(name) => (false, name),
        };
        SavedChannel {
            buffer: SavedBuffer { is_space, number },
            big_endian: self.big_endian,
            get: self.get,
            put: self.put,
            reference: self.reference,
            packet: [method, subchannel, count, increasing.into()],
            fetched: self.fetched,
            subroutine: self.subroutine.encode(),
            error: self.error.map_or(0, |error| error as u32),
            engines: self.engines,
            engine: self.engine,
            semaphore: self.semaphore,
            semaphore_offset: self.semaphore_offset,
            acquire: self.acquire,
            kept: self.kept,
        }
    }

    /// The channel that was saved. Every value makes a channel: guests can make them all.
    pub(crate) fn restore(saved: SavedChannel) -> Self {
        let SavedBuffer { is_space, number } = saved.buffer;
        let [method, subchannel, count, increasing] = saved.packet;
        Channel {
            buffer: if is_space { PushBuffer::Space(number) } else { PushBuffer::Object(number) },
            big_endian: saved.big_endian,
            get: saved.get & !3,
            put: saved.put & !3,
            reference: saved.reference,
            packet: Methods {
                method: method & 0x1FFC,
                subchannel: subchannel & 7,
                count: count & 0x7FF,
                increasing: increasing != 0,
            },
            fetched: saved.fetched,
            subroutine: Subroutine::decode(saved.subroutine),
            error: PusherError::from_number(saved.error),
            engines: saved.engines,
            engine: saved.engine,
            semaphore: saved.semaphore,
            semaphore_offset: saved.semaphore_offset.map(|offset| offset & 0xFFC),
            acquire: saved.acquire,
            kept: saved.kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel() -> Channel {
        Channel {
            buffer: PushBuffer::Object(0x4001),
            big_endian: true,
            get: 0x1000,
            put: 0x2000,
            reference: 7,
            packet: Methods { method: 0x1818, subchannel: 3, count: 5, increasing: false },
            fetched: 9,
            subroutine: Subroutine { target: 0x44, active: true },
            error: Some(PusherError::InvalidCommand),
            engines: [1, 1, 0, 1, 1, 0, 1, 0],
            engine: 1,
            semaphore: 0x4010,
            semaphore_offset: Some(0x30),
            acquire: Some(0xDEAD_BEEF),
            ..Channel::default()
        }
    }

    #[test]
    fn channels_survive_their_registers_in_any_order() {
        let channel = channel();
        for backwards in [false, true] {
            let mut other = Channel::default();
            let mut fields = Field::ALL;
            if backwards {
                fields.reverse();
            }
            for field in fields {
                other.set_field(field, channel.field(field));
            }
            // The value that is waited for is kept as well.
            other.kept[Field::AcquireValue as usize] = 0;
            assert_eq!(other, channel);
        }
    }

    #[test]
    fn all_words_are_kept_or_understood() {
        let mut channel = Channel::default();
        for field in Field::ALL {
            channel.set_field(field, 0xFFFF_FFFF);
        }
        assert_eq!(channel.packet.count, 0x7FF);
        assert_eq!(channel.acquire, Some(0xFFFF_FFFF));
        for field in [Field::Unknown32E4, Field::AcquireTimestamp, Field::GrctxInstance, Field::DmaFetch] {
            assert_eq!(channel.field(field), 0xFFFF_FFFF, "{field:?}");
        }
        assert_eq!(Channel::restore(channel.save()), channel);
    }
}
