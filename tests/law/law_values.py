"""Sections 4 and 5: the decoder. It converts the bytes of a value to a Python value according to its type.

The bytes have been checked (law_value_rules.py). Results:

  bool, numbers      bool, int, float            struct          a dictionary of its fields, in order
  string             str                         array, fixed    a list
  bytes              bytes                       map             a list of (key, value)
  ref                Ref(id)                     optional        None or (value,)
  enum, flags        int, signed like the base   union           None or (name of the alternative, value)
  entity, data       None: they are padding
"""
import struct
from typing import NamedTuple

from law_types import (ARRAY, BOOL, BYTES, DATA, ENTITY, ENUM, F32, F64, FIXED, FLAGS, I8, I16, I32, I64, MAP, OPTIONAL,
                       REF, STRING, STRUCT, U8, U16, U32, U64, UNION)

FORMATS = {BOOL: '?', I8: 'b', I16: 'h', I32: 'i', I64: 'q', U8: 'B', U16: 'H', U32: 'I', U64: 'Q', F32: 'f', F64: 'd'}
UNPACK = {kind: struct.Struct('<' + letter).unpack_from for kind, letter in FORMATS.items()}
_two_words = struct.Struct('<II').unpack_from


class Ref(NamedTuple):
    """A reference: the id of an asset."""
    id: int


def number_at(data, at, kind):
    """The number of this kind at `at`, little-endian."""
    return UNPACK[kind](data, at)[0]


def target_of(data, at):
    """(offset of the object, count) of the relative field of 8 bytes at `at`; (None, 0) if it is
    empty."""
    offset, count = _two_words(data, at)
    return (at + offset, count) if offset else (None, 0)


def read_row(data, at, item, count):
    """`count` consecutive values."""
    if item.kind in FORMATS:
        return list(struct.unpack_from(f'<{count}{FORMATS[item.kind]}', data, at))
    size = item.computed_size
    return [read(data, at + i * size, item) for i in range(count)]


def read_array(data, at, item):
    """An array: offset, count."""
    target, count = target_of(data, at)
    return read_row(data, target, item.element_type, count) if count else []


def read_map(data, at, item):
    """A map is an array of entries, laid out as struct { key; value; }."""
    target, count = target_of(data, at)
    entry, pairs = item.entry, []
    for i in range(count):
        place = target + i * entry.computed_size
        pairs.append(tuple(read(data, place + part.computed_offset, part.of) for part in entry.members))
    return pairs


def read_text(data, at, item):
    """A string: offset, length. The length does not include the NUL after the text."""
    target, count = target_of(data, at)
    return str(data[target:target + count], 'utf-8') if count else ''


def read_bytes(data, at, item):
    """Bytes: offset, count."""
    target, count = target_of(data, at)
    return bytes(data[target:target + count]) if count else b''


def read_struct(data, at, item):
    """A struct: its fields at their offsets."""
    return {part.name: read(data, at + part.computed_offset, part.of) for part in item.members}


def read_union(data, at, item):
    """A union: tag and pointer. The offset is relative to the pointer."""
    tag, offset = _two_words(data, at)
    if not tag:
        return None
    alternative = item.alternative(tag)
    return alternative.name, read(data, at + 4 + offset, alternative.of) if offset else None


def read_optional(data, at, item):
    """A pointer: 0, or the offset of the value."""
    offset = number_at(data, at, U32)
    return (read(data, at + offset, item.element_type),) if offset else None


READERS = {
    STRING: read_text, BYTES: read_bytes, STRUCT: read_struct, UNION: read_union, ARRAY: read_array, MAP: read_map,
    OPTIONAL: read_optional,
    REF: lambda data, at, item: Ref(number_at(data, at, U64)),
    ENUM: lambda data, at, item: number_at(data, at, item.base),
    FLAGS: lambda data, at, item: number_at(data, at, item.base),
    FIXED: lambda data, at, item: read_row(data, at, item.element_type, item.count),
    ENTITY: lambda data, at, item: None,
    DATA: lambda data, at, item: None,
}


def read(data, at, item):
    """The value of type `item` at `at`."""
    if item.kind in UNPACK:
        return UNPACK[item.kind](data, at)[0]
    return READERS[item.kind](data, at, item)
