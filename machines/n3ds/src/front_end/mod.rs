//! Command lists: packets, registers of the PICA200, what writes to them trigger.

pub(crate) mod list;
pub(crate) mod packet_trace;
pub(crate) mod packets;
pub(crate) mod registers;
pub(crate) mod running_list;
pub(crate) mod upload;
