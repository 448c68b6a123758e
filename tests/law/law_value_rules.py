"""Section 9, rules V1 to V19: the checks that a reader must make before it uses a value.

`Walk` traverses a payload once, from the root along all relative fields, and records the bytes of each object. Each rule is a
function that returns whether it is broken. The walk reports broken rules with their offsets.
"""
import math
import struct
import sys

from law_hashes import Finding
from law_types import (ARRAY, BOOL, BYTES, DATA, ENTITY, ENTRY, ENUM, F32, F64, FIXED, FLAGS, FLOATS, MAP, OPTIONAL, REF,
                       SIZES, STRING, STRUCT, U8, UNION)
from law_values import FORMATS, number_at, read

sys.setrecursionlimit(20000)

MAX_DEPTH = 128
MAX_KEY = 1024
_word = struct.Struct('<I').unpack_from
_two_words = struct.Struct('<II').unpack_from
_id = struct.Struct('<Q').unpack_from


def v1(size, root):
    """V1, the payload is too small for its root."""
    return size < root.computed_size


def v2(size, target, length):
    """V2, an offset points outside the payload."""
    return target + length > size


def v3(target, alignment, limit):
    """V3, an offset points to a misaligned position, or the object requires more than the blob's alignment."""
    return target % alignment != 0 or alignment > limit


def v4(offset, count):
    """V4, only one of offset and count is 0."""
    return (offset == 0) != (count == 0)


def v5(payload, end):
    """V5, a string is not followed by a NUL. `end` is the offset after the text."""
    return payload[end] != 0


def v6(text):
    """V6, a string contains a NUL. Returns its offset in the text, or None."""
    at = text.find(b'\0')
    return at if at >= 0 else None


def v7(text):
    """V7, a string is not UTF-8. Returns the offset of the malformed sequence, or None.

    Python's strict decoder implements section 5: the shortest form, no surrogates, nothing above
    U+10FFFF."""
    try:
        text.decode('utf-8', 'strict')
    except UnicodeDecodeError as error:
        return error.start
    return None


def v8(byte):
    """V8, a bool is neither 0 nor 1."""
    return byte > 1


def v9(item, number):
    """V9, an enum has a value that its type does not define. A table stores negative values sign-extended to 64 bits."""
    return all(member.value != number & 0xffffffffffffffff for member in item.members)


def v10(item, number):
    """V10, a flag set has a bit that its type does not define."""
    named = 0
    for member in item.members:
        named |= member.value
    return number & ~named != 0


def v11(item, tag):
    """V11, a union's tag does not match any alternative."""
    return tag != 0 and item.alternative(tag) is None


def v12(item, tag, offset):
    """V12, a union's pointer does not match its tag."""
    has_value = tag != 0 and item.alternative(tag).of is not None
    return has_value != (offset != 0)


def v13(before, key):
    """V13, map keys are not strictly ascending. Both arguments come from key_order."""
    return not before < key


def v14(key):
    """V14, a map key is a NaN, a negative zero or a string longer than 1024 bytes."""
    if isinstance(key, list):
        return any(v14(part) for part in key)
    if isinstance(key, float):
        return math.isnan(key) or key == 0 and math.copysign(1, key) < 0
    return isinstance(key, bytes) and len(key) > MAX_KEY


def v15(number):
    """V15, a reference is 0."""
    return number == 0


def v16(payload, start, end):
    """V16, a padding byte is not zero. Returns the first such offset, or None."""
    if not any(payload[start:end]):
        return None
    return next(at for at in range(start, end) if payload[at])


def v17(owned, start, end):
    """V17, two objects overlap: one of these bytes already belongs to another object."""
    return owned.find(1, start, end) >= 0


def v18(known, element, count, alignment):
    """V18, a shared object is used with a different type, count or alignment."""
    return known.element is not element or known.count != count or known.alignment != alignment


def v19(depth):
    """V19, objects are nested more than 128 deep."""
    return depth > MAX_DEPTH


class Text:
    """The element type of a string's bytes. Strings can only share bytes with strings."""
    computed_size = 1


