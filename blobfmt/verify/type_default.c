/* Sets the default of a field: rule T10. A default is a payload without a header. Programs use it
 * where a field has no value, so it must be as valid as any other payload. This file is not in
 * types/ because it needs the verifier. */
#include <kiln/verify.h>

#include "type_list.h"

#include <string.h>

kiln_status kiln_types_set_default(kiln_types *types, uint32_t type, uint32_t member,
                                   kiln_span image, kiln_error *reterr)
{
    if (type >= types->count || types->types[type].kind != KILN_KIND_STRUCT ||
        member >= types->types[type].member_count)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    const kiln_member *m = &types->types[type].members[member];
    if (image.size == 0 || image.size > KILN_PAYLOAD_MAX)
        return kiln_type_fail(reterr, KILN_T_DEFAULT, types, type, m);
    unsigned char *copy = kiln_arena_alloc(&types->memory, image.size, 16);
    if (!copy)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memcpy(copy, image.data, image.size);
    kiln_status status = kiln_verify_image(types, kiln_types_default_type(types, m->type),
                                           (kiln_span){copy, image.size}, &types->allocator, NULL);
    if (status == KILN_NO_MEMORY)
        return kiln_fail(reterr, status, 0, NULL);
    if (status)
        return kiln_type_fail(reterr, KILN_T_DEFAULT, types, type, m);
    /* The list owns its members; they are const only for readers. */
    kiln_member *own = (kiln_member *)(uintptr_t)m;
    own->default_image = copy;
    own->default_size = (uint32_t)image.size;
    return KILN_OK;
}
