//! Effects of commands.

use triglyph_guest::kernel::ContentHash;

use super::{CommandFaults, Fragment, Surface};
use crate::device::DroppedPrimitives;
use crate::draw::program::Topology;
use crate::mem::GuestRange;
use crate::transfer::Request;

/// An effect of a command.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Effect {
    /// Primitives were drawn, or put into the scene.
    Draw(Draw),
    /// Memory was filled, copied or converted.
    Transfer(Transfer),
    /// A few words were stored: semaphores, reports, notifiers, constants.
    Store(GuestRange),
    /// An interrupt of the processor was requested, or a counter that others wait for was changed.
    Signal,
    /// A macro was called, which gives commands of its own.
    Macro(u32),
    /// A compute program was started.
    Compute,
    /// Faults of the guest of one kind.
    Faults(CommandFaults),
    /// More than this list has; how many. They are of any kind.
    LeftOut(u64),
}

/// A draw, or one instance of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// How vertices form primitives; `None` where the machine has formed them: on the 3DS, and after geometry programs.
    pub topology: Option<Topology>,
    /// Vertices in drawing order, each as often as it is used.
    pub vertices: u32,
    /// Primitives that were set up; those that are clipped away or culled do not count.
    pub primitives: u64,
    /// Primitives that were not set up, by reason; none where setup is done after the command.
    pub dropped: DroppedPrimitives,
    /// Surfaces that are read or written, colours first.
    pub surfaces: Vec<Surface>,
    /// Content hash of the key of the pixel kernel.
    pub kernel: ContentHash,
    /// Memory from which textures were decoded.
    pub textures: Vec<GuestRange>,
    /// Fragments of the pixel that the observer asks about; none if it does not, if the pixel is of no surface of the
    /// draw, or if tiles share memory.
    pub fragments: Vec<Fragment>,
}

/// A transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// The kind.
    pub kind: TransferKind,
    /// Memory that is read, if it is read and is known.
    pub source: Option<GuestRange>,
    /// Memory that is written, if it is written and is known.
    pub target: Option<GuestRange>,
}

/// Kinds of transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransferKind {
    /// A pattern over a range.
    Fill,
    /// A value over a rectangle of an image, such as a clear.
    FillRect,
    /// Bytes from one range to another.
    Copy,
    /// Pixels from one image to another.
    Convert,
    /// Units from one layout to another.
    Rearrange,
    /// Between memory and the unit that executes the command.
    Image,
}

impl Transfer {
    /// The operation of a request.
    pub(crate) fn of(request: &Request) -> Self {
        let kind = match request {
            Request::Fill(_) => TransferKind::Fill,
            Request::FillRect(_) => TransferKind::FillRect,
            Request::Copy(_) => TransferKind::Copy,
            Request::Convert(_) => TransferKind::Convert,
            Request::Rearrange(_) => TransferKind::Rearrange,
        };
        Transfer { kind, source: request.source_range(), target: request.target_range() }
    }
}
