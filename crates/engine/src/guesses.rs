//! Guesses: inputs with another text at one place, for what cannot be solved for because the text would have to be longer or
//! shorter. How many bytes a number or a word has is decided on the way, so on that path no other length is to be had, however
//! the solver tries. Writing what was wanted in the place of what is there gets there at once. What a program does with its text
//! is not known, so the run goes wherever it goes, it is judged by what it covers, and nothing is proved by it.

use crate::campaign::{Campaign, EngineError};
use crate::clock::own_cpu;
use crate::flip::budget;
use crate::inputs;
use crate::lifted::{Lift, Question, WIDTHS, with_texts};
use crate::numerals;
use crate::wishes::{UNFULFILLED, fulfilled};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use symcrete_abi::layout::Event;
use symcrete_abi::{EventKind, Label, Op};
use symcrete_event::Origin;
use symcrete_exec::{Input, SourceSpec, Trace, Units, Word, value_of};
use symcrete_program::{Program, SideId, SiteId};
use symcrete_search::Outcome;
use symcrete_solve::{Answer, Parent, Query};
use symcrete_term::{Terms, Var};
use symcrete_tree::{Coverage, RunId};

/// Numbers guessed for one side of the program.
const MOST_FOR_A_SIDE: u8 = 24;
/// Numbers solved for, for one side of the program.
const MOST_SOLVED: u8 = 12;
/// Comparisons looked at for one side of the program.
const MOST_LOOKS: u8 = 128;
/// How often a word is written anywhere.
const MOST_OF_A_WORD: u8 = 48;
/// How many guesses wait; the oldest give way.
const WAITING: usize = 64;
/// Nodes that are followed from a value back to the input.
const MOST_NODES: usize = 2_000;

enum What {
    Input(Input),
    /// Numbers of this input that have to be solved for.
    Numbers(Input, Question),
}

struct Guess {
    what: What,
    run: RunId,
    /// What it is for, if that is one side of the program.
    side: Option<SideId>,
}

#[derive(Default)]
struct Tried {
    looks: u8,
    guesses: u8,
    solved: u8,
}

/// After so many guesses in a row that covered nothing, others have one turn more before the next, up to some. Where flips
/// cover more lately, they have as many at once.
const PATIENCE: u32 = 16;
const MOST_PAUSE: u32 = 16;
/// What remains of what was covered, and of how often it was tried, after each try; and what is hoped for before the first.
const FADE: f64 = 0.97;
const HOPE: f64 = 0.25;

/// What tries of one kind cover lately.
#[derive(Default)]
struct Yield {
    gain: f64,
    tries: f64,
}

impl Yield {
    fn note(&mut self, gain: u32) {
        self.gain = FADE * self.gain + f64::from(gain);
        self.tries = FADE * self.tries + 1.0;
    }

    fn each(&self) -> f64 {
        (self.gain + HOPE) / (self.tries + 1.0)
    }
}

/// How often something was written, by object and place.
type Places = FxHashMap<(usize, usize), u8>;

#[derive(Default)]
pub struct Guesses {
    numbers: FxHashMap<SideId, Tried>,
    /// By word: how often it was written, and where.
    words: FxHashMap<Vec<u8>, (u8, Places)>,
    /// What was solved for, by hash: many runs ask the same.
    asked: FxHashSet<u64>,
    waiting: VecDeque<Guess>,
    /// Guesses since one covered something, and turns that others have before the next.
    vain: u32,
    pause: u32,
    guessed: Yield,
    flipped: Yield,
}

/// A run that is over, and what is known of the program.
pub struct Seen<'a> {
    pub trace: Trace<'a>,
    pub units: &'a Units,
    pub program: &'a Program,
    pub coverage: &'a Coverage,
    pub sources: &'a [SourceSpec],
    pub input: &'a Input,
    pub run: RunId,
}

/// Another text at a place of an object.
pub struct Text {
    pub object: usize,
    pub range: Range<usize>,
    pub text: Vec<u8>,
}

/// How a word is written where another one stands.
#[derive(Clone, Copy)]
enum Way {
    Instead,
    /// In a copy of the line, behind it: what the other one did may be needed, too.
    AnotherLine,
    /// In front of it, with what follows it in between.
    Before,
}

