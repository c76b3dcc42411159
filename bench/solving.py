"""The solver chain: how little reaches the core, what the chain wins over it, and what partial path constraints win.

    python3 bench/solving.py [--only chain,ippc,auto,growth,table2] [--iterations 300] [--rounds 3]

chain    every flip of one run (`--one-generation`: the queries do not depend on answers), all layers against slices
         handed straight to Bitwuzla (`--layers slice --solve full`), both within the same budget for a query; CPU time of
         the solver as the summary has it
ippc     `dfs` with `--layers none`, `--solve full` against `--solve ippc --ippc-learn first`: CPU time of prime and factor,
         and conditions per call of the core over all units
auto     `dfs` with all layers, `--solve full` against `--solve auto`, CPU time of the whole campaign
growth   conditions per call of the core while paths grow tenfold: bsort.c with more numbers, a loop over a long buffer
table2   the form of the paper's second table: calls, mean size, outcomes and time of DFS, RND and DFS with IPPC at three
         iteration counts
"""

import argparse
import json
import statistics

import inputs
from coverage import SUBJECT
from measure import SUBJECTS, Failed, Results, run, staged_tool, workspace

UNITS = ["gcd", "bsort", "sqrt", "prime", "factor", "subst", "tokens"]
LOOP = """
#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  int open = 0;
  for (size_t i = 0; i < size; i++) {
    if (data[i] == '(') open++;
    else if (data[i] == ')') open--;
    if (i > 0 && data[i] < data[i - 1]) open ^= 1;
  }
  return open;
}
"""


def campaign(tool, work, source, *options):
    """One campaign; its summary."""
    campaign.number += 1
    out = work / f"out-{campaign.number}"
    run([tool, "run", source, *options, "--quiet", "--out", out], accept=(0, 1))
    return json.loads((out / "summary.json").read_text())


campaign.number = 0


def unit(name):
    """The source and how its input is declared."""
    subject = SUBJECT[name]
    how = ["--function", next(iter(subject.functions))] if subject.functions else ["--max-len", subject.max_len]
    return SUBJECTS / f"{name}.c", how


def per_call(summary):
    core = summary["layers"].get("bitwuzla", {"calls": 0, "conditions": 0})
    return core["conditions"] / core["calls"] if core["calls"] else None


def seeded(work, name, data):
    folder = work / f"seed-{name}"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    return ["--max-len", len(data), "--seeds", folder, "--one-generation"]


def chain(results, tool, work, options):
    for name in ("parser", "bsort"):
        how = seeded(work, name, inputs.LARGE[name])
        ratios, shares, rates = [], [], []
        for _ in range(options.rounds):
            with_all = campaign(tool, work, SUBJECTS / f"{name}.c", *how)["queries"]
            alone = campaign(tool, work, SUBJECTS / f"{name}.c", *how, "--layers", "slice", "--solve", "full")["queries"]
            rates.append((with_all["distinct"] / with_all["cpu_seconds"], alone["distinct"] / alone["cpu_seconds"]))
            ratios.append(rates[-1][0] / rates[-1][1])
            shares.append(100 * with_all["to_core"] / with_all["distinct"])
        results.detail(f"chain {name}", {"rates": rates, "shares": shares})
        ratio, share = statistics.median(ratios), max(shares)
        results.row(f"{name}: distinct queries per CPU-s, chain / sliced Bitwuzla", f"{ratio:.1f}", ">= 3", ratio >= 3,
                    f"{rates[-1][0]:.0f} and {rates[-1][1]:.0f} per CPU-s")
        results.row(f"{name}: share of distinct queries that reach Bitwuzla", f"{share:.1f} %", "<= 20 %", share <= 20)


def ippc(results, tool, work, options):
    sizes = {"full": [], "ippc": []}
    limit = ["--strategy", "dfs", "--layers", "none", "--max-iterations", options.iterations]
    for name in UNITS:
        source, how = unit(name)
        times = {"full": [], "ippc": []}
        for _ in range(options.rounds):
            # Sizes are the same in every round: limits are counted in steps.
            full = campaign(tool, work, source, *how, *limit, "--solve", "full")
            part = campaign(tool, work, source, *how, *limit, "--solve", "ippc", "--ippc-learn", "first")
            times["full"].append(full["cpu_seconds"])
            times["ippc"].append(part["cpu_seconds"])
        if per_call(full) and per_call(part):
            sizes["full"].append(per_call(full))
            sizes["ippc"].append(per_call(part))
        ratio = statistics.median(a / b for a, b in zip(times["full"], times["ippc"]))
        results.detail(f"ippc {name}", {"times": times, "conditions": [per_call(full), per_call(part)],
                                        "coverage": [full["branches_covered"], part["branches_covered"]]})
        if name in ("prime", "factor"):
            results.row(f"{name}: time of full / ippc first, no layers", f"{ratio:.1f}", ">= 5", ratio >= 5,
                        f"medians {statistics.median(times['full']):.2f} and {statistics.median(times['ippc']):.2f} CPU-s")
    ratio = statistics.fmean(sizes["full"]) / statistics.fmean(sizes["ippc"])
    results.row("mean conditions per solver call, full / ippc, all units", f"{ratio:.1f}", ">= 10", ratio >= 10,
                f"{statistics.fmean(sizes['full']):.1f} and {statistics.fmean(sizes['ippc']):.1f}")


