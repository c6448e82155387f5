//! The compiler: from emitters of CLIF to machine code that can be called.
//!
//! ```text
//! Compiler::compile(size, build)
//!   scratch of this thread -> FunctionBuilder -> build(&mut Emit) -> CLIF -> bytes -> JITModule of its own
//!     -> Code { entry, module }; dropping it frees its block of the memory that all kernels share (memory.rs)
//! ```
//!
//! Every kernel is one function `fn(*mut Args) -> u64` of the host's convention in one module of its own: code is freed
//! when the last owner drops it, and it is never patched. There are no relocations: constants follow the code, and the
//! code calls only functions whose addresses are among its arguments. Emitted code has no traps and no divisions that
//! could fault.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::fmt::Write as _;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Function, Signature, UserFuncName, types};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, Context};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use triglyph_guest::kernel::{MachineCode, Unsupported, Vectors};

use crate::convention::{convention, host_convention};
use crate::effort::{Effort, Plan, Policy};
use crate::guard;
use crate::interleave::{InstPairs, interleave};
use crate::lane::{Caps, Emit, Pairs};
use crate::memory::{CodeMemory, Provider};
use crate::promote::promote;
use crate::wide::{self, Refusal, WideCode};

/// The reason of a tier that would make the same code as the one before it.
const SAME: Unsupported = Unsupported("a kernel for which no other code is better");

/// Makes machine code for one tier of an engine. Any number of threads may compile at once.
pub struct Compiler {
    shared: Arc<Shared>,
    caps: Caps,
    policy: Policy,
    stats: Mutex<Stats>,
}

/// What the tiers of an engine have in common.
struct Shared {
    baseline: OwnedTargetIsa,
    optimized: OwnedTargetIsa,
    memory: Arc<CodeMemory>,
}

/// Counters of a compiler. Keys that are rejected before code generation begins do not count as unsupported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Functions with single-pass register allocation.
    pub baseline: u64,
    /// Functions with backtracking register allocation.
    pub optimized: u64,
    /// Functions whose compilation was begun and found unsupported.
    pub unsupported: u64,
    /// Bytes of code and constants.
    pub bytes: u64,
    /// Time spent, all threads together.
    pub time: Duration,
}

/// Memory that a thread reuses from one compilation to the next.
struct Scratch {
    context: Context,
    builder: FunctionBuilderContext,
    plane: ControlPlane,
}

/// Bytes of stack that code may use. Long programs that spill every value need megabytes, and a host's threads may have
/// as little as 512 KiB.
const MAX_STACK: u32 = 64 << 10;

/// Instructions of CLIF up to which a thread keeps the memory that compiling took: about a megabyte. More would stay
/// with each thread that has compiled a long program once.
const MAX_KEPT_INSTRUCTIONS: usize = 1 << 13;

/// Instructions of CLIF that a function may have: about a megabyte of code, and a tenth of a second to compile.
const MAX_INSTRUCTIONS: usize = 1 << 17;

thread_local! {
    /// Taken while compiling: a nested compilation gets its own.
    static SCRATCH: RefCell<Option<Box<Scratch>>> = const { RefCell::new(None) };
}

impl Scratch {
    fn take() -> Box<Scratch> {
        SCRATCH.with_borrow_mut(Option::take).unwrap_or_else(|| {
            Box::new(Scratch {
                context: Context::new(),
                builder: FunctionBuilderContext::new(),
                plane: ControlPlane::default(),
            })
        })
    }

    fn give_back(self: Box<Scratch>) {
        if self.context.func.dfg.num_insts() <= MAX_KEPT_INSTRUCTIONS {
            SCRATCH.with_borrow_mut(|slot| *slot = Some(self));
        }
    }
}

impl Compiler {
    /// A compiler for the machine it runs on, with checks in builds with debug assertions and in tests of this crate.
    pub fn new(policy: impl Into<Policy>) -> Result<Self, Unsupported> {
        Self::with_checks(policy, cfg!(any(debug_assertions, test)))
    }

