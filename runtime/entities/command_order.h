/* Determines the order in which the segments of several command buffers are played. */
#ifndef KILN_COMMAND_ORDER_H
#define KILN_COMMAND_ORDER_H

#include "command_buffer.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Lists all segments in the order of playback. The first buffer owns `*ret_turns`. KILN_DUPLICATE:
 * two buffers have a segment with the same key. */
kiln_status kiln_command_order(kiln_commands *const *buffers, uint32_t count,
                               const command_turn **ret_turns, size_t *ret_count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
