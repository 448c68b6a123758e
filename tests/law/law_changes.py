"""Makes almost valid files: takes a valid one apart, changes a little, and reassembles it with correct hashes.

If hashes were not corrected, every change would break a hash rule, which hides all other rules. A seeded random number generator
chooses the changes, so that a file can be reproduced from its number.
"""

import ctypes
import struct

from law_compression import DICTIONARY_MAGIC, unpack, zstd
from law_file import File
from law_hashes import round_up, xxh3_64, xxh3_128
from law_header import HEADER_SIZE, read_header
from law_index import FRAMES, INDEX_TYPE, PLAIN, is_payload
from law_payloads import PAYLOAD_TYPE, sizes_of_frames
from law_scenes import SCENE_TYPE
from law_table import TABLE_TYPE, check_types, read_table
from law_types import ARRAY, BYTES, ENTRY, FIXED, FLOATS, MAP, OPTIONAL, STRING, STRUCT, UNION
from law_value_rules import Byte, Text, Walk
from law_values import read, target_of

zstd.ZSTD_compress_usingDict.restype = ctypes.c_size_t
zstd.ZSTD_compress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                          ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
_compressor = zstd.ZSTD_createCCtx()

NUMBER, OFFSET, COUNT, FLOAT, TEXT, PADDING = 'number', 'offset', 'count', 'float', 'text', 'padding'


def pack(blob, dictionary):
    """Compresses `blob` to one frame; None if the dictionary is invalid."""
    room = ctypes.create_string_buffer(len(blob) + 512)
    size = zstd.ZSTD_compress_usingDict(_compressor, room, len(room), bytes(blob), len(blob), dictionary, len(dictionary), 3)
    return room.raw[:size] if size <= len(room) else None


def slots_of(payload, at, item):
    """(offset, size, role) of every value that the `item` at `at` contains by value."""
    size = item.computed_size
    if item.kind in (STRUCT, ENTRY):
        end = at
        for part in item.members:
            place = at + part.computed_offset
            yield from ((byte, 1, PADDING) for byte in range(end, place))
            yield from slots_of(payload, place, part.of)
            end = place + part.of.computed_size
        yield from ((byte, 1, PADDING) for byte in range(end, at + size))
    elif item.kind == FIXED:
        for i in range(item.count):
            yield from slots_of(payload, at + i * item.element_type.computed_size, item.element_type)
    elif item.kind in (STRING, BYTES, ARRAY, MAP):
        yield from ((at, 4, OFFSET), (at + 4, 4, COUNT))
    elif item.kind == UNION:
        yield from ((at, 4, NUMBER), (at + 4, 4, OFFSET))
    elif item.kind == OPTIONAL:
        yield at, 4, OFFSET
    else:
        yield at, size, FLOAT if item.kind in FLOATS else NUMBER


class Plan:
    """The changeable parts of a valid payload: slots, objects, and arrays with several elements."""

    def __init__(self, payload, root, alignment):
        walk = Walk(payload, root, alignment)
        assert not walk.findings
        self.objects = sorted(walk.objects.values(), key=lambda thing: thing.start)
        self.slots, self.rows, self.by_object = [], [], []
        for thing in self.objects:
            size, slots = thing.element.computed_size, []
            if thing.element in (Text, Byte):
                slots += [(at, 1, TEXT) for at in range(thing.start, thing.end)][:512]
            if thing.element is Byte:  # it may contain numbers, such as the words of rows
                slots += [(at, 8, NUMBER) for at in range(thing.start, thing.end - 7, 8)][:512]
            if thing.element not in (Text, Byte):
                for at in range(thing.start, thing.end, size):
                    slots += slots_of(payload, at, thing.element)
            self.slots += slots
            self.by_object.append(slots)
            if thing.count > 1 and thing.element is not Text:
                self.rows.append((thing.start, thing.count, size))


