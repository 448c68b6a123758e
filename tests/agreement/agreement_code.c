#include "agreement_code.h"

#include "c_names.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct code {
    const kiln_types *types;
    const char *space;
    bake_c_names names;
    const char ***calls; /* of structs: for each field, what comes behind `NAME_` in its call */
    const char ***gets;  /* of unions: for each alternative, its reader */
    FILE *out;
    unsigned loops; /* names of loop variables */
} code;

static const kiln_type *type_of(const code *c, uint32_t number)
{
    return kiln_types_get(c->types, number);
}

static const bake_c_type_name *name_of(const code *c, uint32_t number)
{
    return &c->names.of[number];
}

static void put_literal(code *c, const char *text)
{
    fputc('"', c->out);
    for (const char *at = text; *at; at++)
        fprintf(c->out, "\\%03o", (unsigned)(unsigned char)*at);
    fputc('"', c->out);
}

/* An expression made of others; the memory goes with the names. */
static const char *express(code *c, const char *format, ...)
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

/* Whether a type has a pair of functions of its own. */
static bool has_function(const kiln_type *type)
{
    return type->kind == KILN_KIND_STRUCT || type->kind == KILN_KIND_UNION ||
           type->kind == KILN_KIND_ARRAY || type->kind == KILN_KIND_MAP ||
           type->kind == KILN_KIND_OPTIONAL;
}

/* A value where it is an element: a fixed array has a struct around it there. */
static const char *element(code *c, uint32_t number, const char *pointer)
{
    return express(c, type_of(c, number)->kind == KILN_KIND_FIXED ? "(%s)->v" : "(*%s)", pointer);
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
        put_walk(c, type->element, express(c, "%s[i%u]", value, loop));
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
    put_walk(c, type->element, element(c, type->element, express(c, "%s_at(v, i)", stem)));
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
    put_walk(c, type->key, element(c, type->key, "(&e->key)"));
    fprintf(c->out, "    trace_back(t);\n");
    put_walk(c, type->element, element(c, type->element, "(&e->value)"));
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
        put_walk(c, of, element(c, of, express(c, "%s(v)", c->gets[number][i])));
        fprintf(c->out, "    trace_back(t);\n    }\n");
    }
}

static void put_walk_function(code *c, uint32_t number)
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
            put_walk(c, type->members[i].type, express(c, "v->%s", name->members[i]));
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
        put_walk(c, type->element, element(c, type->element, express(c, "%s_get(v)", name->stem)));
        fprintf(c->out, "    }\n");
    }
    fprintf(c->out, "}\n\n");
}

/* `call` is what comes behind `NAME_set_`, `NAME_new_` or `NAME_choose_` where the value is a field
 * of the object `to`, else NULL. */
static void put_copy(code *c, uint32_t number, const char *to, const char *from,
                     const char *set_call);

static void put_copy_text(code *c, const kiln_type *type, const char *to, const char *from,
                          const char *set_call)
{
    bool is_text = type->kind == KILN_KIND_STRING;
    const char *get = express(c, "kiln_%s_get(&%s), %s.%s", is_text ? "string" : "bytes", from,
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
        put_copy(c, type->element, express(c, "%s[i%u]", to, loop),
                 express(c, "%s[i%u]", from, loop), NULL);
        fprintf(c->out, "    }\n");
        break;
    default:
        if (has_function(type))
            fprintf(c->out, "    %s_copy_%u(b, &%s, &%s);\n", c->space, (unsigned)number, to, from);
        else
            fprintf(c->out, "    %s = %s;\n", to, from);
    }
}

