//! Playing a capture on a device.

use std::ffi::{CString, c_char};
use std::sync::{Arc, Mutex};

use triglyph::capture::{CaptureFile, Checks, Event, Finished, Hashed, Player, Reader};

use super::file::triglyph_capture;
use super::picture::triglyph_picture;
use crate::error::{Failure, c_string, guard, triglyph_status};
use crate::handle::{check_idle, destroy, lock, triglyph_device};
use crate::pointer::{Out, SizedStruct, give, put_sized, required};

/// Reads finished pictures.
pub const TRIGLYPH_CHECK_PICTURES: u32 = 0x1;
/// Compares them with what the capture expects; needs `TRIGLYPH_CHECK_PICTURES`.
pub const TRIGLYPH_CHECK_EXPECTATIONS: u32 = 0x2;
/// Checks hashes of memory.
pub const TRIGLYPH_CHECK_HASHES: u32 = 0x4;

/// An event of a player.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_play_kind {
    /// The capture is at its end, and everything that was submitted has finished.
    End = 0,
    /// Work was handed to the device.
    Submitted = 1,
    /// A picture is finished; the player has it until it goes on.
    Picture = 2,
    /// A hash was checked.
    Hash = 3,
    /// An event that this version cannot describe.
    Other = 4,
}

/// An event of a player.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_play_event {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_play_event)`.
    pub size: u32,
    /// A `triglyph_play_kind`: it says which fields mean something.
    pub kind: u32,
    /// Whether it is as the capture expects: 1, or 0 when a picture or a hash differs. 1 where nothing is expected or
    /// checked.
    pub ok: u32,
    /// Largest difference of a channel.
    pub max_difference: u32,
    /// Index of the record in the capture, from 0.
    pub record: u64,
    /// Counts pictures, from 0.
    pub index: u64,
    /// Name of the picture's output, such as `"top"`; null for others. Valid until the player goes on.
    pub label: *const c_char,
    /// Pixels that differ by more than the tolerance.
    pub over: u64,
    /// The hash that was wanted, and the one that was found.
    pub hash_wanted: u64,
    /// See before.
    pub hash_found: u64,
}

// SAFETY: numbers and pointers without padding, the size first.
unsafe impl SizedStruct for triglyph_play_event {}

impl triglyph_play_event {
    fn of(kind: triglyph_play_kind) -> Self {
        triglyph_play_event {
            size: size_of::<Self>() as u32,
            kind: kind as u32,
            ok: 1,
            max_difference: 0,
            record: 0,
            index: 0,
            label: std::ptr::null(),
            over: 0,
            hash_wanted: 0,
            hash_found: 0,
        }
    }
}

/// One run through a capture. One call at a time uses it.
pub struct triglyph_player {
    state: Mutex<Playing>,
}

struct Playing {
    // Before the file, whose bytes it borrows, so that it goes first.
    player: Player<'static, 'static>,
    picture: Option<Finished>,
    label: CString,
    _file: Arc<CaptureFile>,
}

/// Makes a player, which goes through a capture once. `checks`: `TRIGLYPH_CHECK_*`, or 0 to play only. It belongs to
/// the caller, who destroys it with `triglyph_player_destroy`; the capture may go before it.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_player_create(
    capture: Option<&triglyph_capture>,
    checks: u32,
    player: Out<'_, *mut triglyph_player>,
) -> triglyph_status {
    guard(|| {
        let (capture, out) = (required(capture, "capture")?, required(player, "player")?);
        if checks & !(TRIGLYPH_CHECK_PICTURES | TRIGLYPH_CHECK_EXPECTATIONS | TRIGLYPH_CHECK_HASHES) != 0 {
            return Err(Failure::invalid(format!("checks {checks:#x}")));
        }
        let checks = Checks::NONE
            .with_pictures(checks & TRIGLYPH_CHECK_PICTURES != 0)
            .with_expectations(checks & TRIGLYPH_CHECK_EXPECTATIONS != 0)
            .with_hashes(checks & TRIGLYPH_CHECK_HASHES != 0);
        let file = capture.file.clone();
        // SAFETY: the bytes belong to the file, which neither moves nor changes them, and which `Playing` keeps for
        // longer than the player that borrows them.
        let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(file.as_ptr(), file.len()) };
        let player = Player::new(&Reader::new(bytes)?, checks);
        let state = Mutex::new(Playing { player, picture: None, label: CString::default(), _file: file });
        give(triglyph_player { state }, out);
        Ok(())
    })
}