class Parts:
    """A valid file, taken apart."""

    def __init__(self, data):
        file = File(data)
        assert not file.findings, file.findings
        self.file, self.index = file, file.index
        self.index_blob = data[:file.index.end]
        self.data = {number: data[row.place:row.place + row.stored_size]
                     for number, row in enumerate(file.index.members) if is_payload(row)}
        # Of a payload member, the stored bytes.
        self.blobs = [self.data[number] if number in self.data else file.blobs[number].data
                      for number in range(len(file.index.members))]
        header = read_header(data)
        self.index_plan = Plan(data[header.payload_at:header.end], INDEX_TYPE, header.alignment)
        self.plans, self.scenes = {}, []
        for number, blob in enumerate(self.blobs):
            if number in self.data:
                continue
            root = TABLE_TYPE if number + 1 == file.index.type_table else file.root_of(number)
            if root:
                header = read_header(blob)
                self.plans[number] = Plan(blob[header.payload_at:header.end], root, header.alignment)
                if root.name == SCENE_TYPE.name:
                    self.scenes.append(number)

    def dictionary_of(self, number, blobs):
        """The payload of the dictionary with which a member is compressed."""
        which = self.index.members[number].dictionary
        if not which:
            return b''
        blob = blobs[self.index.dictionaries[which - 1]]
        return bytes(blob[read_header(blob).payload_at:])

    def described(self, number):
        """The member of the payload asset that describes a payload member, and the asset's value."""
        content = self.index.members[number].content
        for other in self.plans:
            if getattr(self.file.root_of(other), 'name', None) == PAYLOAD_TYPE.name:
                payload = read(self.file.blobs[other].payload, 0, PAYLOAD_TYPE)
                if {'low': payload['content_low'], 'high': payload['content_high']} == content:
                    return other, payload
        raise KeyError(number)

    def parts_of_scene(self, number):
        """(offset of the hash in kiln.Scene, member) of a scene's chunks and data."""
        blob = self.blobs[number]
        base = read_header(blob).payload_at
        for field, at in (('chunks', 0), ('data', 8)):
            part = next(part for part in SCENE_TYPE.members if part.name == field)
            target, count = target_of(blob, base + part.computed_offset)
            if count:
                target_id = struct.unpack_from('<Q', blob, target)[0]
                if target_id in self.index.ids:
                    yield base + at, self.index.assets[self.index.ids.index(target_id)].member


