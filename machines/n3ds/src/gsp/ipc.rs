//! The service's calls as words of an IPC command buffer. A request begins with a header, of which
//! [`Request`] is the table; the answer takes its place.

use super::hardware::Hardware;
use super::rights::Acquire;
use super::{FramebufferInfo, Gsp, ResultCode, Session};
use crate::lcd::Screen;
pub use triglyph_guest::gsp::ipc::Request;

/// The memory of the calling process, behind the pointers of a request.
pub trait ProcessMemory {
    /// Reads bytes at a virtual address; false when not all of them are there.
    fn read(&self, address: u32, out: &mut [u8]) -> bool;
    /// Writes bytes at a virtual address; false when not all of them have a place.
    fn write(&mut self, address: u32, bytes: &[u8]) -> bool;
}

/// What the host does after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Returns to the caller.
    Done,
    /// Keeps the caller asleep until its session turns up in [`Gsp::take_granted`], then calls [`granted`].
    Blocked,
}

/// Word of the buffer at which the caller describes where long answers go: 0x100 bytes on.
const RECEIVE: usize = 0x40;

/// A request that is being answered in place; words beyond the host's buffer read 0 and are not written.
struct Words<'w>(&'w mut [u32]);

impl Words<'_> {
    fn get(&self, index: usize) -> u32 {
        self.0.get(index).copied().unwrap_or(0)
    }

    /// Answers with a result only.
    fn answer(&mut self, result: ResultCode) {
        self.answer_with(&[result.0], &[]);
    }

    /// Answers with words and descriptors.
    fn answer_with(&mut self, normal: &[u32], translate: &[u32]) {
        let header = self.get(0) & 0xFFFF_0000 | (normal.len() as u32) << 6 | translate.len() as u32;
        let words = std::iter::once(&header).chain(normal).chain(translate);
        self.0.iter_mut().zip(words).for_each(|(to, &from)| *to = from);
    }
}

/// Answers an AcquireRight that was [`Reply::Blocked`].
pub fn granted(words: &mut [u32]) {
    Words(words).answer(ResultCode::SUCCESS);
}

impl Gsp {
    /// Handles the request in `words`, the caller's command buffer with the receive descriptors behind it (66 words),
    /// and puts the answer in its place.
    pub fn ipc(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        words: &mut [u32],
        process: &mut dyn ProcessMemory,
    ) -> Reply {
        let mut words = Words(words);
        let Some(request) = Request::from_number(words.get(0)) else {
            words.answer(ResultCode::BAD_HEADER);
            words.0.iter_mut().take(1).for_each(|header| *header = 0x40);
            return Reply::Done;
        };
        let result = match request {
            Request::WriteHwRegs | Request::WriteHwRegsWithMask | Request::WriteHwRegRepeat => {
                self.ipc_write(hardware, session, request, &words, process)
            }
            Request::ReadHwRegs => self.ipc_read(hardware, session, &words, process),
            Request::SetBufferSwap => self.ipc_buffer_swap(hardware, session, &words),
            Request::FlushDataCache | Request::StoreDataCache => {
                self.flush_data_cache(hardware, words.get(1), words.get(2));
                Ok(ResultCode::SUCCESS)
            }
            Request::SetLcdForceBlack => {
                self.set_lcd_force_black(hardware, words.get(1) & 1 != 0);
                Ok(ResultCode::SUCCESS)
            }
            Request::TriggerCmdReqQueue => {
                self.trigger(hardware);
                Ok(ResultCode::SUCCESS)
            }
            Request::RegisterInterruptRelayQueue => {
                match self.register_relay_queue(session, words.get(1), words.get(3)) {
                    Ok(done) => {
                        words.answer_with(&[done.result.0, done.client as u32], &[0, done.shared_memory]);
                        return Reply::Done;
                    }
                    Err(result) => Err(result),
                }
            }
            Request::UnregisterInterruptRelayQueue => {
                self.unregister_relay_queue(session);
                Ok(ResultCode::SUCCESS)
            }
            Request::TryAcquireRight => self.try_acquire_right(session),
            Request::AcquireRight => match self.acquire_right(session) {
                Acquire::Granted => Ok(ResultCode::SUCCESS),
                Acquire::AlreadyHeld => Ok(ResultCode::ALREADY_DONE),
                Acquire::Waiting => return Reply::Blocked,
            },
            Request::ReleaseRight => {
                self.release_right(session);
                Ok(ResultCode::SUCCESS)
            }
            Request::ImportDisplayCaptureInfo => {
                let screens = self.display_capture_info(hardware).map(|s| [s.left, s.right, s.format, s.stride]);
                let [top, bottom] = screens;
                words.answer_with(&[&[ResultCode::SUCCESS.0], &top[..], &bottom[..]].concat(), &[]);
                return Reply::Done;
            }
            Request::SaveVramSysArea => self.check_vram_save(session).map(|()| {
                self.save_vram_area(hardware);
                ResultCode::SUCCESS
            }),
            Request::RestoreVramSysArea => self.check_vram_save(session).map(|()| {
                self.restore_vram_area(hardware);
                ResultCode::SUCCESS
            }),
            // Invalidation, bus priorities, performance counters, reset, LED: nothing that could be seen.
            Request::InvalidateDataCache
            | Request::SetAxiConfigQosMode
            | Request::SetPerfLogMode
            | Request::GetPerfLog
            | Request::ResetGpuCore
            | Request::SetLedForceOff
            | Request::SetInternalPriorities => Ok(ResultCode::SUCCESS),
        };
        words.answer(result.unwrap_or_else(|error| error));
        Reply::Done
    }

