"""Section 7, the type table, and rules T1 to T10.

Each rule is a function that returns the types (by name or number) that break it. Rules about sizes apply only if the other
rules hold, so the rules are checked in steps.
"""
import functools
import re

from law_canonical import c1
from law_hashes import Finding
from law_header import read_header
from law_types import (ARRAY, BOOL, BYTES, COMPONENT, DATA, DEPRECATED, ENTITY, ENUM, FIXED, FLAGS, HAS_MAX, HAS_MIN,
                       INTEGERS, MAP, NAMED, NONE, NUMBERS, OPTIONAL, REF, RELATIVE, ROOT, SIGNED, SIZES, STRING, STRUCT,
                       TRANSPARENT, UNION, UNSIGNED, WITH_ELEMENT, Member, Type, TypeSet, by_value, compute_layouts,
                       expression, fixed_types, lies_in)
from law_value_rules import Walk
from law_values import read

FIXED_TABLE = fixed_types({
    'kiln.TypeTable': [('types', 'kiln.TableType[]')],
    'kiln.TableType': [
        ('name', 'string'), ('doc', 'string'), ('was', 'string[]'), ('layout', 'u64'), ('size', 'u32'), ('align', 'u32'),
        ('element', 'u32'), ('key', 'u32'), ('count', 'u32'), ('align_at', 'u32'), ('members', 'kiln.TableMember[]'),
        ('flags', 'u32'), ('kind', 'u8'), ('base', 'u8'), ('reserved', 'u16')],
    'kiln.TableMember': [
        ('name', 'string'), ('doc', 'string'), ('was', 'string[]'), ('default', 'bytes'), ('value', 'u64'),
        ('min', 'u64'), ('max', 'u64'), ('type', 'u32'), ('offset', 'u32'), ('flags', 'u32'), ('reserved', 'u32')],
})
TABLE_TYPE = FIXED_TABLE.find('kiln.TypeTable')
TABLE_LAYOUT = 0x815cda15a871d0f8
assert TABLE_TYPE.computed_layout == TABLE_LAYOUT

MAX_SIZE = 0x7fffffff
MAX_NESTED_BY_VALUE = 16
MAX_UNNAMED = 8
MAX_NAME = 255
IMAGE_ALIGNMENT = 4096
TYPE_SIZE, MEMBER_SIZE = 112, 80
NOT_COUNTED = NUMBERS + (BOOL, STRING, BYTES, REF, ENTITY)
KEYS = NUMBERS + (BOOL, STRING, ENUM, REF)


def read_table(payload):
    """The types of a valid table. Their numbers are not resolved yet."""
    types = TypeSet()
    for row in read(payload, 0, TABLE_TYPE)['types']:
        item = Type(**row)
        item.members = [Member(**member) for member in row['members']]
        types.append(item)
    return types


def t1(types):
    """T1, a type has an unknown kind, base or flag."""
    for item in types:
        bases = {ENUM: INTEGERS, FLAGS: UNSIGNED}.get(item.kind, (0,))
        flags = ROOT | TRANSPARENT | COMPONENT if item.kind == STRUCT else 0
        for_members = 63 if item.kind == STRUCT else DEPRECATED
        if (not BOOL <= item.kind <= DATA or item.base not in bases or item.flags & ~flags or item.reserved or
                item.flags & TRANSPARENT and len(item.members) != 1 or
                item.flags & ROOT and item.flags & COMPONENT or
                any(member.flags & ~for_members for member in item.members)):
            yield item


def t2(types):
    """T2, the name of a type, field or value is missing, malformed or used twice."""
    taken = set()
    for item in types:
        if item.kind in NAMED:
            good = (re.fullmatch(r'[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*', item.name, re.ASCII) and
                    len(item.name) <= MAX_NAME and item.name not in taken)
            taken.add(item.name)
        else:
            good = not (item.name or item.doc or item.was or item.members)
        names = [member.name for member in item.members]
        if not good or len(set(names)) != len(names) or not all(map(is_member_name, names)):
            yield item


