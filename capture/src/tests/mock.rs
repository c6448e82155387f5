//! A mock device: memory, and one command that fills some of it.

use std::collections::BTreeMap;

use triglyph_engine::cache::WarmStart;
use triglyph_engine::device::{
    Access, CallRecorder, Device, Event, FaultHandler, Faults, Machine, ObjectEntry, Replay, RunEnd, RunLimit, Stats,
    sealed,
};
use triglyph_engine::error::Error;
use triglyph_engine::log::LogHandler;
use triglyph_engine::mem::{GuestAddr, GuestRange, Mapping, WrittenHandler};
use triglyph_engine::probe::Observer;
use triglyph_engine::sched::{Interrupter, Timeline};
use triglyph_engine::transfer::{HostRows, Presentation, Presented, ScanOut};
use triglyph_engine::validate::{DrawHandler, Finding};

/// Bytes by space and address. A SUBMIT is a GX MemoryFill (command 2) of unit 0: start, value, end; addresses
/// are taken as they are. Others do nothing.
pub struct Mock {
    pub machine: Machine,
    memory: BTreeMap<(u32, u64), u8>,
    pub calls: Vec<String>,
    pub faults: Faults,
    pub events: Vec<Event>,
    timeline: Timeline,
    warm_start: WarmStart,
    written: Vec<GuestRange>,
}

impl Mock {
    pub fn new(machine: Machine) -> Self {
        let mut warm_start = WarmStart::default();
        warm_start.keys = 3;
        Mock {
            machine,
            memory: BTreeMap::new(),
            calls: Vec::new(),
            faults: Faults::default(),
            events: Vec::new(),
            timeline: Timeline::default(),
            warm_start,
            written: Vec::new(),
        }
    }
}

/// The SUBMIT that fills `start..end` with `value`.
pub fn fill(start: u32, end: u32, value: u32) -> Vec<u8> {
    [2, start, value, end, 0, 0, 0, 0x201].into_iter().flat_map(u32::to_le_bytes).collect()
}

impl sealed::Sealed for Mock {}

impl Device for Mock {
    fn as_replay(&mut self) -> &mut dyn Replay {
        self
    }

    fn machine(&self) -> Machine {
        self.machine
    }

    fn map(&mut self, range: GuestRange, _: Access) -> Result<(), Error> {
        let GuestRange { start: GuestAddr { space, address }, size } = range;
        self.calls.push(format!("map {address:#x} {size:#x}"));
        if size > 1 << 20 {
            return Err(Error::Unsupported("that much memory".to_owned()));
        }
        self.memory.extend((address..address + size).map(|at| ((space, at), 0)));
        Ok(())
    }

    fn write(&mut self, at: GuestAddr, bytes: &[u8]) -> Result<(), Error> {
        self.calls.push(format!("write {:#x} {:#x}", at.address, bytes.len()));
        for (address, byte) in (at.address..).zip(bytes) {
            let unmapped = Error::Unmapped(at.range(bytes.len() as u64));
            *self.memory.get_mut(&(at.space, address)).ok_or(unmapped)? = *byte;
        }
        Ok(())
    }

    fn read(&mut self, at: GuestAddr, out: &mut [u8]) -> Result<(), Error> {
        let range = at.range(out.len() as u64);
        for (address, byte) in (at.address..).zip(out) {
            *byte = *self.memory.get(&(at.space, address)).ok_or(Error::Unmapped(range))?;
        }
        Ok(())
    }

    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        self.calls.push("submit".to_owned());
        let word = |index: usize| u32::from_le_bytes(payload[4 * index..][..4].try_into().unwrap());
        if self.machine == Machine::N3ds && word(0) & 0xFF == 2 {
            let (start, value, end) = (word(1), word(2), word(3));
            for at in start..end {
                self.memory.insert((0, at.into()), value.to_le_bytes()[(at - start) as usize % 4]);
            }
            self.written.push(GuestRange::new(0, start.into(), (end - start).into()));
        }
        Ok(())
    }

    fn finish(&mut self) {}

    fn set_deferred(&mut self, _deferred: bool) {}

    fn run_for(&mut self, _limit: RunLimit) -> RunEnd {
        RunEnd::Done
    }

    fn present(
        &mut self,
        _scan: &ScanOut,
        _rows: &mut HostRows<'_>,
        _presented: &mut Presented,
    ) -> Result<Presentation, Error> {
        Ok(Presentation::nothing(0, 0))
    }

    fn interrupter(&self) -> Interrupter {
        Interrupter::default()
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    fn faults(&self) -> &Faults {
        &self.faults
    }

    fn set_fault_handler(&mut self, _: Option<FaultHandler>) {
        self.calls.push("fault handler".to_owned());
    }

    fn set_observer(&mut self, _: Option<Box<dyn Observer>>) {
        self.calls.push("observer".to_owned());
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        self.calls.push("findings".to_owned());
        Vec::new()
    }

    fn set_draw_handler(&mut self, _: Option<DrawHandler>) {
        self.calls.push("draw handler".to_owned());
    }

    fn set_log_handler(&mut self, _: Option<LogHandler>) {
        self.calls.push("log handler".to_owned());
    }

    fn set_call_recorder(&mut self, _recorder: Option<Box<dyn CallRecorder>>) {}

    fn mappings(&self) -> (Vec<Mapping>, Vec<GuestRange>) {
        (Vec::new(), Vec::new())
    }

    fn set_written_handler(&mut self, _handler: Option<WrittenHandler>) {}

    fn host_wrote(&mut self, _range: GuestRange) {}

    fn set_host_writes_announced(&mut self, _announced: bool) {}

    fn check_mapping(&self, _range: GuestRange) -> Result<(), Error> {
        Ok(())
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.draws = 7;
        stats
    }

    fn warm_start(&self) -> Option<&WarmStart> {
        Some(&self.warm_start)
    }

    fn take_written(&mut self) -> Vec<GuestRange> {
        std::mem::take(&mut self.written)
    }
}

impl Replay for Mock {
    fn object(&mut self, object: ObjectEntry) -> Result<(), Error> {
        self.calls.push(format!("object {:#x}", object.handle));
        Ok(())
    }
}
