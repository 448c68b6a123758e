/* Writes source maps (SOURCE-MAP.md): paths in the syntax of <kiln/path.h>, source positions, and
 * the layer that each value comes from.
 *
 * Several functions may record the same value. The first record wins: begin_value drops a record
 * with the same path as the last. The lines of an asset stay in memory until bake_origins_end, so
 * the largest asset bounds the memory.
 *
 * `no_memory` is sticky. The text is incomplete once it is set, and write_text checks it before
 * writing, so callers of the append functions need no checks. */
#include "value_origin.h"

#include "ascii.h"
#include "bake_memory.h"
#include "origin_record.h"
#include "path_quote.h"

#include <errno.h>
#include <inttypes.h>
#include <kiln/limits.h>
#include <stdio.h>
#include <string.h>

/* ---- appending ---- */

static void put_to(bake_origins *o, origin_text *text, const char *bytes, size_t length)
{
    /* One extra byte, so that an empty string has a block as well. */
    char *grown = bake_grow(text->data, &text->capacity, text->length + length + 1, 1);
    if (!grown) {
        o->no_memory = true;
        return;
    }
    text->data = grown;
    memcpy(grown + text->length, bytes, length);
    text->length += length;
}

/* Appends to the lines of the current asset, as do the functions below. */
static void put(bake_origins *o, const char *text, size_t length)
{
    put_to(o, &o->lines, text, length);
}

static void put_number(bake_origins *o, char before, uint64_t number)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%c%" PRIu64, before, number);
    put(o, text, (size_t)length);
}

static void put_word(bake_origins *o, const char *text)
{
    put(o, text, strlen(text));
}

/* Appends a JSON string, including the quotes. */
static void put_quoted_to(bake_origins *o, origin_text *to, const char *text, size_t length)
{
    put_to(o, to, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        char escaped[PATH_ESCAPE_SIZE];
        put_to(o, to, escaped, path_escape(text[i], escaped));
    }
    put_to(o, to, "\"", 1);
}

static void put_quoted(bake_origins *o, const char *text, size_t length)
{
    put_quoted_to(o, &o->lines, text, length);
}

/* Names with control characters or a leading quote are written as JSON strings: a line break would
 * end the record, and a leading quote would begin a JSON string. */
static void name_file(bake_origins *o, uint32_t number, const char *name)
{
    char text[24];
    int length = snprintf(text, sizeof text, "F\t%" PRIu32 "\t", number);
    bool is_plain = name[0] != '"';
    for (const char *c = name; *c; c++)
        is_plain = is_plain && (unsigned char)*c >= 0x20 && *c != 0x7f;
    put_to(o, &o->head, text, (size_t)length);
    if (is_plain)
        put_to(o, &o->head, name, strlen(name));
    else
        put_quoted_to(o, &o->head, name, strlen(name));
    put_to(o, &o->head, "\n", 1);
}

/* Adds the record of a file, whose number plus 1 is returned. */
static uint32_t add_file(bake_origins *o, const char *name)
{
    name_file(o, o->file_count++, name);
    return o->file_count;
}

static uint32_t add_source(bake_origins *o, const char *name)
{
    uint32_t old = o->old ? bake_old_origins_find_file(o->old, name) : BAKE_OLD_ORIGINS_NONE;
    if (old == BAKE_OLD_ORIGINS_NONE)
        return add_file(o, name);
    if (o->old_numbers[old] == 0)
        o->old_numbers[old] = add_file(o, name);
    return o->old_numbers[old];
}

/* Returns the number of a file. Its `F` record goes into `head`, which is written before the lines
 * of the first asset that needs it. `files` has numbers plus 1, so that zero means "no number
 * yet". */
static uint32_t file_of(bake_origins *o, uint32_t source)
{
    /* Memory ran out while the source was registered. */
    if (source == UINT32_MAX) {
        o->no_memory = true;
        return 0;
    }
    if (source >= o->source_count) {
        uint32_t *files = bake_grow(o->files, &o->file_capacity, (size_t)source + 1, sizeof *files);
        if (!files) {
            o->no_memory = true;
            return 0;
        }
        memset(files + o->source_count, 0, (source + 1 - o->source_count) * sizeof *files);
        o->files = files;
        o->source_count = source + 1;
    }
    if (o->files[source] == 0)
        o->files[source] = add_source(o, bake_diagnostics_source_name(o->sources, source));
    return o->files[source] - 1;
}

