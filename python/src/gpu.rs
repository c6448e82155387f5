//! The machines behind `Device`: what all have, and what each has of its own.

use std::fs::File;
use std::io::BufWriter;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use triglyph::capture::RecordingDevice;
use triglyph::n3ds::{Eye, Screen};
use triglyph::{
    Access, Device, Error, GuestRange, HostFormat, HostRows, Machine, Memory, N3ds, Options, Presentation, Presented,
    Rsx, TegraX1,
};

/// A machine that records into a file.
pub type Recorded<D> = RecordingDevice<D, BufWriter<File>>;

/// One of the machines.
pub enum Gpu {
    N3ds(Box<Recorded<N3ds>>),
    Rsx(Box<Recorded<Rsx>>),
    Tegra(Box<Recorded<TegraX1>>),
}

/// Runs an expression with the recording device of whichever machine it is.
macro_rules! recorded {
    ($gpu:expr, $device:ident => $body:expr) => {
        match $gpu {
            $crate::gpu::Gpu::N3ds($device) => $body,
            $crate::gpu::Gpu::Rsx($device) => $body,
            $crate::gpu::Gpu::Tegra($device) => $body,
        }
    };
}
pub(crate) use recorded;

/// What a display shows: its picture, if there is one.
pub type Shown = Option<triglyph::capture::Picture>;

impl Gpu {
    /// A machine with nothing mapped.
    ///
    /// # Errors
    /// As [`triglyph::new_device`].
    pub fn new(machine: Machine, options: &Options) -> Result<Self, Error> {
        Ok(match machine {
            Machine::N3ds => Gpu::N3ds(Box::new(RecordingDevice::new(N3ds::new(options)?))),
            Machine::Ps3 => Gpu::Rsx(Box::new(RecordingDevice::new(Rsx::new(options)?))),
            Machine::TegraX1 => Gpu::Tegra(Box::new(RecordingDevice::new(TegraX1::new(options)?))),
            other => return Err(Error::Unsupported(format!("the machine {}", other.full_name()))),
        })
    }

    /// The functions of all machines.
    pub fn device(&mut self) -> &mut dyn Device {
        recorded!(self, device => &mut **device)
    }

    /// The same, for reading.
    pub fn device_ref(&self) -> &dyn Device {
        recorded!(self, device => &**device)
    }

    fn with_memory<T>(&mut self, call: impl FnOnce(&mut Memory) -> T) -> T {
        match self {
            Gpu::N3ds(device) => device.device_mut().with_memory(call),
            Gpu::Rsx(device) => device.device_mut().with_memory(call),
            Gpu::Tegra(device) => device.device_mut().with_memory(call),
        }
    }

    /// Removes whatever is mapped in a range.
    pub fn unmap(&mut self, range: GuestRange) {
        self.with_memory(|memory| memory.unmap(range));
        recorded!(self, device => device.note_host_memory(range, None));
    }

    /// Maps the bytes of a buffer, as many as the range has.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a buffer that is not writable, not contiguous or of another size; otherwise as
    /// [`Memory::map_host`].
    #[allow(unsafe_code)]
    pub fn map_buffer(&mut self, range: GuestRange, buffer: &HostBuffer, access: Access) -> Result<(), Error> {
        let bytes = &buffer.bytes;
        if bytes.readonly() || !bytes.is_c_contiguous() || bytes.len_bytes() as u64 != range.size {
            let size = bytes.len_bytes();
            let what =
                format!("a buffer of {size} bytes for {} bytes: it has to be writable and in one piece", range.size);
            return Err(Error::InvalidArgument(what));
        }
        self.device_ref().check_mapping(range)?;
        let pointer = bytes.buf_ptr().cast::<u8>();
        // SAFETY: the exporter keeps the bytes where they are until the buffer is released, which whoever calls this
        // keeps until the range is unmapped or the device is gone. Python code reads and writes them by plain accesses,
        // as guest processors do, and no Rust code has references to them.
        self.with_memory(|memory| unsafe { memory.map_host(range, pointer, access) })?;
        recorded!(self, device => device.note_host_memory(range, Some(access)));
        Ok(())
    }

