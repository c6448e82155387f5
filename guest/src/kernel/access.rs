//! Reports which bytes of memory are read and written, for tools.
//!
//! Windows and the engine's copies report their accesses while there is a listener. Compiled code reports none: tools
//! listen to devices whose kernels are all the interpreter's. Without a listener, an access costs one comparison.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

/// Is told of accesses on the threads that make them, by addresses on the host: those of other devices as well.
pub trait AccessListener: Send + Sync {
    /// So many bytes are read.
    fn read(&self, address: usize, bytes: usize);

    /// So many bytes are written, whatever they were before.
    fn written(&self, address: usize, bytes: usize);
}

static LISTENERS: RwLock<Vec<Arc<dyn AccessListener>>> = RwLock::new(Vec::new());
/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The listener is called until this is dropped.
pub struct Listening(Arc<dyn AccessListener>);

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listening").finish_non_exhaustive()
    }
}

/// Tells a listener of accesses from now on.
pub fn listen(listener: Arc<dyn AccessListener>) -> Listening {
    change(|listeners| listeners.push(listener.clone()));
    Listening(listener)
}

impl Drop for Listening {
    fn drop(&mut self) {
        change(|listeners| listeners.retain(|listener| !Arc::ptr_eq(listener, &self.0)));
    }
}

fn change(change: impl FnOnce(&mut Vec<Arc<dyn AccessListener>>)) {
    let mut listeners = LISTENERS.write().unwrap_or_else(PoisonError::into_inner);
    change(&mut listeners);
    COUNT.store(listeners.len(), Relaxed);
}

/// Bytes are read.
#[inline]
pub(super) fn note_read(address: usize, bytes: usize) {
    if COUNT.load(Relaxed) != 0 {
        tell(|listener| listener.read(address, bytes));
    }
}

/// Bytes are written.
#[inline]
pub(super) fn note_write(address: usize, bytes: usize) {
    if COUNT.load(Relaxed) != 0 {
        tell(|listener| listener.written(address, bytes));
    }
}

#[cold]
fn tell(tell: impl Fn(&dyn AccessListener)) {
    let listeners = LISTENERS.read().unwrap_or_else(PoisonError::into_inner);
    listeners.iter().for_each(|listener| tell(&**listener));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::kernel::Window;
    use crate::kernel::window::buffer;

    #[derive(Default)]
    struct Heard(Mutex<Vec<(bool, usize, usize)>>);

    impl AccessListener for Heard {
        fn read(&self, address: usize, bytes: usize) {
            self.0.lock().unwrap().push((false, address, bytes));
        }

        fn written(&self, address: usize, bytes: usize) {
            self.0.lock().unwrap().push((true, address, bytes));
        }
    }

    #[test]
    fn windows_tell_what_they_do_within_their_bytes() {
        let bytes = buffer(&[0; 16]);
        let window = Window::new(&bytes);
        let start = window.as_ptr().addr();
        let heard = Arc::new(Heard::default());
        let listening = listen(heard.clone());
        window.from(4).read::<4>(2);
        window.read_word(14, 4);
        window.write(12, &[1; 8]);
        window.write(20, &[1; 8]);
        drop(listening);
        window.read::<4>(0);
        // Other tests may make accesses of their own meanwhile.
        let heard = heard.0.lock().unwrap();
        let own: Vec<_> = heard.iter().filter(|(_, at, _)| (start..start + 16).contains(at)).copied().collect();
        assert_eq!(own, [(false, start + 6, 4), (false, start + 14, 2), (true, start + 12, 4)]);
    }
}
