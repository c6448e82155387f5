//! One run of a mutant, and its results.

use std::time::{Duration, Instant};

use tempfile::NamedTempFile;
use triglyph::capture::{Checks, Event, Limits, Player, Prepared, Reader, Record};
use triglyph::{Error, GuestRange, HiddenSurfaceRemoval, KeyFile, Options, RunEnd, RunLimit, SnapshotOptions, Tier};

use super::choices::Choices;
use super::document::extra;
use super::machine::Device;
use super::usage::CpuTime;

/// A way to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The tier that executes kernels.
    pub tier: Tier,
    /// Threads.
    pub threads: usize,
    /// After how many times packets are compiled, as [`Options::packet_traces`].
    pub packet_traces: u32,
    /// Whether derived state is remembered.
    pub state_cache: bool,
    /// Whether hidden surfaces are removed.
    pub hidden_surfaces: HiddenSurfaceRemoval,
    /// Whether mappings are between guard pages, and compiled code is proved as it is made.
    pub guarded: bool,
    /// How submissions are done.
    pub cuts: Cuts,
    /// The fuel of a submission.
    pub fuel: Fuel,
}

/// The fuel of submissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuel {
    /// The default options of hosts: oracles for time and memory use them.
    Usual,
    /// A sixteenth of it: what compiled code does with all of it in two seconds takes the interpreter more than a
    /// minute. All runs that are compared have the same.
    Reduced,
}

impl Setup {
    /// Whole submissions on these threads.
    pub const fn new(tier: Tier, threads: usize) -> Self {
        let hidden_surfaces = HiddenSurfaceRemoval::WhenFaster;
        Setup {
            tier,
            threads,
            packet_traces: 2,
            state_cache: true,
            hidden_surfaces,
            guarded: false,
            cuts: Cuts::None,
            fuel: Fuel::Reduced,
        }
    }

    fn options(&self, keys: Option<&NamedTempFile>) -> Result<Options, Error> {
        let mut options = Options::new(self.tier, self.threads);
        options.packet_traces = self.packet_traces;
        options.hidden_surface_removal = self.hidden_surfaces;
        options.fuel /= match self.fuel {
            Fuel::Usual => 1,
            Fuel::Reduced => 16,
        };
        options.key_file = keys.map(|file| KeyFile::new(file.path()));
        if self.tier == Tier::JitOnly {
            let tiers = if self.guarded { triglyph_options::checked_tiers } else { triglyph_options::tiers };
            options.tiers = Some(tiers(Tier::JitOnly)?);
        }
        Ok(options)
    }

    fn device(&self, capture: &Prepared<'_>, keys: Option<&NamedTempFile>) -> Result<Device, Error> {
        let mut device = Device::new(capture.header().machine, &self.options(keys)?)?;
        device.set_state_cache_enabled(self.state_cache);
        if keys.is_some() {
            device.get().wait_for_compiler();
        }
        Ok(device)
    }
}

/// Where work is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cuts {
    /// Nowhere.
    None,
    /// Bounded runs, of budgets that the seed chooses.
    Slices(u64),
    /// Interrupts, at looks that the seed chooses.
    Interrupts(u64),
    /// Once, after a submission that the seed chooses, a snapshot is taken and another device goes on.
    Snapshot(u64),
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// A run ends before the record during which so much time has passed.
    pub time: Duration,
    /// It ends before this record.
    pub record: usize,
    /// Bounded runs of one submission.
    pub slices: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { time: Duration::from_secs(20), record: usize::MAX, slices: 4000 }
    }
}

/// A capture in memory, decoded as far as it is sound.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Sound records.
    pub capture: Prepared<'a>,
    /// Payloads of the records that only this crate knows, by index.
    extras: Vec<(usize, u32, &'a [u8])>,
}

impl<'a> Subject<'a> {
    /// How much of a mutant is decoded at most.
    pub const LIMITS: Limits = Limits::DEFAULT.with_payload(64 << 20).with_total(256 << 20);

