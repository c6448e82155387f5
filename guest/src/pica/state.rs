//! State of command lists that takes several registers: targets, viewports, vertex input, shader outputs, combiner
//! stages.
//!
//! ```
//! use triglyph_guest::pica::regs::{AttributeType, ColorFormat, CombinerFunction, CombinerSource, DepthFormat};
//! use triglyph_guest::pica::{List, output};
//!
//! let mut list = List::new();
//! list.color_target(0x1800_0000, ColorFormat::Rgba8, 240, 400)
//!     .depth_target(0x1806_0000, DepthFormat::D24S8)
//!     .viewport(0, 0, 240, 400)
//!     .vertex_buffer(0x2000_0000, 32, &[(AttributeType::F32, 4), (AttributeType::F32, 4)])
//!     .shader_outputs(&[output::POSITION, output::COLOR])
//!     .combiner(0, CombinerFunction::Replace, [CombinerSource::Primary; 3])
//!     .pass_combiners(1);
//! # assert!(list.finish().is_ok());
//! ```

use super::list::{List, ListError};
use super::regs::{
    self, AlphaOperand, AttributeType, ColorFormat, ColorOperand, CombinerFunction, CombinerSource, DepthFormat,
    DepthMode, OutputSemantic, PixelSize, PrimitiveType, ShaderMode,
};

/// Stages of the texture combiner.
pub const COMBINERS: usize = 6;

/// Attributes of a vertex.
pub const MAX_ATTRIBUTES: usize = 12;

/// Meanings of the components x, y, z, w of a shader output, for [`List::shader_outputs`].
pub mod output {
    use super::OutputSemantic::{self, *};

    /// The position in clip space: x and y from -w to w, z from -w to 0.
    pub const POSITION: [OutputSemantic; 4] = [PositionX, PositionY, PositionZ, PositionW];
    /// The vertex colour.
    pub const COLOR: [OutputSemantic; 4] = [ColorR, ColorG, ColorB, ColorA];
    /// Texture coordinates of unit 0.
    pub const TEXCOORD0: [OutputSemantic; 4] = [Texcoord0U, Texcoord0V, None, None];
    /// Texture coordinates of unit 1.
    pub const TEXCOORD1: [OutputSemantic; 4] = [Texcoord1U, Texcoord1V, None, None];
    /// Texture coordinates of unit 2.
    pub const TEXCOORD2: [OutputSemantic; 4] = [Texcoord2U, Texcoord2V, None, None];
    /// The quaternion of fragment lighting.
    pub const QUATERNION: [OutputSemantic; 4] = [QuaternionX, QuaternionY, QuaternionZ, QuaternionW];
    /// The view vector of fragment lighting.
    pub const VIEW: [OutputSemantic; 4] = [ViewX, ViewY, ViewZ, None];
}

impl List {
    /// Colours go to a buffer at a physical address, a multiple of 8, in tiles of 8 x 8 pixels, rows from below.
    /// `width` is a multiple of 8 up to 1024, `height` up to 1024. All channels may be read and written.
    pub fn color_target(&mut self, address: u32, format: ColorFormat, width: u32, height: u32) -> &mut Self {
        let size = match format {
            ColorFormat::Rgba8 => PixelSize::Bits32,
            ColorFormat::Rgb8 => PixelSize::Bits24,
            ColorFormat::Rgb5A1 | ColorFormat::Rgb565 | ColorFormat::Rgba4 => PixelSize::Bits16,
        };
        let last = height.saturating_sub(1);
        self.set(regs::color_addr::ID, regs::color_addr::new().address(address.into()));
        self.set(regs::color_format::ID, regs::color_format::new().size(size).format(format));
        self.set(regs::fb_dim::ID, regs::fb_dim::new().width(width).height_minus_1(last).flip(true));
        self.set(regs::renderbuf_dim::ID, regs::renderbuf_dim::new().width(width).height_minus_1(last).one(1));
        self.set(regs::color_read_allow::ID, regs::color_read_allow::new().allow(15));
        self.set(regs::color_write_allow::ID, regs::color_write_allow::new().allow(15))
    }

