/* What a change of the schema affects: the assets of some kinds. */
#include "rerun_store.h"

#include "bake_memory.h"
#include "hash_equal.h"

#include <string.h>

enum { TYPE_MAX = 1 << 20 }; /* of a memo; schemas have far fewer types */

static const char *path_of(const bake_run *run, size_t tree)
{
    const bake_tree *of = run->schema->trees[tree];
    return bake_tree_document_count(of)
               ? bake_diagnostics_source_name(run->diagnostics,
                                              bake_node_mark(of, bake_tree_document(of, 0)).source)
               : "";
}

bool bake_rerun_is_schema(const bake_run *run, const char *path)
{
    for (size_t i = 0; i < run->schema->tree_count; i++)
        if (strcmp(path_of(run, i), path) == 0)
            return true;
    return false;
}

/* Fills the tables by old type. */
static bool match_kinds(rerun *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->before->kind_count; i++)
        if (r->before->kinds[i].type >= count)
            count = r->before->kinds[i].type + 1;
    if (count == 0 || count > TYPE_MAX)
        return false;
    r->types = bake_alloc_array(count, sizeof *r->types);
    r->has_other_type = bake_alloc_array(count, 1);
    if (!r->types || !r->has_other_type)
        return false;
    r->type_count = count;
    for (uint32_t i = 0; i < count; i++)
        r->types[i] = KILN_TYPE_NONE;
    for (uint32_t i = 0; i < r->before->kind_count; i++) {
        const bake_memo_kind *old = &r->before->kinds[i];
        for (uint32_t k = 0; k < r->run->schema->kind_count; k++)
            if (bake_hash_equal(old->name, r->kinds[k].name)) {
                r->types[old->type] = r->kinds[k].type;
                r->has_other_type[old->type] = !bake_hash_equal(old->meaning, r->kinds[k].meaning);
            }
    }
    return true;
}

bool bake_rerun_has_other_types(const rerun *r)
{
    return r->has_other_schema && !bake_hash_equal(r->schema_types, r->before->scenes.schema);
}

/* Files with assets of other types count as changed, because their contents have another meaning
 * now. The components of scenes can have any type. */
static bool mark_files(rerun *r)
{
    for (uint32_t i = 0; i < r->before->count; i++) {
        const bake_memo_asset *row = &r->before->all[i];
        uint32_t file = r->files[row->file];
        if (bake_memo_is_scene(row)) {
            if (file != UINT32_MAX && bake_rerun_has_other_types(r))
                r->changed[file] = r->parsed[file] = 1;
            continue;
        }
        if (row->type >= r->type_count || r->types[row->type] == KILN_TYPE_NONE)
            return false;
        if (file != UINT32_MAX && r->has_other_type[row->type])
            r->changed[file] = r->parsed[file] = 1;
    }
    return true;
}

bool bake_rerun_compare_schema(rerun *r)
{
    if (!r->has_other_schema)
        return true;
    r->kinds = bake_memo_list_kinds(r->run->schema, &r->schema_rest, &r->schema_types);
    return r->kinds && bake_hash_equal(r->schema_rest, r->before->schema_rest) && match_kinds(r) &&
           mark_files(r);
}
