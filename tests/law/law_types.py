"""Sections 5 and 6: kinds, components of types, their sizes, and the layout hash."""
import re
from dataclasses import dataclass, field

from law_hashes import round_up, xxh3_64

NONE = 0xffffffff

(BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, STRING, BYTES, REF, ENUM, FLAGS, STRUCT, UNION, ARRAY, MAP,
 OPTIONAL, FIXED, ENTITY, DATA) = range(1, 25)
KIND_NAMES = ('', 'bool', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64', 'string', 'bytes', 'ref',
              'enum', 'flags', 'struct', 'union', 'array', 'map', 'optional', 'fixed', 'entity', 'data')
# A map entry is laid out as a struct, and V18 treats it as a type. No table has this kind.
ENTRY = 25

SIGNED = (I8, I16, I32, I64)
UNSIGNED = (U8, U16, U32, U64)
INTEGERS = SIGNED + UNSIGNED
FLOATS = (F32, F64)
NUMBERS = INTEGERS + FLOATS
NAMED = (ENUM, FLAGS, STRUCT, UNION)
RELATIVE = (STRING, BYTES, ARRAY, MAP, OPTIONAL, UNION)
WITH_ELEMENT = (ARRAY, MAP, OPTIONAL, FIXED, DATA)
SIZES = {BOOL: 1, I8: 1, I16: 2, I32: 4, I64: 8, U8: 1, U16: 2, U32: 4, U64: 8, F32: 4, F64: 8, REF: 8}

# Flags of types and of members (section 7).
ROOT, TRANSPARENT, COMPONENT = 1, 2, 4
HAS_MIN, HAS_MAX, REQUIRED, DEPRECATED, SINGLE, REST = 1, 2, 4, 8, 16, 32


@dataclass(eq=False)
class Member:
    """A row of kiln.TableMember: a field, an alternative or a value."""
    name: str
    type: int = NONE
    offset: int = 0
    value: int = 0
    doc: str = ''
    was: list = field(default_factory=list)
    default: bytes = b''
    min: int = 0
    max: int = 0
    flags: int = 0
    reserved: int = 0
    of: 'Type' = None  # the resolved type

    # Computed as described in section 6.
    computed_offset: int = 0


@dataclass(eq=False)
class Type:
    """A row of kiln.TableType. The fields after `reserved` are not stored in a table but computed."""
    kind: int
    name: str = ''
    doc: str = ''
    was: list = field(default_factory=list)
    layout: int = 0
    size: int = 0
    align: int = 0
    element: int = NONE
    key: int = NONE
    count: int = 0
    align_at: int = 0
    members: list = field(default_factory=list)
    flags: int = 0
    base: int = 0
    reserved: int = 0

    number: int = 0
    element_type: 'Type' = None
    key_type: 'Type' = None
    entry: 'Type' = None
    computed_size: int = None
    computed_align: int = None
    computed_layout: int = 0
    free: bool = None

    @property
    def object_alignment(self):
        """Alignment of the object of an array or bytes value (section 4)."""
        own = self.element_type.computed_align if self.kind == ARRAY else 1
        return max(own, self.align_at)

    @property
    def fields(self):
        """The parts of a struct or a map entry."""
        return self.members

    def alternative(self, tag):
        """The alternative of a union with this tag, or None."""
        return next((member for member in self.members if member.value == tag), None)


class TypeSet(list):
    """Types in number order."""

    def connect(self):
        """Resolves each number to its type. All numbers have been checked (T3)."""
        for number, item in enumerate(self):
            item.number = number
            item.element_type = self[item.element] if item.element != NONE else None
            item.key_type = self[item.key] if item.key != NONE else None
            for member in item.members:
                member.of = self[member.type] if member.type != NONE else None

    def find(self, name):
        """The named type with this name, or None."""
        return next((item for item in self if item.kind in NAMED and item.name == name), None)

    def measure(self):
        """Computes the size and alignment of all types and the offsets of fields: "Layout is never
        chosen"."""
        for item in self:
            measure(item)
        for item in self:
            if item.kind == MAP:
                item.entry = Type(ENTRY, members=[Member('key', of=item.key_type), Member('value', of=item.element_type)])
                measure(item.entry)
        for item in self:
            is_free(item)
            if item.kind == MAP:
                is_free(item.entry)


def measure(item):
    """Size and alignment from the table of section 6. Nesting by value is finite (T6)."""
    if item.computed_size is not None:
        return
    if item.kind in SIZES:
        size = align = SIZES[item.kind]
    elif item.kind in (ENUM, FLAGS):
        size = align = SIZES[item.base]
    elif item.kind == OPTIONAL:
        size = align = 4
    elif item.kind in RELATIVE or item.kind == ENTITY:
        size, align = 8, 4
    elif item.kind == DATA:
        size = align = 8
    elif item.kind == FIXED:
        measure(item.element_type)
        size = item.count * item.element_type.computed_size
        align = item.element_type.computed_align
    else:
        size, align = 0, max(1, item.align_at)
        for part in item.members:
            measure(part.of)
            part.computed_offset = round_up(size, part.of.computed_align)
            size = part.computed_offset + part.of.computed_size
            align = max(align, part.of.computed_align)
        size = round_up(max(1, size), align)
    item.computed_size, item.computed_align = size, align


def is_free(item):
    """Whether any bytes are a valid value without floats, so that values need no check.

    Entities, refs and data are not free, although they are words in a component's row, which the scene
    checks."""
    if item.free is None:
        if item.kind in (STRUCT, ENTRY):
            used = sum(part.of.computed_size for part in item.members)
            item.free = used == item.computed_size and all(is_free(part.of) for part in item.members)
        elif item.kind == FIXED:
            item.free = is_free(item.element_type)
        else:
            item.free = item.kind in INTEGERS
    return item.free


