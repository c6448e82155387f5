//! Fields of texture headers. Source: NVIDIA clb197tex.h. A field is in the kinds of header that its name fits; where
//! two kinds have different fields at one place, both are here.

use crate::table::words::word_fields;

word_fields! {
    /// Layout of the components.
    COMPONENTS 0 0:6;
    /// The type of red.
    R_DATA_TYPE 0 7:9;
    /// The type of green.
    G_DATA_TYPE 0 10:12;
    /// The type of blue.
    B_DATA_TYPE 0 13:15;
    /// The type of alpha.
    A_DATA_TYPE 0 16:18;
    /// Where x of the result comes from.
    X_SOURCE 0 19:21;
    /// Where y of the result comes from.
    Y_SOURCE 0 22:24;
    /// Where z of the result comes from.
    Z_SOURCE 0 25:27;
    /// Where w of the result comes from.
    W_SOURCE 0 28:30;
    /// Without known use.
    PACK_COMPONENTS 0 31:31;
    /// Address of a buffer, bits 31:0.
    ADDRESS_BITS31TO0 1 0:31;
    /// Slice inside a block where the image begins.
    GOB_DEPTH_OFFSET 1 5:6;
    /// Address of a pitch image, bits 31:5.
    ADDRESS_BITS31TO5 1 5:31;
    /// Address of a block-linear image, bits 31:9.
    ADDRESS_BITS31TO9 1 9:31;
    /// Address, bits 47:32.
    ADDRESS_BITS47TO32 2 0:15;
    /// Which of the five kinds of header this is.
    HEADER_VERSION 2 21:23;
    /// Without visible effect.
    RESOURCE_VIEW_COHERENCY_HASH 2 25:28;
    /// Block, log2 of GOBs; always 0.
    GOBS_PER_BLOCK_WIDTH 3 0:2;
    /// Bytes from row to row, bits 20:5.
    PITCH_BITS20TO5 3 0:15;
    /// Elements of a buffer less 1, bits 31:16.
    WIDTH_MINUS_ONE_BITS31TO16 3 0:15;
    /// Block, log2 of GOBs.
    GOBS_PER_BLOCK_HEIGHT 3 3:5;
    /// Block, log2 of GOBs.
    GOBS_PER_BLOCK_DEPTH 3 6:8;
    /// Rows are rounded up to so many GOBs, log2; sparse images.
    TILE_WIDTH_IN_GOBS 3 10:12;
    /// GOBs of three dimensions; not used.
    GOB3D 3 13:13;
    /// Quality; without effect.
    LOD_ANISO_QUALITY2 3 16:16;
    /// Quality; without effect.
    LOD_ANISO_QUALITY 3 17:17;
    /// Quality; without effect.
    LOD_ISO_QUALITY 3 18:18;
    /// Anisotropy.
    ANISO_COARSE_SPREAD_MODIFIER 3 19:20;
    /// Anisotropy.
    ANISO_SPREAD_SCALE 3 21:25;
    /// Whether the bias and the anisotropy of the header count.
    USE_HEADER_OPT_CONTROL 3 26:26;
    /// A depth format.
    DEPTH_TEXTURE 3 27:27;
    /// Levels less 1.
    MAX_MIP_LEVEL 3 28:31;
    /// Width less 1, pixels.
    WIDTH_MINUS_ONE 4 0:15;
    /// Elements of a buffer less 1, bits 15:0.
    WIDTH_MINUS_ONE_BITS15TO0 4 0:15;
    /// Anisotropy.
    ANISO_SPREAD_MAX_LOG2 4 19:21;
    /// Texels are sRGB.
    S_R_G_B_CONVERSION 4 22:22;
    /// Dimensions.
    TEXTURE_TYPE 4 23:26;
    /// Caches; without visible effect.
    SECTOR_PROMOTION 4 27:28;
    /// Border in memory, or the sampler's border colour.
    BORDER_SIZE 4 29:31;
    /// Height less 1, pixels.
    HEIGHT_MINUS_ONE 5 0:15;
    /// Depth, layers or cubes less 1.
    DEPTH_MINUS_ONE 5 16:29;
    /// Coordinates are 0 to 1 across the image.
    NORMALIZED_COORDS 5 31:31;
    /// Colour key on or off.
    COLOR_KEY_OP 6 0:0;
    /// Narrows the transition between levels; may be ignored.
    TRILIN_OPT 6 1:5;
    /// Added to the level of detail, signed 5.8.
    MIP_LOD_BIAS 6 6:18;
    /// Anisotropy.
    ANISO_BIAS 6 19:22;
    /// Anisotropy.
    ANISO_FINE_SPREAD_FUNC 6 23:24;
    /// Anisotropy.
    ANISO_COARSE_SPREAD_FUNC 6 25:26;
    /// Anisotropy at most.
    MAX_ANISOTROPY 6 27:29;
    /// Anisotropy.
    ANISO_FINE_SPREAD_MODIFIER 6 30:31;
    /// First level that may be read.
    RES_VIEW_MIN_MIP_LEVEL 7 0:3;
    /// Texels of this value count as transparent.
    COLOR_KEY_VALUE 7 0:31;
    /// Last level that may be read.
    RES_VIEW_MAX_MIP_LEVEL 7 4:7;
    /// Samples of a pixel.
    MULTI_SAMPLE_COUNT 7 8:11;
    /// Smallest level of detail, unsigned 4.8.
    MIN_LOD_CLAMP 7 12:23;
}
