//! Atomic mode setting: a display's whole state changes, or nothing.

use super::abi::{Atomic, Mode};
use super::argument::{Answer, Errno, read_array, read_prefix, write_array};
use super::present::present;
use super::properties;
use crate::display::{CONNECTOR, CRTC, Display, PLANE, Setting};
use crate::state::State;
use crate::syncobjs::Fence;

/// Most objects of a change, and properties of an object. The kernel has no limit but memory.
const MAX_OBJECTS: u32 = 64;
const MAX_PROPERTIES: u32 = 64;

mod flags {
    pub const EVENT: u32 = 1;
    pub const ASYNC: u32 = 2;
    pub const TEST_ONLY: u32 = 0x100;
    pub const NONBLOCK: u32 = 0x200;
    pub const ALLOW_MODE: u32 = 0x400;
}

/// A change, as far as it is read.
#[derive(Debug)]
struct Change {
    setting: Setting,
    /// The plane was given a frame buffer.
    is_flip: bool,
    /// A descriptor of a sync file that the change waits for.
    in_fence: Option<i32>,
    /// The address for a descriptor of one that is reached when the change is done.
    out_fence: u64,
}

/// MODE_ATOMIC.
///
/// # Errors
/// `EINVAL` for clients that have not asked for it, unknown flags and what the display does not do, `ENOENT` for
/// unknown objects and properties, `ENOSPC` and `ERANGE` for pictures that do not fit.
pub fn commit(state: &mut State, client: u32, asked: &Atomic) -> Answer {
    const ALL: u32 = flags::EVENT | flags::ASYNC | flags::TEST_ONLY | flags::NONBLOCK | flags::ALLOW_MODE;
    let has = |flag: u32| asked.flags & flag != 0;
    let is_wrong = asked.flags & !ALL != 0 || asked.reserved != 0 || has(flags::TEST_ONLY) && has(flags::EVENT);
    if is_wrong || !state.display.atomic.contains(&client) || asked.object_count > MAX_OBJECTS {
        return Err(Errno(libc::EINVAL));
    }
    let change = read(&state.display, asked)?;
    let (old, new) = (state.display.setting, change.setting);
    check(&state.display, &new)?;
    let parts = |setting: &Setting| (setting.is_active, setting.mode != 0, setting.connector_crtc);
    let wants_answer = has(flags::EVENT) || change.out_fence != 0;
    let is_off = old.is_active == 0 && new.is_active == 0;
    if parts(&old) != parts(&new) && !has(flags::ALLOW_MODE) || wants_answer && (is_off || asked.object_count == 0) {
        return Err(Errno(libc::EINVAL));
    }
    let fence = change.in_fence.map_or(Ok(Fence::default()), |descriptor| state.fence_of(descriptor))?;
    if has(flags::TEST_ONLY) {
        return Ok(());
    }
    let out = if change.out_fence == 0 { None } else { Some(state.sync_file(&Fence::default())?.hand_out()?) };
    state.wait_for_fence(&fence);
    state.display.setting = new;
    write_array(change.out_fence, out.as_slice());
    let event = has(flags::EVENT).then_some(asked.user_data);
    if change.is_flip && new.plane_crtc != 0 {
        return present(state, client, event);
    }
    if let Some(user_data) = event {
        state.display.events.push(client, user_data, state.display.flips());
    }
    Ok(())
}

/// Reads all of a change.
fn read(display: &Display, asked: &Atomic) -> Answer<Change> {
    let objects: Vec<u32> = read_array(asked.objects, asked.object_count);
    let counts: Vec<u32> = read_array(asked.property_counts, asked.object_count);
    if counts.iter().any(|&count| count > MAX_PROPERTIES) {
        return Err(Errno(libc::EINVAL));
    }
    let count: u32 = counts.iter().sum();
    let (ids, values): (Vec<u32>, Vec<u64>) =
        (read_array(asked.properties, count), read_array(asked.property_values, count));
    let mut pairs = ids.into_iter().zip(values);
    let mut change = Change { setting: display.setting, is_flip: false, in_fence: None, out_fence: 0 };
    for (object, count) in objects.into_iter().zip(counts) {
        if !properties::is_object(object) {
            return Err(Errno(libc::ENOENT));
        }
        for (property, value) in pairs.by_ref().take(count as usize) {
            change.set(display, object, property, value)?;
        }
    }
    Ok(change)
}

