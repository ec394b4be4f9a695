//! A scrape, read strictly.

use std::collections::BTreeMap;

/// The labels of a line, in its order.
type Labels = Vec<(String, String)>;

#[derive(Debug, Default)]
pub struct Scraped {
    /// By family.
    kinds: BTreeMap<String, String>,
    lines: BTreeMap<String, (Labels, f64)>,
}

fn split_labels(text: &str) -> Option<Labels> {
    let mut labels = Labels::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (key, after) = rest.split_once("=\"")?;
        let end = end_of_value(after)?;
        labels.push((key.to_owned(), after[..end].to_owned()));
        rest = &after[end + 1..];
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    let named = |(key, _): &(String, String)| is_name(key);
    labels.iter().all(named).then_some(labels)
}

fn end_of_value(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(allowed)
}

fn split_line(line: &str) -> Option<(&str, Labels, f64)> {
    let (series, value) = line.rsplit_once(' ')?;
    let (name, labels) = match series.split_once('{') {
        Some((name, labels)) => (name, split_labels(labels.strip_suffix('}')?)?),
        None => (series, Labels::new()),
    };
    let value: f64 = value.parse().ok()?;
    (is_name(name) && value.is_finite()).then_some((name, labels, value))
}

impl Scraped {
    /// # Errors
    /// The first line that is none.
    pub fn read(text: &str) -> Result<Scraped, String> {
        let mut read = Scraped::default();
        for line in text.lines() {
            if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (family, kind) = kind.split_once(' ').ok_or(line)?;
                if read.kinds.insert(family.into(), kind.into()).is_some() {
                    return Err(format!("a family twice: {family}"));
                }
                continue;
            }
            if line.starts_with("# HELP ") {
                continue;
            }
            let (_, labels, value) =
                split_line(line).ok_or_else(|| format!("not a line: {line}"))?;
            let series = line.rsplit_once(' ').map_or(line, |(series, _)| series);
            if read
                .lines
                .insert(series.to_owned(), (labels, value))
                .is_some()
            {
                return Err(format!("a line twice: {series}"));
            }
        }
        read.histograms_add_up()?;
        Ok(read)
    }

    /// `counter`, `gauge` or `histogram`.
    fn kind(&self, series: &str) -> Option<&str> {
        let name = name(series);
        let of = |name: &str| self.kinds.get(name).map(String::as_str);
        of(name).or_else(|| {
            ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|end| of(name.strip_suffix(end)?))
        })
    }

    fn histograms_add_up(&self) -> Result<(), String> {
        let mut buckets: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        for (series, (labels, value)) in &self.lines {
            let Some(family) = name(series).strip_suffix("_bucket") else {
                continue;
            };
            let edge = labels.iter().find(|(key, _)| key == "le");
            let (_, edge) = edge.ok_or_else(|| format!("no edge: {series}"))?;
            let edge = edge.parse().map_err(|_| format!("edge: {series}"))?;
            let rest: Vec<_> = labels.iter().filter(|(key, _)| key != "le").collect();
            let rest = rest.iter().map(|(key, value)| format!("{key}=\"{value}\""));
            let rest = rest.collect::<Vec<_>>().join(",");
            let counted = if rest.is_empty() {
                format!("{family}_count")
            } else {
                format!("{family}_count{{{rest}}}")
            };
            buckets.entry(counted).or_default().push((edge, *value));
        }
        for (counted, mut edges) in buckets {
            edges.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            let grows = edges.windows(2).all(|pair| pair[0].1 <= pair[1].1);
            let all = edges.last().filter(|(edge, _)| edge.is_infinite());
            let all = all.map(|(_, count)| count.to_bits());
            let count = self.lines.get(&counted).map(|(_, value)| value.to_bits());
            if !grows || all.is_none() || all != count {
                return Err(format!("buckets that do not add up: {counted}"));
            }
        }
        Ok(())
    }

    /// # Errors
    /// What went back, disappeared, or is below zero.
    pub fn follows(&self, before: &Scraped) -> Result<(), String> {
        for (series, (_, was)) in &before.lines {
            let only_grows = matches!(before.kind(series), Some("counter" | "histogram"));
            let now = self.lines.get(series).map(|(_, value)| *value);
            if only_grows && now.is_none_or(|now| now < *was) {
                return Err(format!("{series} was {was} and is {now:?}"));
            }
        }
        for (series, (_, value)) in &self.lines {
            let kind = self.kind(series);
            if kind.is_none() || *value < 0.0 {
                return Err(format!("{series} is {value}, of kind {kind:?}"));
            }
        }
        Ok(())
    }

    fn of<'a>(
        &'a self,
        name_of_lines: &'a str,
        with: &'a [(&'a str, &'a str)],
    ) -> impl Iterator<Item = &'a (Labels, f64)> {
        let from = self.lines.range(name_of_lines.to_owned()..);
        let same = from.take_while(move |(series, _)| series.starts_with(name_of_lines));
        let named = same.filter(move |(series, _)| name(series) == name_of_lines);
        let has = |labels: &Labels, (key, value): &(&str, &str)| {
            labels.iter().any(|(k, v)| k == key && v == value)
        };
        named
            .map(|(_, line)| line)
            .filter(move |(labels, _)| with.iter().all(|label| has(labels, label)))
    }

    /// The sum over all lines of this name that have these labels.
    pub fn sum(&self, name: &str, with: &[(&str, &str)]) -> f64 {
        // the standard sum of nothing is -0
        self.of(name, with).fold(0.0, |sum, (_, value)| sum + value)
    }

    /// The same, of what is counted.
    pub fn count(&self, name: &str, with: &[(&str, &str)]) -> u64 {
        let sum = self.sum(name, with);
        assert!(sum.fract() == 0.0 && sum >= 0.0, "{name}: {sum}");
        format!("{sum}").parse().expect("a whole number")
    }

    pub fn has(&self, name: &str) -> bool {
        self.of(name, &[]).next().is_some()
    }
}

fn name(series: &str) -> &str {
    series.split_once('{').map_or(series, |(name, _)| name)
}
