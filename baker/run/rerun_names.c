/* What references can refer to: links, guids, and the assets whose references may have another
 * target than in the old output.
 *
 * The target of a reference is decided by exact names, by links of exact names, by guids, and by
 * ids of any kind (objects by number). The old output has the targets, and the memo those of
 * abstract assets. So an asset must be baked if an old target is
 *
 *     a name that has appeared or disappeared, or become abstract or concrete
 *     a name whose link has changed, or the old end of that link
 *     a missing name, because each run reports it again
 *     with objects or guids: a name or an import with the id of such a name, with the path of a
 * file whose guid has changed, or with that guid as its id
 *
 * These can be more assets than have changed. If the inputs delete an id no longer, everything is
 * baked, because the old output does not contain the references to it. */
#include "rerun_store.h"

#include "asset_guids.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "memo_aliases.h"

#include <kiln/blob_header.h>
#include <kiln/type_table.h>
#include <stdlib.h>
#include <string.h>

/* ---- guids ---- */

bool bake_rerun_has_guids(const bake_schema *schema)
{
    for (size_t i = 0; i < schema->rule_count; i++)
        if (schema->rules[i].shape == BAKE_SHAPE_GUIDS)
            return true;
    return false;
}

bool bake_rerun_add_guids(rerun *r)
{
    bake_inputs *inputs = &r->inputs;
    if (!bake_rerun_has_guids(r->run->schema))
        return true;
    if (!inputs->guids)
        inputs->guids = bake_guids_create();
    if (!inputs->guids)
        return false;
    for (uint32_t i = 0; i < r->before->alias_count; i++) {
        const bake_memo_alias *alias = &r->before->aliases[i];
        const bake_guid *other;
        if (!bake_memo_is_guid(alias) || r->files[alias->file] == UINT32_MAX ||
            r->read[r->files[alias->file]])
            continue;
        const bake_guid guid = {.guid = bake_memo_alias_name(r->before, alias),
                                .length = alias->name_length,
                                .path = bake_memo_alias_to(r->before, alias),
                                .path_length = alias->to_length,
                                .input = UINT32_MAX};
        if (!bake_guids_add(inputs->guids, &guid, &other) || other)
            return false;
    }
    bake_guids_resolve(inputs->guids, &r->located);
    inputs->guids->links = inputs->links;
    return true;
}

bool bake_rerun_list_aliases(rerun *r)
{
    bool done = bake_memo_add_aliases(r->memo, &r->inputs, r->numbers);
    for (uint32_t i = 0; i < r->before->alias_count && done; i++) {
        const bake_memo_alias *alias = &r->before->aliases[i];
        if (!bake_memo_is_guid(alias) || r->files[alias->file] == UINT32_MAX ||
            r->changed[r->files[alias->file]])
            continue;
        const text_key name = {bake_memo_alias_name(r->before, alias), alias->name_length};
        const text_key to = {bake_memo_alias_to(r->before, alias), alias->to_length};
        const bake_guid *guid = bake_guids_find(r->inputs.guids, name.text, name.length);
        done = guid &&
               bake_memo_add_alias(r->memo, guid->rule ? BAKE_MEMO_GUID_OF_INPUT : BAKE_MEMO_GUID,
                                   r->files[alias->file], name, to);
    }
    bake_memo_sort_aliases(r->memo);
    return done;
}

/* ---- what has changed ---- */

typedef struct toucher {
    rerun *r;
    kiln_id *ids; /* of old targets */
    size_t id_count, id_capacity;
    text_key *parts; /* ids of any kind */
    size_t part_count, part_capacity;
    bool has_parts; /* references can be by number or guid */
} toucher;

static bool add_id(toucher *t, const char *name, size_t length)
{
    kiln_id *ids = bake_grow(t->ids, &t->id_capacity, t->id_count + 1, sizeof *ids);
    if (!ids)
        return false;
    t->ids = ids;
    ids[t->id_count++] = kiln_asset_id(name, length);
    return true;
}

