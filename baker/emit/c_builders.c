/* Typed builder functions. They accept the NULL that an earlier call returned on failure, and the
 * builder stores the first error. So a sequence of calls needs only one check at its end. */
#include "c_writer.h"

#include <stdio.h>

/* A number as a string, returned by value so that callers need no buffer. */
typedef struct digits {
    char text[16];
} digits;

static digits decimal(uint32_t number)
{
    digits d;
    snprintf(d.text, sizeof d.text, "%u", (unsigned)number);
    return d;
}

/* Writes the view type `<element>_view`. */
static void put_view(bake_c_writer *w, const char *element, const char *spelling)
{
    bake_c_begin_guard(w, bake_c_name(&w->names, "%s_view", element));
    BAKE_C_EMIT(&w->text,
                "/* New, zeroed elements. If i >= count, `$1_view_at` returns NULL and sets\n"
                " * KILN_BAD_ARGUMENT on the builder. */\n"
                "typedef struct $1_view {\n"
                "    kiln_builder *builder;\n"
                "    $2 *data;\n"
                "    uint32_t count;\n"
                "} $1_view;\n"
                "static inline $2 *$1_view_at($1_view view, uint32_t i)\n"
                "{\n"
                "    if (i < view.count)\n"
                "        return view.data + i;\n"
                "    kiln_builder_set_error(view.builder, KILN_BAD_ARGUMENT);\n"
                "    return NULL;\n"
                "}\n",
                element, spelling);
    bake_c_end_guard(w);
}

/* Writes the body of a function that creates `count` elements for `field`. */
static void put_view_body(bake_c_writer *w, const char *view, const char *spelling,
                          const char *field, uint32_t align)
{
    BAKE_C_EMIT(&w->text,
                "{\n"
                "    $1 view = {builder, NULL, 0};\n"
                "    if ($3)\n"
                "        view.data = ($2 *)kiln_builder_array(builder, $4, count,\n"
                "                                             (uint32_t)sizeof($2), $5);\n"
                "    else\n"
                "        kiln_builder_set_error(builder, KILN_BAD_ARGUMENT);\n"
                "    if (view.data)\n"
                "        view.count = count;\n"
                "    return view;\n"
                "}\n",
                /* The address of a member is never NULL, so for `&object->field` check the
                 * object. */
                view, spelling, field[0] == '&' ? "object" : field, field, decimal(align).text);
}

/* Writes the function that points `field` at the object of `other`; `share` is its body. */
static void put_share(bake_c_writer *w, const char *name, const char *share)
{
    BAKE_C_EMIT(&w->text,
                "/* Points `field` at the object of `other`, which must already be set. */\n"
                "static inline bool $1_share(kiln_builder *builder, $1 *field, const $1 *other)\n"
                "{\n"
                "    if (field && other) {\n"
                "$2"
                "    }\n"
                "    kiln_builder_set_error(builder, KILN_BAD_ARGUMENT);\n"
                "    return false;\n"
                "}\n",
                name, share);
}

static const char share_field[] = "        return kiln_builder_share(builder, field, other);\n";
static const char share_choice[] =
    "        field->tag = other->tag;\n"
    "        return kiln_builder_share(builder, &field->value, &other->value);\n";

/* The view of the elements of an array or map, and the C type of an element. */
typedef struct element_name {
    const char *view, *spelling;
} element_name;

static element_name element_of(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    if (type->kind == KILN_KIND_MAP) {
        const char *entry = bake_c_name(&w->names, "%s_entry", bake_c_name_of(w, number)->stem);
        return (element_name){bake_c_name(&w->names, "%s_view", entry), entry};
    }
    const bake_c_type_name *name = bake_c_name_of(w, type->element);
    return (element_name){bake_c_name(&w->names, "%s_view", name->stem), name->spelling};
}

static void put_list_calls(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *stem = bake_c_name_of(w, number)->stem;
    element_name element = element_of(w, number);
    uint32_t align =
        type->kind == KILN_KIND_MAP ? type->entry_align : bake_c_type(w, type->element)->align;
    bake_c_begin_guard_of(w, number, "new");
    BAKE_C_EMIT(&w->text,
                "static inline $2 $1_new(kiln_builder *builder, $1 *field, uint32_t count)\n", stem,
                element.view);
    put_view_body(w, element.view, element.spelling, "field", align);
    put_share(w, stem, share_field);
    bake_c_end_guard(w);
}

static void put_optional_calls(bake_c_writer *w, uint32_t number)
{
    const kiln_type *element = bake_c_type(w, bake_c_type(w, number)->element);
    const char *stem = bake_c_name_of(w, number)->stem;
    bake_c_begin_guard_of(w, number, "new");
    BAKE_C_EMIT(
        &w->text,
        "static inline $2 *$1_new(kiln_builder *builder, $1 *field)\n"
        "{\n"
        "    if (field)\n"
        "        return ($2 *)kiln_builder_pointer(builder, field, (uint32_t)sizeof($2), $3);\n"
        "    kiln_builder_set_error(builder, KILN_BAD_ARGUMENT);\n"
        "    return NULL;\n"
        "}\n",
        stem, bake_c_name_of(w, bake_c_type(w, number)->element)->spelling,
        decimal(element->align).text);
    put_share(w, stem, share_field);
    bake_c_end_guard(w);
}

