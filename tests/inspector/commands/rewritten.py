"""Commands end as documented while another program writes to their file in place.

Usage: rewritten.py KILN_INSPECT FILE [RUNS]

A thread writes parts of the file, parts of itself from other places, and zeros, until all runs of all commands have
ended. Each run must exit with 0, 1 or 2, and with 2 it must state that the file has changed.
"""

import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

COMMANDS = [
    ["dump"],
    ["dump", "-f", "json"],
    ["dump", "-f", "yaml"],
    ["verify"],
    ["ls"],
    ["du"],
    ["stats", "*.*"],
    ["find", "1"],
    ["refs", "*"],
    ["hex"],
    ["info"],
    ["clusters"],
    ["scene"],
]


def rewrite(path, data, done):
    chance = random.Random(1)
    with open(path, "r+b", buffering=0) as file:
        while not done.is_set():
            size = 1 << chance.randrange(2, 14)
            at = chance.randrange(len(data)) // 4 * 4
            source = chance.randrange(len(data)) // 4 * 4
            part = {0: bytes(size), 1: data[source:source + size]}.get(chance.randrange(8), data[at:at + size])
            file.seek(at)
            file.write(part[:len(data) - at])


def main():
    inspect, original, runs = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 6
    data = original.read_bytes()
    failures = changed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.kiln"
        path.write_bytes(data)
        done = threading.Event()
        writer = threading.Thread(target=rewrite, args=(path, data, done))
        writer.start()
        try:
            for _ in range(runs):
                for command in COMMANDS:
                    line = [inspect, command[0], path] + command[1:]
                    run = subprocess.run(line, capture_output=True, timeout=100)
                    stated = any(word in run.stderr for word in (b"changed", b"grew", b"truncated"))
                    changed += stated
                    if run.returncode not in (0, 1, 2) or (run.returncode == 2 and not stated):
                        failures += 1
                        print(command, run.returncode, run.stderr[-500:].decode(errors="replace"))
        finally:
            done.set()
            writer.join()
        path.write_bytes(data)
        for command in COMMANDS:
            run = subprocess.run([inspect, command[0], path] + command[1:], capture_output=True)
            if run.returncode not in (0, 1):
                failures += 1
                print(command, "of the restored file:", run.returncode)
    print(f"{runs * len(COMMANDS)} runs, {changed} of them of a changed file, {failures} failures")
    if not changed:
        print("no run has seen a change")
    return 1 if failures or not changed else 0


if __name__ == "__main__":
    sys.exit(main())
