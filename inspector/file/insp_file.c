/* Lookups in an open file. They trust no number from the file, as insp_file.h explains. Entries of
 * the index are copied when they are first used; a missing element reads as 0 or empty. */
#include "insp_file.h"

#include <kiln/asset_id.h>
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

/* ---- elements ---- */

/* The elements have the alignment of their types, because insp_index.c checks it. */
#define ELEMENT(list, type, number)                                                                \
    ((list).elements && (number) < (list).count                                                    \
         ? (const type *)(const void *)(list).elements + (number)                                  \
         : NULL)

static insp_text string_at(const insp_file *file, const kiln_string *string)
{
    uint64_t left = (uint64_t)(file->lists.end - (const unsigned char *)string);
    uint32_t offset = string->offset, length = string->length;
    insp_text text = {"", 0};
    if (offset && offset <= left && length <= left - offset) {
        text.data = (const char *)string + offset;
        text.length = length;
    }
    return text;
}

static void read_asset(const insp_file *file, uint32_t number, insp_asset *asset)
{
    const kiln_index_asset *entry = ELEMENT(file->lists.assets, kiln_index_asset, number);
    const uint64_t *id = ELEMENT(file->lists.ids, uint64_t, number);
    const uint32_t *end = ELEMENT(file->lists.edge_starts, uint32_t, (uint64_t)number + 1);
    asset->name = entry ? string_at(file, &entry->name) : (insp_text){"", 0};
    asset->type_name = entry ? entry->type : 0;
    asset->member = entry ? entry->member : 0;
    asset->number = number;
    asset->id = id ? *id : 0;
    asset->references = end && end[0] > end[-1] ? end[0] - end[-1] : 0;
    asset->next = KILN_ASSET_NONE;
    asset->place = 0;
    asset->is_read = true;
}

const insp_asset *insp_numbered_asset(const insp_file *file, uint64_t number)
{
    if (number >= file->asset_count)
        return NULL;
    if (!file->assets[number].is_read)
        read_asset(file, (uint32_t)number, &file->assets[number]);
    return &file->assets[number];
}

insp_entry insp_entry_at(const insp_file *file, uint32_t number)
{
    const kiln_index_asset *entry = ELEMENT(file->lists.assets, kiln_index_asset, number);
    return entry ? (insp_entry){entry->type, entry->member} : (insp_entry){0, 0};
}

uint64_t insp_peek_id(const insp_file *file, uint32_t number)
{
    const uint64_t *id = ELEMENT(file->lists.ids, uint64_t, number);
    return id ? *id : 0;
}

insp_text insp_peek_name(const insp_file *file, uint32_t number)
{
    const kiln_index_asset *entry = ELEMENT(file->lists.assets, kiln_index_asset, number);
    return entry ? string_at(file, &entry->name) : (insp_text){"", 0};
}

insp_member insp_peek_member(const insp_file *file, uint32_t number)
{
    const kiln_index_member *entry = ELEMENT(file->lists.members, kiln_index_member, number);
    insp_member member = {.asset = KILN_ASSET_NONE, .is_read = true};
    if (entry) {
        member.place = entry->place;
        member.stored_size = entry->stored_size;
        member.size = entry->size;
        member.compression = entry->compression;
        member.dictionary = entry->dictionary;
        member.align_log2 = entry->align_log2;
    }
    member.in_place = member.place <= file->size && member.stored_size <= file->size - member.place;
    return member;
}

insp_member *insp_member_at(const insp_file *file, uint64_t number)
{
    if (number >= file->member_count)
        return NULL;
    if (!file->members[number].is_read)
        file->members[number] = insp_peek_member(file, (uint32_t)number);
    return &file->members[number];
}

const insp_name *insp_asset_name(const insp_file *file, const insp_asset *asset)
{
    insp_name *name = &file->names[asset->number];
    if (!name->is_read)
        *name = (insp_name){asset->id, asset->name, asset->number, true};
    return name;
}

