/* Which members of a file that is being written are stored compressed, and as which bytes. */
#ifndef KILN_FILE_PACKING_H
#define KILN_FILE_PACKING_H

#include "file_writer_state.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct packed_member {
    const unsigned char *stored; /* NULL where the member is stored plain */
    uint64_t stored_size;
    uint32_t dictionary; /* number in `dictionaries`, plus 1; 0 without */
} packed_member;

/* A zeroed one is empty and may be ended. */
typedef struct packing {
    packed_member *members; /* by number in the writer; the arena's, as all bytes are */
    writer_member *dictionaries;
    uint32_t dictionary_count;
} packing;

/* Compresses what the writer's settings ask for. */
kiln_status kiln_writer_pack(const kiln_file_writer *writer, arena *memory, packing *ret_packing);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
