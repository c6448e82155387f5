//! Operations of `context_attribute`, with their parameters.
//!
//! Numbers and parameters: Linux `ps3gpu.h` for display synchronisation, flips and the frame buffer; RPCS3 and Nucleus
//! for what Lv-2 programs use. See the rows for what is known from one place only.

/// An operation. Numbers without an operation are answered with [`NoEntry`](super::Status::NoEntry).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// 0x001: GET and PUT of the push buffer. The wiki has them the other way round and REF after them; at start-up
    /// both are the same.
    FifoSetup {
        /// First word to fetch.
        get: u32,
        /// Where the valid words end.
        put: u32,
    },
    /// 0x002: the pusher stops after the current command.
    FifoPause,
    /// 0x003: it goes on.
    FifoResume,
    /// 0x100: sets the mode of a head.
    DisplayMode {
        /// The head.
        head: u32,
        /// The mode's words, as they come: their meaning is not documented.
        mode: [u64; 3],
    },
    /// 0x101: when a head shows a new buffer.
    DisplaySync {
        /// The head.
        head: u32,
        /// 1 with the next line, 2 with the next frame.
        mode: u32,
    },
    /// 0x102: shows a buffer.
    DisplayFlip {
        /// The head.
        head: u32,
        /// The buffer to show.
        buffer: FlipBuffer,
    },
    /// 0x103: a buffer is next.
    DisplayQueue {
        /// The head.
        head: u32,
        /// Its number.
        buffer: u32,
    },
    /// 0x104: describes a buffer.
    DisplayBuffer {
        /// Its number, 0 to 7.
        id: u32,
        /// Where and how large it is.
        buffer: DisplayBuffer,
    },
    /// 0x105: forgets a buffer (one source).
    DisplayBufferDestroy {
        /// Its number.
        id: u32,
    },
    /// 0x106: performance monitor (one source); nothing happens.
    PerformanceMonitor,
    /// 0x108: how often vertical blanks are reported (RPCS3).
    VblankFrequency {
        /// Which head's.
        head: u32,
        /// How often.
        rate: VblankRate,
        /// 1 the first, 2 the second handler.
        handler: u32,
    },
    /// 0x10A: changes a head's flags: `flags & and | or`.
    FlipStatus {
        /// The head.
        head: u32,
        /// Flags that stay.
        and: u32,
        /// Flags that are set.
        or: u32,
    },
    /// 0x10B: starts the hardware cursor (the numbers of this group are one source's).
    CursorInit {
        /// The head.
        head: u32,
    },
    /// 0x10C: image or position of the cursor.
    CursorImage {
        /// The head.
        head: u32,
        /// The parameter as it comes.
        value: u64,
    },
    /// 0x10D: another of the cursor's; GCM calls it when it starts one.
    CursorFunction {
        /// The head.
        head: u32,
        /// The parameter as it comes.
        value: u64,
    },
    /// 0x201, 0x202: succeed, nothing more is known.
    Unknown20x,
    /// 0x300: a tile.
    Tile {
        /// Its number, 0 to 14.
        index: u32,
        /// The range that it covers.
        tile: Tile,
    },
    /// 0x301: a region of depth culling.
    Zcull {
        /// Its number, 0 to 7.
        index: u32,
        /// The range that it covers.
        zcull: Zcull,
    },
    /// 0x302: succeeds, nothing more is known.
    Commit,
    /// 0x600: memory for the hypervisor's own push buffer of frame-buffer copies.
    FrameBufferSetup {
        /// Main memory.
        lpar: u64,
        /// Its bytes.
        size: u64,
        /// Where it is in the IO space.
        io: u32,
    },
    /// 0x601: copies 32-bit pixels from main to local memory.
    FrameBufferBlit {
        /// Target, offset in local memory.
        local: u32,
        /// Source, offset in the IO space.
        io: u32,
        /// Size.
        size: BlitSize,
        /// Bytes of a row of the source, and of the target.
        pitch: [u32; 2],
    },
    /// 0x602: waits for the copies.
    FrameBufferSync,
    /// 0x603: gives the memory back.
    FrameBufferClose,
    /// 0xFED: a head has shown a frame; what Lv-2 tells itself (RPCS3).
    VblankTick {
        /// The head.
        head: u32,
        /// Ticks of the time base.
        time: u64,
    },
    /// 0xFEC: a flip is done; what Lv-2 tells itself (RPCS3).
    FlipDone {
        /// Number of the buffer that is shown.
        buffer: u32,
    },
    /// 0xFEF: a user command was executed; what Lv-2 tells itself (RPCS3).
    UserCommand {
        /// Its parameter.
        value: u32,
    },
}

