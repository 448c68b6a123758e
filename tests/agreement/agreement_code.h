/* Writes a C file that reads and rebuilds every value of a schema's types with the functions of the
 * header that kiln-bake generates. The same file is compiled as C++. */
#ifndef AGREEMENT_CODE_H
#define AGREEMENT_CODE_H

#include <kiln/types.h>
#include <stdbool.h>
#include <stdio.h>

/* `name` is the schema's namespace and the base name of its header, `name`.h. Returns false if the
 * baker cannot assign C names. */
bool agreement_code_write(const kiln_types *types, const char *name, FILE *out);

#endif
