"""Section 10: the file, its index and its members, and rules I1 to I22 except I17 and I18.

Each rule is a function that returns the offsets at which it is broken. Rules of the index take an `Index`. Offsets count from
the start of the file.
"""
from law_hashes import xxh3_64, xxh3_128
from law_header import HEADER_SIZE, MAX_PAYLOAD
from law_types import STRUCT, fixed_types
from law_values import read, target_of

FIXED_INDEX = fixed_types({
    'kiln.Index': [
        ('file_size', 'u64'), ('ids', 'u64[]'), ('assets', 'kiln.IndexAsset[]'), ('directory', 'u32[]'),
        ('types', 'kiln.IndexType[]'), ('members', 'kiln.IndexMember[]'), ('imports', 'kiln.IndexImport[]'),
        ('edge_starts', 'u32[]'), ('edges', 'u32[]'), ('dictionaries', 'u32[]'), ('type_table', 'u32'),
        ('reserved', 'u32')],
    'kiln.IndexAsset': [('name', 'string'), ('type', 'u32'), ('member', 'u32')],
    'kiln.IndexType': [('name', 'string'), ('layout', 'u64')],
    'kiln.IndexMember': [
        ('place', 'u64'), ('stored_size', 'u64'), ('size', 'u64'), ('content', 'kiln.Hash128'),
        ('stored', 'kiln.Hash128'), ('compression', 'u8'), ('align_log2', 'u8'), ('reserved', 'u16'),
        ('dictionary', 'u32')],
    'kiln.IndexImport': [('id', 'u64'), ('name', 'string')],
    'kiln.Hash128': [('low', 'u64'), ('high', 'u64')],
})
INDEX_TYPE = FIXED_INDEX.find('kiln.Index')
INDEX_LAYOUT = 0x69e24c5333ea51f9
assert INDEX_TYPE.computed_layout == INDEX_LAYOUT

PLAIN, ZSTD, PAYLOAD, FRAMES = 0, 1, 2, 3
MAX_RATIO = 256
MAX_ALIGNMENT = 4096
MAX_PAYLOAD_ALIGN_LOG2 = 16
KIND_BYTES = frozenset('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.')


class Row:
    """An element of one of the index's arrays: its fields, and its offset in the file."""

    def __init__(self, at, fields):
        self.at = at
        self.__dict__.update(fields)


class Index:
    """The index of a file; its payload is valid (V1 to V19)."""

    def __init__(self, header, payload):
        fields = read(payload, 0, INDEX_TYPE)
        self.end = header.end
        self.base = header.payload_at
        self.payload = payload
        self.file_size = fields['file_size']
        self.type_table, self.reserved = fields['type_table'], fields['reserved']
        for name in ('ids', 'directory', 'edge_starts', 'edges', 'dictionaries'):
            setattr(self, name, fields[name])
        for name in ('assets', 'types', 'members', 'imports'):
            start, size = self.place(name, 0), self.place(name, 1) - self.place(name, 0)
            setattr(self, name, [Row(start + i * size, row) for i, row in enumerate(fields[name])])
        self._assets_of = {}
        for i, asset in enumerate(self.assets):
            self._assets_of.setdefault(asset.member, []).append(i)

    def field(self, name):
        """Offset of a field of the root in the file."""
        return self.base + next(part.computed_offset for part in INDEX_TYPE.members if part.name == name)

    def place(self, name, number):
        """Offset of an element of one of the root's arrays in the file."""
        part = next(part for part in INDEX_TYPE.members if part.name == name)
        start, _ = target_of(self.payload, part.computed_offset)
        return self.base + (start or 0) + number * part.of.element_type.computed_size

    def edges_of(self, asset):
        """The numbers of the assets and imports to which an asset's edges lead (section 10)."""
        if not self.edge_starts:
            return []
        return self.edges[self.edge_starts[asset]:self.edge_starts[asset + 1]]

    def id_of(self, edge):
        """The id of an edge's target: an asset of this file, or an import."""
        count = len(self.ids)
        return self.ids[edge] if edge < count else self.imports[edge - count].id

    def assets_of(self, member):
        """The numbers of the assets that share a member."""
        return self._assets_of.get(member, [])