    /// Depth and stencil go to a buffer at a physical address, a multiple of 8, as large as the colour target. Both may
    /// be read and written.
    pub fn depth_target(&mut self, address: u32, format: DepthFormat) -> &mut Self {
        let stencil = format == DepthFormat::D24S8;
        self.set(regs::depth_addr::ID, regs::depth_addr::new().address(address.into()));
        self.set(regs::depth_format::ID, regs::depth_format::new().format(format));
        self.set(regs::depth_read_allow::ID, regs::depth_read_allow::new().stencil(stencil).depth(true));
        self.set(regs::depth_write_allow::ID, regs::depth_write_allow::new().stencil(stencil).depth(true))
    }

    /// The viewport, pixels from the lower left, and depth as -z / w: 0 at z = 0 and 1 at z = -w.
    pub fn viewport(&mut self, x: i32, y: i32, width: u32, height: u32) -> &mut Self {
        let (width, height) = (width as f32, height as f32);
        self.set(regs::viewport_half_w::ID, regs::viewport_half_w::new().value(width / 2.0));
        self.set(regs::viewport_inv_w::ID, regs::viewport_inv_w::new().value(2.0 / width));
        self.set(regs::viewport_half_h::ID, regs::viewport_half_h::new().value(height / 2.0));
        self.set(regs::viewport_inv_h::ID, regs::viewport_inv_h::new().value(2.0 / height));
        self.set(regs::viewport_xy::ID, regs::viewport_xy::new().x(x).y(y));
        self.set(regs::depth_scale::ID, regs::depth_scale::new().value(-1.0));
        self.set(regs::depth_offset::ID, regs::depth_offset::new().value(0.0));
        self.set(regs::depthmap_mode::ID, regs::depthmap_mode::new().mode(DepthMode::Z))
    }

    /// Vertices are in one buffer at a physical address, a multiple of 16: `stride` bytes each, attributes one after
    /// the other, each with the type and the number (1 to 4) of its components. Attribute n is input vn.
    pub fn vertex_buffer(&mut self, address: u32, stride: u32, attributes: &[(AttributeType, u32)]) -> &mut Self {
        self.limit("number of attributes", attributes.len(), MAX_ATTRIBUTES);
        let attributes = &attributes[..attributes.len().min(MAX_ATTRIBUTES)];
        let count = attributes.len().max(1) as u32;
        let mut formats = 0u64;
        let mut places = 0u64;
        for (index, &(kind, components)) in attributes.iter().enumerate() {
            if !(1..=4).contains(&components) {
                self.fail(ListError::Range { what: "number of components", value: components.into(), max: 4 });
            }
            formats |= u64::from(kind.bits() | (components.wrapping_sub(1) & 3) << 2) << (4 * index);
            places |= (index as u64) << (4 * index);
        }
        self.set(regs::attr_base::ID, regs::attr_base::new().address(address.into()));
        self.set(regs::attr_format_lo::ID, formats as u32);
        self.set(regs::attr_format_hi::ID, (formats >> 32) as u32 | (count - 1) << 28);
        self.set(regs::attrbuf_offset::id(0), 0);
        self.set(regs::attrbuf_config1::id(0), places as u32);
        let rest = regs::attrbuf_config2::new();
        let rest = rest.component8((places >> 32) as u32 & 0xF).component9((places >> 36) as u32 & 0xF);
        let rest = rest.component10((places >> 40) as u32 & 0xF).component11((places >> 44) as u32 & 0xF);
        self.set(regs::attrbuf_config2::id(0), rest.stride(stride).count(count));
        for buffer in 1..regs::attrbuf_config2::COUNT {
            self.set(regs::attrbuf_config2::id(buffer), 0);
        }
        let inputs = regs::vsh_input_config::new().inputs_minus_1(count - 1).mode(ShaderMode::Vertex);
        self.set(regs::vsh_input_config::ID, inputs);
        self.set(regs::vsh_num_attr::ID, regs::vsh_num_attr::new().count_minus_1(count - 1));
        self.set(regs::vsh_perm_lo::ID, 0x7654_3210);
        self.set(regs::vsh_perm_hi::ID, 0xFEDC_BA98)
    }

