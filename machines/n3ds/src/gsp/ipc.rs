//! The service's calls as words of an IPC command buffer.
//!
//! A request begins with a header, `id << 16 | words << 6 | words of descriptors`; the answer takes its place. Source:
//! 3dbrew GSPGPU services.

use super::hardware::Hardware;
use super::rights::Acquire;
use super::{FramebufferInfo, Gsp, ResultCode, Session};
use crate::lcd::Screen;

/// Request headers and names of every call that is known.
pub const CALLS: [(u32, &str); 24] = [
    (0x0001_0082, "WriteHWRegs"),
    (0x0002_0084, "WriteHWRegsWithMask"),
    (0x0003_0082, "WriteHWRegRepeat"),
    (0x0004_0080, "ReadHWRegs"),
    (0x0005_0200, "SetBufferSwap"),
    (0x0008_0082, "FlushDataCache"),
    (0x0009_0082, "InvalidateDataCache"),
    (0x000B_0040, "SetLcdForceBlack"),
    (0x000C_0000, "TriggerCmdReqQueue"),
    (0x0010_0040, "SetAxiConfigQoSMode"),
    (0x0011_0040, "SetPerfLogMode"),
    (0x0012_0000, "GetPerfLog"),
    (0x0013_0042, "RegisterInterruptRelayQueue"),
    (0x0014_0000, "UnregisterInterruptRelayQueue"),
    (0x0015_0002, "TryAcquireRight"),
    (0x0016_0042, "AcquireRight"),
    (0x0017_0000, "ReleaseRight"),
    (0x0018_0000, "ImportDisplayCaptureInfo"),
    (0x0019_0000, "SaveVramSysArea"),
    (0x001A_0000, "RestoreVramSysArea"),
    (0x001B_0000, "ResetGpuCore"),
    (0x001C_0040, "SetLedForceOff"),
    (0x001E_0080, "SetInternalPriorities"),
    (0x001F_0082, "StoreDataCache"),
];

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
        let result = match words.get(0) {
            0x0001_0082 | 0x0002_0084 | 0x0003_0082 => self.ipc_write(hardware, session, &words, process),
            0x0004_0080 => self.ipc_read(hardware, session, &words, process),
            0x0005_0200 => self.ipc_buffer_swap(hardware, session, &words),
            0x0008_0082 | 0x001F_0082 => {
                self.flush_data_cache(hardware, words.get(1), words.get(2));
                Ok(ResultCode::SUCCESS)
            }
            0x000B_0040 => {
                self.set_lcd_force_black(hardware, words.get(1) & 1 != 0);
                Ok(ResultCode::SUCCESS)
            }
            0x000C_0000 => {
                self.trigger(hardware);
                Ok(ResultCode::SUCCESS)
            }
            0x0013_0042 => match self.register_relay_queue(session, words.get(1), words.get(3)) {
                Ok(done) => {
                    words.answer_with(&[done.result.0, done.client as u32], &[0, done.shared_memory]);
                    return Reply::Done;
                }
                Err(result) => Err(result),
            },
            0x0014_0000 => {
                self.unregister_relay_queue(session);
                Ok(ResultCode::SUCCESS)
            }
            0x0015_0002 => self.try_acquire_right(session),
            0x0016_0042 => match self.acquire_right(session) {
                Acquire::Granted => Ok(ResultCode::SUCCESS),
                Acquire::AlreadyHeld => Ok(ResultCode::ALREADY_DONE),
                Acquire::Waiting => return Reply::Blocked,
            },
            0x0017_0000 => {
                self.release_right(session);
                Ok(ResultCode::SUCCESS)
            }
            0x0018_0000 => {
                let screens = self.display_capture_info(hardware).map(|s| [s.left, s.right, s.format, s.stride]);
                let [top, bottom] = screens;
                words.answer_with(&[&[ResultCode::SUCCESS.0], &top[..], &bottom[..]].concat(), &[]);
                return Reply::Done;
            }
            0x0019_0000 => self.check_vram_save(session).map(|()| {
                self.save_vram_area(hardware);
                ResultCode::SUCCESS
            }),
            0x001A_0000 => self.check_vram_save(session).map(|()| {
                self.restore_vram_area(hardware);
                ResultCode::SUCCESS
            }),
            // Invalidation, bus priorities, performance counters, reset, LED: nothing that could be seen.
            0x0009_0082 | 0x0010_0040 | 0x0011_0040 | 0x0012_0000 | 0x001B_0000 | 0x001C_0040 | 0x001E_0080 => {
                Ok(ResultCode::SUCCESS)
            }
            _ => {
                words.answer(ResultCode::BAD_HEADER);
                words.0.iter_mut().take(1).for_each(|header| *header = 0x40);
                return Reply::Done;
            }
        };
        words.answer(result.unwrap_or_else(|error| error));
        Reply::Done
    }

    /// The three calls that write registers.
    fn ipc_write(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        words: &Words<'_>,
        process: &dyn ProcessMemory,
    ) -> Result<ResultCode, ResultCode> {
        let (offset, size) = (words.get(1), words.get(2));
        self.check_registers(session, offset, size)?;
        let data = fetch(process, words.get(4), size)?;
        match words.get(0) >> 16 {
            1 => self.write_registers(hardware, session, offset, &data)?,
            2 => {
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
