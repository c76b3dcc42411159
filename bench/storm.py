"""The exact optimum of random chains, against the model checker Storm on the plain decision process.

    python3 bench/storm.py [--states 4,5,6,7] [--chains 20]

Needs PyPI's `stormpy` (`pip install stormpy`, best in an environment of its own); says so when it is not there. The
process is written out plainly, as the paper defines it: a state is a set of covered locations, an action a random run or
a solved path, its outcomes are all runs it may become. Nothing of our lumping is used.
"""

import argparse
import json
import sys

from measure import Results, run, staged_tool, workspace

TOLERANCE = 1e-6  # Storm iterates to a relative precision; ours is direct


def outcomes(chain, covered, state):
    """All runs from a state on: sets of locations with their probabilities."""
    found = {}
    stack = [(covered | 1 << state, state, 1.0)]
    while stack:
        covered, state, p = stack.pop()
        edges = chain["states"][state]
        if not edges:
            found[covered] = found.get(covered, 0.0) + p
        for edge in edges:
            if edge["to"] is None:
                found[covered] = found.get(covered, 0.0) + p * edge["probability"]
            else:
                stack.append((covered | 1 << edge["to"], edge["to"], p * edge["probability"]))
    return found


def actions(chain):
    """Random run, and every path from the entry: cost and outcomes."""
    all_actions = [(1.0, outcomes(chain, 0, 0))]
    stack = [(0.0, 1, 0)]
    while stack:
        cost, covered, state = stack.pop()
        for edge in chain["states"][state]:
            if edge["to"] is None:
                continue
            there = (cost + edge["cost"], covered | 1 << edge["to"], edge["to"])
            all_actions.append((there[0], outcomes(chain, there[1], there[2])))
            stack.append(there)
    return all_actions


def storm_optimum(stormpy, chain, place):
    every = (1 << len(chain["states"])) - 1
    moves = actions(chain)
    number, order, rows = {0: 0}, [0], []
    for covered in order:
        choices = []
        for cost, found in moves:
            target = {}
            for more, p in found.items():
                target[covered | more] = target.get(covered | more, 0.0) + p
            for there in target:
                if there not in number:
                    number[there] = len(order)
                    order.append(there)
            # What changes nothing for certain is no choice.
            if set(target) != {covered}:
                choices.append((cost, target))
        rows.append(choices if covered != every else [(0.0, {every: 1.0})])
    lines = ["@type: MDP", "@parameters", "", "@reward_models", "cost", "@nr_states", str(len(order)), "@nr_choices",
             str(sum(map(len, rows))), "@model"]
    for state, choices in enumerate(rows):
        lines.append(f"state {state} [0]" + (" init" if state == 0 else "") + (" done" if order[state] == every else ""))
        for action, (cost, target) in enumerate(choices):
            lines.append(f"\taction {action} [{cost!r}]")
            lines += [f"\t\t{there} : {p!r}" for there, p in sorted((number[t], p) for t, p in target.items())]
    place.write_text("\n".join(lines) + "\n")
    model = stormpy.build_model_from_drn(str(place))
    formula = stormpy.parse_properties('R{"cost"}min=? [F "done"]')[0]
    return stormpy.model_checking(model, formula).get_value(0)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--states", default="4,5,6,7")
    parse.add_argument("--chains", type=int, default=20)
    options = parse.parse_args()
    try:
        import stormpy
    except ImportError as error:
        sys.exit(f"storm: not compared: {error}; `pip install stormpy`")
    work = workspace()
    tool = staged_tool(work)
    results = Results("storm")
    worst, count = 0.0, 0
    drawn = work / "chains.json"
    run([tool, "lab", "--states", options.states, "--chains", options.chains, "--strategies", "none", "--save", drawn])
    for chain in json.loads(drawn.read_text()):
        one = work / "one.json"
        one.write_text(json.dumps(chain))
        ours = json.loads(run([tool, "lab", one, "--strategies", "none", "--json"]).output)["columns"][0]["optimum"]
        worst = max(worst, abs(ours / storm_optimum(stormpy, chain, work / "process.drn") - 1))
        count += 1
    results.row("exact optimum against Storm, largest relative difference", f"{worst:.1e}", f"<= {TOLERANCE:g}", worst <= TOLERANCE,
                f"{count} chains of {options.states} states, both levels")
    results.keep()


if __name__ == "__main__":
    main()
