//! Named values of fields of the class: fragments, blending, reports. Source: NVIDIA's class headers.

use crate::kernel::program::output;
use crate::table::regs::values;

pub use crate::gl::LogicOp;

values! {
    /// The work that a syncpoint waits for.
    SyncPointCondition { StreamOutWritesDone = 0 "STREAM_OUT_WRITES_DONE"; RopWritesDone = 1 "ROP_WRITES_DONE"; }

    /// When a blend program changes nothing.
    BlendNoop {
        Never = 0 "NEVER"; SourceRgba0000 = 1 "SOURCE_RGBA_0000"; SourceAlpha0 = 2 "SOURCE_ALPHA_0";
        SourceRgba0001 = 3 "SOURCE_RGBA_0001";
    }

    /// When an instruction of a blend program counts.
    BlendTest {
        False = 0 "FALSE"; True = 1 "TRUE"; Eq = 2 "EQ"; Ne = 3 "NE"; Lt = 4 "LT"; Le = 5 "LE"; Gt = 6 "GT";
        Ge = 7 "GE";
    }

    /// The operation of an instruction of a blend program.
    BlendProgramOp {
        AddProducts = 0 "ADD_PRODUCTS"; SubProducts = 1 "SUB_PRODUCTS"; Min = 2 "MIN"; Max = 3 "MAX"; Rcp = 4 "RCP";
        Add = 5 "ADD"; Subtract = 6 "SUBTRACT";
    }

    /// Operands A and C of a blend program.
    BlendOperand {
        SrcRgb = 0 "SRC_RGB"; DestRgb = 1 "DEST_RGB"; SrcAaa = 2 "SRC_AAA"; DestAaa = 3 "DEST_AAA";
        Temp0Rgb = 4 "TEMP0_RGB"; Temp1Rgb = 5 "TEMP1_RGB"; Temp2Rgb = 6 "TEMP2_RGB"; PbrRgb = 7 "PBR_RGB";
    }

    /// Operand B of a blend program.
    BlendOperandB {
        Zero = 0 "ZERO"; One = 1 "ONE"; SrcRgb = 2 "SRC_RGB"; SrcAaa = 3 "SRC_AAA";
        OneMinusSrcAaa = 4 "ONE_MINUS_SRC_AAA"; DestRgb = 5 "DEST_RGB"; DestAaa = 6 "DEST_AAA";
        OneMinusDestAaa = 7 "ONE_MINUS_DEST_AAA"; Temp0Rgb = 9 "TEMP0_RGB"; Temp1Rgb = 0xa "TEMP1_RGB";
        Temp2Rgb = 0xb "TEMP2_RGB"; PbrRgb = 0xc "PBR_RGB"; ConstantRgb = 0xd "CONSTANT_RGB";
        ZeroATimesB = 0xe "ZERO_A_TIMES_B";
    }

    /// Operand D of a blend program.
    BlendOperandD {
        Zero = 0 "ZERO"; One = 1 "ONE"; SrcRgb = 2 "SRC_RGB"; SrcAaa = 3 "SRC_AAA";
        OneMinusSrcAaa = 4 "ONE_MINUS_SRC_AAA"; DestRgb = 5 "DEST_RGB"; DestAaa = 6 "DEST_AAA";
        OneMinusDestAaa = 7 "ONE_MINUS_DEST_AAA"; Temp0Rgb = 9 "TEMP0_RGB"; Temp1Rgb = 0xa "TEMP1_RGB";
        Temp2Rgb = 0xb "TEMP2_RGB"; PbrRgb = 0xc "PBR_RGB"; ConstantRgb = 0xd "CONSTANT_RGB";
        ZeroCTimesD = 0xe "ZERO_C_TIMES_D";
    }

    /// Order of a result of a blend program.
    BlendSwizzle { Rgb = 0 "RGB"; Gbr = 1 "GBR"; Rrr = 2 "RRR"; Ggg = 3 "GGG"; Bbb = 4 "BBB"; RToA = 5 "R_TO_A"; }

    /// Components that a blend program's instruction writes.
    BlendMask { Rgb = 0 "RGB"; ROnly = 1 "R_ONLY"; GOnly = 2 "G_ONLY"; BOnly = 3 "B_ONLY"; }

    /// Where a pass of a blend program leaves its result.
    BlendPassOutput { Temp0 = 0 "TEMP0"; Temp1 = 1 "TEMP1"; Temp2 = 2 "TEMP2"; None = 3 "NONE"; }

    /// The values that coverage scales.
    TirModulation {
        Off = 0 "NO_MODULATION"; Rgb = 1 "MODULATE_RGB"; Alpha = 2 "MODULATE_ALPHA_ONLY"; Rgba = 3 "MODULATE_RGBA";
    }

    /// How coverage scales.
    TirFunction { Linear = 0 "LINEAR"; Table = 1 "TABLE"; }

    /// Dither of alpha to coverage.
    DitherFootprint {
        Pixels1x1 = 0 "PIXELS_1X1"; Pixels2x2 = 1 "PIXELS_2X2"; Pixels1x1Virtual = 2 "PIXELS_1X1_VIRTUAL_SAMPLES";
    }

    /// Comparison of two numbers, in D3D and OpenGL numbers.
    CompareFunc => output::Compare {
        Never = 0x200 "OGL_NEVER", 1 "D3D_NEVER"; Less = 0x201 "OGL_LESS", 2 "D3D_LESS";
        Equal = 0x202 "OGL_EQUAL", 3 "D3D_EQUAL"; LessEqual = 0x203 "OGL_LEQUAL", 4 "D3D_LESSEQUAL";
        Greater = 0x204 "OGL_GREATER", 5 "D3D_GREATER"; NotEqual = 0x205 "OGL_NOTEQUAL", 6 "D3D_NOTEQUAL";
        GreaterEqual = 0x206 "OGL_GEQUAL", 7 "D3D_GREATEREQUAL"; Always = 0x207 "OGL_ALWAYS", 8 "D3D_ALWAYS";
    }

    /// How source and destination are joined. SUBTRACT takes the destination from the source, REVERSE_SUBTRACT the
    /// source from the destination. For MIN and MAX factors do not count.
    BlendOp => output::BlendEquation {
        Subtract = 0x800a "OGL_FUNC_SUBTRACT", 2 "D3D_SUBTRACT";
        ReverseSubtract = 0x800b "OGL_FUNC_REVERSE_SUBTRACT", 3 "D3D_REVSUBTRACT";
        Add = 0x8006 "OGL_FUNC_ADD", 1 "D3D_ADD"; Min = 0x8007 "OGL_MIN", 4 "D3D_MIN";
        Max = 0x8008 "OGL_MAX", 5 "D3D_MAX";
    }

    /// Factors of blending.
    BlendFactor {
        Zero = 0x4000 "OGL_ZERO", 1 "D3D_ZERO"; One = 0x4001 "OGL_ONE", 2 "D3D_ONE";
        SourceColor = 0x4300 "OGL_SRC_COLOR", 3 "D3D_SRCCOLOR";
        InverseSourceColor = 0x4301 "OGL_ONE_MINUS_SRC_COLOR", 4 "D3D_INVSRCCOLOR";
        SourceAlpha = 0x4302 "OGL_SRC_ALPHA", 5 "D3D_SRCALPHA";
        InverseSourceAlpha = 0x4303 "OGL_ONE_MINUS_SRC_ALPHA", 6 "D3D_INVSRCALPHA";
        DestinationAlpha = 0x4304 "OGL_DST_ALPHA", 7 "D3D_DESTALPHA";
        InverseDestinationAlpha = 0x4305 "OGL_ONE_MINUS_DST_ALPHA", 8 "D3D_INVDESTALPHA";
        DestinationColor = 0x4306 "OGL_DST_COLOR", 9 "D3D_DESTCOLOR";
        InverseDestinationColor = 0x4307 "OGL_ONE_MINUS_DST_COLOR", 0xa "D3D_INVDESTCOLOR";
        /// min(source alpha, 1 - destination alpha) for colours, 1 for alpha.
        SourceAlphaSaturate = 0x4308 "OGL_SRC_ALPHA_SATURATE", 0xb "D3D_SRCALPHASAT";
        ConstantColor = 0xc001 "OGL_CONSTANT_COLOR", 0xe "D3D_BLENDFACTOR";
        InverseConstantColor = 0xc002 "OGL_ONE_MINUS_CONSTANT_COLOR", 0xf "D3D_INVBLENDFACTOR";
        ConstantAlpha = 0xc003 "OGL_CONSTANT_ALPHA"; InverseConstantAlpha = 0xc004 "OGL_ONE_MINUS_CONSTANT_ALPHA";
        SecondColor = 0xc900 "OGL_SRC1COLOR", 0x10 "D3D_SRC1COLOR";
        InverseSecondColor = 0xc901 "OGL_INVSRC1COLOR", 0x11 "D3D_INVSRC1COLOR";
        SecondAlpha = 0xc902 "OGL_SRC1ALPHA", 0x12 "D3D_SRC1ALPHA";
        InverseSecondAlpha = 0xc903 "OGL_INVSRC1ALPHA", 0x13 "D3D_INVSRC1ALPHA";
        /// Source alpha for the source, 1 - source alpha for the destination.
        BothSourceAlpha = 0xc "D3D_BOTHSRCALPHA";
        /// 1 - source alpha for the source, source alpha for the destination.
        BothInverseSourceAlpha = 0xd "D3D_BOTHINVSRCALPHA";
    }

    /// The operation on the stencil value.
    StencilOp => output::StencilOp {
        Keep = 0x1e00 "OGL_KEEP", 1 "D3D_KEEP"; Zero = 0 "OGL_ZERO", 2 "D3D_ZERO";
        Replace = 0x1e01 "OGL_REPLACE", 3 "D3D_REPLACE"; IncrementSaturate = 0x1e02 "OGL_INCRSAT", 4 "D3D_INCRSAT";
        DecrementSaturate = 0x1e03 "OGL_DECRSAT", 5 "D3D_DECRSAT"; Invert = 0x150a "OGL_INVERT", 6 "D3D_INVERT";
        IncrementWrap = 0x8507 "OGL_INCR", 7 "D3D_INCR"; DecrementWrap = 0x8508 "OGL_DECR", 8 "D3D_DECR";
    }

    /// The range that an output is clamped to.
    SaturateRange { ZeroToPlusOne = 0 "ZERO_TO_PLUS_ONE"; MinusOneToPlusOne = 1 "MINUS_ONE_TO_PLUS_ONE"; }

    /// Counters that can be cleared.
    ClearReportType {
        DaVerticesGenerated = 0x12 "DA_VERTICES_GENERATED"; DaPrimitivesGenerated = 0x13 "DA_PRIMITIVES_GENERATED";
        VsInvocations = 0x15 "VS_INVOCATIONS"; TiInvocations = 0x16 "TI_INVOCATIONS";
        TsInvocations = 0x17 "TS_INVOCATIONS"; TsPrimitivesGenerated = 0x18 "TS_PRIMITIVES_GENERATED";
        GsInvocations = 0x1a "GS_INVOCATIONS"; GsPrimitivesGenerated = 0x1b "GS_PRIMITIVES_GENERATED";
        VtgPrimitivesOut = 0x1f "VTG_PRIMITIVES_OUT";
        StreamingPrimitivesSucceeded = 0x10 "STREAMING_PRIMITIVES_SUCCEEDED";
        StreamingPrimitivesNeeded = 0x11 "STREAMING_PRIMITIVES_NEEDED";
        TotalStreamingPrimitivesNeededMinusSucceeded = 3 "TOTAL_STREAMING_PRIMITIVES_NEEDED_MINUS_SUCCEEDED";
        ClipperInvocations = 0x1c "CLIPPER_INVOCATIONS";
        ClipperPrimitivesGenerated = 0x1d "CLIPPER_PRIMITIVES_GENERATED"; ZcullStats = 2 "ZCULL_STATS";
        PsInvocations = 0x1e "PS_INVOCATIONS"; ZPassCount = 1 "ZPASS_PIXEL_CNT";
        AlphaBetaClocks = 4 "ALPHA_BETA_CLOCKS";
    }

    /// The operation of a report.
    ReportOperation { Release = 0 "RELEASE"; Acquire = 1 "ACQUIRE"; ReportOnly = 2 "REPORT_ONLY"; Trap = 3 "TRAP"; }

    /// The work that a release waits for.
    ReportRelease {
        AfterReads = 0 "AFTER_ALL_PRECEEDING_READS_COMPLETE"; AfterWrites = 1 "AFTER_ALL_PRECEEDING_WRITES_COMPLETE";
    }

    /// The work that waits for an acquire.
    ReportAcquire {
        BeforeWrites = 0 "BEFORE_ANY_FOLLOWING_WRITES_START"; BeforeReads = 1 "BEFORE_ANY_FOLLOWING_READS_START";
    }

    /// Where in the pipeline a report is made.
    PipelineLocation {
        None = 0 "NONE"; DataAssembler = 1 "DATA_ASSEMBLER"; VertexShader = 2 "VERTEX_SHADER";
        TessellationControl = 8 "TESSELATION_INIT_SHADER"; TessellationEvaluation = 9 "TESSELATION_SHADER";
        GeometryShader = 6 "GEOMETRY_SHADER"; StreamingOutput = 5 "STREAMING_OUTPUT"; Vpc = 4 "VPC";
        Zcull = 7 "ZCULL"; PixelShader = 0xa "PIXEL_SHADER"; DepthTest = 0xc "DEPTH_TEST"; All = 0xf "ALL";
    }

    /// The condition of an acquire.
    AcquireComparison { Equal = 0 "EQ"; GreaterOrEqual = 1 "GE"; }

    /// The counter that is reported. ZPASS_PIXEL_CNT: samples that passed, as 32 or 64 bits.
    ReportKind {
        None = 0 "NONE"; DaVerticesGenerated = 1 "DA_VERTICES_GENERATED";
        DaPrimitivesGenerated = 3 "DA_PRIMITIVES_GENERATED"; VsInvocations = 5 "VS_INVOCATIONS";
        TiInvocations = 0x1b "TI_INVOCATIONS"; TsInvocations = 0x1d "TS_INVOCATIONS";
        TsPrimitivesGenerated = 0x1f "TS_PRIMITIVES_GENERATED"; GsInvocations = 7 "GS_INVOCATIONS";
        GsPrimitivesGenerated = 9 "GS_PRIMITIVES_GENERATED"; AlphaBetaClocks = 4 "ALPHA_BETA_CLOCKS";
        VtgPrimitivesOut = 0x12 "VTG_PRIMITIVES_OUT";
        TotalStreamingPrimitivesNeededMinusSucceeded = 0x1e "TOTAL_STREAMING_PRIMITIVES_NEEDED_MINUS_SUCCEEDED";
        StreamingPrimitivesSucceeded = 0xb "STREAMING_PRIMITIVES_SUCCEEDED";
        StreamingPrimitivesNeeded = 0xd "STREAMING_PRIMITIVES_NEEDED";
        StreamingPrimitivesNeededMinusSucceeded = 6 "STREAMING_PRIMITIVES_NEEDED_MINUS_SUCCEEDED";
        StreamingByteCount = 0x1a "STREAMING_BYTE_COUNT"; ClipperInvocations = 0xf "CLIPPER_INVOCATIONS";
        ClipperPrimitivesGenerated = 0x11 "CLIPPER_PRIMITIVES_GENERATED"; ZcullStats0 = 0xa "ZCULL_STATS0";
        ZcullStats1 = 0xc "ZCULL_STATS1"; ZcullStats2 = 0xe "ZCULL_STATS2"; ZcullStats3 = 0x10 "ZCULL_STATS3";
        PsInvocations = 0x13 "PS_INVOCATIONS"; ZPassCount32 = 2 "ZPASS_PIXEL_CNT";
        ZPassCount64 = 0x15 "ZPASS_PIXEL_CNT64"; IeeeCleanColorTarget = 0x18 "IEEE_CLEAN_COLOR_TARGET";
        IeeeCleanZetaTarget = 0x19 "IEEE_CLEAN_ZETA_TARGET"; BoundingRectangle = 0x1c "BOUNDING_RECTANGLE";
    }
}