/* Entries backwards, so that finish has them to sort. `begin` gives the view. */
static void put_copy_elements(code *c, uint32_t number, const char *begin, const char *from)
{
    const kiln_type *type = type_of(c, number);
    const char *stem = name_of(c, number)->stem;
    bool is_map = type->kind == KILN_KIND_MAP;
    const char *elements = is_map ? express(c, "%s_entry", stem) : name_of(c, type->element)->stem;
    fprintf(c->out,
            "    {\n    %s_view w = %s;\n"
            "    for (uint32_t i = 0; w.data && i < (%s)->count; i++) {\n",
            elements, begin, from);
    if (is_map) {
        fprintf(c->out,
                "    %s *n = %s_view_at(w, w.count - 1 - i);\n    const %s *e = %s_at(%s, i);\n",
                elements, elements, elements, stem, from);
        put_copy(c, type->key, element(c, type->key, "(&n->key)"),
                 element(c, type->key, "(&e->key)"), NULL);
        put_copy(c, type->element, element(c, type->element, "(&n->value)"),
                 element(c, type->element, "(&e->value)"), NULL);
    } else if (type_of(c, type->element)->kind == KILN_KIND_STRING) {
        fprintf(c->out,
                "    const kiln_string *e = %s_at(%s, i);\n"
                "    kiln_string_view_set(w, i, kiln_string_get(e), e->length);\n",
                stem, from);
    } else {
        fprintf(c->out, "    %s *n = %s_view_at(w, i);\n    const %s *e = %s_at(%s, i);\n",
                name_of(c, type->element)->spelling, elements, name_of(c, type->element)->spelling,
                stem, from);
        put_copy(c, type->element, element(c, type->element, "n"), element(c, type->element, "e"),
                 NULL);
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
        put_copy(c, of, element(c, of, "n"), element(c, of, "e"), NULL);
        fprintf(c->out, "    }\n    }\n");
    }
}

/* A field whose type has a call of its own for it. */
static void put_copy_field(code *c, uint32_t number, uint32_t i)
{
    const kiln_member *member = &type_of(c, number)->members[i];
    const kiln_type *type = type_of(c, member->type);
    const char *call = c->calls[number][i];
    const char *field = name_of(c, number)->members[i];
    const char *to = express(c, "to->%s", field), *from = express(c, "from->%s", field);
    if (type->kind == KILN_KIND_ARRAY || type->kind == KILN_KIND_MAP) {
        put_copy_elements(c, member->type, express(c, "%s(b, to, %s.count)", call, from),
                          express(c, "(&%s)", from));
    } else if (type->kind == KILN_KIND_OPTIONAL) {
        const char *stem = name_of(c, member->type)->stem;
        const char *spelling = name_of(c, type->element)->spelling;
        fprintf(c->out,
                "    if (%s_get(&%s)) {\n    %s *n = %s(b, to);\n    const %s *e = %s_get(&%s);\n"
                "    if (n) {\n",
                stem, from, spelling, call, spelling, stem, from);
        put_copy(c, type->element, element(c, type->element, "n"), element(c, type->element, "e"),
                 NULL);
        fprintf(c->out, "    }\n    }\n");
    } else {
        put_copy(c, member->type, to, from, call);
    }
}

static void put_copy_function(code *c, uint32_t number)
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
        /* The plain call knows no alignment beyond the element's. */
        if (type->align_at)
            fprintf(c->out,
                    "    %s_view raw = {b, NULL, 0};\n"
                    "    raw.data = (%s *)kiln_builder_array(b, to, from->count, sizeof(%s), %u);\n"
                    "    raw.count = raw.data ? from->count : 0;\n",
                    name_of(c, type->element)->stem, name_of(c, type->element)->spelling,
                    name_of(c, type->element)->spelling, (unsigned)type->target_align);
        put_copy_elements(
            c, number,
            type->align_at ? "raw" : express(c, "%s_new(b, to, from->count)", name->stem), "from");
        break;
    case KILN_KIND_MAP:
        put_copy_elements(c, number, express(c, "%s_new(b, to, from->count)", name->stem), "from");
        break;
    default:
        fprintf(c->out,
                "    const %s *e = %s_get(from);\n    %s *n = e ? %s_new(b, to) : NULL;\n"
                "    if (n) {\n",
                name_of(c, type->element)->spelling, name->stem,
                name_of(c, type->element)->spelling, name->stem);
        put_copy(c, type->element, element(c, type->element, "n"), element(c, type->element, "e"),
                 NULL);
        fprintf(c->out, "    }\n");
    }
    fprintf(c->out, "}\n\n");
}

/* What the header calls its readers of unions and its calls on fields: named in the same order. */
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
            /* The calls of a union's field take names too. */
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
            put_walk_function(&c, n);
            put_copy_function(&c, n);
        }
    put_entry_points(&c);
    bake_c_names_fini(&c.names);
    return true;
}
