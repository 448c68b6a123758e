/* From a node of a tree to a value of a type: what SCHEMA.md says under "Fields" and "Data".
 *
 * Values are written straight into the builder's memory. Every mistake is reported with its mark
 * and path (`Item/sword.drops[2].weight`), and the rest goes on, so that one run tells all. */
#ifndef BAKE_VALUE_BAKE_H
#define BAKE_VALUE_BAKE_H

#include "asset_names.h"
#include "schema.h"

#include <kiln/file_writer.h>

typedef struct bake_values bake_values;

/* One baker of values, used for one blob after the other. NULL after filling `failure`. */
bake_values *bake_values_create(const bake_schema *schema, bake_diagnostics *diagnostics,
                                bake_failure *failure);
void bake_values_destroy(bake_values *values);

/* From here on references must name one of `names`; those that go to another output than `output`
 * are noted as imports. Without names, references are not checked. */
void bake_values_set_names(bake_values *values, bake_names *names, uint32_t output);
/* The imports noted since, as numbers of names, each once. */
const uint32_t *bake_values_imports(const bake_values *values, size_t *ret_count);

/* Bakes an asset in two steps, so that its tree need not outlive the first: reads the values, then
 * makes the canonical blob of the asset read last, which the caller ends. `mark` is where the asset
 * is written; NULL: as the name says, whose tree is still there. Both are false after reports, or
 * with the failure filled; after false from the first there is nothing to finish. */
bool bake_values_read(bake_values *values, const bake_tree *tree, bake_node_id node,
                      const bake_name *name);
bool bake_values_finish(bake_values *values, const bake_name *name, const bake_mark *mark,
                        kiln_buffer *ret_blob);
/* The same into a file, under the asset's name. */
bool bake_values_add(bake_values *values, const bake_name *name, const bake_mark *mark,
                     kiln_file_writer *writer);

/* Bakes a field's default by itself, as an image. */
bool bake_values_default(bake_values *values, uint32_t type, uint32_t member, const char *path,
                         kiln_buffer *ret_image);

#endif
