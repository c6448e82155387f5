//! How long the units take: estimates that games are known to accept, not measurements.
//!
//! Source: Azahar's table, in MiB/s by direction; about 22.4 ns per command word, 400 ns per triangle and 300 us per
//! request to GSP.

use std::time::Duration;

use crate::system::spaces::PHYSICAL;
use triglyph_engine::mem::GuestAddr;

/// Ticks of the main processor's clock in a second.
pub const TICKS_PER_SECOND: u64 = 268_111_856;

/// The time of so many ticks, in whole nanoseconds.
pub fn time_of_ticks(ticks: u64) -> Duration {
    Duration::from_nanos_u128(u128::from(ticks) * 1_000_000_000 / u128::from(TICKS_PER_SECOND))
}

/// Ticks between a command and GSP's reaction.
pub const ROUND_TRIP: u64 = TICKS_PER_SECOND * 3 / 10_000;

/// Who moves bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// The processors' DMA engine.
    Dma,
    /// Fill units and transfer engine.
    Gpu,
}

/// Ticks to move `bytes` between physical addresses.
pub fn moving(mover: Mover, source: u32, target: u32, bytes: u64) -> u64 {
    let rates = match mover {
        Mover::Dma => [190, 310, 380, 380],
        Mover::Gpu => [450, 3100, 5400, 5400],
    };
    let mebibytes = rates[2 * usize::from(in_vram(source)) + usize::from(in_vram(target))] as u64;
    // 2^32 bytes times the tick rate still fit; more than that no register can ask for.
    bytes.min(1 << 34).saturating_mul(TICKS_PER_SECOND) / (mebibytes << 20)
}

/// Ticks to copy bytes by DMA between physical addresses or those of processes, whose memory is main memory.
pub fn dma(source: GuestAddr, target: GuestAddr, bytes: u32) -> u64 {
    let physical = |place: GuestAddr| if place.space == PHYSICAL { place.address as u32 } else { MAIN_MEMORY };
    moving(Mover::Dma, physical(source), physical(target), u64::from(bytes))
}

/// A physical address in main memory.
const MAIN_MEMORY: u32 = 0x2000_0000;

/// Ticks of a command list.
pub fn command_list(words: u64, triangles: u64) -> u64 {
    let nanoseconds = words.saturating_mul(224).saturating_add(triangles.saturating_mul(4000)) / 10;
    (u128::from(nanoseconds) * u128::from(TICKS_PER_SECOND) / 1_000_000_000) as u64
}

fn in_vram(address: u32) -> bool {
    (0x1800_0000..0x1860_0000).contains(&address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_differ() {
        let (vram, fcram) = (0x1800_0000, 0x2000_0000);
        let second = |mover, from, to, rate: u64| moving(mover, from, to, rate << 20).abs_diff(TICKS_PER_SECOND) < 2;
        assert!(second(Mover::Dma, fcram, fcram, 190));
        assert!(second(Mover::Dma, fcram, vram, 310));
        assert!(second(Mover::Gpu, vram, fcram, 5400));
        assert!(second(Mover::Gpu, fcram, vram, 3100));
        assert_eq!(command_list(1_000_000_000, 0) / TICKS_PER_SECOND, 22);
    }
}
