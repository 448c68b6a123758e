/* The contents of a file, which may be broken.
 *
 * Opening never fails because of the contents: violations are recorded, and everything else is read
 * with bounds checks. `assets`, `members` and `names` are copied from the index without validation,
 * so every number may be out of range, and every name may contain any bytes. insp_file_member
 * checks a member and returns its stored bytes; insp_file_blob returns its blob. */
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

typedef struct insp_asset {
    insp_text name;
    uint64_t id;
    uint32_t number;    /* in the index */
    uint32_t type_name; /* in `type_names`; unchecked */
    uint32_t member;    /* in `members`; unchecked */
    uint32_t references;
    uint32_t next; /* the next asset of the same member, in `assets`; KILN_ASSET_NONE: none */
} insp_asset;

/* The cached result of checking a member. */
typedef enum insp_verdict { INSP_UNCHECKED, INSP_SOUND, INSP_BROKEN } insp_verdict;

typedef struct insp_member {
    uint64_t place, stored_size, size;
    uint32_t dictionary; /* index in the list of dictionaries, plus 1; 0: none; unchecked */
    uint8_t compression, align_log2;
    uint32_t assets;      /* number of assets with these bytes */
    uint32_t asset;       /* the first of them, in `assets`; KILN_ASSET_NONE: none */
    bool in_place;        /* in the file and after all earlier members, so total work is linear */
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
    uint32_t asset; /* in `assets`; KILN_ASSET_NONE for an import */
} insp_name;

typedef struct insp_unpacking insp_unpacking;

typedef struct insp_file {
    const char *path;
    unsigned char *data;
    size_t size;
    bool has_header;         /* the file has at least 32 bytes and begins with KILN */
    kiln_blob_header header; /* of the first blob */
    kiln_error header_error; /* rules H1 to H5 for the first blob */
    kiln_error index_error;  /* from kiln_index_check */
    const kiln_index *index; /* NULL if it was rejected */
    kiln_value index_value;  /* `of` is NULL without an index; may be truncated */
    kiln_types *builtin;     /* the built-in types, with those of scenes and plans */
    kiln_types *types;       /* from the type table, or NULL */
    kiln_error types_error;  /* why `types` is NULL although the file has a table */
    uint32_t table_member;   /* KILN_ASSET_NONE: no type table */
    insp_asset *assets;      /* sorted by name */
    insp_member *members;    /* in the order of the index */
    insp_type_name *type_names;
    insp_name *names; /* assets and imports, sorted by id */
    uint32_t asset_count, member_count, type_name_count, name_count, import_count;
    uint32_t dictionary_count;
    uint64_t edge_count;
    insp_unpacking *unpacking;              /* NULL if no member is compressed */
    const struct kiln_redirects *redirects; /* NULL if there is no list, or a broken one */
    unsigned char *redirects_blob;          /* a decompressed list, or NULL */
} insp_file;

/* ---- lookups ----
 *
 * Only these functions use a number from the file as an array index; they return NULL if it is out
 * of range. All other code uses loop counters. */
static inline insp_member *insp_member_at(const insp_file *file, uint64_t number)
{
    return number < file->member_count ? &file->members[number] : NULL;
}
static inline const insp_asset *insp_asset_at(const insp_file *file, uint64_t number)
{
    return number < file->asset_count ? &file->assets[number] : NULL;
}
static inline const insp_type_name *insp_type_name_at(const insp_file *file, uint64_t number)
{
    return number < file->type_name_count ? &file->type_names[number] : NULL;
}
/* The member of an asset. */
static inline const insp_member *insp_asset_member(const insp_file *file, const insp_asset *asset)
{
    return insp_member_at(file, asset->member);
}
/* The first asset of member `number`, and the next asset of the same member. */
static inline const insp_asset *insp_member_asset(const insp_file *file, uint64_t number)
{
    const insp_member *member = insp_member_at(file, number);
    return member ? insp_asset_at(file, member->asset) : NULL;
}
static inline const insp_asset *insp_asset_next(const insp_file *file, const insp_asset *asset)
{
    return insp_asset_at(file, asset->next);
}
/* The asset with this name; NULL for an import. */
static inline const insp_asset *insp_name_asset(const insp_file *file, const insp_name *name)
{
    return insp_asset_at(file, name->asset);
}

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

/* Look up a name or an id; NULL if the file does not contain it. */
const insp_asset *insp_file_asset(const insp_file *file, const char *name, size_t length);
const insp_name *insp_file_name(const insp_file *file, uint64_t id);
/* The asset with the longest name that `path` begins with; `ret_rest` is the rest of the path. NULL
 * if there is none. */
const insp_asset *insp_split_path(const insp_file *file, const char *path, const char **ret_rest);

/* The part of an asset's name before the first `/`, or all of it. */
insp_text insp_kind_word(insp_text name);

#endif
