//! Tests of compiled kernels, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod geometry;
mod keys;
mod maxwell;
mod mme;
mod packet_trace;
mod pixel;
mod program;
mod transfer;
mod vertex;
