//! Effects of a method besides storing its register.

/// Groups of 3D state that a write makes dirty.
pub mod dirty {
    crate::table::effect::groups! {
        /// Formats, layout, addresses of targets; surface clip.
        SURFACE,
        /// Viewport, depth range, scissor, window offset and clip.
        VIEWPORT,
        /// Facing, culling, polygon modes and offset, lines, points, stipple, clip planes, shade mode.
        RASTER,
        /// Vertex arrays.
        VERTEX_ARRAY,
        /// Index array and restart.
        INDEX,
        /// Vertex program, its start, limits, branch bits and outputs.
        VERTEX_PROGRAM,
        /// Constants of vertex programs.
        VERTEX_CONSTANTS,
        /// Vertex textures.
        VERTEX_TEXTURE,
        /// Fragment program and what its inputs are.
        FRAGMENT_PROGRAM,
        /// Textures.
        TEXTURE,
        /// Alpha test, blending, logic operation, masks, dither.
        OUTPUT,
        /// Depth and stencil tests.
        DEPTH_STENCIL,
        /// Fog mode and parameters.
        FOG,
        /// Counting of samples.
        QUERY,
        /// Immediate values of vertex attributes.
        VERTEX_DATA,
    }
}

/// The effect of a write to a method.
pub type Effect = crate::table::Effect<Trigger>;

impl crate::table::Effect<Trigger> {
    /// The groups of state that are dirty after the write: bits of [`dirty`].
    pub const fn groups(self) -> u32 {
        match self {
            Effect::None | Effect::Ignored => 0,
            Effect::Dirty(groups) => groups,
            Effect::Trigger(trigger) => trigger.groups(),
        }
    }
}

/// Methods at which something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Puller: binds an object to the subchannel.
    Object,
    /// Puller: the reference counter takes the value when everything before is done.
    Reference,
    /// Puller: finds the object of semaphores.
    SemaphoreObject,
    /// Puller: waits until a semaphore has the value.
    SemaphoreAcquire,
    /// Puller: writes the value to a semaphore.
    SemaphoreRelease,
    /// Puller: another channel may run.
    Yield,
    /// Writes a notifier record.
    Notify,
    /// Waits for everything before.
    WaitForIdle,
    /// Opens or closes a draw.
    BeginEnd,
    /// Two indices.
    ArrayElement16,
    /// An index.
    ArrayElement32,
    /// A range of vertices.
    DrawArrays,
    /// A range of indices.
    DrawIndexArray,
    /// A word of packed vertices.
    InlineArray,
    /// A word of four f32 of an attribute.
    VertexData4F,
    /// A word of three f32 of an attribute.
    VertexData3F,
    /// A word of two f32 of an attribute.
    VertexData2F,
    /// One f32 of an attribute.
    VertexData1F,
    /// Two integers of an attribute.
    VertexData2S,
    /// Two of four integers of an attribute.
    VertexData4S,
    /// Two of four normalised integers of an attribute.
    VertexDataScaled4S,
    /// Four normalised bytes of an attribute.
    VertexData4Ub,
    /// A word of vertex program.
    TransformProgram,
    /// A word of a vertex program's constant.
    TransformConstant,
    /// Clears targets.
    ClearSurface,
    /// Sets a counter to zero.
    ClearReportValue,
    /// Writes a report.
    GetReport,
    /// Writes a semaphore when drawing is complete.
    BackEndWriteSemaphoreRelease,
    /// Writes a semaphore when textures are read.
    TextureReadSemaphoreRelease,
    /// Reads a report: draws and clears happen, or not.
    RenderEnable,
    /// Texels may have changed.
    InvalidateTextures,
    /// Shows a buffer.
    Flip,
    /// Queues a buffer to be shown.
    Queue,
    /// Interrupts the CPU with a value of the program's.
    UserInterrupt,
}

impl Trigger {
    /// The groups of state that are dirty after it: bits of [`dirty`].
    pub const fn groups(self) -> u32 {
        use Trigger::*;
        match self {
            TransformProgram => dirty::VERTEX_PROGRAM,
            TransformConstant => dirty::VERTEX_CONSTANTS,
            InvalidateTextures => dirty::TEXTURE | dirty::VERTEX_TEXTURE,
            VertexData4F | VertexData3F | VertexData2F | VertexData1F | VertexData2S | VertexData4S
            | VertexDataScaled4S | VertexData4Ub => dirty::VERTEX_DATA,
            _ => 0,
        }
    }

    /// Whether a method reads what was drawn before it, or lets others see it.
    pub const fn shows_drawing(self) -> bool {
        use Trigger::*;
        matches!(
            self,
            Reference
                | SemaphoreRelease
                | ClearSurface
                | Notify
                | WaitForIdle
                | ClearReportValue
                | GetReport
                | BackEndWriteSemaphoreRelease
                | TextureReadSemaphoreRelease
        )
    }

    /// Words of one element of the register array that does this: values of attributes have up to four.
    pub const fn words(self) -> usize {
        use Trigger::*;
        match self {
            VertexData4F => 4,
            VertexData3F => 3,
            VertexData2F | VertexData4S | VertexDataScaled4S => 2,
            _ => 1,
        }
    }

    /// Whether words for the same method are a list that may be taken together: of vertices.
    pub const fn is_list(self) -> bool {
        use Trigger::*;
        matches!(self, ArrayElement16 | ArrayElement32 | DrawArrays | DrawIndexArray | InlineArray)
    }
}
