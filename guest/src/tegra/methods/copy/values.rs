//! Named values of fields of the class. Source: NVIDIA's class headers.

use crate::table::regs::values;

values! {
    /// Physical memory; not used.
    PhysicalTarget {
        LocalFb = 0 "LOCAL_FB"; CoherentSysmem = 1 "COHERENT_SYSMEM"; NoncoherentSysmem = 2 "NONCOHERENT_SYSMEM";
    }

    /// Whether data is copied.
    DataTransfer {
        /// Only the semaphore.
        None = 0 "NONE";
        Pipelined = 1 "PIPELINED"; NonPipelined = 2 "NON_PIPELINED";
    }

    /// The semaphore that is written after the copy.
    SemaphoreType {
        None = 0 "NONE"; OneWord = 1 "RELEASE_ONE_WORD_SEMAPHORE"; FourWords = 2 "RELEASE_FOUR_WORD_SEMAPHORE";
    }

    /// Whether an interrupt follows.
    CopyInterrupt { None = 0 "NONE"; Blocking = 1 "BLOCKING"; NonBlocking = 2 "NON_BLOCKING"; }

    /// Addresses; always virtual.
    AddressType { Virtual = 0 "VIRTUAL"; Physical = 1 "PHYSICAL"; }

    /// How memory and payload are joined.
    SemaphoreReduction {
        Min = 0 "IMIN"; Max = 1 "IMAX"; Xor = 2 "IXOR"; And = 3 "IAND"; Or = 4 "IOR"; Add = 5 "IADD"; Inc = 6 "INC";
        Dec = 7 "DEC"; FloatAdd = 0xa "FADD";
    }

    /// Numbers of a reduction.
    SemaphoreSign { Signed = 0 "SIGNED"; Unsigned = 1 "UNSIGNED"; }

    /// Caches; without visible effect.
    BypassL2 { UsePteSetting = 0 "USE_PTE_SETTING"; ForceVolatile = 1 "FORCE_VOLATILE"; }

    /// Where a component comes from.
    RemapSource {
        SourceX = 0 "SRC_X"; SourceY = 1 "SRC_Y"; SourceZ = 2 "SRC_Z"; SourceW = 3 "SRC_W"; ConstantA = 4 "CONST_A";
        ConstantB = 5 "CONST_B"; NoWrite = 6 "NO_WRITE";
    }

    /// Rows of a GOB.
    GobHeight {
        /// Four rows; of an earlier generation.
        Tesla4 = 0 "GOB_HEIGHT_TESLA_4";
        Fermi8 = 1 "GOB_HEIGHT_FERMI_8";
    }
}
