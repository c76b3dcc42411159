//! What led somewhere once is done again and again: a counter that only whole rounds of turns bring on (the seventh
//! good upload, the tenth order) shows no side on its way, and each of its rounds would have to be found anew.
//!
//! Of each find the last turns are repeated, in walks that nothing follows: all rounds at once, for new sides; then round
//! by round as long as they bring values that were hardly ever seen, and states that were counted up so are kept for a
//! look. Bounded by what walks take.

use super::archive::{Chain, Stretch};
use super::find::turns;
use super::{Hybrid, TOO_LONG, Whole};
use crate::campaign::{Campaign, EngineError};
use symcrete_abi::control::Halt;
use symcrete_event::Origin;
use symcrete_exec::{Input, Walk};

/// Turns of one round.
const MOST_TURNS: usize = 32;
/// Rounds.
const TIMES: usize = 64;
/// Inputs of one walk; bytes of one that reads.
const MOST_INPUTS: usize = 1024;
/// Rounds in a row that bring nothing seldom, after which it is no use.
const PATIENCE: usize = 2;
/// Rounds in a row that bring something seldom, after which they count.
const COUNTING: usize = 3;
/// How often a seldom value was seen, at most.
const SELDOM: u32 = 3;
/// Inputs that may be spent in any case; besides, half as many as walks were given.
const FREE: u64 = 1 << 17;
/// Finds that wait for their turn.
const WAITING: usize = 64;

/// Finds whose last turns are to be repeated, and what that has taken.
#[derive(Default)]
pub struct Repeats {
    waiting: Vec<Whole>,
    spent: u64,
}

impl Repeats {
    pub fn add(&mut self, find: Whole) {
        if self.waiting.len() == WAITING {
            self.waiting.remove(0);
        }
        self.waiting.push(find);
    }
}

/// Rounds of one find.
struct Rounds {
    /// From the start of the program through all of them.
    all: Input,
    /// For the walk to where they begin.
    start: Input,
    /// For each of them.
    round: Input,
    /// Input statements of the start and of a round.
    statements: (usize, usize),
    times: usize,
}

