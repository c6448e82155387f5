//! Large draws are done in parts, which changes nothing: here draws of some vertices are, and what patches and geometry
//! programs make of them is drawn after some words.

use triglyph::capture::{CaptureFile, Checks, Event, Player, Prepared, Reader};
use triglyph::probe::{Command, Effect, Observer};
use triglyph::{Device, Machine, Options, Rsx, RunEnd, RunLimit, SnapshotOptions, TegraX1, Tier};
use triglyph_testkit::data::all_captures;
use triglyph_testkit::random::Random;

/// Vertices of a segment, as many as split most draws of the captures in the middle.
const FEW: usize = 24;

/// Words of patches, or emitted ones, that are drawn at once.
const WORDS: usize = 1 << 10;

/// A machine that splits draws, or does not; `None` for one that never does: draws of the 3DS are bounded by what the
/// machine takes.
fn machine(machine: Machine, options: &Options, splits: bool) -> Option<Box<dyn Device>> {
    Some(match machine {
        Machine::Ps3 => {
            let mut device = Rsx::new(options).expect("a PS3");
            if splits {
                device.set_max_segment(FEW);
            }
            Box::new(device)
        }
        Machine::TegraX1 => {
            let mut device = TegraX1::new(options).expect("a Tegra X1");
            if splits {
                device.set_max_segment(FEW);
                device.set_max_part(WORDS);
            }
            Box::new(device)
        }
        _ => return None,
    })
}

fn captures() -> impl Iterator<Item = (String, CaptureFile)> {
    let open = |path: std::path::PathBuf| {
        let name = path.display().to_string();
        let capture = CaptureFile::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, capture)
    };
    all_captures().0.into_iter().map(open)
}

/// What playing a capture leaves: a snapshot with the clock in it, and how many faults there were.
type Left = (Vec<u8>, u64);

fn left(device: &mut dyn Device) -> Left {
    device.finish();
    let snapshot = device.snapshot(SnapshotOptions::default().with_compression(false)).expect("a snapshot");
    (snapshot, device.faults().total())
}

/// Reads memory before and after each command.
struct Looker;

impl Observer for Looker {
    fn begin(&mut self, _: &Command) -> bool {
        true
    }

    fn end(&mut self, _: &Command, _: &[Effect]) -> bool {
        true
    }
}

/// Plays a capture; what that leaves, and how many draws there were.
fn play(
    capture: &CaptureFile,
    options: &Options,
    splits: bool,
    observer: Option<Box<dyn Observer>>,
) -> Option<(Left, u64)> {
    let reader = Reader::new(capture).expect("a header");
    let mut device = machine(reader.header().machine, options, splits)?;
    device.set_observer(observer);
    Player::new(&reader, Checks::NONE).run(&mut *device).expect("a capture that plays");
    let left = left(&mut *device);
    Some((left, device.stats().draws))
}

#[test]
fn draws_that_are_split_leave_what_whole_ones_do() {
    let mut split = 0;
    for (name, capture) in captures() {
        let Some((wanted, draws)) = play(&capture, &Options::new(Tier::JitOnly, 1), false, None) else { continue };
        for (tier, threads) in [(Tier::JitOnly, 2), (Tier::InterpreterOnly, 1)] {
            // The interpreter takes long, and only vertices are done otherwise.
            if tier == Tier::InterpreterOnly && draws > 200 {
                continue;
            }
            let (found, parts) = play(&capture, &Options::new(tier, threads), true, None).expect("the same machine");
            assert_eq!(found.1, wanted.1, "{name} on {tier:?}: faults");
            assert!(found.0 == wanted.0, "{name} on {tier:?}");
            split += u32::from(parts > draws);
        }
        if draws <= 50 {
            let (found, _) =
                play(&capture, &Options::new(Tier::JitOnly, 1), true, Some(Box::new(Looker))).expect("the same");
            assert!(found == wanted, "{name}, observed");
        }
    }
    assert!(split > 20, "{split} captures have draws that are split");
}

/// Bounded runs leave the setup of a draw's last part for later, and closed scenes of all others.
#[test]
fn draws_that_are_split_and_interrupted_leave_the_same() {
    let mut interrupts = 0;
    for (seed, (name, capture)) in captures().enumerate() {
        let Some((_, draws)) = play(&capture, &Options::new(Tier::JitOnly, 1), false, None) else { continue };
        if draws > 100 {
            continue;
        }
        let prepared = Prepared::new(&Reader::new(&capture).expect("a header")).expect("sound records");
        let mut played = |splits: bool, interrupted: &mut dyn FnMut(&mut dyn Device)| {
            let options = Options::new(Tier::JitOnly, 1 + seed % 2);
            let mut device = machine(prepared.header().machine, &options, splits).expect("the same machine");
            device.set_deferred(true);
            let mut player = Player::prepared(&prepared, Checks::NONE);
            while let Some(event) = player.next(&mut *device).expect("a sound capture") {
                if !matches!(event, Event::Submitted { .. }) {
                    continue;
                }
                interrupted(&mut *device);
                while device.run_for(RunLimit::NONE) == RunEnd::Interrupted {
                    interrupts += 1;
                    interrupted(&mut *device);
                }
            }
            left(&mut *device)
        };
        let wanted = played(false, &mut |_| {});
        let mut random = Random::new(seed as u64);
        let found = played(true, &mut |device| device.interrupter().interrupt_at_look(4 + random.below(40)));
        assert_eq!(found.1, wanted.1, "{name}: faults");
        assert!(found.0 == wanted.0, "{name}");
    }
    assert!(interrupts > 100, "{interrupts} interrupts");
}
