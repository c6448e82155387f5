//! Edits, overlays, resources and memory, against captures and against plain replays.
#![allow(missing_docs, reason = "test code, never published")]

use triglyph::GuestRange;
use triglyph::capture::decode_png;
use triglyph::probe::{Surface, Verdict};
use triglyph_inspect::{
    Ask, Edited, MAX_EDITS, Moment, Overlay, PageOptions, Server, Session, SessionOptions, Use, programs, write_page,
};
use triglyph_testkit::data::capture;

fn open(bytes: &[u8]) -> Session<'_> {
    Session::open(bytes, &SessionOptions::default()).unwrap()
}

fn bytes_after(session: &mut Session<'_>, event: usize, range: GuestRange) -> Vec<u8> {
    let ask = Ask { registers: false, ranges: vec![range] };
    session.show(event, Moment::After, ask).unwrap().ranges.pop().unwrap()
}

/// The first draw that changes its colours, and its first surface.
fn a_draw(session: &mut Session<'_>) -> (usize, Surface) {
    let draws: Vec<(usize, Surface)> =
        session.events().iter().filter_map(|event| Some((event.number, *event.surfaces().next()?))).collect();
    let found = draws.into_iter().find(|(event, surface)| {
        let ask = Ask { registers: false, ranges: vec![surface.range()] };
        session.show(*event, Moment::Before, ask).unwrap().ranges.pop().unwrap()
            != bytes_after(session, *event, surface.range())
    });
    found.expect("a draw that changes something")
}

#[test]
fn an_edited_register_changes_the_picture_on_both_tiers() {
    let masks = [("3ds/26", "depth_color_mask"), ("rsx/03", "set_color_mask"), ("tegra/03", "set_ct_write[0]")];
    for (name, register) in masks {
        let file = capture(name);
        let mut session = open(&file);
        let (event, surface) = a_draw(&mut session);
        let plain = bytes_after(&mut session, event, surface.range());
        let register = session.register_by_name(event, register).unwrap();
        let ask = Ask { registers: true, ranges: Vec::new() };
        let word = session.show(event, Moment::Before, ask).unwrap().registers[register as usize];
        let same = session.redraw(event, &[Edited::Register(register, word)], surface.range()).unwrap();
        assert!(same.iter().all(|drawn| drawn.bytes == plain && drawn.faults.is_empty()), "{name}: the same word");
        let masked = session.redraw(event, &[Edited::Register(register, 0)], surface.range()).unwrap();
        assert!(masked[0].bytes != plain, "{name}: no colour is written");
        assert!(masked[0].bytes == masked[1].bytes, "{name}: the tiers differ");
        // Nothing of it stays.
        assert!(bytes_after(&mut session, event, surface.range()) == plain, "{name}");
    }
}

#[test]
fn an_edited_program_changes_the_picture_on_both_tiers() {
    // The first instruction ends the program.
    const ENDS: [(&str, &str, &[u32]); 3] = [
        ("3ds/26", "PICA vertex", &[0x8800_0000]),
        ("rsx/03", "RSX vertex", &[0, 0, 0, 1]),
        ("tegra/03", "Maxwell Vertex", &[0xE300_0000, 0x0007_000F]),
    ];
    for (name, stage, words) in ENDS {
        let file = capture(name);
        let mut session = open(&file);
        let (event, surface) = a_draw(&mut session);
        let plain = bytes_after(&mut session, event, surface.range());
        let all = programs(&mut session, event).unwrap();
        let program = all.iter().find(|program| program.stage == stage).unwrap_or_else(|| panic!("{name}: {stage}"));
        let kernel = u128::from_str_radix(&program.kernel, 16).unwrap();
        let line = program.lines.iter().find(|line| !line.words.is_empty()).expect("an instruction");
        let digits = line.words.replace(' ', "");
        let own: Vec<u32> = digits
            .as_bytes()
            .chunks(8)
            .map(|word| u32::from_str_radix(str::from_utf8(word).unwrap(), 16).unwrap())
            .collect();
        let edit = |words: &[u32]| [Edited::Program(kernel, line.at, words.to_vec())];
        let same = session.redraw(event, &edit(&own), surface.range()).unwrap();
        assert!(same.iter().all(|drawn| drawn.bytes == plain && drawn.faults.is_empty()), "{name}: the same words");
        let other = session.redraw(event, &edit(words), surface.range()).unwrap();
        assert!(other[0].bytes != plain && other[0].bytes == other[1].bytes, "{name}: {}", line.text);
    }
}

