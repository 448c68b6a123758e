/* The contents of a scene as text: totals, then tables of archetypes, chunks and components, then
 * the references of rows. Long lists of words, imports and assets are shortened unless --all is
 * given.
 *
 * A scene with a broken description has no view, so its rows cannot be counted. The scene is then
 * printed as a value, like any other asset. */
#include "insp_escape.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_print.h"
#include "insp_run_printer.h"
#include "insp_scene_list.h"

#include <inttypes.h>
#include <string.h>

enum {
    LABEL_WIDTH = 12,
    WRAP_AT = 80,
    NAME_WIDTH = 32,
    PLACES_SHOWN = 4,
    ITEMS_ABOVE = 10,
    ITEMS_SHOWN = 8
};

/* Totals over the archetypes of a scene. */
typedef struct sums {
    uint64_t waste, stored;
    uint32_t whole, trimmed;
    uint64_t *rows; /* by component: number of entities that have it */
} sums;

static uint64_t stored_of(const kiln_scene_rows *rows)
{
    return (uint64_t)rows->whole * KILN_CHUNK_SIZE + rows->tail_size;
}

static sums add_up(const kiln_scene_view *view, uint64_t *rows)
{
    sums s = {.rows = rows};
    uint32_t i, k;
    for (i = 0; i < view->archetype_count; i++) {
        const kiln_scene_rows *of = &view->archetypes[i];
        s.waste += insp_scene_waste(of);
        s.stored += stored_of(of);
        s.whole += of->whole;
        s.trimmed += of->tail_size != 0;
        for (k = 0; k < of->component_count; k++)
            s.rows[kiln_scene_column_number(view, of, k)] += of->rows;
    }
    return s;
}

static void begin_line(insp_out *out, const char *label)
{
    insp_put(out, "  ");
    insp_put_styled(out, INSP_STYLE_NAME, label);
    insp_put_to_column(out, LABEL_WIDTH);
}

static void put_number(insp_out *out, uint64_t count, const char *one, const char *more)
{
    insp_put_count(out, count, 0);
    insp_putf(out, " %s", count == 1 ? one : more);
}

static void put_name(insp_out *out, insp_style style, insp_text name)
{
    insp_put_style(out, style);
    insp_put_escaped(out, name.data, name.length);
    insp_put_style(out, INSP_STYLE_PLAIN);
}

static void print_part(insp_out *out, const insp_scene *scene, insp_scene_piece piece,
                       const char *label)
{
    const insp_scene_part *part = &scene->parts[piece];
    insp_text name = insp_scene_part_name(scene, piece);
    if (!part->id)
        return;
    begin_line(out, label);
    if (name.length)
        put_name(out, INSP_STYLE_ASSET, name);
    else
        insp_putf(out, "%016" PRIx64 " (name unknown)", part->id);
    if (!part->asset)
        insp_put_styled(out, INSP_STYLE_BROKEN, " (not in this file)");
    else if (part->is_compressed)
        insp_put(out, ", compressed");
    insp_put_char(out, '\n');
}

static void print_summary(insp_out *out, const insp_scene *scene, const sums *s)
{
    const kiln_scene_view *view = &scene->view;
    uint64_t loaded = (uint64_t)view->chunks * KILN_CHUNK_SIZE;
    begin_line(out, "entities");
    insp_put_count(out, view->entities, 0);
    insp_put(out, " in ");
    put_number(out, view->archetype_count, "archetype", "archetypes");
    insp_put(out, ", ");
    insp_put_count(out, scene->scene->names.count, 0);
    insp_put(out, " named\n");
    begin_line(out, "stored");
    put_number(out, s->stored, "byte", "bytes");
    insp_put(out, ": ");
    put_number(out, s->whole, "whole chunk", "whole chunks");
    insp_put(out, ", ");
    insp_put_count(out, s->trimmed, 0);
    insp_put(out, " trimmed\n");
    begin_line(out, "loaded");
    put_number(out, view->chunks, "chunk", "chunks");
    insp_put(out, ", ");
    put_number(out, loaded, "byte", "bytes");
    insp_put(out, ", of which ");
    insp_put_count(out, s->waste, 0);
    insp_put(out, " are unused\n");
    print_part(out, scene, INSP_SCENE_CHUNKS, "chunks");
    print_part(out, scene, INSP_SCENE_DATA, "data");
}

/* ---- archetypes ---- */

/* Prints component names. Lines are wrapped between names, so that each name can be found by a text
 * search. */
