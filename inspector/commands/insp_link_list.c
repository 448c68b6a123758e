/* A path is created only for a reference that is printed. */
#include "insp_link_list.h"

#include "insp_escape.h"

#include <inttypes.h>
#include <string.h>

insp_link_format insp_link_format_of(const insp_run *run)
{
    const char *format = run->options.format;
    if (format && strcmp(format, "dot") == 0)
        return INSP_LINK_DOT;
    return insp_wants_json(run) ? INSP_LINK_JSON : INSP_LINK_TEXT;
}

void insp_link_list_init(insp_link_list *list, insp_run *run, const insp_links *links)
{
    *list = (insp_link_list){.run = run, .links = links, .indent = 4};
    list->format = insp_link_format_of(run);
}

void insp_link_list_fini(insp_link_list *list)
{
    insp_path_fini(&list->path);
}

void insp_link_list_begin(insp_link_list *list, const char *name)
{
    insp_out *out = &list->run->out;
    if (list->format == INSP_LINK_JSON)
        insp_putf(out, "{\n  \"format\": 1,\n  \"%s\": [", name);
    if (list->format == INSP_LINK_DOT)
        insp_put(out, "digraph references {\n  rankdir=LR;\n  node [shape=box];\n");
}

void insp_link_list_end(insp_link_list *list, bool is_empty)
{
    insp_out *out = &list->run->out;
    if (list->format == INSP_LINK_JSON)
        insp_put(out, is_empty ? "]\n}\n" : "\n  ]\n}\n");
    if (list->format == INSP_LINK_DOT)
        insp_put(out, "}\n");
}

static void put_target(insp_link_list *list, const insp_link *link)
{
    insp_out *out = &list->run->out;
    insp_text name = insp_link_target_name(list->links, link);
    if (name.length)
        insp_put_escaped(out, name.data, name.length);
    else
        insp_putf(out, "%016" PRIx64, link->id);
    if (!link->to.asset)
        insp_put(out, name.length ? " (import)" : " (unknown)");
    if (link->to.asset && link->to.asset->id != link->id)
        insp_put(out, " (renamed)");
    if (link->to.asset && link->to.file != link->from.file) {
        insp_put(out, " (in ");
        insp_put_escaped(out, link->to.file->path, strlen(link->to.file->path));
        insp_put_char(out, ')');
    }
}

static void put_text(insp_link_list *list, const insp_link *link)
{
    insp_out *out = &list->run->out;
    insp_put_spaces(out, list->margin);
    if (list->links->mounts->count > 1) {
        insp_put_escaped(out, link->from.file->path, strlen(link->from.file->path));
        insp_put(out, ": ");
    }
    insp_put_style(out, INSP_STYLE_ASSET);
    insp_put_bytes(out, insp_path_text(&list->path), list->path.length);
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put(out, " -> ");
    put_target(list, link);
    insp_put_char(out, '\n');
}

static void put_json(insp_link_list *list, const insp_link *link)
{
    insp_out *out = &list->run->out;
    insp_text name = insp_link_target_name(list->links, link);
    insp_put(out, list->count ? "," : "");
    insp_put_line(out, list->indent);
    insp_put(out, "{\"file\": ");
    insp_put_json_string(out, link->from.file->path, strlen(link->from.file->path));
    insp_put(out, ", \"from\": ");
    insp_put_json_string(out, link->from.asset->name.data, link->from.asset->name.length);
    insp_put(out, ", \"path\": ");
    if (link->value)
        insp_put_json_string(out, insp_path_text(&list->path), list->path.length);
    else
        insp_put(out, "null");
    insp_put(out, ", \"to\": ");
    if (name.length)
        insp_put_json_string(out, name.data, name.length);
    else
        insp_put(out, "null");
    insp_putf(out, ", \"id\": \"%016" PRIx64 "\", \"in\": ", link->id);
    if (link->to.asset)
        insp_put_json_string(out, link->to.file->path, strlen(link->to.file->path));
    else
        insp_put(out, "null");
    insp_put_char(out, '}');
}

/* Nodes are the names themselves, so an asset is one node in all references. */
static void put_dot(insp_link_list *list, const insp_link *link, size_t name_length)
{
    insp_out *out = &list->run->out;
    insp_text name = insp_link_target_name(list->links, link);
    insp_put(out, "  ");
    insp_put_dot_string(out, link->from.asset->name.data, link->from.asset->name.length);
    insp_put(out, " -> ");
    if (name.length)
        insp_put_dot_string(out, name.data, name.length);
    else
        insp_putf(out, "\"%016" PRIx64 "\"", link->id);
    insp_put(out, " [label=");
    insp_put_dot_string(out, insp_path_text(&list->path) + name_length,
                        list->path.length - name_length);
    insp_put(out, link->to.asset ? "];\n" : ", style=dashed];\n");
}

bool insp_link_list_put(insp_link_list *list, const insp_link *link)
{
    size_t name_length;
    insp_path_cut(&list->path, 0);
    insp_path_add_asset(&list->path, link->from.asset->name);
    name_length = list->path.length;
    insp_walk_add_path(&list->path, link->from.file, link->step);
    if (list->path.failed)
        return false;
    if (list->format == INSP_LINK_JSON)
        put_json(list, link);
    else if (list->format == INSP_LINK_DOT)
        put_dot(list, link, name_length);
    else
        put_text(list, link);
    list->count++;
    return true;
}
