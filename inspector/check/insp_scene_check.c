/* Checks the rules S1 to S10, which relate the blobs of a scene to each other.
 *
 * insp_check.c has already checked each blob as a value of its type. An error in a part is reported
 * here only if that check could not detect it, so that no violation is reported twice. A scene with
 * a broken part is not checked further. */
#include "insp_scene_check.h"

#include "insp_memory.h"
#include "insp_scene.h"

#include <string.h>

/* Scenes may share chunks, which are checked again for each scene. All scenes together may check at
 * most this many times the decompressed size of the file's members. */
enum { SHARED_MAX = 64 };

typedef struct scene_checking {
    insp_check *check;
    uint64_t left; /* bytes until checking stops */
} scene_checking;

/* Whether the check of values, with the file's types or the built-in ones, has already reported the
 * error of this part. */
static bool is_reported(const insp_file *file, const insp_scene_part *part, uint64_t layout)
{
    uint32_t type = insp_asset_type(file, part->asset);
    const kiln_type *of = type == KILN_TYPE_NONE ? NULL : kiln_types_get(file->types, type);
    return of ? layout == 0 || of->layout == layout
              : insp_builtin_type(file, part->asset) != KILN_TYPE_NONE;
}

/* Reports errors in the parts. Returns whether the scene can be checked. */
static bool check_parts(insp_check *check, const insp_scene *scene)
{
    static const uint64_t layouts[] = {KILN_SCENE_LAYOUT, KILN_SCENE_CHUNKS_LAYOUT, 0};
    bool is_whole = true;
    int i;
    for (i = 0; i < INSP_SCENE_PIECES; i++) {
        const insp_scene_part *part = &scene->parts[i];
        kiln_status status = part->error.status;
        if (!part->asset || !status || status == KILN_NO_TYPES)
            continue;
        is_whole = false;
        if (status == KILN_S_PARTS || !is_reported(check->file, part, layouts[i]))
            (void)insp_add_asset_finding(check, part->asset, status, &part->error, 0);
    }
    return is_whole;
}

static kiln_status check_rows(insp_check *check, const insp_scene *scene)
{
    const insp_scene_part *data = &scene->parts[INSP_SCENE_DATA];
    const insp_scene_part *chunks = &scene->parts[INSP_SCENE_CHUNKS];
    kiln_error error = {.status = KILN_OK};
    kiln_scene_check_args args = {
        .view = &scene->view, .types = check->file->types, .allocator = insp_allocator()};
    const insp_asset *asset = chunks->asset ? chunks->asset : scene->parts[INSP_SCENE_ROOT].asset;
    uint64_t place = chunks->place;
    /* Offsets in a compressed blob are reported as if the blob were stored uncompressed at the
     * place of its member. */
    if (chunks->is_compressed)
        place += (uint64_t)((const unsigned char *)chunks->root - chunks->owned);
    args.skip_data = data->id && !data->root;
    if (data->root && args.types) {
        args.data = data->root;
        args.data_type = insp_asset_type(check->file, data->asset);
    }
    kiln_status status = kiln_scene_check(&args, &error);
    return insp_add_asset_finding(check, asset, status, &error, place);
}

static uint64_t size_of(const insp_scene *scene)
{
    uint64_t size = 0;
    int i;
    for (i = 0; i < INSP_SCENE_PIECES; i++) {
        const insp_asset *asset = scene->parts[i].asset;
        const insp_member *member = asset ? insp_asset_member(scene->file, asset) : NULL;
        size += member ? member->size : 0;
    }
    return size;
}

static kiln_status check_scene(scene_checking *c, const insp_scene *scene)
{
    insp_check *check = c->check;
    const insp_scene_part *root = &scene->parts[INSP_SCENE_ROOT];
    uint64_t size = size_of(scene);
    if (!check_parts(check, scene))
        return KILN_OK;
    if (scene->view_error.status)
        return insp_add_asset_finding(check, root->asset, scene->view_error.status,
                                      &scene->view_error, root->place);
    /* `left` bounds the work on scenes that share chunks; ordinary files never use it up. */
    if (!scene->has_rows || size > c->left) {
        check->unchecked_scenes++;
        return KILN_OK;
    }
    c->left -= size;
    return check_rows(check, scene);
}

kiln_status insp_check_scenes(insp_check *check)
{
    const insp_file *file = check->file;
    scene_checking c = {.check = check};
    kiln_status status = KILN_OK;
    uint32_t i;
    for (i = 0; i < file->member_count; i++)
        c.left += insp_member_at(file, i)->in_place ? insp_member_at(file, i)->size : 0;
    c.left = c.left < UINT64_MAX / SHARED_MAX ? c.left * SHARED_MAX : UINT64_MAX;
    for (i = 0; i < file->asset_count && !status; i++) {
        const insp_asset *asset = insp_asset_at(file, i);
        insp_scene scene;
        /* Assets with the same bytes are one scene. */
        if (!insp_is_scene(file, asset) || insp_member_asset(file, asset->member) != asset)
            continue;
        status = insp_scene_init(&scene, file, asset);
        if (!status)
            status = check_scene(&c, &scene);
        insp_scene_fini(&scene);
    }
    return status;
}
