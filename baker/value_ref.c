/* References: an id, or `Kind/id`, must name an asset that is known. */
#include "value_baker.h"

#include "bake_memory.h"

#include <string.h>

/* Hints cost a look at every name; beyond so many errors nobody reads them. */
enum { HINTS_MAX = 100 };

static bool note_import(bake_values *b, const bake_name *found)
{
    uint32_t *imports =
        bake_grow(b->imports, &b->import_capacity, b->import_count + 1, sizeof *imports);
    if (!imports) {
        bake_fail_memory(b->failure);
        bake_value_stop(b);
        return false;
    }
    b->imports = imports;
    b->imports[b->import_count++] = (uint32_t)(found - b->names->all);
    return true;
}

/* An extern asset's type is known by name only. */
static bool has_type(const bake_values *b, const bake_name *found, uint32_t type)
{
    if (type == KILN_TYPE_NONE || found->type == type)
        return true;
    const char *name = value_type(b, type)->name;
    return found->type == KILN_TYPE_NONE && strlen(name) == found->type_name_length &&
           memcmp(name, found->type_name, found->type_name_length) == 0;
}

/* `Kind/id` of another kind than the reference's. */
static void hint_type(const bake_values *b, const char *name, size_t length)
{
    char quote[VALUE_QUOTE_SIZE], cut[VALUE_QUOTE_SIZE];
    const bake_name *found = bake_names_find(b->names, name, length);
    const char *type = found->type_name;
    size_t type_length = found->type_name_length;
    if (found->type != KILN_TYPE_NONE) {
        type = value_type(b, found->type)->name;
        type_length = strlen(type);
    }
    bake_hint(b->diagnostics, "%s is of type %s", bake_value_quote(quote, name, length),
              bake_value_cut(cut, type, type_length));
}

static bool resolve(bake_values *b, bake_node_id node, const char *name, size_t length,
                    uint32_t target, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    bake_name *found = bake_names_find(b->names, name, length);
    if (!found && b->names->incomplete) {
        /* This run fails anyway. */
        b->error_count++;
        return false;
    }
    if (!found) {
        const char *kind = target == KILN_TYPE_NONE ? NULL : b->schema->info[target].kind;
        size_t skip = kind ? strlen(kind) + 1 : 0;
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "no asset is named %s", bake_value_quote(quote, name, length));
        if (skip && bake_names_find(b->names, name + skip, length - skip))
            hint_type(b, name + skip, length - skip);
        else if (bake_diagnostics_errors(b->diagnostics) <= HINTS_MAX)
            bake_names_hint(b->names, b->diagnostics, kind, name + skip, length - skip);
        return false;
    }
    if (found->is_part)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                 "%s is a part of a scene: only the scene can be referred to",
                                 bake_value_quote(quote, name, length));
    if (found->is_abstract)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                 "%s is abstract: it is there to be inherited from alone",
                                 bake_value_quote(quote, name, length));
    if (!has_type(b, found, target))
        return bake_value_report(
            b, BAKE_ERROR, value_mark(b, node), "reference", step,
            "%s is of type %.*s in %s, not %s", bake_value_quote(quote, name, length),
            (int)(found->type_name_length < 200 ? found->type_name_length : 200), found->type_name,
            found->file, value_type(b, target)->name);
    if (found->output != b->output && found->imported_by != b->output + 1) {
        found->imported_by = b->output + 1;
        return note_import(b, found);
    }
    return true;
}

bool bake_value_resolve(bake_values *b, bake_node_id node, const char *name, size_t length,
                        uint32_t target, void *dst, const value_step *step)
{
    bool ok = !b->names || resolve(b, node, name, length, target, step);
    uint64_t id = ok ? kiln_asset_id(name, length) : 0;
    memcpy(dst, &id, sizeof id);
    return ok;
}

bool bake_value_ref(bake_values *b, bake_node_id node, const char *text, size_t length,
                    uint32_t type, void *dst, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    uint32_t target = value_type(b, type)->element;
    const char *name = text;
    size_t name_length = length;
    size_t at = SIZE_MAX, used = b->scratch_used;
    const char *kind = target == KILN_TYPE_NONE ? NULL : b->schema->info[target].kind;
    size_t prefix = kind ? strlen(kind) : 0;
    if (kind && !(length > prefix && text[prefix] == '/' && memcmp(text, kind, prefix) == 0)) {
        name_length = prefix + 1 + length;
        at = bake_value_push(b, name_length + 1);
        if (at == SIZE_MAX)
            return false;
        char *full = (char *)b->scratch + at;
        memcpy(full, kind, prefix);
        full[prefix] = '/';
        memcpy(full + prefix + 1, text, length);
        full[name_length] = '\0';
        name = full;
    }
    bool ok = kiln_asset_name_is_valid(name, name_length);
    if (ok)
        ok = bake_value_resolve(b, node, name, name_length, target, dst, step);
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          kind ? "%s is not an asset's id" : "%s is not of the form Kind/id",
                          bake_value_quote(quote, text, length));
    b->scratch_used = used;
    return ok;
}
