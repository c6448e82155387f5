//! The Switch's driver as its clients call it: devices, requests, bytes.

use crate::support::{HOST, methods, options};
use triglyph_engine::Device;
use triglyph_engine::device::{Access, Event};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_guest::id::{EventSlot, SyncpointId};
use triglyph_guest::tegra::driver::calls::IOCTLS;
use triglyph_guest::tegra::driver::{CHARACTERISTICS, DeviceFile, Status, submit_flags};
use triglyph_guest::tegra::fifo::{Entry, Segment};
use triglyph_tegra::TegraX1;
use triglyph_tegra::driver::{PROCESS, Transfer};
use triglyph_testkit::random::words;

/// Memory of the process.
const MEMORY: u64 = 0x7_0000_0000;

/// A client of the driver.
struct Client {
    gpu: TegraX1,
    nvmap: u32,
    space: u32,
    channel: u32,
    ctrl: u32,
}

/// Bytes of fields, which are words of 32 bits; longer ones are two.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn word(bytes: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(bytes[4 * index..][..4].try_into().unwrap())
}

impl Client {
    /// Opens every device a client draws with, and gives the channel an address space with big pages of 64 KiB.
    fn new() -> Client {
        let mut gpu = TegraX1::new(&options()).expect("a machine");
        let memory = GuestRange::new(PROCESS, MEMORY, 0x4_0000);
        gpu.with_memory(|mapped| mapped.map(memory, Access::READ_WRITE)).expect("memory");
        let [nvmap, space, channel, ctrl] = [DeviceFile::Nvmap, DeviceFile::AsGpu, DeviceFile::Gpu, DeviceFile::Ctrl]
            .map(|device| gpu.nvdrv_open(device.path()).expect("a device"));
        let mut client = Client { gpu, nvmap, space, channel, ctrl };
        // INITIALIZE_EX: flags, file, big page, reserved; start, end, split of 64 bits.
        client.ioctl(space, 0x4028_4109, &[1, 0, 0x1_0000, 0, 0, 0, 0, 0, 0, 0]).expect("an address space");
        client.ioctl(space, 0x4004_4101, &[channel]).expect("a channel of the space");
        client
    }

    /// What the words of the buffer are afterwards.
    fn ioctl(&mut self, file: u32, request: u32, words: &[u32]) -> Result<Vec<u8>, Status> {
        let mut buffer = bytes(words);
        self.gpu.nvdrv_ioctl(file, request, Transfer { buffer: &mut buffer, ..Transfer::default() })?;
        Ok(buffer)
    }

