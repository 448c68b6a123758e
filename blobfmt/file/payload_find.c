/* Names of payload assets, and the search for their members. */
#include "index_rules.h"
#include "lower_bound.h"

#include <kiln/payload.h>
#include <string.h>

static void write_digits(char *out, uint64_t number)
{
    for (int i = 0; i < 16; i++)
        out[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
}

void kiln_payload_name(kiln_hash128 content, char ret_name[KILN_PAYLOAD_NAME_SIZE])
{
    enum { PREFIX = sizeof "kiln.Payload/" - 1 };
    memcpy(ret_name, "kiln.Payload/", PREFIX);
    write_digits(ret_name + PREFIX, content.high);
    write_digits(ret_name + PREFIX + 16, content.low);
    ret_name[KILN_PAYLOAD_NAME_SIZE - 1] = '\0';
}

/* Members before the payload members count as below every hash. */
static bool is_below(const void *index, size_t at, const void *content)
{
    const kiln_index_member *member = kiln_index_member_at(index, (uint32_t)at);
    return !kiln_index_member_is_payload(member) ||
           kiln_hash128_compare(&member->content, content) < 0;
}

uint32_t kiln_payload_find(const kiln_index *index, kiln_hash128 content)
{
    uint32_t count = index->members.count;
    uint32_t at = (uint32_t)lower_bound(index, 0, count, is_below, &content);
    if (at == count)
        return KILN_MEMBER_NONE;
    const kiln_index_member *member = kiln_index_member_at(index, at);
    return kiln_index_member_is_payload(member) &&
                   kiln_hash128_compare(&member->content, &content) == 0
               ? at
               : KILN_MEMBER_NONE;
}
