//! Objects of channels, whichever call makes them.

use triglyph::ObjectEntry;

use super::argument::{Answer, Errno};
use super::classes;
use crate::chip::Chip;
use crate::state::State;

/// Enters an object in a channel.
///
/// # Errors
/// `ENOENT` for a channel that is not there, `EINVAL` for a class that it does not have.
pub fn new_object(state: &mut State, channel: u32, object: ObjectEntry) -> Answer {
    let is_nv47 = state.chip() == Chip::Nv47;
    let has_class = classes::of(state.chip()).contains(&(object.class as i32));
    let channel = state.channels.get_mut(&channel).ok_or(Errno(libc::ENOENT))?;
    if !has_class {
        return Err(Errno(libc::EINVAL));
    }
    // The GM20B has no handles: its methods name classes.
    if is_nv47 {
        channel.new_objects.push(object);
    }
    Ok(())
}
