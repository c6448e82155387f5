//! Comparing runs: a planted register word is found where it first shows, and tiers are equal.
#![allow(missing_docs, reason = "test code, never published")]

use triglyph::Tier;
use triglyph::capture::{Compression, Kind, Reader, Writer};
use triglyph_inspect::{
    Comparison, Event, Outcome, PageOptions, Server, Session, SessionOptions, first_difference, first_unlike, hashes,
};
use triglyph_testkit::data::capture;

/// Packets for registers of the fragment stages and for float uniforms: the place of each one's first word, as its
/// record and the byte in the payload.
fn register_words(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (number, record) in Reader::new(bytes).unwrap().raw_records().enumerate() {
        let record = record.unwrap();
        if record.known_kind() != Some(Kind::Mem) {
            continue;
        }
        let payload = record.decode(u64::MAX).unwrap();
        for (at, word) in payload.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).enumerate() {
            // A header: the register, all four bytes of its words.
            let is_known = matches!(word & 0xFFFF, 0x80..0x120 | 0x2C1);
            if is_known && word >> 16 & 15 == 15 && word >> 31 == 0 && at > 0 {
                found.push((number, 4 * (at - 1)));
            }
        }
    }
    found
}

/// The capture with one word changed.
fn planted(bytes: &[u8], (number, at): (usize, usize)) -> Vec<u8> {
    let reader = Reader::new(bytes).unwrap();
    let mut writer = Writer::new(Vec::new(), reader.header(), Compression::None).unwrap();
    for (index, record) in reader.raw_records().enumerate() {
        let record = record.unwrap();
        let mut payload = record.decode(u64::MAX).unwrap().into_owned();
        if index == number {
            payload[at + 2] ^= 0x10;
        }
        writer.record(record.kind, &[&payload]).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_planted_register_word_is_found_to_the_event() {
    let bytes = capture("3ds/22-city");
    let words = register_words(&bytes);
    assert!(words.len() > 100, "{} words", words.len());
    let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
    let truth = hashes(&mut session).unwrap();
    let count = session.events().len();
    let mut found = 0;
    for place in words.iter().skip(words.len() / 2).take(8) {
        let changed = planted(&bytes, *place);
        let mut other = Session::open(&changed, &SessionOptions::default()).unwrap();
        let others = hashes(&mut other).unwrap();
        let expected = truth.events.iter().zip(&others.events).position(|(a, b)| a != b);
        let difference = first_difference(&mut session, &mut other).unwrap().first;
        assert_eq!(difference.as_ref().map(|difference| difference.event), expected, "{place:?}");
        let Some(difference) = difference else { continue };
        found += 1;
        assert!(difference.event > 0 && difference.event < count - 1);
        // Two looks for each halving, and those that say where to begin.
        assert!(difference.looks <= 16, "{} looks at {count} events", difference.looks);
        assert!(!difference.what.is_empty());
        // The same by the file of the other build's hashes.
        let by_file = first_unlike(&mut session, &others).unwrap().first.unwrap();
        assert_eq!(Some(by_file.event), expected);
    }
    assert!(found >= 2, "{found} of 8 words make a difference");
    assert_eq!(first_unlike(&mut session, &truth).unwrap(), Outcome::default());
}

#[test]
fn tiers_are_equal_and_pages_say_so() {
    for name in ["3ds/23-lighting", "rsx/10-stencil", "tegra/10-stencil"] {
        let bytes = capture(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let mut options = SessionOptions::default();
        options.device.tier = Tier::InterpreterOnly;
        let mut other = Session::open(&bytes, &options).unwrap();
        let Outcome { first, left_out } = first_difference(&mut session, &mut other).unwrap();
        assert_eq!((&first, left_out.len()), (&None, 0), "{name}");
        let drawn = session.events().iter().filter(|event| event.surfaces().count() > 0);
        let event = drawn.map(|event: &Event| event.number).next().unwrap();
        let comparison = Comparison { other: "the interpreter".to_owned(), has_pictures: true, first, left_out };
        let options = PageOptions { comparison: Some(comparison), ..PageOptions::default() };
        let mut server = Server::new(session, &options).unwrap().with_other(other);
        let page = String::from_utf8(server.answer("").unwrap().bytes).unwrap();
        assert!(page.contains("\"other\":\"the interpreter\""), "{name}");
        let own = server.answer(&format!("picture/{event}/0/after")).unwrap();
        assert_eq!(server.answer(&format!("other/{event}/0/after")), Ok(own), "{name}");
    }
}
