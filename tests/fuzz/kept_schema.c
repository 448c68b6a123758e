#include "kept_schema.h"

#include "memory_gateway.h"
#include "run_clusters.h"
#include "run_scenes.h"
#include "schema_defaults.h"

#include <stdlib.h>
#include <string.h>

static const char *path_kept, *text_kept;
static size_t size_kept;
static bool is_off, is_good;

/* The schema for runs, and its initial versions without and with the types of scenes, which a run
 * with scenes adds. Each has the type of cluster plans if the corresponding run would add it. Both
 * versions were read separately and stay unchanged. */
static bake_schema given, *plain, *with_scenes;
static bake_gateway *gateway;
static bake_diagnostics *diagnostics[2];

__typeof__(bake_schema_load) __real_bake_schema_load, __wrap_bake_schema_load;
__typeof__(bake_schema_destroy) __real_bake_schema_destroy, __wrap_bake_schema_destroy;
__typeof__(bake_run_scenes_types) __real_bake_run_scenes_types, __wrap_bake_run_scenes_types;
__typeof__(bake_run_clusters_types) __real_bake_run_clusters_types, __wrap_bake_run_clusters_types;

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void end(void)
{
    __real_bake_schema_destroy(plain);
    __real_bake_schema_destroy(with_scenes);
    bake_diagnostics_destroy(diagnostics[0]);
    bake_diagnostics_destroy(diagnostics[1]);
    bake_gateway_destroy(gateway);
}

static bake_schema *read_schema(bake_diagnostics **ret_diagnostics)
{
    bake_schema *schema = NULL;
    bake_failure failure = {BAKE_OK, ""};
    *ret_diagnostics = bake_diagnostics_create();
    bake_schema_def def = {gateway, *ret_diagnostics, &path_kept, 1, NULL, 0, false, NULL, 0};
    require(*ret_diagnostics && !__real_bake_schema_load(&def, &schema, &failure));
    require(bake_diagnostics_warnings(*ret_diagnostics) == 0);
    return schema;
}

/* Adds the built-in types that a run with or without scenes adds. */
static void add_types(bake_schema *schema, bool has_scenes)
{
    bake_run run = {.schema = schema};
    require(!__real_bake_run_scenes_types(&run, has_scenes) &&
            !__real_bake_run_clusters_types(&run, has_scenes));
}

static void read_both(void)
{
    gateway = bake_gateway_create(NULL);
    require(gateway && atexit(end) == 0);
    plain = read_schema(&diagnostics[0]);
    with_scenes = read_schema(&diagnostics[1]);
    add_types(plain, false);
    add_types(with_scenes, true);
}

void kept_schema_set(const char *path, const char *text, size_t size)
{
    path_kept = path;
    text_kept = text;
    size_kept = size;
    memory_gateway_keep(path, text, size);
}

void kept_schema_use(bool is_used)
{
    is_off = !is_used;
}

bool kept_schema_is_good(void)
{
    return is_good;
}

static bool is_kept(const bake_schema_def *def)
{
    return path_kept && !is_off && def->path_count == 1 && strcmp(def->paths[0], path_kept) == 0;
}

/* ---- replacements of the baker's functions ---- */

bake_result __wrap_bake_schema_load(const bake_schema_def *def, bake_schema **ret_schema,
                                    bake_failure *failure)
{
    if (!is_kept(def)) {
        bake_result result = __real_bake_schema_load(def, ret_schema, failure);
        is_good = result == BAKE_OK;
        return result;
    }
    if (!plain)
        read_both();
    /* The positions in the kept schema refer to source 0, so its text must be the first source. */
    require(bake_diagnostics_add_source(def->diagnostics, path_kept, text_kept, size_kept) == 0);
    given = *plain;
    *ret_schema = &given;
    return BAKE_OK;
}

bake_result __wrap_bake_run_scenes_types(bake_run *run, bool has_scenes)
{
    if (run->schema != &given)
        return __real_bake_run_scenes_types(run, has_scenes);
    if (has_scenes)
        given = *with_scenes;
    return BAKE_OK;
}

/* The types are already in the list. */
bake_result __wrap_bake_run_clusters_types(bake_run *run, bool has_scenes)
{
    return run->schema == &given ? BAKE_OK : __real_bake_run_clusters_types(run, has_scenes);
}

void __wrap_bake_schema_destroy(bake_schema *schema)
{
    if (schema != &given) {
        __real_bake_schema_destroy(schema);
        return;
    }
    /* A run must not change the schema of later runs. */
    require(memcmp(&given, plain, sizeof given) == 0 ||
            memcmp(&given, with_scenes, sizeof given) == 0);
}
