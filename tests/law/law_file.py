"""A whole file: opens it, checks every rule of section 9 on every byte, and returns its assets and scenes.

`File(data)` never raises for invalid bytes. Its `findings` lists the broken rules. If it is empty, `assets()` and `scenes()`
return the content.
"""
import law_clusters
import law_payloads
import law_redirects
import law_index
from law_canonical import c1
from law_clusters import ASSET_NAME, CLUSTERS_LAYOUT, CLUSTERS_TYPE, FIXED_CLUSTERS, ClusterPlan
from law_compression import i18, unpack
from law_hashes import Finding
from law_header import ASSET, DICTIONARY, INDEX, TYPE_TABLE, check_header, read_header
from law_index import INDEX_LAYOUT, INDEX_TYPE, PLAIN, Index, is_payload
from law_payloads import FIXED_PAYLOADS, PAYLOAD_LAYOUT, PAYLOAD_TYPE
from law_redirects import FIXED_REDIRECTS, LIST_NAME, REDIRECTS_LAYOUT, REDIRECTS_TYPE
from law_scenes import (CHUNKS_LAYOUT, CHUNKS_TYPE, FIXED_SCENE, SCENE_LAYOUT, SCENE_TYPE, Part, RowReader, Scene,
                        check_scene)
from law_table import TABLE_LAYOUT, check_table
from law_types import STRUCT
from law_value_rules import Walk
from law_values import read


# If one of these rules is broken, the rest of the header cannot be checked.
UNREADABLE = ('H1', 'H2', 'H3', 'H4', 'H5')


class Blob:
    """A member's blob whose header has been checked."""

    def __init__(self, data):
        self.data = data
        self.header = read_header(data)
        self.payload = data[self.header.payload_at:self.header.end]