static void put_choice(bake_c_writer *w, uint32_t number, uint32_t i)
{
    const bake_c_type_name *name = bake_c_name_of(w, number);
    const char *choose = name->choices[i];
    uint32_t of = bake_c_type(w, number)->members[i].type;
    if (of == KILN_TYPE_NONE)
        BAKE_C_EMIT(&w->text,
                    "static inline bool $3(kiln_builder *builder, $1 *field)\n"
                    "{\n"
                    "    if (field)\n"
                    "        kiln_builder_choose(builder, field, $2, 0, 1);\n"
                    "    else\n"
                    "        kiln_builder_set_error(builder, KILN_BAD_ARGUMENT);\n"
                    "    return kiln_builder_status(builder) == KILN_OK;\n"
                    "}\n",
                    name->stem, name->members[i], choose);
    else
        BAKE_C_EMIT(&w->text,
                    "static inline $4 *$3(kiln_builder *builder, $1 *field)\n"
                    "{\n"
                    "    if (field)\n"
                    "        return ($4 *)kiln_builder_choose(builder, field, $2,\n"
                    "                                         (uint32_t)sizeof($4), $5);\n"
                    "    kiln_builder_set_error(builder, KILN_BAD_ARGUMENT);\n"
                    "    return NULL;\n"
                    "}\n",
                    name->stem, name->members[i], choose, bake_c_name_of(w, of)->spelling,
                    decimal(bake_c_type(w, of)->align).text);
}

static void put_union_calls(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const bake_c_type_name *name = bake_c_name_of(w, number);
    bake_c_begin_guard_of(w, number, "share");
    for (uint32_t i = 0; i < type->member_count; i++)
        put_choice(w, number, i);
    put_share(w, name->stem, share_choice);
    bake_c_end_guard(w);
}

/* A field of a struct, for which builder functions are written. */
typedef struct field {
    const char *struct_name; /* game_Item */
    const char *name;        /* class_ */
    const char *word;        /* class */
    const char *spelling;    /* the C type of the field */
} field;

/* Returns the name of a builder function for a field: `game_Item_set_class`. */
static const char *call_name(bake_c_writer *w, const field *f, const char *verb)
{
    return bake_c_name_unique(&w->names,
                              bake_c_name(&w->names, "%s_%s_%s", f->struct_name, verb, f->word));
}

static void put_set_call(bake_c_writer *w, const field *f, const kiln_type *type)
{
    bool is_text = type->kind == KILN_KIND_STRING;
    BAKE_C_EMIT(&w->text,
                "static inline bool $1(kiln_builder *builder, $2 *object, const $3, size_t $4)\n"
                "{\n"
                "    if (object)\n"
                "        return kiln_builder_$5(builder, &object->$6, $7);\n"
                "    kiln_builder_set_error(builder, KILN_BAD_ARGUMENT);\n"
                "    return false;\n"
                "}\n",
                call_name(w, f, "set"), f->struct_name, is_text ? "char *text" : "void *data",
                is_text ? "length" : "size", is_text ? "string" : "bytes", f->name,
                is_text ? "text, length"
                        : bake_c_name(&w->names, "data, size, %u", (unsigned)type->target_align));
}

static void put_new_list_call(bake_c_writer *w, const field *f, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    element_name element = element_of(w, number);
    BAKE_C_EMIT(&w->text,
                "static inline $3 $1(kiln_builder *builder, $2 *object, uint32_t count)\n",
                call_name(w, f, "new"), f->struct_name, element.view);
    /* The `_new` function of the type uses the alignment of the elements, so an array with its own
     * alignment needs a full body. */
    if (type->align_at)
        put_view_body(w, element.view, element.spelling,
                      bake_c_name(&w->names, "&object->%s", f->name), type->align_at);
    else
        BAKE_C_EMIT(&w->text,
                    "{\n"
                    "    return $1_new(builder, object ? &object->$2 : NULL, count);\n"
                    "}\n",
                    f->spelling, f->name);
}

static void put_new_optional_call(bake_c_writer *w, const field *f, uint32_t number)
{
    BAKE_C_EMIT(&w->text,
                "static inline $3 *$1(kiln_builder *builder, $2 *object)\n"
                "{\n"
                "    return $4_new(builder, object ? &object->$5 : NULL);\n"
                "}\n",
                call_name(w, f, "new"), f->struct_name,
                bake_c_name_of(w, bake_c_type(w, number)->element)->spelling, f->spelling, f->name);
}

