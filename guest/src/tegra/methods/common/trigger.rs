//! Effects of writes to common methods.

use crate::tegra::methods::trigger::ClassTrigger;

/// The immediate effect of a write to a method of several classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Common {
    /// Writes the notifier.
    Notify,
    /// Waits until everything earlier is finished.
    WaitForIdle,
    /// Evaluates the condition of conditional rendering.
    RenderEnable,
    /// Begins an inline transfer.
    InlineLaunch,
    /// Four bytes of an inline transfer.
    InlineData,
    /// Code or constants may have changed in memory.
    InvalidateShaders,
    /// Samplers may have changed in memory.
    InvalidateSamplers,
    /// Texture headers may have changed in memory.
    InvalidateHeaders,
    /// Texels may have changed in memory.
    InvalidateTexels,
    /// Writes a report or semaphore, or waits for one.
    Report,
    /// Stores a word of macro memory.
    MacroCode,
    /// Stores where a macro begins.
    MacroStart,
    /// Changes what happens to the copies of registers.
    ShadowControl,
    /// Starts a macro.
    MacroCall,
    /// A parameter of a macro.
    MacroData,
}

impl ClassTrigger for Common {
    fn shows_drawing(self) -> bool {
        matches!(self, Common::Report | Common::Notify)
    }

    fn is_stream(self) -> bool {
        matches!(self, Common::InlineData | Common::MacroCode)
    }
}
