/* The sources that a map names, as far as they can be read. */
#ifndef INSP_WHERE_H
#define INSP_WHERE_H

#include "insp_origins.h"

typedef struct insp_sources {
    const insp_origins *origins;
    const char *map_path;
    const char *base; /* -C; or NULL */
    uint32_t file;    /* which is in `text`; UINT32_MAX: none */
    char *text;       /* NULL: it could not be read */
    size_t size;
} insp_sources;

/* The line with a caret below, if the source can be read. */
void insp_where_put_line(insp_sources *sources, insp_out *out, const insp_origin_place *place);

#endif
