//! The program model: functions, blocks, sites and sides, as the pass writes them and the engine reads them.
