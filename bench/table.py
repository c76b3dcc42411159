"""Prints one table of all bars from the kept results (runs/*.json); measures nothing.

    python3 bench/table.py
"""

import json
import os

import measure

ORDER = ["bodies", "first_run", "persistent", "flips", "coverage", "floats", "solving", "compile", "memory", "lab", "storm"]


def main():
    for name in ORDER:
        path = measure.RUNS / f"{name}.json"
        if not os.path.exists(path):
            print(f"        ({name}: not measured yet)")
            continue
        record = json.loads(path.read_text())
        machine, tool = record["machine"], record.get("tool", {"sha256": "unknown", "built": "unknown"})
        print(f"-- {record['command']}   [{machine['date']}, tool {tool['sha256']} built {tool['built']}, load {machine['load_at_start'][0]} to {machine['load_at_end'][0]}, {machine['cores']} cores, {machine['cpu']}]")
        measure.print_rows(record["rows"])


if __name__ == "__main__":
    main()
