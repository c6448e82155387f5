//! A display without a screen: one connector, one encoder, one CRTC, one plane, one mode. Page flips are complete at
//! once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::display::events::Events;
use crate::drm::abi::{FlipEvent, Mode};
use crate::drm::argument::{Answer, Errno};

pub mod events;

/// The identifiers.
pub const CRTC: u32 = 10;
pub const CONNECTOR: u32 = 20;
pub const ENCODER: u32 = 30;
pub const PLANE: u32 = 40;

/// The first identifier of frame buffers, and of blobs.
const FIRST_FRAME_BUFFER: u32 = 100;
const FIRST_BLOB: u32 = 1 << 16;

/// Blobs of programs, at most.
const MAX_BLOBS: usize = 1024;

/// A buffer that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameBuffer {
    /// The buffer's handle.
    pub handle: u32,
    pub width: u32,
    pub height: u32,
    pub pitch: u32,
    /// The four-character code of the pixel format.
    pub format: u32,
}

/// What atomic mode setting changes, as values of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The CRTC of the connector; 0 is none.
    pub connector_crtc: u64,
    pub is_active: u64,
    /// The blob of the mode; 0 is none.
    pub mode: u64,
    pub frame_buffer: u64,
    /// The CRTC of the plane; 0 is none.
    pub plane_crtc: u64,
    /// Where the plane is on the CRTC: x, y, width, height.
    pub shown: [u64; 4],
    /// What of the frame buffer it shows, in 1/65536 of a pixel.
    pub source: [u64; 4],
}

/// See the module.
#[derive(Debug)]
pub struct Display {
    mode: [u16; 2],
    frame_buffers: BTreeMap<u32, FrameBuffer>,
    pub setting: Setting,
    blobs: BTreeMap<u32, Vec<u8>>,
    last_blob: u32,
    /// Clients that set modes atomically, and those that know of all kinds of planes.
    pub atomic: BTreeSet<u32>,
    pub all_planes: BTreeSet<u32>,
    pub events: Events,
    flips: u32,
    /// When the first and the last page flip were.
    between: Option<[Instant; 2]>,
}

impl Display {
    /// Bytes of a blob, at most.
    pub const MAX_BLOB: u32 = 64 << 10;

    /// A display of so many pixels across and down, which shows its mode and no picture.
    pub fn new(mode: [u16; 2]) -> Self {
        let setting = Setting {
            connector_crtc: CRTC.into(),
            is_active: 1,
            mode: FIRST_BLOB.into(),
            frame_buffer: 0,
            plane_crtc: 0,
            shown: [0; 4],
            source: [0; 4],
        };
        let mut display = Display {
            mode,
            frame_buffers: BTreeMap::new(),
            setting,
            blobs: BTreeMap::new(),
            last_blob: FIRST_BLOB,
            atomic: BTreeSet::new(),
            all_planes: BTreeSet::new(),
            events: Events::default(),
            flips: 0,
            between: None,
        };
        display.blobs.insert(FIRST_BLOB, bytemuck::bytes_of(&display.mode()).to_vec());
        display
    }

    /// Its mode, at 60 Hz.
    pub fn mode(&self) -> Mode {
        let [width, height] = self.mode;
        let horizontal = [width, width + 16, width + 32, width + 64, 0];
        let vertical = [height, height + 4, height + 8, height + 16, 0];
        let mut name = [0; 32];
        name.iter_mut().zip(format!("{width}x{height}").bytes()).for_each(|(to, from)| *to = from);
        // Preferred, and the driver's own.
        let kind = 8 | 64;
        let clock = u32::from(horizontal[3]) * u32::from(vertical[3]) * 60 / 1000;
        Mode { clock, horizontal, vertical, refresh: 60, flags: 0, kind, name }
    }

    /// Pixels across and down.
    pub fn size(&self) -> [u64; 2] {
        self.mode.map(u64::from)
    }

    /// Keeps bytes of a program's and returns their identifier.
    ///
    /// # Errors
    /// `EINVAL` for none, `ENOMEM` for too many.
    pub fn add_blob(&mut self, bytes: Vec<u8>) -> Answer<u32> {
        if bytes.is_empty() {
            return Err(Errno(libc::EINVAL));
        }
        if self.blobs.len() > MAX_BLOBS {
            return Err(Errno(libc::ENOMEM));
        }
        self.last_blob += 1;
        self.blobs.insert(self.last_blob, bytes);
        Ok(self.last_blob)
    }

