//! A process's part of the GPU: its memory, buffers, channels, boards and display.

mod fences;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fences::Exported;
pub use fences::Pause;
use triglyph::{GuestAddr, GuestRange, ObjectEntry, Stats};

use crate::board::{self, Board, HostBytes, Report};
use crate::buffers::{Buffer, Buffers, Place, Use, Uses, Wanted};
use crate::chip::{Chip, Domain};
use crate::display::Display;
use crate::drm::argument::{Answer, Errno};
use crate::drm::refusals::Refusals;
use crate::memory::Memory;
use crate::settings::Settings;
use crate::shared_file::{Description, SharedFile};
use crate::spaces::{Binding, Change, Changed, Space};
use crate::syncobjs::Syncobjs;
use crate::watches::Watches;

/// A channel.
#[derive(Debug, Default)]
pub struct Channel {
    /// The client of the node that has made it.
    pub client: u32,
    /// The buffer that notifiers are parts of, and how much of it is taken.
    pub notifiers: u32,
    pub notifier_bytes: u32,
    /// Objects that the channel's board has yet to be told of.
    pub new_objects: Vec<ObjectEntry>,
}

/// A command to wait for.
pub type Wait = (Arc<dyn Board>, u64);

/// Boards by number.
type Boards = BTreeMap<u32, Arc<dyn Board>>;

/// Everything, under one lock.
pub struct State {
    pub settings: Settings,
    pub memory: Memory,
    pub buffers: Buffers,
    pub channels: BTreeMap<u32, Channel>,
    pub display: Display,
    /// Of clients that manage their addresses themselves.
    pub spaces: BTreeMap<u32, Space>,
    pub syncobjs: Syncobjs,
    /// Fences of this process's commands for which it has handed out descriptors.
    exported: Exported,
    /// Synchronisation objects of which programs are told by events.
    pub watches: Watches,
    /// By channel; the GM20B has one for all channels in the kernel's address space, which is 0, and one for each space
    /// of a client's.
    boards: Boards,
    /// Of boards whose channels are gone.
    reports: Vec<Report>,
    last_channel: u32,
    begun: Instant,
    /// Submissions, and words in them.
    pub submissions: u64,
    pub words: u64,
    /// Whether a driver has tried to begin, so that it means to draw.
    pub was_tried: bool,
    /// Calls that were refused.
    pub refusals: Refusals,
}

impl State {
    /// An unused GPU.
    ///
    /// # Errors
    /// What the system says of its memory.
    pub fn new(settings: Settings) -> io::Result<State> {
        let memory = Memory::new(settings.chip.file_size())?;
        let (buffers, display) = (Buffers::new(settings.chip), Display::new(settings.mode));
        Ok(State {
            settings,
            memory,
            buffers,
            channels: BTreeMap::new(),
            display,
            spaces: BTreeMap::new(),
            syncobjs: Syncobjs::default(),
            exported: Exported::default(),
            watches: Watches::default(),
            boards: BTreeMap::new(),
            reports: Vec::new(),
            last_channel: 0,
            begun: Instant::now(),
            submissions: 0,
            words: 0,
            was_tried: false,
            refusals: Refusals::default(),
        })
    }

    /// The chip.
    pub fn chip(&self) -> Chip {
        self.settings.chip
    }

