"""Compares a Python reader written from FORMAT.md with Kiln: every value, and the verdict on changed files.

Usage: compare_law.py KILN_BAKE KILN_INSPECT SOURCE_ROOT [--runtime LAW_RUNTIME] [--changes N] [--seed TEXT]
                      [--real all|some|none|only] [--keep DIR] [FILE...]

The reader is law_*.py in this folder, written from blobfmt/FORMAT.md alone. Without FILE it reads the baked samples, inputs of
this folder and real data. --changes is the number of changes to each small file (default: 300, divided by N if KILN_TEST_SHARE
is K/N), --keep the folder for changed files on which the readers differ. `--real only` reads only some of the real data. Exit 0:
they agree; 1: they differ, see stderr; 77: a library or, with `--real only`, the data is missing.
"""
import argparse
import os
import sys
import tempfile


RULES = [letter + str(number) for letter, last in (('H', 11), ('V', 19), ('C', 1), ('T', 10), ('I', 21), ('S', 10))
         for number in range(1, last + 1)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('bake')
    parser.add_argument('inspect')
    parser.add_argument('root')
    parser.add_argument('--runtime', help='law_runtime, which calls the library')
    parser.add_argument('--changes', type=int, default=300 // int(os.environ.get('KILN_TEST_SHARE', '0/1').partition('/')[2]))
    parser.add_argument('--seed', default='1')
    parser.add_argument('--real', choices=('all', 'some', 'none', 'only'), default='some')
    parser.add_argument('--keep')
    parser.add_argument('files', nargs='*')
    return parser.parse_args()


def main():
    options = arguments()
    try:
        from law_changed import Verdicts, compare_changed, compare_found
        from law_compare import Counts, compare_file
        from law_hashes import Missing
        from law_inputs import GAMES, REAL, Inputs
        from law_inspector import Inspector
    except Missing as missing:
        print(f'skipped: {missing}')
        return 77
    wrong, counts, verdicts = [], Counts(), Verdicts()
    inspector = Inspector(options.inspect)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(options.bake, options.runtime, options.root, folder)
        real = inputs.real({'all': REAL + GAMES, 'none': ()}.get(options.real, REAL[:2]))
        is_real_alone = options.real == 'only'
        small = options.files or ([] if is_real_alone else inputs.small())
        more = [] if options.files or is_real_alone else inputs.samples()
        for path in [*small, *more, *([] if options.files else real)]:
            wrong += [f'{path}: {said}' for said in compare_file(inspector, path, counts)]
        if not options.files and not is_real_alone:
            compare_found(inspector, inputs.found(), verdicts)
        for path in small if not wrong else ():
            compare_changed(inspector, options.runtime, path, options.seed, options.changes, folder, verdicts, options.keep)
    wrong += verdicts.differences
    if is_real_alone and not counts.files:
        print(f'skipped: {", ".join(inputs.skipped)}')
        return 77
    for line in inputs.skipped:
        print(f'skipped: {line}')
    for line in wrong[:40]:
        print(line, file=sys.stderr)
    print(f'whole files: {counts}')
    print(f'changed files: {verdicts.files}, {verdicts.refused} of them refused, seed {options.seed}; rules broken: '
          f'{len(verdicts.rules)}; differences: {len(verdicts.differences)}')
    if options.changes >= 1000:
        print(', '.join(f'{rule} {verdicts.rules[rule]}' for rule in RULES if rule in verdicts.rules))
        print('not broken: ' + ', '.join(rule for rule in RULES if rule not in verdicts.rules))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