static bool add_part(toucher *t, const char *text, size_t length)
{
    text_key *parts = bake_grow(t->parts, &t->part_capacity, t->part_count + 1, sizeof *parts);
    if (!parts)
        return false;
    t->parts = parts;
    parts[t->part_count++] = (text_key){text, length};
    return true;
}

static text_key id_of(const char *name, size_t length)
{
    const char *slash = memchr(name, '/', length);
    return slash ? (text_key){slash + 1, length - (size_t)(slash + 1 - name)}
                 : (text_key){name, length};
}

static bool add_name(toucher *t, const bake_memo *memo, uint32_t row)
{
    const char *name = bake_memo_name(memo, row);
    size_t length = memo->all[row].name_length;
    text_key id = id_of(name, length);
    return add_id(t, name, length) && (!t->has_parts || add_part(t, id.text, id.length));
}

/* Adds the names that have appeared or disappeared, or become abstract or concrete. */
static bool add_names(toucher *t)
{
    const rerun *r = t->r;
    unsigned char *is_left = bake_alloc_array((size_t)r->before->count + 1, 1);
    bool done = is_left != NULL;
    for (uint32_t i = 0; i < r->memo->count && done; i++) {
        uint32_t from = r->from[i];
        bool is_same =
            from != UINT32_MAX && (from < r->before->asset_count) == (i < r->memo->asset_count);
        if (from != UINT32_MAX)
            is_left[from] = 1;
        done = is_same || add_name(t, r->memo, i);
    }
    for (uint32_t i = 0; i < r->before->count && done; i++)
        done = is_left[i] || add_name(t, r->before, i);
    bake_free(is_left);
    return done;
}

static bool is_same_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool are_same(const bake_memo *a, const bake_memo_alias *left, const bake_memo *b,
                     const bake_memo_alias *right)
{
    return left->kind == right->kind &&
           is_same_text(bake_memo_alias_to(a, left), left->to_length, bake_memo_alias_to(b, right),
                        right->to_length);
}

/* Whether an id has the kind of the assets that are prefabs. */
static bool is_prototype(const rerun *r, const bake_memo *memo, const bake_memo_alias *alias)
{
    const bake_scene_words *words = r->run->schema->prototype_words;
    const char *kind = words ? r->run->schema->info[words->prefab_type].kind : NULL;
    const char *name = bake_memo_alias_name(memo, alias);
    size_t length = kind ? strlen(kind) : 0;
    return kind && alias->kind <= BAKE_MEMO_ACCEPTED && strncmp(name, kind, length) == 0 &&
           name[length] == '/';
}

/* The names that were missing before are in the old memo only, until the run ends. */
static void note_alias(rerun *r, const bake_memo *memo, const bake_memo_alias *alias)
{
    r->has_other_aliases =
        r->has_other_aliases || alias->kind <= BAKE_MEMO_ACCEPTED || bake_memo_is_guid(alias);
    r->has_other_prototypes = r->has_other_prototypes || is_prototype(r, memo, alias);
}

static bool touch_alias(toucher *t, const bake_memo *memo, const bake_memo_alias *alias)
{
    const char *name = bake_memo_alias_name(memo, alias), *to = bake_memo_alias_to(memo, alias);
    if (alias->kind == BAKE_MEMO_CONTEXT)
        return true;
    if (bake_memo_is_guid(alias))
        return add_part(t, name, alias->name_length) && add_part(t, to, alias->to_length);
    return add_id(t, name, alias->name_length) &&
           (alias->kind != BAKE_MEMO_RENAMED || add_id(t, to, alias->to_length));
}

/* The id that a rule takes from the path of a file, which references by its guid have used. */
static bool touch_file_id(toucher *t, const bake_memo *memo, const bake_memo_alias *alias)
{
    const char *path = bake_memo_alias_to(memo, alias);
    const bake_file_rule *rule =
        alias->kind == BAKE_MEMO_GUID_OF_INPUT ? bake_schema_rule(t->r->run->schema, path) : NULL;
    size_t length;
    const char *id = rule ? bake_path_id(path, rule->id_source, rule->id, &length) : NULL;
    return !id || add_part(t, id, length);
}

