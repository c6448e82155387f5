//! Structures of GSP's calls, and what the host has not taken yet.

use std::collections::VecDeque;

use triglyph::n3ds::gsp::{Acquire, CaptureInfo, FramebufferInfo, Registration, ResultCode};

use crate::forward::{CallResult, Tell};

/// The picture that a screen has to show: GSP's framebuffer information.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_framebuffer {
    /// Which pair of addresses is set: 0 the first, 1 the second.
    pub active: u32,
    /// Virtual address of the left or only picture.
    pub left: u32,
    /// Virtual address of the right eye's picture.
    pub right: u32,
    /// Bytes between columns.
    pub stride: u32,
    /// The controller's format register.
    pub format: u32,
    /// The controller's select register.
    pub select: u32,
    /// Not used by the hardware.
    pub attribute: u32,
}

impl From<triglyph_n3ds_framebuffer> for FramebufferInfo {
    fn from(info: triglyph_n3ds_framebuffer) -> Self {
        let triglyph_n3ds_framebuffer { active, left, right, stride, format, select, attribute } = info;
        FramebufferInfo { active, left, right, stride, format, select, attribute }
    }
}

/// An interrupt that the host is to deliver.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_completion {
    /// The `triglyph_n3ds_interrupt`.
    pub interrupt: u32,
    /// Index of the client that held the rendering right when the work was done, -1 if there was none. The client that
    /// gets the interrupt is determined when it is delivered.
    pub client: i32,
    /// After how many ticks of the main processor from the call that caused it: an estimate.
    pub ticks: u64,
}

/// The answer to RegisterInterruptRelayQueue.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_registration {
    /// The result code: 0x2A07 for the first client since the console was switched on, then 0, or an error.
    pub result: u32,
    /// The client's index in the shared page.
    pub client: u32,
    /// Handle of the shared page, as the host has set it.
    pub shared_memory: u32,
}

/// The value of `acquired` of `triglyph_n3ds_acquire_right`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_n3ds_acquire {
    /// The caller has it now.
    Granted = 0,
    /// The caller had it before.
    AlreadyHeld = 1,
    /// Another has it; the caller waits in line, and turns up in `triglyph_n3ds_take_granted`.
    Waiting = 2,
}

/// The picture of a screen, for ImportDisplayCaptureInfo.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_capture_info {
    /// Virtual address of the left or only picture.
    pub left: u32,
    /// Virtual address of the right eye's picture.
    pub right: u32,
    /// The format register.
    pub format: u32,
    /// Bytes between columns.
    pub stride: u32,
}

impl CallResult for ResultCode {
    type C = u32;

    fn number(&self) -> u32 {
        self.0
    }
}

impl Tell<(u32,)> for Result<ResultCode, ResultCode> {
    fn tell(self) -> (u32,) {
        (self.unwrap_or_else(|error| error).0,)
    }
}

impl Tell<(triglyph_n3ds_registration,)> for Result<Registration, ResultCode> {
    fn tell(self) -> (triglyph_n3ds_registration,) {
        (match self {
            Ok(Registration { result, client, shared_memory }) => {
                triglyph_n3ds_registration { result: result.0, client: client as u32, shared_memory }
            }
            Err(result) => triglyph_n3ds_registration { result: result.0, ..Default::default() },
        },)
    }
}

impl Tell<(u32,)> for Acquire {
    fn tell(self) -> (u32,) {
        let outcome = match self {
            Acquire::Granted => triglyph_n3ds_acquire::Granted,
            Acquire::AlreadyHeld => triglyph_n3ds_acquire::AlreadyHeld,
            Acquire::Waiting => triglyph_n3ds_acquire::Waiting,
        };
        (outcome as u32,)
    }
}

impl Tell<(triglyph_n3ds_capture_info, triglyph_n3ds_capture_info)> for [CaptureInfo; 2] {
    fn tell(self) -> (triglyph_n3ds_capture_info, triglyph_n3ds_capture_info) {
        let info =
            |CaptureInfo { left, right, format, stride }| triglyph_n3ds_capture_info { left, right, format, stride };
        self.map(info).into()
    }
}

/// The interrupts that the host has not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    pub completions: VecDeque<triglyph_n3ds_completion>,
    pub granted: VecDeque<u32>,
}
