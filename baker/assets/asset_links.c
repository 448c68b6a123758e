/* Path compression: after a chain of renames is followed, every link on it has the final name. So
 * all chains together take linear time. */
#include "asset_links.h"

#include "bake_table.h"

#include <stdio.h>
#include <string.h>

enum { STATE_NEW, STATE_OPEN, STATE_DONE };

static bool has_name(const bake_links *links, uint32_t number, text_key name)
{
    const bake_link *link = &links->all[number];
    return link->length == name.length && memcmp(link->name, name.text, name.length) == 0;
}

HASH_TABLE(links_by_name, const bake_links *, text_key, hash_of_text, has_name)

static bake_link *find(const bake_links *links, const char *name, size_t length)
{
    uint32_t found = links_by_name_find(&links->by_name, links, (text_key){name, length});
    return found == HASH_TABLE_NONE ? NULL : &links->all[found];
}

/* A dump of a file lists the names that the file references. Inputs that rename or delete such a
 * name override the list. */
bool bake_links_add(bake_links *links, const bake_link *link, const bake_link **ret_other)
{
    *ret_other = NULL;
    bake_link *all = bake_table_grow_rows(&links->by_name, links->all, &links->capacity,
                                          links->count, sizeof *all);
    if (!all)
        return false;
    links->all = all;
    hash_slot *slot =
        links_by_name_slot(&links->by_name, links, (text_key){link->name, link->length});
    if (!hash_slot_is_empty(slot)) {
        bake_link *other = &links->all[hash_slot_number(slot)];
        if (other->is_listed && link->kind != BAKE_LINK_ACCEPTED)
            *other = *link;
        else if (!link->is_listed)
            *ret_other = other;
        return true;
    }
    links->all[links->count] = *link;
    hash_table_put(&links->by_name, slot, (uint32_t)links->count++);
    return true;
}

bake_links *bake_links_create(const bake_schema *schema)
{
    bake_links *links = bake_alloc_array(1, sizeof *links);
    for (size_t i = 0; links && i < schema->accepted_count; i++) {
        const char *name = schema->accepted[i];
        bake_link link = {.name = name, .length = strlen(name), .kind = BAKE_LINK_ACCEPTED};
        const bake_link *other;
        if (bake_links_add(links, &link, &other))
            continue;
        bake_links_destroy(links);
        return NULL;
    }
    return links;
}

void bake_links_destroy(bake_links *links)
{
    if (!links)
        return;
    bake_free(links->all);
    bake_table_fini(&links->by_name);
    bake_free(links);
}

const bake_link *bake_links_find(const bake_links *links, const char *name, size_t length)
{
    return links ? find(links, name, length) : NULL;
}

static bake_link *next_of(const bake_links *links, const bake_link *link)
{
    /* An accepted name ends a chain: it is a valid target. */
    bake_link *next = find(links, link->to, link->to_length);
    return next && next->kind != BAKE_LINK_ACCEPTED ? next : NULL;
}

static void report_cycle(const bake_links *links, const bake_link *first,
                         bake_diagnostics *diagnostics)
{
    enum { SHOWN_MAX = 6, NAME_SHOWN_MAX = 60 };
    char text[SHOWN_MAX * (NAME_SHOWN_MAX + 8) + 80];
    size_t at = 0, shown = 0;
    const bake_link *link = first;
    do {
        at += (size_t)snprintf(text + at, sizeof text - at, "%.*s -> ", NAME_SHOWN_MAX, link->name);
        link = next_of(links, link);
    } while (link != first && ++shown < SHOWN_MAX);
    snprintf(text + at, sizeof text - at, "%s%.*s", link == first ? "" : "... -> ", NAME_SHOWN_MAX,
             first->name);
    bake_report(diagnostics, BAKE_ERROR, bake_node_mark(first->tree, first->node), "cycle", NULL,
                "this id is renamed to itself: %s", text);
}

/* Follows a chain of links to its end and stores the result in every link on it. */
static void follow(bake_links *links, bake_link *first, bake_diagnostics *diagnostics)
{
    bake_link *last = first, *next;
    while (last->kind == BAKE_LINK_RENAMED && last->state == STATE_NEW) {
        last->state = STATE_OPEN;
        next = next_of(links, last);
        if (!next)
            break;
        last = next;
        if (last->state == STATE_OPEN) {
            report_cycle(links, last, diagnostics);
            break;
        }
    }
    /* Second pass: give all links of the chain the final target. */
    bake_link end = *last;
    for (bake_link *link = first;
         link && link->kind == BAKE_LINK_RENAMED && link->state == STATE_OPEN; link = next) {
        next = next_of(links, link);
        link->state = STATE_DONE;
        link->kind = end.kind;
        link->to = end.to;
        link->to_length = end.to_length;
    }
}

/* Reports assets whose names are also listed as renamed or deleted, because references by such a
 * name would be ambiguous. */
void bake_links_resolve(bake_links *links, const bake_inputs *inputs, bake_diagnostics *diagnostics)
{
    bool has_old = false;
    for (size_t i = 0; i < links->count; i++) {
        has_old = has_old || links->all[i].kind != BAKE_LINK_ACCEPTED;
        follow(links, &links->all[i], diagnostics);
    }
    for (size_t i = 0; has_old && i < inputs->asset_count; i++) {
        const bake_asset *asset = &inputs->assets[i];
        const bake_link *link = bake_links_find(links, asset->name, asset->name_length);
        if (!link || link->kind == BAKE_LINK_ACCEPTED)
            continue;
        bake_mark mark = bake_node_mark(link->tree, link->node);
        bake_report(diagnostics, BAKE_ERROR,
                    bake_node_mark(inputs->inputs[asset->input].tree, asset->named_at), "renamed",
                    asset->name, "this id was %s at %s:%u:%u",
                    link->kind == BAKE_LINK_DELETED ? "deleted" : "renamed",
                    bake_diagnostics_source_name(diagnostics, mark.source), mark.line, mark.column);
        bake_related(diagnostics, mark, "renamed or deleted here");
    }
}