/* References to a deleted id are null, so the old output does not show which assets have them. */
static bool touch_old(toucher *t, const bake_memo_alias *alias)
{
    if (alias->kind == BAKE_MEMO_DELETED)
        return false;
    t->r->has_same_links = t->r->has_same_links && alias->kind > BAKE_MEMO_DELETED;
    note_alias(t->r, t->r->before, alias);
    return touch_alias(t, t->r->before, alias) &&
           (!bake_memo_is_guid(alias) || touch_file_id(t, t->r->before, alias));
}

/* Returns false if an asset has the name of a new link, which is an error. */
static bool touch_new(toucher *t, const bake_memo_alias *alias)
{
    const bake_memo *memo = t->r->memo;
    bool is_old_name = alias->kind <= BAKE_MEMO_DELETED;
    t->r->has_same_links = t->r->has_same_links && !is_old_name;
    note_alias(t->r, memo, alias);
    return touch_alias(t, memo, alias) &&
           !(is_old_name && bake_memo_find(memo, bake_memo_alias_name(memo, alias),
                                           alias->name_length) != UINT32_MAX);
}

/* Adds the aliases that only one of the memos has, or that have changed. Both are sorted. */
static bool compare_aliases(toucher *t)
{
    const bake_memo *old = t->r->before, *new = t->r->memo;
    bool done = true;
    for (uint32_t i = 0, j = 0; done && (i < old->alias_count || j < new->alias_count);) {
        const bake_memo_alias *left = i < old->alias_count ? &old->aliases[i] : NULL;
        const bake_memo_alias *right = j < new->alias_count ? &new->aliases[j] : NULL;
        int order = !left ? 1 : !right ? -1 : bake_memo_compare_aliases(old, left, new, right);
        bool is_same = order == 0 && are_same(old, left, new, right);
        if (!is_same && order <= 0)
            done = touch_old(t, left);
        if (!is_same && order >= 0)
            done = done && touch_new(t, right);
        i += order <= 0;
        j += order >= 0;
    }
    return done;
}

/* ---- names with equal ids ---- */

static int compare_parts(const void *a, const void *b)
{
    const text_key *left = a, *right = b;
    return bake_compare_text(left->text, left->length, right->text, right->length);
}

static bool has_part(const toucher *t, text_key id)
{
    return bsearch(&id, t->parts, t->part_count, sizeof id, compare_parts) != NULL;
}

/* Adds a name if its id, or the part of it before a number, is one of the parts. */
static bool add_if_equal(toucher *t, const char *name, size_t length)
{
    text_key id = id_of(name, length), file = id;
    while (file.length && file.text[file.length - 1] != '#')
        file.length--;
    bool is_equal =
        has_part(t, id) || (file.length && has_part(t, (text_key){file.text, file.length - 1}));
    return !is_equal || add_id(t, name, length);
}

static bool add_equal_names(toucher *t, const kiln_index *index)
{
    const bake_memo *memo = t->r->before;
    bool done = true;
    if (t->part_count == 0)
        return true;
    qsort(t->parts, t->part_count, sizeof *t->parts, compare_parts);
    for (uint32_t i = 0; i < memo->count && done; i++)
        done = add_if_equal(t, bake_memo_name(memo, i), memo->all[i].name_length);
    for (uint32_t i = 0; i < index->imports.count && done; i++) {
        const kiln_string *name = &kiln_index_import_at(index, i)->name;
        done = add_if_equal(t, kiln_string_get(name), name->length);
    }
    return done;
}

/* ---- the assets that refer to them ---- */

