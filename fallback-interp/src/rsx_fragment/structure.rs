//! Structures of flow control: conditionals, loops, calls.

/// A structure of flow control that a lane is inside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Structure {
    /// The first part of an IFE.
    If {
        /// First instruction of that part.
        body: usize,
        /// Where the other part begins.
        otherwise: usize,
        /// The instruction after both.
        end: usize,
    },
    /// LOOP or REP.
    Loop {
        /// First instruction.
        body: usize,
        /// The instruction after the last one.
        end: usize,
        /// Passes left, this one included.
        passes: u8,
        /// The index register and what a pass adds to it; `None`: a REP.
        index: Option<(i32, i32)>,
    },
    /// A routine.
    Call {
        /// The CAL.
        from: usize,
    },
}
