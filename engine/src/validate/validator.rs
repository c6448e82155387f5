//! Watches draws and checks them.

use std::cell::Cell;
use std::fmt;

use super::outcomes::{CAUSES, DOUBTS};
use super::{
    Check, CheckedDraw, Draw, DrawHandler, Facts, Finding, FindingKind, Found, MAX_FINDINGS, Role, Rules, Severity,
    WrittenRanges,
};
use crate::mem::Memory;
use crate::probe::{Command, Effect, FragmentCounts, Input};

/// Checks the draws of a device.
pub struct Validator {
    rules: &'static Rules,
    /// The number of the next event.
    event: u64,
    /// The address space of the command in progress.
    space: u32,
    /// The role of the command in progress.
    role: Role,
    /// Whether a draw was begun, and whether it has vertices.
    open: Option<bool>,
    /// The command that begins it.
    begun_by: Command,
    /// What is noted of the command in progress.
    facts: Facts,
    /// Whether fragments of it were noted.
    has_counts: bool,
    /// Commands so far, and draws among them.
    commands: u64,
    draws: u64,
    /// Memory that commands have written, merged.
    written: WrittenRanges,
    findings: Vec<Finding>,
    /// Whether the host was told that nothing has drawn.
    told_no_draw: bool,
    handler: Option<DrawHandler>,
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator")
            .field("event", &self.event)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

impl Validator {
    /// For draws of a machine.
    pub fn new(rules: &'static Rules) -> Self {
        Validator {
            rules,
            event: 0,
            space: 0,
            role: Role::Other,
            open: None,
            begun_by: Command::default(),
            facts: Facts::default(),
            has_counts: false,
            commands: 0,
            draws: 0,
            written: WrittenRanges::default(),
            findings: Vec::new(),
            told_no_draw: false,
            handler: None,
        }
    }

    /// Sets what is called with each draw.
    pub fn set_handler(&mut self, handler: Option<DrawHandler>) {
        self.handler = handler;
    }

    /// Begins a command. Returns whether its draws are to be reported with inputs and fragments.
    pub fn begin(&mut self, command: &Command) -> bool {
        self.commands += 1;
        self.role = (self.rules.role)(command);
        (self.facts, self.has_counts) = (Facts::default(), false);
        match self.role {
            Role::Begin => {
                self.open = Some(false);
                self.begun_by = *command;
            }
            Role::Vertices(any) => self.open = self.open.map(|had| had || any),
            _ => {}
        }
        self.role != Role::Other
    }

    /// Whether the command in progress may be of a draw.
    pub fn is_asked(&self) -> bool {
        self.role != Role::Other
    }

    /// Sets the address space of the commands that follow.
    pub fn set_space(&mut self, space: u32) {
        self.space = space;
    }

    /// Notes what the machine has found in a program of the draw.
    pub fn note(&mut self, kind: FindingKind, found: Found) {
        self.facts.notes.push((kind, found));
    }

    /// Notes an input of a draw.
    pub fn input(&mut self, input: &Input<'_>) {
        self.facts.input(input);
    }

    /// Notes the fragments of a draw.
    pub fn counts(&mut self, memory: &Memory, counts: &FragmentCounts) {
        self.facts.counts(memory, counts, !self.has_counts);
        self.has_counts = true;
    }

    /// Ends a command, after which everything is drawn. Returns the draw, if it was one.
    pub fn end(
        &mut self,
        memory: &Memory,
        command: &Command,
        registers: &[Cell<u32>],
        effects: &[Effect],
    ) -> Option<CheckedDraw> {
        let role = std::mem::replace(&mut self.role, Role::Other);
        let mut facts = std::mem::take(&mut self.facts);
        facts.end(memory, effects);
        let event = self.event;
        self.event += u64::from(!effects.is_empty());
        let open = if role == Role::End { self.open.take() } else { self.open };
        let is_checked = match role {
            Role::Other => false,
            Role::Draw => true,
            Role::End => open.is_some() || facts.has_draw(),
            Role::Vertices(_) => facts.has_draw() || open.is_none(),
            Role::Begin | Role::MayDraw => facts.has_draw(),
        };
        let checked = is_checked.then(|| {
            self.draws += 1;
            // A draw that its own commands end, as a change of state does, has had vertices.
            let has_vertices = open.unwrap_or(role != Role::Vertices(false)) || facts.has_draw();
            self.check(memory, command, registers, &facts, (event, has_vertices))
        });
        if role == Role::Begin && facts.has_draw() {
            // What came before a change of state; more may follow.
            self.open = self.open.map(|_| true);
        }
        self.written.add_effects(effects);
        checked
    }

    fn check(
        &mut self,
        memory: &Memory,
        command: &Command,
        registers: &[Cell<u32>],
        facts: &Facts,
        (event, has_vertices): (u64, bool),
    ) -> CheckedDraw {
        let (rules, space) = (self.rules, self.space);
        let draw = Draw { rules, command, registers, memory, space, has_vertices, facts, written: &self.written };
        let finding = |kind: FindingKind, found: Found| Finding {
            kind,
            severity: if facts.has_changed { Severity::Suspicious } else { kind.severity() },
            event,
            command: *command,
            register: found.register.map(|number| draw.register(number)),
            what: found.what,
            advice: found.advice,
        };
        let run = |checks: &[Check]| -> Vec<Finding> {
            checks.iter().filter_map(|check| Some(finding(check.kind, (check.find)(&draw)?))).collect()
        };
        let is_cause = |finding: &Finding| finding.severity == Severity::Invisible;
        let mut findings = run(rules.checks);
        let mut notes = facts.notes.clone();
        notes.dedup();
        findings.extend(notes.into_iter().map(|(kind, found)| finding(kind, found)));
        // What follows from a cause needs no sentence of its own.
        if !findings.iter().any(is_cause) {
            findings.extend(run(CAUSES));
        }
        if !findings.iter().any(is_cause) {
            findings.extend(run(DOUBTS));
        }
        // Causes first; within a severity the order of the tables.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        CheckedDraw {
            event,
            command: *command,
            vertices: facts.vertices,
            primitives: facts.primitives,
            dropped: facts.dropped,
            fragments: facts.fragments,
            has_changed: facts.has_changed,
            findings,
        }
    }

    /// Keeps the findings of a draw and tells the handler.
    pub fn report(&mut self, checked: &CheckedDraw) {
        let room = MAX_FINDINGS.saturating_sub(self.findings.len());
        self.findings.extend(checked.findings.iter().take(room).cloned());
        if let Some(handler) = &mut self.handler {
            handler(checked);
        }
    }

    /// The findings since the last call, and those about what was not done up to now.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        let mut findings = std::mem::take(&mut self.findings);
        let finding = |kind: FindingKind, command: Command, what: &str, advice: &str| Finding {
            kind,
            severity: kind.severity(),
            event: self.event,
            command,
            what: what.to_owned(),
            advice: advice.to_owned(),
            register: None,
        };
        if self.open.is_some() {
            let what = "A draw was begun, and no command has ended it.";
            findings.push(finding(FindingKind::OpenDraw, self.begun_by, what, "Write the method that ends a draw."));
        } else if self.draws == 0 && self.commands > 0 && !self.told_no_draw {
            self.told_no_draw = true;
            let what = format!("{} commands have run, and none of them drew.", self.commands);
            let advice = "Write the register or method that draws, after the state that the draw depends on.";
            findings.push(finding(FindingKind::NoDraw, Command::default(), &what, advice));
        }
        findings
    }
}
