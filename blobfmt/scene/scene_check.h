/* What must hold of the rows of a scene's columns: scene_check_component.c works it out for each
 * component, scene_check_rows.c applies it to a column, scene_check.c to all chunks. */
#ifndef KILN_SCENE_CHECK_H
#define KILN_SCENE_CHECK_H

#include "scene_component.h"
#include "value_program.h"

#include <stdio.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* One thing that is looked at in each row of a component. */
typedef struct row_check {
    enum { ROW_ENTITY, ROW_WORD, ROW_VALUE } code;
    uint32_t place;
    kiln_status status;
    uint64_t limit;      /* of an entity's number, from which on it is none; the greatest word */
    uint32_t sources;    /* of an entity's source, likewise */
    program_check value; /* `at` is the place */
} row_check;

/* All of one component. */
typedef struct component_check {
    const row_check *rows;
    uint32_t count;
    uint32_t type; /* KILN_TYPE_NONE where it is not known */
} component_check;

typedef struct scene_checking {
    const kiln_scene_check_def *def;
    const kiln_scene_view *view;
    kiln_error *reterr;
    const kiln_type *data; /* NULL: there is none */
    bool clears;           /* padding is made zero; the chunks are the caller's own */
    arena memory;
    component_check *components; /* by number */
} scene_checking;

/* kiln_scene_check of chunks that are being written: padding in rows that is not zero becomes so.
 */
kiln_status kiln_scene_check_clearing(const kiln_scene_check_def *def, kiln_error *reterr);
/* scene_check_component.c: finds out what is to be looked at in a component; rule S10. */
kiln_status kiln_scene_plan_check(scene_checking *c, uint32_t component);
/* scene_check_rows.c: whether it holds for `rows` rows, `stride` bytes from one to the next. */
bool kiln_scene_rows_hold(const row_check *check, const unsigned char *at, size_t stride,
                          uint32_t rows);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
