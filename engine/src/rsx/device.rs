//! The RSX as a [`Device`].

use std::collections::VecDeque;

use triglyph_guest::rsx::objects::class;

use super::core::{Core, RsxMode};
use super::dma::DmaObject;
use super::fifo::{self, Channel, Fetch, Puller, Stop};
use super::graph::Graph;
use crate::device::{Access, Device, FaultKind, Faults, Machine, ObjectEntry, Stats, WrittenRange};
use crate::error::Error;
use crate::render::{RenderOptions, Renderer};

/// Fuel of one submission: about a second of the front end's time.
const FUEL: u64 = 1 << 30;

/// A PlayStation 3's GPU.
#[derive(Debug)]
pub struct Rsx {
    core: Core,
    channel: Channel,
    graph: Graph,
    fetch: Fetch,
    /// Segments that were submitted and not begun, as (start, length).
    segments: VecDeque<(u32, u32)>,
}

impl Rsx {
    /// A machine with nothing mapped and no objects.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads.
    pub fn new(options: &RenderOptions, mode: RsxMode) -> Result<Self, Error> {
        Ok(Rsx {
            core: Core::new(mode, Renderer::new(options)?),
            channel: Channel::default(),
            graph: Graph::default(),
            fetch: Fetch::default(),
            segments: VecDeque::new(),
        })
    }

    /// Memory, renderer, objects.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// The engine objects.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The state of the pusher.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Runs the channel until it stops.
    fn run(&mut self) -> Stop {
        let mut puller = Puller { core: &mut self.core, graph: &mut self.graph };
        let stop = fifo::run(&mut self.channel, &mut self.fetch, &mut puller);
        self.graph.finish(&mut self.core);
        stop
    }
}

fn word(payload: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*payload.get(at..)?.first_chunk()?))
}

fn long(payload: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*payload.get(at..)?.first_chunk()?))
}

impl Device for Rsx {
    fn machine(&self) -> Machine {
        Machine::Ps3
    }

    fn map(&mut self, space: u32, address: u64, size: u64, access: Access) -> Result<(), Error> {
        if space >= Machine::Ps3.spaces() {
            return Err(Error::InvalidArgument(format!("space {space} of a PS3")));
        }
        self.core.memory.map(space, address, size, access)
    }

    fn write(&mut self, space: u32, address: u64, bytes: &[u8]) -> Result<(), Error> {
        self.core.memory.write(space, address, bytes)
    }

    fn read(&mut self, space: u32, address: u64, out: &mut [u8]) -> Result<(), Error> {
        self.core.memory.read(space, address, out)
    }

    fn set_big_endian(&mut self, big_endian: bool) -> Result<(), Error> {
        self.core.big_endian = big_endian;
        Ok(())
    }

    fn object(&mut self, object: ObjectEntry) -> Result<(), Error> {
        if class::is_dma(object.class) && object.space >= Machine::Ps3.spaces() {
            return Err(Error::InvalidArgument(format!("an object in space {} of a PS3", object.space)));
        }
        self.core.enter(object);
        Ok(())
    }

    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("a submission of {} bytes", payload.len()));
        let space = word(payload, 4).ok_or_else(bad)?;
        if space >= Machine::Ps3.spaces() || !(payload.len() - 8).is_multiple_of(16) {
            return Err(bad());
        }
        self.channel.buffer = DmaObject::whole(space);
        for at in (8..payload.len()).step_by(16) {
            let (start, length) = (long(payload, at).ok_or_else(bad)?, long(payload, at + 8).ok_or_else(bad)?);
            match (u32::try_from(start), u32::try_from(length)) {
                (Ok(start), Ok(length)) if start.checked_add(length).is_some() => {
                    self.segments.push_back((start & !3, length & !3));
                }
                _ => {
                    let what = format_args!("a segment of {length:#x} bytes at {start:#x}");
                    self.core.fault(FaultKind::BadCommand, start, what);
                }
            }
        }
        self.core.refuel(FUEL);
        while let Some((start, length)) = self.segments.pop_front() {
            self.channel.get = start;
            self.channel.put = start + length;
            self.channel.error = None;
            self.run();
        }
        Ok(())
    }

    /// Nothing to wait for: everything is in memory when [`Self::submit`] returns.
    fn finish(&mut self) {}

    fn faults(&self) -> &Faults {
        &self.core.faults
    }

    fn take_written(&mut self) -> Vec<WrittenRange> {
        self.core.memory.take_written()
    }

    fn stats(&self) -> Stats {
        self.core.renderer.stats()
    }
}
