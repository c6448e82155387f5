//! Hidden surfaces are removed where there are any, and that changes no byte. `tests/captures.rs` compares all captures
//! with removal and without; here is what is left out.

use triglyph::capture::{Checks, Player, Reader};
use triglyph::{HiddenSurfaceRemoval, Options, SnapshotOptions, Tier, new_device};
use triglyph_testkit::data::file;

/// What playing a capture leaves: a snapshot, and the pixels that were not shaded.
fn play(capture: &str, tier: Tier, removal: HiddenSurfaceRemoval) -> (Vec<u8>, u64) {
    let bytes = std::fs::read(file(capture)).expect("a bundled capture");
    let reader = Reader::new(&bytes).expect("a capture");
    let mut options = Options::new(tier, 2);
    options.hidden_surface_removal = removal;
    let mut device = new_device(reader.header().machine, &options).expect("a device");
    Player::new(&reader, Checks::ALL).run(&mut *device).expect("a capture that plays");
    device.finish();
    (device.snapshot(SnapshotOptions::default()).expect("a snapshot"), device.stats().pixels_hidden)
}

#[test]
fn hidden_surfaces_of_all_machines_are_not_shaded() {
    for capture in ["3ds/22-city", "3ds/17-fragment-operations", "rsx/16-ffp", "tegra/16-ffp", "tegra/18-shadow"] {
        let path = format!("captures/{capture}.tgc");
        let (plain, none) = play(&path, Tier::JitOnly, HiddenSurfaceRemoval::Never);
        let (removed, hidden) = play(&path, Tier::JitOnly, HiddenSurfaceRemoval::Always);
        let (interpreted, by_interpreter) = play(&path, Tier::InterpreterOnly, HiddenSurfaceRemoval::Always);
        assert!(hidden > 1000, "{capture}: {hidden} pixels are hidden");
        assert_eq!((none, by_interpreter), (0, 0), "{capture}");
        assert!(plain == removed && plain == interpreted, "{capture}: snapshots differ");
    }
}
