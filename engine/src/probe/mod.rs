//! Observers for inspectors: each command that did something, its effects, and memory before and after it.
//!
//! ```text
//! machine:  begin ──► a command's work ──► end ──► Observer::end: the command and its effects
//!             │            │                          └─► true: everything so far is drawn, Observer::look
//!             │            └─► Renderer: draws, transfers; machine: stores, waits, interrupts ──► effects
//!             └─► Observer::begin ─► true: everything before it is drawn, Observer::look
//! ```
//! Everything happens on the thread that makes the call which executes the command. An observation draws what is in the
//! scene and changes no other byte. Without an observer a command costs one comparison with zero, and nothing is
//! collected.

mod count;
mod edit;
mod effect;
mod fragment;
mod input;
mod recorder;
mod surface;

use std::cell::Cell;
use std::time::Instant;

#[doc(hidden)]
pub use count::{Counting, FragmentCounts, Judged, JudgedPrimitive};
pub(crate) use count::{MAX_PIXELS, area_of, covered_pixels};
pub use edit::Edit;
pub use effect::{Draw, Effect, Transfer, TransferKind};
pub use fragment::{Fragment, Verdict};
#[doc(hidden)]
pub use input::{
    Array, Attribute, BoundTexture, ConstantKind, Constants, Fetch, Input, MAX_VERTICES, Mesh, TextureForm, Vertices,
};
pub(crate) use recorder::AskedPixel;
pub use recorder::Probe;
pub use surface::{Layout, Role, Stored, Surface};
pub use triglyph_guest::kernel::trace::{Change, Item, Register, Step, Trace, Wanted, WordForm};

pub use crate::cache::Watched;
pub use crate::cache::kinds::KernelKey;
pub use crate::device::fault::CommandFaults;
use crate::mem::{GuestAddr, Memory};

/// A word that made a machine do something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Command {
    /// Its destination, a number of the machine's: on the 3DS 0 for the PICA's registers and 1 for external ones; on
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

/// The state of a machine at a command, for observers.
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

/// The requested details of the kernels that a command calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Watch {
    /// The run of a program that is to be traced, if one is: as far as primitives of earlier commands are not in the
    /// way, which they are where tiles share memory.
    pub wanted: Option<Wanted>,
}

/// Is called for each command that did something. See the module's documentation.
pub trait Observer: Send {
    /// Begins a command, which may do nothing. Returns whether [`look`](Self::look) is to be called before it is
    /// executed.
    fn begin(&mut self, command: &Command) -> bool {
        let _ = command;
        false
    }

    /// Ends a command that has done something. Returns whether [`look`](Self::look) is to be called.
    fn end(&mut self, command: &Command, effects: &[Effect]) -> bool;

    /// The pixel whose fragments' results draws report: its first byte in any of their surfaces. Queried after
    /// [`begin`](Self::begin); answering takes some hundred times as long as drawing the pixel.
    fn pixel(&mut self) -> Option<GuestAddr> {
        None
    }

    /// Whether draws of the command are reported with their inputs. Queried after [`begin`](Self::begin), and again
    /// after each mesh: an observer may stop after some instances.
    #[doc(hidden)]
    fn wants_inputs(&mut self) -> bool {
        false
    }

    /// The requested details of the fragments of the command's draws. Queried after [`begin`](Self::begin).
    #[doc(hidden)]
    fn wants_counts(&mut self) -> Counting {
        Counting::Nothing
    }

    /// The deadline for fragments' results: draws of many primitives may take long to find them. Queried for after
    /// [`begin`](Self::begin). Past it, fragments are left out of [`pixel`](Self::pixel)'s answer, and counts have no
    /// verdicts.
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

    /// Edits that precede the command. Queried after [`begin`](Self::begin) and the observation before the command.
    fn edits(&mut self) -> Vec<Edit> {
        Vec::new()
    }

    /// Whether the kernels that the command calls are reported, and which run of a program is traced. Queried for after
    /// [`begin`](Self::begin); programs that are traced are interpreted.
    fn watch(&mut self) -> Option<Watch> {
        None
    }

    /// Receives the reports of a command's kernels, before the observation after it.
    fn watched(&mut self, command: &Command, watched: Watched) {
        let _ = (command, watched);
    }

    /// Receives the state of the machine, as [`begin`](Self::begin) or [`end`](Self::end) requested.
    fn look(&mut self, view: &View<'_>) {
        let _ = view;
    }
}
