//! Reads `coverage.lcov` back: lines and functions, file by file.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    pub path: String,
    pub lines: Vec<(u32, u32)>,
    /// First line, name, tests that entered.
    pub functions: Vec<(u32, String, u32)>,
}

/// Whatever is not understood is left out.
pub fn read(text: &str) -> Vec<Record> {
    let mut records = Vec::new();
    let mut current = Record::default();
    for line in text.lines() {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        match key {
            "SF" => current = Record { path: value.into(), ..Record::default() },
            "FN" => {
                if let Some((Ok(first), name)) = value.split_once(',').map(|(l, n)| (l.parse(), n)) {
                    current.functions.push((first, name.into(), 0));
                }
            }
            "FNDA" => {
                if let Some((Ok(hits), name)) = value.split_once(',').map(|(h, n)| (h.parse(), n))
                    && let Some(function) = current.functions.iter_mut().find(|f| f.1 == name)
                {
                    function.2 = hits;
                }
            }
            "DA" => {
                let mut numbers = value.split(',').map(str::parse);
                if let (Some(Ok(line)), Some(Ok(hits))) = (numbers.next(), numbers.next()) {
                    current.lines.push((line, hits));
                }
            }
            "end_of_record" => {
                current.functions.sort();
                records.push(std::mem::take(&mut current));
            }
            _ => {}
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_and_damaged_lines() {
        let text = "TN:\nSF:/a b/x,y.c\nFN:9,g\nFN:4,f(int, int)\nFNDA:2,f(int, int)\nDA:4,2\nDA:x\nDA:5,0\nend_of_record\nSF:cut";
        let record = Record {
            path: "/a b/x,y.c".into(),
            lines: vec![(4, 2), (5, 0)],
            functions: vec![(4, "f(int, int)".into(), 2), (9, "g".into(), 0)],
        };
        assert_eq!(read(text), [record]);
    }
}
