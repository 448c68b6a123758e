/* Members of all types by name, for documents, which ask for them all the time. */
#include "schema.h"

#include "tree_store.h"

#include <string.h>

static size_t slot_of(const bake_schema *schema, uint32_t type, const char *name, size_t length)
{
    uint64_t hash = (bake_tree_hash(name, length) ^ type) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 32) & (schema->slot_count - 1);
}

bool bake_schema_index(bake_schema *schema)
{
    uint32_t types = kiln_types_count(schema->types);
    size_t count = 16;
    while (count < 2 * (size_t)schema->member_count + 2)
        count *= 2;
    schema->slots = bake_store_alloc(&schema->store, count, sizeof *schema->slots);
    if (!schema->slots)
        return false;
    schema->slot_count = count;
    schema->indexed_types = types;
    for (uint32_t t = 0; t < types; t++) {
        const kiln_type *of = kiln_types_get(schema->types, t);
        for (uint32_t m = 0; m < of->member_count; m++) {
            size_t at = slot_of(schema, t, of->members[m].name, strlen(of->members[m].name));
            while (schema->slots[at].number)
                at = (at + 1) & (count - 1);
            schema->slots[at] = (bake_member_slot){t, m + 1};
        }
    }
    return true;
}

const kiln_member *bake_schema_present_member(const bake_schema *schema, uint32_t type,
                                              const char *name, size_t length)
{
    enum { FEW = 4 };
    const kiln_type *of = kiln_types_get(schema->types, type);
    if (of->member_count <= FEW || type >= schema->indexed_types)
        return kiln_type_member(of, name, length);
    size_t at = slot_of(schema, type, name, length);
    for (; schema->slots[at].number; at = (at + 1) & (schema->slot_count - 1)) {
        const kiln_member *member = &of->members[schema->slots[at].number - 1];
        if (schema->slots[at].type == type && strlen(member->name) == length &&
            memcmp(member->name, name, length) == 0)
            return member;
    }
    return NULL;
}
