"""Section 15: cluster plans, and rules K1 to K6.

Each rule is a function that returns the offsets at which it is broken. K1 takes the index, the others a `ClusterPlan`. K3 to K6
require K2. Offsets count from the start of the file.
"""
from law_types import fixed_types
from law_values import read, target_of

LISTS = 'roots', 'member_starts', 'members', 'mutable_starts', 'mutables', 'reference_starts', 'references'
FIXED_CLUSTERS = fixed_types({'kiln.Clusters': [(name, 'u32[]') for name in LISTS]})
CLUSTERS_TYPE = FIXED_CLUSTERS.find('kiln.Clusters')
CLUSTERS_LAYOUT = 0xec3dc7b91b702e38
assert CLUSTERS_TYPE.computed_layout == CLUSTERS_LAYOUT
ASSET_NAME = 'kiln.Clusters/plan'
NUMBER_SIZE = 4


class ClusterPlan:
    """A value of kiln.Clusters whose payload is at `base` in the file."""

    def __init__(self, payload, base, index):
        self.payload, self.base = payload, base
        self.assets = len(index.assets)
        self.nodes = self.assets + len(index.imports)
        self.lists = read(payload, 0, CLUSTERS_TYPE)
        self.clusters = range(len(self.lists['roots']))

    def field(self, name):
        """Offset of a field in the file."""
        return self.base + 8 * LISTS.index(name)

    def place(self, name, number):
        """Offset of an element in the file."""
        start, _ = target_of(self.payload, 8 * LISTS.index(name))
        return self.base + start + NUMBER_SIZE * number

    def part(self, name, cluster):
        """(position, number) of the elements of a list that belong to a cluster."""
        starts = self.lists[f'{name[:-1]}_starts']
        return [(i, self.lists[name][i]) for i in range(starts[cluster], starts[cluster + 1])]


def k1(index):
    """K1, a cluster plan is not named kiln.Clusters/plan."""
    for asset in index.assets:
        if index.types[asset.type].name == CLUSTERS_TYPE.name and asset.name != ASSET_NAME:
            yield asset.at


def k2(plan):
    """K2, the lists of a cluster plan do not fit its number of roots."""
    for name in ('members', 'mutables', 'references'):
        starts = plan.lists[starts_name := f'{name[:-1]}_starts']
        if len(starts) != len(plan.clusters) + 1:
            yield plan.field(starts_name)
            continue
        for i, start in enumerate(starts):
            if i == 0 and start or i and start < starts[i - 1] or i + 1 == len(starts) and start != len(plan.lists[name]):
                yield plan.place(starts_name, i)


def k3(plan):
    """K3, a cluster's root does not exist or is out of order."""
    roots = plan.lists['roots']
    for i, root in enumerate(roots):
        if root >= plan.assets or i and root <= roots[i - 1]:
            yield plan.place('roots', i)


def not_ascending(part):
    """The positions of elements that are not greater than the one before."""
    return {i for (_, before), (i, number) in zip(part, part[1:]) if number <= before}


def k4(plan):
    """K4, a cluster's member does not exist, is out of order or already belongs to a cluster."""
    owned = set(plan.lists['roots'])
    for cluster in plan.clusters:
        part = plan.part('members', cluster)
        wrong = not_ascending(part)
        for i, number in part:
            if number >= plan.assets or i in wrong or number in owned:
                yield plan.place('members', i)
            owned.add(number)


def k5(plan):
    """K5, a cluster's mutable does not exist, is out of order or belongs to the cluster."""
    for cluster in plan.clusters:
        own = {plan.lists['roots'][cluster]} | {number for _, number in plan.part('members', cluster)}
        part = plan.part('mutables', cluster)
        wrong = not_ascending(part)
        for i, number in part:
            if number >= plan.nodes or i in wrong or number in own:
                yield plan.place('mutables', i)


def k6(plan):
    """K6, a cluster's reference does not exist, is out of order or is the cluster itself."""
    for cluster in plan.clusters:
        part = plan.part('references', cluster)
        wrong = not_ascending(part)
        for i, number in part:
            if number >= len(plan.clusters) or i in wrong or number == cluster:
                yield plan.place('references', i)
