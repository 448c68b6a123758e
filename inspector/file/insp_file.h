/* The contents of a file, which may be broken.
 *
 * Opening never fails because of the contents: violations are recorded, and everything else is read
 * with bounds checks. Assets, members and names are read from the index without validation, so
 * every number may be out of range, and every name may contain any bytes. insp_file_member checks a
 * member and returns its stored bytes; insp_file_blob returns its blob.
 *
 * The file is usually mapped, and its index may have millions of entries. So opening a file reads
 * only its header, the places of its lists, the types and the redirects. Other entries are read by
 * the functions below, on first use. Only insp_file_list reads the whole index: the functions that
 * need it say so. Most commands call it when they open a file. */
#ifndef INSP_FILE_H
#define INSP_FILE_H

#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <kiln/value.h>
#include <string.h>

/* A string in the file, not NUL-terminated. */
typedef struct insp_text {
    const char *data;
    uint32_t length;
} insp_text;

/* Compares two strings bytewise; a prefix sorts first. The data of an empty string may be NULL. */
static inline int insp_text_compare(insp_text a, insp_text b)
{
    uint32_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.data, b.data, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static inline bool insp_text_is_same(insp_text a, insp_text b)
{
    return a.length == b.length && insp_text_compare(a, b) == 0;
}

static inline bool insp_text_is(insp_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.data, word, text.length) == 0;
}

/* An asset always has the same address while the file is open. */
typedef struct insp_asset {
    insp_text name;
    uint64_t id;
    uint32_t number;    /* in the index, below `asset_count` */
    uint32_t type_name; /* for insp_type_name_at */
    uint32_t member;    /* for insp_member_at */
    uint32_t references;
    uint32_t next;  /* see insp_asset_next */
    uint32_t place; /* of insp_asset_at; 0 before insp_file_list */
    bool is_read;
} insp_asset;

/* The cached result of checking a member. */
typedef enum insp_verdict { INSP_UNCHECKED, INSP_SOUND, INSP_BROKEN } insp_verdict;

typedef struct insp_member {
    uint64_t place, stored_size, size;
    uint32_t dictionary; /* index in the list of dictionaries, plus 1; 0: none; unchecked */
    uint8_t compression, align_log2;
    uint32_t assets; /* number of assets with these bytes; 0 before insp_file_list */
    uint32_t asset;  /* see insp_member_asset */
    /* The member is in the file. After insp_file_list, also: it comes after all earlier members, so
     * the work on all members is linear. */
    bool in_place;
    bool is_read;
    insp_verdict verdict; /* set by scene commands, because scenes may share members */
} insp_member;

typedef struct insp_type_name {
    insp_text name;
    uint64_t layout;
    uint32_t type; /* in `types`; KILN_TYPE_NONE if missing */
} insp_type_name;

typedef struct insp_name {
    uint64_t id;
    insp_text name;
    uint32_t asset; /* see insp_name_asset */
    bool is_read;
} insp_name;

typedef struct insp_unpacking insp_unpacking;

/* A list of the index that is in its payload, as far as its elements can be read. */
typedef struct insp_list {
    const unsigned char *elements; /* NULL if they are empty or misaligned */
    uint32_t count;
} insp_list;

typedef struct insp_lists {
    insp_list ids, assets, members, imports, edge_starts;
    const unsigned char *end; /* of the payload */
} insp_lists;

typedef struct insp_file {
    const char *path;
    const unsigned char *data; /* at a multiple of 4096 */
    size_t size;
    bool has_header;         /* the file has at least 32 bytes and begins with KILN */
    kiln_blob_header header; /* of the first blob */
    kiln_error header_error; /* rules H1 to H5 for the first blob */
    uint64_t stated_size;    /* of the file, as header and index state it; 0 if unknown */
    kiln_error index_error;  /* from kiln_index_frame_read and kiln_index_check */
    kiln_index_frame frame;  /* zero if the index has no valid frame */
    const kiln_index *index; /* NULL if it was rejected, and before insp_file_list */
    kiln_value index_value;  /* `of` is NULL without an index; may be truncated */
    insp_lists lists;
    kiln_types *builtin;    /* the built-in types, with those of scenes and plans */
    kiln_types *types;      /* from the type table, or NULL */
    kiln_error types_error; /* why `types` is NULL although the file has a table */
    uint32_t table_member;  /* KILN_ASSET_NONE: no type table */
    uint32_t asset_count, member_count, type_name_count, import_count;
    uint32_t dictionary_count;
    uint64_t edge_count;
    insp_type_name *type_names; /* use insp_type_name_at */
    /* Of assets, members, and the names of assets and then of imports. Entries are read when the
     * functions below return them. */
    insp_asset *assets;
    insp_member *members;
    insp_name *names;
    const insp_asset **by_name; /* NULL before insp_file_list */
    const insp_name **by_id;    /* NULL if the ids of the index are in order, or not checked */
    insp_unpacking *unpacking;
    const struct kiln_redirects *redirects; /* NULL if there is no list, or a broken one */
    unsigned char *redirects_blob;          /* a decompressed list, or NULL */
} insp_file;

