"""Section 13: the layout of entity rows in a chunk."""
from law_hashes import round_up

CHUNK_SIZE = 16384
COLUMN_ALIGNMENT = 64
MAX_TRIMMED = 12288


def column_bytes(size, rows):
    """The size of a column in a chunk: its rows, rounded up to a multiple of 64."""
    return round_up(size * rows, COLUMN_ALIGNMENT)


def taken(sizes, rows):
    """The size of all columns. Tags have no column and size 0."""
    return sum(column_bytes(size, rows) for size in sizes)


def capacity(sizes):
    """The largest number of rows, up to 16,384, that fits in a chunk; 0 if one row is too large."""
    low, high = 0, CHUNK_SIZE
    while low < high:
        middle = (low + high + 1) // 2
        if taken(sizes, middle) <= CHUNK_SIZE:
            low = middle
        else:
            high = middle - 1
    return low


def column_places(sizes, rows):
    """The offsets of the columns in name order, and the rounded end of the last one."""
    places, at = [], 0
    for size in sizes:
        places.append(at)
        at += column_bytes(size, rows)
    return places, at