static void put_choose_calls(bake_c_writer *w, const field *f, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const bake_c_type_name *choice = bake_c_name_of(w, number);
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint32_t of = type->members[i].type;
        /* One function for each alternative (`game_Item_choose_effect_damage`), because the return
         * type depends on the alternative. */
        field named = *f;
        named.word = bake_c_name(&w->names, "%s_%s", f->word, choice->words[i]);
        BAKE_C_EMIT(&w->text,
                    "static inline $3$1(kiln_builder *builder, $2 *object)\n"
                    "{\n"
                    "    return $4(builder, object ? &object->$5 : NULL);\n"
                    "}\n",
                    call_name(w, &named, "choose"), f->struct_name,
                    of == KILN_TYPE_NONE
                        ? "bool "
                        : bake_c_name(&w->names, "%s *", bake_c_name_of(w, of)->spelling),
                    choice->choices[i], f->name);
    }
}

static void put_field_calls(bake_c_writer *w, const field *f, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    switch (type->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        put_set_call(w, f, type);
        break;
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
        put_new_list_call(w, f, number);
        break;
    case KILN_KIND_OPTIONAL:
        put_new_optional_call(w, f, number);
        break;
    case KILN_KIND_UNION:
        put_choose_calls(w, f, number);
        break;
    default:
        break;
    }
}

static void put_struct_calls(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const bake_c_type_name *name = bake_c_name_of(w, number);
    bake_c_begin_guard_of(w, number, "new");
    BAKE_C_EMIT(&w->text,
                "/* Creates the root of a new blob. */\n"
                "static inline $1 *$1_new(kiln_builder *builder)\n"
                "{\n"
                "    return ($1 *)kiln_builder_root(builder, (uint32_t)sizeof($1), $2);\n"
                "}\n",
                name->stem, decimal(type->align).text);
    for (uint32_t i = 0; i < type->member_count; i++) {
        field f = {name->stem, name->members[i], name->words[i],
                   bake_c_name_of(w, type->members[i].type)->spelling};
        put_field_calls(w, &f, type->members[i].type);
    }
    BAKE_C_EMIT(
        &w->text,
        "/* Finishes the blob begun by `$1_new`. `types` must be those of the builder. */\n"
        "static inline kiln_status $1_finish(kiln_builder *builder, const kiln_types *types,\n"
        "                                    bool canonical, kiln_buffer *ret_blob,\n"
        "                                    kiln_error *reterr)\n"
        "{\n"
        "    uint32_t number = kiln_types_find(types, \"$2\");\n"
        "    const kiln_type *type = kiln_types_get(types, number);\n"
        "    if (!type)\n"
        "        return kiln_fail(reterr, KILN_NOT_FOUND, 0, \"$2\");\n"
        "    if (type->layout != $1_LAYOUT)\n"
        "        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, \"$2\");\n"
        "    return kiln_builder_finish(builder, number, canonical ? KILN_FLAG_CANONICAL : 0, "
        "ret_blob,\n"
        "                               reterr);\n"
        "}\n",
        name->stem, type->name);
    bake_c_end_guard(w);
}

/* Sets a string in a list. Other strings are set through the struct that contains them. */
static void put_string_view_set(bake_c_writer *w)
{
    bake_c_begin_guard(w, "kiln_string_view_set");
    bake_c_put(
        &w->text,
        "static inline bool kiln_string_view_set(kiln_string_view view, uint32_t i, const char "
        "*text,\n"
        "                                        size_t length)\n"
        "{\n"
        "    kiln_string *string = kiln_string_view_at(view, i);\n"
        "    return string && kiln_builder_string(view.builder, string, text, length);\n"
        "}\n");
    bake_c_end_guard(w);
}

static void put_views(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const bake_c_type_name *name = bake_c_name_of(w, number);
    if (name->is_listed) {
        put_view(w, name->stem, name->spelling);
        if (type->kind == KILN_KIND_STRING)
            put_string_view_set(w);
    }
    if (type->kind == KILN_KIND_MAP) {
        const char *entry = bake_c_name(&w->names, "%s_entry", name->stem);
        put_view(w, entry, entry);
    }
}

void bake_c_write_builders(bake_c_writer *w)
{
    /* C needs declarations before uses: functions return views by value, and functions of structs
     * call those of their field types. */
    for (uint32_t i = 0; i < w->names.count; i++)
        if (!bake_c_name_of(w, i)->is_repeat)
            put_views(w, i);
    for (uint32_t i = 0; i < w->names.count; i++) {
        if (bake_c_name_of(w, i)->is_repeat)
            continue;
        switch (bake_c_type(w, i)->kind) {
        /* Strings and bytes are set through their struct, so they need only `_share`. */
        case KILN_KIND_STRING:
        case KILN_KIND_BYTES:
            bake_c_begin_guard_of(w, i, "share");
            put_share(w, bake_c_name_of(w, i)->stem, share_field);
            bake_c_end_guard(w);
            break;
        case KILN_KIND_ARRAY:
        case KILN_KIND_MAP:
            put_list_calls(w, i);
            break;
        case KILN_KIND_OPTIONAL:
            put_optional_calls(w, i);
            break;
        case KILN_KIND_UNION:
            put_union_calls(w, i);
            break;
        default:
            break;
        }
    }
    for (uint32_t i = 0; i < w->names.count; i++)
        if (bake_c_type(w, i)->kind == KILN_KIND_STRUCT)
            put_struct_calls(w, i);
}
