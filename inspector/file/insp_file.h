/* Everything that can be learnt from the bytes of a file, however broken.
 *
 * Opening never fails on bytes: what a rule forbids is noted, and what can still be read is read
 * through the bounds-checked walker. So `assets`, `members` and `imports` hold what the index says,
 * whether or not it is to be believed: every number in them may be wrong, every name may be any
 * bytes. A member's bytes are asked for with insp_file_member, which checks, its blob with
 * insp_file_blob. */
#ifndef INSP_FILE_H
#define INSP_FILE_H

#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <kiln/value.h>
#include <string.h>

/* Text in the file, without NUL. */
typedef struct insp_text {
    const char *data;
    uint32_t length;
} insp_text;

/* Orders two texts bytewise; a beginning comes before the whole. One of no length may be NULL. */
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
    uint32_t type_name; /* in `type_names`; may not exist */
    uint32_t member;    /* in `members`; may not exist */
    uint32_t references;
    uint32_t next; /* the next asset of the same member, in `assets`; KILN_ASSET_NONE */
} insp_asset;

/* What was printed about a member's own rules. */
typedef enum insp_told { INSP_NOT_CHECKED, INSP_TOLD_RIGHT, INSP_TOLD_BROKEN } insp_told;

typedef struct insp_member {
    uint64_t place, stored_size, size;
    uint32_t dictionary; /* number in the index's list, plus 1; 0 without; may not exist */
    uint8_t compression, align_log2;
    uint32_t assets; /* how many assets are these bytes */
    uint32_t asset;  /* the first of them, in `assets`; KILN_ASSET_NONE */
    bool in_place;   /* lies in the file, behind all members before it: so work on all members is
                        linear in the file */
    insp_told told;  /* by the commands about scenes, which may share members */
} insp_member;

typedef struct insp_type_name {
    insp_text name;
    uint64_t layout;
    uint32_t type; /* in `types`; KILN_TYPE_NONE where it is not there */
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
    bool has_header;         /* the first 32 bytes are there and begin with KILN */
    kiln_blob_header header; /* of the first blob */
    kiln_error header_error; /* rules H1 to H5 for the first blob */
    kiln_error index_error;  /* kiln_index_check */
    const kiln_index *index; /* only where it was accepted */
    kiln_value index_value;  /* `of` is NULL where there is none; may end early */
    kiln_types *builtin;     /* the fixed ones, and those of scenes */
    kiln_types *types;       /* of the type table, or NULL */
    kiln_error types_error;  /* why `types` is NULL although there is a table */
    uint32_t table_member;   /* KILN_ASSET_NONE: no type table */
    insp_asset *assets;      /* by name */
    insp_member *members;    /* in the index's order */
    insp_type_name *type_names;
    insp_name *names; /* assets and imports, by id */
    uint32_t asset_count, member_count, type_name_count, name_count, import_count;
    uint32_t dictionary_count;
    uint64_t edge_count;
    insp_unpacking *unpacking; /* NULL where no member is compressed */
} insp_file;

/* ---- look-ups ----
 *
 * A number that a file states becomes an index only here: NULL where nothing has that number. Other
 * code indexes the lists only with a counter that runs to their count. */
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
/* The member that an asset's entry names. */
static inline const insp_member *insp_asset_member(const insp_file *file, const insp_asset *asset)
{
    return insp_member_at(file, asset->member);
}
/* The first asset of member `number`, and the next one of the same member. */
static inline const insp_asset *insp_member_asset(const insp_file *file, uint64_t number)
{
    const insp_member *member = insp_member_at(file, number);
    return member ? insp_asset_at(file, member->asset) : NULL;
}
static inline const insp_asset *insp_asset_next(const insp_file *file, const insp_asset *asset)
{
    return insp_asset_at(file, asset->next);
}
/* NULL for an import. */
static inline const insp_asset *insp_name_asset(const insp_file *file, const insp_name *name)
{
    return insp_asset_at(file, name->asset);
}

/* A member's stored bytes; false where they are not `in_place`. */
bool insp_file_member(const insp_file *file, uint32_t member, const unsigned char **ret_data,
                      uint64_t *ret_size);

/* Where the payload of the blob that begins `size` bytes at `blob` lies, cut to what is there;
 * false where not even 32 bytes with the right magic are. Believes nothing else of the header. */
bool insp_blob_payload(const unsigned char *blob, uint64_t size, kiln_blob_header *ret_header,
                       uint64_t *ret_at, uint64_t *ret_size);

/* The number of the asset's type in `types`; KILN_TYPE_NONE. */
uint32_t insp_asset_type(const insp_file *file, const insp_asset *asset);
insp_text insp_asset_type_name(const insp_file *file, const insp_asset *asset);

/* The rule that a status stands for; the status's name where it is a limit of readers and no rule.
 */
static inline const char *insp_rule(kiln_status status)
{
    return kiln_status_word(status);
}

/* NULL where the name is not known. */
const insp_asset *insp_file_asset(const insp_file *file, const char *name, size_t length);
const insp_name *insp_file_name(const insp_file *file, uint64_t id);
/* The asset whose name is the longest that `path` begins with, and what follows the name. */
const insp_asset *insp_split_path(const insp_file *file, const char *path, const char **ret_rest);

/* The part of an asset's name before the first `/`, or all of it. */
insp_text insp_kind_word(insp_text name);

#endif
