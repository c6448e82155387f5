//! Values of fields of vertex input, primitives and the rasterizer.
//!
//! Numbers and names: 3dbrew GPU/Internal Registers; names that it has not are those of Azahar and citro3d.

use crate::kernel::vertex;
use crate::table::regs::values;

values! {
    /// Faces that are dropped.
    CullMode {
        None = 0 "NONE", 3 "NONE_3";
        /// Counter-clockwise ones.
        Front = 1 "FRONT_CCW";
        /// Clockwise ones.
        Back = 2 "BACK_CCW";
    }

    /// Meaning of a component of a shader output.
    OutputSemantic {
        PositionX = 0 "POSITION_X"; PositionY = 1 "POSITION_Y"; PositionZ = 2 "POSITION_Z"; PositionW = 3 "POSITION_W";
        QuaternionX = 4 "QUATERNION_X"; QuaternionY = 5 "QUATERNION_Y"; QuaternionZ = 6 "QUATERNION_Z";
        QuaternionW = 7 "QUATERNION_W";
        ColorR = 8 "COLOR_R"; ColorG = 9 "COLOR_G"; ColorB = 10 "COLOR_B"; ColorA = 11 "COLOR_A";
        Texcoord0U = 12 "TEXCOORD0_U"; Texcoord0V = 13 "TEXCOORD0_V"; Texcoord1U = 14 "TEXCOORD1_U";
        Texcoord1V = 15 "TEXCOORD1_V"; Texcoord0W = 16 "TEXCOORD0_W";
        ViewX = 18 "VIEW_X"; ViewY = 19 "VIEW_Y"; ViewZ = 20 "VIEW_Z";
        Texcoord2U = 22 "TEXCOORD2_U"; Texcoord2V = 23 "TEXCOORD2_V";
        None = 31 "NONE";
    }

    /// Which pixels the scissor drops.
    ScissorMode {
        Off = 0 "DISABLED", 2 "DISABLED_2";
        /// Those inside.
        Inside = 1 "DROP_INSIDE";
        /// Those outside.
        Outside = 3 "DROP_OUTSIDE";
    }

    /// The definition of depth.
    DepthMode {
        /// Multiplied by w.
        W = 0 "W_BUFFER";
        /// z / w.
        Z = 1 "Z_BUFFER";
    }

    /// Type of the components of an attribute.
    AttributeType => vertex::Component { I8 = 0 "BYTE"; U8 = 1 "UNSIGNED_BYTE"; I16 = 2 "SHORT"; F32 = 3 "FLOAT"; }

    /// Type of indices.
    IndexType { U8 = 0 "UNSIGNED_BYTE"; U16 = 1 "UNSIGNED_SHORT"; }

    /// Whether a geometry shader is in use.
    GeometryStage { Off = 0 "DISABLED"; Shader = 2 "GEOMETRY_SHADER"; }

    /// How a geometry shader gets its vertices.
    GeometryInput {
        /// One in input registers.
        Point = 0 "POINT";
        /// As many as the index buffer tells, in uniforms.
        Variable = 1 "VARIABLE";
        /// A fixed number, in uniforms.
        Fixed = 2 "FIXED";
    }

    /// The topology of primitives.
    PrimitiveType {
        Triangles = 0 "TRIANGLES"; Strip = 1 "TRIANGLE_STRIP"; Fan = 2 "TRIANGLE_FAN"; Geometry = 3 "GEOMETRY";
    }

    /// The mode of a shader unit.
    ShaderMode { Vertex = 0xA0 "VERTEX_SHADER"; Geometry = 0x08 "GEOMETRY_SHADER"; }

    /// Words that the ports of float uniforms get.
    UniformFormat {
        /// Three of packed f24.
        F24 = 0 "F24";
        /// Four f32.
        F32 = 1 "F32";
    }
}
