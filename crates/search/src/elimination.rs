//! One loop of the program as a system of equations, solved by leaving out one location after the other: a way through a
//! location that is left out becomes ways between its neighbours. Ends of loops first, so few ways are added. Nothing is
//! ever subtracted, so loops that are left once in a million rounds come out right.
//!
//! Knows nothing but numbers: who changes probabilities eliminates anew.

/// Ways added, at most, for each one that was there: above, a loop is too tangled for this.
const TANGLED: usize = 32;
/// A loop that is left less often than once in so many rounds is taken to be left that often.
const ROUNDS: f64 = 1e6;

/// Lists for building, kept from one loop to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    ahead: Vec<Vec<(u32, f64)>>,
    back: Vec<Vec<u32>>,
    /// How likely a run leaves the loop from here.
    leave: Vec<f64>,
}

/// A loop solved for any prices.
#[derive(Debug)]
pub(crate) struct Elimination {
    /// By location: how many times a run stays there before it is elsewhere among those not left out yet.
    stay: Vec<f64>,
    /// Ways to and from those left out later, at the moment of leaving out: list by list in one array.
    ahead: Ways,
    back: Ways,
}

#[derive(Debug, Default)]
struct Ways {
    begin: Vec<u32>,
    all: Vec<(u32, f64)>,
}

impl Ways {
    fn of(&self, at: usize) -> &[(u32, f64)] {
        &self.all[self.range(at)]
    }

    fn range(&self, at: usize) -> std::ops::Range<usize> {
        self.begin[at] as usize..self.begin[at + 1] as usize
    }

    fn end(&mut self) {
        self.begin.push(self.all.len() as u32);
    }
}

impl Elimination {
    /// `ways`: calls back with (from, to, probability) for each way inside; what lacks to one at a location leaves the
    /// loop, and is told by `leaves`. None where too many ways would be added.
    pub fn new(
        count: usize,
        scratch: &mut Scratch,
        ways: impl FnOnce(&mut dyn FnMut(u32, u32, f64)),
        leaves: impl Fn(u32) -> f64,
    ) -> Option<Elimination> {
        if scratch.ahead.len() < count {
            scratch.ahead.resize_with(count, Vec::new);
            scratch.back.resize_with(count, Vec::new);
        }
        let Scratch { ahead, back, leave } = scratch;
        ahead[..count].iter_mut().for_each(Vec::clear);
        back[..count].iter_mut().for_each(Vec::clear);
        leave.clear();
        leave.extend((0..count as u32).map(leaves));
        let mut given = 0;
        ways(&mut |from, to, probability| {
            given += 1;
            if from != to && probability > 0.0 {
                add(ahead, back, from, to, probability);
            }
        });
        let mut done = Elimination { stay: Vec::with_capacity(count), ahead: Ways::default(), back: Ways::default() };
        done.ahead.end();
        done.back.end();
        let mut work = 0;
        for at in 0..count {
            let (out, into) = (std::mem::take(&mut ahead[at]), std::mem::take(&mut back[at]));
            let stay = 1.0 / (leave[at] + out.iter().map(|way| way.1).sum::<f64>()).max(1.0 / ROUNDS);
            work += into.len() * out.len();
            for &from in &into {
                let list = &mut ahead[from as usize];
                let place = list.iter().position(|way| way.0 == at as u32).expect("lists agree");
                let (_, probability) = list.swap_remove(place);
                leave[from as usize] += probability * stay * leave[at];
                done.back.all.push((from, probability));
                for &(to, onwards) in out.iter().filter(|way| way.0 != from) {
                    add(ahead, back, from, to, probability * stay * onwards);
                }
            }
            for &(to, _) in &out {
                let list = &mut back[to as usize];
                let place = list.iter().position(|&from| from == at as u32).expect("lists agree");
                list.swap_remove(place);
            }
            done.stay.push(stay);
            done.ahead.all.extend_from_slice(&out);
            done.ahead.end();
            done.back.end();
            (ahead[at], back[at]) = (out, into);
            if work > TANGLED * given {
                return None;
            }
        }
        Some(done)
    }

    /// Solves `R = w + P·R`: prices in, rewards out.
    pub fn solve(&self, values: &mut [f64]) {
        for at in 0..self.stay.len() {
            let value = self.stay[at] * values[at];
            self.back.of(at).iter().for_each(|&(from, probability)| values[from as usize] += probability * value);
        }
        for at in (0..self.stay.len()).rev() {
            let ahead: f64 = self.ahead.of(at).iter().map(|&(to, p)| p * values[to as usize]).sum();
            values[at] = self.stay[at] * (values[at] + ahead);
        }
    }

