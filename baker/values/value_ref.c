/* References by name, and unresolved references.
 *
 * A name may belong to an asset of this run, be the old name of a renamed or deleted asset, or be
 * accepted. All others dangle. Dangling references are collected and reported at the end, each name
 * once, at its first position: otherwise a missing asset could cause hundreds of identical reports.
 * The first position is the smallest by source, line and column, so the report does not depend on
 * the baking order.
 *
 * A reference becomes the 64-bit id of the full name. A reference to another output becomes an
 * import, which is added once: `imported_by` of the name is the last output that imported it. */
#include "value_ref.h"

#include "asset_links.h"
#include "bake_memory.h"
#include "value_limits.h"
#include "value_report.h"

#include <string.h>

/* ---- unresolved references ---- */

/* A hint compares all names, which is not worth the time after this many errors. */
enum { HINTS_MAX = 100 };

struct value_dangling {
    const char *name, *path;
    size_t length;
    bake_mark mark; /* the first position */
    size_t count;   /* number of positions */
    uint32_t target;
    value_ref_form form;
};

static bool is_named(const value_dangling_set *all, uint32_t number, text_key name)
{
    const value_dangling *item = &all->items[number];
    return item->length == name.length && memcmp(item->name, name.text, name.length) == 0;
}

HASH_TABLE(dangling_by_name, const value_dangling_set *, text_key, hash_of_text, is_named)

/* Reserves room for one more item. Returns false if memory runs out. */
static bool reserve(value_dangling_set *all)
{
    kiln_allocator allocator = bake_memory_allocator();
    value_dangling *items = bake_grow(all->items, &all->capacity, all->count + 1, sizeof *items);
    if (items)
        all->items = items;
    return items && hash_table_reserve(&all->by_name, &allocator);
}

/* Records a position of an unresolved reference. Returns false if memory runs out. */
static bool note(bake_values *b, bake_node_id node, const char *name, size_t length,
                 uint32_t target, const value_step *step)
{
    value_dangling_set *all = &b->refs.dangling;
    char path[VALUE_PATH_SIZE];
    bake_mark mark = value_mark(b, node);
    b->is_noisy = true;
    if (!reserve(all))
        return value_no_memory(b);
    hash_slot *slot = dangling_by_name_slot(&all->by_name, all, (text_key){name, length});
    bool is_new = hash_slot_is_empty(slot);
    if (is_new) {
        value_dangling made = {
            .length = length, .target = target, .mark = mark, .form = b->refs.form};
        made.name = bake_store_text(&all->store, name, length);
        if (!made.name)
            return value_no_memory(b);
        all->items[all->count] = made;
        hash_table_put(&all->by_name, slot, (uint32_t)all->count++);
    }
    value_dangling *item = &all->items[hash_slot_number(slot)];
    bool is_new_place;
    if (!bake_location_set_add(&all->places, hash_slot_number(slot) + 1, mark, &is_new_place))
        return value_no_memory(b);
    item->count += is_new_place;
    if (!is_new && !bake_mark_is_before(mark, item->mark))
        return true;
    bake_value_path_text(b, step, path);
    item->mark = mark;
    item->path = bake_store_text(&all->store, path, strlen(path));
    return item->path ? true : value_no_memory(b);
}

/* Adds a name that is assumed to exist although no asset with it is known, so that it can be
 * imported. Returns false if memory runs out. */
static bool assume(bake_values *b, const char *name, size_t length)
{
    const bake_name *other;
    const char *slash = memchr(name, '/', length);
    const bake_kind *kind = bake_schema_kind(b->schema, name, (size_t)(slash - name));
    bake_name assumed;
    memset(&assumed, 0, sizeof assumed);
    assumed.name = bake_store_text(&b->refs.dangling.store, name, length);
    assumed.length = length;
    assumed.type = kind ? kind->type : KILN_TYPE_NONE;
    assumed.type_name = "";
    assumed.output = BAKE_OUTPUT_EXTERN;
    assumed.file = "";
    assumed.is_assumed = true;
    value_begin_change(b);
    bool is_added = assumed.name && bake_names_add(b->refs.names, &assumed, &other);
    value_end_change(b);
    return is_added || value_no_memory(b);
}

