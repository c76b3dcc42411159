"""Executions per second with two jobs against one: `run --jobs 2` beside `--jobs 1`, in turn.

    python3 bench/jobs.py [--rounds 3] [--seconds 6]

Three kinds of work: random runs in the persistent loop and flips alone (`rss`) on parser.c, and the default strategy on a
program that is forked for each run. Per second of the clock on the wall needs two idle cores; the same figure on a busy
machine is estimated by CPU time: executions per CPU-second with two jobs over those with one, times two, which is the
ratio if each job had a core to itself. The bar is set against the former; which of the two can be trusted follows from
the cores that two jobs really got, printed beside it, and from what two campaigns at once, that share nothing, do
together: no two jobs can be expected to do more than that on the same machine.
"""

import argparse
import concurrent.futures
import json
import statistics

from measure import ROOT, SUBJECTS, Results, interleaved, run, staged_tool, workspace

BAR = 1.7
WORK = {
    "random runs, parser.c, in the loop": [SUBJECTS / "parser.c", "--max-len", 64, "--strategy", "random"],
    "flips, parser.c": [SUBJECTS / "parser.c", "--max-len", 64, "--strategy", "rss"],
    "auto, settings.c, forked": [ROOT / "examples" / "settings.c", "--stdin", 24],
}


def campaign(tool, work, arguments, jobs, seconds, place=""):
    out = work / f"out-{arguments[0].stem}{place}"
    run([tool, "run", *arguments, "--jobs", jobs, "--max-time", f"{seconds}s", "--quiet", "--out", out], accept=(0, 1))
    summary = json.loads((out / "summary.json").read_text())
    wall, cpu, executions = summary["wall_seconds"], summary["cpu_seconds"], summary["executions"]
    return {"per second": executions / wall, "per CPU-second": executions / cpu, "cores": cpu / wall}


def apart(tool, work, arguments, seconds):
    """Two campaigns with one job each, at once."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda place: campaign(tool, work, arguments, 1, seconds, place), ("-left", "-right")))
    return {key: sum(each[key] for each in both) for key in both[0]}


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=3)
    parse.add_argument("--seconds", type=int, default=6, help="by the clock on the wall, of one measurement")
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("jobs")
    for what, arguments in WORK.items():
        measures = {jobs: lambda jobs=jobs: campaign(tool, work, arguments, jobs, options.seconds) for jobs in (1, 2)}
        measures["apart"] = lambda: apart(tool, work, arguments, options.seconds)
        one, two, both = interleaved(measures, options.rounds).values()
        results.detail(what, {"one job": one, "two jobs": two, "two campaigns at once": both})
        ratio = {key: statistics.median(b[key] / a[key] for a, b in zip(one, two)) for key in ("per second", "per CPU-second")}
        cores = statistics.median(each["cores"] for each in two)
        most = statistics.median(b["per second"] / a["per second"] for a, b in zip(one, both))
        results.row(f"executions per second, --jobs 2 / 1: {what}", f"{ratio['per second']:.2f}", f">= {BAR}",
                    ratio["per second"] >= BAR, f"by CPU time {2 * ratio['per CPU-second']:.2f}; two jobs had {cores:.1f} cores; two campaigns at once {most:.2f}")
    results.keep()


if __name__ == "__main__":
    main()
