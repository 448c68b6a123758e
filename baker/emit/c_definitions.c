/* Definitions of all types. Static asserts compare their layout in C with the file format, so a
 * header that compiles reads the right bytes. */
#include "c_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char copy_warning[] =
    "Never copy it by value: relative fields are offsets from their own address.";

/* Whether the format aligns the type to 8 although C may align it to less: 32-bit x86 aligns 64-bit
 * integers and doubles in structs to 4. */
static bool needs_align_8(const kiln_type *type)
{
    switch (type->kind) {
    case KILN_KIND_I64:
    case KILN_KIND_U64:
    case KILN_KIND_F64:
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
        return type->size == 8;
    case KILN_KIND_REF:
        return type->element == KILN_TYPE_NONE;
    default:
        return false;
    }
}

/* Writes the declaration of a field: `type name;`, or `type name[count];` for a fixed array. Also
 * writes `align` if it exceeds the alignment of the type. References in components are kiln_ref
 * instead of ids. */
static void put_field(bake_c_writer *w, uint32_t number, const char *name, uint32_t align,
                      bool of_component)
{
    const kiln_type *type = bake_c_type(w, number), *of = type;
    uint32_t base = number;
    while (of->kind == KILN_KIND_FIXED) {
        base = of->element;
        of = bake_c_type(w, base);
    }
    bool is_word = of_component && of->kind == KILN_KIND_REF;
    bake_c_put(&w->text, "    ");
    if (align > of->align)
        bake_c_put_format(&w->text, "KILN_ALIGNAS(%u) ", (unsigned)align);
    else if (needs_align_8(of) || is_word)
        bake_c_put(&w->text, "KILN_ALIGNAS(8) ");
    bake_c_put_format(&w->text, "%s %s", is_word ? "kiln_ref" : bake_c_name_of(w, base)->spelling,
                      name);
    for (of = type; of->kind == KILN_KIND_FIXED; of = bake_c_type(w, of->element))
        bake_c_put_format(&w->text, "[%u]", (unsigned)of->count);
    bake_c_put(&w->text, ";\n");
}

/* Writes the key or value of a map entry. A fixed array is wrapped in a struct there, so that it
 * has a type name, which pointers to it need. */
static void put_element(bake_c_writer *w, uint32_t number, const char *name)
{
    const kiln_type *type = bake_c_type(w, number);
    /* See needs_align_8. */
    bake_c_put_format(&w->text, "    %s%s %s;\n", needs_align_8(type) ? "KILN_ALIGNAS(8) " : "",
                      bake_c_name_of(w, number)->spelling, name);
}

static void put_size_asserts(bake_c_writer *w, const char *name, uint32_t size, uint32_t align)
{
    bake_c_put_format(&w->text, "KILN_STATIC_ASSERT(sizeof(%s) == %u, \"size of %s\");\n", name,
                      (unsigned)size, name);
    if (align)
        bake_c_put_format(&w->text,
                          "KILN_STATIC_ASSERT(KILN_ALIGNOF(%s) == %u, \"alignment of %s\");\n",
                          name, (unsigned)align, name);
}

static void put_offset_assert(bake_c_writer *w, const char *name, const char *field,
                              uint32_t offset)
{
    bake_c_put_format(&w->text,
                      "KILN_STATIC_ASSERT(offsetof(%s, %s) == %u, \"offset of %s.%s\");\n", name,
                      field, (unsigned)offset, name, field);
}

static void begin_struct(bake_c_writer *w, const char *name, bool has_pointers)
{
    BAKE_C_EMIT(&w->text, "typedef struct $1 {\n", name);
    if (has_pointers)
        BAKE_C_EMIT(&w->text, "    KILN_NO_COPY($1)\n", name);
}

static void end_struct(bake_c_writer *w, const char *name)
{
    BAKE_C_EMIT(&w->text, "} $1;\n", name);
}

/* The macro that guards a named type has the layout hash as its value, so headers with different
 * layouts of a type do not compile together. */
static void begin_named(bake_c_writer *w, uint32_t number)
{
    char layout[24];
    snprintf(layout, sizeof layout, "%016" PRIx64, bake_c_type(w, number)->layout);
    BAKE_C_EMIT(&w->text,
                "\n#ifndef $1_LAYOUT\n"
                "#define $1_LAYOUT UINT64_C(0x$2)\n",
                bake_c_name_of(w, number)->stem, layout);
}

