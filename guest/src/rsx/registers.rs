//! BAR0: the registers that are documented. Numbers are byte addresses.
//!
//! Sources: envytools `nv4_pfifo.xml`, `nv3_pfb.xml`, `nv_ptimer`, `pmc`, `pcrtc`; the spans of the units: Nucleus.

use self::Kind::*;
use crate::table::regs::regs;

/// The kind of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A stored word.
    None,
    /// More than that.
    Special(Kind),
}

/// The effects of reads and writes beyond a stored word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Writing changes nothing.
    ReadOnly,
    /// Bits that are written as 1 become 0.
    Acknowledge,
    /// A word of the current channel: [`super::ramfc::Field`].
    Channel,
    /// An effect of its own.
    Own,
}

/// A row of the register table.
pub type RegInfo = crate::table::RegInfo<Effect>;

regs! {
    effect Effect;

    /// Chip and revision: NV47. The RSX's own number is not documented (unverified).
    pmc_boot_0 @ 0x000000 = 0x0470_00A1 { revision 0:7, chip 20:28 } Special(ReadOnly);
    /// Which units interrupt.
    pmc_intr_0 @ 0x000100 { pfifo 8:8, pgraph 12:12, ptimer 20:20, pcrtc 24:25 } Special(Own);
    /// Whether any may.
    pmc_intr_en_0 @ 0x000140 { enable 0:1 };
    /// Which units are switched on.
    pmc_enable @ 0x000200 = 0xFFFF_FFFF { word 0:31 bits };

    /// Delay before the pusher looks again.
    pfifo_delay_0 @ 0x002040 { word 0:31 bits };
    /// The remaining time of the current channel.
    pfifo_dma_timeslice @ 0x002044 = 0x1_FFFF { value 0:31 count } Special(Channel);
    /// Time of a channel.
    pfifo_timeslice @ 0x00204C { value 0:31 count };
    /// The channel that comes next.
    pfifo_next_channel @ 0x002050 { channel 0:8, dma 9:9 };
    /// Further bits of the fetcher.
    pfifo_sli @ 0x002058 { word 0:31 bits };
    /// Saved with a channel, meaning unknown.
    pfifo_2088 @ 0x002088 { word 0:31 bits } Special(Channel);
    /// Pending interrupts.
    pfifo_intr @ 0x002100 {
        cache_error 0:0, runout 4:4, runout_overflow 8:8, dma_pusher 12:12, dma_pt 16:16, semaphore 20:20,
        acquire_timeout 24:24,
    } Special(Acknowledge);
    /// Which of it interrupts.
    pfifo_intr_en @ 0x002140 { word 0:31 bits };
    /// Where the hash table is: [`super::ramht::Ramht`].
    pfifo_ramht @ 0x002210 = 0x0303_0100 { address 4:8, size 16:17, search 24:25, full 26:26 } Special(Own);
    /// Where methods go that no object takes.
    pfifo_ramro @ 0x002218 { word 0:31 bits };
    /// Where channels are kept: [`super::ramfc::Ramfc`].
    pfifo_ramfc @ 0x002220 = 0x0003_0002 { address 0:7 } Special(Own);
    /// Whether channels are switched and run.
    pfifo_caches @ 0x002500 = 1 { reassign 0:0 };
    /// Bit n: channel n reads a push buffer; otherwise its methods are written by the processor.
    pfifo_mode @ 0x002504 = 0xFF { word 0:31 bits };
    /// Bit n: channel n has words to fetch.
    pfifo_dma @ 0x002508 { word 0:31 bits } Special(ReadOnly);
    /// Bit n: size of channel n's method space.
    pfifo_size @ 0x00250C { word 0:31 bits };
    /// Whether methods may enter the cache.
    cache1_push0 @ 0x003200 = 1 { access 0:0 };
    /// The current channel.
    cache1_push1 @ 0x003204 { channel 0:8, dma 16:16 } Special(Own);
    /// Where the next method enters the cache.
    cache1_put @ 0x003210 { address 2:11 } Special(Own);
    /// How full the cache is.
    cache1_status @ 0x003214 { ramro 0:0, empty 4:4, full 8:8 } Special(ReadOnly);
    /// Whether the pusher fetches.
    cache1_dma_push @ 0x003220 = 1 { access 0:0, busy 4:4, buffer_empty 8:8, suspended 12:12 } Special(Own);
    /// How it fetches.
    cache1_dma_fetch @ 0x003224 { trigger 3:7, size 13:15, requests 16:20, big_endian 31:31 } Special(Channel);
    /// Where it is in a packet.
    cache1_dma_state @ 0x003228 {
        non_increasing 0:0, method 2:12, subchannel 13:15, subroutine 17:17, count 18:28, error 29:31,
    } Special(Channel);
    /// The push buffer's DMA object / 16.
    cache1_dma_instance @ 0x00322C { address 0:19 } Special(Channel);
    /// Adjustment of the push buffer; derived from its object here.
    cache1_dma_ctl @ 0x003230 { word 0:31 bits };
    /// Last byte of the push buffer; derived from its object here.
    cache1_dma_limit @ 0x003234 { word 0:31 bits };
    /// PUT.
    cache1_dma_put @ 0x003240 { address 0:31 address } Special(Channel);
    /// GET.
    cache1_dma_get @ 0x003244 { address 0:31 address } Special(Channel);
    /// Reference.
    cache1_ref @ 0x003248 { value 0:31 count } Special(Channel);
    /// Where a called piece returns to.
    cache1_dma_subroutine @ 0x00324C { active 0:0 } Special(Channel);
    /// Whether methods leave the cache, and why not.
    cache1_pull0 @ 0x003250 = 1 { access 0:0, hash_failed 4:4, device 8:8, state 12:12 } Special(Own);
    /// The last action of the puller.
    cache1_pull1 @ 0x003254 { engine 0:3, acquire 8:8 } Special(Channel);
    /// The last hash; not kept here.
    cache1_hash @ 0x003258 { word 0:31 bits };
    /// How long a semaphore is waited for.
    cache1_acquire_timeout @ 0x003260 { value 0:31 count } Special(Channel);
    /// Since when.
    cache1_acquire_timestamp @ 0x003264 { value 0:31 count } Special(Channel);
    /// Which value.
    cache1_acquire_value @ 0x003268 { word 0:31 bits } Special(Channel);
    /// Which semaphore.
    cache1_semaphore @ 0x00326C { valid 0:0, offset 2:11, instance 12:31 } Special(Channel);
    /// Where the next method leaves the cache.
    cache1_get @ 0x003270 { address 2:11 } Special(Own);
    /// The engines of the subchannels, 4 bits each.
    cache1_engine @ 0x003280 { word 0:31 bits } Special(Channel);
    /// Words fetched of a packet.
    cache1_dma_dcount @ 0x0032A0 { value 0:31 count } Special(Channel);
    /// The state of PGRAPH / 16.
    cache1_grctx @ 0x0032E0 { word 0:31 bits } Special(Channel);
    /// Saved with a channel, meaning unknown.
    cache1_32e4 @ 0x0032E4 { word 0:31 bits } Special(Channel);
    /// Saved with a channel, meaning unknown.
    cache1_32e8 @ 0x0032E8 { word 0:31 bits } Special(Channel);
    /// Saved with a channel, meaning unknown.
    cache1_3300 @ 0x003300 { word 0:31 bits } Special(Channel);
    /// Saved with a channel, meaning unknown.
    cache1_330c @ 0x00330C { word 0:31 bits } Special(Channel);

    /// Pending interrupts.
    ptimer_intr @ 0x009100 { alarm 0:0 } Special(Acknowledge);
    /// Which of it interrupts.
    ptimer_intr_en @ 0x009140 { word 0:31 bits };
    /// Nanoseconds for a tick, above.
    ptimer_numerator @ 0x009200 = 1 { value 0:31 count };
    /// Nanoseconds for a tick, below.
    ptimer_denominator @ 0x009210 = 1 { value 0:31 count };
    /// Low bits of the time in nanoseconds, in steps of 32.
    ptimer_time_0 @ 0x009400 { low 5:31 } Special(Own);
    /// High bits of the time in nanoseconds.
    ptimer_time_1 @ 0x009410 { high 0:28 } Special(Own);
    /// When to interrupt.
    ptimer_alarm @ 0x009420 { low 5:31 };

    /// Tiles: [`super::lv1::attribute::Tile`].
    pfb_tile @ [0x100600; 15 step 0x10] { enable 0:1, bank 4:5, start 16:31 };
    /// Ends of tiles.
    pfb_tlimit @ [0x100604; 15 step 0x10] { end 16:31 };
    /// Pitches of tiles.
    pfb_tsize @ [0x100608; 15 step 0x10] { pitch 8:31 };
    /// Compression of tiles.
    pfb_tstatus @ [0x10060C; 15 step 0x10] { word 0:31 bits };

    /// Pending interrupts.
    pgraph_intr @ 0x400100 { notify 0:0, context_switch 12:12, error 20:20 } Special(Acknowledge);
    /// Why.
    pgraph_nsource @ 0x400108 { notification 0:0, data_error 1:1, protection_error 2:2, illegal_method 6:6 };
    /// Which of it interrupts.
    pgraph_intr_en @ 0x400140 { word 0:31 bits };

    /// Pending interrupts of a head.
    pcrtc_intr @ [0x600100; 2 step 0x2000] { vblank 0:0 } Special(Acknowledge);
    /// Which of it interrupts.
    pcrtc_intr_en @ [0x600140; 2 step 0x2000] { vblank 0:0 };
    /// Offset in local memory of what a head shows.
    pcrtc_start @ [0x600800; 2 step 0x2000] { word 0:31 bits };
}