class File:
    """A file and its parsed parts."""

    def __init__(self, data):
        self.data = bytes(data)
        self.findings = []
        self.of_scenes = []  # the findings of scene rules
        self.index = None
        self.types = {}  # by (name, layout)
        self.blobs = {}  # by member number; only valid ones
        if self.check_index():
            self.check_members()
            self.check_values()
            self.check_scenes()
            self.check_payloads()
            self.check_plan()
            self.check_redirects()

    def report(self, rule, at, where=''):
        self.findings.append(Finding(rule, at, where))

    def look(self, rule, *arguments):
        """Reports each offset at which a rule of the index is broken."""
        for at in rule(*arguments):
            self.report(rule.__name__.split('_')[0].upper(), at)

    # The index.

    def check_index(self):
        """Checks header, value and entries of the index. Returns whether its members can be
        located."""
        broken = check_header(self.data, INDEX, INDEX_LAYOUT, INDEX_TYPE.computed_align, must_end=False)
        if broken:
            self.report(*broken)
            if broken[0] == 'H11':  # a single blob, which must end at the last byte
                alone = check_header(self.data, read_header(self.data).kind)
                self.findings += [Finding(*alone)] if alone else []
            return False
        header = read_header(self.data)
        payload = self.data[header.payload_at:header.end]
        walk = Walk(payload, INDEX_TYPE, header.alignment)
        self.findings += [Finding(rule, header.payload_at + at, where) for rule, at, where in walk.findings]
        if self.findings:
            return False
        if (at := c1(header, walk)) is not None:
            self.report('C1', at)
        self.index = index = Index(header, payload)
        self.look(law_index.i1, index, len(self.data))
        for rule in (law_index.i2, law_index.i3, law_index.i4, law_index.i5, law_index.i6, law_index.i7, law_index.i9,
                     law_index.i10, law_index.i13_order, law_index.i14, law_index.i22):
            self.look(rule, index)
        if any(finding.rule != 'C1' for finding in self.findings):
            return False
        self.look(law_index.i19, index)
        self.look(law_index.i20, index)
        self.look(law_index.i8, index, self.data)
        return True

    # The members.

    def check_members(self):
        """Checks bytes, hashes and headers of all members: dictionaries first, then the type table,
        then all others."""
        index = self.index
        table = index.type_table - 1
        for number in index.dictionaries:
            self.check_member(number, index.members[number])
        if table >= 0:
            self.check_member(table, index.members[table])
        self.check_types()
        for number, member in enumerate(index.members):
            if number != table and number not in index.dictionaries and not is_payload(member):
                self.check_member(number, member)

    def check_member(self, number, member):
        stored = self.data[member.place:member.place + member.stored_size]
        blob = stored if member.compression == PLAIN else self.unpack(member, stored)
        if blob is None:
            return
        before = len(self.findings)
        broken = self.check_header(number, blob)
        if broken:
            rule, at = broken
            self.report(rule, member.place + at)
        if not broken or rule not in UNREADABLE:
            self.look(law_index.i11, member, read_header(blob))
        self.look(law_index.i12, member, blob)
        if before == len(self.findings):
            self.blobs[number] = Blob(blob)
            if self.blobs[number].header.kind == DICTIONARY and i18(self.blobs[number].payload):
                self.report('I18', member.place)

    def check_header(self, number, blob):
        """Returns (rule, offset) of the H rule that a member breaks as the value of any of its
        assets, or None. A header that gives fewer bytes than the index entry breaks I11, not H6."""
        index = self.index
        assets = index.assets_of(number)
        if number + 1 == index.type_table or number in index.dictionaries:
            # A dictionary's layout is ignored.
            kind, layout = (TYPE_TABLE, TABLE_LAYOUT) if number + 1 == index.type_table else (DICTIONARY, None)
            return ('H11', 6) if assets else check_header(blob, kind, layout, must_end=False)
        for asset in assets:
            root = self.root_of(number)
            align = root.computed_align if root else 1
            broken = check_header(blob, ASSET, index.types[index.assets[asset].type].layout, align,
                                  must_end=False)
            if broken:
                return broken
        return None

    def unpack(self, member, stored):
        """Returns the blob of a compressed member (I16, I17)."""
        before = len(self.findings)
        self.look(law_index.i16, member, stored)
        if before != len(self.findings):
            return None
        dictionary = b''
        if member.dictionary:
            number = self.index.dictionaries[member.dictionary - 1]
            if number not in self.blobs:
                return None
            dictionary = self.blobs[number].payload
        blob = unpack(stored, member.size, dictionary)
        if blob is None:
            self.report('I17', member.place)
        return blob

    # Types and values.

    def check_types(self):
        """Checks the type table, and that it contains the index's types."""
        self.types = {(item.name, item.computed_layout): item for fixed in (FIXED_SCENE, FIXED_CLUSTERS, FIXED_PAYLOADS, FIXED_REDIRECTS)
                      for item in fixed
                      if item.kind == STRUCT}
        if self.index.type_table - 1 not in self.blobs:
            return
        blob = self.blobs[self.index.type_table - 1]
        types, findings = check_table(blob.data)
        base = self.index.members[self.index.type_table - 1].place + blob.header.payload_at
        for rule, at, where in findings:
            self.report(rule, None if at is None else base + at, where)
        if types is not None:
            self.types.update({(item.name, item.layout): item for item in types if item.name})
            self.look(law_index.i13, self.index, types)

    def root_of(self, number):
        """The type of the value in a member's blob, or None if it is unknown."""
        index = self.index
        for asset in index.assets_of(number):
            kind = index.types[index.assets[asset].type]
            return self.types.get((kind.name, kind.layout))
        return None

    def check_values(self):
        """Checks V rules, C1 and I15 of all members with values."""
        self.good = set()
        for number, blob in self.blobs.items():
            root = self.root_of(number)
            if root is None:
                continue
            place = self.index.members[number].place
            base = place + blob.header.payload_at
            walk = Walk(blob.payload, root, blob.header.alignment)
            for rule, at, _ in walk.findings:
                self.report(rule, base + at)
            if walk.findings:
                continue
            self.good.add(number)
            if (at := c1(blob.header, walk)) is not None:
                self.report('C1', place + at)
            refs = [(base + at, target) for at, target in walk.refs]
            self.look(law_index.i15, self.index, number, refs)
            self.look(law_index.i21, self.index, number, refs)

    # Scenes.

    def type_of(self, number):
        """The index entry of an asset's type."""
        return self.index.types[self.index.assets[number].type]

    def has_other_layout(self, number, layout):
        """H10 for an asset whose type has a name that section 14 reserves. Returns whether it is
        broken."""
        broken = self.type_of(number).layout != layout
        if broken:
            asset = self.index.assets[number]
            self.report('H10', self.index.members[asset.member].place + 16, asset.name)
        return broken

    def held(self, refs):
        """The index of the asset that a scene's `chunks` or `data` refer to, or None."""
        if len(refs) != 1 or refs[0].id not in self.index.ids:
            return None
        return self.index.ids.index(refs[0].id)

    def part(self, refs):
        """Returns (Part or None, whether it is invalid) for a scene's `chunks` or `data`."""
        held = self.held(refs)
        if held is None:
            return None, False
        number = self.index.assets[held].member
        root = self.root_of(number)
        if number not in self.blobs or root and number not in self.good:
            return None, True
        blob = self.blobs[number]
        base = self.index.members[number].place + blob.header.payload_at
        return Part(blob.header.hash, blob.payload, root, base), False

    def scene(self, number):
        """The scene of an asset, or None if one of its parts is invalid."""
        member = self.index.assets[number].member
        if member not in self.good or self.has_other_layout(number, SCENE_LAYOUT):
            return None
        fields = read(self.blobs[member].payload, 0, SCENE_TYPE)
        held = self.held(fields['chunks'])
        if held is not None and self.type_of(held).name == CHUNKS_TYPE.name:
            if self.has_other_layout(held, CHUNKS_LAYOUT):
                return None
        (chunks, wrong), (data, wrong_too) = self.part(fields['chunks']), self.part(fields['data'])
        return None if wrong or wrong_too else Scene(fields, chunks, data)

    def check_scenes(self):
        """Checks the scene rules of all scenes in the file."""
        before = len(self.findings)
        for number, asset in enumerate(self.index.assets):
            scene = self.scene(number) if self.type_of(number).name == SCENE_TYPE.name else None
            for rule, at in check_scene(scene, self.types) if scene else ():
                self.report(rule, None if at is None else scene.chunks_part.base + at, asset.name)
        self.of_scenes = self.findings[before:]

    # The payloads.

    def check_payloads(self):
        """Checks the rules of payload assets, and the data of their members."""
        for number, asset in enumerate(self.index.assets):
            if self.type_of(number).name != PAYLOAD_TYPE.name:
                continue
            if self.has_other_layout(number, PAYLOAD_LAYOUT) or asset.member not in self.good:
                continue
            payload = read(self.blobs[asset.member].payload, 0, PAYLOAD_TYPE)
            before = len(self.findings)
            for rule in (law_payloads.p1, law_payloads.p2, law_payloads.p3):
                if before == len(self.findings) and rule(asset.name, payload, self.index):
                    self.report(rule.__name__.upper(), self.index.members[asset.member].place, asset.name)
            member = law_payloads.member_of(payload, self.index)
            if before == len(self.findings) and member:
                stored = self.data[member.place:member.place + member.stored_size]
                for rule, at in law_payloads.check_data(payload, member, stored):
                    self.report(rule, at, asset.name)

    # The cluster plan.

    def check_plan(self):
        """Checks the rules of cluster plans."""
        self.look(law_clusters.k1, self.index)
        for number, asset in enumerate(self.index.assets):
            if self.type_of(number).name != CLUSTERS_TYPE.name or asset.name != ASSET_NAME:
                continue
            if self.has_other_layout(number, CLUSTERS_LAYOUT) or asset.member not in self.good:
                continue
            blob = self.blobs[asset.member]
            plan = ClusterPlan(blob.payload, self.index.members[asset.member].place + blob.header.payload_at, self.index)
            for rule in (law_clusters.k2, law_clusters.k3, law_clusters.k4, law_clusters.k5, law_clusters.k6):
                before = len(self.findings)
                self.look(rule, plan)
                if rule is law_clusters.k2 and before != len(self.findings):
                    break

    # The redirects.

    def check_redirects(self):
        """Checks the rules of the list of redirects."""
        for number, asset in enumerate(self.index.assets):
            if self.type_of(number).name != REDIRECTS_TYPE.name or asset.name != LIST_NAME:
                continue
            if self.has_other_layout(number, REDIRECTS_LAYOUT) or asset.member not in self.good:
                continue
            redirects = read(self.blobs[asset.member].payload, 0, REDIRECTS_TYPE)
            for rule in (law_redirects.r1, law_redirects.r2, law_redirects.r3, law_redirects.r4):
                for at in rule(redirects, set(self.index.ids)):
                    self.report(rule.__name__.upper(), self.index.members[asset.member].place + at)

    # The content of the file.

    def names(self):
        """The names of all assets and imports by id."""
        found = {row.id: row.name for row in self.index.imports}
        found.update(zip(self.index.ids, (row.name for row in self.index.assets)))
        return found

    def assets(self):
        """(name, type name, type, value) of all assets. Type and value are None if the file does
        not describe the type."""
        for asset in self.index.assets:
            root = self.root_of(asset.member)
            value = read(self.blobs[asset.member].payload, 0, root) if root else None
            yield asset.name, self.index.types[asset.type].name, root, value

    def scenes(self):
        """(name, scene, reader of its rows) of all scenes."""
        for number, asset in enumerate(self.index.assets):
            if self.type_of(number).name == SCENE_TYPE.name:
                scene = self.scene(number)
                yield asset.name, scene, RowReader(scene, self.types)
