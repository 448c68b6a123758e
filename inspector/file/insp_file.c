/* Lookups in an open file. They trust no number from the file, as insp_file.h explains.
 *
 * Names are found by a linear search, because a run looks up only the few names in its arguments.
 * Ids are found by a binary search, because every printed reference needs one. */
#include "insp_file.h"

#include "lower_bound.h"

#include <kiln/cluster_plan.h>
#include <kiln/payload.h>
#include <kiln/redirects.h>
#include <kiln/scene.h>
#include <string.h>

bool insp_blob_payload(const unsigned char *blob, uint64_t size, kiln_blob_header *ret_header,
                       uint64_t *ret_at, uint64_t *ret_size)
{
    uint64_t at, left;
    if (size < KILN_HEADER_SIZE || memcmp(blob, "KILN", 4) != 0)
        return false;
    memcpy(ret_header, blob, sizeof *ret_header);
    /* An untrusted alignment can place the payload beyond the end. */
    at = kiln_header_payload_at(ret_header);
    if (at > size)
        at = size;
    left = size - at;
    *ret_at = at;
    *ret_size = ret_header->payload_size < left ? ret_header->payload_size : left;
    return true;
}

bool insp_file_member(const insp_file *file, uint32_t member, const unsigned char **ret_data,
                      uint64_t *ret_size)
{
    const insp_member *at = insp_member_at(file, member);
    if (!at || !at->in_place)
        return false;
    *ret_data = file->data + at->place;
    *ret_size = at->stored_size;
    return true;
}

insp_text insp_kind_word(insp_text name)
{
    const char *slash = name.length ? memchr(name.data, '/', name.length) : NULL;
    if (slash)
        name.length = (uint32_t)(slash - name.data);
    return name;
}

uint32_t insp_asset_type(const insp_file *file, const insp_asset *asset)
{
    const insp_type_name *type = insp_type_name_at(file, asset->type_name);
    return type ? type->type : KILN_TYPE_NONE;
}

insp_text insp_asset_type_name(const insp_file *file, const insp_asset *asset)
{
    const insp_type_name *type = insp_type_name_at(file, asset->type_name);
    insp_text none = {"?", 1};
    return type ? type->name : none;
}

const insp_asset *insp_file_asset(const insp_file *file, const char *name, size_t length)
{
    uint32_t i;
    for (i = 0; i < file->asset_count; i++)
        if (file->assets[i].name.length == length &&
            memcmp(file->assets[i].name.data, name, length) == 0)
            return &file->assets[i];
    return NULL;
}

static bool name_is_below(const void *names, size_t at, const void *id)
{
    return ((const insp_name *)names)[at].id < *(const uint64_t *)id;
}

const insp_name *insp_file_name(const insp_file *file, uint64_t id)
{
    size_t at = lower_bound(file->names, 0, file->name_count, name_is_below, &id);
    return at < file->name_count && file->names[at].id == id ? &file->names[at] : NULL;
}

const insp_asset *insp_split_path(const insp_file *file, const char *path, const char **ret_rest)
{
    const insp_asset *best = NULL;
    size_t length = strlen(path);
    uint32_t i;
    /* Asset names may contain dots and brackets, so several names can be prefixes of a path. The
     * longest one wins. */
    for (i = 0; i < file->asset_count; i++) {
        const insp_text *name = &file->assets[i].name;
        if (name->length > length || memcmp(name->data, path, name->length) != 0)
            continue;
        if (path[name->length] && path[name->length] != '.' && path[name->length] != '[')
            continue;
        if (!best || name->length > best->name.length)
            best = &file->assets[i];
    }
    if (best)
        *ret_rest = path + best->name.length;
    return best;
}

uint32_t insp_builtin_type(const insp_file *file, const insp_asset *asset)
{
    static const struct {
        const char *name;
        uint64_t layout;
    } fixed[] = {{KILN_SCENE_TYPE_NAME, KILN_SCENE_LAYOUT},
                 {KILN_SCENE_CHUNKS_TYPE_NAME, KILN_SCENE_CHUNKS_LAYOUT},
                 {KILN_CLUSTERS_TYPE_NAME, KILN_CLUSTERS_LAYOUT},
                 {KILN_PAYLOAD_TYPE_NAME, KILN_PAYLOAD_LAYOUT},
                 {KILN_REDIRECTS_TYPE_NAME, KILN_REDIRECTS_LAYOUT}};
    const insp_type_name *type = insp_type_name_at(file, asset->type_name);
    size_t i;
    for (i = 0; type && i < sizeof fixed / sizeof *fixed; i++)
        if (insp_text_is(type->name, fixed[i].name) && type->layout == fixed[i].layout)
            return kiln_types_find(file->builtin, fixed[i].name);
    return KILN_TYPE_NONE;
}