static int compare_ids(const void *a, const void *b)
{
    const kiln_id *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static bool has_id(const toucher *t, kiln_id id)
{
    return bsearch(&id, t->ids, t->id_count, sizeof id, compare_ids) != NULL;
}

static void touch_edges(toucher *t, const kiln_index *index, uint32_t number, uint32_t row)
{
    uint32_t count;
    const uint32_t *edges = kiln_index_edges(index, number, &count);
    for (uint32_t i = 0; i < count && !t->r->touched[row]; i++)
        t->r->touched[row] = has_id(t, kiln_index_edge_id(index, edges[i]));
}

/* The data of a scene is an asset of its own. */
static bool touch_scene_data(toucher *t, const kiln_index *index, uint32_t row)
{
    const char *id = strchr(bake_memo_name(t->r->memo, row), '/');
    const char *name = id ? bake_store_join(&t->r->run->store, "SceneData", '/', id + 1) : NULL;
    uint32_t number = name ? kiln_index_find_name(index, name, strlen(name)) : KILN_ASSET_NONE;
    if (number != KILN_ASSET_NONE)
        touch_edges(t, index, number, row);
    return name != NULL;
}

static bool touch_asset(toucher *t, const kiln_index *index, uint32_t row)
{
    const bake_memo_asset *asset = &t->r->memo->all[row];
    uint32_t number =
        kiln_index_find_name(index, bake_memo_name(t->r->memo, row), asset->name_length);
    if (number == KILN_ASSET_NONE)
        return false;
    touch_edges(t, index, number, row);
    return !bake_memo_is_scene(asset) || touch_scene_data(t, index, row);
}

static bool touch_rows(toucher *t, const kiln_index *index)
{
    rerun *r = t->r;
    bool done = true;
    if (t->id_count == 0)
        return true;
    qsort(t->ids, t->id_count, sizeof *t->ids, compare_ids);
    for (uint32_t i = 0; i < r->memo->count && done; i++) {
        const bake_memo_asset *row = &r->memo->all[i];
        bool is_abstract = i >= r->memo->asset_count;
        if (!r->own[i] && !is_abstract)
            done = touch_asset(t, index, i);
        for (uint32_t k = 0; k < row->target_count && is_abstract; k++)
            if (has_id(t, r->memo->targets[row->first_target + k]))
                r->touched[i] = 1;
    }
    return done;
}

/* Checks the index of the old output in memory with the alignment that it needs. */
static bool touch(toucher *t)
{
    kiln_allocator allocator = bake_memory_allocator();
    const kiln_span *file = &t->r->def->output;
    kiln_blob_header header;
    const kiln_index *index;
    kiln_types *builtin = NULL;
    bool done = false;
    if (kiln_header_read(file->data, file->size, &header, NULL))
        return false;
    size_t size = (size_t)kiln_header_blob_size(&header);
    unsigned char *copy =
        size <= file->size ? allocator.alloc(allocator.ctx, size, KILN_ALIGN_MAX) : NULL;
    if (copy && kiln_types_create_builtin(&allocator, &builtin, NULL) == KILN_OK) {
        memcpy(copy, file->data, size);
        const kiln_file_head head = {copy, size, file->size};
        done = kiln_index_check(builtin, &allocator, &head, &index, NULL) == KILN_OK &&
               add_equal_names(t, index) && touch_rows(t, index);
    }
    kiln_types_destroy(builtin);
    if (copy)
        allocator.free(allocator.ctx, copy, size);
    return done;
}

bool bake_rerun_touch(rerun *r)
{
    const bake_schema *schema = r->run->schema;
    toucher t = {.r = r, .has_parts = bake_rerun_has_guids(schema)};
    for (size_t i = 0; i < schema->rule_count; i++)
        t.has_parts = t.has_parts || schema->rules[i].shape == BAKE_SHAPE_OBJECTS;
    r->has_same_links = true;
    r->has_aliases = t.has_parts || r->before->alias_count > 0 || r->memo->alias_count > 0;
    bool done = add_names(&t) && compare_aliases(&t);
    if (done && t.id_count + t.part_count > 0)
        done = touch(&t);
    bake_free(t.ids);
    bake_free(t.parts);
    return done;
}
