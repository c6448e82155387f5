//! Calls of the hypervisor, displays, registers on the bus.

mod display;
mod lv1;
mod registers;
