/* From a node of a tree to a value of a type: SCHEMA.md, "Fields" and "Data".
 *
 * Values are written straight into the builder's memory. Every mistake is reported with its mark
 * and path (`Item/sword.drops[2].weight`), and the rest goes on, so that one run reports all. */
#ifndef BAKE_VALUE_BAKE_H
#define BAKE_VALUE_BAKE_H

#include "asset_names.h"
#include "node_layers.h"
#include "resource_path.h"
#include "schema.h"

#include <kiln/file_writer.h>

typedef struct bake_values bake_values;

/* One baker of values, used for one blob after the other. NULL after filling `failure`. */
bake_values *bake_values_create(const bake_schema *schema, bake_diagnostics *diagnostics,
                                bake_failure *failure);
void bake_values_destroy(bake_values *values);
/* From here on each value has bytes of its own: strings, defaults and objects that are equal are
 * not shared, and blobs are not canonical. False after filling the failure. */
bool bake_values_unshare(bake_values *values);

/* Where the content of files is read from, which values are made of; with a `base` those of
 * documents must be in that folder. */
void bake_values_set_files(bake_values *values, bake_gateway *gateway, const char *base);
/* From here on references must name one of `names`; those that go to another output than `output`
 * are noted as imports. Without names, references are not checked. */
void bake_values_set_names(bake_values *values, bake_names *names, uint32_t output);
/* The imports noted since, as numbers of names, each once. */
const uint32_t *bake_values_imports(const bake_values *values, size_t *ret_count);

/* Whether references that lead nowhere are imports and warnings; they are errors otherwise. */
void bake_values_warn_dangling(bake_values *values, bool warns);
/* How many names are missing so far that make errors, and reports all of them. */
size_t bake_values_dangling(const bake_values *values);
void bake_values_report_dangling(bake_values *values);

/* Whether paths of resources lead somewhere is looked at from here on, among the files set; what
 * they are that do not, `mode` says. False after filling the failure. */
bool bake_values_check_resources(bake_values *values, bake_resources mode);
/* How many paths are missing so far that make errors, and reports all of them. */
size_t bake_values_missing_resources(const bake_values *values);
void bake_values_report_resources(bake_values *values);

/* Bakes an asset in two steps, so that its tree need not outlive the first: reads the values, then
 * makes the canonical blob of the asset read last, which the caller ends. `mark` is where the asset
 * is written; NULL: as the name says, whose tree is still there. Both are false after reports, or
 * with the failure filled; after false from the first there is nothing to finish. */
bool bake_values_read(bake_values *values, const bake_tree *tree, bake_node_id node,
                      const bake_name *name, const bake_file_rule *rule);
/* The same of an asset that inherits. What is wrong in layers that are not its own is reported with
 * the assets that these are, so it is not reported here. */
bool bake_values_read_layers(bake_values *values, const bake_asset_layers *layers,
                             const bake_name *name);
/* Whether what was read may become bytes: the whole run has no error so far, be it of a tree, the
 * schema or a value. A value with an error is never used further, so every function that makes
 * bytes of values makes none otherwise. */
bool bake_values_are_sound(const bake_values *values);
/* `ret_blob` stays as it is where the run has errors. */
bool bake_values_finish(bake_values *values, const bake_name *name, const bake_mark *mark,
                        kiln_buffer *ret_blob);
/* The same into a file, under the asset's name. */
bool bake_values_add(bake_values *values, const bake_name *name, const bake_mark *mark,
                     kiln_file_writer *writer);

/* Bakes a field's default by itself, as an image. False after reports, also earlier ones. */
bool bake_values_default(bake_values *values, uint32_t type, uint32_t member, const char *path,
                         kiln_buffer *ret_image);

#endif