static void end_named(bake_c_writer *w, uint32_t number)
{
    char layout[24];
    snprintf(layout, sizeof layout, "%016" PRIx64, bake_c_type(w, number)->layout);
    BAKE_C_EMIT(&w->text,
                "#elif $1_LAYOUT != UINT64_C(0x$2)\n"
                "#error \"$1 has a different layout in another header\"\n"
                "#endif\n",
                bake_c_name_of(w, number)->stem, layout);
}

/* Writes the comment of a member: its doc, and its name in the data if the C name differs. */
static void put_member_comment(bake_c_writer *w, const kiln_member *member, const char *name)
{
    const char *called = strcmp(member->name, name) == 0
                             ? NULL
                             : bake_c_name(&w->names, "Named `%s` in the data.", member->name);
    const char *deprecated = member->flags & KILN_MEMBER_DEPRECATED ? "Deprecated." : NULL;
    const char *const parts[] = {member->doc, called, deprecated};
    bake_c_put_comment(&w->text, 4, parts, sizeof parts / sizeof *parts);
}

static bool fits_int(uint64_t value, bool is_signed)
{
    return is_signed ? (int64_t)value >= INT32_MIN && (int64_t)value <= INT32_MAX
                     : value <= INT32_MAX;
}

/* C11 limits enum constants to int, so other values are macros. */
static void put_wide_value(bake_c_writer *w, const char *type, const char *name, uint64_t value,
                           bool is_signed)
{
    bake_c_put_format(&w->text, "#define %s ((%s)", name, type);
    if (!is_signed)
        bake_c_put_format(&w->text, "UINT64_C(%" PRIu64 ")", value);
    else if (value == UINT64_C(1) << 63)
        bake_c_put(&w->text, "(-INT64_C(9223372036854775807) - 1)");
    else
        bake_c_put_format(&w->text, "INT64_C(%" PRId64 ")", (int64_t)value);
    bake_c_put(&w->text, ")\n");
}

static void put_constants(bake_c_writer *w, uint32_t number, bool is_signed)
{
    const kiln_type *type = bake_c_type(w, number);
    const bake_c_type_name *name = bake_c_name_of(w, number);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        if (!fits_int(member->value, is_signed))
            continue;
        bake_c_put(&w->text, inside++ ? ",\n" : "enum {\n");
        put_member_comment(w, member, name->words[i]);
        bake_c_put_format(&w->text, "    %s = ", name->members[i]);
        /* In the expression -2147483648 the operand does not fit an int. */
        if ((int64_t)member->value == INT32_MIN)
            bake_c_put(&w->text, "-2147483647 - 1");
        else
            bake_c_put_format(&w->text, "%" PRId64, (int64_t)member->value);
    }
    if (inside)
        bake_c_put(&w->text, "\n};\n");
    for (uint32_t i = 0; i < type->member_count; i++)
        if (!fits_int(type->members[i].value, is_signed))
            put_wide_value(w, type->kind == KILN_KIND_UNION ? "uint32_t" : name->stem,
                           name->members[i], type->members[i].value, is_signed);
}

static void define_enum(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *name = bake_c_name_of(w, number)->stem;
    begin_named(w, number);
    const char *const parts[] = {type->doc, type->kind == KILN_KIND_FLAGS
                                                ? "Any combination of these flags, joined by `|`."
                                                : NULL};
    bake_c_put_comment(&w->text, 0, parts, 2);
    bake_c_put_format(&w->text, "typedef %sint%u_t %s;\n",
                      kiln_kind_is_signed(type->base) ? "" : "u", (unsigned)type->size * 8, name);
    put_constants(w, number, kiln_kind_is_signed(type->base));
    end_named(w, number);
}

static void define_union(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *name = bake_c_name_of(w, number)->stem;
    begin_named(w, number);
    const char *const parts[] = {
        type->doc,
        "`tag` is the chosen alternative, or 0 if unset. Read the value with the `get` functions.",
        copy_warning};
    bake_c_put_comment(&w->text, 0, parts, sizeof parts / sizeof *parts);
    begin_struct(w, name, true);
    bake_c_put(&w->text, "    uint32_t tag;\n    kiln_ptr value;\n");
    end_struct(w, name);
    put_constants(w, number, false);
    put_size_asserts(w, name, type->size, 0);
    end_named(w, number);
}