    /// A compiler that may prove each step: Cranelift's verifier, what allocators of registers have to keep to. A
    /// fault that is found panics.
    pub fn with_checks(policy: impl Into<Policy>, checks: bool) -> Result<Self, Unsupported> {
        let builder = || cranelift_native::builder().map_err(|_| Unsupported("no code generator for this host"));
        let finish = |allocator: &str| {
            let flags =
                settings::Flags::new(flags(allocator, checks).map_err(|_| Unsupported("code generator settings"))?);
            builder()?.finish(flags).map_err(|_| Unsupported("code generator features"))
        };
        let (baseline, optimized) = (finish("single_pass")?, finish("backtracking")?);
        let caps = caps(&*optimized);
        if optimized.pointer_bits() != 64 {
            return Err(Unsupported("not a 64-bit host"));
        }
        if is_x86(&*optimized) && !caps.x86 {
            return Err(Unsupported("x86-64 without SSE4.1"));
        }
        let shared = Arc::new(Shared { baseline, optimized, memory: Arc::default() });
        Ok(Compiler { shared, caps, policy: policy.into(), stats: Mutex::default() })
    }

    /// The compiler of another tier of the same engine, with counters of its own.
    #[must_use]
    pub fn with_policy(&self, policy: Policy) -> Self {
        Compiler { shared: self.shared.clone(), caps: self.caps, policy, stats: Mutex::default() }
    }

    /// The same one without vectors of 256 bits, as on hosts that have none.
    #[must_use]
    pub fn with_narrow_vectors(mut self) -> Self {
        self.caps.wide = false;
        self
    }

    /// The same one with that code generator for all functions, not only for those that do several iterations at once.
    #[cfg(any(test, feature = "random"))]
    #[must_use]
    pub fn with_wide_code_alone(mut self) -> Self {
        self.caps.wide_alone = true;
        self
    }

    /// Whether it makes code with vectors of 256 bits.
    pub fn has_wide_vectors(&self) -> bool {
        self.caps.wide
    }

    /// A compiler for AArch64, whatever the host: its code must not be called.
    #[cfg(all(test, feature = "check-aarch64"))]
    pub fn aarch64() -> Self {
        let finish = |allocator| {
            let flags = settings::Flags::new(flags(allocator, true).unwrap());
            cranelift_codegen::isa::lookup_by_name("aarch64-unknown-linux-gnu").unwrap().finish(flags).unwrap()
        };
        let (baseline, optimized) = (finish("single_pass"), finish("backtracking"));
        let caps = caps(&*optimized);
        let shared = Arc::new(Shared { baseline, optimized, memory: Arc::default() });
        Compiler { shared, caps, policy: Effort::Baseline.into(), stats: Mutex::default() }
    }

