"""Section 10, Compression, and rules I17 and I18. The frames of zstd's format (RFC 8878) are unpacked by libzstd.

What the law says of a frame's header is read here from the bytes themselves; libzstd says whether its blocks are right.
"""
import ctypes
from typing import NamedTuple

from law_hashes import load_library

FRAME_MAGIC = 0xfd2fb528.to_bytes(4, 'little')
DICTIONARY_MAGIC = bytes.fromhex('37a430ec')
WINDOW_LIMIT = 1 << 31

_zstd = load_library('zstd')
_size, _bytes, _pointer = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p
for _name, _result, _arguments in [
        ('ZSTD_createDCtx', _pointer, []),
        ('ZSTD_findFrameCompressedSize', _size, [_bytes, _size]),
        ('ZSTD_decompress_usingDict', _size, [_pointer, _pointer, _size, _bytes, _size, _bytes, _size]),
        ('ZSTD_createDDict', _pointer, [_bytes, _size]),
        ('ZSTD_freeDDict', _size, [_pointer]),
        ('ZSTD_isError', ctypes.c_uint, [_size])]:
    getattr(_zstd, _name).restype = _result
    getattr(_zstd, _name).argtypes = _arguments
_context = _zstd.ZSTD_createDCtx()


class Frame(NamedTuple):
    """The header of a frame: what it says, and where its bytes are that others depend on."""
    content_size: int | None
    window: int
    window_at: int | None
    dictionary: int


def read_frame(data):
    """The frame header at the beginning (RFC 8878, section 3.1.1.1), or None if there is none."""
    if len(data) < 5 or data[:4] != FRAME_MAGIC:
        return None
    flags, at = data[4], 5
    single = flags >> 5 & 1
    window_at = None if single else at
    at += not single
    dictionary_size = (0, 1, 2, 4)[flags & 3]
    dictionary = int.from_bytes(data[at:at + dictionary_size], 'little')
    at += dictionary_size
    content_bytes = (single, 2, 4, 8)[flags >> 6]
    content = int.from_bytes(data[at:at + content_bytes], 'little') + (256 if content_bytes == 2 else 0)
    if at + content_bytes > len(data):
        return None
    if single:
        window = content
    else:
        base = 1 << 10 + (data[window_at] >> 3)
        window = base + (base >> 3) * (data[window_at] & 7)
    return Frame(content if content_bytes else None, window, window_at, dictionary)


def unpack(stored, size, dictionary):
    """The blob of `size` bytes that `stored` holds, or None: I17, a compressed member is not one zstd frame of the size
    that the index says. `dictionary` is a payload, or b''."""
    frame = read_frame(stored)
    if frame is None or frame.content_size != size:
        return None
    # Any window is taken, but libzstd allows none above 2^31; its size decides nothing else when it is so large.
    if frame.window > WINDOW_LIMIT and frame.window_at is not None:
        stored = stored[:frame.window_at] + b'\xa8' + stored[frame.window_at + 1:]
    if frame.dictionary and frame.dictionary != dictionary_number(dictionary):
        return None
    if _zstd.ZSTD_findFrameCompressedSize(stored, len(stored)) != len(stored):
        return None
    target = ctypes.create_string_buffer(size)
    got = _zstd.ZSTD_decompress_usingDict(_context, target, size, stored, len(stored), dictionary, len(dictionary))
    return target.raw if not _zstd.ZSTD_isError(got) and got == size else None


def dictionary_number(dictionary):
    """The number of a dictionary in zstd's own format; 0 for any other bytes, which have none."""
    return int.from_bytes(dictionary[4:8], 'little') if dictionary[:4] == DICTIONARY_MAGIC else 0


def i18(payload):
    """I18, a dictionary begins like a trained one and is none."""
    if payload[:4] != DICTIONARY_MAGIC:
        return False
    if len(payload) < 8 or dictionary_number(payload) == 0:
        return True
    made = _zstd.ZSTD_createDDict(payload, len(payload))
    if made:
        _zstd.ZSTD_freeDDict(made)
    return not made
