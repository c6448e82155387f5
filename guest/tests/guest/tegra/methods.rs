//! Method tables of the Tegra X1's classes against the list of NVIDIA's class headers.

use std::collections::{BTreeMap, BTreeSet};

use triglyph_guest::table::FieldInfo;
use triglyph_guest::tegra::fifo::{Event, Stream, lines};
use triglyph_guest::tegra::format::{ColorFormat, VertexFormat, VertexType, ZetaFormat};
use triglyph_guest::tegra::methods::{ADDRESSES, Class, Common, Effect, SUBCHANNEL_CLASSES, method_text, threed, twod};
use triglyph_testkit::data::text_of;

/// One line of a list: a field of a method.
struct Listed {
    address: u32,
    name: String,
    count: usize,
    step: usize,
    field: String,
    lo: u32,
    hi: u32,
    values: BTreeMap<u32, String>,
}

/// The names of the lists where ours differ.
fn our_name(name: &str) -> String {
    let name = name.trim_end_matches(" (not in vendor header)");
    name.replace("SRC_Y0_TRIGGER", "SRC_Y0")
}

fn number(text: &str) -> u32 {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).expect("a number"),
        None => text.parse().expect("a number"),
    }
}

fn listed(class: Class) -> Vec<Listed> {
    let text = text_of(&format!("tegra/methods/{:04x}-methods.csv", class.id()));
    let line = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        let [address, _, name, stride, count, lo, hi, field, values] = columns[..] else { panic!("{line}") };
        let values = values.split('|').filter(|v| !v.is_empty()).map(|value| {
            let (name, code) = value.split_once('=').expect("name=code");
            (number(code), name.to_owned())
        });
        Listed {
            address: number(address),
            name: our_name(name),
            count: count.parse().unwrap_or(1),
            step: stride.parse::<usize>().unwrap_or(0) / 4,
            field: field.to_lowercase().replace("__", "_"),
            lo: number(lo),
            hi: number(hi),
            values: values.collect(),
        }
    };
    text.lines().skip(1).map(line).collect()
}

/// Fields whose values are numbers here although the list names them: log2 of GOBs, numbers of things less one, codes
/// of formats in several classes' own selections, and registers without visible effect.
fn plain(listed: &Listed) -> bool {
    let numbers = ["ONE_GOB", "ONE", "CONSTANT0", "_0"];
    let hints = ["ZCULL", "L2_CACHE", "EARLY_Z_HYSTERESIS", "INTERLOCK", "L1_CONFIGURATION", "MME_DATA_FIFO"];
    let counts =
        listed.field.contains("component") || listed.field.contains("constant") || !listed.name.contains("REMAP");
    numbers.iter().any(|first| listed.values.get(&0).is_some_and(|name| name == first)) && counts
        || hints.iter().any(|part| listed.name.contains(part))
        || listed.name.ends_with("_FORMAT") && listed.values.len() > 15
}

fn assert_values(listed: &Listed, field: &FieldInfo) {
    let what = format!("{} {}", listed.name, listed.field);
    let ours: BTreeMap<u32, String> = field.values.iter().map(|&(code, name)| (code, name.to_owned())).collect();
    assert_eq!(ours.len(), field.values.len(), "{what}: a value is there twice");
    if field.values.is_empty() {
        assert!(listed.values.is_empty() || plain(listed), "{what} has no names");
        return;
    }
    let flag = |values: &BTreeMap<u32, String>| {
        let names: Vec<_> = values.iter().map(|(code, name)| (*code, name.as_str())).collect();
        names == [(0, "FALSE"), (1, "TRUE")] || names == [(0, "DISABLE"), (1, "ENABLE")]
    };
    if flag(&ours) && flag(&listed.values) {
        return;
    }
    // Nothing, or a value that "will go away".
    let theirs: BTreeMap<u32, String> = match ours.contains_key(&0) {
        true => listed.values.clone(),
        false => listed.values.clone().into_iter().filter(|(code, _)| *code != 0).collect(),
    };
    // The 2D class selects formats of colour targets; those of grey, and masks, have names of their own there.
    let is_selection = theirs.values().any(|name| name == "Y8");
    let is_grey = |name: &str| is_selection && name.trim_start_matches('A').starts_with('Y');
    for (code, name) in theirs.iter().filter(|(_, name)| !is_grey(name)) {
        assert_eq!(ours.get(code), Some(name), "{what} {code:#x}");
    }
    if is_selection {
        return;
    }
    // Factors of the destination are two fewer.
    assert!(ours.len() == theirs.len() || listed.name.contains("DEST_COEFF"), "{what}");
}

