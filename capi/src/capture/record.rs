//! Recording what passes through a device: a host's "capture frame" key.

use std::ffi::c_char;
use std::fs::File;
use std::io::BufWriter;

use triglyph::Error;
use triglyph::capture::{Compression, Expectation, Meta};

use super::picture::triglyph_present;
use crate::error::{Failure, triglyph_status};
use crate::handle::{recording, triglyph_device, with_device};
use crate::memory::range;
use crate::pointer::{self, Out, store};

/// Begins a recording into a file, by its path (UTF-8), with a name for people or null. The capture begins with the
/// memory and the state of this moment, which may be in the middle of a push buffer. From now on it gets all calls that
/// change the GPU: those of all machines and those of the machine's own. Memory of the host's is compared before work
/// is done, which takes time, unless the host announces what it writes (`triglyph_set_host_writes_announced`). A
/// recording that is under way is dropped.
///
/// Errors: `TRIGLYPH_STATUS_IO` when the file cannot be made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_start_recording(
    device: Option<&triglyph_device>,
    path: *const c_char,
    name: *const c_char,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for texts that end with 0.
        let (path, name) = unsafe { (pointer::path(path, "path")?, pointer::text(name, "name")?) };
        let file = File::create(&path).map_err(|error| Error::io(&path, error))?;
        let mut meta = Meta::new();
        if let Some(name) = name {
            meta.set("name", name);
        }
        let sink = BufWriter::new(file);
        Ok(recording!(&mut state.gpu, device => device.start(sink, Compression::default(), meta))?)
    })
}

/// Says that a picture is finished, at the end of a frame, for each screen. With `expect` the capture expects it to
/// look as it does now, to the bit. Does nothing without a recording.
///
/// Errors: as `triglyph_picture_read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_record_present(
    device: Option<&triglyph_device>,
    present: *const triglyph_present,
    expect: bool,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for a structure that begins with its size, and a label that ends with 0.
        let present = unsafe { triglyph_present::given(present)?.read() }?;
        let expectation = if expect { Expectation::AsItIs } else { Expectation::None };
        Ok(recording!(&mut state.gpu, device => device.present(&present, expectation))?)
    })
}

/// Records what a range of guest memory hashes to now. Does nothing without a recording.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_record_hash(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    size: u64,
) -> triglyph_status {
    with_device(device, |state| {
        let range = range(space, address, size)?;
        Ok(recording!(&mut state.gpu, device => device.hash(range))?)
    })
}

/// Bounds recordings that begin from now on: they record nothing more once their file has so many bytes, and are whole
/// captures up to there. UINT64_MAX for no bound, as at first.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_set_recording_limit(device: Option<&triglyph_device>, bytes: u64) -> triglyph_status {
    with_device(device, |state| recording!(&mut state.gpu, device => device.set_limit(bytes)))
}

/// Whether a recording is under way that has reached its limit.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_is_recording_full(device: Option<&triglyph_device>, full: Out<'_, bool>) -> triglyph_status {
    with_device(device, |state| store(full, recording!(&mut state.gpu, device => device.is_full()), "full"))
}

/// Whether a recording is under way.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_is_recording(device: Option<&triglyph_device>, active: Out<'_, bool>) -> triglyph_status {
    with_device(device, |state| store(active, recording!(&mut state.gpu, device => device.is_recording()), "active"))
}

/// Ends a recording and closes its file. Does nothing without one.
///
/// Errors: `TRIGLYPH_STATUS_IO`, the first that the file has met since the recording began.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_stop_recording(device: Option<&triglyph_device>) -> triglyph_status {
    with_device(device, |state| {
        let sink = recording!(&mut state.gpu, device => device.stop())?;
        let written = sink.map(BufWriter::into_inner).transpose();
        match written {
            Ok(_) => Ok(()),
            Err(error) => Err(Failure::from(Error::io("the recording", error.into_error()))),
        }
    })
}
