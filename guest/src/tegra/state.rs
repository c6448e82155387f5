//! State of push buffers that takes several methods of the 3D class: targets, viewport, vertex streams, programs,
//! textures.
//!
//! ```
//! use triglyph_guest::tegra::format::{ColorFormat, VertexFormat, VertexType};
//! use triglyph_guest::tegra::header::program::ProgramStage;
//! use triglyph_guest::tegra::{PushBuffer, Target};
//!
//! let mut push = PushBuffer::new();
//! push.set_object(0xB197)
//!     .color_target(0, &Target::rows(ColorFormat::A8B8G8R8Unorm, 640, 360, 0x1_0010_0000))
//!     .color_targets(1)
//!     .viewport(0, 640, 360)
//!     .program_region(0x1_0001_0000)
//!     .program(ProgramStage::Vertex, 0)
//!     .vertex_stream(0, 32, 0x1_0002_0000, 96)
//!     .vertex_attribute(0, 0, 0, VertexFormat::R32G32B32A32, VertexType::Float);
//! # assert!(push.finish().is_ok());
//! ```

use super::fifo::PushBuffer;
use super::format::{ColorFormat, VertexFormat, VertexType, ZetaFormat};
use super::header::program::ProgramStage;
use super::methods::threed::{ShaderStage, regs as r};
use super::methods::values::MemoryLayout;

/// A colour target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Format of the pixels.
    pub format: ColorFormat,
    /// GPU address.
    pub address: u64,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Bytes from row to row; `None` for blocks of GOBs.
    pub pitch: Option<u32>,
    /// GOBs of a block down, log2, 0 to 5.
    pub log2_block_height: u32,
}

impl Target {
    /// Pixels in rows without gaps.
    pub const fn rows(format: ColorFormat, width: u32, height: u32, address: u64) -> Self {
        Target {
            format,
            address,
            width,
            height,
            pitch: Some(width.saturating_mul(format.bytes())),
            log2_block_height: 0,
        }
    }

    /// Pixels in blocks of 2^`log2_block_height` GOBs.
    pub const fn blocks(format: ColorFormat, width: u32, height: u32, address: u64, log2_block_height: u32) -> Self {
        Target { format, address, width, height, pitch: None, log2_block_height }
    }
}

/// The place of a stage in the pipeline: of vertex programs that of vertex B.
const fn slot(stage: ProgramStage) -> (usize, ShaderStage) {
    match stage {
        ProgramStage::Vertex => (1, ShaderStage::VertexB),
        ProgramStage::TessellationControl => (2, ShaderStage::TessellationControl),
        ProgramStage::TessellationEvaluation => (3, ShaderStage::TessellationEvaluation),
        ProgramStage::Geometry => (4, ShaderStage::Geometry),
        ProgramStage::Pixel => (5, ShaderStage::Pixel),
    }
}

impl PushBuffer {
    /// Sets up colour target 0 to 7 of one layer. [`color_targets`](Self::color_targets) says how many there are.
    pub fn color_target(&mut self, index: usize, target: &Target) -> &mut Self {
        let &Target { format, address, width, height, pitch, log2_block_height } = target;
        self.limit("colour target", index, r::set_color_target_a::COUNT - 1);
        let index = index % r::set_color_target_a::COUNT;
        let layout = if pitch.is_some() { MemoryLayout::Pitch } else { MemoryLayout::BlockLinear };
        let memory = r::set_color_target_memory::new().block_height(log2_block_height).layout(layout);
        self.address(r::set_color_target_a::id(index), address);
        self.set(r::set_color_target_width::id(index), r::set_color_target_width::new().v(pitch.unwrap_or(width)));
        self.set(r::set_color_target_height::id(index), r::set_color_target_height::new().v(height));
        self.set(r::set_color_target_format::id(index), r::set_color_target_format::new().v(format));
        self.set(r::set_color_target_memory::id(index), memory);
        self.set(r::set_color_target_third_dimension::id(index), 1)
    }

