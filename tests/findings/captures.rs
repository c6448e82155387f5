//! Draws of the captures among the tests: those that change their targets have no finding that says they could not.

use std::sync::{Arc, Mutex};

use triglyph::capture::{CaptureFile, Checks, Player, Reader};
use triglyph::{CheckedDraw, Severity, Tier, new_device};
use triglyph_testkit::data::captures;

use super::options;

/// The draws of a capture.
fn draws(bytes: &[u8]) -> Vec<CheckedDraw> {
    let reader = Reader::new(bytes).expect("a capture");
    let mut device = new_device(reader.header().machine, &options(Tier::Auto, 2, true)).expect("a device");
    let draws = Arc::new(Mutex::new(Vec::new()));
    let heard = draws.clone();
    device.set_draw_handler(Some(Box::new(move |draw| heard.lock().unwrap().push(draw.clone()))));
    let mut player = Player::new(&reader, Checks::NONE);
    while player.next(&mut *device).expect("a capture that plays").is_some() {}
    device.finish();
    drop(device);
    std::mem::take(&mut *draws.lock().unwrap())
}

#[test]
fn draws_that_write_pixels_are_not_said_to_be_invisible() {
    let (mut wrong, mut changed, mut written) = (String::new(), 0, 0);
    for path in ["3ds", "rsx", "tegra"].into_iter().flat_map(captures) {
        let bytes = CaptureFile::open(&path).expect("a capture");
        for draw in draws(&bytes) {
            let invisible = draw.findings.iter().filter(|finding| finding.kind.severity() == Severity::Invisible);
            changed += usize::from(draw.has_changed);
            written += draw.fragments.written;
            if draw.has_changed {
                invisible.for_each(|finding| wrong += &format!("{}: {finding}\n", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(changed > 50 && written > 1_000_000, "{changed} draws, {written} fragments");
}
