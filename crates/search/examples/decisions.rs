//! What a decision of `savings` costs on a large program: 10^5 blocks, cold and amortised over a campaign that finds
//! something new every few steps. Prints milliseconds of this thread's own time, so a busy machine changes little; judges
//! nothing.
//!
//!     cargo run --release -p symcrete-search --example decisions [BLOCKS] [greedy|savings]

use symcrete_program::{
    Block, Call, Function, Location, Program, Side, SideId, SideKind, Site, SiteId, SiteKind, Unit,
};
use symcrete_search::{Ended, Options, Outcome, Step, View, below, seeded, strategy};
use symcrete_term::{Terms, Var};
use symcrete_tree::{Coverage, Kind, Path, RunId, Step as Decision, Tree, UnitCost, Visits};

/// Blocks of one function.
const FUNCTION: usize = 100;
/// Decisions of one run, at most.
const LONGEST: usize = 400;

/// Functions of blocks with two ways on, mostly ahead and sometimes back; each function calls two others.
fn program(blocks: usize, rng: &mut symcrete_search::Rng) -> Program {
    let mut unit = Unit { files: vec!["large.c".into()], ..Unit::default() };
    let count = blocks.div_ceil(FUNCTION);
    for number in 0..count {
        let first_side = unit.sides.len() as u32;
        let body = (0..FUNCTION as u32).map(|at| {
            let last = FUNCTION as u32 - 1;
            let near = |rng: &mut _| at + 1 + below(rng, 4.min((last - at) as usize)) as u32;
            let mut block = Block::default();
            match at {
                _ if at == last => {}
                _ if at % 2 == 1 => block.successors = vec![near(rng)],
                _ => {
                    let back = at > 8 && below(rng, 12) == 0;
                    block.successors = vec![near(rng), if back { at - 6 } else { near(rng) }];
                    let decision = unit.sides.len() as u32;
                    for kind in [SideKind::False, SideKind::True] {
                        let location = Location::default();
                        unit.sides.push(Side {
                            kind,
                            function: number as u32,
                            block: at,
                            location,
                            decision,
                            folded: false,
                        });
                    }
                    block.sides = vec![Some(decision), Some(decision + 1)];
                    let sides = block.sides.clone();
                    let function = number as u32;
                    unit.sites.push(Site { kind: SiteKind::Branch, function, location: Location::default(), sides });
                }
            }
            if (at == 11 || at == 41) && number + 1 < count {
                let callee = (2 * number + 1 + usize::from(at == 41)).min(count - 1);
                block.calls.push(Call::Direct(format!("f{callee}")));
            }
            block
        });
        let blocks = body.collect();
        let name = if number == 0 { "main".to_string() } else { format!("f{number}") };
        let sides = first_side..unit.sides.len() as u32;
        unit.functions.push(Function::of_blocks(name, blocks, sides));
    }
    let mut program = Program::default();
    program.push(unit);
    program
}

/// What this thread has used so far, in milliseconds.
fn now() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec, which is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let blocks: usize = arguments.get(1).map_or(100_000, |text| text.parse().expect("a number of blocks"));
    let name = arguments.get(2).map_or("savings", String::as_str);
    let mut rng = seeded(3);
    let program = program(blocks, &mut rng);
    let (mut tree, mut coverage, mut visits, mut terms) = (Tree::new(), Coverage::new(), Visits::new(), Terms::new());
    let mut search = strategy(name, &Options::default()).expect("one of ours");
    let cost = UnitCost(10.0);
    let sites = program.site_count();
    let (mut once, mut cold, mut warm, mut decisions, mut worst, mut run) =
        (0.0f64, 0.0f64, 0.0f64, 0u32, 0.0f64, 0u32);
    let mut step = Step::RunRandom { runs: 1 };
    for number in 0..3000 {
        // A run that passes some decisions of the program; each time through another part.
        let mut path = Path::default();
        let start = below(&mut rng, sites);
        let mut gain = 0;
        let flipped = if let Step::Flip(side) = &step { Some(*side) } else { None };
        let prefix = flipped.map(|side| [tree.prefix(side.node), vec![side]].concat()).unwrap_or_default();
        for place in 0..LONGEST {
            let (site, taken) = match prefix.get(place) {
                Some(side) => (tree.site(side.node), side.side),
                None => (SiteId(((start + place * 7) % sites) as u32), u32::from(below(&mut rng, 20) == 0)),
            };
            let byte = terms.var(Var::Byte { object: 0, offset: place as u32 });
            let subject = terms.extract(byte, 0, 1);
            let condition = if taken == 1 { subject } else { terms.not(subject) };
            path.steps.push(Decision { site, kind: Kind::Branch, taken, subject, condition });
            let side: Option<SideId> = program.side_of(site, taken as usize);
            gain += side.map_or(0, |side| u32::from(coverage.cover(side)));
        }
        run += 1;
        visits.count(&path, 0, flipped.is_none());
        tree.insert(&path, RunId(run), flipped);
        let view = View::new(&tree, &program, &coverage, &visits, &cost);
        let begin = now();
        search.done(&view, &step, &Outcome { ended: Ended::Ran, leaf: None, runs: 1, gain, news: 0, cost: 1.0 });
        let between = now();
        step = search.next(&view, &mut rng);
        let spent = now() - begin;
        match number {
            0 => (once, cold) = (between - begin, now() - between),
            _ => {
                warm += spent;
                decisions += 1;
                worst = worst.max(spent);
            }
        }
    }
    println!("{name}, {blocks} blocks, {sites} decisions, {} nodes in the tree", tree.len());
    println!("  graph, dominators, prices, once: {once:.1} ms; the first decision: {cold:.1} ms");
    println!("  amortised over {decisions} decisions: {:.3} ms, largest {worst:.1} ms", warm / f64::from(decisions));
    println!("  {}", if coverage.sides().len() > 100 { "much was covered on the way" } else { "little was covered" });
}
