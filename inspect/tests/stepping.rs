//! Programs of events and their runs: what a run gives is what the draw has stored.
#![allow(missing_docs, reason = "test code, never published")]

use std::sync::{Arc, Mutex};

use triglyph::probe::{Channel, ColorFormat, Fragment, Role, Stored, Surface, Wanted, Watch, Watched};
use triglyph_inspect::{
    Ask, Moment, PageOptions, Program, Run, Seen, Server, Session, SessionOptions, Tour, history, programs, runs,
    surfaces_of,
};
use triglyph_testkit::data::capture;
use triglyph_testkit::random::Random;

/// What a surface of bytes or of the 3DS stores of a fragment that only draws colours; `None` for other formats.
fn stored(surface: &Surface, run: &Run) -> Option<Vec<u8>> {
    let (_, words) = run.results.iter().find(|(register, _)| register.name == "color0")?;
    match &surface.stored {
        Stored::PicaColor(format) => {
            let color = std::array::from_fn(|i| words[i] as u8);
            Some(format.encode(color).to_le_bytes()[..surface.bytes as usize].to_vec())
        }
        Stored::Color(format) => {
            let color: Vec<f32> = words.iter().map(|&word| f32::from_bits(word)).collect();
            of_bytes(format, &color)
        }
        _ => None,
    }
}

/// A format of four bytes.
fn of_bytes(format: &ColorFormat, color: &[f32]) -> Option<Vec<u8>> {
    let mut bytes = [0; 4];
    for (channel, value) in format.channels.iter().zip(color) {
        let value = value.clamp(0.0, 1.0);
        let (at, byte) = match channel {
            Channel::Unorm(at) => (at, (value * 255.0 - 0.5).ceil() as u8),
            Channel::UnormRsx(at) => (at, (((4096.0 * value) as u32 * 255 + 2048) >> 12) as u8),
            _ => return None,
        };
        if at.bits != 8 || format.bytes != 4 {
            return None;
        }
        bytes[usize::from(at.shift / 8)] = byte;
    }
    bytes.chunks_mut(usize::from(format.swap).max(1)).for_each(<[u8]>::reverse);
    Some(bytes.to_vec())
}

/// Captures without programs that read what others write.
const NAMES: [&str; 13] = [
    "3ds/17-fragment",
    "3ds/19-texture",
    "3ds/22-city",
    "3ds/23-lighting",
    "3ds/24-procedural",
    "rsx/03-cubes",
    "rsx/08-loops",
    "rsx/16-ffp",
    "rsx/18-shadow",
    "tegra/04-lit",
    "tegra/08-loops",
    "tegra/16-ffp",
    "tegra/33-texture",
];