/// The buffer that a flip shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlipBuffer {
    /// A place in local memory.
    Offset(u32),
    /// A buffer by its number.
    Id(u32),
    /// The buffer that was queued last.
    LastQueued,
}

impl FlipBuffer {
    /// Reads the parameter of a flip: an offset, or with bit 31 a channel and a buffer; the numbers above 7 mean the
    /// last one queued (RPCS3).
    pub const fn decode(word: u32) -> FlipBuffer {
        if word >> 31 == 0 {
            return FlipBuffer::Offset(word);
        }
        match word & 0xF {
            id @ 0..=7 => FlipBuffer::Id(id),
            _ => FlipBuffer::LastQueued,
        }
    }
}

/// A buffer that can be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DisplayBuffer {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bytes of a row.
    pub pitch: u32,
    /// Offset in local memory.
    pub offset: u32,
}

/// How often vertical blanks are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VblankRate {
    /// As often as the screen shows a frame.
    #[default]
    ScanOut,
    /// 59.94 times a second.
    Ntsc,
    /// Never.
    Off,
    /// Another number, as it came.
    Other(u32),
}

/// Words of a tile, as GCM builds them; the registers 0x100600 hold the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Location + 1, bank at 7:4, offset / 64 KiB at 31:16.
    pub tile: u32,
    /// End / 64 KiB at 31:16, location at 31.
    pub limit: u32,
    /// Bytes of a row, in units of 256 at 31:8.
    pub pitch: u32,
    /// Compression, 0 without.
    pub format: u32,
}

impl Tile {
    /// The words of a tile of `size` bytes at `offset` (multiples of 64 KiB) with rows of `pitch` bytes, without
    /// compression.
    pub const fn new(main: bool, offset: u32, size: u32, pitch: u32, bank: u32) -> Tile {
        let location = main as u32;
        let last = offset.wrapping_add(size).wrapping_sub(1);
        Tile {
            tile: (location + 1) | bank << 4 | (offset >> 16) << 16 | location << 31,
            limit: (last >> 16) << 16 | location << 31,
            pitch: (pitch >> 8) << 8,
            format: 0,
        }
    }

    /// With compression: mode and first tag.
    pub const fn compressed(self, mode: u32, base: u32, size: u32) -> Tile {
        let format = base | (base + (size - 1) / 0x1_0000) << 13 | mode << 26 | 1 << 30;
        Tile { format, ..self }
    }
}

/// Words of a region of depth culling, as GCM builds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Zcull {
    /// Format of depth, antialiasing, and bit 0 that it is there.
    pub region: u32,
    /// Width / 64 at 31:22, height / 64 at 15:6.
    pub size: u32,
    /// Where in culling memory, a multiple of 4096.
    pub start: u32,
    /// Where in local memory.
    pub offset: u32,
    /// Direction, format, stencil function, reference and mask.
    pub status: [u32; 2],
}

impl Zcull {
    /// The first four words of a region.
    pub const fn new(format: u32, antialias: u32, width: u32, height: u32, start: u32, offset: u32) -> Zcull {
        Zcull {
            region: 1 | format << 4 | antialias << 8,
            size: (width >> 6) << 22 | (height >> 6) << 6,
            start: start & !0xFFF,
            offset,
            status: [0, 0x2000 | 0x20 << 16],
        }
    }
}

/// Size of a frame-buffer copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlitSize {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Whether the call waits for the copy.
    pub wait: bool,
}

const fn high(value: u64) -> u32 {
    (value >> 32) as u32
}

const fn low(value: u64) -> u32 {
    value as u32
}

