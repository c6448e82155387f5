//! Macros: the vectors of the test data, and what stops a program.

use triglyph_guest::kernel::mme::{MmeEnd, MmeStop};
use triglyph_guest::kernel::random_mme::Case;
use triglyph_guest::tegra::mme::assemble_program;
use triglyph_interp::mme::{Kernel, Unit};
use triglyph_testkit::data::{Value, items, json, number};

fn words(value: &Value) -> Vec<u32> {
    items(value).iter().map(|word| number(word) as u32).collect()
}

fn vectors() -> Value {
    json("tegra/vectors/macro.json")
}

#[test]
fn macro_vectors() {
    let mut calls = 0;
    for vector in items(&vectors()["vectors"]) {
        for call in items(&vector["calls"]) {
            let name = &vector["name"];
            let mut case = Case::new(&words(&vector["code"]), &words(&call["params"]));
            for (register, value) in call["initial_registers"].as_object().expect("registers") {
                let register = number(&Value::String(register.clone())) as usize;
                case.registers[register] = number(value) as u32;
            }
            let mut unit = Unit::default();
            let kernel = Kernel::new(&case.key);
            let outcome = case.run_with(|job| Ok::<_, ()>(kernel.call(&mut unit, job))).expect("a call");
            let writes: Vec<(u32, u32)> =
                items(&call["writes"]).iter().map(|pair| (number(&pair[0]) as u32, number(&pair[1]) as u32)).collect();
            assert_eq!(outcome.sent, writes, "{name}");
            assert_eq!(unit.registers[..], words(&call["final_gpr"])[..], "{name}");
            assert_eq!(u32::from(unit.carry), number(&call["final_carry"]) as u32, "{name}");
            assert_eq!(unit.address, number(&call["final_method_address"]) as u32, "{name}");
            assert_eq!(unit.increment, number(&call["final_method_increment"]) as u32, "{name}");
            let unused = number(&call["unconsumed_params"]) as u32;
            assert_eq!(outcome.end, MmeEnd { stop: MmeStop::Exit, missing: 0, unused }, "{name}");
            calls += 1;
        }
    }
    assert!(calls >= 18, "only {calls} calls");
}

fn end(text: &str, parameters: &[u32]) -> MmeEnd {
    let case = Case::new(&assemble_program(text).expect("a program"), parameters);
    case.run(&Kernel::new(&case.key)).expect("the reference supports everything").end
}

#[test]
fn what_stops_a_program() {
    let stop = |text| end(text, &[1]).stop;
    assert_eq!(stop("addi r1, r0, 1\n.word 6"), MmeStop::Illegal { at: 1 });
    assert_eq!(stop("addi.exit r1, r0, 1\nbz r0, +1\naddi r1, r0, 1"), MmeStop::BranchInDelaySlot { at: 1 });
    assert_eq!(stop("bz r0, +2\nbz r0, +1\naddi.exit r1, r0, 1"), MmeStop::BranchInDelaySlot { at: 1 });
    assert_eq!(stop("addi r1, r0, 1"), MmeStop::OffTheEnd);
    assert_eq!(stop("bz.annul r0, -1"), MmeStop::OffTheEnd);
    assert_eq!(stop("here: bz.annul r0, here"), MmeStop::OutOfBranches);
}

#[test]
fn parameters_that_are_missing_or_left() {
    let text = "addi.fetch r2, r0, 0\naddi.fetch.exit r3, r0, 0\naddi r0, r0, 0";
    assert_eq!(end(text, &[1]), MmeEnd { stop: MmeStop::Exit, missing: 2, unused: 0 });
    assert_eq!(end(text, &[1, 2, 3]), MmeEnd { stop: MmeStop::Exit, missing: 0, unused: 0 });
    assert_eq!(end(text, &[1, 2, 3, 4, 5]), MmeEnd { stop: MmeStop::Exit, missing: 0, unused: 2 });
}

#[test]
fn sends_store_what_has_no_effect_and_call_for_the_rest() {
    let text = "addi.addr r0, r0, 0x1100\naddi.send r0, r0, 5\naddi.send.exit r0, r0, 6\naddi.send r0, r0, 7";
    let mut case = Case::new(&assemble_program(text).expect("a program"), &[0]);
    case.direct = true;
    (case.groups[0x100], case.groups[0x102]) = (4, 2);
    let outcome = case.run(&Kernel::new(&case.key)).expect("the reference supports everything");
    assert_eq!(outcome.sent, [(0x101, 6)]);
    assert_eq!(outcome.live[0x100..0x103], [5, 6, 7]);
    assert_eq!((outcome.shadow[0x100], outcome.shadow[0x102], outcome.dirty), (5, 7, 6));
}
