/* Bakes tree nodes to values (SCHEMA.md, "Fields" and "Data").
 *
 * Values are written directly into builder memory. Errors are reported with position and path
 * (`Item/sword.drops[2].weight`). Baking continues after an error, so that one run reports all
 * errors.
 *
 * Implemented in value_bake.c, except for references (value_ref.c), value files (value_text.c),
 * payloads (value_payload.c) and resources (value_watch.c). */
#ifndef BAKE_VALUE_BAKE_H
#define BAKE_VALUE_BAKE_H

#include "asset_names.h"
#include "node_layers.h"
#include "resource_path.h"
#include "schema.h"

#include <kiln/file_writer.h>

typedef struct bake_values bake_values;

/* Creates a baker, which produces one blob at a time. Returns NULL after filling `failure`. */
bake_values *bake_values_create(const bake_schema *schema, bake_diagnostics *diagnostics,
                                bake_failure *failure);
void bake_values_destroy(bake_values *values);
/* From now on, equal strings, defaults and objects are not shared, and blobs are not canonical.
 * Returns false after filling the failure. */
bool bake_values_unshare(bake_values *values);

/* Sets the gateway for value files (`!file`). With a `base`, documents can only use files in that
 * folder. */
void bake_values_set_files(bake_values *values, bake_gateway *gateway, const char *base);
/* From now on, references must name one of `names`, and references to outputs other than `output`
 * are collected as imports. Without names, references are not checked. */
void bake_values_set_names(bake_values *values, bake_names *names, uint32_t output);
/* Returns the imports since bake_values_set_names: indices of names, without duplicates. */
const uint32_t *bake_values_imports(const bake_values *values, size_t *ret_count);

/* The data of a payload. All texts belong to the baker or the gateway. */
typedef struct bake_payload {
    kiln_hash128 content;
    const char *path;  /* the file, or the source of the importer */
    const char *bytes; /* the output of an importer; NULL: the data are those of the file */
    uint64_t size;
    bake_payload_form form;
    bake_mark mark; /* of the first value with these data, and its path */
    const char *where;
} bake_payload;

/* Returns the payloads that values have used since bake_values_set_names. Valid until the next
 * value is baked. */
const bake_payload *bake_values_payloads(const bake_values *values, size_t *ret_count);

/* Returns the numbers of the payloads, perhaps with duplicates, that the value has which was read
 * last. Valid until the next value is read. */
const uint32_t *bake_values_used_payloads(const bake_values *values, size_t *ret_count);

/* From now on, or no longer, collects the ids to which a value refers. bake_values_targets returns
 * those of the value that was read last, perhaps with duplicates, if it was the first one after
 * bake_values_set_names: equal parts of several values are resolved once. */
void bake_values_collect_targets(bake_values *values, bool collects);
const kiln_id *bake_values_targets(const bake_values *values, size_t *ret_count);

/* Turns unresolved references into imports with a warning. By default they are errors. */
void bake_values_warn_dangling(bake_values *values, bool warns);
/* bake_values_dangling returns the number of missing names so far that are errors, and
 * bake_values_report_dangling reports all missing names. */
size_t bake_values_dangling(const bake_values *values);
void bake_values_report_dangling(bake_values *values);
/* Returns a missing name, also one that is only a warning; NULL if `i` is not below their count. */
const char *bake_values_missing_name(const bake_values *values, size_t i, size_t *ret_length);
/* Whether there are missing names. Equal parts of several values are resolved once, so a name is
 * reported for the first one. */
bool bake_values_has_dangling(const bake_values *values);

/* From now on, checks through the gateway that resource paths exist. `mode` selects how to report
 * missing ones. Returns false after filling the failure. */
bool bake_values_check_resources(bake_values *values, bake_resources mode);
/* bake_values_missing_resources returns the number of missing paths so far that are errors, and
 * bake_values_report_resources reports all missing paths. */
size_t bake_values_missing_resources(const bake_values *values);
void bake_values_report_resources(bake_values *values);

/* Bakes an asset in two steps, so that its tree can be destroyed in between. bake_values_read reads
 * the values; bake_values_finish creates the canonical blob, which the caller frees with
 * kiln_buffer_fini. `mark` is the position of the asset. If `mark` is NULL, the position comes from
 * the node of the name, whose tree must then still exist. Both return false after reports or after
 * filling the failure. Do not call bake_values_finish if bake_values_read failed. */
bool bake_values_read(bake_values *values, const bake_tree *tree, bake_node_id node,
                      const bake_name *name, const bake_file_rule *rule);
/* Like bake_values_read, for an asset that inherits. Errors in an inherited layer are not reported
 * here, but with the asset that owns the layer. */
bool bake_values_read_layers(bake_values *values, const bake_asset_layers *layers,
                             const bake_name *name);
/* Returns false after any error of the run: in a tree, the schema or a value. Then no function of
 * this library produces output, since an invalid value can break any rule of the format. */
bool bake_values_can_write(const bake_values *values);
/* If the run has errors, returns true and leaves `ret_blob` unchanged. */
bool bake_values_finish(bake_values *values, const bake_name *name, const bake_mark *mark,
                        kiln_buffer *ret_blob);
/* Like bake_values_finish, but adds the blob to a file under the name of the asset. */
bool bake_values_add(bake_values *values, const bake_name *name, const bake_mark *mark,
                     kiln_file_writer *writer);

/* ---- helpers: bakers that bake assets before their turn, for the baker of the run ---- */

/* Makes a helper of a baker that has names. A helper only makes blobs. Whenever an asset needs
 * anything else - a report, a file, an unknown name - bake_values_read returns false, and the baker
 * of the run must bake it again. A helper may have its own thread. Until it has finished the asset,
 * no trees may be destroyed, and no names or links added. */
void bake_values_make_helper(bake_values *values);
/* Finishes the asset that was read last. Returns false if it must be baked again. The imports of
 * the asset, in order, are then those of bake_values_imports. */
bool bake_values_finish_asset(bake_values *values, const bake_name *name,
                              kiln_finished_asset *ret_asset);
/* Adds an import of a helper to the imports of the run. Returns false after filling the failure. */
bool bake_values_add_import(bake_values *values, uint32_t name);
/* Adds an asset that a helper finished to a file. `name->tree` must exist. Returns false after a
 * report or after filling the failure. */
bool bake_values_put(bake_values *values, const bake_name *name, kiln_finished_asset *asset,
                     kiln_file_writer *writer);
/* Whether the blob that was read last depends only on its nodes and on names, and not on files. */
bool bake_values_is_plain(const bake_values *values);
/* Whether the blob that was read last had any part in a report. */
bool bake_values_is_noisy(const bake_values *values);
/* Functions that are called before and after names or links are added, to wait for helpers. */
typedef struct bake_values_guard {
    void (*begin)(void *ctx);
    void (*end)(void *ctx);
    void *ctx;
} bake_values_guard;
/* NULL: there are no helpers. The guard must outlive its use. */
void bake_values_set_guard(bake_values *values, const bake_values_guard *guard);

/* Bakes the default of a field to an image. Returns false if the run has errors, including earlier
 * ones. */
bool bake_values_default(bake_values *values, uint32_t type, uint32_t member, const char *path,
                         kiln_buffer *ret_image);

#endif
