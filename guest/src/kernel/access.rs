//! Reports which bytes of memory are read and written, for tools.
//!
//! Windows of memory that has a listener report their accesses, and so do the engine's copies. Compiled code reports
//! none: tools listen to devices whose kernels are all the interpreter's.

use std::fmt::Debug;

/// Is told of accesses on the threads that make them, by addresses on the host.
pub trait AccessListener: Debug + Send + Sync {
    /// So many bytes are read.
    fn read(&self, address: usize, bytes: usize);

    /// So many bytes are written, whatever they were before.
    fn written(&self, address: usize, bytes: usize);
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::kernel::Window;
    use crate::kernel::window::buffer;

    #[derive(Debug, Default)]
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
        let heard = Arc::new(Heard::default());
        let listener: Arc<dyn AccessListener> = heard.clone();
        let window = Window::new(&bytes).heard_by(Some(&listener));
        let start = window.as_ptr().addr();
        window.from(4).read::<4>(2);
        window.first(15).read_word(14, 4);
        window.write(12, &[1; 8]);
        window.write(20, &[1; 8]);
        Window::new(&bytes).read::<4>(0);
        let heard = heard.0.lock().unwrap();
        assert_eq!(
            heard[..],
            [(false, start + 6, 4), (false, start + 14, 1), (true, start + 12, 4), (true, start + 20, 0)]
        );
    }
}
