"""Section 14: scenes, and rules S1 to S10.

`Scene` is a value of kiln.Scene with its chunks and data. S1 to S5 check only this value. If they hold, its rows can be
located, and the other rules check the rows.
"""
from typing import NamedTuple

from law_chunks import CHUNK_SIZE, COLUMN_ALIGNMENT, MAX_TRIMMED, capacity, column_bytes, column_places, taken
from law_index import is_asset_name
from law_types import (BOOL, DATA, ENTITY, ENUM, FIXED, FLAGS, REF, RELATIVE, STRUCT, ARRAY, U32, U64, expression,
                       fixed_types, lies_in)
from law_value_rules import v8, v9, v10, v16
from law_values import number_at, read

FIXED_SCENE = fixed_types({
    'kiln.Scene': [
        ('chunks_hash', 'u64'), ('data_hash', 'u64'), ('components', 'kiln.SceneComponent[]'),
        ('archetypes', 'kiln.SceneArchetype[]'), ('names', 'map<string, u32>'), ('assets', 'ref[]'),
        ('imports', 'kiln.SceneImport[]'), ('chunks', 'ref<kiln.SceneChunks>[]'), ('data', 'ref[]'),
        ('entities', 'u32'), ('reserved', 'u32')],
    'kiln.SceneComponent': [
        ('name', 'string'), ('layout', 'u64'), ('size', 'u32'), ('alignment', 'u32'), ('entity_places', 'u32[]'),
        ('asset_places', 'u32[]'), ('fields', 'kiln.SceneField[]')],
    'kiln.SceneField': [('name', 'string'), ('place', 'u32')],
    'kiln.SceneArchetype': [('components', 'u32[]'), ('rows', 'u32')],
    'kiln.SceneImport': [('scene', 'string'), ('entity', 'string')],
    'kiln.SceneChunks': [('images', 'bytes@4096'), ('tails', 'bytes@64')],
})
SCENE_TYPE, CHUNKS_TYPE = FIXED_SCENE.find('kiln.Scene'), FIXED_SCENE.find('kiln.SceneChunks')
SCENE_LAYOUT, CHUNKS_LAYOUT = 0x959a5f7d1245b547, 0xcbb7aa67515a2d0c
assert (SCENE_TYPE.computed_layout, CHUNKS_TYPE.computed_layout) == (SCENE_LAYOUT, CHUNKS_LAYOUT)

MAX_ENTITIES = 1 << 27
MAX_IMPORT_NAME = 1024
WORD = 8


class Part(NamedTuple):
    """The chunks or the data of a scene, if they are in the same file and valid."""
    hash: int
    payload: bytes
    type: object  # None if the file does not describe the type
    base: int  # offset of the payload in the file


class Scene:
    """A scene: the fields of kiln.Scene, and its parts (None if missing or not in this file)."""

    def __init__(self, fields, chunks=None, data=None):
        self.__dict__.update(fields)
        self.chunks_part, self.data_part = chunks, data

    def sizes(self, archetype):
        """Bytes per row of the archetype's columns, in order."""
        return [self.components[number]['size'] for number in archetype['components']]


def ascending(items):
    """Whether items are strictly ascending."""
    return all(before < item for before, item in zip(items, items[1:]))


def s1(scene):
    """S1, a scene's component is invalid or out of order."""
    components = scene.components
    return not (ascending([item['name'].encode() for item in components]) and all(map(is_component_possible, components)))


def is_component_possible(item):
    """Checks the name, alignment and size (section 13). Words must be inside the row, aligned,
    ascending and disjoint. Rows have the component's alignment, which is therefore at least that of
    its words."""
    size, alignment = item['size'], item['alignment']
    if not item['name'] or not 1 <= alignment <= 64 or alignment & alignment - 1:
        return False
    if size % alignment or size > CHUNK_SIZE or size == 0 and alignment != 1:
        return False
    lists = [(item['entity_places'], 4), (item['asset_places'], 8), ([part['place'] for part in item['fields']], 8)]
    for places, multiple in lists:
        if places and alignment < multiple or not ascending(places) or any(
                place % multiple or place + WORD > size for place in places):
            return False
    words = sorted(place for places, _ in lists for place in places)
    return all(place - before >= WORD for before, place in zip(words, words[1:]))


