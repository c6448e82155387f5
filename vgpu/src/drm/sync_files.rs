//! Calls on descriptors that this device has handed out: sync files, and buffers that other processes may have. Source:
//! the kernel's interface headers `sync_file.h` and `dma-buf.h`.

use super::abi::{BufferSync, FenceInfo, SyncFileInfo, SyncMerge};
use super::argument::{Answer, Argument, Errno, write_array};
use crate::state::State;
use crate::syncobjs::Fence;

/// The types of the calls, in the place where those of DRM devices have a `d`.
pub const SYNC_FILE: u8 = b'>';
pub const BUFFER: u8 = b'b';

/// Answers a call on a sync file.
///
/// # Errors
/// `EINVAL` for unknown flags and descriptors of other files, `ENOTTY` for unknown calls.
pub fn call(state: &mut State, descriptor: i32, number: u8, argument: &mut Argument) -> Answer {
    match number {
        3 => argument.update(|asked: &mut SyncMerge| {
            if (asked.flags, asked.pad) != (0, 0) {
                return Err(Errno(libc::EINVAL));
            }
            let mut fence = state.fence_of(descriptor)?;
            fence.add(&state.fence_of(asked.fd)?);
            asked.fence = state.sync_file(&fence)?.hand_out()?;
            Ok(())
        }),
        4 => argument.update(|asked: &mut SyncFileInfo| info(state, descriptor, asked)),
        // A deadline, which changes nothing here.
        5 => Ok(()),
        _ => Err(Errno(libc::ENOTTY)),
    }
}

fn name(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
    bytes
}

/// However many commands a fence has, it is one here.
fn info(state: &mut State, descriptor: i32, asked: &mut SyncFileInfo) -> Answer {
    if (asked.flags, asked.pad) != (0, 0) {
        return Err(Errno(libc::EINVAL));
    }
    let fence = state.fence_of(descriptor)?;
    let status = i32::from(state.is_reached(&fence));
    if asked.fence_count > 0 {
        let (object, driver) = (name("triglyph"), name("nouveau"));
        write_array(asked.fences, &[FenceInfo { object, driver, status, flags: 0, time: 0 }]);
    }
    *asked = SyncFileInfo { name: name("nouveau"), status, fence_count: 1, ..*asked };
    Ok(())
}

/// Answers a call on the file of a buffer. What is submitted with such a buffer is waited for, so nothing is ever
/// pending in one.
///
/// # Errors
/// As [`call`].
pub fn buffer_call(state: &mut State, number: u8, argument: &mut Argument) -> Answer {
    const READ_AND_WRITE: u32 = 3;
    let flags = argument.read::<BufferSync>().flags;
    let is_known = flags != 0 && flags & !READ_AND_WRITE == 0;
    match number {
        // The processor's access begins or ends.
        0 => Ok(()),
        2 | 3 if !is_known => Err(Errno(libc::EINVAL)),
        2 => argument.update(|asked: &mut BufferSync| {
            asked.fd = state.sync_file(&Fence::default())?.hand_out()?;
            Ok(())
        }),
        3 => {
            let fence = state.fence_of(argument.read::<BufferSync>().fd)?;
            state.wait_for_fence(&fence);
            Ok(())
        }
        _ => Err(Errno(libc::ENOTTY)),
    }
}
