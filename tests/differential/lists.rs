//! Whole states: the first frame of a bundled capture with some of its state registers changed, on every tier and number
//! of threads.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::LazyLock;

use triglyph::capture::{Checks, Player, Prepared, Reader, Record};
use triglyph::n3ds::gsp::{Command, address::to_physical};
use triglyph::{Device, Machine, Options, Tier, WrittenRange, new_device};
use triglyph_guest::pica::command::Packets;
use triglyph_guest::pica::regs::{self, Effect};

use super::Outcome;
use crate::support::random::Random;

/// What is compared, the first being the reference.
const RUNS: [(&str, Tier, usize); 4] = [
    ("interpreter, 1 thread", Tier::InterpreterOnly, 1),
    ("compiled, 1 thread", Tier::JitOnly, 1),
    ("compiled, 2 threads", Tier::JitOnly, 2),
    ("interpreter, 2 threads", Tier::InterpreterOnly, 2),
];

/// The bundled captures by name.
static CAPTURES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let folder = crate::support::file("captures/3ds");
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut captures: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "tgc"))
        .map(|path| {
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), std::fs::read(path).expect("a file"))
        })
        .collect();
    captures.sort();
    captures
});

/// Changes some registers and compares what all runs leave in memory.
pub fn mutated_captures(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let (name, file) = &CAPTURES[random.below(CAPTURES.len() as u32) as usize];
    let capture = Prepared::new(&Reader::new(file).expect("a capture")).expect("a sound capture");
    let rate = random.pick(&[20, 60, 200, 600]);
    let end = capture.frames().first().map_or(capture.entries().len(), |frame| frame.end);
    let mut runs: Vec<Run> = RUNS.iter().map(|&(name, tier, threads)| Run::new(name, tier, threads)).collect();
    for run in &mut runs {
        run.play(&capture, 0..end, &mut random.clone(), rate);
    }
    let (reference, others) = runs.split_first_mut().expect("there are runs");
    for run in &mut *others {
        if let Some(difference) = reference.differs_from(run) {
            let mut report = format!("capture {name}\n");
            for change in &reference.changes {
                let _ = writeln!(report, "  {change}");
            }
            return Outcome::Different(report + &difference);
        }
    }
    let stats = others[0].device.stats();
    let calls = stats.compiled_calls + stats.interpreter_calls;
    Outcome::Equal(if calls == 0 { 1.0 } else { stats.compiled_calls as f64 / calls as f64 })
}

/// One way through the capture.
struct Run {
    name: &'static str,
    device: Box<dyn Device>,
    changes: Vec<String>,
    written: Vec<WrittenRange>,
}

impl Run {
    fn new(name: &'static str, tier: Tier, threads: usize) -> Self {
        let device = new_device(Machine::N3ds, &Options::new(tier, threads)).expect("a 3DS");
        Run { name, device, changes: Vec::new(), written: Vec::new() }
    }

    /// Plays some records; before each command list is executed, one in `rate` of its state words is changed.
    fn play(&mut self, capture: &Prepared<'_>, records: Range<usize>, random: &mut Random, rate: u32) {
        for at in records {
            if let Record::Submit(payload) = &capture.entries()[at].record {
                let words: [u32; 8] = std::array::from_fn(|i| {
                    u32::from_le_bytes(payload[4 * i..4 * i + 4].try_into().expect("four bytes"))
                });
                if let Some(Command::ProcessCommandList { address, size, .. }) = Command::from_words(&words) {
                    self.change(address, size, random, rate);
                }
            }
            Player::part(capture, at..at + 1, Checks::NONE).run(&mut *self.device).expect("a record that plays");
        }
        self.written = self.device.take_written();
    }

    fn change(&mut self, address: u32, size: u32, random: &mut Random, rate: u32) {
        let address = u64::from(to_physical(address).expect("a list in memory"));
        let mut bytes = vec![0; size as usize];
        self.device.read(0, address, &mut bytes).expect("a list in memory");
        let mut words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let mut places = Vec::new();
        for packet in Packets::new(&words) {
            for (index, write) in packet.writes().enumerate() {
                if is_state(write.id) {
                    let place = packet.offset + if index == 0 { 0 } else { index + 1 };
                    places.push((place, write.id));
                }
            }
        }
        for (place, id) in places {
            if !random.one_in(rate) {
                continue;
            }
            let old = words[place];
            words[place] = match random.below(4) {
                0 => random.word(),
                1 => old ^ 1 << random.below(32) ^ 1 << random.below(32),
                _ => old ^ 1 << random.below(32),
            };
            let name = regs::REGISTERS.iter().find(|register| register.id == id).map_or("?", |register| register.name);
            self.changes.push(format!("word {place:#x}: {name} {old:#010x} becomes {:#010x}", words[place]));
        }
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.device.write(0, address, &bytes).expect("a list in memory");
    }

    /// Compares faults and everything that either run wrote.
    fn differs_from(&mut self, other: &mut Run) -> Option<String> {
        let names = format!("{} / {}", self.name, other.name);
        for range in self.written.iter().chain(&other.written) {
            let [mut want, mut got] = [vec![0; range.size as usize], vec![0; range.size as usize]];
            self.device.read(0, range.address, &mut want).expect("written memory is mapped");
            other.device.read(0, range.address, &mut got).expect("written memory is mapped");
            if let Some(at) = want.iter().zip(&got).position(|(want, got)| want != got) {
                let wrong = want.iter().zip(&got).filter(|(want, got)| want != got).count();
                let (want, got) = (want[at], got[at]);
                let address = range.address + at as u64;
                return Some(format!("{names}: {wrong} bytes differ, first at {address:#x}: {want:02x} / {got:02x}"));
            }
        }
        let [want, got] = [&self.device, &other.device].map(|device| device.faults().clone());
        (want != got).then(|| format!("{names}: faults {want:?} / {got:?}"))
    }
}

/// Registers that hold state: neither ports and triggers nor addresses and sizes of what is in memory.
fn is_state(id: usize) -> bool {
    let addresses = [regs::color_addr::ID, regs::depth_addr::ID, regs::attr_base::ID, regs::fb_dim::ID];
    let lists: [&[usize]; 4] =
        [&regs::tex_addr::IDS, &regs::tex0_face_addr::IDS, &regs::attrbuf_offset::IDS, &addresses];
    id < regs::COUNT && matches!(regs::EFFECTS[id], Effect::Dirty(_)) && !lists.iter().any(|list| list.contains(&id))
}