impl Way {
    const ALL: [Way; 3] = [Way::Instead, Way::AnotherLine, Way::Before];
}

impl Guesses {
    /// A flip covered so much.
    pub fn note_flip(&mut self, gain: u32) {
        self.flipped.note(gain);
    }

    /// So did a guess.
    fn note(&mut self, gain: u32) {
        self.guessed.note(gain);
        self.vain = if gain > 0 { 0 } else { self.vain + 1 };
        let behind = self.guessed.each() < self.flipped.each();
        self.pause = if behind { MOST_PAUSE } else { (self.vain / PATIENCE).min(MOST_PAUSE) };
    }

    /// Something is new: words that led nowhere may lead somewhere now.
    pub fn start_over(&mut self) {
        self.words.values_mut().for_each(|(times, places)| {
            *times /= 2;
            places.clear();
        });
    }

    /// What could be guessed from a run.
    pub fn collect(&mut self, seen: &Seen<'_>, terms: &mut Terms) {
        for word in seen.trace.words() {
            let Some(text) = seen.respelt(word) else { continue };
            if let Some(way) = self.way_of(&text) {
                self.wait(Guess {
                    what: What::Input(seen.with(placed(seen.bytes(text.object).unwrap_or_default(), text, way))),
                    run: seen.run,
                    side: None,
                });
            }
        }
        let mut lifts = WIDTHS.map(|_| None);
        for (at, event, site) in seen.decisions() {
            for outcome in 0..seen.program.site(site).1.sides.len() {
                let Some(side) = seen.program.side_of(site, outcome).filter(|side| !seen.coverage.is_covered(*side))
                else {
                    continue;
                };
                let tried = self.numbers.entry(side).or_default();
                if tried.looks == MOST_LOOKS {
                    continue;
                }
                tried.looks += 1;
                let mut found = vec![];
                if tried.guesses < MOST_FOR_A_SIDE {
                    let mut texts = numerals::texts(seen, event.label, site, outcome);
                    texts.extend(seen.short_word(event.label));
                    if !texts.is_empty() {
                        let text = texts.swap_remove(usize::from(tried.guesses) % texts.len());
                        tried.guesses += 1;
                        found.push(What::Input(seen.with(text)));
                    }
                }
                if tried.solved < MOST_SOLVED {
                    let which = usize::from(tried.solved) % WIDTHS.len();
                    let lift = lifts[which].get_or_insert_with(|| Lift::new(seen, WIDTHS[which]));
                    let question = lift.as_mut().and_then(|lift| lift.question(at, &event, site, outcome, terms));
                    if let Some(question) = question.filter(|question| self.asked.insert(hash(question))) {
                        tried.solved += 1;
                        found.push(What::Numbers(seen.input.clone(), question));
                    }
                }
                found.into_iter().for_each(|what| self.wait(Guess { what, run: seen.run, side: Some(side) }));
            }
        }
    }

    /// How a word is to be written next at that place; not any more where it was written often enough.
    fn way_of(&mut self, Text { object, range, text }: &Text) -> Option<Way> {
        let (times, places) = self.words.entry(text.clone()).or_default();
        let here = places.entry((*object, range.start)).or_default();
        let way = *Way::ALL.get(usize::from(*here)).filter(|_| *times < MOST_OF_A_WORD)?;
        *times += 1;
        *here += 1;
        Some(way)
    }

    fn wait(&mut self, guess: Guess) {
        if self.waiting.len() == WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(guess);
    }

    /// The latest that is still worth a run.
    fn next(&mut self, coverage: &Coverage) -> Option<Guess> {
        while let Some(guess) = self.waiting.pop_back() {
            if guess.side.is_none_or(|side| !coverage.is_covered(side)) {
                return Some(guess);
            }
        }
        None
    }
}

