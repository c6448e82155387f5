//! Command lists of the PICA200.

/// A list in the making.
#[derive(Default)]
pub struct List {
    words: Vec<u32>,
}

impl List {
    /// One register.
    pub fn write(&mut self, register: usize, value: u32) -> &mut Self {
        self.packet(register, &[value], false)
    }

    /// Registers that follow each other.
    pub fn writes(&mut self, first: usize, values: &[u32]) -> &mut Self {
        self.packet(first, values, true)
    }

    /// All values to one register: a port.
    pub fn port(&mut self, register: usize, values: &[u32]) -> &mut Self {
        values.chunks(256).fold(self, |list, values| list.packet(register, values, false))
    }

    fn packet(&mut self, register: usize, values: &[u32], consecutive: bool) -> &mut Self {
        let extra = values.len() - 1;
        assert!(extra < 256, "a packet has at most 256 values");
        self.words.push(values[0]);
        self.words.push(register as u32 | 0xF << 16 | (extra as u32) << 20 | u32::from(consecutive) << 31);
        self.words.extend_from_slice(&values[1..]);
        if extra % 2 == 1 {
            self.words.push(0);
        }
        self
    }

    /// Words so far.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Ends the list with the interrupt that the system waits for, and gives its bytes, a multiple of 16.
    pub fn finish(mut self) -> Vec<u8> {
        self.write(triglyph_guest::pica::regs::irq_request::ID, 0x1234_5678);
        self.words.resize(self.words.len().next_multiple_of(4), 0);
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}
