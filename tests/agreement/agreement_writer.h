/* Shared by the sources that write the agreement test's C file. */
#ifndef AGREEMENT_WRITER_H
#define AGREEMENT_WRITER_H

#include "c_names.h"

#include <stdio.h>

typedef struct code {
    const kiln_types *types;
    const char *space;
    bake_c_names names;
    const char ***calls; /* of structs: the function that sets or creates each field, or NULL */
    const char ***gets;  /* of unions: the reader of each alternative, or NULL */
    FILE *out;
    unsigned loops; /* number of loop variables named so far */
} code;

static inline const kiln_type *type_of(const code *c, uint32_t number)
{
    return kiln_types_get(c->types, number);
}

static inline const bake_c_type_name *name_of(const code *c, uint32_t number)
{
    return &c->names.of[number];
}

/* Whether the generated file has a walk and a copy function for the type. */
static inline bool has_function(const kiln_type *type)
{
    return type->kind == KILN_KIND_STRUCT || type->kind == KILN_KIND_UNION ||
           type->kind == KILN_KIND_ARRAY || type->kind == KILN_KIND_MAP ||
           type->kind == KILN_KIND_OPTIONAL;
}

/* Formats an expression. The string is freed with the names. */
const char *code_express(code *c, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* The expression for the element behind `pointer`. An element that is a fixed array is wrapped in a
 * struct. */
const char *code_element(code *c, uint32_t number, const char *pointer);

/* Writes the function that traces a value of the type through its accessors. */
void code_put_walk_function(code *c, uint32_t number);
/* Writes the function that copies a value of the type with builder calls. */
void code_put_copy_function(code *c, uint32_t number);

#endif
