//! Snapshots do not depend on the tier: a device of any tier that restores one goes on to the same bytes.

use triglyph::capture::{CaptureFile, Checks, Event, Player, Prepared, Reader, hash_memory};
use triglyph::{Device, HiddenSurfaceRemoval, Machine, Options, SnapshotOptions, Tier, new_device};
use triglyph_engine::snapshot;
use triglyph_testkit::data::file;

/// Each device of a chain, as (tier, threads).
const CHAIN: [(Tier, usize); 4] = [(Tier::JitOnly, 1), (Tier::Auto, 2), (Tier::JitOnly, 2), (Tier::InterpreterOnly, 2)];

fn device(link: usize) -> Box<dyn Device> {
    let (tier, threads) = CHAIN[link % CHAIN.len()];
    new_device(Machine::N3ds, &Options::new(tier, threads)).expect("a 3DS")
}

/// What a device holds, range by range.
fn hashes(device: &mut dyn Device) -> Vec<u64> {
    device.finish();
    let state = device.snapshot(SnapshotOptions::default()).expect("a snapshot");
    let mappings = snapshot::mappings(&state).expect("sections").expect("memory");
    mappings.iter().map(|m| hash_memory(device, m.range).expect("mapped")).collect()
}

#[test]
fn captures_go_on_in_other_tiers() {
    if triglyph_jit::Jit::new().is_err() {
        return;
    }
    for name in ["20-vertex-formats", "25-shadow-map", "26-ribbons", "28-render-to-texture", "29-transfer-engine"] {
        let path = file(&format!("captures/3ds/{name}.tgc"));
        let file = CaptureFile::open(&path).expect("a bundled capture");
        let prepared = Prepared::new(&Reader::new(&file).expect("a header")).expect("sound records");
        let mut straight = device(0);
        Player::prepared(&prepared, Checks::NONE).run(&mut *straight).expect("a sound capture");

        let mut now = device(0);
        let mut player = Player::prepared(&prepared, Checks::NONE);
        let mut submits = 0;
        while let Some(event) = player.next(&mut *now).expect("a sound capture") {
            if matches!(event, Event::Submitted { .. }) {
                submits += 1;
                let state = now.snapshot(SnapshotOptions::default()).expect("a snapshot");
                now = device(submits);
                now.restore(&state).expect("what was just taken");
            }
        }
        assert!(submits > 2, "{name}");
        assert_eq!(hashes(&mut *now), hashes(&mut *straight), "{name}");
    }
}

/// A device that has drawn something else keeps its kernels, and nothing else.
#[test]
fn kernels_outlive_a_restored_state() {
    let path = file("captures/3ds/26-ribbons.tgc");
    let file = CaptureFile::open(&path).expect("a bundled capture");
    let prepared = Prepared::new(&Reader::new(&file).expect("a header")).expect("sound records");
    // A tier whose kernels are there before a draw is: with `Auto` time decides which ones are compiled by the end. It
    // also decides whether hidden surfaces are removed, with kernels of their own.
    let mut options = Options::new(Tier::JitOnly, 2);
    options.hidden_surface_removal = HiddenSurfaceRemoval::Never;
    let mut gpu = new_device(Machine::N3ds, &options).expect("a 3DS");
    let setup = prepared.setup_len();
    let rest = setup..prepared.entries().len();
    Player::part(&prepared, 0..setup, Checks::NONE).run(&mut *gpu).expect("a sound capture");
    let start = gpu.snapshot(SnapshotOptions::default()).expect("a snapshot");
    Player::part(&prepared, rest.clone(), Checks::NONE).run(&mut *gpu).expect("a sound capture");
    let (end, kernels) = (hashes(&mut *gpu), gpu.stats().kernels_cached);
    for _ in 0..2 {
        gpu.restore(&start).expect("what was taken");
        assert_ne!(hashes(&mut *gpu), end);
        Player::part(&prepared, rest.clone(), Checks::NONE).run(&mut *gpu).expect("a sound capture");
        assert_eq!((hashes(&mut *gpu), gpu.stats().kernels_cached), (end.clone(), kernels));
    }
}
