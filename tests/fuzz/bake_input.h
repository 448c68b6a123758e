/* A whole run of the baker on texts in memory, for harnesses. */
#ifndef BAKE_INPUT_H
#define BAKE_INPUT_H

#include <stddef.h>

/* Bakes `text` under the schema at `schema_path` into a file, and reads that file back when there
 * is one. Fails the program on what is Kiln's own mistake: exit code 3, or a file that Kiln
 * refuses. */
void bake_input(const char *schema_path, const void *text, size_t size);
/* The same with the schema given as text, and its C header written too. */
void bake_input_with_schema(const void *schema, size_t schema_size, const void *text, size_t size);
/* The same for up to three texts, parted by bytes 0x1c, which no YAML has: two scenes that may nest
 * one another, and prefabs. */
void bake_input_scenes(const char *schema_path, const void *text, size_t size);

#endif
