/* How the bytes of a file are used.
 *
 * Each byte of the file belongs to exactly one part, so the parts add up to its size, even in a
 * broken file. The rows of types, assets, scenes and fields divide the same bytes in other ways. */
#ifndef INSP_USAGE_H
#define INSP_USAGE_H

#include "insp_file.h"
#include "insp_usage_walk.h"

typedef enum insp_usage_part {
    INSP_USAGE_INDEX,
    INSP_USAGE_TYPE_TABLE,
    INSP_USAGE_DICTIONARIES,
    INSP_USAGE_HEADERS,    /* of the blobs of assets that are not compressed */
    INSP_USAGE_VALUES,     /* in assets that are not compressed, as are the next three */
    INSP_USAGE_STRINGS,    /* with the NUL of each */
    INSP_USAGE_SHARED,     /* values and strings that several assets or several fields have */
    INSP_USAGE_PADDING,    /* between values and between objects */
    INSP_USAGE_UNTYPED,    /* blobs whose type the file does not describe */
    INSP_USAGE_COMPRESSED, /* members of assets, as they are stored */
    INSP_USAGE_PAYLOADS,   /* payload members, as they are stored */
    INSP_USAGE_GAPS,       /* between members */
    INSP_USAGE_UNUSED,     /* after the last member, or in members that overlap others */
    INSP_USAGE_PARTS
} insp_usage_part;

/* A type, an asset, a scene or a field. Its bytes are those in the file; those of a field are
 * decompressed. */
typedef struct insp_usage_row {
    insp_text name;
    insp_text field;   /* of a field; otherwise empty */
    uint64_t bytes;    /* each byte of the file is in at most one row of a list */
    uint64_t shared;   /* those that other assets or fields have, too */
    uint64_t total;    /* with all that it contains or refers to in the same blob; in scenes and
                          assets, `bytes` */
    uint64_t unpacked; /* `bytes` without compression */
    uint32_t assets;   /* of a type */
} insp_usage_row;

/* The largest rows, in descending order of `total`, then ascending by name. */
typedef struct insp_usage_list {
    insp_usage_row *rows;
    size_t count, capacity;
    size_t all;         /* number of rows, including those that are not in the list */
    uint64_t all_bytes; /* their `bytes` */
} insp_usage_list;

typedef struct insp_usage {
    uint64_t size; /* of what was measured: the sum of the parts */
    uint64_t parts[INSP_USAGE_PARTS];
    insp_usage_list index; /* its lists, as FORMAT.md calls them; `names` of the assets; the rest */
    insp_usage_list types; /* of assets */
    insp_usage_list assets; /* whose names match the pattern */
    insp_usage_list scenes; /* of them: each with its chunks and data */
    insp_usage_list fields; /* of them: those with bytes */
    /* Assets that have the member of another asset, and the bytes that they would take. */
    uint64_t sharing_assets, saved_by_assets;
    /* Fields that refer to an object of another field, and the bytes of copies of these objects,
     * without those of what the objects refer to. */
    uint64_t sharing_fields, saved_by_fields;
    uint64_t compressed_members, compressed_size, compressed_stored;
} insp_usage;

typedef struct insp_usage_args {
    const char *const *patterns; /* as for insp_glob_asset */
    uint32_t pattern_count;      /* 0: all assets */
    size_t most;                 /* rows in each list, at least 1 */
} insp_usage_args;

/* Measures a file. Lists keep the `most` largest rows. With patterns, only
 * members of the assets that match any of them are measured, and the parts add up to the bytes of
 * these members. Returns KILN_OK or KILN_NO_MEMORY; call insp_usage_fini in both cases. The names
 * are those of the file, which must stay open. */
kiln_status insp_usage_init(insp_usage *usage, const insp_file *file, const insp_usage_args *args);
void insp_usage_fini(insp_usage *usage);

/* The name of a part, such as `type_table`. */
const char *insp_usage_part_name(insp_usage_part part);

#endif
