#include "memory_read.h"

#include "insp_memory.h"
#include "insp_read.h"

#include <errno.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 4, FILE_ALIGN = 4096 };

typedef struct memory_file {
    const char *path;
    const void *data;
    size_t size;
} memory_file;

static memory_file files[FILES_MAX];
static size_t file_count;

void memory_read_reset(void)
{
    file_count = 0;
}

void memory_read_put(const char *path, const void *data, size_t size)
{
    if (file_count == FILES_MAX)
        abort();
    files[file_count++] = (memory_file){path, data, size};
}

/* The format's own types, which are the same for every file. */
static kiln_types *fixed, *builtin;

__typeof__(insp_read) __wrap_insp_read;
__typeof__(kiln_types_create_builtin) __real_kiln_types_create_builtin,
    __wrap_kiln_types_create_builtin;
__typeof__(kiln_types_with_scene) __real_kiln_types_with_scene, __wrap_kiln_types_with_scene;
__typeof__(kiln_types_destroy) __real_kiln_types_destroy, __wrap_kiln_types_destroy;

static void end(void)
{
    __real_kiln_types_destroy(fixed);
    __real_kiln_types_destroy(builtin);
}

kiln_status __wrap_kiln_types_create_builtin(const kiln_allocator *allocator,
                                             kiln_types **ret_types, kiln_error *reterr)
{
    (void)allocator;
    if (!fixed && (__real_kiln_types_create_builtin(NULL, &fixed, reterr) ||
                   __real_kiln_types_with_scene(fixed, NULL, &builtin, reterr) || atexit(end) != 0))
        abort();
    *ret_types = fixed;
    return KILN_OK;
}

kiln_status __wrap_kiln_types_with_scene(const kiln_types *types, const kiln_allocator *allocator,
                                         kiln_types **ret_types, kiln_error *reterr)
{
    if (types != fixed)
        return __real_kiln_types_with_scene(types, allocator, ret_types, reterr);
    *ret_types = builtin;
    return KILN_OK;
}

void __wrap_kiln_types_destroy(kiln_types *types)
{
    if (types != fixed && types != builtin)
        __real_kiln_types_destroy(types);
}

/* The block ends exactly where the file does, so that a sanitizer sees the first byte behind it. */
int __wrap_insp_read(const char *path, uint64_t max, unsigned char **ret_data, size_t *ret_size)
{
    (void)max;
    for (size_t i = 0; i < file_count; i++) {
        const memory_file *file = &files[i];
        if (strcmp(file->path, path) != 0)
            continue;
        *ret_data = insp_alloc_unset(file->size, FILE_ALIGN);
        if (!*ret_data)
            return ENOMEM;
        if (file->size)
            memcpy(*ret_data, file->data, file->size);
        *ret_size = file->size;
        return 0;
    }
    return ENOENT;
}
