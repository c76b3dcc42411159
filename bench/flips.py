"""One tracking run of a large input, every open side of its path flipped: how many useful inputs, at what cost.

    python3 bench/flips.py [--rounds 5] [parser] [bsort]

An input is useful when a plain -O0 build, watched block by block, leaves the parent's path; two inputs that leave it
at the same point into the same block count once. That is the flipped side after the predicted prefix, one per
(node, side), judged without any of our instrumentation. CPU time is the campaign's own figure (tracking run, solving,
writing; compiling excluded); the whole command's CPU time, seen from outside, stands beside it in the details.
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


def generation(tool, work, name, seed):
    """One `--one-generation --solve full`; the second time over the same folder so that nothing is compiled."""
    out = work / f"{name}-out"
    ran = run([tool, "run", SUBJECTS / f"{name}.c", "--max-len", seed.stat().st_size, "--seeds", seed.parent,
               "--one-generation", "--solve", "full", "--quiet", "--out", out], accept=(0, 1))
    return ran, json.loads((out / "summary.json").read_text()), sorted((out / "tests").glob("*.bin"))


def measured(tool, work, name, rounds):
    seed = work / f"{name}-seed" / name
    seed.parent.mkdir()
    seed.write_bytes(inputs.LARGE[name])
    judge = judge_build(work, name)
    generation(tool, work, name, seed)  # compiles
    figures = []
    for _ in range(rounds):
        ran, summary, tests = generation(tool, work, name, seed)
        figures.append({"useful": useful(judge, seed, tests), "tests": len(tests), "cpu_seconds": summary["cpu_seconds"],
                        "cpu_outside": round(ran.cpu, 3), "solver_seconds": summary["solver_seconds"],
                        **{key: summary[key] for key in ("solver_calls", "sat", "unsat", "unknown", "diverged")}})
    return figures


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=5)
    parse.add_argument("names", nargs="*", choices=["parser", "bsort", []])
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("flips")
    for name in options.names or ["parser", "bsort"]:
        figures = measured(tool, work, name, options.rounds)
        results.detail(name, figures)
        useful_inputs = min(f["useful"] for f in figures)
        seconds = statistics.median(f["cpu_seconds"] for f in figures)
        note = f"{useful_inputs} useful of {figures[0]['tests'] - 1} inputs in {seconds * 1000:.0f} ms CPU; unknown {figures[0]['unknown']}"
        if name == "parser":
            rate = useful_inputs / seconds
            results.row("parser, 1 024 bytes, one generation: inputs per CPU-s", f"{rate:.0f}", ">= 1000", rate >= 1000, note)
        else:
            results.row("bsort, 30 ints, one generation: inputs, CPU time", f"{useful_inputs} {seconds * 1000:.0f} ms", ">=198 <=700ms",
                        useful_inputs >= 198 and seconds <= 0.7, note)
    results.keep(partial=bool(options.names))


if __name__ == "__main__":
    main()
