//! The 3D engine (class B197).
//!
//! ```text
//! methods that do something at once ─► trigger.rs
//! BEGIN, draws, END ─► indices.rs, open_draw.rs ─► segments.rs ─► fetch.rs ─► vertex programs
//!                                                                                  │
//!                     scene ◄─ layer_runs.rs ◄─ feedback.rs ◄─ patch.rs, geometry.rs
//!                                 ▲                           ▲
//! registers ─► target.rs, setup.rs, output.rs, pixels.rs    program.rs, units.rs, bindings.rs ◄─ registers
//! CLEAR_SURFACE ─► clear.rs
//! ```
//! A draw derives what it needs from registers and memory when it comes, as far as that is not what the draw before
//! had: `programs/recent_programs.rs`. Kernels and programs are remembered by content. Sources: NVIDIA's class header
//! for registers; Mesa's nvc0 driver and deko3d, which run on the hardware, and the emulators yuzu and Ryujinx for what
//! they do.

mod draw;
pub(crate) mod programs;
mod saved;
pub(crate) mod state;
mod trigger;

use std::sync::Arc;

use draw::feedback::Feedback;
use draw::fetch::Layout;
use draw::open_draw::Open;
use draw::segments::Progress;
use draw::vertex_buffers::VertexBufferPool;
use programs::codes::Codes;
use programs::program::Programs;
use programs::recent_programs::{RecentPrograms, UnchangedPrograms};
pub(super) use saved::SavedThreeD;
use state::bindings::Bindings;
use state::pixels::Pixels;
use state::target::Targets;
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
    last: RecentPrograms,
    /// Programs of the last draw.
    unchanged: UnchangedPrograms,
    /// Its targets.
    targets: Derived<Arc<Targets>>,
    recycled_targets: Recycled<Targets>,
    /// Its vertices.
    layout: Derived<Arc<Layout>>,
    layouts: Recycled<Layout>,
    /// Room for copies of vertex streams.
    stream_room: Vec<u8>,
    /// Room for records of vertices.
    vertex_buffers: VertexBufferPool,
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
            last: RecentPrograms::default(),
            unchanged: UnchangedPrograms::default(),
            targets: Derived::new(Targets::GROUPS),
            recycled_targets: Recycled::default(),
            layout: Derived::new(Layout::GROUPS),
            layouts: Recycled::default(),
            stream_room: Vec::new(),
            vertex_buffers: VertexBufferPool::default(),
        }
    }
}
