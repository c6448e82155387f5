//! The PlayStation 3's GPU, the RSX (an NV40 of the NV47 family): command words, handles and objects, channel memory,
//! methods, programs.
//!
//! ```text
//! fifo.rs        words of the push buffer; objects.rs handles and classes
//! methods/       the register tables of the 3D class, the puller and the software object, and what writes do;
//!                enums.rs the values of their fields; two_d/ methods and formats of the 2D classes
//! vertex/        vertex programs: two units, 128 bits an instruction; fragment/ fragment programs, with inline
//!                constants; operand.rs what both have in common, asm.rs programs as text
//! push.rs        push buffers in the making; state.rs state of several methods; texture.rs textures
//! texel.rs       texture formats; surface.rs colour targets
//! chip.rs        in what the PlayStation 3's chip and the PC's differ; attribute.rs immediate values of attributes
//! ```

pub mod asm;
pub mod attribute;
pub mod chip;
pub mod enums;
pub mod fifo;
pub mod fragment;
pub mod lv1;
pub mod methods;
pub mod objects;
pub mod operand;
pub mod push;
pub mod ramfc;
pub mod ramht;
pub mod registers;
pub mod state;
pub mod surface;
pub mod texel;
pub mod texture;
pub mod two_d;
pub mod vertex;

pub use push::{PushBuffer, PushError};
pub use state::Surface;
pub use texture::Texture;