impl Campaign<'_> {
    /// The finds that wait, the latest first: what is new about it is most likely to count.
    pub(super) fn repeat_finds(&mut self, hybrid: &mut Hybrid) -> Result<(), EngineError> {
        while hybrid.repeats.spent <= FREE + hybrid.walked / 2
            && self.over().is_none()
            && !(hybrid.brief && self.finds_are_dear(hybrid))
            && let Some(find) = hybrid.repeats.waiting.pop()
        {
            let requested = find.input.objects.len() - self.server.sources().len();
            let all = if requested > 0 { self.rounds_of_turns(&find) } else { self.rounds_of_bytes(&find)? };
            for rounds in all {
                if self.over().is_some() || (hybrid.brief && self.finds_are_dear(hybrid)) {
                    break;
                }
                let begin = self.so_far(hybrid);
                if !self.repeat(hybrid, &rounds)? {
                    self.count(hybrid, &rounds)?;
                }
                hybrid.effort.found(begin, self.so_far(hybrid), false);
                self.say_progress();
            }
        }
        self.walk_cpu = hybrid.server.cpu();
        Ok(())
    }

    /// All rounds at once; whether that was new.
    fn repeat(&mut self, hybrid: &mut Hybrid, rounds: &Rounds) -> Result<bool, EngineError> {
        let statements = rounds.statements.0 + rounds.times * rounds.statements.1;
        hybrid.repeats.spent += statements as u64;
        let whole = Whole { input: rounds.all.clone(), statements };
        let time = self.share_of_timeout(5).filter(|_| hybrid.brief);
        let (sides, run, _) = self.walk_from_start(&whole, time)?;
        let end = run.end;
        let news = end.is_failure() || sides.into_iter().any(|side| !self.coverage.is_covered(side));
        let after = rounds.statements.0 as u32;
        Ok(news && self.found(hybrid, &whole, Origin::Snapshot { after }, end == TOO_LONG)? > 0)
    }

    /// Round by round, for the states they lead to.
    fn count(&mut self, hybrid: &mut Hybrid, rounds: &Rounds) -> Result<(), EngineError> {
        let declared = self.server.sources().len();
        let most = self.share_of_timeout(5).filter(|_| hybrid.brief);
        let walk = Walk { state: true, most, ..Walk::default() };
        let mut whole = Whole { input: rounds.start.clone(), statements: 0 };
        let limits = self.walk_limits(rounds.statements.0);
        let mut leg = hybrid.server.walk(&rounds.start, &limits, walk)?;
        self.counters.executions += 1;
        let (mut seldom, mut common) = (0, 0);
        for done in 0..=rounds.times {
            hybrid.repeats.spent += u64::from(leg.statements);
            whole.statements += leg.statements as usize;
            if done > 0 {
                whole.input.objects.extend_from_slice(&leg.run.requested);
            }
            let Some(cell) = hybrid.server.cell().filter(|_| leg.halt == Some(Halt::Bound)) else { break };
            (seldom, common) = if cell.rarity <= SELDOM { (seldom + 1, 0) } else { (0, common + 1) };
            if done > 0 && seldom >= COUNTING && whole.statements <= super::FAR {
                let (sources, objects) = whole.input.objects.split_at(declared);
                let declared = self.used_up(sources, cell.position);
                let stretch = Stretch { declared, objects: objects.to_vec(), statements: whole.statements };
                hybrid.archive.add(cell, &Chain::start(), stretch, &mut self.rng);
            }
            if common > PATIENCE || self.over().is_some() {
                break;
            }
            let limits = self.walk_limits(rounds.statements.1);
            leg = hybrid.server.walk_on(&rounds.round, &limits, walk)?;
        }
        hybrid.server.end_walk();
        Ok(())
    }

    /// Rounds of one turn, of two, and so on.
    fn rounds_of_turns(&self, find: &Whole) -> Vec<Rounds> {
        let (sources, requested) = find.input.objects.split_at(self.server.sources().len());
        let rounds = |start: &usize| {
            let round = &requested[*start..];
            let times = TIMES.min(MOST_INPUTS / round.len());
            let statements = (requested.len(), round.len());
            let mut all = find.input.clone();
            (0..times).for_each(|_| all.objects.extend_from_slice(round));
            let round = Input { objects: [sources, round].concat() };
            Rounds { all, start: find.input.clone(), round, statements, times }
        };
        turns(requested).iter().rev().take(MOST_TURNS).map(rounds).collect()
    }

    /// Rounds of one line, of two, and so on.
    fn rounds_of_bytes(&mut self, find: &Whole) -> Result<Vec<Rounds>, EngineError> {
        let Some(stream) = self.stream().filter(|&at| !self.server.sources()[at].exact) else { return Ok(vec![]) };
        let bytes = find.input.objects[stream].bytes.clone();
        let room = (self.server.sources()[stream].capacity as usize).min(MOST_INPUTS);
        let mut all = vec![];
        let mut alone = None;
        for start in parts(&bytes) {
            let round = &bytes[start..];
            let times = TIMES.min(room.saturating_sub(bytes.len()) / round.len());
            if times < COUNTING {
                break;
            }
            let mut input = find.input.clone();
            // How many statements a round is shows where it is run to its end; the last one of a run finds that there is no more.
            let before = match alone {
                Some(known) => known,
                None => *alone.insert(self.statements_of(&input)?),
            };
            input.objects[stream].bytes.extend_from_slice(round);
            let after = self.statements_of(&input)?;
            if after <= before || before < 2 {
                continue;
            }
            (1..times).for_each(|_| input.objects[stream].bytes.extend_from_slice(round));
            let statements = (before - 1, after - before);
            all.push(Rounds { all: input.clone(), start: input.clone(), round: input, statements, times });
        }
        Ok(all)
    }

    fn statements_of(&mut self, input: &Input) -> Result<usize, EngineError> {
        let limits = self.walk_limits(super::LONGEST);
        let leg = self.server.walk(input, &limits, Walk::default())?;
        self.counters.executions += 1;
        self.server.end_walk();
        Ok(leg.statements as usize)
    }
}

/// Where the last line begins, the last two, and so on; without lines the last byte, the last two, the last four.
fn parts(bytes: &[u8]) -> Vec<usize> {
    let Some(inside) = bytes.len().checked_sub(1) else { return vec![] };
    if bytes[inside] == b'\n' {
        let behind = bytes[..inside].iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        return behind.chain([0]).take(MOST_TURNS).collect();
    }
    (0..=MOST_TURNS.ilog2()).map(|n| 1 << n).filter(|n| *n <= bytes.len()).map(|n| bytes.len() - n).collect()
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn rounds_are_whole_lines_where_there_are_lines() {
        assert_eq!(parts(b"one\ntwo\nthree\n"), [8, 4, 0]);
        assert_eq!(parts(b"abcde"), [4, 3, 1]);
        assert_eq!(parts(b"\n"), [0]);
        assert!(parts(b"").is_empty());
    }
}
