//! Named values of fields of the class. Source: NVIDIA's class headers.

use crate::table::regs::values;

values! {
    /// Scheduling; without visible effect.
    SmSelection { LoadBalanced = 0 "LOAD_BALANCED"; RoundRobin = 1 "ROUND_ROBIN"; }

    /// Scheduling; without visible effect.
    ScgType { GraphicsCompute0 = 0 "GRAPHICS_COMPUTE0"; Compute1 = 1 "COMPUTE1"; }

    /// The operation of a report.
    ReportOperation { Release = 0 "RELEASE"; Trap = 3 "TRAP"; }
}
