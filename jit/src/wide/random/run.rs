//! Random functions compiled and run by each code generator.

#![allow(unsafe_code)]

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Function, Signature, UserFuncName};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use target_lexicon::PointerWidth;
use triglyph_guest::kernel::{Unsupported, Vectors};

use super::functions;
use super::memory::Memory;
use super::program::Program;
use crate::code::{Code, Compiler};
use crate::effort::{Effort, Policy};
use crate::lane::{Caps, Emit};

/// What each function is run with: so many contents of memory.
const ROUNDS: u64 = 3;

/// What came of a function that left the same on each way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Why this code generator did not take it with one iteration at a time.
    pub single: Option<String>,
    /// Why it did not with several at once.
    pub several: Option<String>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Two ways left something else.
    Different(String),
    /// A step of compiling found a fault, or is at fault.
    Panic(String),
}

impl Failure {
    /// Whether both are of one kind.
    pub fn is_like(&self, other: &Failure) -> bool {
        matches!(self, Failure::Different(_)) == matches!(other, Failure::Different(_))
    }

    pub fn text(&self) -> &str {
        match self {
            Failure::Different(text) | Failure::Panic(text) => text,
        }
    }
}

/// The ways.
struct Compilers {
    /// Cranelift, one iteration at a time: what the others have to do.
    cranelift: Compiler,
    single: Compiler,
    several: Compiler,
    /// Cranelift, several iterations at once: tells faults of the code generator from those of what is done before.
    narrow: Compiler,
}

/// `None` where a host has no vectors of 256 bits.
static COMPILERS: LazyLock<Option<Compilers>> = LazyLock::new(|| {
    fn compiler(policy: impl Into<Policy>, checks: bool) -> Option<Compiler> {
        Compiler::with_checks(policy, checks).ok()
    }
    let compilers = Compilers {
        cranelift: compiler(Effort::Baseline, false)?,
        single: compiler(Policy::from(Effort::Optimized).without_pairs(), true)?.with_wide_code_alone(),
        several: compiler(Effort::Optimized, true)?,
        narrow: compiler(Effort::Optimized, false)?.with_narrow_vectors(),
    };
    compilers.several.has_wide_vectors().then_some(compilers)
});

#[cfg(test)]
/// Whether this host can run such functions.
pub(crate) fn is_possible() -> bool {
    COMPILERS.is_some()
}

