//! Properties of the display's objects, and blobs: values of bytes. Those that atomic mode setting changes are shown to
//! clients that know of it alone, as the kernel does.

use super::abi::{Blob, NewBlob, ObjectProperties, Property, PropertyName};
use super::argument::{Answer, Argument, Errno, read_array, write_array};
use crate::display::{CONNECTOR, CRTC, Display, ENCODER, PLANE};
use crate::state::State;

/// Types of objects.
mod kind {
    pub const ANY: u32 = 0;
    pub const CRTC: u32 = 0xCCCC_CCCC;
    pub const CONNECTOR: u32 = 0xC0C0_C0C0;
    pub const ENCODER: u32 = 0xE0E0_E0E0;
    pub const PLANE: u32 = 0xEEEE_EEEE;
    pub const FRAME_BUFFER: u32 = 0xFBFB_FBFB;
}

/// The property of a connector's power, which older programs set.
pub const DPMS: u32 = 7;
pub const CONNECTOR_CRTC: u32 = 50;
pub const ACTIVE: u32 = 51;
pub const MODE: u32 = 52;
pub const OUT_FENCE: u32 = 53;
pub const PLANE_TYPE: u32 = 54;
pub const FRAME_BUFFER: u32 = 55;
pub const IN_FENCE: u32 = 56;
pub const PLANE_CRTC: u32 = 57;
/// Where the plane is on the CRTC: x, y, width, height.
pub const SHOWN: [u32; 4] = [58, 59, 60, 61];
/// What of the frame buffer it shows.
pub const SOURCE: [u32; 4] = [62, 63, 64, 65];

/// What values a property has.
#[derive(Clone, Copy, Debug)]
enum Values {
    Range(u64, u64),
    Signed(i64, i64),
    /// By their names, from 0 on.
    Names(&'static [&'static str]),
    Object(u32),
    Blob,
}

/// A property. What belongs to all clients is older than atomic mode setting.
#[derive(Clone, Copy, Debug)]
struct Row {
    id: u32,
    name: &'static str,
    owner: u32,
    values: Values,
    is_atomic: bool,
    is_fixed: bool,
}

const fn row(id: u32, name: &'static str, owner: u32, values: Values) -> Row {
    Row { id, name, owner, values, is_atomic: true, is_fixed: false }
}

const WHOLE: Values = Values::Range(0, u32::MAX as u64);
const PLACE: Values = Values::Signed(i32::MIN as i64, i32::MAX as i64);
const SIZE: Values = Values::Range(0, i32::MAX as u64);

const ROWS: [Row; 17] = [
    Row { is_atomic: false, ..row(DPMS, "DPMS", CONNECTOR, Values::Names(&["On", "Standby", "Suspend", "Off"])) },
    row(CONNECTOR_CRTC, "CRTC_ID", CONNECTOR, Values::Object(kind::CRTC)),
    row(ACTIVE, "ACTIVE", CRTC, Values::Range(0, 1)),
    row(MODE, "MODE_ID", CRTC, Values::Blob),
    row(OUT_FENCE, "OUT_FENCE_PTR", CRTC, Values::Range(0, u64::MAX)),
    Row {
        is_atomic: false,
        is_fixed: true,
        ..row(PLANE_TYPE, "type", PLANE, Values::Names(&["Overlay", "Primary", "Cursor"]))
    },
    row(FRAME_BUFFER, "FB_ID", PLANE, Values::Object(kind::FRAME_BUFFER)),
    row(IN_FENCE, "IN_FENCE_FD", PLANE, Values::Signed(-1, i32::MAX as i64)),
    row(PLANE_CRTC, "CRTC_ID", PLANE, Values::Object(kind::CRTC)),
    row(SHOWN[0], "CRTC_X", PLANE, PLACE),
    row(SHOWN[1], "CRTC_Y", PLANE, PLACE),
    row(SHOWN[2], "CRTC_W", PLANE, SIZE),
    row(SHOWN[3], "CRTC_H", PLANE, SIZE),
    row(SOURCE[0], "SRC_X", PLANE, WHOLE),
    row(SOURCE[1], "SRC_Y", PLANE, WHOLE),
    row(SOURCE[2], "SRC_W", PLANE, WHOLE),
    row(SOURCE[3], "SRC_H", PLANE, WHOLE),
];

/// The value of a property.
fn value(display: &Display, row: &Row) -> u64 {
    /// The plane is the primary one.
    const PRIMARY: u64 = 1;
    let setting = &display.setting;
    match row.id {
        CONNECTOR_CRTC => setting.connector_crtc,
        ACTIVE => setting.is_active,
        MODE => setting.mode,
        PLANE_TYPE => PRIMARY,
        FRAME_BUFFER => setting.frame_buffer,
        IN_FENCE => u64::MAX,
        PLANE_CRTC => setting.plane_crtc,
        id => {
            let part = |ids: [u32; 4], values: [u64; 4]| ids.iter().position(|&other| other == id).map(|at| values[at]);
            part(SHOWN, setting.shown).or_else(|| part(SOURCE, setting.source)).unwrap_or_default()
        }
    }
}

