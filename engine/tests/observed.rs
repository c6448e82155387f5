//! Limits of what observers are told of one command.
#![allow(missing_docs)]

use std::sync::{Arc, Mutex};

use triglyph_engine::cache::{Removal, TierMode, Tiers};
use triglyph_engine::device::{FaultKind, Faults};
use triglyph_engine::mem::{GuestAddr, Memory};
use triglyph_engine::probe::{Command, CommandFaults, Effect, Observer};
use triglyph_engine::render::{RenderOptions, Renderer};
use triglyph_engine::scene::Fixed;
use triglyph_guest::kernel::Accuracy;
use triglyph_interp::Interpreter;

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<Vec<Effect>>>>);

impl Observer for Heard {
    fn end(&mut self, _: &Command, effects: &[Effect]) -> bool {
        self.0.lock().unwrap().push(effects.to_vec());
        false
    }
}

#[test]
fn effects_of_a_command_are_told_up_to_a_number() {
    let mut renderer = Renderer::<Fixed>::new(&RenderOptions {
        tiers: Tiers::interpreter_only(Arc::new(Interpreter)),
        mode: TierMode::InterpreterOnly,
        threads: 1,
        executor: None,
        code_budget: 1 << 20,
        key_file: None,
        accuracy: Accuracy::Exact,
        packet_traces: 0,
        removal: Removal::Never,
    })
    .unwrap();
    let (memory, heard) = (Memory::default(), Heard::default());
    renderer.set_observer(Some(Box::new(heard.clone())));
    let mut faults = Faults::default();
    faults.count_only(FaultKind::BadMethod, 5);
    let store = |number: u64| Effect::Store(GuestAddr::new(0, 4 * number).range(4));
    for count in [3, 10_000, 2] {
        renderer.begin_command(&memory, &Command::default(), &[], Faults::default().mark());
        (0..count).for_each(|number| renderer.note_effect(store(number)));
        renderer.end_command(&memory, &Command::default(), &[], &faults);
    }
    let heard = heard.0.lock().unwrap();
    let faults = [Effect::Faults(CommandFaults { kind: FaultKind::BadMethod, count: 5, what: None })];
    assert_eq!(heard[0], [&[0, 1, 2].map(store)[..], &faults].concat());
    let long = &heard[1];
    assert_eq!(long[..4096], (0..4096).map(store).collect::<Vec<_>>()[..]);
    assert_eq!(long[4096..], [faults[0].clone(), Effect::LeftOut(10_000 - 4096)]);
    assert_eq!(heard[2], [&[0, 1].map(store)[..], &faults].concat());
}
