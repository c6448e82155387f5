// Triglyph: the GPUs of three consoles as a library. The C interface for C#.
//
// Made from the sources in capi/src and the tables of calls; do not edit. Names and rules are those of triglyph.h.
// Structures, enumerations and pointers are as in C, so nothing is copied or converted; compile with /unsafe. Delegates
// that the library is given have to be kept alive for as long as it may call them.

using System;
using System.Runtime.InteropServices;

namespace Triglyph
{
    /// <summary>
    /// How a call ended. Everything but `TRIGLYPH_STATUS_OK` is an error of the caller, of a file or of this library;
    /// what the guest does wrong is a fault, or a result beside the status, never a status.
    /// </summary>
    public enum triglyph_status : int
    {
        /// <summary>
        /// Done.
        /// </summary>
        Ok = 0,
        /// <summary>
        /// A pointer is null that may not be.
        /// </summary>
        NullPointer = 1,
        /// <summary>
        /// An argument that is not accepted: a number without a meaning, text that is not UTF-8, a misaligned pointer.
        /// </summary>
        InvalidArgument = 2,
        /// <summary>
        /// The size of a structure is not one of any version, or an array is larger than memory.
        /// </summary>
        BadSize = 3,
        /// <summary>
        /// The caller named guest memory that is not all mapped.
        /// </summary>
        Unmapped = 4,
        /// <summary>
        /// This machine, this build, this host or this version does not support the request.
        /// </summary>
        Unsupported = 5,
        /// <summary>
        /// A snapshot that is broken, of another version or of another machine.
        /// </summary>
        BadSnapshot = 6,
        /// <summary>
        /// A file that is no capture, or a record of one that is malformed or was refused.
        /// </summary>
        BadCapture = 7,
        /// <summary>
        /// A file could not be read or written.
        /// </summary>
        Io = 8,
        /// <summary>
        /// Another call works with the handle: on another thread, or the caller is a callback of it.
        /// </summary>
        Busy = 9,
        /// <summary>
        /// An earlier call panicked while it had the handle: it can only be destroyed.
        /// </summary>
        Poisoned = 10,
        /// <summary>
        /// This call panicked, which is a bug of this library.
        /// </summary>
        Panic = 11,
    }

    /// <summary>
    /// Which tier serves kernel calls.
    /// </summary>
    public enum triglyph_tier : uint
    {
        /// <summary>
        /// The interpreter at once, compiled code as soon as there is some.
        /// </summary>
        Auto = 0,
        /// <summary>
        /// The interpreter only.
        /// </summary>
        Interpreter = 1,
        /// <summary>
        /// Compiled code from the first call on: callers wait for the compiler.
        /// </summary>
        Jit = 2,
    }

    /// <summary>
    /// How near to the console the arithmetic of programs is.
    /// </summary>
    public enum triglyph_accuracy : uint
    {
        /// <summary>
        /// Without what pictures do not show and processors do slowly.
        /// </summary>
        Fast = 0,
        /// <summary>
        /// The known behaviour of the hardware; on the PS3 registers, instance memory and channel switching as well.
        /// </summary>
        Exact = 1,
    }

    /// <summary>
    /// The machines, numbered as in captures.
    /// </summary>
    public enum triglyph_machine : uint
    {
        /// <summary>
        /// Nintendo 3DS.
        /// </summary>
        N3ds = 1,
        /// <summary>
        /// PlayStation 3.
        /// </summary>
        Ps3 = 2,
        /// <summary>
        /// Tegra X1, the Switch's.
        /// </summary>
        TegraX1 = 3,
    }

    /// <summary>
    /// The kind of an event. The fields of an event that each kind has are named here; the others are 0.
    /// </summary>
    public enum triglyph_event_kind : uint
    {
        /// <summary>
        /// A kind that this version cannot describe.
        /// </summary>
        Unknown = 0,
        /// <summary>
        /// An interrupt of the guest's processor: `source` as the machine numbers them (a GSP interrupt on the 3DS, new
        /// bits of PFIFO_INTR on the PS3, 0 on the Tegra X1), `count`, `delay`.
        /// </summary>
        Interrupt = 1,
        /// <summary>
        /// A fence with a waiter was reached: `slot`, `counter` (the syncpoint), `value`.
        /// </summary>
        Fence = 2,
        /// <summary>
        /// A display has begun to show a frame: `context`, `head`.
        /// </summary>
        Vblank = 3,
        /// <summary>
        /// As before, for the second handler of the PS3's driver: `context`, `head`.
        /// </summary>
        SecondVblank = 4,
        /// <summary>
        /// A display shows another buffer: `context`, `head`, `buffer`, `offset`.
        /// </summary>
        Flip = 5,
        /// <summary>
        /// A buffer waits to be shown: `context`, `head`, `buffer`.
        /// </summary>
        Queue = 6,
        /// <summary>
        /// A user command was executed: `context`, `value`.
        /// </summary>
        UserCommand = 7,
        /// <summary>
        /// The pusher of a channel met an error and has stopped: `channel`, `error`.
        /// </summary>
        GraphicsError = 8,
        /// <summary>
        /// The GPU touched an IO address that is not mapped: `address`.
        /// </summary>
        UnmappedIo = 9,
        /// <summary>
        /// A method of the software engine that no driver or handler has executed: `channel`, `subchannel`, `method`,
        /// `value`.
        /// </summary>
        Software = 10,
    }

    /// <summary>
    /// The kinds of trouble a guest can make.
    /// </summary>
    public enum triglyph_fault_kind : uint
    {
        /// <summary>
        /// A read from memory that is not mapped or not readable; it yields zeros.
        /// </summary>
        UnmappedRead = 0,
        /// <summary>
        /// A write to memory that is not mapped or not writable; it is dropped.
        /// </summary>
        UnmappedWrite = 1,
        /// <summary>
        /// A command word, header or submission that makes no sense.
        /// </summary>
        BadCommand = 2,
        /// <summary>
        /// A register or method that does not exist, or a value that it does not take.
        /// </summary>
        BadMethod = 3,
        /// <summary>
        /// A shader instruction that does not exist, or a program that cannot be entered.
        /// </summary>
        BadShader = 4,
        /// <summary>
        /// A program, list or macro that ran longer than it may.
        /// </summary>
        OutOfFuel = 5,
        /// <summary>
        /// A feature of the hardware that is not emulated yet.
        /// </summary>
        Unimplemented = 6,
    }

    /// <summary>
    /// What a finding is about.
    /// </summary>
    public enum triglyph_finding_kind : uint
    {
        /// <summary>
        /// The draw has no vertices.
        /// </summary>
        NoVertices = 0,
        /// <summary>
        /// There are fewer vertices than one primitive needs.
        /// </summary>
        IncompletePrimitive = 1,
        /// <summary>
        /// Conditional rendering or a rasterizer switch drops all draws.
        /// </summary>
        RenderingDisabled = 2,
        /// <summary>
        /// No colour or depth surface is selected, or its address or DMA object is 0.
        /// </summary>
        NoTarget = 3,
        /// <summary>
        /// A surface lies at an address where nothing may be written.
        /// </summary>
        UnmappedTarget = 4,
        /// <summary>
        /// The selected surfaces have no format that exists.
        /// </summary>
        TargetFormat = 5,
        /// <summary>
        /// The surfaces have a width, height or pitch of 0, or one that does not fit them.
        /// </summary>
        TargetSize = 6,
        /// <summary>
        /// The viewport has no area.
        /// </summary>
        EmptyViewport = 7,
        /// <summary>
        /// No pixel of the target is inside of the scissor or of another clip rectangle.
        /// </summary>
        EmptyScissor = 8,
        /// <summary>
        /// A vertex or index array begins where nothing may be read.
        /// </summary>
        UnmappedArray = 9,
        /// <summary>
        /// A stage that the draw needs has no program.
        /// </summary>
        NoProgram = 10,
        /// <summary>
        /// No output of the vertex stage is the position.
        /// </summary>
        NoPosition = 11,
        /// <summary>
        /// All positions have a w of 0, or a component that is no number.
        /// </summary>
        BadPosition = 12,
        /// <summary>
        /// All vertices have the same position.
        /// </summary>
        SamePosition = 13,
        /// <summary>
        /// All primitives are outside of the view volume.
        /// </summary>
        OutsideView = 14,
        /// <summary>
        /// All primitives show the side that culling drops.
        /// </summary>
        AllCulled = 15,
        /// <summary>
        /// All primitives are without area.
        /// </summary>
        Degenerate = 16,
        /// <summary>
        /// Primitives were set up, or dropped for this alone, and cover no pixel inside of the target and the scissor.
        /// </summary>
        NoPixels = 17,
        /// <summary>
        /// A depth, stencil or alpha function is `never`.
        /// </summary>
        TestNever = 18,
        /// <summary>
        /// All fragments failed the depth test.
        /// </summary>
        DepthFailed = 19,
        /// <summary>
        /// All fragments failed the stencil test.
        /// </summary>
        StencilFailed = 20,
        /// <summary>
        /// All fragments failed the alpha test.
        /// </summary>
        AlphaFailed = 21,
        /// <summary>
        /// All fragments lie outside of the depth bounds.
        /// </summary>
        BoundsFailed = 22,
        /// <summary>
        /// The program or a sample mask discarded all fragments.
        /// </summary>
        Discarded = 23,
        /// <summary>
        /// All fragments failed one test or another.
        /// </summary>
        TestsFailed = 24,
        /// <summary>
        /// No channel of the colour surfaces may be written, and depth is not written either.
        /// </summary>
        WritesMasked = 25,
        /// <summary>
        /// Blending keeps what the target holds: the factor of the source is 0, that of the target 1.
        /// </summary>
        BlendKeepsTarget = 26,
        /// <summary>
        /// Fragments passed all tests, and every byte of the targets is as before.
        /// </summary>
        NothingChanged = 27,
        /// <summary>
        /// The colour of all fragments is a constant 0.
        /// </summary>
        ConstantZero = 28,
        /// <summary>
        /// The fragment program writes no colour and no depth.
        /// </summary>
        NoColorOutput = 29,
        /// <summary>
        /// The fragment stage reads a colour or coordinate that the vertex stage does not give.
        /// </summary>
        UnlinkedInput = 30,
        /// <summary>
        /// The program reads an attribute that comes from no array; all vertices have the same value.
        /// </summary>
        ConstantAttribute = 31,
        /// <summary>
        /// An array holds zeros for all vertices of the draw.
        /// </summary>
        ZeroAttribute = 32,
        /// <summary>
        /// A texture that the draw reads lies where nothing is mapped, or has no size.
        /// </summary>
        UnmappedTexture = 33,
        /// <summary>
        /// A texture or sampler descriptor is empty.
        /// </summary>
        EmptyDescriptor = 34,
        /// <summary>
        /// Depth is compared with a buffer that nothing has written before.
        /// </summary>
        UnwrittenDepth = 35,
        /// <summary>
        /// A register that draws depend on holds a value that is nearly always a mistake.
        /// </summary>
        UnusualState = 36,
        /// <summary>
        /// A draw was begun and did not end.
        /// </summary>
        OpenDraw = 37,
        /// <summary>
        /// Commands have run, and none of them drew.
        /// </summary>
        NoDraw = 38,
        /// <summary>
        /// A picture was shown of memory that no draw, clear or copy wrote.
        /// </summary>
        UnwrittenPicture = 39,
    }

    /// <summary>
    /// How much a finding matters.
    /// </summary>
    public enum triglyph_severity : uint
    {
        /// <summary>
        /// The draw may be as its author wants it.
        /// </summary>
        Suspicious = 0,
        /// <summary>
        /// For this reason the draw changes no pixel.
        /// </summary>
        Invisible = 1,
    }

    /// <summary>
    /// How much a line of the log matters.
    /// </summary>
    public enum triglyph_log_level : uint
    {
        /// <summary>
        /// A bug of this library that it has recovered from: the compiler panicked on a kernel.
        /// </summary>
        Error = 0,
        /// <summary>
        /// A request of the host's was not fulfilled: the key file is not used, is damaged, or was not written.
        /// </summary>
        Warning = 1,
        /// <summary>
        /// Work is slower than it could be: the interpreter serves a kernel or calls of it, and why.
        /// </summary>
        Information = 2,
    }

    /// <summary>
    /// Why a bounded run returned.
    /// </summary>
    public enum triglyph_run_end : uint
    {
        /// <summary>
        /// A reason that this version cannot describe.
        /// </summary>
        Unknown = 0,
        /// <summary>
        /// Everything that was submitted is done, and its results are in guest memory.
        /// </summary>
        Done = 1,
        /// <summary>
        /// Nothing can go on before the host, or the guest's processor, has acted: `waiting` says what is waited for.
        /// </summary>
        Waiting = 2,
        /// <summary>
        /// The limit is reached, and there is more to do.
        /// </summary>
        BudgetUsed = 3,
        /// <summary>
        /// `triglyph_interrupter_interrupt` was called; there may be more to do. What was drawn last may not be in
        /// guest memory yet.
        /// </summary>
        Interrupted = 4,
    }

    /// <summary>
    /// The condition that is waited for.
    /// </summary>
    public enum triglyph_waiting_kind : uint
    {
        /// <summary>
        /// Nothing, or what this version cannot describe.
        /// </summary>
        None = 0,
        /// <summary>
        /// The word at `address` in `space` is to have a value: `value` is what it is compared with.
        /// </summary>
        Semaphore = 1,
        /// <summary>
        /// `counter`, on the Tegra X1 a syncpoint, is to reach `value`, modulo 2^32.
        /// </summary>
        Counter = 2,
        /// <summary>
        /// A push buffer jumps to itself, at offset `address`, until its owner overwrites the jump.
        /// </summary>
        PushBuffer = 3,
        /// <summary>
        /// The channel is stopped by an error, or until the guest's own interrupt handler acts. On the 3DS commands are
        /// in the queue of client `channel`, which was halted or has not the rendering right.
        /// </summary>
        Processor = 4,
    }

    /// <summary>
    /// In what pieces `triglyph_capture_trim` keeps memory.
    /// </summary>
    public enum triglyph_trim_unit : uint
    {
        /// <summary>
        /// The bytes that are read.
        /// </summary>
        Bytes = 0,
        /// <summary>
        /// Pages of 4 KiB of which a byte is read.
        /// </summary>
        Pages = 1,
    }

    /// <summary>
    /// Pixel formats of pictures.
    /// </summary>
    public enum triglyph_format : uint
    {
        /// <summary>
        /// 4 bytes: A, B, G, R.
        /// </summary>
        Rgba8 = 1,
        /// <summary>
        /// 3 bytes: B, G, R.
        /// </summary>
        Bgr8 = 2,
        /// <summary>
        /// 16 bits: R 15:11, G 10:5, B 4:0.
        /// </summary>
        Rgb565 = 3,
        /// <summary>
        /// 16 bits: R 15:11, G 10:6, B 5:1, A 0.
        /// </summary>
        Rgb5a1 = 4,
        /// <summary>
        /// 16 bits: R 15:12, G 11:8, B 7:4, A 3:0.
        /// </summary>
        Rgba4 = 5,
        /// <summary>
        /// 32 bits: A 31:24, R 23:16, G 15:8, B 7:0.
        /// </summary>
        A8r8g8b8 = 6,
        /// <summary>
        /// 32 bits: A 31:24, B 23:16, G 15:8, R 7:0.
        /// </summary>
        A8b8g8r8 = 7,
        /// <summary>
        /// Four 16-bit floats, R first.
        /// </summary>
        R16g16b16a16f = 8,
        /// <summary>
        /// As `TRIGLYPH_FORMAT_A8R8G8B8` without alpha.
        /// </summary>
        X8r8g8b8 = 9,
        /// <summary>
        /// As `TRIGLYPH_FORMAT_A8B8G8R8` without alpha.
        /// </summary>
        X8b8g8r8 = 10,
    }

    /// <summary>
    /// How pixels are arranged.
    /// </summary>
    public enum triglyph_layout : uint
    {
        /// <summary>
        /// Rows of `pitch` bytes, top row first.
        /// </summary>
        TopFirst = 0,
        /// <summary>
        /// Rows of `pitch` bytes, bottom row first.
        /// </summary>
        BottomFirst = 1,
        /// <summary>
        /// A 3DS screen: columns of `pitch` bytes, each from the bottom up.
        /// </summary>
        Lcd = 2,
        /// <summary>
        /// Tegra block-linear, top row first; bits 8 to 15 of the number are log2 of the block height in GOBs.
        /// </summary>
        BlockLinear = 3,
        /// <summary>
        /// Tegra block-linear, bottom row first.
        /// </summary>
        BlockLinearBottomFirst = 4,
        /// <summary>
        /// RSX swizzled, top row first.
        /// </summary>
        Swizzled = 5,
        /// <summary>
        /// RSX swizzled, bottom row first.
        /// </summary>
        SwizzledBottomFirst = 6,
    }

    /// <summary>
    /// The host's format of pixels.
    /// </summary>
    public enum triglyph_host_format : uint
    {
        /// <summary>
        /// Bytes R, G, B, A.
        /// </summary>
        Rgba8 = 1,
        /// <summary>
        /// Bytes B, G, R, A.
        /// </summary>
        Bgra8 = 2,
        /// <summary>
        /// 16 bits, low byte first: R 15:11, G 10:5, B 4:0.
        /// </summary>
        Rgb565 = 3,
    }

    /// <summary>
    /// The treatment of pictures whose size is not that of the host's rows. Guests choose sizes: the wide mode of the
    /// 3DS has 800 columns instead of 400.
    /// </summary>
    public enum triglyph_fit : uint
    {
        /// <summary>
        /// The part that fits is stored, from the top left corner. Around a smaller picture the rows stay as they are.
        /// </summary>
        Cut = 0,
        /// <summary>
        /// All of it is stored, smaller or larger, so that it fills the rows: the nearest pixel for each.
        /// </summary>
        Scale = 1,
    }

