//! Supported instructions of the code generator: each opcode with each type of operands that it has code for.
//!
//! The list is found by asking: a function with that one instruction is selected, or refused. So what the code
//! generator learns is generated from then on. An instruction that it knows only as a part of several is no row: see
//! [`Idiom`](super::program::Idiom).

use std::sync::LazyLock;

use cranelift_codegen::entity::EntityRef;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::instructions::{InstructionFormat, ResolvedConstraint};
use cranelift_codegen::ir::types::{F16, F32, F64, F128, I8, I16, I32, I64, I128, INVALID};
use cranelift_codegen::ir::{
    AbiParam, ConstantData, Endianness, Function, InstBuilder, InstBuilderBase, InstructionData, MemFlags,
    MemFlagsData, Opcode, Signature, Type, UserFuncName, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{self, Flags};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use crate::interleave::InstPairs;
use crate::wide::select;

/// An instruction but for its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub opcode: Opcode,
    /// The type that decides about the others.
    pub ctrl: Type,
    /// Those of the operands. Addresses are the last ones.
    pub args: Vec<Type>,
    /// That of the result; `None` if there is none.
    pub result: Option<Type>,
    pub detail: RowDetail,
}

/// What an instruction has beside operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowDetail {
    None,
    Int(IntCC),
    Float(FloatCC),
    Lane(u8),
    /// A constant, or an order of bytes, which are chosen for each instruction.
    Bytes,
}

/// The offset of an access, and bytes of a constant or an order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Immediate {
    pub offset: i32,
    pub bytes: [u8; 16],
}

impl Row {
    /// Whether the last operand is an address.
    pub fn accesses(&self) -> bool {
        matches!(self.opcode.format(), InstructionFormat::Load | InstructionFormat::Store)
    }

    /// The instruction with its operands. `None` if it is of a format that is not generated.
    pub(super) fn data(
        &self,
        function: &mut Function,
        args: &[Value],
        immediate: Immediate,
    ) -> Option<InstructionData> {
        use InstructionFormat as F;
        let opcode = self.opcode;
        let dfg = &mut function.dfg;
        let at = |index: usize| args.get(index).copied();
        let mut flags = |data: MemFlagsData| -> Option<MemFlags> { dfg.mem_flags.insert(data).ok() };
        Some(match (opcode.format(), self.detail) {
            (F::NullAry, RowDetail::None) => InstructionData::NullAry { opcode },
            (F::Unary, RowDetail::None) => InstructionData::Unary { opcode, arg: at(0)? },
            (F::Binary, RowDetail::None) => InstructionData::Binary { opcode, args: [at(0)?, at(1)?] },
            (F::Ternary, RowDetail::None) => InstructionData::Ternary { opcode, args: [at(0)?, at(1)?, at(2)?] },
            (F::IntCompare, RowDetail::Int(cond)) => {
                InstructionData::IntCompare { opcode, args: [at(0)?, at(1)?], cond }
            }
            (F::FloatCompare, RowDetail::Float(cond)) => {
                InstructionData::FloatCompare { opcode, args: [at(0)?, at(1)?], cond }
            }
            (F::BinaryImm8, RowDetail::Lane(imm)) => InstructionData::BinaryImm8 { opcode, arg: at(0)?, imm },
            (F::TernaryImm8, RowDetail::Lane(imm)) => {
                InstructionData::TernaryImm8 { opcode, args: [at(0)?, at(1)?], imm }
            }
            (F::Shuffle, RowDetail::Bytes) => {
                let imm = dfg.immediates.push(ConstantData::from(&immediate.bytes.map(|byte| byte & 31)[..]));
                InstructionData::Shuffle { opcode, args: [at(0)?, at(1)?], imm }
            }
            (F::UnaryImm, RowDetail::Bytes) => {
                let [low, ..] = bytemuck::cast::<_, [u64; 2]>(immediate.bytes);
                let bits = self.ctrl.bits().min(64);
                InstructionData::UnaryImm { opcode, imm: ((low & u64::MAX >> (64 - bits)) as i64).into() }
            }
            (F::UnaryConst, RowDetail::Bytes) => {
                let bytes = immediate.bytes.get(..self.ctrl.bytes() as usize)?;
                let constant_handle = dfg.constants.insert(ConstantData::from(bytes));
                InstructionData::UnaryConst { opcode, constant_handle }
            }
            (F::LoadNoOffset, RowDetail::None) if opcode == Opcode::Bitcast => {
                let flags = flags(MemFlagsData::new().with_endianness(Endianness::Little))?;
                InstructionData::LoadNoOffset { opcode, arg: at(0)?, flags }
            }
            (F::Load, RowDetail::None) => {
                let flags = flags(crate::lane::memory())?;
                InstructionData::Load { opcode, arg: at(0)?, flags, offset: immediate.offset.into() }
            }
            (F::Store, RowDetail::None) => {
                let flags = flags(crate::lane::memory())?;
                InstructionData::Store { opcode, args: [at(0)?, at(1)?], flags, offset: immediate.offset.into() }
            }
            _ => return None,
        })
    }

