"""Section 3: the blob header, and rules H1 to H11."""
import struct
from typing import NamedTuple

from law_hashes import xxh3_64

ASSET, INDEX, TYPE_TABLE, DICTIONARY = range(4)
HEADER_SIZE = 32
MAX_PAYLOAD = 0x7fffffff


class Header(NamedTuple):
    """The 32 bytes at the beginning of a blob, with the flags decoded."""
    magic: bytes
    major: int
    minor: int
    flags: int
    payload_size: int
    layout: int
    hash: int

    @property
    def log2_alignment(self):
        return self.flags & 15

    @property
    def alignment(self):
        return 1 << self.log2_alignment

    @property
    def canonical(self):
        return bool(self.flags & 16)

    @property
    def kind(self):
        return self.flags >> 5 & 7

    @property
    def payload_at(self):
        """Offset of the payload from the start of the header."""
        return max(HEADER_SIZE, self.alignment)

    @property
    def end(self):
        """The size of the whole blob."""
        return self.payload_at + self.payload_size


def read_header(data, at=0):
    """The header at `at`. The caller has checked that 32 bytes exist."""
    return Header(*struct.unpack_from('<4sBBHQQQ', data, at))


def blob_hash(blob, header):
    """hash = XXH3-64(gap and payload, seed = XXH3-64(header bytes 0 to 23))"""
    return xxh3_64(blob[HEADER_SIZE:header.end], xxh3_64(blob[:24]))


def h1(size, needed):
    """H1, shorter than its header states."""
    return size < needed


def h2(header):
    """H2, does not begin with KILN."""
    return header.magic != b'KILN'


def h3(header):
    """H3, unsupported major version of the format."""
    return header.major != 0


def h4(header):
    """H4, unknown flag, alignment or kind."""
    return not 4 <= header.log2_alignment <= 12 or header.kind > DICTIONARY


def h5(header):
    """H5, the payload size is invalid."""
    return not 1 <= header.payload_size <= MAX_PAYLOAD


def h6(header, size):
    """H6, bytes follow the payload."""
    return size != header.end


def h7(header, root_alignment):
    """H7, the root's type requires more than the blob's alignment. The address of a blob in memory is
    up to the reader."""
    return root_alignment > header.alignment


def h8(header, blob):
    """H8, the hash does not match the bytes."""
    return header.hash != blob_hash(blob, header)


def h9(header, blob):
    """H9, the gap between header and payload is not zero. Returns the offset of the first nonzero
    byte, or None."""
    gap = blob[HEADER_SIZE:header.payload_at]
    return next((HEADER_SIZE + i for i, byte in enumerate(gap) if byte), None)


def h10(header, layout):
    """H10, the layout hash does not match the expected type."""
    return header.layout != layout


def h11(header, kind):
    """H11, a different kind of blob is expected here."""
    return header.kind != kind


def check_header(blob, kind, layout=None, root_alignment=1, must_end=True):
    """Returns the first H rule that `blob` breaks, in the order of section 9, as (rule, offset) or
    None.

    `layout` is that of the expected type, or None if it is unknown. With `must_end`, no bytes may
    follow the blob."""
    if h1(len(blob), HEADER_SIZE):
        return 'H1', len(blob)
    header = read_header(blob)
    if h2(header):
        return 'H2', 0
    if h3(header):
        return 'H3', 4
    if h4(header):
        return 'H4', 6
    if h5(header):
        return 'H5', 8
    if h1(len(blob), header.end):
        return 'H1', len(blob)
    if must_end and h6(header, len(blob)):
        return 'H6', header.end
    if h7(header, root_alignment):
        return 'H7', 0
    if h11(header, kind):
        return 'H11', 6
    if layout is not None and h10(header, layout):
        return 'H10', 16
    if h8(header, blob):
        return 'H8', 24
    if (at := h9(header, blob)) is not None:
        return 'H9', at
    return None
