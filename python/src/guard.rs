//! Calls of the library: without the interpreter's lock, one at a time on each object, and without panics.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use triglyph_inspect::Progress;

use crate::error::{InternalError, raise};

/// Calls the library without the interpreter's lock. A panic of the library becomes an [`InternalError`].
pub fn detached<T: Send>(py: Python<'_>, call: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.detach(|| without_panic(call))
}

fn without_panic<T>(call: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(InternalError::new_err(text_of(&*panic))))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a bug of the library: {}", text.unwrap_or("a panic"))
}

/// A value of the library that one call at a time uses. Other threads wait. A callback that uses the object whose call
/// it is in gets an exception instead of waiting for itself. After a panic the value is used no more.
pub struct Guarded<T> {
    value: Mutex<T>,
    /// The thread whose call uses the value.
    user: Mutex<Option<ThreadId>>,
}

impl<T: Send> Guarded<T> {
    pub fn new(value: T) -> Self {
        Guarded { value: Mutex::new(value), user: Mutex::new(None) }
    }

    /// Calls the library with the value, without the interpreter's lock.
    ///
    /// # Errors
    /// Those of the call; `RuntimeError` from inside another call on this thread; [`InternalError`] for a panic, and
    /// always after one.
    pub fn with<R: Send>(&self, py: Python<'_>, call: impl FnOnce(&mut T) -> PyResult<R> + Send) -> PyResult<R> {
        detached(py, || self.enter(call))
    }

    /// The same for a thread that does not have the interpreter's lock.
    ///
    /// # Errors
    /// As [`Self::with`].
    pub fn enter<R>(&self, call: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let this = thread::current().id();
        if *unpoisoned(&self.user) == Some(this) {
            return Err(PyRuntimeError::new_err("a callback uses the object whose call it is in"));
        }
        let after_panic = |_| InternalError::new_err("an earlier call on this object ended in a bug of the library");
        let mut value = self.value.lock().map_err(after_panic)?;
        *unpoisoned(&self.user) = Some(this);
        let _leaving = Leaving(&self.user);
        call(&mut value)
    }
}

/// Notes the end of a call, however it ends.
struct Leaving<'a>(&'a Mutex<Option<ThreadId>>);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        *unpoisoned(self.0) = None;
    }
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Time between two looks for signals, and between two calls of a progress callback.
const TELL_EVERY: Duration = Duration::from_millis(50);

/// Tells Python how far a long call is, and whether it is to end: by an exception of the callback, or Ctrl-C.
pub struct Reporter {
    callback: Option<Py<PyAny>>,
    /// When it told last.
    told: Mutex<Option<Instant>>,
    exception: Mutex<Option<PyErr>>,
}

impl Reporter {
    pub fn new(callback: Option<Py<PyAny>>) -> Arc<Self> {
        Arc::new(Reporter { callback, told: Mutex::new(None), exception: Mutex::new(None) })
    }

    /// Tells that `done` of `total` is done, if it is time to, or the end.
    ///
    /// # Errors
    /// The exception of the callback; `KeyboardInterrupt`.
    pub fn tell(&self, py: Python<'_>, done: usize, total: usize) -> PyResult<()> {
        {
            let mut told = unpoisoned(&self.told);
            if done < total && told.is_some_and(|told| told.elapsed() < TELL_EVERY) {
                return Ok(());
            }
            *told = Some(Instant::now());
        }
        py.check_signals()?;
        self.callback.as_ref().map_or(Ok(()), |callback| callback.call1(py, (done, total)).map(drop))
    }

    /// The same from a call of the library; the exception is kept for [`Self::result`].
    fn tell_detached(&self, done: usize, total: usize) -> ControlFlow<()> {
        let is_early = || unpoisoned(&self.told).is_some_and(|told| told.elapsed() < TELL_EVERY);
        if done < total && is_early() {
            return ControlFlow::Continue(());
        }
        match Python::attach(|py| self.tell(py, done, total)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(exception) => {
                *unpoisoned(&self.exception) = Some(exception);
                ControlFlow::Break(())
            }
        }
    }

    /// For sessions.
    pub fn progress(self: &Arc<Self>) -> Progress {
        let reporter = self.clone();
        Progress::new(move |done, total| reporter.tell_detached(done, total))
    }

    /// What a call has returned, or the exception that has ended it.
    ///
    /// # Errors
    /// That exception, or the error of the call.
    pub fn result<T>(&self, result: Result<T, triglyph::Error>) -> PyResult<T> {
        match unpoisoned(&self.exception).take() {
            Some(exception) => Err(exception),
            None => result.map_err(raise),
        }
    }
}