#[test]
fn every_listed_method_has_its_row_and_fields() {
    for class in Class::ALL {
        let mut methods: BTreeMap<(u32, String), Vec<Listed>> = BTreeMap::new();
        for listed in listed(class) {
            methods.entry((listed.address, listed.name.clone())).or_default().push(listed);
        }
        for ((address, name), fields) in methods {
            let first = &fields[0];
            for index in 0..first.count {
                let at = address + (index * first.step) as u32;
                let ours = class.method(at).unwrap_or_else(|| panic!("{class:?} {name} at {at:#x}"));
                assert!(!ours.doc.trim().is_empty());
                // Calls into firmware are 32 names in the list: SET_FALCON00 and so on.
                if ours.name == "SET_FALCON" {
                    assert_eq!(format!("{}{:02}", ours.name, ours.index.expect("32 of them")), name);
                    continue;
                }
                assert_eq!(ours.name, name, "{class:?} {at:#x}");
                assert_eq!(ours.index, (first.count > 1).then_some(index), "{name}");
            }
            if address < 0x40 {
                continue;
            }
            let ours = class.method(address).expect("checked above");
            let found: Vec<_> = ours.fields.iter().map(|field| (field.name, field.lo, field.hi)).collect();
            let expected: Vec<_> = fields.iter().map(|f| (f.field.as_str(), f.lo, f.hi)).collect();
            assert_eq!(found, expected, "{name}");
            fields.iter().zip(ours.fields).for_each(|(listed, field)| assert_values(listed, field));
        }
    }
}

#[test]
fn no_other_method_has_a_row() {
    // In no vendor list: envytools and Mesa have the first, deko3d the others (tiled caching and discarding).
    let tiled_caching = (0x3D8..=0x3E0).chain([0x442]);
    let known: BTreeSet<_> = [0x56D].into_iter().chain(tiled_caching).map(|address| (Class::ThreeD, address)).collect();
    for class in Class::ALL {
        let mut addresses = BTreeSet::new();
        for listed in listed(class) {
            addresses.extend((0..listed.count).map(|index| listed.address + (index * listed.step) as u32));
        }
        for address in 0x40..ADDRESSES as u32 {
            let there = class.method(address).is_some();
            assert_eq!(there, addresses.contains(&address) || known.contains(&(class, address)), "{address:#x}");
        }
        assert!(class.method(ADDRESSES as u32).is_none());
    }
}

#[test]
fn classes_are_found_by_number() {
    for class in Class::ALL {
        assert_eq!(Class::from_id(class.id()), Some(class));
        assert_eq!(class.method(0x07).map(|row| row.name), Some("SEMAPHORE_D"));
    }
    assert_eq!(Class::from_id(0xB097), None);
    assert_eq!(
        SUBCHANNEL_CLASSES.map(|class| class.map_or(0, Class::id))[..6],
        [0xB197, 0xB1C0, 0xA140, 0x902D, 0xB0B5, 0]
    );
}

