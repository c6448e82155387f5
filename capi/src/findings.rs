//! Findings: what makes draws invisible or suspicious.

use std::ffi::{CStr, c_char, c_void};

use triglyph::{CheckedDraw, DrawHandler, Severity};

use super::callback::Callback;
use super::error::{c_string, name_of, triglyph_status};
use super::handle::{triglyph_device, with_device};
use super::pointer::SizedStruct;

/// What a finding is about.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_finding_kind {
    /// The draw has no vertices.
    NoVertices = 0,
    /// There are fewer vertices than one primitive needs.
    IncompletePrimitive = 1,
    /// Conditional rendering or a rasterizer switch drops all draws.
    RenderingDisabled = 2,
    /// No colour or depth surface is selected, or its address or DMA object is 0.
    NoTarget = 3,
    /// A surface lies at an address where nothing may be written.
    UnmappedTarget = 4,
    /// The selected surfaces have no format that exists.
    TargetFormat = 5,
    /// The surfaces have a width, height or pitch of 0, or one that does not fit them.
    TargetSize = 6,
    /// The viewport has no area.
    EmptyViewport = 7,
    /// No pixel of the target is inside of the scissor or of another clip rectangle.
    EmptyScissor = 8,
    /// A vertex or index array begins where nothing may be read.
    UnmappedArray = 9,
    /// A stage that the draw needs has no program.
    NoProgram = 10,
    /// No output of the vertex stage is the position.
    NoPosition = 11,
    /// All positions have a w of 0, or a component that is no number.
    BadPosition = 12,
    /// All vertices have the same position.
    SamePosition = 13,
    /// All primitives are outside of the view volume.
    OutsideView = 14,
    /// All primitives show the side that culling drops.
    AllCulled = 15,
    /// All primitives are without area.
    Degenerate = 16,
    /// Primitives were set up, or dropped for this alone, and cover no pixel inside of the target and the scissor.
    NoPixels = 17,
    /// A depth, stencil or alpha function is `never`.
    TestNever = 18,
    /// All fragments failed the depth test.
    DepthFailed = 19,
    /// All fragments failed the stencil test.
    StencilFailed = 20,
    /// All fragments failed the alpha test.
    AlphaFailed = 21,
    /// All fragments lie outside of the depth bounds.
    BoundsFailed = 22,
    /// The program or a sample mask discarded all fragments.
    Discarded = 23,
    /// All fragments failed one test or another.
    TestsFailed = 24,
    /// No channel of the colour surfaces may be written, and depth is not written either.
    WritesMasked = 25,
    /// Blending keeps what the target holds: the factor of the source is 0, that of the target 1.
    BlendKeepsTarget = 26,
    /// Fragments passed all tests, and every byte of the targets is as before.
    NothingChanged = 27,
    /// The colour of all fragments is a constant 0.
    ConstantZero = 28,
    /// The fragment program writes no colour and no depth.
    NoColorOutput = 29,
    /// The fragment stage reads a colour or coordinate that the vertex stage does not give.
    UnlinkedInput = 30,
    /// The program reads an attribute that comes from no array; all vertices have the same value.
    ConstantAttribute = 31,
    /// An array holds zeros for all vertices of the draw.
    ZeroAttribute = 32,
    /// A texture that the draw reads lies where nothing is mapped, or has no size.
    UnmappedTexture = 33,
    /// A texture or sampler descriptor is empty.
    EmptyDescriptor = 34,
    /// Depth is compared with a buffer that nothing has written before.
    UnwrittenDepth = 35,
    /// A register that draws depend on holds a value that is nearly always a mistake.
    UnusualState = 36,
    /// A draw was begun and did not end.
    OpenDraw = 37,
    /// Commands have run, and none of them drew.
    NoDraw = 38,
    /// A picture was shown of memory that no draw, clear or copy wrote.
    UnwrittenPicture = 39,
}

/// How much a finding matters.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_severity {
    /// The draw may be as its author wants it.
    Suspicious = 0,
    /// For this reason the draw changes no pixel.
    Invisible = 1,
}