/// Bits of `PFIFO_INTR`.
pub mod pfifo_interrupt {
    /// The puller met a method that it cannot send on.
    pub const CACHE_ERROR: u32 = 1 << 0;
    /// The pusher met an error.
    pub const DMA_PUSHER: u32 = 1 << 12;
    /// A semaphore method had a bad operand.
    pub const SEMAPHORE: u32 = 1 << 20;
    /// A semaphore was waited for too long.
    pub const ACQUIRE_TIMEOUT: u32 = 1 << 24;
}

/// The cache of methods between pusher and puller: pairs of a method and its data.
pub mod cache {
    /// First pair.
    pub const START: u32 = 0x9_0000;
    /// Pairs.
    pub const ENTRIES: usize = 512;
    /// After the last pair.
    pub const END: u32 = START + 8 * ENTRIES as u32;

    /// The first word of a pair: method at 12:2, subchannel at 15:13.
    pub const fn method(subchannel: u32, method: u32) -> u32 {
        (subchannel & 7) << 13 | method & 0x1FFC
    }
}

/// The channels' windows.
pub mod user {
    /// Methods written by the processor, 64 KiB a channel: subchannels of 8 KiB.
    pub const PIO: u32 = 0x80_0000;
    /// Bytes of a channel's window.
    pub const PIO_BYTES: u32 = 0x1_0000;
    /// In a window of methods: how many bytes may be written before the cache is full.
    pub const FREE: u32 = 0x10;
    /// Control pages, 4 KiB a channel: [`crate::rsx::lv1::page::control`].
    pub const DMA: u32 = 0xC0_0000;
    /// Bytes of a control page.
    pub const DMA_BYTES: u32 = 0x1000;
}