    /// The vertex program writes o0, o1 and so on, one to seven, and these are the meanings of their components; see
    /// [`output`]. Primitives are triangles, each of three vertices.
    pub fn shader_outputs(&mut self, outputs: &[[OutputSemantic; 4]]) -> &mut Self {
        self.limit("number of shader outputs", outputs.len(), regs::outmap::IDS.len());
        let count = outputs.len().clamp(1, regs::outmap::IDS.len()) as u32;
        self.set(regs::vsh_outmap_mask::ID, regs::shader_outmap_mask::new().mask((1 << count) - 1));
        self.set(regs::vsh_outmap_total1::ID, count - 1);
        self.set(regs::vsh_outmap_total2::ID, count - 1);
        self.set(regs::outmap_total::ID, count);
        for (id, &[x, y, z, w]) in regs::outmap::IDS.into_iter().zip(outputs) {
            self.set(id, regs::outmap::new().x(x).y(y).z(z).w(w));
        }
        let texcoords = outputs.as_flattened().contains(&OutputSemantic::Texcoord0U);
        self.set(regs::outattr_mode::ID, regs::outattr_mode::new().texcoords(texcoords));
        self.primitives(PrimitiveType::Triangles, count)
    }

    /// Primitives of this kind, whose vertices have so many shader outputs. Vertices of earlier primitives are dropped.
    pub fn primitives(&mut self, kind: PrimitiveType, outputs: u32) -> &mut Self {
        let config = regs::primitive_config::new().outputs_minus_1(outputs.saturating_sub(1)).primitive(kind);
        self.set(regs::primitive_config::ID, config);
        self.set(regs::primitive_restart::ID, 1)
    }

    /// Combiner stage 0 to 5: the function of up to three sources, colour and alpha alike.
    pub fn combiner(&mut self, stage: usize, function: CombinerFunction, sources: [CombinerSource; 3]) -> &mut Self {
        self.limit("combiner stage", stage, COMBINERS - 1);
        let stage = stage.min(COMBINERS - 1);
        let [a, b, c] = sources;
        let source = regs::tev_source::new().rgb1(a).rgb2(b).rgb3(c).alpha1(a).alpha2(b).alpha3(c);
        let color = ColorOperand::Color;
        let alpha = AlphaOperand::Alpha;
        let operand = regs::tev_operand::new().rgb1(color).rgb2(color).rgb3(color);
        self.set(regs::tev_source::IDS[stage], source);
        self.set(regs::tev_operand::IDS[stage], operand.alpha1(alpha).alpha2(alpha).alpha3(alpha));
        self.set(regs::tev_combiner::IDS[stage], regs::tev_combiner::new().rgb(function).alpha(function));
        self.set(regs::tev_scale::IDS[stage], 0)
    }

    /// Combiner stages from `first` on take what comes in.
    pub fn pass_combiners(&mut self, first: usize) -> &mut Self {
        for stage in first..COMBINERS {
            self.combiner(stage, CombinerFunction::Replace, [CombinerSource::Previous; 3]);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::{Packets, Write};
    use super::*;

    /// The value that a list leaves in a register.
    fn value(list: &List, id: usize) -> Option<u32> {
        let writes = Packets::new(list.words()).flat_map(|packet| packet.writes());
        writes.filter(|write| write.id == id && write.mask == 15).map(|Write { value, .. }| value).last()
    }

    #[test]
    fn buffers_of_many_attributes() {
        let mut list = List::new();
        let attributes: Vec<_> = (0..12).map(|i| (AttributeType::F32, i % 4 + 1)).collect();
        list.vertex_buffer(0x2000_0000, 120, &attributes);
        assert_eq!(value(&list, regs::attr_format_lo::ID), Some(0xFB73_FB73));
        assert_eq!(value(&list, regs::attr_format_hi::ID), Some(0xB000_FB73));
        assert_eq!(value(&list, regs::attrbuf_config1::id(0)), Some(0x7654_3210));
        assert_eq!(value(&list, regs::attrbuf_config2::id(0)), Some(0xC078_BA98));
        assert!(list.finish().is_ok());
    }

    #[test]
    fn counts_are_checked() {
        let fails = |make: &dyn Fn(&mut List) -> &mut List| {
            let mut list = List::new();
            make(&mut list);
            list.finish().expect_err("a mistake").to_string()
        };
        let float = AttributeType::F32;
        assert_eq!(fails(&|list| list.vertex_buffer(0, 4, &[(float, 5)])), "number of components 5 is beyond 4");
        assert_eq!(fails(&|list| list.vertex_buffer(0, 4, &[(float, 1); 13])), "number of attributes 13 is beyond 12");
        assert_eq!(fails(&|list| list.shader_outputs(&[output::VIEW; 8])), "number of shader outputs 8 is beyond 7");
        assert_eq!(
            fails(&|list| list.combiner(6, CombinerFunction::Add, [CombinerSource::Constant; 3])),
            "combiner stage 6 is beyond 5"
        );
    }
}