class Byte:
    """The element type of bytes and u8[]: u8."""
    computed_size = 1


class Object:
    """The target of a relative field, or the root: `count` consecutive values of one element type.
    """

    def __init__(self, start, end, element, count, alignment):
        self.start, self.end = start, end
        self.element, self.count, self.alignment = element, count, alignment
        self.children = []  # (offset of the field, its target), in traversal order
        self.height = 1  # objects on the longest path from here, including this one


class Walk:
    """One payload, read as a value of type `root`.

    `findings` lists the broken rules, `refs` (offset, id) of every reference, and `objects` the
    objects by offset. `finished` lists each object after all its targets, `nans` (offset, size) of
    every NaN."""

    def __init__(self, payload, root, limit):
        self.payload, self.limit = payload, limit
        self.findings, self.refs, self.finished, self.nans = [], [], [], []
        self.objects, self.stack = {}, []
        self.owned = bytearray(len(payload))
        if v1(len(payload), root):
            self.report('V1', 0)
            return
        self.enter(0, root.computed_size, root, 1, root.computed_align)
        self.check_between()

    def report(self, rule, at):
        self.findings.append(Finding(rule, at))

    def enter(self, start, end, element, count, alignment):
        """Records an object and checks its content."""
        thing = Object(start, end, element, count, alignment)
        self.objects[start] = thing
        self.owned[start:end] = b'\1' * (end - start)
        self.stack.append(thing)
        if element is Text:
            self.check_text(start, end - 1)
        elif element is not Byte:
            self.check_row(start, element, count)
        self.stack.pop()
        self.finished.append(thing)
        return thing

    def follow(self, field, offset, element, count, alignment):
        """Returns the target of the relative field whose offset is at `field`. Checks it on the
        first visit."""
        start = field + offset
        end = start + count * element.computed_size
        if v2(len(self.payload), start, end - start):
            return self.report('V2', field)
        if v3(start, alignment, self.limit):
            return self.report('V3', field)
        thing = self.objects.get(start)
        if thing:
            if v18(thing, element, count, alignment):
                return self.report('V18', field)
            if v19(len(self.stack) + thing.height):
                return self.report('V19', field)
        else:
            if v17(self.owned, start, end):
                return self.report('V17', field)
            if v19(len(self.stack) + 1):
                return self.report('V19', field)
            thing = self.enter(start, end, element, count, alignment)
        parent = self.stack[-1]
        parent.children.append((field, thing))
        parent.height = max(parent.height, thing.height + 1)

    def check_between(self):
        """Bytes outside all objects are padding (V16)."""
        if not self.findings:
            mask = int.from_bytes(self.owned.translate(bytes([255, 0]) + bytes(254)), 'little')
            left = int.from_bytes(self.payload, 'little') & mask
            if left:
                self.report('V16', ((left & -left).bit_length() - 1) // 8)

    def check_row(self, at, item, count):
        """Checks `count` consecutive values of one type."""
        if item.free:
            return
        if item.kind in FLOATS:
            self.check_floats(at, item.kind, count)
            return
        check, size = CHECKS[item.kind], item.computed_size
        for place in range(at, at + count * size, size):
            check(self, place, item)

    def check(self, at, item):
        if not item.free:
            CHECKS[item.kind](self, at, item)

    def check_floats(self, at, kind, count):
        """All bit patterns are valid. NaNs are recorded for the canonical form."""
        numbers = struct.unpack_from(f'<{count}{FORMATS[kind]}', self.payload, at)
        size = SIZES[kind]
        self.nans += [(at + i * size, size) for i, number in enumerate(numbers) if number != number]

    def check_text(self, start, end):
        if v5(self.payload, end):
            self.report('V5', end)
        text = bytes(self.payload[start:end])
        if (at := v6(text)) is not None:
            self.report('V6', start + at)
        if (at := v7(text)) is not None:
            self.report('V7', start + at)

    def check_float(self, at, item):
        self.check_floats(at, item.kind, 1)

    def check_bool(self, at, item):
        if v8(self.payload[at]):
            self.report('V8', at)

    def check_enum(self, at, item):
        if v9(item, number_at(self.payload, at, item.base)):
            self.report('V9', at)

    def check_flags(self, at, item):
        if v10(item, number_at(self.payload, at, item.base)):
            self.report('V10', at)

    def check_ref(self, at, item):
        number = _id(self.payload, at)[0]
        self.refs.append((at, number))
        if v15(number):
            self.report('V15', at)

    def check_padding(self, at, item):
        """Entities and data are padding in a blob."""
        self.check_zero(at, at + item.computed_size)

    def check_zero(self, start, end):
        if start < end and (at := v16(self.payload, start, end)) is not None:
            self.report('V16', at)

    def check_struct(self, at, item):
        end = at
        for part in item.members:
            place = at + part.computed_offset
            self.check_zero(end, place)
            self.check(place, part.of)
            end = place + part.of.computed_size
        self.check_zero(end, at + item.computed_size)

    def check_fixed(self, at, item):
        self.check_row(at, item.element_type, item.count)

    def check_union(self, at, item):
        tag, offset = _two_words(self.payload, at)
        if v11(item, tag):
            self.report('V11', at)
        elif v12(item, tag, offset):
            self.report('V12', at + 4)
        elif offset:
            value = item.alternative(tag).of
            self.follow(at + 4, offset, element_of(value), 1, value.computed_align)

    def check_optional(self, at, item):
        offset = _word(self.payload, at)[0]
        if offset:
            value = item.element_type
            self.follow(at, offset, element_of(value), 1, value.computed_align)

    def check_counted(self, at, element, alignment, extra=0):
        """A relative field with a count: string, bytes, array, map."""
        offset, count = _two_words(self.payload, at)
        if v4(offset, count):
            self.report('V4', at)
        elif offset:
            self.follow(at, offset, element, count + extra, alignment)

    def check_string(self, at, item):
        self.check_counted(at, Text, 1, extra=1)

    def check_bytes(self, at, item):
        self.check_counted(at, Byte, item.object_alignment)

    def check_array(self, at, item):
        self.check_counted(at, element_of(item.element_type), item.object_alignment)

    def check_map(self, at, item):
        before = len(self.findings)
        self.check_counted(at, item.entry, item.entry.computed_align)
        # Keys with invalid text can still be compared.
        if all(finding.rule in ('V5', 'V6', 'V7') for finding in self.findings[before:]):
            self.check_keys(at, item)

    def check_keys(self, at, item):
        """Keys are valid (V14) and strictly ascending (V13)."""
        offset, count = _two_words(self.payload, at)
        size, last = item.entry.computed_size, None
        for place in range(at + offset, at + offset + count * size, size):
            key = key_at(self.payload, place, item.key_type)
            if v14(key):
                self.report('V14', place)
            elif last is not None and v13(last, key):
                self.report('V13', place)
            last = key


def element_of(item):
    """The element type for the comparison of V18."""
    return Byte if item.kind == U8 else item


def key_at(payload, at, item):
    """A map key in a form that Python compares as section 5 does: byte strings by bytes, lists by
    the first difference."""
    if item.kind == STRING:
        offset, count = _two_words(payload, at)
        return bytes(payload[at + offset:at + offset + count]) if offset else b''
    if item.kind == REF:
        return _id(payload, at)[0]
    return read(payload, at, item)


CHECKS = {
    BOOL: Walk.check_bool, F32: Walk.check_float, F64: Walk.check_float, STRING: Walk.check_string,
    BYTES: Walk.check_bytes, REF: Walk.check_ref, ENUM: Walk.check_enum, FLAGS: Walk.check_flags,
    STRUCT: Walk.check_struct, ENTRY: Walk.check_struct, UNION: Walk.check_union, ARRAY: Walk.check_array,
    MAP: Walk.check_map, OPTIONAL: Walk.check_optional, FIXED: Walk.check_fixed, ENTITY: Walk.check_padding,
    DATA: Walk.check_padding,
}
assert all(kind in FORMATS or kind in CHECKS for kind in range(BOOL, ENTRY + 1))
