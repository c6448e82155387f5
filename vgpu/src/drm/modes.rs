//! Calls of a display, for programs that want one.

use super::abi::{
    AddFrameBuffer, AddFrameBuffer2, Connector, CreateDumb, Crtc, Encoder, MapDumb, ObjectProperties, PageFlip, Plane,
    Planes, Resources, SetProperty,
};
use super::argument::{Answer, Argument, Errno, write_array};
use super::present::{ARGB, XRGB, present};
use super::{atomic, properties};
use crate::buffers::Wanted;
use crate::chip::Domain;
use crate::display::{CONNECTOR, CRTC, Display, ENCODER, FrameBuffer, PLANE};
use crate::state::State;

pub fn call(state: &mut State, client: u32, number: u32, argument: &mut Argument) -> Answer {
    let invalid = Errno(libc::EINVAL);
    match number {
        0xA0 => argument.update(|asked: &mut Resources| {
            // No list of frame buffers; one CRTC, one connector, one encoder.
            asked.counts[0] = 0;
            for (n, id) in [(1, CRTC), (2, CONNECTOR), (3, ENCODER)] {
                list_one(asked.lists[n], &mut asked.counts[n], id);
            }
            asked.smallest_and_largest = [1, 16384, 1, 16384];
            Ok(())
        }),
        0xA1 => argument.update(|asked: &mut Crtc| {
            let (crtc, frame_buffer, mode) = (CRTC, state.display.shown(), state.display.mode());
            let mode_valid = u32::from(state.display.setting.mode != 0);
            *asked = Crtc { crtc, frame_buffer, mode_valid, mode, x: 0, y: 0, gamma_size: 0, ..*asked };
            Ok(())
        }),
        0xA2 => set_crtc(&mut state.display, &argument.read()),
        0xA6 => argument.update(|asked: &mut Encoder| {
            *asked = Encoder { encoder: ENCODER, kind: 2, crtc: CRTC, possible_crtcs: 1, possible_clones: 0 };
            Ok(())
        }),
        0xA7 => argument.update(|asked: &mut Connector| connector(state, client, asked)),
        0xAA => argument.update(properties::describe),
        // SETPROPERTY, of a connector's power: a display without a screen is never off.
        0xAB => Ok(()),
        0xAC | 0xBD | 0xBE => properties::blob_call(&mut state.display, number, argument),
        0xAE => argument.update(|asked: &mut AddFrameBuffer| {
            let AddFrameBuffer { width, height, pitch, handle, depth, .. } = *asked;
            let format = if depth == 32 { ARGB } else { XRGB };
            asked.frame_buffer = add(state, FrameBuffer { handle, width, height, pitch, format })?;
            Ok(())
        }),
        0xAF => {
            let removed = state.display.remove(argument.read()).ok_or(Errno(libc::ENOENT))?;
            state.close_buffer(removed.handle)
        }
        0xB0 => flip(state, client, &argument.read()),
        0xB2 => argument.update(|asked: &mut CreateDumb| {
            let row = asked.width.checked_mul(asked.bits_per_pixel.div_ceil(8)).ok_or(invalid)?;
            asked.pitch = row.checked_next_multiple_of(64).ok_or(invalid)?;
            asked.size = u64::from(asked.pitch) * u64::from(asked.height);
            let wanted = Wanted { domains: Domain::Gart.bit(), size: asked.size, ..Wanted::default() };
            asked.handle = state.create_buffer(wanted)?;
            Ok(())
        }),
        0xB3 => argument.update(|asked: &mut MapDumb| {
            asked.offset = state.buffers.get_mut(asked.handle)?.home.offset;
            Ok(())
        }),
        0xB4 => state.close_buffer(argument.read()),
        0xB5 => argument.update(|asked: &mut Planes| {
            // The only one is the primary plane, which is listed for clients that know of its kind.
            match state.display.all_planes.contains(&client) {
                true => list_one(asked.planes, &mut asked.count, PLANE),
                false => asked.count = 0,
            }
            Ok(())
        }),
        0xB6 => argument.update(|asked: &mut Plane| plane(&state.display, asked)),
        0xB8 => argument.update(|asked: &mut AddFrameBuffer2| {
            let AddFrameBuffer2 { width, height, format, .. } = *asked;
            let (handle, pitch) = (asked.handles[0], asked.pitches[0]);
            asked.frame_buffer = add(state, FrameBuffer { handle, width, height, pitch, format })?;
            Ok(())
        }),
        0xB9 => argument.update(|asked: &mut ObjectProperties| properties::of_object(state, client, asked)),
        0xBA => set_property(argument.read()),
        0xBC => atomic::commit(state, client, &argument.read()),
        _ => Err(invalid),
    }
}

