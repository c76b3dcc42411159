"""The tutorial as a newcomer walks it: a clone, nothing built, set-up included, every command as printed.

    python3 bench/tutorial.py

The clone has a cache of its own, so that the solver is built anew; what apt and cargo have fetched before stays fetched.
On a machine without LLVM this command installs it, as the tutorial's first step does, and its time counts.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time

from measure import ROOT, Results, workspace

BAR = 15 * 60


def commands(page):
    """Each command of the console blocks with the exit code it is to have."""
    for block in re.findall(r"```console\n(.*?)```", page, re.S):
        for command, code in re.findall(r"^\$ (.*)\n(?:\[exit (\d+)\])?", block, re.M):
            yield command, int(code or 0)


def main():
    work = workspace()
    results = Results("tutorial")
    had = shutil.which("clang-22") is not None
    clone, prefix = work / "clone", work / "prefix"
    env = os.environ | {"SYMCRETE_CACHE": str(work / "cache"), "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    for name in ("SYMCRETE_STAGE", "CARGO_TARGET_DIR"):
        env.pop(name, None)
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    page = (pathlib.Path(clone) / "docs" / "tutorial.md").read_text()
    steps = [(f"make install PREFIX={shlex.quote(str(prefix))}", 0), *commands(page)]
    begin, wrong, times = time.monotonic(), [], []
    for command, code in steps:
        before = time.monotonic()
        done = subprocess.run(command, shell=True, cwd=clone, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        times.append((command.replace(str(work), "…"), round(time.monotonic() - before, 1)))
        print(f"  {times[-1][1]:7.1f} s  {times[-1][0]}", flush=True)
        if done.returncode != code:
            wrong.append(f"`{command}` ended with {done.returncode}, not {code}")
            results.detail(command, done.stdout[-2000:])
    total = time.monotonic() - begin
    results.detail("seconds", times)
    note = "; ".join(wrong) or f"{len(steps)} commands, {times[0][1] / 60:.1f} min of it `make install`, LLVM {'was' if had else 'was not'} there before"
    results.row("tutorial's commands from a fresh clone, all as printed", f"{total / 60:.1f} min", "<= 15 min", not wrong and total <= BAR, note)
    results.keep()


if __name__ == "__main__":
    main()
