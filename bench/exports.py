#!/usr/bin/env python3
"""The C tests of `symcrete export` for every subject: built by gcc and by clang with warnings as errors, run, and what
they cover against what the run says of its own tests: the lines by gcov, the branches by llvm-cov.

Both sides of every condition are compared by their place. A case of a switch has another place for clang than for us
(the label, the switch), so cases are compared by their number.

    bench/exports.py [--cpu 3] [SUBJECT ...]
"""
import argparse
import gzip
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import llvm_cov
from coverage import SUBJECT as WANTED
from measure import CLANG, SUBJECTS, Failed, Results, staged_tool, workspace


NEGATION = re.compile(r"!(?!=)")


def lines_of_lcov(path, source):
    """Lines that kept tests ran, and all."""
    hit, every, here = set(), set(), False
    for line in path.read_text().splitlines():
        if line.startswith("SF:"):
            here = pathlib.Path(line[3:]).name == source
        elif here and line.startswith("DA:"):
            number, count = map(int, line[3:].split(",")[:2])
            every.add(number)
            if count:
                hit.add(number)
    return hit, every


def lines_of_gcov(folder, source):
    """Lines that ran, and all that gcov counts."""
    hit, every = set(), set()
    for data in folder.glob("*.gcda"):
        answer = subprocess.run(["gcov", "--json-format", "--stdout", data.name], cwd=folder, capture_output=True)
        text = answer.stdout
        if text[:2] == b"\x1f\x8b":
            text = gzip.decompress(text)
        for document in text.splitlines():
            for file in json.loads(document)["files"]:
                if pathlib.Path(file["file"]).name == source:
                    hit |= {line["line_number"] for line in file["lines"] if line["count"]}
                    every |= {line["line_number"] for line in file["lines"]}
    return hit, every


def sides_of_run(out, source):
    """Of conditions the sides that kept tests took, and all, by line, column and which; the number of cases taken."""
    summary = json.loads((out / "summary.json").read_text())
    kept = [side for path in (out / "tests").glob("*.json") for side in json.loads(path.read_text())["new_sides"]]

    def of(names):
        """A place may have the same side more than once (`true~2`): where a macro has several conditions."""
        for name in names:
            file, line, column, which = name.rsplit(":", 3)
            which, _, number = which.partition("~")
            if pathlib.Path(file).name == source:
                yield int(line), int(column), number, which

    every, taken = set(of(kept + [entry["branch"] for entry in summary["uncovered"]])), set(of(kept))
    conditions = {side for side in every if side[3] in ("true", "false")}
    return taken & conditions, conditions, len(taken - conditions)


def by_order(sides, every, negated=()):
    """Sides by line, the condition's number on that line, and which: we say where a condition's operator is, clang
    where the condition begins. Both go from left to right. On lines with a `!` we and clang do not always mean the
    same by true: there only how many of the two were taken is compared."""
    places = {}
    for line, *place, _ in sorted(every):
        of_line = places.setdefault(line, [])
        if place not in of_line:
            of_line.append(place)
    numbered = [(line, places[line].index(place), which) for line, *place, which in sorted(sides)]
    named = {(line, number, which if line not in negated else f"one of two, {sum(n[:2] == (line, number) for n in numbered[:i])}")
             for i, (line, number, which) in enumerate(numbered)}
    return named, {line: len(of) for line, of in places.items()}


def sides_of_llvm_cov(folder, programs, source):
    """The same of the exported tests: sides taken, labels of cases taken, and all conditions there are."""
    counted = llvm_cov.conditions_of(programs, sorted(folder.glob("*.profraw")), SUBJECTS / source)
    text = (SUBJECTS / source).read_text().splitlines()
    taken, labels, every = set(), set(), set()
    for (line, column), counts in counted.items():
        if llvm_cov.CASE.match(text[line - 1][column - 1:]):
            labels |= {(line, column)} if counts[0] else set()
            continue
        for which, count in zip(("true", "false"), counts):
            every.add((line, column, which))
            if count:
                taken.add((line, column, which))
    return taken, labels, every


def built(commands, folder, compiler, extra):
    """Does what the export says, with another compiler; the words of the last command."""
    said = ""
    profile = {**os.environ, "LLVM_PROFILE_FILE": str(folder / "%p.profraw")}
    for command in commands:
        words = shlex.split(command)
        if words[0] in ("cc", "c++"):
            words = [compiler, "-Wall", "-Wextra", "-Werror", *extra, *words[1:]]
        answer = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=profile)
        if answer.returncode:
            raise Failed(f"{shlex.join(words)}\n{answer.stdout}{answer.stderr}")
        said = answer.stdout
    return said.strip()


