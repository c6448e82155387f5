//! Named values of texture headers.

use crate::table::regs::values;

values! {
    /// Kinds of headers.
    HeaderVersion {
        Buffer = 0 "SELECT_ONE_D_BUFFER"; PitchColorKey = 1 "SELECT_PITCH_COLOR_KEY"; Pitch = 2 "SELECT_PITCH";
        BlockLinear = 3 "SELECT_BLOCKLINEAR"; BlockLinearColorKey = 4 "SELECT_BLOCKLINEAR_COLOR_KEY";
    }

    /// The type of a component.
    ComponentType {
        Snorm = 1 "NUM_SNORM"; Unorm = 2 "NUM_UNORM"; Sint = 3 "NUM_SINT"; Uint = 4 "NUM_UINT";
        /// As `Snorm`; filtered with the precision of halves.
        SnormForceFp16 = 5 "NUM_SNORM_FORCE_FP16";
        /// As `Unorm`; filtered with the precision of halves.
        UnormForceFp16 = 6 "NUM_UNORM_FORCE_FP16";
        Float = 7 "NUM_FLOAT";
    }

    /// Where a component of the result comes from.
    ComponentSource {
        Zero = 0 "IN_ZERO"; R = 2 "IN_R"; G = 3 "IN_G"; B = 4 "IN_B"; A = 5 "IN_A";
        /// The integer 1.
        OneInt = 6 "IN_ONE_INT";
        OneFloat = 7 "IN_ONE_FLOAT";
    }

    /// Dimensions of a texture.
    TextureKind {
        D1 = 0 "ONE_D"; D2 = 1 "TWO_D"; D3 = 2 "THREE_D"; Cube = 3 "CUBEMAP"; D1Array = 4 "ONE_D_ARRAY";
        D2Array = 5 "TWO_D_ARRAY"; Buffer = 6 "ONE_D_BUFFER";
        /// One level; its coordinates may be in texels.
        D2NoMipmap = 7 "TWO_D_NO_MIPMAP";
        CubeArray = 8 "CUBEMAP_ARRAY";
    }
}
