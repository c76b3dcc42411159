#!/usr/bin/env python3
"""The C tests of `symcrete export` for every subject: built by gcc and by clang with warnings as errors, run, and the
lines they cover by gcov against the lines of the run's own tests.

    bench/exports.py [--cpu 3] [SUBJECT ...]
"""
import argparse
import gzip
import json
import os
import pathlib
import shlex
import subprocess
import sys

from coverage import SUBJECT as WANTED
from measure import CLANG, SUBJECTS, Failed, staged_tool, workspace


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


def built(commands, folder, compiler, extra):
    """Does what the export says, with another compiler; the words of the last command."""
    said = ""
    for command in commands:
        words = shlex.split(command)
        if words[0] in ("cc", "c++"):
            words = [compiler, "-Wall", "-Wextra", "-Werror", *extra, *words[1:]]
        answer = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        if answer.returncode:
            raise Failed(f"{shlex.join(words)}\n{answer.stdout}{answer.stderr}")
        said = answer.stdout
    return said.strip()


def one(tool, work, name, subject, function, cpu):
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
    built(commands, folder, CLANG, [])
    passed = built(commands, folder, "gcc", ["-O0", "--coverage"])
    own, every = lines_of_lcov(folder / "out/coverage.lcov", f"{name}.c")
    theirs, counted = lines_of_gcov(folder, f"{name}.c")
    # The two do not count the same lines: those that both count must agree.
    both = every & counted
    missed = sorted((own & both) - theirs)
    print(f"{name:8} {function or '':14} {passed:24} of {len(both)} lines: ours {len(own & both)}, gcov {len(theirs & both)}"
          + (f", not by gcov: {missed[:12]}" if missed else ""))
    if missed:
        raise Failed("the exported tests cover less")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", default=list(WANTED))
    parser.add_argument("--cpu", type=float, default=3)
    options = parser.parse_args()
    work = workspace()
    tool = staged_tool(work)
    failed = 0
    for name in options.subjects:
        for function in list(WANTED[name].functions) or [None]:
            try:
                one(tool, work, name, WANTED[name], function, options.cpu)
            except Failed as error:
                failed += 1
                print(f"{name} {function or ''}: FAILED\n{error}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
