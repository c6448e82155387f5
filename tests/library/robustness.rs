//! No file and no guest makes the library fail: broken captures are errors, what a guest does wrong is a fault, memory
//! that is not mapped stays as it is, and everything ends.
//!
//! Cases are named by seeds as in `tests/differential`: `TRIGLYPH_CASES` (2,000 is the default amount of each kind),
//! `TRIGLYPH_SEED`, `TRIGLYPH_CASE`.

mod arena;
mod guest;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arena::{Arena, Machine};
use triglyph::capture::{Checks, Limits, Player, Reader};
use triglyph::{Error, Machine as Model, Options, Tier, new_device};
use triglyph_capture::format;
use triglyph_testkit::data::file;
use triglyph_testkit::number::setting;
use triglyph_testkit::random::Random;

/// Runs a check on the seeds of a kind; a failure names its seed. `share` cases of 2,000 are the default.
fn for_each_seed(share: u64, check: impl Fn(u64)) {
    if std::env::var_os("TRIGLYPH_CASE").is_some() {
        return check(setting("TRIGLYPH_CASE", 0));
    }
    let first = setting("TRIGLYPH_SEED", 1);
    for number in 0..(setting("TRIGLYPH_CASES", 2_000) * share / 2_000).max(1) {
        let seed = first.wrapping_add(number);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(seed))) {
            eprintln!("to run this case alone: TRIGLYPH_CASE={seed}");
            resume_unwind(panic);
        }
    }
}

/// A bundled capture that has every kind of record of its machine but HASH.
fn capture() -> Vec<u8> {
    std::fs::read(file("captures/3ds/28-render-to-texture.tgc")).expect("a bundled capture")
}

/// Decodes and plays a file, which may be broken in any way.
fn play(bytes: &[u8]) -> Result<(), Error> {
    let limits = Limits::default().with_payload(64 << 20).with_total(128 << 20);
    let reader = Reader::with_limits(bytes, limits)?;
    let mut device = new_device(reader.header().machine, &Options::new(Tier::InterpreterOnly, 1))?;
    Player::new(&reader, Checks::ALL).run(&mut *device)
}

/// Decodes all records of a file without playing them.
fn decode(bytes: &[u8]) -> Result<usize, Error> {
    let limits = Limits::default().with_payload(64 << 20).with_total(128 << 20);
    let reader = Reader::with_limits(bytes, limits)?;
    let mut records = 0;
    for entry in reader.records() {
        entry?;
        records += 1;
    }
    Ok(records)
}

/// Where records begin, and the end of the file.
fn boundaries(bytes: &[u8]) -> Vec<usize> {
    let reader = Reader::new(bytes).expect("a capture");
    let starts = reader.raw_records().map(|record| record.expect("a sound record").offset as usize);
    starts.chain([bytes.len()]).collect()
}

#[test]
fn a_capture_may_end_after_any_record_and_nowhere_else() {
    let bytes = capture();
    let boundaries = boundaries(&bytes);
    assert!(boundaries.len() > 20, "the capture has records to cut between");
    let mut cuts: Vec<usize> =
        boundaries.iter().flat_map(|&at| [at, at + 1, at + 8, at + 15, at + 16, at + 17]).collect();
    cuts.extend((0..format::HEADER_SIZE).chain((0..bytes.len()).step_by(997)));
    for cut in cuts.into_iter().filter(|&cut| cut <= bytes.len()) {
        let result = decode(&bytes[..cut]);
        match boundaries.iter().position(|&at| at == cut) {
            Some(records) => assert_eq!(result.expect("whole records"), records, "cut at {cut}"),
            None if cut < format::HEADER_SIZE => {
                assert!(matches!(result, Err(Error::Header { .. })), "cut at {cut}: {result:?}");
            }
            // An error says where the broken record begins.
            None => match result.expect_err("half a record") {
                Error::Capture { record, offset, .. } => {
                    assert!(offset as usize <= cut && boundaries[record] == offset as usize, "cut at {cut}");
                }
                other => panic!("cut at {cut}: {other}"),
            },
        }
    }
}

#[test]
fn lengths_that_lie_are_errors() {
    let bytes = capture();
    let boundaries = boundaries(&bytes);
    for &start in &boundaries[..boundaries.len() - 1] {
        let rest = (bytes.len() - start - format::HEADER_SIZE) as u64;
        for length in [rest + 1, rest + 8, 1 << 32, 1 << 40, u64::MAX - 7, u64::MAX] {
            let mut broken = bytes.clone();
            broken[start + 8..start + 16].copy_from_slice(&length.to_le_bytes());
            let error = decode(&broken).expect_err("a record that is longer than the file");
            assert!(matches!(error, Error::Capture { offset, .. } if offset as usize == start), "{length:#x}: {error}");
        }
    }
}

#[test]
fn broken_payloads_are_errors() {
    let bytes = capture();
    let mut compressed = 0;
    for record in Reader::new(&bytes).expect("a capture").raw_records() {
        let record = record.expect("a sound record");
        let payload = record.offset as usize + format::HEADER_SIZE;
        let mut broken = bytes.clone();
        if record.encoding == format::ENCODING_ZSTD {
            // The frame's magic.
            broken[payload] ^= 0xFF;
            assert!(decode(&broken).is_err(), "record {}", record.index);
            compressed += 1;
        }
        // An encoding that does not exist.
        let mut broken = bytes.clone();
        broken[record.offset as usize + 4] = 9;
        assert!(decode(&broken).is_err(), "record {}", record.index);
    }
    assert!(compressed > 0, "the capture has compressed records");
}

