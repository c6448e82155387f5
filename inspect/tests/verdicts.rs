//! What became of fragments, against what memory holds before and after their draws: of depth alone, of shadow maps,
//! and of programs that reach memory.
#![allow(missing_docs, reason = "test code, never published")]

use std::cmp::Ordering;
use std::collections::BTreeMap;

use triglyph::probe::{Role, Stored, Surface, Verdict};
use triglyph_inspect::{Change, Session, SessionOptions, history, surfaces_of, to_rgba};
use triglyph_testkit::data::captures;
use triglyph_testkit::random::Random;

fn read(name: &str) -> Vec<u8> {
    let path = captures("").into_iter().find(|path| path.to_string_lossy().ends_with(&format!("{name}.tgc"))).unwrap();
    std::fs::read(path).unwrap()
}

/// Places of a surface: some random ones, and some at which fragments have each verdict.
fn places(session: &mut Session<'_>, surface: &Surface, random: &mut Random) -> Vec<(u32, u32)> {
    let heat = session.heat(surface, 0..session.events().len()).unwrap();
    assert_eq!(heat.judged, heat.draws);
    let told: u32 = heat.verdicts.iter().flatten().sum();
    assert_eq!(told, heat.fragments.iter().sum::<u32>());
    let place = |index: u32| (index % surface.width, index / surface.width);
    let mut places: Vec<_> = (0..20).map(|_| place(random.below(surface.width * surface.rows))).collect();
    for counts in &heat.verdicts {
        let with_it: Vec<u32> = (0..).zip(counts).filter(|(_, count)| **count != 0).map(|(index, _)| index).collect();
        places.extend(with_it.iter().step_by(with_it.len() / 20 + 1).map(|&index| place(index)));
    }
    places
}

/// The events of a pixel with draws that alone write it.
fn drawn(session: &mut Session<'_>, surface: &Surface, (x, y): (u32, u32)) -> Vec<Change> {
    let changes = history(session, surface, x, y).unwrap();
    let is_drawn = |change: &Change| session.events()[change.event].draws().count() > 0;
    changes.into_iter().filter(is_drawn).collect()
}

/// Which outcomes of new against stored depth pass, by event.
type Passing = BTreeMap<usize, [Option<bool>; 3]>;

/// Draws have one comparison each: the same outcome always passes, or never.
fn note_depth(passing: &mut Passing, event: usize, outcome: Ordering, verdict: Verdict) {
    let known = &mut passing.entry(event).or_default()[(outcome as i8 + 1) as usize];
    let passes = verdict == Verdict::Passed;
    assert_eq!(*known.get_or_insert(passes), passes, "event {event}: {outcome:?} passes, or not");
}

/// Depth of a stored pixel, 24 bits, the format's highest bits first.
fn depth(stored: &Stored, bytes: &[u8]) -> u32 {
    let [r, g, b, _] = to_rgba(stored, bytes);
    u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b)
}