/// A list of one.
fn list_one(address: u64, count: &mut u32, id: u32) {
    if *count > 0 {
        write_array(address, &[id]);
    }
    *count = 1;
}

fn connector(state: &State, client: u32, asked: &mut Connector) -> Answer {
    /// A connector of digital displays that is connected, of pixels of unknown order.
    const DIGITAL: u32 = 11;
    list_one(asked.encoders, &mut asked.encoder_count, ENCODER);
    if asked.mode_count > 0 {
        write_array(asked.modes, &[state.display.mode()]);
    }
    let properties = properties::of(&state.display, client, CONNECTOR);
    asked.property_count = properties::list(&properties, asked.property_count, asked.properties, asked.property_values);
    *asked = Connector {
        mode_count: 1,
        encoder: ENCODER,
        kind: DIGITAL,
        kind_number: 1,
        connection: 1,
        size: [300, 200],
        subpixel: 1,
        ..*asked
    };
    Ok(())
}

/// SETCRTC: shows a frame buffer, or switches the display off.
fn set_crtc(display: &mut Display, asked: &Crtc) -> Answer {
    /// The frame buffer that is shown already.
    const SAME: u32 = u32::MAX;
    let is_on = asked.mode_valid != 0;
    if !is_on {
        display.show(0)?;
    } else if asked.frame_buffer != SAME {
        display.show(asked.frame_buffer)?;
    }
    display.set_on(is_on);
    Ok(())
}

/// GETPLANE.
fn plane(display: &Display, asked: &mut Plane) -> Answer {
    const FORMATS: [u32; 2] = [XRGB, ARGB];
    if asked.plane != PLANE {
        return Err(Errno(libc::ENOENT));
    }
    let format_count = FORMATS.len() as u32;
    if asked.format_count >= format_count {
        write_array(asked.formats, &FORMATS);
    }
    let (crtc, frame_buffer) = (display.setting.plane_crtc as u32, display.shown());
    *asked = Plane { crtc, frame_buffer, possible_crtcs: 1, gamma_size: 0, format_count, ..*asked };
    Ok(())
}

/// OBJ_SETPROPERTY: a connector's power, as SETPROPERTY.
fn set_property(asked: SetProperty) -> Answer {
    match (asked.object, asked.property) {
        (CONNECTOR, properties::DPMS) => Ok(()),
        (object, property) if properties::has(object, property) => Err(Errno(libc::EINVAL)),
        _ => Err(Errno(libc::ENOENT)),
    }
}

/// A frame buffer keeps its buffer.
fn add(state: &mut State, frame_buffer: FrameBuffer) -> Answer<u32> {
    state.buffers.open(frame_buffer.handle)?;
    Ok(state.display.add(frame_buffer))
}

fn flip(state: &mut State, client: u32, asked: &PageFlip) -> Answer {
    const EVENT: u32 = 1;
    if asked.frame_buffer == 0 {
        return Err(Errno(libc::ENOENT));
    }
    state.display.show(asked.frame_buffer)?;
    present(state, client, (asked.flags & EVENT != 0).then_some(asked.user_data))
}