/* Records an unresolved reference. Returns true if it is only a warning and becomes an import. */
static bool add_dangling(bake_values *b, bake_node_id node, const char *name, size_t length,
                         uint32_t target, const value_step *step)
{
    bool is_silent = b->report.to == b->report.silence;
    if (!b->refs.dangling.warn)
        b->report.errors++;
    if (b->refs.names->incomplete) {
        /* The missing asset may be in a file that was not read. The run has already failed. */
        b->report.errors += b->refs.dangling.warn;
        return false;
    }
    if (!is_silent && !note(b, node, name, length, target, step))
        return false;
    return b->refs.dangling.warn;
}

void bake_values_warn_dangling(bake_values *b, bool warns)
{
    b->refs.dangling.warn = warns;
}

size_t bake_values_dangling(const bake_values *b)
{
    return b->refs.dangling.warn ? 0 : b->refs.dangling.count;
}

const char *bake_values_missing_name(const bake_values *b, size_t i, size_t *ret_length)
{
    if (i >= b->refs.dangling.count)
        return NULL;
    *ret_length = b->refs.dangling.items[i].length;
    return b->refs.dangling.items[i].name;
}

bool bake_values_has_dangling(const bake_values *b)
{
    return b->refs.dangling.count > 0;
}

/* Adds the hint that the id is the full name of an existing asset, whose type does not match. */
static void hint_type(const bake_values *b, const char *name, size_t length)
{
    char quote[VALUE_QUOTE_SIZE], cut[VALUE_QUOTE_SIZE];
    const bake_name *found = bake_names_find(b->refs.names, name, length);
    const char *type = found->type_name;
    size_t type_length = found->type_name_length;
    if (found->type != KILN_TYPE_NONE) {
        type = value_type(b, found->type)->name;
        type_length = strlen(type);
    }
    bake_hint(b->report.to, "%s is of type %s", bake_value_quote(quote, name, length),
              bake_value_cut(cut, type, type_length));
}

/* Reports an unknown guid. Guids are copied rather than typed, so there is no hint with similar
 * ones. */
static void report_guid(bake_values *b, const value_dangling *item, bake_severity severity,
                        const char *more)
{
    char quote[VALUE_QUOTE_SIZE], cut[VALUE_QUOTE_SIZE];
    const char *guid = strchr(item->name, '/') + 1;
    bake_report(b->report.to, severity, item->mark, "reference", item->path, "unknown guid %s%s",
                bake_value_quote(quote, guid, item->length - (size_t)(guid - item->name)), more);
    bake_hint(b->report.to, "list files outside the run as `accepted: {%.*s: [%s]}`",
              (int)(guid - item->name - 1), item->name,
              bake_value_cut(cut, guid, item->length - (size_t)(guid - item->name)));
}

static void report(bake_values *b, const value_dangling *item)
{
    char quote[VALUE_QUOTE_SIZE], more[BAKE_PLACES_SIZE];
    const char *kind = item->target == KILN_TYPE_NONE ? NULL : b->schema->info[item->target].kind;
    size_t skip = kind ? strlen(kind) + 1 : 0;
    const char *id = item->name + skip;
    bake_places_text(more, item->count);
    bake_severity severity = b->refs.dangling.warn ? BAKE_WARNING : BAKE_ERROR;
    if (item->form == VALUE_BY_GUID) {
        report_guid(b, item, severity, more);
        return;
    }
    bake_report(b->report.to, severity, item->mark, "reference", item->path, "unknown asset %s%s",
                bake_value_quote(quote, item->name, item->length), more);
    if (skip && bake_names_find(b->refs.names, id, item->length - skip))
        hint_type(b, id, item->length - skip);
    else if (bake_diagnostics_errors(b->report.to) <= HINTS_MAX)
        bake_names_hint(b->refs.names, b->report.to, kind, id, item->length - skip);
}

void bake_values_report_dangling(bake_values *b)
{
    for (size_t i = 0; i < b->refs.dangling.count; i++) {
        report(b, &b->refs.dangling.items[i]);
        bake_location_set_report(&b->refs.dangling.places, (uint32_t)i + 1, b->report.to);
    }
}

void bake_value_dangling_fini(value_dangling_set *all)
{
    kiln_allocator allocator = bake_memory_allocator();
    bake_store_fini(&all->store);
    bake_location_set_fini(&all->places);
    bake_free(all->items);
    kiln_hash_table_fini(&all->by_name, &allocator);
}

/* ---- references by name ---- */

