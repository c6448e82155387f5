//! The hypervisor, events for the host, registers on the bus.

pub(crate) mod host_events;
pub mod lv1;
pub(crate) mod mmio;
pub(crate) mod mmio_words;