def s2(scene):
    """S2, a scene's archetype is invalid or out of order."""
    lists = [item['components'] for item in scene.archetypes]
    if not ascending(lists):
        return True
    for item, numbers in zip(scene.archetypes, lists):
        if not ascending(numbers) or any(number >= len(scene.components) for number in numbers) or not item['rows']:
            return True
        if capacity(scene.sizes(item)) == 0:
            return True
    return False


def s3(scene):
    """S3, a scene's entity count or entity names are wrong."""
    numbers = [number for _, number in scene.names]
    return (scene.entities != sum(item['rows'] for item in scene.archetypes) or scene.entities > MAX_ENTITIES or
            any(not name for name, _ in scene.names) or any(number >= scene.entities for number in numbers) or
            len(set(numbers)) != len(numbers))


def s4(scene):
    """S4, a scene's assets, imports or parts are invalid or out of order."""
    imports = [(item['scene'].encode(), item['entity'].encode()) for item in scene.imports]
    return (not ascending([ref.id for ref in scene.assets]) or not ascending(imports) or
            any(not is_asset_name(item['scene']) or not item['entity'] for item in scene.imports) or
            any(len(name) > MAX_IMPORT_NAME for pair in imports for name in pair) or
            len(scene.chunks) > 1 or len(scene.data) > 1 or bool(scene.chunks_hash and not scene.chunks) or
            bool(scene.data_hash and not scene.data) or scene.reserved != 0)


def s5_parts(scene):
    """S5, a scene's chunks or data do not belong to it: they do not have the type or the hash that the scene states."""
    chunks, data = scene.chunks_part, scene.data_part
    return bool(data and data.hash != scene.data_hash or
                chunks and (chunks.hash != scene.chunks_hash or not is_chunks(chunks.type)))


def s5_lengths(scene):
    """S5, chunks exist although no row has bytes, are missing although a row has bytes, or do not have the size that the
    rows need."""
    has_bytes = any(any(scene.sizes(item)) for item in scene.archetypes)
    if has_bytes != bool(scene.chunks):
        return True
    if not scene.chunks_part:
        return False
    value = read(scene.chunks_part.payload, 0, CHUNKS_TYPE)
    return (len(value['images']), len(value['tails'])) != needed(scene)


def is_chunks(item):
    """Whether a type is kiln.SceneChunks."""
    return item is not None and (item.name, item.computed_layout) == (CHUNKS_TYPE.name, CHUNKS_LAYOUT)


def plan(scene):
    """The stored chunks of all archetypes, in order: (archetype, sizes, first row, rows, is whole)."""
    for number, item in enumerate(scene.archetypes):
        sizes = scene.sizes(item)
        if not any(sizes):
            continue
        full = capacity(sizes)
        for first in range(0, item['rows'], full):
            rows = min(full, item['rows'] - first)
            yield number, sizes, first, rows, rows == full or taken(sizes, rows) > MAX_TRIMMED


def needed(scene):
    """The required lengths of `images` and `tails`."""
    images = tails = 0
    for _, sizes, _, rows, whole in plan(scene):
        images += CHUNK_SIZE if whole else 0
        tails += 0 if whole else taken(sizes, rows)
    return images, tails


class Chunk(NamedTuple):
    """A stored chunk: the position of its bytes in the chunks' payload, and its columns."""
    archetype: int
    first: int
    rows: int
    sizes: list
    places: list  # of the columns, from the start of the payload
    ends: list  # the end of each column, including its padding
    whole: bool


def chunks_of(scene):
    """All stored chunks of a scene that passed S1 to S5."""
    if not scene.chunks_part:
        return
    payload = scene.chunks_part.payload
    at = {True: number_at(payload, 0, U32), False: 8 + number_at(payload, 8, U32)}
    for archetype, sizes, first, rows, whole in plan(scene):
        # A whole chunk is laid out for the maximum number of rows, a trimmed one for the rows that
        # it has.
        begins, end = column_places(sizes, capacity(sizes) if whole else rows)
        length = CHUNK_SIZE if whole else end
        base = at[whole]
        places = [base + begin for begin in begins]
        yield Chunk(archetype, first, rows, sizes, places, places[1:] + [base + length], whole)
        at[whole] += length


def s6(scene, number, source):
    """S6, an entity word does not refer to an entity."""
    if source == 0:
        return number != 0
    if source == 1:
        return number >= scene.entities
    return number != 0 or source - 2 >= len(scene.imports)


