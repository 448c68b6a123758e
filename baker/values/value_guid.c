/* References to objects by number, and to files that are known by a guid. */
#include "value_ref.h"

#include "asset_guids.h"
#include "bake_memory.h"
#include "value_limits.h"

#include <kiln/index.h>
#include <string.h>

/* `kind/file#number` on the scratch stack; NULL when memory ran out. */
static char *object_name(bake_values *b, bake_node_id number, const char *kind,
                         const value_file *file, size_t *ret_length)
{
    size_t length, kind_length = strlen(kind);
    const char *text = bake_node_text(b->tree, number, &length);
    size_t at = bake_value_push(b, kind_length + file->length + length + 3);
    if (at == SIZE_MAX)
        return NULL;
    char *name = (char *)b->scratch.bytes + at, *end = name;
    memcpy(end, kind, kind_length);
    end += kind_length;
    *end++ = '/';
    memcpy(end, file->id, file->length);
    end += file->length;
    *end++ = '#';
    memcpy(end, text, length);
    end[length] = '\0';
    *ret_length = (size_t)(end - name) + length;
    return name;
}

/* The one object that has the number, or NULL; false after a report or failure. */
static bool find_object(bake_values *b, bake_node_id node, const char *id, size_t length,
                        const bake_name **ret_found, const value_step *step)
{
    const bake_name *other;
    if (!bake_names_find_id(b->refs.names, id, length, ret_found, &other)) {
        return value_no_memory(b);
    }
    return !other || bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                       "two objects have this number: \"%s\" and \"%s\"",
                                       (*ret_found)->name, other->name);
}

/* A number that no object has, of whatever kind it were. */
static void report_unknown(bake_values *b, bake_node_id node, const char *id, size_t length,
                           const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    if (b->refs.names->incomplete)
        b->report.errors++;
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "no object is named %s", bake_value_quote(quote, id, length));
}

bool bake_value_object(bake_values *b, bake_node_id node, const value_file *file,
                       const kiln_type *of, void *dst, const value_step *step)
{
    uint32_t target = of->element;
    const char *kind =
        target == KILN_TYPE_NONE ? file->kind ? file->kind : "" : b->schema->info[target].kind;
    size_t used = b->scratch.used, kind_length = strlen(kind), length;
    char *name = object_name(b, node, kind, file, &length);
    if (!name)
        return false;
    const char *id = name + kind_length + 1;
    size_t id_length = length - kind_length - 1;
    const bake_name *found = kind_length > 0 ? bake_names_find(b->refs.names, name, length) : NULL;
    bool ok = false;
    if (found && found->is_assumed)
        found = NULL;
    if (!found && !find_object(b, node, id, id_length, &found, step))
        ok = false;
    else if (!found && kind_length == 0)
        report_unknown(b, node, id, id_length, step);
    else if (!found)
        ok = bake_value_resolve(b, node, name, length, target, dst, step);
    else if (target != KILN_TYPE_NONE && found->type != KILN_TYPE_NONE && found->type != target)
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "expected a reference to %s, found \"%s\"", value_type(b, target)->name,
                          found->name);
    else
        ok = bake_value_resolve(b, node, found->name, found->length, target, dst, step);
    b->scratch.used = used;
    return ok;
}

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
    size_t used = b->scratch.used, kind_length = strlen(kind);
    size_t length = kind_length + 1 + id_length;
    size_t at = bake_value_push(b, length + 1);
    if (at == SIZE_MAX)
        return;
    char *name = (char *)b->scratch.bytes + at;
    memcpy(name, kind, kind_length);
    name[kind_length] = '/';
    memcpy(name + kind_length + 1, id, id_length);
    name[length] = '\0';
    if (!accept || bake_guids_accept(b->refs.names->guids, name, length)) {
        bake_value_resolve(b, ref->node, name, length, ref->of->element, ref->dst, ref->step);
    } else {
        value_no_memory(b);
    }
    b->scratch.used = used;
}

static void known(bake_values *b, const guid_ref *ref, const bake_guid *file, uint64_t number)
{
    const bake_file_rule *rule = file->rule;
    value_file objects = {file->id, file->id_length, b->schema->file_kind};
    bool has_objects = rule && rule->shape == BAKE_SHAPE_OBJECTS;
    if (has_objects && (rule->whole == 0 || rule->whole != number)) {
        b->refs.form = VALUE_BY_NUMBER;
        bake_value_object(b, ref->node, &objects, ref->of, ref->dst, ref->step);
        b->refs.form = VALUE_BY_NAME;
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
    b->refs.form = VALUE_BY_GUID;
    resolve(b, ref, kind_of(b, ref), text, length, false);
    b->refs.form = VALUE_BY_NAME;
}

static bool is_id(bake_values *b, const char *text, size_t length)
{
    size_t used = b->scratch.used, at = bake_value_push(b, length + 2);
    if (at == SIZE_MAX)
        return false;
    char *name = (char *)b->scratch.bytes + at;
    memcpy(name, "x/", 2);
    memcpy(name + 2, text, length);
    b->scratch.used = used;
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
                          "expected the guid of a file, found %s",
                          bake_node_kind_of(b->tree, guid) == BAKE_NODE_SCALAR
                              ? bake_value_quote(quote, text, length)
                              : "a list or mapping");
        return;
    }
    const bake_guid *file = bake_guids_find(b->refs.names->guids, text, length);
    if (file) {
        known(b, &ref, file, number);
    } else {
        ref.node = guid;
        unknown(b, &ref, text, length);
    }
}