static bool note_import(bake_values *b, const bake_name *found)
{
    uint32_t *imports = bake_grow(b->refs.imports, &b->refs.import_capacity,
                                  b->refs.import_count + 1, sizeof *imports);
    if (!imports) {
        return value_no_memory(b);
    }
    b->refs.imports = imports;
    b->refs.imports[b->refs.import_count++] = (uint32_t)(found - b->refs.names->all);
    return true;
}

/* Imports a name, unless this output already does. */
static bool add_import(bake_values *b, bake_name *found)
{
    if (found->imported_by == b->refs.output + 1)
        return true;
    found->imported_by = b->refs.output + 1;
    return note_import(b, found);
}

bool bake_values_add_import(bake_values *b, uint32_t name)
{
    return add_import(b, &b->refs.names->all[name]);
}

/* An extern asset has a type of another schema, so compare types by name. */
static bool has_type(const bake_values *b, const bake_name *found, uint32_t type)
{
    if (type == KILN_TYPE_NONE || found->type == type)
        return true;
    const char *name = value_type(b, type)->name;
    return found->type == KILN_TYPE_NONE && strlen(name) == found->type_name_length &&
           memcmp(name, found->type_name, found->type_name_length) == 0;
}

/* Returns the link of a renamed or deleted asset, or NULL for other names. The name of a current
 * asset of the run is not an old name, but an extern file may have been baked before the rename. */
static const bake_link *old_name(const bake_values *b, const bake_name *found, const char *name,
                                 size_t length)
{
    const bake_link *link = NULL;
    if (!found || found->output == BAKE_OUTPUT_EXTERN)
        link = bake_links_find(b->refs.names->links, name, length);
    return link && link->kind != BAKE_LINK_ACCEPTED ? link : NULL;
}

/* Whether a name is valid although no asset has it: either it is listed as accepted, or it is the
 * name of a file with a guid, as in the references of a dump. */
static bool is_accepted(const bake_values *b, const char *name, size_t length)
{
    const bake_link *link = bake_links_find(b->refs.names->links, name, length);
    if (link && link->kind == BAKE_LINK_ACCEPTED)
        return true;
    size_t kind = (size_t)((const char *)memchr(name, '/', length) - name);
    return b->refs.form == VALUE_BY_NAME && bake_schema_is_file_kind(b->schema, name, kind);
}

static bool resolve_unknown(bake_values *b, bake_node_id node, const char *name, size_t length,
                            uint32_t target, const value_step *step)
{
    return (is_accepted(b, name, length) || add_dangling(b, node, name, length, target, step)) &&
           assume(b, name, length);
}

static bool report_deleted(bake_values *b, bake_node_id node, const bake_link *link,
                           const char *name, size_t length, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    bake_mark mark = bake_node_mark(link->tree, link->node);
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                      "%s was deleted at %.200s:%u:%u, but this reference cannot be null",
                      bake_value_quote(quote, name, length),
                      bake_diagnostics_source_name(b->report.sources, mark.source), mark.line,
                      mark.column);
    bake_related(b->report.to, mark, "deleted here");
    return false;
}

/* Reports an asset of the wrong type. For assets of this run, this only happens with object numbers
 * and guids, since the kind in a name determines the type. */
static bool report_type(bake_values *b, bake_node_id node, const bake_name *found, uint32_t target,
                        const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    const char *wanted = value_type(b, target)->name;
    bake_value_quote(quote, found->name, found->length);
    if (found->output != BAKE_OUTPUT_EXTERN)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                 "expected a reference to %s, found %s", wanted, quote);
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                             "%s is of type %.*s in %s, not %s", quote,
                             (int)(found->type_name_length < 200 ? found->type_name_length : 200),
                             found->type_name, found->file, wanted);
}

