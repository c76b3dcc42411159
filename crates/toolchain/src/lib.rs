//! The compiler wrapper, builds of a target, doctor.