const insp_name *insp_import_at(const insp_file *file, uint64_t number)
{
    insp_name *name;
    if (number >= file->import_count)
        return NULL;
    name = &file->names[file->asset_count + number];
    if (!name->is_read) {
        const kiln_index_import *entry = ELEMENT(file->lists.imports, kiln_index_import, number);
        *name = (insp_name){entry ? entry->id : 0,
                            entry ? string_at(file, &entry->name) : (insp_text){"", 0},
                            KILN_ASSET_NONE, true};
    }
    return name;
}

/* ---- ids ---- */

/* The number of elements with an id below `id`, in a list that is sorted by id. */
static uint64_t below(const insp_file *file, uint64_t id, bool imports)
{
    uint64_t low = 0, high = imports ? file->import_count : file->asset_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const uint64_t *own = ELEMENT(file->lists.ids, uint64_t, middle);
        uint64_t found = imports ? insp_import_at(file, middle)->id : own ? *own : 0;
        if (found < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Uses the directory of the index if it has a frame. The directory may contain anything, so
 * kiln_index_find compares the ids. */
const insp_asset *insp_identified_asset(const insp_file *file, uint64_t id)
{
    uint64_t number =
        file->frame.index ? kiln_index_find(file->frame.index, id) : below(file, id, false);
    const insp_asset *asset = insp_numbered_asset(file, number);
    return asset && asset->id == id ? asset : NULL;
}

static const insp_name *find_sorted(const insp_file *file, uint64_t id)
{
    size_t low = 0, high = (size_t)file->asset_count + file->import_count, end = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->by_id[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && file->by_id[low]->id == id ? file->by_id[low] : NULL;
}

const insp_name *insp_file_name(const insp_file *file, uint64_t id)
{
    const insp_asset *asset;
    const insp_name *import;
    if (file->by_id)
        return find_sorted(file, id);
    asset = insp_identified_asset(file, id);
    if (asset)
        return insp_asset_name(file, asset);
    import = insp_import_at(file, below(file, id, true));
    return import && import->id == id ? import : NULL;
}

/* ---- names and types ---- */

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

/* The asset with this name, found by the hash of the name. */
static const insp_asset *find_hashed(const insp_file *file, const char *name, size_t length)
{
    const insp_asset *asset = insp_identified_asset(file, kiln_asset_id(name, length));
    return asset && asset->name.length == length && memcmp(asset->name.data, name, length) == 0
               ? asset
               : NULL;
}

const insp_asset *insp_file_asset(const insp_file *file, const char *name, size_t length)
{
    const insp_asset *asset = find_hashed(file, name, length);
    uint32_t i;
    for (i = 0; !asset && !file->index && i < file->asset_count; i++) {
        const insp_asset *other = insp_numbered_asset(file, i);
        if (other->name.length == length && memcmp(other->name.data, name, length) == 0)
            asset = other;
    }
    return asset;
}

/* Whether a name may end before `c`, which follows it in a path. */
static bool ends_name(char c)
{
    return !c || c == '.' || c == '[';
}

/* Asset names may contain dots and brackets, so several names can be prefixes of a path. The
 * longest one wins. */
static const insp_asset *split_by_search(const insp_file *file, const char *path, size_t length)
{
    const insp_asset *best = NULL;
    uint32_t i;
    for (i = 0; i < file->asset_count; i++) {
        const insp_asset *asset = insp_numbered_asset(file, i);
        const insp_text *name = &asset->name;
        if (name->length > length || memcmp(name->data, path, name->length) != 0)
            continue;
        if (ends_name(path[name->length]) && (!best || name->length > best->name.length))
            best = asset;
    }
    return best;
}

const insp_asset *insp_split_path(const insp_file *file, const char *path, const char **ret_rest)
{
    const insp_asset *asset = NULL;
    size_t length = strlen(path), part;
    for (part = length; part > 0 && !asset; part--)
        if (ends_name(path[part]))
            asset = find_hashed(file, path, part);
    if (!asset && !file->index)
        asset = split_by_search(file, path, length);
    if (asset)
        *ret_rest = path + asset->name.length;
    return asset;
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
