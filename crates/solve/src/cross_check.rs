//! Holds every verdict of the chain against another solver in a process of its own. A model must be a model there too;
//! what cannot hold together here must not hold together there. An answer that does not come is counted and changes
//! nothing; another answer is a fault of ours. Sees queries as they are asked, before any layer has touched them.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use symcrete_process::{Limits, Spawn, SpawnError, Talk};
use symcrete_term::{TermId, Terms, Var, smtlib_name, write_assertions};

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Fault, Model, Query};

/// What the judge may think about one query, and how much longer it is waited for: after that it hangs.
const THINKING: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(10);
const MEMORY: u64 = 4 << 30;
/// Scripts beyond this are not worth the other solver's parser.
const LONGEST_SCRIPT: usize = 16 << 20;
/// Once it has been lost this often in a row it is not started again.
const MOST_LOST: u32 = 20;

/// What became of the comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrossCheckCounters {
    /// Verdicts of the chain that were to be compared; unknown ones are not, and equal ones are compared once.
    pub compared: u64,
    pub agreed: u64,
    /// The other solver gave up, or the query is too long for it.
    pub undecided: u64,
    /// Its answer rests on what standard theories lack: functions of libm, the bits of a NaN.
    pub inexpressible: u64,
    /// It died or did not answer, and was started again.
    pub lost: u64,
}

/// Z3, started when it is first needed and again whenever it is lost.
pub struct Z3 {
    program: PathBuf,
    talk: Option<Talk>,
    /// How often it was lost since it last answered.
    lost_in_a_row: u32,
}

/// What it says.
enum Opinion {
    Sat(Vec<(Var, u64)>),
    Unsat,
    Undecided,
    Lost,
    /// It does not understand the script: the mistake is in the script.
    Complaint(String),
}

impl Z3 {
    /// Starts it once, to see that it is there.
    pub fn start(program: impl Into<PathBuf>) -> Result<Z3, SpawnError> {
        let program = program.into();
        let talk = Some(start(&program)?);
        Ok(Z3 { program, talk, lost_in_a_row: 0 })
    }

    /// The process it runs in now.
    pub fn pid(&self) -> Option<i32> {
        self.talk.as_ref().map(Talk::pid)
    }

    fn ask(&mut self, script: &str, vars: &[Var]) -> Opinion {
        if self.talk.is_none() {
            if self.lost_in_a_row >= MOST_LOST {
                return Opinion::Undecided;
            }
            self.talk = start(&self.program).ok();
        }
        let Some(talk) = &mut self.talk else {
            self.lost_in_a_row += 1;
            return Opinion::Lost;
        };
        match converse(talk, script, vars) {
            Ok(opinion) => {
                self.lost_in_a_row = 0;
                opinion
            }
            Err(_) => {
                self.talk = None;
                self.lost_in_a_row += 1;
                Opinion::Lost
            }
        }
    }
}

fn start(program: &std::path::Path) -> Result<Talk, SpawnError> {
    let mut spawn = Spawn::new(program);
    spawn.args.extend(["-in".into(), "-smt2".into()]);
    spawn.limits = Limits { address_space: Some(MEMORY), ..Limits::default() };
    Talk::start(spawn)
}

fn converse(talk: &mut Talk, script: &str, vars: &[Var]) -> std::io::Result<Opinion> {
    let until = Instant::now() + THINKING + PATIENCE;
    let opening = format!("(reset)\n(set-option :timeout {})\n", THINKING.as_millis());
    for text in [&opening, script, "(check-sat)\n(echo \"over\")\n"] {
        talk.say(text.as_bytes(), until)?;
    }
    let said = answer(talk, until)?;
    match said.lines().next().unwrap_or("") {
        "unsat" => return Ok(Opinion::Unsat),
        "unknown" | "timeout" => return Ok(Opinion::Undecided),
        "sat" => {}
        _ if said.contains("out of memory") || said.contains("canceled") => return Ok(Opinion::Undecided),
        _ => return Ok(Opinion::Complaint(said)),
    }
    if vars.is_empty() {
        return Ok(Opinion::Sat(Vec::new()));
    }
    let mut question = "(get-value (".to_owned();
    vars.iter().for_each(|&var| question.extend([&*smtlib_name(var), " "]));
    question.push_str("))\n(echo \"over\")\n");
    talk.say(question.as_bytes(), until)?;
    let said = answer(talk, until)?;
    let values = vars.iter().map(|&var| Some((var, value_of(&said, &smtlib_name(var))?)));
    Ok(match values.collect() {
        Some(values) => Opinion::Sat(values),
        None => Opinion::Complaint(said),
    })
}

/// All it says up to the agreed end.
fn answer(talk: &mut Talk, until: Instant) -> std::io::Result<String> {
    let mut said = String::new();
    loop {
        let line = talk.line(until)?;
        if line == "over" {
            return Ok(said);
        }
        said.push_str(&line);
        said.push('\n');
    }
}

