//! State of push buffers that takes several methods: targets, viewport, vertex arrays, clears.
//!
//! ```
//! use triglyph_guest::rsx::enums::{VertexLocation, VertexType};
//! use triglyph_guest::rsx::{PushBuffer, Surface};
//!
//! let mut push = PushBuffer::new();
//! push.surface(&Surface::new(640, 360, 0, 0x40_0000))
//!     .clear(0xFF20_3040, 0xFF_FFFF, 0)
//!     .vertex_array(0, VertexType::Float32, 4, 32, VertexLocation::Main, 0x10_0000);
//! # assert!(push.finish().is_ok());
//! ```

use super::enums::{
    Antialias, RenderMode, SurfaceColor, SurfaceDepth, SurfaceLayout, TextureLocation, VertexLocation, VertexType,
};
use super::methods::{CURIE, Effect, curie as m};
use super::push::PushBuffer;
use crate::table::RegisterWord;

/// Names of objects that every context of the hypervisor has.
pub mod object {
    /// The 3D class.
    pub const CURIE: u32 = 0x3133_7000;
    /// Local memory.
    pub const LOCAL: u32 = 0xFEED_0000;
    /// Main memory, by IO offsets.
    pub const MAIN: u32 = 0xFEED_0001;
    /// Reports in main memory.
    pub const REPORTS: u32 = 0x6662_6660;
}

/// The largest width and height of a target, pixels.
pub const MAX_SIZE: u32 = 4096;

/// Vertex attributes.
pub const ATTRIBUTES: usize = 16;

/// A colour target and a depth target in rows, in local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Pixels across, 1 to 4096.
    pub width: u32,
    /// Pixels down, 1 to 4096.
    pub height: u32,
    /// Format of colour target A.
    pub color: SurfaceColor,
    /// Offset of colour target A, bytes, a multiple of 64.
    pub color_offset: u32,
    /// Bytes from row to row of colour target A, a multiple of 64.
    pub color_pitch: u32,
    /// Format of the depth target.
    pub depth: SurfaceDepth,
    /// Offset of the depth target, bytes, a multiple of 64.
    pub depth_offset: u32,
    /// Bytes from row to row of the depth target, a multiple of 64.
    pub depth_pitch: u32,
}

impl Surface {
    /// A8R8G8B8 and Z24S8 at these offsets, in rows as long as the picture is wide, rounded up to 64 bytes.
    pub const fn new(width: u32, height: u32, color_offset: u32, depth_offset: u32) -> Self {
        let columns = if width < MAX_SIZE { width } else { MAX_SIZE };
        let pitch = (4 * columns).next_multiple_of(64);
        Surface {
            width,
            height,
            color: SurfaceColor::A8r8g8b8,
            color_offset,
            color_pitch: pitch,
            depth: SurfaceDepth::Z24s8,
            depth_offset,
            depth_pitch: pitch,
        }
    }
}

impl PushBuffer {
    /// Gives subchannel 0 the 3D class and sets what GCM, the console's library, sets when it has made a context: all
    /// registers of the class that are not 0 then, the names of memories among them. A new context has zeros instead,
    /// with which nothing is drawn: no channel is written and no object is named.
    pub fn gcm_defaults(&mut self) -> &mut Self {
        self.set(m::set_object::ID, object::CURIE);
        let (values, effects) = (CURIE.initialised(), CURIE.effects());
        let is_state = |at: usize| values[at] != 0 && !matches!(effects[at], Effect::Trigger(_));
        let mut at = 0;
        while at < values.len() {
            let count = (at..values.len()).take_while(|at| is_state(*at)).count();
            self.methods(4 * at, &values[at..at + count]);
            at += count.max(1);
        }
        self.set(m::set_render_enable::ID, m::set_render_enable::new().mode(RenderMode::Always))
    }

    /// Draws go to these targets, with the viewport over all of them: x to the right, y upwards, depth from 0 at z = -w
    /// to 1 at z = w. Scissor, clip rectangles and window clip let all of it through.
    pub fn surface(&mut self, surface: &Surface) -> &mut Self {
        let &Surface { width, height, color, color_offset, color_pitch, depth, depth_offset, depth_pitch } = surface;
        self.limit("width of a target", width as usize, MAX_SIZE as usize);
        self.limit("height of a target", height as usize, MAX_SIZE as usize);
        let format = m::set_surface_format::new().color(color).depth(depth).layout(SurfaceLayout::Linear);
        self.set(m::set_surface_format::ID, format.antialias(Antialias::Center1));
        self.set(m::set_surface_pitch_a::ID, m::set_surface_pitch_a::new().bytes(color_pitch));
        self.set(m::set_surface_color_aoffset::ID, m::set_surface_color_aoffset::new().offset(color_offset));
        self.set(m::set_surface_zeta_offset::ID, m::set_surface_zeta_offset::new().offset(depth_offset));
        self.set(m::set_surface_pitch_z::ID, m::set_surface_pitch_z::new().bytes(depth_pitch));
        self.set(m::set_surface_color_target::ID, m::set_surface_color_target::new().a(true));
        // Each is a first pixel, 0, and a size.
        let size = [width << 16, height << 16];
        for first in [m::set_surface_clip_horizontal::ID, m::set_scissor_horizontal::ID, m::set_viewport_horizontal::ID]
        {
            self.methods(first, &size);
        }
        for clip in 0..m::set_window_clip_horizontal::COUNT {
            self.methods(m::set_window_clip_horizontal::id(clip), &[0x0FFF_0000; 2]);
        }
        let [x, y] = [width as f32 / 2.0, height as f32 / 2.0];
        self.floats(m::set_viewport_offset::id(0), &[x, y, 0.5, 0.0]);
        self.floats(m::set_viewport_scale::id(0), &[x, -y, 0.5, 0.0]);
        self.floats(m::set_clip_min::ID, &[0.0, 1.0])
    }

