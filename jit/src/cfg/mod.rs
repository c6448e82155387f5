//! Control-flow graphs of guest programs.
//!
//! None of the guests has blocks: what is next is decided by stacks of calls, conditions and loops whose contents are
//! known statically, but for a few counters and targets. So the states "address and stacks" that a program can be in
//! are enumerated, which inlines calls and leaves branches on values that programs compute:
//!
//! ```text
//! states: entry -> Walk::step -> further states ...      one node for each
//! graph:  nodes with one successor and one predecessor -> blocks, each after its predecessors but for back edges
//! order:  orders, dominators and cycles of any graph
//! emit:   a block of the host's code for each block, for programs without divergent lanes
//! ```
//!
//! What an instruction does to a state is the instruction set's own matter. PICA programs, and vertex programs of the
//! RSX, are emitted by `emit`: where lanes disagree, their kernels hand over to one lane or to the reference. Fragment
//! programs of the RSX put their blocks in the order in which the contract runs lanes, under masks. Maxwell programs
//! find the targets of their stacks by data flow, as stack entries are data there; they share `order`.

pub mod emit;
mod graph;
pub mod order;
mod states;

pub use graph::{Block, Exit, Graph, Node, count_entries, form};
pub use states::{States, Walk};