    /// The counters so far.
    pub fn stats(&self) -> Stats {
        *self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn isa(&self, Plan { effort, pairs }: Plan) -> (&OwnedTargetIsa, Caps) {
        let caps = Caps { pairs, ..self.caps };
        match effort {
            Effort::Optimized => (&self.shared.optimized, caps),
            Effort::Baseline => (&self.shared.baseline, Caps { copies: true, ..caps }),
        }
    }

    /// Compiles one function. `size` counts guest instructions, by which the policy chooses the effort; `build` emits
    /// the body for arguments `A`, its last block must return through [`Emit::finish`].
    pub fn compile<A>(
        &self,
        size: u32,
        build: impl FnOnce(&mut Emit<'_>) -> Result<(), Unsupported>,
    ) -> Result<Code<A>, Unsupported> {
        let plan = self.policy.plan(size).ok_or(SAME)?;
        let start = Instant::now();
        let (isa, caps) = self.isa(plan);
        let code = self.compile_with(isa, caps, build);
        let time = start.elapsed();
        let mut stats = self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        stats.time += time;
        match &code {
            Ok(code) => {
                stats.bytes += code.bytes() as u64;
                *(if plan.effort == Effort::Optimized { &mut stats.optimized } else { &mut stats.baseline }) += 1;
            }
            Err(_) => stats.unsupported += 1,
        }
        code
    }

    fn compile_with<A>(
        &self,
        isa: &OwnedTargetIsa,
        caps: Caps,
        build: impl FnOnce(&mut Emit<'_>) -> Result<(), Unsupported>,
    ) -> Result<Code<A>, Unsupported> {
        let mut scratch = Scratch::take();
        let (bytes, vectors) = match emit(&mut scratch, &**isa, caps, false, build)? {
            Emitted::Wide(wide) => (wide.bytes, Vectors::Wide),
            Emitted::Narrow => (code_of(&scratch.context)?, Vectors::Narrow),
            Emitted::NotWidened(why) => (code_of(&scratch.context)?, Vectors::NotWidened(why.to_string().into())),
        };
        scratch.give_back();
        let (module, entry) = load(isa, &self.shared.memory, &bytes).ok_or(Unsupported("no executable memory"))?;
        let made = MachineCode { bytes: bytes.len(), vectors };
        Ok(Code { module: Some(module), entry, made, arguments: PhantomData })
    }

    /// The CLIF and the host instructions that [`Self::compile`] would make, for reports.
    pub fn dump(&self, size: u32, build: impl FnOnce(&mut Emit<'_>) -> Result<(), Unsupported>) -> String {
        let Some(plan) = self.policy.plan(size) else { return SAME.to_string() };
        let (isa, caps) = self.isa(plan);
        let mut scratch = Scratch::take();
        let mut text = String::new();
        let made = emit(&mut scratch, &**isa, caps, true, build);
        if let Err(unsupported) = &made {
            let _ = writeln!(text, "{unsupported}");
        }
        let _ = writeln!(text, "{}", scratch.context.func.display());
        if let Ok(Emitted::NotWidened(why)) = &made {
            let _ = writeln!(text, "; vectors of 128 bits: {why}");
        }
        if let Ok(Emitted::Wide(wide)) = made {
            let _ = writeln!(text, "; {} bytes with vectors of 256 bits:", wide.bytes.len());
            let (code, constants) = wide.bytes.split_at(wide.constants);
            write_code(&mut text, code);
            for (number, constant) in constants.chunks(32).enumerate() {
                let _ = write!(text, "{:6x}:", wide.constants + 32 * number);
                write_bytes(&mut text, constant);
            }
        }
        if let Some(vcode) = scratch.context.compiled_code().and_then(|c| c.vcode.as_ref()) {
            text.push_str(vcode);
        }
        scratch.give_back();
        text
    }
}

/// Writes the listing of code that begins at offset 0.
#[cfg(feature = "listing")]
fn write_code(text: &mut String, code: &[u8]) {
    use iced_x86::{Decoder, DecoderOptions, Formatter as _, IntelFormatter};

    let mut formatter = IntelFormatter::new();
    let mut line = String::new();
    for instruction in &mut Decoder::with_ip(64, code, 0, DecoderOptions::NONE) {
        line.clear();
        formatter.format(&instruction, &mut line);
        let _ = writeln!(text, "{:6x}: {line}", instruction.ip());
    }
}

/// Writes the bytes of code, for a disassembler.
#[cfg(not(feature = "listing"))]
fn write_code(text: &mut String, code: &[u8]) {
    code.chunks(32).for_each(|line| write_bytes(text, line));
}

fn write_bytes(text: &mut String, bytes: &[u8]) {
    bytes.iter().for_each(|byte| {
        let _ = write!(text, " {byte:02x}");
    });
    text.push('\n');
}

/// Shared settings: no optimisation passes, no traps, no unwinding, no relocations.
fn flags(allocator: &str, checks: bool) -> Result<settings::Builder, settings::SetError> {
    let checks = if checks { "true" } else { "false" };
    let mut flags = settings::builder();
    flags.set("opt_level", "none")?;
    flags.set("regalloc_algorithm", allocator)?;
    flags.set("enable_verifier", checks)?;
    flags.set("regalloc_checker", checks)?;
    flags.set("use_colocated_libcalls", "false")?;
    flags.set("is_pic", "false")?;
    flags.set("unwind_info", "false")?;
    // A frame of more than a page touches each of its pages in order, so that none passes the guard page of a thread's
    // stack; Windows also grows stacks in this way only.
    flags.set("enable_probestack", "true")?;
    flags.set("probestack_strategy", "inline")?;
    Ok(flags)
}

fn is_x86(isa: &dyn TargetIsa) -> bool {
    isa.triple().architecture == target_lexicon::Architecture::X86_64
}

fn caps(isa: &dyn TargetIsa) -> Caps {
    let has = |name: &str| isa.isa_flags().iter().any(|flag| flag.name == name && flag.as_bool() == Some(true));
    Caps {
        x86: is_x86(isa) && has("has_sse41") && has("has_ssse3"),
        copies: false,
        pairs: Pairs::WherePossible,
        wide: wide::is_supported(isa),
        wide_alone: false,
    }
}

/// The code that Cranelift has made.
fn code_of(context: &Context) -> Result<Vec<u8>, Unsupported> {
    let compiled = context.compiled_code().ok_or(Unsupported("nothing compiled"))?;
    if !compiled.buffer.relocs().is_empty() {
        return Err(Unsupported("code would need relocations"));
    }
    let frame = compiled.buffer.frame_layout().map_or(0, |frame| frame.frame_to_fp_offset);
    if frame > MAX_STACK {
        return Err(Unsupported("code that needs too much stack"));
    }
    Ok(compiled.code_buffer().to_vec())
}

/// The result of [`emit`].
enum Emitted {
    /// Code with vectors of 256 bits.
    Wide(WideCode),
    /// Cranelift has made code, which the context holds.
    Narrow,
    /// Likewise, because the function could not have vectors of 256 bits.
    NotWidened(Refusal),
}

/// Builds and compiles one function in `scratch`. With a verifier in the settings each step's result is verified.
fn emit(
    scratch: &mut Scratch,
    isa: &dyn TargetIsa,
    caps: Caps,
    disassemble: bool,
    build: impl FnOnce(&mut Emit<'_>) -> Result<(), Unsupported>,
) -> Result<Emitted, Unsupported> {
    let Scratch { context, builder, plane } = scratch;
    context.clear();
    context.set_disasm(disassemble);
    context.func.signature = signature(isa);
    context.func.name = UserFuncName::user(0, 0);
    // Unsupported functions are found by checks, here and in emitters, so that hosts whose panics abort fall back to
    // the interpreter, too. Should the code generator panic all the same, other hosts fall back as well. State that a
    // panic leaves half done is cleared above before it is used again.
    let checks = isa.flags().enable_verifier();
    let result = catch_panics(checks, || {
        let mut emit = Emit::new(FunctionBuilder::new(&mut context.func, builder), caps);
        build(&mut emit)?;
        let slots = std::mem::take(&mut emit.slots);
        let (args, bodies, branches) = emit.close(isa.frontend_config());
        // Single-pass allocation has values that outlive their block in memory anyway.
        slots.into_iter().filter(|_| !caps.copies).for_each(|slots| promote(&mut context.func, slots));
        context.verify_if(isa).map_err(|error| unsupported(error, &context.func))?;
        let mut inst_pairs = InstPairs::default();
        let mut made = Emitted::Narrow;
        for body in bodies {
            match interleave(&mut context.func, args, &body, &branches) {
                Ok(more) => inst_pairs.extend(more),
                Err(why) if caps.wide => made = Emitted::NotWidened(why.into()),
                Err(_) => {}
            }
        }
        if caps.pairs == Pairs::Required && inst_pairs.is_empty() {
            return Err(SAME);
        }
        if context.func.dfg.num_insts() > MAX_INSTRUCTIONS {
            return Err(Unsupported("code that is too long"));
        }
        if caps.wide && (caps.wide_alone || !inst_pairs.is_empty()) {
            // The code generator has no aliases. Where bodies were interleaved, there are none any more.
            if inst_pairs.is_empty() {
                context.func.dfg.resolve_all_aliases();
            }
            context.verify_if(isa).map_err(|error| unsupported(error, &context.func))?;
            match wide::compile(&context.func, &inst_pairs, MAX_STACK, checks) {
                Ok(wide) => return Ok(Emitted::Wide(wide)),
                Err(why) => made = Emitted::NotWidened(sound(why, &context.func, checks)),
            }
        }
        // Verifies the function once more.
        context.compile(isa, plane).map_err(|error| unsupported(error.inner, error.func))?;
        Ok(made)
    });
    if result.is_err() {
        *builder = FunctionBuilderContext::new();
    }
    result
}

/// Why the code generator does not compile a function.
///
/// # Panics
/// When the verifier has rejected the function, which is a bug of the code that emitted it. It runs with checks only.
fn unsupported(error: CodegenError, function: &Function) -> Unsupported {
    if let CodegenError::Verifier(errors) = &error {
        panic!("{errors}\n{}", function.display());
    }
    Unsupported("a function that the code generator does not support")
}

/// Why the code generator with vectors of 256 bits does not support a function, after which Cranelift makes the code.
///
/// # Panics
/// With checks, when this is a fault of that code generator.
fn sound(refusal: Refusal, function: &Function, checks: bool) -> Refusal {
    assert!(!(checks && refusal.is_fault()), "{refusal}\n{}", function.display());
    refusal
}

/// Panics count as unsupported, except in tests and with checks, which find them.
fn catch_panics<T>(checks: bool, compile: impl FnOnce() -> Result<T, Unsupported>) -> Result<T, Unsupported> {
    if checks || cfg!(any(test, feature = "propagate-panics")) {
        return compile();
    }
    catch_unwind(AssertUnwindSafe(compile)).unwrap_or(Err(Unsupported("the code generator panicked")))
}

fn signature(isa: &dyn TargetIsa) -> Signature {
    let mut signature = Signature::new(convention(isa));
    signature.params.push(AbiParam::new(types::I64));
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

/// Puts `bytes` into executable memory.
fn load(isa: &OwnedTargetIsa, memory: &Arc<CodeMemory>, bytes: &[u8]) -> Option<(JITModule, *const u8)> {
    let mut builder = JITBuilder::with_isa(isa.clone(), default_libcall_names());
    builder.memory_provider(Box::new(Provider::new(memory)));
    let mut module = JITModule::new(builder);
    let function = module.declare_anonymous_function(&signature(&**isa)).ok()?;
    // 64: constants follow the code, are addressed from its start and may be loaded as aligned.
    let ready = module.define_function_bytes(function, 64, bytes, &[]).is_ok() && module.finalize_definitions().is_ok();
    if !ready {
        // SAFETY: nothing of this module has been given out.
        unsafe { module.free_memory() };
        return None;
    }
    let entry = module.get_finalized_function(function);
    Some((module, entry))
}

/// Finished machine code with arguments `A`. Dropping it frees the memory.
pub struct Code<A> {
    module: Option<JITModule>,
    entry: *const u8,
    made: MachineCode,
    arguments: PhantomData<EntryPoint<A>>,
}

/// The type of an entry point.
// SAFETY: callers pass the arguments that the code was compiled for, as the safety section of the call asks.
type EntryPoint<A> = host_convention!(unsafe fn(*mut A) -> u64);

// SAFETY: the code is never written after `load`, so that any thread may run it; the module is only touched again by
// `drop`, which has the value for itself.
unsafe impl<A> Send for Code<A> {}
// SAFETY: `&Code` gives nothing but the entry point of code that is never written, and numbers.
unsafe impl<A> Sync for Code<A> {}

impl<A> Code<A> {
    /// Runs the code and returns its status. A panic of what the code has called goes on from here.
    ///
    /// # Safety
    ///
    /// `args` must be valid for reads and writes, and every address and bound in it for what the kernel reads and
    /// writes, until the call returns.
    pub unsafe fn call(&self, args: *mut A) -> u64 {
        // SAFETY: `entry` is a finalized function of exactly this signature (`signature`), alive as long as `self`, and
        // the caller vouches for its arguments.
        let status = unsafe { std::mem::transmute::<*const u8, EntryPoint<A>>(self.entry)(args) };
        guard::go_on();
        status
    }

    /// Where the code begins.
    #[cfg(any(test, feature = "random"))]
    pub fn entry(&self) -> *const u8 {
        self.entry
    }

    /// Bytes of code and constants.
    pub fn bytes(&self) -> usize {
        self.made.bytes
    }

    /// Its size and vectors, for reports.
    pub fn made(&self) -> MachineCode {
        self.made.clone()
    }
}

impl<A> Drop for Code<A> {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: calls borrow `self`, so none is running, and the entry point dies with `self`.
            unsafe { module.free_memory() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads so many vectors, then stores them all.
    fn keep(vectors: i32) -> impl FnOnce(&mut Emit<'_>) -> Result<(), Unsupported> {
        move |e| {
            let args = e.args;
            let values: Vec<_> = (0..vectors).map(|n| e.load_ints(args, 16 * n)).collect();
            values.iter().rev().for_each(|value| e.store(value.0, args, 0));
            e.succeed();
            Ok(())
        }
    }

    fn unsupported_reason(effort: Effort, vectors: i32) -> Option<Unsupported> {
        Compiler::new(effort).unwrap().compile::<u8>(1, keep(vectors)).err()
    }

    #[test]
    fn frames_of_more_than_a_page_touch_their_pages() {
        let probe = if cfg!(target_arch = "x86_64") { "movl $0x0, (%rsp)" } else { "wzr, [sp" };
        let probes = |vectors| Compiler::new(Effort::Baseline).unwrap().dump(1, keep(vectors)).contains(probe);
        assert!(!probes(100));
        assert!(probes(1000));
    }

    #[test]
    fn code_keeps_to_its_stack_and_its_length() {
        for effort in [Effort::Baseline, Effort::Optimized] {
            assert_eq!(unsupported_reason(effort, 1000), None);
            assert_eq!(unsupported_reason(effort, 5000), Some(Unsupported("code that needs too much stack")));
        }
        assert_eq!(unsupported_reason(Effort::Baseline, 70_000), Some(Unsupported("code that is too long")));
    }
}
