//! Views of what goes into draws, against memory and against the reference.
#![allow(missing_docs, reason = "test code, never published")]

use std::path::{Path, PathBuf};

use triglyph::capture::decode_png;
use triglyph::probe::{ConstantKind, Fetch, Role, Surface, Verdict};
use triglyph::{Options, Tier};
use triglyph_guest::kernel::program::sampler::{Filter, Shape, TextureKey};
use triglyph_guest::kernel::window::{Window, buffer};
use triglyph_inspect::{
    Ask, Event, Form, Inputs, Moment, PageOptions, Refusal, Server, Session, SessionOptions, Texture, history,
    surfaces_of, vertex_value, write_page,
};
use triglyph_interp::pixel::texel;
use triglyph_interp::program::sampler::{LodSource, TextureUnit};
use triglyph_testkit::data::{capture, captures, captures_named};

fn some_captures() -> Vec<PathBuf> {
    captures_named(&[
        "3ds/18-texture",
        "3ds/19-texture",
        "3ds/20-vertex",
        "3ds/26-ribbons",
        "rsx/02-quad",
        "rsx/05-blend",
        "rsx/06-mipmap",
        "rsx/12-s3tc",
        "tegra/02-quad",
        "tegra/06-mipmap",
        "tegra/12-s3tc",
        "tegra/19-instancing",
        "tegra/25-msaa",
        "tegra/33-texture",
    ])
}

/// Calls `check` with some draws of each capture and what goes into them.
fn for_some_draws(texture: Option<usize>, mut check: impl FnMut(&Path, &mut Session<'_>, &Event, &Inputs)) {
    for path in some_captures() {
        let bytes = std::fs::read(&path).unwrap();
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let draws: Vec<Event> = session.events().iter().filter(|event| event.draws().count() > 0).cloned().collect();
        let step = draws.len().div_ceil(8);
        for event in draws.into_iter().step_by(step) {
            let inputs = session.inputs(event.number, texture).unwrap();
            check(&path, &mut session, &event, &inputs);
        }
    }
}

/// What the unit of a texture gives in the middle of a texel of level 0, without filters.
fn sampled(texture: &Texture, [x, y]: [u32; 2]) -> Option<[f32; 4]> {
    let Form::Image(key, binding) = &texture.form else { return None };
    let nearest = Filter::Nearest;
    let key = TextureKey {
        magnify: nearest,
        minify: nearest,
        mipmap: None,
        compare: None,
        anisotropy: 1,
        rounding: Default::default(),
        unnormalized: true,
        convert: Default::default(),
        ..*key
    };
    let image = texture.image.as_deref()?;
    let unit = TextureUnit { key: &key, texture: &binding.texture(image) };
    let at = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 0.0];
    (key.shape == Shape::D2 && texture.layers() == 1).then(|| unit.sample(at, &LodSource::Level(0.0)))
}