    /// Reads a register: on the 3DS by its offset from physical address 0x10000000, on the PS3 from BAR0.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the Tegra X1, whose programs reach no registers.
    pub fn read_register(&mut self, offset: u32) -> Result<u32, Error> {
        match self {
            Gpu::N3ds(device) => Ok(device.device_mut().read_register(offset)),
            Gpu::Rsx(device) => Ok(device.device_mut().mmio_read(offset)),
            Gpu::Tegra(_) => Err(no_registers()),
        }
    }

    /// Writes a register, with all effects.
    ///
    /// # Errors
    /// As [`Self::read_register`].
    pub fn write_register(&mut self, offset: u32, value: u32) -> Result<(), Error> {
        match self {
            Gpu::N3ds(device) => {
                device.device_mut().write_register(offset, value);
                Ok(())
            }
            Gpu::Rsx(device) => {
                device.device_mut().mmio_write(offset, value);
                Ok(())
            }
            Gpu::Tegra(_) => Err(no_registers()),
        }
    }

    /// What a display shows, named as in captures on the 3DS, by the number of the head on the PS3.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a display that there is not; [`Error::Unsupported`] on the Tegra X1, whose
    /// displays are the host's.
    pub fn display(&mut self, name: &str) -> Result<Shown, Error> {
        let none = |known| Error::InvalidArgument(format!("display {name:?} is none of {known}"));
        match self {
            Gpu::N3ds(device) => {
                let (screen, eye) = match name {
                    "top" => (Screen::Top, Eye::Left),
                    "top-right" => (Screen::Top, Eye::Right),
                    "bottom" => (Screen::Bottom, Eye::Left),
                    _ => return Err(none("top, top-right, bottom")),
                };
                let device = device.device_mut();
                let size = device.external().lcd(screen).picture(eye).map(|picture| (picture.width, picture.height));
                shown(size, |rows, presented| device.present_screen(screen, eye, rows, presented))
            }
            Gpu::Rsx(device) => {
                let head = match name {
                    "0" => 0,
                    "1" => 1,
                    _ => return Err(none("0, 1")),
                };
                let device = device.device_mut();
                let size = device.scan_out(head).map(|scan| (scan.width, scan.height));
                shown(size, |rows, presented| device.present_head(head, rows, presented))
            }
            Gpu::Tegra(_) => Err(Error::Unsupported("displays on the tegra-x1".to_owned())),
        }
    }
}

fn no_registers() -> Error {
    Error::Unsupported("registers on the tegra-x1".to_owned())
}

/// A picture of this size, if there is one.
fn shown(
    size: Option<(u32, u32)>,
    present: impl FnOnce(&mut HostRows<'_>, &mut Presented) -> Result<Presentation, Error>,
) -> Result<Shown, Error> {
    let Some((width, height)) = size.filter(|(width, height)| *width > 0 && *height > 0) else { return Ok(None) };
    let stride = 4 * width as usize;
    let mut rgba = vec![0; stride * height as usize];
    let mut rows = HostRows::new(&mut rgba, stride, HostFormat::Rgba8).with_size(width, height);
    let done = present(&mut rows, &mut Presented::default())?;
    let is_there = done.shown != triglyph::Shown::Nothing;
    Ok(is_there.then_some(triglyph::capture::Picture { width, height, rgba }))
}

/// A Python object whose bytes are guest memory.
pub struct HostBuffer {
    bytes: PyBuffer<u8>,
}

impl HostBuffer {
    /// The buffer of an object: bytes, of whatever items it has.
    ///
    /// # Errors
    /// `TypeError` for an object that is no contiguous buffer.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let view = pyo3::types::PyMemoryView::from(object)?;
        let bytes = view.call_method1("cast", ("B",))?;
        Ok(HostBuffer { bytes: PyBuffer::get(&bytes)? })
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.bytes.len_bytes() as u64
    }

    /// A copy of its bytes.
    pub fn copy(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.bytes.to_vec(py)
    }
}