    /// Stores a colour word (alpha in the upper byte, then red, green, blue) in all colour targets, and depth (24 bits)
    /// and stencil in the depth target.
    pub fn clear(&mut self, color: u32, depth: u32, stencil: u8) -> &mut Self {
        let zeta = m::set_zstencil_clear_value::new().stencil(stencil.into()).depth(depth);
        self.set(m::set_zstencil_clear_value::ID, zeta);
        self.set(m::set_color_clear_value::ID, color);
        let all = m::clear_surface::new().depth(true).stencil(true).r(true).g(true).b(true).a(true);
        self.set(m::clear_surface::ID, all)
    }

    /// Vertex attribute 0 to 15 is an array: `components` (1 to 4) of this type, `stride` bytes (up to 255) from vertex
    /// to vertex, from a byte offset on.
    pub fn vertex_array(
        &mut self,
        attribute: usize,
        kind: VertexType,
        components: u32,
        stride: u32,
        location: VertexLocation,
        offset: u32,
    ) -> &mut Self {
        self.limit("vertex attribute", attribute, ATTRIBUTES - 1);
        self.limit("number of components", components as usize, 4);
        let attribute = attribute % ATTRIBUTES;
        let place = m::set_vertex_data_array_offset::new().offset(offset).location(location);
        let format = m::set_vertex_data_array_format::new().kind(kind).size(components & 0xF).stride(stride);
        self.set(m::set_vertex_data_array_offset::id(attribute), place);
        self.set(m::set_vertex_data_array_format::id(attribute), format)
    }

    /// Selects the fragment program at a byte offset, a multiple of 64, of local or main memory, and tells which
    /// control word it needs: see [`fragment_control`].
    pub fn fragment_program(
        &mut self,
        location: TextureLocation,
        offset: u32,
        control: impl Into<RegisterWord>,
    ) -> &mut Self {
        let program = m::set_shader_program::new().location(location).address(offset.into());
        self.set(m::set_shader_program::ID, program);
        self.set(m::set_shader_control::ID, control)
    }
}

/// The control word of a fragment program that leaves its colours in R registers, with so many R registers, 2 to 48.
pub const fn fragment_control(registers: u32) -> m::set_shader_control::Word {
    m::set_shader_control::new().export_float(true).registers(registers)
}

#[cfg(test)]
mod tests {
    use super::super::fifo::{METHODS, Methods};
    use super::*;

    #[test]
    fn defaults_are_those_of_the_table() {
        let mut push = PushBuffer::new();
        push.gcm_defaults();
        let words = push.finish().expect("words");
        let (mut registers, mut at) = ([0; METHODS], 0);
        while at < words.len() {
            let header = Methods::decode(words[at]).expect("a header");
            for index in 0..header.count {
                registers[header.after(index).method as usize / 4] = words[at + 1 + index as usize];
            }
            at += 1 + header.count as usize;
        }
        let (expected, effects) = (CURIE.initialised(), CURIE.effects());
        let differs = |at: &usize| registers[*at] != expected[*at] && !matches!(effects[*at], Effect::Trigger(_));
        assert_eq!((0..METHODS).filter(differs).map(|at| 4 * at).collect::<Vec<_>>(), [0; 0]);
        assert_eq!(registers[m::set_color_mask::ID / 4], 0x0101_0101);
    }

    #[test]
    fn numbers_are_checked() {
        let fails = |make: &dyn Fn(&mut PushBuffer) -> &mut PushBuffer| {
            let mut push = PushBuffer::new();
            make(&mut push);
            push.finish().expect_err("a mistake").to_string()
        };
        let array = |push: &mut PushBuffer, attribute, stride, location| {
            push.vertex_array(attribute, VertexType::Unorm8, 4, stride, location, 0);
        };
        let main = VertexLocation::Main;
        assert_eq!(
            fails(&|push| {
                array(push, 16, 4, main);
                push
            }),
            "vertex attribute 16 is beyond 15"
        );
        let stride = "set_vertex_data_array_format: stride 256 is not 0 to 255";
        assert_eq!(
            fails(&|push| {
                array(push, 0, 256, main);
                push
            }),
            stride
        );
        let surface = Surface::new(5000, 16, 0, 0);
        assert_eq!(fails(&|push| push.surface(&surface)), "width of a target 5000 is beyond 4096");
        let depth = "set_zstencil_clear_value: depth 16777216 is not 0 to 16777215";
        assert_eq!(fails(&|push| push.clear(0, 1 << 24, 0)), depth);
    }
}