    /// <summary>
    /// How a picture was stored.
    /// </summary>
    public enum triglyph_shown_kind : uint
    {
        /// <summary>
        /// There is no picture, or none that there can be: nothing is stored.
        /// </summary>
        Nothing = 0,
        /// <summary>
        /// All of it, pixel by pixel.
        /// </summary>
        Whole = 1,
        /// <summary>
        /// Its upper left part.
        /// </summary>
        Cut = 2,
        /// <summary>
        /// All of it, smaller or larger.
        /// </summary>
        Scaled = 3,
    }

    /// <summary>
    /// An event of a player.
    /// </summary>
    public enum triglyph_play_kind : uint
    {
        /// <summary>
        /// The capture is at its end, and everything that was submitted has finished.
        /// </summary>
        End = 0,
        /// <summary>
        /// Work was handed to the device.
        /// </summary>
        Submitted = 1,
        /// <summary>
        /// A picture is finished; the player has it until it goes on.
        /// </summary>
        Picture = 2,
        /// <summary>
        /// A hash was checked.
        /// </summary>
        Hash = 3,
        /// <summary>
        /// An event that this version cannot describe.
        /// </summary>
        Other = 4,
    }

    /// <summary>
    /// The interrupts of the GPU's units, numbered as GSP's clients see them.
    /// </summary>
    public enum triglyph_n3ds_interrupt : uint
    {
        /// <summary>
        /// Memory fill unit 0 has finished.
        /// </summary>
        Psc0 = 0,
        /// <summary>
        /// Memory fill unit 1 has finished.
        /// </summary>
        Psc1 = 1,
        /// <summary>
        /// VBlank of the top screen.
        /// </summary>
        Pdc0 = 2,
        /// <summary>
        /// VBlank of the bottom screen.
        /// </summary>
        Pdc1 = 3,
        /// <summary>
        /// The transfer engine has finished.
        /// </summary>
        Ppf = 4,
        /// <summary>
        /// A command list has finished.
        /// </summary>
        P3d = 5,
        /// <summary>
        /// A DMA request has finished.
        /// </summary>
        Dma = 6,
    }

    /// <summary>
    /// The screens, numbered as in GSP's calls.
    /// </summary>
    public enum triglyph_n3ds_screen : uint
    {
        /// <summary>
        /// The upper, wide one; it can show a picture for each eye.
        /// </summary>
        Top = 0,
        /// <summary>
        /// The lower, touch-sensitive one.
        /// </summary>
        Bottom = 1,
    }

    /// <summary>
    /// The treatment of bad addresses by GX commands that do not check them.
    /// </summary>
    public enum triglyph_n3ds_bad_address : uint
    {
        /// <summary>
        /// They take physical address 0 instead.
        /// </summary>
        Zero = 0,
        /// <summary>
        /// They fail.
        /// </summary>
        Fail = 1,
    }

    /// <summary>
    /// The result of a transfer in a case in which the hardware freezes.
    /// </summary>
    public enum triglyph_n3ds_freeze_policy : uint
    {
        /// <summary>
        /// Nothing is copied and the transfer completes.
        /// </summary>
        Complete = 0,
        /// <summary>
        /// Nothing is copied, the unit stays busy for good and no interrupt comes.
        /// </summary>
        Hang = 1,
    }

    /// <summary>
    /// The work of a host after a GX command.
    /// </summary>
    public enum triglyph_n3ds_outcome : uint
    {
        /// <summary>
        /// Nothing is to be signalled: a flush, a fill without units, a list without an end, a command that the client
        /// may not give.
        /// </summary>
        NothingToSignal = 0,
        /// <summary>
        /// It is done: the host raises `interrupt` after `ticks`.
        /// </summary>
        Done = 1,
        /// <summary>
        /// It has failed with `result` and done nothing; no interrupt comes.
        /// </summary>
        Failed = 2,
        /// <summary>
        /// DMA of memory that the host has not mapped in `TRIGLYPH_N3DS_SPACE_PROCESS`, of which nothing is done: the
        /// host copies `copy_size` bytes from `copy_source` to `copy_target`, virtual addresses of the process, says so
        /// with `triglyph_host_wrote` if it announces its writes, and raises `TRIGLYPH_N3DS_INTERRUPT_DMA`.
        /// </summary>
        HostCopy = 3,
    }

    /// <summary>
    /// The value of `acquired` of `triglyph_n3ds_acquire_right`.
    /// </summary>
    public enum triglyph_n3ds_acquire : uint
    {
        /// <summary>
        /// The caller has it now.
        /// </summary>
        Granted = 0,
        /// <summary>
        /// The caller had it before.
        /// </summary>
        AlreadyHeld = 1,
        /// <summary>
        /// Another has it; the caller waits in line, and turns up in `triglyph_n3ds_take_granted`.
        /// </summary>
        Waiting = 2,
    }

    /// <summary>
    /// The results of the hypervisor's calls in r3.
    /// </summary>
    public enum triglyph_rsx_result : int
    {
        /// <summary>
        /// Done.
        /// </summary>
        Success = 0,
        /// <summary>
        /// A resource is used up.
        /// </summary>
        ResourceShortage = -2,
        /// <summary>
        /// The caller may not.
        /// </summary>
        NoPrivilege = -3,
        /// <summary>
        /// There is no such thing.
        /// </summary>
        NoEntry = -6,
        /// <summary>
        /// It is there already.
        /// </summary>
        DuplicateEntry = -7,
        /// <summary>
        /// It is in use.
        /// </summary>
        Busy = -9,
        /// <summary>
        /// Not in this state.
        /// </summary>
        WrongState = -11,
        /// <summary>
        /// A value that is not supported.
        /// </summary>
        UnsupportedParameterValue = -15,
        /// <summary>
        /// A value that makes no sense.
        /// </summary>
        IllegalParameterValue = -17,
        /// <summary>
        /// An address or a size that is not aligned.
        /// </summary>
        AlignmentError = -23,
    }

    /// <summary>
    /// The results of the driver's calls for the guest.
    /// </summary>
    public enum triglyph_tegra_result : uint
    {
        /// <summary>
        /// Done.
        /// </summary>
        Success = 0,
        /// <summary>
        /// There is no such call.
        /// </summary>
        NotImplemented = 1,
        /// <summary>
        /// Not for this device.
        /// </summary>
        NotSupported = 2,
        /// <summary>
        /// The address space was not initialised.
        /// </summary>
        NotInitialized = 3,
        /// <summary>
        /// A parameter that no call takes.
        /// </summary>
        BadParameter = 4,
        /// <summary>
        /// It has not happened yet.
        /// </summary>
        Timeout = 5,
        /// <summary>
        /// No room.
        /// </summary>
        InsufficientMemory = 6,
        /// <summary>
        /// Not now.
        /// </summary>
        InvalidState = 8,
        /// <summary>
        /// Memory that is not there.
        /// </summary>
        InvalidAddress = 9,
        /// <summary>
        /// A size that cannot be.
        /// </summary>
        InvalidSize = 10,
        /// <summary>
        /// A value that cannot be.
        /// </summary>
        BadValue = 11,
        /// <summary>
        /// It exists already.
        /// </summary>
        AlreadyAllocated = 13,
        /// <summary>
        /// Others use it.
        /// </summary>
        Busy = 14,
        /// <summary>
        /// There is no such setting.
        /// </summary>
        NoConfiguration = 196614,
        /// <summary>
        /// There is no such device, or no file of this number.
        /// </summary>
        NoFile = 196627,
    }

    /// <summary>
    /// A handle for the functions of all machines. Made by `triglyph_device_create`, or borrowed from a machine's own
    /// handle.
    /// </summary>
    public struct triglyph_device
    {
    }

    /// <summary>
    /// Interrupts the bounded runs of a device. All threads may use it at any time, also while calls on the device are
    /// under way and after it is gone.
    /// </summary>
    public struct triglyph_interrupter
    {
    }

    /// <summary>
    /// Counts the work of a device: submissions are numbered from 1, and each is complete once its results are in guest
    /// memory; events, and counters of the guest's, as they change. All threads may use it at any time, also while
    /// calls on the device are under way and after it is gone.
    /// </summary>
    public struct triglyph_timeline
    {
    }

    /// <summary>
    /// A device on a thread of its own. Any number of threads may use a worker at the same time.
    ///
    /// The host gives it commands: functions that the thread calls one after the other, in the order in which they were
    /// sent. They make whatever calls on the device are wanted; on other threads these are `TRIGLYPH_STATUS_BUSY` while
    /// the worker has the device. Submissions are deferred (`triglyph_set_deferred`): the thread does their work in
    /// bounded runs between commands, and a command that is sent interrupts the run. Results are waited for with
    /// `triglyph_worker_call`, `triglyph_worker_wait` and `triglyph_worker_wait_idle`, or on the timeline.
    /// </summary>
    public struct triglyph_worker
    {
    }

    /// <summary>
    /// Bytes that belong to the host: a snapshot, a PNG file. They do not change, so any number of threads may read
    /// them.
    /// </summary>
    public struct triglyph_buffer
    {
    }

    /// <summary>
    /// A capture that was opened. It does not change: any number of threads and players may use it.
    /// </summary>
    public struct triglyph_capture
    {
    }

    /// <summary>
    /// A picture: RGBA, 8 bits a channel, top row first. It does not change, so any number of threads may read it.
    /// </summary>
    public struct triglyph_picture
    {
    }

    /// <summary>
    /// The picture that was presented to some rows last, so that the next call detects an unchanged picture. Rows that
    /// get pictures by turns have one each. One call at a time may use it.
    /// </summary>
    public struct triglyph_presented
    {
    }

    /// <summary>
    /// One run through a capture. One call at a time uses it.
    /// </summary>
    public struct triglyph_player
    {
    }

    /// <summary>
    /// A Nintendo 3DS's GPU: PICA200, transfer engine, LCD registers, GSP.
    ///
    /// The host maps physical memory in `TRIGLYPH_N3DS_SPACE_PHYSICAL`: VRAM at 0x18000000, main memory at 0x20000000;
    /// and what DMA may reach of the process beside linear heap and VRAM in `TRIGLYPH_N3DS_SPACE_PROCESS`.
    /// </summary>
    public struct triglyph_n3ds
    {
    }

    /// <summary>
    /// A PlayStation 3's GPU, and the hypervisor's calls in front of it. Everything in its guest memory is big-endian;
    /// arguments and results of calls are plain numbers of the host.
    /// </summary>
    public struct triglyph_rsx
    {
    }

    /// <summary>
    /// A Tegra X1's GPU, and the Switch's driver (nvdrv) in front of it.
    /// </summary>
    public struct triglyph_tegra
    {
    }

