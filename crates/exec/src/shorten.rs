//! Inputs without what they did not need. What a random input finds lies between bytes that do nothing for it; put
//! together, such inputs are too long and full of mistakes. In the persistent loop it costs next to nothing to leave out
//! piece by piece whatever the new marks do without. Never says what an input is good for beyond its marks.

use crate::input::Input;
use crate::server::{Server, ServerError};
use crate::target::Limits;
use std::time::{Duration, Instant};
use symcrete_abi::layout::flags;

/// Pieces that are tried at once, one by one and together: fewer than the loop can name.
const PIECES: usize = 100;
/// Time for one input.
const LONGEST: Duration = Duration::from_millis(20);

/// Marks of the fast body.
#[derive(Clone, Debug, Default)]
pub struct Marks(Vec<u64>);

/// What came of shortening an input.
#[derive(Clone, Debug)]
pub struct Shortened {
    pub input: Input,
    /// A shorter one that ended the loop: nobody else has seen it.
    pub ended: Option<Input>,
    pub runs: u64,
}

impl Server {
    /// The marks that runs have set so far.
    pub fn seen(&self) -> Marks {
        Marks(self.shm.seen())
    }

    /// The input without what it does not need to set the marks that it set first: those that had not been seen `before` it
    /// was run. What is seen stays as it is.
    pub fn shorten(&mut self, input: &Input, before: &Marks, limits: &Limits) -> Result<Shortened, ServerError> {
        let mut shorter = Shortened { input: input.clone(), ended: None, runs: 0 };
        let sources = self.sources();
        let shrinks = |at: &usize| !sources[*at].exact && input.objects[*at].bytes.len() > 1;
        if let Some(object) = (0..sources.len().min(input.objects.len())).find(shrinks) {
            let seen = self.seen();
            let done = self.leave_out(object, before, &mut shorter, limits);
            self.shm.put_seen(&seen.0);
            done?;
        }
        Ok(shorter)
    }

    fn leave_out(
        &mut self,
        object: usize,
        before: &Marks,
        best: &mut Shortened,
        limits: &Limits,
    ) -> Result<(), ServerError> {
        let begin = Instant::now();
        self.shm.put_seen(&before.0);
        best.runs += 1;
        if self.batch(std::slice::from_ref(&best.input), limits)?.ended.is_some() {
            return Ok(());
        }
        let new: Vec<u64> = self.seen().0.iter().zip(&before.0).map(|(after, before)| after & !before).collect();
        if new.iter().all(|word| *word == 0) {
            return Ok(());
        }
        self.shm.put_seen(&new);
        let length = best.input.objects[object].bytes.len();
        let mut piece = (length / 2).next_power_of_two();
        while piece * PIECES >= length && best.ended.is_none() && begin.elapsed() < LONGEST {
            let input = best.input.clone();
            let without = |places: &[usize]| {
                let mut shorter = input.clone();
                let bytes = &mut shorter.objects[object].bytes;
                // From the end, so that places stay what they are.
                places.iter().for_each(|at| drop(bytes.drain(*at..(*at + piece).min(bytes.len()))));
                shorter
            };
            let places: Vec<usize> = (0..input.objects[object].bytes.len()).step_by(piece).rev().collect();
            let each: Vec<Input> = places.iter().map(|at| without(&[*at])).collect();
            let alone = self.that_do(&each, best, limits)?;
            let places: Vec<usize> = alone.into_iter().map(|at| places[at]).collect();
            let together: Vec<Input> = (1..=places.len()).map(|count| without(&places[..count])).collect();
            match self.that_do(&together, best, limits)?.pop() {
                Some(most) => best.input = together[most].clone(),
                None => piece /= 2,
            }
        }
        Ok(())
    }

    /// Which of the inputs set all marks that are thought of as seen; none behind one that ends the loop.
    fn that_do(&mut self, inputs: &[Input], best: &mut Shortened, limits: &Limits) -> Result<Vec<usize>, ServerError> {
        let result = self.batch_by(flags::NOVELTY | flags::ALL_SEEN, inputs, limits)?;
        best.runs += result.executed as u64;
        best.ended = best.ended.take().or(result.ended.map(|(at, _)| inputs[at].clone()));
        Ok(result.novel)
    }
}
