/* Makes changes, and compares options and lists of names. Private to the storey; its parts are
 * record_changes.c, record_options.c and record_names.c. */
#ifndef BAKE_RECORD_CHANGES_H
#define BAKE_RECORD_CHANGES_H

#include "record_check.h"

/* Whether the check should look for more changes. */
bool bake_changes_wanted(const bake_changes *changes);
/* Adds a change whose text is `before` `subject` `: ` and the formatted text. If memory runs out,
 * only `changes->store.failed` is set. */
void bake_change_add(bake_changes *changes, bake_change_kind kind, const char *before,
                     const char *subject, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
/* Adds the differences of version and options. */
void bake_record_compare_options(const bake_record *record, const bake_record_def *def,
                                 bake_changes *changes);
/* Adds the differences between two lists of the names in one folder. Both are valid
 * (bake_list_names). */
void bake_record_compare_names(const bake_input_list *before, const bake_input_list *now,
                               bake_changes *changes);

#endif
