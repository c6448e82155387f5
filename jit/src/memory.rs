//! Executable memory: many kernels to a mapping, whose pages are writable or executable, never both at once.
//!
//! ```text
//! CodeMemory (one for each engine)
//!   chunk: a mapping of 2 MiB ──► blocks: whole pages for a kernel ──► writable ─► (code is copied) ─► executable
//!                                    ▲                                                                    │
//!                                    └──────────────────── free again when the kernel is dropped ◄────────┘
//! ```
//!
//! A page that holds code of one kernel holds none of another: other threads execute their kernels while this one is
//! written, so protection changes for whole blocks. Apple's processors are different: there a mapping is made for a
//! just-in-time compiler (`MAP_JIT`, all that a hardened process may execute), and each *thread* either writes or
//! executes all of them, so blocks need not be pages.
//!
//! Pages are executable only after they were finished, and stay so in free blocks until they are written again.

#![allow(unsafe_code)]

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider};
use cranelift_module::{ModuleError, ModuleResult};
use region::{Allocation, Protection};

/// Bytes of a chunk; code that is longer gets a chunk of its own size.
const CHUNK: usize = 2 << 20;

/// Whether mappings are made with `MAP_JIT` and threads switch between writing and executing.
const PER_THREAD: bool = cfg!(all(target_vendor = "apple", target_arch = "aarch64"));

/// What blocks are multiples of.
fn granule() -> usize {
    // 64: constants follow the code, are addressed from its start and may be loaded as aligned.
    if PER_THREAD { 64 } else { region::page::size() }
}

/// Mappings with room for code.
#[derive(Default)]
pub struct CodeMemory {
    chunks: Mutex<Vec<Chunk>>,
}

/// A mapping.
struct Chunk {
    memory: Allocation,
    /// Free blocks: offset and length, ascending, no two of them side by side.
    free: Vec<(usize, usize)>,
    /// Bytes from here on have never been given out and are writable still.
    fresh: usize,
}

// SAFETY: the mapping belongs to this value alone, whichever thread has it.
unsafe impl Send for Chunk {}

/// A piece of a chunk, aligned to [`granule`].
struct Block {
    address: *mut u8,
    length: usize,
}

impl CodeMemory {
    /// A writable block of at least `bytes` bytes.
    fn take(&self, bytes: usize) -> Result<Block, region::Error> {
        let length = bytes.max(1).next_multiple_of(granule());
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        for chunk in chunks.iter_mut() {
            if let Some(block) = chunk.take(length)? {
                return Ok(block);
            }
        }
        chunks.push(Chunk::new(length.max(CHUNK))?);
        match chunks.last_mut().map(|chunk| chunk.take(length)) {
            Some(Ok(Some(block))) => Ok(block),
            Some(Err(error)) => Err(error),
            _ => Err(region::Error::UnmappedRegion),
        }
    }

    /// Takes a block back. Of chunks without any block only one is kept.
    fn give_back(&self, block: &Block) {
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(chunk) = chunks.iter_mut().find(|chunk| chunk.contains(block)) else { return };
        chunk.give_back(block);
        if chunk.is_empty() && chunks.iter().filter(|chunk| chunk.is_empty()).count() > 1 {
            chunks.retain(|chunk| !chunk.contains(block));
        }
    }
}

impl Chunk {
    fn new(bytes: usize) -> Result<Self, region::Error> {
        // With this protection Apple's systems get `MAP_JIT`.
        let protection = if PER_THREAD { Protection::READ_WRITE_EXECUTE } else { Protection::READ_WRITE };
        let memory = region::alloc(bytes, protection)?;
        let free = vec![(0, memory.len())];
        Ok(Chunk { memory, free, fresh: 0 })
    }

    fn start(&self) -> usize {
        self.memory.as_ptr::<u8>().addr()
    }

    fn contains(&self, block: &Block) -> bool {
        (self.start()..self.start() + self.memory.len()).contains(&block.address.addr())
    }

    fn is_empty(&self) -> bool {
        self.free.first() == Some(&(0, self.memory.len()))
    }

    /// The first free block that is long enough, writable.
    fn take(&mut self, length: usize) -> Result<Option<Block>, region::Error> {
        let Some(found) = self.free.iter().position(|(_, free)| *free >= length) else { return Ok(None) };
        let (offset, free) = self.free[found];
        // In bounds: free blocks lie in the mapping.
        let address = self.memory.as_mut_ptr::<u8>().wrapping_add(offset);
        if !PER_THREAD && offset < self.fresh {
            // SAFETY: no code is in a free block, so that no thread executes these pages.
            unsafe { protect(address, length, Protection::READ_WRITE)? };
        }
        self.fresh = self.fresh.max(offset + length);
        match free - length {
            0 => drop(self.free.remove(found)),
            left => self.free[found] = (offset + length, left),
        }
        Ok(Some(Block { address, length }))
    }

    /// Frees a block and joins it with free ones next to it.
    fn give_back(&mut self, block: &Block) {
        let offset = block.address.addr() - self.start();
        let at = self.free.partition_point(|(start, _)| *start < offset);
        self.free.insert(at, (offset, block.length));
        for at in [at, at.wrapping_sub(1)] {
            if let (Some(&(start, length)), Some(&(next, more))) =
                (self.free.get(at), self.free.get(at.wrapping_add(1)))
                && start + length == next
            {
                self.free[at] = (start, length + more);
                self.free.remove(at + 1);
            }
        }
    }
}

