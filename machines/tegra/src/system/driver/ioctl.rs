//! The driver as its clients call it: files of devices, and ioctls with the bytes of their buffers. What each request
//! does is in its row of the table of calls.

use bytemuck::{Pod, Zeroable, bytes_of, pod_read_unaligned};
use triglyph_guest::id::{ChannelId, EventSlot, SyncpointId};
use triglyph_guest::tegra::driver::{
    Characteristics, DeviceFile, Fence, Layout, MULTIPROCESSORS, MapBuffer, MapMemory, OTHER_CLASSES, PRIORITIES,
    Remap, Status, TIMESLICES, ZCULL_INFO, event, map_param, timeout,
};
use triglyph_guest::tegra::methods::Class;
use triglyph_guest::tegra_calls;

use super::file::{File, Transfer};
use crate::device::TegraX1;

/// Open files at most: a bound for what a guest can make by mistake.
const MAX_FILES: usize = 1 << 12;

/// What an ioctl has beside its fields.
struct Io<'t> {
    /// The number of the file.
    file: u32,
    /// The bytes that follow the fields.
    rest: &'t mut [u8],
    inline_in: &'t [u8],
    inline_out: &'t mut [u8],
}

impl Io<'_> {
    /// The bytes of the list that the client passes: those of Ioctl2's second buffer, else those after the fields.
    fn input(&self) -> &[u8] {
        if self.inline_in.is_empty() { self.rest } else { self.inline_in }
    }

    /// A list of entries of five words.
    fn list<T>(&self, entry: impl Fn([u32; 5]) -> T) -> Result<Vec<T>, Status> {
        let (entries, rest) = self.input().as_chunks::<20>();
        if !rest.is_empty() {
            return Err(Status::InvalidSize);
        }
        Ok(entries.iter().map(|bytes| entry(pod_read_unaligned(bytes))).collect())
    }

    /// `count` entries of a push buffer.
    fn entries(&self, count: u32) -> Result<Vec<u64>, Status> {
        let bytes = (count as usize).checked_mul(8).and_then(|length| self.input().get(..length));
        let bytes = bytes.ok_or(Status::InvalidSize)?;
        Ok(bytes.as_chunks().0.iter().map(|&entry| u64::from_le_bytes(entry)).collect())
    }

    /// Answers with more than the fields, as much as there is room for.
    fn answer(&mut self, answer: &impl Pod) {
        for to in [&mut *self.rest, &mut *self.inline_out] {
            to.iter_mut().zip(bytes_of(answer)).for_each(|(to, &from)| *to = from);
        }
    }
}

impl TegraX1 {
    /// Opens a device by its path, as the service's Open does: see [`DeviceFile`]. Returns the number of the file.
    ///
    /// # Errors
    /// [`Status::NoFile`] for other paths; [`Status::InsufficientMemory`] for more than 4096 files, and without address
    /// spaces or channels that are free.
    pub fn nvdrv_open(&mut self, path: &str) -> Result<u32, Status> {
        let device = DeviceFile::of_path(path).ok_or(Status::NoFile)?;
        let files = &self.driver.files;
        let number = (1..).find(|number| !files.contains_key(number)).filter(|_| files.len() < MAX_FILES);
        let number = number.ok_or(Status::InsufficientMemory)?;
        let object = match device {
            DeviceFile::AsGpu => self.space_open()?.get(),
            DeviceFile::Gpu => self.channel_open()?.get(),
            DeviceFile::Nvmap | DeviceFile::Ctrl | DeviceFile::CtrlGpu => 0,
        };
        self.driver.files.insert(number, File { device, object, user_data: 0 });
        Ok(number)
    }

    /// Closes a file, and its channel or address space. A space that channels are bound to stays until they are closed.
    ///
    /// # Errors
    /// [`Status::NoFile`] for a file that is not open; [`Status::Busy`] for such a space, whose file stays open.
    pub fn nvdrv_close(&mut self, file: u32) -> Result<(), Status> {
        let File { device, object, .. } = self.file(file)?;
        match device {
            DeviceFile::AsGpu => self.space_close(object.into())?,
            DeviceFile::Gpu => self.channel_close(object.into())?,
            DeviceFile::Nvmap | DeviceFile::Ctrl | DeviceFile::CtrlGpu => {}
        }
        self.driver.files.remove(&file);
        Ok(())
    }