/// Executes a capture up to and including the next record that has something to tell. `device` is of the capture's
/// machine, with nothing mapped before the first call, and the same in each call. `event`, whose `size` is set before,
/// may be null.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`; `TRIGLYPH_STATUS_BAD_CAPTURE` for a record that is malformed or that the device
/// refused; nothing after it is executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_player_next(
    player: Option<&triglyph_player>,
    device: Option<&triglyph_device>,
    event: *mut triglyph_play_event,
) -> triglyph_status {
    guard(|| {
        let (player, device) = (required(player, "player")?, required(device, "device")?);
        let mut playing = lock(&player.state)?;
        playing.picture = None;
        let mut next = None;
        device.enter(|state| {
            next = playing.player.next(state.gpu.device())?;
            Ok(())
        })?;
        // SAFETY: the header asks callers for a structure that begins with its size.
        unsafe { put_sized(event, &playing.describe(next), "event") }
    })
}

impl Playing {
    /// The description of an event for C; a picture stays here.
    fn describe(&mut self, event: Option<Event>) -> triglyph_play_event {
        match event {
            None => triglyph_play_event::of(triglyph_play_kind::End),
            Some(Event::Submitted { record }) => {
                triglyph_play_event { record: record as u64, ..triglyph_play_event::of(triglyph_play_kind::Submitted) }
            }
            Some(Event::Picture(finished)) => self.describe_picture(finished),
            Some(Event::Hash(hashed)) => {
                let Hashed { record, hash, got, .. } = hashed;
                triglyph_play_event {
                    ok: hashed.ok().into(),
                    record: record as u64,
                    hash_wanted: hash.xxh3,
                    hash_found: got,
                    ..triglyph_play_event::of(triglyph_play_kind::Hash)
                }
            }
            Some(_) => triglyph_play_event::of(triglyph_play_kind::Other),
        }
    }

    fn describe_picture(&mut self, finished: Finished) -> triglyph_play_event {
        self.label = c_string(&finished.present.label);
        let comparison = finished.expectation.as_ref().map(|(_, comparison)| *comparison);
        let event = triglyph_play_event {
            ok: comparison.is_none_or(|comparison| comparison.ok).into(),
            record: finished.record as u64,
            index: finished.index as u64,
            label: self.label.as_ptr(),
            over: comparison.map_or(0, |comparison| comparison.over),
            max_difference: comparison.map_or(0, |comparison| comparison.max_difference.into()),
            ..triglyph_play_event::of(triglyph_play_kind::Picture)
        };
        self.picture = Some(finished);
        event
    }
}

/// The picture that a player has come to, with `TRIGLYPH_CHECK_PICTURES`. It belongs to the caller, who destroys it
/// with `triglyph_picture_destroy`.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` when the last event was no picture, pictures are not read, or it was
/// taken already.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_player_take_picture(
    player: Option<&triglyph_player>,
    picture: Out<'_, *mut triglyph_picture>,
) -> triglyph_status {
    guard(|| {
        let (player, out) = (required(player, "player")?, required(picture, "picture")?);
        let taken = lock(&player.state)?.picture.as_mut().and_then(|finished| finished.picture.take());
        triglyph_picture::give(taken.ok_or_else(|| Failure::invalid("the player has no picture"))?, out);
        Ok(())
    })
}

/// Destroys a player. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_player_destroy(player: *mut triglyph_player) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(player, |player| check_idle(&player.state)) }
}
