//! Functions of the host's that are called back.

use std::ffi::c_void;

/// The user data of a callback: a pointer that is passed back to the host and never dereferenced.
pub(crate) struct UserData(pub *mut c_void);

// SAFETY: the pointer is only handed back to the host, who is told on which threads that happens.
unsafe impl Send for UserData {}

impl UserData {
    /// The pointer. A method, so that closures keep the wrapper, which may be sent, rather than its field.
    pub fn get(&self) -> *mut c_void {
        self.0
    }
}

/// A function of the host's that is called with values, and its context pointer.
pub(crate) struct Callback<T> {
    function: unsafe extern "C" fn(user_data: *mut c_void, value: *const T),
    user_data: UserData,
}

impl<T> Callback<T> {
    /// The callback that a setter was given. `None` without a function: the callback is removed.
    pub fn new(
        function: Option<unsafe extern "C" fn(user_data: *mut c_void, value: *const T)>,
        user_data: *mut c_void,
    ) -> Option<Self> {
        function.map(|function| Callback { function, user_data: UserData(user_data) })
    }

    /// Tells the host of a value, which is valid during the call.
    pub fn call(&self, value: &T) {
        // SAFETY: the host promises a function of this type that takes its own pointer.
        unsafe { (self.function)(self.user_data.get(), &raw const *value) }
    }
}
