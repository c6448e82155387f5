//! Methods of the host, dword addresses below 0x40. Sources: NVIDIA clb06f.h, with the syncpoint methods of cla26f.h;
//! MEM_OP_A and MEM_OP_B, which that header calls removed, as deko3d uses them on the hardware; the one-word semaphores
//! as envytools lists them. Numbers that are in no row are channel errors on hardware.

use crate::table::regs::{regs, values};
use crate::tegra::methods::class::Class;
use crate::tegra::methods::table::{Effect, MethodTable};

/// The immediate effect of a write to a host method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Tells the class of a subchannel; the engine gets the method as well.
    SetObject,
    /// A channel error.
    Illegal,
    /// Executes the semaphore operation.
    Semaphore,
    /// Raises an interrupt of the CPU without waiting for it.
    Interrupt,
    /// Makes memory writes visible.
    FlushMemory,
    /// Executes the memory operation.
    MemoryOperation,
    /// Waits until everything earlier is finished, then stores the reference counter.
    SetReference,
    /// Waits until the word at the semaphore's address equals the datum.
    LegacyAcquire,
    /// Stores the datum at the semaphore's address.
    LegacyRelease,
    /// Waits for a syncpoint or increments one.
    Syncpoint,
    /// Waits until everything earlier is finished.
    WaitForIdle,
    /// Lets other channels run; scheduling only.
    Yield,
}

impl Trigger {
    /// Whether a method with this trigger and this datum lets others see what was drawn before it.
    pub const fn shows_drawing(self, datum: u32) -> bool {
        use SemaphoreOperation::{Reduction, Release};
        match self {
            Trigger::LegacyRelease => true,
            Trigger::Syncpoint => !matches!(syncpoint_b::operation(datum), Some(SyncpointOperation::Wait)),
            Trigger::Semaphore => matches!(semaphore_d::operation(datum), Some(Release | Reduction)),
            _ => false,
        }
    }
}

values! {
    /// The operations of SEMAPHORE_D.
    SemaphoreOperation {
        /// Waits until the word equals the payload.
        Acquire = 1 "ACQUIRE";
        /// Stores the payload.
        Release = 2 "RELEASE";
        /// Waits until the word minus the payload, as a signed number, is not negative.
        AcquireGreaterOrEqual = 4 "ACQ_GEQ";
        /// Waits until the word and the payload have a bit in common.
        AcquireAnd = 8 "ACQ_AND";
        /// Joins word and payload.
        Reduction = 0x10 "REDUCTION";
    }

    /// How a reduction joins the word `v` and the payload `p`. INC is `v >= p ? 0 : v + 1`, DEC `v == 0 || v > p ? p :
    /// v - 1`.
    Reduction {
        Min = 0 "MIN"; Max = 1 "MAX"; Xor = 2 "XOR"; And = 3 "AND"; Or = 4 "OR"; Add = 5 "ADD"; Inc = 6 "INC";
        Dec = 7 "DEC";
    }

    /// Whether minimum and maximum of a reduction are those of signed numbers.
    ReductionFormat { Signed = 0 "SIGNED"; Unsigned = 1 "UNSIGNED"; }

    /// The value that a release stores.
    ReleaseSize {
        /// Payload, zero, and the time in nanoseconds as 64 bits; the time first.
        SixteenBytes = 0 "16BYTE";
        /// The payload.
        FourBytes = 1 "4BYTE";
    }

    /// The operations of MEM_OP_D, all on caches.
    MemoryOperation {
        Membar = 5 "MEMBAR";
        /// In deko3d's list only.
        SoftFlush = 6 "SOFT_FLUSH";
        TlbInvalidate = 9 "MMU_TLB_INVALIDATE"; PeerInvalidate = 13 "L2_PEERMEM_INVALIDATE";
        SystemInvalidate = 14 "L2_SYSMEM_INVALIDATE"; CleanComptags = 15 "L2_CLEAN_COMPTAGS";
        FlushDirty = 16 "L2_FLUSH_DIRTY";
    }

    /// The operations of SYNCPOINT_B.
    SyncpointOperation {
        /// Waits until the counter minus SYNCPOINT_A's payload, as a signed number, is not negative.
        Wait = 0 "WAIT";
        /// Adds 1.
        Increment = 1 "INCR";
    }

    /// How far WFI reaches.
    WaitScope {
        /// The engine used last.
        Current = 0 "CURRENT_SCG_TYPE";
        All = 1 "ALL";
    }

    /// The next channel after YIELD.
    YieldTo {
        Nop = 0 "NOP"; PbdmaTimeslice = 1 "PBDMA_TIMESLICE"; RunlistTimeslice = 2 "RUNLIST_TIMESLICE";
        Group = 3 "TSG";
    }
}

