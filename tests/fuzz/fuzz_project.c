/* A project file, with a few files for its patterns. It is read, and planned with its default
 * profile and with its first profile. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "fuzz_target.h"
#include "memory_gateway.h"
#include "null_stream.h"

#include "bake_options.h"
#include "gateway_output.h"
#include "project_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* There are no links. */
__typeof__(bake_output_is_same) __wrap_bake_output_is_same;

bool __wrap_bake_output_is_same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void put_files(const void *text, size_t size)
{
    static const char *const paths[] = {"s.yaml",           "more.yaml",       "data/a.yaml",
                                        "data/deep/b.yaml", "data/dlc/c.yaml", "far.kiln"};
    memory_gateway_reset();
    memory_gateway_put("kiln.yaml", text, size);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        memory_gateway_put(paths[i], "{}\n", 3);
}

/* Each step needs only earlier ones, and has an output. */
static void check_plan(const bake_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const bake_step *step = &plan->steps[i];
        require(step->name && step->options.output && step->options.output[0],
                "a step has no output");
        for (size_t k = 0; k < step->need_count; k++)
            require(step->needs[k] < i, "a step needs a later one");
    }
}

/* Returns the name of the first profile, which the caller frees; NULL if there is none. */
static char *plan(const void *text, size_t size, const char *profile)
{
    bake_project project = {0};
    bake_plan steps = {0};
    bake_options options;
    bake_failure failure = {BAKE_OK, ""};
    bake_store store = {0};
    char *name = NULL;
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    bake_gateway *gateway = bake_gateway_create(NULL);
    require(diagnostics && gateway, "no memory");
    put_files(text, size);
    static const char *const words[] = {"build"};
    require(bake_options_parse(&options, &store, 1, words, &failure) == BAKE_OK, failure.text);
    bake_result result = bake_project_read(&project, "kiln.yaml", NULL, diagnostics, &failure);
    if (!result)
        result = bake_project_choose(&project, profile, &failure);
    if (!result)
        result = bake_plan_make(&(bake_plan_def){&project, gateway, diagnostics, &options}, &steps,
                                &failure);
    if (!result)
        check_plan(&steps);
    require(!bake_diagnostics_no_memory(diagnostics) && result != BAKE_BUG, failure.text);
    require(result ? failure.text[0] || bake_diagnostics_errors(diagnostics) > 0
                   : bake_diagnostics_errors(diagnostics) == 0,
            "a mistake without a message, or a message without a mistake");
    bake_diagnostics_print(diagnostics, null_stream(), false);
    if (!profile && project.profile_count > 0 && project.profiles[0].name)
        name = strdup(project.profiles[0].name);
    bake_project_fini(&project);
    bake_diagnostics_destroy(diagnostics);
    bake_gateway_destroy(gateway);
    bake_store_fini(&store);
    return name;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = plan(data, size, NULL);
    if (name)
        free(plan(data, size, name));
    free(name);
    return 0;
}
