/* From a node of a tree to a value of a type: SCHEMA.md, "Fields" and "Data".
 *
 * Values are written straight into the builder's memory. Every mistake is reported with its mark
 * and path (`Item/sword.drops[2].weight`), and the rest goes on, so that one run reports all.
 *
 * What is declared here is in value_bake.c, but for reports about references (value_ref.c), the
 * files of a run (value_text.c) and resources (value_watch.c). */
#ifndef BAKE_VALUE_BAKE_H
#define BAKE_VALUE_BAKE_H

#include "asset_names.h"
#include "node_layers.h"
#include "resource_path.h"
#include "schema.h"

#include <kiln/file_writer.h>

typedef struct bake_values bake_values;

/* Creates a baker, which makes one blob after the other. NULL after filling `failure`. */
bake_values *bake_values_create(const bake_schema *schema, bake_diagnostics *diagnostics,
                                bake_failure *failure);
void bake_values_destroy(bake_values *values);
/* From here on each value has bytes of its own: strings, defaults and objects that are equal are
 * not shared, and blobs are not canonical. False after filling the failure. */
bool bake_values_unshare(bake_values *values);

/* Sets the gateway for files that contain values (`!file`). With a `base`, documents can name only
 * files in that folder. */
void bake_values_set_files(bake_values *values, bake_gateway *gateway, const char *base);
/* From here on references must name one of `names`; those that go to another output than `output`
 * are noted as imports. Without names, references are not checked. */
void bake_values_set_names(bake_values *values, bake_names *names, uint32_t output);
/* The imports noted since then, as numbers of names, each once. */
const uint32_t *bake_values_imports(const bake_values *values, size_t *ret_count);

/* Makes unresolved references imports with a warning, or errors (the default). */
void bake_values_warn_dangling(bake_values *values, bool warns);
/* The number of missing names so far that are errors; the second function reports all missing
 * names. */
size_t bake_values_dangling(const bake_values *values);
void bake_values_report_dangling(bake_values *values);

/* Checks from here on that resource paths exist, with the gateway set above; `mode` selects how
 * missing ones are reported. False after filling the failure. */
bool bake_values_check_resources(bake_values *values, bake_resources mode);
/* The number of missing paths so far that are errors; the second function reports all missing
 * paths. */
size_t bake_values_missing_resources(const bake_values *values);
void bake_values_report_resources(bake_values *values);

/* Bake an asset in two steps, so that its tree can be destroyed after the first: bake_values_read
 * reads the values, bake_values_finish makes the canonical blob of the asset read last, which the
 * caller ends. `mark` is where the asset is written; NULL: take it from the name, whose tree must
 * still exist. Both are false after reports, or with the failure filled; after false from the first
 * the second must not be called. */
bool bake_values_read(bake_values *values, const bake_tree *tree, bake_node_id node,
                      const bake_name *name, const bake_file_rule *rule);
/* bake_values_read for an asset that inherits. Mistakes in layers that are not its own are reported
 * with the assets that these belong to, and not here. */
bool bake_values_read_layers(bake_values *values, const bake_asset_layers *layers,
                             const bake_name *name);
/* Whether values may become bytes: the whole run has no error so far, in a tree, the schema or a
 * value. Otherwise no function of this storey makes bytes, since a value with an error can break
 * any rule of the format. */
bool bake_values_are_sound(const bake_values *values);
/* True and without a blob where the run has errors: `ret_blob` is unchanged. */
bool bake_values_finish(bake_values *values, const bake_name *name, const bake_mark *mark,
                        kiln_buffer *ret_blob);
/* The same into a file, under the asset's name. */
bool bake_values_add(bake_values *values, const bake_name *name, const bake_mark *mark,
                     kiln_file_writer *writer);

/* Bakes a field's default by itself, as an image. False after reports, also earlier ones. */
bool bake_values_default(bake_values *values, uint32_t type, uint32_t member, const char *path,
                         kiln_buffer *ret_image);

#endif
