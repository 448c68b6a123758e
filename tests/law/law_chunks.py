"""Section 13: how the rows of entities lie in a chunk."""
from law_hashes import round_up

CHUNK_SIZE = 16384
COLUMN_ALIGNMENT = 64
MAX_TRIMMED = 12288


def column_bytes(size, rows):
    """What a column takes of a chunk: its rows, rounded up to a multiple of 64."""
    return round_up(size * rows, COLUMN_ALIGNMENT)


def taken(sizes, rows):
    """What all columns take. Tags have no column, and size 0 takes nothing."""
    return sum(column_bytes(size, rows) for size in sizes)


def capacity(sizes):
    """The largest number of rows, up to 16,384, that a chunk has room for; 0 if one row takes more."""
    low, high = 0, CHUNK_SIZE
    while low < high:
        middle = (low + high + 1) // 2
        if taken(sizes, middle) <= CHUNK_SIZE:
            low = middle
        else:
            high = middle - 1
    return low


def column_places(sizes, rows):
    """Where each column begins, in the order of names, and where the last one's rounded end is."""
    places, at = [], 0
    for size in sizes:
        places.append(at)
        at += column_bytes(size, rows)
    return places, at
