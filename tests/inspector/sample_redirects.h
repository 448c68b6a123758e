/* A file with two things and a list of redirects. */
#ifndef SAMPLE_REDIRECTS_H
#define SAMPLE_REDIRECTS_H

#include <kiln/allocator.h>
#include <stdbool.h>

typedef struct sample_redirect {
    const char *name, *target; /* target NULL: deleted */
} sample_redirect;

/* The assets are Thing/a and Thing/b. An entry may break rule R4. */
kiln_buffer sample_redirects(const sample_redirect *list, unsigned count, bool is_packed);

#endif
