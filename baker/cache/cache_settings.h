/* Which caches a run uses. Texts are not copied; NULL means not given. */
#ifndef BAKE_CACHE_SETTINGS_H
#define BAKE_CACHE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bake_cache_settings {
    const char *local;   /* a folder of this user, whose size is bounded */
    const char *shared;  /* a folder that others use, too */
    const char *url;     /* of an HTTP store, without credentials */
    bool is_project_url; /* the URL is from a project file, which may be that of a stranger */
    bool read_only;      /* do not write to the shared folder or the URL */
    size_t size;         /* maximum bytes of the local folder; 0: BAKE_CACHE_SIZE */
    size_t wait; /* maximum time for the shared folder and the URL in milliseconds, in total;
                    0: BAKE_CACHE_WAIT */
} bake_cache_settings;

/* The defaults. */
#define BAKE_CACHE_SIZE ((size_t)2 << 30)
enum { BAKE_CACHE_WAIT = 1000, BAKE_CACHE_WAIT_MAX = 600000 };

#endif
