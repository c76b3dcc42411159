"""Branch outcomes reached by `symcrete run` within a budget of CPU time, judged by llvm-cov over the kept tests.

    python3 bench/coverage.py [--cpu 20] [--seeds 1,2,3] [NAME...]

Every subject runs once with each seed; the median counts, all are shown, for luck and load have a part in it. A
campaign may stop early when it believes everything is covered; llvm-cov has the last word.
"""

import argparse
import json
import statistics

import llvm_cov
from measure import SUBJECTS, CLANG, Failed, Results, run, staged_tool, workspace

INT, FLOAT = "int", "float"


class Subject:
    """bar: outcomes as llvm-cov counts them. Either a buffer of max_len bytes, or functions with their parameters."""

    def __init__(self, total, bar, max_len=None, functions=None, native=()):
        self.total, self.bar, self.max_len, self.functions, self.native = total, bar, max_len, functions or {}, native


SUBJECT = {
    "parser": Subject(210, 200, max_len=64),
    "bsort": Subject(26, 24, max_len=120),
    "matmul": Subject(44, 44, max_len=32),
    "crc32": Subject(26, 26, max_len=64),
    "tokens": Subject(134, 133, max_len=40),
    "subst": Subject(126, 126, max_len=20),
    "gcd": Subject(30, 30, functions={"gcd": (INT, INT)}),
    "sqrt": Subject(14, 14, functions={"integer_sqrt": (INT,)}),
    "prime": Subject(26, 26, functions={"is_prime": (INT,)}),
    "factor": Subject(38, 38, functions={"factor_report": (INT,)}),
    "trityp": Subject(34, 34, functions={"trityp": (INT, INT, INT)}),
    "narrow": Subject(4, 4, functions={"narrow": (INT,)}),
    "fig1": Subject(12, 12, functions={"myfunc": (INT, INT), "myfunc2": (INT,)}),
    "dart": Subject(4, 4, functions={"dart1": (INT, INT), "dart2": (FLOAT,)}, native=("dart_native",)),
}


def campaign(tool, work, name, subject, seed, cpu, tag=""):
    """One subject within the budget (shared evenly by its functions). Returns the count and the summaries."""
    folder = work / f"{name}-{seed}{tag}"
    folder.mkdir()
    objects = []
    for native in subject.native:
        objects.append(folder / f"{native}.o")
        run([CLANG, "-O2", "-c", SUBJECTS / f"{native}.c", "-o", objects[-1]])
    ways = list(subject.functions) or [None]
    replays, summaries = [], []
    for function in ways:
        out = folder / f"out-{function or 'buffer'}"
        how = ["--function", function] if function else ["--max-len", subject.max_len]
        run([tool, "run", SUBJECTS / f"{name}.c", *objects, *how, "--max-cpu", f"{cpu / len(ways):g}s", "--seed", seed,
             "--until", "coverage=100%", "--out", out, "--quiet"], accept=(0, 1))
        program = llvm_cov.coverage_build(folder, name, function, subject.functions.get(function, ()), subject.native)
        replays.append((program, list(llvm_cov.inputs_of(out))))
        summaries.append(json.loads((out / "summary.json").read_text()))
    return llvm_cov.count(folder, name, replays), summaries


def measured(results, tool, work, name, seeds, cpu):
    """One row: the subject under each seed."""
    subject, counts, spent = SUBJECT[name], [], []
    for seed in seeds:
        counted, summaries = campaign(tool, work, name, subject, seed, cpu)
        counts.append(counted.outcomes[0])
        spent.append(sum(s["cpu_seconds"] for s in summaries))
        results.detail(f"{name}, seed {seed}", {
            "outcomes": counted.outcomes, "sides": counted.sides,
            "own_count": [s["branches_covered"] for s in summaries], "own_total": [s["branches_total"] for s in summaries],
            "cpu_seconds": [s["cpu_seconds"] for s in summaries], "executions": [s["executions"] for s in summaries],
            "diverged": [s["diverged"] for s in summaries], "tests": [s["tests"] for s in summaries],
            "missing": counted.missing[:40]})
        if counted.outcomes[1] != subject.total:
            raise Failed(f"llvm-cov finds {counted.outcomes[1]} outcomes, not {subject.total}")
    middle = statistics.median_low(counts)
    note = f"seeds {seeds}: {counts}, {', '.join(f'{c:.1f}' for c in spent)} CPU-s used"
    results.row(f"{name}: outcomes in {cpu:g} CPU-s", f"{middle} of {subject.total}", f">= {subject.bar}", middle >= subject.bar, note)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--cpu", type=float, default=20, help="CPU seconds for each subject")
    parse.add_argument("--seeds", default="1,2,3")
    parse.add_argument("names", nargs="*", metavar="NAME")
    options = parse.parse_args()
    seeds = [int(s) for s in options.seeds.split(",")]
    work = workspace()
    tool = staged_tool(work)
    # Parts are kept beside the whole, under their names.
    results = Results("_".join(["coverage", *options.names]))
    for name in options.names or SUBJECT:
        try:
            measured(results, tool, work, name, seeds, options.cpu)
        except Failed as why:
            results.row(f"{name}: outcomes in {options.cpu:g} CPU-s", "none", f">= {SUBJECT[name].bar}", False, "failed, see details")
            results.detail(name, str(why))
    results.keep()


if __name__ == "__main__":
    main()
