//! Functions that only the 3DS has.

pub mod calls;
pub mod forecast;
pub mod gsp;
pub mod gsp_values;
pub mod ipc;
pub mod lcd;
pub mod queues;

use triglyph::n3ds::gsp::{Gsp, Hardware, Interrupt, ResultCode, Session, SharedPage};
use triglyph::n3ds::{self, BadAddress, Event, Executed, FreezePolicy, Outcome, Screen};
use triglyph::{GuestAddr, Machine, N3ds};
use triglyph_guest::num::nanoseconds;

use super::error::{Done, Failure, guard, numbered, triglyph_status};
use super::forward::Tell;
use super::handle::{
    Gpu, MachineHandle, Recording, create, destroy_machine, device_of, machine_handle, triglyph_device, with_machine,
};
use super::options::triglyph_options;
use super::pointer::{Out, array, put, put_found};

/// A Nintendo 3DS's GPU: PICA200, transfer engine, LCD registers, GSP.
///
/// The host maps physical memory in `TRIGLYPH_N3DS_SPACE_PHYSICAL`: VRAM at 0x18000000, main memory at 0x20000000; and
/// what DMA may reach of the process beside linear heap and VRAM in `TRIGLYPH_N3DS_SPACE_PROCESS`.
pub struct triglyph_n3ds {
    device: triglyph_device,
}

machine_handle!(triglyph_n3ds: N3ds, N3ds, N3ds);

/// The address space of physical addresses.
pub const TRIGLYPH_N3DS_SPACE_PHYSICAL: u32 = 0;
/// The address space of the process whose commands are executed, by its virtual addresses, for DMA: code, data, heap,
/// stack. Linear heap, QTM memory and VRAM are found in physical memory.
pub const TRIGLYPH_N3DS_SPACE_PROCESS: u32 = 1;

const _: () = {
    assert!(TRIGLYPH_N3DS_SPACE_PHYSICAL == n3ds::PHYSICAL);
    assert!(TRIGLYPH_N3DS_SPACE_PROCESS == n3ds::PROCESS);
};

/// The interrupts of the GPU's units, numbered as GSP's clients see them.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_n3ds_interrupt {
    /// Memory fill unit 0 has finished.
    Psc0 = 0,
    /// Memory fill unit 1 has finished.
    Psc1 = 1,
    /// VBlank of the top screen.
    Pdc0 = 2,
    /// VBlank of the bottom screen.
    Pdc1 = 3,
    /// The transfer engine has finished.
    Ppf = 4,
    /// A command list has finished.
    P3d = 5,
    /// A DMA request has finished.
    Dma = 6,
}

/// The screens, numbered as in GSP's calls.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_n3ds_screen {
    /// The upper, wide one; it can show a picture for each eye.
    Top = 0,
    /// The lower, touch-sensitive one.
    Bottom = 1,
}

/// The treatment of bad addresses by GX commands that do not check them.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_n3ds_bad_address {
    /// They take physical address 0 instead.
    Zero = 0,
    /// They fail.
    Fail = 1,
}

/// The result of a transfer in a case in which the hardware freezes.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_n3ds_freeze_policy {
    /// Nothing is copied and the transfer completes.
    Complete = 0,
    /// Nothing is copied, the unit stays busy for good and no interrupt comes.
    Hang = 1,
}

/// Ticks of the main processor's clock in a second, in which estimates of time are given.
pub const TRIGLYPH_N3DS_TICKS_PER_SECOND: u64 = 268111856;

const _: () = assert!(TRIGLYPH_N3DS_TICKS_PER_SECOND == n3ds::TICKS_PER_SECOND);

/// The work of a host after a GX command.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_n3ds_outcome {
    /// Nothing is to be signalled: a flush, a fill without units, a list without an end, a command that the client may
    /// not give.
    NothingToSignal = 0,
    /// It is done: the host raises `interrupt` after `ticks`.
    Done = 1,
    /// It has failed with `result` and done nothing; no interrupt comes.
    Failed = 2,
    /// DMA of memory that the host has not mapped in `TRIGLYPH_N3DS_SPACE_PROCESS`, of which nothing is done: the host
    /// copies `copy_size` bytes from `copy_source` to `copy_target`, virtual addresses of the process, says so with
    /// `triglyph_host_wrote` if it announces its writes, and raises `TRIGLYPH_N3DS_INTERRUPT_DMA`.
    HostCopy = 3,
}

