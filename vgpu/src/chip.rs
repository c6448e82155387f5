//! The two chips: what they are called, and where their memory is.

/// A chip that a driver of Mesa's knows and a machine of Triglyph's has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// The relative of the PS3's RSX; driver nv30.
    Nv47,
    /// The GPU of the Tegra X1; driver nvc0.
    Gm20b,
}

/// Memory of a buffer, with the bits of the kernel's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The GPU's own memory.
    Vram = 2,
    /// The system's memory, as the GPU sees it.
    Gart = 4,
}

impl Domain {
    /// The bit of the kernel's interface.
    pub const fn bit(self) -> u32 {
        self as u32
    }
}

/// First file offset of the GART of a chip without VRAM: a buffer at offset 0 could not be mapped.
const GART_WITHOUT_VRAM: u64 = 16 << 20;

/// GPU address of file offset 0 on the GM20B, beyond all addresses of 32 bits.
const GM20B_BASE: u64 = 1 << 32;

impl Chip {
    /// Each of them.
    pub const ALL: [Chip; 2] = [Chip::Nv47, Chip::Gm20b];

    /// By its name or its number.
    pub fn parse(text: &str) -> Option<Chip> {
        match text {
            "nv47" | "0x47" => Some(Chip::Nv47),
            "gm20b" | "0x12b" => Some(Chip::Gm20b),
            _ => None,
        }
    }

    /// The name of settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Chip::Nv47 => "nv47",
            Chip::Gm20b => "gm20b",
        }
    }

    /// The number of the chip set.
    pub const fn number(self) -> u16 {
        match self {
            Chip::Nv47 => 0x47,
            Chip::Gm20b => 0x12B,
        }
    }

    /// The names of the chip and of a product with it.
    pub const fn names(self) -> (&'static str, &'static str) {
        match self {
            Chip::Nv47 => ("G70", "GeForce 7800"),
            Chip::Gm20b => ("GM20B", "GM20B"),
        }
    }

    /// Platform and family of the device's information: PCIe or a system on a chip, Curie or Maxwell.
    pub const fn platform_and_family(self) -> (u8, u8) {
        match self {
            Chip::Nv47 => (3, 5),
            Chip::Gm20b => (4, 9),
        }
    }

    /// Its PCI device. The GM20B has none; the number is that of its platform device's firmware.
    pub const fn pci_device(self) -> u16 {
        match self {
            Chip::Nv47 => 0x0290,
            Chip::Gm20b => 0x17FD,
        }
    }

    /// Bytes of VRAM. All memory of the GM20B is the system's.
    pub const fn vram(self) -> u64 {
        match self {
            Chip::Nv47 => 256 << 20,
            Chip::Gm20b => 0,
        }
    }

    /// Bytes of the window through which the processor sees VRAM, BAR1.
    pub const fn vram_window(self) -> u64 {
        match self {
            Chip::Nv47 => 256 << 20,
            Chip::Gm20b => 16 << 20,
        }
    }

    /// Bytes of GART.
    pub const fn gart(self) -> u64 {
        match self {
            Chip::Nv47 => 512 << 20,
            Chip::Gm20b => 4 << 30,
        }
    }

    /// File offset of the GART; VRAM is at 0.
    pub const fn gart_start(self) -> u64 {
        match self {
            Chip::Nv47 => self.vram(),
            Chip::Gm20b => GART_WITHOUT_VRAM,
        }
    }

    /// Bytes of the file.
    pub const fn file_size(self) -> u64 {
        self.gart_start() + self.gart()
    }

    /// File offsets that buffers in a domain may have, as start and end. Instance memory is at the end of VRAM.
    pub const fn places(self, domain: Domain) -> (u64, u64) {
        match domain {
            Domain::Vram => (1 << 20, self.vram().saturating_sub(512 << 10)),
            Domain::Gart => (self.gart_start() + (64 << 10), self.file_size()),
        }
    }

    /// The GPU's address of a file offset in a domain: on the NV47 an offset in the domain.
    pub const fn address(self, domain: Domain, place: u64) -> u64 {
        match (self, domain) {
            (Chip::Nv47, Domain::Vram) => place,
            (Chip::Nv47, Domain::Gart) => place - self.gart_start(),
            (Chip::Gm20b, _) => GM20B_BASE + place,
        }
    }

    /// The machine's space of a domain.
    pub const fn space(self, domain: Domain) -> u32 {
        match (self, domain) {
            (Chip::Nv47, Domain::Gart) => 1,
            (Chip::Nv47, Domain::Vram) | (Chip::Gm20b, _) => 0,
        }
    }

    /// Domains of push buffers.
    pub const fn pushbuf_domains(self) -> u32 {
        match self {
            Chip::Nv47 => Domain::Gart.bit(),
            Chip::Gm20b => Domain::Gart.bit() | Domain::Vram.bit(),
        }
    }

    /// GPCs, and multiprocessors from bit 8 on.
    pub const fn graph_units(self) -> u64 {
        match self {
            Chip::Nv47 => 0,
            Chip::Gm20b => 0x201,
        }
    }
}
