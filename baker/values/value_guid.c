/* References to files that are known by a guid, and to objects of these. */
#include "value_ref.h"

#include "asset_guids.h"
#include "bake_memory.h"

#include <kiln/index.h>
#include <string.h>

typedef struct guid_ref {
    bake_node_id node;
    const kiln_type *of;
    void *dst;
    const value_step *step;
} guid_ref;

/* What stands before the `/` where no asset of the run is meant. */
static const char *kind_of(const bake_values *b, const guid_ref *ref)
{
    uint32_t target = ref->of->element;
    if (target != KILN_TYPE_NONE)
        return b->schema->info[target].kind;
    return b->schema->file_kind ? b->schema->file_kind : "File";
}

/* A reference to `kind/id`; with `accept` that is right whoever has it. */
static void resolve(bake_values *b, const guid_ref *ref, const char *kind, const char *id,
                    size_t id_length, bool accept)
{
    size_t used = b->scratch_used, kind_length = strlen(kind);
    size_t length = kind_length + 1 + id_length;
    size_t at = bake_value_push(b, length + 1);
    if (at == SIZE_MAX)
        return;
    char *name = (char *)b->scratch + at;
    memcpy(name, kind, kind_length);
    name[kind_length] = '/';
    memcpy(name + kind_length + 1, id, id_length);
    name[length] = '\0';
    if (!accept || bake_guids_accept(b->names->guids, name, length)) {
        bake_value_resolve(b, ref->node, name, length, ref->of->element, ref->dst, ref->step);
    } else {
        bake_fail_memory(b->failure);
        bake_value_stop(b);
    }
    b->scratch_used = used;
}

static void known(bake_values *b, const guid_ref *ref, const bake_guid *file, uint64_t number)
{
    const bake_file_rule *rule = file->rule;
    value_file objects = {file->id, file->id_length, b->schema->file_kind};
    bool has_objects = rule && rule->shape == BAKE_SHAPE_OBJECTS;
    if (has_objects && (rule->whole == 0 || rule->whole != number)) {
        b->way = VALUE_BY_NUMBER;
        bake_value_object(b, ref->node, &objects, ref->of, ref->dst, ref->step);
        b->way = VALUE_BY_NAME;
    } else if (rule && rule->shape == BAKE_SHAPE_ONE) {
        resolve(b, ref, b->schema->info[rule->type].kind, file->id, file->id_length, false);
    } else if (rule && rule->shape == BAKE_SHAPE_SCENE) {
        resolve(b, ref, rule->kind, file->id, file->id_length, false);
    } else {
        resolve(b, ref, kind_of(b, ref), file->path, file->path_length, true);
    }
}

/* Dangles by the guid. */
static void unknown(bake_values *b, const guid_ref *ref, const char *text, size_t length)
{
    b->way = VALUE_BY_GUID;
    resolve(b, ref, kind_of(b, ref), text, length, false);
    b->way = VALUE_BY_NAME;
}

static bool is_id(bake_values *b, const char *text, size_t length)
{
    size_t used = b->scratch_used, at = bake_value_push(b, length + 2);
    if (at == SIZE_MAX)
        return false;
    char *name = (char *)b->scratch + at;
    memcpy(name, "x/", 2);
    memcpy(name + 2, text, length);
    b->scratch_used = used;
    return kiln_asset_name_is_valid(name, length + 2);
}

void bake_value_guid(bake_values *b, bake_node_id node, uint64_t number, bake_node_id guid,
                     const kiln_type *of, void *dst, const value_step *step)
{
    guid_ref ref = {node, of, dst, step};
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    const char *text = bake_node_text(b->tree, guid, &length);
    bool is_text = bake_node_kind_of(b->tree, guid) == BAKE_NODE_SCALAR && is_id(b, text, length);
    if (b->stopped)
        return;
    if (!is_text) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, guid), "reference", step,
                          "expected the text that names a file, found %s",
                          bake_node_kind_of(b->tree, guid) == BAKE_NODE_SCALAR
                              ? bake_value_quote(quote, text, length)
                              : "a list or mapping");
        return;
    }
    const bake_guid *file = bake_guids_find(b->names->guids, text, length);
    if (file) {
        known(b, &ref, file, number);
    } else {
        ref.node = guid;
        unknown(b, &ref, text, length);
    }
}
