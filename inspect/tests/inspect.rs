//! Sessions against plain replays: any event can be reached, in any order, and pixels have the history that comparing
//! whole surfaces gives.
#![allow(missing_docs, reason = "test code, never published")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use triglyph::GuestRange;
use triglyph::capture::decode_png;
use triglyph::probe::{Draw, Role, Surface, Verdict};
use triglyph_inspect::{
    Ask, Change, Moment, PageOptions, Refusal, Seen, Server, Session, SessionOptions, Tour, history, surfaces_of,
    to_rgba,
};
use triglyph_testkit::data::{captures, captures_named};
use triglyph_testkit::random::Random;

/// Checkpoints before every submission and all over each, so that all of them are tried.
fn options() -> SessionOptions {
    let (longest_run, run_words) = (Duration::ZERO, 64);
    SessionOptions { checkpoint_worth: 0, longest_run, run_words, ..SessionOptions::default() }
}

/// Some captures of each machine: shadows, several targets, transfers, multisampling, compute, macros.
fn some_captures() -> Vec<PathBuf> {
    captures_named(&[
        "3ds/17-fragment",
        "3ds/25-shadow",
        "3ds/26-ribbons",
        "3ds/28-render",
        "rsx/03-cubes",
        "rsx/07-fbo",
        "rsx/10-stencil",
        "tegra/07-fbo",
        "tegra/10-stencil",
        "tegra/20-compute",
        "tegra/25-msaa",
    ])
}

/// What is asked at events.
type Asks = HashMap<(u64, Moment), Ask>;

/// Asks what was planned, and keeps the answers.
struct Collector {
    asks: Asks,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Tour for Collector {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        self.asks.get(&(order, moment)).cloned()
    }

    fn seen(&mut self, seen: Seen) {
        self.seen.lock().unwrap().push(seen);
    }
}

fn collect(session: &mut Session<'_>, asks: Asks) -> Vec<Seen> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let last = session.events().len() - 1;
    session.tour(0, last, Box::new(Collector { asks, seen: seen.clone() })).unwrap();
    let mut seen = seen.lock().unwrap();
    std::mem::take(&mut *seen)
}

/// Registers, and the memory of all surfaces.
fn everything(session: &Session<'_>) -> Ask {
    let ranges: Vec<GuestRange> = surfaces_of(session.events()).iter().map(Surface::range).collect();
    Ask { registers: true, ranges }
}

#[test]
fn jumps_show_what_a_straight_replay_shows() {
    let mut random = Random::new(1);
    for path in some_captures() {
        let bytes = std::fs::read(&path).unwrap();
        let mut session = Session::open(&bytes, &options()).unwrap();
        let ask = everything(&session);
        let events = session.events().to_vec();
        let mut asks = Asks::new();
        for _ in 0..16 {
            let event = &events[random.below(events.len() as u32) as usize];
            let moment = if random.below(2) == 0 { Moment::Before } else { Moment::After };
            asks.insert((event.order, moment), ask.clone());
        }
        let mut straight = collect(&mut session, asks);
        // In another order than they came.
        straight.reverse();
        for expected in straight {
            let event = events.iter().find(|event| event.order == expected.order).unwrap().number;
            let found = session.show(event, expected.moment, ask.clone());
            let found = found.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(found == expected, "{}: event {event}", path.display());
        }
    }
}

#[test]
fn long_submissions_have_checkpoints_inside() {
    let path = captures("3ds").into_iter().find(|path| path.ends_with("22-city.tgc")).unwrap();
    let bytes = std::fs::read(path).unwrap();
    let plain = Session::open(&bytes, &SessionOptions { longest_run: Duration::MAX, ..options() }).unwrap();
    let mut divided = Session::open(&bytes, &SessionOptions { run_words: 512, ..options() }).unwrap();
    assert!(divided.checkpoints().0 > plain.checkpoints().0 + 20);
    assert_eq!(divided.events(), plain.events());
    // Far inside of the second submission.
    let (event, ask) = (700, everything(&divided));
    let [a, b] = [divided.show(event, Moment::After, ask.clone()), { plain }.show(event, Moment::After, ask)];
    assert!(a.unwrap() == b.unwrap());
}

/// A pixel of a surface: which range of those that are shown, and where in it.
struct Pixel {
    range: usize,
    bytes: std::ops::Range<usize>,
}

/// The events that change pixels, by whole surfaces before and after each of them.
struct BruteForce {
    ask: Ask,
    /// Events by the order of their commands.
    numbers: HashMap<u64, usize>,
    pixels: Vec<Pixel>,
    before: Vec<Vec<u8>>,
    found: Arc<Mutex<Vec<Vec<Change>>>>,
}