regs! {
    effect Effect<Trigger>;

    /// Which class sits on this subchannel. Engine 0x1F is software.
    set_object @ 0x00 { class_id 0:15 Class, engine_id 16:20 } Trigger(Trigger::SetObject);
    /// A channel error.
    illegal @ 0x01 { handle 0:31 bits } Trigger(Trigger::Illegal);
    /// Nothing.
    nop @ 0x02 { handle 0:31 bits };
    /// Semaphore address, bits 39:32.
    semaphore_a @ 0x04 { offset_upper 0:7 address(32) };
    /// Semaphore address, bits 31:2.
    semaphore_b @ 0x05 { offset_lower 2:31 address(2) };
    /// Semaphore payload.
    semaphore_c @ 0x06 { payload 0:31 bits };
    /// Executes a semaphore operation. `release_wfi` is 1 to *not* wait for idle first.
    semaphore_d @ 0x07 {
        operation 0:4 SemaphoreOperation, acquire_switch 12:12 bool, release_wfi_disable 20:20 bool,
        release_size 24:24 ReleaseSize, reduction 27:30 Reduction, format 31:31 ReductionFormat,
    } Trigger(Trigger::Semaphore);
    /// An interrupt of the CPU.
    non_stall_interrupt @ 0x08 { handle 0:31 bits } Trigger(Trigger::Interrupt);
    /// Makes writes visible.
    fb_flush @ 0x09 { handle 0:31 bits } Trigger(Trigger::FlushMemory);
    /// As MEM_OP_C; the older number.
    mem_op_a @ 0x0A { operand_low 2:31 bits };
    /// As MEM_OP_D; the older number.
    mem_op_b @ 0x0B { operand_high 0:7 bits, operation 27:31 MemoryOperation } Trigger(Trigger::MemoryOperation);
    /// Operand of a memory operation, bits 31:2; of TLB_INVALIDATE: whether all page directories are meant, targets,
    /// address bits 31:12.
    mem_op_c @ 0x0C { operand_low 2:31 bits };
    /// Operand of a memory operation, upper bits, and the operation.
    mem_op_d @ 0x0D { operand_high 0:7 bits, operation 27:31 MemoryOperation } Trigger(Trigger::MemoryOperation);
    /// Waits for idle and stores the counter. Drivers use it as the full barrier.
    set_reference @ 0x14 { count 0:31 count } Trigger(Trigger::SetReference);
    /// Waits until the semaphore's word equals the datum. Source: envytools
    semaphore_acquire @ 0x1A { value 0:31 bits } Trigger(Trigger::LegacyAcquire);
    /// Stores the datum in the semaphore's word. Source: envytools
    semaphore_release @ 0x1B { value 0:31 bits } Trigger(Trigger::LegacyRelease);
    /// Threshold of a wait for a syncpoint.
    syncpoint_a @ 0x1C { payload 0:31 bits };
    /// Waits for a syncpoint or increments it. The index has 12 bits in clc06f.h and 8 in others; there are 192.
    syncpoint_b @ 0x1D { operation 0:0 SyncpointOperation, wait_switch 4:4 bool, index 8:19 } Trigger(Trigger::Syncpoint);
    /// Waits for idle.
    wfi @ 0x1E { scope 0:0 WaitScope } Trigger(Trigger::WaitForIdle);
    /// Compares a checksum; without effect.
    crc_check @ 0x1F { value 0:31 bits };
    /// Lets others run.
    yield_ @ 0x20 { op 0:1 YieldTo } Trigger(Trigger::Yield);
}

/// Methods below this dword address are the host's, whatever the subchannel.
pub const END: u32 = 0x40;

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(REGISTERS);
