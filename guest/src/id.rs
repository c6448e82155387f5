//! Numbers and handles by which guests and hosts name channels, address spaces, contexts and memory: a type for each.
//!
//! ```
//! use triglyph_guest::id::{ChannelId, SpaceId};
//!
//! let channel = ChannelId::from(3);
//! assert_eq!((channel.get(), channel.to_string().as_str()), (3, "3"));
//! let space: SpaceId = 2.into();
//! assert_eq!(u32::from(space), 2);
//! ```

use std::fmt;
use std::slice::Iter;

use crate::table::calls::Argument;

macro_rules! ids {
    ($($(#[$doc:meta])* pub struct $Id:ident(u32);)+) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $Id(u32);

        impl $Id {
            /// Of the number that the guest or the host has.
            pub const fn new(number: u32) -> Self {
                $Id(number)
            }

            /// The number.
            pub const fn get(self) -> u32 {
                self.0
            }
        }

        impl From<u32> for $Id {
            fn from(number: u32) -> Self {
                $Id(number)
            }
        }

        impl From<$Id> for u32 {
            fn from(id: $Id) -> Self {
                id.0
            }
        }

        impl fmt::Display for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl Argument for $Id {
            fn put(&self, words: &mut Vec<u64>) {
                self.0.put(words);
            }

            fn take(words: &mut Iter<'_, u64>) -> Option<Self> {
                u32::take(words).map($Id)
            }
        })+
    };
}

ids! {
    /// A channel: 0 to 7 on the PS3, below 512 on the Tegra X1; on the 3DS the number of a client of GSP.
    pub struct ChannelId(u32);
    /// An address space of the Switch's driver. Its number is the space of
    /// `GuestAddr`s.
    pub struct SpaceId(u32);
    /// The handle of an LV1 context; 0 on other machines.
    pub struct ContextHandle(u32);
    /// The handle of an LV1 allocation of local memory.
    pub struct MemoryHandle(u32);
    /// A handle of nvmap: memory of the Switch's process. Ids that processes share are the handles.
    pub struct NvmapHandle(u32);
    /// A slot of the Switch's driver for an event, 0 to 63.
    pub struct EventSlot(u32);
    /// A syncpoint of the Tegra X1, 0 to 191.
    pub struct SyncpointId(u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_words_of_calls() {
        let mut words = Vec::new();
        ChannelId::new(7).put(&mut words);
        NvmapHandle::from(u32::MAX).put(&mut words);
        assert_eq!(words, [7, u64::from(u32::MAX)]);
        let mut taken = words.iter();
        assert_eq!(ChannelId::take(&mut taken), Some(ChannelId::new(7)));
        assert_eq!(
            (NvmapHandle::take(&mut taken).map(NvmapHandle::get), SpaceId::take(&mut taken)),
            (Some(u32::MAX), None)
        );
    }
}