/// `(name #x41)` or `(name #b0…)` in what it said.
fn value_of(said: &str, name: &str) -> Option<u64> {
    let start = said.find(&format!("({name} #"))? + name.len() + 3;
    let digits = said[start..].split(')').next()?;
    match digits.split_at_checked(1)? {
        ("x", digits) => u64::from_str_radix(digits, 16).ok(),
        (_, digits) => u64::from_str_radix(digits, 2).ok(),
    }
}

pub(crate) struct CrossCheck {
    judge: Z3,
    /// Cores that were compared already: the same reasons come again and again.
    known: FxHashSet<Vec<TermId>>,
    next: Box<dyn SolverLayer>,
}

impl CrossCheck {
    pub(crate) fn new(judge: Z3, next: Box<dyn SolverLayer>) -> CrossCheck {
        CrossCheck { judge, known: FxHashSet::default(), next }
    }

    /// The model, put into the query: is it one there too?
    fn check_model(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>, model: &Model) -> Result<(), Fault> {
        let conditions: Vec<TermId> = query.conditions().collect();
        let values = model.over(query.parent.values);
        let mut script = String::new();
        let _ = write_assertions(&mut script, cx.terms, &conditions);
        cx.evaluator.begin();
        for (term, var) in variables(cx.terms, &conditions) {
            let value = cx.evaluator.eval(cx.terms, term, &values);
            let digits = usize::from(var.width() / 4);
            let _ = writeln!(script, "(assert (= {} #x{value:0digits$x}))", smtlib_name(var));
        }
        cx.counters.cross_check.compared += 1;
        match self.ask(&script, &[]) {
            Opinion::Sat(_) => cx.counters.cross_check.agreed += 1,
            // Whatever the script leaves open only makes it easier to satisfy.
            Opinion::Unsat => return Err(disagreement(cx, "sat", "unsat", script)),
            Opinion::Undecided => cx.counters.cross_check.undecided += 1,
            Opinion::Lost => cx.counters.cross_check.lost += 1,
            Opinion::Complaint(text) => return Err(complaint(text, script)),
        }
        Ok(())
    }

    /// The conditions that are said not to hold together.
    fn check_core(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>, core: &[TermId]) -> Result<(), Fault> {
        let mut sorted = core.to_vec();
        sorted.sort_unstable();
        if !self.known.insert(sorted) {
            return Ok(());
        }
        cx.counters.cross_check.compared += 1;
        let mut script = String::new();
        let loose = write_assertions(&mut script, cx.terms, core).unwrap_or_default();
        let vars: Vec<Var> = variables(cx.terms, core).into_iter().map(|(_, var)| var).collect();
        match self.ask(&script, &vars) {
            Opinion::Unsat => cx.counters.cross_check.agreed += 1,
            Opinion::Sat(values) => {
                let model = Model::new(values);
                let values = model.over(query.parent.values);
                cx.evaluator.begin();
                let holds = core.iter().all(|&condition| cx.evaluator.holds(cx.terms, condition, &values));
                if holds || loose.is_none() {
                    return Err(disagreement(cx, "unsat", "sat", script));
                }
                cx.counters.cross_check.inexpressible += 1;
            }
            Opinion::Undecided => cx.counters.cross_check.undecided += 1,
            Opinion::Lost => cx.counters.cross_check.lost += 1,
            Opinion::Complaint(text) => return Err(complaint(text, script)),
        }
        Ok(())
    }

    fn ask(&mut self, script: &str, vars: &[Var]) -> Opinion {
        if script.len() > LONGEST_SCRIPT {
            return Opinion::Undecided;
        }
        self.judge.ask(script, vars)
    }
}

fn variables(terms: &Terms, conditions: &[TermId]) -> Vec<(TermId, Var)> {
    let order = terms.reachable(conditions).into_iter();
    order
        .filter_map(|id| match terms.get(id) {
            symcrete_term::Term::Variable(_, var) => Some((id, var)),
            _ => None,
        })
        .collect()
}

fn disagreement(cx: &SolveCx<'_>, ours: &'static str, theirs: &'static str, mut script: String) -> Fault {
    script.push_str("(check-sat)\n");
    Fault::Disagreement { layer: cx.answered_by, ours, theirs, script }
}

fn complaint(text: String, mut script: String) -> Fault {
    script.push_str("(check-sat)\n");
    Fault::Script { complaint: text.trim().to_owned(), script }
}

impl SolverLayer for CrossCheck {
    fn name(&self) -> &'static str {
        "cross-check"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        let answer = self.next.solve(cx, query)?;
        match &answer {
            Answer::Sat(model) => self.check_model(cx, query, model)?,
            Answer::Unsat(core) => {
                if let Some(stray) = core.conditions.iter().find(|id| !query.conditions().any(|own| own == **id)) {
                    return Err(Fault::StrayCore { layer: cx.answered_by, condition: *stray });
                }
                self.check_core(cx, query, &core.conditions)?;
            }
            Answer::Unknown(_) => {}
        }
        Ok(answer)
    }

    fn forget_terms(&mut self) {
        self.known.clear();
        self.next.forget_terms();
    }
}
