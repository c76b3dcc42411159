//! Lists the source-level sides of a target built with `symcrete cc`: what coverage counts.

use symcrete_program::Program;

fn main() {
    let path = std::env::args().nth(1).expect("usage: sides BINARY");
    let bytes = std::fs::read(&path).expect("a readable file");
    let program = Program::from_elf(&bytes).expect("a target built with symcrete cc");
    for (id, unit, side) in program.counted_sides() {
        let function = &program.unit(unit).functions[side.function as usize];
        println!(
            "{} {}:{} {} {:?}",
            id.0,
            program.place(unit, side.location),
            side.location.column,
            function.source_name,
            side.kind
        );
    }
}
