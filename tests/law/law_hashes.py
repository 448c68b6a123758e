"""Conventions of FORMAT.md: the hash functions, and the types with which all modules report a broken rule.

XXH3-64 and XXH3-128 come from libxxhash, with seed 0 and the default secret unless a seed is given.
"""
import ctypes
import ctypes.util
from typing import NamedTuple


class Missing(Exception):
    """A library that this reader needs is not installed."""


def load_library(name):
    """The shared library `name`, for example `xxhash`; raises Missing."""
    path = ctypes.util.find_library(name)
    if not path:
        raise Missing(f'no shared library {name} on this machine')
    return ctypes.CDLL(path)


class _Hash128(ctypes.Structure):
    _fields_ = [('low', ctypes.c_uint64), ('high', ctypes.c_uint64)]


_xxhash = load_library('xxhash')
_xxhash.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
_xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64
_xxhash.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_xxhash.XXH3_128bits.restype = _Hash128


def xxh3_64(data, seed=0):
    """XXH3-64 of `data`."""
    return _xxhash.XXH3_64bits_withSeed(bytes(data), len(data), seed)


def xxh3_128(data):
    """XXH3-128 of `data` as (low, high)."""
    hash128 = _xxhash.XXH3_128bits(bytes(data), len(data))
    return hash128.low, hash128.high


class Finding(NamedTuple):
    """A broken rule: its id, the offset that section 9 defines (or None), and the asset or type."""
    rule: str
    at: int | None
    where: str = ''


def round_up(number, alignment):
    """The first multiple of `alignment` at or after `number`."""
    return -(-number // alignment) * alignment