static bool resolve(bake_values *b, bake_node_id node, const char **name_at, size_t *length_at,
                    uint32_t target, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    const char *name = *name_at;
    size_t length = *length_at;
    bake_name *found = bake_names_find(b->refs.names, name, length);
    const bake_link *link = old_name(b, found, name, length);
    if (link && link->kind == BAKE_LINK_DELETED)
        return report_deleted(b, node, link, name, length, step);
    if (link) {
        *name_at = name = link->to;
        *length_at = length = link->to_length;
        found = bake_names_find(b->refs.names, name, length);
    }
    /* Other bakers may assume names at any time, so a helper must not depend on them. */
    if ((!found || found->is_assumed) && value_defer(b))
        return false;
    /* A name that was assumed to exist for an earlier reference is found here, but this reference
     * must still be checked: the name of a file may be accepted in references by name, but unknown
     * in references by guid. */
    if (found && found->is_assumed && !is_accepted(b, name, length) &&
        !add_dangling(b, node, name, length, target, step))
        return false;
    if (!found && !resolve_unknown(b, node, name, length, target, step))
        return false;
    if (!found)
        found = bake_names_find(b->refs.names, name, length);
    if (!found)
        return false;
    if (found->is_part)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                 "%s is part of a scene: refer to the scene instead",
                                 bake_value_quote(quote, name, length));
    if (found->is_abstract)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                 "%s is abstract: assets can inherit from it, but not refer to it",
                                 bake_value_quote(quote, name, length));
    if (!has_type(b, found, target))
        return report_type(b, node, found, target, step);
    if (found->output == b->refs.output)
        return true;
    return b->is_helper ? note_import(b, found) : add_import(b, found);
}

void bake_values_collect_targets(bake_values *b, bool collects)
{
    b->refs.collects_targets = collects;
}

const kiln_id *bake_values_targets(const bake_values *b, size_t *ret_count)
{
    *ret_count = b->refs.target_count;
    return b->refs.targets;
}

static bool collect(bake_values *b, kiln_id id)
{
    kiln_id *targets = bake_grow(b->refs.targets, &b->refs.target_capacity,
                                 b->refs.target_count + 1, sizeof *targets);
    if (!targets)
        return value_no_memory(b);
    b->refs.targets = targets;
    targets[b->refs.target_count++] = id;
    return true;
}

bool bake_value_resolve(bake_values *b, bake_node_id node, const char *name, size_t length,
                        uint32_t target, void *dst, const value_step *step)
{
    bool ok = !b->refs.names || resolve(b, node, &name, &length, target, step);
    kiln_id id = ok ? kiln_asset_id(name, length) : 0;
    memcpy(dst, &id, sizeof id);
    return ok && (!b->refs.collects_targets || collect(b, id));
}

/* Returns the full name, `Kind/id`: `text` itself if it includes the kind, otherwise a copy on the
 * scratch stack. Returns NULL if memory runs out. */
static const char *full_name(bake_values *b, const char *text, size_t *length, uint32_t target)
{
    const char *kind = target == KILN_TYPE_NONE ? NULL : b->schema->info[target].kind;
    size_t prefix = kind ? strlen(kind) : 0;
    if (!kind || (*length > prefix && text[prefix] == '/' && memcmp(text, kind, prefix) == 0))
        return text;
    size_t at = bake_value_push(b, prefix + *length + 2);
    if (at == SIZE_MAX)
        return NULL;
    char *full = (char *)b->scratch.bytes + at;
    memcpy(full, kind, prefix);
    full[prefix] = '/';
    memcpy(full + prefix + 1, text, *length);
    *length += prefix + 1;
    full[*length] = '\0';
    return full;
}

bool bake_value_is_deleted(bake_values *b, bake_node_id node, uint32_t type)
{
    size_t length, used = b->scratch.used;
    if (!b->refs.names || !b->refs.names->links || value_type(b, type)->kind != KILN_KIND_REF ||
        bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR)
        return false;
    const char *text = bake_node_text(b->tree, node, &length);
    const char *name = full_name(b, text, &length, value_type(b, type)->element);
    const bake_link *link =
        name ? old_name(b, bake_names_find(b->refs.names, name, length), name, length) : NULL;
    b->scratch.used = used;
    return link && link->kind == BAKE_LINK_DELETED;
}

bool bake_value_ref(bake_values *b, bake_node_id node, const char *text, size_t length,
                    uint32_t type, void *dst, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    uint32_t target = value_type(b, type)->element;
    size_t used = b->scratch.used, name_length = length;
    const char *name = full_name(b, text, &name_length, target);
    if (!name)
        return false;
    bool ok = kiln_asset_name_is_valid(name, name_length);
    if (ok)
        ok = bake_value_resolve(b, node, name, name_length, target, dst, step);
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          target == KILN_TYPE_NONE ? "%s is not of the form Kind/id"
                                                   : "%s is not a valid asset id",
                          bake_value_quote(quote, text, length));
    b->scratch.used = used;
    return ok;
}
