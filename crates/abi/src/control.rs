//! The fork server's protocol: fixed-size records over two pipes.

/// Which body of the target a run uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Mode {
    Fast = 0,
    Tracking = 1,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CommandKind {
    /// Fork a child that runs the input at offset `arg` of the input region once, in `mode`.
    Run = 1,
    /// Fork a child that loops over the batch in the input region (harness targets only, fast body),
    /// and stays: when the batch is done it stops itself (SIGSTOP) and the server reports `Paused`.
    Batch = 2,
    /// Let the paused batch child go on with the next batch.
    Continue = 3,
    /// End the server.
    Quit = 4,
    /// Fork a child that walks: the tracking body with nothing followed, on the input at offset `arg` and then on
    /// values of its own making. Where it stops, always right before an input statement, it says [`ReplyKind::Snapshot`]
    /// and is a server itself: `Run` forks a child that goes on from that very state, followed from there on;
    /// `Walk` lets it go on itself; `Quit` ends it. The server that forked it hears nothing meanwhile.
    Walk = 5,
    /// To a snapshot whose child is running: end the child.
    Stop = 6,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Command {
    pub kind: u32,
    pub mode: u32,
    pub arg: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ReplyKind {
    /// Sent once, when the server is ready; `status` is `abi::VERSION`, `arg` 1 if the target has a
    /// persistent entry (harness), 0 if it has a plain main.
    Hello = 1,
    /// A child was forked; `pid`. The child leads its own process group.
    Started = 2,
    /// The child is gone; `status` as waitpid gives it.
    Ended = 3,
    /// The batch child stopped itself after a batch.
    Paused = 4,
    /// The server could not do it; `status` = errno.
    Failed = 5,
    /// A walk stands right before an input statement; `status` says why ([`Halt`]), `arg` how many inputs it was given.
    Snapshot = 6,
}

/// Why a walk stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Halt {
    /// It took a side that was not known.
    News = 1,
    /// It has had as many inputs as it was allowed.
    Bound = 2,
    /// Nothing new for as many inputs as it was told.
    Quiet = 3,
    /// There are more threads than one: no copy would be exact.
    Threads = 4,
    /// The program has started processes that have not ended: no copy would have them.
    Processes = 5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Reply {
    pub kind: u32,
    pub pid: i32,
    pub status: i32,
    pub arg: u32,
}

const _: () = assert!(size_of::<Command>() == 16 && size_of::<Reply>() == 16);
