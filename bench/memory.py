"""Engine memory on parser.c: growth over a million random runs, and bytes per path over ten thousand paths.

    python3 bench/memory.py [--runs 1000000] [--paths 10000]

The engine's own resident size (not the program's) is read from the kernel while it works. Two campaigns that differ
only in length are compared, so that start-up, program model and solver are taken off.
"""

import argparse
import json
import subprocess
import time

from measure import SUBJECTS, Failed, Results, staged_tool, workspace

NOISE_KB = 1024  # what an allocator may keep or give back
STRATEGIES = ["generational", "dfs"]


def watched(command, out):
    """Runs a campaign; returns the engine's largest resident size in KB and its summary."""
    child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    largest = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                largest = max([largest, *(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))])
        except FileNotFoundError:
            break
        time.sleep(0.01)
    said = child.communicate()[1].decode(errors="replace")
    if child.returncode not in (0, 1):
        raise Failed(f"{command}: ended with {child.returncode}\n{said[-2000:]}")
    return largest, json.loads((out / "summary.json").read_text())


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--runs", type=int, default=1_000_000)
    parse.add_argument("--paths", type=int, default=10_000)
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("memory")

    def campaign(name, strategy, iterations):
        """The same folder for all campaigns of a name: the second finds the program built."""
        out = work / name
        return watched([tool, "run", SUBJECTS / "parser.c", "--max-len", 64, "--strategy", strategy, "--max-iterations", iterations,
                        "--quiet", "--out", out], out)

    campaign("random", "random", 10)
    sizes = {}
    for iterations in (options.runs // 10, options.runs // 10 + options.runs):
        sizes[iterations], summary = campaign("random", "random", iterations)
    first, last = sizes.values()
    results.detail("random runs, KB", sizes)
    results.row(f"engine memory, growth over {options.runs} random runs", f"{last - first} KB", f"<= {NOISE_KB} KB",
                last - first <= NOISE_KB, f"{last // 1024} MB at the end, {summary['tracked_executions']} paths tracked")

    for strategy in STRATEGIES:
        before, early = campaign(strategy, strategy, options.paths // 10)
        after, late = campaign(strategy, strategy, options.paths)
        paths = late["tracked_executions"] - early["tracked_executions"]
        each = (after - before) / max(1, paths)
        results.detail(f"{strategy}, KB", {early["tracked_executions"]: before, late["tracked_executions"]: after,
                                           "cpu_seconds": late["cpu_seconds"], "iterations": late["iterations"]})
        results.row(f"engine memory for one path, {strategy}", f"{each:.1f} KB", "<= 40 KB", paths > 0 and each <= 40,
                    f"{late['tracked_executions']} paths, {after // 1024} MB")
    results.keep()


if __name__ == "__main__":
    main()
