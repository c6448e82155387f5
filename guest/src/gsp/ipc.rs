//! Requests to the service `gsp::Gpu`, by the header of their command buffer: `id << 16 | words << 6 | words of
//! descriptors`. Source: 3dbrew GSPGPU services.

use crate::listed;

macro_rules! requests {
    ($($(#[$doc:meta])* $Request:ident = $header:literal $name:literal,)+) => {
        listed! {
            /// A request that is known.
            pub enum Request: u32 { $($(#[$doc])* $Request = $header),+ }
        }

        impl Request {
            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Request::$Request => $name),+
                }
            }
        }
    };
}

requests! {
    /// Writes registers.
    WriteHwRegs = 0x0001_0082 "WriteHWRegs",
    /// Writes bits of registers.
    WriteHwRegsWithMask = 0x0002_0084 "WriteHWRegsWithMask",
    /// Writes one register several times.
    WriteHwRegRepeat = 0x0003_0082 "WriteHWRegRepeat",
    /// Reads registers.
    ReadHwRegs = 0x0004_0080 "ReadHWRegs",
    /// Shows another frame buffer.
    SetBufferSwap = 0x0005_0200 "SetBufferSwap",
    /// Writes the processor's cache back.
    FlushDataCache = 0x0008_0082 "FlushDataCache",
    /// Drops the processor's cache.
    InvalidateDataCache = 0x0009_0082 "InvalidateDataCache",
    /// Fills the screens with black.
    SetLcdForceBlack = 0x000B_0040 "SetLcdForceBlack",
    /// Executes the commands in the queues.
    TriggerCmdReqQueue = 0x000C_0000 "TriggerCmdReqQueue",
    /// Priorities of the bus.
    SetAxiConfigQosMode = 0x0010_0040 "SetAxiConfigQoSMode",
    /// Turns performance counters on or off.
    SetPerfLogMode = 0x0011_0040 "SetPerfLogMode",
    /// Reads performance counters.
    GetPerfLog = 0x0012_0000 "GetPerfLog",
    /// Makes the session a client with an interrupt queue.
    RegisterInterruptRelayQueue = 0x0013_0042 "RegisterInterruptRelayQueue",
    /// Takes the interrupt queue away.
    UnregisterInterruptRelayQueue = 0x0014_0000 "UnregisterInterruptRelayQueue",
    /// Asks for the rendering right.
    TryAcquireRight = 0x0015_0002 "TryAcquireRight",
    /// Waits for the rendering right.
    AcquireRight = 0x0016_0042 "AcquireRight",
    /// Gives the rendering right back.
    ReleaseRight = 0x0017_0000 "ReleaseRight",
    /// Says what the screens show.
    ImportDisplayCaptureInfo = 0x0018_0000 "ImportDisplayCaptureInfo",
    /// Saves what the screens show.
    SaveVramSysArea = 0x0019_0000 "SaveVramSysArea",
    /// Shows again what was saved.
    RestoreVramSysArea = 0x001A_0000 "RestoreVramSysArea",
    /// Resets the GPU.
    ResetGpuCore = 0x001B_0000 "ResetGpuCore",
    /// The LED.
    SetLedForceOff = 0x001C_0040 "SetLedForceOff",
    /// Priorities of the process's threads.
    SetInternalPriorities = 0x001E_0080 "SetInternalPriorities",
    /// Writes the processor's cache back.
    StoreDataCache = 0x001F_0082 "StoreDataCache",
}

impl Request {
    /// Its header.
    pub const fn header(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_known_by_their_headers() {
        assert_eq!(Request::from_number(0x0016_0042).map(Request::name), Some("AcquireRight"));
        assert_eq!(Request::from_number(0x0016_0040), None);
        assert!(Request::ALL.iter().map(|request| request.header() >> 16).is_sorted());
    }
}
