//! The 2D side of recorded programs: HASH records, in both modes, on one and on two threads.
#![allow(missing_docs)]

mod rsx_support;

use std::path::PathBuf;

use rsx_support::{MODES, data, options};
use triglyph_engine::Device;
use triglyph_engine::capture::{CaptureFile, Checks, Event, Player, Reader};
use triglyph_engine::device::Machine;
use triglyph_engine::rsx::Rsx;

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
fn copies_and_uploads_leave_the_recorded_bytes() {
    let mut checked = 0;
    for path in captures() {
        let file = CaptureFile::open(&path).unwrap();
        let reader = Reader::new(&file).unwrap();
        if reader.header().machine != Machine::Ps3 {
            continue;
        }
        for (mode, threads) in MODES.into_iter().flat_map(|mode| [(mode, 1), (mode, 2)]) {
            let mut gpu = Rsx::new(&options(threads), mode).unwrap();
            let checks = Checks { pictures: false, expectations: false, hashes: true };
            let mut player = Player::new(&reader, checks);
            while let Some(event) = player.next(&mut gpu).unwrap() {
                if let Event::Hash(hash) = event {
                    assert!(hash.ok(), "{} record {} in {mode:?} mode", path.display(), hash.record);
                    checked += 1;
                }
            }
            assert_eq!(gpu.faults().total(), 0, "{}: {:?}", path.display(), gpu.faults().first());
        }
    }
    assert!(checked >= 4 * 17, "{checked} hashes");
}
