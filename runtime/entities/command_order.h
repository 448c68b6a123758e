/* The order in which the segments of several command buffers are played. */
#ifndef KILN_COMMAND_ORDER_H
#define KILN_COMMAND_ORDER_H

#include "command_buffer.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The turns of all segments in the order of playing, `*ret_turns` in memory of the first buffer's.
 * KILN_DUPLICATE: two of the buffers have one key. */
kiln_status kiln_command_order(kiln_commands *const *buffers, uint32_t count,
                               const command_turn **ret_turns, size_t *ret_count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
