/* For harnesses: a whole run of the baker on input in memory. */
#ifndef BAKE_INPUT_H
#define BAKE_INPUT_H

#include "program.h"

#include <stddef.h>

/* Bakes `text` with the schema whose path is in the environment variable `variable`, and reads the
 * resulting file. Aborts on a bug in Kiln: exit code 3, or a file that Kiln refuses. The schema is
 * read once. About one input in 128 is baked a second time with a newly read schema, and must
 * produce the same bytes. */
void bake_input(const char *variable, const void *text, size_t size);
/* The same with the schema as a string. Also writes its C header. */
void bake_input_with_schema(const void *schema, size_t size, const void *text, size_t text_size);
/* The same as bake_input for up to three documents, separated by the byte 0x1c, which YAML does not
 * allow: two scenes that may nest each other, and prefabs. */
void bake_input_scenes(const char *variable, const void *text, size_t size);
/* The same for a file `path` that an importer of the schema reads, and for a value that another
 * importer makes. `end` is the output and exit status of each importer. */
void bake_input_imported(const char *variable, const char *path, const bake_program_end *end);

#endif
