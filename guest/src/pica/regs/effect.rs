//! Effects of a register write besides storing it.

/// Groups of state that a write makes dirty.
pub mod dirty {
    crate::table::effect::groups! {
        /// Culling, viewport, clip plane, scissor, depth map, output map.
        RASTER,
        /// Texture units 0 to 2.
        TEXTURE,
        /// Combiner stages, fog and gas colouring with their tables.
        COMBINER,
        /// Alpha, stencil and depth test, blending, logic operation, write masks, gas and shadow modes.
        FRAGMENT,
        /// Addresses, formats and dimensions of the framebuffer.
        TARGET,
        /// Fragment lighting and its tables.
        LIGHTING,
        /// The procedural texture unit and its tables.
        PROCTEX,
        /// Attribute buffers, formats, permutation, number of inputs.
        VERTEX_INPUT,
        /// Shader code, descriptors, entry points, output masks.
        PROGRAM,
        /// Geometry stage: modes, primitive type.
        GEOMETRY,
    }
}

/// The effect of a write to a register.
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

/// Side effects of register writes. Data ports take the whole parameter whatever the byte mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// May raise the P3D interrupt and stop the list.
    Interrupt,
    /// Clears the early depth memory.
    EarlyDepthClear,
    /// Texture units are configured; bit 16 empties the texture cache.
    TextureCacheClear,
    /// Stores an entry of the selected procedural texture table; the index register goes up.
    ProcTexData,
    /// Stores an entry of the fog table; the index register goes up.
    FogData,
    /// Stores an entry of the gas table; the index register goes up.
    GasData,
    /// Resets the largest density.
    GasStart,
    /// Stores an entry of the selected light table; the index register goes up.
    LightLutData,
    /// Empties the framebuffer caches without writing them back.
    FramebufferInvalidate,
    /// Writes the framebuffer caches back.
    FramebufferFlush,
    /// Draws NUM_VERTICES vertices in sequence, unless it is 0.
    DrawArrays,
    /// Draws NUM_VERTICES indices, unless it is 0.
    DrawElements,
    /// Empties the post-transform cache.
    VertexCacheClear,
    /// Selects a fixed attribute or immediate mode; empties the accumulator and the immediate vertex.
    FixedAttributeIndex,
    /// A word of a fixed attribute or of an immediate vertex; the third one completes it and may draw.
    FixedAttributeData,
    /// Command fetch goes on at address 0.
    Jump0,
    /// Command fetch goes on at address 1.
    Jump1,
    /// Selects the primitive type and empties the primitive assembler.
    Topology,
    /// Empties the primitive assembler, unless it gets 0.
    TopologyReset,
    /// Latches the bool uniforms of a shader unit; which unit tells the register, also below.
    ShaderBool,
    /// Latches an integer uniform.
    ShaderInt,
    /// Selects a float uniform and the word format.
    ShaderFloatIndex,
    /// A word of a float uniform; the last one completes it.
    ShaderFloatData,
    /// Selects where code is stored.
    ShaderCodeIndex,
    /// Stores a word of code; the offset goes up.
    ShaderCode,
    /// Ends an upload of code.
    ShaderCodeEnd,
    /// Selects where operand descriptors are stored.
    ShaderDescriptorIndex,
    /// Stores an operand descriptor; the offset goes up.
    ShaderDescriptor,
    /// Says which outputs a shader writes; the vertex unit's may be mirrored to the geometry unit.
    ShaderOutmapMask,
}

impl Trigger {
    /// The groups of state that are dirty after it: bits of [`dirty`].
    pub const fn groups(self) -> u32 {
        match self {
            // The register also enables the procedural texture and selects its coordinates.
            Trigger::TextureCacheClear => dirty::TEXTURE | dirty::PROCTEX,
            Trigger::ProcTexData => dirty::PROCTEX,
            Trigger::FogData | Trigger::GasData => dirty::COMBINER,
            Trigger::GasStart => dirty::FRAGMENT,
            Trigger::LightLutData => dirty::LIGHTING,
            Trigger::Topology => dirty::GEOMETRY,
            Trigger::ShaderCode | Trigger::ShaderDescriptor => dirty::PROGRAM,
            Trigger::ShaderBool | Trigger::ShaderOutmapMask => dirty::PROGRAM,
            _ => 0,
        }
    }
}