def s7(scene, word):
    """S7, a reference word does not refer to an asset of the scene."""
    return word > len(scene.assets)


def s8(length, word):
    """S8, a data word does not refer to a value in the scene's data; `length` is that of the field's list."""
    return word > length


def s9(payload, chunk):
    """S9, a byte of a chunk that no row uses is not zero. Returns the first such offset, or None.
    """
    for size, place, end in zip(chunk.sizes, chunk.places, chunk.ends):
        if (at := v16(payload, place + size * chunk.rows, end)) is not None:
            return at
    return None


def can_be_component(item):
    """Whether a type can be a component: it has no relative field by value, and its size and
    alignment are within the limits."""
    return (item.kind == STRUCT and not lies_in(item, RELATIVE) and item.computed_size <= CHUNK_SIZE and
            item.computed_align <= COLUMN_ALIGNMENT)


def s10(component, item, data):
    """S10, a component does not match its type. `item` is the type with its name and layout hash, or None. `data` is the
    scene's Part."""
    fields = component['fields']
    lists = {part['place']: data and data.type and list_of(data, part['name']) for part in fields}
    if data and data.type and None in lists.values():
        return True
    if item is None:
        return False
    if not can_be_component(item):
        return True
    # A struct without fields is a tag, whose rows have no bytes.
    layout = (item.computed_size, item.computed_align) if item.members else (0, 1)
    words = {ENTITY: [], REF: [], DATA: []}
    elements = {}
    for kind, at, element in words_of(item):
        words[kind].append(at)
        elements[at] = element
    if ((component['size'], component['alignment']) != layout or words[ENTITY] != component['entity_places'] or
            words[REF] != component['asset_places'] or words[DATA] != list(lists)):
        return True
    return any(member and expression(member.of.element_type) != expression(elements[at]) for at, member in lists.items())


def list_of(data, name):
    """The array with this name in the data's root, or None."""
    if data.type.kind != STRUCT:
        return None
    return next((part for part in data.type.members if part.name == name and part.of.kind == ARRAY), None)


def words_of(item, at=0):
    """(kind, offset, element type) of the words in a row of this type, by offset."""
    if item.kind in (ENTITY, REF, DATA):
        yield item.kind, at, item.element_type
    elif item.kind == STRUCT:
        for part in item.members:
            yield from words_of(part.of, at + part.computed_offset)
    elif item.kind == FIXED and any(True for _ in words_of(item.element_type)):
        for i in range(item.count):
            yield from words_of(item.element_type, at + i * item.element_type.computed_size)


def check_row(payload, at, item):
    """(rule, offset) of V8 to V10 and V16 for the values of a row. Its words are checked elsewhere.
    """
    if item.free or item.kind in (ENTITY, REF, DATA):
        return
    if item.kind == BOOL and v8(payload[at]):
        yield 'V8', at
    elif item.kind == ENUM and v9(item, number_at(payload, at, item.base)):
        yield 'V9', at
    elif item.kind == FLAGS and v10(item, number_at(payload, at, item.base)):
        yield 'V10', at
    elif item.kind == FIXED:
        for i in range(item.count):
            yield from check_row(payload, at + i * item.element_type.computed_size, item.element_type)
    elif item.kind == STRUCT:
        end = at
        for part in item.members:
            place = at + part.computed_offset
            if (padding := v16(payload, end, place)) is not None:
                yield 'V16', padding
            yield from check_row(payload, place, part.of)
            end = place + part.of.computed_size
        if (padding := v16(payload, end, at + item.computed_size)) is not None:
            yield 'V16', padding


def check_scene(scene, types):
    """(rule, offset) of all broken rules of a scene. `types` maps (name, layout) to the file's
    types."""
    broken = [rule for rule in (s1, s2, s3, s4, s5_parts) if rule(scene)]
    if not broken and s5_lengths(scene):
        broken = [s5_lengths]
    if broken:
        yield from ((rule.__name__.split('_')[0].upper(), None) for rule in broken)
        return
    known = [types.get((item['name'], item['layout'])) for item in scene.components]
    if any(s10(component, item, scene.data_part) for component, item in zip(scene.components, known)):
        yield 'S10', None
        return
    lengths = list_lengths(scene)
    for chunk in chunks_of(scene):
        payload = scene.chunks_part.payload
        if (at := s9(payload, chunk)) is not None:
            yield 'S9', at
        numbers = scene.archetypes[chunk.archetype]['components']
        for place, number in zip(chunk.places, numbers):
            yield from check_column(scene, payload, place, chunk.rows, scene.components[number], known[number], lengths)