#[test]
fn typed_fields_read_as_documented() {
    use threed::regs::*;
    use threed::*;
    assert_eq!(set_color_target_format::id(7), 0x274);
    assert_eq!(set_color_target_format::v(0xD5), Some(ColorFormat::A8B8G8R8Unorm));
    assert_eq!(set_color_target_format::v(0), None);
    assert_eq!(set_zt_format::v(0x14), Some(ZetaFormat::Z24S8));
    assert_eq!(
        [1, 0x4300, 0xC900, 0x10, 0x14].map(BlendFactor::from_register),
        [
            Some(BlendFactor::Zero),
            Some(BlendFactor::SourceColor),
            Some(BlendFactor::SecondColor),
            Some(BlendFactor::SecondColor),
            None
        ]
    );
    assert_eq!([8, 0x207].map(set_depth_func::v), [Some(CompareFunc::Always); 2]);
    assert_eq!(set_stencil_op_fail::v(0), Some(StencilOp::Zero));
    // The words of a textured quad's attributes (switchbrew).
    let position = 0x3840_0000;
    assert_eq!(set_vertex_attribute_a::component_bit_widths(position), Some(VertexFormat::R32G32B32));
    assert_eq!(set_vertex_attribute_a::numerical_type(position), Some(VertexType::Float));
    assert_eq!(set_vertex_attribute_a::offset(0x1140_0A00), 20);
    assert_eq!(set_vertex_attribute_a::component_bit_widths(0x1140_0A00), Some(VertexFormat::R8G8B8A8));
    assert_eq!(set_vertex_attribute_a::source(0x40), Some(AttributeSource::Inactive));
    assert_eq!(set_window_offset_x::v(0x1_FFFF), -1);
    // The word of fences that games write (switchbrew).
    let fence = 0x1000_F010;
    assert_eq!(set_report_semaphore_d::operation(fence), Some(ReportOperation::Release));
    assert_eq!(set_report_semaphore_d::release(fence), Some(ReportRelease::AfterWrites));
    assert_eq!(set_report_semaphore_d::pipeline_location(fence), Some(PipelineLocation::All));
    let clip = 0x101A;
    assert_eq!(set_viewport_clip_control::geometry_clip(clip), Some(GeometryClip::FrustumXy));
    assert_eq!(set_viewport_clip_control::pixel_min_z(clip), Some(PixelZ::Clamp));
}

#[test]
fn effects_tell_what_a_write_does() {
    use threed::{METHODS, RESET, Trigger, dirty, groups, regs};
    assert_eq!(METHODS.effect(0x674), Effect::Trigger(Trigger::Clear));
    assert_eq!(METHODS.effect(regs::load_constant_buffer::id(15) as u32), Effect::Trigger(Trigger::LoadConstant));
    assert_eq!(groups(regs::set_depth_func::ID as u32), dirty::FRAGMENT);
    assert_eq!(groups(regs::set_viewport_scale_z::id(15) as u32), dirty::VIEWPORT);
    assert_eq!(METHODS.effect(0xE00 + 2 * 127), Effect::Common(Common::MacroCall));
    assert_eq!(METHODS.effect(0xE01), Effect::Common(Common::MacroData));
    assert_eq!(METHODS.effect(0xFFF), Effect::None);
    assert_eq!(METHODS.named("SET_FALCON").map(|row| row.id), Some(0x8C0));
    assert_eq!(twod::METHODS.effect(0x237), Effect::Trigger(twod::Trigger::Blit));
    assert_eq!((0..6).map(|i| RESET[0x804 + 0x10 * i]).collect::<Vec<_>>(), [0, 0, 1, 2, 3, 4]);
    assert_eq!((RESET[0x303], RESET[0x33F], RESET[0x3EF], RESET[0x680]), (0x3F80_0000, 0x3F80_0000, 0xFFFF, 0x1111));
    for class in Class::ALL {
        for (address, &value) in class.reset().iter().enumerate() {
            let named = class.method(address as u32).is_some();
            assert!(value == 0 || named || (class == Class::ThreeD && UNNAMED.iter().any(|row| row.0 == address)));
        }
    }
}

/// What the firmware writes to methods of the 3D class that no source has a name for, but for those that it sets to 0.
const UNNAMED: [(usize, u32); 15] = [
    (0x0B0, 1),
    (0x1D8, 0x3929_1909),
    (0x1D9, 0x7969_5949),
    (0x1DA, 0xB9A9_9989),
    (0x1DB, 0xF9E9_D9C9),
    (0x1DC, 0x3020_1000),
    (0x1DD, 0x7060_5040),
    (0x1DE, 0x9080),
    (0x1E0, 0x3929_1909),
    (0x1E1, 0x7969_5949),
    (0x1E2, 0xB9A9_9989),
    (0x1E3, 0xF9E9_D9C9),
    (0x1F4, 0x3020_1000),
    (0x1F5, 0x7060_5040),
    (0x1F6, 0x9080),
];

