//! Named values of fields of the class. Source: NVIDIA's class headers.

use crate::table::regs::values;

pub use crate::gl::{CullFace, FrontFace, PolygonMode};

values! {
    /// The limit of primitives.
    RasterBoundingBox { BoundingBox = 0 "BOUNDING_BOX"; FullViewport = 1 "FULL_VIEWPORT"; }

    /// Positions in a pixel.
    SnapGrid {
        G2x2 = 1 "_2X2"; G4x4 = 2 "_4X4"; G8x8 = 3 "_8X8"; G16x16 = 4 "_16X16"; G32x32 = 5 "_32X32";
        G64x64 = 6 "_64X64"; G128x128 = 7 "_128X128"; G256x256 = 8 "_256X256";
    }

    /// How positions are rounded.
    SnapRounding { NearestEven = 0 "RTNE"; Tesla = 1 "TESLA"; }

    /// The domain of a patch.
    TessellationDomain { Isoline = 0 "ISOLINE"; Triangle = 1 "TRIANGLE"; Quad = 2 "QUAD"; }

    /// How edges are divided.
    TessellationSpacing {
        Integer = 0 "INTEGER"; FractionalOdd = 1 "FRACTIONAL_ODD"; FractionalEven = 2 "FRACTIONAL_EVEN";
    }

    /// The primitives of a tessellated patch.
    TessellationOutput {
        Points = 0 "POINTS"; Lines = 1 "LINES"; TrianglesCw = 2 "TRIANGLES_CW"; TrianglesCcw = 3 "TRIANGLES_CCW";
    }

    /// Where centroids are taken.
    HybridCentroid { PerFragment = 0 "PER_FRAGMENT"; PerPass = 1 "PER_PASS"; }

    /// The meaning of a colour target's third dimension.
    ThirdDimension {
        Layers = 0 "THIRD_DIMENSION_DEFINES_ARRAY_SIZE"; Depth = 1 "THIRD_DIMENSION_DEFINES_DEPTH_SIZE";
    }

    /// A component of a position.
    CoordinateSource {
        PosX = 0 "POS_X"; NegX = 1 "NEG_X"; PosY = 2 "POS_Y"; NegY = 3 "NEG_Y"; PosZ = 4 "POS_Z"; NegZ = 5 "NEG_Z";
        PosW = 6 "POS_W"; NegW = 7 "NEG_W";
    }

    /// The clip volume in z.
    DepthClipRange { MinusWToW = 0 "NEGATIVE_W_TO_POSITIVE_W"; ZeroToW = 1 "ZERO_TO_POSITIVE_W"; }

    /// Edges that clipping made.
    GeneratedEdge { DrawLine = 0 "DRAW_LINE"; DoNotDrawLine = 1 "DO_NOT_DRAW_LINE"; }

    /// Where depth is taken.
    DepthSampling { PerSample = 0 "PER_SAMPLE"; AtPixelCenter = 1 "AT_PIXEL_CENTER"; }

    /// Whether the rasteriser has its own samples.
    TargetIndependentRaster { Disabled = 0 "DISABLED"; RasterNTargetM = 1 "RASTER_N_TARGET_M"; }

    /// Samples of the rasteriser.
    RasterSampleMode {
        S1x1 = 0 "MODE_1X1"; S2x2 = 2 "MODE_2X2"; S4x2D3d = 4 "MODE_4X2_D3D"; S2x1D3d = 5 "MODE_2X1_D3D";
        S4x4 = 6 "MODE_4X4";
    }

    /// Order of primitives that go to several viewports.
    MulticastOrder { ViewportOrder = 0 "VIEWPORT_ORDER"; PrimitiveOrder = 1 "PRIMITIVE_ORDER"; }

    /// Whether a triangle is filled as the rectangle around it.
    FillViaTriangle { Disabled = 0 "DISABLED"; FillAll = 1 "FILL_ALL"; FillBbox = 2 "FILL_BBOX"; }

    /// Whether an attribute comes from its stream.
    AttributeSource {
        Active = 0 "ACTIVE";
        /// A constant, (0, 0, 0, 1).
        Inactive = 1 "INACTIVE";
    }

    /// The result of comparisons with unmapped depth.
    SparseCompare { Unmapped0 = 0 "ZT_SPARSE_UNMAPPED_0"; FailAlways = 1 "ZT_SPARSE_FAIL_ALWAYS"; }

    /// The topology of primitives.
    Topology {
        Points = 0 "POINTS"; Lines = 1 "LINES"; LineLoop = 2 "LINE_LOOP"; LineStrip = 3 "LINE_STRIP";
        Triangles = 4 "TRIANGLES"; TriangleStrip = 5 "TRIANGLE_STRIP"; TriangleFan = 6 "TRIANGLE_FAN";
        Quads = 7 "QUADS"; QuadStrip = 8 "QUAD_STRIP"; Polygon = 9 "POLYGON"; LinesAdjacency = 0xa "LINELIST_ADJCY";
        LineStripAdjacency = 0xb "LINESTRIP_ADJCY"; TrianglesAdjacency = 0xc "TRIANGLELIST_ADJCY";
        TriangleStripAdjacency = 0xd "TRIANGLESTRIP_ADJCY";
        /// Control points of a patch.
        Patches = 0xe "PATCH";
    }

    /// Whether the zeta target has layers.
    ZetaLayers { ThirdDimension = 0 "THIRD_DIMENSION_DEFINES_ARRAY_SIZE"; One = 1 "ARRAY_SIZE_IS_ONE"; }

    /// Where the index of a sampler comes from.
    SamplerBinding { Independently = 0 "INDEPENDENTLY"; ViaHeaderBinding = 1 "VIA_HEADER_BINDING"; }

    /// D3D numbers of polygon modes.
    FillMode { Point = 1 "POINT"; Wireframe = 2 "WIREFRAME"; Solid = 3 "SOLID"; }

    /// How colours are interpolated.
    ShadeMode { Flat = 1 "FLAT", 0x1d00 "OGL_FLAT"; Gouraud = 2 "GOURAUD", 0x1d01 "OGL_SMOOTH"; }

    /// D3D numbers of culling.
    D3dCullMode { None = 1 "NONE"; Cw = 2 "CW"; Ccw = 3 "CCW"; }

    /// Where row 0 is.
    WindowOrigin { UpperLeft = 0 "UPPER_LEFT"; LowerLeft = 1 "LOWER_LEFT"; }

    /// The source of the layer.
    LayerControl { Register = 0 "V_SELECTS_LAYER"; Program = 1 "GEOMETRY_SHADER_SELECTS_LAYER"; }

    /// Samples of a pixel, across and down.
    SampleMode {
        S1x1 = 0 "MODE_1X1"; S2x1 = 1 "MODE_2X1"; S2x2 = 2 "MODE_2X2"; S4x2 = 3 "MODE_4X2";
        /// Eight samples in the order of D3D.
        S4x2D3d = 4 "MODE_4X2_D3D";
        /// Two samples in the order of D3D.
        S2x1D3d = 5 "MODE_2X1_D3D";
        S4x4 = 6 "MODE_4X4"; S2x2Vc4 = 8 "MODE_2X2_VC_4"; S2x2Vc12 = 9 "MODE_2X2_VC_12";
        S4x2Vc8 = 0xa "MODE_4X2_VC_8"; S4x2Vc24 = 0xb "MODE_4X2_VC_24";
    }

    /// The third generated coordinate.
    PointSpriteR { Zero = 0 "ZERO"; FromR = 1 "FROM_R"; FromS = 2 "FROM_S"; }

    /// From where t counts.
    PointSpriteOrigin { Bottom = 0 "BOTTOM"; Top = 1 "TOP"; }

    /// Whether a texture coordinate is generated.
    PointSpriteTexture { Passthrough = 0 "PASSTHROUGH"; Generate = 1 "GENERATE"; }

    /// Value of a colour that nothing writes.
    DefaultDiffuse { Vector0001 = 0 "VECTOR_0001"; Vector1111 = 1 "VECTOR_1111"; }

    /// Value of an attribute that nothing writes.
    DefaultVector { Vector0000 = 0 "VECTOR_0000"; Vector0001 = 1 "VECTOR_0001"; }

    /// The effect of a draw on the primitive id.
    BeginPrimitiveId { First = 0 "FIRST"; Unchanged = 1 "UNCHANGED"; }

    /// The effect of a draw on the instance counter.
    BeginInstanceId { First = 0 "FIRST"; Subsequent = 1 "SUBSEQUENT"; Unchanged = 2 "UNCHANGED"; }

    /// Whether a draw continues another.
    SplitMode {
        NormalBeginNormalEnd = 0 "NORMAL_BEGIN_NORMAL_END"; NormalBeginOpenEnd = 1 "NORMAL_BEGIN_OPEN_END";
        OpenBeginOpenEnd = 2 "OPEN_BEGIN_OPEN_END"; OpenBeginNormalEnd = 3 "OPEN_BEGIN_NORMAL_END";
    }

    /// How points are centred.
    PointCenter { Ogl = 0 "OGL"; D3d = 1 "D3D"; }

    /// Falloff of smooth lines.
    LineFalloff { Factor100 = 0 "_1_00"; Factor133 = 1 "_1_33"; Factor160 = 2 "_1_60"; }

    /// The vertex that flat inputs come from.
    ProvokingVertex { First = 0 "FIRST"; Last = 1 "LAST"; }

    /// A detail of programs.
    DefaultPartial { Zero = 0 "ZERO"; Infinity = 1 "INFINITY"; }

    /// NaN in programs.
    NanBehavior { Legacy = 0 "LEGACY"; Fp64Compatible = 1 "FP64_COMPATIBLE"; }

    /// NaN converted to an integer.
    F2iNanBehavior { PassZero = 0 "PASS_ZERO"; PassIndefinite = 1 "PASS_INDEFINITE"; }

    /// Bytes of an index.
    IndexSize { OneByte = 0 "ONE_BYTE"; TwoBytes = 1 "TWO_BYTES"; FourBytes = 2 "FOUR_BYTES"; }

    /// Where pixel centres are.
    PixelCenter { AtHalfIntegers = 0 "AT_HALF_INTEGERS"; AtIntegers = 1 "AT_INTEGERS"; }

    /// Guard band in z.
    GuardbandZ { SameAsXyGuardband = 0 "SAME_AS_XY_GUARDBAND"; Scale256 = 1 "SCALE_256"; Scale1 = 2 "SCALE_1"; }

    /// The treatment of a pixel whose depth is out of range.
    PixelZ { Clip = 0 "CLIP"; Clamp = 1 "CLAMP"; }

    /// Guard band in x and y.
    Guardband { Scale256 = 0 "SCALE_256"; Scale1 = 1 "SCALE_1"; }

    /// The planes that geometry is clipped against.
    GeometryClip {
        /// w > 0 alone.
        WZero = 0 "WZERO_CLIP";
        /// Nothing.
        PassThrough = 1 "PASSTHRU";
        FrustumXy = 2 "FRUSTUM_XY_CLIP"; FrustumXyz = 3 "FRUSTUM_XYZ_CLIP"; WZeroNoZCull = 4 "WZERO_CLIP_NO_Z_CULL";
        FrustumZ = 5 "FRUSTUM_Z_CLIP"; WZeroTriFillOrClip = 6 "WZERO_TRI_FILL_OR_CLIP";
    }

    /// The use of a clip distance.
    UserClipOp { Clip = 0 "CLIP"; Cull = 1 "CULL"; }

    /// Where the topology comes from.
    TopologyOverride {
        BeginMethods = 0 "USE_TOPOLOGY_IN_BEGIN_METHODS"; SeparateState = 1 "USE_SEPARATE_TOPOLOGY_STATE";
    }

    /// How window rectangles count.
    WindowClipType { Inclusive = 0 "INCLUSIVE"; Exclusive = 1 "EXCLUSIVE"; ClipAll = 2 "CLIPALL"; }

    /// D3D numbers of topologies.
    D3dTopology {
        Points = 1 "POINTLIST"; Lines = 2 "LINELIST"; LineStrip = 3 "LINESTRIP"; Triangles = 4 "TRIANGLELIST";
        TriangleStrip = 5 "TRIANGLESTRIP"; LinesAdjacency = 0xa "LINELIST_ADJCY";
        LineStripAdjacency = 0xb "LINESTRIP_ADJCY"; TrianglesAdjacency = 0xc "TRIANGLELIST_ADJCY";
        TriangleStripAdjacency = 0xd "TRIANGLESTRIP_ADJCY"; Patches = 0xe "PATCHLIST";
        LegacyPoints = 0x1001 "LEGACY_POINTS"; LegacyIndexedLines = 0x1002 "LEGACY_INDEXEDLINELIST";
        LegacyIndexedTriangles = 0x1003 "LEGACY_INDEXEDTRIANGLELIST"; LegacyLines = 0x100f "LEGACY_LINELIST";
        LegacyLineStrip = 0x1010 "LEGACY_LINESTRIP"; LegacyIndexedLineStrip = 0x1011 "LEGACY_INDEXEDLINESTRIP";
        LegacyTriangles = 0x1012 "LEGACY_TRIANGLELIST"; LegacyTriangleStrip = 0x1013 "LEGACY_TRIANGLESTRIP";
        LegacyIndexedTriangleStrip = 0x1014 "LEGACY_INDEXEDTRIANGLESTRIP";
        LegacyTriangleFan = 0x1015 "LEGACY_TRIANGLEFAN";
        LegacyIndexedTriangleFan = 0x1016 "LEGACY_INDEXEDTRIANGLEFAN";
        LegacyImmediateTriangleFan = 0x1017 "LEGACY_TRIANGLEFAN_IMM";
        LegacyImmediateLines = 0x1018 "LEGACY_LINELIST_IMM";
        LegacyIndexedTriangles2 = 0x101a "LEGACY_INDEXEDTRIANGLELIST2";
        LegacyIndexedLines2 = 0x101b "LEGACY_INDEXEDLINELIST2";
    }

    /// Stage of a program.
    ShaderStage {
        VertexA = 0 "VERTEX_CULL_BEFORE_FETCH"; VertexB = 1 "VERTEX"; TessellationControl = 2 "TESSELLATION_INIT";
        TessellationEvaluation = 3 "TESSELLATION"; Geometry = 4 "GEOMETRY"; Pixel = 5 "PIXEL";
    }
}
