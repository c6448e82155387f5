//! The kinds of kernels, in one table.
//!
//! Everything that is done for every kind alike follows from it: the numbers in key files, the tables of slots and the
//! look-ups by key. How a kernel of a kind is called is in `calls`.

use std::hash::Hash;
use std::sync::Arc;

use borsh::{BorshDeserialize, BorshSerialize};
use triglyph_guest::kernel::divided::Divided;
use triglyph_guest::kernel::{self, MachineCode, Tier, Unsupported, Validate, program};

use super::decode::{KeyError, decode};

/// Passes the table of kinds on to a macro. A row is
/// `Kind = number in key files, name in listings, look-up and method of the tier: key => kernel`.
macro_rules! kernel_kinds {
    ($then:ident) => {
        $then! {
            /// 3DS vertex programs.
            Vertex = 1, "vertex", vertex: kernel::vertex::VertexKey => dyn kernel::VertexKernel;
            /// 3DS geometry programs.
            Geometry = 2, "geometry", geometry: kernel::geometry::GeometryKey => dyn kernel::GeometryKernel;
            /// 3DS pixels.
            Pixel = 3, "pixel", pixel: kernel::pixel::PixelKey => dyn kernel::PixelKernel;
            /// Fills, copies and conversions.
            Transfer = 4, "transfer", transfer: kernel::transfer::TransferKey => dyn kernel::TransferKernel;
            /// Vertex programs of shader pipelines.
            ProgramVertex = 5, "program-vertex", program_vertex: program::vertex::VertexKey => dyn program::VertexKernel;
            /// Fragment programs of shader pipelines.
            Fragment = 6, "fragment", fragment: program::fragment::FragmentKey => dyn program::FragmentKernel;
            /// Macros.
            Macro = 7, "macro", mme: kernel::mme::MmeKey => dyn kernel::mme::MmeKernel;
            /// Programs of warps other than fragment programs.
            Shader = 8, "shader", shader: program::stage::ShaderKey => dyn program::stage::ShaderKernel;
            /// Packet traces of push buffers.
            PacketTrace = 9, "packet-trace", packet_trace: kernel::packet_trace::PacketTraceKey => dyn kernel::packet_trace::PacketTraceKernel;
        }
    };
}
pub(super) use kernel_kinds;

/// A kind of kernel.
pub trait KernelKind: 'static {
    /// The number of its keys in key files.
    const STORED: KeyKind;
    /// The keys that its kernels are specialised to.
    type Key: Clone + Eq + Hash + Send + Sync + std::fmt::Debug + BorshSerialize + BorshDeserialize + Validate;
    /// The trait object through which its kernels are called.
    type Kernel: ?Sized + Send + Sync;

    /// Makes the kernel of `key`.
    ///
    /// # Errors
    /// When the tier does not support the key.
    fn make(tier: &dyn Tier, key: &Self::Key) -> Result<Arc<Self::Kernel>, Unsupported>;

    /// A kernel's machine code.
    fn code(kernel: &Self::Kernel) -> MachineCode;

    /// A key as one of any kind.
    fn any(key: &Self::Key) -> KernelKey;
}

/// A kind of kernel that shades fragments.
pub(super) trait Shades: KernelKind {
    /// A key in parts, if its tests can be done apart from its shading.
    fn divide(key: &Self::Key) -> Option<Divided<Self::Key>>;
}

impl Shades for Pixel {
    fn divide(key: &Self::Key) -> Option<Divided<Self::Key>> {
        key.divide()
    }
}

impl Shades for Fragment {
    fn divide(key: &Self::Key) -> Option<Divided<Self::Key>> {
        key.divide()
    }
}

macro_rules! define_kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal, $method:ident: $key:ty => $kernel:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $kind;

            impl KernelKind for $kind {
                const STORED: KeyKind = KeyKind::$kind;
                type Key = $key;
                type Kernel = $kernel;

                fn make(tier: &dyn Tier, key: &$key) -> Result<Arc<$kernel>, Unsupported> {
                    tier.$method(key)
                }

                fn code(kernel: &$kernel) -> MachineCode {
                    kernel.code()
                }

                fn any(key: &$key) -> KernelKey {
                    KernelKey::$kind(Box::new(key.clone()))
                }
            }
        )*

        /// A key of any kind.
        #[derive(Clone, Debug, PartialEq)]
        pub enum KernelKey {
            $($(#[$doc])* $kind(Box<$key>),)*
        }

        impl KernelKey {
            /// Its kind.
            pub const fn kind(&self) -> KeyKind {
                match self {
                    $(KernelKey::$kind(_) => KeyKind::$kind,)*
                }
            }
        }

        /// The kind of a key in a key file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum KeyKind {
            $($(#[$doc])* $kind = $number,)*
        }

        impl KeyKind {
            /// All kinds, in the order of their numbers.
            pub const ALL: [KeyKind; [$($number),*].len()] = [$(KeyKind::$kind),*];

            /// Its name in listings.
            pub const fn name(self) -> &'static str {
                match self {
                    $(KeyKind::$kind => $name,)*
                }
            }

            /// Checks a key of this kind.
            pub(super) fn check(self, bytes: &[u8]) -> Result<(), KeyError> {
                match self {
                    $(KeyKind::$kind => decode::<$key>(bytes).map(drop),)*
                }
            }

            pub(super) fn from_byte(byte: u8) -> Option<KeyKind> {
                match byte {
                    $($number => Some(KeyKind::$kind),)*
                    _ => None,
                }
            }
        }
    };
}
kernel_kinds!(define_kinds);
