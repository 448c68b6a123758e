/* Sorts the segments of all buffers by key: a radix sort, least significant digit first.
 *
 * The sort is stable, so segments of one buffer with the same key keep the order of recording.
 * Digits in which all keys agree are skipped, and so is sorting if the segments are already in
 * order. Time and memory are linear in the number of segments. The first buffer owns the memory and
 * keeps it for the next playback. */
#include "command_order.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* Sorts by one digit of the key. Turns with the same digit keep their order. */
static void sort_by_digit(const command_turn *from, command_turn *to, size_t count, unsigned shift)
{
    size_t starts[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; i++)
        starts[(from[i].key >> shift) % DIGITS + 1]++;
    for (size_t digit = 0; digit < DIGITS; digit++)
        starts[digit + 1] += starts[digit];
    for (size_t i = 0; i < count; i++)
        to[starts[(from[i].key >> shift) % DIGITS]++] = from[i];
}

/* Properties of the turns, in the order of buffers, that determine how they are sorted. */
typedef struct turn_facts {
    size_t count;
    uint64_t differ; /* bits in which keys differ */
    bool is_sorted;
} turn_facts;

static turn_facts list_turns(kiln_commands *const *buffers, uint32_t count, command_turn *turns)
{
    turn_facts facts = {0, 0, true};
    for (uint32_t buffer = 0; buffer < count; buffer++) {
        const kiln_commands *commands = buffers[buffer];
        uint32_t after = (uint32_t)commands->count;
        for (size_t i = commands->segment_count; i-- > 0;) {
            const command_segment *segment = &commands->segments[i];
            turns[facts.count + i] =
                (command_turn){segment->key, buffer, segment->place, after - segment->before};
            after = segment->before;
        }
        facts.count += commands->segment_count;
    }
    for (size_t i = 1; i < facts.count; i++) {
        facts.differ |= turns[i].key ^ turns[0].key;
        facts.is_sorted = facts.is_sorted && turns[i - 1].key <= turns[i].key;
    }
    return facts;
}

static bool has_shared_key(const command_turn *turns, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (turns[i].key == turns[i - 1].key && turns[i].buffer != turns[i - 1].buffer)
            return true;
    return false;
}

kiln_status kiln_command_order(kiln_commands *const *buffers, uint32_t count,
                               const command_turn **ret_turns, size_t *ret_count)
{
    size_t segments = 0;
    for (uint32_t i = 0; i < count; i++)
        segments += buffers[i]->segment_count;
    *ret_count = segments;
    if (segments == 0)
        return KILN_OK;
    kiln_commands *first = buffers[0];
    command_turn *turns = kiln_grow(&first->allocator, first->turns, &first->turn_capacity,
                                    2 * segments, sizeof *turns);
    if (!turns)
        return KILN_NO_MEMORY;
    first->turns = turns;
    turn_facts facts = list_turns(buffers, count, turns);
    command_turn *sorted = turns, *spare = turns + segments;
    for (unsigned shift = 0; !facts.is_sorted && shift < 64; shift += DIGIT_BITS) {
        if ((facts.differ >> shift) % DIGITS == 0)
            continue;
        sort_by_digit(sorted, spare, segments, shift);
        command_turn *swap = sorted;
        sorted = spare;
        spare = swap;
    }
    if (has_shared_key(sorted, segments))
        return KILN_DUPLICATE;
    *ret_turns = sorted;
    return KILN_OK;
}
