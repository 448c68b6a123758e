/* The source files that a source map names, if they are available. */
#ifndef INSP_SOURCES_H
#define INSP_SOURCES_H

#include "insp_origins.h"
#include "insp_run.h"

typedef struct insp_sources {
    const insp_origins *origins;
    const char *map_path;
    const char *base; /* -C; or NULL */
    uint32_t file;    /* the file in `text`; UINT32_MAX: none */
    char *text;       /* NULL: not available */
    size_t size;
    insp_run *run; /* for messages about sources that cannot be read */
    int result;    /* INSP_TROUBLE after such a message, or if memory ran out */
} insp_sources;

/* Writes the line with a caret below it if the source is available. If the source cannot be read,
 * sets `result`. */
void insp_sources_put_line(insp_sources *sources, insp_out *out, const insp_origin_place *place);

#endif