impl BlendFactor {
    /// The factor of a kernel: that of the source or of the destination.
    #[doc(hidden)]
    pub const fn of(self, source: bool) -> output::BlendFactor {
        use output::BlendFactor as Factor;
        match self {
            BlendFactor::BothSourceAlpha if source => Factor::SourceAlpha,
            BlendFactor::BothSourceAlpha => Factor::InverseSourceAlpha,
            BlendFactor::BothInverseSourceAlpha if source => Factor::InverseSourceAlpha,
            BlendFactor::BothInverseSourceAlpha => Factor::SourceAlpha,
            BlendFactor::Zero => Factor::Zero,
            BlendFactor::One => Factor::One,
            BlendFactor::SourceColor => Factor::SourceColor,
            BlendFactor::InverseSourceColor => Factor::InverseSourceColor,
            BlendFactor::SourceAlpha => Factor::SourceAlpha,
            BlendFactor::InverseSourceAlpha => Factor::InverseSourceAlpha,
            BlendFactor::DestinationAlpha => Factor::DestinationAlpha,
            BlendFactor::InverseDestinationAlpha => Factor::InverseDestinationAlpha,
            BlendFactor::DestinationColor => Factor::DestinationColor,
            BlendFactor::InverseDestinationColor => Factor::InverseDestinationColor,
            BlendFactor::SourceAlphaSaturate => Factor::SourceAlphaSaturate,
            BlendFactor::ConstantColor => Factor::ConstantColor,
            BlendFactor::InverseConstantColor => Factor::InverseConstantColor,
            BlendFactor::ConstantAlpha => Factor::ConstantAlpha,
            BlendFactor::InverseConstantAlpha => Factor::InverseConstantAlpha,
            BlendFactor::SecondColor => Factor::SecondColor,
            BlendFactor::InverseSecondColor => Factor::InverseSecondColor,
            BlendFactor::SecondAlpha => Factor::SecondAlpha,
            BlendFactor::InverseSecondAlpha => Factor::InverseSecondAlpha,
        }
    }
}
