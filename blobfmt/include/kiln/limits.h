/* All limits of the format.
 *
 * Readers reject data that exceeds a limit, and writers refuse to write it. FORMAT.md section 11
 * has the same numbers; a test compares the two. Code and messages take the numbers from here. */
#ifndef KILN_LIMITS_H
#define KILN_LIMITS_H

#include <stdint.h>

/* X(name of a row in FORMAT.md section 11, the constants for the numbers in that row, in order) */
#define KILN_LIMIT_LIST(X)                                                                         \
    X("payload of a blob", KILN_PAYLOAD_MAX)                                                       \
    X("size of a type's values", KILN_TYPE_SIZE_MAX)                                               \
    X("alignment of an object", KILN_ALIGN_MAX)                                                    \
    X("objects nested from the root", KILN_DEPTH_MAX)                                              \
    X("types nested by value", KILN_INLINE_DEPTH_MAX)                                              \
    X("unnamed types nested", KILN_ANONYMOUS_DEPTH_MAX)                                            \
    X("name of a type or member", KILN_NAME_MAX)                                                   \
    X("string as a map key", KILN_MAP_KEY_MAX)                                                     \
    X("unfolded size of a type table", KILN_UNFOLDED_BASE, KILN_UNFOLDED_FACTOR)                   \
    X("blob of a compressed member", KILN_COMPRESSION_RATIO)                                       \
    X("assets, imports, members or edges of a file", KILN_FILE_ENTRIES_MAX)                        \
    X("row of an archetype", KILN_CHUNK_SIZE)                                                      \
    X("alignment of a component", KILN_COLUMN_ALIGN)                                               \
    X("entities of a scene", KILN_ENTITY_MAX)                                                      \
    X("names in a scene", KILN_SCENE_TEXT_MAX)                                                     \
    X("chain of redirects", KILN_REDIRECT_STEPS_MAX)                                               \
    X("alignment of a payload", KILN_PAYLOAD_ALIGN_MAX)                                            \
    X("frame of a payload", KILN_PAYLOAD_FRAME_MIN, KILN_PAYLOAD_FRAME_MAX)

/* Maximum size of a payload in bytes. Every offset therefore fits in 31 bits. */
#define KILN_PAYLOAD_MAX 0x7fffffffu
/* Maximum size of one value of a type, in bytes: rule L2. */
#define KILN_TYPE_SIZE_MAX KILN_PAYLOAD_MAX

/* Maximum number of objects nested in one another, including the root: rule V19. */
#define KILN_DEPTH_MAX 128
/* Maximum number of types nested by value in one another: rule T6. */
#define KILN_INLINE_DEPTH_MAX 16
/* Maximum number of unnamed types nested in one another: rule T4. */
#define KILN_ANONYMOUS_DEPTH_MAX 8
/* Maximum length in bytes of the name of a type or member: rule T2. */
#define KILN_NAME_MAX 255
/* Maximum length in bytes of a string that is a map key: rule V14. */
#define KILN_MAP_KEY_MAX 1024

/* Maximum unfolded size of a type table: KILN_UNFOLDED_BASE + KILN_UNFOLDED_FACTOR * payload size.
 * The unfolded size counts KILN_UNFOLDED_TYPE for each type, KILN_UNFOLDED_MEMBER for each member,
 * KILN_UNFOLDED_WAS for each earlier name, and the bytes of their strings and defaults: FORMAT.md
 * section 11. */
#define KILN_UNFOLDED_BASE (1u << 20)
#define KILN_UNFOLDED_FACTOR 64
#define KILN_UNFOLDED_TYPE 112
#define KILN_UNFOLDED_MEMBER 80
#define KILN_UNFOLDED_WAS 8

/* Maximum number of redirects in a chain through several files. */
#define KILN_REDIRECT_STEPS_MAX 64

/* Maximum number of bytes of a blob per stored byte of its compressed member: rule I7. */
#define KILN_COMPRESSION_RATIO 256

/* Maximum number of entries in one list of the index. The limit of the index's payload may be
 * reached first. */
#define KILN_FILE_ENTRIES_MAX 0x7fffffffu

/* Maximum size in bytes of a source map (SOURCE-MAP.md), which is not part of the format. */
#define KILN_SOURCE_MAP_MAX 0xfffffffeu

enum {
    KILN_ALIGN_LOG2_MIN = 4,
    KILN_ALIGN_LOG2_MAX = 12,
    KILN_ALIGN_MAX = 1 << KILN_ALIGN_LOG2_MAX /* of an object, and therefore of a blob */
};

/* Of the data of payloads (<kiln/payload.h>). Frames of data are powers of two. */
enum {
    KILN_PAYLOAD_ALIGN_LOG2_MAX = 16,
    KILN_PAYLOAD_ALIGN_MAX = 1 << KILN_PAYLOAD_ALIGN_LOG2_MAX,
    KILN_PAYLOAD_FRAME_MIN = 1 << 12, /* bytes of data */
    KILN_PAYLOAD_FRAME_MAX = 1 << 22
};

enum {
    KILN_CHUNK_SIZE = 16384,     /* bytes; also the maximum size of a row */
    KILN_CHUNK_ROWS_MAX = 16384, /* rows of a chunk, even of one without columns */
    KILN_COLUMN_ALIGN = 64,      /* alignment of columns in a chunk; the maximum for components */
    KILN_SCENE_TEXT_MAX = 1024   /* bytes of an entity's name, and of each name in an import */
};

/* A data block has records for a fixed number of entities. */
enum {
    KILN_BLOCK_ENTITIES = 8192, /* of a data block */
    KILN_BLOCK_MAX = 16384      /* data blocks in a world */
};
/* Maximum number of entities in a world or a scene; every index is less than this. */
#define KILN_ENTITY_MAX ((uint32_t)KILN_BLOCK_ENTITIES * KILN_BLOCK_MAX)

#endif
