//! A capture of ten thousand draws in one submission: any of them is reached by executing few commands.
#![allow(missing_docs, reason = "test code, never published")]

use std::time::{Duration, Instant};

use triglyph::GuestAddr;
use triglyph::capture::{Compression, Mem, Reader, Record, Writer};
use triglyph_inspect::{Ask, Moment, Session, SessionOptions, surfaces_of};
use triglyph_testkit::data::captures;
use triglyph_testkit::random::Random;

/// Frames of 400 draws each in the one list.
const FRAMES: usize = 25;
/// Where the list goes: memory that the capture leaves alone.
const LIST: u32 = 0x2080_0000;
/// The device's addresses of the same memory.
const LINEAR: u32 = 0x1000_0000;
/// The words that end a list: a write of IRQ_REQ.
const END: [u32; 2] = [0x1234_5678, 0x000F_0010];

/// The first frame's list of 22-city, without its end.
fn frame(memory: &Mem<'_>, size: usize) -> Vec<u8> {
    let end: Vec<u8> = END.iter().flat_map(|word| word.to_le_bytes()).collect();
    let list = &memory.bytes[..size];
    let at = list.chunks_exact(8).position(|pair| pair == end).expect("an end of the list");
    list[..8 * at].to_vec()
}

/// 22-city, its first frame again and again in one list.
fn large_capture() -> Vec<u8> {
    let path = captures("3ds").into_iter().find(|path| path.ends_with("22-city.tgc")).unwrap();
    let file = std::fs::read(path).unwrap();
    let reader = Reader::new(&file).unwrap();
    let mut writer = Writer::new(Vec::new(), reader.header(), Compression::None).unwrap();
    let mut lists = Vec::new();
    for entry in reader.records() {
        match entry.unwrap().record {
            Record::Map(map) => writer.map(&map).unwrap(),
            Record::Mem(memory) => {
                writer.mem(memory.at, &memory.bytes).unwrap();
                lists.push((memory.at.address as u32, memory));
            }
            Record::Submit(words) => {
                let word = |at: usize| u32::from_le_bytes(words[4 * at..4 * at + 4].try_into().unwrap());
                if word(0) & 0xFF != 1 {
                    // Clears come before.
                    writer.submit(&words).unwrap();
                    continue;
                }
                let (start, size) = (word(1) - LINEAR, word(2) as usize);
                let (_, memory) = lists.iter().find(|(at, _)| *at == start).unwrap();
                let frame = frame(memory, size);
                let mut list = frame.repeat(FRAMES);
                list.extend(END.iter().flat_map(|word| word.to_le_bytes()));
                list.resize(list.len().next_multiple_of(16), 0);
                writer.mem(GuestAddr::new(0, LIST.into()), &list).unwrap();
                let mut command = words.to_vec();
                command[4..8].copy_from_slice(&(LIST + LINEAR).to_le_bytes());
                command[8..12].copy_from_slice(&(list.len() as u32).to_le_bytes());
                writer.submit(&command).unwrap();
                break;
            }
            _ => {}
        }
    }
    writer.finish().unwrap()
}

#[test]
fn any_of_ten_thousand_events_is_reached_by_few_commands() {
    let capture = large_capture();
    let options = SessionOptions::default();
    let start = Instant::now();
    let mut session = Session::open(&capture, &options).unwrap();
    let opened = start.elapsed();
    let count = session.events().len();
    assert!(count > 400 * FRAMES, "{count} events");
    // From a checkpoint to the event, and on to the end of the bounded run that it is in. A draw has 37 words.
    let bound = 2 * options.max_commands + options.run_words / 16;
    let surface = surfaces_of(session.events())[0];
    let ask = Ask { registers: true, ranges: vec![surface.range()] };
    let mut random = Random::new(1);
    let (mut most, mut longest, mut inputs) = (0, Duration::ZERO, Duration::ZERO);
    for event in (0..40).map(|_| random.below(count as u32) as usize).chain([0, count - 1]) {
        let start = Instant::now();
        session.show(event, Moment::After, ask.clone()).unwrap();
        longest = longest.max(start.elapsed());
        most = most.max(session.replayed());
        let start = Instant::now();
        let found = session.inputs(event, None).unwrap();
        inputs = inputs.max(start.elapsed());
        most = most.max(session.replayed());
        assert_eq!(found.meshes.is_empty(), session.events()[event].draws().count() == 0);
    }
    let (checkpoints, bytes) = session.checkpoints();
    println!(
        "{count} events, opened in {opened:?}; {checkpoints} checkpoints of {bytes} bytes; a picture at most \
         {longest:?}, what goes into a draw {inputs:?}, {most} commands"
    );
    assert!(most <= bound, "{most} commands of {bound}");
    assert!(bytes <= options.checkpoint_bytes);
}

#[test]
fn large_captures_show_the_same_with_and_without_checkpoints_inside() {
    let capture = large_capture();
    // By no time that it takes are there others than the one at its start.
    let whole = SessionOptions {
        longest_run: Duration::MAX,
        max_commands: u64::MAX,
        checkpoint_worth: 1 << 20,
        ..SessionOptions::default()
    };
    let mut sessions = [SessionOptions::default(), whole].map(|options| Session::open(&capture, &options).unwrap());
    let [inside, outside] = sessions.each_ref().map(|session| session.checkpoints().0);
    assert!(inside > outside + 3, "{inside} and {outside}");
    let surfaces = surfaces_of(sessions[0].events());
    let ask = Ask { registers: true, ranges: surfaces.iter().map(|surface| surface.range()).collect() };
    let event = 7001;
    let [a, b] = sessions.each_mut().map(|session| session.show(event, Moment::After, ask.clone()).unwrap());
    assert!(a == b);
    let [a, b] = sessions.each_mut().map(|session| session.primitives(event).unwrap());
    assert!(a == b && !a.is_empty());
}
