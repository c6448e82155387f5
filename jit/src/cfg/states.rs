//! Enumeration of the states of a program: its address and the contents of its stacks.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Index;

use triglyph_guest::kernel::Unsupported;

/// States by number, in the order in which they were found.
#[derive(Debug)]
pub struct States<S> {
    all: Vec<S>,
    ids: HashMap<S, usize>,
}

impl<S> Default for States<S> {
    fn default() -> Self {
        States { all: Vec::new(), ids: HashMap::new() }
    }
}

impl<S: Clone + Eq + Hash> States<S> {
    /// The number of a state; a new one is worked off later.
    pub fn id(&mut self, state: S) -> usize {
        let next = self.all.len();
        *self.ids.entry(state).or_insert_with_key(|state| {
            self.all.push(state.clone());
            next
        })
    }
}

impl<S> Index<usize> for States<S> {
    type Output = S;

    fn index(&self, id: usize) -> &S {
        &self.all[id]
    }
}

/// A walk through all states of a program.
pub trait Walk: Sized {
    type State: Clone + Eq + Hash;
    type Node;

    /// The states found so far.
    fn states(&self) -> &States<Self::State>;

    /// Executes one instruction, which finds the states after it.
    fn step(&mut self, state: Self::State) -> Self::Node;

    /// The nodes of all states, by their numbers.
    fn walk(&mut self, limit: usize) -> Result<Vec<Self::Node>, Unsupported> {
        let mut nodes = Vec::new();
        while nodes.len() < self.states().all.len() {
            if self.states().all.len() > limit {
                return Err(Unsupported("a program that is too long with its calls, or has too many states"));
            }
            let state = self.states()[nodes.len()].clone();
            nodes.push(self.step(state));
        }
        Ok(nodes)
    }
}