    /// The three calls that write registers.
    fn ipc_write(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        request: Request,
        words: &Words<'_>,
        process: &dyn ProcessMemory,
    ) -> Result<ResultCode, ResultCode> {
        let (offset, size) = (words.get(1), words.get(2));
        self.check_registers(session, offset, size)?;
        let data = fetch(process, words.get(4), size)?;
        match request {
            Request::WriteHwRegs => self.write_registers(hardware, session, offset, &data)?,
            Request::WriteHwRegsWithMask => {
                let masks = fetch(process, words.get(6), size)?;
                self.write_registers_with_mask(hardware, session, offset, &data, &masks)?;
            }
            _ => self.write_register_repeat(hardware, session, offset, &data)?,
        }
        Ok(ResultCode::SUCCESS)
    }

    fn ipc_read(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        words: &Words<'_>,
        process: &mut dyn ProcessMemory,
    ) -> Result<ResultCode, ResultCode> {
        let (offset, size) = (words.get(1), words.get(2));
        self.check_registers(session, offset, size)?;
        let mut data = vec![0; size as usize / 4];
        self.read_registers(hardware, session, offset, &mut data)?;
        let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
        match process.write(words.get(RECEIVE + 1), &bytes) {
            true => Ok(ResultCode::SUCCESS),
            false => Err(ResultCode::BAD_ADDRESS),
        }
    }

    fn ipc_buffer_swap(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        words: &Words<'_>,
    ) -> Result<ResultCode, ResultCode> {
        let screen = Screen::ALL[words.get(1) as usize & 1];
        let info = FramebufferInfo::from_words(std::array::from_fn(|i| words.get(2 + i)));
        self.set_buffer_swap(hardware, session, screen, &info)?;
        Ok(ResultCode::SUCCESS)
    }
}

/// `size` bytes of the caller's as words. That a bad pointer gives this code is unverified: the kernel catches most.
fn fetch(process: &dyn ProcessMemory, address: u32, size: u32) -> Result<Vec<u32>, ResultCode> {
    let mut bytes = vec![0; size as usize];
    if !process.read(address, &mut bytes) {
        return Err(ResultCode::BAD_ADDRESS);
    }
    Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}
