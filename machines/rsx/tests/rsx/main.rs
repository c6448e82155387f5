//! Tests of the PlayStation 3 through its public interface, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod bounded;
mod captures;
mod curie;
mod display;
mod fifo;
mod lv1;
mod program;
mod random;
mod registers;
mod snapshot;
mod support;
mod two_d;
mod vectors;