/// Bytes of all registers.
pub const BYTES: u32 = 32 << 20;

/// The row of an address that is a multiple of 4, and which of its registers it is; `None` where nothing is documented.
pub fn info(address: u32) -> Option<(&'static RegInfo, usize)> {
    REGISTERS.iter().find_map(|row| {
        let past = (address as usize).checked_sub(row.id)?;
        let (index, rest) = match row.step {
            0 => (0, past),
            step => (past / step, past % step),
        };
        (rest == 0 && index < row.count).then_some((row, index))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rsx::ramfc::Field;

    #[test]
    fn registers_are_found() {
        assert_eq!(info(0x2210).map(|(row, _)| row.name), Some("PFIFO_RAMHT"));
        assert_eq!(info(0x10_0604).map(|(row, index)| (row.name, index)), Some(("PFB_TLIMIT", 0)));
        assert_eq!(info(0x10_06E8).map(|(row, index)| (row.name, index)), Some(("PFB_TSIZE", 14)));
        assert_eq!(info(0x60_2800).map(|(row, index)| (row.name, index)), Some(("PCRTC_START", 1)));
        assert!(info(0x10_06F0).is_none() && info(0x2204).is_none() && info(0x60_4100).is_none());
    }

    #[test]
    fn what_channels_keep_are_registers_of_theirs() {
        for field in Field::ALL {
            let (row, _) = info(field.register()).expect("a register");
            assert_eq!(row.effect, Effect::Special(Channel), "{}", row.name);
        }
        let kept = REGISTERS.iter().filter(|row| row.effect == Effect::Special(Channel)).count();
        assert_eq!(kept, Field::ALL.len());
    }
}