/// The memory of one module, which has one function.
pub struct Provider {
    memory: Arc<CodeMemory>,
    block: Option<Block>,
}

// SAFETY: the block belongs to this value alone.
unsafe impl Send for Provider {}

impl Provider {
    /// Takes its memory from `memory`.
    pub fn new(memory: &Arc<CodeMemory>) -> Self {
        Provider { memory: memory.clone(), block: None }
    }
}

impl JITMemoryProvider for Provider {
    fn allocate(&mut self, size: usize, align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        if !matches!(kind, JITMemoryKind::Executable) || self.block.is_some() || align > granule() as u64 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let block = self.memory.take(size).map_err(io::Error::other)?;
        begin_writing();
        Ok(self.block.insert(block).address)
    }

    /// # Safety
    ///
    /// The code must not be running, nor be called afterwards.
    unsafe fn free_memory(&mut self) {
        if let Some(block) = self.block.take() {
            end_writing();
            self.memory.give_back(&block);
        }
    }

    fn finalize(&mut self, _: BranchProtection) -> ModuleResult<()> {
        let Some(Block { address, length }) = &self.block else { return Ok(()) };
        end_writing();
        let failed = |error: String| ModuleError::Allocation { err: io::Error::other(error) };
        // SAFETY: the block is ours, and nothing executes it yet.
        unsafe {
            wasmtime_jit_icache_coherence::clear_cache(address.cast(), *length)
                .map_err(|error| failed(error.to_string()))?;
            if !PER_THREAD {
                protect(*address, *length, Protection::READ_EXECUTE).map_err(|error| failed(error.to_string()))?;
            }
        }
        wasmtime_jit_icache_coherence::pipeline_flush_mt().map_err(|error| failed(error.to_string()))
    }
}

/// Protects pages, but not in Miri, which has no protection.
///
/// # Safety
/// As [`region::protect`].
unsafe fn protect(address: *mut u8, length: usize, protection: Protection) -> Result<(), region::Error> {
    if cfg!(miri) {
        return Ok(());
    }
    // SAFETY: the caller's.
    unsafe { region::protect(address, length, protection) }
}

/// From here on this thread writes code and must not call any.
fn begin_writing() {
    // SAFETY: only this thread is concerned, which runs no compiled code until `end_writing`.
    #[cfg(all(target_vendor = "apple", target_arch = "aarch64"))]
    unsafe {
        libc::pthread_jit_write_protect_np(0);
    }
}

/// From here on this thread may call code again.
fn end_writing() {
    // SAFETY: as above.
    #[cfg(all(target_vendor = "apple", target_arch = "aarch64"))]
    unsafe {
        libc::pthread_jit_write_protect_np(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider(memory: &Arc<CodeMemory>, bytes: usize) -> (Provider, *mut u8) {
        let mut provider = Provider::new(memory);
        let address = provider.allocate(bytes, 64, JITMemoryKind::Executable).unwrap();
        (provider, address)
    }

    fn chunks(memory: &CodeMemory) -> usize {
        memory.chunks.lock().unwrap().len()
    }

    fn free(mut provider: Provider) {
        // SAFETY: no test runs what it allocates.
        unsafe { provider.free_memory() };
    }

    #[test]
    fn many_blocks_share_a_mapping_and_are_used_again() {
        let memory = Arc::new(CodeMemory::default());
        let page = granule();
        let mut blocks: Vec<_> = (0..64).map(|_| provider(&memory, page + 1)).collect();
        assert_eq!(chunks(&memory), 1);
        let mut addresses: Vec<_> = blocks.iter().map(|(_, address)| address.addr()).collect();
        addresses.sort_unstable();
        assert!(addresses.windows(2).all(|pair| pair[1] - pair[0] == 2 * page), "side by side");
        // Two neighbours make room for one that is as long as both.
        let second = blocks[1].1;
        free(blocks.remove(2).0);
        free(blocks.remove(1).0);
        let (_joined, address) = provider(&memory, 4 * page);
        assert_eq!((address, chunks(&memory)), (second, 1));
        let (_large, _) = provider(&memory, CHUNK + 1);
        assert_eq!(chunks(&memory), 2);
    }

    #[test]
    fn empty_mappings_go() {
        let memory = Arc::new(CodeMemory::default());
        let large: Vec<_> = (0..3).map(|_| provider(&memory, CHUNK).0).collect();
        assert_eq!(chunks(&memory), 3);
        large.into_iter().for_each(free);
        assert_eq!(chunks(&memory), 1);
    }

    #[test]
    #[cfg_attr(miri, ignore = "asks the system how pages are protected")]
    fn pages_are_written_or_executed() {
        let memory = Arc::new(CodeMemory::default());
        // On Apple's processors it is the thread that is one or the other.
        let protection = |address: *mut u8| region::query(address).unwrap().protection();
        let (mut first, address) = provider(&memory, 100);
        if !PER_THREAD {
            assert_eq!(protection(address), Protection::READ_WRITE);
        }
        first.finalize(BranchProtection::None).unwrap();
        if !PER_THREAD {
            assert_eq!(protection(address), Protection::READ_EXECUTE);
        }
        free(first);
        let (_again, same) = provider(&memory, 100);
        assert_eq!(same, address);
        if !PER_THREAD {
            assert_eq!(protection(same), Protection::READ_WRITE);
        }
    }
}
