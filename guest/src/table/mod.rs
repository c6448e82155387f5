//! Tables: one row per instruction or register, everything else derived.
//!
//! ```text
//! isa! row: doc, name, bit pattern, operand shape
//!   pattern.rs   the pattern as masks, read while compiling; fields in and out of a word
//!   decoder.rs   rows -> lookup table on the top bits, most specific row first, built while compiling
//!   info.rs      what a row says, as data; random words that honour it
//!   text.rs      pieces that every assembler and disassembler needs
//!   isa.rs       the macro: Op, ALL, decode, visit, disassemble_operands, assemble, random words
//! opcodes! row: doc, variant, number, name, sources; for sets where one field says everything
//!   opcodes.rs   the macro and what a row says, as data
//! word_fields! row: doc, name, word, bits; for instructions of several words
//!   words.rs     the macro and a field as data
//! regs! row: doc, address, name, bit fields, reset value, effect
//!   field.rs     what a field's bits mean, as data; words as text
//!   encode.rs    words from values of fields, with checked ranges
//!   regs.rs      the macro and what a register row says, as data; values! row: variant, value, name
//!   formats.rs   formats! row: doc, variant, code, name, what is known of the format
//!   effect.rs    what a write to a register does; groups! the groups of state that it makes dirty
//! tables of calls, each a macro of its own: doc, kind, number, name, arguments, answer
//!   calls.rs     what a row says, as data; arguments as words of a recording
//! listed! an enum with the list of its variants and the way back from their numbers
//!   listed.rs    the macro
//! ```
//!
//! A word of `isa!` is at most 64 bits wide. Machines with 32-bit words use the low half.

pub mod calls;
pub mod decoder;
pub mod effect;
pub mod encode;
pub mod field;
pub(crate) mod formats;
pub mod info;
pub(crate) mod isa;
mod listed;
pub mod opcodes;
pub mod pattern;
pub mod regs;
pub mod text;
pub mod words;

pub use decoder::Decoder;
pub use effect::Effect;
pub use encode::{FieldError, FieldPlace, RegisterWord};
pub use field::{FieldInfo, FieldKind, show_fields};
pub use info::{OpInfo, flags};
pub use opcodes::OpcodeInfo;
pub use pattern::{DoesNotFit, Encoder, FieldSpec, Fields, Pattern, Shape};
pub use regs::RegInfo;
pub use text::{AsmError, Cursor, ParseOperands, PrintOperands, TextError};
pub use words::WordField;

pub(crate) use isa::isa;
