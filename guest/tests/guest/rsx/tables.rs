//! The RSX tables against the lists that they were written from: methods, values of fields, operations, fields of
//! instructions.

use triglyph_guest::rsx::methods::{CURIE, Effect};
use triglyph_guest::rsx::{enums, fragment, vertex};
use triglyph_guest::table::{OpcodeInfo, WordField};
use triglyph_testkit::data::text_of;

/// The rows of a CSV text after its header. Fields may be quoted.
fn rows(path: &str) -> Vec<Vec<String>> {
    let split = |line: &str| {
        let (mut fields, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                c => fields.last_mut().expect("one field at least").push(c),
            }
        }
        fields
    };
    text_of(&format!("rsx/{path}")).lines().skip(1).map(split).collect()
}

fn number(text: &str) -> u32 {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn methods_are_those_of_the_list() {
    let list = rows("nv4097-methods.csv");
    assert_eq!(list.len(), 217);
    assert_eq!(CURIE.rows().len(), list.len());
    let initialised = CURIE.initialised();
    for row in &list {
        let [offset, name, _, count, stride, _, reset, ..] = row.as_slice() else { panic!("{row:?}") };
        let method = CURIE.named(name).unwrap_or_else(|| panic!("no method {name}"));
        let (offset, count, stride) = (number(offset) as usize, number(count) as usize, number(stride) as usize);
        assert_eq!((method.id, method.count), (offset, count), "{name}");
        assert!(count == 1 || method.step == stride, "{name}");
        let values: Vec<u32> = reset.split_whitespace().map(number).collect();
        for index in 0..count {
            let address = offset + index * stride;
            let found = CURIE.find(address as u32).unwrap_or_else(|| panic!("{name} is not at {address:#x}"));
            assert_eq!((found.method.name, found.index, found.word), (name.as_str(), index, 0));
            let value = values.get(index).or(values.last()).copied().unwrap_or(0);
            assert_eq!(initialised[address / 4], value, "{name} {index}");
        }
    }
}

#[test]
fn fields_of_methods_are_those_of_the_list() {
    for row in &rows("nv4097-methods.csv") {
        let (name, text) = (&row[1], &row[5]);
        // The list has values or numbers in the place of bits.
        if name == "SET_TRANSFORM_EXECUTION_MODE" || text.starts_with("4 bits") || text.starts_with("32 booleans") {
            continue;
        }
        let method = CURIE.named(name).expect("every method is there");
        // `4-7 size{0 off};8-15 stride`: bits in front of names, where the list has that form.
        for part in text.split('(').next().unwrap_or("").split(';') {
            let Some((range, _)) = part.trim().trim_start_matches("0-7 or ").split_once(' ') else { continue };
            let bits = range.split_once('-').unwrap_or((range, range));
            let (Ok(lo), Ok(hi)) = (bits.0.parse::<u32>(), bits.1.parse::<u32>()) else { continue };
            // A range may be several fields; a flag register may have a field of one bit for a range of 32.
            let begins = method.fields.iter().any(|f| f.lo == lo);
            let ends = hi == 31 || method.fields.iter().any(|f| f.hi == hi);
            assert!(begins && ends, "{name}: {part}");
        }
    }
}

#[test]
fn effects_are_where_something_happens() {
    let effects = CURIE.effects();
    // What the list says is to be ignored has no effect, and what draws, clears, writes or loads has one.
    for row in &rows("nv4097-methods.csv") {
        let effect = effects[number(&row[0]) as usize / 4];
        if row[7] == "ignore" {
            assert_eq!(effect, Effect::Ignored, "{}", row[1]);
        }
        let acts = ["DRAW_", "ARRAY_ELEMENT", "INLINE_", "GET_REPORT", "_RELEASE", "CLEAR_SURFACE", "SET_VERTEX_DATA4"];
        if acts.iter().any(|name| row[1].starts_with(name) || row[1].ends_with(name)) {
            assert!(effect.is_trigger(), "{}", row[1]);
        }
    }
}

/// Compares one enum with its rows.
macro_rules! check_values {
    ($list:ident, $($Values:ident $name:literal),+ $(,)?) => { $(
        let expected: Vec<(u32, &str)> =
            $list.iter().filter(|row| row[0] == $name).map(|row| (number(&row[1]), row[2].as_str())).collect();
        assert_eq!(enums::$Values::VALUES, expected, $name);
        for &(value, name) in &expected {
            let read = enums::$Values::from_register(value).expect("the value is known");
            assert_eq!((read.bits(), read.name()), (value, name));
        }
        assert_eq!(enums::$Values::from_register(0xDEAD), None);
    )+ };
}

#[test]
fn values_are_those_of_the_list() {
    let list = rows("enums.csv");
    check_values!(
        list,
        Compare "compare", StencilOp "stencil_op", BlendFactor "blend_factor", BlendEquation "blend_equation",
        LogicOp "logic_op", Primitive "primitive", FogMode "fog_mode", PolygonMode "polygon_mode",
        CullFace "cull_face", FrontFace "front_face", ShadeMode "shade_mode", VertexType "vertex_type",
        SurfaceColor "surface_color", SurfaceDepth "surface_depth", Antialias "antialias", Wrap "wrap",
        MinFilter "min_filter", MagFilter "mag_filter", Aniso "aniso", TexZfunc "tex_zfunc",
        ReportType "report_type",
    );
    let mut names: Vec<_> = list.iter().map(|row| row[0].as_str()).collect();
    names.dedup();
    assert_eq!(names.len(), 21);
}

/// Number and name of operations.
fn told<'a>(infos: impl Iterator<Item = &'a OpcodeInfo>) -> Vec<(u32, String)> {
    infos.map(|info| (u32::from(info.code), info.name.to_uppercase())).collect()
}