#[test]
fn bombs_do_not_explode() {
    // A frame of zeros that decodes to more than is allowed.
    let zeros = zstd_bomb(1 << 20);
    let mut writer = triglyph::capture::Writer::new(
        Vec::new(),
        triglyph::capture::Header::new(Model::N3ds),
        triglyph::capture::Compression::None,
    )
    .expect("a header");
    writer.submit(&[0; 32]).expect("memory takes everything");
    let mut bytes = writer.finish().expect("memory takes everything");
    let start = bytes.len();
    bytes.extend(5u32.to_le_bytes());
    bytes.extend(format::ENCODING_ZSTD.to_le_bytes());
    bytes.extend((zeros.len() as u64).to_le_bytes());
    bytes.extend(&zeros);
    bytes.resize(bytes.len().next_multiple_of(format::ALIGNMENT), 0);
    let reader =
        Reader::with_limits(&bytes, Limits::default().with_payload(4096).with_total(1 << 20)).expect("a header");
    let error = reader.records().nth(1).expect("a second record").expect_err("too large");
    assert!(matches!(error, Error::Capture { record: 1, offset, .. } if offset as usize == start), "{error}");
}

/// One zstd frame of `size` zeros, as the library's own writer makes it.
fn zstd_bomb(size: usize) -> Vec<u8> {
    let header = triglyph::capture::Header::new(Model::N3ds);
    let mut writer =
        triglyph::capture::Writer::new(Vec::new(), header, triglyph::capture::Compression::Zstd(3)).expect("a header");
    writer.record(format::KIND_SKIPPABLE, &[&vec![0; size]]).expect("memory takes everything");
    let bytes = writer.finish().expect("memory takes everything");
    let record = Reader::new(&bytes).expect("a capture").raw_records().next().expect("a record").expect("sound");
    assert_eq!(record.encoding, format::ENCODING_ZSTD);
    record.stored.to_vec()
}

#[test]
fn captures_with_wrong_bytes_play_or_are_errors() {
    let bytes = capture();
    let boundaries = boundaries(&bytes);
    for_each_seed(300, |seed| {
        let mut random = Random::new(seed);
        let mut broken = bytes.clone();
        for _ in 0..1 + random.below(4) {
            // Half of them among headers and the fixed parts of payloads, where numbers are.
            let at = match random.one_in(2) {
                true => random.below(bytes.len() as u32) as usize,
                false => random.pick(&boundaries[..boundaries.len() - 1]) + random.below(48) as usize,
            };
            let Some(byte) = broken.get_mut(at) else { continue };
            *byte = if random.one_in(2) { random.word() as u8 } else { *byte ^ 1 << random.below(8) };
        }
        if let Err(error) = play(&broken) {
            assert!(!error.to_string().is_empty());
        }
    });
}

#[test]
fn what_is_no_capture_is_an_error() {
    for_each_seed(2_000, |seed| {
        let mut random = Random::new(seed);
        let length = random.below(400) as usize;
        let mut bytes = random.bytes(length);
        assert!(play(&bytes).is_err(), "random bytes");
        // After a sound header.
        let header = triglyph::capture::Header::new(random.pick(&[Model::N3ds, Model::Ps3, Model::TegraX1]));
        bytes.splice(0..0, header.to_bytes());
        let _ = decode(&bytes);
    });
}

/// Runs the same work on two machines whose surroundings differ, and checks that they end up equal.
fn on_both(work: impl Fn(&mut Machine<'_>)) {
    let mut arenas = [Arena::new(0xA5), Arena::new(0x5A)];
    let mut memories = Vec::new();
    let mut faults = Vec::new();
    for (arena, (tier, threads)) in arenas.iter_mut().zip([(Tier::InterpreterOnly, 1), (Tier::JitOnly, 2)]) {
        let mut machine = arena.machine(tier, threads);
        work(&mut machine);
        faults.push(machine.faults());
        arena.check();
        memories.push(arena.contents());
    }
    assert_eq!(faults[0], faults[1], "both tiers count the same faults");
    // What lies around mapped memory differs between the two: had it been read, it would show.
    assert!(memories[0] == memories[1], "both tiers leave the same bytes");
}

#[test]
fn command_lists_of_random_words() {
    for_each_seed(400, |seed| on_both(|machine| guest::random_words(machine, &mut Random::new(seed))));
}

#[test]
fn command_lists_of_valid_packets_with_random_values() {
    for_each_seed(200, |seed| on_both(|machine| guest::random_packets(machine, &mut Random::new(seed))));
}

#[test]
fn draws_with_random_state_around_them() {
    for_each_seed(300, |seed| on_both(|machine| guest::random_draws(machine, &mut Random::new(seed))));
}

#[test]
fn draws_with_random_microcode() {
    for_each_seed(200, |seed| on_both(|machine| guest::random_microcode(machine, &mut Random::new(seed))));
}

#[test]
fn commands_of_random_words() {
    for_each_seed(600, |seed| on_both(|machine| guest::random_commands(machine, &mut Random::new(seed))));
}

#[test]
fn lists_that_jump_for_ever_end() {
    on_both(guest::endless_jumps);
}

#[test]
fn draws_of_a_million_vertices_end() {
    on_both(guest::huge_counts);
}

#[test]
fn draws_of_programs_without_end_end() {
    on_both(guest::endless_programs);
}