impl Tour for BruteForce {
    fn ask(&mut self, order: u64, _: Moment) -> Option<Ask> {
        self.numbers.contains_key(&order).then(|| self.ask.clone())
    }

    fn seen(&mut self, seen: Seen) {
        if seen.moment == Moment::Before {
            self.before = seen.ranges;
            return;
        }
        let event = self.numbers[&seen.order];
        for (Pixel { range, bytes }, found) in self.pixels.iter().zip(self.found.lock().unwrap().iter_mut()) {
            let [before, after] = [&self.before, &seen.ranges].map(|all| all[*range][bytes.clone()].to_vec());
            if before != after {
                found.push(Change { event, before, after, fragments: Vec::new(), left_out: 0 });
            }
        }
    }
}

/// A draw changes a colour only if a fragment passes. Returns how many have passed and failed.
fn check_fragments(session: &Session<'_>, surface: &Surface, changes: &[Change]) -> [usize; 2] {
    let mut counts = [0; 2];
    for change in changes {
        let event = &session.events()[change.event];
        let has_it = |draw: &Draw| draw.surfaces.iter().any(|found| found.is_same_place(surface));
        if !event.draws().all(has_it) || event.draws().count() == 0 {
            continue;
        }
        // Of a stencil, fragments that fail may change it as well.
        let passes = |verdict: Verdict| match surface.role {
            Role::Color(_) => verdict == Verdict::Passed,
            Role::Depth => matches!(verdict, Verdict::Passed | Verdict::Stencil | Verdict::Depth),
        };
        let passed = change.fragments.iter().filter(|fragment| passes(fragment.verdict)).count();
        assert!(passed > 0 || !change.is_changed(), "event {}: {change:?}", change.event);
        counts = [counts[0] + passed, counts[1] + change.fragments.len() - passed];
    }
    counts
}

/// What was compared.
#[derive(Default)]
struct Compared {
    pixels: usize,
    changes: usize,
    /// Fragments that passed and that failed.
    verdicts: [usize; 2],
}

/// Compares the histories of some random pixels of a capture with whole surfaces before and after every event.
fn compare_histories(path: &Path, options: &SessionOptions, count: usize, random: &mut Random) -> Compared {
    let bytes = std::fs::read(path).unwrap();
    let mut session = Session::open(&bytes, options).unwrap();
    let surfaces = surfaces_of(session.events());
    let mut places = Vec::new();
    for _ in 0..if surfaces.is_empty() { 0 } else { count } {
        let range = random.below(surfaces.len() as u32) as usize;
        let surface = &surfaces[range];
        let (x, y) = (random.below(surface.width), random.below(surface.rows));
        let at = surface.offset(x, y) as usize;
        let bytes = at..at + surface.bytes as usize;
        if bytes.end <= surface.size as usize {
            places.push((x, y, Pixel { range, bytes }));
        }
    }
    let pixels = places.iter().map(|(_, _, Pixel { range, bytes })| Pixel { range: *range, bytes: bytes.clone() });
    let pixels: Vec<Pixel> = pixels.collect();
    let ask = Ask { registers: false, ..everything(&session) };
    let numbers = session.events().iter().map(|event| (event.order, event.number)).collect();
    let found = Arc::new(Mutex::new(vec![Vec::new(); pixels.len()]));
    let last = session.events().len() - 1;
    let tour = BruteForce { ask, numbers, pixels, before: Vec::new(), found: found.clone() };
    session.tour(0, last, Box::new(tour)).unwrap();
    let mut compared = Compared::default();
    for ((x, y, Pixel { range, .. }), expected) in places.into_iter().zip(found.lock().unwrap().iter()) {
        let surface = &surfaces[range];
        let mut found = history(&mut session, surface, x, y).unwrap();
        let seen = check_fragments(&session, surface, &found);
        compared.verdicts = [compared.verdicts[0] + seen[0], compared.verdicts[1] + seen[1]];
        found.retain(Change::is_changed);
        found.iter_mut().for_each(|change| change.fragments.clear());
        assert_eq!(found, *expected, "{}: ({x}, {y}) of {surface:?}", path.display());
        compared.pixels += 1;
        compared.changes += found.len();
    }
    compared
}

