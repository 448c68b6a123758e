/* The sources that a map names, as far as they are there. */
#ifndef INSP_SOURCES_H
#define INSP_SOURCES_H

#include "insp_origins.h"
#include "insp_run.h"

typedef struct insp_sources {
    const insp_origins *origins;
    const char *map_path;
    const char *base; /* -C; or NULL */
    uint32_t file;    /* which is in `text`; UINT32_MAX: none */
    char *text;       /* NULL: it is not there, or could not be read */
    size_t size;
    insp_run *run; /* is told which sources are there and cannot be read */
    int result;    /* INSP_TROUBLE when there was one of these, or no memory */
} insp_sources;

/* The line with a caret below, if the source can be read; if it is there and cannot, `result` says
 * so. */
void insp_sources_put_line(insp_sources *sources, insp_out *out, const insp_origin_place *place);

#endif
