/* Compares one asset of both files.
 *
 * Most assets are equal, so their bytes are compared first. Equal bytes are equal values if the
 * types have the same layout. That layout is computed from the type tables, not read from the index
 * or from headers. */
#include "insp_comparing.h"

#include "insp_scene_flat.h"
#include "insp_unpack.h"

/* The type of an asset; NULL if it is unknown. */
static const kiln_type *type_of(const insp_file *file, const insp_asset *asset)
{
    uint32_t type = insp_asset_type(file, asset);
    if (type != KILN_TYPE_NONE)
        return kiln_types_get(file->types, type);
    type = insp_builtin_type(file, asset);
    return type == KILN_TYPE_NONE ? NULL : kiln_types_get(file->builtin, type);
}

static bool has_same_layout(const insp_comparing *c)
{
    const kiln_type *before = type_of(c->def->files[INSP_OLD], c->asset[INSP_OLD]);
    const kiln_type *after = type_of(c->def->files[INSP_NEW], c->asset[INSP_NEW]);
    return before && after ? before->layout == after->layout : before == after;
}

/* Whether two compressed members are stored as the same bytes. */
static bool is_stored_alike(const insp_comparing *c)
{
    const insp_member *members[INSP_SIDES];
    const unsigned char *data[INSP_SIDES];
    uint64_t size[INSP_SIDES];
    int side;
    for (side = 0; side < INSP_SIDES; side++) {
        members[side] = insp_asset_member(c->def->files[side], c->asset[side]);
        if (!members[side] || !insp_file_member(c->def->files[side], c->asset[side]->member,
                                                &data[side], &size[side]))
            return false;
    }
    return members[0]->compression != KILN_COMPRESSION_NONE &&
           members[0]->compression == members[1]->compression && !members[0]->dictionary &&
           !members[1]->dictionary && members[0]->size == members[1]->size && size[0] == size[1] &&
           memcmp(data[0], data[1], (size_t)size[0]) == 0;
}

/* Compares the blobs of the current assets. `ret_size` are their sizes; 0 if a blob is missing. */
static bool has_same_bytes(insp_comparing *c, uint64_t ret_size[INSP_SIDES])
{
    const unsigned char *blob[INSP_SIDES] = {NULL, NULL};
    int side;
    if (is_stored_alike(c)) {
        ret_size[0] = ret_size[1] = insp_asset_member(c->def->files[0], c->asset[0])->size;
        return insp_compare_spend(c, 1 + ret_size[0] / INSP_COMPARE_UNIT);
    }
    for (side = 0; side < INSP_SIDES; side++) {
        kiln_status status = insp_file_blob(c->def->files[side], c->asset[side]->member,
                                            &blob[side], &ret_size[side]);
        c->no_memory = c->no_memory || status == KILN_NO_MEMORY;
        if (status) {
            ret_size[side] = 0;
            blob[side] = NULL;
        }
    }
    if (!insp_compare_spend(c, 1 + (ret_size[0] + ret_size[1]) / INSP_COMPARE_UNIT))
        return false;
    return blob[0] && blob[1] && ret_size[0] == ret_size[1] &&
           memcmp(blob[0], blob[1], (size_t)ret_size[0]) == 0;
}

static void report_asset(insp_comparing *c, insp_change_op op, const uint64_t size[INSP_SIDES])
{
    insp_change change = {.op = op, .asset = {c->asset[INSP_OLD], c->asset[INSP_NEW]}};
    if (size) {
        change.size[INSP_OLD] = size[INSP_OLD];
        change.size[INSP_NEW] = size[INSP_NEW];
    }
    insp_compare_emit(c, &change);
}

