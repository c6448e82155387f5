//! Captures of real programs can be read: the bundled ones, and those of the folder that `TRIGLYPH_CAPTURES` names.

use std::path::{Path, PathBuf};

use crate::*;

fn captures(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            captures(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "tgc") {
            found.push(path);
        }
    }
}

#[test]
fn real_captures_parse_and_survive_being_written_again() {
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures");
    let further = std::env::var_os("TRIGLYPH_CAPTURES").map(PathBuf::from);
    for folder in [Some(bundled), further].into_iter().flatten() {
        let mut paths = Vec::new();
        captures(&folder, &mut paths);
        assert!(!paths.is_empty(), "no captures under {}", folder.display());
        paths.iter().for_each(|path| survives(path));
    }
}

/// Reads a capture, checks that its records are about mapped memory, and writes it again.
fn survives(path: &Path) {
    let file = CaptureFile::open(path).unwrap();
    let reader = Reader::new(&file).unwrap();
    let prepared = Prepared::new(&reader).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(!prepared.frames().is_empty(), "{}", path.display());
    let mut maps = Ranges::default();
    for entry in prepared.entries() {
        match &entry.record {
            Record::Map(map) => maps.insert(map.range, map.access),
            Record::Mem(mem) => assert!(maps.covers(mem.at.range(mem.bytes.len() as u64))),
            Record::Hash(hash) => assert!(maps.covers(hash.range)),
            Record::Present(present) => {
                assert!(maps.covers(present.at.range(Picture::extent(present).unwrap() as u64)))
            }
            Record::Expect(expect) => {
                let expected = Expected::decode(expect).unwrap();
                assert!(expected.compare(&expected.picture).ok);
            }
            _ => {}
        }
    }
    let records: Vec<_> = prepared.entries().iter().map(|entry| entry.record.clone()).collect();
    let again = super::round_trip::write(reader.header(), Compression::None, &records);
    let again = Prepared::new(&Reader::new(&again).unwrap()).unwrap();
    assert_eq!(again.entries().len(), records.len());
}
