"""Compares this reader's result for a file with that of kiln-inspect: the verdict, and every value.

`same` traverses a value and its JSON in parallel and compares exactly: floats by their bits, enums by name and number,
references by name and id.
"""
import base64
import math
import struct

from law_file import File
from law_inspector import Failed
from law_scenes import EntityWord
from law_types import (ARRAY, BOOL, BYTES, DATA, ENTITY, ENUM, F32, F64, FIXED, FLAGS, INTEGERS, MAP, OPTIONAL, REF,
                       STRING, STRUCT)

WORDS = {'NaN': math.nan, 'Infinity': math.inf, '-Infinity': -math.inf, '.nan': math.nan, '.inf': math.inf,
         '-.inf': -math.inf}
BITS = {F32: struct.Struct('<f').pack, F64: struct.Struct('<d').pack}


class Different(Exception):
    """A value and its JSON differ."""


def expect(condition, way, value, shown):
    if not condition:
        raise Different(f'{way}: read as {str(value)[:80]!r}, shown as {str(shown)[:80]!r}')


def same_integer(number, shown):
    """Integers beyond 2^53 are strings."""
    if abs(number) > 1 << 53:
        return isinstance(shown, str) and shown == str(number)
    return isinstance(shown, int) and not isinstance(shown, bool) and shown == number


def same_float(kind, number, shown):
    """Compares the bits, except for NaNs, which all have the same text."""
    if isinstance(shown, str):
        if shown not in WORDS:
            return False
        shown = WORDS[shown]
    if math.isnan(number) or not isinstance(shown, float):
        return isinstance(shown, float) and math.isnan(shown)
    try:
        return BITS[kind](number) == BITS[kind](shown)
    except OverflowError:
        return False


def same_flags(item, number, shown):
    """Compares the number, and the names: their bits together must give the number."""
    values = {member.name: member.value for member in item.members}
    bits = 0
    for name in shown['names']:
        bits |= values.get(name, 1 << 64)
    return bits == number and same_integer(number, shown['value'])


def same_enum(item, number, shown):
    name = next(member.name for member in item.members if member.value == number & 0xffffffffffffffff)
    return shown['name'] == name and same_integer(number, shown['value'])


def same_key(item, key, text, names):
    """Compares a map key, which JSON shows as a string."""
    if item.kind == STRING:
        return text == key
    if item.kind == BOOL:
        return text == ('true' if key else 'false')
    if item.kind in INTEGERS:
        return text == str(key)
    if item.kind in BITS:
        return same_float(item.kind, key, WORDS.get(text) if text in WORDS else float(text))
    if item.kind == ENUM:
        return any(member.name == text and member.value == key & 0xffffffffffffffff for member in item.members)
    if item.kind == REF:
        return text == (names.get(key.id) or f'{key.id:016x}')
    parts = text.split(',')
    return len(parts) == len(key) and all(same_key(item.element_type, *pair, names) for pair in zip(key, parts))


class Comparison:
    """Compares the values of one file. `names` maps ids to names, `entity_names` maps a scene's
    entities to names."""

    def __init__(self, names, entity_names=None):
        self.names, self.entity_names = names, entity_names or {}
        self.values = 0

    def same(self, item, value, shown, way):
        """Raises Different unless `shown` is the JSON for the value of this type."""
        self.values += 1
        kind = item.kind
        if kind == STRUCT:
            expect(isinstance(shown, dict) and list(shown) == list(value), way, list(value), shown)
            for member in item.members:
                self.same(member.of, value[member.name], shown[member.name], f'{way}.{member.name}')
        elif kind in (ARRAY, FIXED):
            expect(isinstance(shown, list) and len(shown) == len(value), way, value, shown)
            for i, (part, part_shown) in enumerate(zip(value, shown)):
                self.same(item.element_type, part, part_shown, f'{way}[{i}]')
        elif kind == MAP:
            self.same_map(item, value, shown, way)
        elif kind == OPTIONAL or kind == DATA:
            if value is None:
                expect(shown is None or kind == DATA and not shown, way, value, shown)
            else:
                self.same(item.element_type, value[0], shown, way)
        elif kind in (REF, ENTITY):
            self.same_word(value, shown, way)
        elif value is None or isinstance(value, tuple):
            self.same_union(item, value, shown, way)
        else:
            expect(same_plain(item, value, shown), way, value, shown)

    def same_map(self, item, value, shown, way):
        expect(isinstance(shown, dict) and len(shown) == len(value), way, value, shown)
        for (key, part), (text, part_shown) in zip(value, shown.items()):
            expect(same_key(item.key_type, key, text, self.names), way, key, text)
            self.same(item.element_type, part, part_shown, f'{way}[{text!r}]')

    def same_union(self, item, value, shown, way):
        if value is None:
            expect(shown is None, way, value, shown)
            return
        name, inner = value
        expect(isinstance(shown, dict) and list(shown) == [name], way, name, shown)
        alternative = next(member for member in item.members if member.name == name)
        if alternative.of is None:
            expect(shown[name] is None, way, inner, shown)
        else:
            self.same(alternative.of, inner, shown[name], f'{way}.{name}')

    def same_word(self, value, shown, way):
        """Compares a reference, or the target of an entity word."""
        if value is None:
            wanted = None
        elif isinstance(value, EntityWord):
            if value.imported:
                wanted = dict(zip(('scene', 'name'), value.imported))
            else:
                wanted = {'entity': value.number, 'name': self.entity_names.get(value.number)}
        else:
            wanted = {'name': self.names.get(value.id), 'id': f'{value.id:016x}'}
        expect(shown == wanted, way, wanted, shown)


