/* The state of a printer, and two layout checks that several output formats share. */
#include "insp_printer.h"

#include "insp_memory.h"

enum { VECTOR_MAX = 4 };

void insp_printer_init(insp_printer *p, insp_out *out, const insp_file *file,
                       const insp_format *format)
{
    /* insp_run_printer replaces `left` with the limit of the run. */
    *p = (insp_printer){.out = out, .file = file, .format = format, .left = 1000000, .first = true};
    p->kind.data = "";
}

void insp_printer_fini(insp_printer *p)
{
    insp_path_fini(&p->path);
    insp_free(p->levels);
    p->levels = NULL;
    p->level_count = p->level_capacity = 0;
}

static bool is_short(kiln_kind kind)
{
    return kind == KILN_KIND_BOOL || kiln_kind_is_integer(kind) || kiln_kind_is_float(kind) ||
           kind == KILN_KIND_ENUM;
}

bool insp_is_flow(const kiln_value *value)
{
    kiln_kind kind = value->of->kind;
    if (kind != KILN_KIND_ARRAY && kind != KILN_KIND_FIXED)
        return false;
    return is_short(kiln_types_get(value->types, value->of->element)->kind);
}

bool insp_is_vector(const kiln_value *value)
{
    const kiln_type *of = value->of;
    uint32_t i;
    if (of->kind != KILN_KIND_STRUCT || of->member_count > VECTOR_MAX)
        return false;
    for (i = 0; i < of->member_count; i++) {
        kiln_kind kind = kiln_types_get(value->types, of->members[i].type)->kind;
        if (!kiln_kind_is_integer(kind) && !kiln_kind_is_float(kind))
            return false;
    }
    return true;
}