#[test]
fn edits_that_are_not_possible_say_why() {
    let file = capture("3ds/26");
    let mut session = open(&file);
    let (event, surface) = a_draw(&mut session);
    let range = surface.range();
    let mut refused = |event: usize, edits: &[Edited]| session.redraw(event, edits, range).unwrap_err().to_string();
    assert!(refused(event, &[Edited::Register(u32::MAX, 0)]).contains("no register"));
    assert!(refused(event, &[Edited::Program(1, 0, vec![0])]).contains("no kernel"));
    assert!(refused(usize::MAX, &[]).contains("event"));
    assert!(refused(event, &vec![Edited::Register(0, 0); MAX_EDITS + 1]).contains("edits of an event"));
    // A register that draws does nothing but say so.
    let draw = session.register_by_name(event, "draw_arrays").unwrap_or(0x22E);
    let [drawn, _] = session.redraw(event, &[Edited::Register(draw, 1)], range).unwrap();
    assert_eq!(drawn.faults.len(), 1);
    assert!(drawn.faults[0].what.as_ref().unwrap().contains("more than being stored"));
}

#[test]
fn overlays_are_those_of_fragments() {
    for name in ["3ds/26", "rsx/03", "tegra/03", "tegra/25-msaa"] {
        let file = capture(name);
        let mut session = open(&file);
        let (event, surface) = a_draw(&mut session);
        let overlay = session.overlay(&surface, event).unwrap();
        let heat = session.heat(&surface, event..event + 1).unwrap();
        let has = |at: usize, bit: u8| overlay.bits[at] & bit != 0;
        let width = surface.width as usize;
        assert_eq!(overlay.bits.len(), heat.fragments.len(), "{name}");
        let (mut outline, mut inside) = (0, 0);
        for (at, &fragments) in heat.fragments.iter().enumerate() {
            let (x, y) = (at % width, at / width);
            let near = [
                (x > 0, at.wrapping_sub(1)),
                (x + 1 < width, at + 1),
                (y > 0, at.wrapping_sub(width)),
                (true, at + width),
            ];
            let around = near.iter().all(|&(is_there, at)| is_there && heat.fragments.get(at).is_some_and(|&n| n > 0));
            assert_eq!(has(at, Overlay::OUTLINE), fragments > 0 && !around, "{name}: outline of ({x}, {y})");
            // A primitive ends where the draw does.
            assert!(!has(at, Overlay::OUTLINE) || has(at, Overlay::WIREFRAME), "{name}: ({x}, {y})");
            assert!(fragments > 0 || overlay.bits[at] & !Overlay::NAN == 0, "{name}: ({x}, {y})");
            let failed = heat.verdicts[Verdict::Depth as usize][at] > 0;
            assert_eq!(has(at, Overlay::DEPTH_FAILED), failed, "{name}: ({x}, {y})");
            outline += usize::from(has(at, Overlay::OUTLINE));
            inside += usize::from(fragments > 0 && around);
        }
        assert!(outline > 0 && inside > 0 && overlay.is_whole, "{name}");
    }
}

