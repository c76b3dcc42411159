"""One tracking run of a large input, every open side of its path flipped: how many useful inputs, at what cost.

    python3 bench/flips.py [--rounds 5] [parser] [bsort]

An input is useful when a plain -O0 build, watched block by block, leaves the parent's path; two inputs that leave it
at the same point into the same block count once. That is the flipped side after the predicted prefix, one per
(node, side), judged without any of our instrumentation. CPU time is the campaign's own figure (tracking run, solving,
writing; compiling excluded); the whole command's CPU time as the kernel saw it, compiling included, stands beside it
in the details.

Every round writes to a fresh folder, in turn on the disk and in memory. On ext4, creating files shortly after many were
deleted (by anybody) costs extra time in the kernel: up to twice the whole figure. Both rows have the bar; memory shows
the tool, disk what this machine makes of it.
"""

import argparse
import json
import statistics

import inputs
from measure import CLANG, SUBJECTS, Results, run, staged_tool, workspace


def judge_build(work, name):
    program = work / f"{name}-judge"
    subject = work / f"{name}-judge.o"
    run([CLANG, "-O0", "-fsanitize-coverage=trace-pc-guard,no-prune", "-c", SUBJECTS / f"{name}.c", "-o", subject])
    run([CLANG, "-O1", subject, SUBJECTS / "run" / "first_difference.c", "-o", program])
    return program


def useful(judge, seed, tests):
    """Distinct (point where the parent's path was left, block run instead)."""
    places = set()
    for first in range(0, len(tests), 1000):
        for line in run([judge, seed, *tests[first:first + 1000]]).output.splitlines():
            _, common, other = line.rsplit(" ", 2)
            if common != "same":
                places.add((common, other))
    return len(places)


# Inputs per CPU-second asked of the parser, by how conditions are put together (`--solve`).
BARS = {"full": 1000, "auto": 5000}


def generation(tool, out, name, seed, solve):
    """One `--one-generation` into a folder of its own."""
    ran = run([tool, "run", SUBJECTS / f"{name}.c", "--max-len", seed.stat().st_size, "--seeds", seed.parent,
               "--one-generation", "--solve", solve, "--quiet", "--out", out], accept=(0, 1))
    return ran, json.loads((out / "summary.json").read_text()), sorted((out / "tests").glob("*.bin"))


def measured(tool, work, places, name, rounds):
    """Figures of each round, by `--solve` and the place the results were written to; they take turns."""
    seed = work / f"{name}-seed" / name
    seed.parent.mkdir()
    seed.write_bytes(inputs.LARGE[name])
    judge = judge_build(work, name)
    figures = {(solve, place): [] for solve in BARS for place in places}
    for number in range(rounds):
        for solve, place in figures:
            ran, summary, tests = generation(tool, places[place] / f"{name}-{solve}-{number}", name, seed, solve)
            figures[solve, place].append({
                "useful": useful(judge, seed, tests), "tests": len(tests), "cpu_seconds": summary["cpu_seconds"],
                "user_outside": round(ran.user, 3), "system_outside": round(ran.system, 3),
                **{key: summary[key] for key in ("solver_calls", "sat", "unsat", "unknown", "diverged")}})
    return figures


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=5)
    parse.add_argument("names", nargs="*", choices=["parser", "bsort", []])
    options = parse.parse_args()
    work = workspace()
    places = {"disk": work, "memory": workspace("/dev/shm")}
    tool = staged_tool(work)
    results = Results("flips")
    for name in options.names or ["parser", "bsort"]:
        figures = measured(tool, work, places, name, options.rounds)
        results.detail(name, {f"{solve}, {place}": rounds for (solve, place), rounds in figures.items()})
        for (solve, place), rounds in figures.items():
            inputs_made = min(f["useful"] for f in rounds)
            times = sorted(f["cpu_seconds"] for f in rounds)
            seconds = statistics.median(times)
            note = (f"{inputs_made} useful of {rounds[0]['tests'] - 1} inputs, {times[0]:.2f} to {times[-1]:.2f} CPU-s, "
                    f"unknown {rounds[0]['unknown']}, diverged {rounds[0]['diverged']}")
            if name == "parser":
                rate = inputs_made / seconds
                results.row(f"parser, 1 024 bytes, one generation: inputs/CPU-s, {solve}, {place}", f"{rate:.0f}",
                            f">= {BARS[solve]}", rate >= BARS[solve], note)
            else:
                results.row(f"bsort, 30 ints, one generation: inputs, time, {solve}, {place}", f"{inputs_made} {seconds * 1000:.0f} ms",
                            ">=198 <=700ms", inputs_made >= 198 and seconds <= 0.7, note)
    results.keep(partial=bool(options.names))


if __name__ == "__main__":
    main()
