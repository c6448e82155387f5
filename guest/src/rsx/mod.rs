//! The PlayStation 3's GPU, the RSX (an NV40 of the NV47 family): command words, handles and objects, channel memory,
//! methods, programs.
//!
//! ```text
//! methods/       the register tables of every class and what writes do; enums.rs the values of their fields
//! vertex/        vertex programs: two units, 128 bits an instruction; fragment/ fragment programs, with inline
//!                constants; operand.rs what both have in common
//! ```

pub mod asm;
pub mod enums;
pub mod fifo;
pub mod fragment;
pub mod methods;
pub mod objects;
pub mod operand;
pub mod two_d;
pub mod vertex;
