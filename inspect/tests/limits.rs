//! What looking into a capture may take of memory and time.
#![allow(missing_docs, reason = "test code, never published")]

#[path = "shared/city.rs"]
mod city;

use std::time::Duration;

use serde_json::Value;
use triglyph::capture::{Compression, Present, Reader, Record, Writer};
use triglyph_inspect::{
    Ask, Moment, PageLimits, PageOptions, Refusal, Server, Session, SessionOptions, surfaces_of, write_page,
};
use triglyph_testkit::data::captures;

/// Bytes of a page besides its data, and of what goes into its draws and became of their fragments.
const OTHERS: usize = (1 << 20) + (16 << 20);

fn bundled(machine: &str, name: &str) -> Vec<u8> {
    let path = captures(machine).into_iter().find(|path| path.ends_with(name)).unwrap();
    std::fs::read(path).unwrap()
}

fn open<'a>(capture: &'a [u8]) -> Session<'a> {
    Session::open(capture, &SessionOptions::default()).unwrap()
}

fn data_of(page: &str) -> Value {
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

fn limits(limits: PageLimits) -> PageOptions {
    PageOptions { limits, ..PageOptions::default() }
}

#[test]
fn pages_have_a_size() {
    let capture = bundled("3ds", "22-city.tgc");
    let mut session = open(&capture);
    let whole = data_of(&write_page(&mut session, &PageOptions::default()).unwrap().html);
    let mut sizes = Vec::new();
    for bytes in [1 << 10, 100 << 10, 700 << 10] {
        let page = write_page(&mut session, &limits(PageLimits { bytes, ..PageLimits::default() })).unwrap();
        assert!(page.html.len() < bytes + OTHERS, "{} bytes", page.html.len());
        let data = data_of(&page.html);
        let (complete, events) = (data["complete"].as_u64().unwrap() as usize, data["events"].as_array().unwrap());
        assert!(complete < session.events().len() && !page.left_out.is_empty());
        assert_eq!(data["left_out"], serde_json::json!(page.left_out));
        // What is there is what a whole page has.
        for (number, event) in events.iter().enumerate() {
            let (mut event, mut same) = (event.clone(), whole["events"][number].clone());
            let rest = ["shows", "registers", "programs"].map(|name| event[name].take());
            if number >= complete {
                ["shows", "registers", "programs"].iter().for_each(|name| same[*name] = Value::Null);
                assert!(rest.iter().all(|list| list.as_array().unwrap().is_empty()), "{number}: {rest:?}");
            } else {
                event["shows"] = rest[0].clone();
                event["registers"] = rest[1].clone();
                event["programs"] = rest[2].clone();
            }
            (event["time"], same["time"]) = (Value::Null, Value::Null);
            assert_eq!(event, same, "{number}");
        }
        sizes.push((events.len(), complete));
    }
    assert!(sizes[0].0 < 10 && sizes[1].0 < session.events().len() && sizes[1].1 == 0, "{sizes:?}");
    assert!(sizes[2].0 == session.events().len() && sizes[2].1 > 0, "{sizes:?}");
    let few = write_page(&mut session, &limits(PageLimits { events: 20, ..PageLimits::default() })).unwrap();
    let data = data_of(&few.html);
    assert_eq!((data["events"].as_array().unwrap().len(), &data["complete"]), (20, &Value::from(20)));
    assert!(few.left_out.len() == 1 && few.left_out[0].contains("20 to 807"), "{:?}", few.left_out);
}

#[test]
fn pages_have_a_time() {
    for (machine, name) in [("3ds", "22-city.tgc"), ("rsx", "03-cubes.tgc"), ("tegra", "07-fbo.tgc")] {
        let capture = bundled(machine, name);
        let mut session = open(&capture);
        let none = limits(PageLimits { time: Duration::ZERO, ..PageLimits::default() });
        let page = write_page(&mut session, &none).unwrap();
        let data = data_of(&page.html);
        assert_eq!((&data["complete"], data["pictures"].as_array().unwrap().len()), (&Value::from(0), 0), "{name}");
        assert_eq!(data["events"].as_array().unwrap().len(), session.events().len());
        assert!(page.left_out[0].contains("of events from 0 on"), "{:?}", page.left_out);
        // The session is as good as before.
        let event = session.events().iter().find(|event| event.draws().next().is_some()).unwrap().number;
        let ask = Ask { registers: true, ranges: vec![surfaces_of(session.events())[0].range()] };
        let seen = session.show(event, Moment::After, ask.clone()).unwrap();
        assert_eq!(seen, open(&capture).show(event, Moment::After, ask).unwrap());
        let page = write_page(&mut session, &limits(PageLimits { time: Duration::MAX, ..PageLimits::default() }));
        assert_eq!(page.unwrap().left_out, [""; 0]);

        let mut server = Server::new(session, &none).unwrap();
        assert!(server.answer("").is_ok());
        for path in ["picture/E/0/after", "history/0/1/1", "heat/0/0/E", "order/0/E", "inputs/E", "programs/E"] {
            let path = path.replace('E', &event.to_string());
            assert_eq!(server.answer(&path), Err(Refusal::Late), "{name}: {path}");
        }
        assert_eq!(server.answer("nothing"), Err(Refusal::Unknown));
    }
}

#[test]
fn few_surfaces_are_shown() {
    let capture = city::capture(1, |list| city::with_other_surfaces(list, None));
    let mut session = open(&capture);
    let mut drawn: Vec<u64> =
        session.events().iter().flat_map(|event| event.surfaces()).map(|surface| surface.start.address).collect();
    drawn.sort_unstable();
    drawn.dedup();
    assert!(drawn.len() > 350, "{} surfaces", drawn.len());
    assert_eq!(surfaces_of(session.events()).len(), 256);
    let data = data_of(&write_page(&mut session, &PageOptions::default()).unwrap().html);
    assert_eq!(data["canvases"].as_array().unwrap().len(), 256);
}

#[test]
fn outputs_are_few_and_have_a_size() {
    let capture = bundled("3ds", "22-city.tgc");
    let reader = Reader::new(&capture).unwrap();
    let mut writer = Writer::new(Vec::new(), reader.header(), Compression::None).unwrap();
    let mut outputs = 0;
    for entry in reader.records() {
        match entry.unwrap().record {
            Record::Map(map) => writer.map(&map).unwrap(),
            Record::Mem(memory) => writer.mem(memory.at, &memory.bytes).unwrap(),
            Record::Submit(words) => writer.submit(&words).unwrap(),
            Record::Present(present) if outputs == 0 => {
                for number in 0..1000u32 {
                    let large = if number % 2 == 0 { 16384 } else { 8 };
                    let label = number.to_string();
                    let (width, height) = (large.min(4096), large);
                    let (at, pitch) = (present.at, 4 * width);
                    writer.present(&Present { at, format: 6, width, height, pitch, layout: 0, label }).unwrap();
                    outputs += 1;
                }
            }
            _ => {}
        }
    }
    let capture = writer.finish().unwrap();
    let mut session = open(&capture);
    assert_eq!(session.pictures().len(), 1000);
    let page = write_page(&mut session, &limits(PageLimits { time: Duration::ZERO, ..PageLimits::default() })).unwrap();
    let canvases = data_of(&page.html)["canvases"].as_array().unwrap().len();
    assert!((100..=256).contains(&canvases), "{canvases}");
}

#[test]
fn events_are_listed_as_far_as_there_is_room() {
    let capture = bundled("3ds", "22-city.tgc");
    let whole = open(&capture);
    let options = SessionOptions { event_room: 1000, ..SessionOptions::default() };
    let mut session = Session::open(&capture, &options).unwrap();
    let count = session.events().len();
    assert!(count > 100 && count < whole.events().len(), "{count} events");
    assert_eq!(session.events(), &whole.events()[..count]);
    assert_eq!(session.left_out(), (whole.events().len() - count) as u64);
    let page = write_page(&mut session, &PageOptions::default()).unwrap();
    assert!(page.left_out.len() == 1 && page.left_out[0].contains("not listed"), "{:?}", page.left_out);
}

/// Commands of bounded runs have as much fuel as submissions: what has run out of it is not replayed in such runs.
#[test]
fn submissions_without_fuel_are_replayed_once() {
    let capture = city::capture(5, <[u8]>::to_vec);
    let mut options = SessionOptions { max_commands: 100, longest_run: Duration::ZERO, ..SessionOptions::default() };
    let whole = Session::open(&capture, &options).unwrap();
    let commands = whole.replayed();
    options.device.fuel = 1 << 22;
    let session = Session::open(&capture, &options).unwrap();
    assert!(session.faults().total() > 0 && session.events().len() > 10);
    // Once, besides the few records around the long one.
    let last = session.events().last().unwrap().order;
    assert!(last < commands / 4, "{last} of {commands}");
    assert!(session.replayed() < last + 50, "{} of {last}", session.replayed());
}
