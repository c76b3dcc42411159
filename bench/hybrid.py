"""Programs that never stop asking: hybrid testing beside its baselines, judged by llvm-cov over the kept tests.

    python3 bench/hybrid.py [--scale 1] [--seeds 5] [--beside 1] [testme rbtree statem fuzzer snapshot]

fuzzer: `auto`, which turns to hybrid testing by itself, beside libFuzzer on statem.c in the same CPU time, two seeds each.

Baselines: random = `--strategy random --values uniform`; concolic = `--strategy dfs --max-inputs 10`; auto, our best
forward strategy. `--scale 0.5` halves every budget (for a look; not kept). `--beside 0.25` gives the baselines of testme.c
and statem.c, which only stand beside and are judged by nothing, a quarter of the time; the notes say how much.
"""

import argparse
import json
import re
import statistics

import llvm_cov
from measure import CLANG, ROOT, SUBJECTS, Failed, Results, run, staged_tool, workspace

HYBRID = ("--strategy", "hybrid")
BASELINES = {
    "random": ("--strategy", "random", "--values", "uniform"),
    "concolic": ("--strategy", "dfs", "--max-inputs", 10),
    "auto": ("--strategy", "auto"),
}
FILES = {"testme": ["testme"], "statem": ["statem"], "rbtree": ["rbdriver", "rbtree"]}
ENTRY = {"testme": "testme", "statem": "serve", "rbtree": "drive"}


def campaign(tool, work, name, how, seed, cpu, until="coverage=100%"):
    """Runs a campaign; returns its folder and its summary."""
    out = work / f"{name}-{how[1]}-{seed}-{cpu:g}"
    run([tool, "run", *(SUBJECTS / f"{f}.c" for f in FILES[name]), "--function", ENTRY[name], *how, "--max-cpu",
         f"{cpu:g}s", "--seed", seed, "--until", until, "--out", out, "--quiet"], accept=(0, 1))
    return out, json.loads((out / "summary.json").read_text())


def coverage_build(work, name):
    program = work / f"{name}-cov"
    if not program.exists():
        flags = ["-O0", "-g", "-fprofile-instr-generate", "-fcoverage-mapping"]
        objects = []
        for file in FILES[name]:
            objects.append(work / f"{file}-cov.o")
            run([CLANG, *flags, "-c", SUBJECTS / f"{file}.c", "-o", objects[-1]])
        run([CLANG, "-O0", f"-DENTRY={ENTRY[name]}", *objects, SUBJECTS / "run" / "asked.c", SUBJECTS / "run" / "files.c",
             "-fprofile-instr-generate", "-o", program])
    return program


def outcomes(work, name, out):
    """Covered and all outcomes, by llvm-cov."""
    folder = work / f"count-{out.name}"
    folder.mkdir()
    program, inputs = coverage_build(work, name), list(llvm_cov.inputs_of(out))
    counted = [llvm_cov.count(folder, file, [(program, inputs)]).outcomes for file in FILES[name]]
    return sum(c for c, _ in counted), sum(t for _, t in counted)


def testme(results, tool, work, seeds, scale, beside):
    times = []
    for seed in range(1, 2 * seeds + 1):
        _, summary = campaign(tool, work, "testme", HYBRID, seed, 60 * scale, "targets")
        times.append(summary["cpu_seconds"] if summary["targets_reached"] else float("inf"))
    middle = statistics.median(times)
    others = []
    for what, how in BASELINES.items():
        _, summary = campaign(tool, work, "testme", how, 1, 60 * scale * beside, "targets")
        reached = f"{summary['cpu_seconds']:.1f} CPU-s" if summary["targets_reached"] else "not reached"
        others.append(f"{what} {reached}")
    note = f"{', '.join(f'{t:.1f}' for t in times)}; {60 * scale * beside:g} CPU-s of {', '.join(others)}"
    results.row("testme.c: target reached, median CPU-s", f"{middle:.1f}", "<= 10", middle <= 10, note)


def statem(results, tool, work, seeds, scale, beside):
    done = {}
    for cpu, bar, targets in ((60, 145, 6), (300, 154, 7)):
        found = []
        for seed in range(1, seeds + 1):
            # What has everything before its time is up has it in more time, too.
            if seed in done:
                found.append(done[seed])
                continue
            out, summary = campaign(tool, work, "statem", HYBRID, seed, cpu * scale)
            found.append((outcomes(work, "statem", out)[0], len(summary["targets_reached"]), summary["cpu_seconds"]))
            if found[-1][0] >= 154 and found[-1][1] >= 7:
                done[seed] = found[-1]
        sides, reached = (statistics.median_low(f[i] for f in found) for i in (0, 1))
        note = "; ".join(f"{s} and {t} ({c:.0f} CPU-s)" for s, t, c in found)
        if cpu == 60:
            note += f"; {cpu * scale * beside:g} CPU-s of" + ",".join(
                f" {what} {baseline(tool, work, 'statem', how, cpu * scale * beside)}" for what, how in BASELINES.items())
        results.row(f"statem.c: outcomes and targets in {cpu} CPU-s", f"{sides} and {reached}", f">= {bar} and {targets}",
                    sides >= bar and reached >= targets, note)


