/* The chunks of an archetype: claiming and releasing them, the list of those with rows, and handing
 * them over to another archetype without moving rows. */
#ifndef KILN_ARCHETYPE_CHUNKS_H
#define KILN_ARCHETYPE_CHUNKS_H

#include "world_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* How chunks with these columns are handed over. */
typedef struct handover {
    const kiln_column *source;
    const kiln_column *columns; /* columns after the handover; NULL: the rows must be copied */
    uint32_t layout, capacity;
    bool is_cut;
} handover;

/* Claims `count` empty chunks, all or none, without listing them. They are chained by `order`,
 * which has the number of the next chunk; 0 ends the chain. */
kiln_status kiln_archetype_claim(kiln_world *world, archetype *a, uint32_t count,
                                 uint32_t *ret_first);
/* Makes claimed chunks empty chunks of the archetype and adds them to the front of a chain. On
 * KILN_NO_MEMORY all of them are released. */
kiln_status kiln_archetype_adopt(kiln_world *world, archetype *a, kiln_chunk_run run,
                                 uint32_t *chain);
/* Releases a chain. */
void kiln_archetype_release_chain(kiln_world *world, archetype *a, uint32_t first);
/* Releases a chunk. The caller removes it from the list, if it is listed. */
void kiln_archetype_release(kiln_world *world, archetype *a, kiln_chunk *chunk);
/* Lists a chunk that kiln_archetype_claim returned. */
void kiln_archetype_list(kiln_world *world, archetype *a, kiln_chunk *chunk);
/* Removes a chunk from the list. The caller subtracts its rows from the archetype's count. */
void kiln_archetype_unlist(kiln_world *world, archetype *a, const kiln_chunk *chunk);
/* Removes the last chunk from the list. */
void kiln_archetype_unlist_last(archetype *a);
/* Plans how chunks with the columns of this one become chunks of `to`. */
kiln_status kiln_archetype_plan_handover(kiln_world *world, archetype *to, const kiln_chunk *chunk,
                                         handover *ret_handover);
/* Reserves memory for one more chunk, so that taking one over cannot fail. */
kiln_status kiln_archetype_reserve(kiln_world *world, archetype *a);
/* Makes a listed chunk of `from` a chunk of `to`, without touching rows or records. The caller
 * removes it from the list of `from`. Memory must have been reserved, and the rows must fit
 * afterwards. */
void kiln_archetype_take_over(kiln_world *world, archetype *from, archetype *to, kiln_chunk *chunk,
                              const handover *how);
/* Reverses the list, so that kiln_archetype_unlist_last removes the first chunk. No chunk counts as
 * having room until kiln_archetype_restore_list reverses what is left. */
void kiln_archetype_turn_list(archetype *a);
void kiln_archetype_restore_list(const kiln_world *world, archetype *a);
/* Removes all chunks from the list and releases them. The caller updates the records of their
 * entities. */
void kiln_archetype_drop_chunks(kiln_world *world, archetype *a);

/* The chunk for the next row. If all listed chunks are full, takes the first chunk of the chain,
 * which must have one in this case, and lists it. */
kiln_chunk *kiln_archetype_next(kiln_world *world, archetype *a, uint32_t *chain);
/* The chunk for the next row; a new one if all are full. */
kiln_status kiln_archetype_open(kiln_world *world, archetype *a, kiln_chunk **ret_chunk);

bool kiln_archetype_is_valid(const kiln_world *world, const archetype *a);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
