/* Errors are attributed to assets by their paths, which begin with the name of the asset. Only the
 * errors that are printed get a hint, so the time is linear in the number of assets. */
#include "asset_heirs.h"

#include "bake_memory.h"

#include <string.h>

typedef struct heirs {
    const bake_bases *bases;
    bool *is_parent; /* by base: another one inherits from it, and it has no hint yet */
    bool *is_heir;   /* by base: of the base that is counted */
} heirs;

/* The parent to which a path such as `Monster/wolf.size` belongs; SIZE_MAX: none. */
static size_t find(const heirs *h, const char *path)
{
    size_t length = strlen(path), found = SIZE_MAX, longest = 0;
    for (size_t i = 0; i < h->bases->count; i++) {
        const bake_base *base = &h->bases->all[i];
        size_t size = base->name_length;
        if (!h->is_parent[i] || size > length || size < longest ||
            memcmp(base->asset.name, path, size) != 0 || !memchr(".[", path[size], 3))
            continue;
        longest = size;
        found = i;
    }
    return found;
}

/* Counts the bases that inherit from one, at any distance. Each round finds at least one further
 * level, and levels are limited. */
static size_t count_heirs(const heirs *h, size_t parent)
{
    const bake_bases *bases = h->bases;
    size_t count = 0, before;
    memset(h->is_heir, 0, bases->count);
    h->is_heir[parent] = true;
    do {
        before = count;
        for (size_t i = 0; i < bases->count; i++) {
            const bake_base *base = &bases->all[i];
            for (uint32_t p = 0; p < base->parent_count && !h->is_heir[i]; p++) {
                h->is_heir[i] = h->is_heir[bases->parents[base->first_parent + p]];
                count += h->is_heir[i];
            }
        }
    } while (count > before);
    return count;
}

void bake_heirs_hint(const bake_bases *bases, bake_diagnostics *diagnostics)
{
    heirs h = {bases, bake_alloc_array(bases->count, sizeof(bool)),
               bake_alloc_array(bases->count, sizeof(bool))};
    size_t reports = h.is_parent && h.is_heir ? bake_diagnostics_count(diagnostics) : 0;
    for (size_t i = 0; reports > 0 && i < bases->count; i++)
        for (uint32_t p = 0; p < bases->all[i].parent_count; p++)
            h.is_parent[bases->parents[bases->all[i].first_parent + p]] = true;
    for (size_t i = 0; i < reports; i++) {
        bake_report_view view = bake_diagnostics_view(diagnostics, i);
        bool is_counted =
            view.severity == BAKE_ERROR && view.path && strcmp(view.rule, "cycle") != 0;
        size_t base = is_counted ? find(&h, view.path) : SIZE_MAX;
        if (base == SIZE_MAX)
            continue;
        size_t count = count_heirs(&h, base);
        h.is_parent[base] = false;
        bake_diagnostics_hint(diagnostics, i, "%zu asset%s from %.200s", count,
                              count == 1 ? " inherits" : "s inherit", bases->all[base].asset.name);
    }
    bake_free(h.is_parent);
    bake_free(h.is_heir);
}
