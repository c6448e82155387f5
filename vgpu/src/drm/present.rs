//! Frame buffers that are shown, for captures and files of pictures.

use std::path::PathBuf;

use triglyph::GuestAddr;
use triglyph::capture::Present;

use super::argument::Answer;
use crate::display::FrameBuffer;
use crate::state::State;

/// The formats XR24 and AR24: bytes blue, green, red, and alpha or nothing.
pub const XRGB: u32 = u32::from_le_bytes(*b"XR24");
pub const ARGB: u32 = u32::from_le_bytes(*b"AR24");

/// Presents the frame buffer that is shown; `event` is the user data of the event that the client wants.
///
/// # Errors
/// `ENODEV` when the board of its picture is gone.
pub fn present(state: &mut State, client: u32, event: Option<u64>) -> Answer {
    state.display.count_flip(client, event);
    let Some(&shown) = state.display.frame_buffer(state.display.shown().into()) else { return Ok(()) };
    let file = state.settings.frames.as_ref().map(|folder| frame_file(folder.clone(), state.display.flips()));
    if file.is_none() && state.settings.capture.is_none() {
        return Ok(());
    }
    match state.board_of_picture(shown.handle) {
        Some((board, at)) => match picture(state, &shown, at) {
            Some(picture) => board.present(picture, file).map(|_| ()),
            None => Ok(()),
        },
        None => Ok(()),
    }
}

fn frame_file(folder: PathBuf, number: u32) -> PathBuf {
    folder.join(format!("frame-{number:05}.png"))
}

/// A frame buffer as a capture names it: 32-bit pixels in rows, or in blocks of the GM20B's.
fn picture(state: &State, shown: &FrameBuffer, at: GuestAddr) -> Option<Present> {
    /// Bytes blue, green, red, alpha; see `docs/reference/captures.md`.
    const BGRA: u32 = 6;
    const ROWS: u32 = 0;
    const BLOCKS: u32 = 3;
    let buffer = state.buffers.get(shown.handle).filter(|_| [XRGB, ARGB].contains(&shown.format))?;
    let layout = match buffer.tile_flags & 0xFF00 {
        0 => ROWS,
        _ => BLOCKS | (buffer.tile_mode >> 4 & 15) << 8,
    };
    let FrameBuffer { width, height, pitch, .. } = *shown;
    Some(Present { at, format: BGRA, width, height, pitch, layout, label: "main".into() })
}
