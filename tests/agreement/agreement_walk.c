/* Generates the code that reads a value with the calls of a generated header. */
#include "agreement_writer.h"

static void put_literal(code *c, const char *text)
{
    fputc('"', c->out);
    for (const char *at = text; *at; at++)
        fprintf(c->out, "\\%03o", (unsigned)(unsigned char)*at);
    fputc('"', c->out);
}

static void put_walk(code *c, uint32_t number, const char *value);

static void put_walk_ref(code *c, const kiln_type *type, uint32_t number, const char *value)
{
    if (type->element == KILN_TYPE_NONE) {
        fprintf(c->out, "    trace_uint(t, %s);\n", value);
        return;
    }
    fprintf(c->out, "    trace_uint(t, %s.id);\n", value);
    fprintf(c->out, "    if (!%s_get(file, %s, NULL))\n        trace_wrong(t, \"ref_get\");\n",
            name_of(c, number)->stem, value);
}

static void put_walk(code *c, uint32_t number, const char *value)
{
    const kiln_type *type = type_of(c, number);
    const char *stem = name_of(c, number)->stem;
    unsigned loop;
    switch (type->kind) {
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        fprintf(c->out, "    trace_%s(t, %s);\n", kiln_kind_name(type->kind), value);
        break;
    case KILN_KIND_STRING:
        fprintf(c->out, "    trace_text(t, kiln_string_get(&%s), %s.length);\n", value, value);
        break;
    case KILN_KIND_BYTES:
        fprintf(c->out, "    trace_bytes(t, kiln_bytes_get(&%s), %s.count);\n", value, value);
        break;
    case KILN_KIND_REF:
        put_walk_ref(c, type, number, value);
        break;
    case KILN_KIND_ENUM:
        fprintf(c->out, "    trace_enum(t, (uint64_t)%s, %s_name(%s));\n", value, stem, value);
        break;
    case KILN_KIND_FLAGS:
        fprintf(c->out, "    trace_uint(t, %s);\n    (void)%s_name(%s);\n", value, stem, value);
        break;
    case KILN_KIND_FIXED:
        loop = c->loops++;
        fprintf(c->out, "    for (uint32_t i%u = 0; i%u < %u; i%u++) {\n    trace_index(t, i%u);\n",
                loop, loop, (unsigned)type->count, loop, loop);
        put_walk(c, type->element, code_express(c, "%s[i%u]", value, loop));
        fprintf(c->out, "    trace_back(t);\n    }\n");
        break;
    default:
        if (has_function(type))
            fprintf(c->out, "    %s_walk_%u(file, t, &%s);\n", c->space, (unsigned)number, value);
        else
            fprintf(c->out, "    trace_%s(t, %s);\n",
                    kiln_kind_is_signed(type->kind) ? "int" : "uint", value);
    }
}

static void put_walk_list(code *c, uint32_t number)
{
    const kiln_type *type = type_of(c, number);
    const char *stem = name_of(c, number)->stem;
    fprintf(c->out,
            "    trace_count(t, v->count);\n"
            "    for (uint32_t i = 0; i < v->count; i++) {\n"
            "    trace_index(t, i);\n"
            "    if (%s_at(v, i) != %s_data(v) + i)\n        trace_wrong(t, \"at\");\n",
            stem, stem);
    put_walk(c, type->element,
             code_element(c, type->element, code_express(c, "%s_at(v, i)", stem)));
    fprintf(c->out, "    trace_back(t);\n    }\n");
}

static void put_walk_map(code *c, uint32_t number)
{
    const kiln_type *type = type_of(c, number), *key = type_of(c, type->key);
    const char *stem = name_of(c, number)->stem;
    fprintf(c->out,
            "    trace_count(t, v->count);\n"
            "    for (uint32_t i = 0; i < v->count; i++) {\n"
            "    const %s_entry *e = %s_at(v, i);\n"
            "    trace_index(t, i);\n"
            "    trace_key(t);\n",
            stem, stem);
    put_walk(c, type->key, code_element(c, type->key, "(&e->key)"));
    fprintf(c->out, "    trace_back(t);\n");
    put_walk(c, type->element, code_element(c, type->element, "(&e->value)"));
    fprintf(c->out, "    if (%s_find(v, %s) != &e->value)\n        trace_wrong(t, \"find\");\n",
            stem,
            key->kind == KILN_KIND_STRING  ? "kiln_string_get(&e->key), e->key.length"
            : key->kind == KILN_KIND_FIXED ? "&e->key"
                                           : "e->key");
    if (key->kind == KILN_KIND_STRING)
        fprintf(c->out,
                "    if (%s_find(v, \"no such key\", 11))\n        trace_wrong(t, \"found\");\n",
                stem);
    fprintf(c->out, "    trace_back(t);\n    }\n");
}

static void put_walk_union(code *c, uint32_t number)
{
    const kiln_type *type = type_of(c, number);
    fprintf(c->out, "    trace_count(t, v->tag);\n");
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint32_t of = type->members[i].type;
        if (of == KILN_TYPE_NONE)
            continue;
        fprintf(c->out,
                "    if ((v->tag == %s) != (%s(v) != NULL))\n        trace_wrong(t, \"get\");\n"
                "    if (%s(v)) {\n    trace_name(t, ",
                name_of(c, number)->members[i], c->gets[number][i], c->gets[number][i]);
        put_literal(c, type->members[i].name);
        fprintf(c->out, ");\n");
        put_walk(c, of, code_element(c, of, code_express(c, "%s(v)", c->gets[number][i])));
        fprintf(c->out, "    trace_back(t);\n    }\n");
    }
}

void code_put_walk_function(code *c, uint32_t number)
{
    const kiln_type *type = type_of(c, number);
    const bake_c_type_name *name = name_of(c, number);
    fprintf(c->out,
            "static inline void %s_walk_%u(kiln_file *file, value_trace *t, const %s *v)\n{\n"
            "    (void)file;\n    (void)v;\n    (void)t;\n",
            c->space, (unsigned)number, name->spelling);
    switch (type->kind) {
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++) {
            fprintf(c->out, "    trace_name(t, ");
            put_literal(c, type->members[i].name);
            fprintf(c->out, ");\n");
            put_walk(c, type->members[i].type, code_express(c, "v->%s", name->members[i]));
            fprintf(c->out, "    trace_back(t);\n");
        }
        break;
    case KILN_KIND_UNION:
        put_walk_union(c, number);
        break;
    case KILN_KIND_ARRAY:
        put_walk_list(c, number);
        break;
    case KILN_KIND_MAP:
        put_walk_map(c, number);
        break;
    default:
        fprintf(c->out, "    trace_count(t, %s_get(v) != NULL);\n    if (%s_get(v)) {\n",
                name->stem, name->stem);
        put_walk(c, type->element,
                 code_element(c, type->element, code_express(c, "%s_get(v)", name->stem)));
        fprintf(c->out, "    }\n");
    }
    fprintf(c->out, "}\n\n");
}
