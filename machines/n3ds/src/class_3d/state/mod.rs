//! State of draws, derived from registers.

pub(crate) mod gas;
pub(crate) mod known_states;
pub(crate) mod light_tables;
pub(crate) mod lighting;
pub(crate) mod output_map;
pub(crate) mod pixel;
pub(crate) mod procedural;
pub(crate) mod procedural_tables;
pub(crate) mod texture;
pub(crate) mod uploaded_tables;
pub(crate) mod vertex;
