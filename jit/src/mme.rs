//! Macros of the Tegra X1 (MME): basic blocks with delay slots inside the block of their branch; registers are
//! variables, or constants while they are known.
//!
//! Methods without side effects are stored inline, and their dirty groups are collected until the machine may read
//! them; the others call the machine: the only call that compiled code makes, through an address among its arguments.
//!
//! Macros are short, about ten instructions, and called often: the overhead of a call matters as much as the code.

#![allow(unsafe_code)]

mod lower;

use std::cell::Cell;

use triglyph_guest::kernel::mme::{MmeEnd, MmeJob, MmeKernel, MmeKey, MmeMachine, MmeStop};
use triglyph_guest::kernel::{MachineCode, Unsupported};

use crate::code::{Code, Compiler};
use crate::convention::host_convention;
use crate::guard::guarded;

/// Longer programs are unsupported. Twice what the hardware can hold.
const MAX_INSTRUCTIONS: usize = 4096;

/// Arguments of the code.
#[repr(C)]
struct MacroArgs {
    /// `count` parameters, or any word when there are none.
    parameters: *const u32,
    count: u32,
    /// Number of fetches, including those beyond the last parameter. Written at the end.
    fetched: u32,
    live: *const Cell<u32>,
    shadow: *const Cell<u32>,
    groups: *const u32,
    dirty: *const Cell<u32>,
    direct: *const Cell<bool>,
    branches: *const Cell<u32>,
    send: host_convention!(fn(*mut Machine<'_>, u32, u32)),
    machine: *mut u8,
}

/// The machine, as a pointer to a trait object in a single register.
struct Machine<'a>(&'a mut dyn MmeMachine);

host_convention! {
    fn send(machine: *mut Machine<'_>, method: u32, datum: u32) {
        // SAFETY: compiled code passes on the pointer to the `Machine` that `run` gave it, which lives until the code
        // returns and which `run` does not use meanwhile.
        let machine = unsafe { &mut *machine };
        guarded((), || machine.0.send(method, datum));
    }
}

/// A macro as machine code.
pub(crate) struct CompiledMacro {
    code: Code<MacroArgs>,
}

impl CompiledMacro {
    pub fn new(compiler: &Compiler, key: &MmeKey) -> Result<Self, Unsupported> {
        if key.code.len() > MAX_INSTRUCTIONS {
            return Err(Unsupported("a macro longer than the hardware's memory"));
        }
        Ok(CompiledMacro { code: compiler.compile(key.code.len() as u32, |e| lower::build(e, key))? })
    }
}

/// Status words: why a program ended, and where.
const EXIT: u64 = 0;
const ILLEGAL: u64 = 1;
const BRANCH_IN_SLOT: u64 = 2;
const OFF_THE_END: u64 = 3;
const OUT_OF_BRANCHES: u64 = 4;

impl MmeKernel for CompiledMacro {
    fn run(&self, job: &mut MmeJob<'_>) -> Result<MmeEnd, Unsupported> {
        let count = u32::try_from(job.parameters.len()).map_err(|_| Unsupported("too many parameters"))?;
        let mut machine = Machine(&mut *job.machine);
        let mut args = MacroArgs {
            parameters: if count == 0 { &0 } else { job.parameters.as_ptr() },
            count,
            fetched: 0,
            live: job.live.as_ptr(),
            shadow: job.shadow.as_ptr(),
            groups: job.groups.as_ptr(),
            dirty: job.dirty,
            direct: job.direct,
            branches: job.branches,
            send,
            machine: (&raw mut machine).cast(),
        };
        // SAFETY: the code is that of a macro, called with the arguments of one. Method addresses are masked to the
        // `METHODS` elements of the three arrays; the parameter's index is below `count`, or 0, where `parameters`
        // always has a word. Registers, `dirty`, `direct` and `branches` are cells of this thread, so the machine may
        // change them while the code runs.
        let status = unsafe { self.code.call(&raw mut args) };
        let at = (status >> 32) as u32;
        let stop = match status & 0xFF {
            EXIT => MmeStop::Exit,
            ILLEGAL => MmeStop::Illegal { at },
            BRANCH_IN_SLOT => MmeStop::BranchInDelaySlot { at },
            OFF_THE_END => MmeStop::OffTheEnd,
            _ => MmeStop::OutOfBranches,
        };
        let (missing, unused) = (args.fetched.saturating_sub(count), count.saturating_sub(args.fetched));
        Ok(MmeEnd { stop, missing, unused })
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}