/* Appends a tab and the position. Adds the `F` record of the file on first use. */
static void put_position(bake_origins *o, bake_mark mark)
{
    put_number(o, '\t', file_of(o, mark.source));
    put_number(o, ':', mark.line);
    put_number(o, ':', mark.column);
    put_number(o, ':', mark.length == BAKE_MARK_TO_LINE_END ? 0 : mark.length);
}

/* ---- paths and layers ---- */

/* Map keys other than strings are spelled as in <kiln/path.h>. bake_origin_push_key stored their
 * text; there is at most one for each nested map. */
static void put_step(bake_origins *o, const value_step *step)
{
    for (const origin_key *key = o->keys; key; key = key->up)
        if (key->step == step) {
            put(o, key->path.text, key->path.length);
            return;
        }
    if (step->kind == STEP_NUMBER) {
        put_number(o, '[', step->number);
        put(o, "]", 1);
    } else if (step->kind == STEP_KEY) {
        put(o, "[", 1);
        put_quoted(o, step->text, step->length);
        put(o, "]", 1);
    } else {
        put(o, ".", 1);
        if (path_is_name(step->text, step->length))
            put(o, step->text, step->length);
        else
            put_quoted(o, step->text, step->length);
    }
}

/* KILN_DEPTH_MAX limits the recursion. In a scene the root step is the entity, whose text is
 * formatted once for all its components. */
static void put_steps(bake_origins *o, const value_step *step)
{
    if (!step)
        return;
    if (!step->up && o->has_entity) {
        put(o, o->entity.data, o->entity.length);
        return;
    }
    put_steps(o, step->up);
    put_step(o, step);
}

static const char first_line[] = "kiln-source-map\t3\n";

bake_origins *bake_origins_create(const bake_diagnostics *sources, bake_origins_write *write,
                                  void *ctx)
{
    bake_origins *o = bake_alloc_array(1, sizeof *o);
    if (o)
        *o = (bake_origins){.sources = sources, .write = write, .ctx = ctx};
    if (o)
        put_to(o, &o->head, first_line, sizeof first_line - 1);
    return o;
}

void bake_origins_destroy(bake_origins *o)
{
    if (!o)
        return;
    bake_free(o->lines.data);
    bake_free(o->head.data);
    bake_free(o->entity.data);
    bake_free(o->files);
    bake_free(o->old_numbers);
    bake_free(o);
}

/* Writes the kind of a layer, and for `inherited` the asset. The last own layer is the asset
 * itself; own layers above it are patches. */
static void put_layer(const bake_values *b, bake_origins *o, const value_layer *from)
{
    const bake_layer *layer = from->layer;
    if (o->defaults > 0 || layer->is_default) {
        put_word(o, "\tdefault");
    } else if (!b->merge.asset) {
        put_word(o, "\tlayer");
    } else if (from->is_own) {
        bool is_patch = b->merge.asset->own_count > 1 &&
                        layer != b->merge.asset->layers[b->merge.asset->own_count - 1];
        put_word(o, is_patch ? "\tpatch" : "\town");
    } else {
        put_word(o, "\tinherited\t");
        put_word(o, layer->asset->name);
    }
}

/* Begins the record of a value. Writes nothing and returns false if the last record has the same
 * path, as for an optional and its value. */
static bool begin_value(bake_origins *o, const value_step *step)
{
    origin_text *lines = &o->lines;
    size_t start = lines->length;
    put(o, "V\t", 2);
    size_t at = lines->length;
    put_steps(o, step);
    size_t length = lines->length - at;
    if (o->no_memory || (o->has_last && length == o->last_length &&
                         memcmp(lines->data + o->last_at, lines->data + at, length) == 0)) {
        lines->length = start;
        return false;
    }
    o->has_last = true;
    o->last_at = at;
    o->last_length = length;
    return true;
}

