//! Records in one line each.

use triglyph::Machine;
use triglyph::capture::{Kind, Map, Record};

use super::work;

/// What the GPU may do with a MAP's memory, in a word.
pub fn access(map: &Map) -> &'static str {
    match (map.access.read, map.access.write) {
        (true, true) => "read-write",
        (true, false) => "read",
        (false, true) => "write",
        (false, false) => "none",
    }
}

/// The name of a record's kind, or its number.
pub fn kind_name(kind: u32) -> String {
    Kind::from_number(kind).map_or_else(|| format!("{kind:#x}"), |kind| kind.name().to_owned())
}

/// What a record says.
pub fn describe(machine: Machine, record: &Record<'_>) -> String {
    match record {
        Record::Meta(meta) => meta.text("name").unwrap_or_default().to_owned(),
        Record::Map(map) => format!("{}, {}", map.range, access(map)),
        Record::Mem(mem) => mem.at.range(mem.bytes.len() as u64).to_string(),
        Record::Object(object) => {
            let (handle, class, space) = (object.handle, object.class, object.space);
            format!("{handle:#x} class {class:#x} space {space} {:#x}, limit {:#x}", object.base, object.limit)
        }
        Record::Submit(payload) => {
            let work = work::describe(machine, payload);
            format!("{} {}", work.name, work.parameters)
        }
        Record::Present(present) => {
            let (width, height, format, layout) = (present.width, present.height, present.format, present.layout);
            let place = format!("{}, pitch {}", present.at, present.pitch);
            format!("{} {width}x{height}, {place}, format {format}, layout {layout:#x}", present.label)
        }
        Record::Expect(expect) => format!("tolerance {}, {} in a thousand", expect.tolerance, expect.permille),
        Record::Hash(hash) => format!("{}: {:016x}", hash.range, hash.xxh3),
        Record::Snapshot(snapshot) => {
            let maps = triglyph_engine::snapshot::mappings(snapshot).ok().flatten();
            format!("the device's state, {} memory", if maps.is_some() { "with" } else { "without" })
        }
        Record::Call(call) => triglyph_inspect::call_text(machine, call),
        _ => "skipped".to_owned(),
    }
}
