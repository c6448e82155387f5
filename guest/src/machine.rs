//! The enum of the consoles.

use crate::listed;

listed! {
    /// The consoles, numbered as captures number them.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Machine: u32 {
        /// Nintendo 3DS: GSP and PICA200.
        N3ds = 1,
        /// PlayStation 3: RSX.
        Ps3 = 2,
        /// Tegra X1: GM20B, the Switch's GPU.
        TegraX1 = 3,
    }
}

impl Machine {
    /// How many address spaces the machine has; spaces are numbered from 0.
    pub const fn spaces(self) -> u32 {
        match self {
            Machine::N3ds | Machine::TegraX1 => 1,
            Machine::Ps3 => 2,
        }
    }

    /// How many address spaces hosts map memory of their own in: those of the machine, then those that its system's
    /// calls refer to (the PS3's pages of the hypervisor and main memory, the processes of the 3DS and the Switch).
    pub const fn host_spaces(self) -> u32 {
        match self {
            Machine::N3ds | Machine::TegraX1 => 2,
            Machine::Ps3 => 4,
        }
    }

    /// A short name for people: `3ds`, `ps3`, `tegra-x1`.
    pub const fn name(self) -> &'static str {
        match self {
            Machine::N3ds => "3ds",
            Machine::Ps3 => "ps3",
            Machine::TegraX1 => "tegra-x1",
        }
    }

    /// Its name in sentences: `Nintendo 3DS`, `PlayStation 3`, `Tegra X1`.
    pub const fn full_name(self) -> &'static str {
        match self {
            Machine::N3ds => "Nintendo 3DS",
            Machine::Ps3 => "PlayStation 3",
            Machine::TegraX1 => "Tegra X1",
        }
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