static void put_components(insp_out *out, const kiln_scene_view *view, const kiln_scene_rows *of)
{
    uint32_t i;
    insp_put(out, "    ");
    for (i = 0; i < of->component_count; i++) {
        const char *name = kiln_scene_column_desc(view, of, i)->name;
        size_t length = strlen(name);
        if (i) {
            insp_put_char(out, ',');
            if (out->column + length + 2 > WRAP_AT)
                insp_put_line(out, 4);
            else
                insp_put_char(out, ' ');
        }
        insp_put_style(out, INSP_STYLE_TYPE);
        insp_put_escaped(out, name, length);
        insp_put_style(out, INSP_STYLE_PLAIN);
    }
    insp_put(out, of->component_count ? "\n" : "(none)\n");
}

static void print_archetypes(insp_out *out, const kiln_scene_view *view)
{
    uint32_t i;
    if (!view->archetype_count)
        return;
    insp_put_styled(out, INSP_STYLE_NAME, "archetypes");
    insp_put(out, "      rows  row size  chunks   whole  trimmed      stored       waste\n");
    for (i = 0; i < view->archetype_count && !out->error; i++) {
        const kiln_scene_rows *of = &view->archetypes[i];
        char number[16];
        snprintf(number, sizeof number, "%10" PRIu32, i);
        insp_put(out, number);
        insp_put_count(out, of->rows, 10);
        insp_put_count(out, of->row_size, 10);
        insp_put_count(out, of->chunks, 8);
        insp_put_count(out, of->whole, 8);
        insp_put_count(out, of->tail_size != 0, 9);
        insp_put_count(out, stored_of(of), 12);
        insp_put_count(out, insp_scene_waste(of), 12);
        insp_put_char(out, '\n');
        put_components(out, view, of);
    }
}

/* ---- chunks ---- */

static void print_chunk(insp_out *out, const insp_scene *scene, uint32_t archetype, uint32_t number)
{
    const kiln_scene_rows *of = &scene->view.archetypes[archetype];
    insp_scene_chunk chunk = insp_scene_get_chunk(scene, of, number);
    char text[16];
    snprintf(text, sizeof text, "%9" PRIu32, number);
    insp_put(out, text);
    insp_put_count(out, archetype, 11);
    insp_put_count(out, chunk.first_entity, 14);
    insp_put_count(out, chunk.rows, 8);
    if (chunk.stored && scene->view.root)
        insp_putf(out, "  0x%08" PRIx64, chunk.place);
    else
        insp_put(out, "           -");
    insp_put_count(out, chunk.stored, 10);
    insp_put_count(out, chunk.used, 10);
    insp_put_char(out, '\n');
}

static void print_chunks(insp_out *out, const insp_scene *scene)
{
    uint32_t i, k;
    if (!scene->view.chunks)
        return;
    insp_put_styled(out, INSP_STYLE_NAME, "chunks");
    insp_put(out, "      archetype  first entity    rows  place         stored      used\n");
    for (i = 0; i < scene->view.archetype_count; i++)
        for (k = 0; k < scene->view.archetypes[i].chunks && !out->error; k++)
            print_chunk(out, scene, i, k);
    if (scene->parts[INSP_SCENE_CHUNKS].is_compressed)
        insp_put(out, "  places are offsets in the decompressed blob\n");
}

/* ---- components ---- */

static void put_places(insp_out *out, const char *word, const kiln_array *places, bool all,
                       bool *is_first)
{
    const uint32_t *list = insp_scene_list(places);
    uint32_t i, shown = all || places->count <= PLACES_SHOWN ? places->count : PLACES_SHOWN;
    if (!places->count)
        return;
    insp_putf(out, "%s%s at", *is_first ? "" : ", ", word);
    for (i = 0; i < shown; i++)
        insp_putf(out, " %" PRIu32, list[i]);
    if (shown < places->count)
        insp_putf(out, " .. %" PRIu32 " more", places->count - shown);
    *is_first = false;
}

/* Prints the reference words of a component on one line, and each list in the scene's data on its
 * own line. */
static void print_words(insp_run *run, const kiln_scene_component *component)
{
    insp_out *out = &run->out;
    const kiln_scene_field *fields = insp_scene_list(&component->fields);
    uint32_t count = component->fields.count, i, shown = count;
    bool is_first = true;
    if (component->entity_places.count || component->asset_places.count) {
        insp_put(out, "    ");
        put_places(out, "entity", &component->entity_places, run->options.all, &is_first);
        put_places(out, "ref", &component->asset_places, run->options.all, &is_first);
        insp_put_char(out, '\n');
    }
    if (!run->options.all && count > ITEMS_ABOVE)
        shown = ITEMS_SHOWN;
    for (i = 0; i < shown; i++) {
        insp_putf(out, "    data at %" PRIu32 " in ", fields[i].place);
        put_name(out, INSP_STYLE_PLAIN, insp_scene_text(&fields[i].name));
        insp_put_char(out, '\n');
    }
    if (shown < count)
        insp_putf(out, "    .. %" PRIu32 " more\n", count - shown);
}