def is_asset_name(name):
    """`Kind/id`: Kind is one or more of A-Z a-z 0-9 _ - . and id is one or more bytes of UTF-8,
    none below 0x20."""
    kind, slash, rest = name.partition('/')
    return bool(kind and slash and rest) and KIND_BYTES.issuperset(kind) and min(rest) >= ' '


def is_payload(member):
    """Whether a member is a payload member (section 18)."""
    return member.compression in (PAYLOAD, FRAMES)


def i1(index, size):
    """I1, the file's size does not match its index."""
    if index.file_size != size:
        yield index.field('file_size')


def i2(index):
    """I2, asset ids are zero or not strictly ascending, or the numbers of ids and assets differ."""
    if len(index.ids) != len(index.assets):
        yield index.field('assets')
    before = 0
    for i, number in enumerate(index.ids):
        if number <= before:
            yield index.place('ids', i)
        before = number


def i3(index):
    """I3, an asset's name is not of the form Kind/id, or its id is not the hash of its name."""
    for number, asset in zip(index.ids, index.assets):
        if not is_asset_name(asset.name) or xxh3_64(asset.name.encode()) != number:
            yield asset.at


def i4(index):
    """I4, the lookup table does not match the ids."""
    count = len(index.ids)
    bits = max(0, count - 1).bit_length()
    if len(index.directory) != ((1 << bits) + 1 if count else 0):
        yield index.field('directory')
        return
    buckets = [number >> 64 - bits if bits else 0 for number in index.ids]
    below = 0
    for bucket, number in enumerate(index.directory):
        while below < count and buckets[below] < bucket:
            below += 1
        if number != below:
            yield index.place('directory', bucket)


def i5(index):
    """I5, an entry refers to a type, member or dictionary that does not exist."""
    for asset in index.assets:
        if asset.type >= len(index.types):
            yield asset.at + 8
        if asset.member >= len(index.members):
            yield asset.at + 12
    before = -1
    for i, number in enumerate(index.dictionaries):
        if number <= before or number >= len(index.members):
            yield index.place('dictionaries', i)
        before = number
    if index.type_table > len(index.members):
        yield index.field('type_table')
    if index.reserved:
        yield index.field('reserved')


def i6(index):
    """I6, a member is misaligned, out of order, overlapping or outside the file."""
    end = index.end
    for member in index.members:
        good = 4 <= member.align_log2 <= (MAX_PAYLOAD_ALIGN_LOG2 if is_payload(member) else 12) and member.place >= end
        if good and member.compression in (PLAIN, PAYLOAD):
            good = member.place % (1 << member.align_log2) == 0
        end = member.place + member.stored_size
        if not good or end > index.file_size:
            yield member.at
    if end != index.file_size:
        yield index.members[-1].at if index.members else index.field('file_size')


def i7(index):
    """I7, a member's compression or sizes are invalid."""
    blobs = {asset.member for asset in index.assets} | set(index.dictionaries) | {index.type_table - 1}
    for number, member in enumerate(index.members):
        if is_payload(member):
            good = member.size and not member.reserved and not member.dictionary and number not in blobs
            if member.compression == PAYLOAD:
                good = good and member.stored_size == member.size and not any(member.stored.values())
            if not good or member.size > MAX_RATIO * member.stored_size:
                yield member.at
            continue
        good = HEADER_SIZE < member.size <= MAX_ALIGNMENT + MAX_PAYLOAD and member.stored_size and not member.reserved
        if member.compression == PLAIN:
            good = (good and member.stored_size == member.size and not any(member.stored.values()) and
                    not member.dictionary)
        else:
            good = (good and member.compression == ZSTD and member.dictionary <= len(index.dictionaries) and
                    member.size <= MAX_RATIO * member.stored_size and number + 1 != index.type_table and
                    number not in index.dictionaries)
        if not good:
            yield member.at


def i8(index, data):
    """I8, a byte between members is not zero."""
    end = index.end
    for member in index.members:
        gap = data[end:member.place]
        if any(gap):
            yield end + next(i for i, byte in enumerate(gap) if byte)
        end = member.place + member.stored_size


