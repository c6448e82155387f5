//! Broken files give errors with their position, and never panics.

use super::mock::{Mock, fill};
use super::round_trip::write;
use crate::*;
use triglyph_engine::device::{Access, Machine};
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange};

const MAP: Record<'static> = Record::Map(Map { range: GuestRange::new(0, 0x1000, 0x100), access: Access::READ_WRITE });

fn small(compression: Compression) -> Vec<u8> {
    let present = Present {
        at: GuestAddr::new(0, 0x1000),
        format: 1,
        width: 2,
        height: 2,
        pitch: 8,
        layout: 2,
        label: "top".to_owned(),
    };
    let picture = Picture { width: 2, height: 2, rgba: [4, 3, 2, 1].repeat(4) };
    let png = picture.to_png(true).unwrap();
    let records = [
        Record::Meta(Meta::new().with("name", "small").with("source", "a test")),
        MAP,
        Record::Mem(Mem { at: GuestAddr::new(0, 0x1010), bytes: vec![7; 0x80].as_slice().into() }.clone_owned()),
        Record::Submit(Bytes::new(fill(0x1000, 0x1010, 0x0403_0201).into(), 0)),
        Record::Present(present),
        Record::Expect(Expect { tolerance: 0, permille: 0, png: png.as_slice().into() }),
        Record::Hash(Hash { range: GuestRange::new(0, 0x1020, 5), xxh3: xxhash_rust::xxh3::xxh3_64(&[7; 5]) }),
    ];
    write(Header::new(Machine::N3ds), compression, &records)
}

impl Mem<'_> {
    fn clone_owned(&self) -> Mem<'static> {
        Mem { at: self.at, bytes: Bytes::new(self.bytes.to_vec().into(), 0) }
    }
}

fn read_all(file: &[u8]) -> Result<usize, Error> {
    Reader::new(file)?.records().try_fold(0, |count, entry| entry.map(|_| count + 1))
}

/// A capture of one record after a MAP, stored exactly as given.
fn with_record(machine: Machine, kind: u32, encoding: u32, payload: &[u8]) -> Vec<u8> {
    let mut file = write(Header::new(machine), Compression::None, &[MAP]);
    file.extend([kind, encoding].into_iter().flat_map(u32::to_le_bytes));
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(payload);
    file.resize(file.len().next_multiple_of(8), 0);
    file
}

#[track_caller]
fn refused(file: &[u8], at: usize, why: &str) {
    match read_all(file) {
        Err(Error::Capture { record, offset, what }) => {
            assert_eq!((record, offset), (at, if at == 0 { 16 } else { 56 }), "{what}");
            assert!(what.contains(why), "{what:?} does not say {why:?}");
        }
        other => panic!("{other:?} instead of {why:?}"),
    }
}