def auto(results, tool, work, options):
    ratios = []
    for name in ("gcd", "sqrt", "bsort", "tokens", "subst"):
        source, how = unit(name)
        limit = ["--strategy", "dfs", "--max-iterations", options.iterations]
        pairs = []
        for _ in range(options.rounds):
            pairs.append([campaign(tool, work, source, *how, *limit, "--solve", mode)["cpu_seconds"] for mode in ("full", "auto")])
        ratio = statistics.median(full / own for full, own in pairs)
        ratios.append(ratio)
        results.detail(f"auto {name}", pairs)
        results.row(f"{name}: time of full / auto, all layers", f"{ratio:.2f}", ">= 0.95", ratio >= 0.95)
    mean = statistics.fmean(ratios)
    results.row("the same on the average", f"{mean:.2f}", "> 1", mean > 1)


def growth(results, tool, work, options):
    loop = work / "loop.c"
    loop.write_text(LOOP)
    for name, source, small, large in (("bsort.c, 50 to 145 ints", SUBJECTS / "bsort.c", 200, 580), ("a loop, 330 to 3 300 bytes", loop, 330, 3300)):
        sizes = []
        for count in (small, large):
            data = bytes((i * 37 + 11) % 251 for i in range(count))
            summary = campaign(tool, work, source, *seeded(work, f"{count}", data))
            sizes.append((per_call(summary), summary["solver_calls"]))
        results.detail(f"growth {name}", sizes)
        if None in (sizes[0][0], sizes[1][0]):
            # What never reaches the core does not grow there.
            results.row(f"conditions per call of the core, {name}", "none asked", "<= 10 %", True)
            continue
        grown = 100 * (sizes[1][0] / sizes[0][0] - 1)
        results.row(f"conditions per call of the core, {name}: growth", f"{grown:.0f} %", "<= 10 %", grown <= 10,
                    f"{sizes[0][0]:.1f} and {sizes[1][0]:.1f} at {sizes[0][1]} and {sizes[1][1]} flips")


def table2(results, tool, work, options):
    """Printed, not judged: the paper's figures are of another machine and front end."""
    counts = [options.iterations // 10, options.iterations // 3, options.iterations]
    print(f"{'unit':<8}{'iterations':>11}" + "".join(f"{name:>36}" for name in ("DFS", "RND", "DFS + IPPC")))
    print(f"{'':<19}" + f"{'calls   size   outcomes   CPU-s':>36}" * 3)
    for name in UNITS:
        source, how = unit(name)
        for count in counts:
            cells = []
            for words in (["--strategy", "dfs", "--solve", "full"], ["--strategy", "random-branch", "--solve", "full"],
                          ["--strategy", "dfs", "--solve", "ippc", "--ippc-learn", "first"]):
                s = campaign(tool, work, source, *how, *words, "--layers", "none", "--max-iterations", count)
                calls = s["layers"].get("bitwuzla", {"calls": 0})["calls"]
                cells.append([calls, round(per_call(s) or 0, 1), s["branches_covered"], s["branches_total"], s["cpu_seconds"]])
            results.detail(f"table2 {name} {count}", cells)
            print(f"{name:<8}{count:>11}" + "".join(f"{c[0]:>14}{c[1]:>8}{c[2]:>5}/{c[3]:<3}{c[4]:>6.2f}" for c in cells), flush=True)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--only", default="chain,ippc,auto,growth,table2")
    parse.add_argument("--iterations", type=int, default=300)
    parse.add_argument("--rounds", type=int, default=3)
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("solving")
    parts = {"chain": chain, "ippc": ippc, "auto": auto, "growth": growth, "table2": table2}
    wanted = options.only.split(",")
    for part in wanted:
        try:
            parts[part](results, tool, work, options)
        except Failed as why:
            results.row(part, "none", "", False, "failed, see details")
            results.detail(part, str(why))
            print(why)
    results.keep(partial=set(wanted) != set(parts))


if __name__ == "__main__":
    main()
