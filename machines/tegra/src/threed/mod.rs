//! The 3D engine (class B197).
//!
//! ```text
//! methods that do something at once ─► trigger.rs
//! BEGIN, draws, END ─► indices.rs, open.rs ─► segments.rs ─► fetch.rs ─► vertex programs
//!                                                                             │
//!                     scene ◄─ pieces.rs ◄─ feedback.rs ◄─ patch.rs, geometry.rs
//!                                 ▲                           ▲
//! registers ─► target.rs, setup.rs, output.rs, pixels.rs    program.rs, units.rs, bindings.rs ◄─ registers
//! CLEAR_SURFACE ─► clear.rs
//! ```
//! A draw derives what it needs from registers and memory when it comes, as far as that is not what the draw before
//! had: `remember.rs`. Kernels and programs are remembered by content. Sources: NVIDIA's class header for registers;
//! Mesa's nvc0 driver and deko3d, which run on the hardware, and the emulators yuzu and Ryujinx for what they do.

mod assembly;
pub(super) mod bindings;
mod blend_program;
mod branches;
mod clear;
mod draw;
mod edges;
mod feedback;
mod fetch;
mod geometry;
mod handle;
mod indices;
mod inputs;
mod link;
mod lookup;
mod open;
mod output;
mod passthrough;
mod patch;
mod pieces;
mod pixels;
pub(super) mod program;
mod rectangle;
pub(super) mod remember;
mod rooms;
mod saved;
mod segments;
mod setup;
mod shapes;
pub(super) mod stage;
mod statistics;
mod target;
pub(super) mod texture;
mod trigger;
mod units;
mod unsupported;

use std::sync::Arc;

use bindings::Bindings;
use feedback::Feedback;
use fetch::Layout;
use open::Open;
use pixels::Pixels;
use program::Programs;
use remember::{LastPrograms, Unchanged};
use rooms::Rooms;
pub(super) use saved::SavedThreeD;
use segments::Progress;
use stage::Codes;
use target::Targets;
use triglyph_engine::frontend::{Derived, Recycled};
use triglyph_engine::render::program::ShaderFaults;

/// What the 3D engine has besides registers.
#[derive(Debug)]
pub struct ThreeD {
    bindings: Bindings,
    /// Between BEGIN and END.
    open: Option<Open>,
    /// Instance counter.
    instance: u32,
    /// Number of the next primitive.
    primitive: u32,
    /// How far the draw is that is drawn now.
    progress: Progress,
    /// What went wrong in programs of the draw and is not counted yet.
    shader_faults: ShaderFaults,
    feedback: Feedback,
    /// Words of the blend program.
    blend_program: Vec<u32>,
    programs: Programs,
    codes: Codes,
    pixels: Pixels,
    /// What was had of programs last.
    last: LastPrograms,
    /// Programs of the last draw.
    unchanged: Unchanged,
    /// Its targets.
    targets: Derived<Arc<Targets>>,
    recycled_targets: Recycled<Targets>,
    /// Its vertices.
    layout: Derived<Arc<Layout>>,
    layouts: Recycled<Layout>,
    /// Room for copies of vertex streams.
    stream_room: Vec<u8>,
    /// Room for records of vertices.
    rooms: Rooms,
}

impl Default for ThreeD {
    fn default() -> Self {
        ThreeD {
            bindings: Bindings::default(),
            open: None,
            instance: 0,
            primitive: 0,
            progress: Progress::default(),
            shader_faults: ShaderFaults::default(),
            feedback: Feedback::default(),
            blend_program: Vec::new(),
            programs: Programs::default(),
            codes: Codes::default(),
            pixels: Pixels::default(),
            last: LastPrograms::default(),
            unchanged: Unchanged::default(),
            targets: Derived::new(Targets::GROUPS),
            recycled_targets: Recycled::default(),
            layout: Derived::new(Layout::GROUPS),
            layouts: Recycled::default(),
            stream_room: Vec::new(),
            rooms: Rooms::default(),
        }
    }
}
