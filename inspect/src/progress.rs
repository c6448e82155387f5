//! Progress of replays, and ending them.

use std::fmt;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::sync::Arc;

use triglyph::Error;

/// A callback that a session calls before each record that it replays, with the record's index and the number of
/// records of the capture, and once more when [`Session::open`](crate::Session::open) is done, with that number twice.
/// A look at an event begins at the checkpoint before it, not at record 0. [`ControlFlow::Break`] ends the replay: the
/// call on the session returns [`Error::Io`] of kind [`ErrorKind::Interrupted`], and the session stays usable.
#[derive(Clone)]
pub struct Progress(Arc<Callback>);

type Callback = dyn Fn(usize, usize) -> ControlFlow<()> + Send + Sync;

impl Progress {
    /// A callback. It is called on the thread that makes the call on the session.
    pub fn new(callback: impl Fn(usize, usize) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Progress(Arc::new(callback))
    }

    /// Calls it.
    ///
    /// # Errors
    /// [`Error::Io`] of kind [`ErrorKind::Interrupted`] if it ends the replay.
    pub(crate) fn tell(&self, record: usize, records: usize) -> Result<(), Error> {
        match (self.0)(record, records) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::io("a replay", ErrorKind::Interrupted.into())),
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use triglyph_testkit::data::captures;

    use super::*;
    use crate::{Ask, Moment, Session, SessionOptions};

    /// Progress that counts its calls and ends the replay at the call of a number.
    fn counting(last: usize) -> (Progress, Arc<AtomicUsize>) {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let progress = Progress::new(move |record, records| {
            assert!(record <= records);
            match counted.fetch_add(1, Relaxed) + 1 == last {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        (progress, calls)
    }

    fn is_interrupted<T>(result: Result<T, Error>) -> bool {
        matches!(result, Err(Error::Io { source, .. }) if source.kind() == ErrorKind::Interrupted)
    }

    #[test]
    fn replays_tell_of_each_record_and_can_be_ended() {
        let path = captures("").into_iter().find(|path| path.ends_with("3ds/22-city.tgc")).expect("a capture");
        let capture = std::fs::read(path).expect("its file");
        let (progress, calls) = counting(usize::MAX);
        let options = SessionOptions { progress: Some(progress), ..SessionOptions::default() };
        let mut session = Session::open(&capture, &options).expect("a session");
        assert!(calls.load(Relaxed) > session.capture().entries().len());

        let (progress, calls) = counting(5);
        let options = SessionOptions { progress: Some(progress), ..SessionOptions::default() };
        assert!(is_interrupted(Session::open(&capture, &options)));
        assert_eq!(calls.load(Relaxed), 5);

        // A look that was ended leaves the session as it was.
        let (last, ask) = (session.events().len() - 1, Ask { registers: true, ranges: Vec::new() });
        let seen = session.show(last, Moment::After, ask.clone()).expect("the last event");
        session.set_progress(Some(counting(1).0));
        assert!(is_interrupted(session.show(last, Moment::After, ask.clone())));
        session.set_progress(None);
        assert_eq!(session.show(last, Moment::After, ask).expect("the last event"), seen);
    }
}