/* Ends the record, and adds the pending records of its key and alias. */
static void end_value(bake_origins *o)
{
    put(o, "\n", 1);
    if (o->key.line) {
        put(o, "K", 1);
        put_position(o, o->key);
        put(o, "\n", 1);
    }
    if (o->via.line) {
        put(o, "L", 1);
        put_position(o, o->via);
        put_word(o, "\talias\n");
    }
    o->key.line = o->via.line = 0;
}

void bake_origin_value(bake_values *b, bake_node_id node, const value_step *step)
{
    bake_origins *o = b->origins;
    if (!begin_value(o, step))
        return;
    put_position(o, bake_node_mark(b->tree, node));
    if (o->defaults > 0 || !o->from)
        put_word(o, o->defaults > 0 ? "\tdefault" : "\town");
    else
        put_layer(b, o, o->from);
    end_value(o);
}

void bake_origin_empty(bake_values *b, bake_node_id node, const value_step *step)
{
    bake_origins *o = b->origins;
    if (!begin_value(o, step))
        return;
    put_position(o, bake_node_mark(b->tree, node));
    put_word(o, "\tomitted");
    end_value(o);
}

void bake_origin_layers(bake_values *b, const value_layer *layers, size_t count,
                        const value_step *step)
{
    bake_origins *o = b->origins;
    if (!begin_value(o, step))
        return;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put(o, "L", 1);
        put_position(o, bake_node_mark(layers[i].layer->tree, layers[i].node));
        put_layer(b, o, &layers[i]);
        if (i == 0)
            end_value(o);
        else
            put(o, "\n", 1);
    }
}

void bake_origin_data(bake_values *b, const value_step *step, const char *list, uint32_t number)
{
    bake_origins *o = b->origins;
    put(o, "D\t", 2);
    put_steps(o, step);
    put(o, "\t.", 2);
    if (path_is_name(list, strlen(list)))
        put_word(o, list);
    else
        put_quoted(o, list, strlen(list));
    put_number(o, '[', number);
    put(o, "]\n", 2);
    o->has_last = false;
}

void bake_origin_via(bake_values *b, bake_node_id container, const bake_iterator *it)
{
    b->origins->via = bake_iterator_alias(it, container);
}

void bake_origin_key(bake_values *b, bake_node_id key)
{
    b->origins->key = bake_node_mark(b->tree, key);
}

void bake_origin_push_key(bake_values *b, origin_key *key, const value_step *step, uint32_t type,
                          const unsigned char *bytes)
{
    const kiln_type *of = value_type(b, type);
    kiln_value value = {b->types, of, type, bytes, bytes, bytes + of->size};
    *key = (origin_key){.up = b->origins->keys, .step = step};
    kiln_path_add_key(&key->path, &value);
    b->origins->keys = key;
}

void bake_origin_pop_key(bake_values *b, const origin_key *key)
{
    b->origins->keys = key->up;
}

const value_layer *bake_origin_from(bake_values *b, const value_layer *from)
{
    const value_layer *before = b->origins->from;
    b->origins->from = from;
    return before;
}

void bake_origin_default(bake_values *b, int more)
{
    if (more > 0)
        b->origins->defaults++;
    else
        b->origins->defaults--;
}

static void put_root(bake_origins *o)
{
    put_word(o, "V\t");
    put_position(o, o->scene);
    put_word(o, "\town\n");
}

/* Begins the records of the scene's data or chunks, which are separate assets with the id of the
 * scene. */
static void put_part(bake_origins *o, const char *kind)
{
    put_word(o, "A\t");
    put_word(o, kind);
    put_word(o, o->scene_id);
    put(o, "\n", 1);
    put_root(o);
}

void bake_origin_scene_data(bake_values *b)
{
    bake_origins *o = b->origins;
    put_part(o, "SceneData");
    o->has_last = o->has_entity = false;
}

/* ---- assets ---- */

void bake_values_set_origins(bake_values *b, bake_origins *origins)
{
    b->origins = origins;
}

bake_origins *bake_values_origins(const bake_values *b)
{
    return b->origins;
}

void bake_origins_begin(bake_origins *o, const char *name, size_t length)
{
    o->lines.length = 0;
    o->has_last = o->has_entity = false;
    o->defaults = 0;
    o->via.line = o->key.line = o->scene.line = 0;
    o->keys = NULL;
    o->from = NULL;
    put(o, "A\t", 2);
    put(o, name, length);
    put(o, "\n", 1);
}

