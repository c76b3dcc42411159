"""Lines of real programs that a campaign left uncovered, asked of `symcrete reach`.

    python3 bench/drawn.py [--lines 100] [--cpu 60] [--campaign 60] [--seed 1] [--programs expat,grep,gsl] [--together] [--at-once 1]

A campaign of `auto` on expat, on grep's matcher and on each of the twenty functions of GSL (--campaign CPU seconds each). Of the
lines it left uncovered in functions that the entry's call graph has, a seeded draw; each is asked with --cpu seconds and the
campaign's tests to begin with. A line that is called unreachable must not be run by any input that one more campaign finds, with
another seed and the time of both together; that campaign also says what `auto` gets with as much more time: it does not know the
lines, so one for all of them is what each would get. With --together all lines of a program are
asked in one command with the time of all of them: the campaign's tests are run once, and what is searched forwards is searched
for all that are open. With --campaigns FOLDER what the campaigns left is kept there, and what is there already is not made again:
the same lines for another build.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import shutil
import subprocess

import floats
import programs
import search
from measure import CLANG, SUBJECTS, Failed, Results, run, staged_tool, workspace

ENTRY = "LLVMFuzzerTestOneInput"


def called(sources, flags):
    """Functions that can be called from the entry: all names a function or a table mentions, followed to the end."""
    mentions = collections.defaultdict(set)
    for source in sources:
        text = run([CLANG, "-O0", "-g", "-S", "-emit-llvm", "-w", *flags, source, "-o", "-"]).output
        # Two files may have a function of one name; then both count.
        where = None
        for line in text.splitlines():
            start = re.match(r"define .*?@([\w.$]+)\(", line) or re.match(r"@([\w.$]+) = ", line)
            if start:
                where = start.group(1)
            if where:
                mentions[where].update(re.findall(r"@([\w.$]+)", line))
            if line == "}" or line.startswith("@"):
                where = None
    seen, left = {ENTRY}, [ENTRY]
    while left:
        for other in mentions[left.pop()] - seen:
            seen.add(other)
            left.append(other)
    return seen


def uncovered(out, functions):
    """(file, line) without a hit, in functions of the set; and all that were hit."""
    missing, hit, file, starts, lines = [], set(), None, [], []
    for text in (out / "coverage.lcov").read_text().splitlines():
        kind, _, rest = text.partition(":")
        if kind == "SF":
            file, starts, lines = rest, [], []
        elif kind == "FN":
            first, name = rest.split(",")[0], rest.split(",")[-1]
            starts.append((int(first), name))
        elif kind == "DA":
            line, hits = rest.split(",")[:2]
            lines.append((int(line), int(hits)))
        elif text == "end_of_record":
            starts.sort()
            for line, hits in lines:
                owner = [name for first, name in starts if first <= line]
                if hits:
                    hit.add((file, line))
                elif owner and owner[-1] in functions:
                    missing.append((file, line))
    return missing, hit


class Asked:
    """A program, how `reach` and `run` are told of it, and which functions can be called."""

    def __init__(self, name, how, functions, judged):
        self.name, self.how, self.functions, self.judged = name, how, functions, judged


def campaign(tool, out, asked, cpu, seed):
    if not (out / "summary.json").exists():
        search.campaign(tool, out, asked.how, "--max-cpu", f"{cpu}s", "--seed", seed)


def targets(tool, work, wanted):
    for name in ("expat", "grep"):
        if name in wanted:
            program = programs.KNOWN[name](work)
            how = search.built(tool, work, program)
            yield Asked(name, how, called(program.sources, program.flags), program.judged)
    if "gsl" not in wanted:
        return
    source, build, files = floats.gsl_sources()
    tracked = floats.tracked_archive(tool, source, build, files)
    flags = [*floats.includes(source, build), f"-I{SUBJECTS / 'gsl'}", "-w"]
    harness = work / "harness.o"
    compiler = pathlib.Path(tool).with_name("symcrete-cc")
    # It has a constructor: built by anybody else it could have done anything, and nothing would be proved.
    run([compiler, "-O2", "-g", *flags, "-c", SUBJECTS / "gsl" / "harness.c", "-o", harness])
    for path in sorted((SUBJECTS / "gsl").glob("*.c")):
        if path.stem == "harness":
            continue
        length = re.search(r"\((\d+) bytes\)", path.read_text()).group(1)
        target = work / f"{path.stem}-target"
        run([compiler, "-O2", "-g", *flags, path, harness, tracked, "-lm", "-o", target])
        # The subject includes GSL's file; the rest of the library is no part of the question.
        yield Asked(path.stem, ["--target", target, "--max-len", length], called([path], flags), source)


def answer(tool, work, begin, number, asked, lines, cpu):
    """What `reach` says of some lines, each with so many seconds, by line; and what it said last."""
    command = [tool, "reach", *lines, *asked.how, "--max-cpu", f"{cpu * len(lines)}s", "--from", begin,
               "--json", "--quiet", "--out", work / f"answer-{number}"]
    said = run(command, accept=(0, 1, 2, 10, 11), stderr=subprocess.STDOUT).output
    shutil.rmtree(work / f"answer-{number}", ignore_errors=True)
    # A line that coverage counts and the model has no instruction of is left out, with a note in front.
    if "{" not in said:
        return {}, said
    return {each["target"]: each for each in json.loads(said[said.index("{"):])["targets"]}, said


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--lines", type=int, default=100)
    parse.add_argument("--cpu", type=int, default=60)
    parse.add_argument("--campaign", type=int, default=60)
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--programs", default="expat,grep,gsl")
    parse.add_argument("--together", action="store_true")
    parse.add_argument("--at-once", type=int, default=1, help="commands that run side by side; they share only the machine")
    parse.add_argument("--campaigns", type=pathlib.Path, metavar="FOLDER")
    options = parse.parse_args()
    work = workspace()
    campaigns = options.campaigns or work
    tool = staged_tool(work)
    results = Results("drawn")
    at_once = concurrent.futures.ThreadPoolExecutor(options.at_once).map

    def left(asked):
        out = campaigns / f"{asked.name}-out"
        campaign(tool, out, asked, options.campaign, options.seed)
        missing, _ = uncovered(out, asked.functions)
        missing = [(file, line) for file, line in missing if file.startswith(str(asked.judged))]
        longer = campaigns / f"{asked.name}-longer"
        campaign(tool, longer, asked, options.campaign + options.cpu, options.seed + 1)
        _, later = uncovered(longer, asked.functions)
        print(f"        {asked.name}: {len(missing)} lines left uncovered", flush=True)
        return [(asked, file, line, (file, line) in later) for file, line in missing]

    urn = [line for lines in at_once(left, targets(tool, work, options.programs.split(","))) for line in lines]
    counts, why, wrong, only = collections.Counter(), collections.Counter(), [], 0
    drawn = random.Random(options.seed).sample(urn, min(options.lines, len(urn)))
    by_program = collections.defaultdict(list)
    for number, asked_for in enumerate(drawn):
        by_program[asked_for[0] if options.together else number].append(asked_for)

    def answered(number, together):
        asked = together[0][0]
        return answer(tool, work, campaigns / f"{asked.name}-out", number, asked, [f"{file}:{line}" for _, file, line, _ in together], options.cpu)

    groups = list(by_program.values())
    for together, (answers, said) in zip(groups, at_once(answered, range(len(groups)), groups)):
        for asked, file, line, later in together:
            found = answers.get(f"{file}:{line}")
            if not found:
                counts["no answer"] += 1
                results.detail(f"{asked.name} {pathlib.Path(file).name}:{line}", "no answer")
                print(said, flush=True)
                continue
            verdict, obstacle = found["verdict"], found["obstacle"] or {}
            counts[verdict] += 1
            if verdict == "unknown":
                why[obstacle.get("what")] += 1
            if verdict == "unreachable" and later:
                wrong.append(f"{file}:{line}")
            if verdict != "unknown" and not later:
                only += 1
            place = f"{pathlib.Path(file).name}:{line}"
            if obstacle.get("file"):
                obstacle["file"] = pathlib.Path(obstacle["file"]).name
            results.detail(f"{asked.name} {place}", {"verdict": verdict, "obstacle": obstacle, "segments": found["segments"], "auto": later})
            print(f"        {asked.name} {place}: {verdict} {obstacle.get('what', '')}; auto with more time: {later}", flush=True)
    total = sum(counts.values())
    settled = counts["reached"] + counts["unreachable"]
    results.row(f"lines settled of {total}, {options.cpu} CPU-s each", f"{settled}", ">= 25 %", 4 * settled >= total, str(dict(counts)))
    results.row("of them not reached by auto with as much more time", f"{only}", ">= 15", only >= 15)
    memory = why["memory"]
    results.row("unknown because of memory", f"{memory}", "<= 30 %", 10 * memory <= 3 * total, str(dict(why)))
    results.row("called unreachable, and run by the longer campaign", f"{len(wrong)}", "0", not wrong, ", ".join(wrong))
    # Also a smaller one, under the command that made it.
    results.keep()


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        print(error)