def by_value(item):
    """The types that `item` contains by value: fields of structs, elements of fixed arrays."""
    if item.kind in (STRUCT, ENTRY):
        return [part.of for part in item.members]
    return [item.element_type] if item.kind == FIXED else []


def lies_in(item, kinds):
    """Whether `item` is of one of `kinds` or contains one by value."""
    return item.kind in kinds or any(lies_in(part, kinds) for part in by_value(item))


def expression(item):
    """The expression of a type (section 6)."""
    if item.kind in NAMED:
        return item.name
    at = f'@{item.align_at}' if item.align_at else ''
    if item.kind == BYTES:
        return 'bytes' + at
    if item.kind == REF:
        return f'ref<{item.element_type.name}>' if item.element_type else 'ref'
    if item.kind == ARRAY:
        return expression(item.element_type) + '[]' + at
    if item.kind == FIXED:
        return f'{expression(item.element_type)}[{item.count}]'
    if item.kind == OPTIONAL:
        return expression(item.element_type) + '?'
    if item.kind == MAP:
        return f'map<{expression(item.key_type)}, {expression(item.element_type)}>'
    if item.kind == DATA:
        return f'data<{expression(item.element_type)}>'
    return KIND_NAMES[item.kind]


def words(*parts):
    """Every word, name, expression and number of a shape is terminated by a NUL."""
    return b''.join(str(part).encode() + b'\0' for part in parts)


def shape(item):
    """The byte string that describes the layout of a named type."""
    if item.kind == STRUCT:
        return words('struct', item.name, item.computed_size, item.computed_align, len(item.members)) + b''.join(
            words(part.name, part.computed_offset, expression(part.of)) for part in item.members)
    if item.kind == UNION:
        return words('union', item.name, len(item.members)) + b''.join(
            words(part.name, part.value, expression(part.of) if part.of else '')
            for part in sorted(item.members, key=lambda part: part.value))
    return words(KIND_NAMES[item.kind], item.name, KIND_NAMES[item.base], len(item.members)) + b''.join(
        words(part.name, part.value) for part in sorted(item.members, key=lambda part: part.value))


def made_of(item):
    """The named types in an expression of the shape of `item`, except those inside ref<> and data<>.
    """
    found = {}

    def look(part):
        if part is None or part.kind in (REF, DATA):
            return
        if part.kind in NAMED:
            found[part.name] = part
        else:
            look(part.element_type)
            look(part.key_type)

    for member in item.members:
        look(member.of)
    return found


def groups(types):
    """The groups of section 6, each after the groups that it depends on (Tarjan's algorithm, without
    recursion)."""
    index, low, on_path, path, result = {}, {}, set(), [], []
    for start in types:
        if start in index:
            continue
        stack = []

        def enter(item):
            index[item] = low[item] = len(index)
            path.append(item)
            on_path.add(item)
            stack.append((item, iter(made_of(item).values())))

        enter(start)
        while stack:
            item, rest = stack[-1]
            other = next(rest, None)
            if other is not None:
                if other not in index:
                    enter(other)
                elif other in on_path:
                    low[item] = min(low[item], index[other])
                continue
            stack.pop()
            if stack:
                low[stack[-1][0]] = min(low[stack[-1][0]], low[item])
            if low[item] == index[item]:
                at = path.index(item)
                result.append(path[at:])
                on_path.difference_update(path[at:])
                del path[at:]
    return result


def compute_layouts(types):
    """layout(T) = XXH3-64(name of T NUL H(C) NUL) for all named types T."""
    for group in groups([item for item in types if item.kind in NAMED]):
        outside = {}
        for item in group:
            outside.update(made_of(item))
        for item in group:
            outside.pop(item.name, None)
        by_name = sorted(group, key=lambda item: item.name.encode())
        text = b''.join(shape(item) for item in by_name)
        for name in sorted(outside, key=str.encode):
            text += words(name, f'{outside[name].computed_layout:016x}')
        group_hash = f'{xxh3_64(text):016x}'
        for item in group:
            item.computed_layout = xxh3_64(words(item.name, group_hash))


def fixed_types(structs):
    """Makes types from structs given as a dictionary from name to a list of (field, expression).

    FORMAT.md defines the fixed types in this form; section 6 defines the rest."""
    types, known = TypeSet(), {}

    def add(item, text):
        known[text] = len(types)
        types.append(item)
        return known[text]

    def number(text):
        if text in known:
            return known[text]
        if text in KIND_NAMES[BOOL:REF + 1]:
            return add(Type(KIND_NAMES.index(text)), text)
        if match := re.fullmatch(r'(.+)\[\]', text):
            element = number(match[1])
            return add(Type(ARRAY, element=element), text)
        if match := re.fullmatch(r'bytes@(\d+)', text):
            return add(Type(BYTES, align_at=int(match[1])), text)
        if match := re.fullmatch(r'ref<(.+)>', text):
            return add(Type(REF, element=number(match[1])), text)
        key, element = re.fullmatch(r'map<(\w+), (\w+)>', text).groups()
        return add(Type(MAP, key=number(key), element=number(element)), text)

    for name in structs:
        add(Type(STRUCT, name), name)
    for name, parts in structs.items():
        types[known[name]].members = [Member(part, number(text)) for part, text in parts]
    types.connect()
    types.measure()
    compute_layouts(types)
    return types
