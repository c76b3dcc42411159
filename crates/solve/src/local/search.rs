//! The search itself. From the parent's values: words are given values that would undo what fails (`inverse.rs`), then each
//! word is moved by steps from large to small as long as that brings the conditions closer; stuck, something is thrown
//! over and it begins again from the best point so far. Same query and budget, same search.

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use symcrete_term::bits::mask;
use symcrete_term::{Term, TermId, Terms};

use super::distance::{Distances, at_ordinal, infinity, ordinal};
use super::inverse::Inverse;
use super::machine::{Kind, Machine};
use super::ties::Ties;

/// How far everything together is from true. Far conditions count by the size of their distance only, so that one of
/// them does not drown the others; among equals the exact sum decides.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
struct Score {
    sizes: f64,
    exact: u128,
}

impl Score {
    const NONE: Score = Score { sizes: 0.0, exact: 0 };

    fn add(&mut self, distance: u64) {
        self.sizes += (distance as f64 + 1.0).log2();
        self.exact += u128::from(distance);
    }

    fn is_zero(self) -> bool {
        self.exact == 0
    }
}

pub(crate) struct Search<'a> {
    pub(crate) machine: Machine,
    distances: Distances,
    conditions: Vec<TermId>,
    /// Of each condition, as things are.
    now: Vec<u64>,
    /// For each word the conditions that depend on it, or on what follows it.
    dependents: Vec<Vec<u32>>,
    /// Words that equalities tie to others, in the order in which they are to follow a move.
    followers: Vec<Vec<(usize, u32)>>,
    /// Float constants of the conditions, as doubles.
    constants: Vec<f64>,
    inverse: Inverse<'a>,
    random: Pcg64Mcg,
    budget: u64,
    best: Vec<u64>,
    best_score: Score,
}

