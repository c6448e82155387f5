//! The Tegra X1 GPU (GM20B, second Maxwell generation): push buffers, methods of its classes, macros, shader programs,
//! headers in memory, formats.
//!
//! ```text
//! driver.rs      what clients of the Switch's GPU driver see
//! fifo/          GPFIFO entries, words of a push buffer, host methods
//! format/        formats by the codes of registers and headers
//! header/        texture headers, samplers, program headers, launch descriptors
//! mme/           macros: instruction table, text, random programs
//! methods/       the classes' method tables and what writes do
//! state.rs       state of push buffers that takes several methods
//! shader/        shader programs: instruction table, text, control flow
//! texture/       headers and samplers as units of the shared samplers
//! ```
//!
//! Sources, unless a row says otherwise: NVIDIA's open class headers for names, positions and values; the switchbrew
//! wiki, deko3d and Mesa's nvc0 driver, which run on the hardware, and the emulators yuzu and Ryujinx for behaviour.

pub mod driver;
pub mod fifo;
pub mod format;
pub mod header;
pub mod methods;
pub mod mme;
pub mod shader;
pub mod state;
pub mod texture;

pub use fifo::{PushBuffer, PushError};
pub use state::Target;
