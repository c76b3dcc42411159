//! The calendar, as far as files need it.

/// `2026-11-15T18:00:00Z`, of seconds since 1970.
pub(super) fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86400, seconds % 86400);
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let (mut year, mut day) = (1970, days);
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}T{:02}:{:02}:{:02}Z", month + 1, day + 1, rest / 3600, rest / 60 % 60, rest % 60)
}

pub(super) fn today() -> String {
    date(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_the_system() {
        for seconds in [0u64, 951_782_400, 951_868_799, 1_709_164_800, 1_794_767_657, 4_102_444_799] {
            let output = std::process::Command::new("date")
                .args(["-u", "+%Y-%m-%dT%H:%M:%SZ", "-d", &format!("@{seconds}")])
                .output()
                .unwrap();
            assert_eq!(date(seconds), String::from_utf8_lossy(&output.stdout).trim());
        }
    }
}