class Change:
    """One changed file, made from valid parts with a random number generator."""

    def __init__(self, parts, random):
        self.parts, self.random = parts, random
        self.blobs = [bytearray(blob) for blob in parts.blobs]
        self.index = bytearray(parts.index_blob)
        self.stored, self.gaps, self.said = {}, {}, []
        self.repaired = {}  # hashes of payload members that become correct: 'stored', 'content' or both
        self.index_edits, self.raw_edits = 0, 0
        for _ in range(random.choice((1, 1, 1, 1, 2, 2, 3))):
            self.draw()

    def chance(self, share):
        return self.random.random() < share

    def draw(self):
        """Makes one change."""
        where = self.random.random()
        table = self.parts.index.type_table - 1
        values = [number for number in self.parts.plans if number != table]
        dictionaries = self.parts.index.dictionaries
        packed = [number for number, row in enumerate(self.parts.index.members)
                  if row.compression != PLAIN and number not in self.parts.data]
        shaped = [number for number in range(len(self.blobs)) if number not in self.parts.data]
        if self.parts.data and self.chance(0.3):
            self.change_data(self.random.choice(list(self.parts.data)))
        elif where < 0.04:
            self.raw_edits += 1
        elif where < 0.08 and packed:
            if dictionaries and self.chance(0.3):
                self.change_dictionary(self.random.choice(dictionaries))
            else:
                self.change_stored(self.random.choice(packed))
        elif where < 0.16 and shaped:
            self.change_shape(self.random.choice(shaped))
        elif where < 0.32 or not values:
            self.index_edits += 1
        elif where < 0.55 and table >= 0:
            self.change_payload(table)
        else:
            self.change_payload(self.random.choice(values))

    def change_payload(self, number):
        """Changes a member's value."""
        blob, plan = self.blobs[number], self.parts.plans[number]
        base = read_header(self.parts.blobs[number]).payload_at
        self.said.append(f'member {number}')
        self.edit(blob, base, plan)
        if self.chance(0.85):
            blob[6] &= 0xef

    def edit(self, blob, base, plan):
        """Changes a slot, or two elements of an array."""
        pick = self.random.random()
        if pick < 0.12 and plan.rows:
            self.swap_elements(blob, base, *self.random.choice(plan.rows))
        elif pick < 0.17:
            self.copy_object(blob, base, plan)
        else:
            # Chooses a role first, because there are many bytes of text and few tags. Sometimes chooses an
            # object first, because most are short.
            slots = plan.slots if self.chance(0.6) else self.random.choice(plan.by_object)
            role = self.random.choice(sorted({role for _, _, role in slots}))
            at, size, role = self.random.choice([slot for slot in slots if slot[2] == role])
            if base + at + size <= len(blob):
                self.edit_slot(blob, base, plan, at, size, role)

    def swap_elements(self, blob, base, start, count, size):
        """Swaps two elements, or copies one over the other. Relative fields in them then refer to other
        objects."""
        one, other = self.random.randrange(count), self.random.randrange(count)
        if one == other:
            one, other = 0, 1
        a, b = base + start + one * size, base + start + other * size
        left, right = bytes(blob[a:a + size]), bytes(blob[b:b + size])
        if max(a, b) + size > len(blob):
            return
        blob[a:a + size] = right
        if self.chance(0.6):
            blob[b:b + size] = left
        self.said.append(f'elements {one} and {other} of {size} bytes at {start:#x}')

    def copy_object(self, blob, base, plan):
        """Copies an object over another one of the same size."""
        thing = self.random.choice(plan.objects)
        same = [other for other in plan.objects if other.end - other.start == thing.end - thing.start]
        other = self.random.choice(same)
        if base + max(thing.end, other.end) <= len(blob):
            blob[base + thing.start:base + thing.end] = bytes(blob[base + other.start:base + other.end])
            self.said.append(f'object at {thing.start:#x} replaced by the one at {other.start:#x}')

    def edit_slot(self, blob, base, plan, at, size, role):
        """Stores a different number in a slot."""
        bits = 8 * size
        old = int.from_bytes(blob[base + at:base + at + size], 'little')
        random = self.random
        new = random.choice((
            lambda: old ^ 1 << random.randrange(bits), lambda: old + 1, lambda: old - 1, lambda: old + 4, lambda: old - 4,
            lambda: old * 2, lambda: 0, lambda: 1, lambda: -1, lambda: -2, lambda: 1 << bits - 1, lambda: (1 << bits - 1) - 1,
            lambda: random.randrange(32), lambda: random.getrandbits(bits), lambda: 1 << random.randrange(bits),
            lambda: int.from_bytes(blob[base + random.choice(plan.slots)[0]:][:size], 'little')))()
        if role == OFFSET and self.chance(0.6):
            other = random.choice(plan.objects)
            new = other.start - at + random.choice((0, 0, 0, 0, 1, 2, 4, 8, 16))
        elif role == FLOAT and self.chance(0.5):
            new = random.choice((1 << bits - 1, 0x7fc00001 << bits - 32, 0xff800000 << bits - 32, 0x7fc00000 << bits - 32))
        elif role == TEXT and self.chance(0.4):
            new = random.choice((0, 0x80, 0xc0, 0xed, 0xf4, 0xff, 0x2f, 0x1f, 0x7f))
        new &= (1 << bits) - 1
        blob[base + at:base + at + size] = new.to_bytes(size, 'little')
        self.said.append(f'{role} at {at:#x}: {old:#x} to {new:#x}')

    def change_shape(self, number):
        """Changes the size of a blob, its header, or the gap before it."""
        blob, pick = self.blobs[number], self.random.random()
        self.said.append(f'size, header or gap of member {number}')
        if pick < 0.3:
            extra = self.random.choice((1, 3, 4, 8, 16, 64))
            blob += bytes(extra) if self.chance(0.6) else bytes([1]) * extra
        elif pick < 0.5:
            del blob[-self.random.choice((1, 1, 2, 4, 8)):]
        elif pick < 0.55 and blob[6] & 15 > 5:
            blob[self.random.randrange(HEADER_SIZE, min(len(blob), 1 << (blob[6] & 15)))] ^= 1
            return
        elif pick < 0.7:
            self.gaps[number] = self.random.choice((1, 8, 16, 16, 64, 4096)), self.chance(0.7)
        else:
            at = self.random.choice((0, 4, 5, 6, 6, 6, 7, 8, 12, 16, 23))
            blob[at] ^= 1 << self.random.randrange(8)
            return
        if self.chance(0.9):
            blob[6] &= 0xef
            struct.pack_into('<Q', blob, 8, max(0, len(blob) - max(HEADER_SIZE, 1 << (blob[6] & 15))))

    def change_dictionary(self, number):
        """Changes a bit of a dictionary, usually in the header of a trained one."""
        self.said.append(f'dictionary, member {number}')
        blob = self.blobs[number]
        base = read_header(self.parts.blobs[number]).payload_at
        end = min(len(blob), base + self.random.choice((12, 140, 1 << 30)))
        if self.chance(0.2):
            blob[base:base + 4] = DICTIONARY_MAGIC
        elif base < end:
            blob[self.random.randrange(base, end)] ^= 1 << self.random.randrange(8)

    def change_stored(self, number):
        """Changes a byte of a frame, or the bytes after the frame."""
        self.said.append(f'frame of member {number}')
        self.stored[number] = self.random.choice(('bit', 'bit', 'head', 'head', 'head', 'more', 'less', 'twice'))

    def change_data(self, number):
        """Changes a payload member: its stored bytes, the data in a frame, its size, place or alignment."""
        stored, row = self.blobs[number], self.parts.index.members[number]
        how = self.random.choice(('bit', 'bit', 'frame', 'frame', 'more', 'less', 'gap', 'align'))
        self.said.append(f'payload member {number}, {how}')
        self.repaired[number] = self.random.choice(((), ('stored',), ('stored',), ('stored', 'content')))
        if how == 'frame' and row.compression == FRAMES:
            self.change_frame(number)
        elif how == 'more':
            stored += self.random.choice((b'\0', bytes(16), bytes.fromhex('502a4d1800000000'), bytes.fromhex('28b52ffd')))
        elif how == 'less':
            del stored[-self.random.choice((1, 1, 8, 64)):]
        elif how == 'gap':
            self.gaps[number] = self.random.choice((1, 8, 16, 16, 64, 4096)), self.chance(0.7)
        elif how == 'align':
            self.index[row.at + 57] = self.random.choice((0, 3, 4, 5, 12, 13, 15, 16, 17, 255))
        elif stored:
            stored[self.random.randrange(len(stored))] ^= 1 << self.random.randrange(8)

    def change_frame(self, number):
        """Compresses changed data of a payload's frame, and moves the frames after it."""
        asset, payload = self.parts.described(number)
        blob, stored = self.blobs[asset], self.blobs[number]
        base = read_header(self.parts.blobs[asset]).payload_at
        frames, sizes = payload['frames'], sizes_of_frames(payload)
        which = self.random.randrange(len(frames))
        first = frames[which]['place']
        after = frames[which + 1]['place'] if which + 1 < len(frames) else len(self.parts.data[number])
        data = unpack(self.parts.data[number][first:after], sizes[which], b'')
        data = bytearray(data) + bytes(self.random.choice((0, 0, 0, 1))) + data[:self.random.choice((0, 0, 0, 5))]
        if self.chance(0.7):
            data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
        frame = pack(data, b'')
        stored[first:after] = frame
        rows, _ = target_of(self.parts.blobs[asset], base + 24)
        if rows + 16 * len(frames) > len(blob):
            return
        if self.chance(0.5):
            struct.pack_into('<Q', blob, rows + 16 * which + 8, xxh3_64(bytes(data)))
        for later in range(which + 1, len(frames)):
            place = frames[later]['place'] + len(frame) - (after - first)
            struct.pack_into('<Q', blob, rows + 16 * later, place)

    def frame(self, number):
        """The stored bytes of a compressed member."""
        stored = pack(self.blobs[number], self.parts.dictionary_of(number, self.blobs))
        if stored is None:  # the dictionary is invalid
            stored = pack(self.blobs[number], self.parts.dictionary_of(number, self.parts.blobs))
        stored = bytearray(stored)
        how = self.stored.get(number)
        if how == 'bit':
            stored[self.random.randrange(len(stored))] ^= 1 << self.random.randrange(8)
        elif how == 'head':
            stored[self.random.randrange(4, 12)] ^= 1 << self.random.randrange(8)
        elif how == 'more':
            stored += self.random.choice((b'\0', bytes.fromhex('502a4d1800000000'), bytes.fromhex('28b52ffd')))
        elif how == 'less':
            del stored[-1:]
        elif how == 'twice':
            stored += bytes(stored)
        return bytes(stored)

    # Reassembly.

    def bytes(self):
        """The changed file."""
        self.repair_types()
        dependent = self.parts.scenes
        for number in range(len(self.blobs)):
            if number not in dependent and number not in self.parts.data:
                self.repair_hash(self.blobs[number])
        for number in dependent:
            for at, other in self.parts.parts_of_scene(number):
                old = self.parts.blobs[number][at:at + 8]
                if self.blobs[number][at:at + 8] == old and self.chance(0.97):
                    self.blobs[number][at:at + 8] = self.blobs[other][24:32]
            self.repair_hash(self.blobs[number])
        body = self.place_members()
        base = read_header(self.parts.index_blob).payload_at
        for _ in range(self.index_edits):
            self.said.append('index')
            self.edit(self.index, base, self.parts.index_plan)
            if self.chance(0.85):
                self.index[6] &= 0xef
        self.repair_hash(self.index)
        data = self.index + body
        for _ in range(self.raw_edits):
            at = self.random.randrange(len(data))
            self.said.append(f'raw byte at {at:#x}')
            if self.chance(0.2):
                del data[at:]
            else:
                data[at] ^= 1 << self.random.randrange(8)
            if not data:
                break
        return bytes(data)

    def repair_hash(self, blob):
        """Recomputes the hash in the header, if there is one."""
        if len(blob) >= HEADER_SIZE and self.chance(0.99):
            struct.pack_into('<Q', blob, 24, xxh3_64(blob[HEADER_SIZE:], xxh3_64(blob[:24])))

    def place_members(self):
        """Lays out the members and updates their index entries. Returns the bytes after the index."""
        body, end = bytearray(), len(self.index)
        for number, row in enumerate(self.parts.index.members):
            if number in self.parts.data:
                end = self.place_payload(number, row, body, end)
                continue
            blob, packed = self.blobs[number], row.compression != PLAIN
            stored = self.frame(number) if packed else bytes(blob)
            place = end if packed else round_up(end, 1 << row.align_log2)
            extra, zero = self.gaps.get(number, (0, True))
            place += extra
            body += bytes(place - end - extra) + (bytes(extra) if zero else b'\1' * extra) + stored
            at = row.at
            struct.pack_into('<QQQ', self.index, at, place, len(stored), len(blob))
            struct.pack_into('<QQ', self.index, at + 24, *xxh3_128(blob))
            if packed:
                struct.pack_into('<QQ', self.index, at + 40, *xxh3_128(stored))
            if number in self.gaps or len(blob) > 6 and self.chance(0.5):
                self.index[at + 57] = blob[6] & 15
            end = place + len(stored)
        base = read_header(self.parts.index_blob).payload_at
        struct.pack_into('<Q', self.index, base, end)
        return body

    def place_payload(self, number, row, body, end):
        """Appends a payload member and updates its index entry. Returns where it ends."""
        stored, (extra, zero) = bytes(self.blobs[number]), self.gaps.get(number, (0, True))
        is_plain, repaired = row.compression != FRAMES, self.repaired.get(number, ())
        place = (round_up(end, 1 << row.align_log2) if is_plain else end) + extra
        body += bytes(place - end - extra) + (bytes(extra) if zero else b'\1' * extra) + stored
        struct.pack_into('<QQ', self.index, row.at, place, len(stored))
        if is_plain and 'stored' in repaired:
            struct.pack_into('<Q', self.index, row.at + 16, len(stored))
        if is_plain and 'content' in repaired:
            struct.pack_into('<QQ', self.index, row.at + 24, *xxh3_128(stored))
        if not is_plain and 'stored' in repaired:
            struct.pack_into('<QQ', self.index, row.at + 40, *xxh3_128(stored))
        return place + len(stored)

    def repair_types(self):
        """Recomputes sizes, offsets and layout hashes of a changed type table, and everything that refers to
        them."""
        number = self.parts.index.type_table - 1
        if number < 0 or self.blobs[number] == self.parts.blobs[number] or not self.chance(0.85):
            return
        blob = self.blobs[number]
        base = read_header(self.parts.blobs[number]).payload_at
        payload = bytes(blob[base:])
        if len(payload) < 8 or Walk(payload, TABLE_TYPE, 4096).findings:
            return
        types = read_table(payload)
        before = {item.name: item.layout for item in types}
        if not self.write_types(types, payload, blob, base):
            return
        types = read_table(bytes(blob[base:]))
        check_types(types)
        self.write_types(types, payload, blob, base)
        after = {item.name: item.computed_layout for item in types if item.name}
        for row in self.parts.index.types:
            if row.name in after:
                struct.pack_into('<Q', self.index, row.at + 8, after[row.name])
        for asset in self.parts.index.assets:
            name = self.parts.index.types[asset.type].name
            if name in after and name in before:
                struct.pack_into('<Q', self.blobs[asset.member], 16, after[name])
        self.said.append('types repaired')

    def write_types(self, types, payload, blob, base):
        """Writes computed sizes, offsets and layouts into the rows of a table. Returns whether any changed."""
        check_types(types)
        if not types or any(item.computed_size is None for item in types):
            return False
        start, _ = target_of(payload, 0)
        for i, item in enumerate(types):
            at = start + 72 * i
            if item.computed_size > 0xffffffff:
                return False
            struct.pack_into('<QII', blob, base + at + 24, item.computed_layout, item.computed_size, item.computed_align)
            first, count = target_of(payload, at + 56)
            for j in range(count if item.kind == STRUCT else 0):
                struct.pack_into('<I', blob, base + first + 72 * j + 60, item.members[j].computed_offset)
        return True
