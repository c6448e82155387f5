//! Programs of draws: from memory to kernels.

pub(crate) mod blend_program;
pub(crate) mod called_code;
pub(crate) mod codes;
pub(crate) mod computed_branches;
pub(crate) mod handle;
pub(crate) mod length;
pub(crate) mod meter;
pub(crate) mod passthrough;
pub(crate) mod program;
pub(crate) mod recent_programs;
pub(crate) mod stage;
pub(crate) mod stage_numbers;
pub(crate) mod texture_instructions;
