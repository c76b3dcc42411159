"""Vim by its keys: hybrid testing beside its baselines in equal CPU time, and how fast keys are taken.

    python3 bench/vim.py [--cpu 600] [--seeds 5] [--at-once 1] [--walks 12] [coverage keystrokes]

Vim is built whole through its own configure (bench/real/vim.sh, tiny features); what is typed comes from its function
`mch_inchar`. Branches are those of all tests kept, each replayed on a plain build, in functions that any run entered.
Baselines: random = `--strategy random --values uniform`; concolic = `--strategy dfs --max-inputs 10`; `auto` stands beside.
Keystrokes: the native build is plain clang -O2 with the same function replaced by the linker, given the very inputs that
each walk drew; CPU time without what starting takes. Every result is kept with the budget it was measured with.
`--at-once N` has N campaigns at a time, each with a build of Vim of its own; budgets are CPU time.
The staged tool is used where it is, so that Vim is not built anew for each measurement; it must not change meanwhile.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import queue
import re
import statistics
import sys

from measure import BENCH, ROOT, Failed, Results, identity, measured_tool, run

TYPED = ("-u", "NONE", "-i", "NONE", "-n", "-T", "xterm", "--not-a-term")
HOW = {
    "hybrid": ("--strategy", "hybrid"),
    "random": ("--strategy", "random", "--values", "uniform"),
    "concolic": ("--strategy", "dfs", "--max-inputs", 10),
    "auto": ("--strategy", "auto"),
}
# Ratios of branch coverage in the paper on hybrid concolic testing: hybrid to random and to concolic.
PAPER = {"random": 4.5, "concolic": 1.8}
INPUTS = 4000  # of one walk


def staged():
    stage = pathlib.Path(os.environ.get("SYMCRETE_STAGE", ROOT / "target" / "stage"))
    if not (stage / "bin" / "symcrete").exists():
        sys.exit(f"bench: no tool in {stage}; run `make build`, or set SYMCRETE_STAGE to an installed tree")
    return stage


def built(tool):
    """Vim, built with this tool; builds of it are kept between measurements."""
    folder = pathlib.Path(os.environ.get("WORK", ROOT / "target" / "real"))
    env = {"STAGE": str(tool.parent.parent), "WORK": str(folder), "OUT": str(campaigns(folder))}
    run([BENCH / "real" / "vim.sh", "built"], env=env)
    return folder, env


def campaigns(folder, place=0):
    """Where campaigns write, and where Vim is built for them."""
    first = pathlib.Path(os.environ.get("OUT", folder / "vim" / "out"))
    return first.with_name(f"{first.name}-{place}") if place else first


def campaign(tool, folder, what, seed, cpu, place=0):
    out = campaigns(folder, place)
    run([tool, "run", "--target", folder / "vim" / "src" / "vim", "--out", out, "--input-function", "mch_inchar:4", *HOW[what],
         "--seed", seed, "--max-cpu", f"{cpu:g}s", "--timeout", "5s", "--quiet", "--", *TYPED], accept=(0, 1))
    return json.loads((out / "summary.json").read_text())


def p_value(above, below):
    """Two-sided Mann-Whitney, exact: how many ways to deal out all values are at least as far from the middle."""
    ranked = sorted(above + below)
    rank = {v: statistics.fmean(i + 1 for i, w in enumerate(ranked) if w == v) for v in ranked}
    values = [rank[v] for v in above + below]
    middle = len(above) * (len(values) + 1) / 2
    far = abs(sum(values[:len(above)]) - middle)
    deals = [abs(sum(deal) - middle) >= far - 1e-9 for deal in itertools.combinations(values, len(above))]
    return sum(deals) / len(deals)


def coverage(results, tool, options):
    folder, _ = built(tool)
    found = {what: [] for what in HOW}
    seeds = range(1, options.seeds + 1)
    # The pair that is close comes first: a measurement that is broken off has it then.
    wanted = [(seed, what) for pair in (("hybrid", "random"), ("concolic", "auto")) for seed in seeds for what in pair
              if what != "auto" or seed <= options.beside]
    places = queue.SimpleQueue()
    for place in range(options.at_once):
        places.put(place)

    def made(which):
        seed, what = which
        place = places.get()
        summary = campaign(tool, folder, what, seed, options.cpu, place)
        places.put(place)
        return seed, what, summary

    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        for seed, what, summary in pool.map(made, wanted):
            found[what].append(summary)
            print(f"  {what}, seed {seed}: {summary['branches_covered']} branches in {summary['cpu_seconds']:.0f} CPU-s", flush=True)
            results.detail(f"{what}, seed {seed}", {key: summary[key] for key in (
                "branches_covered", "branches_in_touched", "functions_touched", "cpu_seconds", "tests", "executions",
                "tracked_executions", "random_runs", "flips", "time", "peak_memory_mb")} | {"bugs": len(summary["bugs"])})
    covered = {what: [s["branches_covered"] for s in all_] for what, all_ in found.items()}
    share = {what: statistics.median(100 * s["branches_covered"] / max(s["branches_in_touched"], 1) for s in all_)
             for what, all_ in found.items() if all_}
    ours = statistics.median(covered["hybrid"])
    for other, paper in PAPER.items():
        theirs = statistics.median(covered[other])
        p = p_value(covered["hybrid"], covered[other])
        note = (f"hybrid {covered['hybrid']}, {other} {covered[other]}; p = {p:.3f}; ratio {ours / theirs:.2f}, the paper's {paper}; "
                f"of the branches in functions entered {share['hybrid']:.0f} and {share[other]:.0f} %")
        if covered["auto"] and other == "concolic":
            note += f"; auto {covered['auto']}"
        results.row(f"Vim, {options.cpu:g} CPU-s, {options.seeds} seeds: branches, median", f"{ours:g}", f"> {theirs:g} ({other})",
                    ours > theirs and p < 0.05, note)


def keystrokes(results, tool, options):
    folder, env = built(tool)
    tracked = campaigns(folder) / "build" / "tracked" / "program"
    if not tracked.exists():
        campaign(tool, folder, "random", 1, 1)
    run([BENCH / "real" / "vim.sh", "native"], env=env)
    said = run(["cargo", "run", "--release", "--quiet", "-p", "symcrete-exec", "--example", "keystrokes", "--",
                tracked, folder / "vim-native" / "src" / "vim", INPUTS,
                options.walks, *TYPED], cwd=ROOT).output
    walk = float(re.search(r"walk: .* ([0-9.]+) of the plain build", said)[1])
    results.row("random phase on Vim / native build, keystrokes per second", f"{walk:.2f}", ">= 0.4", walk >= 0.4,
                "; ".join(said.split("\n")).strip("; "))


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--cpu", type=float, default=600)
    parse.add_argument("--seeds", type=int, default=5)
    parse.add_argument("--at-once", type=int, default=1, metavar="N")
    parse.add_argument("--beside", type=int, default=1, help="seeds of auto")
    parse.add_argument("--walks", type=int, default=12)
    parse.add_argument("names", nargs="*", metavar="NAME")
    options = parse.parse_args()
    stage = staged()
    tool = stage / "bin" / "symcrete"
    measured_tool.update(identity(stage))
    results = Results("vim")
    groups = {"coverage": coverage, "keystrokes": keystrokes}
    for name in options.names or groups:
        try:
            groups[name](results, tool, options)
        except Failed as why:
            results.row(name, "none", "a figure", False, "failed, see details")
            results.detail(name, str(why))
            print(why)
    if identity(stage) != measured_tool:
        sys.exit("bench: the tool changed while it was measured; nothing is kept")
    results.keep(partial=bool(options.names))


if __name__ == "__main__":
    main()
