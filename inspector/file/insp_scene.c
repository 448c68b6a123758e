/* Opens a scene: its description, the chunks with its rows, and the data that rows refer to.
 *
 * Description and chunks are checked against built-in types instead of the file's type table, which
 * may be absent or wrong. The data has a type of the file. `root` of a part is set only if
 * kiln_verify accepts its blob; `value` and `data` show as much of a broken blob as possible.
 *
 * Unlike other members, all parts are in memory at once: insp_file_take_blob removes a decompressed
 * blob from the cache, and insp_scene_fini frees it. */
#include "insp_scene.h"

#include "insp_memory.h"
#include "insp_unpack.h"

#include <kiln/verify.h>
#include <stdlib.h>
#include <string.h>

static bool has_type(const insp_file *file, const insp_asset *asset, const char *name)
{
    return insp_text_is(insp_asset_type_name(file, asset), name);
}

bool insp_is_scene(const insp_file *file, const insp_asset *asset)
{
    return has_type(file, asset, KILN_SCENE_TYPE_NAME);
}

bool insp_is_scene_chunks(const insp_file *file, const insp_asset *asset)
{
    return has_type(file, asset, KILN_SCENE_CHUNKS_TYPE_NAME);
}

/* The first reference in a list of the scene, read with bounds checks; 0 if there is none. */
static uint64_t first_reference(const kiln_value *scene, const char *field)
{
    kiln_value list, first;
    if (kiln_value_field(scene, field, strlen(field), &list) != KILN_OK ||
        kiln_value_count(&list) == 0 || kiln_value_at(&list, 0, &first) != KILN_OK)
        return 0;
    return kiln_value_uint(&first);
}

kiln_status insp_scene_find_part(const insp_file *file, const insp_asset *scene,
                                 insp_scene_piece piece, const insp_asset **ret_part)
{
    const uint32_t type = kiln_types_find(file->builtin, KILN_SCENE_TYPE_NAME);
    const unsigned char *blob;
    uint64_t size, at, payload_size;
    kiln_blob_header header;
    kiln_value root;
    *ret_part = NULL;
    kiln_status status = insp_file_blob(file, scene->member, &blob, &size);
    if (status)
        return status == KILN_NO_MEMORY ? status : KILN_OK;
    if (!insp_blob_payload(blob, size, &header, &at, &payload_size) ||
        kiln_value_root(file->builtin, type, blob + at, (size_t)payload_size, &root) != KILN_OK)
        return KILN_OK;
    const char *field = piece == INSP_SCENE_CHUNKS ? "chunks" : "data";
    const insp_name *name = insp_file_name(file, first_reference(&root, field));
    *ret_part = name ? insp_name_asset(file, name) : NULL;
    return KILN_OK;
}

/* Records the status of a part. Only KILN_NO_MEMORY is returned and stops opening the scene. */
static kiln_status record_status(insp_scene_part *part, kiln_status status)
{
    if (status == KILN_NO_MEMORY)
        return status;
    part->error.status = status;
    return KILN_OK;
}

/* Loads the blob of a part and verifies it as a value of `type`. `ret_value` receives its root even
 * if a rule is broken; its `of` is NULL if there is no root. */
static kiln_status load(insp_scene *scene, insp_scene_part *part, const kiln_types *types,
                        uint32_t type, kiln_value *ret_value)
{
    const insp_file *file = scene->file;
    uint32_t member = part->asset->member;
    const insp_member *entry = insp_member_at(file, member);
    const unsigned char *blob;
    uint64_t size, at, payload_size;
    kiln_blob_header header;
    kiln_verify_def def = kiln_verify_def_default();
    if (!entry || !entry->in_place)
        return record_status(part, KILN_I_PLACE);
    part->place = part->error.offset = entry->place;
    kiln_status status = insp_file_blob(file, member, &blob, &size);
    if (status)
        return record_status(part, status);
    part->owned = insp_file_take_blob(file, member);
    part->is_compressed = part->owned != NULL;
    if (!insp_blob_payload(blob, size, &header, &at, &payload_size))
        return record_status(part, size < KILN_HEADER_SIZE ? KILN_H_TRUNCATED : KILN_H_MAGIC);
    part->hash = header.hash;
    if (!part->is_compressed)
        part->place += at;
    if (kiln_value_root(types, type, blob + at, (size_t)payload_size, ret_value) != KILN_OK)
        ret_value->of = NULL;
    def.types = types;
    def.type = type;
    def.allocator = insp_allocator();
    /* Commands that need valid hashes call insp_check_member once for each member, because scenes
     * may share members. Canonical form does not affect values. */
    def.skip_hash = true;
    def.check_canonical = false;
    status = kiln_verify(&def, blob, (size_t)size, &part->error);
    if (status)
        part->error.offset += entry->place;
    else
        part->root = blob + at;
    return record_status(part, status);
}

