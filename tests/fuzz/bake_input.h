/* A whole run of the baker on texts in memory, for harnesses. */
#ifndef BAKE_INPUT_H
#define BAKE_INPUT_H

#include "program.h"

#include <stddef.h>

/* Bakes `text` under the schema whose path the environment variable `variable` holds, and reads
 * the file that results. Ends the program on a mistake of Kiln's own: exit code 3, or a file that
 * Kiln refuses. The schema is read once; about one input in 128 is baked a second time with the
 * schema read again, and must come to the same bytes. */
void bake_input(const char *variable, const void *text, size_t size);
/* The same with the schema given as text, and its C header written too. */
void bake_input_with_schema(const void *schema, size_t size, const void *text, size_t text_size);
/* The same as bake_input for up to three texts, separated by bytes 0x1c, which YAML does not
 * allow: two scenes that may nest one another, and prefabs. */
void bake_input_scenes(const char *variable, const void *text, size_t size);
/* The same for a file called `path`, which an importer of the schema reads, and for a value that
 * another one makes: each program that is run ends as `end` says. */
void bake_input_imported(const char *variable, const char *path, const bake_program_end *end);

#endif