impl Change {
    fn set(&mut self, display: &Display, object: u32, property: u32, value: u64) -> Answer {
        if !properties::has(object, property) {
            return Err(Errno(libc::ENOENT));
        }
        let valid = |is_valid: bool| if is_valid { Ok(value) } else { Err(Errno(libc::EINVAL)) };
        let is_crtc = [0, u64::from(CRTC)].contains(&value);
        let setting = &mut self.setting;
        match (object, property) {
            (CONNECTOR, properties::CONNECTOR_CRTC) => setting.connector_crtc = valid(is_crtc)?,
            (CRTC, properties::ACTIVE) => setting.is_active = valid(value <= 1)?,
            (CRTC, properties::MODE) => setting.mode = valid(value == 0 || is_mode(display, value))?,
            (CRTC, properties::OUT_FENCE) => {
                write_array(value, &[-1i32]);
                self.out_fence = value;
            }
            (PLANE, properties::FRAME_BUFFER) => {
                setting.frame_buffer = valid(value == 0 || display.frame_buffer(value).is_some())?;
                self.is_flip = true;
            }
            (PLANE, properties::IN_FENCE) => self.in_fence = Some(value as i32).filter(|&descriptor| descriptor != -1),
            (PLANE, properties::PLANE_CRTC) => setting.plane_crtc = valid(is_crtc)?,
            (PLANE, property) => {
                let at = |ids: [u32; 4]| ids.iter().position(|&id| id == property);
                match (at(properties::SHOWN), at(properties::SOURCE)) {
                    (Some(at), _) => setting.shown[at] = value,
                    (_, Some(at)) => setting.source[at] = value,
                    _ => return Err(Errno(libc::EINVAL)),
                }
            }
            _ => return Err(Errno(libc::EINVAL)),
        }
        Ok(())
    }
}

/// Whether a blob is a mode of the display's size.
fn is_mode(display: &Display, blob: u64) -> bool {
    let bytes = u32::try_from(blob).ok().and_then(|blob| display.blob(blob));
    bytes.filter(|bytes| bytes.len() == size_of::<Mode>()).is_some_and(|bytes| {
        let mode: Mode = read_prefix(bytes);
        [mode.horizontal[0], mode.vertical[0]].map(u64::from) == display.size()
    })
}

/// Whether the display can be so: its plane covers the CRTC, pixel by pixel.
fn check(display: &Display, new: &Setting) -> Answer {
    let is_on = new.mode != 0;
    let is_shown = new.plane_crtc != 0;
    let is_consistent =
        is_on == (new.connector_crtc != 0) && (is_on || new.is_active == 0) && is_shown == (new.frame_buffer != 0);
    if !is_consistent {
        return Err(Errno(libc::EINVAL));
    }
    let Some(picture) = display.frame_buffer(new.frame_buffer).filter(|_| is_shown) else { return Ok(()) };
    let ([x, y, width, height], [across, down]) = (new.source, display.size());
    let fits = |first: u64, size: u64, all: u32| first.saturating_add(size) <= u64::from(all) << 16;
    if !(fits(x, width, picture.width) && fits(y, height, picture.height)) {
        return Err(Errno(libc::ENOSPC));
    }
    if new.shown != [0, 0, across, down] {
        return Err(Errno(libc::EINVAL));
    }
    if [width, height] != [across << 16, down << 16] {
        return Err(Errno(libc::ERANGE));
    }
    Ok(())
}