impl<'a> Search<'a> {
    /// Conditions with the goal first; the machine has the parent's values.
    pub(crate) fn new(
        terms: &'a Terms,
        machine: Machine,
        conditions: Vec<TermId>,
        budget: u64,
        seed: u64,
    ) -> Search<'a> {
        let distances = Distances::new(terms, &machine, &conditions);
        let ties = Ties::new(terms, &machine, &conditions);
        let dependents = (0..machine.words.len())
            .map(|word| {
                let depends = |at: &u32| {
                    let slot = machine.slot(conditions[*at as usize]);
                    machine.depends(slot, word)
                        || ties.followers[word].iter().any(|&(follower, _)| machine.depends(slot, follower))
                };
                (0..conditions.len() as u32).filter(depends).collect()
            })
            .collect();
        let mut constants: Vec<f64> = Vec::new();
        for id in terms.reachable(&conditions) {
            let Term::Apply(op, args) = terms.get(id) else { continue };
            for &arg in args.iter().filter(|_| op.is_float()) {
                match (terms.as_constant(arg), terms.width(arg)) {
                    (Some(bits), 64) => constants.push(f64::from_bits(bits as u64)),
                    (Some(bits), 32) => constants.push(f64::from(f32::from_bits(bits as u32))),
                    _ => {}
                }
            }
        }
        constants.retain(|value| value.is_finite());
        constants.sort_by(f64::total_cmp);
        constants.dedup();
        let followers = ties.followers;
        let inverse = Inverse { terms, leader: ties.leader, random: Pcg64Mcg::seed_from_u64(seed ^ 0x9e37_79b9) };
        let best = machine.snapshot();
        let mut search = Search {
            distances,
            now: vec![0; conditions.len()],
            conditions,
            dependents,
            followers,
            constants,
            inverse,
            random: Pcg64Mcg::seed_from_u64(seed),
            budget,
            best,
            best_score: Score::NONE,
            machine,
        };
        search.measure();
        search.best_score = search.score();
        search
    }

    /// Looks for values that make all conditions true; they are then in the machine.
    pub(crate) fn run(&mut self) -> bool {
        if self.score().is_zero() {
            return true;
        }
        let start = self.machine.snapshot();
        let mut round = 0u32;
        loop {
            if self.descent(round) {
                return true;
            }
            if self.is_spent() {
                return false;
            }
            round += 1;
            // Mostly on from the best point, now and then from the beginning.
            let from = if round.is_multiple_of(4) { start.clone() } else { self.best.clone() };
            self.restore(&from);
            self.disturb();
        }
    }

    fn is_spent(&self) -> bool {
        self.machine.evaluations >= self.budget
    }

    /// One descent: undo what fails for a while, then move word by word.
    fn descent(&mut self, round: u32) -> bool {
        if self.undo(12, false) || self.climb() {
            return true;
        }
        // Conditions that pull at one another: follow each in turn, whatever the others say.
        let patience = if round.is_multiple_of(2) { 24 } else { 60 };
        self.undo(patience, true) || self.climb()
    }

    fn measure(&mut self) {
        for at in 0..self.conditions.len() {
            self.now[at] = self.distances.of(&self.machine, at);
        }
    }

    fn score(&self) -> Score {
        let mut score = Score::NONE;
        self.now.iter().filter(|&&distance| distance != 0).for_each(|&distance| score.add(distance));
        score
    }

    fn restore(&mut self, values: &[u64]) {
        self.machine.restore(values);
        self.measure();
    }

    /// Of the conditions that depend on a word.
    fn partial(&self, word: usize) -> Score {
        let mut score = Score::NONE;
        for &at in &self.dependents[word] {
            match self.now[at as usize] {
                0 => {}
                distance => score.add(distance),
            }
        }
        score
    }

    /// Moves a word and measures what depends on it.
    fn set(&mut self, word: usize, value: u64) -> Score {
        self.machine.set_word(word, value);
        for &(follower, slot) in &self.followers[word] {
            self.machine.set_word(follower, self.machine.at(slot));
        }
        let mut score = Score::NONE;
        for &at in &self.dependents[word] {
            let distance = self.distances.of(&self.machine, at as usize);
            self.now[at as usize] = distance;
            if distance != 0 {
                score.add(distance);
            }
        }
        self.machine.evaluations += self.dependents[word].len() as u64;
        score
    }

    fn solved(&mut self) -> bool {
        self.now.iter().all(|&distance| distance == 0)
    }

    fn note_best(&mut self) {
        let score = self.score();
        if score < self.best_score {
            self.best_score = score;
            self.best = self.machine.snapshot();
        }
    }

    /// Gives words the values that would make failing conditions hold. Keeps what is better; `freely`, anything.
    fn undo(&mut self, times: u32, freely: bool) -> bool {
        for turn in 0..times {
            if self.is_spent() {
                break;
            }
            let failing: Vec<u32> = (0..self.now.len() as u32).filter(|&at| self.now[at as usize] != 0).collect();
            if failing.is_empty() {
                return true;
            }
            let at = match turn % 3 {
                0 => failing[0],
                _ => failing[self.random.next_u64() as usize % failing.len()],
            };
            let Some((word, value)) = self.inverse.of_condition(&self.machine, self.conditions[at as usize]) else {
                continue;
            };
            let (before, old) = (self.partial(word), self.machine.word_value(word));
            let mut after = self.set(word, value);
            if self.is_float(word) && !after.is_zero() {
                // What was undone is off by a rounding or two.
                after = self.settle(word, value, after);
            }
            if after > before && !freely {
                self.set(word, old);
            }
            if self.solved() {
                return true;
            }
            self.note_best();
        }
        self.solved()
    }

    /// The best of a value and its nearest neighbours.
    fn settle(&mut self, word: usize, value: u64, score: Score) -> Score {
        let width = self.machine.words[word].width;
        let (mut best, mut best_value) = (score, value);
        let place = ordinal(width, value);
        for near in [1, -1, 2, -2, 3, -3] {
            let moved = at_ordinal(width, place.saturating_add(near).clamp(-infinity(width), infinity(width)));
            let after = self.set(word, moved);
            if after < best {
                (best, best_value) = (after, moved);
                if best.is_zero() {
                    return best;
                }
            }
        }
        self.set(word, best_value)
    }

    fn is_float(&self, word: usize) -> bool {
        self.machine.words[word].kind != Kind::Integer
    }

    /// Moves word by word until nothing is better any more.
    fn climb(&mut self) -> bool {
        loop {
            let before = self.score();
            let mut words: Vec<usize> = Vec::new();
            for at in (0..self.now.len()).filter(|&at| self.now[at] != 0) {
                for word in self.machine.words_of(self.machine.slot(self.conditions[at])) {
                    let word = self.inverse.leading(&self.machine, word);
                    if !words.contains(&word) {
                        words.push(word);
                    }
                }
            }
            for word in words {
                if self.climb_word(word) && self.solved() {
                    return true;
                }
                if self.is_spent() {
                    self.note_best();
                    return self.solved();
                }
            }
            self.note_best();
            if self.score() >= before {
                return self.solved();
            }
        }
    }

    /// Steps from large to small, each repeated and doubled as long as it helps. Whether anything did.
    fn climb_word(&mut self, word: usize) -> bool {
        let mut best = self.partial(word);
        if best.is_zero() {
            return false;
        }
        let width = u32::from(self.machine.words[word].width);
        let mut helped = self.try_values(word, &mut best);
        let mut size = width as i32 - 2;
        while size >= 0 && !best.is_zero() && !self.is_spent() {
            for forwards in [true, false] {
                let mut step = 1u64 << size;
                loop {
                    let old = self.machine.word_value(word);
                    let Some(moved) = self.stepped(word, old, step, forwards) else { break };
                    let after = self.set(word, moved);
                    if after >= best {
                        self.set(word, old);
                        break;
                    }
                    (best, helped) = (after, true);
                    step = step.saturating_mul(2);
                }
            }
            size -= 1;
        }
        helped
    }

    /// A value so many places away.
    fn stepped(&self, word: usize, value: u64, step: u64, forwards: bool) -> Option<u64> {
        let word = &self.machine.words[word];
        let m = mask(word.width) as u64;
        let moved = match word.kind {
            Kind::Integer => (if forwards { value.wrapping_add(step) } else { value.wrapping_sub(step) }) & m,
            _ => {
                let (end, step) = (infinity(word.width), i64::try_from(step).ok()?);
                let place = ordinal(word.width, value).clamp(-end, end);
                let moved = if forwards { place.saturating_add(step) } else { place.saturating_sub(step) };
                at_ordinal(word.width, moved.clamp(-end, end))
            }
        };
        (moved != value).then_some(moved)
    }

    /// Values that programs care about, and simple changes of the one there is.
    fn try_values(&mut self, word: usize, best: &mut Score) -> bool {
        let (kind, width) = (self.machine.words[word].kind, self.machine.words[word].width);
        let old = self.machine.word_value(word);
        let mut values: Vec<u64> = Vec::new();
        match kind {
            Kind::Integer => {
                let m = mask(width) as u64;
                values.extend([0, 1, m, m >> 1, !old & m, old.wrapping_neg() & m]);
                if width <= 8 {
                    values.extend(0..=m);
                }
            }
            kind => {
                let now = if kind == Kind::Double { f64::from_bits(old) } else { f32::from_bits(old as u32).into() };
                let mut reals = vec![0.0, -0.0, 1.0, -1.0, -now, now + 1.0, now - 1.0, now * 2.0, now * 0.5, now + 0.5];
                reals.extend([now.round(), now - 0.25, 1.0 / now, now.sqrt(), now * now, f64::INFINITY, f64::NAN]);
                reals.extend([f64::NEG_INFINITY, 2.5 * now, now + 0.25, now - 0.5]);
                reals.extend(self.constants.iter().take(24).flat_map(|&c| [c, -c]));
                values.extend(reals.into_iter().map(|real| match kind {
                    Kind::Double => real.to_bits(),
                    _ => u64::from((real as f32).to_bits()),
                }));
            }
        }
        let mut kept = old;
        for value in values {
            let after = self.set(word, value);
            if after < *best {
                (*best, kept) = (after, value);
                if best.is_zero() {
                    return true;
                }
            }
        }
        self.set(word, kept);
        kept != old
    }

    /// Throws a word or two somewhere else: a new value altogether, or a part of a float's bits.
    fn disturb(&mut self) {
        let failing: Vec<usize> = (0..self.now.len()).filter(|&at| self.now[at] != 0).collect();
        let slot = match failing.get(self.random.next_u64() as usize % failing.len().max(1)) {
            Some(&at) => self.machine.slot(self.conditions[at]),
            None => return,
        };
        let words: Vec<usize> = self.machine.words_of(slot).collect();
        if words.is_empty() {
            return;
        }
        for _ in 0..=self.random.next_u32() % 2 {
            let word = words[self.random.next_u64() as usize % words.len()];
            let word = self.inverse.leading(&self.machine, word);
            let value = self.elsewhere(word);
            self.set(word, value);
        }
    }

    fn elsewhere(&mut self, word: usize) -> u64 {
        let (kind, width) = (self.machine.words[word].kind, self.machine.words[word].width);
        let old = self.machine.word_value(word);
        let random = self.random.next_u64();
        let m = mask(width) as u64;
        let step = self.inverse.step(u32::from(width) - 1);
        if kind == Kind::Integer {
            return match random % 4 {
                0 => self.random.next_u64() & m,
                1 => self.random.next_u64() & (m >> ((random >> 8) % u64::from(width))),
                2 => old ^ 1 << ((random >> 8) % u64::from(width)),
                _ => self.stepped(word, old, step, random & 16 == 0).unwrap_or(old),
            };
        }
        let mantissa = if width == 32 { 23 } else { 52 };
        let fraction = (1u64 << mantissa) - 1;
        match random % 8 {
            // Another sign, other low bits, a nearby or any exponent.
            0 => old ^ 1 << (width - 1),
            1 => old & !fraction | self.random.next_u64() & fraction,
            2 => old & !fraction,
            3 => old.wrapping_add((1 + (random >> 8) % 16) << mantissa) & m,
            4 => old.wrapping_sub((1 + (random >> 8) % 16) << mantissa) & m,
            5 => self.random.next_u64() & m,
            6 => {
                // A number of everyday size.
                let whole = (self.random.next_u64() % 2001) as f64 - 1000.0;
                let real = whole / [1.0, 2.0, 10.0, 1000.0][(random >> 8) as usize % 4];
                if width == 32 { u64::from((real as f32).to_bits()) } else { real.to_bits() }
            }
            _ => self.stepped(word, old, step, random & 16 == 0).unwrap_or(old),
        }
    }
}
