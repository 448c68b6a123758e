#!/usr/bin/env python3
"""Compares `stats` with a pass over the JSON dump.

stats_model.py KILN_INSPECT FILE...

The dump does not name types, so only the fields of the structs that are types of assets are compared.
"""
import json
import subprocess
import sys


def call(inspect, *arguments):
    return json.loads(subprocess.run([inspect, *arguments, '--format', 'json', '--max-bytes', '0'], check=True,
                                     stdout=subprocess.PIPE).stdout)


def number_of(value):
    """Infinities, NaN and large integers are strings."""
    if not isinstance(value, str):
        return value
    return int(value) if value.lstrip('-').isdigit() else float(value)


def samples_of(value):
    """Returns the values, how many are absent, and the texts that are compared for equality."""
    if value is None:
        return [], 1, []
    if isinstance(value, bool) or (isinstance(value, dict) and {'name', 'value'} >= set(value)):
        return [], 0, [json.dumps(value)]
    if isinstance(value, (int, float)):
        return [value], 0, [value]
    if isinstance(value, str):
        return [len(value.encode())], 0, [value]
    return None


def compare(inspect, path):
    fields, skipped = {}, set()
    for asset in call(inspect, 'dump', path)['assets'].values():
        if asset['type'].startswith('kiln.') or not isinstance(asset['value'], dict):
            continue
        for name, value in asset['value'].items():
            fields.setdefault((asset['type'], name), []).append(value)
    checked = 0
    for stats in call(inspect, 'stats', path, '*.*')['fields']:
        key = stats['type'], stats['field']
        expression = stats['expression'].rstrip('?')
        if key not in fields:
            continue
        if expression not in ('string', 'bool', 'u8', 'u16', 'u32', 'u64', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64'):
            skipped.add(key)
            continue
        values = fields[key]
        if stats['values'] + stats['absent'] + stats['nans'] != len(values):
            # The struct is also used in other places than as a whole asset.
            skipped.add(key)
            continue
        numbers, absent, texts = [], 0, []
        for value in values:
            if expression in ('u64', 'i64', 'f32', 'f64') and isinstance(value, str):
                value = number_of(value)
            one, none, text = samples_of(value)
            numbers += [number for number in one if number == number]
            texts += text if not one or one[0] == one[0] else []
            absent += none
        assert stats['absent'] == absent, key
        assert stats['values'] == len(texts), key
        assert stats['distinct'] == len(set(texts)), key
        if numbers and 'min' in stats:
            numbers.sort()
            assert number_of(stats['min']) == numbers[0] and number_of(stats['max']) == numbers[-1], key
            assert sum(part['values'] for part in stats['histogram']) in (0, len(numbers)), key
            for share, quantile in stats['quantiles'].items():
                at = max(0, -(-int(float(share) * 100) * len(numbers) // 100) - 1)
                assert number_of(quantile) == numbers[at], (key, share)
        for common in stats['common']:
            value = common['value']
            if expression in ('u64', 'i64', 'f32', 'f64'):
                value = number_of(value)
            wanted = json.dumps(value) if isinstance(value, bool) else value
            assert texts.count(wanted) == common['values'], (key, common)
        checked += 1
    return checked, len(skipped)


def main():
    inspect, *paths = sys.argv[1:]
    total = 0
    for path in paths:
        checked, skipped = compare(inspect, path)
        print(f'# {path}: {checked} fields agree with the dump, {skipped} of other types are not compared')
        total += checked
    assert total > 10
    print('1..1\nok 1 - stats agrees with a pass over the dump')


main()
