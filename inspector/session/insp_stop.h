/* Explains why a path leads to no value. */
#ifndef INSP_STOP_H
#define INSP_STOP_H

#include "insp_mounts.h"

/* Where a path stopped. */
typedef struct insp_stop {
    const char *path;   /* the whole path */
    size_t length;      /* bytes of the part that has a value */
    kiln_value value;   /* that value; `of` is NULL if unknown */
    kiln_status status; /* from kiln_path_follow */
    bool is_one_asset;  /* `->` in a path has no meaning */
} insp_stop;

/* Reports it: what the last value is, and what could follow. Returns INSP_BAD. */
int insp_complain_stop(insp_run *run, const insp_mounts *mounts, const insp_file *file,
                       const insp_stop *stop);

#endif
