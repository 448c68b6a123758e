#include "agreement_code.h"

#include "agreement_writer.h"

#include <stdarg.h>
#include <stdlib.h>

const char *code_express(code *c, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text)
        abort();
    return bake_c_name(&c->names, "%s", text);
}

const char *code_element(code *c, uint32_t number, const char *pointer)
{
    return code_express(c, type_of(c, number)->kind == KILN_KIND_FIXED ? "(%s)->v" : "(*%s)",
                        pointer);
}

/* Names the header's readers of unions and setters of fields, in the order in which the header
 * generator assigns names. */
static void name_calls(code *c)
{
    uint32_t count = kiln_types_count(c->types);
    c->gets = bake_c_name_alloc(&c->names, count * sizeof *c->gets);
    c->calls = bake_c_name_alloc(&c->names, count * sizeof *c->calls);
    for (uint32_t n = 0; n < count; n++) {
        const kiln_type *type = type_of(c, n);
        const bake_c_type_name *name = name_of(c, n);
        if (type->kind != KILN_KIND_UNION)
            continue;
        c->gets[n] = bake_c_name_alloc(&c->names, type->member_count * sizeof **c->gets);
        for (uint32_t i = 0; i < type->member_count; i++)
            if (type->members[i].type != KILN_TYPE_NONE)
                c->gets[n][i] = bake_c_name_unique(
                    &c->names, bake_c_name(&c->names, "%s_get_%s", name->stem, name->words[i]));
    }
    for (uint32_t n = 0; n < count; n++) {
        const kiln_type *type = type_of(c, n);
        const bake_c_type_name *name = name_of(c, n);
        if (type->kind != KILN_KIND_STRUCT)
            continue;
        c->calls[n] = bake_c_name_alloc(&c->names, (type->member_count + 1) * sizeof **c->calls);
        for (uint32_t i = 0; i < type->member_count; i++) {
            kiln_kind kind = type_of(c, type->members[i].type)->kind;
            bool sets = kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES;
            bool makes =
                kind == KILN_KIND_ARRAY || kind == KILN_KIND_MAP || kind == KILN_KIND_OPTIONAL;
            c->calls[n][i] = sets || makes
                                 ? bake_c_name_unique(
                                       &c->names, bake_c_name(&c->names, "%s_%s_%s", name->stem,
                                                              sets ? "set" : "new", name->words[i]))
                                 : NULL;
            /* The setters of a union field also reserve names. */
            for (uint32_t j = 0;
                 kind == KILN_KIND_UNION && j < type_of(c, type->members[i].type)->member_count;
                 j++)
                bake_c_name_unique(
                    &c->names, bake_c_name(&c->names, "%s_choose_%s_%s", name->stem, name->words[i],
                                           name_of(c, type->members[i].type)->words[j]));
        }
    }
}

static void put_entry_points(code *c)
{
    uint32_t count = kiln_types_count(c->types);
    const char *space = c->space;
    fprintf(c->out,
            "static bool %s_walk(kiln_file *file, const char *name, const char *type, "
            "value_trace *t)\n{\n",
            space);
    for (uint32_t n = 0; n < count; n++)
        if (type_of(c, n)->flags & KILN_TYPE_ASSET)
            fprintf(c->out,
                    "    if (strcmp(type, \"%s\") == 0) {\n"
                    "        const %s *root = %s_find(file, name, NULL);\n"
                    "        if (root)\n            %s_walk_%u(file, t, root);\n"
                    "        return root != NULL;\n    }\n",
                    type_of(c, n)->name, name_of(c, n)->stem, name_of(c, n)->stem, space,
                    (unsigned)n);
    fprintf(c->out,
            "    return false;\n}\n\n"
            "static kiln_status %s_build(kiln_file *file, const char *name, const char *type,\n"
            "    kiln_builder *b, const kiln_types *types, kiln_buffer *ret_blob, "
            "kiln_error *reterr)\n{\n",
            space);
    for (uint32_t n = 0; n < count; n++)
        if (type_of(c, n)->flags & KILN_TYPE_ASSET)
            fprintf(c->out,
                    "    if (strcmp(type, \"%s\") == 0) {\n"
                    "        const %s *root = %s_find(file, name, NULL);\n"
                    "        %s *to = %s_new(b);\n"
                    "        if (root && to)\n            %s_copy_%u(b, to, root);\n"
                    "        return %s_finish(b, types, true, ret_blob, reterr);\n    }\n",
                    type_of(c, n)->name, name_of(c, n)->stem, name_of(c, n)->stem,
                    name_of(c, n)->stem, name_of(c, n)->stem, space, (unsigned)n,
                    name_of(c, n)->stem);
    fprintf(c->out,
            "    return KILN_NOT_FOUND;\n}\n\n"
            "static const agreement_schema %s_schema = {\"%s\", %s_walk, %s_build, %s_types, "
            "%s_types_create};\n\n",
            space, space, space, space, space, space);
}

bool agreement_code_write(const kiln_types *types, const char *name, FILE *out)
{
    code c = {.types = types, .space = name, .out = out};
    kiln_error error;
    if (bake_c_names_init(&c.names, types, NULL, &error)) {
        fprintf(stderr, "%s: %s: %s\n", name, kiln_status_text(error.status), error.path);
        bake_c_names_fini(&c.names);
        return false;
    }
    name_calls(&c);
    fprintf(out, "#include \"%s.h\"\n\n", name);
    for (uint32_t n = 0; n < c.names.count; n++)
        if (has_function(type_of(&c, n)))
            fprintf(out,
                    "static inline void %s_walk_%u(kiln_file *file, value_trace *t, const %s *v);\n"
                    "static inline void %s_copy_%u(kiln_builder *b, %s *to, const %s *from);\n",
                    name, (unsigned)n, name_of(&c, n)->spelling, name, (unsigned)n,
                    name_of(&c, n)->spelling, name_of(&c, n)->spelling);
    for (uint32_t n = 0; n < c.names.count; n++)
        if (has_function(type_of(&c, n))) {
            code_put_walk_function(&c, n);
            code_put_copy_function(&c, n);
        }
    put_entry_points(&c);
    bake_c_names_fini(&c.names);
    return true;
}