def i9(index):
    """I9, imports are not strictly ascending by id, or an id is not the hash of its name."""
    before = -1
    for item in index.imports:
        if item.id <= before or not is_asset_name(item.name) or xxh3_64(item.name.encode()) != item.id:
            yield item.at
        before = item.id


def i10(index):
    """I10, the reference lists are not ascending or refer to assets that do not exist."""
    count, starts = len(index.ids), index.edge_starts
    if len(starts) != (count + 1 if index.edges else 0) or starts and (starts[0] != 0 or starts[-1] != len(index.edges)):
        yield index.field('edge_starts')
        return
    for i in range(len(starts) - 1):
        if starts[i] > starts[i + 1]:
            yield index.place('edge_starts', i + 1)
            return
    for i in range(len(starts) - 1):
        before = -1
        for at in range(starts[i], starts[i + 1]):
            if index.edges[at] <= before or index.edges[at] >= count + len(index.imports):
                yield index.place('edges', at)
            before = index.edges[at]


def i11(member, header):
    """I11, a member's header does not match the index: a different alignment, or fewer bytes. More bytes are H1."""
    if header.log2_alignment != member.align_log2 or header.end < member.size:
        yield member.place


def i12(member, blob):
    """I12, a member's 128-bit content hash does not match."""
    if xxh3_128(blob) != tuple(member.content.values()):
        yield member.place


def i13_order(index):
    """I13, the index's types are not strictly ascending by name."""
    for before, item in zip(index.types, index.types[1:]):
        if not before.name.encode() < item.name.encode():
            yield item.at


def i13(index, types):
    """I13, a type of the index is not in the type table, is not a struct there, or has a different layout hash."""
    layouts = {item.name: item.layout for item in types if item.kind == STRUCT}
    for item in index.types:
        if layouts.get(item.name) != item.layout:
            yield 0


def i14(index):
    """I14, a member is neither an asset, nor the type table, nor a dictionary."""
    used = {asset.member for asset in index.assets} | {index.type_table - 1} | set(index.dictionaries)
    described = {asset.name for asset in index.assets if [item.name for item in index.types[asset.type:asset.type + 1]] == ['kiln.Payload']}
    for number, member in enumerate(index.members):
        name = f"kiln.Payload/{member.content['high']:016x}{member.content['low']:016x}"
        if number not in used and not (is_payload(member) and name in described):
            yield member.at


def i15(index, number, refs):
    """I15, a reference in a member is missing from the reference lists of an asset that the member belongs to.

    `refs` has (place, id) of the references in the member's payload.
    """
    for asset in index.assets_of(number) if refs else []:
        listed = {index.id_of(edge) for edge in index.edges_of(asset)}
        for at, target in refs:
            if target and target not in listed:
                yield at


def i16(member, stored):
    """I16, a compressed member's 128-bit hash of stored bytes does not match."""
    if xxh3_128(stored) != tuple(member.stored.values()):
        yield member.place


def i19(index):
    """I19, an import is an asset of the file, or no edge leads to it."""
    count, held, used = len(index.ids), set(index.ids), set(index.edges)
    for number, item in enumerate(index.imports):
        if item.id in held or count + number not in used:
            yield item.at


def i20(index):
    """I20, the index lists a type that no asset has."""
    used = {asset.type for asset in index.assets}
    for number, item in enumerate(index.types):
        if number not in used:
            yield item.at


def i21(index, number, refs):
    """I21, an edge leads to an asset that the member does not refer to."""
    targets = {target for _, target in refs}
    for asset in index.assets_of(number):
        for i, edge in enumerate(index.edges_of(asset)):
            if index.id_of(edge) not in targets:
                yield index.place('edges', index.edge_starts[asset] + i)


def i22(index):
    """I22, payload members are not last, or not strictly ascending by content."""
    for before, member in zip(index.members, index.members[1:]):
        order = [(item.content['high'], item.content['low']) for item in (before, member)]
        if is_payload(before) and not (is_payload(member) and order[0] < order[1]):
            yield member.at