impl Operation {
    /// The operation of a call; `None` for numbers without one.
    pub const fn decode(operation: u64, p: [u64; 4]) -> Option<Operation> {
        let head = low(p[0]);
        Some(match operation {
            0x001 => Operation::FifoSetup { get: low(p[0]), put: low(p[1]) },
            0x002 => Operation::FifoPause,
            0x003 => Operation::FifoResume,
            0x100 => Operation::DisplayMode { head, mode: [p[1], p[2], p[3]] },
            0x101 => Operation::DisplaySync { head, mode: low(p[1]) },
            0x102 => Operation::DisplayFlip { head, buffer: FlipBuffer::decode(low(p[1])) },
            0x103 => Operation::DisplayQueue { head, buffer: low(p[1]) },
            0x104 => Operation::DisplayBuffer {
                id: low(p[0]),
                buffer: DisplayBuffer { width: high(p[1]), height: low(p[1]), pitch: high(p[2]), offset: low(p[2]) },
            },
            0x105 => Operation::DisplayBufferDestroy { id: low(p[0]) },
            0x106 => Operation::PerformanceMonitor,
            0x108 => Operation::VblankFrequency {
                head,
                rate: match low(p[1]) {
                    2 => VblankRate::ScanOut,
                    3 => VblankRate::Ntsc,
                    4 => VblankRate::Off,
                    other => VblankRate::Other(other),
                },
                handler: low(p[2]),
            },
            0x10A => Operation::FlipStatus { head, and: low(p[1]), or: low(p[2]) },
            0x10B => Operation::CursorInit { head },
            0x10C => Operation::CursorImage { head, value: p[1] },
            0x10D => Operation::CursorFunction { head, value: p[1] },
            0x201 | 0x202 => Operation::Unknown20x,
            0x300 => Operation::Tile {
                index: low(p[0]),
                tile: Tile { tile: high(p[1]), limit: low(p[1]), pitch: high(p[2]), format: low(p[2]) },
            },
            0x301 => Operation::Zcull {
                index: low(p[0]),
                zcull: Zcull {
                    region: high(p[1]),
                    size: low(p[1]),
                    start: high(p[2]),
                    offset: low(p[2]),
                    status: [high(p[3]), low(p[3])],
                },
            },
            0x302 => Operation::Commit,
            0x600 => Operation::FrameBufferSetup { lpar: p[0], size: p[1], io: low(p[2]) },
            0x601 => {
                let (source, target) = (high(p[3]), low(p[3]));
                Operation::FrameBufferBlit {
                    local: low(p[0]),
                    io: low(p[1]),
                    size: BlitSize { width: low(p[2]) >> 16, height: low(p[2]) & 0xFFFF, wait: p[2] >> 32 & 1 != 0 },
                    // Old firmware knows one pitch only (Linux).
                    pitch: [if source == 0 { target } else { source }, target],
                }
            }
            0x602 => Operation::FrameBufferSync,
            0x603 => Operation::FrameBufferClose,
            0xFEC => Operation::FlipDone { buffer: low(p[0]) },
            0xFED => Operation::VblankTick { head, time: p[1] },
            0xFEF => Operation::UserCommand { value: low(p[1]) },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flips_name_buffers_or_places() {
        assert_eq!(FlipBuffer::decode(0x0012_3400), FlipBuffer::Offset(0x0012_3400));
        assert_eq!(FlipBuffer::decode(0x8000_0102), FlipBuffer::Id(2));
        assert_eq!(FlipBuffer::decode(0x8000_010F), FlipBuffer::LastQueued);
        assert_eq!(FlipBuffer::decode(0x8000_0108), FlipBuffer::LastQueued);
    }

    #[test]
    fn operations_take_their_words_apart() {
        let blit = Operation::decode(0x601, [0x1000, 0x0D01_0000, 1 << 32 | 640 << 16 | 480, 2560 << 32 | 5120]);
        let size = BlitSize { width: 640, height: 480, wait: true };
        let wanted = Operation::FrameBufferBlit { local: 0x1000, io: 0x0D01_0000, size, pitch: [2560, 5120] };
        assert_eq!(blit, Some(wanted));
        assert_eq!(Operation::decode(0x999, [0; 4]), None);
        let buffer = DisplayBuffer { width: 1280, height: 720, pitch: 5120, offset: 0x10_0000 };
        let decoded = Operation::decode(0x104, [3, 1280 << 32 | 720, 5120 << 32 | 0x10_0000, 0]);
        assert_eq!(decoded, Some(Operation::DisplayBuffer { id: 3, buffer }));
    }

    #[test]
    fn tiles_and_regions_are_packed_as_gcm_does() {
        let tile = Tile::new(true, 0x10_0000, 0x20_0000, 0x1400, 2);
        assert_eq!(tile, Tile { tile: 0x8010_0022, limit: 0x802F_0000, pitch: 0x1400, format: 0 });
        assert_eq!(tile.compressed(7, 0x10, 0x20_0000).format, 0x10 | 0x2F << 13 | 7 << 26 | 1 << 30);
        let zcull = Zcull::new(2, 0, 1280, 704, 0x3456, 0x10_0000);
        assert_eq!((zcull.region, zcull.size, zcull.start), (0x21, 20 << 22 | 11 << 6, 0x3000));
    }
}
