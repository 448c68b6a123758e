#include "file_difference.h"

#include "bake_memory.h"
#include "hash_equal.h"
#include "scene_difference.h"
#include "shipped_file.h"
#include "value_difference.h"

#include <kiln/blob_header.h>
#include <kiln/scene.h>
#include <stdio.h>
#include <string.h>

typedef struct side {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    shipped_file shipped;
} side;

typedef struct comparison {
    const bake_file_differences_def *def;
    bake_failure *failure;
    side first, second;
    const char *asset, *type; /* whose values are being compared, and its type */
    kiln_types *types; /* of both files, with the types of scenes; NULL without a type table */
    bool has_found, is_stopped;
} comparison;

static void report(comparison *c, const bake_file_difference *difference)
{
    c->has_found = true;
    if (!c->is_stopped)
        c->is_stopped = !c->def->found(c->def->ctx, difference);
}

/* ---- any bytes ---- */

static bool open_side(side *s, bake_failure *failure)
{
    s->gateway = bake_gateway_create(NULL);
    s->diagnostics = bake_diagnostics_create();
    if (!s->gateway || !s->diagnostics) {
        bake_fail_memory(failure);
        return false;
    }
    bake_gateway_set_input_max(s->gateway, 0);
    return true;
}

/* An output is a regular file that this process reads once, so an empty file has no text. */
static const char *read_side(side *s, const char *path, size_t *ret_size, bake_failure *failure)
{
    const char *data = bake_gateway_read(s->gateway, path, ret_size);
    if (!data)
        bake_fail_read(failure, s->gateway, path);
    return data;
}

static bake_result compare_bytes(comparison *c)
{
    size_t first_size, second_size, at = 0, line = 1;
    char text[100];
    const char *first = read_side(&c->first, c->def->first, &first_size, c->failure);
    const char *second =
        first ? read_side(&c->second, c->def->second, &second_size, c->failure) : NULL;
    if (!second)
        return c->failure->result;
    while (at < first_size && at < second_size && first[at] == second[at])
        line += first[at++] == '\n';
    if (c->def->is_kiln)
        snprintf(text, sizeof text, "byte %zu of the file differs, but no value", at);
    else
        snprintf(text, sizeof text, "line %zu differs", line);
    report(c, &(bake_file_difference){NULL, "", text, NULL});
    return BAKE_OK;
}

/* ---- assets ---- */

static bool is_scene(const char *type)
{
    return strcmp(type, KILN_SCENE_TYPE_NAME) == 0;
}

/* The description of a scene has the hashes of its other blobs, which are compared themselves. */
static bool is_hash(const comparison *c, const char *path)
{
    return is_scene(c->type) &&
           (strcmp(path, "chunks_hash") == 0 || strcmp(path, "data_hash") == 0);
}

static bool found_value(void *ctx, const bake_value_difference *value)
{
    comparison *c = ctx;
    if (is_hash(c, value->path))
        return true;
    report(c, &(bake_file_difference){c->asset, value->path, value->first, value->second});
    return !c->is_stopped;
}

/* Both files have equal lists of types, so the first one is used for both. */
static bool root_of(const kiln_types *types, const char *type_name, const unsigned char *blob,
                    uint64_t size, kiln_value *ret_root)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    uint64_t payload = kiln_header_payload_at(&header);
    uint32_t type = types ? kiln_types_find(types, type_name) : KILN_TYPE_NONE;
    return type != KILN_TYPE_NONE && payload < size &&
           kiln_value_root(types, type, blob + payload, (size_t)(size - payload), ret_root) ==
               KILN_OK;
}

static bool get_blob(comparison *c, side *s, uint32_t member, const unsigned char **ret_blob)
{
    kiln_error error = {.status = KILN_OK};
    kiln_status status = bake_shipped_blob(&s->shipped, member, ret_blob, &error);
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(c->failure);
    else if (status)
        bake_fail_bug(c->failure, c->asset, status, &error);
    return !status;
}

/* Reports the first byte that differs, for blobs whose values are equal or cannot be read. */
static void report_blob_bytes(comparison *c, const unsigned char *a, uint64_t a_size,
                              const unsigned char *b, uint64_t b_size)
{
    kiln_blob_header header;
    char text[100];
    memcpy(&header, a, sizeof header);
    uint64_t begin = kiln_header_payload_at(&header), at = begin;
    uint64_t size = a_size < b_size ? a_size : b_size;
    while (at < size && a[at] == b[at])
        at++;
    snprintf(text, sizeof text, "byte %llu of the payload differs",
             (unsigned long long)(at - begin));
    report(c, &(bake_file_difference){c->asset, "", text, NULL});
}

