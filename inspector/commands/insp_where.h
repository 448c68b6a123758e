/* The sources that a map names, as far as they are there. */
#ifndef INSP_WHERE_H
#define INSP_WHERE_H

#include "insp_origins.h"
#include "insp_run.h"

#include <kiln/path.h>

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
void insp_where_put_line(insp_sources *sources, insp_out *out, const insp_origin_place *place);

/* insp_where_path.c: behind the step of a path that begins at `at`. */
const char *insp_where_step_end(const char *at);
/* The way `rest`, behind an asset's name, in the spelling of maps: keys are canonical, and the step
 * into a wrap is left out. False where it leads nowhere; `path` is as far as it went. */
bool insp_where_spell(const kiln_value *root, const char *rest, kiln_path *path);

#endif