def products(commands, folder):
    """The programs that these commands make."""
    words = [shlex.split(command) for command in commands]
    made = [line[line.index("-o") + 1] for line in words if "-o" in line]
    return [folder / name for name in made if not name.endswith(".o")]


def one(results, tool, work, name, subject, function, cpu):
    folder = work / f"{name}-{function or 'buffer'}"
    folder.mkdir()
    os.symlink(SUBJECTS / f"{name}.c", folder / f"{name}.c")
    for header in SUBJECTS.glob("*.h"):
        os.symlink(header, folder / header.name)
    native = [f"{n}.c" for n in subject.native]
    for file in native:
        os.symlink(SUBJECTS / file, folder / file)
    how = ["--function", function] if function else ["--max-len", subject.max_len]
    words = [tool, "run", f"{name}.c", *native, *how, "--max-cpu", f"{cpu}s", "--out", "out", "--quiet"]
    code = subprocess.run([str(w) for w in words], cwd=folder).returncode
    if code > 1:
        raise Failed(f"{name}: exit code {code}")
    said = subprocess.run([tool, "export", "out", "--format", "c", "--to", "tests"], cwd=folder, capture_output=True, text=True).stdout
    commands = [line.strip() for line in said.splitlines() if line.startswith("  ")]
    source = f"{name}.c"
    built(commands, folder, CLANG, ["-O0", "-fprofile-instr-generate", "-fcoverage-mapping"])
    sides, every_side, cases = sides_of_run(folder / "out", source)
    negated = {n for n, line in enumerate((SUBJECTS / source).read_text().splitlines(), 1) if NEGATION.search(line)}
    sides, conditions = by_order(sides, every_side, negated)
    taken, labels, every_side = sides_of_llvm_cov(folder, products(commands, folder), source)
    taken, other_conditions = by_order(taken, every_side, negated)
    passed = built(commands, folder, "gcc", ["-O0", "--coverage"])
    own, every = lines_of_lcov(folder / "out/coverage.lcov", source)
    theirs, counted = lines_of_gcov(folder, source)
    # The two do not count the same lines, and ours may count one that lies behind a decision of the compiler's own (how
    # a scope is left): lines are told, branches are judged.
    both = every & counted
    missed = sorted((own & both) - theirs)
    # Lines where the two count other conditions (`c ? a : b` inside a condition) are left out, and named.
    apart = sorted(line for line in conditions.keys() | other_conditions.keys() if conditions.get(line) != other_conditions.get(line))
    ours = {side for side in sides if side[0] not in apart}
    taken = {side for side in taken if side[0] not in apart}
    lost, more = sorted(ours - taken), sorted(taken - ours)
    compared = 2 * sum(count for line, count in conditions.items() if line not in apart)
    results.detail(f"{name} {function or ''}".strip(), {
        "passed": passed, "lines": len(both), "lines_ours": len(own & both), "lines_gcov": len(theirs & both), "lines_missed": missed,
        "sides": len(every_side), "sides_compared": compared, "lines_with_other_conditions": apart, "sides_ours": len(ours),
        "sides_llvm_cov": len(taken), "sides_missed": lost, "sides_more": more, "cases_ours": cases, "cases_llvm_cov": len(labels)})
    note = "".join(f"; {what}: {list(map(str, which[:8]))}" for what, which in
                   [("lines not by gcov", missed), ("sides not by llvm-cov", lost), ("only by llvm-cov", more), ("other conditions in lines", apart)] if which)
    results.row(f"{name} {function or ''}: {passed}, sides of {compared} by llvm-cov / ours", f"{len(taken)} / {len(ours)}", "equal",
                not lost and not more and len(labels) >= cases,
                f"cases {len(labels)} / {cases}, lines of {len(both)} by gcov / ours {len(theirs & both)} / {len(own & both)}{note}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", default=list(WANTED))
    parser.add_argument("--cpu", type=float, default=3)
    options = parser.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results, failed = Results("exports"), 0
    for name in options.subjects:
        for function in list(WANTED[name].functions) or [None]:
            try:
                one(results, tool, work, name, WANTED[name], function, options.cpu)
            except Failed as error:
                failed += 1
                print(f"{name} {function or ''}: FAILED\n{error}")
    results.keep(partial=failed or set(options.subjects) != set(WANTED))
    sys.exit(failed > 0 or not all(row["holds"] for row in results.rows))


if __name__ == "__main__":
    main()
