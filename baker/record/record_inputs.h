/* Records of inputs only, with which a program waits until a bake must be repeated.
 *
 * Unlike bake_record_make, bake_record_make_inputs accepts every run, also one that failed:
 * whatever it read, looked for or listed may be the mistake. Such a record is only compared with
 * bake_record_check_inputs and never stored. A list of records has the inputs of all runs of a
 * bake. The parts are record_inputs.c, and a function in record_check.c. */
#ifndef BAKE_RECORD_INPUTS_H
#define BAKE_RECORD_INPUTS_H

#include "record_check.h"

/* Makes a record of the inputs of a run, except standard input. `gateway` keeps details. A file
 * that could not be read is recorded with its current state, so that a change of its mode is a
 * change, too. Returns NULL if memory runs out. */
bake_record *bake_record_make_inputs(const bake_gateway *gateway);

/* Compares only paths and folders with their current state, and trusts states as bake_record_check
 * does. With `counts_unstable`, paths that changed during the run are changes, whatever their state
 * is now. Works for every record. */
bake_record_state bake_record_check_inputs(bake_record *record, bool counts_unstable,
                                           bake_changes *changes);

/* The paths of files, and of folders whose names matter. `ret_suffixes` receives the endings of the
 * names that matter in addition to those of YAML files; NULL: all names matter. */
size_t bake_record_path_count(const bake_record *record);
const char *bake_record_path_at(const bake_record *record, size_t i);
size_t bake_record_folder_count(const bake_record *record);
const char *bake_record_folder_at(const bake_record *record, size_t i,
                                  const char *const **ret_suffixes);
/* Hashes the states of all files and folders. Two equal results in a row show that nobody is
 * changing them. */
uint64_t bake_record_hash_states(const bake_record *record);

/* The records of one bake. Zeroed, it is empty. */
typedef struct bake_record_list {
    bake_record **items;
    size_t count, capacity;
    bool failed; /* memory ran out, so inputs are missing */
} bake_record_list;

/* Takes ownership of the record. NULL means that there was no memory for it. */
void bake_record_list_add(bake_record_list *list, bake_record *record);
void bake_record_list_fini(bake_record_list *list);

#endif
