//! SIGINT and SIGTERM: the first one asks the engine to stop, a second one ends the process at once.

use crate::exit;
use crate::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set when the campaign is to stop.
pub fn flag() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

pub fn handle(flag: &Arc<AtomicBool>) -> Result<(), Failure> {
    for signal in [SIGINT, SIGTERM] {
        // Order matters: the shutdown looks at the flag before it is set.
        let code = i32::from(exit::INTERRUPTED.0);
        let registered = signal_hook::flag::register_conditional_shutdown(signal, code, flag.clone())
            .and_then(|_| signal_hook::flag::register(signal, flag.clone()));
        registered.map_err(refused)?;
    }
    Ok(())
}

/// The same where something has to be put right before the process ends: more than a handler of signals may do, so a
/// thread waits for them.
pub fn handle_with(flag: &Arc<AtomicBool>, way_out: impl Fn() + Send + 'static) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(refused)?;
    let flag = Arc::clone(flag);
    let wait = move || {
        for _ in signals.forever() {
            if flag.swap(true, Ordering::Relaxed) {
                way_out();
                end();
            }
        }
    };
    std::thread::Builder::new().name("symcrete-signals".into()).spawn(wait).map(drop).map_err(refused)
}

/// Ends the process as the second signal does.
pub fn end() {
    std::process::exit(i32::from(exit::INTERRUPTED.0));
}

fn refused(error: io::Error) -> Failure {
    Failure { exit: exit::FAULT, message: format!("signals cannot be handled: {error}"), diagnostics: Vec::new() }
}
