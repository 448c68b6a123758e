/* Components: what <kiln/world.h> is told of each struct that can be one. The definition is a
 * macro, so that a header costs nothing where it is used for reading alone. */
#include "c_writer.h"

#include <stdio.h>

/* The list of places as it is written: it begins with the first one. */
typedef struct place_list {
    bake_c_writer *w;
    kiln_kind kind;   /* of the words */
    const char *name; /* of the list */
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

/* Whether the type, which lies at `offset`, holds a word of the kind. It fits into a chunk, which
 * bounds the work. */
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

/* Writes the list, if the component has such words; gives its name and length as they are written.
 */
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
                       "\n/* Components: `const kiln_component_def def = NAME_COMPONENT;` is what\n"
                       " * kiln_component_register of <kiln/world.h> wants. */\n");
        any = true;
        put_component(w, i);
    }
}