/// The properties of an object that a client sees, with their values.
pub fn of(display: &Display, client: u32, object: u32) -> Vec<(u32, u64)> {
    let is_atomic = display.atomic.contains(&client);
    let seen = ROWS.iter().filter(|row| row.owner == object && (is_atomic || !row.is_atomic));
    seen.map(|row| (row.id, value(display, row))).collect()
}

/// Whether an object has a property.
pub fn has(object: u32, property: u32) -> bool {
    ROWS.iter().any(|row| row.owner == object && row.id == property)
}

/// Whether there is an object that properties can be asked of.
pub fn is_object(object: u32) -> bool {
    [CRTC, CONNECTOR, PLANE].contains(&object)
}

/// Writes properties and their values as far as there is room. Returns how many there are.
pub fn list(properties: &[(u32, u64)], room: u32, ids: u64, values: u64) -> u32 {
    let count = properties.len() as u32;
    if room >= count {
        write_array(ids, &properties.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        write_array(values, &properties.iter().map(|(_, value)| *value).collect::<Vec<_>>());
    }
    count
}

/// MODE_OBJ_GETPROPERTIES.
///
/// # Errors
/// `ENOENT` for an unknown object, `EINVAL` for one without properties.
pub fn of_object(state: &State, client: u32, asked: &mut ObjectProperties) -> Answer {
    let known = match asked.object {
        CRTC => kind::CRTC,
        CONNECTOR => kind::CONNECTOR,
        ENCODER => kind::ENCODER,
        PLANE => kind::PLANE,
        id if state.display.frame_buffer(id.into()).is_some() => kind::FRAME_BUFFER,
        _ => return Err(Errno(libc::ENOENT)),
    };
    if ![kind::ANY, known].contains(&asked.kind) {
        return Err(Errno(libc::ENOENT));
    }
    if !is_object(asked.object) {
        return Err(Errno(libc::EINVAL));
    }
    asked.count = list(&of(&state.display, client, asked.object), asked.count, asked.properties, asked.values);
    Ok(())
}

fn text(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
    bytes
}

/// MODE_GETPROPERTY.
///
/// # Errors
/// `ENOENT`.
pub fn describe(asked: &mut Property) -> Answer {
    const RANGE: u32 = 1 << 1;
    const FIXED: u32 = 1 << 2;
    const NAMES: u32 = 1 << 3;
    const BLOB: u32 = 1 << 4;
    const OBJECT: u32 = 1 << 6;
    const SIGNED: u32 = 2 << 6;
    const ATOMIC: u32 = 1 << 31;
    const NONE: &[&str] = &[];
    let row = ROWS.iter().find(|row| row.id == asked.property).ok_or(Errno(libc::ENOENT))?;
    let (kind, values, names) = match row.values {
        Values::Range(first, last) => (RANGE, vec![first, last], NONE),
        Values::Signed(first, last) => (SIGNED, vec![first as u64, last as u64], NONE),
        Values::Names(names) => (NAMES, (0..names.len() as u64).collect(), names),
        Values::Object(kind) => (OBJECT, vec![kind.into()], NONE),
        Values::Blob => (BLOB, Vec::new(), NONE),
    };
    let (value_count, name_count) = (values.len() as u32, names.len() as u32);
    if asked.value_count >= value_count {
        write_array(asked.values, &values);
    }
    if asked.name_count >= name_count {
        let named = values.iter().zip(names).map(|(&value, name)| PropertyName { value, name: text(name) });
        write_array(asked.names, &named.collect::<Vec<_>>());
    }
    let bits = [(row.is_atomic, ATOMIC), (row.is_fixed, FIXED)];
    let flags = bits.into_iter().filter(|(is_set, _)| *is_set).fold(kind, |flags, (_, bit)| flags | bit);
    *asked = Property { flags, name: text(row.name), value_count, name_count, ..*asked };
    Ok(())
}

/// Calls about blobs.
///
/// # Errors
/// `ENOENT` for unknown ones, `EINVAL` for other calls and for no bytes, `ENOMEM` for too many.
pub fn blob_call(display: &mut Display, number: u32, argument: &mut Argument) -> Answer {
    match number {
        0xAC => argument.update(|asked: &mut Blob| {
            let bytes = display.blob(asked.blob).ok_or(Errno(libc::ENOENT))?;
            if asked.length as usize == bytes.len() {
                write_array(asked.data, bytes);
            }
            asked.length = bytes.len() as u32;
            Ok(())
        }),
        0xBD => argument.update(|asked: &mut NewBlob| {
            if asked.length > Display::MAX_BLOB {
                return Err(Errno(libc::ENOMEM));
            }
            asked.blob = display.add_blob(read_array(asked.data, asked.length))?;
            Ok(())
        }),
        0xBE => display.remove_blob(argument.read()),
        _ => Err(Errno(libc::EINVAL)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_known_by_one_number() {
        for (at, row) in ROWS.iter().enumerate() {
            assert!(ROWS[..at].iter().all(|other| other.id != row.id), "{}", row.name);
            assert!(is_object(row.owner) && has(row.owner, row.id), "{}", row.name);
        }
        assert!(!has(CRTC, DPMS));
    }
}
