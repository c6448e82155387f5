//! The calls of the service "gsp::Gpu".
//!
//! Source: 3dbrew GSPGPU services.

use super::address::to_virtual;
use super::hardware::{GPU, Hardware, LCD_FILL};
use super::rights::{Acquire, Client};
use super::{CLIENTS, CommandQueue, FramebufferInfo, FramebufferSlot, Gsp, RelayQueue, ResultCode, Session};
use crate::system::lcd::{Screen, offset};
use triglyph_engine::calls_of_rows;
use triglyph_guest::gsp_calls;

/// Offsets that the register calls accept lie below this.
const REGISTER_LIMIT: u32 = 0x42_0000;
/// Bytes that the register calls accept.
const SIZE_LIMIT: u32 = 0x80;

/// The answer to RegisterInterruptRelayQueue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration {
    /// [`ResultCode::FIRST_INITIALIZATION`] for the first since the console was switched on.
    pub result: ResultCode,
    /// The client's index in the shared page.
    pub client: usize,
    /// Handle of the shared page, as the host set it.
    pub shared_memory: u32,
}

/// What a screen shows, for ImportDisplayCaptureInfo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureInfo {
    /// Virtual address of the left or only picture.
    pub left: u32,
    /// Virtual address of the right eye's picture.
    pub right: u32,
    /// The format register.
    pub format: u32,
    /// Bytes between columns.
    pub stride: u32,
}

macro_rules! methods {
    ($($row:tt)+) => {
        calls_of_rows!(methods Gsp: $($row)+);
    };
}
gsp_calls!(methods);

impl Calls for Gsp {
    fn write_registers(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        offset: u32,
        words: &[u32],
    ) -> Result<(), ResultCode> {
        self.check_words(session, offset, words.len())?;
        for (&word, offset) in words.iter().zip((offset..).step_by(4)) {
            self.write_register(hardware, offset, word);
        }
        Ok(())
    }

    fn write_registers_with_mask(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        offset: u32,
        words: &[u32],
        masks: &[u32],
    ) -> Result<(), ResultCode> {
        self.check_words(session, offset, words.len())?;
        for ((&word, &mask), offset) in words.iter().zip(masks).zip((offset..).step_by(4)) {
            let old = hardware.read_register(offset);
            self.write_register(hardware, offset, old & !mask | word & mask);
        }
        Ok(())
    }

    fn write_register_repeat(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        offset: u32,
        words: &[u32],
    ) -> Result<(), ResultCode> {
        self.check_words(session, offset, words.len())?;
        words.iter().for_each(|&word| self.write_register(hardware, offset, word));
        Ok(())
    }

    fn read_registers(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        offset: u32,
        out: &mut [u32],
    ) -> Result<(), ResultCode> {
        self.check_words(session, offset, out.len())?;
        for (word, offset) in out.iter_mut().zip((offset..).step_by(4)) {
            *word = hardware.read_register(offset);
        }
        Ok(())
    }

    fn set_buffer_swap(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        screen: Screen,
        info: &FramebufferInfo,
    ) -> Result<(), ResultCode> {
        self.check_right(session)?;
        self.show(hardware, screen, info);
        Ok(())
    }

    fn flush_data_cache(&mut self, hardware: &mut dyn Hardware, address: u32, size: u32) {
        if let Some(address) = hardware.translate(address) {
            hardware.flush(address, size);
        }
    }

    fn set_lcd_force_black(&mut self, hardware: &mut dyn Hardware, black: bool) {
        let value = if black { 0x0100_0000 } else { 0 };
        for register in LCD_FILL {
            self.write_register(hardware, register, value);
        }
    }

    fn trigger(&mut self, hardware: &mut dyn Hardware) {
        self.execute_queue(hardware);
    }

    fn register_relay_queue(&mut self, session: Session, flags: u32, event: u32) -> Result<Registration, ResultCode> {
        let free = || (0..CLIENTS).find(|&client| self.clients[client].is_none());
        let known = self.client_of(session);
        let client = known.or_else(free).ok_or(ResultCode::RIGHT_TAKEN)?;
        RelayQueue::new(&self.page, client).clear();
        if known.is_none() {
            CommandQueue::new(&self.page, client).clear();
            Screen::ALL.into_iter().for_each(|screen| FramebufferSlot::new(&self.page, client, screen).clear());
        }
        self.clients[client] = Some(Client { session, event, allows_vram_save: flags & 1 != 0 });
        let result = match std::mem::replace(&mut self.initialized, true) {
            true => ResultCode::SUCCESS,
            false => ResultCode::FIRST_INITIALIZATION,
        };
        Ok(Registration { result, client, shared_memory: self.shared_memory_handle })
    }

    fn unregister_relay_queue(&mut self, session: Session) {
        if let Some(client) = self.client_of(session) {
            self.clients[client] = None;
        }
    }

    fn try_acquire_right(&mut self, session: Session) -> Result<ResultCode, ResultCode> {
        match self.right.acquire(session, false) {
            Acquire::Granted => Ok(ResultCode::SUCCESS),
            Acquire::AlreadyHeld => Ok(ResultCode::ALREADY_DONE),
            Acquire::Waiting => Err(ResultCode::RIGHT_TAKEN),
        }
    }

    fn acquire_right(&mut self, session: Session) -> Acquire {
        self.right.acquire(session, true)
    }