#[test]
fn every_truncation_is_an_error_or_ends_between_records() {
    for compression in [Compression::None, Compression::Zstd(3)] {
        let file = small(compression);
        let total = read_all(&file).unwrap();
        let reader = Reader::new(&file).unwrap();
        let borders: Vec<_> = reader.raw_records().map(|raw| raw.unwrap().offset as usize).collect();
        for length in 0..file.len() {
            match read_all(&file[..length]) {
                Ok(count) => assert_eq!(borders.get(count), Some(&length)),
                Err(Error::Header { .. }) => assert!(length < 16),
                Err(Error::Capture { record, offset, .. }) => {
                    assert!(record < total && offset as usize == borders[record], "{length}");
                    assert!(!borders.contains(&length));
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn headers() {
    let good = small(Compression::None);
    for (at, value) in [(0, b'X'), (4, 2), (4, 0), (8, 0), (8, 4), (12, 2), (15, 1)] {
        let mut file = good.clone();
        file[at] = value;
        assert!(matches!(Reader::new(&file), Err(Error::Header { .. })), "{at}");
    }
}

#[test]
fn lying_lengths() {
    for length in [9, 64, u64::from(u32::MAX), u64::MAX, u64::MAX - 7, i64::MAX as u64] {
        let mut file = with_record(Machine::N3ds, 0x8000_0000, 0, &[0; 8]);
        file[64..72].copy_from_slice(&length.to_le_bytes());
        refused(&file, 1, "truncated");
    }
    let mut file = with_record(Machine::N3ds, 0x8000_0000, 0, &[1; 8]);
    file[64] = 5;
    refused(&file, 1, "padding");
}

#[test]
fn kinds_and_encodings() {
    refused(&with_record(Machine::N3ds, 9, 0, &[]), 1, "unknown kind");
    refused(&with_record(Machine::N3ds, 0, 0, &[]), 1, "unknown kind");
    refused(&with_record(Machine::N3ds, 3, 2, &[0; 16]), 1, "encoding");
    assert_eq!(read_all(&with_record(Machine::N3ds, 0x8000_0003, 77, &[1, 2, 3])).unwrap(), 2);
}

#[test]
fn fixed_parts() {
    for kind in Kind::ALL {
        for length in 0..kind.fixed_size() {
            refused(&with_record(Machine::Ps3, kind as u32, 0, &vec![0; length]), 1, "");
        }
    }
    refused(&with_record(Machine::N3ds, 2, 0, &[0; 24]), 1, "size 0");
    let overflowing: Vec<u8> = [u64::MAX, 2, 3].into_iter().flat_map(u64::to_le_bytes).collect();
    refused(&with_record(Machine::N3ds, 2, 0, &overflowing), 1, "past the last address");
    let mut space = [0; 24];
    (space[8], space[16]) = (1, 2);
    refused(&with_record(Machine::N3ds, 2, 0, &space), 1, "no space 2");
    assert!(read_all(&with_record(Machine::Ps3, 2, 0, &space)).is_ok());
    let mut label = [0; 33];
    label[32] = 0xFF;
    refused(&with_record(Machine::N3ds, 6, 0, &label), 1, "UTF-8");
    refused(&with_record(Machine::N3ds, 4, 0, &[0; 32]), 1, "OBJECT");
    let mut reserved = [0; 16];
    reserved[12] = 1;
    refused(&with_record(Machine::N3ds, 3, 0, &reserved), 1, "reserved");
}

#[test]
fn submits_have_their_machines_form() {
    let sizes =
        [(Machine::N3ds, vec![32]), (Machine::Ps3, vec![8, 24, 40]), (Machine::TegraX1, vec![8, 16, 24, 32, 40])];
    for (machine, good) in sizes {
        for size in 0..42 {
            let ok = read_all(&with_record(machine, 5, 0, &vec![0; size])).is_ok();
            assert_eq!(ok, good.contains(&size), "{machine} {size}");
        }
    }
}

#[test]
fn order_of_records() {
    refused(&with_record(Machine::N3ds, 1, 0, b"{}"), 1, "not the first");
    refused(&with_record(Machine::N3ds, 7, 0, &[0; 8]), 1, "follow a PRESENT");
    for meta in ["[]", "{", "\u{0}", "1"] {
        let mut file = Header::new(Machine::N3ds).to_bytes().to_vec();
        file.extend([1, 0, 0, 0, 0, 0, 0, 0, meta.len() as u8, 0, 0, 0, 0, 0, 0, 0]);
        file.extend(meta.as_bytes());
        file.resize(file.len().next_multiple_of(8), 0);
        refused(&file, 0, "META");
    }
}

#[test]
fn zstd_frames() {
    let frame = zstd::bulk::compress(&[9; 5000], 3).unwrap();
    let refused = |payload: &[u8], why| refused(&with_record(Machine::N3ds, 3, 1, payload), 1, why);
    refused(&[], "zstd");
    refused(&[0; 40], "zstd");
    for length in 0..frame.len() {
        refused(&frame[..length], "zstd");
    }
    refused(&[frame.as_slice(), &[0]].concat(), "follow the zstd frame");
    refused(&[frame.clone(), frame.clone()].concat(), "follow the zstd frame");
    let skippable = [0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4];
    refused(&[&skippable, frame.as_slice()].concat(), "zstd");
}

#[test]
fn a_frame_cannot_exhaust_memory() {
    let limits = Limits { payload: 1 << 20, total: 1 << 20 };
    let last = |file: &[u8]| {
        let entry = Reader::with_limits(file, limits).unwrap().records().last().unwrap();
        entry.map(|entry| entry.index)
    };
    // One that says how large it is, and one that does not.
    let bomb = vec![0; 3 << 20];
    let said = zstd::bulk::compress(&bomb, 3).unwrap();
    let unsaid = zstd::stream::encode_all(bomb.as_slice(), 3).unwrap();
    for frame in [said.clone(), unsaid] {
        let error = last(&with_record(Machine::N3ds, 3, 1, &frame)).unwrap_err();
        assert!(error.to_string().contains("larger than"), "{error}");
    }
    // One that claims four exabytes and holds little.
    let mut lying = zstd::bulk::compress(&vec![5; 100_000], 3).unwrap();
    assert_eq!(lying[4] >> 6, 2, "a four-byte content size");
    lying[5..9].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = last(&with_record(Machine::N3ds, 3, 1, &lying)).unwrap_err();
    assert!(error.to_string().contains("larger than"), "{error}");
    // Several that are too much together only.
    let frame = zstd::bulk::compress(&[&0u64.to_le_bytes()[..], &[0; 8], &[1; 600_000]].concat(), 3).unwrap();
    let mut file = with_record(Machine::N3ds, 3, 1, &frame);
    let record = file[56..].to_vec();
    assert!(Prepared::new(&Reader::with_limits(&file, limits).unwrap()).is_ok());
    file.extend(record);
    let error = Prepared::new(&Reader::with_limits(&file, limits).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Capture { record: 2, .. }), "{error}");
}

#[test]
fn mutated_files_never_panic() {
    let files = [small(Compression::None), small(Compression::Zstd(3))];
    arbtest::arbtest(|u| {
        let mut file = u.choose(&files)?.clone();
        for _ in 0..u.int_in_range(1..=4)? {
            let at = u.choose_index(file.len())?;
            file[at] = u.arbitrary()?;
        }
        if let Ok(reader) = Reader::new(&file) {
            let mut mock = Mock::new(reader.header().machine);
            // Its own fills would be as large as the mutation says.
            let mut player = Player::new(&reader, Checks::ALL);
            let tame = reader.records().all(|entry| !matches!(entry, Ok(e) if matches!(&e.record, Record::Submit(s) if **s != *fill(0x1000, 0x1010, 0x0403_0201))));
            while tame && matches!(player.next(&mut mock), Ok(Some(_))) {}
        }
        Ok(())
    })
    .budget_ms(1000);
}

#[test]
fn the_small_capture_is_good() {
    for compression in [Compression::None, Compression::Zstd(3)] {
        let file = small(compression);
        let mut player = Player::new(&Reader::new(&file).unwrap(), Checks::ALL);
        let mut mock = Mock::new(Machine::N3ds);
        let mut checked = 0;
        while let Some(event) = player.next(&mut mock).unwrap() {
            match event {
                Event::Picture(finished) => {
                    assert!(finished.expectation.unwrap().1.ok);
                    checked += 1;
                }
                Event::Hash(hashed) => {
                    assert!(hashed.ok());
                    checked += 1;
                }
                Event::Submitted { record } => assert_eq!(record, 3),
            }
        }
        assert_eq!(checked, 2);
    }
}