    /// Makes an ioctl as the service's Ioctl, Ioctl2 and Ioctl3 do: `request` is its number, `transfer` has its bytes.
    /// A guest is told the status as a number, and gets the buffer in either case.
    ///
    /// # Errors
    /// [`Status::NoFile`] for a file that is not open; [`Status::NotImplemented`] for a request that the device does
    /// not have; [`Status::InvalidSize`] for a buffer that is shorter than the request's fields and lists; otherwise
    /// those of the call.
    pub fn nvdrv_ioctl(&mut self, file: u32, request: u32, transfer: Transfer<'_>) -> Result<(), Status> {
        let open = self.file(file)?;
        dispatch(self, file, open, request, transfer)
    }

    /// The slot of the event that the service's QueryEvent asks for by the number that EVENT_WAIT has answered; it is
    /// signalled by [`Event::Fence`](triglyph_engine::device::Event::Fence).
    ///
    /// # Errors
    /// [`Status::NoFile`] for a file that is not open; [`Status::BadParameter`] for files without events and slots that
    /// do not exist.
    pub fn nvdrv_query_event(&self, file: u32, number: u32) -> Result<EventSlot, Status> {
        let is_ctrl = self.file(file)?.device == DeviceFile::Ctrl;
        let slot = Some(event::slot(number)).filter(|&slot| is_ctrl && slot < event::SLOTS);
        slot.map(EventSlot::new).ok_or(Status::BadParameter)
    }

    fn file(&self, file: u32) -> Result<File, Status> {
        self.driver.files.get(&file).copied().ok_or(Status::NoFile)
    }

    /// The channel of a file.
    fn channel_of_file(&self, file: u32) -> Result<ChannelId, Status> {
        match self.file(file)? {
            File { device: DeviceFile::Gpu, object, .. } => Ok(object.into()),
            _ => Err(Status::BadParameter),
        }
    }

    fn user_data(&self, file: u32) -> Result<u64, Status> {
        Ok(self.file(file)?.user_data)
    }

    fn set_user_data(&mut self, file: u32, data: u64) -> Result<(), Status> {
        self.driver.files.get_mut(&file).ok_or(Status::NoFile)?.user_data = data;
        Ok(())
    }

    /// Whether a syncpoint has reached a value; [`Status::Timeout`] where it has not. A guest's thread waits in the
    /// host.
    fn syncpoint_reached(&self, index: SyncpointId, threshold: u32) -> Result<(), Status> {
        let index = index.get();
        self.core.syncpoint(index).ok_or(Status::BadParameter)?;
        self.core.syncpoint_reached(index, threshold).then_some(()).ok_or(Status::Timeout)
    }
}

/// Bits of a request that say what it is: a group and a number. The others are directions and a size.
const REQUEST: u32 = 0xFFFF;

macro_rules! ioctls {
    ($(
        $(#[$doc:meta])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty $(as $out:tt)?)?;
        $(@ $device:ident $($request:literal)|+ { $($field:ident: $field_ty:ty),* $(,)? }
            ($gpu:ident, $file:ident, $b:ident, $io:ident) => $body:expr;)*
    )+) => {
        /// Makes the ioctl of a request.
        fn dispatch(
            gpu: &mut TegraX1,
            file: u32,
            File { device, object, .. }: File,
            request: u32,
            transfer: Transfer<'_>,
        ) -> Result<(), Status> {
            let Transfer { buffer, inline_in, inline_out } = transfer;
            $($(if device == DeviceFile::$device && [$($request & REQUEST),+].contains(&(request & REQUEST)) {
                /// The fields of the buffer.
                #[derive(Clone, Copy, Zeroable, Pod)]
                #[repr(C)]
                #[allow(dead_code, reason = "not every field matters")]
                struct Fields {
                    $($field: $field_ty),*
                }
                $(const _: () = assert!(size_of::<Fields>() <= $request >> 16 & 0x3FFF);)+
                let fields = buffer.split_at_mut_checked(size_of::<Fields>());
                let (bytes, rest) = fields.ok_or(Status::InvalidSize)?;
                let mut fields: Fields = pod_read_unaligned(bytes);
                let call = |$gpu: &mut TegraX1, $file: u32, $b: &mut Fields, $io: &mut Io<'_>| {
                    $body;
                    Ok(())
                };
                let done = call(gpu, object, &mut fields, &mut Io { file, rest, inline_in, inline_out });
                bytes.copy_from_slice(bytes_of(&fields));
                return done;
            })*)+
            Err(Status::NotImplemented)
        }
    };
}
tegra_calls!(ioctls);
