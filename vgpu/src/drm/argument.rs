//! Arguments of a call in the program's memory.
//!
//! Like the kernel, calls trust no size: structures are read zero-extended to the size that this library knows, and
//! written back as far as the program's go. Unlike the kernel, addresses are trusted: a program that passes a wrong one
//! faults as in any other function.

#![allow(unsafe_code)]

use bytemuck::Pod;
use libc::c_int;

/// Why a call fails: a number of errno.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub c_int);

/// What a call answers.
pub type Answer<T = ()> = Result<T, Errno>;

/// The argument of a call.
#[derive(Debug)]
pub struct Argument {
    address: *mut u8,
    size: usize,
}

impl Argument {
    /// # Safety
    /// `size` bytes at `address` are the program's, and no other thread accesses them during the call; or `address` is
    /// null.
    pub unsafe fn new(address: *mut u8, size: usize) -> Argument {
        Argument { address, size: if address.is_null() { 0 } else { size } }
    }

    /// The bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        if self.address.is_null() {
            return &mut [];
        }
        // SAFETY: as `new` was promised.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.size) }
    }

    /// The structure, with zeros for what the program's is shorter.
    pub fn read<T: Pod>(&mut self) -> T {
        read_prefix(self.bytes())
    }

    /// Writes the structure as far as the program's goes.
    pub fn write<T: Pod>(&mut self, value: &T) {
        write_prefix(self.bytes(), value);
    }

    /// Reads the structure, has it changed, and writes it back unless that fails.
    pub fn update<T: Pod>(&mut self, change: impl FnOnce(&mut T) -> Answer) -> Answer {
        let mut value = self.read();
        change(&mut value)?;
        self.write(&value);
        Ok(())
    }
}

/// A structure at the start of bytes, with zeros for what they are shorter.
pub fn read_prefix<T: Pod>(bytes: &[u8]) -> T {
    let mut value = T::zeroed();
    bytemuck::bytes_of_mut(&mut value).iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    value
}

/// Writes a structure to the start of bytes, as far as they go.
pub fn write_prefix<T: Pod>(bytes: &mut [u8], value: &T) {
    bytes.iter_mut().zip(bytemuck::bytes_of(value)).for_each(|(to, from)| *to = *from);
}

/// Elements of an array whose address is in a structure; none at address 0.
pub fn read_array<T: Pod>(address: u64, count: u32) -> Vec<T> {
    if address == 0 {
        return Vec::new();
    }
    let first = address as *const T;
    // SAFETY: the program says that its array is there.
    (0..count as usize).map(|n| unsafe { first.add(n).read_unaligned() }).collect()
}

/// Writes elements of an array whose address is in a structure; none at address 0.
pub fn write_array<T: Pod>(address: u64, elements: &[T]) {
    if address == 0 {
        return;
    }
    let first = address as *mut T;
    // SAFETY: the program says that its array is there.
    elements.iter().enumerate().for_each(|(n, element)| unsafe { first.add(n).write_unaligned(*element) });
}
