"""Section 10, Compression, and rules I17 and I18. libzstd decompresses the zstd frames (RFC 8878).

The fields of the frame header are parsed here. libzstd checks the blocks.
"""
import ctypes
from typing import NamedTuple

from law_hashes import load_library

FRAME_MAGIC = 0xfd2fb528.to_bytes(4, 'little')
DICTIONARY_MAGIC = bytes.fromhex('37a430ec')
SHORTEST_FRAME, SHORTEST_TRAINED = 6, 8
MAX_EXPONENT = 21  # of a window, which is then at least 2^31 bytes

zstd = load_library('zstd')
_size, _bytes, _pointer = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p
for _name, _result, _arguments in [
        ('ZSTD_createDCtx', _pointer, []),
        ('ZSTD_findFrameCompressedSize', _size, [_bytes, _size]),
        ('ZSTD_decompress_usingDict', _size, [_pointer, _pointer, _size, _bytes, _size, _bytes, _size]),
        ('ZSTD_createDDict', _pointer, [_bytes, _size]),
        ('ZSTD_freeDDict', _size, [_pointer]),
        ('ZSTD_isError', ctypes.c_uint, [_size])]:
    getattr(zstd, _name).restype = _result
    getattr(zstd, _name).argtypes = _arguments
_context = zstd.ZSTD_createDCtx()


class Frame(NamedTuple):
    """The fields of a frame header."""
    content_size: int | None
    exponent: int  # of the window; 0 if the frame has no window descriptor
    dictionary: int


def read_frame(data):
    """Parses the frame header at the beginning (RFC 8878, section 3.1.1.1); None if it is invalid.
    """
    if len(data) < SHORTEST_FRAME or data[:4] != FRAME_MAGIC:
        return None
    flags, at = data[4], 5
    single = flags >> 5 & 1
    exponent = 0 if single else data[at] >> 3
    at += not single
    dictionary_size = (0, 1, 2, 4)[flags & 3]
    dictionary = int.from_bytes(data[at:at + dictionary_size], 'little')
    at += dictionary_size
    content_bytes = (single, 2, 4, 8)[flags >> 6]
    content = int.from_bytes(data[at:at + content_bytes], 'little') + (256 if content_bytes == 2 else 0)
    if at + content_bytes > len(data):
        return None
    return Frame(content if content_bytes else None, exponent, dictionary)


def unpack(stored, size, dictionary):
    """Returns the blob of `size` bytes in `stored`, or None for I17, a compressed member is not a single zstd frame of the size given in the index. `dictionary` is a payload, or b''."""
    frame = read_frame(stored)
    if frame is None or frame.content_size != size or frame.exponent > MAX_EXPONENT:
        return None
    if frame.dictionary and frame.dictionary != dictionary_number(dictionary):
        return None
    if zstd.ZSTD_findFrameCompressedSize(stored, len(stored)) != len(stored):
        return None
    target = ctypes.create_string_buffer(size)
    got = zstd.ZSTD_decompress_usingDict(_context, target, size, stored, len(stored), dictionary, len(dictionary))
    return target.raw if not zstd.ZSTD_isError(got) and got == size else None


def dictionary_number(dictionary):
    """The id of a dictionary in zstd's own format; 0 for any other bytes."""
    is_trained = dictionary[:4] == DICTIONARY_MAGIC and len(dictionary) >= SHORTEST_TRAINED
    return int.from_bytes(dictionary[4:8], 'little') if is_trained else 0


def i18(payload):
    """I18, a dictionary begins like a trained dictionary but is malformed. Fewer than 8 bytes are always valid."""
    if payload[:4] != DICTIONARY_MAGIC or len(payload) < SHORTEST_TRAINED:
        return False
    made = zstd.ZSTD_createDDict(payload, len(payload))
    if made:
        zstd.ZSTD_freeDDict(made)
    return not made
