//! Observers get every command and change nothing: memory has the same bytes at the end as without an observer.

use std::sync::{Arc, Mutex};

use triglyph::capture::{Checks, Player, Reader};
use triglyph::probe::{Command, Counting, Effect, FragmentCounts, Input, Judged, Observer, View};
use triglyph::{Device, GuestAddr, Machine, Options, SnapshotOptions, Tier, new_device};
use triglyph_testkit::data::all_captures;

/// What an observer has heard.
#[derive(Default)]
struct Heard {
    begun: u64,
    ended: u64,
    looks: u64,
    draws: u64,
    transfers: u64,
    /// Registers were there.
    registers: bool,
    /// A pixel that something was drawn to.
    pixel: Option<GuestAddr>,
    fragments: usize,
    inputs: usize,
    /// Pixels were covered.
    covered: bool,
    /// Fragments that passed all tests.
    passed: u64,
}

/// Looks before and after all commands, or at none.
struct Looker {
    heard: Arc<Mutex<Heard>>,
    looks: bool,
    pixel: Option<GuestAddr>,
}

impl Observer for Looker {
    fn begin(&mut self, _: &Command) -> bool {
        self.heard.lock().unwrap().begun += 1;
        self.looks
    }

    fn end(&mut self, _: &Command, effects: &[Effect]) -> bool {
        let mut heard = self.heard.lock().unwrap();
        heard.ended += 1;
        for effect in effects {
            heard.draws += u64::from(matches!(effect, Effect::Draw(_)));
            heard.transfers += u64::from(matches!(effect, Effect::Transfer(_)));
            let Effect::Draw(draw) = effect else { continue };
            heard.fragments += draw.fragments.len();
            if let Some(surface) = draw.surfaces.first() {
                heard.pixel = Some(surface.start.after(surface.offset(surface.width / 2, surface.rows / 2)));
            }
        }
        self.looks
    }

    fn pixel(&mut self) -> Option<GuestAddr> {
        self.pixel
    }

    fn wants_inputs(&mut self) -> bool {
        self.pixel.is_some()
    }

    fn wants_counts(&mut self) -> Counting {
        if self.pixel.is_some() { Counting::Verdicts } else { Counting::Nothing }
    }

    fn counts(&mut self, counts: &FragmentCounts) {
        let mut heard = self.heard.lock().unwrap();
        heard.covered |= counts.counts.iter().any(|&count| count != 0);
        let passed = |judged: &Judged| judged.primitives.iter().map(|primitive| u64::from(primitive.verdicts[0])).sum();
        heard.passed += counts.judged.as_ref().map_or(0, passed);
    }

    fn input(&mut self, input: &Input<'_>) {
        if let Input::Texture(texture) = input {
            texture.decode();
        }
        self.heard.lock().unwrap().inputs += 1;
    }

    fn look(&mut self, view: &View<'_>) {
        let mut heard = self.heard.lock().unwrap();
        heard.looks += 1;
        heard.registers |= !view.registers.is_empty();
    }
}

fn replayed(bytes: &[u8], tier: Tier, observer: Option<Box<dyn Observer>>) -> (Vec<u8>, u64, Machine) {
    let reader = Reader::new(bytes).unwrap();
    let mut device = new_device(reader.header().machine, &Options::new(tier, 1)).unwrap();
    device.set_observer(observer);
    Player::new(&reader, Checks::NONE).run(&mut *device).unwrap();
    let snapshot = device.snapshot(SnapshotOptions::default().with_compression(false)).unwrap();
    (snapshot, device.faults().total(), device.machine())
}

#[test]
fn looking_after_every_command_changes_nothing() {
    let (mut fragments, mut inputs, mut covered, mut passed) = (0, 0, 0, 0);
    for path in all_captures().0 {
        let bytes = std::fs::read(&path).unwrap();
        let expected = replayed(&bytes, Tier::JitOnly, None);
        let (mut counts, mut pixel) = (Vec::new(), None);
        for (looks, asks) in [(false, false), (true, false), (false, true)] {
            let heard = Arc::new(Mutex::new(Heard::default()));
            let observer = Looker { heard: heard.clone(), looks, pixel: pixel.filter(|_| asks) };
            let found = replayed(&bytes, Tier::JitOnly, Some(Box::new(observer)));
            assert!(found == expected, "{}: looks {looks}, asks {asks}", path.display());
            let heard = heard.lock().unwrap();
            assert_eq!(heard.looks, if looks { heard.begun + heard.ended } else { 0 }, "{}", path.display());
            assert!(heard.draws + heard.transfers > 0, "{}", path.display());
            assert!(heard.registers || !looks || heard.draws == 0, "{}", path.display());
            counts.push((heard.begun, heard.ended, heard.draws, heard.transfers));
            pixel = heard.pixel;
            fragments += heard.fragments;
            inputs += heard.inputs;
            covered += usize::from(heard.covered);
            passed += heard.passed;
        }
        assert!(counts.iter().all(|found| *found == counts[0]), "{}", path.display());
    }
    assert!(
        fragments > 50 && inputs > 1000 && covered > 20 && passed > 1_000_000,
        "{fragments} fragments, {inputs} inputs, {covered} captures, {passed} passed"
    );
}