    /// Draws go to colour targets 0 to `count` - 1, at most 8.
    pub fn color_targets(&mut self, count: u32) -> &mut Self {
        self.limit("number of colour targets", count as usize, 8);
        let select = r::set_ct_select::new().target_count(count & 0xF).target1(1).target2(2).target3(3);
        self.set(r::set_ct_select::ID, select.target4(4).target5(5).target6(6).target7(7))
    }

    /// Depth and stencil go to this target, in blocks of 2^`log2_block_height` GOBs, which it is always in.
    pub fn zeta_target(
        &mut self,
        format: ZetaFormat,
        [width, height]: [u32; 2],
        address: u64,
        log2_block_height: u32,
    ) -> &mut Self {
        self.address(r::set_zt_a::ID, address);
        self.set(r::set_zt_format::ID, r::set_zt_format::new().v(format));
        self.set(r::set_zt_block_size::ID, r::set_zt_block_size::new().height(log2_block_height));
        self.set(r::set_zt_size_a::ID, r::set_zt_size_a::new().width(width));
        self.set(r::set_zt_size_b::ID, r::set_zt_size_b::new().height(height));
        self.set(r::set_zt_size_c::ID, r::set_zt_size_c::new().third_dimension(1));
        self.set(r::set_zt_select::ID, r::set_zt_select::new().target_count(1))
    }

    /// Viewport 0 to 15 over a target of this size, and the area that is rendered to: x to the right, y upwards, depth
    /// z / w, which is 0 to 1.
    pub fn viewport(&mut self, index: usize, width: u32, height: u32) -> &mut Self {
        self.limit("viewport", index, r::set_viewport_scale_x::COUNT - 1);
        let index = index % r::set_viewport_scale_x::COUNT;
        let [x, y] = [width as f32 / 2.0, height as f32 / 2.0];
        let horizontal = r::set_surface_clip_horizontal::new().x(0).width(width);
        let vertical = r::set_surface_clip_vertical::new().y(0).height(height);
        self.set(r::set_surface_clip_horizontal::ID, horizontal);
        self.set(r::set_surface_clip_vertical::ID, vertical);
        self.set(r::set_viewport_scale_offset::ID, r::set_viewport_scale_offset::new().enable(true));
        self.floats(r::set_viewport_scale_x::id(index), &[x, -y, 1.0, x, y, 0.0]);
        let clip = r::set_viewport_clip_horizontal::new().x0(0).width(width);
        self.set(r::set_viewport_clip_horizontal::id(index), clip);
        self.set(r::set_viewport_clip_vertical::id(index), r::set_viewport_clip_vertical::new().y0(0).height(height));
        self.floats(r::set_viewport_clip_min_z::id(index), &[0.0, 1.0])
    }

    /// Stores a colour in colour target 0.
    pub fn clear_color(&mut self, color: [f32; 4]) -> &mut Self {
        self.floats(r::set_color_clear_value::id(0), &color);
        let all = r::clear_surface::new().r_enable(true).g_enable(true).b_enable(true).a_enable(true);
        self.set(r::clear_surface::ID, all)
    }

    /// Stores depth and stencil in the zeta target.
    pub fn clear_zeta(&mut self, depth: f32, stencil: u8) -> &mut Self {
        self.floats(r::set_z_clear_value::ID, &[depth]);
        self.set(r::set_stencil_clear_value::ID, u32::from(stencil));
        self.set(r::clear_surface::ID, r::clear_surface::new().z_enable(true).stencil_enable(true))
    }

    /// Offsets of programs count from this GPU address.
    pub fn program_region(&mut self, address: u64) -> &mut Self {
        self.address(r::set_program_region_a::ID, address)
    }

