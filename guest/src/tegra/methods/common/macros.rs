//! Methods that the 3D and 2D classes share: the macro method expander.

use std::convert::Infallible;

use super::trigger::Common;
use crate::table::regs::regs;
use crate::tegra::methods::table::Effect;
use crate::tegra::methods::values::ShadowMode;

regs! {
    effect Effect<Infallible>;

    /// Word of macro memory that the next load goes to.
    load_mme_instruction_ram_pointer @ 0x045 { v 0:31 count };
    /// Stores a word of macro memory; the pointer goes up by 1.
    load_mme_instruction_ram @ 0x046 { v 0:31 bits } Common(Common::MacroCode);
    /// Macro that the next start address is for.
    load_mme_start_address_ram_pointer @ 0x047 { v 0:31 count };
    /// Word that the macro begins at; the pointer goes up by 1.
    load_mme_start_address_ram @ 0x048 { v 0:31 count } Common(Common::MacroStart);
    /// The effect on the copies of registers that macros read, and whether they replace the datum.
    set_mme_shadow_ram_control @ 0x049 { mode 0:1 ShadowMode } Common(Common::ShadowControl);
    /// Starts a macro; the datum is its first parameter.
    call_mme_macro @ [0xE00; 128 step 2] { v 0:31 bits } Common(Common::MacroCall);
    /// A further parameter of the macro.
    call_mme_data @ [0xE01; 128 step 2] { v 0:31 bits } Common(Common::MacroData);
}
