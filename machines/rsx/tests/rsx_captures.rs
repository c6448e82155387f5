//! Recorded programs in both modes: HASH records of copies and uploads hold, pictures are the same.
#![allow(missing_docs)]

mod rsx_support;

use std::path::PathBuf;

use rsx_support::{data, new};
use triglyph_capture::{CaptureFile, Checks, Event, Player, Reader};
use triglyph_engine::Device;
use triglyph_engine::device::Machine;
use triglyph_rsx::RsxMode;

/// The PS3's captures of the repository, and of the folder that `TRIGLYPH_CAPTURES` names.
fn captures() -> Vec<PathBuf> {
    let mut folders = vec![data("captures")];
    folders.extend(std::env::var_os("TRIGLYPH_CAPTURES").map(PathBuf::from));
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "tgc") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn both_modes_leave_the_recorded_bytes_and_the_same_pictures() {
    let mut checked = 0;
    for path in captures() {
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
        assert!(!exact.is_empty() && exact == fast, "{}: the modes draw different pictures", path.display());
    }
    assert!(checked >= 2 * 34, "{checked} hashes");
}
