//! Push buffers of the Tegra X1: documented streams, every form of header there and back.

use serde_json::Value;
use triglyph_guest::tegra::fifo::{
    Command, Control, Entry, Event, Run, Segment, Stepping, Stream, SubDevice, host, lines,
};
use triglyph_guest::tegra::methods::Effect;
use triglyph_testkit::data::vectors;
use triglyph_testkit::random::words;

const VECTORS: &str = "tegra/vectors/pushbuffer.json";

fn hex(value: &Value) -> u64 {
    let text = value.as_str().expect("a number in quotes");
    u64::from_str_radix(text.strip_prefix("0x").expect("hexadecimal"), 16).expect("a number")
}

#[test]
fn documented_entries_decode_and_come_back() {
    for entry in &vectors(VECTORS, "gpfifo_entries", 5) {
        let bits = hex(&entry["u64"]);
        assert_eq!(bits, hex(&entry["word0"]) | hex(&entry["word1"]) << 32);
        let decoded = Entry::decode(bits);
        let sync = entry["sync"] == 1;
        let expected = if entry["control"] == true {
            Entry::Control { operation: Control::Nop, sync }
        } else {
            Entry::Segment(Segment {
                address: hex(&entry["address"]),
                words: entry["words"].as_u64().expect("a number") as u32,
                sync,
                subroutine: entry["level"] == 1,
                conditional: false,
            })
        };
        assert_eq!(decoded, expected);
        assert_eq!(decoded.encode(), bits);
    }
}

#[test]
fn random_entries_come_back() {
    let mut rng = words(1);
    for _ in 0..10_000 {
        let bits = u64::from(rng()) << 32 | u64::from(rng());
        let bits = if rng() & 3 == 0 { bits & 0x8000_03FF_FFFF_FFFF } else { bits };
        let entry = Entry::decode(bits);
        assert_eq!(Entry::decode(entry.encode()), entry);
        // Bit 1 is reserved and the privilege bit has no use.
        if let Entry::Segment(_) = entry {
            assert_eq!(entry.encode(), bits & !(1 << 40 | 2));
        }
    }
}

/// What a case of the vectors makes.
struct Outcome {
    /// Subchannel, method, datum.
    writes: Vec<(u32, u32, u32)>,
    /// How each segment ended.
    endings: Vec<&'static str>,
    pending: u32,
}

fn run(segments: &Value) -> Outcome {
    let mut stream = Stream::default();
    let (mut writes, mut endings) = (Vec::new(), Vec::new());
    for segment in segments.as_array().expect("a list") {
        let mut ending = "ok";
        for word in segment.as_array().expect("a list") {
            match stream.word(hex(word) as u32) {
                Event::None => {}
                Event::Write(write) => writes.push((write.subchannel, write.method, write.data)),
                Event::EndSegment => ending = "end_pb_segment",
                Event::Malformed => ending = "error",
            }
            if ending != "ok" {
                break;
            }
        }
        endings.push(ending);
    }
    Outcome { writes, endings, pending: stream.pending_words() }
}

#[test]
fn documented_streams_give_their_writes() {
    for case in &vectors(VECTORS, "streams", 25) {
        let Outcome { writes, endings, pending } = run(&case["segments"]);
        let expected: Vec<_> = case["writes"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|w| (w["subchannel"].as_u64().unwrap() as u32, hex(&w["method"]) as u32, hex(&w["data"]) as u32))
            .collect();
        assert_eq!(writes, expected, "{}", case["name"]);
        let statuses: Vec<_> = case["segment_status"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
        assert_eq!(endings, statuses, "{}", case["name"]);
        assert_eq!(u64::from(pending), case["pending_words_after"].as_u64().unwrap(), "{}", case["name"]);
    }
}

#[test]
fn every_form_of_header_comes_back() {
    let mut rng = words(2);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..50_000 {
        let word = rng();
        let command = Command::decode(word);
        let Some(again) = command.encode() else {
            assert!(word >> 29 == 6 || word >> 29 == 2 && word >> 16 & 3 != 0, "{word:#010x}");
            continue;
        };
        seen.insert(word >> 29 << 2 | if word >> 29 == 0 { word >> 16 & 3 } else { 0 });
        assert_eq!(Command::decode(again), command);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 8, 12, 16, 20, 28]);
    assert_eq!(Command::decode(0), Command::Nop);
    let once = Run { subchannel: 0, method: 0, count: 1, stepping: Stepping::Once };
    assert_eq!(Command::Legacy(once).encode(), None);
    assert_eq!(Command::SubDevice(SubDevice::Use).encode(), Some(0x0003_0000));
}

#[test]
fn the_last_word_of_a_run_is_known() {
    let mut stream = Stream::default();
    let mut lasts = Vec::new();
    for word in [0xA003_0E10, 7, 8, 9, 0x8000_0044] {
        if let Event::Write(write) = stream.word(word) {
            lasts.push((write.method, write.last));
        }
    }
    assert_eq!(lasts, [(0xE10, false), (0xE11, false), (0xE11, true), (0x044, true)]);
}

#[test]
fn text_names_methods() {
    let name = |subchannel: u32, method: u32| format!("{subchannel}:{method:03x}");
    let words = [0x2002_4200, 5, 6, 0xA001_0E10, 1, 0x9FFF_0E06, 0, 0x0001_FFE0, 0x8000_0044, 0xE000_0000, 0x8000_0044];
    let text = lines(&mut Stream::default(), &words, &name);
    let expected = [
        "20024200 subchannel 2, 2 words from 2:200",
        "00000005   2:200 = 0x5",
        "00000006   2:201 = 0x6",
        "a0010e10 subchannel 0, 1 words to 0:e10, then 0:e11",
        "00000001   0:e10 = 0x1",
        "9fff0e06 subchannel 0, 0:e06 = 0x1fff",
        "00000000 nop",
        "0001ffe0 sub-device mask 0xffe",
        "80000044 subchannel 0, 0:044 = 0x0",
        "e0000000 end of the segment",
        "80000044 ignored",
    ];
    assert_eq!(text, expected);
}

#[test]
fn host_methods_have_their_fields() {
    use host::*;
    let (row, index) = METHODS.info(0x07).expect("the row is there");
    assert_eq!((row.name, index, row.effect), ("SEMAPHORE_D", 0, Effect::Trigger(Trigger::Semaphore)));
    let word = 0x8110_0010 | 5 << 27;
    assert_eq!(semaphore_d::operation(word), Some(SemaphoreOperation::Reduction));
    assert_eq!(semaphore_d::reduction(word), Some(Reduction::Add));
    assert_eq!(semaphore_d::release_size(word), Some(ReleaseSize::FourBytes));
    assert!(semaphore_d::release_wfi_disable(word));
    assert_eq!(semaphore_d::format(word), Some(ReductionFormat::Unsigned));
    assert_eq!(semaphore_d::operation(3), None);
    assert_eq!(syncpoint_b::index(0x0001_1A01), 0x11A);
    assert_eq!(syncpoint_b::operation(0x1A01), Some(SyncpointOperation::Increment));
    assert_eq!(METHODS.named("YIELD").map(|row| row.id), Some(0x20));
    assert!(METHODS.info(0x03).is_none() && METHODS.info(0x1000).is_none());
    assert!(METHODS.rows().iter().all(|row| row.id < END as usize));
}
