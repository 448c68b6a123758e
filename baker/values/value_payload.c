/* Payloads: files are hashed in parts, and only the hash is needed for a value, because it
 * determines the name of the payload asset. The run adds the data to the file later. */
#include "value_payload.h"

#include "bake_memory.h"
#include "bake_table.h"
#include "gateway_users.h"
#include "value_report.h"
#include "value_scalar.h"

#include <kiln/payload.h>
#include <stdlib.h>
#include <string.h>

typedef struct payload_key {
    const char *path, *bytes;
    bake_payload_form form;
} payload_key;

static uint32_t hash_of_payload(const hash_table *table, payload_key key)
{
    uint64_t seed = table->seed ^ key.form.alignment ^ (uint64_t)key.form.frame_size << 32;
    return (uint32_t)kiln_hash64(key.path, strlen(key.path), seed);
}

static bool is_payload(const value_payloads *payloads, uint32_t number, payload_key key)
{
    const bake_payload *item = &payloads->items[number];
    return strcmp(item->path, key.path) == 0 && item->bytes == key.bytes &&
           item->form.alignment == key.form.alignment &&
           item->form.frame_size == key.form.frame_size;
}

HASH_TABLE(payloads_by_key, const value_payloads *, payload_key, hash_of_payload, is_payload)

void bake_value_payloads_fini(value_payloads *payloads)
{
    bake_store_fini(&payloads->store);
    bake_free(payloads->items);
    bake_free(payloads->used);
    bake_table_fini(&payloads->by_key);
    memset(payloads, 0, sizeof *payloads);
}

const bake_payload *bake_values_payloads(const bake_values *b, size_t *ret_count)
{
    *ret_count = b->payloads.count;
    return b->payloads.items;
}

const uint32_t *bake_values_used_payloads(const bake_values *b, size_t *ret_count)
{
    *ret_count = b->payloads.used_count;
    return b->payloads.used;
}

static int compare_fields(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const value_field_payload *)a)->member;
    uintptr_t y = (uintptr_t)((const value_field_payload *)b)->member;
    return x < y ? -1 : x > y;
}

bool bake_values_list_payloads(bake_values *b)
{
    const bake_schema *schema = b->schema;
    value_payload_fields *fields = &b->payload_fields;
    if (schema->payload == KILN_TYPE_NONE)
        return true;
    fields->all = bake_alloc_array(schema->member_count + 1, sizeof *fields->all);
    if (!fields->all)
        return false;
    for (uint32_t i = 0; i < schema->member_count; i++) {
        bake_payload_form form = schema->members[i].payload;
        if (form.alignment || form.frame_size)
            fields->all[fields->count++] = (value_field_payload){b->fields.all[i].member, form};
    }
    qsort(fields->all, fields->count, sizeof *fields->all, compare_fields);
    return true;
}

/* The attributes of a field, which may be NULL. A kiln_member has no link to its struct. */
static bake_payload_form form_of(const bake_values *b, const kiln_member *field)
{
    value_field_payload key = {.member = field};
    const value_field_payload *found =
        b->payload_fields.count ? bsearch(&key, b->payload_fields.all, b->payload_fields.count,
                                          sizeof key, compare_fields)
                                : NULL;
    return found ? found->form : (bake_payload_form){0, 0};
}

/* Hashes the data. Returns false after a report. */
static bool hash_data(bake_values *b, bake_node_id node, bake_payload *made, const value_step *step)
{
    if (made->bytes) {
        made->content = kiln_content_hash(made->bytes, (size_t)made->size);
        return true;
    }
    if (b->files.gateway &&
        bake_gateway_hash(b->files.gateway, made->path, &made->content, &made->size))
        return true;
    bake_value_cannot_read(b, node, made->path, step);
    return false;
}

/* Adds data that the current output does not have yet. Returns NULL after a report or a failure. */
static const bake_payload *add(bake_values *b, bake_node_id node, bake_payload *made,
                               const value_step *step)
{
    value_payloads *all = &b->payloads;
    char path[VALUE_PATH_SIZE];
    bake_payload *items =
        bake_table_grow_rows(&all->by_key, all->items, &all->capacity, all->count, sizeof *items);
    if (!items) {
        value_no_memory(b);
        return NULL;
    }
    all->items = items;
    hash_slot *slot =
        payloads_by_key_slot(&all->by_key, all, (payload_key){made->path, made->bytes, made->form});
    if (!hash_slot_is_empty(slot)) {
        if (!made->bytes && b->files.gateway)
            bake_gateway_use_path_again(b->files.gateway, made->path);
        return &all->items[hash_slot_number(slot)];
    }
    if (!hash_data(b, node, made, step))
        return NULL;
    bake_value_path_text(b, step, path);
    made->mark = value_mark(b, node);
    made->path = bake_store_text(&all->store, made->path, strlen(made->path));
    made->where = bake_store_text(&all->store, path, strlen(path));
    if (!made->path || !made->where) {
        value_no_memory(b);
        return NULL;
    }
    all->items[all->count] = *made;
    hash_table_put(&all->by_key, slot, (uint32_t)all->count);
    return &all->items[all->count++];
}

/* Adds the payload to those of the current value. */
static bool use(bake_values *b, const bake_payload *payload)
{
    value_payloads *all = &b->payloads;
    uint32_t *used =
        bake_grow(all->used, &all->used_capacity, all->used_count + 1, sizeof *all->used);
    if (!used)
        return value_no_memory(b);
    all->used = used;
    used[all->used_count++] = (uint32_t)(payload - all->items);
    return true;
}

void bake_value_payload(bake_values *b, bake_node_id node, const kiln_member *field, void *dst,
                        const value_step *step)
{
    size_t used = b->scratch.used, size = 0;
    if (value_defer(b))
        return;
    if (value_is_of_schema(b, b->tree)) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "file", step,
                          "a default cannot have the data of a payload");
        return;
    }
    bake_payload made = {.path = bake_value_file_path(b, node, step), .form = form_of(b, field)};
    bool ok = made.path != NULL;
    if (ok && bake_value_is_import(b, node)) {
        made.bytes = bake_value_import(b, node, made.path, &size, step);
        made.size = size;
        ok = made.bytes != NULL;
    }
    const bake_payload *payload = ok ? add(b, node, &made, step) : NULL;
    if (payload && use(b, payload)) {
        char name[KILN_PAYLOAD_NAME_SIZE];
        kiln_payload_name(payload->content, name);
        uint64_t id = kiln_asset_id(name, sizeof name - 1);
        memcpy(dst, &id, sizeof id);
    }
    b->scratch.used = used;
}

bool bake_value_check_payload_name(bake_values *b, bake_node_id node, const value_step *step)
{
    static const char prefix[] = KILN_PAYLOAD_TYPE_NAME "/";
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR)
        return true;
    const char *text = bake_node_text(b->tree, node, &length);
    if (length >= sizeof prefix && memcmp(text, prefix, sizeof prefix - 1) == 0)
        return true;
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                             "expected the data of a file, as in `!file image.bin`, found %s",
                             bake_value_quote(quote, text, length));
}
