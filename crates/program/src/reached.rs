//! Blocks that must have run, judged by covered sides: the block that decided, the one the side leads to, and what
//! follows that without a further decision. Only ever grows.

use crate::{Program, SideId};
use rustc_hash::FxHashMap;

/// Blocks known to have run.
#[derive(Debug, Default)]
pub struct Reached {
    /// By function: a flag for each block.
    blocks: FxHashMap<u32, Vec<bool>>,
}

impl Reached {
    pub fn new() -> Reached {
        Reached::default()
    }

    /// A side was taken: how many blocks are known to have run only now.
    pub fn take(&mut self, program: &Program, side: SideId) -> u32 {
        let (_, decided) = program.side(side);
        let function = program.function_of(side);
        if function.index() >= program.function_count() {
            return 0;
        }
        let (_, model) = program.function(function);
        let flags = self.blocks.entry(function.0).or_insert_with(|| vec![false; model.blocks.len()]);
        let mut new = 0;
        let mut mark = |block: u32, flags: &mut Vec<bool>| match flags.get_mut(block as usize) {
            Some(flag) if !*flag => {
                *flag = true;
                new += 1;
                true
            }
            _ => false,
        };
        mark(decided.block, flags);
        let mut next = program.successor(side);
        // A block that was known has what follows it marked already.
        while let Some(block) = next.filter(|&block| mark(block, flags)) {
            next = match model.blocks[block as usize].successors[..] {
                [only] => Some(only),
                _ => None,
            };
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::{Sketch, blocks};

    #[test]
    fn what_follows_without_a_decision_has_run() {
        let mut sketch = Sketch::new();
        sketch.function("f", &blocks(&[&[1, 2], &[3], &[3], &[4, 5], &[], &[]]));
        let program = sketch.program();
        let mut reached = Reached::new();
        assert_eq!(reached.take(&program, SideId(0)), 3, "0, 1 and 3");
        assert_eq!(reached.take(&program, SideId(0)), 0);
        assert_eq!(reached.take(&program, SideId(1)), 1, "only 2 is new");
        assert_eq!(reached.take(&program, SideId(3)), 1);
    }

    #[test]
    fn a_loop_without_decisions_ends() {
        let mut sketch = Sketch::new();
        sketch.function("f", &blocks(&[&[1, 2], &[1], &[]]));
        assert_eq!(Reached::new().take(&sketch.program(), SideId(0)), 2);
    }
}
