//! Fragment history of programs that write memory, without writing it twice.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::support::threed::*;
use crate::support::{DATA, Machine};
use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::probe::{Command, Counting, Effect, Fragment, FragmentCounts, Observer, Verdict};
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
use triglyph_options::Options;

/// What an observer of the pixel (9, 9) has heard.
#[derive(Default)]
struct Heard {
    fragments: Vec<Fragment>,
    verdicts: [u32; Verdict::ALL.len()],
}

struct Asking(Arc<Mutex<Heard>>, u64);

impl Observer for Asking {
    fn end(&mut self, _: &Command, effects: &[Effect]) -> bool {
        for effect in effects {
            if let Effect::Draw(draw) = effect {
                self.0.lock().unwrap().fragments.extend_from_slice(&draw.fragments);
            }
        }
        false
    }

    fn pixel(&mut self) -> Option<GuestAddr> {
        Some(GuestAddr::new(0, DATA + self.1))
    }

    fn wants_counts(&mut self) -> Counting {
        Counting::Verdicts
    }

    fn counts(&mut self, counts: &FragmentCounts) {
        let judged = counts.judged.as_ref().expect("a draw that is judged");
        let mut heard = self.0.lock().unwrap();
        for (sum, counts) in heard.verdicts.iter_mut().zip(&judged.verdicts) {
            *sum += counts.iter().sum::<u32>();
        }
    }
}

/// Asks the same without time left; notes whether fragments were judged.
struct Late(Arc<Mutex<Vec<bool>>>);

impl Observer for Late {
    fn end(&mut self, _: &Command, effects: &[Effect]) -> bool {
        let draws = effects.iter().filter_map(|effect| if let Effect::Draw(draw) = effect { Some(draw) } else { None });
        self.0.lock().unwrap().extend(draws.map(|draw| !draw.fragments.is_empty()));
        false
    }

    fn pixel(&mut self) -> Option<GuestAddr> {
        Some(GuestAddr::new(0, DATA + TARGET + 4 * (9 * u64::from(EDGE) + 9)))
    }

    fn wants_counts(&mut self) -> Counting {
        Counting::Verdicts
    }

    fn deadline(&mut self) -> Option<Instant> {
        Some(Instant::now())
    }

    fn counts(&mut self, counts: &FragmentCounts) {
        assert!(counts.counts.iter().any(|&count| count > 0));
        self.0.lock().unwrap().push(counts.judged.is_some());
    }
}

/// Counts fragments in memory and discards all but the first two.
fn counting() -> String {
    let address = DATA + CONSTANTS;
    format!(
        "mov32i r4, {address:#x}, 0xf
        mov r5, rz, 0xf
        mov32i r6, 0x1, 0xf
        atom.e.u32.add r7, [r4+0x0], r6
        isetp.gt.and p0, pt, r7, 0x1, pt
        @p0 kil
        {}",
        COLOR.replace("r4", "r8")
    )
}

/// Two rectangles of one pixel, one over the other, in each of three draws.
fn drawn(tier: TierMode, asks: bool, prepare: impl Fn(&mut Machine)) -> (Machine, Heard) {
    let mut m = ready_on(Machine::with(&Options::new(tier, 1)));
    prepare(&mut m);
    let heard = Arc::new(Mutex::new(Heard::default()));
    if asks {
        m.gpu.set_observer(Some(Box::new(Asking(heard.clone(), TARGET + 4 * (9 * u64::from(EDGE) + 9)))));
    }
    let at = |pixel: f32| (pixel - 32.0) / 32.0;
    for draws in 0..3 {
        let color = |n: u32| [(2 * draws + n + 1) as f32 / 8.0, 0.0, 0.0, 1.0];
        let one = |n: u32| rectangle([at(9.0), at(9.0), at(10.0), at(10.0)], 0.5 - 0.1 * n as f32, color(n));
        let corners = [one(0), one(1)].map(|[a, b, c, d]| [a, b, c, c, b, d]);
        vertices(&mut m, corners.as_flattened());
        draw(&mut m, Topology::Triangles, 0, 12);
    }
    m.expect_no_faults();
    m.gpu.set_observer(None);
    let heard = std::mem::take(&mut *heard.lock().unwrap());
    (m, heard)
}

#[test]
fn programs_that_write_memory_are_judged_as_often_as_they_run() {
    use Verdict::{Discarded, Passed};
    for tier in [TierMode::InterpreterOnly, TierMode::JitOnly] {
        let prepare = |m: &mut Machine| program(m, PIXEL, pixel_header(2), &counting());
        let (mut plain, _) = drawn(tier, false, prepare);
        let (mut asked, heard) = drawn(tier, true, prepare);
        assert_eq!(plain.words::<1>(CONSTANTS), [6], "{tier:?}");
        assert!(plain.data() == asked.data(), "{tier:?}");
        assert_eq!(pixel(&mut asked, 9, 9), [64, 0, 0, 255]);
        let verdicts: Vec<Verdict> = heard.fragments.iter().map(|fragment| fragment.verdict).collect();
        assert_eq!(verdicts, [Passed, Passed, Discarded, Discarded, Discarded, Discarded], "{tier:?}");
        let shaded: Vec<_> = heard.fragments.iter().map(|fragment| fragment.shaded.clone()).collect();
        assert_eq!(shaded[..3], [Some(vec![32, 0, 0, 255]), Some(vec![64, 0, 0, 255]), None], "{tier:?}");
        assert_eq!(heard.verdicts, [2, 4, 0, 0, 0, 0], "{tier:?}");
    }
}

/// Draws without a colour are judged by what they do to memory alone, and by depth.
#[test]
fn draws_without_colours_are_judged() {
    let colorless = |m: &mut Machine| {
        program(m, PIXEL, pixel_header(2), &counting());
        m.threed(&[
            (r::set_ct_select::ID, 0),
            (r::set_zt_select::ID, 1),
            (r::set_zt_a::ID, 0),
            (r::set_zt_b::ID, (DATA + TARGET) as u32),
            (r::set_zt_format::ID, 0x0A),
            (r::set_zt_size_a::ID, EDGE),
            (r::set_zt_size_b::ID, EDGE),
            (r::set_depth_test::ID, 1),
            (r::set_depth_write::ID, 1),
            (r::set_depth_func::ID, 0x201),
        ]);
        m.write(TARGET, &[0.45f32.to_le_bytes(); (EDGE * EDGE) as usize].concat());
    };
    for tier in [TierMode::InterpreterOnly, TierMode::JitOnly] {
        let (mut plain, _) = drawn(tier, false, colorless);
        let (mut asked, heard) = drawn(tier, true, colorless);
        assert!(plain.data() == asked.data(), "{tier:?}");
        // Of the first two fragments the second is nearer than what is there; it takes both to be counted.
        assert_eq!(heard.verdicts, [1, 4, 0, 0, 0, 1], "{tier:?}");
    }
}

#[test]
fn no_fragment_is_judged_past_the_deadline() {
    let mut m = ready_on(Machine::with(&Options::new(TierMode::InterpreterOnly, 1)));
    let heard = Arc::new(Mutex::new(Vec::new()));
    m.gpu.set_observer(Some(Box::new(Late(heard.clone()))));
    let [a, b, c, d] = rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, [1.0, 0.0, 0.0, 1.0]);
    vertices(&mut m, &[a, b, c, c, b, d]);
    draw(&mut m, Topology::Triangles, 0, 6);
    m.gpu.set_observer(None);
    assert_eq!(*heard.lock().unwrap(), [false, false]);
    assert_eq!(pixel(&mut m, 9, 9), [255, 0, 0, 255]);
}
