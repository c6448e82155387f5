//! Immediate values of attributes that are normalised as those of arrays are:
//! [`Component`](crate::kernel::program::vertex::Component).

/// v / 255: 24 bits of fraction that repeat v; 255 is 1.
pub fn unorm8(v: u8) -> f32 {
    (u32::from(v) * 0x01_0101 + u32::from(v == u8::MAX)) as f32 * (1.0 / 16_777_216.0)
}

/// (v + 0.5) / 32767.5: 32 bits of fraction that repeat 2 v + 1, of which the 24 highest count; the ends are -1 and 1.
pub fn snorm16(v: i16) -> f32 {
    let odd = 2 * i32::from(v) + 1;
    if odd.unsigned_abs() == 0xFFFF {
        return odd.signum() as f32;
    }
    let fraction = odd.unsigned_abs() * 0x1_0001;
    let kept = fraction & (!0 << fraction.ilog2().saturating_sub(23));
    odd.signum() as f32 * kept as f32 * (1.0 / 4_294_967_296.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_repeat_in_the_fraction() {
        let bits = [0, 1, 127, 128, 200, 255].map(|v| unorm8(v).to_bits());
        assert_eq!(bits, [0, 0x3B80_8080, 0x3EFE_FEFE, 0x3F00_8080, 0x3F48_C8C8, 0x3F80_0000]);
        assert!((0..=255).all(|v| (f64::from(unorm8(v)) - f64::from(v) / 255.0).abs() < 1e-7));
    }

    #[test]
    fn shorts_have_no_zero() {
        // The first four are a console's.
        let bits = [32767, -32768, 0, -1, 12345, -12345, 32766].map(|v| snorm16(v).to_bits());
        let expected = [0x3F80_0000, 0xBF80_0000, 0x3780_0080, 0xB780_0080, 0x3EC0_E6C0, 0xBEC0_E2C0, 0x3F7F_FDFF];
        assert_eq!(bits, expected);
        assert!((i16::MIN..=i16::MAX).all(|v| (f64::from(snorm16(v)) - (f64::from(v) + 0.5) / 32767.5).abs() < 1e-7));
    }
}
