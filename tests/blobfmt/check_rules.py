#!/usr/bin/env python3
"""Fails unless status.h, limits.h, FORMAT.md sections 9 and 11, and the tests agree on all rules and limits.

    check_rules.py STATUS_H LIMITS_H FORMAT_MD TEST_SOURCE...

Every rule of status.h has a row with the same sentence in a table of section 9, or of section 11 for L rules, and the tables
have no other rows. Each rule has a test function rule_<id>_... that a test program runs. No test is named after a rule that does
not exist.

Every limit of limits.h has a row with the same numbers in section 11, and every row with numbers has a limit. The costs of a
type, a member and an earlier name in an unfolded table agree, too. The sentences of L rules contain only these numbers.
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
    return dict(re.findall(r'^\| ([HVCTISKPR]\d+) \| ([^|]*?) \|', section, re.M) +
                re.findall(r'^\| (L\d+) \| ([^|]*?) \|', section_of_limits(text), re.M))


def section_of_limits(text):
    return text.split('\n## 11.')[1].split('\n## 12.')[0]


def number_of(text):
    """Parses `1,024`, `2^31 - 1` or `2^20`."""
    base, _, less = text.replace(',', '').partition(' - ')
    power = base.split('^')
    return (int(power[0]) ** int(power[1]) if len(power) == 2 else int(base)) - int(less or 0)


def numbers_in(text):
    return [number_of(word) for word in re.findall(r'\d[\d,]*(?:\^\d+)?(?: - \d+)?', text)]


# Rows without a constant in limits.h. Only its 64-bit number limits the size of a file.
NO_LIMITS = {'file'}


def constants(text):
    """The constants of limits.h by name."""
    values = {}
    expressions = re.findall(r'^#define (KILN_\w+) (\S.*)$', text, re.M) + re.findall(r'^    (KILN_\w+) = ([^,/]*?),? *(?:/\*.*)?$', text, re.M)
    for _ in range(4):
        for name, expression in expressions:
            plain = re.sub(r'\((?:uint32_t)\)|(?<=[0-9a-f])u\b', '', expression)
            try:
                values[name] = eval(plain, {}, values)
            except (NameError, SyntaxError):
                continue
    return values


def faults_of_limits(limits, document):
    faults, values = [], constants(limits)
    listed = {row: [values.get(name.strip()) for name in names.split(',')]
              for row, names in re.findall(r'X\("([^"]*)", ([^)]*)\)', limits)}
    section = section_of_limits(document)
    found = set()
    for row, limit in re.findall(r'^\| ([a-z][^|]*?) \| ([^|]*?) \| [^|]*\|$', section, re.M):
        numbers = [number for number in numbers_in(limit) if number != 1]
        name = next((each for each in listed if row.startswith(each)), None)
        if name:
            found.add(name)
        if numbers != (listed[name] if name else []) and row not in NO_LIMITS:
            faults.append(f'{row}: FORMAT.md says {numbers}, limits.h {listed.get(name)}')
    faults += [f'{row}: no row in FORMAT.md section 11' for row in sorted(set(listed) - found)]
    counted = re.search(r'- (\d+) for a type, (\d+) for a member;.*?earlier names (\d+) plus', section, re.S)
    names = ('KILN_UNFOLDED_TYPE', 'KILN_UNFOLDED_MEMBER', 'KILN_UNFOLDED_WAS')
    if not counted or [int(number) for number in counted.groups()] != [values.get(name) for name in names]:
        faults.append('the costs of types and members in an unfolded table differ from limits.h')
    known = {number for numbers in listed.values() for number in numbers}
    for rule, sentence in re.findall(r'^\| (L\d+) \| ([^|]*?) \|', section, re.M):
        faults += [f'{rule}: {number} is not a limit in limits.h' for number in numbers_in(sentence) if number not in known]
    if len(listed) < 10:
        faults.append(f'only {len(listed)} limits found in limits.h')
    return faults


def main(arguments):
    status, limits, document, *sources = [open(path, encoding='utf-8').read() for path in arguments]
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
    faults += [f'{rule}: tested, but not in status.h' for rule in sorted(tested - set(rules))]
    faults += [f'{name}: defined, but never run' for name, _ in sorted(defined) if name not in run]
    faults += faults_of_limits(limits, document)
    print('\n'.join(faults) if faults else f'{len(rules)} rules agree')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