/* Compares two blobs of the type `c->type`. */
static void compare_blobs(comparison *c, uint32_t first, uint32_t second)
{
    const unsigned char *a, *b;
    uint64_t a_size = kiln_index_member_at(c->first.shipped.index, first)->size;
    uint64_t b_size = kiln_index_member_at(c->second.shipped.index, second)->size;
    if (!get_blob(c, &c->first, first, &a) || !get_blob(c, &c->second, second, &b))
        return;
    kiln_value x, y;
    bool before = c->has_found;
    c->has_found = false;
    if (root_of(c->types, c->type, a, a_size, &x) && root_of(c->types, c->type, b, b_size, &y)) {
        const bake_value_differences_def def = {.first = &x,
                                                .second = &y,
                                                .index = c->first.shipped.index,
                                                .found = found_value,
                                                .ctx = c};
        bake_value_differences(&def);
    }
    if (!c->has_found && !(c->types && is_scene(c->type)))
        report_blob_bytes(c, a, a_size, b, b_size);
    c->has_found = c->has_found || before;
}

/* ---- scenes ---- */

/* Copies the blob of a member, because bake_shipped_blob keeps only one. Returns false after a
 * failure. */
static bool copy_blob(comparison *c, side *s, uint32_t member, kiln_buffer *ret_blob)
{
    const unsigned char *blob;
    if (!get_blob(c, s, member, &blob))
        return false;
    kiln_buffer copy = {NULL, (size_t)kiln_index_member_at(s->shipped.index, member)->size,
                        s->shipped.allocator};
    copy.data = copy.allocator.alloc(copy.allocator.ctx, copy.size, KILN_ALIGN_MAX);
    if (!copy.data)
        return bake_fail_memory(c->failure) == BAKE_OK;
    memcpy(copy.data, blob, copy.size);
    *ret_blob = copy;
    return true;
}

typedef struct scene_copies {
    kiln_buffer scene, chunks;
} scene_copies;

/* Copies the blobs of scene `number`. Returns false after a failure. */
static bool copy_scene(comparison *c, side *s, uint32_t number, scene_copies *ret_copies)
{
    kiln_value root, chunks, id;
    const kiln_index *index = s->shipped.index;
    uint32_t member = kiln_index_asset_at(index, number)->member;
    if (!copy_blob(c, s, member, &ret_copies->scene))
        return false;
    if (!root_of(c->types, KILN_SCENE_TYPE_NAME, ret_copies->scene.data, ret_copies->scene.size,
                 &root) ||
        kiln_value_field(&root, "chunks", 6, &chunks) || kiln_value_at(&chunks, 0, &id))
        return true;
    uint32_t other = kiln_index_find(index, kiln_value_uint(&id));
    return other == KILN_ASSET_NONE ||
           copy_blob(c, s, kiln_index_asset_at(index, other)->member, &ret_copies->chunks);
}

static bake_scene_blobs blobs_of(const scene_copies *copies)
{
    return (bake_scene_blobs){copies->scene.data, copies->chunks.data, copies->scene.size,
                              copies->chunks.size};
}

static void free_copies(scene_copies *copies)
{
    kiln_buffer_fini(&copies->scene);
    kiln_buffer_fini(&copies->chunks);
}

/* Compares the rows of two scenes. */
static void compare_scenes(comparison *c, uint32_t first, uint32_t second)
{
    scene_copies a = {{NULL, 0, {0}}, {NULL, 0, {0}}}, b = a;
    kiln_error error = {.status = KILN_OK};
    if (copy_scene(c, &c->first, first, &a) && copy_scene(c, &c->second, second, &b)) {
        const bake_scene_differences_def def = {.first = blobs_of(&a),
                                                .second = blobs_of(&b),
                                                .types = c->types,
                                                .index = c->first.shipped.index,
                                                .found = found_value,
                                                .ctx = c};
        kiln_status status = bake_scene_differences(&def, &error);
        if (status == KILN_NO_MEMORY)
            bake_fail_memory(c->failure);
        else if (status)
            bake_fail_bug(c->failure, c->asset, status, &error);
    }
    free_copies(&a);
    free_copies(&b);
}

/* ---- all assets ---- */

static const char *type_of(const kiln_index *index, uint32_t number)
{
    return kiln_string_get(
        &kiln_index_type_at(index, kiln_index_asset_at(index, number)->type)->name);
}