def baseline(tool, work, name, how, cpu):
    out, summary = campaign(tool, work, name, how, 1, cpu)
    return f"{outcomes(work, name, out)[0]} and {len(summary['targets_reached'])}"


def rbtree(results, tool, work, seeds, scale, beside):
    for cpu in (10, 60):
        found = [outcomes(work, "rbtree", campaign(tool, work, "rbtree", HYBRID, seed, cpu * scale)[0])
                 for seed in range(1, seeds + 1)]
        middle, total = statistics.median_low(f[0] for f in found), found[0][1]
        others = {what: int(baseline(tool, work, "rbtree", how, cpu * scale).split()[0])
                  for what, how in BASELINES.items() if cpu == 10}
        note = "; ".join([f"{[f[0] for f in found]}", *(f"{w} {n}" for w, n in others.items())])
        above = max((others.get(w, 0) for w in ("random", "concolic")), default=0)
        bar = f"> {above} (both baselines)" if cpu == 10 else f"{total}"
        results.row(f"rbdriver.c, rbtree.c: outcomes of {total} in {cpu} CPU-s", f"{middle}", bar,
                    middle > above if cpu == 10 else middle == total, note)


def fuzzer(results, tool, work, seeds, scale, beside):
    cpu = 120 * scale
    fuzzed = work / "statem-fuzzer"
    run([CLANG, "-O2", "-fsanitize=fuzzer", "-DENTRY=serve", SUBJECTS / "statem.c", SUBJECTS / "run" / "asked.c", "-o", fuzzed])
    ours, theirs = [], []
    for seed in (1, 2):
        out, summary = campaign(tool, work, "statem", BASELINES["auto"], seed, cpu)
        ours.append((outcomes(work, "statem", out)[0], summary["cpu_seconds"]))
        corpus, folder = work / f"corpus-{seed}", work / f"count-fuzzer-{seed}"
        corpus.mkdir(), folder.mkdir()
        # Its own clock is the wall's, so the kernel ends it.
        run(["prlimit", f"--cpu={round(cpu)}", fuzzed, f"-seed={seed}", "-max_len=4096", "-verbosity=0", f"-artifact_prefix={work}/", corpus],
            accept=range(-64, 256))
        counted = llvm_cov.count(folder, "statem", [(coverage_build(work, "statem"), [path.read_bytes() for path in corpus.iterdir()])])
        theirs.append(counted.outcomes[0])
    results.row(f"statem.c, {cpu:g} CPU-s: outcomes of auto", f"{min(c for c, _ in ours)}", f"> {max(theirs)} (libFuzzer)",
                min(c for c, _ in ours) > max(theirs), "; ".join(f"{c} in {t:.1f} CPU-s" for c, t in ours) + f"; libFuzzer {theirs}")


def snapshot(results, tool, work, seeds, scale, beside):
    target = work / "heap"
    run([tool, "cc", "-O2", SUBJECTS / "heap.c", "-o", target])
    said = run(["cargo", "run", "--release", "--quiet", "-p", "symcrete-exec", "--example", "snapshot", "--", target],
               cwd=ROOT).output
    times = [float(x) for x in re.findall(r"[0-9.]+", said)]
    results.row("a run from a snapshot, 64 MB heap: ms of CPU time", f"{times[0]:.2f}", "<= 2", times[0] <= 2, said.strip())


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--scale", type=float, default=1)
    parse.add_argument("--seeds", type=int, default=5)
    parse.add_argument("--beside", type=float, default=1)
    parse.add_argument("names", nargs="*", metavar="NAME")
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("hybrid")
    groups = {"testme": testme, "rbtree": rbtree, "statem": statem, "fuzzer": fuzzer, "snapshot": snapshot}
    for name in options.names or groups:
        try:
            groups[name](results, tool, work, options.seeds, options.scale, options.beside)
        except Failed as why:
            results.row(name, "none", "a figure", False, "failed, see details")
            results.detail(name, str(why))
    results.keep(partial=bool(options.names) or options.scale != 1)


if __name__ == "__main__":
    main()