    /// <summary>
    /// How a machine is set up. Fill it with `triglyph_options_init` first, then change what is to be different. A null
    /// pointer in place of it means the defaults. The library keeps no pointer into it.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_options
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_options)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// A `triglyph_tier`.
        /// </summary>
        public uint tier;
        /// <summary>
        /// Threads, the caller's included, at most 1024; 0 takes one for each core. With `execute` so many of the
        /// host's work at a time.
        /// </summary>
        public uint threads;
        /// <summary>
        /// A `triglyph_accuracy`.
        /// </summary>
        public uint accuracy;
        /// <summary>
        /// How often packets of a push buffer or command list come with the same headers before they are compiled as
        /// one packet trace: 1 for at once, 0 for never.
        /// </summary>
        public uint packet_traces;
        /// <summary>
        /// 1 to check draws for what makes them invisible or suspicious (`triglyph_set_finding_callback`), which takes
        /// many times as long; 0 not to. No byte depends on it.
        /// </summary>
        public uint validate;
        /// <summary>
        /// Machine code that may be kept, in bytes.
        /// </summary>
        public ulong code_budget;
        /// <summary>
        /// Path (UTF-8) of a file that remembers which kernels were needed, so that the next start compiles them in the
        /// background; made when it is not there, with its folder. Null for none. Devices and processes may share one.
        /// </summary>
        public byte* key_file;
        /// <summary>
        /// Bytes beyond which the least used keys of that file are forgotten.
        /// </summary>
        public ulong key_file_limit;
        /// <summary>
        /// A job system of the host's that draws instead of threads of the library's, or null.
        /// </summary>
        public IntPtr execute;
        /// <summary>
        /// The argument of `execute`. It has to stay valid until the device is destroyed.
        /// </summary>
        public void* execute_user_data;
        /// <summary>
        /// The maximum cost of one submission before the guest counts as running away, in units of fuel (a unit is
        /// about a nanosecond of a core that runs compiled code); what does not fit is not done. Bounded runs do all.
        /// </summary>
        public ulong fuel;
    }

    /// <summary>
    /// Bytes of guest memory in an address space.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_range
    {
        /// <summary>
        /// The address space: `TRIGLYPH_N3DS_SPACE_PHYSICAL` and the other on the 3DS; `TRIGLYPH_RSX_SPACE_LOCAL` and
        /// the others on the PS3; on the Tegra X1 0 for captures, `TRIGLYPH_TEGRA_SPACE_PROCESS`, and those that the
        /// driver opens.
        /// </summary>
        public uint space;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// First byte.
        /// </summary>
        public ulong address;
        /// <summary>
        /// Bytes.
        /// </summary>
        public ulong size;
    }

    /// <summary>
    /// A mapped range.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_mapping
    {
        /// <summary>
        /// Where.
        /// </summary>
        public triglyph_range range;
        /// <summary>
        /// `TRIGLYPH_ACCESS_READ`, `TRIGLYPH_ACCESS_WRITE`.
        /// </summary>
        public uint access;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
    }

    /// <summary>
    /// Something that happened in a device and concerns the host or the guest's processor.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_event
    {
        /// <summary>
        /// Bytes of this structure: `sizeof(triglyph_event)`. A callback gets the library's; of an array the caller
        /// sets that of the first, which is the distance from each to the next.
        /// </summary>
        public uint size;
        /// <summary>
        /// A `triglyph_event_kind`: it says which fields mean something.
        /// </summary>
        public uint kind;
        /// <summary>
        /// Which interrupt.
        /// </summary>
        public uint source;
        /// <summary>
        /// The display's owner: the handle of an LV1 context, 0 on other machines.
        /// </summary>
        public uint context;
        /// <summary>
        /// Number of the display; on the 3DS 0 the top and 1 the bottom screen.
        /// </summary>
        public uint head;
        /// <summary>
        /// Number of the buffer.
        /// </summary>
        public uint buffer;
        /// <summary>
        /// Where the buffer begins: an offset in local memory on the PS3, a physical address on the 3DS.
        /// </summary>
        public uint offset;
        /// <summary>
        /// The waiter of the fence: the slot of the event.
        /// </summary>
        public uint slot;
        /// <summary>
        /// The syncpoint of the fence.
        /// </summary>
        public uint counter;
        /// <summary>
        /// The value of the fence, the parameter of the user command, the data of the method.
        /// </summary>
        public uint value;
        /// <summary>
        /// The channel.
        /// </summary>
        public uint channel;
        /// <summary>
        /// The subchannel.
        /// </summary>
        public uint subchannel;
        /// <summary>
        /// Byte address of the method in the subchannel.
        /// </summary>
        public uint method;
        /// <summary>
        /// The hardware's number of the error.
        /// </summary>
        public uint error;
        /// <summary>
        /// How many interrupts, at least 1.
        /// </summary>
        public ulong count;
        /// <summary>
        /// Nanoseconds from the call that caused the interrupt until the hardware would raise it: an estimate, 0
        /// without.
        /// </summary>
        public ulong delay;
        /// <summary>
        /// The IO address as the GPU sees it.
        /// </summary>
        public ulong address;
    }

    /// <summary>
    /// One thing that the guest got wrong.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_fault
    {
        /// <summary>
        /// Bytes of this structure: `sizeof(triglyph_fault)`. A callback gets the library's.
        /// </summary>
        public uint size;
        /// <summary>
        /// A `triglyph_fault_kind`.
        /// </summary>
        public uint kind;
        /// <summary>
        /// The guest address, register or method concerned.
        /// </summary>
        public ulong address;
        /// <summary>
        /// Where in the command stream: the byte offset in its list, or the address of the command word.
        /// </summary>
        public ulong command;
        /// <summary>
        /// Description for people; UTF-8. The call that gave the fault says how long it is valid.
        /// </summary>
        public byte* what;
    }

    /// <summary>
    /// One reason why a draw changes no pixel, or why its result may not be the intended one.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_finding
    {
        /// <summary>
        /// Bytes of this structure: `sizeof(triglyph_finding)`. A callback gets the library's.
        /// </summary>
        public uint size;
        /// <summary>
        /// A `triglyph_finding_kind`.
        /// </summary>
        public uint kind;
        /// <summary>
        /// A `triglyph_severity`.
        /// </summary>
        public uint severity;
        /// <summary>
        /// The register or method that it is about; 0 if it is about none.
        /// </summary>
        public uint register_number;
        /// <summary>
        /// The event, as the inspector counts them: how many commands before had an effect.
        /// </summary>
        public ulong @event;
        /// <summary>
        /// Where the word that drew is: the byte offset in its list, or the address of the command word.
        /// </summary>
        public ulong command;
        /// <summary>
        /// The value of the register or method.
        /// </summary>
        public uint register_value;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// What was found, in a sentence; UTF-8.
        /// </summary>
        public byte* what;
        /// <summary>
        /// What to do instead, in a sentence; UTF-8.
        /// </summary>
        public byte* advice;
    }

    /// <summary>
    /// Counters since the device was made: counters that only grow, times in nanoseconds, added up over all threads.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_stats
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_stats)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// Draw calls.
        /// </summary>
        public ulong draws;
        /// <summary>
        /// Vertices shaded.
        /// </summary>
        public ulong vertices;
        /// <summary>
        /// Triangles set up, after clipping.
        /// </summary>
        public ulong triangles;
        /// <summary>
        /// 8x8 blocks of pixels handed to pixel kernels.
        /// </summary>
        public ulong pixel_blocks;
        /// <summary>
        /// Times that the kernel of a state was looked up.
        /// </summary>
        public ulong kernel_lookups;
        /// <summary>
        /// Look-ups that found the kernel ready.
        /// </summary>
        public ulong kernel_hits;
        /// <summary>
        /// Kernels of keys that were in the key file at the start.
        /// </summary>
        public ulong kernels_recalled;
        /// <summary>
        /// Kernels compiled; one that tiered up counts twice.
        /// </summary>
        public ulong kernels_compiled;
        /// <summary>
        /// Kernels compiled again by the optimizing tier.
        /// </summary>
        public ulong kernels_tiered_up;
        /// <summary>
        /// Keys that the compiler does not support: the interpreter serves them.
        /// </summary>
        public ulong kernels_unsupported;
        /// <summary>
        /// Kernels removed to make room for others.
        /// </summary>
        public ulong kernels_evicted;
        /// <summary>
        /// Kernels in the cache now.
        /// </summary>
        public ulong kernels_cached;
        /// <summary>
        /// Machine code held now, in bytes.
        /// </summary>
        public ulong code_bytes;
        /// <summary>
        /// Times that the key file could not be written.
        /// </summary>
        public ulong key_file_errors;
        /// <summary>
        /// Kernel calls that the interpreter served.
        /// </summary>
        public ulong interpreter_calls;
        /// <summary>
        /// Kernel calls that compiled code served.
        /// </summary>
        public ulong compiled_calls;
        /// <summary>
        /// Runs of compiled packet traces.
        /// </summary>
        public ulong packet_trace_runs;
        /// <summary>
        /// Words of push buffers in them.
        /// </summary>
        public ulong packet_trace_words;
        /// <summary>
        /// Time spent compiling.
        /// </summary>
        public ulong compile_time;
        /// <summary>
        /// Time spent on command words, registers, state.
        /// </summary>
        public ulong front_end_time;
        /// <summary>
        /// Time spent fetching and shading vertices.
        /// </summary>
        public ulong vertex_time;
        /// <summary>
        /// Time spent on clipping, viewport, edge equations, binning.
        /// </summary>
        public ulong setup_time;
        /// <summary>
        /// Time spent on coverage and pixel kernels.
        /// </summary>
        public ulong raster_time;
        /// <summary>
        /// Time spent on fills, copies, conversions.
        /// </summary>
        public ulong transfer_time;
        /// <summary>
        /// Time spent decoding textures.
        /// </summary>
        public ulong texture_time;
        /// <summary>
        /// Jobs of the compiler's thread that panicked, which is a bug of this library: their kernels are not compiled,
        /// or not again.
        /// </summary>
        public ulong compiler_panics;
        /// <summary>
        /// Of the kernels compiled, those with vectors of 256 bits.
        /// </summary>
        public ulong kernels_wide;
        /// <summary>
        /// Of the kernels compiled, those with loops that do one iteration at a time or have vectors of 128 bits, on a
        /// host with 256. Each is logged with the reason.
        /// </summary>
        public ulong kernels_not_widened;
        /// <summary>
        /// Primitives outside of the view volume, a user's plane or a cull distance.
        /// </summary>
        public ulong dropped_outside;
        /// <summary>
        /// Primitives that show the side that is culled.
        /// </summary>
        public ulong dropped_culled;
        /// <summary>
        /// Primitives without area.
        /// </summary>
        public ulong dropped_degenerate;
        /// <summary>
        /// Primitives that cover no pixel inside of the target and, on the PS3 and the Tegra X1, the scissor.
        /// </summary>
        public ulong dropped_uncovered;
        /// <summary>
        /// Draws without any pixel that may be drawn to.
        /// </summary>
        public ulong draws_without_target;
    }

    /// <summary>
    /// The result of reading the key file when the device was made.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_warm_start
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_warm_start)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// Keys whose kernels are compiled in the background.
        /// </summary>
        public ulong keys;
        /// <summary>
        /// Records that were damaged or of another version and were skipped.
        /// </summary>
        public ulong damaged;
        /// <summary>
        /// Whole records that are not keys of this version.
        /// </summary>
        public ulong undecodable;
        /// <summary>
        /// Why the file cannot be read or written, in which case it is not used; null if it can. Valid until the next
        /// call of this function, or the device is destroyed.
        /// </summary>
        public byte* error;
    }

    /// <summary>
    /// How much one bounded run may do: what is used up first ends it, between two commands.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_run_limit
    {
        /// <summary>
        /// Nanoseconds of the machine's time, which are estimates of what the work takes the console; UINT64_MAX for
        /// any.
        /// </summary>
        public ulong nanoseconds;
        /// <summary>
        /// Words of push buffers and command lists; UINT64_MAX for any.
        /// </summary>
        public ulong words;
    }

    /// <summary>
    /// The condition that a device waits for. Fields that a kind does not name are 0.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_waiting
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_waiting)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// A `triglyph_waiting_kind`.
        /// </summary>
        public uint kind;
        /// <summary>
        /// The channel; if several wait, the first of them.
        /// </summary>
        public uint channel;
        /// <summary>
        /// The address space.
        /// </summary>
        public uint space;
        /// <summary>
        /// The counter.
        /// </summary>
        public uint counter;
        /// <summary>
        /// The value that is waited for.
        /// </summary>
        public uint value;
        /// <summary>
        /// The address or offset.
        /// </summary>
        public ulong address;
    }

    /// <summary>
    /// How a worker works. Fill it with `triglyph_worker_options_init` first.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_worker_options
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_worker_options)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// Commands that may wait in the queue, at least 1: senders wait for room beyond them.
        /// </summary>
        public uint capacity;
        /// <summary>
        /// How much is done before the queue is checked again. A command that is sent interrupts the run, so this
        /// delays no command; it delays the event callback.
        /// </summary>
        public triglyph_run_limit slice;
    }

    /// <summary>
    /// Where a picture is in guest memory.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_present
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_present)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// Its address space.
        /// </summary>
        public uint space;
        /// <summary>
        /// A `triglyph_format`.
        /// </summary>
        public uint format;
        /// <summary>
        /// A `triglyph_layout`, with its parameter.
        /// </summary>
        public uint layout;
        /// <summary>
        /// Its first byte.
        /// </summary>
        public ulong address;
        /// <summary>
        /// Pixels from left to right as a person sees it.
        /// </summary>
        public uint width;
        /// <summary>
        /// Pixels from top to bottom as a person sees it.
        /// </summary>
        public uint height;
        /// <summary>
        /// Bytes from one stored row (or stored column) to the next.
        /// </summary>
        public uint pitch;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// Name of the output (UTF-8), for recordings: `"top"`, `"main"`; null for `"main"`.
        /// </summary>
        public byte* label;
    }

    /// <summary>
    /// The result of presenting a picture.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_shown
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_shown)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// A `triglyph_shown_kind`.
        /// </summary>
        public uint kind;
        /// <summary>
        /// Whether it differs from the picture before: 1 or 0. It may be 1 once when it does not, as pictures are not
        /// remembered before they come twice.
        /// </summary>
        public uint changed;
        /// <summary>
        /// Pixels of a row of the guest's picture.
        /// </summary>
        public uint width;
        /// <summary>
        /// Rows of the guest's picture.
        /// </summary>
        public uint height;
        /// <summary>
        /// Pixels of a row that were stored.
        /// </summary>
        public uint stored_width;
        /// <summary>
        /// Rows that were stored.
        /// </summary>
        public uint stored_height;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// Bytes of the picture that are not in memory that the GPU may read: they count as zeros.
        /// </summary>
        public ulong missing;
    }

    /// <summary>
    /// Rows of the host's that a picture goes to, top row first.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_rows
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_rows)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// A `triglyph_host_format`.
        /// </summary>
        public uint format;
        /// <summary>
        /// The first byte of the top row. The bytes have values before the call, whichever.
        /// </summary>
        public byte* bytes;
        /// <summary>
        /// How many bytes all rows have.
        /// </summary>
        public UIntPtr length;
        /// <summary>
        /// Bytes from a row to the next, at least those of a row. What is between rows is left alone.
        /// </summary>
        public UIntPtr stride;
        /// <summary>
        /// Pixels of a row; 0 for as many as the stride has.
        /// </summary>
        public uint width;
        /// <summary>
        /// How many rows; 0 for as many as there are.
        /// </summary>
        public uint height;
        /// <summary>
        /// A `triglyph_fit`.
        /// </summary>
        public uint fit;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
    }

    /// <summary>
    /// An event of a player.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_play_event
    {
        /// <summary>
        /// Bytes of this structure as the caller knows it: `sizeof(triglyph_play_event)`.
        /// </summary>
        public uint size;
        /// <summary>
        /// A `triglyph_play_kind`: it says which fields mean something.
        /// </summary>
        public uint kind;
        /// <summary>
        /// Whether it is as the capture expects: 1, or 0 when a picture or a hash differs. 1 where nothing is expected
        /// or checked.
        /// </summary>
        public uint ok;
        /// <summary>
        /// Largest difference of a channel.
        /// </summary>
        public uint max_difference;
        /// <summary>
        /// Index of the record in the capture, from 0.
        /// </summary>
        public ulong record;
        /// <summary>
        /// Counts pictures, from 0.
        /// </summary>
        public ulong index;
        /// <summary>
        /// Name of the picture's output, such as `"top"`; null for others. Valid until the player goes on.
        /// </summary>
        public byte* label;
        /// <summary>
        /// Pixels that differ by more than the tolerance.
        /// </summary>
        public ulong over;
        /// <summary>
        /// The hash that was wanted, and the one that was found.
        /// </summary>
        public ulong hash_wanted;
        /// <summary>
        /// See before.
        /// </summary>
        public ulong hash_found;
    }

    /// <summary>
    /// How a GX command ended.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_executed
    {
        /// <summary>
        /// The result code as clients get it: 0, or with bit 31 set why the command failed and has done nothing.
        /// </summary>
        public uint result;
        /// <summary>
        /// Whether an interrupt ends it: 1 or 0.
        /// </summary>
        public uint has_interrupt;
        /// <summary>
        /// The `triglyph_n3ds_interrupt`.
        /// </summary>
        public uint interrupt;
        /// <summary>
        /// The `triglyph_n3ds_outcome`: what the host does now.
        /// </summary>
        public uint outcome;
        /// <summary>
        /// After how many ticks the hardware would raise it: an estimate.
        /// </summary>
        public ulong ticks;
        /// <summary>
        /// Where the host copies from, with `TRIGLYPH_N3DS_OUTCOME_HOST_COPY`; otherwise 0, as the following two.
        /// </summary>
        public uint copy_source;
        /// <summary>
        /// Where it copies to.
        /// </summary>
        public uint copy_target;
        /// <summary>
        /// How many bytes.
        /// </summary>
        public uint copy_size;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
    }

    /// <summary>
    /// The picture that a screen has to show: GSP's framebuffer information.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_framebuffer
    {
        /// <summary>
        /// Which pair of addresses is set: 0 the first, 1 the second.
        /// </summary>
        public uint active;
        /// <summary>
        /// Virtual address of the left or only picture.
        /// </summary>
        public uint left;
        /// <summary>
        /// Virtual address of the right eye's picture.
        /// </summary>
        public uint right;
        /// <summary>
        /// Bytes between columns.
        /// </summary>
        public uint stride;
        /// <summary>
        /// The controller's format register.
        /// </summary>
        public uint format;
        /// <summary>
        /// The controller's select register.
        /// </summary>
        public uint select;
        /// <summary>
        /// Not used by the hardware.
        /// </summary>
        public uint attribute;
    }

    /// <summary>
    /// An interrupt that the host is to deliver.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_completion
    {
        /// <summary>
        /// The `triglyph_n3ds_interrupt`.
        /// </summary>
        public uint interrupt;
        /// <summary>
        /// Index of the client that held the rendering right when the work was done, -1 if there was none. The client
        /// that gets the interrupt is determined when it is delivered.
        /// </summary>
        public int client;
        /// <summary>
        /// After how many ticks of the main processor from the call that caused it: an estimate.
        /// </summary>
        public ulong ticks;
    }

    /// <summary>
    /// The answer to RegisterInterruptRelayQueue.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_registration
    {
        /// <summary>
        /// The result code: 0x2A07 for the first client since the console was switched on, then 0, or an error.
        /// </summary>
        public uint result;
        /// <summary>
        /// The client's index in the shared page.
        /// </summary>
        public uint client;
        /// <summary>
        /// Handle of the shared page, as the host has set it.
        /// </summary>
        public uint shared_memory;
    }

    /// <summary>
    /// The picture of a screen, for ImportDisplayCaptureInfo.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_capture_info
    {
        /// <summary>
        /// Virtual address of the left or only picture.
        /// </summary>
        public uint left;
        /// <summary>
        /// Virtual address of the right eye's picture.
        /// </summary>
        public uint right;
        /// <summary>
        /// The format register.
        /// </summary>
        public uint format;
        /// <summary>
        /// Bytes between columns.
        /// </summary>
        public uint stride;
    }

    /// <summary>
    /// The first word of a command queue.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_queue
    {
        /// <summary>
        /// Slot of the next command.
        /// </summary>
        public byte current;
        /// <summary>
        /// Commands that wait.
        /// </summary>
        public byte count;
        /// <summary>
        /// 1: processing is halted; 0x80: a command has failed.
        /// </summary>
        public byte status;
        /// <summary>
        /// 1: the client wants processing to halt.
        /// </summary>
        public byte control;
        /// <summary>
        /// The result code of the last command that failed.
        /// </summary>
        public uint result;
    }

    /// <summary>
    /// The memory of the calling process, to which the pointers of a request refer. The functions are called during the
    /// call that they are passed to, on its thread; they return false when not all bytes are there. They must not throw
    /// or jump out; calls on the same 3DS return `TRIGLYPH_STATUS_BUSY`.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_process
    {
        /// <summary>
        /// Is handed to both functions.
        /// </summary>
        public void* user_data;
        /// <summary>
        /// Reads bytes at a virtual address; null for memory that cannot be read.
        /// </summary>
        public IntPtr read;
        /// <summary>
        /// Writes bytes at a virtual address; null for memory that cannot be written.
        /// </summary>
        public IntPtr write;
    }

    /// <summary>
    /// A picture in memory. Its rows are columns of the screen: pixel (x, y), counted from the top left, is at `address
    /// + x * pitch + (height - 1 - y) * bytes`.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_picture
    {
        /// <summary>
        /// Physical address of the leftmost column's lowest pixel.
        /// </summary>
        public uint address;
        /// <summary>
        /// Pixel format, numbered as PRESENT has it (`TRIGLYPH_FORMAT_RGBA8` to `TRIGLYPH_FORMAT_RGBA4`).
        /// </summary>
        public uint format;
        /// <summary>
        /// Bytes of a pixel.
        /// </summary>
        public uint bytes;
        /// <summary>
        /// Columns as a person sees them: 320 or 400, 800 in the wide mode.
        /// </summary>
        public uint width;
        /// <summary>
        /// Pixels of a column: 240.
        /// </summary>
        public uint height;
        /// <summary>
        /// Bytes from a column to the next; may be negative, and 0 repeats the first.
        /// </summary>
        public int pitch;
    }

    /// <summary>
    /// The effects that a GX command will have, from its words alone.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_n3ds_forecast
    {
        /// <summary>
        /// The result that `triglyph_n3ds_execute` will have if all memory is mapped and no unit freezes. Only what may
        /// touch anything takes another time than `ticks`: of lists it knows how many words they have but not what they
        /// draw.
        /// </summary>
        public triglyph_n3ds_executed executed;
        /// <summary>
        /// Whether it may touch any memory, 1 or 0: a list, or a transfer that goes on with registers from before.
        /// </summary>
        public uint anywhere;
        /// <summary>
        /// How many ranges follow, if it is 0.
        /// </summary>
        public uint count;
        /// <summary>
        /// The memory that it may read or write: more than is touched perhaps, never less.
        /// </summary>
        public triglyph_range touched0, touched1, touched2, touched3;
    }

    /// <summary>
    /// A method of the software engine: the host's processor executes it.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_rsx_software_method
    {
        /// <summary>
        /// The channel.
        /// </summary>
        public uint channel;
        /// <summary>
        /// The subchannel.
        /// </summary>
        public uint subchannel;
        /// <summary>
        /// Byte address of the method in the subchannel.
        /// </summary>
        public uint method;
        /// <summary>
        /// Its data.
        /// </summary>
        public uint data;
    }

    /// <summary>
    /// The results of `lv1_gpu_context_allocate`. `triglyph_rsx_lpar` says where the pages are in guest memory.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_rsx_context
    {
        /// <summary>
        /// Names the context.
        /// </summary>
        public uint handle;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// Address of its control page: PUT at 0x40, GET at 0x44, REF at 0x48.
        /// </summary>
        public ulong control;
        /// <summary>
        /// Address of its driver information.
        /// </summary>
        public ulong info;
        /// <summary>
        /// Address of its reports area.
        /// </summary>
        public ulong reports;
        /// <summary>
        /// Bytes of the reports area.
        /// </summary>
        public ulong reports_size;
    }

    /// <summary>
    /// A value that a syncpoint reaches.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_fence
    {
        /// <summary>
        /// The syncpoint.
        /// </summary>
        public uint syncpoint;
        /// <summary>
        /// The value.
        /// </summary>
        public uint value;
    }

    /// <summary>
    /// The properties that the ALLOC call attaches to a handle.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_memory
    {
        /// <summary>
        /// Address in the process; 0 leaves the handle without memory.
        /// </summary>
        public ulong address;
        /// <summary>
        /// Alignment in bytes, a power of two; below 4 KiB it is 4 KiB.
        /// </summary>
        public uint align;
        /// <summary>
        /// Mask of heaps; only told.
        /// </summary>
        public uint heap;
        /// <summary>
        /// Bit 0: the processor's caches.
        /// </summary>
        public uint flags;
        /// <summary>
        /// Page kind, up to 255; 0xFF says none.
        /// </summary>
        public uint kind;
    }

    /// <summary>
    /// The result of the FREE call for the last owner of a handle.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_freed
    {
        /// <summary>
        /// Address of the memory in the process, 0 for none.
        /// </summary>
        public ulong address;
        /// <summary>
        /// Bytes, as it was created.
        /// </summary>
        public uint size;
        /// <summary>
        /// Whether others still have the handle: 1 or 0.
        /// </summary>
        public uint in_use;
    }

    /// <summary>
    /// How an address space is divided.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_layout
    {
        /// <summary>
        /// Bytes of a big page, 0x10000 or 0x20000; 0 takes the latter.
        /// </summary>
        public ulong big_page;
        /// <summary>
        /// First address; this and the two that follow all 0 take what the driver takes.
        /// </summary>
        public ulong start;
        /// <summary>
        /// Where big pages begin.
        /// </summary>
        public ulong split;
        /// <summary>
        /// The end, exclusive.
        /// </summary>
        public ulong end;
    }

    /// <summary>
    /// One answer of GET_VA_REGIONS.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_region
    {
        /// <summary>
        /// First address.
        /// </summary>
        public ulong offset;
        /// <summary>
        /// Bytes of a page.
        /// </summary>
        public ulong page_size;
        /// <summary>
        /// Pages.
        /// </summary>
        public ulong pages;
    }

    /// <summary>
    /// The arguments of MAP_BUFFER_EX.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_map_buffer
    {
        /// <summary>
        /// `TRIGLYPH_TEGRA_MAP_*`.
        /// </summary>
        public uint flags;
        /// <summary>
        /// Page kind; `TRIGLYPH_TEGRA_DEFAULT_KIND` is that of the handle.
        /// </summary>
        public uint kind;
        /// <summary>
        /// The handle; not used with `TRIGLYPH_TEGRA_MAP_MODIFY`.
        /// </summary>
        public uint handle;
        /// <summary>
        /// 0.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// First byte of the handle that is shown, or of the mapping that changes.
        /// </summary>
        public ulong buffer_offset;
        /// <summary>
        /// Bytes; 0 for all.
        /// </summary>
        public ulong size;
        /// <summary>
        /// The GPU address, with `TRIGLYPH_TEGRA_MAP_FIXED` or `TRIGLYPH_TEGRA_MAP_MODIFY`.
        /// </summary>
        public ulong offset;
    }

    /// <summary>
    /// One entry of the REMAP call, in pages of 64 KiB.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_remap
    {
        /// <summary>
        /// Page kind; 0xFF and above say that of the handle.
        /// </summary>
        public uint kind;
        /// <summary>
        /// The handle; 0 shows nothing any more.
        /// </summary>
        public uint handle;
        /// <summary>
        /// First page of the handle.
        /// </summary>
        public uint handle_page;
        /// <summary>
        /// First page of the address space.
        /// </summary>
        public uint space_page;
        /// <summary>
        /// Pages.
        /// </summary>
        public uint pages;
    }

    /// <summary>
    /// The result of EVENT_WAIT.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_wait
    {
        /// <summary>
        /// 1 when the event of `slot` is armed, which the guest is told as TIMEOUT; 0 when the fence has been reached.
        /// </summary>
        public uint armed;
        /// <summary>
        /// The slot.
        /// </summary>
        public uint slot;
        /// <summary>
        /// The result of the call: the syncpoint's value, or the name of the event for QueryEvent.
        /// </summary>
        public uint value;
    }

    /// <summary>
    /// The results of GET_CHARACTERISTICS about the GPU, in its order; numbers that are 64 bits wide in the structure
    /// are here, too.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct triglyph_tegra_characteristics
    {
        /// <summary>
        /// Architecture, 0x120 for GM20x.
        /// </summary>
        public uint arch;
        /// <summary>
        /// Implementation, 0xB for the GM20B; the later revision of the console has 0xE.
        /// </summary>
        public uint implementation;
        /// <summary>
        /// Revision.
        /// </summary>
        public uint revision;
        /// <summary>
        /// Graphics processing clusters.
        /// </summary>
        public uint num_gpc;
        /// <summary>
        /// Bytes of the second cache.
        /// </summary>
        public ulong l2_cache_size;
        /// <summary>
        /// Bytes of memory of its own.
        /// </summary>
        public ulong video_memory_size;
        /// <summary>
        /// Texture processing clusters of a GPC.
        /// </summary>
        public uint num_tpc_per_gpc;
        /// <summary>
        /// 0x20: AXI.
        /// </summary>
        public uint bus_type;
        /// <summary>
        /// Bytes of a big page.
        /// </summary>
        public uint big_page_size;
        /// <summary>
        /// Bytes of a page of compressed memory.
        /// </summary>
        public uint compression_page_size;
        /// <summary>
        /// Bits of an address that an entry of the page directory covers.
        /// </summary>
        public uint pde_coverage_bit_count;
        /// <summary>
        /// Sizes of big pages that can be asked for.
        /// </summary>
        public uint available_big_page_sizes;
        /// <summary>
        /// Mask of GPCs.
        /// </summary>
        public uint gpc_mask;
        /// <summary>
        /// Version of the multiprocessors.
        /// </summary>
        public uint sm_version;
        /// <summary>
        /// Version of shader programs.
        /// </summary>
        public uint spa_version;
        /// <summary>
        /// Warps of a multiprocessor.
        /// </summary>
        public uint warp_count;
        /// <summary>
        /// Bits of a GPU virtual address.
        /// </summary>
        public uint va_bit_count;
        /// <summary>
        /// Padding.
        /// </summary>
        public uint reserved;
        /// <summary>
        /// Flags.
        /// </summary>
        public ulong flags;
        /// <summary>
        /// Class numbers: 2D, 3D, compute, GPFIFO, inline transfers, copies.
        /// </summary>
        public fixed uint classes[6];
        /// <summary>
        /// Frame buffer partitions that are there.
        /// </summary>
        public uint max_fbps_count;
        /// <summary>
        /// Mask of them.
        /// </summary>
        public uint fbp_en_mask;
        /// <summary>
        /// Slices of the second cache.
        /// </summary>
        public uint max_ltc_per_fbp;
        /// <summary>
        /// Slices of such a slice.
        /// </summary>
        public uint max_lts_per_ltc;
        /// <summary>
        /// Texture units of a TPC.
        /// </summary>
        public uint max_tex_per_tpc;
        /// <summary>
        /// GPCs at most.
        /// </summary>
        public uint max_gpc_count;
        /// <summary>
        /// Mask of render output units.
        /// </summary>
        public fixed uint rop_l2_en_mask[2];
        /// <summary>
        /// Name: `gm20b`.
        /// </summary>
        public ulong chip_name;
        /// <summary>
        /// Base of the compression bits' store; 0.
        /// </summary>
        public ulong compbit_store_base;
    }

    /// <summary>
    /// A job for a thread of the host's. It may be called at any time, also after the device is gone, and does not
    /// block.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_job(void* argument);

    /// <summary>
    /// Calls `job(argument)` once, on one of the host's threads, soon: it takes part in the work of the call that is
    /// under way on a device. The call does not wait for jobs to begin, so one that comes late finds nothing to do; one
    /// that is never called leaks some memory. It is called on threads that make calls on the device, and by several at
    /// a time if devices have it in common. It must not throw or jump out.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_execute_callback(void* user_data, triglyph_job job, void* argument);

    /// <summary>
    /// Is called with what the GPU has written, in whole pages of 4 KiB, each once, on the thread that makes the call
    /// which has done the work, before that returns. It must not block for long and not throw or jump out; calls on the
    /// same device return `TRIGLYPH_STATUS_BUSY`.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_written_callback(void* user_data, triglyph_range* range);

    /// <summary>
    /// Is called for each event, oldest first, on the thread that makes the call in which it has happened, before that
    /// returns: on a worker's thread after each of its slices. It must not block for long and not throw or jump out;
    /// calls on the same device return `TRIGLYPH_STATUS_BUSY`, but commands may be sent to a worker with
    /// `triglyph_worker_try_send`.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_event_callback(void* user_data, triglyph_event* @event);

    /// <summary>
    /// Is called for each fault as it happens, on the thread that makes the call in which it does. The fault and its
    /// text are valid during the callback. It must not block for long and not throw or jump out; calls on the same
    /// device return `TRIGLYPH_STATUS_BUSY`.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_fault_callback(void* user_data, triglyph_fault* fault);

    /// <summary>
    /// Is called for each finding, on the thread that makes the call which executes the draw. The finding and its texts
    /// are valid during the callback. It must not block for long and not throw or jump out; calls on the same device
    /// return `TRIGLYPH_STATUS_BUSY`.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_finding_callback(void* user_data, triglyph_finding* finding);

    /// <summary>
    /// Is called with each line for the host's log, with its `triglyph_log_level`. The line has no line break at its
    /// end and is valid during the callback. Lines come one at a time, from the thread that makes a call or from the
    /// compiler's. The callback must not block for long, not throw or jump out, and make no calls on any handle of the
    /// device.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_log_callback(void* user_data, uint level, byte* line);

    /// <summary>
    /// A command for a worker's thread. It makes calls on the worker's device, and must not throw or jump out; nor must
    /// it wait for the worker.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_worker_command(void* user_data);

    /// <summary>
    /// Executes software methods, on the thread that makes the call in which they are met. It must not throw or jump
    /// out; calls on the same PS3 return `TRIGLYPH_STATUS_BUSY`.
    /// </summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public unsafe delegate void triglyph_rsx_software_callback(void* user_data,
        triglyph_rsx_software_method* method);

    /// <summary>
    /// Constants and functions, without the prefix that C needs.
    /// </summary>
    public static unsafe class Native
    {
        private const string LIBRARY = "triglyph";
        private const CallingConvention CDECL = CallingConvention.Cdecl;

        /// <summary>
        /// The version of this header's interface. From 1 on, versions with the same number are compatible: functions
        /// and constants are only added, and fields only at the end of structures that begin with their size. 0
        /// promises nothing: it may change with each minor version of the library.
        /// </summary>
        public const uint ABI_VERSION = 0;

        /// <summary>
        /// The GPU may read a range. The host may always read and write.
        /// </summary>
        public const uint ACCESS_READ = 0x1;

        /// <summary>
        /// The GPU may write a range.
        /// </summary>
        public const uint ACCESS_WRITE = 0x2;

        /// <summary>
        /// Both.
        /// </summary>
        public const uint ACCESS_READ_WRITE = 0x3;

        /// <summary>
        /// Leaves guest memory out of a snapshot: the host saves it, and puts it back before it restores.
        /// </summary>
        public const uint SNAPSHOT_WITHOUT_MEMORY = 0x1;

        /// <summary>
        /// Does not compress the snapshot, for hosts that compress it themselves or keep it in memory.
        /// </summary>
        public const uint SNAPSHOT_UNCOMPRESSED = 0x2;

        /// <summary>
        /// Reads finished pictures.
        /// </summary>
        public const uint CHECK_PICTURES = 0x1;

        /// <summary>
        /// Compares them with what the capture expects; needs `TRIGLYPH_CHECK_PICTURES`.
        /// </summary>
        public const uint CHECK_EXPECTATIONS = 0x2;

        /// <summary>
        /// Checks hashes of memory.
        /// </summary>
        public const uint CHECK_HASHES = 0x4;

        /// <summary>
        /// The address space of physical addresses.
        /// </summary>
        public const uint N3DS_SPACE_PHYSICAL = 0;

        /// <summary>
        /// The address space of the process whose commands are executed, by its virtual addresses, for DMA: code, data,
        /// heap, stack. Linear heap, QTM memory and VRAM are found in physical memory.
        /// </summary>
        public const uint N3DS_SPACE_PROCESS = 1;

        /// <summary>
        /// Ticks of the main processor's clock in a second, in which estimates of time are given.
        /// </summary>
        public const ulong N3DS_TICKS_PER_SECOND = 268111856;

        /// <summary>
        /// Clients that there can be.
        /// </summary>
        public const uint N3DS_CLIENTS = 4;

        /// <summary>
        /// Ranges that a forecast has at most.
        /// </summary>
        public const uint N3DS_FORECAST_RANGES = 4;

        /// <summary>
        /// The address space of local memory.
        /// </summary>
        public const uint RSX_SPACE_LOCAL = 0;

        /// <summary>
        /// The address space of main memory as the GPU sees it, by IO offsets; `triglyph_rsx_context_iomap` maps there.
        /// </summary>
        public const uint RSX_SPACE_MAIN = 1;

        /// <summary>
        /// The address space of the hypervisor's pages, by the addresses that its calls return. What the host has
        /// mapped there before a call is used; otherwise the call maps memory of the library's own.
        /// </summary>
        public const uint RSX_SPACE_PAGES = 2;

        /// <summary>
        /// The address space of main memory, by the addresses that guests pass to the hypervisor; the host maps it.
        /// </summary>
        public const uint RSX_SPACE_XDR = 3;

        /// <summary>
        /// Where the first context's control page is, 4 KiB in `TRIGLYPH_RSX_SPACE_PAGES`; that of the next context
        /// follows. A host maps its own memory there, and at the places below, before the context is allocated.
        /// </summary>
        public const ulong RSX_CONTROL_PAGE = 0x440000220000;

        /// <summary>
        /// Where the first context's driver information is, 16 KiB in `TRIGLYPH_RSX_SPACE_PAGES`; that of the next
        /// follows.
        /// </summary>
        public const ulong RSX_DRIVER_INFO = 0x4000000F0000;

        /// <summary>
        /// Where the first context's reports area is, 64 KiB in `TRIGLYPH_RSX_SPACE_LOCAL`; that of the next follows.
        /// </summary>
        public const ulong RSX_REPORTS = 0x0FE00000;

        /// <summary>
        /// Where the page of device 8 is, 4 KiB in `TRIGLYPH_RSX_SPACE_LOCAL`; all contexts share it.
        /// </summary>
        public const ulong RSX_DEVICE_PAGE = 0x0FF10000;

        /// <summary>
        /// The context's IO space has pages of 64 KiB instead of 1 MiB.
        /// </summary>
        public const ulong RSX_CONTEXT_SMALL_PAGES = 0x02;

        /// <summary>
        /// The push buffer is in local memory.
        /// </summary>
        public const ulong RSX_CONTEXT_LOCAL_PUSH_BUFFER = 0x10;

        /// <summary>
        /// Makes the DMA object of reports in main memory.
        /// </summary>
        public const ulong RSX_CONTEXT_MAIN_REPORTS = 0x20;

        /// <summary>
        /// The IO space has 512 MiB instead of 256.
        /// </summary>
        public const ulong RSX_CONTEXT_LARGE_IO_SPACE = 0x400;

        /// <summary>
        /// The GPU may write what `triglyph_rsx_context_iomap` maps.
        /// </summary>
        public const ulong RSX_IOMAP_WRITE = 0x8000000000000000;

        /// <summary>
        /// The GPU may read it.
        /// </summary>
        public const ulong RSX_IOMAP_READ = 0x4000000000000000;

        /// <summary>
        /// The address space of the process's own memory, by the addresses that it passes to the driver; the host maps
        /// it.
        /// </summary>
        public const uint TEGRA_SPACE_PROCESS = 1;

        /// <summary>
        /// A parameter of a handle: bytes.
        /// </summary>
        public const uint TEGRA_PARAM_SIZE = 1;

        /// <summary>
        /// Alignment.
        /// </summary>
        public const uint TEGRA_PARAM_ALIGNMENT = 2;

        /// <summary>
        /// Base.
        /// </summary>
        public const uint TEGRA_PARAM_BASE = 3;

        /// <summary>
        /// Heap mask.
        /// </summary>
        public const uint TEGRA_PARAM_HEAP = 4;

        /// <summary>
        /// Page kind.
        /// </summary>
        public const uint TEGRA_PARAM_KIND = 5;

        /// <summary>
        /// Compression.
        /// </summary>
        public const uint TEGRA_PARAM_COMPRESSION = 6;

        /// <summary>
        /// The caller names the address, which is in allocated space.
        /// </summary>
        public const uint TEGRA_MAP_FIXED = 0x1;

        /// <summary>
        /// Caches; without visible effect.
        /// </summary>
        public const uint TEGRA_MAP_CACHEABLE = 0x4;

        /// <summary>
        /// Changes the kind of what is mapped.
        /// </summary>
        public const uint TEGRA_MAP_MODIFY = 0x100;

        /// <summary>
        /// The kind that says: that of the handle.
        /// </summary>
        public const uint TEGRA_DEFAULT_KIND = 0xFFFFFFFF;

        /// <summary>
        /// The caller names the address of the space to allocate.
        /// </summary>
        public const uint TEGRA_SPACE_FIXED = 0x1;

        /// <summary>
        /// All of the space reads 0 and swallows writes until something is mapped there.
        /// </summary>
        public const uint TEGRA_SPACE_SPARSE = 0x2;

        /// <summary>
        /// The work begins when the given fence has been reached.
        /// </summary>
        public const uint TEGRA_SUBMIT_FENCE_WAIT = 0x1;

        /// <summary>
        /// The channel's syncpoint counts the end of the work.
        /// </summary>
        public const uint TEGRA_SUBMIT_FENCE_GET = 0x2;

        /// <summary>
        /// Fences are syncpoints.
        /// </summary>
        public const uint TEGRA_SUBMIT_HARDWARE_FORMAT = 0x4;

        /// <summary>
        /// The end does not wait for the engines.
        /// </summary>
        public const uint TEGRA_SUBMIT_SUPPRESS_WFI = 0x10;

        /// <summary>
        /// The value of the given fence says how often the work itself counts the channel's syncpoint.
        /// </summary>
        public const uint TEGRA_SUBMIT_INCREMENT_VALUE = 0x100;

        /// <summary>
        /// The interface's version of the library that is linked, to be compared with `TRIGLYPH_ABI_VERSION`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_abi_version", CallingConvention = CDECL)]
        public static extern uint abi_version();

        /// <summary>
        /// The version of the library, for people: `"0.1.0"`. Valid for good.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_version", CallingConvention = CDECL)]
        public static extern byte* version();

        /// <summary>
        /// The error text of the last call on this thread that did not return `TRIGLYPH_STATUS_OK`; empty before the
        /// first. UTF-8. Valid until the next call of this library on this thread; successful calls leave the text as
        /// it is.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_last_error", CallingConvention = CDECL)]
        public static extern byte* last_error();

        /// <summary>
        /// A short name of a status, for logs: `"unmapped"`. Valid for good; `"unknown"` for other numbers.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_status_name", CallingConvention = CDECL)]
        public static extern byte* status_name(int status);

        /// <summary>
        /// Fills options with the defaults. `options-&gt;size` is to be set to `sizeof(triglyph_options)` before.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_options_init", CallingConvention = CDECL)]
        public static extern triglyph_status options_init(triglyph_options* options);

        /// <summary>
        /// Makes a machine, named by a `triglyph_machine`, for hosts that need only what all machines have, such as
        /// players of captures. It belongs to the caller, who destroys it with `triglyph_device_destroy`. Use
        /// `triglyph_n3ds_create`, `triglyph_rsx_create` or `triglyph_tegra_create` for a machine's own calls.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning; `TRIGLYPH_STATUS_UNSUPPORTED` when
        /// the host gives no threads, or has no code generator and `TRIGLYPH_TIER_JIT` was asked for.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_device_create", CallingConvention = CDECL)]
        public static extern triglyph_status device_create(uint machine, triglyph_options* options,
            triglyph_device** device);

        /// <summary>
        /// Destroys a device made by `triglyph_device_create`. Memory of the host's that was mapped is not used any
        /// more when this returns. Null is ignored.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a device
        /// that was borrowed from a machine's handle. The device stays as it is then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_device_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status device_destroy(triglyph_device* device);

        /// <summary>
        /// Which `triglyph_machine` a device is.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_get_machine", CallingConvention = CDECL)]
        public static extern triglyph_status get_machine(triglyph_device* device, uint* machine);

        /// <summary>
        /// Gives the GPU work in the form of a capture's SUBMIT record, all little-endian: on the 3DS the eight words
        /// of a GX command; on the PS3 `u32 channel`, `u32 space`, then `u64 start`, `u64 bytes` for each segment of
        /// the push buffer; on the Tegra X1 `u32 channel`, `u32 0`, then GPFIFO entries of 8 bytes. Hosts that use a
        /// machine's own calls need it only for what they record.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` when the bytes do not have that form.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_submit", CallingConvention = CDECL)]
        public static extern triglyph_status submit(triglyph_device* device, byte* payload, UIntPtr size);

        /// <summary>
        /// Returns once everything that was submitted is done and its results are in guest memory.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_finish", CallingConvention = CDECL)]
        public static extern triglyph_status finish(triglyph_device* device);

        /// <summary>
        /// Returns once no kernel is being compiled or waits for it, for benchmarks and tests.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_wait_for_compiler", CallingConvention = CDECL)]
        public static extern triglyph_status wait_for_compiler(triglyph_device* device);

        /// <summary>
        /// Maps zero-filled memory of the library's own; what was mapped there before is replaced.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for size 0, a range past the end of the space, an unknown space
        /// or access; `TRIGLYPH_STATUS_UNSUPPORTED` for more memory than the host has, or than 16 GiB in all.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_map", CallingConvention = CDECL)]
        public static extern triglyph_status map(triglyph_device* device, uint space, ulong address, ulong size,
            uint access);

        /// <summary>
        /// Maps memory of the host's: `size` bytes from `pointer` on. It stays the host's, and has to stay where it is
        /// until the range is unmapped or replaced, or the device destroyed. Guest processors may use the bytes at the
        /// same time, as they would on the console. The same bytes may be mapped several times, by the same addresses
        /// on the host. They must not be passed to other calls of this library as input or output.
        ///
        /// Errors: as `triglyph_map`; `TRIGLYPH_STATUS_NULL_POINTER`; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for memory
        /// that the guest has mapped elsewhere, and for pages that a context of the PS3 uses since it was allocated.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_map_host", CallingConvention = CDECL)]
        public static extern triglyph_status map_host(triglyph_device* device, uint space, ulong address,
            ulong size, void* pointer, uint access);

        /// <summary>
        /// Shows mapped memory at a second place, in the same or another space.
        ///
        /// Errors: `TRIGLYPH_STATUS_UNMAPPED` or `TRIGLYPH_STATUS_INVALID_ARGUMENT` when there is nothing to show.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_map_alias", CallingConvention = CDECL)]
        public static extern triglyph_status map_alias(triglyph_device* device, uint space, ulong address,
            triglyph_range* source, uint access);

        /// <summary>
        /// Removes whatever is mapped in a range, and the aliases of memory that is gone then. Memory of the host's is
        /// not used any more when this returns.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_unmap", CallingConvention = CDECL)]
        public static extern triglyph_status unmap(triglyph_device* device, uint space, ulong address, ulong size);

        /// <summary>
        /// The mappings, by space and address, aliases left out. Fills `mappings` as far as it reaches; `count` is how
        /// many there are, which may be more.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_mappings", CallingConvention = CDECL)]
        public static extern triglyph_status mappings(triglyph_device* device, triglyph_mapping* mappings,
            UIntPtr capacity, UIntPtr* count);

        /// <summary>
        /// Fills `data` with `size` bytes of guest memory, after everything that was submitted.
        ///
        /// Errors: `TRIGLYPH_STATUS_UNMAPPED` when a byte of the range is not mapped; `data` is unspecified then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_read", CallingConvention = CDECL)]
        public static extern triglyph_status read(triglyph_device* device, uint space, ulong address, void* data,
            UIntPtr size);

        /// <summary>
        /// Stores `size` bytes in guest memory, after everything that was submitted, whatever access the GPU has there.
        ///
        /// Errors: `TRIGLYPH_STATUS_UNMAPPED` when a byte of the range is not mapped; nothing is stored then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_write", CallingConvention = CDECL)]
        public static extern triglyph_status write(triglyph_device* device, uint space, ulong address, void* data,
            UIntPtr size);

        /// <summary>
        /// Says that the host has changed bytes of a range by itself, in memory that it has mapped with
        /// `triglyph_map_host`. Such memory is checked whenever work is submitted; this call is for changes while work
        /// is being done, and for hosts that announce all of them (`triglyph_set_host_writes_announced`).
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_host_wrote", CallingConvention = CDECL)]
        public static extern triglyph_status host_wrote(triglyph_device* device, uint space, ulong address,
            ulong size);

        /// <summary>
        /// Says whether `triglyph_host_wrote` is called for all that the host writes to memory of its own, before the
        /// work that is to see it: then only announced ranges are checked. Otherwise, which is the default, values
        /// derived from such memory are compared with it whenever work is submitted.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_set_host_writes_announced", CallingConvention = CDECL)]
        public static extern triglyph_status set_host_writes_announced(triglyph_device* device,
            [MarshalAs(UnmanagedType.U1)] bool announced);

        /// <summary>
        /// Sets the callback for written ranges, or removes it with null; `triglyph_take_written` has nothing while
        /// there is one. `user_data` is handed to each call and has to stay valid until the callback is replaced or the
        /// device destroyed.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_set_written_callback", CallingConvention = CDECL)]
        public static extern triglyph_status set_written_callback(triglyph_device* device,
            triglyph_written_callback callback, void* user_data);

        /// <summary>
        /// Takes the ranges of guest memory that the GPU wrote since they were taken last: merged, by space and
        /// address. They may name more bytes than were written, never fewer. `count` is how many were stored in
        /// `ranges`; if that is `capacity`, there may be more to take.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_take_written", CallingConvention = CDECL)]
        public static extern triglyph_status take_written(triglyph_device* device, triglyph_range* ranges,
            UIntPtr capacity, UIntPtr* count);

        /// <summary>
        /// Takes the events since they were taken last, oldest first. `count` is how many were stored in `events`; if
        /// that is `capacity`, there may be more to take. `events[0].size` is set before. A host that takes none keeps
        /// the newest 4096.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_take_events", CallingConvention = CDECL)]
        public static extern triglyph_status take_events(triglyph_device* device, triglyph_event* events,
            UIntPtr capacity, UIntPtr* count);

        /// <summary>
        /// Sets the callback for events, or removes it with null; `triglyph_take_events` has nothing while there is
        /// one. Events that were not taken are told at once. `user_data` is handed to each call and has to stay valid
        /// until the callback is replaced or the device destroyed. Threads that are to go on while a call is still at
        /// work, such as those that wait for a fence, wait on the timeline.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_set_event_callback", CallingConvention = CDECL)]
        public static extern triglyph_status set_event_callback(triglyph_device* device,
            triglyph_event_callback callback, void* user_data);

        /// <summary>
        /// Sets the callback for faults, or removes it with null. `user_data` is handed to each call and has to stay
        /// valid until the callback is replaced or the device destroyed.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_set_fault_callback", CallingConvention = CDECL)]
        public static extern triglyph_status set_fault_callback(triglyph_device* device,
            triglyph_fault_callback callback, void* user_data);

        /// <summary>
        /// How many faults of a `triglyph_fault_kind` there were.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_get_fault_count", CallingConvention = CDECL)]
        public static extern triglyph_status get_fault_count(triglyph_device* device, uint kind, ulong* count);

        /// <summary>
        /// One of the first 64 faults, which are kept in full, oldest first. `found` says whether there is one of that
        /// index. `fault-&gt;size` is set before. Its text is valid until the device is destroyed.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_get_fault", CallingConvention = CDECL)]
        public static extern triglyph_status get_fault(triglyph_device* device, UIntPtr index,
            triglyph_fault* fault, bool* found);

        /// <summary>
        /// A short name of a `triglyph_fault_kind`, for logs: `"unmapped-read"`. Valid for good.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_fault_kind_name", CallingConvention = CDECL)]
        public static extern byte* fault_kind_name(uint kind);

        /// <summary>
        /// Sets the callback for findings of draws, or removes it with null. There are none unless the device was made
        /// with `validate` in its options. `user_data` is handed to each call and has to stay valid until the callback
        /// is replaced or the device destroyed.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_set_finding_callback", CallingConvention = CDECL)]
        public static extern triglyph_status set_finding_callback(triglyph_device* device,
            triglyph_finding_callback callback, void* user_data);

        /// <summary>
        /// A short name of a `triglyph_finding_kind`, for logs: `"empty-viewport"`. Valid for good.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_finding_kind_name", CallingConvention = CDECL)]
        public static extern byte* finding_kind_name(uint kind);

        /// <summary>
        /// Sets the callback for the log, or removes it with null. What was wrong with the key file when the device was
        /// made is told at once; kernels that the interpreter serves, and writes of the key file that fail, from now
        /// on. It costs nothing without a callback. `user_data` is handed to each call and has to stay valid until the
        /// callback is replaced or the device destroyed; when this function returns, the callback before is called no
        /// more.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_set_log_callback", CallingConvention = CDECL)]
        public static extern triglyph_status set_log_callback(triglyph_device* device,
            triglyph_log_callback callback, void* user_data);

        /// <summary>
        /// Fills `stats`, whose `size` the caller has set.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_get_stats", CallingConvention = CDECL)]
        public static extern triglyph_status get_stats(triglyph_device* device, triglyph_stats* stats);

        /// <summary>
        /// Fills `warm_start`, whose `size` the caller has set, with the result of reading the key file when the device
        /// was made; all 0 without one.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_get_warm_start", CallingConvention = CDECL)]
        public static extern triglyph_status get_warm_start(triglyph_device* device,
            triglyph_warm_start* warm_start);

        /// <summary>
        /// Says whether submissions only queue work, for `triglyph_run_for` and `triglyph_finish` to do. Otherwise, as
        /// at first, they do it before they return. What was queued stays queued.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_set_deferred", CallingConvention = CDECL)]
        public static extern triglyph_status set_deferred(triglyph_device* device,
            [MarshalAs(UnmanagedType.U1)] bool deferred);

        /// <summary>
        /// Goes on with what was submitted, and with channels that wait, until nothing can go on, `limit` is reached or
        /// another thread interrupts it. `end` is a `triglyph_run_end`; `waiting`, whose `size` is set before, may be
        /// null. The next run goes on at exactly the next command: memory, events and faults do not depend on how work
        /// is cut. A push buffer that loops only uses up its budget. Between two runs the host may do anything: write
        /// memory, deliver VBlanks, take snapshots. On the PS3 PUT is taken from the control pages first. A null
        /// `limit` is none.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_run_for", CallingConvention = CDECL)]
        public static extern triglyph_status run_for(triglyph_device* device, triglyph_run_limit* limit, uint* end,
            triglyph_waiting* waiting);

        /// <summary>
        /// The interrupter of a device. It belongs to the caller, who destroys it with `triglyph_interrupter_destroy`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_get_interrupter", CallingConvention = CDECL)]
        public static extern triglyph_status get_interrupter(triglyph_device* device,
            triglyph_interrupter** interrupter);

        /// <summary>
        /// Ends the bounded run in progress before its next command, or in the middle of drawing, or else the next one
        /// before its first command. What is not drawn then is drawn by the next run, or by the first call that reads
        /// memory. Runs without bounds go on. Does not wait.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_interrupter_interrupt", CallingConvention = CDECL)]
        public static extern triglyph_status interrupter_interrupt(triglyph_interrupter* interrupter);

        /// <summary>
        /// Destroys an interrupter that no thread uses any more. Null is ignored.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_interrupter_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status interrupter_destroy(triglyph_interrupter* interrupter);

        /// <summary>
        /// The timeline of a device. It belongs to the caller, who destroys it with `triglyph_timeline_destroy`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_get_timeline", CallingConvention = CDECL)]
        public static extern triglyph_status get_timeline(triglyph_device* device, triglyph_timeline** timeline);

        /// <summary>
        /// The number of the last submission, and the number up to which all are complete. Either pointer may be null.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_timeline_counts", CallingConvention = CDECL)]
        public static extern triglyph_status timeline_counts(triglyph_timeline* timeline, ulong* submitted,
            ulong* completed);

        /// <summary>
        /// Waits until submission `number` is complete, at most for `timeout` nanoseconds; `complete` says whether it
        /// is. A number that has not been submitted yet is waited for as well.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_timeline_wait", CallingConvention = CDECL)]
        public static extern triglyph_status timeline_wait(triglyph_timeline* timeline, ulong number, ulong timeout,
            bool* complete);

        /// <summary>
        /// How many events have happened so far: what `triglyph_take_events` returns, counted as it happens.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_timeline_events", CallingConvention = CDECL)]
        public static extern triglyph_status timeline_events(triglyph_timeline* timeline, ulong* events);

        /// <summary>
        /// Waits until more than `seen` events have happened, at most for `timeout` nanoseconds; `events` is how many
        /// have.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_timeline_wait_event", CallingConvention = CDECL)]
        public static extern triglyph_status timeline_wait_event(triglyph_timeline* timeline, ulong seen,
            ulong timeout, ulong* events);

        /// <summary>
        /// The value of a counter of the guest's: on the Tegra X1 a syncpoint, on the PS3 the reference value of a
        /// channel. 0 for one that nothing has counted yet.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_timeline_fence", CallingConvention = CDECL)]
        public static extern triglyph_status timeline_fence(triglyph_timeline* timeline, uint number, uint* value);

        /// <summary>
        /// Waits until such a counter has reached `value`, modulo 2^32, at most for `timeout` nanoseconds; `reached`
        /// says whether it has.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_timeline_wait_fence", CallingConvention = CDECL)]
        public static extern triglyph_status timeline_wait_fence(triglyph_timeline* timeline, uint number,
            uint value, ulong timeout, bool* reached);

        /// <summary>
        /// Destroys a timeline that no thread uses any more. Null is ignored.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_timeline_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status timeline_destroy(triglyph_timeline* timeline);

        /// <summary>
        /// Fills options with the defaults. `options-&gt;size` is to be set to `sizeof(triglyph_worker_options)`
        /// before.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_options_init", CallingConvention = CDECL)]
        public static extern triglyph_status worker_options_init(triglyph_worker_options* options);

        /// <summary>
        /// Moves a device to a thread of its own; null `options` are the defaults. The worker belongs to the caller,
        /// who destroys it with `triglyph_worker_destroy`, before the device.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` while a call uses the device or another worker has it;
        /// `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a queue without room; `TRIGLYPH_STATUS_UNSUPPORTED` when the host
        /// gives no thread.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_create", CallingConvention = CDECL)]
        public static extern triglyph_status worker_create(triglyph_device* device,
            triglyph_worker_options* options, triglyph_worker** worker);

        /// <summary>
        /// Sends a command; waits while the queue is full, so that a guest that is faster than its GPU is held back.
        /// `number` is the command's, counted from 1; it may be null. A command that was taken is executed, unless a
        /// call on the device panics before.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own: it may use `triglyph_worker_try_send`;
        /// `TRIGLYPH_STATUS_POISONED` when a call on the device panicked, which has ended the thread.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_send", CallingConvention = CDECL)]
        public static extern triglyph_status worker_send(triglyph_worker* worker, triglyph_worker_command command,
            void* user_data, ulong* number);

        /// <summary>
        /// As `triglyph_worker_send`, for a command that touches no other memory than `count` ranges, and is done with
        /// it when it returns: it defers no work, as `triglyph_n3ds_execute` with the ranges of
        /// `triglyph_n3ds_get_forecast`. `triglyph_worker_wait_range` need not wait for it elsewhere.
        ///
        /// Errors: as there.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_send_touching", CallingConvention = CDECL)]
        public static extern triglyph_status worker_send_touching(triglyph_worker* worker,
            triglyph_worker_command command, void* user_data, triglyph_range* ranges, UIntPtr count, ulong* number);

        /// <summary>
        /// Waits until nothing that was sent so far can still touch a range of guest memory, at most for `timeout`
        /// nanoseconds: commands that may were executed, and the work that they have deferred is done, unless channels
        /// wait. `free` says whether that is so. Ranges are compared by their addresses: memory that is mapped several
        /// times is waited for at each place.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_wait_range", CallingConvention = CDECL)]
        public static extern triglyph_status worker_wait_range(triglyph_worker* worker, triglyph_range* range,
            ulong timeout, bool* free);

        /// <summary>
        /// As `triglyph_worker_send`, but never waits: `taken` is false when the queue is full. Commands and callbacks
        /// of the worker's own may use it.
        ///
        /// Errors: `TRIGLYPH_STATUS_POISONED` as there.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_try_send", CallingConvention = CDECL)]
        public static extern triglyph_status worker_try_send(triglyph_worker* worker,
            triglyph_worker_command command, void* user_data, ulong* number, bool* taken);

        /// <summary>
        /// Sends a command and returns once it was executed. Work that it has submitted may still be under way.
        ///
        /// Errors: as `triglyph_worker_send`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_call", CallingConvention = CDECL)]
        public static extern triglyph_status worker_call(triglyph_worker* worker, triglyph_worker_command command,
            void* user_data);

        /// <summary>
        /// Lets waiting channels check their conditions again, after the host has written memory that they may wait
        /// for. Does not wait.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_wake", CallingConvention = CDECL)]
        public static extern triglyph_status worker_wake(triglyph_worker* worker);

        /// <summary>
        /// Waits until command `number` was executed, at most for `timeout` nanoseconds; `executed` says whether it
        /// was.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_wait", CallingConvention = CDECL)]
        public static extern triglyph_status worker_wait(triglyph_worker* worker, ulong number, ulong timeout,
            bool* executed);

        /// <summary>
        /// Waits until all commands were executed and nothing of the device can go on, at most for `timeout`
        /// nanoseconds; `idle` says whether that is so. If it is, `end` is `TRIGLYPH_RUN_END_DONE` or
        /// `TRIGLYPH_RUN_END_WAITING`, and `waiting`, whose `size` is set before, what is waited for; otherwise they
        /// are 0. All three may be null.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_wait_idle", CallingConvention = CDECL)]
        public static extern triglyph_status worker_wait_idle(triglyph_worker* worker, ulong timeout, bool* idle,
            uint* end, triglyph_waiting* waiting);

        /// <summary>
        /// The timeline of the worker's device, as `triglyph_get_timeline`. It belongs to the caller.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_get_timeline", CallingConvention = CDECL)]
        public static extern triglyph_status worker_get_timeline(triglyph_worker* worker,
            triglyph_timeline** timeline);

        /// <summary>
        /// Executes the commands that were sent, interrupts what the device is doing, ends the thread and destroys the
        /// worker, which no other thread may use any more. Then any thread may use the device again; what it has not
        /// done it does with the next run, submissions are still deferred. Null is ignored.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own; the worker stays as it is then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_worker_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status worker_destroy(triglyph_worker* worker);

        /// <summary>
        /// Where the bytes of a buffer are, and how many. They stay there until the buffer is destroyed.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_buffer_bytes", CallingConvention = CDECL)]
        public static extern triglyph_status buffer_bytes(triglyph_buffer* buffer, byte** data, UIntPtr* size);

        /// <summary>
        /// Destroys a buffer. Null is ignored.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_buffer_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status buffer_destroy(triglyph_buffer* buffer);

        /// <summary>
        /// The whole state of a device, as if everything that was submitted had finished: one that restores it goes on
        /// exactly as this one does. `flags`: `TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY`, `TRIGLYPH_SNAPSHOT_UNCOMPRESSED`, or
        /// 0. The buffer belongs to the caller, who destroys it with `triglyph_buffer_destroy`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_snapshot", CallingConvention = CDECL)]
        public static extern triglyph_status snapshot(triglyph_device* device, uint flags,
            triglyph_buffer** snapshot);

        /// <summary>
        /// Takes the state of a snapshot over. With guest memory in it, guest memory is as the snapshot has it, in
        /// memory of the library's own, and nothing else is mapped: hosts that map their own memory use snapshots
        /// without. What the host has chosen, counters and faults stay; events that were not taken go.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_SNAPSHOT`; `TRIGLYPH_STATUS_UNSUPPORTED` when guest memory cannot be mapped as
        /// the snapshot has it. Nothing has changed then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_restore", CallingConvention = CDECL)]
        public static extern triglyph_status restore(triglyph_device* device, byte* snapshot, UIntPtr size);

        /// <summary>
        /// Opens a capture file, by its path (UTF-8). It belongs to the caller, who destroys it with
        /// `triglyph_capture_destroy`; players that were made from it keep what they need. The file must not be changed
        /// meanwhile.
        ///
        /// Errors: `TRIGLYPH_STATUS_IO`; `TRIGLYPH_STATUS_BAD_CAPTURE` when it is none.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_capture_open", CallingConvention = CDECL)]
        public static extern triglyph_status capture_open(byte* path, triglyph_capture** capture);

        /// <summary>
        /// Makes a capture from the bytes of a file, which are copied.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_CAPTURE` when it is none.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_capture_from_bytes", CallingConvention = CDECL)]
        public static extern triglyph_status capture_from_bytes(byte* bytes, UIntPtr size,
            triglyph_capture** capture);

        /// <summary>
        /// Which `triglyph_machine` a capture is for, and whether its guest's words are big-endian. Either pointer may
        /// be null.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_capture_header", CallingConvention = CDECL)]
        public static extern triglyph_status capture_header(triglyph_capture* capture, uint* machine,
            bool* big_endian);

        /// <summary>
        /// Writes a capture to another file, or to the same one, without the memory that neither the GPU nor a picture
        /// reads: of a recording made in an emulator mostly a small part is left, and little of the program. `unit` is
        /// a `triglyph_trim_unit`. The capture is replayed by the interpreter for that and compared, which takes some
        /// seconds. Meant for recordings after `triglyph_stop_recording`.
        ///
        /// Errors: `TRIGLYPH_STATUS_IO`; `TRIGLYPH_STATUS_BAD_CAPTURE`; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a unit
        /// without a meaning; `TRIGLYPH_STATUS_UNSUPPORTED` when the smaller capture shows something else. Nothing is
        /// written then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_capture_trim", CallingConvention = CDECL)]
        public static extern triglyph_status capture_trim(byte* from, byte* to, uint unit);

        /// <summary>
        /// Destroys a capture. Null is ignored.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_capture_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status capture_destroy(triglyph_capture* capture);

        /// <summary>
        /// Reads a picture from a device's memory, after everything that was submitted: `big_endian` says whether its
        /// words are. It belongs to the caller, who destroys it with `triglyph_picture_destroy`.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for what describes no picture; `TRIGLYPH_STATUS_UNMAPPED`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_picture_read", CallingConvention = CDECL)]
        public static extern triglyph_status picture_read(triglyph_device* device, triglyph_present* present,
            [MarshalAs(UnmanagedType.U1)] bool big_endian, triglyph_picture** picture);

        /// <summary>
        /// Size in pixels, and where the `4 * width * height` bytes of a picture are, until it is destroyed. All but
        /// `picture` may be null.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_picture_pixels", CallingConvention = CDECL)]
        public static extern triglyph_status picture_pixels(triglyph_picture* picture, uint* width, uint* height,
            byte** rgba);

        /// <summary>
        /// A picture as a PNG file, with or without its alpha channel. The buffer belongs to the caller, who destroys
        /// it with `triglyph_buffer_destroy`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_picture_png", CallingConvention = CDECL)]
        public static extern triglyph_status picture_png(triglyph_picture* picture,
            [MarshalAs(UnmanagedType.U1)] bool alpha, triglyph_buffer** png);

        /// <summary>
        /// Destroys a picture. Null is ignored.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_picture_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status picture_destroy(triglyph_picture* picture);

        /// <summary>
        /// XXH3 (64 bits) of a range of guest memory, after everything that was submitted.
        ///
        /// Errors: `TRIGLYPH_STATUS_UNMAPPED`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_hash", CallingConvention = CDECL)]
        public static extern triglyph_status hash(triglyph_device* device, uint space, ulong address, ulong size,
            ulong* hash);

        /// <summary>
        /// One that nothing was presented with yet. It belongs to the caller, who destroys it with
        /// `triglyph_presented_destroy`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_presented_create", CallingConvention = CDECL)]
        public static extern triglyph_status presented_create(triglyph_presented** presented);

        /// <summary>
        /// Destroys what was made by `triglyph_presented_create`. Null is ignored.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_presented_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status presented_destroy(triglyph_presented* presented);

        /// <summary>
        /// Converts a picture in guest memory to rows of the host's: compiled, and on the device's threads. Everything
        /// that is done so far is in it. `present` says where it is: layouts 0 to 3 (block-linear with a pitch that is
        /// a multiple of 64), formats other than 8; its label does not count, and `big_endian` says whether its words
        /// are. `shown`, which may be null, says what that came to. Nothing that a guest chooses is an error: pictures
        /// of another size than the rows are cut or scaled as `rows-&gt;fit` says, what of them is not in memory is 0,
        /// and a picture that there cannot be (a size of 0 or above 8192, a pitch below a row) is
        /// `TRIGLYPH_SHOWN_KIND_NOTHING`. Where it is known at once that the picture does not differ from the one that
        /// was presented with `presented` last, which may be null, nothing is stored.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning, for rows without room for a pixel,
        /// or for the size that they are said to have.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_present_picture", CallingConvention = CDECL)]
        public static extern triglyph_status present_picture(triglyph_device* device, triglyph_present* present,
            [MarshalAs(UnmanagedType.U1)] bool big_endian, triglyph_rows* rows, triglyph_presented* presented,
            triglyph_shown* shown);

        /// <summary>
        /// Makes a player, which goes through a capture once. `checks`: `TRIGLYPH_CHECK_*`, or 0 to play only. It
        /// belongs to the caller, who destroys it with `triglyph_player_destroy`; the capture may go before it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_player_create", CallingConvention = CDECL)]
        public static extern triglyph_status player_create(triglyph_capture* capture, uint checks,
            triglyph_player** player);

        /// <summary>
        /// Executes a capture up to and including the next record that has something to tell. `device` is of the
        /// capture's machine, with nothing mapped before the first call, and the same in each call. `event`, whose
        /// `size` is set before, may be null.
        ///
        /// Errors: `TRIGLYPH_STATUS_BAD_SIZE`; `TRIGLYPH_STATUS_BAD_CAPTURE` for a record that is malformed or that the
        /// device refused; nothing after it is executed.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_player_next", CallingConvention = CDECL)]
        public static extern triglyph_status player_next(triglyph_player* player, triglyph_device* device,
            triglyph_play_event* @event);

        /// <summary>
        /// The picture that a player has come to, with `TRIGLYPH_CHECK_PICTURES`. It belongs to the caller, who
        /// destroys it with `triglyph_picture_destroy`.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` when the last event was no picture, pictures are not read, or it
        /// was taken already.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_player_take_picture", CallingConvention = CDECL)]
        public static extern triglyph_status player_take_picture(triglyph_player* player,
            triglyph_picture** picture);

        /// <summary>
        /// Destroys a player. Null is ignored.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_player_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status player_destroy(triglyph_player* player);

        /// <summary>
        /// Begins a recording into a file, by its path (UTF-8), with a name for people or null. The capture begins with
        /// the memory and the state of this moment, which may be in the middle of a push buffer. From now on it gets
        /// all calls that change the GPU: those of all machines and those of the machine's own. Memory of the host's is
        /// compared before work is done, which takes time, unless the host announces what it writes
        /// (`triglyph_set_host_writes_announced`). A recording that is under way is dropped.
        ///
        /// Errors: `TRIGLYPH_STATUS_IO` when the file cannot be made.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_start_recording", CallingConvention = CDECL)]
        public static extern triglyph_status start_recording(triglyph_device* device, byte* path, byte* name);

        /// <summary>
        /// Says that a picture is finished, at the end of a frame, for each screen. With `expect` the capture expects
        /// it to look as it does now, to the bit. Does nothing without a recording.
        ///
        /// Errors: as `triglyph_picture_read`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_record_present", CallingConvention = CDECL)]
        public static extern triglyph_status record_present(triglyph_device* device, triglyph_present* present,
            [MarshalAs(UnmanagedType.U1)] bool expect);

        /// <summary>
        /// Records what a range of guest memory hashes to now. Does nothing without a recording.
        ///
        /// Errors: `TRIGLYPH_STATUS_UNMAPPED`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_record_hash", CallingConvention = CDECL)]
        public static extern triglyph_status record_hash(triglyph_device* device, uint space, ulong address,
            ulong size);

        /// <summary>
        /// Bounds recordings that begin from now on: they record nothing more once their file has so many bytes, and
        /// are whole captures up to there. UINT64_MAX for no bound, as at first.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_set_recording_limit", CallingConvention = CDECL)]
        public static extern triglyph_status set_recording_limit(triglyph_device* device, ulong bytes);

        /// <summary>
        /// Whether a recording is under way that has reached its limit.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_is_recording_full", CallingConvention = CDECL)]
        public static extern triglyph_status is_recording_full(triglyph_device* device, bool* full);

        /// <summary>
        /// Whether a recording is under way.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_is_recording", CallingConvention = CDECL)]
        public static extern triglyph_status is_recording(triglyph_device* device, bool* active);

        /// <summary>
        /// Ends a recording and closes its file. Does nothing without one.
        ///
        /// Errors: `TRIGLYPH_STATUS_IO`, the first that the file has met since the recording began.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_stop_recording", CallingConvention = CDECL)]
        public static extern triglyph_status stop_recording(triglyph_device* device);

        /// <summary>
        /// Makes a 3DS with nothing mapped and every register at its reset value. It belongs to the caller, who
        /// destroys it with `triglyph_n3ds_destroy`.
        ///
        /// Errors: as `triglyph_device_create`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_create", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_create(triglyph_options* options, triglyph_n3ds** n3ds);

        /// <summary>
        /// Destroys a 3DS, and with it the device that was borrowed from it. Null is ignored.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_destroy(triglyph_n3ds* n3ds);

        /// <summary>
        /// The device of a 3DS, for the calls that all machines have; null for null. It is borrowed: it is destroyed
        /// with the 3DS.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_device", CallingConvention = CDECL)]
        public static extern triglyph_device* n3ds_device(triglyph_n3ds* n3ds);

        /// <summary>
        /// Executes a GX command, eight words as in a slot of the command queue with virtual addresses of the client,
        /// for hosts that have a GSP of their own. It is complete when this returns, unless `executed` asks the host to
        /// copy; no interrupt is queued, what the host does next is in `executed`, which may be null. A recording that
        /// is under way contains it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_execute", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_execute(triglyph_n3ds* n3ds, uint* words,
            triglyph_n3ds_executed* executed);

        /// <summary>
        /// As `triglyph_n3ds_execute`, with the command where it is in guest memory, 32 bytes at an address of a space,
        /// after everything that was submitted.
        ///
        /// Errors: `TRIGLYPH_STATUS_UNMAPPED`; nothing is done then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_execute_at", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_execute_at(triglyph_n3ds* n3ds, uint space, ulong address,
            triglyph_n3ds_executed* executed);

        /// <summary>
        /// Moves GSP to a page of the host's, 4096 bytes aligned to 4; or with null to one of the library's own, as at
        /// first. The host may do so at any time, also after clients have registered, as kernels map the page later:
        /// clients, rights and what the host has chosen stay, and the contents of the page before are copied to the new
        /// one, over what is there. A host that loads a state with the page's contents does that afterwards. The page
        /// may be in memory that is mapped with `triglyph_map_host` as well, and guest processors may use it at the
        /// same time: GSP touches it with atomic accesses of 32 bits. Recordings do not have it. It has to stay where
        /// it is until GSP is moved again or the 3DS is destroyed.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a misaligned page.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_shared_page", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_shared_page(triglyph_n3ds* n3ds, void* page);

        /// <summary>
        /// Resets GSP, as when the console is switched on: there are no clients, no session has the rendering right,
        /// the shared page is zeros. The page, and what the host has chosen of GSP, stay.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_reset_gsp", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_reset_gsp(triglyph_n3ds* n3ds);

        /// <summary>
        /// Says what becomes of bad addresses in GX commands that do not check them: a `triglyph_n3ds_bad_address`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_bad_address", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_bad_address(triglyph_n3ds* n3ds, uint behaviour);

        /// <summary>
        /// Says what happens where the transfer engine freezes on the console: a `triglyph_n3ds_freeze_policy`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_freeze_policy", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_freeze_policy(triglyph_n3ds* n3ds, uint policy);

        /// <summary>
        /// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A
        /// recording has it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_fuel", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_fuel(triglyph_n3ds* n3ds, ulong fuel);

        /// <summary>
        /// Says whether this is a New 3DS; the first register shows it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_new_model", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_new_model(triglyph_n3ds* n3ds,
            [MarshalAs(UnmanagedType.U1)] bool new_model);

        /// <summary>
        /// The physical address of a client's virtual one in linear heap, QTM memory or VRAM; 0 stays 0. `found` says
        /// whether there is one.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_to_physical", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_to_physical(uint address, uint* physical, bool* found);

        /// <summary>
        /// Ticks of the main processor as nanoseconds.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_nanoseconds", CallingConvention = CDECL)]
        public static extern ulong n3ds_nanoseconds(ulong ticks);

        /// <summary>
        /// The session is gone: everything that it held is free.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_close_session", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_close_session(triglyph_n3ds* n3ds, uint session);

        /// <summary>
        /// The client at an index of the shared page: its session and its event. `found` says whether there is one.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_client", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_client(triglyph_n3ds* n3ds, uint index, uint* session,
            uint* @event, bool* found);

        /// <summary>
        /// The handle of the shared page that registrations are answered with.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_shared_memory_handle", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_shared_memory_handle(triglyph_n3ds* n3ds, uint handle);

        /// <summary>
        /// Makes PPF exchange the shown buffers when a client has set nothing new; off at first.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_auto_toggle", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_auto_toggle(triglyph_n3ds* n3ds,
            [MarshalAs(UnmanagedType.U1)] bool on);

        /// <summary>
        /// The session with the rendering right; `found` says whether there is one.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_right_holder", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_right_holder(triglyph_n3ds* n3ds, uint* session, bool* found);

        /// <summary>
        /// Takes the sessions that waited in AcquireRight and hold the right now. `count` is how many were stored in
        /// `sessions`; if that is `capacity`, there may be more to take.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_take_granted", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_take_granted(triglyph_n3ds* n3ds, uint* sessions,
            UIntPtr capacity, UIntPtr* count);

        /// <summary>
        /// As `triglyph_n3ds_execute`, for a session that may not have the rendering right.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_execute_for", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_execute_for(triglyph_n3ds* n3ds, uint session, uint* words,
            triglyph_n3ds_executed* executed);

        /// <summary>
        /// Takes the interrupts that the host is to deliver, oldest first: after their ticks it calls
        /// `triglyph_n3ds_deliver` with each. `count` is how many were stored in `completions`; if that is `capacity`,
        /// there may be more to take.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_take_completions", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_take_completions(triglyph_n3ds* n3ds,
            triglyph_n3ds_completion* completions, UIntPtr capacity, UIntPtr* count);

        /// <summary>
        /// Delivers a `triglyph_n3ds_interrupt`: VBlanks to every client, others to the one with the rendering right.
        /// Bit n of `clients` says that the host is to signal the event of client n. Executes what waits in the queue
        /// then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_deliver", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_deliver(triglyph_n3ds* n3ds, uint interrupt, uint* clients);

        /// <summary>
        /// Delivers everything that has completed, at once and in order, for hosts without a clock. `clients` as in
        /// `triglyph_n3ds_deliver`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_auto_deliver", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_auto_deliver(triglyph_n3ds* n3ds, uint* clients);

        /// <summary>
        /// A `triglyph_n3ds_screen` has shown a frame: moves its controller on and delivers PDC0 or PDC1. `clients` as
        /// in `triglyph_n3ds_deliver`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_vblank", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_vblank(triglyph_n3ds* n3ds, uint screen, uint* clients);

        /// <summary>
        /// The word at a byte offset of the shared page, a multiple of 4 below 4096.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_shared_page_load", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_shared_page_load(triglyph_n3ds* n3ds, uint offset, uint* word);

        /// <summary>
        /// Stores a word at a byte offset of the shared page, a multiple of 4 below 4096.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_shared_page_store", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_shared_page_store(triglyph_n3ds* n3ds, uint offset, uint word);

        /// <summary>
        /// Puts a GX command of eight words at the end of a client's queue. `trigger` says whether the queue was empty,
        /// so that GSP is to be triggered; `full` that there was no room and nothing was put.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_queue_submit", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_queue_submit(triglyph_n3ds* n3ds, uint client, uint* words,
            bool* trigger, bool* full);

        /// <summary>
        /// The state of a client's command queue.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_queue_state", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_queue_state(triglyph_n3ds* n3ds, uint client,
            triglyph_n3ds_queue* queue);

        /// <summary>
        /// Asks GSP to halt before the next command of a client's queue, or takes a halt back.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_queue_halt", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_queue_halt(triglyph_n3ds* n3ds, uint client,
            [MarshalAs(UnmanagedType.U1)] bool halt);

        /// <summary>
        /// Takes the oldest interrupt out of a client's relay queue; `found` says whether there was one.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_relay_pop", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_relay_pop(triglyph_n3ds* n3ds, uint client, uint* interrupt,
            bool* found);

        /// <summary>
        /// Says whether a client wants VBlanks in its relay queue.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_relay_skip_vblanks", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_relay_skip_vblanks(triglyph_n3ds* n3ds, uint client,
            [MarshalAs(UnmanagedType.U1)] bool skip);

        /// <summary>
        /// Puts what a screen is to show into a client's framebuffer information; GSP takes it at the next VBlank or
        /// PPF.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_present", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_present(triglyph_n3ds* n3ds, uint client, uint screen,
            triglyph_n3ds_framebuffer* framebuffer);

        /// <summary>
        /// Handles a request to `gsp::Gpu`: `words` is the caller's command buffer with the receive descriptors after
        /// it, 66 words, in which the answer takes the request's place. `blocked` says that the caller stays asleep:
        /// until its session turns up in `triglyph_n3ds_take_granted`, after which `triglyph_n3ds_ipc_granted` makes
        /// the answer.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_ipc", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_ipc(triglyph_n3ds* n3ds, uint session, uint* words, UIntPtr count,
            triglyph_n3ds_process* process, bool* blocked);

        /// <summary>
        /// Answers an AcquireRight that was blocked, in the caller's command buffer.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_ipc_granted", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_ipc_granted(uint* words, UIntPtr count);

        /// <summary>
        /// The picture that an eye (0 left or both, 1 right) sees on a `triglyph_n3ds_screen`. `found` is false for the
        /// right eye of a flat picture, and for formats that there are not.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_lcd_picture", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_lcd_picture(triglyph_n3ds* n3ds, uint screen, uint eye,
            triglyph_n3ds_picture* picture, bool* found);

        /// <summary>
        /// The colour that covers a screen instead of its picture: red, green, blue, 8 bits each, red lowest. `found`
        /// says whether there is one.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_lcd_fill_color", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_lcd_fill_color(triglyph_n3ds* n3ds, uint screen, uint* color,
            bool* found);

        /// <summary>
        /// A screen's gamma tables as 256 words: red, green and blue after the table, red lowest.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_lcd_gamma", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_lcd_gamma(triglyph_n3ds* n3ds, uint screen, uint* table);

        /// <summary>
        /// Whether both eyes have pictures of their own on a screen.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_is_lcd_stereo", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_is_lcd_stereo(triglyph_n3ds* n3ds, uint screen, bool* stereo);

        /// <summary>
        /// Presents what a `triglyph_n3ds_screen` shows an eye (0 left or both, 1 right), as
        /// `triglyph_present_picture`: the controller's picture through its gamma table, upright, or the colour that
        /// covers it. The guest chooses its size: 320, 400 or 800 columns of 240 pixels. `triglyph_n3ds_lcd_picture`
        /// tells it before.
        ///
        /// Errors: as there.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_present_screen", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_present_screen(triglyph_n3ds* n3ds, uint screen, uint eye,
            triglyph_rows* rows, triglyph_presented* presented, triglyph_shown* shown);

        /// <summary>
        /// The effects that a GX command of eight words will have for the holder of the rendering right, if addresses
        /// that it does not check are treated as a `triglyph_n3ds_bad_address` says. It needs no device: the thread of
        /// the guest's processor asks while a worker has it, schedules the interrupt, and sends the command with
        /// `triglyph_worker_send_touching`.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_get_forecast", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_get_forecast(uint* words, uint bad_address,
            triglyph_n3ds_forecast* forecast);

        /// <summary>
        /// WriteHWRegs: consecutive registers from `offset`, counted from physical address 0x10000000. What finishes is
        /// queued for delivery.
        ///
        /// Results: `NO_RIGHT` without the rendering right; `BAD_OFFSET` for other registers; `BAD_SIZE` for more than
        /// 32 words; `MISALIGNED_SIZE`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_write_registers", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_write_registers(triglyph_n3ds* n3ds, uint session, uint offset,
            uint* words, UIntPtr count, uint* result);

        /// <summary>
        /// WriteHWRegsWithMask: as `triglyph_n3ds_write_registers`, but only the bits that are set in `masks`; words
        /// without a mask are not written.
        ///
        /// Results: as `triglyph_n3ds_write_registers`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_write_registers_with_mask", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_write_registers_with_mask(triglyph_n3ds* n3ds, uint session,
            uint offset, uint* words, uint* masks, UIntPtr count, uint* result);

        /// <summary>
        /// WriteHWRegRepeat: all words into one register.
        ///
        /// Results: as `triglyph_n3ds_write_registers`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_write_register_repeat", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_write_register_repeat(triglyph_n3ds* n3ds, uint session,
            uint offset, uint* words, UIntPtr count, uint* result);

        /// <summary>
        /// ReadHWRegs: consecutive registers into `words`.
        ///
        /// Results: as `triglyph_n3ds_write_registers`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_read_registers", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_read_registers(triglyph_n3ds* n3ds, uint session, uint offset,
            uint* words, UIntPtr count, uint* result);

        /// <summary>
        /// SetBufferSwap: shows a picture, for clients that draw without the GPU. It takes effect at once; the real GSP
        /// waits for the next VBlank when the beam is in the picture.
        ///
        /// Results: `NO_RIGHT` without the rendering right.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_buffer_swap", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_buffer_swap(triglyph_n3ds* n3ds, uint session, uint screen,
            triglyph_n3ds_framebuffer* framebuffer, uint* result);

        /// <summary>
        /// FlushDataCache and StoreDataCache: the processor wrote these bytes, at a virtual address. A hint, which any
        /// session may give.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_flush_data_cache", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_flush_data_cache(triglyph_n3ds* n3ds, uint address, uint size);

        /// <summary>
        /// SetLcdForceBlack: covers both screens with black, or uncovers them.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_set_lcd_force_black", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_set_lcd_force_black(triglyph_n3ds* n3ds,
            [MarshalAs(UnmanagedType.U1)] bool black);

        /// <summary>
        /// TriggerCmdReqQueue: executes what waits in the queue of the client with the rendering right, whichever
        /// client calls. Queues of the others wait, also when the right passes on: until the next trigger, or until a
        /// command of the new holder ends. Interrupts wait until the host delivers them.
        ///
        /// While submissions are deferred nothing happens: bounded runs execute the queue.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_trigger", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_trigger(triglyph_n3ds* n3ds);

        /// <summary>
        /// RegisterInterruptRelayQueue: makes a session a client; `event` is the handle that the host signals for it.
        /// Its relay queue is empty afterwards. A session that is a client already keeps its index; a new one finds its
        /// part of the page cleared (unverified; clients are known to empty their command queue themselves).
        ///
        /// Results: `RIGHT_TAKEN` when there are four others (the code is unverified).
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_register_relay_queue", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_register_relay_queue(triglyph_n3ds* n3ds, uint session,
            uint flags, uint @event, triglyph_n3ds_registration* registration);

        /// <summary>
        /// UnregisterInterruptRelayQueue: the session's place in the shared page is free again. It keeps the rendering
        /// right, but what waits in its queue is not executed, and completion interrupts are delivered to no client.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_unregister_relay_queue", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_unregister_relay_queue(triglyph_n3ds* n3ds, uint session);

        /// <summary>
        /// TryAcquireRight: takes the rendering right if it is free.
        ///
        /// Results: `RIGHT_TAKEN` when another session has it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_try_acquire_right", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_try_acquire_right(triglyph_n3ds* n3ds, uint session,
            uint* result);

        /// <summary>
        /// AcquireRight: takes the rendering right or waits for it; who waits is told later that it has it. The call's
        /// flag, which asks for extra initialisation, is the host's affair.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_acquire_right", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_acquire_right(triglyph_n3ds* n3ds, uint session, uint* acquired);

        /// <summary>
        /// ReleaseRight: gives the rendering right to the next who waits. Without effect for others than its holder.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_release_right", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_release_right(triglyph_n3ds* n3ds, uint session);

        /// <summary>
        /// ImportDisplayCaptureInfo: what both screens show, or what the holder of the right has set for the next
        /// VBlank, which the real GSP loads when it is asked (Azahar #2273). Addresses are those that the client gave,
        /// where it did.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_display_capture_info", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_display_capture_info(triglyph_n3ds* n3ds,
            triglyph_n3ds_capture_info* top, triglyph_n3ds_capture_info* bottom);

        /// <summary>
        /// SaveVramSysArea: copies what the screens show to where the system keeps it in VRAM. Requests to the service
        /// need flag 1 of the session's registration.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_save_vram_area", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_save_vram_area(triglyph_n3ds* n3ds);

        /// <summary>
        /// RestoreVramSysArea: copies it back; otherwise as `triglyph_n3ds_save_vram_area`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_restore_vram_area", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_restore_vram_area(triglyph_n3ds* n3ds);

        /// <summary>
        /// Writes a register with all effects, by its offset in bytes from physical address 0x10000000: the GPU's begin
        /// at 0x400000, those that cover the screens are 0x202204 and 0x202A04. The answer says which unit finishes
        /// because of it; no interrupt is queued.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_write_register", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_write_register(triglyph_n3ds* n3ds, uint offset, uint value,
            triglyph_n3ds_executed* executed);

        /// <summary>
        /// Reads a register, by its offset as in `triglyph_n3ds_write_register`. Recorded are the reads that change
        /// something.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_read_register", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_read_register(triglyph_n3ds* n3ds, uint offset, uint* value);

        /// <summary>
        /// Copies bytes between physical addresses with the processors' DMA engine. The answer is how many ticks of the
        /// main processor that takes.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_n3ds_dma", CallingConvention = CDECL)]
        public static extern triglyph_status n3ds_dma(triglyph_n3ds* n3ds, uint source, uint target, uint size,
            ulong* ticks);

        /// <summary>
        /// Makes a PS3 with nothing mapped and no contexts. It belongs to the caller, who destroys it with
        /// `triglyph_rsx_destroy`. `TRIGLYPH_ACCURACY_EXACT` is what hosts need whose guests see the chip's registers
        /// or use more than one context. Words in guest memory are big-endian, also those of push buffers that are
        /// submitted and of pictures that are recorded, until a player plays a capture that says otherwise.
        ///
        /// Errors: as `triglyph_device_create`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_create", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_create(triglyph_options* options, triglyph_rsx** rsx);

        /// <summary>
        /// Destroys a PS3, and with it the device that was borrowed from it. Null is ignored.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_destroy(triglyph_rsx* rsx);

        /// <summary>
        /// The device of a PS3, for the calls that all machines have; null for null. It is borrowed: it is destroyed
        /// with the PS3.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_device", CallingConvention = CDECL)]
        public static extern triglyph_device* rsx_device(triglyph_rsx* rsx);

        /// <summary>
        /// Sets the callback for software methods of channels that are none of LV1's, or removes it with null; without
        /// one they are events. `user_data` is handed to each call and has to stay valid until the callback is replaced
        /// or the PS3 destroyed.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_set_software_callback", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_set_software_callback(triglyph_rsx* rsx,
            triglyph_rsx_software_callback callback, void* user_data);

        /// <summary>
        /// The bits of an event: in the hypervisor's interrupt status, and in the word that Lv-2 sends to event ports;
        /// 0 where it has none. Either pointer may be null.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_event_bits", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_event_bits(triglyph_event* @event, ulong* lv1, ulong* lv2);

        /// <summary>
        /// Where an address is that a call has returned: the address space and the address in it. `found` is false for
        /// addresses of nothing.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_lpar", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_lpar(triglyph_rsx* rsx, ulong lpar, uint* space, ulong* address,
            bool* found);

        /// <summary>
        /// Where in main memory an IO offset of a context is; `found` is false where nothing is mapped.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_io_to_lpar", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_io_to_lpar(triglyph_rsx* rsx, uint context, uint io, ulong* lpar,
            bool* found);

        /// <summary>
        /// Reads a word of instance memory; 0 beyond its end.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_pramin_read", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_pramin_read(triglyph_rsx* rsx, uint offset, uint* word);

        /// <summary>
        /// Reads a word of the bus: registers, instance memory or local memory at the hypervisor's addresses. `found`
        /// is false outside of all three.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_bus_read", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_bus_read(triglyph_rsx* rsx, ulong address, uint* word,
            bool* found);

        /// <summary>
        /// Presents what a head (0 or 1) of the PS3 shows, as `triglyph_present_picture`: the display buffer that was
        /// flipped last. `triglyph_rsx_head_size` tells its size before.
        ///
        /// Errors: as there.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_present_head", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_present_head(triglyph_rsx* rsx, uint head, triglyph_rows* rows,
            triglyph_presented* presented, triglyph_shown* shown);

        /// <summary>
        /// The size of what a head (0 or 1) of the PS3 shows: that of the display buffer that was flipped last, 0 if it
        /// shows no buffer of a context.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_head_size", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_head_size(triglyph_rsx* rsx, uint head, uint* width,
            uint* height);

        /// <summary>
        /// `lv1_gpu_device_map`: the address of a device's page, and its bytes. Device 8 is a page of local memory;
        /// what the others hold is not documented, they read 0.
        ///
        /// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for devices that cannot be mapped.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_device_map", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_device_map(triglyph_rsx* rsx, ulong device, ulong* lpar,
            ulong* size, long* result);

        /// <summary>
        /// `lv1_gpu_device_unmap`.
        ///
        /// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a device that is not mapped.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_device_unmap", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_device_unmap(triglyph_rsx* rsx, ulong device, long* result);

        /// <summary>
        /// `lv1_gpu_memory_allocate`: `size` bytes of local memory, a multiple of 1 MiB, and four limited resources.
        /// Memory that the host has not mapped is mapped. `resources` has 4 values.
        ///
        /// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for sizes and resources beyond the limits,
        /// `TRIGLYPH_RSX_RESULT_RESOURCE_SHORTAGE` when there is not enough left.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_memory_allocate", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_memory_allocate(triglyph_rsx* rsx, ulong size, ulong* resources,
            uint* handle, ulong* lpar, long* result);

        /// <summary>
        /// `lv1_gpu_memory_free`.
        ///
        /// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a handle without an allocation, `TRIGLYPH_RSX_RESULT_BUSY` while
        /// a context works on it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_memory_free", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_memory_free(triglyph_rsx* rsx, uint handle, long* result);

        /// <summary>
        /// `lv1_gpu_context_allocate`: a channel with its objects and pages. For `flags` see `TRIGLYPH_RSX_CONTEXT_*`.
        ///
        /// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for an unknown memory handle;
        /// `TRIGLYPH_RSX_RESULT_RESOURCE_SHORTAGE` when there are three contexts (one in fast mode).
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_context_allocate", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_context_allocate(triglyph_rsx* rsx, uint memory, ulong flags,
            triglyph_rsx_context* context, long* result);

        /// <summary>
        /// `lv1_gpu_context_free`.
        ///
        /// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a handle without a context, as for all calls that take one.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_context_free", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_context_free(triglyph_rsx* rsx, uint context, long* result);

        /// <summary>
        /// `lv1_gpu_context_iomap`: `size` bytes of main memory at `lpar` appear at IO offset `io`; size 0 or address 0
        /// unmaps. Main memory is what the host has mapped in the space of main memory, by the same addresses. The GPU
        /// may write it with bit 63 of `flags`, read it with bit 62.
        ///
        /// Results: `TRIGLYPH_RSX_RESULT_ALIGNMENT_ERROR` unless all are multiples of 1 MiB (64 KiB with that flag);
        /// `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` beyond the IO space or where there is no main memory.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_context_iomap", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_context_iomap(triglyph_rsx* rsx, uint context, ulong io,
            ulong lpar, ulong size, ulong flags, long* result);

        /// <summary>
        /// `lv1_gpu_context_attribute`: an operation with four parameters, such as 0x001, which sets GET and PUT; those
        /// of `Operation` in Rust. `parameters` has 4 values.
        ///
        /// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for an unknown operation or context;
        /// `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for numbers beyond what there is;
        /// `TRIGLYPH_RSX_RESULT_WRONG_STATE` for frame-buffer copies without a frame buffer or while the channel is
        /// busy.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_context_attribute", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_context_attribute(triglyph_rsx* rsx, uint context, ulong operation,
            ulong* parameters, long* result);

        /// <summary>
        /// `lv1_gpu_context_intr`: the interrupts that have happened since the last call.
        ///
        /// Results: as `triglyph_rsx_context_free`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_context_intr", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_context_intr(triglyph_rsx* rsx, uint context, ulong* interrupts,
            long* result);

        /// <summary>
        /// `lv1_gpu_attribute`: what its operations do is not documented; they succeed, as with RPCS3. `parameters` has
        /// 4 values.
        ///
        /// Results: none so far.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_attribute", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_attribute(triglyph_rsx* rsx, ulong operation, ulong* parameters,
            long* result);

        /// <summary>
        /// A call by its number, for hosts that dispatch on r11: `arguments` are r3 and up. `arguments` has 8 values.
        /// `outputs` has room for five values, r4 to r8, or is null.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_hypercall", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_hypercall(triglyph_rsx* rsx, uint number, ulong* arguments,
            ulong* outputs, long* result);

        /// <summary>
        /// Executes the commands of all channels: reads PUT of every context, and runs until all channels are idle,
        /// wait for a semaphore or are stopped. Then memory shows everything, and the control pages show GET and REF.
        /// To be called when the guest has written PUT, and when something has happened that a channel may wait for.
        ///
        /// A run that does not end is ended, with a fault; `triglyph_run_for` bounds it instead.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_run", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_run(triglyph_rsx* rsx);

        /// <summary>
        /// A head (0 or 1) has begun to show a frame, at `time` in ticks of the processor's time base: flips that wait
        /// are done. For every context; the host calls this as often as its screen shows one.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_vblank", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_vblank(triglyph_rsx* rsx, uint head, ulong time);

        /// <summary>
        /// The frame of the second handler of vertical blanks, for hosts that keep its rate; with the screen's own rate
        /// `triglyph_rsx_vblank` does it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_second_vblank", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_second_vblank(triglyph_rsx* rsx, uint head, ulong time);

        /// <summary>
        /// Sets the time since power on that reports, notifiers and PTIMER show, in nanoseconds. By itself it moves
        /// with the work that is done, so that runs can be repeated.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_set_clock", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_set_clock(triglyph_rsx* rsx, ulong time);

        /// <summary>
        /// Writes a register of BAR0; the two low bits of the address are ignored. A push buffer does not run before
        /// `triglyph_rsx_run`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_mmio_write", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_mmio_write(triglyph_rsx* rsx, uint address, uint word);

        /// <summary>
        /// Reads a register of BAR0; the two low bits of the address are ignored.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_mmio_read", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_mmio_read(triglyph_rsx* rsx, uint address, uint* word);

        /// <summary>
        /// Writes a word of instance memory; nothing happens beyond its end.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_pramin_write", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_pramin_write(triglyph_rsx* rsx, uint offset, uint word);

        /// <summary>
        /// Clears the error of a channel: it goes on at PUT, as drivers have it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_clear_error", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_clear_error(triglyph_rsx* rsx, uint channel);

        /// <summary>
        /// Writes a word of the bus: recorded so is only what goes to local memory.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_bus_write", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_bus_write(triglyph_rsx* rsx, ulong address, uint word,
            bool* found);

        /// <summary>
        /// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A
        /// recording has it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_rsx_set_fuel", CallingConvention = CDECL)]
        public static extern triglyph_status rsx_set_fuel(triglyph_rsx* rsx, ulong fuel);

        /// <summary>
        /// Makes a Tegra X1 with nothing mapped and no channels. It belongs to the caller, who destroys it with
        /// `triglyph_tegra_destroy`.
        ///
        /// Errors: as `triglyph_device_create`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_create", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_create(triglyph_options* options, triglyph_tegra** tegra);

        /// <summary>
        /// Destroys a Tegra X1, and with it the device that was borrowed from it. Null is ignored.
        ///
        /// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_destroy", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_destroy(triglyph_tegra* tegra);

        /// <summary>
        /// The device of a Tegra X1, for the calls that all machines have; null for null. It is borrowed: it is
        /// destroyed with the Tegra X1.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_device", CallingConvention = CDECL)]
        public static extern triglyph_device* tegra_device(triglyph_tegra* tegra);

        /// <summary>
        /// The process's address of what the GPU sees at `address` of an address space; `found` is false where nothing
        /// of the process is mapped.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_process_address", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_process_address(triglyph_tegra* tegra, uint space, ulong address,
            ulong* process, bool* found);

        /// <summary>
        /// Open: a device by its path, `/dev/nvmap`, `/dev/nvhost-as-gpu`, `/dev/nvhost-gpu`, `/dev/nvhost-ctrl` or
        /// `/dev/nvhost-ctrl-gpu`. A file of the second one is an address space, one of the third a channel. `result`
        /// is a `triglyph_tegra_result`: `TRIGLYPH_TEGRA_RESULT_NO_FILE` for other paths.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvdrv_open", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvdrv_open(triglyph_tegra* tegra, byte* path, uint* file,
            uint* result);

        /// <summary>
        /// Close: a file, and its channel or address space. `result` is `TRIGLYPH_TEGRA_RESULT_BUSY` for an address
        /// space that channels are bound to; it stays open then.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvdrv_close", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvdrv_close(triglyph_tegra* tegra, uint file, uint* result);

        /// <summary>
        /// Ioctl, Ioctl2 and Ioctl3: `request` is its number, `buffer` its argument, in which the answer takes the
        /// request's place. Ioctl2 has a second buffer `inline_in`, Ioctl3 one `inline_out`; null with size 0 without
        /// one. `result` is what the guest is told beside the buffers, `TRIGLYPH_TEGRA_RESULT_TIMEOUT` among it where
        /// an event is armed.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvdrv_ioctl", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvdrv_ioctl(triglyph_tegra* tegra, uint file, uint request,
            byte* buffer, UIntPtr size, byte* inline_in, UIntPtr inline_in_size, byte* inline_out,
            UIntPtr inline_out_size, uint* result);

        /// <summary>
        /// QueryEvent: the slot of the event that `event` names, a value that EVENT_WAIT has answered. It is signalled
        /// by a `TRIGLYPH_EVENT_KIND_FENCE` event of that slot.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvdrv_query_event", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvdrv_query_event(triglyph_tegra* tegra, uint file, uint @event,
            uint* slot, uint* result);

        /// <summary>
        /// Appends GPFIFO entries to a channel of the address space of captures, without the driver, and works until
        /// everything is done or waits. A recording that is under way contains it.
        ///
        /// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a channel beyond those there can be.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_submit_entries", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_submit_entries(triglyph_tegra* tegra, uint channel,
            ulong* entries, UIntPtr count);

        /// <summary>
        /// GET_CHARACTERISTICS.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_get_characteristics", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_get_characteristics(triglyph_tegra* tegra,
            triglyph_tegra_characteristics* characteristics);

        /// <summary>
        /// CREATE: a handle of `size` bytes, without memory yet.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for size 0; `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when
        /// there are too many.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvmap_create", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvmap_create(triglyph_tegra* tegra, uint size, uint* handle,
            uint* result);

        /// <summary>
        /// FROM_ID: another owner of a handle; ids are the handles.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for a handle that does not exist, as for all calls of handles.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvmap_from_id", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvmap_from_id(triglyph_tegra* tegra, uint id, uint* handle,
            uint* result);

        /// <summary>
        /// FREE: one owner less. What address spaces show of it stays.
        ///
        /// Results: see `triglyph_tegra_nvmap_from_id`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvmap_free", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvmap_free(triglyph_tegra* tegra, uint handle,
            triglyph_tegra_freed* freed, uint* result);

        /// <summary>
        /// ALLOC: attaches memory of the process.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_ALREADY_ALLOCATED` when it has some; `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for
        /// an alignment that is no power of two; `TRIGLYPH_TEGRA_RESULT_INVALID_ADDRESS` beyond the process's
        /// addresses.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvmap_alloc", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvmap_alloc(triglyph_tegra* tegra, uint handle,
            triglyph_tegra_memory* memory, uint* result);

        /// <summary>
        /// PARAM: see `TRIGLYPH_TEGRA_PARAM_*`.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for other parameters.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_nvmap_param", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_nvmap_param(triglyph_tegra* tegra, uint handle, uint parameter,
            uint* value, uint* result);

        /// <summary>
        /// Opens an address space, as opening `/dev/nvhost-as-gpu` does. Its number is what `triglyph_range`s and
        /// faults name.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when there are too many.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_open", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_open(triglyph_tegra* tegra, uint* space, uint* result);

        /// <summary>
        /// Closes an address space: nothing is mapped in it any more.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BUSY` while a channel is bound to it; `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER`
        /// for a space that is not open, as for all calls of spaces.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_close", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_close(triglyph_tegra* tegra, uint space, uint* result);

        /// <summary>
        /// INITIALIZE and INITIALIZE_EX. A null `layout` is the default.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` when it was initialised; `TRIGLYPH_TEGRA_RESULT_BAD_VALUE`
        /// for other sizes of pages and for ranges that are not in order or no whole big pages.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_initialize", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_initialize(triglyph_tegra* tegra, uint space,
            triglyph_tegra_layout* layout, uint* result);

        /// <summary>
        /// ALLOC_SPACE: `pages` pages of address space for fixed mappings, see `TRIGLYPH_TEGRA_SPACE_*`. `at` is the
        /// address with the fixed flag, else an alignment or 0.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_NOT_INITIALIZED` before INITIALIZE, as for all calls below;
        /// `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for other sizes of pages, and for fixed space that is taken;
        /// `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` without room.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_allocate", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_allocate(triglyph_tegra* tegra, uint space, uint pages,
            ulong page_size, uint flags, ulong at, ulong* offset, uint* result);

        /// <summary>
        /// FREE_SPACE, with everything that is mapped there.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` unless it was allocated with this size.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_free", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_free(triglyph_tegra* tegra, uint space, ulong offset,
            uint pages, ulong page_size, uint* result);

        /// <summary>
        /// MAP_BUFFER_EX: shows a handle's memory to the GPU, or changes the kind of what is shown. Memory of the
        /// process is what the host has mapped in `TRIGLYPH_TEGRA_SPACE_PROCESS` by then.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for a handle that does not exist, parts beyond it, fixed
        /// addresses without space or with something mapped; `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` for a handle without
        /// memory; `TRIGLYPH_TEGRA_RESULT_INVALID_ADDRESS` when the host has not mapped it;
        /// `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` without room.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_map_buffer", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_map_buffer(triglyph_tegra* tegra, uint space,
            triglyph_tegra_map_buffer* call, ulong* offset, ulong* page_size, uint* result);

        /// <summary>
        /// UNMAP_BUFFER.
        ///
        /// Results: none but those of all calls: what is not mapped is unmapped.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_unmap_buffer", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_unmap_buffer(triglyph_tegra* tegra, uint space,
            ulong offset, uint* result);

        /// <summary>
        /// REMAP: entry by entry, up to the first that cannot be.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` outside of sparse space and beyond a handle, otherwise as
        /// `triglyph_tegra_space_map_buffer`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_remap", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_remap(triglyph_tegra* tegra, uint space,
            triglyph_tegra_remap* entries, UIntPtr count, uint* result);

        /// <summary>
        /// GET_VA_REGIONS: small pages, big pages.
        ///
        /// Results: see `triglyph_tegra_space_allocate`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_space_regions", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_space_regions(triglyph_tegra* tegra, uint space,
            triglyph_tegra_region* small, triglyph_tegra_region* big, uint* result);

        /// <summary>
        /// Opens a channel with a syncpoint of its own, as opening `/dev/nvhost-gpu` does.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when there are no channels or syncpoints left.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_channel_open", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_channel_open(triglyph_tegra* tegra, uint* channel,
            uint* result);

        /// <summary>
        /// Closes a channel, with everything it had still to do.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a channel that is not open, as for all calls of channels.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_channel_close", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_channel_close(triglyph_tegra* tegra, uint channel,
            uint* result);

        /// <summary>
        /// BIND_CHANNEL: the address space of a channel, once.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a space that is not open;
        /// `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` when the channel has one.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_channel_bind", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_channel_bind(triglyph_tegra* tegra, uint channel, uint space,
            uint* result);

        /// <summary>
        /// SUBMIT_GPFIFO: appends entries, and works until everything is done or waits. `flags`:
        /// `TRIGLYPH_TEGRA_SUBMIT_*`. Returns the fence after everything that was submitted. A null `fence` is the
        /// default.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a fence that is both waited for and a number of
        /// increments, or that names no syncpoint; `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` for a channel without an
        /// address space.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_channel_submit", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_channel_submit(triglyph_tegra* tegra, uint channel,
            ulong* entries, UIntPtr count, uint flags, triglyph_tegra_fence* fence, triglyph_tegra_fence* after,
            uint* result);

        /// <summary>
        /// The syncpoint of a channel, and the value that it has when everything submitted is done.
        ///
        /// Results: see `triglyph_tegra_channel_close`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_channel_fence", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_channel_fence(triglyph_tegra* tegra, uint channel,
            triglyph_tegra_fence* fence, uint* result);

        /// <summary>
        /// Adds 1 to a syncpoint, as other hardware does, and goes on with channels that waited for it: with the next
        /// bounded run if submissions are deferred. For an index beyond the syncpoints it does nothing but a fault.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_increment_syncpoint", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_increment_syncpoint(triglyph_tegra* tegra, uint index);

        /// <summary>
        /// Lets time pass that the GPU does not work in, in nanoseconds, so that timestamps keep up with the host's
        /// idea of time.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_advance_time", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_advance_time(triglyph_tegra* tegra, ulong time);

        /// <summary>
        /// Goes on with channels that waited: for a word that the host has written since, or for a syncpoint.
        ///
        /// Work without an end is stopped, with a fault; `triglyph_run_for` bounds it instead.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_run", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_run(triglyph_tegra* tegra);

        /// <summary>
        /// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A
        /// recording has it.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_set_fuel", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_set_fuel(triglyph_tegra* tegra, ulong fuel);

        /// <summary>
        /// EVENT_REGISTER, or EVENT_UNREGISTER with `false`.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a slot beyond 63; `TRIGLYPH_TEGRA_RESULT_BUSY` for one
        /// that is armed and goes.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_event_register", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_event_register(triglyph_tegra* tegra, uint slot,
            [MarshalAs(UnmanagedType.U1)] bool registered, uint* result);

        /// <summary>
        /// EVENT_WAIT, and EVENT_WAIT_ASYNC if the client chooses the slot: waits for a fence. A threshold of 0 has
        /// been reached. The host keeps the time: 0 asks whether the fence has been reached; any other timeout, or
        /// none, arms an event, which is an `TRIGLYPH_EVENT_KIND_FENCE` when it has been. A null `fence` is the
        /// default. `timeout` is in microseconds; a negative one is none. A negative `slot` is none.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_TIMEOUT` with timeout 0 when it has not been reached;
        /// `TRIGLYPH_TEGRA_RESULT_BUSY` for a slot that is armed; `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for syncpoints
        /// and slots that do not exist; `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` without a slot.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_event_wait", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_event_wait(triglyph_tegra* tegra, triglyph_tegra_fence* fence,
            int timeout, int slot, triglyph_tegra_wait* wait, uint* result);

        /// <summary>
        /// EVENT_SIGNAL: the client waits for this event no more.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a slot beyond 63.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_event_cancel", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_event_cancel(triglyph_tegra* tegra, uint slot, uint* result);

        /// <summary>
        /// SYNCPT_READ: the value of a syncpoint.
        ///
        /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for an index beyond the syncpoints.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_syncpoint_value", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_syncpoint_value(triglyph_tegra* tegra, uint index, uint* value,
            uint* result);

        /// <summary>
        /// SYNCPT_READ_MAX: the value that a syncpoint has when everything submitted is done.
        ///
        /// Results: see `triglyph_tegra_syncpoint_value`.
        /// </summary>
        [DllImport(LIBRARY, EntryPoint = "triglyph_tegra_syncpoint_maximum", CallingConvention = CDECL)]
        public static extern triglyph_status tegra_syncpoint_maximum(triglyph_tegra* tegra, uint index, uint* value,
            uint* result);
    }
}