/// How a GX command ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_executed {
    /// The result code as clients get it: 0, or with bit 31 set why the command failed and has done nothing.
    pub result: u32,
    /// Whether an interrupt ends it: 1 or 0.
    pub has_interrupt: u32,
    /// The `triglyph_n3ds_interrupt`.
    pub interrupt: u32,
    /// The `triglyph_n3ds_outcome`: what the host does now.
    pub outcome: u32,
    /// After how many ticks the hardware would raise it: an estimate.
    pub ticks: u64,
    /// Where the host copies from, with `TRIGLYPH_N3DS_OUTCOME_HOST_COPY`; otherwise 0, as the following two.
    pub copy_source: u32,
    /// Where it copies to.
    pub copy_target: u32,
    /// How many bytes.
    pub copy_size: u32,
    /// 0.
    pub reserved: u32,
}

impl From<Executed> for triglyph_n3ds_executed {
    fn from(executed: Executed) -> Self {
        let Executed { result, event, host_copy } = executed;
        let copy = host_copy.unwrap_or_default();
        let outcome = match executed.outcome() {
            Outcome::NothingToSignal => triglyph_n3ds_outcome::NothingToSignal,
            Outcome::Done(_) => triglyph_n3ds_outcome::Done,
            Outcome::Failed(_) => triglyph_n3ds_outcome::Failed,
            Outcome::HostCopy(_) => triglyph_n3ds_outcome::HostCopy,
        };
        let (interrupt, ticks) = event.map_or((0, 0), |event| (event.interrupt as u32, event.ticks));
        triglyph_n3ds_executed {
            result: result.0,
            has_interrupt: event.is_some().into(),
            interrupt,
            outcome: outcome as u32,
            ticks,
            copy_source: copy.source,
            copy_target: copy.target,
            copy_size: copy.size,
            reserved: 0,
        }
    }
}

impl Tell<(triglyph_n3ds_executed,)> for Option<Event> {
    fn tell(self) -> (triglyph_n3ds_executed,) {
        (Executed { result: ResultCode::SUCCESS, event: self, host_copy: None }.into(),)
    }
}

/// Runs a call on GSP and the hardware that it controls.
pub(super) fn with_gsp<R: Done>(
    n3ds: Option<&triglyph_n3ds>,
    call: impl FnOnce(&mut Gsp, &mut dyn Hardware) -> R,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| n3ds.with_gsp(call))
}

/// A screen by its number.
pub(super) fn screen(number: u32) -> Result<Screen, Failure> {
    numbered(number, &Screen::ALL, "screen")
}

/// An interrupt by its number.
pub(super) fn interrupt(number: u32) -> Result<Interrupt, Failure> {
    let known = u8::try_from(number).ok().and_then(Interrupt::from_number);
    known.ok_or_else(|| Failure::invalid(format!("interrupt {number}")))
}

/// Makes a 3DS with nothing mapped and every register at its reset value. It belongs to the caller, who destroys it
/// with `triglyph_n3ds_destroy`.
///
/// Errors: as `triglyph_device_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_create(
    options: *const triglyph_options,
    n3ds: Out<'_, *mut triglyph_n3ds>,
) -> triglyph_status {
    // SAFETY: the header asks callers for null or a structure that begins with its size.
    unsafe { create(options, n3ds, "n3ds", |_| Ok(())) }
}

/// Destroys a 3DS, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_destroy(n3ds: *mut triglyph_n3ds) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy_machine(n3ds) }
}

/// The device of a 3DS, for the calls that all machines have; null for null. It is borrowed: it is destroyed with the
/// 3DS.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_device(n3ds: Option<&triglyph_n3ds>) -> *const triglyph_device {
    device_of(n3ds)
}

/// Executes a GX command, eight words as in a slot of the command queue with virtual addresses of the client, for
/// hosts that have a GSP of their own. It is complete when this returns, unless `executed` asks the host to copy; no
/// interrupt is queued, what the host does next is in `executed`, which may be null. A recording that is under way
/// contains it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_execute(
    n3ds: Option<&triglyph_n3ds>,
    words: *const u32,
    executed: Out<'_, triglyph_n3ds_executed>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        // SAFETY: the header asks callers for eight words.
        let words: [u32; 8] = unsafe { array(words, "words") }?;
        put(executed, n3ds.execute(&words).into());
        Ok(())
    })
}