#[test]
fn resources_are_what_events_use() {
    for name in ["3ds/18", "rsx/06-mipmap", "tegra/06-mipmap"] {
        let file = capture(name);
        let mut session = open(&file);
        let found = session.resources(None).unwrap();
        assert_eq!((found.events, found.left_out), (session.events().len(), 0), "{name}");
        for event in session.events() {
            for surface in event.surfaces() {
                let range = surface.range();
                let range = Some((range.start.space, range.start.address, range.size));
                let target = found
                    .resources
                    .iter()
                    .find(|resource| matches!(resource.kind, Use::Color | Use::Depth) && resource.range == range);
                assert!(target.unwrap().events.contains(&event.number), "{name}");
            }
        }
        for kind in [Use::Color, Use::Program, Use::Texture, Use::Vertices] {
            let one = found.resources.iter().find(|resource| resource.kind == kind);
            let one = one.unwrap_or_else(|| panic!("{name}: {kind:?}"));
            assert!(!one.events.is_empty() && one.events.is_sorted());
        }
        // Vertices are there: not all of them are zeros.
        let vertices = found.resources.iter().find(|resource| resource.kind == Use::Vertices).unwrap();
        let (space, address, size) = vertices.range.unwrap();
        let bytes = bytes_after(&mut session, vertices.events[0], GuestRange::new(space, address, size));
        assert!(bytes.iter().any(|&byte| byte != 0), "{name}");
    }
}

#[test]
fn resources_end_with_the_time() {
    let file = capture("3ds/26");
    let mut session = open(&file);
    let found = session.resources(Some(std::time::Instant::now())).unwrap();
    assert!(found.events < session.events().len());
    assert!(found.resources.iter().any(|resource| resource.kind == Use::Color));
}

#[test]
fn the_server_answers_about_pictures_and_memory() {
    let file = capture("tegra/06-mipmap");
    let mut session = open(&file);
    let (event, surface) = a_draw(&mut session);
    let range = surface.range();
    let wanted = bytes_after(&mut session, event, range);
    let mut server = Server::new(session, &PageOptions::default()).unwrap();
    let mut get = |path: &str| server.answer(path).map(|answer| answer.bytes);
    let (space, address) = (range.start.space, range.start.address);
    let memory = get(&format!("memory/{event}/after/{space}/{address}/256")).unwrap();
    assert!(memory == wanted[..256]);
    let value = String::from_utf8(get(&format!("value/{event}/0/after/0/0")).unwrap()).unwrap();
    let raw: String = wanted[..surface.bytes as usize].iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(value.contains(&format!("[{raw}]")), "{value}");
    let (small, _) = decode_png(&get(&format!("thumbnail/{event}/0")).unwrap()).unwrap();
    assert!(small.width.max(small.height) <= 48 && small.width.max(small.height) > 8);
    assert!(String::from_utf8(get(&format!("csv/{event}/0")).unwrap()).unwrap().lines().count() > 3);
    assert!(String::from_utf8(get(&format!("obj/{event}/0/after")).unwrap()).unwrap().contains("\nf 1 "));
    for wrong in [
        format!("memory/{event}/after/{space}/{address}/65537"),
        format!("memory/{event}/after/{space}/{}/16", u64::MAX),
        format!("memory/{event}/during/{space}/{address}/16"),
        format!("value/{event}/0/after/99999/0"),
        format!("thumbnail/{event}/999"),
        format!("redraw/{event}/0/x-1-2"),
    ] {
        assert!(get(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn frames_end_with_pictures() {
    let file = capture("3ds/22-city");
    let mut session = open(&file);
    let count = session.events().len();
    let pictures: Vec<(usize, String)> =
        session.pictures().map(|(record, present)| (record, present.label.clone())).collect();
    let page = write_page(&mut session, &PageOptions { events: Some(0..count), ..PageOptions::default() }).unwrap();
    let (_, data) = page.html.split_once("id=\"data\">").unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let frames = data["frames"].as_array().unwrap();
    assert!(!frames.is_empty() && frames.len() <= pictures.len() + 1);
    let mut end = 0;
    for frame in frames {
        assert_eq!(frame["events"][0], end);
        end = frame["events"][1].as_u64().unwrap() as usize;
        let last = &session.events()[end - 1];
        if let Some(label) = frame["labels"].get(0) {
            let next = pictures.iter().find(|(record, _)| *record > last.record).unwrap();
            assert_eq!(label, &next.1);
        }
    }
    assert_eq!(end, count);
}
