#include "budget_file.h"

#include "hash.h"
#include "record_bytes.h"

#include <errno.h>
#include <kiln/version.h>
#include <string.h>

enum { HEADER_SIZE = 16 };
static const unsigned char magic[8] = {'K', 'I', 'L', 'N', 'B', 'U', 'D', 'G'};

static void put_body(record_writer *w, const bake_budgets *budgets)
{
    record_put_string(w, kiln_version());
    record_put_string(w, budgets->bundle);
    record_put_string(w, budgets->path);
    record_put_text(w, budgets->text, budgets->size);
    record_put(w, budgets->warn);
    record_put(w, budgets->count);
    for (size_t i = 0; i < budgets->count; i++) {
        const bake_budget *item = &budgets->items[i];
        record_put(w, item->kind);
        record_put(w, item->measure);
        record_put_string(w, item->pattern);
        record_put(w, item->limit);
        record_put_place(w, item->mark);
        record_put(w, item->is_of_bundle);
    }
}

bool bake_budgets_write(const bake_budgets *budgets,
                        bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    unsigned char header[HEADER_SIZE];
    record_writer w = {0};
    put_body(&w, budgets);
    memcpy(header, magic, sizeof magic);
    record_store(header + sizeof magic, w.failed ? 0 : kiln_hash64(w.data, w.size, 0));
    return record_write(&w, (kiln_span){header, sizeof header}, (kiln_span){0}, write, ctx);
}

static void get_limits(record_reader *r, bake_budgets *budgets)
{
    size_t count = record_get_count(r);
    bake_budget *items = record_get_rows(r, count + 1, sizeof *items);
    for (size_t i = 0; i < count && items && !r->failed; i++) {
        items[i].kind = (bake_budget_kind)record_get_below(r, BAKE_BUDGET_KINDS);
        items[i].measure = (bake_measure)record_get_below(r, BAKE_MEASURES);
        items[i].pattern = record_get_string(r);
        items[i].limit = record_get(r);
        items[i].mark = record_get_place(r);
        items[i].is_of_bundle = record_get_bool(r);
        r->failed = r->failed || items[i].limit == 0;
    }
    budgets->items = items;
    budgets->count = count;
}

const bake_budgets *bake_budgets_read(const void *data, size_t size, bake_store *store)
{
    const unsigned char *bytes = data;
    record_reader r = {.store = store};
    if (size > HEADER_SIZE && memcmp(bytes, magic, sizeof magic) == 0)
        r = (record_reader){bytes + sizeof magic, size - sizeof magic, false, store};
    uint64_t hash = record_get(&r);
    bool is_intact = !r.failed && r.left && hash == kiln_hash64(r.next, r.left, 0);
    bake_budgets *budgets = is_intact ? bake_store_alloc(store, 1, sizeof *budgets) : NULL;
    if (budgets) {
        r.failed = strcmp(record_get_string(&r), kiln_version()) != 0;
        budgets->bundle = record_get_string(&r);
        budgets->path = record_get_string(&r);
        budgets->text = record_get_text(&r, &budgets->size);
        budgets->warn = (unsigned)record_get_below(&r, 101);
        get_limits(&r, budgets);
    }
    errno = store->failed ? ENOMEM : EINVAL;
    return budgets && !store->failed && !r.failed && r.left == 0 && budgets->warn > 0 ? budgets
                                                                                      : NULL;
}
