/* The texts are written by the functions of the JSON format, so that they follow its rules. */
#include "insp_json_plan.h"

#include "insp_escape.h"
#include "insp_format.h"
#include "insp_memory.h"

static bool has_texts(const kiln_type *of)
{
    return of->kind == KILN_KIND_STRUCT || of->kind == KILN_KIND_UNION ||
           of->kind == KILN_KIND_ENUM;
}

/* Writes the text of a member to `out`. */
static void put_text(insp_out *out, const insp_json_plan *plan, uint32_t type,
                     const kiln_member *member)
{
    const kiln_type *of = plan->rows[type].of;
    uint64_t bits = member->value;
    const unsigned char *data = (const unsigned char *)&bits;
    insp_printer p;
    kiln_value value = {plan->types, of, type, data, data, data + sizeof bits};
    insp_out_restart(out);
    if (of->kind == KILN_KIND_ENUM) {
        insp_printer_init(&p, out, NULL, &insp_format_json);
        p.format->scalar(&p, &value);
    } else {
        insp_put_json_string(out, member->name, strlen(member->name));
        insp_put(out, ": ");
    }
}

/* Adds the texts of a type at the end of `plan->texts`. */
static bool add_type(insp_json_plan *plan, insp_out *out, uint32_t type, insp_json_text *members,
                     size_t *size, size_t *capacity)
{
    const kiln_type *of = plan->rows[type].of;
    uint32_t i;
    plan->rows[type].members = members;
    for (i = 0; i < of->member_count; i++) {
        char *grown;
        put_text(out, plan, type, &of->members[i]);
        grown = insp_grow(plan->texts, capacity, *size + out->used + INSP_JSON_BLOCK, 1);
        if (!grown || *size > UINT32_MAX - out->used)
            return false;
        plan->texts = grown;
        memcpy(plan->texts + *size, out->buffer, out->used);
        members[i] = (insp_json_text){(uint32_t)*size, (uint32_t)out->used};
        *size += out->used;
    }
    return true;
}

bool insp_json_plan_init(insp_json_plan *plan, const kiln_types *types)
{
    uint32_t count = kiln_types_count(types), i;
    size_t members = 0, size = 0, capacity = 0, at = 0;
    insp_out *out = insp_alloc_unset(sizeof *out, _Alignof(insp_out));
    bool good;
    *plan = (insp_json_plan){.types = types};
    plan->rows = insp_alloc_array(count, sizeof *plan->rows);
    for (i = 0; plan->rows && i < count; i++) {
        kiln_value value = {.types = types, .of = kiln_types_get(types, i), .type = i};
        plan->rows[i].of = value.of;
        plan->rows[i].flow = insp_is_flow(&value) || insp_is_vector(&value);
        members += has_texts(value.of) ? value.of->member_count : 0;
    }
    plan->members = insp_alloc_array(members, sizeof *plan->members);
    good = out && plan->rows && plan->members;
    if (good)
        insp_out_init_text(out);
    for (i = 0; good && i < count; i++) {
        if (!has_texts(plan->rows[i].of))
            continue;
        good = add_type(plan, out, i, plan->members + at, &size, &capacity);
        at += plan->rows[i].of->member_count;
    }
    insp_free(out);
    return good;
}

void insp_json_plan_fini(insp_json_plan *plan)
{
    insp_free(plan->rows);
    insp_free(plan->members);
    insp_free(plan->texts);
    *plan = (insp_json_plan){0};
}