#[test]
fn depth_alone_tells_what_fails_and_what_is_stored() {
    let (mut random, mut verdicts, mut passing) = (Random::new(5), [0; Verdict::ALL.len()], 0);
    for name in ["rsx/18-shadow", "tegra/18-shadow", "rsx/03-cubes", "tegra/03-cubes"] {
        let bytes = read(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let surfaces = surfaces_of(session.events());
        let mut outcomes = Passing::new();
        for surface in surfaces.iter().filter(|surface| surface.role == Role::Depth) {
            for place in places(&mut session, surface, &mut random) {
                for Change { event, before, after, fragments, left_out } in drawn(&mut session, surface, place) {
                    assert_eq!(left_out, 0);
                    let mut now = before;
                    for fragment in fragments {
                        let shaded = fragment.shaded.unwrap();
                        verdicts[fragment.verdict as usize] += 1;
                        let [new, old] = [&shaded, &now].map(|bytes| depth(&surface.stored, bytes));
                        note_depth(&mut outcomes, event, new.cmp(&old), fragment.verdict);
                        if fragment.verdict == Verdict::Passed {
                            now = shaded;
                        }
                    }
                    assert_eq!(now, after, "{name}: event {event}, {place:?}");
                }
            }
        }
        // The effect of at least two outcomes is known.
        passing += outcomes.values().filter(|known| known.iter().flatten().count() > 1).count();
    }
    let [passed, .., failed] = verdicts;
    assert!(passed >= 200 && failed >= 100 && passing >= 10, "{verdicts:?}, {passing} comparisons");
}

/// The rules of a shadow map, for a map that is drawn over an empty one without shadows of its own.
#[test]
fn shadow_maps_take_what_is_nearer() {
    let bytes = read("3ds/25-shadow-map");
    let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
    let maps = surfaces_of(session.events()).into_iter().filter(|surface| surface.stored == Stored::PicaShadow);
    let (mut random, mut verdicts) = (Random::new(6), [0; Verdict::ALL.len()]);
    for map in maps.collect::<Vec<_>>() {
        for place in places(&mut session, &map, &mut random) {
            for Change { event, before, after, fragments, left_out } in drawn(&mut session, &map, place) {
                assert_eq!(left_out, 0);
                let mut now = before;
                for fragment in fragments {
                    let shaded = fragment.shaded.unwrap();
                    assert_eq!(shaded[3], 0xFF, "no shadow of its own");
                    let is_nearer = shaded[..3] < now[..3];
                    assert_eq!(is_nearer, fragment.verdict == Verdict::Passed, "event {event}, {place:?}");
                    assert!(is_nearer || fragment.verdict == Verdict::Depth);
                    if is_nearer {
                        now[..3].copy_from_slice(&shaded[..3]);
                    }
                    verdicts[fragment.verdict as usize] += 1;
                }
                assert_eq!(now, after, "event {event}, {place:?}");
            }
        }
    }
    let [passed, .., failed] = verdicts;
    assert!(passed >= 40 && failed >= 20, "{verdicts:?}");
}

/// Without blending the last fragment that passes is what is stored.
#[test]
fn programs_that_reach_memory_are_judged() {
    let (mut random, mut count) = (Random::new(7), 0);
    for name in ["tegra/32-image-loads", "tegra/20-compute"] {
        let bytes = read(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        for surface in surfaces_of(session.events()) {
            for place in places(&mut session, &surface, &mut random) {
                for Change { event, before, after, fragments, left_out } in drawn(&mut session, &surface, place) {
                    assert_eq!(left_out, 0);
                    let passed = fragments.into_iter().filter(|fragment| fragment.verdict == Verdict::Passed);
                    let last = passed.inspect(|_| count += 1).last();
                    let expected = last.map_or(before, |last| last.shaded.unwrap());
                    assert_eq!(expected, after, "{name}: event {event}, {place:?}");
                }
            }
        }
    }
    assert!(count >= 60, "{count} fragments");
}

/// Surfaces of one draw have the same fragments, whichever is asked about.
#[test]
fn colours_and_depth_agree() {
    let (mut random, mut compared) = (Random::new(8), 0);
    for name in ["3ds/22-city", "rsx/10-stencil", "tegra/10-stencil", "tegra/07-fbo"] {
        let bytes = read(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let surfaces = surfaces_of(session.events());
        let find = |role: fn(&Role) -> bool, like: Option<&Surface>| {
            let fits = |found: &&Surface| like.is_none_or(|like| (like.width, like.rows) == (found.width, found.rows));
            surfaces.iter().filter(|surface| role(&surface.role)).find(fits).copied()
        };
        let Some(depth) = find(|role| *role == Role::Depth, None) else { panic!("{name}: no depth") };
        let Some(color) = find(|role| *role == Role::Color(0), Some(&depth)) else { panic!("{name}: no colour") };
        for place in places(&mut session, &color, &mut random) {
            let by_event = |changes: Vec<Change>| -> BTreeMap<usize, Vec<(u32, Verdict)>> {
                let told = |change: Change| {
                    (change.event, change.fragments.iter().map(|found| (found.primitive, found.verdict)).collect())
                };
                changes.into_iter().map(told).collect()
            };
            let [colors, depths] = [color, depth].map(|surface| by_event(drawn(&mut session, &surface, place)));
            for (event, found) in &colors {
                let draws: Vec<Surface> = session.events()[*event].surfaces().copied().collect();
                if [color, depth].iter().all(|wanted| draws.iter().any(|found| found.is_same_place(wanted))) {
                    assert_eq!(depths.get(event), Some(found), "{name}: event {event}, {place:?}");
                    compared += found.len();
                }
            }
        }
    }
    assert!(compared >= 300, "{compared} fragments");
}
