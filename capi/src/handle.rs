//! Device handles: their content, and the lock that guards it.
//!
//! A mutex protects the state, and calls only try to lock it: a call during another one returns a status instead of
//! waiting. A panic poisons the mutex; after that the handle can only be destroyed. A worker that has the device on a
//! thread of its own shares the state; calls of other threads return a status then.

use std::collections::VecDeque;
use std::ffi::CString;
use std::fs::File;
use std::io::BufWriter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use triglyph::capture::RecordingDevice;
use triglyph::{Device, Error, Machine, Memory, N3ds, Options, Rsx, TegraX1};

use super::callback::Callback;
use super::error::{Failure, guard, triglyph_status};
use super::event::triglyph_event;
use super::n3ds::gsp_values::Waiting;
use super::pointer::required;
use super::range::triglyph_range;

/// A machine that can record what passes through it.
type Recording<D> = RecordingDevice<D, BufWriter<File>>;

/// One of the machines.
pub(crate) enum Gpu {
    N3ds(Box<Recording<N3ds>>),
    Rsx(Box<Recording<Rsx>>),
    Tegra(Box<Recording<TegraX1>>),
}

/// Runs `$body` with the recording device of whichever machine it is.
macro_rules! recording {
    ($gpu:expr, $device:ident => $body:expr) => {
        match $gpu {
            $crate::handle::Gpu::N3ds($device) => $body,
            $crate::handle::Gpu::Rsx($device) => $body,
            $crate::handle::Gpu::Tegra($device) => $body,
        }
    };
}
pub(crate) use recording;

impl Gpu {
    pub fn new(machine: Machine, options: &Options) -> Result<Self, Failure> {
        Ok(match machine {
            Machine::N3ds => Gpu::N3ds(Box::new(RecordingDevice::new(N3ds::new(options)?))),
            Machine::Ps3 => Gpu::Rsx(Box::new(RecordingDevice::new(Rsx::new(options)?))),
            Machine::TegraX1 => Gpu::Tegra(Box::new(RecordingDevice::new(TegraX1::new(options)?))),
            other => return Err(Error::Unsupported(format!("this build is without the {other}")).into()),
        })
    }

    /// The functions of all machines.
    pub fn device(&mut self) -> &mut dyn Device {
        recording!(self, device => &mut **device)
    }

    /// As [`Self::device`], for reading.
    pub fn device_ref(&self) -> &dyn Device {
        recording!(self, device => &**device)
    }

    /// Guest memory, after everything that was submitted.
    pub fn with_memory<T>(&mut self, f: impl FnOnce(&mut Memory) -> T) -> T {
        match self {
            Gpu::N3ds(device) => device.device_mut().with_memory(f),
            Gpu::Rsx(device) => device.device_mut().with_memory(f),
            Gpu::Tegra(device) => device.device_mut().with_memory(f),
        }
    }
}

/// The state of a handle beside its machine.
pub(crate) struct State {
    pub gpu: Gpu,
    /// Events and written ranges that the host had no room for.
    pub events: VecDeque<triglyph_event>,
    /// The callback that gets the events instead.
    pub on_event: Option<Callback<triglyph_event>>,
    pub written: VecDeque<triglyph_range>,
    /// The same of GSP.
    pub gsp: Waiting,
    /// Texts of the faults that are kept in full, made when they are asked for.
    pub fault_texts: Vec<CString>,
    /// The error of the key file, for the same reason.
    pub key_file_error: CString,
}

/// A handle for the functions of all machines. Made by `triglyph_device_create`, or borrowed from a machine's own
/// handle.
pub struct triglyph_device {
    shared: Arc<Shared>,
    /// Whether it is part of a machine's own handle.
    borrowed: bool,
}

/// The state that a handle shares with a worker.
pub(crate) struct Shared {
    pub state: Mutex<State>,
    /// Which thread may make calls: [`ANY_THREAD`], [`NO_THREAD`], or one by its [`this_thread`].
    owner: AtomicUsize,
}

/// All threads may, one at a time.
const ANY_THREAD: usize = 0;
/// A worker has the device, and its thread has not begun.
const NO_THREAD: usize = 1;

