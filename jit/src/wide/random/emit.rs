//! Random functions as CLIF.
//!
//! Whatever the steps are, the function is one that both code generators have to agree on: addresses keep to their
//! areas, loops end, what iterations share is the same for all of them, and what a mask leaves out stays as it was. So
//! is a NaN that arithmetic has made: CLIF does not say which one it is, and kernels make one of all. Its bits are
//! looked at by comparisons of floats and by more arithmetic alone; anything else first makes it the canonical NaN.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8, I16, I32, I64, I64X2};
use cranelift_codegen::ir::{ConstantData, InstBuilder, Opcode, Type, Value};

use super::memory::{Memory, at};
use super::program::{Area, Id, Operand, Program, Step};
use super::rows::{Immediate, Row, rows};
use crate::lane::{Emit, F32x4, memory as flags};

mod control;
pub(super) use control::SIGNATURES;
mod idioms;
mod loops;
mod places;

/// A value that steps may use.
#[derive(Clone, Copy, Debug)]
struct ScopedValue {
    value: Value,
    ty: Type,
    /// Whether all of its bits are known, which those of a NaN may not be.
    exact: bool,
    /// Whether it is the same for all iterations.
    shared: bool,
}

/// What an instruction wants of an operand.
#[derive(Clone, Copy, Debug, Default)]
struct Want {
    /// Any NaN is as good as another.
    any_nan: bool,
    /// It has to be the same for all iterations.
    shared: bool,
}

/// The iteration whose body is emitted.
#[derive(Clone, Copy)]
struct Iteration {
    /// The address of its item.
    item: Value,
    /// That of its storage.
    storage: Option<Value>,
    /// Whether it may read what it has written.
    reads_back: bool,
}

/// A function while it is emitted.
struct Emitter<'e, 'a> {
    e: &'e mut Emit<'a>,
    scope: HashMap<Id, ScopedValue>,
    iteration: Option<Iteration>,
    /// Whether the body has a call.
    has_called: bool,
    /// The lanes that code may change, if not all.
    mask: Option<Value>,
    has_gaps: bool,
}

impl Program {
    /// Emits the function.
    pub fn emit(&self, e: &mut Emit<'_>) {
        let (scope, has_gaps) = (HashMap::new(), self.has_gaps);
        let mut emitter = Emitter { e, scope, iteration: None, has_called: false, mask: None, has_gaps };
        emitter.steps(&self.before);
        for (number, body) in self.loops.iter().enumerate() {
            emitter.items(number, body);
        }
        emitter.steps(&self.after);
        let status = emitter.operand(&self.status, I64, Want::default());
        emitter.e.finish(status.value);
    }
}

