//! The program of a quad.

use triglyph_guest::kernel::Unsupported;

use crate::pixel::plan::programs::ProgramPlan;
use crate::pixel::quad::programs::{Quad, Results};
use crate::{maxwell, rsx};

impl Quad<'_, '_> {
    /// Emits the program.
    pub fn program(&mut self) -> Result<Results, Unsupported> {
        Ok(match &self.plan.program {
            ProgramPlan::Rsx(plan) => rsx::fragment::program(self, plan),
            ProgramPlan::Maxwell(plan) => {
                let mut needs = std::mem::take(&mut self.needs.maxwell);
                let results = maxwell::pixel::program(self, plan, &mut needs);
                self.needs.maxwell = needs;
                results?
            }
        })
    }
}