    /// Decodes a mutant.
    ///
    /// # Errors
    /// The error of the container.
    pub fn new(file: &'a [u8]) -> Result<Self, Error> {
        let reader = Reader::with_limits(file, Self::LIMITS)?;
        let capture = Prepared::new(&reader)?;
        let is_extra = |kind| kind == extra::IPC || kind == extra::KEYS;
        let extras = reader.raw_records().filter_map(Result::ok).filter(|record| is_extra(record.kind));
        let extras = extras.map(|record| (record.index, record.kind, record.stored)).collect();
        Ok(Subject { capture, extras })
    }

    fn extra(&self, at: usize, kind: u32) -> Option<&'a [u8]> {
        self.extras.iter().find(|extra| extra.0 == at && extra.1 == kind).map(|extra| extra.2)
    }

    /// The file of keys that devices begin with.
    fn keys(&self) -> Option<NamedTempFile> {
        let (.., keys) = self.extras.iter().find(|(_, kind, _)| *kind == extra::KEYS)?;
        let file = NamedTempFile::new().ok()?;
        std::fs::write(file.path(), keys).ok()?;
        Some(file)
    }

    /// The bytes that MAP records request.
    pub fn places(&self) -> Vec<GuestRange> {
        let range = |record: &Record<'_>| match record {
            Record::Map(map) => Some(map.range),
            _ => None,
        };
        self.capture.entries().iter().filter_map(|entry| range(&entry.record)).collect()
    }

    /// Bytes that MAP records ask for.
    pub fn mapped(&self) -> u64 {
        self.places().iter().map(|place| place.size).fold(0, u64::saturating_add)
    }
}

/// The results of a run.
#[derive(Debug)]
pub struct Run {
    /// The device.
    pub device: Device,
    /// The record that a device refused, and why; nothing later was played.
    pub error: Option<(usize, String)>,
    /// The record before which it ended for lack of time.
    pub stopped: Option<usize>,
    /// Faults of all devices that played.
    pub faults: triglyph::Faults,
    /// The written ranges.
    pub written: Vec<GuestRange>,
    /// The longest time that a record took, of all cores.
    pub slowest: Duration,
    /// The record that took it.
    pub slowest_at: usize,
    /// Times that work was cut.
    pub cuts: usize,
    /// Work did not end within the slices that there may be.
    pub endless: bool,
}

struct Playing<'p, 'a> {
    subject: &'p Subject<'a>,
    setup: Setup,
    next: Setup,
    bounds: Bounds,
    choices: Choices,
    run: Run,
    keys: Option<NamedTempFile>,
    submissions: usize,
}

/// Plays a mutant.
///
/// # Errors
/// When there is no such device.
pub fn play(subject: &Subject<'_>, setup: Setup, next: Setup, bounds: Bounds) -> Result<Run, Error> {
    let keys = subject.keys();
    let device = setup.device(&subject.capture, keys.as_ref())?;
    let seed = match setup.cuts {
        Cuts::None => 0,
        Cuts::Slices(seed) | Cuts::Interrupts(seed) | Cuts::Snapshot(seed) => seed,
    };
    let run = Run {
        device,
        error: None,
        stopped: None,
        faults: triglyph::Faults::default(),
        written: Vec::new(),
        slowest: Duration::ZERO,
        slowest_at: 0,
        cuts: 0,
        endless: false,
    };
    let mut playing = Playing { subject, setup, next, bounds, choices: Choices::new(seed), run, keys, submissions: 0 };
    playing.play();
    let mut run = playing.run;
    let device = run.device.get();
    if !device.is_deferred() {
        device.finish();
    }
    let faults = device.faults().clone();
    run.faults.merge(&faults);
    run.written.extend(device.take_written());
    Ok(run)
}

