//! The compiler's intermediate form and machine code of programs.

use triglyph::probe::KernelKey;
use triglyph_inspect::Compiled;
use triglyph_jit::Jit;

/// The intermediate form and the host's instructions of a kernel; none where this host has no compiler.
pub fn compiled() -> Option<Compiled> {
    let jit = Jit::new().ok()?;
    Some(Box::new(move |key| {
        Some(match key {
            KernelKey::Vertex(key) => jit.dump_vertex(key),
            KernelKey::Pixel(key) => jit.dump_pixel(key),
            KernelKey::ProgramVertex(key) => jit.dump_program_vertex(key),
            KernelKey::Fragment(key) => jit.dump_fragment(key),
            KernelKey::Shader(key) => jit.dump_shader(key),
            _ => return None,
        })
    }))
}
