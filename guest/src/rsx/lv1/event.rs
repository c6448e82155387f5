//! Bits of the hypervisor's interrupts and events. The hypervisor's interrupt status and the words of Lv-2 event ports
//! are numbered differently; no source says that they agree.

/// Bits of the hypervisor's interrupt status (Linux `ps3fb.c`, `ps3gpu.h`).
pub mod lv1 {
    /// A head has begun to show a frame.
    pub const fn vblank(head: u32) -> u64 {
        1 << head
    }
    /// A flip is done.
    pub const fn flip(head: u32) -> u64 {
        1 << (3 + head)
    }
    /// A buffer was queued.
    pub const fn queue(head: u32) -> u64 {
        1 << (5 + head)
    }
}

/// Bits of the words that Lv-2 sends to event ports (RPCS3).
pub mod lv2 {
    /// The pusher or an engine met an error.
    pub const GRAPHICS_ERROR: u64 = 1 << 0;
    /// Either head has begun to show a frame.
    pub const VBLANK: u64 = 1 << 1;
    /// A flip is done.
    pub const fn flip(head: u32) -> u64 {
        1 << (3 + head)
    }
    /// A buffer was queued.
    pub const fn queue(head: u32) -> u64 {
        1 << (5 + head)
    }
    /// A user command was executed.
    pub const USER_COMMAND: u64 = 1 << 7;
    /// The second handler's frame.
    pub const fn second_vblank(head: u32) -> u64 {
        1 << (10 + head)
    }
    /// An engine touched an IO address that is not mapped.
    pub const UNMAPPED_IO: u64 = 1 << 32;
}

/// Numbers of graphics errors, as a program's handler gets them (dumps of a console: elad335/myps3tests). The pusher's
/// own code, [`PusherError`](crate::rsx::fifo::PusherError), is in its state alone.
pub mod graphics_error {
    /// The pusher met any error.
    pub const PUSHER: u32 = 1;
    /// A method of the 3D class got data that it does not take.
    pub const INVALID_DATA: u32 = 0x106;
    /// An IO address that is not mapped was touched.
    pub const UNMAPPED_IO: u32 = 0x200;
}
