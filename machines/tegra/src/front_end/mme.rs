//! The macro method expander of a channel: its memory, and calls that wait for their parameters.

use triglyph_guest::kernel::mme::{MmeKey, MmeStop};
use triglyph_guest::tegra::mme::{CODE_WORDS_ACCEPTED, MACROS};

use triglyph_engine::cache::{Kernels, MacroCaller};
use triglyph_engine::device::FaultKind;
use triglyph_engine::snapshot::state;

/// Parameters of one call at most; hardware has no limit, for it takes them one by one.
const MAX_PARAMETERS: usize = 1 << 20;

/// A macro with its parameters.
#[derive(Clone, Debug)]
pub struct Call {
    /// Index of the macro, 0 to 127.
    pub index: usize,
    /// The first one starts the macro.
    pub parameters: Vec<u32>,
    /// Whether the class is 2D.
    pub two_d: bool,
}

/// A macro, ready to run.
#[derive(Debug)]
pub struct Ready {
    /// The kernel.
    pub kernel: MacroCaller,
    /// The word of macro memory at which the kernel's code begins.
    pub low: usize,
    /// Words of its code.
    pub words: u64,
    /// What [`Mme::changes`] was when this was made.
    made: u64,
}

/// Macro memory, start addresses, the call that is being collected.
#[derive(Debug)]
pub struct Mme {
    code: Vec<u32>,
    starts: [u32; MACROS],
    /// Kernels of macros that were called, but for those that run; of no use when code or starts have changed since.
    ready: [Option<Ready>; MACROS],
    /// How often code or starts changed.
    changes: u64,
    pending: Option<Call>,
    /// Room for parameters that an earlier call had.
    room: Vec<u32>,
}

impl Default for Mme {
    fn default() -> Self {
        let ready = [const { None }; MACROS];
        Mme { code: Vec::new(), starts: [0; MACROS], ready, changes: 0, pending: None, room: Vec::new() }
    }
}

state! {
    /// Macros in a snapshot.
    pub(crate) struct SavedMme { code: Vec<u32>, starts: Vec<u32>, pending: Option<SavedCall> }
    /// The call that is being collected.
    pub(crate) struct SavedCall { index: u32, parameters: Vec<u32>, two_d: bool }
}

impl Mme {
    pub(crate) fn save(&self) -> SavedMme {
        let call = |call: &Call| SavedCall {
            index: call.index as u32,
            parameters: call.parameters.clone(),
            two_d: call.two_d,
        };
        let (code, starts) = (self.code.clone(), self.starts.to_vec());
        SavedMme { code, starts, pending: self.pending.as_ref().map(call) }
    }

    /// What was saved, if it is possible.
    pub(crate) fn restore(saved: SavedMme) -> Option<Self> {
        let SavedMme { code, starts, pending } = saved;
        let sound =
            |call: &SavedCall| (call.index as usize) < MACROS && (1..=MAX_PARAMETERS).contains(&call.parameters.len());
        if code.len() > CODE_WORDS_ACCEPTED || !pending.iter().all(sound) {
            return None;
        }
        let call = |SavedCall { index, parameters, two_d }| Call { index: index as usize, parameters, two_d };
        Some(Mme { code, starts: starts.try_into().ok()?, pending: pending.map(call), ..Mme::default() })
    }

    /// Stores a word of code. False beyond what uploads are accepted for.
    pub fn store_code(&mut self, at: usize, word: u32) -> bool {
        if at >= CODE_WORDS_ACCEPTED {
            return false;
        }
        if self.code.len() <= at {
            self.code.resize(at + 1, 0);
        }
        if self.code[at] != word {
            self.code[at] = word;
            // Whichever macros reach this word: keys are made of contents, so looking them up again is all it takes.
            self.changes += 1;
        }
        true
    }

    /// Stores where macro `index` begins.
    pub fn store_start(&mut self, index: usize, word: u32) {
        self.starts[index % MACROS] = word;
        self.changes += 1;
    }

    /// A call of macro `index` begins. The one before it has been taken.
    pub fn begin(&mut self, index: usize, parameter: u32, two_d: bool) {
        let mut parameters = std::mem::take(&mut self.room);
        parameters.clear();
        parameters.push(parameter);
        self.pending = Some(Call { index: index % MACROS, parameters, two_d });
    }

    /// Parameters for macro `index`. Returns how many are taken: none when no such call is waiting, and not more than
    /// there can be.
    pub fn parameters(&mut self, index: usize, values: &[u32]) -> usize {
        let Some(call) = self.pending.as_mut().filter(|call| call.index == index % MACROS) else { return 0 };
        let taken = values.len().min(MAX_PARAMETERS - call.parameters.len());
        call.parameters.extend_from_slice(&values[..taken]);
        taken
    }

    /// Takes back what a call needed, for the next one.
    pub fn reuse(&mut self, call: Call) {
        self.room = call.parameters;
    }

    /// Whether a call waits for more parameters.
    pub fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// The call that waits, to be run.
    pub fn take(&mut self) -> Option<Call> {
        self.pending.take()
    }

    /// The kernel of macro `index`, to be run and [kept](Self::keep).
    #[inline]
    pub fn ready(&mut self, index: usize, kernels: &Kernels) -> Ready {
        let index = index % MACROS;
        let made = self.ready[index].take().filter(|ready| ready.made == self.changes);
        made.unwrap_or_else(|| {
            let (key, low) = MmeKey::new(&self.code, self.starts[index] as usize);
            let words = key.code.len() as u64;
            Ready { kernel: kernels.mme(&key).into(), low, words, made: self.changes }
        })
    }

    /// Keeps a kernel that has run for the next call, unless the macro has changed macros.
    #[inline]
    pub fn keep(&mut self, index: usize, ready: Ready) {
        if ready.made == self.changes {
            self.ready[index % MACROS] = Some(ready);
        }
    }
}

/// The fault of a macro that ended otherwise than by an exit; `low` is its first word in macro memory.
pub fn fault_of(stop: MmeStop, low: usize) -> Option<(FaultKind, String)> {
    let word = |at: u32| low + at as usize;
    let (kind, what) = match stop {
        MmeStop::Exit => return None,
        MmeStop::Illegal { at } => (FaultKind::BadShader, format!("word {:#x} is no instruction", word(at))),
        MmeStop::BranchInDelaySlot { at } => {
            (FaultKind::BadShader, format!("a branch in a delay slot at word {:#x}", word(at)))
        }
        MmeStop::OffTheEnd => (FaultKind::BadShader, "it ran off the end of macro memory".to_owned()),
        MmeStop::OutOfBranches => (FaultKind::OutOfFuel, "it does not end".to_owned()),
    };
    Some((kind, what))
}
