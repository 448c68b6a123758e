/* Decides which members of a file are stored compressed, and compresses them. */
#ifndef KILN_FILE_PACKING_H
#define KILN_FILE_PACKING_H

#include "file_writer_state.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct packed_member {
    const unsigned char *stored; /* NULL if the member is stored uncompressed */
    uint64_t stored_size;
    uint32_t dictionary; /* index in `dictionaries` plus 1; 0 without a dictionary */
} packed_member;

/* A zeroed packing is empty. All memory belongs to the arena. */
typedef struct packing {
    packed_member *members; /* by number in the writer */
    writer_member *dictionaries;
    uint32_t dictionary_count;
} packing;

/* Compresses the members that have a compression setting. */
kiln_status kiln_writer_pack(const kiln_file_writer *writer, arena *memory, packing *ret_packing);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
