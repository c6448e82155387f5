//! The classes as types, and [`dispatch_class!`](crate::dispatch_class), the one place that lists them.

use super::table::{ADDRESSES, MethodTable};
use super::trigger::ClassTrigger;
use super::{compute, copy, inline, threed, twod};

/// The tables of a class.
pub trait ClassTables {
    /// The triggers of its own methods.
    type Trigger: ClassTrigger;
    /// Its place in [`Class::ALL`](super::Class::ALL).
    const INDEX: usize;
    /// All of its methods.
    const METHODS: &'static MethodTable<Self::Trigger>;
    /// The initial values of its registers.
    const RESET: &'static [u32; ADDRESSES];
}

macro_rules! classes {
    ($( $(#[doc = $doc:literal])+ $Class:ident $index:literal $module:ident; )+) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug)]
        pub enum $Class {}

        impl ClassTables for $Class {
            type Trigger = $module::Trigger;
            const INDEX: usize = $index;
            const METHODS: &'static MethodTable<Self::Trigger> = &$module::METHODS;
            const RESET: &'static [u32; ADDRESSES] = &$module::RESET;
        }
    )+ };
}

classes! {
    /// MAXWELL_B.
    ThreeD 0 threed;
    /// MAXWELL_COMPUTE_B.
    Compute 1 compute;
    /// KEPLER_INLINE_TO_MEMORY_B.
    Inline 2 inline;
    /// FERMI_TWOD_A.
    TwoD 3 twod;
    /// MAXWELL_DMA_COPY_A.
    Copy 4 copy;
}

/// An expression for a [`Class`](crate::tegra::methods::Class) in which a name is the class's type.
///
/// ```
/// use triglyph_guest::dispatch_class;
/// use triglyph_guest::tegra::methods::Class;
/// use triglyph_guest::tegra::methods::classes::ClassTables;
///
/// let rows = |class: Class| dispatch_class!(class, C => C::METHODS.rows().len());
/// assert!(rows(Class::ThreeD) > rows(Class::Copy));
/// ```
#[macro_export]
macro_rules! dispatch_class {
    ($class:expr, $C:ident => $body:expr) => {
        match $class {
            $crate::tegra::methods::Class::ThreeD => {
                type $C = $crate::tegra::methods::classes::ThreeD;
                $body
            }
            $crate::tegra::methods::Class::Compute => {
                type $C = $crate::tegra::methods::classes::Compute;
                $body
            }
            $crate::tegra::methods::Class::Inline => {
                type $C = $crate::tegra::methods::classes::Inline;
                $body
            }
            $crate::tegra::methods::Class::TwoD => {
                type $C = $crate::tegra::methods::classes::TwoD;
                $body
            }
            $crate::tegra::methods::Class::Copy => {
                type $C = $crate::tegra::methods::classes::Copy;
                $body
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::super::Class;

    #[test]
    fn classes_are_at_their_places() {
        for (index, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class.index(), index);
            assert_eq!(Class::VALUES[index].0, class.id());
        }
    }
}