/// As `triglyph_n3ds_execute`, with the command where it is in guest memory, 32 bytes at an address of a space, after
/// everything that was submitted.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED`; nothing is done then.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_execute_at(
    n3ds: Option<&triglyph_n3ds>,
    space: u32,
    address: u64,
    executed: Out<'_, triglyph_n3ds_executed>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        put(executed, n3ds.execute_at(GuestAddr::new(space, address))?.into());
        Ok(())
    })
}

/// Moves GSP to a page of the host's, 4096 bytes aligned to 4; or with null to one of the library's own, as at first.
/// The host may do so at any time, also after clients have registered, as kernels map the page later: clients, rights
/// and what the host has chosen stay, and the contents of the page before are copied to the new one, over what is
/// there. A host that loads a state with the page's contents does that afterwards. The page may be in memory that is
/// mapped with `triglyph_map_host` as well, and guest processors may use it at the same time: GSP touches it with
/// atomic accesses of 32 bits. Recordings do not have it. It has to stay where it is until GSP is moved again or the
/// 3DS is destroyed.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a misaligned page.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_set_shared_page(
    n3ds: Option<&triglyph_n3ds>,
    page: *mut std::ffi::c_void,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let page = match page.is_null() {
            true => Some(SharedPage::default()),
            // SAFETY: the header asks callers for 4096 bytes that stay valid while GSP uses them.
            false => unsafe { SharedPage::from_host(page.cast()) },
        };
        let page = page.ok_or_else(|| Failure::invalid("page is not aligned"))?;
        n3ds.set_shared_page(page);
        Ok(())
    })
}

/// Resets GSP, as when the console is switched on: there are no clients, no session has the rendering right, the shared
/// page is zeros. The page, and what the host has chosen of GSP, stay.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_reset_gsp(n3ds: Option<&triglyph_n3ds>) -> triglyph_status {
    with_machine(n3ds, |n3ds| n3ds.reset_gsp())
}

/// Says what becomes of bad addresses in GX commands that do not check them: a `triglyph_n3ds_bad_address`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_bad_address(n3ds: Option<&triglyph_n3ds>, behaviour: u32) -> triglyph_status {
    let behaviour = bad_address(behaviour);
    with_gsp(n3ds, |gsp, _| {
        gsp.set_bad_address(behaviour?);
        Ok(())
    })
}

/// The treatment of bad addresses, by its number.
pub(super) fn bad_address(behaviour: u32) -> Result<BadAddress, Failure> {
    numbered(behaviour, &[BadAddress::Zero, BadAddress::Fail], "behaviour")
}

/// Says what happens where the transfer engine freezes on the console: a `triglyph_n3ds_freeze_policy`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_freeze_policy(n3ds: Option<&triglyph_n3ds>, policy: u32) -> triglyph_status {
    let policy = numbered(policy, &[FreezePolicy::Complete, FreezePolicy::Hang], "policy");
    with_machine(n3ds, |n3ds| {
        n3ds.external_mut().set_freeze_policy(policy?);
        Ok(())
    })
}

/// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A recording has
/// it.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_fuel(n3ds: Option<&triglyph_n3ds>, fuel: u64) -> triglyph_status {
    with_machine(n3ds, |n3ds| n3ds.set_fuel(fuel))
}

/// Says whether this is a New 3DS; the first register shows it.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_new_model(n3ds: Option<&triglyph_n3ds>, new_model: bool) -> triglyph_status {
    with_machine(n3ds, |n3ds| n3ds.external_mut().set_new_model(new_model))
}

/// The physical address of a client's virtual one in linear heap, QTM memory or VRAM; 0 stays 0. `found` says whether
/// there is one.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_to_physical(
    address: u32,
    physical: Out<'_, u32>,
    found: Out<'_, bool>,
) -> triglyph_status {
    guard(|| put_found(n3ds::gsp::to_physical(address), physical, found))
}

/// Ticks of the main processor as nanoseconds.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_nanoseconds(ticks: u64) -> u64 {
    nanoseconds(n3ds::time_of_ticks(ticks))
}

/// A session that a host names by a number.
pub(super) const fn session(number: u32) -> Session {
    Session(number)
}
