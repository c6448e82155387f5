//! What the triggers of all classes have in common.

/// Properties that the triggers of a class's methods have in common.
pub trait ClassTrigger: Copy + 'static {
    /// Whether a method with this trigger reads what was drawn before it, or lets others see it. What it does to memory
    /// that it may share with the scene, or not, does not count: that is found out when it is executed.
    fn shows_drawing(self) -> bool {
        false
    }

    /// Whether data for a method with this trigger are a stream that may be taken as a whole.
    fn is_stream(self) -> bool {
        false
    }
}

impl ClassTrigger for std::convert::Infallible {}
