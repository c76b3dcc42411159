"""The first run with all input symbolic, nothing solved, against native -O2.

    python3 bench/first_run.py [--rounds 9]

A campaign of one iteration over one seed (`run --seeds DIR --max-iterations 1`) tracks that seed once. The subject
takes its own CPU time (subjects/run/timed.c), so the fork before the run is left out, and the pages that a first run
touches are not. The same file also tells the time of the untracked runs of that campaign; the tracked one is the
slowest by two orders of magnitude. Native is the warm time of one run, measured in turn with ours.
"""

import argparse
import json
import struct

import bodies
import inputs
from measure import SUBJECTS, Failed, Results, interleaved, median_ratio, run, staged_tool, workspace

BARS = {"parser": 265, "bsort": 950, "sha256": 1000}


def measured(tool, work, name, rounds):
    """CPU nanoseconds of native and tracked first runs, round by round, and the last summary."""
    seed = work / f"{name}-seed" / name
    seed.parent.mkdir()
    seed.write_bytes(inputs.LARGE[name])
    native = bodies.build(tool, work, name)["native"]
    times, out = work / f"{name}.times", work / f"{name}-out"
    flags = f'-DSUBJECT=\\"{SUBJECTS}/{name}.c\\" -DTIMES=\\"{times}\\"'
    campaign = [tool, "run", SUBJECTS / "run" / "timed.c", f"--cflags={flags}", "--max-len", seed.stat().st_size, "--seeds",
                seed.parent, "--max-iterations", 1, "--sandbox", "off", "--quiet", "--out", out]

    def tracked():
        times.unlink(missing_ok=True)
        run(campaign, accept=(0, 1))
        taken = times.read_bytes()
        if json.loads((out / "summary.json").read_text())["tracked_executions"] != 1:
            raise Failed(f"{name}: not one tracked run")
        return max(struct.unpack(f"<{len(taken) // 8}q", taken))

    def plain():
        return float(run([native, seed, 20000]).output.split()[0])

    tracked()  # compiles
    taken = interleaved({"native": plain, "tracked": tracked}, rounds)
    return taken, json.loads((out / "summary.json").read_text())


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=9)
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("first_run")
    for name, bar in BARS.items():
        try:
            taken, summary = measured(tool, work, name, options.rounds)
        except Failed as why:
            results.row(f"first run, all symbolic, {name} / native -O2", "none", f"<= {bar}", False, "failed, see details")
            results.detail(name, str(why))
            continue
        ratio = median_ratio(taken["tracked"], taken["native"])
        results.detail(name, {"nanoseconds": {k: [round(t) for t in v] for k, v in taken.items()}, "lost": summary["lost"],
                              "cpu_seconds_of_the_campaign": summary["cpu_seconds"]})
        middle = sorted(taken["tracked"])[len(taken["tracked"]) // 2]
        results.row(f"first run, all symbolic, {name} / native -O2", f"{ratio:.0f}", f"<= {bar}", ratio <= bar,
                    f"{middle / 1e6:.2f} ms; lost: {len(summary['lost'])} places")
    results.keep()


if __name__ == "__main__":
    main()
