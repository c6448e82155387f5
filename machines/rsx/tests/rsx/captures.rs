//! Recorded programs in both modes: HASH records of copies and uploads hold, pictures are alike. They differ in the
//! last places, as the modes' arithmetic does, and where one level of a texture ends and the next one begins.

use crate::support::new;
use triglyph_capture::{CaptureFile, Checks, Event, Picture, Player, Reader};
use triglyph_engine::Device;
use triglyph_engine::device::Machine;
use triglyph_rsx::RsxMode;
use triglyph_testkit::data::all_captures;

/// Share of pixels with a channel that is more than two steps from that of another picture.
fn share_of_differing(a: &Picture, b: &Picture) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let differs = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 2);
    let pixels = a.rgba.chunks(4).zip(b.rgba.chunks(4));
    pixels.filter(differs).count() as f64 / f64::from(a.width * a.height)
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
            let checks = Checks::PICTURES.with_hashes(true);
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
            let share = share_of_differing(exact, fast);
            assert!(share < 0.005, "{}: the modes draw different pictures, {share} of their pixels", path.display());
        }
    }
    assert!(checked >= 2 * 34, "{checked} hashes");
}
