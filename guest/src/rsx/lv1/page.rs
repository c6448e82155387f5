//! Pages that a guest sees: the control page, the reports area, where the hypervisor maps them.

/// The control page of a channel: the chip's USER area, 4 KiB. Offsets without a name read 0.
pub mod control {
    /// Bytes of a page.
    pub const BYTES: u32 = 0x1000;
    /// Where the valid words of the push buffer end. Written by the guest.
    pub const PUT: u32 = 0x40;
    /// The next word to fetch.
    pub const GET: u32 = 0x44;
    /// The value of the last REF_CNT method; 0 at first.
    pub const REF: u32 = 0x48;
    /// GET of the main level: inside of a subroutine where it returns to (envytools).
    pub const CGET: u32 = 0x54;
}

/// The reports area of a context: 64 KiB of local memory.
pub mod reports {
    /// Bytes of an area, and from one context's to the next.
    pub const BYTES: u32 = 0x1_0000;
    /// Where the first context's begins in local memory (hardware dump).
    pub const START: u32 = 0x0FE0_0000;
    /// Semaphores: 256 of 16 bytes.
    pub const SEMAPHORES: u32 = 0;
    /// Notifiers: 64 of 16 bytes.
    pub const NOTIFIERS: u32 = 0x1000;
    /// Reports: 2048 of 16 bytes.
    pub const REPORTS: u32 = 0x1400;
    /// The bytes after it are not used.
    pub const END: u32 = 0x9400;
    /// The label that a finished flip clears, 16 bytes: number 1.
    pub const FLIP_LABEL: u32 = 0x10;

    /// Words of all semaphores at first (observed by homebrew, RPCS3).
    pub const SEMAPHORE_PATTERN: [u32; 4] = [0x1337_C0D3, 0x1337_BABE, 0x1337_BEEF, 0x1337_F001];
    /// Words of all notifiers at first.
    pub const NOTIFIER_PATTERN: [u32; 4] = [u32::MAX, u32::MAX, 0, 0];
    /// Words of all reports at first.
    pub const REPORT_PATTERN: [u32; 4] = [u32::MAX, u32::MAX, 0, u32::MAX];

    /// The words of an area after `context_allocate`.
    pub fn initial() -> impl Iterator<Item = u32> {
        (0..BYTES).step_by(4).map(|offset| {
            let word = (offset / 4 % 4) as usize;
            match offset {
                SEMAPHORES..NOTIFIERS => SEMAPHORE_PATTERN[word],
                NOTIFIERS..REPORTS => NOTIFIER_PATTERN[word],
                REPORTS..END => REPORT_PATTERN[word],
                _ => 0,
            }
        })
    }
}

/// Where the page of device 8 lies in local memory (hardware dump). All contexts share it.
pub const DEVICE: u32 = 0x0FF1_0000;

/// Where in that page the word is that has to be 1 before GCM's start-up goes on (RPCS3).
pub const DEVICE_READY: u32 = 0x30;

/// Where the hypervisor maps pages: a 2.50 console's addresses (hardware dump). Guests take what they are given.
pub mod lpar {
    /// Control page of the first context; the next 0x1000 further on.
    pub const CONTROL: u64 = 0x4400_0022_0000;
    /// Driver information of the first context.
    pub const INFO: u64 = 0x4000_000F_0000;
    /// From one driver information to the next, and how large each is.
    pub const INFO_BYTES: u64 = 0x4000;
    /// Reports of the first context; the next 0x10000 further on.
    pub const REPORTS: u64 = 0x4800_0041_0000;
    /// Local memory. The address is not documented.
    pub const LOCAL: u64 = 0x7000_0000_0000;
    /// Devices, 16 MiB each. The addresses are not documented.
    pub const DEVICES: u64 = 0x4C00_0000_0000;
    /// From one device to the next.
    pub const DEVICE_BYTES: u64 = 1 << 24;
}

/// Where the chip's address ranges lie on the bus (Nucleus).
pub mod bar {
    /// Registers.
    pub const MMIO: u64 = 0x280_0000_0000;
    /// Bytes of the registers.
    pub const MMIO_BYTES: u64 = 32 << 20;
    /// Local memory.
    pub const LOCAL: u64 = 0x280_8000_0000;
    /// Bytes of local memory.
    pub const LOCAL_BYTES: u64 = 256 << 20;
    /// Instance memory.
    pub const PRAMIN: u64 = 0x280_0200_0000;
    /// Bytes of the window on instance memory; that of other chips of this generation.
    pub const PRAMIN_BYTES: u64 = 16 << 20;
}
