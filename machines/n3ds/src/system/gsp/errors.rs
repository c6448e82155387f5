//! Result codes of GSP.
//!
//! Layout: bits 0-9 description, 10-17 module (10 is GSP), 21-26 summary, 27-31 level. Source: 3dbrew GSP Services,
//! GSP Shared Memory.

/// A result as clients get it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResultCode(pub u32);

impl ResultCode {
    /// Done.
    pub const SUCCESS: ResultCode = ResultCode(0);
    /// The very first registration of a relay queue: the GPU is not initialised yet, do it. A success.
    pub const FIRST_INITIALIZATION: ResultCode = ResultCode(0x0000_2A07);
    /// The caller holds the rendering right already. A success; the number follows from its neighbours (unverified).
    pub const ALREADY_DONE: ResultCode = ResultCode(0x0000_2BEB);
    /// Another process holds the rendering right.
    pub const RIGHT_TAKEN: ResultCode = ResultCode(0xC840_2BF0);
    /// The caller has no rendering right.
    pub const NO_RIGHT: ResultCode = ResultCode(0xD820_2A06);
    /// A register offset that is not a multiple of 4 or not below 0x420000.
    pub const BAD_OFFSET: ResultCode = ResultCode(0xE0E0_2A01);
    /// More than 0x80 bytes of registers.
    pub const BAD_SIZE: ResultCode = ResultCode(0xE0E0_2BEC);
    /// A size that is not a multiple of 4.
    pub const MISALIGNED_SIZE: ResultCode = ResultCode(0xE0E0_2BF2);
    /// A bad address in a GX command.
    pub const BAD_ADDRESS: ResultCode = ResultCode(0xE0E0_2BF5);
    /// An IPC header that names no call; the system's own code, not GSP's.
    pub const BAD_HEADER: ResultCode = ResultCode(0xD900_182F);

    /// Whether this is a failure: the highest bit is set.
    pub const fn is_error(self) -> bool {
        self.0 >> 31 != 0
    }

    /// What it means, of those that are named here.
    const fn meaning(self) -> &'static str {
        match self {
            Self::SUCCESS => "done",
            Self::FIRST_INITIALIZATION => "the GPU is not initialised yet",
            Self::ALREADY_DONE => "the caller holds the rendering right already",
            Self::RIGHT_TAKEN => "another process holds the rendering right",
            Self::NO_RIGHT => "the caller has no rendering right",
            Self::BAD_OFFSET => "the register offset is misaligned or too large",
            Self::BAD_SIZE => "the size of the registers is too large",
            Self::MISALIGNED_SIZE => "the size is not a multiple of 4",
            Self::BAD_ADDRESS => "the process may not access the address",
            Self::BAD_HEADER => "the call does not exist",
            _ => "another service made this result",
        }
    }
}

impl std::fmt::Display for ResultCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GSP result {:#010X}: {}", self.0, self.meaning())
    }
}

impl std::error::Error for ResultCode {}

impl std::fmt::Debug for ResultCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ResultCode({:#010X})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successes_and_errors() {
        for success in [ResultCode::SUCCESS, ResultCode::FIRST_INITIALIZATION, ResultCode::ALREADY_DONE] {
            assert!(!success.is_error());
        }
        for error in [ResultCode::RIGHT_TAKEN, ResultCode::NO_RIGHT, ResultCode::BAD_OFFSET, ResultCode::BAD_HEADER] {
            assert!(error.is_error());
        }
        assert_eq!(format!("{:?}", ResultCode::NO_RIGHT), "ResultCode(0xD8202A06)");
        let error: Box<dyn std::error::Error> = ResultCode::NO_RIGHT.into();
        assert_eq!(error.to_string(), "GSP result 0xD8202A06: the caller has no rendering right");
    }
}
