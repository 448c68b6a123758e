/* Creates and destroys conversions: kiln/convert.h. A conversion is compiled once from two lists of
 * types (convert_compile.c) and then run on any number of blobs (convert_run.c). It is immutable,
 * so several threads may run it. */
#include <kiln/convert.h>

#include "convert_compile.h"
#include "def_cookie.h"

#include <string.h>

enum { CONVERT_BLOCK = 4096 };

kiln_conversion_def kiln_conversion_def_default(void)
{
    kiln_conversion_def def = {
        .from_type = KILN_TYPE_NONE, .to_type = KILN_TYPE_NONE, .cookie = DEF_COOKIE};
    return def;
}

static bool is_struct(const kiln_types *types, uint32_t type)
{
    const kiln_type *of = types ? kiln_types_get(types, type) : NULL;
    return of && of->kind == KILN_KIND_STRUCT;
}

static kiln_status compile(kiln_conversion *c, kiln_error *reterr)
{
    convert_compiler k = {.c = c, .reterr = reterr};
    kiln_status status = kiln_convert_compile(&k);
    kiln_vector_fini(&k.open, &c->allocator, sizeof(convert_step));
    kiln_hash_table_fini(&k.row_numbers, &c->allocator);
    kiln_hash_table_fini(&k.target_numbers, &c->allocator);
    kiln_hash_table_fini(&k.table_numbers, &c->allocator);
    return status;
}

kiln_status kiln_conversion_create(const kiln_conversion_def *def, kiln_conversion **ret_conversion,
                                   kiln_error *reterr)
{
    if (!def_is_set(def->cookie) || !is_struct(def->from, def->from_type) ||
        !is_struct(def->to, def->to_type))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_allocator a = allocator_or_default(def->allocator);
    kiln_conversion *c = a.alloc(a.ctx, sizeof *c, _Alignof(kiln_conversion));
    if (!c)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(c, 0, sizeof *c);
    c->allocator = a;
    c->from = def->from;
    c->to = def->to;
    c->from_type = def->from_type;
    c->to_type = def->to_type;
    c->skip_hash = def->skip_hash;
    kiln_arena_init(&c->memory, &a, CONVERT_BLOCK);
    kiln_status status = compile(c, reterr);
    if (status) {
        kiln_conversion_destroy(c);
        return status;
    }
    *ret_conversion = c;
    return KILN_OK;
}

void kiln_conversion_destroy(kiln_conversion *conversion)
{
    if (!conversion)
        return;
    kiln_allocator a = conversion->allocator;
    kiln_vector_fini(&conversion->steps, &a, sizeof(convert_step));
    kiln_vector_fini(&conversion->rows, &a, sizeof(convert_row));
    kiln_vector_fini(&conversion->targets, &a, sizeof(convert_target));
    kiln_vector_fini(&conversion->tables, &a, sizeof(convert_table));
    kiln_vector_fini(&conversion->images, &a, sizeof(convert_image));
    kiln_vector_fini(&conversion->pool, &a, 1);
    kiln_arena_fini(&conversion->memory);
    a.free(a.ctx, conversion, sizeof *conversion);
}

kiln_convert_need kiln_conversion_need(const kiln_conversion *conversion)
{
    return conversion->need;
}

bool kiln_conversion_may_refuse(const kiln_conversion *conversion)
{
    return conversion->may_refuse;
}
