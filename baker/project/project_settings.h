/* The settings of a bundle: sources, outputs, and those options of `kiln-bake build` that a project
 * file can set. A table of keys is used for reading, for profiles and for conversion to options, so
 * all three agree. */
#ifndef BAKE_PROJECT_SETTINGS_H
#define BAKE_PROJECT_SETTINGS_H

#include "project_budgets.h"
#include "project_values.h"
#include "run_options.h"

/* The layers of budgets of a bundle: its own, that of a profile, and that of the profile for this
 * bundle. */
enum { BAKE_SETTING_LAYERS = 3 };
typedef struct bake_setting_budgets {
    const bake_budget_layer *layers[BAKE_SETTING_LAYERS];
    size_t count;
} bake_setting_budgets;

typedef struct bake_settings {
    uint32_t given; /* which keys are set: bit i for row i of the table */
    bake_project_paths sources, externs;
    bake_project_path base, output, source_map;
    size_t compress, max_input;
    bake_dictionary dictionary;
    bake_dangling dangling;
    bake_resources resources;
    bool patch, no_types, no_share, no_importers, durable, if_changed, warnings_are_errors;
    bake_setting_budgets budgets;
} bake_settings;

/* Where settings are written. */
typedef enum bake_settings_place {
    BAKE_SETTINGS_BUNDLE,
    BAKE_SETTINGS_PROFILE, /* for all bundles: no paths; `bundles` and `importers` are skipped */
    BAKE_SETTINGS_OVERRIDE /* of a profile for one bundle */
} bake_settings_place;

/* Reads a mapping of settings. `path` is its location for messages, such as `bundles.game`. Null is
 * an empty mapping. Mistakes are reported, and such keys are skipped. */
void bake_settings_read(bake_project_reader *reader, bake_node_id node, const char *path,
                        bake_settings_place place, bake_settings *ret_settings);
/* Replaces the values of `settings` that `by` sets, and adds its budgets. */
void bake_settings_apply(bake_settings *settings, const bake_settings *by);
/* Sets the options that are not paths. */
void bake_settings_export(const bake_settings *settings, bake_options *options);

#endif
