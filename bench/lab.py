"""The laboratory's table and its bars: every strategy on random Markov chains, against the exact optimum.

    python3 bench/lab.py [--table FILE] [--seed 20260]

FILE is what `symcrete lab --table1 --json` printed before, to judge it without computing it again (it takes many
minutes: 200 chains x 100 campaigns x 4 sizes x 2 levels x all rows).
"""

import argparse
import json

from measure import Results, run, staged_tool, workspace

# Mean cost over mean optimum at 5, 10, 15 and 20 states.
BARS = {
    "savings": {"L0": [1.30, 1.27, 1.25, 1.21], "L1": [1.38, 1.30, 1.30, 1.28]},
    "savings, told": {"L0": [1.03] * 4, "L1": [1.03] * 4},
    "savings, flip plus one": {"L0": [1.30, 1.28, 1.29, 1.27], "L1": [1.37, 1.29, 1.35, 1.33]},
}
# How much less savings costs than greedy, at least.
AHEAD = {"L0": 0.15, "L1": 0.05}
# Milliseconds of an exact optimum on the average, by states.
TIMES = {20: 1.0, 30: 10.0, 40: 100.0}


def ratios(columns, level, strategy):
    cells = [cell for column in columns if column["level"] == level for cell in column["cells"]]
    return [cell["ratio_of_means"] for cell in cells if cell["strategy"] == strategy]


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--table")
    parse.add_argument("--seed", type=int, default=20260)
    options = parse.parse_args()
    results = Results("lab")
    tool = staged_tool(workspace())

    def lab(*words):
        return json.loads(run([tool, "lab", "--json", "--seed", options.seed, *words]).output)["columns"]

    optima = lab("--states", "20,30,40", "--strategies", "none")
    for states, most in TIMES.items():
        value = max(column["optimum_milliseconds"] for column in optima if column["states"] == states)
        results.row(f"exact optimum, {states} states", f"{value:.2f} ms", f"<= {most:g} ms", value <= most, "the slower level")

    table = json.load(open(options.table))["columns"] if options.table else lab("--table1")
    for strategy, levels in BARS.items():
        for level, bars in levels.items():
            values = ratios(table, level, strategy)
            results.row(f"{level}, mean cost / mean optimum: {strategy}", "/".join(f"{v:.2f}" for v in values),
                        "<= " + "/".join(f"{b:.2f}" for b in bars), all(v <= b for v, b in zip(values, bars, strict=True)))
    for level, least in AHEAD.items():
        pairs = zip(ratios(table, level, "greedy"), ratios(table, level, "savings"), strict=True)
        values = [1 - savings / greedy for greedy, savings in pairs]
        results.row(f"{level}, savings below greedy", "/".join(f"{v:.0%}" for v in values), f">= {least:.0%}", all(v >= least for v in values))
    results.detail("seed", options.seed)
    results.detail("table", table)
    results.detail("optima", optima)
    results.keep()


if __name__ == "__main__":
    main()
