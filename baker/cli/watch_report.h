/* The lines of the command `watch`: one for each bake, after its diagnostics. */
#ifndef BAKE_WATCH_REPORT_H
#define BAKE_WATCH_REPORT_H

#include "bake_result.h"
#include "record_check.h"
#include "run_options.h"

#include <stdio.h>

/* An event. */
typedef struct watch_event {
    const bake_changes *changes; /* that caused the bake; NULL: the first bake */
    bake_result result;
    int64_t time;          /* of the bake, in milliseconds */
    size_t paths, folders; /* watched from now on */
} watch_event;

/* Writes the line of a bake in the format of the diagnostics. With -v, each change has a line
 * before it. With -q, only the lines of failed bakes are written. */
void bake_watch_report_event(const bake_options *options, const watch_event *event, FILE *err);
/* Writes a warning. */
void bake_watch_report_notice(const bake_options *options, const char *text, FILE *err);

#endif
