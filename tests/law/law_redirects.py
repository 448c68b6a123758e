"""Section 10, redirects, and rules R1 to R4.

Each rule is a function of the list of redirects, a value of kiln.Redirects, and the ids of the file's assets. It returns 0, the
offset of the list's header in its blob, for each entry that breaks the rule.
"""
from law_hashes import xxh3_64
from law_index import is_asset_name
from law_types import fixed_types

FIXED_REDIRECTS = fixed_types({
    'kiln.Redirect': [('id', 'u64'), ('name', 'string'), ('target', 'string')],
    'kiln.Redirects': [('entries', 'kiln.Redirect[]')],
})
REDIRECTS_TYPE = FIXED_REDIRECTS.find('kiln.Redirects')
REDIRECTS_LAYOUT = 0x1bc40b748e7557ed
assert REDIRECTS_TYPE.computed_layout == REDIRECTS_LAYOUT
LIST_NAME = 'kiln.Redirects/ids'


def r1(redirects, ids):
    """R1, redirects are not strictly ascending by id."""
    entries = redirects['entries']
    return [0 for before, entry in zip(entries, entries[1:]) if entry['id'] <= before['id']]


def kind_of(name):
    return name.partition('/')[0]


def r2(redirects, ids):
    """R2, a redirect's id is not the hash of its name, or a name is malformed or of another kind."""
    for entry in redirects['entries']:
        name, target = entry['name'], entry['target']
        if not is_asset_name(name) or entry['id'] == 0 or xxh3_64(name.encode()) != entry['id'] or (
                target and (not is_asset_name(target) or kind_of(target) != kind_of(name))):
            yield 0


def r3(redirects, ids):
    """R3, a redirect leads to an earlier name of the same file."""
    earlier = {entry['id'] for entry in redirects['entries']}
    return [0 for entry in redirects['entries'] if entry['target'] and xxh3_64(entry['target'].encode()) in earlier]


def r4(redirects, ids):
    """R4, a redirected id is the id of an asset of the file."""
    return [0 for entry in redirects['entries'] if entry['id'] in ids]
