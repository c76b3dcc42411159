//! Inputs that exist before the search: seeds of the user's, and the tests of an earlier run.

use crate::campaign::{Campaign, EngineError};
use crate::bugs::Identity;
use crate::settings::{Seed, SeedBytes};
use symcrete_abi::input::ValueKind;
use symcrete_event::{InputKind, InputObject, Origin};
use symcrete_exec::{Input, Object, ObjectKind, SourceSpec};

/// Seeds as inputs for the declared sources, with their names.
pub fn inputs(seeds: &[Seed], sources: &[SourceSpec]) -> Vec<(String, Input)> {
    let input = |seed: &Seed| match &seed.bytes {
        SeedBytes::Raw(bytes) => Input::for_sources(sources, [bytes.clone()]),
        SeedBytes::Objects(objects) => from_objects(objects, sources),
    };
    seeds.iter().map(|seed| (seed.name.clone(), input(seed))).collect()
}

/// A test's objects: declared ones in order, then requests.
pub fn from_objects(objects: &[InputObject], sources: &[SourceSpec]) -> Input {
    let declared = objects.iter().filter(|o| o.kind.is_declared()).map(|o| o.bytes.clone());
    let mut input = Input::for_sources(sources, declared);
    for object in objects.iter().filter(|o| !o.kind.is_declared()) {
        let kind = match object.kind {
            InputKind::Signed => ValueKind::Signed,
            InputKind::Unsigned => ValueKind::Unsigned,
            InputKind::Float => ValueKind::Float,
            InputKind::Bool => ValueKind::Bool,
            InputKind::Choice => ValueKind::Choice,
            _ => ValueKind::Bytes,
        };
        let kind = ObjectKind::Requested(kind);
        input.objects.push(Object { name: object.name.clone(), kind, bytes: object.bytes.clone() });
    }
    input
}

impl Campaign<'_> {
    /// Credits what earlier tests cover; they are on disk already and are not reported again.
    pub(crate) fn run_earlier(&mut self) -> Result<(), EngineError> {
        let earlier = &self.settings.earlier;
        for bug in &earlier.bugs {
            self.bugs_seen.insert(Identity { kind: bug.kind, file: bug.file.clone(), line: bug.line });
            self.bug_count = self.bug_count.max(bug.number);
        }
        self.silent = true;
        for (number, objects) in &earlier.tests {
            if self.clock.is_interrupted() {
                break;
            }
            let input = from_objects(objects, self.server.sources());
            self.track(&input, None, Origin::Seed(format!("{number:06}")))?;
            self.counters.tests = self.counters.tests.max(*number);
        }
        self.silent = false;
        Ok(())
    }
}
