//! Methods that several classes have at the same address: each row is stated once here and joined into the tables of
//! the classes.
//!
//! ```text
//! channel.rs    3D, compute, inline, 2D    the channel, notifiers, the condition of all classes
//! inline.rs     3D, compute, inline        inline transfers, the condition of a class
//! shader.rs     3D, compute                memory and caches of programs, reports, performance counters
//! macros.rs     3D, 2D                     the macro method expander
//! trigger.rs    what writes to them do
//! ```
//! Fields of these names that the classes have in other widths are rows of the classes.

pub mod channel;
pub mod inline;
pub mod macros;
pub mod shader;
pub mod trigger;

pub use trigger::Common;

use std::convert::Infallible;

use super::table::{Effect, MethodInfo};
use crate::table::RegInfo;

/// Common rows: a part of the tables of several classes.
type Rows = &'static [MethodInfo<Infallible>];

/// The common rows of the 3D class.
pub(super) const THREED: &[Rows] = &[channel::REGISTERS, inline::REGISTERS, shader::REGISTERS, macros::REGISTERS];
/// The common rows of the compute class.
pub(super) const COMPUTE: &[Rows] = &[channel::REGISTERS, inline::REGISTERS, shader::REGISTERS];
/// The common rows of the inline class.
pub(super) const INLINE: &[Rows] = &[channel::REGISTERS, inline::REGISTERS];
/// The common rows of the 2D class.
pub(super) const TWOD: &[Rows] = &[channel::REGISTERS, macros::REGISTERS];

/// The `N` rows of a class: common ones and its own. `N` is the [`total`](crate::table::regs::total) of both.
///
/// # Panics
/// When `N` is another number; in a `const` that is a compile error.
pub(super) const fn joined<T: Copy, const N: usize>(common: &[Rows], own: &[&[MethodInfo<T>]]) -> [MethodInfo<T>; N] {
    let mut rows = [own[0][0]; N];
    let mut count = 0;
    let mut part = 0;
    while part < common.len() {
        let mut i = 0;
        while i < common[part].len() {
            rows[count] = of_class(&common[part][i]);
            count += 1;
            i += 1;
        }
        part += 1;
    }
    part = 0;
    while part < own.len() {
        let mut i = 0;
        while i < own[part].len() {
            rows[count] = own[part][i];
            count += 1;
            i += 1;
        }
        part += 1;
    }
    assert!(count == N, "the number of rows is the total of the parts");
    rows
}

/// A common row as one of a class with triggers of its own.
const fn of_class<T: Copy>(row: &MethodInfo<Infallible>) -> MethodInfo<T> {
    let RegInfo { id, count, step, name, doc, fields, reset, effect } = *row;
    let effect = match effect {
        Effect::None => Effect::None,
        Effect::Dirty(groups) => Effect::Dirty(groups),
        Effect::Common(trigger) => Effect::Common(trigger),
        Effect::Trigger(never) => match never {},
    };
    RegInfo { id, count, step, name, doc, fields, reset, effect }
}
