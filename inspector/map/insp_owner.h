/* From a place in a file to the values whose bytes lie there. */
#ifndef INSP_OWNER_H
#define INSP_OWNER_H

#include "insp_map.h"

enum { INSP_OWNERS_MAX = 64, INSP_OWNER_PATH_SIZE = 1024 };

typedef enum insp_owned_as {
    INSP_OWNED_VALUE,  /* by the owners, of which there is at least one */
    INSP_OWNED_KEY,    /* the key of a map's entry */
    INSP_OWNED_HEADER, /* of a blob */
    INSP_OWNED_INDEX,
    INSP_OWNED_TYPE_TABLE,
    INSP_OWNED_PADDING,    /* within a blob */
    INSP_OWNED_GAP,        /* between blobs */
    INSP_OWNED_COMPRESSED, /* a member whose bytes are not values as they lie there */
    INSP_OWNED_UNKNOWN     /* a blob whose types are not known, or none */
} insp_owned_as;

/* A value as kiln-inspect names it. */
typedef struct insp_owner {
    insp_text asset;
    char path[INSP_OWNER_PATH_SIZE]; /* behind the asset's name: `.drops[2].item`, or empty */
} insp_owner;

/* Where objects are shared, one byte is of several values. */
typedef struct insp_owners {
    insp_owner *items;
    size_t count, capacity;
    bool more; /* there are more than INSP_OWNERS_MAX, or too many ways to them */
    insp_owned_as as;
    const insp_blob *blob; /* that the place is in, of the map; NULL: none */
} insp_owners;

/* Of a list that is filled or zeroed. */
void insp_owners_fini(insp_owners *owners);

/* An owner more: `first` and behind it `path`, which is a way as <kiln/path.h> has it. */
kiln_status insp_owners_add(insp_owners *owners, insp_text asset, const char *first,
                            const kiln_path *path);

#endif
