"""The files that are compared: the baked samples, the inputs of this folder, and real data."""
import pathlib
import random
import re
import subprocess
import sys

REAL = ('nav2_bringup', 'linguist', 'sf64', 'unity-mirror')
GAMES = ('ss14-2021', 'ss14-2024')


# A value of the struct L13 of law_deep.schema.yaml.
VALUE = '{n: {n: {n: {n: {n: {n: {n: [{n: {n: [{n: {n: [1, 2]}}]}}]}}}}}}}'


class Inputs:
    """Bakes files into `folder`. `skipped` lists missing inputs with reasons."""

    def __init__(self, bake, runtime, root, folder):
        self.bake_path, self.runtime = bake, runtime
        self.root, self.folder = pathlib.Path(root).resolve(), pathlib.Path(folder)
        self.here = self.root / 'tests/law/inputs'
        self.shared = self.root.parent / 'shared/data'
        self.skipped = []

    def bake(self, name, base, schema, *rest):
        """Bakes inputs below `base` to a file with this name, and returns its path."""
        path = self.folder / f'{name}.kiln'
        subprocess.run([self.bake_path, '--quiet', '-C', base, '-s', schema, '-o', path, *rest], check=True)
        return str(path)

    def found(self):
        """Broken files on which the readers once differed. Each file name begins with a rule that
        it breaks."""
        return [(str(path), path.name.split('_')[0].upper()) for path in sorted((self.here.parent / 'found').glob('*.kiln'))]

    def example(self):
        """The complete file of section 12, parsed from its hexadecimal digits."""
        text = (self.root / 'blobfmt/FORMAT.md').read_text(encoding='utf-8')
        lines = text.split('```kiln-file\n')[1].split('```')[0].splitlines()
        digits = ''.join(re.match(r'[0-9a-f]{8}  ((?:[0-9a-f]{2} ?)+)', line)[1] for line in lines)
        path = self.folder / 'section_12.kiln'
        path.write_bytes(bytes.fromhex(digits))
        return str(path)

    def small(self):
        """Files small enough to change thousands of times."""
        kinds = self.here, self.here / 'law_kinds.schema.yaml', 'law_kinds.yaml'
        rows = self.here, self.here / 'law_rows.schema.yaml'
        scenes, items = ('law_yard.scene.yaml', 'law_other.scene.yaml'), 'law_items.yaml'
        clusters = self.root / 'tests/golden/clusters/data', self.root / 'tests/golden/clusters/clusters.schema.yaml', '.'
        apart = self.bake('items', *rows, items)
        first = self.root / 'samples/first'
        return [
            self.example(),
            self.bake('spells', first, first / 'spell.schema.yaml', 'spells.yaml'),
            self.bake('kinds', *kinds),
            self.bake('renames', self.here, self.here / 'law_renames.schema.yaml', 'law_renames.yaml'),
            self.bake('kinds_packed', *kinds, '--compress', '19'),
            self.bake('rows', *rows, *scenes, items),
            self.bake('rows_untyped', *rows, *scenes, items, '--no-types'),
            self.bake('rows_packed', *rows, *scenes, items, '--compress', '19'),
            self.bake('rows_apart', *rows, *scenes, '-x', apart),
            self.bake('clusters', *clusters),
            self.bake('clusters_packed', *clusters, '--compress', '19'),
            self.deep(),
            self.notes(),
            *self.payloads(),
        ]

    def notes(self):
        """Many similar small assets, which are stored with a trained dictionary."""
        (self.folder / 'notes.yaml').write_text('Note:\n' + ''.join(
            f'  n{i}: {{text: "Note {i * i * 7919:06} says that kiln {i * i * 104729:08} is warm enough by now.", '
            f'after: n{i * 7 % 48}}}\n' for i in range(48)), encoding='utf-8')
        return self.bake('notes', self.folder, self.here / 'law_notes.schema.yaml', 'notes.yaml', '--compress', '19',
                         '--dictionary', 'all')

    def deep(self):
        """Values of 128 nested objects."""
        chain = 'end'
        for i in range(127):
            chain = f'{{next: {chain}}}' if i % 40 else f'{{twin: {{left: {chain}, right: end}}}}'
        (self.folder / 'deep.yaml').write_text(
            f'Root: {{a: {{chain: {chain}, lists: {{of: [[[[[[[1, 2]]]]]]]}}, by_value: {VALUE}}}}}\n', encoding='utf-8')
        return self.bake('deep', self.folder, self.here / 'law_deep.schema.yaml', 'deep.yaml')

    def payloads(self):
        """Large data, plain and in frames."""
        (self.folder / 'noise.bin').write_bytes(random.Random(1).randbytes(9000))
        (self.folder / 'text.bin').write_bytes(b'the sea, the sea ' * 4000)
        (self.folder / 'empty.bin').write_bytes(b'')
        (self.folder / 'payloads.yaml').write_text(
            'Sound:\n  a: {plain: !file noise.bin, frames: !file text.bin}\n  b: {plain: !file empty.bin, frames: null}\n',
            encoding='utf-8')
        schema = self.here / 'law_payloads.schema.yaml'
        return [self.bake('payloads', self.folder, schema, 'payloads.yaml'),
                self.bake('payloads_packed', self.folder, schema, 'payloads.yaml', '--compress', '19', '--no-types')]

    def samples(self):
        """The samples with every storage option of kiln-bake, and a scene saved by a program."""
        game, village = self.root / 'samples/game', self.root / 'samples/village'
        data, schema = game / 'data', game / 'game.schema.yaml'
        whole = self.bake('game', data, schema, '.')
        scenes = village / 'scenes', village / 'village.schema.yaml', '-x', whole
        paths = [
            whole,
            self.bake('game_untyped', data, schema, '.', '--no-types'),
            self.bake('game_unshared', data, schema, '.', '--no-share'),
            self.bake('game_packed_1', data, schema, '.', '--compress', '1', '--dictionary', 'none'),
            self.bake('game_packed_19', data, schema, '.', '--compress', '19', '--dictionary', 'type'),
            self.bake('game_patch', data, schema, 'words.yaml', '-x', whole, '--patch'),
            self.bake('village', *scenes, '.'),
            self.bake('village_packed', *scenes, '.', '--compress', '9'),
        ]
        if self.runtime:
            saved = str(self.folder / 'saved.kiln')
            subprocess.run([self.runtime, 'save', whole, paths[6], saved], check=True)
            paths.append(saved)
        return paths

    def real(self, names):
        """Data from other projects, baked with the schemas of tests/real."""
        for name in names:
            here = self.root / 'tests/real'
            data = self.shared / ('ss14-2024-slice' if name == 'ss14-2024' else name)
            if not data.is_dir():
                self.skipped.append(f'no data at ../shared/data/{data.name}')
            elif name == 'ss14-2024':
                yield from self.slice_of_game(here, data)
            elif name == 'ss14-2021':
                yield self.bake(name, data, here / name / 'game.schema.yaml', 'Resources')
            else:
                yield self.bake(name, data, here / f'{name}.schema.yaml', '.')

    def slice_of_game(self, here, data):
        """Part of a game. tests/real generates a list of the references that may be missing."""
        sys.path.append(str(here))
        try:
            import ss14_2024
        except ImportError as missing:
            self.skipped.append(f'ss14-2024: {missing.name} is not installed')
            return
        accepted = self.folder / 'accepted.yaml'
        schema = here / 'ss14-2024'
        accepted.write_text(ss14_2024.missing_ids(data, schema, *ss14_2024.read_all(data)), encoding='utf-8')
        yield self.bake('ss14-2024', data, schema / 'game.schema.yaml', 'Resources', accepted)
