/* Prints the values that `find` has found.
 *
 *     text      0x00001240  Monster/orc.hp = 42
 *     paths     Monster/orc.hp
 *     offsets   0x1240
 *     json      an object for each
 *
 * With several files, lines of text begin with the name of the file. Offsets count from the start
 * of the file, and with `+` from the start of a blob that is compressed in the file. */
#ifndef INSP_FIND_LIST_H
#define INSP_FIND_LIST_H

#include "insp_mounts.h"
#include "insp_printer.h"
#include "insp_walk.h"

typedef enum insp_find_format {
    INSP_FIND_TEXT,
    INSP_FIND_JSON,
    INSP_FIND_PATHS,
    INSP_FIND_OFFSETS
} insp_find_format;

/* A value that was found. */
typedef struct insp_hit {
    insp_mounted at;
    const unsigned char *blob; /* of the asset */
    const insp_step *step;
    const kiln_value *value;
    bool is_key;
} insp_hit;

typedef struct insp_find_list {
    insp_run *run;
    insp_find_format format;
    char end; /* of a line: a line feed, or NUL for xargs -0 */
    bool has_files;
    uint64_t count;
    insp_path path;
    insp_printer printer;
} insp_find_list;

void insp_find_list_init(insp_find_list *list, insp_run *run, const insp_mounts *mounts);
void insp_find_list_fini(insp_find_list *list);
void insp_find_list_begin(insp_find_list *list);
void insp_find_list_end(insp_find_list *list);
/* Returns false if memory runs out. */
bool insp_find_list_put(insp_find_list *list, const insp_hit *hit);

#endif
