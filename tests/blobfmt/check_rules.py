#!/usr/bin/env python3
"""Fails unless status.h, FORMAT.md section 9 and the tests speak of the same rules.

    check_rules.py STATUS_H FORMAT_MD TEST_SOURCE...

Every rule of status.h has a row in a table of section 9 with the same sentence, no row has another rule, each rule has a test
function named rule_<id>_... that its program runs, and no test is named after a rule that is not there.
"""
import re
import sys


def rules_of_status(text):
    rows = re.findall(r'X\(\s*(\w+),\s*"(\w*)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', re.sub(r'\\\n', ' ', text))
    rules = {}
    for name, rule, sentence in rows:
        if rule:
            rules[rule] = ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', sentence))
    return rules


def rules_of_document(text):
    section = text.split('\n## 9.')[1].split('\n## 10.')[0]
    return dict(re.findall(r'^\| ([HVCTIS]\d+) \| ([^|]*?) \|', section, re.M))


def main(arguments):
    status, document, *sources = [open(path, encoding='utf-8').read() for path in arguments]
    rules, rows = rules_of_status(status), rules_of_document(document)
    defined = set(re.findall(r'^static void (rule_(\w\d+)_\w+)\(', '\n'.join(sources), re.M))
    run = set(re.findall(r'(?:TEST|cmocka_unit_test)\((rule_\w+)\)', '\n'.join(sources)))
    tested = {rule.upper() for name, rule in defined if name in run}
    faults = []
    if len(rules) < 50:
        faults.append(f'only {len(rules)} rules found in status.h')
    for rule in sorted(set(rules) | set(rows)):
        if rules.get(rule) != rows.get(rule):
            faults.append(f'{rule}: status.h says {rules.get(rule)!r}, FORMAT.md {rows.get(rule)!r}')
    faults += [f'{rule}: no test named rule_{rule.lower()}_...' for rule in sorted(set(rules) - tested)]
    faults += [f'{rule}: tested, but no rule' for rule in sorted(tested - set(rules))]
    faults += [f'{name}: defined, but not run' for name, _ in sorted(defined) if name not in run]
    print('\n'.join(faults) if faults else f'{len(rules)} rules agree')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