/* Finds the asset of a part. `list` is a list of at most one reference. */
static void find_part(insp_scene *scene, insp_scene_piece piece, const kiln_array *list)
{
    const uint64_t *ids = insp_scene_list(list);
    const insp_name *name;
    if (!list->count)
        return;
    scene->parts[piece].id = ids[0];
    name = insp_file_name(scene->file, ids[0]);
    if (name)
        scene->parts[piece].asset = insp_name_asset(scene->file, name);
}

static kiln_status load_chunks(insp_scene *scene)
{
    insp_scene_part *part = &scene->parts[INSP_SCENE_CHUNKS];
    const kiln_types *types = scene->file->builtin;
    kiln_value value;
    find_part(scene, INSP_SCENE_CHUNKS, &scene->scene->chunks);
    if (!part->asset)
        return KILN_OK;
    if (!has_type(scene->file, part->asset, KILN_SCENE_CHUNKS_TYPE_NAME))
        return record_status(part, KILN_S_PARTS);
    return load(scene, part, types, kiln_types_find(types, KILN_SCENE_CHUNKS_TYPE_NAME), &value);
}

/* Loads only the hash in the header (S5), for data whose type the file does not describe. */
static kiln_status load_hash(const insp_file *file, insp_scene_part *part)
{
    const unsigned char *blob;
    uint64_t size, at, payload_size;
    kiln_blob_header header;
    kiln_status status = insp_file_blob(file, part->asset->member, &blob, &size);
    if (status == KILN_NO_MEMORY)
        return status;
    if (!status && insp_blob_payload(blob, size, &header, &at, &payload_size))
        part->hash = header.hash;
    return record_status(part, KILN_NO_TYPES);
}

static kiln_status load_data(insp_scene *scene)
{
    insp_scene_part *part = &scene->parts[INSP_SCENE_DATA];
    uint32_t type;
    find_part(scene, INSP_SCENE_DATA, &scene->scene->data);
    if (!part->asset)
        return KILN_OK;
    type = insp_asset_type(scene->file, part->asset);
    if (type == KILN_TYPE_NONE)
        return load_hash(scene->file, part);
    return load(scene, part, scene->file->types, type, &scene->data);
}

/* Finds the rows. If the chunks or the data do not belong to the scene, chunks of the right size
 * are still accepted; chunks of any other size are ignored, and the scene is opened without
 * rows. */
static kiln_status open_view(insp_scene *scene)
{
    const insp_scene_part *chunks = &scene->parts[INSP_SCENE_CHUNKS];
    kiln_error ignored;
    kiln_scene_view_args args = {.scene = scene->scene,
                                 .chunks = chunks->root,
                                 .chunks_hash = chunks->hash,
                                 .data_hash = scene->parts[INSP_SCENE_DATA].hash,
                                 .allocator = insp_allocator()};
    kiln_status status = kiln_scene_view_init(&args, &scene->view, &scene->view_error);
    scene->view_error.status = status;
    if (status == KILN_S_PARTS) {
        args.chunks_hash = scene->scene->chunks_hash;
        args.data_hash = 0;
        status = kiln_scene_view_init(&args, &scene->view, &ignored);
    }
    if (status == KILN_S_PARTS && args.chunks) {
        args.chunks = NULL;
        status = kiln_scene_view_init(&args, &scene->view, &ignored);
    }
    scene->has_view = status == KILN_OK;
    scene->has_rows =
        scene->has_view &&
        (scene->view.root || (scene->view.images_count == 0 && scene->view.tails_size == 0));
    return status == KILN_NO_MEMORY ? status : KILN_OK;
}

static int compare_named(const void *a, const void *b)
{
    const insp_scene_named *left = a, *right = b;
    return (left->entity > right->entity) - (left->entity < right->entity);
}

/* The scene sorts its names for lookups by name. Printing needs the name of an entity, so `named`
 * contains them sorted by entity. */
static kiln_status sort_names(insp_scene *scene)
{
    const kiln_scene_name *names = insp_scene_list(&scene->scene->names);
    uint32_t count = scene->scene->names.count, i;
    scene->named = insp_alloc_array(count, sizeof *scene->named);
    if (!scene->named)
        return KILN_NO_MEMORY;
    for (i = 0; i < count; i++)
        scene->named[i] = (insp_scene_named){names[i].entity, i};
    qsort(scene->named, count, sizeof *scene->named, compare_named);
    return KILN_OK;
}