    fn release_right(&mut self, session: Session) {
        self.granted.extend(self.right.release(session));
    }

    fn display_capture_info(&mut self, hardware: &mut dyn Hardware) -> [CaptureInfo; 2] {
        let holder = self.holding_client();
        Screen::ALL.map(|screen| {
            let new = holder.and_then(|client| FramebufferSlot::new(&self.page, client, screen).peek());
            if let Some(FramebufferInfo { left, right, stride, format, .. }) = new {
                return CaptureInfo { left, right, format, stride };
            }
            let given = self.shown[screen as usize];
            let mut read = |register: u32| hardware.read_register(GPU + screen.base() + register);
            let (left, right) = match read(offset::SELECT) & 1 {
                0 => (offset::LEFT_FIRST, offset::RIGHT_FIRST),
                _ => (offset::LEFT_SECOND, offset::RIGHT_SECOND),
            };
            let (left, right) = (read(left), read(right));
            let address = |physical: u32, given: Option<u32>| match given {
                Some(given) if super::address::to_physical(given) == Some(physical) => given,
                _ => to_virtual(physical).unwrap_or(0),
            };
            CaptureInfo {
                left: address(left, given.map(|info| info.left)),
                right: address(right, given.map(|info| info.right)),
                format: read(offset::FORMAT),
                stride: read(offset::STRIDE),
            }
        })
    }

    fn save_vram_area(&mut self, hardware: &mut dyn Hardware) {
        self.saved_pictures(hardware).into_iter().for_each(|[picture, saved, size]| {
            hardware.dma(picture, saved, size);
        });
    }

    fn restore_vram_area(&mut self, hardware: &mut dyn Hardware) {
        self.saved_pictures(hardware).into_iter().for_each(|[picture, saved, size]| {
            hardware.dma(saved, picture, size);
        });
    }
}

impl Gsp {
    /// The session is gone: everything that it held is free. Commands that wait in its queue are never executed. What
    /// has been started goes on, and its interrupt goes to the holder of the right by then, if any (3dbrew says
    /// only that interrupts go to the holder; that nothing is aborted is unverified).
    pub fn close(&mut self, session: Session) {
        self.right.forget(session);
        self.granted.retain(|&granted| granted != session);
        self.release_right(session);
        self.unregister_relay_queue(session);
    }

    /// Whether `session` may do what needs the rendering right.
    fn check_right(&self, session: Session) -> Result<(), ResultCode> {
        if self.holder() == Some(session) { Ok(()) } else { Err(ResultCode::NO_RIGHT) }
    }

    /// Whether `session` has registered as one that may save and restore pictures: flag 1 of its registration.
    pub(super) fn check_vram_save(&self, session: Session) -> Result<(), ResultCode> {
        let allowed = |client: usize| self.client(client).is_some_and(|client| client.allows_vram_save);
        if self.client_of(session).is_some_and(allowed) { Ok(()) } else { Err(ResultCode::NO_RIGHT) }
    }

    /// What the register calls check before anything else, in this order: the right, the offset, the size.
    ///
    /// # Errors
    /// [`ResultCode::NO_RIGHT`], [`ResultCode::BAD_OFFSET`], [`ResultCode::BAD_SIZE`],
    /// [`ResultCode::MISALIGNED_SIZE`].
    pub fn check_registers(&self, session: Session, offset: u32, size: u32) -> Result<(), ResultCode> {
        self.check_right(session)?;
        if !offset.is_multiple_of(4) || offset >= REGISTER_LIMIT {
            Err(ResultCode::BAD_OFFSET)
        } else if size > SIZE_LIMIT {
            Err(ResultCode::BAD_SIZE)
        } else if !size.is_multiple_of(4) {
            Err(ResultCode::MISALIGNED_SIZE)
        } else {
            Ok(())
        }
    }

    fn check_words(&self, session: Session, offset: u32, words: usize) -> Result<(), ResultCode> {
        self.check_registers(session, offset, u32::try_from(words.saturating_mul(4)).unwrap_or(!3))
    }

    /// Writes one register and notes what finished because of it.
    fn write_register(&mut self, hardware: &mut dyn Hardware, offset: u32, value: u32) {
        if let Some(event) = hardware.write_register(offset, value) {
            self.complete(event);
        }
    }

    /// Top left, top right and bottom picture: where each is, where it is kept, and its size. What is shown from an
    /// area in which pictures are kept stays where it is.
    fn saved_pictures(&mut self, hardware: &mut dyn Hardware) -> Vec<[u32; 3]> {
        const SAVED: [u32; 3] = [0x1827_3000, 0x182B_9800, 0x184C_7800];
        const LINES: [u32; 3] = [400, 400, 320];
        let [top, bottom] = self.display_capture_info(hardware);
        let pictures = [(top.left, top.stride), (top.right, top.stride), (bottom.left, bottom.stride)];
        let mut found = Vec::new();
        for (((address, stride), saved), lines) in pictures.into_iter().zip(SAVED).zip(LINES) {
            // At most four bytes for each of 240 pixels: more is no picture.
            let size = stride.min(960) * lines;
            match super::address::to_physical(address) {
                Some(picture @ 1..) if picture != saved => found.push([picture, saved, size]),
                _ => (),
            }
        }
        found
    }
}