#[test]
fn channels_begin_as_the_firmware_says() {
    let rows = |class: Class, pairs: &[(usize, u32)]| {
        for &(address, value) in pairs {
            assert_eq!(class.reset()[address], value, "{address:#x}");
        }
    };
    // Of each part of the list a few: targets, viewports, clips, attributes, streams, blending, stencil, programs.
    for i in 0..8 {
        let (target, blend) = (0x200 + 16 * i, 0x780 + 8 * i);
        rows(Class::ThreeD, &[(target + 2, 0x400), (target + 3, 0x300), (target + 5, 0x40), (target + 6, 1)]);
        let words = [1, 1, 2, 1, 1, 2, 1];
        words.iter().enumerate().for_each(|(n, &word)| rows(Class::ThreeD, &[(blend + n, word)]));
        let first = if i == 0 { 0x1111 } else { 0 };
        rows(Class::ThreeD, &[(0x340 + 2 * i, 0xFFFF_0000), (0x680 + i, first), (0x204 + 16 * i, [0xCF, 0][i.min(1)])]);
    }
    for i in 0..16 {
        rows(Class::ThreeD, &[(0x300 + 4 * i, 0), (0x303 + 4 * i, 0x3F80_0000), (0x458 + i, 0x25E0_0040)]);
    }
    let shaders = [0, 0x11, 0x20, 0x30, 0x40, 0x51];
    shaders.iter().enumerate().for_each(|(i, &word)| rows(Class::ThreeD, &[(0x800 + 16 * i, word)]));
    rows(Class::ThreeD, &[(0x4C3, 1), (0x4E0, 0), (0x4E4, 1), (0x4E7, 0), (0x4CF, 1), (0x546, 0), (0x3FD, 0)]);
    rows(Class::ThreeD, &[(0x56E, 1), (0x584, 0x12), (0x64F, 0x2C1C), (0x487, 0x0FAC_6881), (0x54E, 1)]);
    // Tiled caching.
    rows(Class::ThreeD, &[(0x3D8, 0), (0x3D9, 0x0040_0040), (0x3DA, 0x2212), (0x3DB, 0x0808_0203)]);
    rows(Class::ThreeD, &[(0x3DC, 0x0008_0001), (0x442, 8)]);
    rows(Class::ThreeD, &UNNAMED);
    rows(Class::ThreeD, &[(0x1D4, 0), (0x1D7, 0), (0x1DF, 0), (0x1E4, 0), (0x511, 0), (0x512, 0), (0x513, 0)]);
    rows(Class::TwoD, &[(0x080, 0xCF), (0x081, 1), (0x082, 0x20), (0x083, 1), (0x085, 0x80), (0x086, 0x100)]);
    for class in [Class::Compute, Class::Inline, Class::Copy] {
        let mut written = class.reset().iter().enumerate().filter(|&(_, &word)| word != 0);
        let headers = class == Class::Compute;
        assert_eq!(written.next(), headers.then_some((0x086, &1)), "{class:?}");
        assert_eq!(written.next(), None, "{class:?}");
    }
}

#[test]
fn push_buffers_print_with_names() {
    let words = [0x2004_06C0, 5, 0x1000, 0x77, 0x1000_F010, 0x8000_E045, 0x8000_A123];
    let name = |subchannel: u32, method| method_text(SUBCHANNEL_CLASSES[subchannel as usize], method);
    let text = lines(&mut Stream::default(), &words, &name);
    assert_eq!(text[0], "200406c0 subchannel 0, 4 words from SET_REPORT_SEMAPHORE_A");
    assert_eq!(text[4], "1000f010   SET_REPORT_SEMAPHORE_D = 0x1000f010");
    assert_eq!(text[5], "8000e045 subchannel 7, 0x045 = 0x0");
    assert_eq!(text[6], "8000a123 subchannel 5, 0x123 = 0x0");
    assert_eq!(method_text(Some(Class::ThreeD), 0x214), "SET_COLOR_TARGET_FORMAT[1]");
    assert_eq!(method_text(None, 0x1D), "SYNCPOINT_B");
    assert_eq!(Stream::default().word(0), Event::None);
}