#[test]
fn vertex_operations_are_those_of_the_list() {
    let list = rows("vertex-program-ops.csv");
    let unit = |unit: &str| -> Vec<(u32, String)> {
        list.iter().filter(|row| row[0] == unit).map(|row| (number(&row[1]), row[2].clone())).collect()
    };
    assert_eq!(told(vertex::VectorOp::ALL.iter().map(|op| op.info())), unit("vec"));
    assert_eq!(told(vertex::ScalarOp::ALL.iter().map(|op| op.info())), unit("sca"));
    for row in &list {
        let info = match row[0].as_str() {
            "vec" => vertex::VectorOp::named(&row[2]).map(|op| op.info()),
            _ => vertex::ScalarOp::named(&row[2]).map(|op| op.info()),
        };
        if row[2] == "ARA" {
            // The list has a source; the extension text, an address register.
            continue;
        }
        let sources = info.map(|info| info.sources);
        let expected = (0..3).map(|n| u8::from(row[3].contains(&format!("src{n}"))) << n).sum::<u8>();
        assert_eq!(sources, Some(expected), "{}", row[2]);
    }
}

#[test]
fn fragment_operations_are_those_of_the_list() {
    let list = rows("fragment-program-ops.csv");
    let expected: Vec<(u32, String)> = list.iter().map(|row| (number(&row[0]), row[1].clone())).collect();
    let flow = fragment::FlowOp::ALL.iter().map(|op| op.info());
    assert_eq!(told(fragment::Op::ALL.iter().map(|op| op.info()).chain(flow)), expected);
}

/// Word, bits and name of fields.
fn placed(fields: &[WordField]) -> Vec<(usize, u32, u32, String)> {
    let mut placed: Vec<_> = fields.iter().map(|f| (f.word, f.lo, f.hi, f.name.to_lowercase())).collect();
    placed.sort();
    placed
}

fn listed(list: &[Vec<String>], wanted: impl Fn(&str) -> Option<usize>) -> Vec<(usize, u32, u32, String)> {
    let row = |row: &Vec<String>| {
        let word = wanted(&row[0])?;
        Some((word, number(&row[1]), number(&row[2]), row[3].clone()))
    };
    let mut listed: Vec<_> = list.iter().filter_map(row).collect();
    listed.sort();
    listed
}

#[test]
fn fields_of_instructions_are_those_of_the_lists() {
    let source = |word: &str| (word == "src").then_some(0);
    let list = rows("vertex-program-fields.csv");
    assert_eq!(placed(vertex::fields::FIELDS), listed(&list, |word| word.parse().ok()));
    assert_eq!(placed(vertex::fields::source::FIELDS), listed(&list, source));
    let list = rows("fragment-program-fields.csv");
    assert_eq!(placed(fragment::fields::FIELDS), listed(&list, |word| word.parse().ok()));
    assert_eq!(placed(fragment::fields::source::FIELDS), listed(&list, source));
    let flow = |word: &str| word.strip_prefix("flow_w")?.parse().ok();
    assert_eq!(placed(fragment::fields::flow::FIELDS), listed(&list, flow));
}
