//! Writing commands: names of registers and methods, values of their fields, assemblers, and builders of command lists,
//! push buffers, headers and textures.
//!
//! Hosts forward what a guest has written and need nothing of this. Tests, tools and homebrew write commands
//! themselves. All of it comes from the tables by which the machines decode commands, so that what is written here is
//! what is read there.
//!
//! | | 3DS | PS3 | Switch |
//! |---|---|---|---|
//! | commands | [`n3ds::List`] | [`rsx::PushBuffer`] | [`tegra::PushBuffer`] and its `entry` |
//! | registers, methods | [`n3ds::regs`], [`n3ds::external`] | [`rsx::methods`], [`rsx::two_d`] | [`tegra::methods`] |
//! | programs | [`n3ds::Program`] | [`rsx::vertex`], [`rsx::fragment`] | [`tegra::shader`], [`tegra::mme`] |
//! | textures | [`n3ds::Texture`] | [`rsx::Texture`] | [`tegra::TextureHeader`], [`tegra::Sampler`] |
//! | other | [`gsp`](crate::n3ds::gsp) | [`rsx::fifo`] | [`tegra::HeaderBuilder`], [`tegra::fifo`] |
//!
//! # Registers
//! A register, or a method, is a module. `ID` is its number, or `id(index)` where there are several; a function per
//! field reads it from a word; `new()` is a word whose methods store fields. Enums are the values of fields.
//!
//! ```
//! # #[cfg(feature = "n3ds")] {
//! use triglyph::guest::RegisterWord;
//! use triglyph::guest::n3ds::regs::{self, CullMode};
//!
//! assert_eq!(regs::cull::ID, 0x040);
//! let word = RegisterWord::from(regs::cull::new().mode(CullMode::Back));
//! assert_eq!(word.get(), Ok(2));
//! assert_eq!(regs::cull::mode(2), Some(CullMode::Back));
//!
//! // A value that its field cannot hold is an error; builders report it when they are finished.
//! let wide = RegisterWord::from(regs::fb_dim::new().width(5000));
//! assert_eq!(wide.get().unwrap_err().to_string(), "fb_dim: width 5000 is not 0 to 2047");
//! # }
//! ```
//! Numbers of registers are those of the hardware: register numbers on the 3DS, byte addresses on the PS3, dword
//! addresses on the Switch.
//!
//! # Programs
//! Every assembler reads what the disassembler beside it writes. Errors name line and column.
//!
//! ```
//! # #[cfg(feature = "tegra")] {
//! use triglyph::guest::tegra::shader;
//!
//! let code = shader::assemble_program("mov r0, rz, 0xf\nexit").unwrap();
//! assert_eq!(shader::assemble_program(&shader::disassemble_program(&code)), Ok(code));
//! let error = shader::assemble_program("exit\n  mvo r0, rz").unwrap_err();
//! assert_eq!((error.line, error.column), (2, 3));
//! # }
//! ```

pub use triglyph_guest::table::{
    AsmError, DoesNotFit, Effect, FieldError, FieldInfo, FieldKind, FieldPlace, RegInfo, RegisterWord, TextError,
    WordField, show_fields,
};

/// The 3DS: command lists of the PICA200, its registers, shader programs, textures.
///
/// GX commands, which start lists, fills and transfers, and GSP's shared page are in [`n3ds::gsp`](crate::n3ds::gsp).
///
/// ```
/// use triglyph::guest::n3ds::{List, Program, Unit, external, regs};
/// use triglyph::n3ds::gsp::{Command, Header};
///
/// // A list that loads a program and draws three vertices.
/// let program = Program::assemble("mov o0, v0\nend")?;
/// let mut list = List::new();
/// list.program(Unit::Vertex, &program, 0)
///     .set(regs::vsh_outmap_mask::ID, regs::vsh_outmap_mask::new().mask(1))
///     .draw_arrays(0, 3);
/// let words = list.finish()?;
///
/// // The command that runs it, and the one that shows its picture on a screen.
/// let size = 4 * words.len() as u32;
/// let run = Command::ProcessCommandList { address: 0x3000_0000, size, update_gas: false, flush: false };
/// assert_eq!(run.to_words(Header::default())[..3], [1, 0x3000_0000, size]);
/// let flags = external::ppf_flags::new().output(external::TransferFormat::Rgb8);
/// # let _ = flags;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "n3ds")]
pub mod n3ds {
    pub use triglyph_guest::pica::texture::{tile, tile_rgba8};
    pub use triglyph_guest::pica::{
        List, ListError, Program, Texture, Unit, command, disassemble_program, external, output, regs,
    };
}