def same_plain(item, value, shown):
    """Compares values without parts."""
    kind = item.kind
    if kind in BITS:
        return same_float(kind, value, shown)
    if kind in INTEGERS:
        return same_integer(value, shown)
    if kind == ENUM:
        return same_enum(item, value, shown)
    if kind == FLAGS:
        return same_flags(item, value, shown)
    if kind == BYTES:
        return shown == base64.b64encode(value).decode()
    return type(shown) is type(value) and shown == value


class Counts:
    """What has been compared so far."""

    def __init__(self):
        self.files = self.broken = self.assets = self.values = self.scenes = self.rows = self.undescribed = 0

    def __str__(self):
        return (f'{self.files} files, {self.broken} of them broken; {self.assets} assets, {self.values} values, '
                f'{self.scenes} scenes, {self.rows} component rows')


def compare_file(inspector, path, counts):
    """Returns the differences between the two readers' results for a file as a list of sentences.
    """
    with open(path, 'rb') as stream:
        file = File(stream.read())
    counts.files += 1
    said = inspector.verify([path])[path]
    if bool(said) != bool(file.findings):
        return [f'kiln-inspect verify reports {sorted(said, key=str)[:4] or "ok"}, the law {file.findings[:4] or "ok"}']
    if said:
        counts.broken += 1
        return []
    if not file.index.type_table:
        counts.undescribed += len(file.index.assets)
        return []
    try:
        compare_assets(inspector, path, file, counts)
        compare_scenes(inspector, path, file, counts)
    except (Different, Failed) as error:
        return [str(error)]
    return []


def compare_assets(inspector, path, file, counts):
    """Compares every value of every asset."""
    shown = inspector.dump(path)
    comparison = Comparison(file.names())
    names = [asset.name for asset in file.index.assets]
    expect(sorted(shown) == sorted(names), 'the assets', sorted(names)[:5], sorted(shown)[:5])
    for name, type_name, item, value in file.assets():
        counts.assets += 1
        expect(shown[name]['type'] == type_name, name, type_name, shown[name]['type'])
        if item is None or 'value' not in shown[name]:
            counts.undescribed += 1
            expect(item is None and 'value' not in shown[name], name, item and value, shown[name])
            continue
        comparison.same(item, value, shown[name]['value'], name)
    counts.values += comparison.values


def compare_scenes(inspector, path, file, counts):
    """Compares every component of every entity of every scene."""
    for name, scene, reader in file.scenes():
        counts.scenes += 1
        if scene.chunks and not scene.chunks_part:
            continue
        entity_names = {number: text for text, number in scene.names}
        shown = inspector.entities(path, name, range(scene.entities))
        expect(len(shown) == scene.entities, name, scene.entities, len(shown))
        comparison = Comparison(file.names(), entity_names)
        for (entity, archetype, chunk, row, components), json in zip(reader.rows(), shown):
            way = f'{name}#{entity}'
            has_chunks = bool(scene.archetypes[archetype]['components'])
            places = {'entity': entity, 'name': entity_names.get(entity), 'archetype': archetype,
                      'chunk': chunk if has_chunks else None, 'row': row}
            got = {key: value for key, value in json.items() if key != 'components'}
            expect(got == places, way, places, got)
            expect(list(json['components']) == list(components), way, list(components), list(json['components']))
            for component, (item, value) in components.items():
                counts.rows += 1
                if item is not None:
                    comparison.same(item, value, json['components'][component], f'{way}.{component}')
                else:
                    counts.undescribed += 1
        counts.values += comparison.values