kiln_status insp_scene_init(insp_scene *scene, const insp_file *file, const insp_asset *asset)
{
    insp_scene_part *root = &scene->parts[INSP_SCENE_ROOT];
    kiln_status status;
    *scene = (insp_scene){.file = file};
    root->id = asset->id;
    root->asset = asset;
    status = load(scene, root, file->builtin, kiln_types_find(file->builtin, KILN_SCENE_TYPE_NAME),
                  &scene->value);
    scene->scene = root->root;
    if (status || !scene->scene)
        return status;
    if ((status = load_chunks(scene)) || (status = load_data(scene)) ||
        (status = sort_names(scene)))
        return status;
    return open_view(scene);
}

void insp_scene_fini(insp_scene *scene)
{
    int i;
    kiln_scene_view_fini(&scene->view);
    for (i = 0; i < INSP_SCENE_PIECES; i++)
        insp_free(scene->parts[i].owned);
    insp_free(scene->named);
    *scene = (insp_scene){0};
}

insp_text insp_scene_part_name(const insp_scene *scene, insp_scene_piece piece)
{
    const insp_name *name = insp_file_name(scene->file, scene->parts[piece].id);
    insp_text none = {"", 0};
    return scene->parts[piece].asset ? scene->parts[piece].asset->name : name ? name->name : none;
}

/* Returns UINT32_MAX if the string is not a number or the number might overflow; no scene has that
 * many entities. */
static uint32_t parse_number(const char *text)
{
    uint32_t number = 0;
    const char *at;
    for (at = text; *at >= '0' && *at <= '9'; at++) {
        if (number > (UINT32_MAX - 9) / 10)
            return UINT32_MAX;
        number = number * 10 + (uint32_t)(*at - '0');
    }
    return at == text || *at ? UINT32_MAX : number;
}

/* An entity may have the name `12`. Then `12` refers to this entity, and `#12` to the one with
 * that number. */
uint32_t insp_scene_find(const insp_scene *scene, const char *text)
{
    uint32_t entity = text[0] == '#' ? parse_number(text + 1) : UINT32_MAX;
    if (text[0] != '#')
        entity = kiln_scene_find_name(scene->scene, text, strlen(text));
    if (text[0] != '#' && entity == UINT32_MAX)
        entity = parse_number(text);
    return entity < scene->view.entities ? entity : UINT32_MAX;
}

insp_text insp_scene_name(const insp_scene *scene, uint32_t entity)
{
    const kiln_scene_name *names = insp_scene_list(&scene->scene->names);
    insp_scene_named wanted = {.entity = entity};
    const insp_scene_named *found = scene->scene->names.count
                                        ? bsearch(&wanted, scene->named, scene->scene->names.count,
                                                  sizeof wanted, compare_named)
                                        : NULL;
    insp_text none = {"", 0};
    return found ? insp_scene_text(&names[found->name].name) : none;
}

insp_scene_chunk insp_scene_get_chunk(const insp_scene *scene, const kiln_scene_rows *rows,
                                      uint32_t number)
{
    const insp_scene_part *part = &scene->parts[INSP_SCENE_CHUNKS];
    const kiln_scene_view *view = &scene->view;
    insp_scene_chunk chunk = {.rows = kiln_scene_chunk_rows(rows, number)};
    const unsigned char *at = NULL;
    chunk.first_entity = rows->first_entity + number * rows->rows_per_chunk;
    chunk.used = chunk.rows * rows->row_size;
    if (number < rows->whole)
        chunk.stored = KILN_CHUNK_SIZE;
    else if (rows->row_size)
        chunk.stored = (uint32_t)rows->tail_size;
    if (!view->root || !chunk.stored)
        return chunk;
    at = number < rows->whole
             ? view->images + ((size_t)rows->first_image + number) * KILN_CHUNK_SIZE
             : view->tails + rows->tail;
    chunk.place =
        (uint64_t)(at - (part->is_compressed ? part->owned : (const unsigned char *)part->root));
    if (!part->is_compressed)
        chunk.place += part->place;
    return chunk;
}

uint64_t insp_scene_waste(const kiln_scene_rows *rows)
{
    return (uint64_t)rows->chunks * KILN_CHUNK_SIZE - (uint64_t)rows->rows * rows->row_size;
}