impl Playing<'_, '_> {
    fn play(&mut self) {
        let begun = Instant::now();
        let entries = self.subject.capture.entries();
        let submits = entries.iter().filter(|entry| matches!(entry.record, Record::Submit(_))).count();
        let snapshot_after = self.choices.below(submits) + 1;
        if self.is_cut() {
            self.run.device.get().set_deferred(true);
        }
        for (at, entry) in entries.iter().enumerate() {
            if at == self.bounds.record || begun.elapsed() > self.bounds.time {
                self.run.stopped = Some(at);
                return;
            }
            let start = CpuTime::now();
            let played = self.record(at, &entry.record);
            let time = start.elapsed();
            if time > self.run.slowest {
                (self.run.slowest, self.run.slowest_at) = (time, at);
            }
            if let Err(error) = played {
                self.run.error = Some((at, error.to_string()));
                return;
            }
            if matches!(entry.record, Record::Submit(_)) {
                self.submissions += 1;
                if matches!(self.setup.cuts, Cuts::Snapshot(_)) && self.submissions == snapshot_after {
                    self.change_devices();
                }
            }
        }
    }

    fn is_cut(&self) -> bool {
        matches!(self.setup.cuts, Cuts::Slices(_) | Cuts::Interrupts(_))
    }

    fn record(&mut self, at: usize, record: &Record<'_>) -> Result<(), Error> {
        if let Record::Skipped(kind) = record {
            if let Some(payload) = self.subject.extra(at, *kind).filter(|_| *kind == extra::IPC) {
                self.run.device.ipc(payload);
                self.do_slices();
            }
            return Ok(());
        }
        // Only the first event is asked for: what was submitted goes on while the next record is played.
        let mut player = Player::part(&self.subject.capture, at..at + 1, Checks::PICTURES);
        let event = player.next(self.run.device.get())?;
        match record {
            Record::Map(map) if self.setup.guarded => self.run.device.guard(map.range, map.access)?,
            Record::Submit(_) | Record::Call(_) => self.do_slices(),
            _ => {}
        }
        // Pictures are read from what is mapped: those that are not there are errors, and the same on all devices.
        drop(event.filter(|event| matches!(event, Event::Picture(_))));
        Ok(())
    }

    /// Does what waits, in slices, if work is cut.
    fn do_slices(&mut self) {
        if !self.is_cut() {
            return;
        }
        for _ in 0..self.bounds.slices {
            let device = self.run.device.get();
            let limit = match self.setup.cuts {
                Cuts::Interrupts(_) => {
                    device.interrupter().interrupt_at_look(4 + self.choices.word() % 100);
                    RunLimit::NONE
                }
                _ if self.choices.one_in(2) => RunLimit::of_words(1 + u64::from(self.choices.word() % 400)),
                _ => RunLimit::of_time(Duration::from_nanos(1 + u64::from(self.choices.word() % 30_000))),
            };
            match device.run_for(limit) {
                RunEnd::Done | RunEnd::Waiting(_) => return,
                _ => self.run.cuts += 1,
            }
        }
        self.run.endless = true;
    }

    /// Another device goes on with a snapshot of this one.
    fn change_devices(&mut self) {
        let changed = (|| {
            let fuel = self.run.device.fuel();
            let device = self.run.device.get();
            let state = device.snapshot(SnapshotOptions::default())?;
            let deferred = device.is_deferred();
            let mut next = self.next.device(&self.subject.capture, self.keys.as_ref())?;
            // Options of hosts are in no snapshot.
            if self.subject.capture.header().big_endian {
                next.get().as_replay().set_big_endian(true)?;
            }
            next.get().set_deferred(deferred);
            next.set_fuel(fuel);
            next.get().restore(&state)?;
            Ok::<_, Error>(next)
        })();
        match changed {
            Ok(next) => {
                let mut before = std::mem::replace(&mut self.run.device, next);
                self.run.faults.merge(before.get().faults());
                self.run.written.extend(before.get().take_written());
                self.run.cuts += 1;
            }
            Err(error) => self.run.error = Some((usize::MAX, format!("a snapshot of its own: {error}"))),
        }
    }
}

