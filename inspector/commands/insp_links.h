/* The references between assets, with the field of each.
 *
 * The index lists which assets an asset refers to, and the values contain where. Only values are
 * read here; commands select the assets with the index first. */
#ifndef INSP_LINKS_H
#define INSP_LINKS_H

#include "insp_mounts.h"
#include "insp_walk.h"

/* A reference. */
typedef struct insp_link {
    insp_mounted from;
    const insp_step *step;   /* the path of the reference in `from`; NULL: its root */
    const kiln_value *value; /* NULL: the values cannot be read, and the index states it */
    uint64_t id;             /* of the target, as stored */
    insp_mounted to;         /* the target, after redirects; `asset` is NULL if it is in no file */
} insp_link;

/* Called for each reference. Returns false to skip the others of the same asset. */
typedef bool insp_link_visit(void *ctx, const insp_link *link);

typedef struct insp_links {
    insp_run *run;
    const insp_mounts *mounts;
    bool **reach; /* by file: the types that contain references; NULL: not computed */
    insp_walk walk;
    insp_link_visit *visit; /* of the current call */
    void *ctx;
    insp_mounted from;
    bool is_done;
    uint32_t unread; /* assets whose values cannot be read */
} insp_links;

/* Returns INSP_OK, or INSP_TROUBLE if memory runs out. Call insp_links_fini in both cases. */
int insp_links_init(insp_links *links, insp_run *run, const insp_mounts *mounts);
/* Reports what could not be read, and returns the exit code. */
int insp_links_fini(insp_links *links);

/* Calls `visit` for the references of an asset in the order of its fields. Returns INSP_OK or
 * INSP_TROUBLE. */
int insp_links_each(insp_links *links, insp_mounted from, insp_link_visit *visit, void *ctx);

/* The name of the target, also if it is in no file; empty if unknown. */
insp_text insp_link_target_name(const insp_links *links, const insp_link *link);

#endif
