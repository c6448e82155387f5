//! Fragments that are no colours: densities and shadows.

use std::sync::{Arc, Mutex};

use super::gas::{THIN, gas, largest};
use crate::support::*;
use triglyph_engine::Device;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::probe::{Command, Effect, Fragment, Observer, Verdict};
use triglyph_guest::num::F16;
use triglyph_guest::pica::regs;

/// Asks for the history of the fragments at the first stored pixel.
struct Asking(Arc<Mutex<Vec<Fragment>>>);

impl Observer for Asking {
    fn end(&mut self, _: &Command, effects: &[Effect]) -> bool {
        for effect in effects {
            if let Effect::Draw(draw) = effect {
                self.0.lock().unwrap().extend_from_slice(&draw.fragments);
            }
        }
        false
    }

    fn pixel(&mut self) -> Option<GuestAddr> {
        Some(GuestAddr::new(0, COLOR.into()))
    }
}

#[test]
fn densities_say_which_of_them_count() {
    for (func, stored, added, verdict) in [
        (3, 0xBF_FFFFu32, [0, 50, 0, 100], Verdict::Passed),
        (3, 0x3F_FFFF, [0, 50, 0, 100], Verdict::Depth),
        (2, 0xBF_FFFF, [0, 50, 0, 100], Verdict::Depth),
        (1, 0x7F_FFFF, [0, 0, 0, 100], Verdict::Passed),
        (0, 0x3F_FFFF, [0, 50, 0, 100], Verdict::Depth),
    ] {
        let draw = |observer: Option<Box<dyn Observer>>| {
            let mut console = Console::new();
            console.write(DEPTH, &stored.to_le_bytes().repeat(256));
            Device::set_observer(&mut console.gpu, observer);
            let mut list = gas(func, 0x200).with(regs::depth_addr::ID, DEPTH >> 3).with(regs::depth_format::ID, 3);
            list.masked(regs::gas_accmax_feedback::ID, 0, 3);
            // Tests that gas does not have would fail.
            let list = list.with(regs::depth_color_mask::ID, 0x1001).with(regs::alpha_test::ID, 1);
            console.fill(list, THIN);
            (console.memory(), largest(&mut console))
        };
        let fragments = Arc::new(Mutex::new(Vec::new()));
        assert!(draw(Some(Box::new(Asking(fragments.clone())))) == draw(None), "{func} {stored:x}");
        let fragments = fragments.lock().unwrap();
        let [Fragment { shaded: Some(shaded), verdict: found, .. }] = &fragments[..] else { panic!("{fragments:?}") };
        let shaded: Vec<u8> = shaded.iter().rev().copied().collect();
        assert_eq!((shaded, *found), (added.to_vec(), verdict), "{func} {stored:x}");
    }
}

/// Shadows that are too weak to show have passed all the same, as colours have that are blended away.
#[test]
fn shadow_maps_tell_depth_alone() {
    const CASTER: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
    const SOFT: [f32; 4] = [0.0, 0.5, 0.0, 1.0];
    let (far, near) = ([0xFF, 0xFF, 0xFF], [0x3F, 0xFF, 0xFF]);
    for (color, [high, middle, low], shadow, shaded, verdict, changes) in [
        (CASTER, far, 0xFF, [0x7F, 0xFF, 0xFF, 0xFF], Verdict::Passed, true),
        (CASTER, far, 0x10, [0x7F, 0xFF, 0xFF, 0xFF], Verdict::Passed, true),
        (CASTER, near, 0xFF, [0x7F, 0xFF, 0xFF, 0xFF], Verdict::Depth, false),
        (SOFT, far, 0xFF, [0xFF, 0xFF, 0xFF, 0x80], Verdict::Passed, true),
        (SOFT, far, 0x10, [0xFF, 0xFF, 0xFF, 0x80], Verdict::Passed, false),
        (SOFT, near, 0xFF, [0xFF, 0xFF, 0xFF, 0x80], Verdict::Depth, false),
    ] {
        let stored = [high, middle, low, shadow];
        let draw = |observer: Option<Box<dyn Observer>>| {
            let mut console = Console::new();
            console.write(COLOR, &stored.repeat(256));
            Device::set_observer(&mut console.gpu, observer);
            let list = plain().with(regs::color_operation::ID, 0x00E4_0003).with(regs::depth_color_mask::ID, 0x1001);
            console.fill(list.with(regs::shadow_attenuation::ID, F16::encode(1.0)), color);
            console.memory()
        };
        let fragments = Arc::new(Mutex::new(Vec::new()));
        let memory = draw(Some(Box::new(Asking(fragments.clone()))));
        assert!(memory == draw(None));
        assert_eq!(memory[..4] != stored, changes, "{color:?} {stored:x?}");
        let fragments = fragments.lock().unwrap();
        let expected = Fragment { primitive: fragments[0].primitive, shaded: Some(shaded.to_vec()), verdict };
        assert_eq!(fragments[..], [expected], "{color:?} {stored:x?}");
    }
}
