/* Which data block a thread takes from next: finding one that is open and not busy, or making one.
 */
#ifndef KILN_ID_BLOCKS_H
#define KILN_ID_BLOCKS_H

#include "id_store.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Notes that the block may have a free place. */
void kiln_id_set_open(kiln_id_store *store, uint32_t number);
/* Holds the lane's block; where that is busy or there is none, the next one from the number `from`
 * on, a new one after all others. The caller sets its busy mark back. KILN_LIMIT, KILN_NO_MEMORY.
 */
kiln_status kiln_id_hold_block(kiln_id_store *store, kiln_id_lane *lane, uint32_t from,
                               kiln_id_block **ret_block);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