impl Campaign<'_> {
    /// Runs the latest guess, if there is one; what came of it.
    pub(crate) fn try_a_guess(&mut self) -> Result<Option<Outcome>, EngineError> {
        if self.guesses.pause > 0 {
            self.guesses.pause -= 1;
            return Ok(None);
        }
        let Some(Guess { what, run, side }) = self.guesses.next(&self.coverage) else { return Ok(None) };
        let input = match what {
            What::Input(input) => input,
            What::Numbers(input, question) => match self.with_numbers(&input, run, &question)? {
                Some(input) => input,
                None => return Ok(Some(UNFULFILLED)),
            },
        };
        self.counters.iterations += 1;
        let test = self.test_of_run.get(&(run.0 as usize)).copied().unwrap_or(0);
        let origin = Origin::Flip { test, side: side.map(|side| side.0), optimistic: true };
        let tracked = self.track(&input, None, origin)?;
        self.guesses.note(tracked.gain);
        Ok(Some(fulfilled(tracked.gain)))
    }

    /// The input with the numbers that a question has for an answer.
    fn with_numbers(&mut self, input: &Input, run: RunId, question: &Question) -> Result<Option<Input>, EngineError> {
        let values = |var: Var| question.value(var).unwrap_or_else(|| inputs::value(input, var));
        // Another number than that of the run: the numbers stand for themselves.
        let parent = Parent { run: u64::from(run.0) | 1 << 41, values: &values };
        let query = Query { prefix: &question.prefix, goal: question.goal, parent };
        let budget = budget(1, self.by_clock());
        let begin = own_cpu();
        let answer = self.solver.solve_within(&self.terms, &query, budget);
        self.solver_cpu += own_cpu().saturating_sub(begin);
        let Answer::Sat(model) = answer? else { return Ok(None) };
        let sources = self.server.sources();
        let fit =
            |object: usize, bytes: &mut Vec<u8>| sources.get(object).into_iter().for_each(|source| source.fit(bytes));
        Ok(Some(with_texts(input, question.texts(&model), fit)))
    }
}

fn hash(question: &Question) -> u64 {
    let mut hasher = FxHasher::default();
    (&question.prefix, question.goal).hash(&mut hasher);
    hasher.finish()
}

impl Seen<'_> {
    /// Decisions of the run that may depend on input, with their numbers, and where they are.
    fn decisions(&self) -> impl Iterator<Item = (usize, Event, SiteId)> + '_ {
        let decides = |kind: u8| kind == EventKind::Branch as u8 || kind == EventKind::Switch as u8;
        self.trace
            .events()
            .enumerate()
            .filter(move |(_, event)| event.label != 0 && decides(event.kind))
            .filter_map(|(at, event)| Some((at, event, self.units.site(event.site)?)))
            .filter(|(_, _, site)| *site != SiteId::NONE)
    }

    /// The input with that text in it.
    fn with(&self, Text { object, range, text }: Text) -> Input {
        let mut input = self.input.clone();
        let bytes = &mut input.objects[object].bytes;
        bytes.splice(range, text);
        self.sources[object].fit(bytes);
        input
    }

    /// A word in the place of the one it was compared with.
    fn respelt(&self, Word { first, last, wanted }: Word) -> Option<Text> {
        let place = |label| self.bytes_of(label).into_iter().next();
        let (object, start) = place(first).map(|(object, offsets)| (object, offsets[0]))?;
        let end = match last {
            0 => start,
            _ => place(last).filter(|(of, _)| *of == object)?.1.last()? + 1,
        };
        self.bytes(object).filter(|bytes| start <= end && end <= bytes.len())?;
        Some(Text { object, range: start..end, text: wanted })
    }

    /// The same for a word that the compiler compares as one number, with its end: those of 1, 3 and 7 letters.
    fn short_word(&self, decided_on: Label) -> Option<Text> {
        let node = self.trace.node(decided_on).filter(|node| [Op::Eq as u8, Op::Ne as u8].contains(&node.op))?;
        let [a, b] = [self.trace.node(node.a)?, self.trace.node(node.b)?];
        let size = usize::from(a.width / 8).clamp(1, 8);
        let [have, wanted] = [&a, &b].map(|side| (value_of(side) as u64).to_le_bytes());
        let length = |bytes: [u8; 8]| bytes[..size].iter().position(|byte| *byte == 0).unwrap_or(size);
        if size == 1 || b.op != Op::Const as u8 || length(wanted) != size - 1 || length(have) == size - 1 {
            return None;
        }
        let (object, offsets) = self.bytes_of(node.a).into_iter().next()?;
        let (bytes, start) = (self.bytes(object)?, offsets[0]);
        // Where it does not end here, it goes on as far as words do.
        let rest = || bytes.iter().skip(start + size).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let end = start + length(have) + if length(have) == size { rest() } else { 0 };
        let text = wanted[..size - 1].to_vec();
        (end <= bytes.len()).then_some(Text { object, range: start..end, text })
    }

    /// What the run had of an object whose length may change.
    pub fn bytes(&self, object: usize) -> Option<&[u8]> {
        self.input.objects.get(object).filter(|_| object < self.sources.len()).map(|object| &object.bytes[..])
    }

    /// The bytes of the input that a value was computed from, by object and in order; nothing where that is a long story.
    pub fn bytes_of(&self, label: Label) -> Vec<(usize, Vec<usize>)> {
        let (mut seen, mut work) = (FxHashSet::default(), vec![label]);
        let mut found = FxHashMap::<usize, Vec<usize>>::default();
        while let Some(label) = work.pop() {
            if !seen.insert(label) {
                continue;
            }
            if seen.len() > MOST_NODES {
                return vec![];
            }
            let Some(node) = self.trace.node(label) else { continue };
            match Op::from_u8(node.op) {
                Some(Op::Input) => found.entry(node.a as usize).or_default().push(node.b as usize),
                Some(op) => work.extend([node.a, node.b, node.c].into_iter().take(op.operands())),
                None => {}
            }
        }
        let mut found: Vec<(usize, Vec<usize>)> = found.into_iter().collect();
        found.iter_mut().for_each(|(_, offsets)| offsets.sort_unstable());
        found.sort_unstable();
        found
    }
}

