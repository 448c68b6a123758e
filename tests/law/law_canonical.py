"""Section 8, the canonical form, and rule C1."""
import bisect
import struct

from law_hashes import round_up

NANS = {4: 0x7fc00000.to_bytes(4, 'little'), 8: 0x7ff8000000000000.to_bytes(8, 'little')}


class Piece:
    """An object of the canonical form. Equal objects are one piece."""

    def __init__(self, content, alignment, children):
        self.content, self.alignment, self.children = content, alignment, children
        self.place = 0


def merge(walk):
    """The piece of the root, with equal objects merged (2).

    Every object is visited after the objects that it refers to. Two objects are therefore equal if
    their own bytes are equal, offsets taken as zero, and their fields refer to the same pieces."""
    pieces, of = {}, {}
    nans = dict(walk.nans)
    starts = sorted(nans)
    for thing in walk.finished:
        content = bytearray(walk.payload[thing.start:thing.end])
        for at in between(starts, thing.start, thing.end):
            content[at - thing.start:at - thing.start + nans[at]] = NANS[nans[at]]
        children = []
        for field, child in sorted(thing.children, key=lambda pair: pair[0]):
            at = field - thing.start
            content[at:at + 4] = bytes(4)
            children.append((at, of[child]))
        key = (thing.element, thing.count, thing.alignment, bytes(content),
               tuple((at, id(piece)) for at, piece in children))
        if key not in pieces:
            pieces[key] = Piece(bytes(content), thing.alignment, children)
        of[thing] = pieces[key]
    return of[walk.objects[0]]


def between(numbers, start, end):
    """The ascending numbers that are in [start, end)."""
    return numbers[bisect.bisect_left(numbers, start):bisect.bisect_left(numbers, end)]


def order(root):
    """The pieces in the order of (3)."""
    noted, seen = [], set()

    def visit(piece):
        seen.add(piece)
        for _, child in reversed(piece.children):
            if child not in seen:
                visit(child)
        noted.append(piece)

    visit(root)
    pieces = noted[::-1]
    texts = [piece for piece in pieces if piece.alignment == 1 and piece is not root]
    return [piece for piece in pieces if piece.alignment != 1 or piece is root] + texts


def canonical_form(walk):
    """Returns (payload, alignment) of the canonical form (section 8) of a walk without findings."""
    pieces = order(merge(walk))
    end = 0
    for piece in pieces:  # (4)
        piece.place = round_up(end, piece.alignment)
        end = piece.place + len(piece.content)
    payload = bytearray(end)
    for piece in pieces:
        payload[piece.place:piece.place + len(piece.content)] = piece.content
        for at, child in piece.children:
            struct.pack_into('<I', payload, piece.place + at, child.place - piece.place - at)
    return bytes(payload), max(16, max(piece.alignment for piece in pieces))  # (5)


def c1(header, walk):
    """C1, flagged canonical, but not in canonical form. Returns the offset of the alignment if it
    differs, otherwise that of the first different byte after the header, or None if the blob is
    canonical."""
    if not header.canonical:
        return None
    payload, alignment = canonical_form(walk)
    if alignment != header.alignment:
        return 6
    if payload == walk.payload:
        return None
    differs = (i for i, (a, b) in enumerate(zip(payload, walk.payload)) if a != b)
    return header.payload_at + next(differs, min(len(payload), len(walk.payload)))