void bake_origins_scene(bake_origins *o, const char *name, bake_mark mark)
{
    o->scene = mark;
    o->scene_id = strchr(name, '/');
    put_root(o);
}

/* Writes the text so far. Fails before writing a map above the size limit of kiln-inspect. */
static bake_origins_end_result write_text(bake_origins *o)
{
    bool ok = false;
    if (o->no_memory)
        return BAKE_ORIGINS_NO_MEMORY;
    o->written += o->head.length + (uint64_t)o->lines.length;
    if (o->written > KILN_SOURCE_MAP_MAX)
        errno = EFBIG;
    else
        ok = o->write(o->ctx, o->head.data, o->head.length) &&
             o->write(o->ctx, o->lines.data, o->lines.length);
    o->head.length = o->lines.length = 0;
    return ok ? BAKE_ORIGINS_OK : BAKE_ORIGINS_IO;
}

bake_origins_end_result bake_origins_end(bake_origins *o)
{
    if (o->scene.line)
        put_part(o, "SceneChunks");
    return write_text(o);
}

bool bake_origins_reuse(bake_origins *o, const bake_old_origins *old)
{
    o->old = old;
    o->old_numbers =
        bake_alloc_array((size_t)bake_old_origins_file_count(old) + 1, sizeof *o->old_numbers);
    return o->old_numbers != NULL;
}

/* The name of a copied file is written as it was, so it is one that needs no quotes. */
static void copy_record(bake_origins *o, const bake_old_record *record)
{
    put(o, record->text, record->text_size);
    if (!record->has_place)
        return;
    uint32_t *number = &o->old_numbers[record->file];
    char text[24];
    if (*number == 0)
        *number = add_file(o, bake_old_origins_file(o->old, record->file));
    int length = snprintf(text, sizeof text, "%" PRIu32 ":%" PRIu32, *number - 1, record->line);
    put(o, text, (size_t)length);
    put(o, record->rest, record->rest_size);
}

bake_origins_end_result bake_origins_copy(bake_origins *o, uint32_t asset,
                                          bake_old_origins_move *move, void *ctx)
{
    bake_old_record record;
    bake_old_cursor cursor = bake_old_origins_begin(o->old, asset);
    o->lines.length = 0;
    while (bake_old_origins_next(o->old, &cursor, &record))
        if (!record.has_place || move(ctx, record.file, &record.line))
            copy_record(o, &record);
    return write_text(o);
}

bake_origins_end_result bake_origins_bind(bake_origins *o, uint64_t hash)
{
    char line[24];
    int size = snprintf(line, sizeof line, "H\t%016" PRIx64 "\n", hash);
    o->lines.length = 0;
    put(o, line, (size_t)size);
    return write_text(o);
}

/* Whether a name needs no quotes: it consists of letters, digits, `_`, `-` and `/`, and does not
 * begin with `-` or a digit, since `#12` is an unnamed entity. */
static bool is_plain_entity(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool is_later = bake_is_digit(name[i]) || name[i] == '-';
        if (!bake_is_letter(name[i]) && !(i > 0 && is_later) && name[i] != '/')
            return false;
    }
    return length > 0;
}

void bake_values_origin_entity(bake_values *b, const char *name, size_t length, uint32_t number,
                               const bake_tree *tree, bake_node_id node)
{
    bake_origins *o = b->origins;
    char text[24];
    o->entity.length = 0;
    if (!name) {
        int size = snprintf(text, sizeof text, "#%" PRIu32, number);
        put_to(o, &o->entity, text, (size_t)size);
    } else {
        put_to(o, &o->entity, "#", 1);
        if (is_plain_entity(name, length))
            put_to(o, &o->entity, name, length);
        else
            put_quoted_to(o, &o->entity, name, length);
    }
    o->has_entity = true;
    put(o, "V\t", 2);
    put(o, o->entity.data, o->entity.length);
    put_position(o, bake_node_mark(tree, node));
    put_word(o, "\town\n");
    o->has_last = false;
}