    /// Switches a stage on. The header of its program is at this offset from the program region, bytes; the code
    /// follows it.
    pub fn program(&mut self, stage: ProgramStage, offset: u32) -> &mut Self {
        let (index, kind) = slot(stage);
        self.set(r::set_pipeline_shader::id(index), r::set_pipeline_shader::new().enable(true).type_(kind));
        self.set(r::set_pipeline_program::id(index), r::set_pipeline_program::new().offset(offset))
    }

    /// Vertex stream 0 to 15: elements of `stride` bytes (up to 4095) from a GPU address on, `bytes` bytes together, 1
    /// and more.
    pub fn vertex_stream(&mut self, index: usize, stride: u32, address: u64, bytes: u64) -> &mut Self {
        self.limit("vertex stream", index, r::set_vertex_stream_a_format::COUNT - 1);
        let index = index % r::set_vertex_stream_a_format::COUNT;
        let format = r::set_vertex_stream_format::new().stride(stride).enable(true);
        self.set(r::set_vertex_stream_a_format::id(index), format);
        self.address(r::set_vertex_stream_a_location_a::id(index), address);
        self.address(r::set_vertex_stream_limit_a_a::id(index), address.saturating_add(bytes.saturating_sub(1)))
    }

    /// Vertex attribute 0 to 15, at this byte offset of the elements of a stream: generic attribute of the same number
    /// in vertex programs.
    pub fn vertex_attribute(
        &mut self,
        index: usize,
        stream: u32,
        offset: u32,
        format: VertexFormat,
        kind: VertexType,
    ) -> &mut Self {
        self.limit("vertex attribute", index, r::set_vertex_attribute_a::COUNT - 1);
        let attribute = r::set_vertex_attribute::new().stream(stream).offset(offset).component_bit_widths(format);
        let index = index % r::set_vertex_attribute_a::COUNT;
        self.set(r::set_vertex_attribute_a::id(index), attribute.numerical_type(kind))
    }

    /// Texture headers and samplers are in these pools, which have so many each. Handles of textures are in the
    /// constant buffer of slot `slot`.
    pub fn texture_pools(&mut self, headers: (u64, u32), samplers: (u64, u32), slot: u32) -> &mut Self {
        let last = |count: u32| count.saturating_sub(1);
        self.address(r::set_tex_header_pool_a::ID, headers.0);
        self.set(r::set_tex_header_pool_c::ID, r::set_tex_header_pool_c::new().maximum_index(last(headers.1)));
        self.address(r::set_tex_sampler_pool_a::ID, samplers.0);
        self.set(r::set_tex_sampler_pool_c::ID, r::set_tex_sampler_pool_c::new().maximum_index(last(samplers.1)));
        self.set(r::set_bindless_texture::ID, r::set_bindless_texture::new().constant_buffer_slot_select(slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked() {
        let fails = |make: &dyn Fn(&mut PushBuffer) -> &mut PushBuffer| {
            let mut push = PushBuffer::new();
            make(&mut push);
            push.finish().expect_err("a mistake").to_string()
        };
        let target = Target::blocks(ColorFormat::R8Unorm, 16, 16, 0x200, 16);
        assert_eq!(
            fails(&|push| push.color_target(0, &target)),
            "set_color_target_memory: block_height 16 is not 0 to 15"
        );
        assert_eq!(
            fails(&|push| push.color_target(8, &Target { pitch: Some(16), log2_block_height: 0, ..target })),
            "colour target 8 is beyond 7"
        );
        assert_eq!(fails(&|push| push.color_targets(9)), "number of colour targets 9 is beyond 8");
        let stride = "set_vertex_stream_format: stride 4096 is not 0 to 4095";
        assert_eq!(fails(&|push| push.vertex_stream(0, 4096, 0, 1)), stride);
        let offset = "set_vertex_attribute: offset 16384 is not 0 to 16383";
        let attribute = |push: &mut PushBuffer| {
            push.vertex_attribute(0, 0, 1 << 14, VertexFormat::R8, VertexType::Unorm);
        };
        assert_eq!(
            fails(&|push| {
                attribute(push);
                push
            }),
            offset
        );
    }
}
