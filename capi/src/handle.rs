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
use super::error::{Done, Failure, guard, triglyph_status};
use super::event::triglyph_event;
use super::n3ds::gsp_values::Waiting;
use super::options::{self, triglyph_options};
use super::pointer::{Out, give, required};
use super::range::triglyph_range;

/// A machine that can record what passes through it.
pub(crate) type Recording<D> = RecordingDevice<D, BufWriter<File>>;

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
    pub(crate) fn enter<R: Done>(&self, call: impl FnOnce(&mut State) -> R) -> Result<(), Failure> {
        self.shared.check_thread()?;
        let state = &mut *lock(&self.shared.state)?;
        let done = call(state).done();
        state.tell_events();
        done
    }

    /// Whether the handle can be destroyed: no call is using it, and no worker has it.
    pub(crate) fn check_idle(&self) -> Result<(), Failure> {
        if self.shared.owner.load(Ordering::Acquire) != ANY_THREAD {
            return Err(Failure::new(triglyph_status::Busy, "a worker has the device: destroy the worker first"));
        }
        check_idle(&self.shared.state)
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

/// Whether no call is using a handle. After a panic none does.
pub(crate) fn check_idle<T>(state: &Mutex<T>) -> Result<(), Failure> {
    match lock(state) {
        Err(failure) if failure.status == triglyph_status::Busy => Err(failure),
        _ => Ok(()),
    }
}

/// A call on a device.
pub(crate) fn with_device<R: Done>(
    device: Option<&triglyph_device>,
    call: impl FnOnce(&mut State) -> R,
) -> triglyph_status {
    guard(|| required(device, "device")?.enter(call))
}

/// A handle of one machine: a device with calls of its own.
pub(crate) trait MachineHandle: From<triglyph_device> {
    type Console: Device;

    /// Which machine it is.
    const MACHINE: Machine;

    fn device(&self) -> &triglyph_device;

    fn recording(gpu: &mut Gpu) -> Option<&mut Recording<Self::Console>>;

    /// The machine of a device.
    fn machine(state: &mut State) -> Result<&mut Self::Console, Failure> {
        Self::recorded(state).map(Recording::device_mut)
    }

    /// The machine of a device, with what records its calls.
    fn recorded(state: &mut State) -> Result<&mut Recording<Self::Console>, Failure> {
        let other = || Failure::invalid(format!("the device is not a {}", Self::MACHINE.full_name()));
        Self::recording(&mut state.gpu).ok_or_else(other)
    }
}

/// Implements [`MachineHandle`].
macro_rules! machine_handle {
    ($handle:ident: $Machine:ty, $variant:ident, $number:ident) => {
        impl From<triglyph_device> for $handle {
            fn from(device: triglyph_device) -> Self {
                $handle { device }
            }
        }

        impl MachineHandle for $handle {
            type Console = $Machine;

            const MACHINE: Machine = Machine::$number;

            fn device(&self) -> &triglyph_device {
                &self.device
            }

            fn recording(gpu: &mut Gpu) -> Option<&mut Recording<$Machine>> {
                match gpu {
                    Gpu::$variant(device) => Some(device),
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use machine_handle;

/// A call on the state of a machine's device.
pub(crate) fn with_state<H: MachineHandle, R: Done>(
    handle: Option<&H>,
    call: impl FnOnce(&mut State) -> R,
) -> triglyph_status {
    with_device(handle.map(H::device), call)
}

/// A call on a machine.
pub(crate) fn with_machine<H: MachineHandle, R: Done>(
    handle: Option<&H>,
    call: impl FnOnce(&mut H::Console) -> R,
) -> triglyph_status {
    with_state(handle, |state| call(H::machine(state)?).done())
}

/// Makes a machine; `prepare` has the device before the host.
///
/// # Safety
/// As [`options::read`].
pub(crate) unsafe fn create<H: MachineHandle>(
    options: *const triglyph_options,
    handle: Out<'_, *mut H>,
    what: &str,
    prepare: impl FnOnce(&mut Gpu) -> Result<(), Error>,
) -> triglyph_status {
    guard(|| {
        let out = required(handle, what)?;
        // SAFETY: the caller promises the same.
        let options = unsafe { options::read(options) }?;
        let device = triglyph_device::new(H::MACHINE, &options, true)?;
        device.enter(|state| Ok(prepare(&mut state.gpu)?))?;
        give(H::from(device), out);
        Ok(())
    })
}

/// Destroys a machine's handle, unless its device is in use.
///
/// # Safety
/// As [`destroy`].
pub(crate) unsafe fn destroy_machine<H: MachineHandle>(handle: *mut H) -> triglyph_status {
    // SAFETY: the caller promises the same.
    unsafe { destroy(handle, |handle| handle.device().check_idle()) }
}

/// The device of a machine's handle; null for null.
pub(crate) fn device_of<H: MachineHandle>(handle: Option<&H>) -> *const triglyph_device {
    handle.map_or(std::ptr::null(), |handle| handle.device())
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
            inner = with_device(Some(&device), |_| ());
        });
        assert_eq!((outer, inner), (triglyph_status::Ok, triglyph_status::Busy));
        assert!(device.check_idle().is_ok());
    }

    #[test]
    fn a_call_on_another_machine_names_it_in_full() {
        let status = with_device(Some(&device()), |state| crate::rsx::triglyph_rsx::machine(state).map(|_| ()));
        assert_eq!(status, triglyph_status::InvalidArgument);
        // SAFETY: the text is valid until the next call on this thread.
        let text = unsafe { std::ffi::CStr::from_ptr(crate::error::triglyph_last_error()) };
        assert_eq!(text.to_str(), Ok("the device is not a PlayStation 3"));
    }

    #[test]
    fn a_panic_ends_the_handle() {
        let device = device();
        assert_eq!(with_device(Some(&device), |_| -> () { panic!("on purpose") }), triglyph_status::Panic);
        assert_eq!(with_device(Some(&device), |_| ()), triglyph_status::Poisoned);
        assert!(device.check_idle().is_ok());
        assert_eq!(with_device(None, |_| ()), triglyph_status::NullPointer);
    }
}
