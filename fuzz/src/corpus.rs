//! The corpus that mutants are derived from: captures, their halves after a snapshot, and key files.

use std::path::Path;

use tempfile::NamedTempFile;
use triglyph::capture::{Checks, Event, Kind, Player, Prepared, Reader};
use triglyph::{Error, KeyFile, Machine, Options, SnapshotOptions, Tier, new_device};

use super::choices::Choices;
use super::document::{Block, Document, extra};
use super::mutate::{Base, driver_call, gsp_call, hypervisor_call};

/// Captures that come with this crate, for those who have none: one of each machine.
pub const BUNDLED: [(&str, &[u8]); 3] = [
    ("3ds-shadow-map", include_bytes!("../bundled/3ds-shadow-map.tgc")),
    ("rsx-shadow", include_bytes!("../bundled/rsx-shadow.tgc")),
    ("tegra-shadow", include_bytes!("../bundled/tegra-shadow.tgc")),
];

/// All originals for mutants of a capture: itself, half of it after a snapshot, and itself with a file of keys.
///
/// # Errors
/// A capture that is broken or cannot be played.
pub fn bases(name: &str, file: &[u8]) -> Result<Vec<Base>, Error> {
    let document = Document::parse(file)?;
    let mut bases = Vec::new();
    for (kind, made) in [("snapshot", from_snapshot(file, &document)?), ("keys", with_keys(file, &document)?)] {
        bases.extend(made.map(|document| Base::new(format!("{name}+{kind}"), document)));
    }
    // Itself most often.
    let itself = Base::new(name, document);
    bases.extend([itself.clone(), itself.clone(), itself]);
    Ok(bases)
}

/// The bases of the captures that come with this crate, and sequences of calls.
///
/// # Errors
/// None, unless this host has no such device.
pub fn bundled() -> Result<Vec<Base>, Error> {
    let mut all: Vec<Base> = Machine::ALL.into_iter().map(calls).collect();
    for (name, file) in BUNDLED {
        all.extend(bases(name, file)?);
    }
    Ok(all)
}

/// The name of a capture's file.
pub fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "capture".into(), |name| name.to_string_lossy().into_owned())
}

/// Half of a capture, as a snapshot, and its rest. `None` without submissions.
fn from_snapshot(file: &[u8], document: &Document) -> Result<Option<Document>, Error> {
    let reader = Reader::new(file)?;
    let prepared = Prepared::new(&reader)?;
    let submits = document.blocks.iter().filter(|block| block.kind == Kind::Submit as u32).count();
    let mut device = new_device(document.header.machine, &Options::new(Tier::InterpreterOnly, 1))?;
    let mut player = Player::prepared(&prepared, Checks::NONE);
    let mut seen = 0;
    while let Some(event) = player.next(&mut *device)? {
        let Event::Submitted { record } = event else { continue };
        seen += 1;
        if 2 * seen < submits {
            continue;
        }
        let state = device.snapshot(SnapshotOptions::default().with_compression(false))?;
        let mut rest = Document { header: document.header, blocks: Vec::new() };
        rest.push(Kind::Snapshot as u32, state);
        rest.blocks.extend(document.blocks[record + 1..].iter().cloned());
        return Ok(Some(rest));
    }
    Ok(None)
}

/// A capture with the keys that it leaves. `None` where there are none.
fn with_keys(file: &[u8], document: &Document) -> Result<Option<Document>, Error> {
    let Ok(keys) = NamedTempFile::new() else { return Ok(None) };
    let mut options = Options::new(Tier::JitOnly, 1);
    options.key_file = Some(KeyFile::new(keys.path()));
    let reader = Reader::new(file)?;
    let Ok(mut device) = new_device(document.header.machine, &options) else { return Ok(None) };
    Player::new(&reader, Checks::NONE).run(&mut *device)?;
    // Keys are in the file when the device is gone.
    drop(device);
    let bytes = std::fs::read(keys.path()).unwrap_or_default();
    let mut with = document.clone();
    with.blocks.push(Block { kind: extra::KEYS, payload: bytes.clone() });
    Ok((!bytes.is_empty()).then_some(with))
}

/// Calls of a machine's system that work, so that mutants get further than to the first check: memory, a context or
/// channel, and some others by chance.
pub fn calls(machine: Machine) -> Base {
    let mut document = Document::new(machine);
    let mut choices = Choices::new(machine as u64);
    match machine {
        Machine::N3ds => {
            document.push_map(0, 0x1800_0000, 0x60_0000, 3);
            document.push_map(0, 0x2000_0000, 0x10_0000, 3);
            (0..24).for_each(|_| document.push(extra::IPC, gsp_call(&mut choices)));
        }
        Machine::Ps3 => {
            document.header.big_endian = true;
            document.push_map(3, 0x1000_0000, 0x40_0000, 3);
            let mut call = |arguments: [u64; 9]| document.push_call(0, &arguments);
            call([214, 16 << 20, 8, 0x30_0000, 15, 8, 0, 0, 0]);
            call([217, 0x5A5A_5A5B, 0x820, 0, 0, 0, 0, 0, 0]);
            call([221, 0x5555_5555, 0, 0x1000_0000, 1 << 20, 3 << 62, 0, 0, 0]);
            (0..24).for_each(|_| document.push(Kind::Call as u32, hypervisor_call(&mut choices)));
        }
        Machine::TegraX1 => {
            document.push_map(1, 0x70_0000_0000, 0x10_0000, 3);
            document.push_call(0, &[0x1_0000]);
            document.push_call(3, &[1, 0x70_0000_0000, 0x1000, 0, 1, 0xFE]);
            document.push_call(4, &[]);
            document.push_call(6, &[1, 0x1_0000, 0, 0, 0]);
            document.push_call(9, &[1, 0, 0xFE, 1, 0, 0, 0]);
            document.push_call(12, &[]);
            document.push_call(14, &[1, 1]);
            (0..24).for_each(|_| document.push(Kind::Call as u32, driver_call(&mut choices)));
        }
        _ => {}
    }
    Base::new(format!("{machine}-calls"), document)
}
