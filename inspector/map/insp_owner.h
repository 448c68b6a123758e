/* The values that own a byte of a file. */
#ifndef INSP_OWNER_H
#define INSP_OWNER_H

#include "insp_map.h"

enum { INSP_OWNERS_MAX = 64, INSP_OWNER_PATH_SIZE = 1024 };

typedef enum insp_owned_as {
    INSP_OWNED_VALUE,  /* a value; there is at least one owner */
    INSP_OWNED_KEY,    /* the key of a map entry */
    INSP_OWNED_HEADER, /* the header of a blob */
    INSP_OWNED_INDEX,
    INSP_OWNED_TYPE_TABLE,
    INSP_OWNED_PADDING,    /* within a blob */
    INSP_OWNED_GAP,        /* between blobs */
    INSP_OWNED_COMPRESSED, /* a compressed member, whose bytes are not values */
    INSP_OWNED_UNKNOWN     /* a blob of unknown type, or not a blob */
} insp_owned_as;

/* A value and its path. */
typedef struct insp_owner {
    insp_text asset;
    char path[INSP_OWNER_PATH_SIZE]; /* after the asset's name: `.drops[2].item`, or empty */
} insp_owner;

/* The owners of a byte. If objects are shared, a byte belongs to several values. */
typedef struct insp_owners {
    insp_owner *items;
    size_t count, capacity;
    bool more; /* more than INSP_OWNERS_MAX, or too many paths to them */
    insp_owned_as as;
    const insp_blob *blob; /* the blob in the map that contains the byte; NULL: none */
} insp_owners;

/* Accepts a zeroed list. */
void insp_owners_fini(insp_owners *owners);

/* Adds an owner. Its path is `first` followed by `path`. */
kiln_status insp_owners_add(insp_owners *owners, insp_text asset, const char *first,
                            const kiln_path *path);

#endif
