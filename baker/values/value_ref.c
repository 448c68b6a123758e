/* References: an id, or `Kind/id`, must name an asset that is known. */
#include "value_ref.h"

#include "asset_links.h"
#include "bake_memory.h"
#include "value_limits.h"

#include <string.h>

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

/* An extern asset's type is known by name only. */
static bool has_type(const bake_values *b, const bake_name *found, uint32_t type)
{
    if (type == KILN_TYPE_NONE || found->type == type)
        return true;
    const char *name = value_type(b, type)->name;
    return found->type == KILN_TYPE_NONE && strlen(name) == found->type_name_length &&
           memcmp(name, found->type_name, found->type_name_length) == 0;
}

/* An old name that stands for another; NULL for all others. */
static const bake_link *old_name(const bake_values *b, const bake_name *found, const char *name,
                                 size_t length)
{
    const bake_link *link = NULL;
    /* A file that was baked before may still have the old name. */
    if (!found || found->output == BAKE_OUTPUT_EXTERN)
        link = bake_links_find(b->refs.names->links, name, length);
    return link && link->kind != BAKE_LINK_ACCEPTED ? link : NULL;
}

/* Whether a name counts that is none of an asset. Files that guids name are no assets, and this is
 * how a reference to one is dumped. */
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
    return (is_accepted(b, name, length) ||
            bake_value_dangling(b, node, name, length, target, step)) &&
           bake_value_assume(b, name, length);
}

static bool report_deleted(bake_values *b, bake_node_id node, const bake_link *link,
                           const char *name, size_t length, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    bake_mark mark = bake_node_mark(link->tree, link->node);
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                      "%s is deleted at %.200s:%u:%u, but this reference is required",
                      bake_value_quote(quote, name, length),
                      bake_diagnostics_source_name(b->report.sources, mark.source), mark.line,
                      mark.column);
    bake_related(b->report.to, mark, "deleted here");
    return false;
}

/* An asset of another kind than the reference names: of this run only where a number leads to it.
 */
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

static bool resolve(bake_values *b, bake_node_id node, const char **name_place,
                    size_t *length_place, uint32_t target, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    const char *name = *name_place;
    size_t length = *length_place;
    bake_name *found = bake_names_find(b->refs.names, name, length);
    const bake_link *link = old_name(b, found, name, length);
    if (link && link->kind == BAKE_LINK_DELETED)
        return report_deleted(b, node, link, name, length, step);
    if (link) {
        *name_place = name = link->to;
        *length_place = length = link->to_length;
        found = bake_names_find(b->refs.names, name, length);
    }
    /* What is assumed for one form of a reference may be wrong for another. */
    if (found && found->is_assumed && !is_accepted(b, name, length) &&
        !bake_value_dangling(b, node, name, length, target, step))
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
    if (found->output != b->refs.output && found->imported_by != b->refs.output + 1) {
        found->imported_by = b->refs.output + 1;
        return note_import(b, found);
    }
    return true;
}

bool bake_value_resolve(bake_values *b, bake_node_id node, const char *name, size_t length,
                        uint32_t target, void *dst, const value_step *step)
{
    bool ok = !b->refs.names || resolve(b, node, &name, &length, target, step);
    uint64_t id = ok ? kiln_asset_id(name, length) : 0;
    memcpy(dst, &id, sizeof id);
    return ok;
}

/* The name that a text stands for, in full: perhaps on the scratch stack. NULL when memory ran out.
 */
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