static void define_struct(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const bake_c_type_name *name = bake_c_name_of(w, number);
    begin_named(w, number);
    const char *const parts[] = {type->doc, type->has_pointers ? copy_warning : NULL};
    bake_c_put_comment(&w->text, 0, parts, sizeof parts / sizeof *parts);
    begin_struct(w, name->stem, type->has_pointers);
    for (uint32_t i = 0; i < type->member_count; i++) {
        put_member_comment(w, &type->members[i], name->members[i]);
        put_field(w, type->members[i].type, name->members[i], i == 0 ? type->align_at : 0,
                  (type->flags & KILN_TYPE_COMPONENT) != 0);
    }
    if (!type->member_count && type->align > 1)
        bake_c_put_format(&w->text, "    KILN_ALIGNAS(%u) uint8_t empty_;\n",
                          (unsigned)type->align);
    else if (!type->member_count)
        bake_c_put(&w->text, "    uint8_t empty_;\n");
    end_struct(w, name->stem);
    put_size_asserts(w, name->stem, type->size, type->align);
    for (uint32_t i = 0; i < type->member_count; i++)
        put_offset_assert(w, name->stem, name->members[i], type->members[i].offset);
    end_named(w, number);
}

static void define_ref(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *name = bake_c_name_of(w, number)->stem;
    if (type->element == KILN_TYPE_NONE)
        return;
    bake_c_begin_guard(w, name);
    const char *const parts[] = {bake_c_name(&w->names, "The id of an asset of type %s.",
                                             bake_c_type(w, type->element)->name)};
    bake_c_put_comment(&w->text, 0, parts, 1);
    begin_struct(w, name, false);
    bake_c_put(&w->text, "    KILN_ALIGNAS(8) kiln_id id;\n");
    end_struct(w, name);
    put_size_asserts(w, name, type->size, type->align);
    bake_c_end_guard(w);
}

static void define_relative(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *name = bake_c_name_of(w, number)->stem;
    if (type->kind != KILN_KIND_MAP && bake_c_is_builtin_element(w, type->element))
        return;
    bake_c_begin_guard(w, name);
    begin_struct(w, name, true);
    bake_c_put(&w->text, "    uint32_t offset;\n");
    if (type->kind != KILN_KIND_OPTIONAL)
        bake_c_put(&w->text, "    uint32_t count;\n");
    end_struct(w, name);
    put_size_asserts(w, name, type->size, 0);
    bake_c_end_guard(w);
}

/* Defines a type after the types that it contains by value, as C requires. Checked types do not
 * contain themselves and nest at most KILN_INLINE_DEPTH_MAX deep, which bounds the recursion. */
static void define(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    if (w->defined[number])
        return;
    w->defined[number] = true;
    if (bake_c_name_of(w, number)->is_repeat) {
        define(w, bake_c_name_of(w, number)->repeats);
        return;
    }
    switch (type->kind) {
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
        define_enum(w, number);
        break;
    case KILN_KIND_UNION:
        define_union(w, number);
        break;
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++)
            define(w, type->members[i].type);
        define_struct(w, number);
        break;
    case KILN_KIND_FIXED:
        define(w, type->element);
        break;
    case KILN_KIND_REF:
        define_ref(w, number);
        break;
    case KILN_KIND_ARRAY:
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_MAP:
        define_relative(w, number);
        break;
    default:
        break;
    }
}

/* Defines the struct that wraps a fixed array used as an element. */
static void define_wrapper(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *name = bake_c_name_of(w, number)->stem;
    bake_c_begin_guard(w, name);
    begin_struct(w, name, type->has_pointers);
    put_field(w, number, "v", 0, false);
    end_struct(w, name);
    put_size_asserts(w, name, type->size, type->align);
    bake_c_end_guard(w);
}

static void define_entry(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *name = bake_c_name(&w->names, "%s_entry", bake_c_name_of(w, number)->stem);
    bake_c_begin_guard(w, name);
    bool has_pointers =
        bake_c_type(w, type->key)->has_pointers || bake_c_type(w, type->element)->has_pointers;
    begin_struct(w, name, has_pointers);
    put_element(w, type->key, "key");
    put_element(w, type->element, "value");
    end_struct(w, name);
    put_size_asserts(w, name, type->entry_size, type->entry_align);
    put_offset_assert(w, name, "value", type->value_offset);
    bake_c_end_guard(w);
}