    /// Appends the instruction to the builder's current block. `None` if it has no result.
    pub(super) fn build(&self, b: &mut FunctionBuilder<'_>, args: &[Value], immediate: Immediate) -> Option<Value> {
        let data = self.data(b.func, args, immediate)?;
        let (inst, dfg) = b.ins().build(data, self.ctrl);
        dfg.inst_results(inst).first().copied()
    }
}

/// The types that there are, but for those of variable length.
fn types() -> Vec<Type> {
    let lanes = [I8, I16, I32, I64, I128, F16, F32, F64, F128];
    let counts = [1, 2, 4, 8, 16, 32];
    lanes.into_iter().flat_map(|lane| counts.map(|count| lane.by(count))).flatten().collect()
}

/// All instructions that [`Row::data`] makes, known or not.
fn candidates() -> Vec<Row> {
    let types = types();
    // Vectors of variable length are no types of ours.
    let of_value = |opcode: &&Opcode| !opcode.is_terminator() && !opcode.is_call() && **opcode != Opcode::ExtractVector;
    let mut rows = Vec::new();
    for &opcode in Opcode::all().iter().filter(of_value) {
        let constraints = opcode.constraints();
        let ctrls: Vec<Type> = match constraints.ctrl_typeset() {
            Some(set) => types.iter().copied().filter(|&ty| set.contains(ty)).collect(),
            None => vec![INVALID],
        };
        for ctrl in ctrls {
            let accesses = matches!(opcode.format(), InstructionFormat::Load | InstructionFormat::Store);
            let count = constraints.num_fixed_value_arguments();
            let of_argument = |index: usize| match constraints.value_argument_constraint(index, ctrl) {
                _ if accesses && index + 1 == count => vec![I64],
                ResolvedConstraint::Bound(ty) => vec![ty],
                ResolvedConstraint::Free(set) => types.iter().copied().filter(|&ty| set.contains(ty)).collect(),
            };
            let result = match constraints.num_fixed_results() {
                0 => None,
                1 => Some(constraints.result_type(0, ctrl)),
                _ => continue,
            };
            for args in combinations(&(0..count).map(of_argument).collect::<Vec<_>>()) {
                let is_cast = opcode == Opcode::Bitcast;
                if is_cast && args.first().map(|ty| ty.bits()) != result.map(Type::bits) {
                    continue;
                }
                let row = |detail| Row { opcode, ctrl, args: args.clone(), result, detail };
                rows.extend(details(opcode, &args).into_iter().map(row));
            }
        }
    }
    rows
}

/// One of each list.
fn combinations(lists: &[Vec<Type>]) -> Vec<Vec<Type>> {
    lists.iter().fold(vec![Vec::new()], |known, list| {
        let with = |start: &Vec<Type>| list.iter().map(|&ty| [start.clone(), vec![ty]].concat()).collect::<Vec<_>>();
        known.iter().flat_map(with).collect()
    })
}

/// What instructions of an opcode have beside operands of these types.
fn details(opcode: Opcode, args: &[Type]) -> Vec<RowDetail> {
    let lanes = || (0..args[0].lane_count() as u8).map(RowDetail::Lane).collect();
    match opcode.format() {
        InstructionFormat::IntCompare => IntCC::all().iter().copied().map(RowDetail::Int).collect(),
        InstructionFormat::FloatCompare => FloatCC::all().iter().copied().map(RowDetail::Float).collect(),
        InstructionFormat::BinaryImm8 | InstructionFormat::TernaryImm8 => lanes(),
        InstructionFormat::Shuffle | InstructionFormat::UnaryImm | InstructionFormat::UnaryConst => {
            vec![RowDetail::Bytes]
        }
        _ => vec![RowDetail::None],
    }
}

/// A function that loads the operands of an instruction and stores its result. `None` if there is none that Cranelift's
/// verifier accepts.
pub(crate) fn example(row: &Row) -> Option<Function> {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params.push(AbiParam::new(I64));
    signature.returns.push(AbiParam::new(I64));
    let mut function = Function::with_name_signature(UserFuncName::user(0, 0), signature);
    let mut context = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut context);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let address = b.block_params(entry)[0];
    let operands = row.args.len() - usize::from(row.accesses());
    let load = |(index, &ty): (usize, &Type)| b.ins().load(ty, crate::lane::memory(), address, 32 * index as i32);
    let mut args: Vec<Value> = row.args[..operands].iter().enumerate().map(load).collect();
    args.extend(row.accesses().then_some(address));
    let immediate = Immediate { offset: 256, bytes: std::array::from_fn(|n| 7 * n as u8) };
    if let Some(result) = row.build(&mut b, &args, immediate) {
        b.ins().store(crate::lane::memory(), result, address, 512);
    }
    b.ins().return_(&[address]);
    b.seal_all_blocks();
    let has_it = |block| function.layout.block_insts(block).any(|inst| function.dfg.insts[inst].opcode() == row.opcode);
    has_it(cranelift_codegen::ir::Block::new(0)).then_some(())?;
    let flags = Flags::new(settings::builder());
    cranelift_codegen::verify_function(&function, &flags).ok()?;
    Some(function)
}

/// What the code generator knows.
pub(crate) fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let is_known =
            |row: &Row| example(row).is_some_and(|function| select::select(&function, &InstPairs::default()).is_ok());
        candidates().into_iter().filter(is_known).collect()
    });
    &ROWS
}