def is_member_name(name):
    """1 to 255 bytes without control characters (below 0x20, 0x7f)."""
    return 1 <= len(name.encode()) <= MAX_NAME and all(char >= ' ' and char != '\x7f' for char in name)


def t3_numbers(types):
    """T3, a type refers to one that does not exist: checks only the numbers."""
    for item in types:
        def exists(number):
            return number < len(types)

        good = exists(item.element) if item.kind in WITH_ELEMENT else item.element == NONE
        if item.kind == REF:
            good = item.element == NONE or exists(item.element) and types[item.element].kind == STRUCT
        good = good and (exists(item.key) if item.kind == MAP else item.key == NONE)
        good = good and (item.count > 0 if item.kind == FIXED else item.count == 0)
        for member in item.members:
            if item.kind == STRUCT:
                good = good and exists(member.type)
            else:
                good = good and (member.type == NONE or item.kind == UNION and exists(member.type))
            good = good and (member.flags & HAS_MIN or member.min == 0) and (member.flags & HAS_MAX or member.max == 0)
            good = good and member.reserved == 0
        if not good:
            yield item


def t3_by_value(types):
    """T3, a type refers to one that is not allowed there: checks types by value in components, roots, elements and
    alternatives."""
    for item in types:
        is_entity = lies_in(item, (ENTITY, DATA))
        elements = [item.element_type] if item.kind in (ARRAY, MAP, OPTIONAL, DATA) else []
        if item.kind == UNION:
            elements = [member.of for member in item.members if member.of]
        if (item.flags & COMPONENT and lies_in(item, RELATIVE) or item.flags & ROOT and is_entity or
                any(lies_in(element, (ENTITY, DATA)) for element in elements)):
            yield item


def t4_order(types):
    """T4, an unnamed type is used too early, or nested too deeply: its unnamed types must precede
    it."""
    depth = []
    for item in types:
        parts = [number for number in (item.element, item.key) if number != NONE and item.kind != REF]
        unnamed = [number for number in parts if types[number].kind not in NAMED]
        if item.kind in NAMED or item.kind in NOT_COUNTED:
            depth.append(0)
        elif any(number >= len(depth) for number in unnamed):
            depth.append(1)
            yield item
        else:
            depth.append(1 + max((depth[number] for number in unnamed), default=0))
            if depth[-1] > MAX_UNNAMED:
                yield item


def t4_repeated(types):
    """T4, an unnamed type is repeated."""
    taken = set()
    for item in types:
        if item.kind not in NAMED:
            text = expression(item)
            if text in taken:
                yield item
            taken.add(text)


def t5_asked(types):
    """T5, a requested alignment is not a power of two up to 4,096, or is given where it has no meaning."""
    for item in types:
        at = item.align_at
        if at and (item.kind not in (STRUCT, ARRAY, BYTES) or at & (at - 1) or at > 4096):
            yield item


def t5_computed(types):
    """T5, a size, alignment or offset does not follow the layout rules."""
    for item in types:
        without = item.element_type.computed_align if item.kind == ARRAY else 1
        if (item.align_at and item.kind in (ARRAY, BYTES) and item.align_at <= without or
                item.size != item.computed_size or item.align != item.computed_align or item.size > MAX_SIZE or
                item.entry and item.entry.computed_size > MAX_SIZE or
                any(member.offset != member.computed_offset for member in item.members)):
            yield item


def t6(types):
    """T6, a type contains itself by value, or nests more than 16 types by value."""
    depths, inside = {}, set()

    def depth(item):
        if item in inside or len(inside) > MAX_NESTED_BY_VALUE:
            return MAX_NESTED_BY_VALUE + 1
        if item not in depths:
            inside.add(item)
            found = 1 + max((depth(part) for part in by_value(item)), default=0)
            inside.remove(item)
            if found > MAX_NESTED_BY_VALUE:
                return found
            depths[item] = found
        return depths[item]

    for item in types:
        if depth(item) > MAX_NESTED_BY_VALUE:
            yield item