static bool has_same_content(const kiln_index *a, uint32_t first, const kiln_index *b,
                             uint32_t second)
{
    return bake_hash_equal(kiln_index_member_at(a, first)->content,
                           kiln_index_member_at(b, second)->content);
}

static void compare_content(comparison *c, uint32_t first, uint32_t second)
{
    /* The rows are compared with the scene, because they cannot be read without it. */
    if (c->types && strcmp(c->type, KILN_SCENE_CHUNKS_TYPE_NAME) == 0)
        return;
    compare_blobs(c, kiln_index_asset_at(c->first.shipped.index, first)->member,
                  kiln_index_asset_at(c->second.shipped.index, second)->member);
    if (c->types && is_scene(c->type) && !c->is_stopped && !c->failure->result)
        compare_scenes(c, first, second);
}

static void compare_assets(comparison *c)
{
    const kiln_index *first = c->first.shipped.index, *second = c->second.shipped.index;
    uint32_t count = kiln_index_asset_count(first);
    for (uint32_t i = 0; i < count && !c->is_stopped && !c->failure->result; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(first, i);
        uint32_t other = kiln_index_find(second, kiln_index_id(first, i));
        c->asset = kiln_string_get(&asset->name);
        if (other == KILN_ASSET_NONE) {
            report(c, &(bake_file_difference){c->asset, "", "the asset is missing", NULL});
            continue;
        }
        uint32_t member = kiln_index_asset_at(second, other)->member;
        c->type = type_of(first, i);
        if (strcmp(type_of(first, i), type_of(second, other)) != 0)
            report(c, &(bake_file_difference){c->asset, "", type_of(first, i),
                                              type_of(second, other)});
        else if (!has_same_content(first, asset->member, second, member))
            compare_content(c, i, other);
    }
    count = kiln_index_asset_count(second);
    for (uint32_t i = 0; i < count && !c->is_stopped && !c->failure->result; i++)
        if (kiln_index_find(first, kiln_index_id(second, i)) == KILN_ASSET_NONE)
            report(c,
                   &(bake_file_difference){kiln_string_get(&kiln_index_asset_at(second, i)->name),
                                           "", "the asset is added", NULL});
}

/* Values can be compared only if both files have the same types. */
static bool has_same_types(const comparison *c)
{
    const kiln_index *first = c->first.shipped.index, *second = c->second.shipped.index;
    if (!first->type_table || !second->type_table)
        return first->type_table == second->type_table;
    return has_same_content(first, first->type_table - 1, second, second->type_table - 1);
}

static bool add_scene_types(comparison *c)
{
    kiln_error error = {.status = KILN_OK};
    kiln_status status = kiln_types_with_scene(c->first.shipped.types, &c->first.shipped.allocator,
                                               &c->types, &error);
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(c->failure);
    else if (status)
        bake_fail_bug(c->failure, c->def->first, status, &error);
    return !status;
}

static bool read_file(comparison *c, side *s, const char *path)
{
    const shipped_file_def def = {s->gateway, s->diagnostics, c->failure, path, "prove"};
    bake_result result = bake_shipped_read(&s->shipped, &def);
    if (result == BAKE_BAD_INPUT)
        bake_fail(c->failure, BAKE_BUG, "bug in kiln-bake: %s is not a valid kiln file", path);
    return !result;
}

static bake_result compare_files(comparison *c)
{
    if (!read_file(c, &c->first, c->def->first) || !read_file(c, &c->second, c->def->second))
        return c->failure->result;
    if (!has_same_types(c)) {
        report(c, &(bake_file_difference){NULL, "", "the type table differs", NULL});
        return BAKE_OK;
    }
    if (c->first.shipped.types && !add_scene_types(c))
        return c->failure->result;
    compare_assets(c);
    return c->failure->result;
}

static void close_side(side *s)
{
    bake_shipped_fini(&s->shipped);
    bake_diagnostics_destroy(s->diagnostics);
    bake_gateway_destroy(s->gateway);
}

bake_result bake_file_differences(const bake_file_differences_def *def, bake_failure *failure)
{
    comparison c = {.def = def, .failure = failure};
    bake_result result = BAKE_OK;
    if (!open_side(&c.first, failure) || !open_side(&c.second, failure))
        result = failure->result;
    if (!result && def->is_kiln)
        result = compare_files(&c);
    if (!result && !c.has_found)
        result = compare_bytes(&c);
    kiln_types_destroy(c.types);
    close_side(&c.first);
    close_side(&c.second);
    return result;
}