#[test]
fn runs_for_pixels_give_what_draws_store() {
    let mut random = Random::new(7);
    for name in NAMES {
        let bytes = capture(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let colors = |surface: &Surface| matches!(surface.role, Role::Color(0));
        let surfaces: Vec<_> = surfaces_of(session.events()).into_iter().filter(colors).collect();
        let (mut equal, mut tries) = (0, 0);
        while equal < 8 && tries < 200 {
            tries += 1;
            let surface = &surfaces[random.below(surfaces.len() as u32) as usize];
            let (x, y) = (random.below(surface.width), random.below(surface.rows));
            let changes = history(&mut session, surface, x, y).unwrap();
            let drawn: Vec<_> = changes.iter().filter(|change| !change.fragments.is_empty()).collect();
            if drawn.is_empty() {
                continue;
            }
            let change = drawn[random.below(drawn.len() as u32) as usize];
            let [across, down] = surface.samples.map(u32::from);
            let wanted = Wanted::Pixel([x / across, y / down]);
            let runs = runs(&mut session, change.event, wanted).unwrap();
            let place = format!("{name}: event {}, ({x}, {y})", change.event);
            equal += check(surface, &change.fragments, &runs, &place);
        }
        assert!(equal >= 8, "{name}: {equal} of {tries}");
    }
}

/// How many fragments were equal to their runs.
fn check(surface: &Surface, fragments: &[Fragment], runs: &[Run], place: &str) -> usize {
    // Only those that tests before the program reject have none.
    assert!(runs.len() <= fragments.len().min(16), "{place}: {} runs, {fragments:?}", runs.len());
    if runs.len() != fragments.len() {
        return 0;
    }
    let mut equal = 0;
    for (fragment, run) in fragments.iter().zip(runs) {
        let gives_color = run.results.iter().any(|(register, _)| register.name == "color0");
        assert!(gives_color || fragment.shaded.is_none(), "{place}");
        assert!(!run.steps.is_empty() || run.stage == "PICA combiners", "{place}");
        if let (Some(expected), Some(found)) = (&fragment.shaded, stored(surface, run)) {
            assert_eq!(found, *expected, "{place}: {:?}", run.results);
            equal += 1;
        }
    }
    equal
}

/// What the position of a run's vertex is, on each machine.
fn position(run: &Run) -> Vec<u32> {
    let named = |name: &str| run.results.iter().find(|(register, _)| register.name == name).map(|(_, words)| words[0]);
    if run.stage.starts_with("Maxwell") {
        return ["a[0x070]", "a[0x074]", "a[0x078]", "a[0x07c]"].map(|name| named(name).unwrap()).to_vec();
    }
    last(run, "o0")
}

/// A register of the wanted lane at the end.
fn last(run: &Run, name: &str) -> Vec<u32> {
    let index = run.registers.iter().position(|register| register.name == name).unwrap();
    let first: u16 = run.registers[..index].iter().map(|register| u16::from(register.components)).sum();
    let mut words = vec![0; run.registers[index].components.into()];
    for &(lane, word, value) in run.start.iter().chain(run.steps.iter().flat_map(|step| &step.2)) {
        if lane == run.lane
            && let Some(kept) = words.get_mut(usize::from(word.wrapping_sub(first)))
        {
            *kept = value;
        }
    }
    words
}

#[test]
fn runs_for_vertices_end_with_a_position() {
    for name in ["3ds/22-city", "3ds/20-vertex", "rsx/03-cubes", "rsx/08-loops", "tegra/04-lit", "tegra/08-loops"] {
        let bytes = capture(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let draws = session.events().iter().filter(|event| event.draws().any(|draw| draw.primitives > 0));
        let draws: Vec<usize> = draws.map(|event| event.number).collect();
        for &event in draws.iter().step_by(draws.len() / 4 + 1) {
            let found = runs(&mut session, event, Wanted::Vertex(None)).unwrap();
            let run = found.iter().find(|run| run.stage.contains("ertex")).unwrap_or_else(|| panic!("{name}: {event}"));
            assert!(!run.steps.is_empty() && !run.cut, "{name}: {event}");
            let position: Vec<f32> = position(run).into_iter().map(f32::from_bits).collect();
            assert!(position.iter().all(|value| value.is_finite()), "{name}: {event}: {position:?}");
            assert!(position.iter().any(|value| *value != 0.0), "{name}: {event}: {position:?}");
            // Every step is an instruction of the listing.
            let listed = programs(&mut session, event).unwrap();
            let program = listed.iter().find(|program| program.kernel == run.kernel).unwrap();
            for (at, ..) in &run.steps {
                assert!(program.lines.iter().any(|line| line.at == *at), "{name}: {event}: {at:#x}");
            }
            // The same vertex by its number.
            let number: u32 = run.item.strip_prefix("vertex ").unwrap().parse().unwrap();
            let again = runs(&mut session, event, Wanted::Vertex(Some(number))).unwrap();
            assert!(again.iter().any(|other| other.steps == run.steps && other.results == run.results));
        }
    }
}

#[test]
fn threads_of_grids_run_in_warps() {
    let bytes = capture("tegra/20-compute");
    let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
    let event = session.events().iter().find(|event| event.kind() == "compute").unwrap().number;
    let found = runs(&mut session, event, Wanted::Thread([0, 0, 0], 1)).unwrap();
    let [run] = found.as_slice() else { panic!("{} runs", found.len()) };
    assert!(run.stage == "Maxwell Compute" && run.lanes > 1 && run.lane == 1 && !run.steps.is_empty());
    assert_eq!(runs(&mut session, event, Wanted::Thread([9999, 0, 0], 0)).unwrap(), []);
}

#[test]
fn servers_answer_about_programs() {
    for name in ["3ds/22-city", "rsx/03-cubes", "tegra/04-lit"] {
        let bytes = capture(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let event = session.events().iter().find(|event| event.draws().any(|draw| draw.primitives > 0)).unwrap().number;
        let listed: Vec<Program> = programs(&mut session, event).unwrap();
        assert!(listed.len() >= 2 && listed.iter().all(|program| !program.lines.is_empty()), "{name}");
        let server = Server::new(session, &PageOptions::default()).unwrap();
        let mut server = server.with_compiled(Box::new(|key| Some(format!("{:?}", key.kind()))));
        let mut text = |path: &str| server.answer(path).ok().map(|answer| String::from_utf8(answer.bytes).unwrap());
        let answer = text(&format!("programs/{event}")).unwrap();
        assert!(listed.iter().all(|program| answer.contains(&program.kernel)), "{name}");
        assert!(!text(&format!("compiled/{event}/{}", listed[0].kernel)).unwrap().is_empty(), "{name}");
        assert!(text(&format!("trace/{event}/vertex/first")).unwrap().contains("\"steps\":[["), "{name}");
        assert_eq!(text(&format!("trace/{event}/pixel/60000/60000")).unwrap(), "[]", "{name}");
        for wrong in ["programs/999999", "trace/0/vertex", "trace/x/vertex/1", "trace/0/pixel/1", "compiled/0/0"] {
            assert_eq!(text(wrong), None, "{name}: {wrong}");
        }
    }
}

/// Watches kernels at some commands, and looks after the last one.
struct Watcher {
    orders: Vec<u64>,
    wanted: Wanted,
    ask: Ask,
    traces: usize,
    seen: Arc<Mutex<Option<(Seen, usize)>>>,
}

impl Tour for Watcher {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        (self.orders.last() == Some(&order) && moment == Moment::After).then(|| self.ask.clone())
    }

    fn seen(&mut self, seen: Seen) {
        *self.seen.lock().unwrap() = Some((seen, self.traces));
    }

    fn watch(&mut self, order: u64) -> Option<Watch> {
        self.orders.contains(&order).then_some(Watch { wanted: Some(self.wanted) })
    }

    fn watched(&mut self, _: u64, watched: Watched) {
        self.traces += watched.traces.len();
    }
}

#[test]
fn watching_changes_no_byte() {
    for name in NAMES {
        let bytes = capture(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let last = session.events().len() - 1;
        let first = last.saturating_sub(60);
        let orders: Vec<u64> = session.events()[first..].iter().map(|event| event.order).collect();
        let surfaces = surfaces_of(session.events());
        let ranges = surfaces.iter().map(Surface::range).collect();
        let ask = Ask { registers: true, ranges };
        let plain = session.show(last, Moment::After, ask.clone()).unwrap();
        for wanted in [Wanted::Vertex(None), Wanted::Pixel([surfaces[0].width / 2, surfaces[0].rows / 2])] {
            let seen = Arc::new(Mutex::new(None));
            let watcher = Watcher { orders: orders.clone(), wanted, ask: ask.clone(), traces: 0, seen: seen.clone() };
            session.tour(first, last, Box::new(watcher)).unwrap();
            let (found, traces) = seen.lock().unwrap().take().unwrap();
            assert!(found == plain, "{name}: {wanted:?}");
            assert!(traces > 0 || wanted != Wanted::Vertex(None), "{name}");
        }
    }
}