/* Compares two scenes as their entities. Returns false if one of them cannot be shown so. */
static bool compare_scenes(insp_comparing *c)
{
    insp_scene scenes[INSP_SIDES] = {{0}, {0}};
    bool are_whole = true;
    int side;
    for (side = 0; side < INSP_SIDES; side++)
        if (!insp_is_scene(c->def->files[side], c->asset[side]))
            return false;
    for (side = 0; side < INSP_SIDES && !c->no_memory; side++) {
        c->no_memory =
            insp_scene_init(&scenes[side], c->def->files[side], c->asset[side]) != KILN_OK;
        are_whole = are_whole && !c->no_memory && insp_scene_is_whole(&scenes[side]);
    }
    if (are_whole)
        insp_compare_scenes(c, &scenes[INSP_OLD], &scenes[INSP_NEW]);
    insp_scene_fini(&scenes[INSP_OLD]);
    insp_scene_fini(&scenes[INSP_NEW]);
    return are_whole || c->no_memory;
}

/* Compares the values of the current assets. Returns false if a value is unknown. */
static bool compare_roots(insp_comparing *c)
{
    insp_seen seen[INSP_SIDES];
    kiln_value roots[INSP_SIDES];
    int side;
    for (side = 0; side < INSP_SIDES; side++) {
        kiln_value root;
        kiln_status status = insp_asset_root(c->def->files[side], c->asset[side], &root);
        c->no_memory = c->no_memory || status == KILN_NO_MEMORY;
        if (status)
            return c->no_memory;
        roots[side] = root;
        seen[side] = insp_compare_see(c, &root, NULL);
    }
    insp_congruent_init(&c->congruent, &roots[INSP_OLD], &roots[INSP_NEW]);
    insp_compare_seen(c, &seen[INSP_OLD], &seen[INSP_NEW]);
    c->congruent.begin[INSP_OLD] = NULL;
    return true;
}

void insp_compare_assets(insp_comparing *c, const insp_asset *before, const insp_asset *after)
{
    uint64_t size[INSP_SIDES] = {0, 0};
    bool is_same;
    c->asset[INSP_OLD] = before;
    c->asset[INSP_NEW] = after;
    if (!insp_text_is_same(before->name, after->name))
        report_asset(c, INSP_CHANGE_ASSET_RENAME, NULL);
    if (!insp_text_is_same(insp_asset_type_name(c->def->files[INSP_OLD], before),
                           insp_asset_type_name(c->def->files[INSP_NEW], after)))
        report_asset(c, INSP_CHANGE_ASSET_TYPE, NULL);
    is_same = has_same_bytes(c, size);
    if (!insp_compare_goes_on(c))
        return;
    /* The rows and data of a scene are in other members, so its own bytes decide nothing. */
    if (compare_scenes(c) || (is_same && has_same_layout(c))) {
        if (c->def->compare_bytes && !is_same)
            report_asset(c, INSP_CHANGE_ASSET_BYTES, size);
        return;
    }
    bool is_known = compare_roots(c);
    if (!is_same && (!is_known || c->def->compare_bytes))
        report_asset(c, INSP_CHANGE_ASSET_BYTES, size);
}

void insp_compare_lone_asset(insp_comparing *c, int side, const insp_asset *asset)
{
    const insp_file *file = c->def->files[side];
    insp_change change = {.op =
                              side == INSP_OLD ? INSP_CHANGE_ASSET_REMOVE : INSP_CHANGE_ASSET_ADD};
    insp_scene scene = {0};
    kiln_value root;
    c->asset[side] = asset;
    c->asset[!side] = NULL;
    change.asset[side] = asset;
    if (insp_is_scene(file, asset))
        c->no_memory = insp_scene_init(&scene, file, asset) != KILN_OK;
    if (scene.scene && insp_scene_is_whole(&scene)) {
        change.entity[side] = (insp_change_entity){&scene, UINT32_MAX};
    } else {
        kiln_status status = insp_asset_root(file, asset, &root);
        c->no_memory = c->no_memory || status == KILN_NO_MEMORY;
        if (!status)
            change.value[side] = &root;
    }
    if (!c->no_memory)
        insp_compare_emit(c, &change);
    insp_scene_fini(&scene);
}