def list_lengths(scene):
    """The number of elements of each list that fields refer to, by name. It is unknown for data in
    another file, or of a type that the file does not describe."""
    names = {part['name'] for component in scene.components for part in component['fields']}
    data = scene.data_part
    if data is None or data.type is None:
        return dict.fromkeys(names, (1 << 64) - 1 if scene.data else 0)
    members = {name: list_of(data, name) for name in names}
    return {name: number_at(data.payload, part.computed_offset + 4, U32) for name, part in members.items()}


def check_column(scene, payload, at, rows, component, item, lengths):
    """Checks words and values of one column."""
    size = component['size']
    values = item is not None and size and not item.free
    words = component['entity_places'] or component['asset_places'] or component['fields']
    for place in range(at, at + rows * size, size) if values or words else ():
        for word in component['entity_places']:
            if s6(scene, number_at(payload, place + word, U32), number_at(payload, place + word + 4, U32)):
                yield 'S6', place + word
        for word in component['asset_places']:
            if s7(scene, number_at(payload, place + word, U64)):
                yield 'S7', place + word
        for part in component['fields']:
            if s8(lengths[part['name']], number_at(payload, place + part['place'], U64)):
                yield 'S8', place + part['place']
        if values:
            yield from check_row(payload, place, item)


class EntityWord(NamedTuple):
    """The target of an entity word: an entity of this scene, or one of another scene by name."""
    number: int | None
    imported: tuple | None


class RowReader:
    """Reads rows of a valid scene: the values of components whose types are in the file."""

    def __init__(self, scene, types):
        self.scene = scene
        self.types = [types.get((item['name'], item['layout'])) for item in scene.components]
        self.lists = {}
        if scene.data_part and scene.data_part.type:
            self.lists = read(scene.data_part.payload, 0, scene.data_part.type)

    def rows(self):
        """(entity, archetype, chunk, row, {component: (type, value)}) of all entities, in order of
        their numbers."""
        stored = {}
        for chunk in chunks_of(self.scene):
            stored.setdefault(chunk.archetype, []).append(chunk)
        entity = 0
        for number, archetype in enumerate(self.scene.archetypes):
            chunks = stored.get(number)
            full = min(capacity(self.scene.sizes(archetype)), CHUNK_SIZE)
            for row in range(archetype['rows']):
                chunk = chunks[row // full] if chunks else None
                yield entity, number, row // full, row % full, self.components(archetype, chunk, row % full)
                entity += 1

    def components(self, archetype, chunk, row):
        values = {}
        for i, number in enumerate(archetype['components']):
            component, item = self.scene.components[number], self.types[number]
            at = chunk.places[i] + row * component['size'] if component['size'] else 0
            if item is None:
                payload = self.scene.chunks_part.payload if chunk else b''
                values[component['name']] = None, payload[at:at + component['size']]
            else:
                fields = {part['place']: part['name'] for part in component['fields']}
                values[component['name']] = item, self.value(at, item, fields, at)
        return values

    def value(self, at, item, fields, row_at):
        """The value at `at`, with words replaced by their targets."""
        if item.kind == STRUCT:
            return {part.name: self.value(at + part.computed_offset, part.of, fields, row_at) for part in item.members}
        if item.kind == FIXED:
            size = item.element_type.computed_size
            return [self.value(at + i * size, item.element_type, fields, row_at) for i in range(item.count)]
        payload = self.scene.chunks_part.payload
        if item.kind == ENTITY:
            number, source = number_at(payload, at, U32), number_at(payload, at + 4, U32)
            if source == 0:
                return None
            if source == 1:
                return EntityWord(number, None)
            other = self.scene.imports[source - 2]
            return EntityWord(None, (other['scene'], other['entity']))
        word = number_at(payload, at, U64) if item.kind in (REF, DATA) else 0
        if item.kind == REF:
            return self.scene.assets[word - 1] if word else None
        if item.kind == DATA:
            return (self.lists[fields[at - row_at]][word - 1],) if word else None
        return read(payload, at, item)


assert column_bytes(8, 453) == 3648
assert capacity([8, 12, 16]) == 453  # the example of section 13
