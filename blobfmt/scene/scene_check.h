/* The checks of a scene's rows. scene_check_component.c makes a list of checks for each component,
 * scene_check_rows.c applies one check to a column, and scene_check.c applies all checks to all
 * chunks. */
#ifndef KILN_SCENE_CHECK_H
#define KILN_SCENE_CHECK_H

#include "scene_component.h"
#include "value_program.h"

#include <stdio.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* One check of each row of a component. */
typedef struct row_check {
    enum { ROW_ENTITY, ROW_WORD, ROW_VALUE } code;
    uint32_t place;
    kiln_status status;
    uint64_t limit;   /* ROW_ENTITY: numbers must be below it; ROW_WORD: the largest valid word */
    uint32_t sources; /* ROW_ENTITY: sources must be below it */
    program_check value; /* ROW_VALUE; its `at` is the place */
} row_check;

/* All checks of one component. */
typedef struct component_check {
    const row_check *rows;
    uint32_t count;
    uint32_t type; /* KILN_TYPE_NONE if unknown */
} component_check;

typedef struct scene_checker {
    const kiln_scene_check_args *args;
    const kiln_scene_view *view;
    kiln_error *reterr;
    const kiln_type *data; /* NULL: no data */
    bool clears;           /* clear padding instead of rejecting it; the chunks are then writable */
    arena memory;
    component_check *components; /* by number */
} scene_checker;

/* Like kiln_scene_check, for chunks that are being written: clears padding in rows. */
kiln_status kiln_scene_check_clearing(const kiln_scene_check_args *args, kiln_error *reterr);
/* scene_check_component.c: makes the checks of a component, and checks rule S10. */
kiln_status kiln_scene_plan_check(scene_checker *c, uint32_t component);
/* scene_check_rows.c: whether the check holds for `rows` rows, `stride` bytes apart. */
bool kiln_scene_rows_hold(const row_check *check, const unsigned char *at, size_t stride,
                          uint32_t rows);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
