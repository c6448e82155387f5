//! Format tables of the Tegra X1 against the lists of codes.

use std::collections::BTreeMap;

use triglyph_guest::kernel::program::output::{Bits, Channel};
use triglyph_guest::tegra::format::{Coding, ColorFormat, TextureFormat, VertexFormat, ZetaFormat};
use triglyph_testkit::data::table;

fn lines(path: &str) -> Vec<Vec<String>> {
    table(&format!("tegra/{path}"))
}

fn code(text: &str) -> u32 {
    u32::from_str_radix(text.strip_prefix("0x").expect("hexadecimal"), 16).expect("a number")
}

/// The positions in texts like `R:0-7 G:8-15 A:31` or `R(depth float):0-31`, by the letter.
fn positions(text: &str) -> BTreeMap<char, Bits> {
    let mut plain = String::new();
    let mut depth = 0;
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 && c != ')' {
            plain.push(c);
        }
    }
    let position = |part: &str| {
        let (name, range) = part.split_once(':')?;
        let (lo, hi) = range.split_once('-').unwrap_or((range, range));
        let (lo, hi): (u8, u8) = (lo.parse().ok()?, hi.parse().ok()?);
        Some((name.chars().next()?, Bits { shift: lo, bits: hi - lo + 1 }))
    };
    plain.split(' ').filter_map(position).collect()
}

#[test]
fn color_formats_are_those_of_the_list() {
    let lines = lines("formats/rt-formats.csv");
    assert_eq!(lines.len(), ColorFormat::ALL.len());
    let mut texts = BTreeMap::new();
    for line in &lines {
        let [number, name, bytes, components, kind, _] = &line[..] else { panic!("{line:?}") };
        let format = ColorFormat::from_register(code(number)).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(format.bits(), code(number));
        assert_eq!(format.bytes().to_string(), *bytes, "{name}");
        let text = match components.strip_prefix("as ") {
            Some(other) => texts[&code(other)],
            None => components.as_str(),
        };
        texts.insert(code(number), text);
        let listed = positions(text);
        for (channel, letter) in format.pixel().channels.into_iter().zip(['R', 'G', 'B', 'A']) {
            let (found, kinds) = match channel {
                Channel::Absent => (None, ""),
                Channel::Zeros(at) | Channel::Ones(at) => (Some(at), "X"),
                Channel::Unorm(at) | Channel::UnormHalfUp(at) | Channel::UnormRsx(at) => (Some(at), "unorm"),
                Channel::Srgb(at) => (Some(at), "sRGB"),
                Channel::Snorm(at) => (Some(at), "snorm"),
                Channel::Uint(at) => (Some(at), "uint"),
                Channel::Sint(at) => (Some(at), "sint"),
                Channel::Float(at) | Channel::FloatCut(at) => (Some(at), "float"),
            };
            let expected = if kinds == "X" { 'X' } else { letter };
            assert_eq!(found, listed.get(&expected).copied(), "{name} {letter}");
            let raw = kind.contains("2D") && kinds == "uint";
            assert!(kinds == "X" || raw || kind.contains(kinds), "{name} {letter}: {kind}");
        }
        assert_eq!(format.is_srgb(), kind.contains("sRGB"), "{name}");
    }
}

#[test]
fn zeta_formats_are_those_of_the_list() {
    let lines = lines("formats/zeta-formats.csv");
    assert_eq!(lines.len(), ZetaFormat::ALL.len());
    for line in &lines {
        let [number, name, bytes, depth, stencil, _] = &line[..] else { panic!("{line:?}") };
        let format = ZetaFormat::from_register(code(number)).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((format.name(), format.bytes().to_string()), (name.as_str(), bytes.clone()));
        let range = |text: &str| match text.split(' ').next().and_then(|range| range.split_once('-')) {
            Some((lo, hi)) => {
                let (lo, hi): (u8, u8) = (lo.parse().unwrap(), hi.parse().unwrap());
                Bits { shift: lo, bits: hi - lo + 1 }
            }
            None => Bits { shift: 0, bits: 0 },
        };
        // The list leaves out the stencil that this one has by its name, where ZF32_X16V8S8 has it.
        let stencil = if format == ZetaFormat::X8Z24X16V8S8 { "32-39" } else { stencil };
        assert_eq!((format.row().depth, format.row().stencil), (range(depth), range(stencil)), "{name}");
        assert_eq!(format.row().float, name.starts_with("ZF32"), "{name}");
        let kernel = format.row().kernel;
        assert_eq!((kernel.bytes(), kernel.has_depth()), (format.bytes(), format.has_depth()), "{name}");
        assert!(kernel.has_stencil() || !format.has_stencil(), "{name}");
    }
}

#[test]
fn vertex_formats_are_those_of_the_list() {
    let lines = lines("formats/vertex-formats.csv");
    assert_eq!(lines.len(), VertexFormat::ALL.len());
    for line in &lines {
        let [number, name, bytes, components] = &line[..] else { panic!("{line:?}") };
        let format = VertexFormat::from_register(code(number)).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((format.name(), format.bytes().to_string()), (name.as_str(), bytes.clone()));
        let listed = positions(components);
        assert_eq!(format.count(), listed.len() as u32);
        for (found, letter) in format.row().components.into_iter().zip(['R', 'G', 'B', 'A']) {
            assert_eq!(found, listed.get(&letter).copied().unwrap_or(Bits { shift: 0, bits: 0 }), "{name} {letter}");
        }
    }
}

#[test]
fn texture_formats_are_those_of_the_list() {
    let lines = lines("formats/texture-formats.csv");
    assert_eq!(lines.len(), TextureFormat::ALL.len());
    for line in &lines {
        let [number, name, bytes, width, height, components, note] = &line[..] else { panic!("{line:?}") };
        let format = TextureFormat::from_register(code(number)).unwrap_or_else(|| panic!("{name}"));
        let row = format.row();
        assert_eq!(format.name(), name);
        let bytes = if bytes == "1/8" { "1" } else { bytes };
        assert_eq!([row.bytes, row.width, row.height].map(|n| n.to_string()), [bytes, width.as_str(), height.as_str()]);
        let unused = components.contains("coverage") || note == "unused";
        match row.coding {
            Coding::Packed(fields) => {
                let listed = positions(components);
                for (found, letter) in fields.into_iter().zip(['R', 'G', 'B', 'A']) {
                    let expected = listed.get(&letter).copied().unwrap_or(Bits { shift: 0, bits: 0 });
                    assert_eq!(found, expected, "{name} {letter}");
                }
            }
            Coding::Block(codec) => {
                assert!(components.starts_with("block"), "{name}");
                assert_eq!((codec.bytes(), codec.size()), (row.bytes.into(), (row.width.into(), row.height.into())));
                assert_eq!(format.codec(false).map(|c| c.bytes()), Some(codec.bytes()));
            }
            Coding::Coverage => assert!(unused || components.contains("VCAA"), "{name}"),
            Coding::SharedExponent => assert!(name.starts_with("E5"), "{name}"),
            Coding::Bits => assert_eq!(name, "R1"),
            Coding::Pair { .. } => assert!(note.contains("4:2:2"), "{name}"),
        }
    }
}

#[test]
fn codes_that_are_no_formats_are_none() {
    for code in [0x3F, 0x43, 0x58, 0x100, u32::MAX] {
        assert_eq!(TextureFormat::from_register(code), None);
    }
    assert_eq!((ColorFormat::from_register(0xD3), ZetaFormat::from_register(0)), (None, None));
    assert_eq!(VertexFormat::from_register(0), None);
}