    /// The bytes of an identifier.
    pub fn blob(&self, id: u32) -> Option<&[u8]> {
        self.blobs.get(&id).map(Vec::as_slice)
    }

    /// Drops bytes, unless they are the first mode. The mode that is set stays known by its identifier.
    ///
    /// # Errors
    /// `ENOENT`, and `EPERM` for bytes that are not a program's.
    pub fn remove_blob(&mut self, id: u32) -> Answer {
        match id {
            FIRST_BLOB => Err(Errno(libc::EPERM)),
            id if u64::from(id) == self.setting.mode => self.replace_mode(id),
            id => self.blobs.remove(&id).map(|_| ()).ok_or(Errno(libc::ENOENT)),
        }
    }

    /// The only mode is that of the first blob, whichever blob it was set by.
    fn replace_mode(&mut self, id: u32) -> Answer {
        self.blobs.remove(&id).ok_or(Errno(libc::ENOENT))?;
        self.setting.mode = FIRST_BLOB.into();
        Ok(())
    }

    /// Adds a frame buffer and returns its identifier.
    pub fn add(&mut self, frame_buffer: FrameBuffer) -> u32 {
        let last = self.frame_buffers.last_key_value().map_or(FIRST_FRAME_BUFFER, |(&last, _)| last);
        self.frame_buffers.insert(last + 1, frame_buffer);
        last + 1
    }

    /// A frame buffer.
    pub fn frame_buffer(&self, id: u64) -> Option<&FrameBuffer> {
        self.frame_buffers.get(&u32::try_from(id).ok()?)
    }

    /// Removes a frame buffer. If it is shown, the plane shows nothing.
    pub fn remove(&mut self, id: u32) -> Option<FrameBuffer> {
        let removed = self.frame_buffers.remove(&id)?;
        if self.setting.frame_buffer == u64::from(id) {
            (self.setting.frame_buffer, self.setting.plane_crtc) = (0, 0);
        }
        Some(removed)
    }

    /// The frame buffer that is shown; 0 is none.
    pub fn shown(&self) -> u32 {
        self.setting.frame_buffer as u32
    }

    /// Shows a frame buffer on all of the display, or nothing.
    ///
    /// # Errors
    /// `ENOENT` if there is no such frame buffer.
    pub fn show(&mut self, id: u32) -> Answer {
        if id != 0 && !self.frame_buffers.contains_key(&id) {
            return Err(Errno(libc::ENOENT));
        }
        let [width, height] = self.size();
        self.setting.frame_buffer = id.into();
        self.setting.plane_crtc = if id == 0 { 0 } else { CRTC.into() };
        self.setting.shown = [0, 0, width, height];
        self.setting.source = [0, 0, width << 16, height << 16];
        Ok(())
    }

    /// Switches the CRTC on, in the display's mode, or off.
    pub fn set_on(&mut self, is_on: bool) {
        let setting = &mut self.setting;
        (setting.is_active, setting.mode, setting.connector_crtc) =
            if is_on { (1, FIRST_BLOB.into(), CRTC.into()) } else { (0, 0, 0) };
    }

    /// Counts a page flip of a client's; `event` is the user data of the event that it wants.
    pub fn count_flip(&mut self, client: u32, event: Option<u64>) {
        self.flips += 1;
        let now = Instant::now();
        self.between = Some([self.between.map_or(now, |[first, _]| first), now]);
        if let Some(user_data) = event {
            self.events.push(client, user_data, self.flips);
        }
    }

    /// Page flips so far.
    pub fn flips(&self) -> u32 {
        self.flips
    }

    /// Page flips a second, from the first one to the last.
    pub fn rate(&self) -> Option<f64> {
        let [first, last] = self.between?;
        let seconds = last.duration_since(first).as_secs_f64();
        (seconds > 0.0).then(|| f64::from(self.flips - 1) / seconds)
    }

    /// A client's next event, at a time in nanoseconds.
    pub fn next_event(&mut self, client: u32, time: u64) -> Option<FlipEvent> {
        let (user_data, sequence) = self.events.pop(client)?;
        let (seconds, microseconds) = ((time / 1_000_000_000) as u32, (time / 1000 % 1_000_000) as u32);
        let length = size_of::<FlipEvent>() as u32;
        Some(FlipEvent { kind: 2, length, user_data, seconds, microseconds, sequence, crtc: CRTC })
    }
}
