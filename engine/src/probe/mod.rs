//! Observers for inspectors: each command that did something, its effects, and memory before and after it.
//!
//! ```text
//! machine:  begin ──► a command's work ──► end ──► Observer::end: the command and its effects
//!             │            │                          └─► true: everything so far is drawn, Observer::look
//!             │            └─► Renderer: draws, transfers; machine: stores, waits, interrupts ──► effects
//!             └─► Observer::begin ─► true: everything before it is drawn, Observer::look
//! ```
//! Everything happens on the thread that makes the call which executes the command. Looking draws what is in the scene
//! and changes no other byte. Without an observer a command costs one comparison with zero, and nothing is collected.

mod count;
mod effect;
mod fragment;
mod input;
mod observed;
mod recorder;
mod surface;

use std::cell::Cell;
use std::time::Instant;

#[doc(hidden)]
pub use count::{Counting, FragmentCounts, Judged, JudgedPrimitive};
pub(crate) use count::{MAX_PIXELS, area_of, covered_pixels};
pub use effect::{Draw, Effect, Transfer, TransferKind};
pub use fragment::{Fragment, Verdict};
#[doc(hidden)]
pub use input::{
    Array, Attribute, BoundTexture, ConstantKind, Constants, Fetch, Input, MAX_VERTICES, Mesh, TextureForm, Vertices,
};
pub(crate) use observed::{fixed_draw, program_draw};
pub(crate) use recorder::AskedPixel;
pub use recorder::Probe;
pub use surface::{Layout, Role, Stored, Surface};
pub use triglyph_guest::kernel::trace::{Change, Item, Register, Step, Trace, Wanted, WordForm};

pub use crate::cache::Watched;
pub use crate::cache::kinds::KernelKey;
use crate::mem::{GuestAddr, Memory};

/// A word that made a machine do something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Command {
    /// What it was for, a number of the machine's: on the 3DS 0 for the PICA's registers and 1 for external ones; on
    /// the PS3 and the Tegra X1 the class, and 0 for methods of the FIFO itself.
    pub class: u32,
    /// The register or method, as the machine's tables number it.
    pub method: u32,
    /// The word.
    pub value: u32,
    /// Where the word is, as faults name it: the byte offset in its list on the 3DS, in its push buffer on the PS3, the
    /// GPU address on the Tegra X1.
    pub position: u64,
}

/// What an observer sees of a machine at a command.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The command.
    pub command: &'a Command,
    /// Guest memory, with everything drawn that came before, or before and with the command.
    pub memory: &'a Memory,
    /// Registers of the command's class, by the number that the machine's tables give them (on the PS3 a quarter of
    /// the method); none where the class has none.
    pub registers: &'a [Cell<u32>],
}

/// What is to be told of the kernels that a command calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Watch {
    /// The run of a program that is to be traced, if one is: as far as primitives of earlier commands are not in the
    /// way, which they are where tiles share memory.
    pub wanted: Option<Wanted>,
}

/// Is called for each command that did something. See the module's documentation.
pub trait Observer: Send {
    /// A command begins, which may do nothing. Returns whether [`look`](Self::look) is to be called before it is
    /// executed.
    fn begin(&mut self, command: &Command) -> bool {
        let _ = command;
        false
    }

    /// A command has done something. Returns whether [`look`](Self::look) is to be called.
    fn end(&mut self, command: &Command, effects: &[Effect]) -> bool;

    /// The pixel whose fragments draws are to say what became of: its first byte in any of their surfaces. Asked for
    /// after [`begin`](Self::begin); answering takes some hundred times as long as drawing the pixel.
    fn pixel(&mut self) -> Option<GuestAddr> {
        None
    }

    /// Whether draws of the command are to be told of with what goes into them. Asked for after [`begin`](Self::begin),
    /// and again after each mesh: an observer may stop after some instances.
    #[doc(hidden)]
    fn wants_inputs(&mut self) -> bool {
        false
    }

    /// What draws of the command are to tell of their fragments. Asked for after [`begin`](Self::begin).
    #[doc(hidden)]
    fn wants_counts(&mut self) -> Counting {
        Counting::Nothing
    }

    /// When what became of fragments is not wanted any more: draws of many primitives may take long to say so. Asked
    /// for after [`begin`](Self::begin). Past it, fragments are left out of [`pixel`](Self::pixel)'s answer, and
    /// counts have no verdicts.
    #[doc(hidden)]
    fn deadline(&mut self) -> Option<Instant> {
        None
    }

    /// The fragments of a draw of the command.
    #[doc(hidden)]
    fn counts(&mut self, counts: &FragmentCounts) {
        let _ = counts;
    }

    /// An input of a draw of the command, or an output of one of its stages.
    #[doc(hidden)]
    fn input(&mut self, input: &Input<'_>) {
        let _ = input;
    }

    /// Whether the kernels that the command calls are to be told of, and which run of a program is to be traced. Asked
    /// for after [`begin`](Self::begin); programs that are traced are interpreted.
    fn watch(&mut self) -> Option<Watch> {
        None
    }

    /// What the kernels of a command have said. Comes before the look after it.
    fn watched(&mut self, command: &Command, watched: Watched) {
        let _ = (command, watched);
    }

    /// Shows the machine, as [`begin`](Self::begin) or [`end`](Self::end) asked for.
    fn look(&mut self, view: &View<'_>) {
        let _ = view;
    }
}
