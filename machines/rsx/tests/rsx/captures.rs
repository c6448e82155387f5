//! Recorded programs in both modes: HASH records of copies and uploads hold, pictures are alike. They differ in the
//! last places, as the modes' arithmetic does.

use crate::support::new;
use triglyph_capture::{CaptureFile, Checks, Event, Picture, Player, Reader};
use triglyph_engine::Device;
use triglyph_engine::device::Machine;
use triglyph_rsx::RsxMode;
use triglyph_testkit::data::all_captures;

/// How far a channel of a pixel is from that of another picture at most.
fn largest_difference(a: &Picture, b: &Picture) -> u8 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    a.rgba.iter().zip(&b.rgba).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

#[test]
fn both_modes_leave_the_recorded_bytes_and_the_same_pictures() {
    let mut checked = 0;
    for path in all_captures().0 {
        let file = CaptureFile::open(&path).unwrap();
        let reader = Reader::new(&file).unwrap();
        if reader.header().machine != Machine::Ps3 {
            continue;
        }
        let [exact, fast] = [(RsxMode::Exact, 1), (RsxMode::Fast, 2)].map(|(mode, threads)| {
            let mut gpu = new(threads, mode);
            let checks = Checks { pictures: true, expectations: false, hashes: true };
            let mut player = Player::new(&reader, checks);
            let mut pictures = Vec::new();
            while let Some(event) = player.next(&mut gpu).unwrap() {
                match event {
                    Event::Hash(hash) => {
                        assert!(hash.ok(), "{} record {} in {mode:?} mode", path.display(), hash.record);
                        checked += 1;
                    }
                    Event::Picture(finished) => pictures.extend(finished.picture),
                    _ => {}
                }
            }
            assert_eq!(gpu.faults().total(), 0, "{}: {:?}", path.display(), gpu.faults().first());
            pictures
        });
        assert!(!exact.is_empty() && exact.len() == fast.len(), "{}: {} pictures", path.display(), exact.len());
        for (exact, fast) in exact.iter().zip(&fast) {
            let most = largest_difference(exact, fast);
            assert!(most <= 2, "{}: the modes draw different pictures, {most} of 255 apart", path.display());
        }
    }
    assert!(checked >= 2 * 34, "{checked} hashes");
}
