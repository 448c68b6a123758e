/* Generates the code that rebuilds a value with the calls of a generated header. */
#include "agreement_writer.h"

/* `set_call` is the name of the function that sets the value in the object `to` if the value is a
 * string or bytes field, else NULL. */
static void put_copy(code *c, uint32_t number, const char *to, const char *from,
                     const char *set_call);

static void put_copy_text(code *c, const kiln_type *type, const char *to, const char *from,
                          const char *set_call)
{
    bool is_text = type->kind == KILN_KIND_STRING;
    const char *get = code_express(c, "kiln_%s_get(&%s), %s.%s", is_text ? "string" : "bytes", from,
                                   from, is_text ? "length" : "count");
    if (set_call)
        fprintf(c->out, "    %s(b, to, %s);\n", set_call, get);
    else if (is_text)
        fprintf(c->out, "    kiln_builder_string(b, &%s, %s);\n", to, get);
    else
        fprintf(c->out, "    kiln_builder_bytes(b, &%s, %s, %u);\n", to, get,
                (unsigned)type->target_align);
}

static void put_copy(code *c, uint32_t number, const char *to, const char *from,
                     const char *set_call)
{
    const kiln_type *type = type_of(c, number);
    unsigned loop;
    switch (type->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        put_copy_text(c, type, to, from, set_call);
        break;
    case KILN_KIND_FIXED:
        loop = c->loops++;
        fprintf(c->out, "    for (uint32_t i%u = 0; i%u < %u; i%u++) {\n", loop, loop,
                (unsigned)type->count, loop);
        put_copy(c, type->element, code_express(c, "%s[i%u]", to, loop),
                 code_express(c, "%s[i%u]", from, loop), NULL);
        fprintf(c->out, "    }\n");
        break;
    default:
        if (has_function(type))
            fprintf(c->out, "    %s_copy_%u(b, &%s, &%s);\n", c->space, (unsigned)number, to, from);
        else
            fprintf(c->out, "    %s = %s;\n", to, from);
    }
}

/* Copies map entries in reverse order, so that the builder must sort them. `begin` is the
 * expression that creates the view. */
static void put_copy_elements(code *c, uint32_t number, const char *begin, const char *from)
{
    const kiln_type *type = type_of(c, number);
    const char *stem = name_of(c, number)->stem;
    bool is_map = type->kind == KILN_KIND_MAP;
    const char *elements =
        is_map ? code_express(c, "%s_entry", stem) : name_of(c, type->element)->stem;
    fprintf(c->out,
            "    {\n    %s_view w = %s;\n"
            "    for (uint32_t i = 0; w.data && i < (%s)->count; i++) {\n",
            elements, begin, from);
    if (is_map) {
        fprintf(c->out,
                "    %s *n = %s_view_at(w, w.count - 1 - i);\n    const %s *e = %s_at(%s, i);\n",
                elements, elements, elements, stem, from);
        put_copy(c, type->key, code_element(c, type->key, "(&n->key)"),
                 code_element(c, type->key, "(&e->key)"), NULL);
        put_copy(c, type->element, code_element(c, type->element, "(&n->value)"),
                 code_element(c, type->element, "(&e->value)"), NULL);
    } else if (type_of(c, type->element)->kind == KILN_KIND_STRING) {
        fprintf(c->out,
                "    const kiln_string *e = %s_at(%s, i);\n"
                "    kiln_string_view_set(w, i, kiln_string_get(e), e->length);\n",
                stem, from);
    } else {
        fprintf(c->out, "    %s *n = %s_view_at(w, i);\n    const %s *e = %s_at(%s, i);\n",
                name_of(c, type->element)->spelling, elements, name_of(c, type->element)->spelling,
                stem, from);
        put_copy(c, type->element, code_element(c, type->element, "n"),
                 code_element(c, type->element, "e"), NULL);
    }
    fprintf(c->out, "    }\n    }\n");
}

