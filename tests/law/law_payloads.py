"""Section 18, payloads, and rules P1 to P4.

P1 to P3 are functions of a payload asset: its name, its value of kiln.Payload, and the index. They return 0, the offset of the
asset's header in its blob, if the asset breaks the rule. `check_data` reads the data of a member.
"""
from law_compression import unpack
from law_hashes import xxh3_64, xxh3_128
from law_index import FRAMES, is_payload
from law_types import fixed_types

FIXED_PAYLOADS = fixed_types({
    'kiln.Payload': [('content_low', 'u64'), ('content_high', 'u64'), ('size', 'u64'), ('frames', 'kiln.PayloadFrame[]'),
                     ('frame_size', 'u32')],
    'kiln.PayloadFrame': [('place', 'u64'), ('hash', 'u64')],
})
PAYLOAD_TYPE = FIXED_PAYLOADS.find('kiln.Payload')
PAYLOAD_LAYOUT = 0x71da290f5a656855
assert PAYLOAD_TYPE.computed_layout == PAYLOAD_LAYOUT
FRAME_SIZES = [1 << exponent for exponent in range(12, 23)]


def member_of(payload, index):
    """The payload member with the content hash of a payload asset, or None."""
    content = {'low': payload['content_low'], 'high': payload['content_high']}
    found = [member for member in index.members if is_payload(member) and member.content == content]
    return found[0] if found else None


def sizes_of_frames(payload):
    """The numbers of bytes of data in the frames."""
    size, rest = payload['frame_size'], payload['size']
    return [min(size, rest - at) for at in range(0, rest, size)] if size else []


def p1(name, payload, index):
    """P1, a payload's name does not consist of kiln.Payload/ and its content hash."""
    return [0] if name != f"kiln.Payload/{payload['content_high']:016x}{payload['content_low']:016x}" else []


def p2(name, payload, index):
    """P2, a payload does not match a payload member of the file."""
    member = member_of(payload, index)
    if payload['size'] == 0:
        good = member is None and not payload['frame_size'] and (
            payload['content_low'], payload['content_high']) == xxh3_128(b'')
    else:
        good = member is not None and member.size == payload['size'] and (
            (member.compression == FRAMES) == (payload['frame_size'] != 0))
    return [] if good else [0]


def p3(name, payload, index):
    """P3, the frames of a payload do not fit its size or its member."""
    size, frames = payload['frame_size'], payload['frames']
    if not size:
        return [0] if frames else []
    sizes = sizes_of_frames(payload)
    if size not in FRAME_SIZES or len(frames) != len(sizes):
        return [0]
    places = [frame['place'] for frame in frames] + [member_of(payload, index).stored_size]
    good = places[0] == 0 and all(
        first < after and bytes_of <= 256 * (after - first) for first, after, bytes_of in zip(places, places[1:], sizes))
    return [] if good else [0]


def check_data(payload, member, stored):
    """Yields (rule, offset) for the bytes of a payload member: I12, I16, I17 and P4."""
    data = stored
    if payload['frame_size']:
        if xxh3_128(stored) != tuple(member.stored.values()):
            yield 'I16', member.place
            return
        data = b''
        places = [frame['place'] for frame in payload['frames']] + [len(stored)]
        for frame, first, after, size in zip(payload['frames'], places, places[1:], sizes_of_frames(payload)):
            part = unpack(stored[first:after], size, b'')
            if part is None or xxh3_64(part) != frame['hash']:
                yield 'I17' if part is None else 'P4', member.place + first
                return
            data += part
    if xxh3_128(data) != tuple(member.content.values()):
        yield 'I12', member.place