#[test]
fn pixels_have_the_history_that_comparing_surfaces_gives() {
    let mut random = Random::new(2);
    let mut all = Compared::default();
    for path in some_captures() {
        let Compared { pixels, changes, verdicts } = compare_histories(&path, &options(), 20, &mut random);
        all.pixels += pixels;
        all.changes += changes;
        all.verdicts = [all.verdicts[0] + verdicts[0], all.verdicts[1] + verdicts[1]];
    }
    let Compared { pixels, changes, verdicts } = all;
    assert!(pixels >= 200 && changes >= 200, "{changes} changes of {pixels} pixels");
    assert!(verdicts[0] >= 90 && verdicts[1] >= 10, "{verdicts:?} fragments passed and failed");
}

/// 200 random pixels of a machine's capture with the most events.
fn compare_200(name: &str) {
    let path = captures("").into_iter().find(|path| path.to_string_lossy().ends_with(&format!("{name}.tgc"))).unwrap();
    let compared = compare_histories(&path, &SessionOptions::default(), 200, &mut Random::new(4));
    assert_eq!(compared.pixels, 200, "{name}");
    assert!(compared.changes >= 200, "{name}: {} changes", compared.changes);
}

#[test]
fn histories_of_the_largest_3ds_capture() {
    compare_200("3ds/22-city");
}

#[test]
fn histories_of_the_largest_ps3_captures() {
    compare_200("rsx/16-ffp");
    compare_200("rsx/05-blend");
}

#[test]
fn histories_of_the_largest_tegra_captures() {
    compare_200("tegra/24-dynamic");
    compare_200("tegra/05-blend");
}

#[test]
fn pages_hold_all_events() {
    for path in some_captures() {
        let bytes = std::fs::read(&path).unwrap();
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let title = "</script>".to_owned();
        let page =
            triglyph_inspect::write_page(&mut session, &PageOptions { title, ..PageOptions::default() }).unwrap();
        assert_eq!(page.left_out, [""; 0], "{}", path.display());
        let page = page.html;
        assert_eq!(page.matches("</script>").count(), 2, "{}", path.display());
        assert!(!page.contains("/*data*/") && !page.contains("http://") && !page.contains("https://"));
        let count = session.events().len();
        assert_eq!(page.matches("\"position\":").count(), count, "{}", path.display());
        let part = PageOptions { events: Some(count / 2..count), ..PageOptions::default() };
        let part = triglyph_inspect::write_page(&mut session, &part).unwrap().html;
        assert_eq!(part.matches("\"position\":").count(), count - count / 2);
        let beyond = PageOptions { events: Some(0..count + 1), ..PageOptions::default() };
        assert!(triglyph_inspect::write_page(&mut session, &beyond).is_err());
    }
}

#[test]
fn servers_answer_what_the_page_asks_for() {
    for path in some_captures().iter().filter(|path| !path.to_string_lossy().contains("20-compute")) {
        let bytes = std::fs::read(path).unwrap();
        let mut session = Session::open(&bytes, &options()).unwrap();
        let surface = surfaces_of(session.events())[0];
        let draws = session.events().iter().filter(|event| event.surfaces().any(|found| found.is_same_place(&surface)));
        let event = draws.map(|event| event.number).next_back().unwrap();
        let ask = Ask { registers: false, ranges: vec![surface.range()] };
        let stored = session.show(event, Moment::After, ask).unwrap().ranges.remove(0);
        let (x, y) = (surface.width / 2, surface.rows / 2);
        let changes = history(&mut session, &surface, x, y).unwrap();

        let mut server = Server::new(session, &PageOptions::default()).unwrap();
        let page = server.answer("").unwrap();
        assert!(String::from_utf8(page.bytes).unwrap().contains(&format!("picture/{event}/0/after")));
        let answer = server.answer(&format!("picture/{event}/0/after")).unwrap();
        let (picture, _) = decode_png(&answer.bytes).unwrap();
        assert_eq!((picture.width, picture.height), (surface.width, surface.rows));
        let at = surface.offset(x, y) as usize;
        let pixel = &stored[at..at + surface.bytes as usize];
        assert_eq!(picture.pixel(x, y), Some(to_rgba(&surface.stored, pixel)), "{}", path.display());
        let answer = server.answer(&format!("history/0/{x}/{y}")).unwrap();
        let text = String::from_utf8(answer.bytes).unwrap();
        let concerned = changes.iter().filter(|change| change.concerns()).count();
        assert_eq!(text.matches("\"event\":").count(), concerned);
        for wrong in
            ["picture", "picture/0/0/then", "picture/x/0/after", "picture/0/99/after", "history/0/99999/0", "x"]
        {
            assert_eq!(server.answer(wrong), Err(Refusal::Unknown), "{wrong}");
        }
    }
}
