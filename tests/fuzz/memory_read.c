#include "memory_read.h"

#include "insp_memory.h"
#include "insp_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 5, FILE_ALIGN = 4096 };

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

__typeof__(insp_read) __wrap_insp_read;

/* The block ends exactly at the end of the file, so that a sanitizer catches overreads. */
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
