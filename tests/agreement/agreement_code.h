/* Writes a C file that reads and rebuilds every value of a schema's types with the calls of the
 * header that kiln-bake generates for it. The same file is C++. */
#ifndef AGREEMENT_CODE_H
#define AGREEMENT_CODE_H

#include <kiln/types.h>
#include <stdbool.h>
#include <stdio.h>

/* `name` is the schema's namespace and what its header, `name`.h, is called. False where the
 * baker's names cannot be had. */
bool agreement_code_write(const kiln_types *types, const char *name, FILE *out);

#endif
