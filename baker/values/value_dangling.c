/* References that lead nowhere: each is reported once, at the first of its places. */
#include "value_ref.h"

#include "asset_links.h"
#include "bake_memory.h"
#include "value_report.h"

#include <string.h>

/* Hints cost a look at every name; beyond so many errors they help no reader. */
enum { HINTS_MAX = 100 };

struct value_dangling {
    const char *name, *path;
    size_t length;
    bake_mark mark; /* the first of its places */
    size_t count;   /* of its places */
    uint32_t target;
    value_ref_form form;
};

static bool is_named(const value_danglings *all, uint32_t number, text_key name)
{
    const value_dangling *item = &all->items[number];
    return item->length == name.length && memcmp(item->name, name.text, name.length) == 0;
}

HASH_TABLE(danglings_by_name, const value_danglings *, text_key, hash_of_text, is_named)

/* Room for one more; false when memory ran out. */
static bool reserve(value_danglings *all)
{
    kiln_allocator allocator = bake_memory_allocator();
    value_dangling *items = bake_grow(all->items, &all->capacity, all->count + 1, sizeof *items);
    if (items)
        all->items = items;
    return items && hash_table_reserve(&all->by_name, &allocator);
}

/* Notes one place. False when memory ran out. */
static bool note(bake_values *b, bake_node_id node, const char *name, size_t length,
                 uint32_t target, const value_step *step)
{
    value_danglings *all = &b->refs.danglings;
    char path[VALUE_PATH_SIZE];
    bake_mark mark = value_mark(b, node);
    if (!reserve(all))
        return value_no_memory(b);
    hash_slot *slot = danglings_by_name_slot(&all->by_name, all, (text_key){name, length});
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
    if (!bake_place_set_add(&all->places, hash_slot_number(slot) + 1, mark, &is_new_place))
        return value_no_memory(b);
    item->count += is_new_place;
    if (!is_new && !bake_mark_is_before(mark, item->mark))
        return true;
    bake_value_path_text(b, step, path);
    item->mark = mark;
    item->path = bake_store_text(&all->store, path, strlen(path));
    return item->path ? true : value_no_memory(b);
}

bool bake_value_assume(bake_values *b, const char *name, size_t length)
{
    const bake_name *other;
    const char *slash = memchr(name, '/', length);
    const bake_kind *kind = bake_schema_kind(b->schema, name, (size_t)(slash - name));
    bake_name assumed;
    memset(&assumed, 0, sizeof assumed);
    assumed.name = bake_store_text(&b->refs.danglings.store, name, length);
    assumed.length = length;
    assumed.type = kind ? kind->type : KILN_TYPE_NONE;
    assumed.type_name = "";
    assumed.output = BAKE_OUTPUT_EXTERN;
    assumed.file = "";
    assumed.is_assumed = true;
    if (!assumed.name || !bake_names_add(b->refs.names, &assumed, &other))
        return value_no_memory(b);
    return true;
}

bool bake_value_dangling(bake_values *b, bake_node_id node, const char *name, size_t length,
                         uint32_t target, const value_step *step)
{
    bool is_silent = b->report.to == b->report.silence;
    if (!b->refs.danglings.warn)
        b->report.errors++;
    if (b->refs.names->incomplete) {
        /* This run fails anyway. */
        b->report.errors += b->refs.danglings.warn;
        return false;
    }
    if (!is_silent && !note(b, node, name, length, target, step))
        return false;
    return b->refs.danglings.warn;
}

void bake_values_warn_dangling(bake_values *b, bool warns)
{
    b->refs.danglings.warn = warns;
}

size_t bake_values_dangling(const bake_values *b)
{
    return b->refs.danglings.warn ? 0 : b->refs.danglings.count;
}

/* `Kind/id` of another kind than the reference's. */
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

/* A guid that is nowhere. No hint of a similar one: guids are copied, not typed. */
static void report_guid(bake_values *b, const value_dangling *item, bake_severity severity,
                        const char *more)
{
    char quote[VALUE_QUOTE_SIZE], cut[VALUE_QUOTE_SIZE];
    const char *guid = strchr(item->name, '/') + 1;
    bake_report(b->report.to, severity, item->mark, "reference", item->path,
                "no file has the guid %s%s",
                bake_value_quote(quote, guid, item->length - (size_t)(guid - item->name)), more);
    bake_hint(b->report.to, "list files outside the run as `accepted: {%.*s: [%s]}`",
              (int)(guid - item->name - 1), item->name,
              bake_value_cut(cut, guid, item->length - (size_t)(guid - item->name)));
}

static void report(bake_values *b, const value_dangling *item)
{
    char quote[VALUE_QUOTE_SIZE], more[64] = "";
    const char *kind = item->target == KILN_TYPE_NONE ? NULL : b->schema->info[item->target].kind;
    size_t skip = kind ? strlen(kind) + 1 : 0;
    const char *id = item->name + skip;
    if (item->count > 1)
        snprintf(more, sizeof more, ", here and in %zu more place%s", item->count - 1,
                 item->count == 2 ? "" : "s");
    bake_severity severity = b->refs.danglings.warn ? BAKE_WARNING : BAKE_ERROR;
    if (item->form == VALUE_BY_GUID) {
        report_guid(b, item, severity, more);
        return;
    }
    bake_report(b->report.to, severity, item->mark, "reference", item->path,
                "no asset is named %s%s", bake_value_quote(quote, item->name, item->length), more);
    if (skip && bake_names_find(b->refs.names, id, item->length - skip))
        hint_type(b, id, item->length - skip);
    else if (bake_diagnostics_errors(b->report.to) <= HINTS_MAX)
        bake_names_hint(b->refs.names, b->report.to, kind, id, item->length - skip);
}

void bake_values_report_dangling(bake_values *b)
{
    for (size_t i = 0; i < b->refs.danglings.count; i++)
        report(b, &b->refs.danglings.items[i]);
}

void bake_value_danglings_fini(value_danglings *all)
{
    kiln_allocator allocator = bake_memory_allocator();
    bake_store_fini(&all->store);
    bake_place_set_fini(&all->places);
    bake_free(all->items);
    kiln_hash_table_fini(&all->by_name, &allocator);
}
