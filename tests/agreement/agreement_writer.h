/* What the parts that write the agreement's C file share. */
#ifndef AGREEMENT_WRITER_H
#define AGREEMENT_WRITER_H

#include "c_names.h"

#include <stdio.h>

typedef struct code {
    const kiln_types *types;
    const char *space;
    bake_c_names names;
    const char ***calls; /* of structs: for each field, what comes behind `NAME_` in its call */
    const char ***gets;  /* of unions: for each alternative, its reader */
    FILE *out;
    unsigned loops; /* names of loop variables */
} code;

static inline const kiln_type *type_of(const code *c, uint32_t number)
{
    return kiln_types_get(c->types, number);
}

static inline const bake_c_type_name *name_of(const code *c, uint32_t number)
{
    return &c->names.of[number];
}

/* Whether a type has a pair of functions of its own. */
static inline bool has_function(const kiln_type *type)
{
    return type->kind == KILN_KIND_STRUCT || type->kind == KILN_KIND_UNION ||
           type->kind == KILN_KIND_ARRAY || type->kind == KILN_KIND_MAP ||
           type->kind == KILN_KIND_OPTIONAL;
}

/* An expression made of others; the memory goes with the names. */
const char *code_express(code *c, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* A value where it is an element: a fixed array has a struct around it there. */
const char *code_element(code *c, uint32_t number, const char *pointer);

/* The function that tells a value of the type by its accessors. */
void code_put_walk_function(code *c, uint32_t number);
/* The one that makes the same value by builder calls. */
void code_put_copy_function(code *c, uint32_t number);

#endif