/// The same text, written in one of the ways into what is there.
fn placed(bytes: &[u8], Text { object, range, mut text }: Text, way: Way) -> Text {
    match way {
        Way::Instead => Text { object, range, text },
        Way::AnotherLine => {
            let begin = bytes[..range.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let rest = bytes[range.end..].iter().position(|byte| *byte == b'\n');
            let end = rest.map_or(bytes.len(), |length| range.end + length);
            let line = [b"\n", &bytes[begin..range.start], &text, &bytes[range.end..end]].concat();
            Text { object, range: end..end, text: line }
        }
        Way::Before => {
            text.push(bytes.get(range.end).copied().unwrap_or(b' '));
            Text { object, range: range.start..range.start, text }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8], range: Range<usize>, way: Way) -> String {
        let Text { range, text, .. } = placed(bytes, Text { object: 0, range, text: b"port".to_vec() }, way);
        let mut bytes = bytes.to_vec();
        bytes.splice(range, text);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn words_are_written_instead_behind_and_before() {
        let text = b"[a]\nkey=1\nx=2";
        assert_eq!(
            Way::ALL.map(|way| written(text, 4..7, way)),
            ["[a]\nport=1\nx=2", "[a]\nkey=1\nport=1\nx=2", "[a]\nport=key=1\nx=2",]
        );
        assert_eq!(
            Way::ALL.map(|way| written(text, 10..11, way)),
            ["[a]\nkey=1\nport=2", "[a]\nkey=1\nx=2\nport=2", "[a]\nkey=1\nport=x=2",]
        );
        assert_eq!(Way::ALL.map(|way| written(b"", 0..0, way)), ["port", "\nport", "port "]);
    }

    #[test]
    fn a_word_is_written_to_a_place_in_each_way_once_until_something_is_new() {
        let mut guesses = Guesses::default();
        let ways = |guesses: &mut Guesses, at: usize| {
            let text = Text { object: 0, range: at..at + 1, text: b"port".to_vec() };
            (0..5).filter(|_| guesses.way_of(&text).is_some()).count()
        };
        assert_eq!(ways(&mut guesses, 4), 3);
        assert_eq!(ways(&mut guesses, 9), 3);
        guesses.start_over();
        assert_eq!(ways(&mut guesses, 4), 3);
        let all: usize = (10..100).map(|at| ways(&mut guesses, at)).sum();
        assert_eq!(all, usize::from(MOST_OF_A_WORD) - 6, "two times three, half of them forgotten, and three again");
    }
}