static void put_copy_union(code *c, uint32_t number)
{
    const kiln_type *type = type_of(c, number);
    const bake_c_type_name *name = name_of(c, number);
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint32_t of = type->members[i].type;
        fprintf(c->out, "    if (from->tag == %s) {\n", name->members[i]);
        if (of == KILN_TYPE_NONE) {
            fprintf(c->out, "    %s(b, to);\n    }\n", name->choices[i]);
            continue;
        }
        fprintf(c->out, "    %s *n = %s(b, to);\n    const %s *e = %s(from);\n    if (n && e) {\n",
                name_of(c, of)->spelling, name->choices[i], name_of(c, of)->spelling,
                c->gets[number][i]);
        put_copy(c, of, code_element(c, of, "n"), code_element(c, of, "e"), NULL);
        fprintf(c->out, "    }\n    }\n");
    }
}

/* Writes the code that copies field `i` of the struct. */
static void put_copy_field(code *c, uint32_t number, uint32_t i)
{
    const kiln_member *member = &type_of(c, number)->members[i];
    const kiln_type *type = type_of(c, member->type);
    const char *call = c->calls[number][i];
    const char *field = name_of(c, number)->members[i];
    const char *to = code_express(c, "to->%s", field), *from = code_express(c, "from->%s", field);
    if (type->kind == KILN_KIND_ARRAY || type->kind == KILN_KIND_MAP) {
        put_copy_elements(c, member->type, code_express(c, "%s(b, to, %s.count)", call, from),
                          code_express(c, "(&%s)", from));
    } else if (type->kind == KILN_KIND_OPTIONAL) {
        const char *stem = name_of(c, member->type)->stem;
        const char *spelling = name_of(c, type->element)->spelling;
        fprintf(c->out,
                "    if (%s_get(&%s)) {\n    %s *n = %s(b, to);\n    const %s *e = %s_get(&%s);\n"
                "    if (n) {\n",
                stem, from, spelling, call, spelling, stem, from);
        put_copy(c, type->element, code_element(c, type->element, "n"),
                 code_element(c, type->element, "e"), NULL);
        fprintf(c->out, "    }\n    }\n");
    } else {
        put_copy(c, member->type, to, from, call);
    }
}

void code_put_copy_function(code *c, uint32_t number)
{
    const kiln_type *type = type_of(c, number);
    const bake_c_type_name *name = name_of(c, number);
    fprintf(c->out,
            "static inline void %s_copy_%u(kiln_builder *b, %s *to, const %s *from)\n{\n"
            "    (void)b;\n    (void)to;\n    (void)from;\n",
            c->space, (unsigned)number, name->spelling, name->spelling);
    switch (type->kind) {
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++)
            put_copy_field(c, number, i);
        break;
    case KILN_KIND_UNION:
        put_copy_union(c, number);
        break;
    case KILN_KIND_ARRAY:
        /* `NAME_new` aligns an array only as its elements require. */
        if (type->align_at)
            fprintf(c->out,
                    "    %s_view raw = {b, NULL, 0};\n"
                    "    raw.data = (%s *)kiln_builder_array(b, to, from->count, sizeof(%s), %u);\n"
                    "    raw.count = raw.data ? from->count : 0;\n",
                    name_of(c, type->element)->stem, name_of(c, type->element)->spelling,
                    name_of(c, type->element)->spelling, (unsigned)type->target_align);
        put_copy_elements(
            c, number,
            type->align_at ? "raw" : code_express(c, "%s_new(b, to, from->count)", name->stem),
            "from");
        break;
    case KILN_KIND_MAP:
        put_copy_elements(c, number, code_express(c, "%s_new(b, to, from->count)", name->stem),
                          "from");
        break;
    default:
        fprintf(c->out,
                "    const %s *e = %s_get(from);\n    %s *n = e ? %s_new(b, to) : NULL;\n"
                "    if (n) {\n",
                name_of(c, type->element)->spelling, name->stem,
                name_of(c, type->element)->spelling, name->stem);
        put_copy(c, type->element, code_element(c, type->element, "n"),
                 code_element(c, type->element, "e"), NULL);
        fprintf(c->out, "    }\n");
    }
    fprintf(c->out, "}\n\n");
}
