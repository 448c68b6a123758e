/* Caches type lists that many executions use: those of the format, and those of type tables read
 * before. The linker replaces the functions that create and destroy lists with these. A table that
 * differs from all cached ones is read as usual. */
#include <kiln/cluster_plan.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES_MAX = 16 };

typedef struct kept_table {
    unsigned char *bytes;
    size_t size;
    kiln_types *types;
} kept_table;

static kiln_types *fixed, *fixed_with_scene, *fixed_with_all, *scene_alone;
/* Caches only the first tables that are read, because seeds come before mutations. */
static kept_table tables[TABLES_MAX];
static size_t table_count;

__typeof__(kiln_types_create_builtin) __real_kiln_types_create_builtin,
    __wrap_kiln_types_create_builtin;
__typeof__(kiln_types_with_scene) __real_kiln_types_with_scene, __wrap_kiln_types_with_scene;
__typeof__(kiln_types_with_clusters) __real_kiln_types_with_clusters,
    __wrap_kiln_types_with_clusters;
__typeof__(kiln_type_table_read) __real_kiln_type_table_read, __wrap_kiln_type_table_read;
__typeof__(kiln_types_destroy) __real_kiln_types_destroy, __wrap_kiln_types_destroy;

static void end(void)
{
    __real_kiln_types_destroy(fixed);
    __real_kiln_types_destroy(fixed_with_scene);
    __real_kiln_types_destroy(fixed_with_all);
    __real_kiln_types_destroy(scene_alone);
    for (size_t i = 0; i < table_count; i++) {
        __real_kiln_types_destroy(tables[i].types);
        free(tables[i].bytes);
    }
}

static void prepare(void)
{
    kiln_types *none = NULL;
    if (fixed)
        return;
    if (__real_kiln_types_create_builtin(NULL, &fixed, NULL) ||
        __real_kiln_types_with_scene(fixed, NULL, &fixed_with_scene, NULL) ||
        __real_kiln_types_with_clusters(fixed_with_scene, NULL, &fixed_with_all, NULL) ||
        kiln_types_create(NULL, NULL, 0, &none, NULL) ||
        __real_kiln_types_with_scene(none, NULL, &scene_alone, NULL) || atexit(end) != 0)
        abort();
    __real_kiln_types_destroy(none);
}

static bool is_kept(const kiln_types *types)
{
    for (size_t i = 0; i < table_count; i++)
        if (tables[i].types == types)
            return true;
    return types == fixed || types == fixed_with_scene || types == fixed_with_all ||
           types == scene_alone;
}

kiln_status __wrap_kiln_types_create_builtin(const kiln_allocator *allocator,
                                             kiln_types **ret_types, kiln_error *reterr)
{
    (void)allocator;
    (void)reterr;
    prepare();
    *ret_types = fixed;
    return KILN_OK;
}

kiln_status __wrap_kiln_types_with_scene(const kiln_types *types, const kiln_allocator *allocator,
                                         kiln_types **ret_types, kiln_error *reterr)
{
    prepare();
    if (types != fixed && kiln_types_count(types) != 0)
        return __real_kiln_types_with_scene(types, allocator, ret_types, reterr);
    *ret_types = types == fixed ? fixed_with_scene : scene_alone;
    return KILN_OK;
}

kiln_status __wrap_kiln_types_with_clusters(const kiln_types *types,
                                            const kiln_allocator *allocator, kiln_types **ret_types,
                                            kiln_error *reterr)
{
    prepare();
    if (types != fixed_with_scene)
        return __real_kiln_types_with_clusters(types, allocator, ret_types, reterr);
    *ret_types = fixed_with_all;
    return KILN_OK;
}

static void keep_table(const void *data, size_t size)
{
    kept_table table = {malloc(size), size, NULL};
    if (!table.bytes || __real_kiln_type_table_read(NULL, data, size, &table.types, NULL))
        abort();
    memcpy(table.bytes, data, size);
    tables[table_count++] = table;
}

kiln_status __wrap_kiln_type_table_read(const kiln_allocator *allocator, const void *data,
                                        size_t size, kiln_types **ret_types, kiln_error *reterr)
{
    prepare();
    for (size_t i = 0; i < table_count; i++) {
        if (tables[i].size != size || memcmp(tables[i].bytes, data, size) != 0)
            continue;
        *ret_types = tables[i].types;
        return KILN_OK;
    }
    kiln_status status = __real_kiln_type_table_read(allocator, data, size, ret_types, reterr);
    if (!status && table_count < TABLES_MAX)
        keep_table(data, size);
    return status;
}

void __wrap_kiln_types_destroy(kiln_types *types)
{
    if (!is_kept(types))
        __real_kiln_types_destroy(types);
}