void bake_c_write_definitions(bake_c_writer *w)
{
    for (uint32_t i = 0; i < w->names.count; i++)
        define(w, i);
    for (uint32_t i = 0; i < w->names.count; i++)
        if (bake_c_type(w, i)->kind == KILN_KIND_FIXED && bake_c_name_of(w, i)->is_wrapped &&
            !bake_c_name_of(w, i)->is_repeat)
            define_wrapper(w, i);
    for (uint32_t i = 0; i < w->names.count; i++)
        if (bake_c_type(w, i)->kind == KILN_KIND_MAP && !bake_c_name_of(w, i)->is_repeat)
            define_entry(w, i);
}

/* ---- component descriptions for <kiln/world.h>, as macros, which cost nothing in programs that
 * only read ---- */

/* A list of field offsets. Each offset is written as soon as it is found, so nothing is written
 * for an empty list. */
typedef struct place_list {
    bake_c_writer *w;
    kiln_kind kind;   /* KILN_KIND_ENTITY or KILN_KIND_REF */
    const char *name; /* C name of the list */
    uint32_t count;
} place_list;

static void put_place(place_list *list, uint32_t place)
{
    if (list->count == 0)
        BAKE_C_EMIT(&list->w->text, "static const uint32_t $1[] = {", list->name);
    else
        bake_c_put(&list->w->text, list->count % 16 == 0 ? ",\n    " : ", ");
    bake_c_put_format(&list->w->text, "%u", (unsigned)place);
    list->count++;
}

/* Writes the offsets of all fields of the list's kind in a type at `offset`. Returns false if the
 * type has no such fields; the caller then skips the other elements of an array of the type. The
 * size limit of components bounds the work. */
static bool put_places(place_list *list, uint32_t number, uint32_t offset)
{
    const kiln_type *type = bake_c_type(list->w, number);
    bool found = type->kind == list->kind;
    if (found)
        put_place(list, offset);
    if (type->kind == KILN_KIND_STRUCT)
        for (uint32_t i = 0; i < type->member_count; i++)
            found |= put_places(list, type->members[i].type, offset + type->members[i].offset);
    if (type->kind == KILN_KIND_FIXED) {
        uint32_t size = bake_c_type(list->w, type->element)->size;
        found = put_places(list, type->element, offset);
        for (uint32_t i = 1; found && i < type->count; i++)
            put_places(list, type->element, offset + i * size);
    }
    return found;
}

/* Writes the list of offsets if it is not empty. Returns its C name, or "NULL". */
static const char *put_list(bake_c_writer *w, uint32_t number, kiln_kind kind, const char *ending,
                            char *ret_count, size_t size)
{
    const char *name = bake_c_name(&w->names, "%s_%s", bake_c_name_of(w, number)->stem, ending);
    place_list list = {w, kind, name, 0};
    if (put_places(&list, number, 0))
        bake_c_put(&w->text, "};\n");
    snprintf(ret_count, size, "%u", (unsigned)list.count);
    return list.count ? name : "NULL";
}

static void put_component(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *stem = bake_c_name_of(w, number)->stem;
    bool is_tag = !type->member_count;
    char entities[16], assets[16];
    BAKE_C_EMIT(&w->text, "\n#ifndef $1_COMPONENT\n", stem);
    const char *entity_places =
        put_list(w, number, KILN_KIND_ENTITY, "entity_places", entities, sizeof entities);
    const char *asset_places =
        put_list(w, number, KILN_KIND_REF, "asset_places", assets, sizeof assets);
    BAKE_C_EMIT(&w->text,
                "#define $1_COMPONENT \\\n"
                "    {\"$2\", $1_LAYOUT, $3, $4, $5, $6, $7, $8}\n"
                "#endif\n",
                stem, type->name, is_tag ? "0" : bake_c_name(&w->names, "sizeof(%s)", stem),
                is_tag ? "1" : bake_c_name(&w->names, "KILN_ALIGNOF(%s)", stem), entity_places,
                asset_places, entities, assets);
}

void bake_c_write_components(bake_c_writer *w)
{
    bool any = false;
    for (uint32_t i = 0; i < w->names.count; i++) {
        if (!bake_c_name_of(w, i)->is_component)
            continue;
        if (!any)
            bake_c_put(&w->text,
                       "\n/* Component descriptions for kiln_component_register (<kiln/world.h>):\n"
                       " * `const kiln_component_desc desc = NAME_COMPONENT;` */\n");
        any = true;
        put_component(w, i);
    }
}