impl Emitter<'_, '_> {
    fn steps(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.step(step));
    }

    /// Emits steps after which the values that they make are not known any more.
    fn inner<R>(&mut self, steps: &[Step], then: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.scope.clone();
        self.steps(steps);
        let result = then(self);
        self.scope = outer;
        result
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Row { id, row, args, bytes } => {
                if let Some(row) = rows().get(*row) {
                    self.row(*id, row, args, *bytes);
                }
            }
            Step::Idiom { id, idiom, args } => self.idiom(*id, idiom, args),
            Step::Load { id, row, place } => {
                if let Some(row) = rows().get(*row) {
                    self.load(*id, row, place);
                }
            }
            Step::Store { row, value, place } => {
                if let Some(row) = rows().get(*row) {
                    self.store(row, value, place);
                }
            }
            Step::StoreHigh { value, place } => self.store_high(value, place),
            Step::Count { counter, value } => self.count(*counter, value),
            Step::If(branch) => self.branch(branch),
            Step::Repeat(repeat) => self.repeat(repeat),
            Step::Table { number, arms, results } => self.table(number, arms, results),
            Step::Call { id, function, args } => self.call(*id, *function, args),
        }
    }

    fn know(&mut self, id: Id, value: Value, exact: bool, shared: bool) {
        let ty = self.e.b.func.dfg.value_type(value);
        self.scope.insert(id, ScopedValue { value, ty, exact, shared });
    }

    fn row(&mut self, id: Id, row: &Row, args: &[Operand], bytes: [u8; 16]) {
        let computes = computes_floats(row);
        // A sign changes whatever the other bits are.
        let keeps = matches!(row.opcode, Opcode::Fneg | Opcode::Fabs);
        let want = Want { any_nan: computes || keeps, shared: false };
        let none = Operand::default();
        let operands: Vec<ScopedValue> = (row.args.iter().enumerate())
            .map(|(index, &ty)| {
                // Vectors of several iterations are shifted at once by one number.
                let shared = index == 1 && self.iteration.is_some() && is_shift(row);
                self.operand(args.get(index).unwrap_or(&none), ty, Want { shared, ..want })
            })
            .collect();
        let values: Vec<Value> = operands.iter().map(|known| known.value).collect();
        let Some(value) = row.build(&mut self.e.b, &values, Immediate { offset: 0, bytes }) else { return };
        let is_float = row.result.is_some_and(|ty| ty.lane_type().is_float());
        let exact = !is_float || !computes && operands.iter().all(|known| known.exact);
        self.know(id, value, exact, operands.iter().all(|known| known.shared));
    }

    /// The value that an operand names, or a constant.
    fn operand(&mut self, operand: &Operand, ty: Type, want: Want) -> ScopedValue {
        let known = match operand {
            Operand::Value(id) => self.scope.get(id).copied().filter(|known| known.ty == ty),
            Operand::Load(area, offset) => Some(self.loaded(*area, *offset, ty)),
            Operand::Constant(bytes) => Some(self.constant(*bytes, ty)),
        };
        let known = known.filter(|known| known.shared || !want.shared);
        let known = known.unwrap_or_else(|| self.constant([0; 16], ty));
        if known.exact || want.any_nan {
            return known;
        }
        let exact = ScopedValue { value: self.canonical(known.value, ty), exact: true, ..known };
        if let Operand::Value(id) = operand {
            self.scope.insert(*id, exact);
        }
        exact
    }

    fn exact(&mut self, operand: &Operand, ty: Type) -> ScopedValue {
        self.operand(operand, ty, Want::default())
    }

    /// A float, or floats, with one NaN in the place of any other.
    fn canonical(&mut self, value: Value, ty: Type) -> Value {
        if ty == F32X4 {
            return self.e.canonical(F32x4(value)).0;
        }
        let nan = self.constant([0xFF; 16], ty).value;
        let is_nan = self.e.b.ins().fcmp(FloatCC::Unordered, value, value);
        if !ty.is_vector() {
            return self.e.b.ins().select(is_nan, nan, value);
        }
        let is_nan = self.e.cast(is_nan, ty);
        self.e.b.ins().bitselect(is_nan, nan, value)
    }

    fn loaded(&mut self, area: Area, offset: u8, ty: Type) -> ScopedValue {
        // Slots are loaded by steps alone.
        let (base, start, area) = self.base(if area == Area::Scratch { Area::Shared } else { area });
        let offset = start + i32::from(offset) % (area.size() as i32 - 15);
        let value = self.e.b.ins().load(ty, flags(), base, offset);
        ScopedValue { value, ty, exact: true, shared: area == Area::Shared }
    }

    fn constant(&mut self, bytes: [u8; 16], ty: Type) -> ScopedValue {
        let [low, _] = bytemuck::cast::<_, [u64; 2]>(bytes);
        let integer = |bits: u32| (low & u64::MAX >> (64 - bits)) as i64;
        let value = match ty {
            I8 | I16 | I32 | I64 => self.e.b.ins().iconst(ty, integer(ty.bits())),
            F32 | F64 => {
                let ints = if ty == F32 { I32 } else { I64 };
                let bits = self.e.b.ins().iconst(ints, integer(ty.bits()));
                self.e.cast(bits, ty)
            }
            // There is no constant of this type.
            F64X2 => {
                let longs = self.constant(bytes, I64X2).value;
                self.e.cast(longs, F64X2)
            }
            _ if ty.is_vector() && ty.bytes() == 16 => {
                let handle = self.e.b.func.dfg.constants.insert(ConstantData::from(&bytes[..]));
                self.e.b.ins().vconst(ty, handle)
            }
            _ => self.e.b.ins().load(ty, flags(), self.e.args, at!(shared)),
        };
        ScopedValue { value, ty, exact: true, shared: true }
    }
}

/// Whether an instruction rounds, compares or converts floats, for which any NaN is as good as another.
fn computes_floats(row: &Row) -> bool {
    use Opcode as O;
    let moves = matches!(
        row.opcode,
        O::Bitcast | O::Splat | O::Insertlane | O::Extractlane | O::ScalarToVector | O::Shuffle | O::Swizzle
    );
    let selects = matches!(row.opcode, O::Select | O::SelectSpectreGuard | O::Bitselect | O::Blendv);
    let bits = matches!(row.opcode, O::Band | O::Bor | O::Bxor | O::Bnot | O::Fneg | O::Fabs | O::Fcopysign);
    let asks = matches!(row.opcode, O::VhighBits | O::VanyTrue | O::VallTrue);
    row.args.iter().any(|ty| ty.lane_type().is_float()) && !(moves || selects || bits || asks)
}

/// Whether an instruction shifts the lanes of a vector by a scalar.
fn is_shift(row: &Row) -> bool {
    matches!(row.opcode, Opcode::Ishl | Opcode::Ushr | Opcode::Sshr | Opcode::Rotl | Opcode::Rotr)
        && row.ctrl.is_vector()
}