#[test]
fn textures_are_what_samplers_see() {
    let (mut textures, mut by_sampler, mut levels) = (0, 0, 0);
    for_some_draws(Some(0), |path, session, event, inputs| {
        let Some(texture) = inputs.textures.first() else { return };
        textures += 1;
        // Its bytes are those in memory.
        let ask = Ask { registers: false, ranges: texture.ranges.clone() };
        let seen = session.show(event.number, Moment::Before, ask).unwrap();
        assert!(seen.ranges == texture.bytes, "{}: event {}", path.display(), event.number);
        for level in 0..texture.levels() {
            levels += 1;
            let [width, height, _] = texture.size(level);
            let picture = texture.picture(level, texture.layers() - 1, 0).unwrap();
            assert_eq!((picture.width, picture.height), (width, height));
            for (x, y) in [(0, 0), (width - 1, height - 1), (width / 3, height / 2)] {
                let texel = texture.texel([x, y, 0], texture.layers() - 1, level);
                let bytes = texel.map(|value| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
                assert_eq!(picture.pixel(x, y), Some(bytes));
                if let Some(expected) = sampled(texture, [x, y]).filter(|_| level == 0) {
                    by_sampler += 1;
                    assert_eq!(texel, expected, "{}: event {}, ({x}, {y})", path.display(), event.number);
                }
            }
        }
        if let Form::Tiled(source) = &texture.form {
            // The first texel of the last level, by the size of those before it.
            let before = (0..source.levels - 1).map(|k| source.level(k)).map(|(w, h)| source.format.size(w, h));
            let level = buffer(&seen.ranges[0][before.sum::<u32>() as usize..]);
            let expected = texel(source.format, Window::new(&level), 0, 0, texture.size(source.levels - 1)[0]);
            let found = texture.texel([0, 0, 0], 0, source.levels - 1);
            assert_eq!(found, expected.map(|value| f32::from(value) / 255.0), "{}", path.display());
        }
    });
    assert!(textures >= 40 && by_sampler >= 60 && levels > textures, "{textures} {by_sampler} {levels}");
}

#[test]
fn vertices_are_those_in_memory() {
    let (mut elements, mut floats) = (0, 0);
    for_some_draws(None, |path, session, event, inputs| {
        for vertices in &inputs.vertices {
            for attribute in &vertices.attributes {
                let Some(array) = attribute.array.as_ref().filter(|array| array.divisor.is_none()) else { continue };
                let Some(start) = array.start else { continue };
                let last = vertices.elements.len() - 1;
                for index in [0, last / 2, last] {
                    let offset = u64::from(vertices.elements[index]) * u64::from(array.stride);
                    let range = start.after(offset).range(array.bytes.into());
                    let ask = Ask { registers: false, ranges: vec![range] };
                    let seen = session.show(event.number, Moment::Before, ask).unwrap();
                    let bytes = array.bytes as usize;
                    let raw = &attribute.raw[index * bytes..(index + 1) * bytes];
                    assert_eq!(raw, seen.ranges[0], "{}: event {}", path.display(), event.number);
                    elements += 1;
                    let is_big = matches!(attribute.fetch, Fetch::Program(_, _, true));
                    if format!("{:?}", attribute.fetch).contains("F32") {
                        let words = raw.as_chunks().0.iter().map(|&word| match is_big {
                            true => f32::from_be_bytes(word),
                            false => f32::from_le_bytes(word),
                        });
                        let value = vertex_value(attribute, index);
                        words.zip(value).for_each(|(expected, found)| assert_eq!(expected.to_bits(), found.to_bits()));
                        floats += 1;
                    }
                }
            }
        }
        for mesh in &inputs.meshes {
            let count = mesh.positions.len() as u32;
            assert!(mesh.edges.as_flattened().iter().all(|&vertex| vertex < count));
            assert!(!mesh.edges.is_empty(), "{}: event {}", path.display(), event.number);
        }
        assert!(!inputs.meshes.is_empty() && !inputs.vertices.is_empty());
    });
    assert!(elements >= 300 && floats >= 100, "{elements} {floats}");
}

#[test]
fn meshes_are_the_same_on_the_reference() {
    let mut positions = 0;
    for path in some_captures() {
        let bytes = std::fs::read(&path).unwrap();
        let open = |tier| {
            let device = Options::new(tier, 1);
            Session::open(&bytes, &SessionOptions { device, ..SessionOptions::default() }).unwrap()
        };
        let (mut compiled, mut reference) = (open(Tier::JitOnly), open(Tier::InterpreterOnly));
        let draw = compiled.events().iter().rfind(|event| event.draws().count() > 0).unwrap().number;
        let bits = |inputs: &Inputs| {
            let all = inputs.meshes.iter().flat_map(|mesh| mesh.positions.as_flattened());
            all.map(|value| value.to_bits()).collect::<Vec<_>>()
        };
        let [a, b] = [&mut compiled, &mut reference].map(|session| bits(&session.inputs(draw, None).unwrap()));
        assert!(a == b, "{}", path.display());
        positions += a.len() / 4;
    }
    assert!(positions >= 1000, "{positions}");
}

#[test]
fn constants_are_those_of_the_draw() {
    let mut words = 0;
    for_some_draws(None, |path, session, event, inputs| {
        assert!(!inputs.constants.is_empty(), "{}: event {}", path.display(), event.number);
        for constants in &inputs.constants {
            if let (ConstantKind::Words, Some(range)) = (constants.kind, constants.range) {
                let ask = Ask { registers: false, ranges: vec![range] };
                let seen = session.show(event.number, Moment::Before, ask).unwrap();
                let expected: Vec<u32> =
                    seen.ranges[0].as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
                assert!(constants.words == expected, "{}: {}", path.display(), constants.name);
                words += expected.len();
            }
        }
    });
    assert!(words >= 1000, "{words}");
}

#[test]
fn servers_answer_for_all_views() {
    for path in some_captures() {
        let bytes = std::fs::read(&path).unwrap();
        let session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let draw = session.events().iter().rfind(|event| event.draws().count() > 0).unwrap().number;
        let mut server = Server::new(session, &PageOptions::default()).unwrap();
        let mut text = |path: String| String::from_utf8(server.answer(&path).unwrap().bytes).unwrap();
        let inputs = text(format!("inputs/{draw}"));
        assert!(inputs.contains("\"attributes\":[{"), "{}", path.display());
        assert!(text(format!("vertices/{draw}/0/0/10")).starts_with("[{\"element\":"));
        assert!(text(format!("mesh/{draw}/0/after")).contains("\"has_edges\":true"));
        assert!(text(format!("mesh/{draw}/0/0")).contains("\"positions\":["));
        assert!(text(format!("constants/{draw}")).contains("\"changed\":"));
        assert!(text(format!("heat/0/0/{draw}")).contains("\"maps\":[\"fragments\""));
        assert!(text(format!("order/{draw}/{draw}")).starts_with(&format!("[{{\"event\":{draw},\"all\":")));
        assert!(text(format!("primitives/{draw}")).contains("\"rows\":[{\"part\":0,"));
        if inputs.contains("\"textures\":[{") {
            let picture = server.answer(&format!("texture/{draw}/0/0/0/0")).unwrap();
            assert!(decode_png(&picture.bytes).is_ok());
            let bytes = server.answer(&format!("bytes/{draw}/0/0")).unwrap();
            assert_eq!(bytes.kind, "application/octet-stream");
            assert!(inputs.contains("\"words\":[[\""), "{}", path.display());
        }
        for wrong in ["inputs/x", "texture/0/0/0/0/0", "bytes/0/9/9", "vertices/0/99/0/1", "mesh/0/99/after"] {
            assert_eq!(server.answer(&wrong.replace("/0/", &format!("/{draw}/99"))), Err(Refusal::Unknown), "{wrong}");
        }
    }
}

#[test]
fn files_hold_the_views_of_draws() {
    for name in ["3ds/18-texture", "rsx/06-mipmap", "tegra/06-mipmap"] {
        let bytes = capture(name);
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let draw = session.events().iter().rfind(|event| event.draws().count() > 0).unwrap().number;
        let options = PageOptions { events: Some(draw..draw + 1), ..PageOptions::default() };
        let page = write_page(&mut session, &options).unwrap().html;
        for view in ["inputs/N", "constants/N", "vertices/N/0/0/50", "mesh/N/0/after", "texture/N/0/0/0/0"] {
            let path = format!("\"{}\":", view.replace('N', &draw.to_string()));
            assert!(page.contains(&path), "{name}: {path}");
        }
    }
}

#[test]
fn heat_maps_count_what_changes_and_what_is_covered() {
    let (mut changes, mut fragments) = (0, 0);
    for path in some_captures() {
        let bytes = std::fs::read(&path).unwrap();
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let surface = surfaces_of(session.events())[0];
        let count = session.events().len();
        let events = count.saturating_sub(24)..count;
        let heat = session.heat(&surface, events.clone()).unwrap();
        let pixels = (surface.width * surface.rows) as usize;
        let mut expected = vec![0; pixels];
        let mut may_be_covered = vec![false; pixels];
        for event in events {
            let is_drawn = session.events()[event].surfaces().any(|found| found.is_same_place(&surface));
            if !is_drawn {
                continue;
            }
            let mut at = |moment| {
                let ask = Ask { registers: false, ranges: vec![surface.range()] };
                session.show(event, moment, ask).unwrap().ranges.remove(0)
            };
            let (before, after) = (at(Moment::Before), at(Moment::After));
            for (index, expected) in expected.iter_mut().enumerate() {
                let (x, y) = (index as u32 % surface.width, index as u32 / surface.width);
                let at = surface.offset(x, y) as usize;
                let pixel = at..at + surface.bytes as usize;
                let is_changed = before[pixel.clone()] != after[pixel];
                *expected += u32::from(is_changed);
                may_be_covered[index] |= is_changed;
            }
        }
        assert!(heat.changes == expected, "{}", path.display());
        // What draws have changed has fragments.
        let is_covered = |index: usize| heat.fragments[index] != 0;
        assert!((0..pixels).all(|index| is_covered(index) || !may_be_covered[index]), "{}", path.display());
        changes += expected.iter().sum::<u32>();
        fragments += heat.fragments.iter().sum::<u32>();
    }
    assert!(changes >= 100_000 && fragments >= changes, "{changes} {fragments}");
}

/// Compares the verdicts of all fragments of a surface with the histories of some of its pixels: some of each verdict,
/// and some others. Returns how many pixels there were, and their fragments by verdict.
fn compare_verdicts(session: &mut Session<'_>, surface: &Surface) -> (usize, [u32; Verdict::ALL.len()]) {
    let heat = session.heat(surface, 0..session.events().len()).unwrap();
    let mut some: Vec<u32> = (0..surface.width * surface.rows).step_by(1499).take(30).collect();
    for counts in &heat.verdicts {
        let with_it = (0..).zip(counts).filter(|(_, count)| **count != 0).map(|(index, _)| index);
        some.extend(with_it.step_by(97).take(10));
    }
    let mut verdicts = [0; Verdict::ALL.len()];
    for &index in &some {
        let (x, y) = (index % surface.width, index / surface.width);
        let changes = history(session, surface, x, y).unwrap();
        let fragments: Vec<Verdict> =
            changes.iter().flat_map(|change| &change.fragments).map(|fragment| fragment.verdict).collect();
        let of = |verdict: Verdict| fragments.iter().filter(|found| **found == verdict).count() as u32;
        let (expected, at) = (Verdict::ALL.map(of), index as usize);
        let found: Vec<u32> = heat.verdicts.iter().map(|counts| counts[at]).collect();
        assert_eq!(found, expected, "({x}, {y})");
        let is_all_told = surface.samples == [1, 1] && heat.judged == heat.draws;
        assert!(!is_all_told || heat.fragments[at] as usize == fragments.len());
        verdicts.iter_mut().zip(expected).for_each(|(all, count)| *all += count);
    }
    (some.len(), verdicts)
}

#[test]
fn fragments_are_those_that_pixels_have() {
    let (mut pixels, mut verdicts) = (0, [0; Verdict::ALL.len()]);
    let more = captures("").into_iter().filter(|path| JUDGED.iter().any(|name| path.to_string_lossy().contains(name)));
    for path in some_captures().into_iter().chain(more) {
        let bytes = std::fs::read(&path).unwrap();
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let known = surfaces_of(session.events()).into_iter().filter(Surface::is_known);
        for surface in known.take(3).collect::<Vec<_>>() {
            let (count, found) = compare_verdicts(&mut session, &surface);
            pixels += count;
            verdicts.iter_mut().zip(found).for_each(|(all, count)| *all += count);
        }
    }
    let [passed, _, alpha, _, stencil, depth] = verdicts;
    assert!(pixels >= 400 && passed >= 400, "{pixels} pixels, {verdicts:?}");
    assert!(alpha >= 2 && stencil >= 10 && depth >= 50, "{verdicts:?}");
}

/// Captures with tests that fail.
const JUDGED: [&str; 6] =
    ["3ds/17-fragment", "3ds/22-city", "rsx/10-stencil", "rsx/16-ffp", "tegra/10-stencil", "tegra/16-ffp"];

#[test]
fn the_drawing_order_is_the_sum_of_its_primitives_and_of_the_heat_map() {
    let (mut draws, mut primitives, mut failed) = (0, 0, 0);
    for path in captures("").into_iter().filter(|path| JUDGED.iter().any(|name| path.to_string_lossy().contains(name)))
    {
        let bytes = std::fs::read(&path).unwrap();
        let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
        let count = session.events().len();
        let events = count.saturating_sub(60)..count;
        let order = session.drawing_order(events.clone()).unwrap();
        let drawn = session.events()[events.clone()].iter().filter(|event| event.draws().count() > 0);
        let drawn: Vec<usize> = drawn.map(|event| event.number).collect();
        assert_eq!(order.iter().map(|row| row.event).collect::<Vec<_>>(), drawn, "{}", path.display());
        for row in &order {
            let verdicts = row.verdicts.unwrap();
            let found = session.primitives(row.event).unwrap();
            let sum = |number: usize| found.iter().map(|primitive| u64::from(primitive.verdicts[number])).sum::<u64>();
            assert_eq!(std::array::from_fn(sum), verdicts, "{}: event {}", path.display(), row.event);
            assert_eq!(verdicts.iter().sum::<u64>(), row.all);
            assert!(found.is_sorted_by_key(|primitive| (primitive.part, primitive.primitive)));
            draws += 1;
            primitives += found.len();
            failed += verdicts[1..].iter().sum::<u64>();
        }
        // Of all surfaces that colours go to: each draw has one.
        let surfaces = surfaces_of(session.events()).into_iter().filter(|surface| surface.role == Role::Color(0));
        let mut heat = [0; Verdict::ALL.len()];
        for surface in surfaces.collect::<Vec<_>>() {
            let found = session.heat(&surface, events.clone()).unwrap();
            assert_eq!(found.draws, found.judged);
            heat.iter_mut().zip(&found.verdicts).for_each(|(all, counts)| {
                *all += counts.iter().map(|&count| u64::from(count)).sum::<u64>();
            });
        }
        let all = order.iter().map(|row| row.verdicts.unwrap());
        let sum = all.fold([0; Verdict::ALL.len()], |sum, row| std::array::from_fn(|at| sum[at] + row[at]));
        assert_eq!(heat, sum, "{}", path.display());
    }
    assert!(draws >= 100 && primitives >= 300 && failed >= 100_000, "{draws} {primitives} {failed}");
}

#[test]
fn files_have_the_heat_of_each_event() {
    let path = captures("rsx").into_iter().find(|path| path.ends_with("10-stencil.tgc")).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut session = Session::open(&bytes, &SessionOptions::default()).unwrap();
    let draws: Vec<usize> =
        session.events().iter().filter(|event| event.draws().count() > 0).map(|event| event.number).collect();
    let count = session.events().len();
    let page = write_page(&mut session, &PageOptions::default()).unwrap().html;
    assert!(page.contains(&format!("\"counted\":{count}")));
    for draw in draws {
        for path in [format!("heat/0/{draw}"), format!("order/{draw}"), format!("primitives/{draw}")] {
            assert!(page.contains(&format!("\"{path}\":")), "{path}");
        }
    }
    assert!(page.contains("\\\"stencil\\\"") && page.contains("\\\"passed\\\""));
}
