//! The service's calls as words of an IPC command buffer. A request begins with a header, and the answer takes its
//! place; what each one does is in its row of the table of calls.

use super::hardware::Hardware;
use super::rights::Acquire;
use super::{FramebufferInfo, Gsp, ResultCode, Session};
use crate::system::lcd::Screen;
pub use triglyph_guest::gsp::ipc::Request;
use triglyph_guest::gsp_calls;

/// The memory of the calling process, for the pointers of a request.
pub trait ProcessMemory {
    /// Reads bytes at a virtual address; false when not all of them are there.
    fn read(&self, address: u32, out: &mut [u8]) -> bool;
    /// Writes bytes at a virtual address; false when not all of them have a place.
    fn write(&mut self, address: u32, bytes: &[u8]) -> bool;
}

/// What the host does after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Returns to the caller.
    Done,
    /// Keeps the caller asleep until its session turns up in [`Gsp::take_granted`], then calls [`granted`].
    Blocked,
}

/// Word of the buffer at which the caller describes where long answers go: 0x100 bytes on.
const RECEIVE: usize = 0x40;

/// A request that is being answered in place; words beyond the host's buffer read 0 and are not written.
struct Io<'i> {
    session: Session,
    words: &'i mut [u32],
    process: &'i mut dyn ProcessMemory,
    /// Whether the answer is there.
    is_answered: bool,
    reply: Reply,
}

impl Io<'_> {
    /// A word of the request.
    fn word(&self, index: usize) -> u32 {
        self.words.get(index).copied().unwrap_or(0)
    }

    /// Answers with words and descriptors.
    fn answer_with(&mut self, normal: &[u32], translate: &[u32]) {
        answer(self.words, normal, translate);
        self.is_answered = true;
    }

    /// The words for registers, which the client's pointer at word `pointer` of the request shows.
    fn registers(&self, gsp: &Gsp, pointer: usize) -> Result<Vec<u32>, ResultCode> {
        let mut words = self.room(gsp)?;
        let mut bytes = vec![0; 4 * words.len()];
        // That a bad pointer gives this code is unverified: the kernel catches most.
        if !self.process.read(self.word(pointer), &mut bytes) {
            return Err(ResultCode::BAD_ADDRESS);
        }
        words.iter_mut().zip(bytes.as_chunks().0).for_each(|(word, &bytes)| *word = u32::from_le_bytes(bytes));
        Ok(words)
    }

    /// Room for the words of registers, after what the register calls check.
    fn room(&self, gsp: &Gsp) -> Result<Vec<u32>, ResultCode> {
        let (offset, size) = (self.word(1), self.word(2));
        gsp.check_registers(self.session, offset, size)?;
        Ok(vec![0; size as usize / 4])
    }

    /// Gives the client words where it wants long answers.
    fn give(&mut self, words: &[u32]) -> Result<(), ResultCode> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let address = self.word(RECEIVE + 1);
        if self.process.write(address, &bytes) { Ok(()) } else { Err(ResultCode::BAD_ADDRESS) }
    }
}

/// Puts an answer of words and descriptors in the place of a request.
fn answer(words: &mut [u32], normal: &[u32], translate: &[u32]) {
    let Some(&request) = words.first() else { return };
    let header = request & 0xFFFF_0000 | (normal.len() as u32) << 6 | translate.len() as u32;
    let all = std::iter::once(&header).chain(normal).chain(translate);
    words.iter_mut().zip(all).for_each(|(to, &from)| *to = from);
}

/// Answers an AcquireRight that was [`Reply::Blocked`].
pub fn granted(words: &mut [u32]) {
    answer(words, &[ResultCode::SUCCESS.0], &[]);
}

macro_rules! requests {
    ($(
        $(#[$doc:meta])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty $(as $out:tt)?)?;
        $(@ $Request:ident $header:literal $service_name:tt ($gsp:ident, $hardware:ident, $io:ident) => $body:expr;)*
    )+) => {
        /// Does what a request asks for. The caller answers with the result, unless `io` has the answer.
        fn dispatch(
            gsp: &mut Gsp,
            hardware: &mut dyn Hardware,
            request: Request,
            io: &mut Io<'_>,
        ) -> Result<(), ResultCode> {
            match request {
                $($(Request::$Request => {
                    let ($gsp, $hardware, $io) = (gsp, hardware, io);
                    $body;
                })*)+
            }
            Ok(())
        }
    };
}
gsp_calls!(requests);

impl Gsp {
    /// Handles the request in `words`, the caller's command buffer with the receive descriptors after it (66 words),
    /// and puts the answer in its place.
    pub fn ipc(
        &mut self,
        hardware: &mut dyn Hardware,
        session: Session,
        words: &mut [u32],
        process: &mut dyn ProcessMemory,
    ) -> Reply {
        let Some(request) = Request::from_number(words.first().copied().unwrap_or(0)) else {
            answer(words, &[ResultCode::BAD_HEADER.0], &[]);
            words.iter_mut().take(1).for_each(|header| *header = 0x40);
            return Reply::Done;
        };
        let mut io = Io { session, words, process, is_answered: false, reply: Reply::Done };
        let done = dispatch(self, hardware, request, &mut io);
        if io.reply == Reply::Done && !io.is_answered {
            io.answer_with(&[done.err().unwrap_or(ResultCode::SUCCESS).0], &[]);
        }
        io.reply
    }
}
