"""Runs kiln-inspect and parses its output. This module is independent of the format."""
import json
import re
import subprocess

LINE = re.compile(r'(?P<rule>[A-Z]+[0-9]*|)(?: at offset (?P<at>0x[0-9a-f]+))? \((?P<where>.*?)\): ')


class Failed(Exception):
    """kiln-inspect failed unexpectedly."""


def unique(pairs):
    """A JSON object as a dictionary without duplicate keys."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Failed('a JSON object has a duplicate key')
    return found


class Inspector:
    """The kiln-inspect program at `path`."""

    def __init__(self, path):
        self.path = path
        help_text = self.run('--help').stdout.decode()
        self.unlimited = [word for option in ('--max-values', '--max-bytes') if option in help_text
                          for word in (option, '0' if option == '--max-bytes' else str(10**12))]

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, check=False)

    def json(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise Failed(f'{" ".join(arguments[:3])} exits with {done.returncode}: {done.stderr.decode()[:200]}')
        return json.loads(done.stdout, object_pairs_hook=unique)

    def verify(self, paths):
        """The broken rules of each file, as sets of (rule, offset). One process checks all files
        unless it crashes."""
        done = self.run('verify', *paths)
        if done.returncode not in (0, 1):
            if len(paths) == 1:
                return {paths[0]: {(f'exit {done.returncode}', None)}}
            return {path: self.verify([path])[path] for path in paths}
        found = {path: set() for path in paths}
        said = set()
        for line in done.stdout.decode(errors='replace').splitlines():
            path, _, rest = line.partition(': ')
            if path not in found:
                raise Failed(f'verify says: {line}')
            said.add(path)
            if not rest.startswith('ok ('):
                found[path].add(finding(rest))
        for path in paths:
            if path not in said:
                found[path].add(('nothing said', None))
        return found

    def dump(self, path):
        return self.json('dump', '-f', 'json', *self.unlimited, path)['assets']

    def entities(self, path, scene, numbers):
        """The entities with these numbers."""
        found = []
        for i in range(0, len(numbers), 2000):
            names = [f'#{number}' for number in numbers[i:i + 2000]]
            found += self.json('scene', '-f', 'json', *self.unlimited, path, scene, *names)['entities']
        return found


def finding(text):
    """Parses the part of a line of verify after the file name into (rule, offset)."""
    match = LINE.match(text)
    if not match:
        return text, None
    return match['rule'], int(match['at'], 16) if match['at'] else None