/// Compiles and runs a function on all ways. A host without vectors of 256 bits finds nothing.
pub(super) fn check(program: &Program) -> Result<Outcome, Failure> {
    catch_unwind(AssertUnwindSafe(|| compared(program))).unwrap_or_else(|panic| Err(Failure::Panic(message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}

fn compared(program: &Program) -> Result<Outcome, Failure> {
    let Some(compilers) = &*COMPILERS else { return Ok(Outcome::default()) };
    let cranelift = match compile(&compilers.cranelift, program) {
        Ok(code) => code,
        Err(Unsupported(why)) => {
            let why = Some(format!("Cranelift: {why}"));
            return Ok(Outcome { single: why.clone(), several: why });
        }
    };
    let mut outcome = Outcome::default();
    let ways = [
        ("one at a time", &compilers.single, &mut outcome.single),
        ("several at once", &compilers.several, &mut outcome.several),
    ];
    for (name, compiler, refusal) in ways {
        match compile(compiler, program) {
            Ok(code) => {
                *refusal = refused(&code);
                equal(&cranelift, &code, program).map_err(|what| {
                    let others = compile(&compilers.narrow, program).map(|narrow| equal(&cranelift, &narrow, program));
                    let also = matches!(others, Ok(Err(_)));
                    let also = if also { ", as Cranelift's code for several at once does" } else { "" };
                    Failure::Different(format!("{name}{also}: {what}"))
                })?;
            }
            Err(Unsupported(why)) => *refusal = Some(why.to_string()),
        }
    }
    Ok(outcome)
}

fn compile(compiler: &Compiler, program: &Program) -> Result<Code<Memory>, Unsupported> {
    compiler.compile(1, |e| {
        program.emit(e);
        Ok(())
    })
}

/// Why code is Cranelift's.
fn refused(code: &Code<Memory>) -> Option<String> {
    match code.made().vectors {
        Vectors::Wide => None,
        Vectors::Narrow => Some("nothing to do at once".to_owned()),
        Vectors::NotWidened(why) => Some(why.to_string()),
    }
}

/// Whether two functions do the same.
fn equal(wanted: &Code<Memory>, code: &Code<Memory>, program: &Program) -> Result<(), String> {
    (0..ROUNDS).try_for_each(|round| {
        let seed = program.data.wrapping_add(round << 32);
        let [(wanted, wanted_status), (got, status)] = [wanted, code].map(|code| run(code, seed, program.has_gaps));
        if wanted_status != status {
            return Err(format!("memory {seed:#x}: returns {status:#x}, not {wanted_status:#x}"));
        }
        let at = wanted.bytes().iter().zip(got.bytes()).position(|(wanted, got)| wanted != got);
        let Some(at) = at.map(|at| at & !15) else { return Ok(()) };
        let [wanted, got] = [&wanted, &got].map(|memory| memory.bytes()[at..at + 16].to_vec());
        Err(format!("memory {seed:#x}: at {at:#x} {got:02X?}, not {wanted:02X?}"))
    })
}

fn run(code: &Code<Memory>, seed: u64, has_gaps: bool) -> (Box<Memory>, u64) {
    let mut memory = Memory::new(seed, functions::addresses());
    // SAFETY: the code loads and stores within `memory`, and calls functions with its address.
    let status = unsafe { call(code, &raw mut *memory) };
    (memory.settled(has_gaps), status)
}

/// Calls code, and checks that it leaves registers that a function has to keep as they were.
///
/// # Safety
///
/// The code must do nothing but with this memory.
#[cfg(all(target_arch = "x86_64", not(windows)))]
unsafe fn call(code: &Code<Memory>, memory: *mut Memory) -> u64 {
    let (status, changed): (u64, u64);
    // SAFETY: the code is a function of this signature, and may do what it does with `memory`. RBX and RBP, which are
    // no operands, are saved; the stack is aligned as before after two registers are pushed.
    unsafe {
        std::arch::asm!(
            "push rbx",
            "push rbp",
            "mov rbx, 0x11111111",
            "mov rbp, 0x22222222",
            "mov r12, 0x33333333",
            "mov r13, 0x44444444",
            "mov r14, 0x55555555",
            "mov r15, 0x66666666",
            "call rax",
            "xor rbx, 0x11111111",
            "xor rbp, 0x22222222",
            "xor r12, 0x33333333",
            "xor r13, 0x44444444",
            "xor r14, 0x55555555",
            "xor r15, 0x66666666",
            "or r12, rbx",
            "or r12, rbp",
            "or r12, r13",
            "or r12, r14",
            "or r12, r15",
            "pop rbp",
            "pop rbx",
            inlateout("rax") code.entry() => status,
            in("rdi") memory,
            lateout("r12") changed,
            lateout("r13") _,
            lateout("r14") _,
            lateout("r15") _,
            clobber_abi("C"),
        );
    }
    assert_eq!(changed, 0, "the code changes a register that it has to keep");
    status
}

/// Calls code.
///
/// # Safety
///
/// The code must do nothing but with this memory.
#[cfg(not(all(target_arch = "x86_64", not(windows))))]
unsafe fn call(code: &Code<Memory>, memory: *mut Memory) -> u64 {
    // SAFETY: the caller vouches for the code, which gets the memory that it works on.
    unsafe { code.call(memory) }
}

/// The function as it is emitted for one iteration at a time.
pub(super) fn function(program: &Program) -> Function {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params.push(AbiParam::new(I64));
    signature.returns.push(AbiParam::new(I64));
    let mut function = Function::with_name_signature(UserFuncName::user(0, 0), signature);
    let mut context = FunctionBuilderContext::new();
    let mut e = Emit::new(FunctionBuilder::new(&mut function, &mut context), Caps { x86: true, ..Caps::default() });
    program.emit(&mut e);
    e.close(TargetFrontendConfig {
        default_call_conv: CallConv::SystemV,
        pointer_width: PointerWidth::U64,
        page_size_align_log2: 12,
    });
    function.dfg.resolve_all_aliases();
    function
}
