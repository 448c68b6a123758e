#include "path_join.h"

#include "bake_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

char *bake_path_join(const char *a, const char *b)
{
    size_t a_length = a && *b != '/' ? strlen(a) : 0;
    size_t b_length = strlen(b);
    bool slash = a_length && a[a_length - 1] != '/';
    char *joined = bake_alloc(a_length + slash + b_length + 1);
    if (!joined) {
        errno = ENOMEM;
        return NULL;
    }
    if (a_length)
        memcpy(joined, a, a_length);
    if (slash)
        joined[a_length] = '/';
    memcpy(joined + a_length + slash, b, b_length + 1);
    return joined;
}