/// One reason why a draw changes no pixel, or why its result may not be the intended one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_finding {
    /// Bytes of this structure: `sizeof(triglyph_finding)`. A callback gets the library's.
    pub size: u32,
    /// A `triglyph_finding_kind`.
    pub kind: u32,
    /// A `triglyph_severity`.
    pub severity: u32,
    /// The register or method that it is about; 0 if it is about none.
    pub register_number: u32,
    /// The event, as the inspector counts them: how many commands before had an effect.
    pub event: u64,
    /// Where the word that drew is: the byte offset in its list, or the address of the command word.
    pub command: u64,
    /// The value of the register or method.
    pub register_value: u32,
    /// 0.
    pub reserved: u32,
    /// What was found, in a sentence; UTF-8.
    pub what: *const c_char,
    /// What to do instead, in a sentence; UTF-8.
    pub advice: *const c_char,
}

// SAFETY: numbers and pointers without padding, the size first.
unsafe impl SizedStruct for triglyph_finding {}

/// Is called for each finding, on the thread that makes the call which executes the draw. The finding and its texts are
/// valid during the callback. It must not block for long and not throw or jump out; calls on the same device return
/// `TRIGLYPH_STATUS_BUSY`.
pub type triglyph_finding_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, finding: *const triglyph_finding)>;

/// Sets the callback for findings of draws, or removes it with null. There are none unless the device was made with
/// `validate` in its options. `user_data` is handed to each call and has to stay valid until the callback is replaced
/// or the device destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_set_finding_callback(
    device: Option<&triglyph_device>,
    callback: triglyph_finding_callback,
    user_data: *mut c_void,
) -> triglyph_status {
    with_device(device, |state| {
        let handler = Callback::new(callback, user_data)
            .map(|callback| -> DrawHandler { Box::new(move |checked| tell(&callback, checked)) });
        state.gpu.device().set_draw_handler(handler);
    })
}

fn tell(callback: &Callback<triglyph_finding>, checked: &CheckedDraw) {
    for found in &checked.findings {
        let (what, advice) = (c_string(&found.what), c_string(&found.advice));
        let register = found.register.as_ref().map_or((0, 0), |register| (register.number, register.value));
        callback.call(&triglyph_finding {
            size: size_of::<triglyph_finding>() as u32,
            kind: found.kind as u32,
            severity: u32::from(found.severity == Severity::Invisible),
            event: found.event,
            command: found.command.position,
            register_number: register.0,
            register_value: register.1,
            reserved: 0,
            what: what.as_ptr(),
            advice: advice.as_ptr(),
        });
    }
}

/// A short name of a `triglyph_finding_kind`, for logs: `"empty-viewport"`. Valid for good.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_finding_kind_name(kind: u32) -> *const c_char {
    const NAMES: [&CStr; 40] = [
        c"no-vertices",
        c"incomplete-primitive",
        c"rendering-disabled",
        c"no-target",
        c"unmapped-target",
        c"target-format",
        c"target-size",
        c"empty-viewport",
        c"empty-scissor",
        c"unmapped-array",
        c"no-program",
        c"no-position",
        c"bad-position",
        c"same-position",
        c"outside-view",
        c"all-culled",
        c"degenerate",
        c"no-pixels",
        c"test-never",
        c"depth-failed",
        c"stencil-failed",
        c"alpha-failed",
        c"bounds-failed",
        c"discarded",
        c"tests-failed",
        c"writes-masked",
        c"blend-keeps-target",
        c"nothing-changed",
        c"constant-zero",
        c"no-color-output",
        c"unlinked-input",
        c"constant-attribute",
        c"zero-attribute",
        c"unmapped-texture",
        c"empty-descriptor",
        c"unwritten-depth",
        c"unusual-state",
        c"open-draw",
        c"no-draw",
        c"unwritten-picture",
    ];
    name_of(kind, &NAMES)
}

#[cfg(test)]
mod tests {
    use triglyph::FindingKind;

    use super::*;

    #[test]
    fn kinds_have_the_facades_order_and_names() {
        for (number, kind) in FindingKind::ALL.iter().enumerate() {
            // SAFETY: names are static.
            let name = unsafe { CStr::from_ptr(triglyph_finding_kind_name(number as u32)) };
            assert_eq!(name.to_str(), Ok(kind.name()));
        }
        assert_eq!(triglyph_finding_kind::UnwrittenPicture as usize + 1, FindingKind::ALL.len());
    }
}