/// The PS3: push buffers of the RSX, methods of its classes, vertex and fragment programs, textures.
///
/// ```
/// use triglyph::guest::rsx::methods::curie as m;
/// use triglyph::guest::rsx::{Order, PushBuffer, enums::Primitive, fragment, fragment_program_bytes, vertex};
///
/// let (first, code) = vertex::assemble_program("mov o[HPOS], v[0]  [end]")?;
/// let mut push = PushBuffer::new();
/// push.vertex_program(first, &code)
///     .set(m::set_shader_program::ID, m::set_shader_program::new().address(0x80_0000))
///     .draw_arrays(Primitive::Triangles, 0, 3);
/// let words = push.finish()?;
///
/// let pixels = fragment::assemble_program("mov r0, f[COL0]  [end]")?;
/// assert_eq!(fragment_program_bytes(&pixels, Order::Big).len(), 16);
/// # assert!(!words.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "rsx")]
pub mod rsx {
    pub use triglyph_guest::rsx::fragment::memory::Order;
    pub use triglyph_guest::rsx::push::fragment_program_bytes;
    pub use triglyph_guest::rsx::state::{fragment_control, object};
    pub use triglyph_guest::rsx::{PushBuffer, PushError, Surface, Texture, enums, fifo};

    /// Formats of textures.
    pub mod texel {
        pub use triglyph_guest::rsx::texel::TextureFormat;
    }

    /// Methods of the 3D class, of the puller and of the software object.
    pub mod methods {
        pub use triglyph_guest::rsx::methods::{Effect, Method, Trigger, curie, puller, software};
    }

    /// Methods of the 2D classes, and the values of their fields.
    pub mod two_d {
        pub use triglyph_guest::rsx::two_d::{
            format, image_from_cpu, memory_to_memory, scaled_image, surface_swizzled, surfaces_2d,
        };
    }

    /// Vertex programs.
    pub mod vertex {
        pub use triglyph_guest::rsx::vertex::{Words, assemble_program, disassemble_program};
    }

    /// Fragment programs.
    pub mod fragment {
        pub use triglyph_guest::rsx::fragment::{Words, assemble_program, disassemble_program};
    }
}

/// The Switch: push buffers and GPFIFO entries, methods of the classes, macros, shader programs and their headers,
/// texture headers, samplers.
///
/// ```
/// use triglyph::guest::tegra::{HeaderBuilder, PushBuffer, attribute, shader};
/// use triglyph::guest::tegra::{ProgramStage, methods::threed::{Topology, regs as r}};
///
/// let code = shader::assemble_program("ald.w4 r0, [rz+0x80], rz\nast.w4 r0, [rz+0x70], rz\nexit")?;
/// let header = HeaderBuilder::new(ProgramStage::Vertex).reads(attribute::GENERIC, 4).writes(attribute::POSITION, 4);
/// let bytes = header.build()?.with_code(&code); // what the GPU reads at SET_PIPELINE_PROGRAM
/// # assert!(!bytes.is_empty());
///
/// let mut push = PushBuffer::new();
/// push.set_object(0xB197).floats(r::set_color_clear_value::id(0), &[0.0; 4]).draw_arrays(Topology::Triangles, 0, 3);
/// let entry = push.entry(0x1_0000_0000)?;
/// let words = push.finish()?;
/// # let _ = (entry, words);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "tegra")]
pub mod tegra {
    pub use triglyph_guest::tegra::header::program::{
        HeaderProblem, Interpolation, OutputTopology, ProgramHeader, ProgramStage, attribute,
    };
    pub use triglyph_guest::tegra::header::sampler::{self, Sampler};
    pub use triglyph_guest::tegra::header::texture::{
        ComponentSource, ComponentType, HeaderVersion, TextureHandle, TextureHeader, TextureKind, TextureLayout,
        UnknownVersion,
    };
    pub use triglyph_guest::tegra::header::{HeaderBuilder, HeaderError};
    pub use triglyph_guest::tegra::{PushBuffer, PushError, Target, fifo};

    /// Formats by their codes in registers and headers.
    pub mod format {
        pub use triglyph_guest::tegra::format::{ColorFormat, TextureFormat, VertexFormat, VertexType, ZetaFormat};
    }

    /// The classes and their methods.
    pub mod methods {
        pub use triglyph_guest::tegra::methods::{
            Class, ClassTrigger, Common, Effect, MethodInfo, MethodName, MethodTable, common, compute, copy, find,
            inline, method_text, threed, twod, values,
        };
    }

    /// Shader programs.
    pub mod shader {
        pub use triglyph_guest::tegra::shader::{assemble, assemble_program, disassemble, disassemble_program};
    }

    /// Macros, which expand methods.
    pub mod mme {
        pub use triglyph_guest::tegra::mme::{assemble_program, disassemble_program};
    }
}
