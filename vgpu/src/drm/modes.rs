//! Calls of a display, for programs that want one.

use std::path::PathBuf;

use triglyph::GuestAddr;
use triglyph::capture::Present;

use super::abi::{
    AddFrameBuffer, AddFrameBuffer2, Connector, CreateDumb, Crtc, Encoder, MapDumb, PageFlip, Property, PropertyName,
    Resources,
};
use super::argument::{Answer, Argument, Errno, write_array};
use crate::buffers::Wanted;
use crate::chip::Domain;
use crate::display::{CONNECTOR, CRTC, ENCODER, FrameBuffer};
use crate::state::State;

/// The formats XR24 and AR24: bytes blue, green, red, and alpha or nothing.
const XRGB: u32 = u32::from_le_bytes(*b"XR24");
const ARGB: u32 = u32::from_le_bytes(*b"AR24");

/// The number of the property of a connector's power.
const DPMS: u32 = 7;

pub fn call(state: &mut State, number: u32, argument: &mut Argument) -> Answer {
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
            let (crtc, frame_buffer, mode) = (CRTC, state.display.shown, state.display.mode());
            *asked = Crtc { crtc, frame_buffer, mode_valid: 1, mode, x: 0, y: 0, gamma_size: 0, ..*asked };
            Ok(())
        }),
        0xA2 => {
            state.display.shown = argument.read::<Crtc>().frame_buffer;
            Ok(())
        }
        0xA6 => argument.update(|asked: &mut Encoder| {
            *asked = Encoder { encoder: ENCODER, kind: 2, crtc: CRTC, possible_crtcs: 1, possible_clones: 0 };
            Ok(())
        }),
        0xA7 => argument.update(|asked: &mut Connector| connector(state, asked)),
        0xAA => argument.update(property),
        // SETPROPERTY: a display without a screen is never off.
        0xAB => Ok(()),
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
        0xB0 => flip(state, &argument.read()),
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
        // Planes, which are empty lists: the count follows an address.
        0xB5 => argument.update(|asked: &mut [u32; 4]| {
            asked[2] = 0;
            Ok(())
        }),
        0xB8 => argument.update(|asked: &mut AddFrameBuffer2| {
            let AddFrameBuffer2 { width, height, format, .. } = *asked;
            let (handle, pitch) = (asked.handles[0], asked.pitches[0]);
            asked.frame_buffer = add(state, FrameBuffer { handle, width, height, pitch, format })?;
            Ok(())
        }),
        // Properties of an object: the count follows two addresses.
        0xB9 => argument.update(|asked: &mut [u32; 8]| {
            asked[4] = 0;
            Ok(())
        }),
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

fn connector(state: &State, asked: &mut Connector) -> Answer {
    /// A connector of digital displays that is connected, of pixels of unknown order.
    const DIGITAL: u32 = 11;
    list_one(asked.encoders, &mut asked.encoder_count, ENCODER);
    if asked.mode_count > 0 {
        write_array(asked.modes, &[state.display.mode()]);
    }
    if asked.property_count > 0 {
        write_array(asked.property_values, &[0u64]);
    }
    list_one(asked.properties, &mut asked.property_count, DPMS);
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

/// The connector's only property, its power.
fn property(asked: &mut Property) -> Answer {
    const ENUMERATION: u32 = 1 << 3;
    const STATES: [&str; 4] = ["On", "Standby", "Suspend", "Off"];
    if asked.property != DPMS {
        return Err(Errno(libc::ENOENT));
    }
    let text = |text: &str| {
        let mut bytes = [0; 32];
        bytes.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        bytes
    };
    let states: Vec<PropertyName> =
        (0..).zip(STATES).map(|(value, name)| PropertyName { value, name: text(name) }).collect();
    let count = states.len() as u32;
    if asked.value_count >= count {
        write_array(asked.values, &states.iter().map(|state| state.value).collect::<Vec<_>>());
    }
    if asked.name_count >= count {
        write_array(asked.names, &states);
    }
    *asked = Property { flags: ENUMERATION, name: text("DPMS"), value_count: count, name_count: count, ..*asked };
    Ok(())
}

/// A frame buffer keeps its buffer.
fn add(state: &mut State, frame_buffer: FrameBuffer) -> Answer<u32> {
    state.buffers.open(frame_buffer.handle)?;
    Ok(state.display.add(frame_buffer))
}

fn flip(state: &mut State, asked: &PageFlip) -> Answer {
    const EVENT: u32 = 1;
    let event = (asked.flags & EVENT != 0).then_some(asked.user_data);
    let shown = state.display.flip(asked.frame_buffer, event).ok_or(Errno(libc::ENOENT))?;
    let Some(picture) = picture(state, &shown) else { return Ok(()) };
    let file = state.settings.frames.as_ref().map(|folder| frame_file(folder.clone(), state.display.flips()));
    if file.is_none() && state.settings.capture.is_none() {
        return Ok(());
    }
    // The last board that has written the buffer finds the frame in its memory.
    let writers = state.buffers.get(shown.handle).map(|buffer| state.waits(&buffer.written)).unwrap_or_default();
    if let Some((board, _)) = writers.into_iter().last() {
        board.present(picture, file)?;
    }
    Ok(())
}

fn frame_file(folder: PathBuf, number: u32) -> PathBuf {
    folder.join(format!("frame-{number:05}.png"))
}

/// A frame buffer as a capture names it: 32-bit pixels in rows, or in blocks of the GM20B's.
fn picture(state: &State, shown: &FrameBuffer) -> Option<Present> {
    /// Bytes blue, green, red, alpha; see `docs/reference/captures.md`.
    const BGRA: u32 = 6;
    const ROWS: u32 = 0;
    const BLOCKS: u32 = 3;
    let buffer = state.buffers.get(shown.handle).filter(|_| [XRGB, ARGB].contains(&shown.format))?;
    let range = state.range(buffer.place, buffer.size);
    let layout = match buffer.tile_flags & 0xFF00 {
        0 => ROWS,
        _ => BLOCKS | (buffer.tile_mode >> 4 & 15) << 8,
    };
    let FrameBuffer { width, height, pitch, .. } = *shown;
    let at = GuestAddr::new(range.start.space, range.start.address);
    Some(Present { at, format: BGRA, width, height, pitch, layout, label: "main".into() })
}
