"""Compares the verdicts of this reader, of kiln-inspect verify and of the runtime's deep check on changed files."""
import collections
import os
import pathlib
import random
import subprocess

from law_changes import Change, Parts
from law_file import File

BATCH = 100
# Offsets of these rules are not compared: the law defines none, or allows a broken order to be reported at either of two
# numbers.
NO_PLACE = ('S1', 'S2', 'S3', 'S4', 'S5', 'S10', 'I10')


def comparable(findings):
    """Returns findings as (rule, offset), without offsets that the law leaves open. One mistake in a type often
    breaks several T rules, some of which can be checked only if others hold."""
    return {('T', None) if rule[0] == 'T' else (rule, None if rule in NO_PLACE else at) for rule, at in findings}


class Verdicts:
    """The comparisons made so far, and the differences."""

    def __init__(self):
        self.files = self.refused = 0
        self.rules = collections.Counter()
        self.differences = []

    def compare(self, name, mine, inspected):
        """`mine` and `inspected`: (rule, offset) of each broken rule."""
        self.files += 1
        self.refused += bool(mine)
        self.rules.update({rule for rule, _ in mine})
        wrong = bool(mine) != bool(inspected) or any(rule.startswith('exit') for rule, _ in inspected)
        if not wrong and mine:
            # A reader that stops at the first broken rule may report any of them. If only one rule is broken, both
            # must report it.
            rules, others = {rule for rule, _ in mine}, {rule for rule, _ in inspected}
            wrong = len(rules) == len(others) == 1 and not comparable(mine) & comparable(inspected)
        if wrong:
            self.differences.append(f'{name}: the law: {say(mine)}; kiln-inspect verify: {say(inspected)}')


def agrees(rules, word):
    """Whether the runtime's status fits the broken rules outside scenes. It need not check the canonical form."""
    return word in rules | {'ok'} if rules <= {'C1'} else word != 'ok'


def say(findings):
    found = sorted(findings, key=str)[:3]
    return ', '.join(rule + (f' at {at:#x}' if at is not None else '') for rule, at in found) or 'ok'


def run_verdicts(runtime, paths):
    """The runtime's verdict on each file. If a batch crashes it, the files are tried one by one."""
    done = subprocess.run([runtime, 'verify', *paths], capture_output=True, check=False)
    if done.returncode:
        if len(paths) == 1:
            return {paths[0]: f'exit {done.returncode}'}
        return {path: run_verdicts(runtime, [path])[path] for path in paths}
    return dict(line.rsplit(': ', 1) for line in done.stdout.decode().splitlines())


def compare_found(inspector, found, verdicts):
    """Compares the verdicts on broken files with one known broken rule each: (path, rule)."""
    for path, rule in found:
        findings = File(pathlib.Path(path).read_bytes()).findings
        mine = {(finding.rule, finding.at) for finding in findings}
        inspected = inspector.verify([path])[path]
        verdicts.compare(path, mine, inspected)
        if rule not in {name for name, _ in mine} or rule not in {name for name, _ in inspected}:
            verdicts.differences.append(f'{path}: the law: {say(mine)}; kiln-inspect verify: {say(inspected)}; not {rule}')


def compare_changed(inspector, runtime, path, seed, count, folder, verdicts, keep=None):
    """Compares the verdicts on `count` changes of a valid file. A change is named by seed, file and number."""
    data = pathlib.Path(path).read_bytes()
    parts, stem = Parts(data), pathlib.Path(path).stem
    for first in range(0, count, BATCH):
        made = {}
        for number in range(first, min(first + BATCH, count)):
            name = f'{seed}:{stem}:{number}'
            change = Change(parts, random.Random(name))
            target = os.path.join(folder, f'{number - first}.changed')
            changed = change.bytes()
            pathlib.Path(target).write_bytes(changed)
            made[target] = f'{name} ({"; ".join(change.said)})', changed
        inspected = inspector.verify(list(made))
        # Without types the runtime cannot check the values of a file.
        run = run_verdicts(runtime, list(made)) if runtime and parts.index.type_table else {}
        for target, (name, changed) in made.items():
            file = File(changed)
            mine = {(finding.rule, finding.at) for finding in file.findings}
            of_blobs = {finding.rule for finding in file.findings if finding not in file.of_scenes}
            before = len(verdicts.differences)
            verdicts.compare(name, mine, inspected[target])
            if target in run and not agrees(of_blobs, run[target]):
                verdicts.differences.append(f'{name}: the law: {say(mine)}; the runtime: {run[target]}')
            if keep and len(verdicts.differences) > before:
                pathlib.Path(keep, name.split(' ')[0].replace(':', '-') + '.kiln').write_bytes(changed)