static void print_components(insp_run *run, const insp_scene *scene, const sums *s)
{
    const kiln_scene_component *components = insp_scene_list(&scene->scene->components);
    insp_out *out = &run->out;
    uint32_t i;
    if (!scene->view.component_count)
        return;
    insp_put_styled(out, INSP_STYLE_NAME, "components");
    insp_put_to_column(out, NAME_WIDTH + 2);
    insp_put(out, "   entities   bytes  align  layout\n");
    for (i = 0; i < scene->view.component_count && !out->error; i++) {
        insp_put(out, "  ");
        put_name(out, INSP_STYLE_TYPE, insp_scene_text(&components[i].name));
        insp_put_to_column(out, NAME_WIDTH + 2);
        insp_put_count(out, s->rows[i], 11);
        insp_put_count(out, components[i].size, 8);
        insp_put_count(out, components[i].alignment, 7);
        if (components[i].layout)
            insp_putf(out, "  %016" PRIx64 "\n", components[i].layout);
        else
            insp_put(out, "  -\n");
        print_words(run, &components[i]);
    }
}

/* ---- references of rows ---- */

static uint32_t begin_items(insp_run *run, const char *label, uint32_t count)
{
    if (count) {
        insp_put_styled(&run->out, INSP_STYLE_NAME, label);
        insp_put_char(&run->out, '\n');
    }
    return run->options.all || count <= ITEMS_ABOVE ? count : ITEMS_SHOWN;
}

static void end_items(insp_run *run, uint32_t shown, uint32_t count)
{
    if (shown == count)
        return;
    insp_put(&run->out, "  .. ");
    insp_put_count(&run->out, count - shown, 0);
    insp_put(&run->out, " more (--all)\n");
}

static void print_imports(insp_run *run, const insp_scene *scene)
{
    const kiln_scene_import *imports = insp_scene_list(&scene->scene->imports);
    uint32_t count = scene->scene->imports.count, i;
    uint32_t shown = begin_items(run, "imports", count);
    for (i = 0; i < shown && !run->out.error; i++) {
        insp_put(&run->out, "  ");
        put_name(&run->out, INSP_STYLE_ASSET, insp_scene_text(&imports[i].scene));
        insp_put_char(&run->out, '#');
        put_name(&run->out, INSP_STYLE_ASSET, insp_scene_text(&imports[i].entity));
        insp_put_char(&run->out, '\n');
    }
    end_items(run, shown, count);
}

static void print_assets(insp_run *run, const insp_scene *scene)
{
    const uint64_t *ids = insp_scene_list(&scene->scene->assets);
    uint32_t count = scene->scene->assets.count, i;
    uint32_t shown = begin_items(run, "assets", count);
    for (i = 0; i < shown && !run->out.error; i++) {
        const insp_name *name = insp_file_name(scene->file, ids[i]);
        insp_put(&run->out, "  ");
        if (name)
            put_name(&run->out, INSP_STYLE_ASSET, name->name);
        else
            insp_putf(&run->out, "%016" PRIx64 " (name unknown)", ids[i]);
        if (name && name->asset == KILN_ASSET_NONE)
            insp_put_styled(&run->out, INSP_STYLE_FAINT, " (in another file)");
        insp_put_char(&run->out, '\n');
    }
    end_items(run, shown, count);
}

/* Prints a broken scene as a value. */
static int print_value(insp_run *run, const insp_scene *scene)
{
    insp_printer p;
    if (!scene->value.of)
        return INSP_BAD;
    insp_run_printer(run, scene->file, &p);
    p.depth = 1;
    p.indent = 2;
    p.format->alone(&p);
    insp_print(&p, &scene->value);
    return insp_after_printing(run, scene->file, &p);
}

int insp_scene_list_text(insp_run *run, const insp_scene *scene)
{
    uint64_t *rows;
    sums s;
    put_name(&run->out, INSP_STYLE_ASSET, scene->parts[INSP_SCENE_ROOT].asset->name);
    insp_put_char(&run->out, '\n');
    if (!scene->has_view)
        return print_value(run, scene);
    /* The column `entities`, by component. */
    rows = insp_alloc_array(scene->view.component_count, sizeof *rows);
    if (!rows)
        return insp_no_memory(run);
    s = add_up(&scene->view, rows);
    print_summary(&run->out, scene, &s);
    print_archetypes(&run->out, &scene->view);
    if (run->options.chunks)
        print_chunks(&run->out, scene);
    print_components(run, scene, &s);
    print_imports(run, scene);
    print_assets(run, scene);
    insp_free(rows);
    return INSP_OK;
}
