//! `auto`, the default: flips for coverage, mixed with random runs by what each earns.

use crate::mix::Mix;
use crate::strategy::Strategy;
use crate::uncovered::Uncovered;

pub(crate) fn auto() -> Box<dyn Strategy> {
    Box::new(Mix::new("auto", Box::new(Uncovered::default())))
}