    /// How many times a run that is at a location is there in all, on the average, by location: what a price has to be
    /// divided by to count once.
    pub fn visits(&self) -> Vec<f64> {
        let count = self.stay.len();
        let mut visits = vec![0.0; count];
        // Beside the ways: visits of their other end from here, or of here from there.
        let mut to_back = vec![0.0; self.back.all.len()];
        let mut from_ahead = vec![0.0; self.ahead.all.len()];
        for at in (0..count).rev() {
            // Visits of `to` from `from`, for two that are left out later and joined by a way from `to` to `from`.
            let between = |visits: &[f64], to_back: &[f64], from_ahead: &[f64], from: u32, to: u32| -> f64 {
                match from.cmp(&to) {
                    std::cmp::Ordering::Equal => visits[from as usize],
                    std::cmp::Ordering::Less => {
                        let mut range = self.back.range(from as usize);
                        range.find(|&place| self.back.all[place].0 == to).map_or(0.0, |place| to_back[place])
                    }
                    std::cmp::Ordering::Greater => {
                        let mut range = self.ahead.range(to as usize);
                        range.find(|&place| self.ahead.all[place].0 == from).map_or(0.0, |place| from_ahead[place])
                    }
                }
            };
            let stay = self.stay[at];
            let mut around = 0.0;
            for place in self.back.range(at) {
                let (other, probability) = self.back.all[place];
                let ways = self.ahead.of(at).iter();
                let sum: f64 =
                    ways.map(|&(to, p)| p * between(&visits, &to_back, &from_ahead, to, other)).sum::<f64>() * stay;
                to_back[place] = sum;
                around += sum * probability;
            }
            for place in self.ahead.range(at) {
                let (other, _) = self.ahead.all[place];
                let ways = self.back.of(at).iter();
                let sum: f64 =
                    ways.map(|&(from, p)| p * between(&visits, &to_back, &from_ahead, other, from)).sum::<f64>();
                from_ahead[place] = sum * stay;
            }
            visits[at] = stay + around * stay;
        }
        visits
    }
}

fn add(ahead: &mut [Vec<(u32, f64)>], back: &mut [Vec<u32>], from: u32, to: u32, probability: f64) {
    match ahead[from as usize].iter_mut().find(|way| way.0 == to) {
        Some(way) => way.1 += probability,
        None => {
            ahead[from as usize].push((to, probability));
            back[to as usize].push(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Matrix = Vec<Vec<f64>>;

    fn eliminate(p: &Matrix) -> Option<Elimination> {
        let ways = |way: &mut dyn FnMut(u32, u32, f64)| {
            for (from, row) in p.iter().enumerate() {
                row.iter().enumerate().filter(|(_, p)| **p > 0.0).for_each(|(to, &p)| way(from as u32, to as u32, p));
            }
        };
        Elimination::new(p.len(), &mut Scratch::default(), ways, |at| 1.0 - p[at as usize].iter().sum::<f64>())
    }

    /// `(I - P)^-1` by adding up powers, which needs no elimination.
    fn powers(p: &Matrix) -> Matrix {
        let count = p.len();
        let mut sum: Matrix = (0..count).map(|i| (0..count).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let mut power = sum.clone();
        for _ in 0..4000 {
            let times = |i: usize, j: usize| (0..count).map(|k| power[i][k] * p[k][j]).sum::<f64>();
            power = (0..count).map(|i| (0..count).map(|j| times(i, j)).collect()).collect();
            (0..count).for_each(|i| (0..count).for_each(|j| sum[i][j] += power[i][j]));
        }
        sum
    }

    fn matrix() -> impl Strategy<Value = Matrix> {
        (2usize..7).prop_flat_map(|count| {
            let row = prop::collection::vec(prop_oneof![2 => Just(0.0), 3 => 0.01f64..1.0], count + 1);
            prop::collection::vec(row, count).prop_map(|rows| {
                let scaled = |mut row: Vec<f64>| {
                    let leave = row.pop().unwrap_or(0.0) + 0.05;
                    let sum = leave + row.iter().sum::<f64>();
                    row.iter().map(|p| p / sum).collect()
                };
                rows.into_iter().map(scaled).collect()
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn is_the_inverse(p in matrix(), prices in prop::collection::vec(0.0f64..10.0, 6)) {
            let solved = eliminate(&p).expect("small ones are never tangled");
            let inverse = powers(&p);
            let mut values = prices[..p.len().min(6)].to_vec();
            values.resize(p.len(), 1.0);
            let want: Vec<f64> = inverse.iter().map(|row| row.iter().zip(&values).map(|(g, w)| g * w).sum()).collect();
            solved.solve(&mut values);
            for (value, want) in values.iter().zip(&want) {
                prop_assert!((value - want).abs() < 1e-6 * want.max(1.0), "{value} {want}");
            }
            for (at, visits) in solved.visits().iter().enumerate() {
                prop_assert!((visits - inverse[at][at]).abs() < 1e-6 * visits, "{visits} {}", inverse[at][at]);
            }
        }
    }

    #[test]
    fn a_loop_that_is_hardly_ever_left() {
        let solved = eliminate(&vec![vec![0.0, 1.0], vec![1.0 - 1e-5, 0.0]]).expect("not tangled");
        assert!((solved.visits()[0] - 1e5).abs() < 1e-3);
        let never = eliminate(&vec![vec![0.0, 1.0], vec![1.0, 0.0]]).expect("not tangled");
        assert!(never.visits().iter().all(|visits| visits.is_finite()));
    }
}
