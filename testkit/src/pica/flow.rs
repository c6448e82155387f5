//! Traces of control flow: symbolic programs, and the addresses of the instructions that they execute.

use crate::data::{Value, items, json, number, text};

/// A program and its trace.
pub struct Flow {
    pub name: String,
    /// The program's symbolic instructions.
    pub lines: Vec<String>,
    /// Addresses in the order of execution, and aL before each.
    pub trace: Vec<i64>,
    pub counters: Vec<i64>,
}

/// All that there are.
pub fn flows() -> Vec<Flow> {
    let all = json("3ds/vectors/shader_control_flow.json");
    let flow = |case: &Value| {
        let numbers = |name: &str| items(&case[name]).iter().map(number).collect();
        let lines = items(&case["program"]).iter().map(|line| text(line).to_owned()).collect();
        Flow { name: case["name"].to_string(), lines, trace: numbers("trace"), counters: numbers("aL_before_each") }
    };
    items(&all["cases"]).iter().map(flow).collect()
}

impl Flow {
    /// The program as text, with other instructions for `NOP` (by their address) and `END`, and the integers of its
    /// loops. `b1` has to be true, and `b0` false.
    pub fn program(&self, nop: impl Fn(usize) -> String, end: &str) -> (String, [[u8; 4]; 4]) {
        let (mut program, mut integers, mut loops) = (String::new(), [[0; 4]; 4], 0);
        for (address, line) in self.lines.iter().enumerate() {
            let words: Vec<_> = line.split(' ').collect();
            let n: Vec<u16> = words[1..].iter().map(|word| word.parse().expect("a number")).collect();
            program += &match words[0] {
                "NOP" => nop(address),
                "END" => end.to_owned(),
                "BREAK" => "break".to_owned(),
                "JMP" => format!("jmpu b1, {}", n[0]),
                "CALL" => format!("call {}..{}", n[0], n[0] + n[1]),
                "IF" => format!("ifu b{}, {}..{}", n[0], n[1], n[1] + n[2]),
                "LOOP" => {
                    integers[loops] = [n[1] as u8, n[2] as u8, n[3] as u8, 0];
                    loops += 1;
                    format!("loop i{}, {}", loops - 1, n[0])
                }
                other => panic!("{other}"),
            };
            program.push('\n');
        }
        (program, integers)
    }

    /// The program as it is.
    pub fn plain(&self) -> (String, [[u8; 4]; 4]) {
        self.program(|_| "nop".to_owned(), "end")
    }
}
