//! The driver: calls, and the ioctls of its clients.

mod driver;
mod ioctl;