    /// A handle of memory of the process, and its GPU address.
    fn buffer(&mut self, address: u64, size: u32) -> (u32, u64) {
        let handle = word(&self.ioctl(self.nvmap, 0xC008_0101, &[size, 0]).unwrap(), 1);
        // ALLOC: handle, heap, flags, alignment, kind and padding, address.
        let alloc = [handle, 0, 1, 0x1000, 0xFE, 0, address as u32, (address >> 32) as u32];
        self.ioctl(self.nvmap, 0xC020_0104, &alloc).unwrap();
        // MAP_BUFFER_EX: flags, kind, handle, page size; offset in the buffer, size, GPU address of 64 bits.
        let mapped = self.ioctl(self.space, 0xC028_4106, &[0, !0, handle, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(word(&mapped, 3), 0x1000, "bytes of a page");
        (handle, u64::from(word(&mapped, 8)) | u64::from(word(&mapped, 9)) << 32)
    }

    /// An entry of a push buffer with these words, which are at `at` for the process and for the GPU.
    fn entry(&mut self, (process, address): (u64, u64), words: &[u32]) -> u64 {
        self.gpu.write(GuestAddr::new(PROCESS, process), &bytes(words)).expect("mapped memory");
        let words = words.len() as u32;
        Entry::Segment(Segment { address, words, sync: false, subroutine: false, conditional: false }).encode()
    }
}

#[test]
fn clients_submit_and_wait() {
    let mut client = Client::new();
    let (_, address) = client.buffer(MEMORY, 0x1000);
    let (_, target) = client.buffer(MEMORY + 0x1000, 0x1000);
    // ALLOC_GPFIFO_EX2 tells the syncpoint; ALLOC_OBJ_CTX of the 3D class.
    let fifo = client.ioctl(client.channel, 0xC020_481A, &[0x800, 1, 0, 0, 0, 0, 0, 0]).unwrap();
    assert_eq!((word(&fifo, 3), word(&fifo, 4)), (1, 0));
    client.ioctl(client.channel, 0xC010_4809, &[0xB197, 0, 0, 0]).unwrap();

    // SUBMIT_GPFIFO, its entry after the fields: releases a semaphore in the second buffer.
    let release = methods(HOST, 4, &[(target >> 32) as u32, target as u32, 77, 2 | 1 << 24]);
    let entry = client.entry((MEMORY, address), &release);
    let submit = [0, 0, 1, submit_flags::FENCE_GET, 0, 0, entry as u32, (entry >> 32) as u32];
    let submitted = client.ioctl(client.channel, 0xC020_4808, &submit).unwrap();
    assert_eq!((word(&submitted, 4), word(&submitted, 5)), (1, 2), "syncpoint and value of the fence");
    let mut stored = [0; 4];
    client.gpu.read(GuestAddr::new(PROCESS, MEMORY + 0x1000), &mut stored).unwrap();
    assert_eq!(stored, 77u32.to_le_bytes());

    // KICKOFF_PB has the entries in a buffer of its own.
    let mut fields = bytes(&[0, 0, 1, submit_flags::FENCE_GET, 0, 0]);
    let entries = entry.to_le_bytes();
    let transfer = Transfer { buffer: &mut fields, inline_in: &entries, ..Transfer::default() };
    client.gpu.nvdrv_ioctl(client.channel, 0xC018_481B, transfer).unwrap();
    assert_eq!(word(&fields, 5), 4);

    // SYNCPT_READ, SYNCPT_READ_MAX, SYNCPT_WAIT.
    let ctrl = client.ctrl;
    assert_eq!(word(&client.ioctl(ctrl, 0xC008_0014, &[1, 0]).unwrap(), 1), 4);
    assert_eq!(word(&client.ioctl(ctrl, 0xC008_001A, &[1, 0]).unwrap(), 1), 4);
    assert_eq!(client.ioctl(ctrl, 0xC00C_0016, &[1, 4, 0]).map(drop), Ok(()));
    assert_eq!(client.ioctl(ctrl, 0xC00C_0016, &[1, 5, 0]).map(drop), Err(Status::Timeout));
    // EVENT_REGISTER, EVENT_WAIT_ASYNC: the status is TIMEOUT, and the buffer names the event.
    client.ioctl(ctrl, 0xC004_001F, &[3]).unwrap();
    let mut waiting = bytes(&[1, 5, !0, 3]);
    let transfer = Transfer { buffer: &mut waiting, ..Transfer::default() };
    assert_eq!(client.gpu.nvdrv_ioctl(ctrl, 0xC010_001E, transfer), Err(Status::Timeout));
    assert_eq!(client.gpu.nvdrv_query_event(ctrl, word(&waiting, 3)), Ok(EventSlot::new(3)));
    client.ioctl(ctrl, 0x4004_0015, &[1]).unwrap();
    assert_eq!(
        client.gpu.take_events(),
        [Event::Fence { slot: EventSlot::new(3), counter: SyncpointId::new(1), value: 5 }]
    );
}

#[test]
fn ioctl3_answers_in_a_buffer_of_its_own() {
    let mut client = Client::new();
    let gpu = client.gpu.nvdrv_open("/dev/nvhost-ctrl-gpu").unwrap();
    let expected = bytemuck::bytes_of(&CHARACTERISTICS);
    let mut long = vec![0; 16 + 0xA0];
    client.gpu.nvdrv_ioctl(gpu, 0xC0B0_4705, Transfer { buffer: &mut long, ..Transfer::default() }).unwrap();
    assert_eq!((word(&long, 0), &long[16..]), (0xA0, expected));
    let (mut fields, mut inline) = (vec![0; 16], vec![0; 0xA0]);
    let transfer = Transfer { buffer: &mut fields, inline_out: &mut inline, ..Transfer::default() };
    client.gpu.nvdrv_ioctl(gpu, 0xC010_4705, transfer).unwrap();
    assert_eq!((word(&fields, 0), &inline[..]), (0xA0, expected));
    // GET_VA_REGIONS: two of 24 bytes, small pages first.
    let regions = client.ioctl(client.space, 0xC040_4108, &[0; 16]).unwrap();
    assert_eq!((word(&regions, 2), word(&regions, 6), word(&regions, 12)), (48, 0x1000, 0x1_0000));
}

/// A channel gets its classes and settings before it has an address space, as applets of the system want it; numbers
/// that mean nothing are errors.
#[test]
fn channels_know_their_classes_and_settings() {
    let mut client = Client::new();
    let channel = client.gpu.nvdrv_open(DeviceFile::Gpu.path()).unwrap();
    client.ioctl(channel, 0xC020_481A, &[0x800, 1, 0, 0, 0, 0, 0, 0]).unwrap();
    for class in [0xB197, 0xB1C0, 0x902D, 0xA140, 0xB0B5, 0xA0B5, 0xB06F] {
        assert_eq!(client.ioctl(channel, 0xC010_4809, &[class, 0, 7, 7]), Ok(bytes(&[class, 0, 0, 0])));
    }
    for class in [0, 4, 0xB097, 0x1_B197] {
        assert_eq!(client.ioctl(channel, 0xC010_4809, &[class, 0, 0, 0]), Err(Status::BadParameter), "{class:#x}");
    }
    for (request, taken, refused) in
        [(0x4004_480D, [50, 100, 150], [0, 51, 151]), (0x4004_481D, [1000, 2600, 50_000], [0, 999, 50_001])]
    {
        for value in taken {
            assert_eq!(client.ioctl(channel, request, &[value]), Ok(bytes(&[value])));
        }
        for value in refused {
            assert_eq!(client.ioctl(channel, request, &[value]), Err(Status::BadParameter), "{value}");
        }
    }
}

#[test]
fn multiprocessors_are_in_two_clusters() {
    let mut client = Client::new();
    let gpu = client.gpu.nvdrv_open("/dev/nvhost-ctrl-gpu").unwrap();
    assert_eq!(client.ioctl(gpu, 0x8008_4712, &[0, 0]), Ok(bytes(&[2, 0])));
    assert_eq!(client.ioctl(gpu, 0xC008_4713, &[0, 0]), Ok(bytes(&[0x0100_0000, 0])));
    let (mut fields, mut inline) = (vec![0; 8], vec![0xFF; 4]);
    let transfer = Transfer { buffer: &mut fields, inline_out: &mut inline, ..Transfer::default() };
    client.gpu.nvdrv_ioctl(gpu, 0xC008_4713, transfer).unwrap();
    assert_eq!(inline, [0, 0, 0, 1]);
}

#[test]
fn files_end_with_what_they_are() {
    let mut client = Client::new();
    let (space, channel) = (client.space, client.channel);
    assert_eq!(client.gpu.nvdrv_open("/dev/nvhost-nvdec"), Err(Status::NoFile));
    assert_eq!(client.gpu.nvdrv_close(space), Err(Status::Busy), "a channel is bound to it");
    client.ioctl(channel, 0x4008_4714, &[7, 8]).unwrap();
    assert_eq!(client.ioctl(channel, 0x8008_4715, &[0, 0]), Ok(bytes(&[7, 8])));

    // A snapshot has the files.
    let snapshot = client.gpu.snapshot(SnapshotOptions::default()).unwrap();
    client.gpu.nvdrv_close(channel).unwrap();
    assert_eq!(client.gpu.nvdrv_close(channel), Err(Status::NoFile));
    assert_eq!(client.ioctl(channel, 0x8008_4715, &[0, 0]), Err(Status::NoFile));
    client.gpu.nvdrv_close(space).unwrap();
    client.gpu.restore(&snapshot).unwrap();
    assert_eq!(client.ioctl(channel, 0x8008_4715, &[0, 0]), Ok(bytes(&[7, 8])));
    client.gpu.nvdrv_close(channel).unwrap();
    client.gpu.nvdrv_close(space).unwrap();
}

/// Any bytes to any request are an answer: there is nothing that a client can break.
#[test]
fn requests_answer_whatever_they_are_given() {
    let mut client = Client::new();
    let files = [client.nvmap, client.space, client.channel, client.ctrl, 0, 99];
    let gpu = client.gpu.nvdrv_open("/dev/nvhost-ctrl-gpu").unwrap();
    let mut random = words(3);
    let mut below = |limit: u32| random() % limit;
    let mut succeeded = 0;
    for _ in 0..40 {
        for &(device, request, _) in IOCTLS {
            let file = match device {
                _ if below(16) == 0 => files[below(files.len() as u32) as usize],
                DeviceFile::Nvmap => client.nvmap,
                DeviceFile::AsGpu => client.space,
                DeviceFile::Gpu => client.channel,
                DeviceFile::Ctrl => client.ctrl,
                DeviceFile::CtrlGpu => gpu,
            };
            let length = if below(8) == 0 { below(64) } else { request >> 16 & 0x3FFF };
            let mut buffer: Vec<u8> = (0..length).map(|_| if below(3) == 0 { below(256) as u8 } else { 0 }).collect();
            let mut inline_out = vec![0; below(64) as usize];
            let inline_in = vec![1; below(64) as usize];
            let transfer = Transfer { buffer: &mut buffer, inline_in: &inline_in, inline_out: &mut inline_out };
            let done = client.gpu.nvdrv_ioctl(file, request, transfer);
            succeeded += u32::from(done.is_ok());
        }
    }
    assert!(succeeded > 500, "only {succeeded} of {}", 40 * IOCTLS.len());
    assert_eq!(client.ioctl(client.nvmap, 0xC008_01FF, &[0, 0]), Err(Status::NotImplemented));
    assert_eq!(client.ioctl(client.nvmap, 0xC008_0101, &[0]), Err(Status::InvalidSize));
}
