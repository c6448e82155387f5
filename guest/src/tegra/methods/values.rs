//! Named values of fields that several classes share. Source: NVIDIA's class headers.

use crate::table::regs::values;

values! {
    /// How a notifier is written.
    NotifyType { WriteOnly = 0 "WRITE_ONLY"; WriteThenAwaken = 1 "WRITE_THEN_AWAKEN"; }

    /// The effect of a method on the copy of its register that macros read, and whether the copy replaces the datum.
    ShadowMode {
        /// Copies the datum and delivers it.
        Track = 0 "METHOD_TRACK";
        /// As `Track`; state that does not change may be dropped.
        TrackWithFilter = 1 "METHOD_TRACK_WITH_FILTER";
        /// Delivers the datum; the copy stays.
        Passthrough = 2 "METHOD_PASSTHROUGH";
        /// Delivers the copy instead of the datum.
        Replay = 3 "METHOD_REPLAY";
    }

    /// The condition of conditional rendering.
    RenderEnableMode {
        Never = 0 "FALSE"; Always = 1 "TRUE";
        /// The 64 bits at the address are not zero.
        Conditional = 2 "CONDITIONAL";
        /// The 64 bits at the address equal those 16 bytes later.
        IfEqual = 3 "RENDER_IF_EQUAL";
        /// They differ.
        IfNotEqual = 4 "RENDER_IF_NOT_EQUAL";
    }

    /// The override of the condition.
    RenderEnableOverride {
        UseRenderEnable = 0 "USE_RENDER_ENABLE"; Always = 1 "ALWAYS_RENDER"; Never = 2 "NEVER_RENDER";
    }

    /// The layout of rows in memory.
    MemoryLayout { BlockLinear = 0 "BLOCKLINEAR"; Pitch = 1 "PITCH"; }

    /// Numbers of a reduction.
    ReductionFormat { Unsigned32 = 0 "UNSIGNED_32"; Signed32 = 1 "SIGNED_32"; }

    /// The action after an inline transfer.
    CompletionType {
        FlushDisable = 0 "FLUSH_DISABLE"; FlushOnly = 1 "FLUSH_ONLY"; ReleaseSemaphore = 2 "RELEASE_SEMAPHORE";
    }

    /// Whether an inline transfer raises an interrupt.
    InlineInterrupt { None = 0 "NONE"; Interrupt = 1 "INTERRUPT"; }

    /// The structure of a semaphore or report: payload, zero and a time of 64 bits, or the payload alone.
    StructSize { FourWords = 0 "FOUR_WORDS"; OneWord = 1 "ONE_WORD"; }

    /// How memory and payload are joined.
    ReductionOp {
        Add = 0 "RED_ADD"; Min = 1 "RED_MIN"; Max = 2 "RED_MAX";
        /// `v >= p ? 0 : v + 1`
        Inc = 3 "RED_INC";
        /// `v == 0 || v > p ? p : v - 1`
        Dec = 4 "RED_DEC";
        And = 5 "RED_AND"; Or = 6 "RED_OR"; Xor = 7 "RED_XOR";
    }

    /// How much of a cache is meant.
    CacheLines { All = 0 "ALL"; One = 1 "ONE"; }
}