impl Run {
    /// The mappings at the end.
    fn maps(&mut self) -> Vec<GuestRange> {
        let (mappings, _) = self.device.get().mappings();
        mappings.iter().map(|mapping| mapping.range).collect()
    }

    /// Maximum number of bytes that are compared although they were not reported as written.
    const ALL: u64 = 96 << 20;

    /// How this run's results differ from another's, if they do: memory and errors, and what
    /// else is asked for.
    pub fn difference(&mut self, other: &mut Run, compared: Compared) -> Option<String> {
        if self.error != other.error {
            return Some(format!("errors: {:?} / {:?}", self.error, other.error));
        }
        let [maps, other_maps] = [self.maps(), other.maps()];
        if maps != other_maps {
            return Some(format!("mappings: {maps:x?} / {other_maps:x?}"));
        }
        let all = maps.iter().map(|range| range.size).fold(0, u64::saturating_add) <= Self::ALL;
        let ranges = if all { maps } else { [&self.written[..], &other.written[..]].concat() };
        for range in ranges {
            if let Some(difference) = differing(&mut self.device, &mut other.device, range) {
                return Some(difference);
            }
        }
        let same = match compared.faults {
            Faults::All => self.faults == other.faults,
            Faults::Counts => {
                triglyph::FaultKind::ALL.iter().all(|&kind| self.faults.count(kind) == other.faults.count(kind))
            }
            Faults::None => true,
        };
        if !same {
            return Some(format!("faults: {:?} / {:?}", self.faults, other.faults));
        }
        if !compared.registers {
            return None;
        }
        let [state, other_state] = [self.state(), other.state()];
        (state != other_state).then(|| {
            let first = state.iter().zip(&other_state).position(|(a, b)| a != b).unwrap_or(0);
            let [from, other_from] = [&state, &other_state].map(|state| &state[first..state.len().min(first + 8)]);
            format!("registers: at {first:#x} of {} bytes {from:02x?} / {other_from:02x?}", state.len())
        })
    }

    /// All state but memory: registers, clocks, what waits.
    fn state(&mut self) -> Vec<u8> {
        let state = self.device.get().snapshot(SnapshotOptions::REGISTERS.with_compression(false));
        let mut state = state.unwrap_or_default();
        // The checksum says where nothing differs.
        if let Some(checksum) = state.get_mut(24..32) {
            checksum.fill(0);
        }
        state
    }
}

/// The values that are compared beside memory and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The part of faults.
    pub faults: Faults,
    /// All state of the machine.
    pub registers: bool,
}

impl Compared {
    /// Everything.
    pub const ALL: Compared = Compared { faults: Faults::All, registers: true };
}

/// The part of faults that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    /// Counts and the first ones.
    All,
    /// Counts.
    Counts,
    /// Nothing.
    None,
}

/// Where two devices hold different bytes.
fn differing(left: &mut Device, right: &mut Device, range: GuestRange) -> Option<String> {
    const PIECE: u64 = 1 << 20;
    let mut buffers = [vec![0; PIECE.min(range.size) as usize], vec![0; PIECE.min(range.size) as usize]];
    let mut done = 0;
    while done < range.size {
        let length = PIECE.min(range.size - done) as usize;
        let [a, b] = buffers.each_mut().map(|buffer| &mut buffer[..length]);
        let at = range.start.after(done);
        // Written ranges may be unmapped by now.
        let read = [left.get().read(at, a).is_ok(), right.get().read(at, b).is_ok()];
        if read[0] != read[1] {
            return Some(format!("{at:x?} is mapped: {} / {}", read[0], read[1]));
        }
        if read[0]
            && let Some(first) = a.iter().zip(b.iter()).position(|(a, b)| a != b)
        {
            let count = a.iter().zip(b.iter()).filter(|(a, b)| a != b).count();
            let (space, address) = (at.space, at.address + first as u64);
            return Some(format!(
                "{count} bytes differ, first at {address:#x} in space {space}: {:02x} / {:02x}",
                a[first], b[first]
            ));
        }
        done += length as u64;
    }
    None
}
