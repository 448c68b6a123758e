/* Shared by the parts of the header writer. Each part writes one section for all types, in type
 * order. Every definition has its own guard, because another generated header can define the same
 * type.
 *
 * Parts: c_definitions.c (structs and components), c_accessors.c (reading), c_builders.c
 * (building). */
#ifndef BAKE_C_WRITER_H
#define BAKE_C_WRITER_H

#include "c_names.h"
#include "c_text.h"

typedef struct bake_c_writer {
    const kiln_types *types;
    bake_c_names names;
    bake_c_text text;
    bool *defined; /* by type: its definition has been written */
    size_t defined_size;
} bake_c_writer;

/* c_definitions.c: enums, structs, refs and relative fields, each after the types that it contains
 * by value. */
void bake_c_write_definitions(bake_c_writer *writer);
/* c_definitions.c: component descriptions for <kiln/world.h>. */
void bake_c_write_components(bake_c_writer *writer);
/* c_accessors.c: names of enum values, and accessors of arrays, optionals, unions and maps. */
void bake_c_write_accessors(bake_c_writer *writer);
/* c_accessors.c: typed roots; needs <kiln/file.h>. */
void bake_c_write_roots(bake_c_writer *writer);
/* c_accessors.c: C++ owners of assets; needs <kiln/owned.h>. */
void bake_c_write_owners(bake_c_writer *writer);
/* c_builders.c: typed builder functions; needs <kiln/builder.h>. */
void bake_c_write_builders(bake_c_writer *writer);

/* Begins the guard of a definition: `game_Item_root`. bake_c_end_guard ends it. */
static inline void bake_c_begin_guard(bake_c_writer *writer, const char *part)
{
    BAKE_C_EMIT(&writer->text, "\n#ifndef KILN_HAVE_$1\n#define KILN_HAVE_$1\n", part);
}

/* Begins the guard of the function `call` of a type, such as `root`. */
static inline void bake_c_begin_guard_of(bake_c_writer *writer, uint32_t type, const char *call)
{
    bake_c_begin_guard(writer,
                       bake_c_name(&writer->names, "%s_%s", writer->names.of[type].stem, call));
}

static inline void bake_c_end_guard(bake_c_writer *writer)
{
    bake_c_put(&writer->text, "#endif\n");
}

static inline const kiln_type *bake_c_type(const bake_c_writer *writer, uint32_t type)
{
    return kiln_types_get(writer->types, type);
}

static inline const bake_c_type_name *bake_c_name_of(const bake_c_writer *writer, uint32_t type)
{
    return &writer->names.of[type];
}

static inline bool bake_c_is_asset(const bake_c_writer *writer, uint32_t type)
{
    const kiln_type *of = bake_c_type(writer, type);
    return of->kind == KILN_KIND_STRUCT && (of->flags & KILN_TYPE_ASSET);
}

/* Returns the innermost element type of a fixed array, and other types unchanged. */
static inline const kiln_type *bake_c_in_fixed(const bake_c_writer *writer, uint32_t type)
{
    const kiln_type *of = bake_c_type(writer, type);
    while (of->kind == KILN_KIND_FIXED)
        of = bake_c_type(writer, of->element);
    return of;
}

/* Whether <kiln/relative.h> defines the array and optional of this element type. */
static inline bool bake_c_is_builtin_element(const bake_c_writer *writer, uint32_t type)
{
    kiln_kind kind = bake_c_type(writer, type)->kind;
    return kind >= KILN_KIND_BOOL && kind <= KILN_KIND_BYTES;
}

#endif