/* ---- lookups ----
 *
 * Only these functions use a number from the file as an array index; they return NULL if it is out
 * of range. All other code uses loop counters below the counts of the file. What they return is
 * valid while the file is open. */

/* The asset or member with a number of the index. */
const insp_asset *insp_numbered_asset(const insp_file *file, uint64_t number);
insp_member *insp_member_at(const insp_file *file, uint64_t number);
/* Import `number`, which follows the assets in the numbers of edges. */
const insp_name *insp_import_at(const insp_file *file, uint64_t number);
static inline const insp_type_name *insp_type_name_at(const insp_file *file, uint64_t number)
{
    return number < file->type_name_count ? &file->type_names[number] : NULL;
}
/* The member of an asset. */
static inline const insp_member *insp_asset_member(const insp_file *file, const insp_asset *asset)
{
    return insp_member_at(file, asset->member);
}
/* The name of an asset, and the asset with a name; NULL for an import. */
const insp_name *insp_asset_name(const insp_file *file, const insp_asset *asset);
static inline const insp_asset *insp_name_asset(const insp_file *file, const insp_name *name)
{
    return insp_numbered_asset(file, name->asset);
}

/* Look up a name or an id; NULL if the file does not contain it. If the name's id is not in the
 * index, insp_file_asset compares all names, unless the index has been checked: in a broken index,
 * ids may be wrong. insp_identified_asset finds assets only by their ids. */
const insp_asset *insp_file_asset(const insp_file *file, const char *name, size_t length);
const insp_asset *insp_identified_asset(const insp_file *file, uint64_t id);
const insp_name *insp_file_name(const insp_file *file, uint64_t id);
/* The asset with the longest name that `path` begins with; `ret_rest` is the rest of the path. NULL
 * if there is none. */
const insp_asset *insp_split_path(const insp_file *file, const char *path, const char **ret_rest);

/* What commands need that visit all assets and members of large files. Unlike the functions above,
 * these store nothing, so that memory does not grow. The number must be below the count. */
typedef struct insp_entry {
    uint32_t type_name, member; /* as in insp_asset */
} insp_entry;
insp_entry insp_entry_at(const insp_file *file, uint32_t number);
insp_member insp_peek_member(const insp_file *file, uint32_t number);
uint64_t insp_peek_id(const insp_file *file, uint32_t number);
insp_text insp_peek_name(const insp_file *file, uint32_t number);

/* ---- only after insp_file_list ---- */

/* The asset at place `i` of all assets sorted by name. */
static inline const insp_asset *insp_asset_at(const insp_file *file, uint64_t i)
{
    return file->by_name && i < file->asset_count ? file->by_name[i] : NULL;
}
/* The first asset of member `number`, and the next asset of the same member, by name. */
static inline const insp_asset *insp_member_asset(const insp_file *file, uint64_t number)
{
    const insp_member *member = file->by_name ? insp_member_at(file, number) : NULL;
    return member ? insp_numbered_asset(file, member->asset) : NULL;
}
static inline const insp_asset *insp_asset_next(const insp_file *file, const insp_asset *asset)
{
    return file->by_name ? insp_numbered_asset(file, asset->next) : NULL;
}

/* ---- what assets and members contain ---- */

/* Returns the stored bytes of a member; false if it is not `in_place`. */
bool insp_file_member(const insp_file *file, uint32_t member, const unsigned char **ret_data,
                      uint64_t *ret_size);

/* Finds the payload in the blob of `size` bytes at `blob`, and truncates it to these bytes. Returns
 * false unless there are at least 32 bytes with the right magic. Trusts nothing else in the
 * header. */
bool insp_blob_payload(const unsigned char *blob, uint64_t size, kiln_blob_header *ret_header,
                       uint64_t *ret_at, uint64_t *ret_size);

/* The index of the asset's type in `types`; KILN_TYPE_NONE if missing. */
uint32_t insp_asset_type(const insp_file *file, const insp_asset *asset);
insp_text insp_asset_type_name(const insp_file *file, const insp_asset *asset);
/* The index in `builtin` of the type of an asset that FORMAT.md defines (a scene, its chunks, a
 * cluster plan, a payload, redirects), judged by name and layout; KILN_TYPE_NONE for other assets.
 */
uint32_t insp_builtin_type(const insp_file *file, const insp_asset *asset);

/* The name of the rule that a status reports, or of the status itself if it is not about a rule. */
static inline const char *insp_rule(kiln_status status)
{
    return kiln_status_word(status);
}

/* The part of an asset's name before the first `/`, or all of it. */
insp_text insp_kind_word(insp_text name);

#endif
