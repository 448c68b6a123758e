/* Reads `importers` of a project file (PROJECT.md, "Importers"). */
#ifndef BAKE_PROJECT_IMPORTERS_H
#define BAKE_PROJECT_IMPORTERS_H

#include "project_values.h"
#include "run_options.h"
#include "schema.h"

typedef struct bake_project_importers {
    bake_importer *items; /* sorted by name */
    size_t count;
} bake_project_importers;

/* Reads a mapping of importers; null is an empty one. `file` is the path of the project file, to
 * which the paths of programs are relative. Mistakes are reported, and such importers are
 * skipped. */
void bake_project_importers_read(bake_project_reader *reader, bake_node_id node, const char *file,
                                 bake_project_importers *ret);
/* Replaces the importers that have the same names as those in `by`, and adds the others. Returns
 * false if memory runs out. */
bool bake_project_importers_apply(bake_project_importers *importers,
                                  const bake_project_importers *by, bake_store *store);
/* Writes each importer as a value of the option --importer. Returns false if memory runs out. */
bool bake_project_importers_export(const bake_project_importers *importers, bake_store *store,
                                   bake_list *ret_texts);

#endif
