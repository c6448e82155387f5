//! Times as the command line writes them.

use std::time::Duration;

/// A number of minutes, whole or not, above 0.
pub fn parse_minutes(text: &str) -> Result<Duration, String> {
    const MAX_MINUTES: f64 = 1e6;
    let minutes = text.parse().ok().filter(|minutes: &f64| *minutes > 0.0 && *minutes <= MAX_MINUTES);
    let minutes = minutes.ok_or_else(|| format!("minutes above 0 and up to {MAX_MINUTES} are needed, such as 0.5"))?;
    Ok(Duration::from_secs_f64(60.0 * minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_have_parts() {
        assert_eq!(parse_minutes("0.5"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_minutes("60"), Ok(Duration::from_secs(3600)));
        for bad in ["", "0", "-1", "nan", "inf", "1e7", "5m"] {
            assert!(parse_minutes(bad).is_err(), "{bad}");
        }
    }
}
