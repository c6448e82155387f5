//! What looking into a capture may take of memory and time.
#![allow(missing_docs, reason = "test code, never published")]

#[path = "shared/city.rs"]
mod city;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use triglyph::capture::{Compression, Kind, Present, Reader, Writer};
use triglyph::{GuestAddr, GuestRange};
use triglyph_inspect::{
    Ask, Comparison, Difference, Moment, PageLimits, PageOptions, Refusal, Seen, Server, Session, SessionOptions, Tour,
    first_difference, first_unlike, hashes, surfaces_of, write_page,
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

/// A capture with other pictures at its end.
fn with_presents(capture: &[u8], presents: impl IntoIterator<Item = Present>) -> Vec<u8> {
    let reader = Reader::new(capture).unwrap();
    let mut writer = Writer::new(Vec::new(), reader.header(), Compression::None).unwrap();
    for record in reader.raw_records() {
        let record = record.unwrap();
        if !matches!(record.known_kind(), Some(Kind::Present | Kind::Expect)) {
            writer.record(record.kind, &[&record.decode(u64::MAX).unwrap()]).unwrap();
        }
    }
    presents.into_iter().for_each(|present| writer.present(&present).unwrap());
    writer.finish().unwrap()
}

/// A picture of RGBA pixels.
fn output(address: u64, [width, height]: [u32; 2], label: &str) -> Present {
    let at = GuestAddr::new(0, address);
    Present { at, format: 6, width, height, pitch: 4 * width, layout: 0, label: label.to_owned() }
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
    // The first event that differs is in the page, with some before it.
    let first = Difference { event: 500, what: Vec::new(), looks: 1, is_end: false };
    let (other, left_out) = ("other".to_owned(), Vec::new());
    let comparison = Some(Comparison { other, has_pictures: false, first: Some(first), left_out });
    let near = limits(PageLimits { events: 20, ..PageLimits::default() });
    let near = write_page(&mut session, &PageOptions { comparison, ..near }).unwrap();
    let data = data_of(&near.html);
    assert_eq!((&data["first"], data["events"].as_array().unwrap().len()), (&Value::from(490), 20));
    assert_eq!(near.left_out.len(), 2, "{:?}", near.left_out);
    assert!(near.left_out[0].contains("0 to 489") && near.left_out[1].contains("510 to 807"), "{:?}", near.left_out);
}

/// A file has views of draws only where it has their pictures: what a cut page says of an event is all or nothing.
#[test]
fn cut_pages_have_views_of_whole_events() {
    let capture = bundled("3ds", "22-city.tgc");
    let mut session = open(&capture);
    let page = write_page(&mut session, &limits(PageLimits { bytes: 700 << 10, ..PageLimits::default() })).unwrap();
    let data = data_of(&page.html);
    let complete = data["complete"].as_u64().unwrap() as usize;
    assert!(complete > 1 && complete < session.events().len());
    assert!(data["counted"].as_u64().unwrap() as usize <= complete);
    for path in data["answers"].as_object().unwrap().keys() {
        let event = path.split('/').nth(if path.starts_with("heat") { 2 } else { 1 }).unwrap();
        assert!(event.parse::<usize>().unwrap() < complete, "{path}");
    }
    assert!(data["events"].as_array().unwrap()[complete..].iter().all(|event| event["time"] == 0.0));
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

/// Canvases that an event may write and that are not shown are named: what they hold is not what they held before.
#[test]
fn what_is_not_shown_is_named() {
    let capture = city::capture(1, |list| city::with_other_surfaces(list, Some(64)));
    let mut session = open(&capture);
    let data = data_of(&write_page(&mut session, &PageOptions::default()).unwrap().html);
    let surfaces = surfaces_of(session.events());
    let mut most = 0;
    for (event, shown) in session.events().iter().zip(data["events"].as_array().unwrap()) {
        let list = |name: &str| shown[name].as_array().unwrap().clone();
        let (shows, unshown) = (list("shows"), list("unshown"));
        let numbers = shows.iter().map(|show| &show["canvas"]).chain(&unshown);
        let mut numbers: Vec<usize> = numbers.map(|number| number.as_u64().unwrap() as usize).collect();
        numbers.sort_unstable();
        let written = (0..surfaces.len()).filter(|&at| event.may_write(surfaces[at].range()));
        assert_eq!(numbers, written.collect::<Vec<_>>(), "{}", event.number);
        assert!(shows.len() <= 6);
        most = most.max(unshown.len());
    }
    assert!(most > 0);
}

#[test]
fn outputs_are_few_and_have_a_size() {
    let capture = bundled("3ds", "22-city.tgc");
    let large = |number: u32| if number.is_multiple_of(2) { [4096, 16384] } else { [8, 8] };
    let label = |number: u32| format!("{number} {}", "x".repeat(1 << 16));
    let presents = (0..1000).map(|number| output(0x1800_0000, large(number), &label(number)));
    let capture = with_presents(&capture, presents);
    let mut session = open(&capture);
    assert_eq!(session.pictures().count(), 1000);
    let page = write_page(&mut session, &limits(PageLimits { time: Duration::ZERO, ..PageLimits::default() })).unwrap();
    let data = data_of(&page.html);
    let canvases = data["canvases"].as_array().unwrap();
    assert_eq!(canvases.len(), 256);
    // Labels are cut.
    assert!(canvases.iter().all(|canvas| canvas["name"].as_str().unwrap().len() < 100));
    // The labels alone have 64 MiB.
    assert!(page.html.len() < 2 << 20);
    let says = |what: &str| page.left_out.iter().any(|line| line.contains(what));
    assert!(says("outputs have pictures") && says("of more than"), "{:?}", page.left_out);
}

#[test]
fn outputs_have_places_beside_surfaces() {
    let capture = city::capture(1, |list| city::with_other_surfaces(list, None));
    let presents = (0..100).map(|number| output(0x1800_0000 + number * 0x1000, [8, 8], "top"));
    let capture = with_presents(&capture, presents);
    let mut session = open(&capture);
    let page = write_page(&mut session, &limits(PageLimits { time: Duration::ZERO, ..PageLimits::default() })).unwrap();
    let data = data_of(&page.html);
    let canvases = data["canvases"].as_array().unwrap();
    let outputs = canvases.iter().filter(|canvas| canvas["name"].as_str().unwrap().starts_with("output")).count();
    assert_eq!((canvases.len(), outputs), (256, 64));
    let says = |what: &str| page.left_out.iter().any(|line| line.contains(what));
    assert!(says("first 192 surfaces") && says("first 64 outputs"), "{:?}", page.left_out);
}

#[test]
fn comparisons_say_what_they_leave_out() {
    let capture = city::capture(1, |list| city::with_other_surfaces(list, None));
    let mut sessions = [&capture, &capture].map(|capture| open(capture));
    let [a, b] = &mut sessions;
    let found = first_difference(a, b).unwrap();
    assert_eq!(found.first, None);
    assert!(found.left_out.len() == 1 && found.left_out[0].contains("first 256 surfaces"), "{:?}", found.left_out);
    let by_hashes = first_unlike(a, &hashes(b).unwrap()).unwrap();
    assert_eq!(by_hashes.first, None);
    assert!(by_hashes.left_out[0].contains("first 256 surfaces"), "{:?}", by_hashes.left_out);

    // 64 outputs of 64 MiB each: memory is read up to a limit, and by pieces.
    let capture = bundled("3ds", "26-ribbons.tgc");
    let presents = (0..64).map(|number| output(number << 26, [4096, 4096], "large"));
    let capture = with_presents(&capture, presents);
    let mut sessions = [&capture, &capture].map(|capture| open(capture));
    let [a, b] = &mut sessions;
    let found = hashes(a).unwrap();
    assert!(found.ranges.iter().map(|(_, _, size)| size).sum::<u64>() <= 1 << 30);
    assert!(found.left_out.iter().any(|what| what.contains("not compared: all are more")), "{:?}", found.left_out);
    assert_eq!(first_unlike(b, &found).unwrap().first, None);
}

#[test]
fn comparisons_have_a_time() {
    let capture = bundled("3ds", "22-city.tgc");
    let mut sessions = [&capture, &capture].map(|capture| open(capture));
    let [a, b] = &mut sessions;
    let whole = hashes(a).unwrap();
    assert_eq!((whole.events.len(), whole.count, whole.left_out.len()), (a.events().len(), a.events().len(), 0));
    let over = Some(Instant::now());
    a.set_deadline(over);
    let cut = hashes(a).unwrap();
    assert_eq!((cut.events.len(), cut.count), (0, a.events().len()));
    assert!(cut.left_out[0].contains("from 0 on"), "{:?}", cut.left_out);
    for found in [first_difference(a, b).unwrap(), first_unlike(a, &whole).unwrap()] {
        assert_eq!(found.first, None);
        assert!(found.left_out[0].contains("not all events are compared"), "{:?}", found.left_out);
    }
    a.set_deadline(None);
    // Hashes that are not all there do not show that nothing differs.
    let found = first_unlike(a, &cut).unwrap();
    assert!(found.first.is_none() && found.left_out[0].contains("other run"), "{:?}", found.left_out);
}

#[test]
fn hashes_of_other_files_are_refused() {
    let capture = bundled("rsx", "01-triangle.tgc");
    let mut session = open(&capture);
    let good = hashes(&mut session).unwrap();
    assert_eq!(first_unlike(&mut session, &good).unwrap().first, None);
    let ranges = [vec![(0, 0, u64::MAX)], vec![(0, u64::MAX, 16)], vec![(0, 0, 1 << 29); 3], vec![(0, 0, 1); 257]];
    for ranges in ranges {
        let bad = triglyph_inspect::Hashes { ranges, ..good.clone() };
        assert!(first_unlike(&mut session, &bad).is_err());
    }
    assert!(first_unlike(&mut session, &triglyph_inspect::Hashes { version: 1, ..good }).is_err());
    // So are looks at more than there is room for.
    let ask = Ask { registers: false, ranges: vec![GuestRange::new(0, 0, 1 << 33)] };
    assert!(session.show(0, Moment::After, ask).is_err());
}

/// Looks at an event, whose command takes until the deadline is over.
struct Slow {
    order: u64,
    deadline: Instant,
    seen: Arc<Mutex<Vec<Moment>>>,
}

impl Tour for Slow {
    fn ask(&mut self, order: u64, _: Moment) -> Option<Ask> {
        (order == self.order).then(Ask::default)
    }

    fn seen(&mut self, seen: Seen) {
        self.seen.lock().unwrap().push(seen.moment);
        while Instant::now() < self.deadline {
            std::thread::sleep(self.deadline - Instant::now());
        }
    }
}

#[test]
fn a_command_that_ends_after_the_deadline_is_not_complete() {
    let capture = bundled("rsx", "01-triangle.tgc");
    let mut session = open(&capture);
    let last = session.events().len() - 1;
    let (order, deadline, seen) =
        (session.events()[last].order, Instant::now() + Duration::from_secs(1), Arc::default());
    session.set_deadline(Some(deadline));
    session.tour(last, last, Box::new(Slow { order, deadline, seen: Arc::clone(&seen) })).unwrap();
    assert!(session.is_cut());
    assert!(!seen.lock().unwrap().contains(&Moment::After));
    // What was seen in time is complete, whatever follows.
    session.set_deadline(None);
    assert!(session.show(0, Moment::Before, Ask::default()).is_ok() && !session.is_cut());
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

/// Submissions are divided in one more replay, also where few checkpoints are kept; what is looked at then is the same.
#[test]
fn long_submissions_are_divided_in_one_replay() {
    for (machine, name) in [("3ds", "22-city.tgc"), ("rsx", "16-ffp.tgc"), ("tegra", "24-dynamic.tgc")] {
        let capture = bundled(machine, name);
        let whole = SessionOptions {
            max_commands: u64::MAX,
            longest_run: Duration::MAX,
            checkpoint_worth: 1 << 20,
            ..SessionOptions::default()
        };
        let mut whole = Session::open(&capture, &whole).unwrap();
        let commands = whole.replayed();
        let ask =
            Ask { registers: true, ranges: surfaces_of(whole.events()).iter().map(|found| found.range()).collect() };
        for checkpoint_bytes in [0, 256 << 20] {
            let options = SessionOptions { max_commands: 1, checkpoint_bytes, ..SessionOptions::default() };
            let mut session = Session::open(&capture, &options).unwrap();
            assert!(session.replayed() <= 2 * commands, "{name}: {} of {commands}", session.replayed());
            assert!(session.events() == whole.events());
            for event in (0..session.events().len()).step_by(session.events().len() / 5) {
                let seen = session.show(event, Moment::After, ask.clone()).unwrap();
                assert!(seen == whole.show(event, Moment::After, ask.clone()).unwrap(), "{name}: {event}");
            }
        }
    }
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
