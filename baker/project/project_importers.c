#include "project_importers.h"

#include "bake_memory.h"
#include "json_writer.h"

#include <string.h>

void bake_project_importers_read(bake_project_reader *reader, bake_node_id node, const char *file,
                                 bake_project_importers *ret)
{
    const bake_importers_def def = {reader->diagnostics, reader->tree, node, file, reader->store};
    if (!bake_node_is_null(reader->tree, node))
        ret->items = bake_importers_read(&def, &ret->count);
    reader->no_memory = reader->no_memory || reader->store->failed;
}

bool bake_project_importers_apply(bake_project_importers *importers,
                                  const bake_project_importers *by, bake_store *store)
{
    size_t room = importers->count + by->count;
    bake_importer *items = room ? bake_store_alloc(store, room, sizeof *items) : NULL;
    if (room && !items)
        return false;
    if (importers->count)
        memcpy(items, importers->items, importers->count * sizeof *items);
    importers->items = items;
    importers->count = bake_importers_merge(items, importers->count, by->items, by->count);
    return true;
}

/* A text that grows. */
typedef struct text {
    char *data;
    size_t size, capacity;
} text;

static bool put(void *ctx, const void *data, size_t size)
{
    text *t = ctx;
    char *grown = bake_grow(t->data, &t->capacity, t->size + size, 1);
    if (!grown)
        return false;
    t->data = grown;
    memcpy(grown + t->size, data, size);
    t->size += size;
    return true;
}

/* Writes an importer as JSON, which is also YAML. Returns NULL if memory runs out. */
static const char *export_one(const bake_importer *importer, bake_store *store)
{
    text t = {0};
    bake_json json;
    bake_json_init(&json, false, put, &t);
    bake_json_open(&json, NULL, '{');
    bake_json_open(&json, importer->name, '{');
    bake_json_open(&json, "command", '[');
    for (const char *const *word = importer->command; *word; word++)
        bake_json_text(&json, NULL, *word);
    bake_json_close(&json, '[');
    bake_json_text(&json, "output", importer->outputs_bytes ? "bytes" : "yaml");
    bake_json_text(&json, "timeout", importer->timeout);
    if (importer->has_unknown_inputs)
        bake_json_text(&json, "inputs", "unknown");
    else if (*importer->inputs)
        bake_json_open(&json, "inputs", '[');
    for (const char *const *input = importer->inputs; *input; input++)
        bake_json_text(&json, NULL, *input);
    if (*importer->inputs)
        bake_json_close(&json, '[');
    bake_json_close(&json, '{');
    bake_json_close(&json, '{');
    /* Without the line break that ends a JSON text. */
    const char *result =
        bake_json_end_line(&json) && t.size > 0 ? bake_store_text(store, t.data, t.size - 1) : NULL;
    bake_free(t.data);
    return result;
}

bool bake_project_importers_export(const bake_project_importers *importers, bake_store *store,
                                   bake_list *ret_texts)
{
    const char **texts = bake_store_alloc(store, importers->count + 1, sizeof *texts);
    bool done = texts != NULL;
    for (size_t i = 0; done && i < importers->count; i++) {
        texts[i] = export_one(&importers->items[i], store);
        done = texts[i] != NULL;
    }
    *ret_texts = (bake_list){texts, importers->count};
    return done;
}