    /// Nanoseconds since the GPU began.
    pub fn now(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// The number of a channel's board.
    pub fn board_number(&self, channel: u32) -> u32 {
        match self.chip() {
            Chip::Nv47 => channel,
            Chip::Gm20b => {
                let client = self.channels.get(&channel).map_or(0, |channel| channel.client);
                if self.spaces.contains_key(&client) { client } else { 0 }
            }
        }
    }

    /// The board of a channel, made when it is first needed.
    ///
    /// # Errors
    /// `ENOENT` for a channel that does not exist, `ENODEV` when the board cannot be made; that is said on standard
    /// error.
    pub fn board(&mut self, channel: u32) -> Answer<Arc<dyn Board>> {
        if !self.channels.contains_key(&channel) {
            return Err(Errno(libc::ENOENT));
        }
        let number = self.board_number(channel);
        if let Some(board) = self.boards.get(&number) {
            return Ok(board.clone());
        }
        // Further boards have captures of their own.
        let capture = self.settings.capture.as_ref().map(|path| match self.boards.is_empty() {
            true => path.clone(),
            false => path.with_extension(format!("{number}.tgc")),
        });
        let made = board::board(self.chip(), &self.settings.options, capture.as_deref());
        let board = made.map_err(|error| {
            eprintln!("triglyph-vgpu: {error}");
            Errno(libc::ENODEV)
        })?;
        match self.spaces.get(&number).map(Space::changes) {
            Some(changes) => self.carry_out(&*board, &changes).map(|_| ())?,
            None => {
                for buffer in self.buffers.iter() {
                    board.map(self.range(buffer.place, buffer.size), self.bytes(buffer))?;
                }
            }
        }
        self.boards.insert(number, board.clone());
        Ok(board)
    }

    /// Makes a channel.
    ///
    /// # Errors
    /// `ENOMEM` when there is no room for its notifiers.
    pub fn create_channel(&mut self, client: u32) -> Answer<u32> {
        let notifiers = self.create_buffer(Wanted { domains: Domain::Gart.bit(), size: 4096, ..Wanted::default() })?;
        let number = match self.reuses_channels() {
            true => (1..).find(|number| !self.channels.contains_key(number)).unwrap_or_default(),
            false => self.last_channel + 1,
        };
        self.last_channel = number;
        self.channels.insert(number, Channel { client, notifiers, ..Channel::default() });
        Ok(number)
    }

    /// Whether numbers of channels are given again. The machine of the GM20B has room for some hundred of them, but a
    /// capture cannot say that one has ended. On the NV47 they are the numbers of boards, which buffers remember.
    fn reuses_channels(&self) -> bool {
        self.chip() == Chip::Gm20b && self.settings.capture.is_none()
    }

    /// Ends a channel: its work is done first.
    ///
    /// # Errors
    /// `ENOENT` if there is no such channel.
    pub fn free_channel(&mut self, channel: u32) -> Answer {
        let board = self.board_number(channel);
        let Channel { notifiers, .. } = self.channels.remove(&channel).ok_or(Errno(libc::ENOENT))?;
        // The program may have closed it.
        let _ = self.close_buffer(notifiers);
        if self.chip() == Chip::Nv47
            && let Some(board) = self.boards.remove(&channel)
        {
            self.reports.extend(board.end());
        }
        if self.reuses_channels()
            && let Some(board) = self.boards.get(&board)
        {
            // A board whose thread has ended has no channels.
            let _ = board.drop_channel(channel);
        }
        Ok(())
    }

    /// A place as the GPU sees it.
    pub fn range(&self, place: Place, size: u64) -> GuestRange {
        let chip = self.chip();
        GuestRange::new(chip.space(place.domain), chip.address(place.domain, place.offset), size)
    }

    /// The bytes of a buffer.
    pub fn bytes(&self, buffer: &Buffer) -> HostBytes {
        HostBytes::new(self.memory.at(buffer.home.offset))
    }

    /// Whether a command is done.
    fn is_over(boards: &Boards, last: Use) -> bool {
        boards.get(&last.board).is_none_or(|board| board.wait(last.number, Duration::ZERO))
    }

    fn reap(&mut self) {
        let State { boards, buffers, memory, .. } = self;
        let clear = |offset, size, is_shared| {
            if is_shared {
                // Fails only where mapping it to something else would have failed before.
                let _ = memory.restore(offset, size);
            }
            memory.clear(offset, size);
        };
        buffers.reap(|last| Self::is_over(boards, last), clear);
    }

    /// Makes a buffer, for all boards.
    ///
    /// # Errors
    /// Those of [`Buffers::create`].
    pub fn create_buffer(&mut self, wanted: Wanted) -> Answer<u32> {
        self.reap();
        let mut created = self.buffers.create(wanted);
        if created == Err(Errno(libc::ENOMEM)) {
            // What is leaving may be enough.
            self.boards.values().for_each(|board| board.finish());
            self.reap();
            created = self.buffers.create(wanted);
        }
        let handle = created?;
        if let Some(buffer) = self.buffers.get(handle) {
            let (range, bytes) = (self.range(buffer.place, buffer.size), self.bytes(buffer));
            for (_, board) in self.boards_with_all_buffers() {
                board.map(range, bytes)?;
            }
        }
        Ok(handle)
    }

    /// The file of a buffer, for other processes. It is made when one is first asked for; what the GPU was told to do
    /// with the buffer is done first.
    ///
    /// # Errors
    /// `ENOENT`, and what the system says.
    pub fn share_buffer(&mut self, handle: u32) -> Answer<Arc<SharedFile>> {
        let chip = self.chip().number();
        let buffer = self.buffers.get(handle).ok_or(Errno(libc::ENOENT))?;
        if let Some(file) = &buffer.file {
            return Ok(file.clone());
        }
        for (board, number) in self.waits(&buffer.used) {
            board.wait(number, Duration::MAX);
        }
        let description = Description::new(chip, buffer.size, buffer.tile_mode, buffer.tile_flags);
        let file = SharedFile::new(description, &self.memory, buffer.home.offset)?;
        self.give_file(handle, file)
    }

    /// A handle of the buffer whose bytes a file has: the process's own, or one more buffer of those bytes.
    ///
    /// # Errors
    /// `EINVAL` for the file of another chip, those of [`Buffers::create`], and what the system says.
    pub fn open_file(&mut self, file: SharedFile) -> Answer<u32> {
        if let Some(handle) = self.buffers.of_file(file.identity) {
            return self.buffers.open(handle).map(|()| handle);
        }
        let Description { size, chip, tile_mode, tile_flags, .. } = file.description;
        if chip != u32::from(self.chip().number()) {
            return Err(Errno(libc::EINVAL));
        }
        let handle = self.create_buffer(Wanted { size, tile_mode, tile_flags, ..Wanted::default() })?;
        if let Err(errno) = self.give_file(handle, file) {
            self.close_buffer(handle)?;
            return Err(errno);
        }
        Ok(handle)
    }

    /// Has a file be a buffer's bytes.
    fn give_file(&mut self, handle: u32, file: SharedFile) -> Answer<Arc<SharedFile>> {
        let buffer = self.buffers.get_mut(handle)?;
        let file = Arc::new(file);
        let replaced = self.memory.replace(buffer.home.offset, buffer.size, file.descriptor());
        replaced.map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::ENOMEM)))?;
        // Other processes write it without a call of this one.
        buffer.mapped = true;
        buffer.file = Some(file.clone());
        Ok(file)
    }

    /// Closes a handle of a buffer.
    ///
    /// # Errors
    /// Those of [`Buffers::close`].
    pub fn close_buffer(&mut self, handle: u32) -> Answer {
        let Some(buffer) = self.buffers.close(handle)? else { return Ok(()) };
        // A capture cannot say that something is unmapped: addresses are never used again.
        if self.settings.capture.is_some() {
            return Ok(());
        }
        let (range, mut uses) = (self.range(buffer.place, buffer.size), Uses::default());
        for (board, thread) in self.boards_with_all_buffers() {
            uses.note(Use { board, number: thread.unmap(range)? });
        }
        // In the other spaces it is bound no longer, but commands may not be done.
        uses = uses.iter().chain(self.last_commands()).collect();
        self.buffers.leave(buffer, uses);
        self.reap();
        Ok(())
    }

    /// Moves a buffer to one of some domains, unless it is in one of them.
    ///
    /// # Errors
    /// Those of [`Buffers::move_to`].
    pub fn move_buffer(&mut self, handle: u32, domains: u32) -> Answer {
        let wanted = match domains & Domain::Vram.bit() != 0 {
            true => Domain::Vram,
            false => Domain::Gart,
        };
        let Some(old) = self.buffers.move_to(handle, wanted)? else { return Ok(()) };
        let Some(buffer) = self.buffers.get(handle) else { return Ok(()) };
        let [old, new] = [old, buffer.place].map(|place| self.range(place, buffer.size));
        let bytes = self.bytes(buffer);
        for (_, board) in self.boards_with_all_buffers() {
            board.unmap(old)?;
            board.map(new, bytes)?;
        }
        Ok(())
    }

    /// The board that finds the frame in the memory of a buffer, and where: the last one that has written it by a
    /// submission that says so, or one of a space where its start is bound.
    pub fn board_of_picture(&self, handle: u32) -> Option<(Arc<dyn Board>, GuestAddr)> {
        let buffer = self.buffers.get(handle)?;
        let writer = buffer.written.iter().filter_map(|last| self.command(last)).last();
        if let Some((board, _)) = writer {
            return Some((board, self.range(buffer.place, buffer.size).start));
        }
        self.spaces.iter().find_map(|(number, space)| {
            let is_start = |binding: &Binding| binding.buffer == handle && binding.offset == 0;
            let (address, _) = space.bindings().find(|(_, binding)| is_start(binding))?;
            Some((self.boards.get(number)?.clone(), GuestAddr::new(0, address)))
        })
    }

    /// The commands of some uses of a buffer, and those that do not name their buffers.
    pub fn waits(&self, uses: &Uses) -> Vec<Wait> {
        uses.iter().chain(self.last_commands()).filter_map(|last| self.command(last)).collect()
    }

    /// The command of a use, unless its board is gone.
    pub fn command(&self, last: Use) -> Option<Wait> {
        Some((self.boards.get(&last.board)?.clone(), last.number))
    }

    /// Waits for a command.
    pub fn wait_for(&self, last: Use) {
        if let Some((board, number)) = self.command(last) {
            board.wait(number, Duration::MAX);
        }
    }

    /// The boards that have each buffer at the kernel's address.
    fn boards_with_all_buffers(&self) -> impl Iterator<Item = (u32, &Arc<dyn Board>)> {
        self.boards
            .iter()
            .map(|(&number, board)| (number, board))
            .filter(|(number, _)| !self.spaces.contains_key(number))
    }

    /// The last commands of the spaces that clients manage.
    fn last_commands(&self) -> impl Iterator<Item = Use> + '_ {
        let commands = self.spaces.iter().map(|(&board, space)| Use { board, number: space.last });
        commands.filter(|command| command.number > 0)
    }

    /// Notes the last command of a client's space.
    pub fn note_command(&mut self, client: u32, number: u64) {
        if let Some(space) = self.spaces.get_mut(&client) {
            space.last = number;
        }
    }

    /// Changes what is bound in a client's space, after everything that was submitted to it.
    ///
    /// # Errors
    /// `ENOSYS` if it has none, and those of the change.
    pub fn change_space(
        &mut self,
        client: u32,
        change: impl FnOnce(&mut Space, &mut Buffers) -> Answer<Changed>,
    ) -> Answer {
        let space = self.spaces.get_mut(&client).ok_or(Errno(libc::ENOSYS))?;
        let (changes, gone) = change(space, &mut self.buffers)?;
        if let Some(board) = self.boards.get(&client) {
            let number = self.carry_out(&**board, &changes)?;
            self.note_command(client, number);
        }
        gone.into_iter().try_for_each(|buffer| self.close_buffer(buffer))
    }

    /// Has a board carry out changes of its space. Returns its last command.
    fn carry_out(&self, board: &dyn Board, changes: &[Change]) -> Answer<u64> {
        let mut number = 0;
        for &change in changes {
            number = match change {
                Change::Map(address, binding) => {
                    let buffer = self.buffers.get(binding.buffer).ok_or(Errno(libc::ENOENT))?;
                    let bytes = HostBytes::new(self.memory.at(buffer.home.offset + binding.offset));
                    board.map(GuestRange::new(0, address, binding.size), bytes)?
                }
                Change::Unmap(address, size) => board.unmap(GuestRange::new(0, address, size))?,
                Change::Sparse(address, size) => board.map_sparse(GuestRange::new(0, address, size))?,
            };
        }
        Ok(number)
    }

    /// The boards' threads are gone, as in a child of the process: calls fail from here on.
    pub fn lose_boards(&mut self) {
        // Their threads cannot be waited for.
        std::mem::forget(std::mem::take(&mut self.boards));
        self.channels.clear();
        self.watches = Watches::default();
    }

    /// How many faults the GPU has had.
    #[cfg(test)]
    pub fn faults(&self) -> u64 {
        self.boards.values().filter_map(|board| board.end()).map(|report| report.faults.total()).sum()
    }

    /// Ends all work and captures, and says what was counted if that is wanted.
    pub fn end(&self) {
        let ended = self.boards.values().filter_map(|board| board.end());
        let reports: Vec<Report> = self.reports.iter().cloned().chain(ended).collect();
        if !self.settings.stats {
            return;
        }
        let (seconds, chip, frames) = (self.begun.elapsed().as_secs_f64(), self.chip().name(), self.display.flips());
        let rate = self.display.rate().map_or(String::new(), |rate| format!(" ({rate:.1} a second)"));
        let State { submissions, words, .. } = self;
        eprintln!(
            "triglyph-vgpu: {chip}: {seconds:.3} s, {frames} frames{rate}, {submissions} submissions, {words} words"
        );
        for Report { stats, faults } in reports {
            let Stats { draws, triangles, vertices, kernels_compiled, compile_time, .. } = stats;
            eprintln!(
                "triglyph-vgpu: {draws} draws, {triangles} triangles, {vertices} vertices; {kernels_compiled} kernels \
                 compiled in {:.3} s; {} faults",
                compile_time.as_secs_f64(),
                faults.total()
            );
            for fault in faults.first() {
                eprintln!("triglyph-vgpu: {} at {:#x}: {}", fault.kind.name(), fault.address, fault.what);
            }
        }
    }
}
