//! The macro method expander of a channel: its memory, and calls that wait for their parameters.

use std::collections::HashMap;

use triglyph_guest::kernel::mme::{MmeKey, MmeStop};
use triglyph_guest::tegra::mme::{CODE_WORDS_ACCEPTED, MACROS};

use crate::cache::{Kernels, MmeHandle};

/// Parameters of one call at most; hardware has no limit, for it takes them one by one.
const MOST_PARAMETERS: usize = 1 << 20;

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
#[derive(Clone, Debug)]
pub struct Ready {
    /// The kernel.
    pub kernel: MmeHandle,
    /// The word of macro memory at which the kernel's code begins.
    pub low: usize,
}

/// Macro memory, start addresses, the call that is being collected.
#[derive(Debug)]
pub struct Expander {
    code: Vec<u32>,
    starts: [u32; MACROS],
    ready: HashMap<u32, Ready>,
    pending: Option<Call>,
}

impl Default for Expander {
    fn default() -> Self {
        Expander { code: Vec::new(), starts: [0; MACROS], ready: HashMap::new(), pending: None }
    }
}

impl Expander {
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
            self.ready.clear();
        }
        true
    }

    /// Stores where macro `index` begins.
    pub fn store_start(&mut self, index: usize, word: u32) {
        self.starts[index % MACROS] = word;
    }

    /// A call of macro `index` begins; the one before it, if it is still waiting, is returned.
    pub fn begin(&mut self, index: usize, parameter: u32, two_d: bool) -> Option<Call> {
        self.pending.replace(Call { index: index % MACROS, parameters: vec![parameter], two_d })
    }

    /// A parameter for macro `index`. False when no such call is waiting.
    pub fn parameter(&mut self, index: usize, value: u32) -> bool {
        match &mut self.pending {
            Some(call) if call.index == index % MACROS && call.parameters.len() < MOST_PARAMETERS => {
                call.parameters.push(value);
                true
            }
            _ => false,
        }
    }

    /// Whether a call waits for more parameters.
    pub fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// The call that waits, to be run.
    pub fn take(&mut self) -> Option<Call> {
        self.pending.take()
    }

    /// The kernel of macro `index`.
    pub fn kernel(&mut self, index: usize, kernels: &Kernels) -> Ready {
        let start = self.starts[index % MACROS];
        let code = &self.code;
        let ready = self.ready.entry(start).or_insert_with(|| {
            let (key, low) = MmeKey::new(code, start as usize);
            Ready { kernel: kernels.mme(&key), low }
        });
        ready.clone()
    }
}

/// What a stop means to people; `None` for an ordinary end.
pub fn describe(stop: MmeStop, low: usize) -> Option<String> {
    let word = |at: u32| low + at as usize;
    Some(match stop {
        MmeStop::Exit => return None,
        MmeStop::Illegal { at } => format!("word {:#x} is no instruction", word(at)),
        MmeStop::BranchInDelaySlot { at } => format!("a branch in a delay slot at word {:#x}", word(at)),
        MmeStop::OffTheEnd => "it ran off the end of macro memory".to_owned(),
        MmeStop::OutOfBranches => "it does not end".to_owned(),
    })
}
