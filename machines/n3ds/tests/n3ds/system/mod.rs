//! GSP: interrupts, clients, commands, external registers, calls.

mod clients;
mod commands;
mod external;
mod forecast;
mod interrupts;
mod random;
mod service;
mod support;
