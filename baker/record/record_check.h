/* Compares a record with the current files, options and environment. The parts are record_check.c,
 * record_options.c, record_names.c and record_changes.c. */
#ifndef BAKE_RECORD_CHECK_H
#define BAKE_RECORD_CHECK_H

#include "bake_store.h"
#include "record.h"

typedef enum bake_change_kind {
    BAKE_CHANGE_VERSION,
    BAKE_CHANGE_OPTION,
    BAKE_CHANGE_VARIABLE, /* of the environment */
    BAKE_CHANGE_OUTPUT,
    BAKE_CHANGE_CONTENT, /* of a file that was read; it can still be read */
    BAKE_CHANGE_INPUT,   /* of a path that was read, examined or looked for */
    BAKE_CHANGE_NAMES    /* of a folder that was listed */
} bake_change_kind;

/* A difference from the record. `subject` is the name of the option or variable, or the path.
 * `text` describes the change in one line: "data/items.yaml: content changed". Texts contain the
 * bytes of file names and options unchanged. */
typedef struct bake_change {
    bake_change_kind kind;
    const char *subject;
    const char *text;
} bake_change;

/* Zeroed, it is empty and has no limit. bake_changes_fini frees it. */
typedef struct bake_changes {
    size_t most; /* the check ends after so many changes; 0: no limit */
    bake_change *items;
    size_t count, capacity;
    bake_store store; /* of the items and their texts */
    /* Called for each change that was added, during the check; NULL: not needed. */
    void (*notice)(void *ctx, const bake_change *change);
    void *ctx;
} bake_changes;

void bake_changes_fini(bake_changes *changes);

typedef enum bake_record_state {
    BAKE_RECORD_UNCHANGED,
    BAKE_RECORD_CHANGED,
    BAKE_RECORD_NO_MEMORY
} bake_record_state;

/* Compares a record with the current state. `def` describes the step as it would run now. Adds the
 * differences to `changes`, in the order of the constants above, with contents among other inputs.
 *
 * With `trust_stat`, files and folders whose state is equal count as unchanged, unless they may
 * have changed within the resolution of their times (bake_file_state_is_recent). All others are
 * read, and so are folders whose list depends on links. Equal content is unchanged, whatever its
 * state.
 *
 * If the result is BAKE_RECORD_UNCHANGED and states in the record were replaced by newer ones,
 * `ret_is_newer` is true: save the record, so that the next check need not read these files. */
bake_record_state bake_record_check(bake_record *record, const bake_record_def *def,
                                    bool trust_stat, bake_changes *changes, bool *ret_is_newer);

#endif