def t7(types):
    """T7, an enum value, flag or union tag is out of range, given twice or missing."""
    for item in types:
        values = [member.value for member in item.members]
        if item.kind in (ENUM, FLAGS, UNION):
            good = values and len(set(values)) == len(values) and all(fits(item, value) for value in values)
            good = good and not any(member.default for member in item.members)
        else:
            good = not any(values)
        if not good:
            yield item


def fits(item, value):
    """Whether a value is in the range of the base. A flag has one bit, a tag is 1 to 2^32 - 1."""
    if item.kind == UNION:
        return 1 <= value <= 0xffffffff
    bits = 8 * SIZES[item.base]
    if item.base in SIGNED:
        number = value - (value >> 63 << 64)
        return -(1 << bits - 1) <= number < 1 << bits - 1
    return value < 1 << bits and (item.kind == ENUM or value != 0)


def t8(types):
    """T8, a map's key type cannot be a key."""
    for item in types:
        if item.kind == MAP:
            key = item.key_type
            if key.kind not in KEYS and not (key.kind == FIXED and key.element_type.kind in NUMBERS + (BOOL,)):
                yield item


def t9(types):
    """T9, a type's layout hash does not match its description; 0 for unnamed types."""
    for item in types:
        if item.layout != item.computed_layout:
            yield item


def t10(types):
    """T10, a field's default is not a valid value. It is stored as an image: a payload whose root is the field's value."""
    for item in types:
        if item.kind == STRUCT and any(member.default and check_default(member) for member in item.members):
            yield item


def check_default(member):
    """Checks a default. The default of a data field is one value of its element type."""
    root = member.of.element_type if member.of.kind == DATA else member.of
    return Walk(member.default, root, IMAGE_ALIGNMENT).findings


def unfolded_size(types):
    """Section 11: the unfolded size of a table, where shared strings and members count for each
    reference."""
    return sum(TYPE_SIZE + texts(item) + sum(MEMBER_SIZE + texts(member) + len(member.default) for member in item.members)
               for item in types)


def texts(row):
    """The strings of a row: name and doc with a NUL each, and 8 bytes plus the length for each
    earlier name."""
    return len(row.name.encode()) + 1 + len(row.doc.encode()) + 1 + sum(8 + len(text.encode()) for text in row.was)


def check_types(types):
    """Checks the types of a table, and resolves numbers and sizes of valid ones."""
    findings = []

    def look(*rules):
        for rule in rules:
            for item in rule(types):
                findings.append(Finding(rule.__name__.split('_')[0].upper(), None, item.name or str(types.index(item))))
        return not findings

    if not look(t1, t2, t3_numbers) or not look(t4_order, t5_asked):
        return findings
    types.connect()
    if not look(t4_repeated, t6) or not look(t7, t8, t3_by_value):
        return findings
    types.measure()
    if look(t5_computed):
        compute_layouts(types)
        look(t9, t10)
    return findings


@functools.lru_cache(maxsize=64)
def check_table(blob):
    """Returns (types or None, findings) of a type table's blob whose header has been checked.
    Offsets count from its payload."""
    header = read_header(blob)
    payload = blob[header.payload_at:header.end]
    walk = Walk(payload, TABLE_TYPE, header.alignment)
    if walk.findings:
        return None, walk.findings
    if (at := c1(header, walk)) is not None:
        return None, [Finding('C1', at - header.payload_at)]
    types = read_table(payload)
    if unfolded_size(types) > (1 << 20) + 64 * len(payload):
        return None, [Finding('unfolded size', None)]
    findings = check_types(types)
    return (None, findings) if findings else (types, [])