/// A number of the calling thread that no other thread has while it lives.
fn this_thread() -> usize {
    thread_local! {
        static HERE: u16 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl Shared {
    /// Gives the device to a thread that begins later.
    pub fn lend(&self) -> Result<(), Failure> {
        match self.owner.compare_exchange(ANY_THREAD, NO_THREAD, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => Ok(()),
            Err(_) => Err(Failure::new(triglyph_status::Busy, "another worker has the device")),
        }
    }

    /// Says that the calling thread is the one that the device was given to.
    pub fn take_over(&self) {
        self.owner.store(this_thread(), Ordering::Release);
    }

    /// All threads may use the device again.
    pub fn give_back(&self) {
        self.owner.store(ANY_THREAD, Ordering::Release);
    }

    /// Whether the device was given to a thread, and this is it.
    pub fn is_this_threads(&self) -> bool {
        self.owner.load(Ordering::Acquire) == this_thread()
    }

    fn check_thread(&self) -> Result<(), Failure> {
        match self.owner.load(Ordering::Acquire) == ANY_THREAD || self.is_this_threads() {
            true => Ok(()),
            false => {
                let why = "a worker has the device: what is done with it has to be one of the worker's commands";
                Err(Failure::new(triglyph_status::Busy, why))
            }
        }
    }
}

impl triglyph_device {
    pub(crate) fn new(machine: Machine, options: &Options, borrowed: bool) -> Result<Self, Failure> {
        let state = State {
            gpu: Gpu::new(machine, options)?,
            events: VecDeque::new(),
            on_event: None,
            written: VecDeque::new(),
            gsp: Waiting::default(),
            fault_texts: Vec::new(),
            key_file_error: CString::default(),
        };
        let shared = Shared { state: Mutex::new(state), owner: AtomicUsize::new(ANY_THREAD) };
        Ok(triglyph_device { shared: Arc::new(shared), borrowed })
    }

    pub(crate) fn is_borrowed(&self) -> bool {
        self.borrowed
    }

    /// The state that it shares with a worker.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Runs a call with the state.
    pub(crate) fn enter(&self, call: impl FnOnce(&mut State) -> Result<(), Failure>) -> Result<(), Failure> {
        self.shared.check_thread()?;
        let state = &mut *lock(&self.shared.state)?;
        let done = call(state);
        state.tell_events();
        done
    }

    /// Whether the handle can be destroyed: no call is using it, and no worker has it.
    pub(crate) fn check_idle(&self) -> Result<(), Failure> {
        if self.shared.owner.load(Ordering::Acquire) != ANY_THREAD {
            return Err(Failure::new(triglyph_status::Busy, "a worker has the device: destroy the worker first"));
        }
        match lock(&self.shared.state) {
            Err(failure) if failure.status == triglyph_status::Busy => Err(failure),
            _ => Ok(()),
        }
    }
}

/// Takes the lock of a handle, now or not at all.
pub(crate) fn lock<T>(state: &Mutex<T>) -> Result<MutexGuard<'_, T>, Failure> {
    state.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => Failure::new(triglyph_status::Busy, "another call is using this handle"),
        TryLockError::Poisoned(_) => {
            Failure::new(triglyph_status::Poisoned, "an earlier call panicked with this handle: destroy it")
        }
    })
}

/// A call on a device.
pub(crate) fn with_device(
    device: Option<&triglyph_device>,
    call: impl FnOnce(&mut State) -> Result<(), Failure>,
) -> triglyph_status {
    guard(|| required(device, "device")?.enter(call))
}

/// Destroys a handle that no call is using. Does nothing for null.
///
/// # Safety
/// `handle` is null or was made by [`Box::into_raw`], and this is its last use unless the result is an error.
pub(crate) unsafe fn destroy<T>(handle: *mut T, check: impl FnOnce(&T) -> Result<(), Failure>) -> triglyph_status {
    guard(|| {
        if handle.is_null() {
            return Ok(());
        }
        // SAFETY: not null, so it points to what `Box::into_raw` gave away.
        check(unsafe { &*handle })?;
        // SAFETY: as above, and the caller promises that this is the last use.
        drop(unsafe { Box::from_raw(handle) });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph::Tier;

    fn device() -> triglyph_device {
        triglyph_device::new(Machine::N3ds, &Options::new(Tier::InterpreterOnly, 1), false).unwrap()
    }

    #[test]
    fn a_call_inside_of_a_call_is_busy() {
        let device = device();
        let mut inner = triglyph_status::Ok;
        let outer = with_device(Some(&device), |_| {
            inner = with_device(Some(&device), |_| Ok(()));
            Ok(())
        });
        assert_eq!((outer, inner), (triglyph_status::Ok, triglyph_status::Busy));
        assert!(device.check_idle().is_ok());
    }

    #[test]
    fn a_panic_ends_the_handle() {
        let device = device();
        assert_eq!(with_device(Some(&device), |_| panic!("on purpose")), triglyph_status::Panic);
        assert_eq!(with_device(Some(&device), |_| Ok(())), triglyph_status::Poisoned);
        assert!(device.check_idle().is_ok());
        assert_eq!(with_device(None, |_| Ok(())), triglyph_status::NullPointer);
    }
}
