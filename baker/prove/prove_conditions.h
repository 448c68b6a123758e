/* Conditions that must not change what a bake makes: numbers of threads, locales, time zones, the
 * order of names in folders, addresses in memory, seeds of hash tables, and the umask.
 *
 * A condition changes one of them; the last one changes all. The baker uses only some: it reads no
 * locale and no time zone, and its hash tables have seeds that depend on addresses. Importers may
 * use all of them. */
#ifndef BAKE_PROVE_CONDITIONS_H
#define BAKE_PROVE_CONDITIONS_H

#include "bake_store.h"

#include <sys/types.h>

typedef struct bake_condition {
    const char *name;   /* after the description of a difference: `with one thread` */
    const char *jobs;   /* the number of threads; NULL: the default */
    const char *zone;   /* the value of TZ, or NULL */
    const char *locale; /* of LC_ALL; "": one that the system has; NULL: unchanged */
    bool reverses_folders;
    bool changes_addresses; /* with a larger environment; not random, unless they already are not */
    bool fixes_seeds;       /* of the hash tables of Python and Perl, for importers */
    bool changes_umask;
} bake_condition;

/* The conditions, each to be compared with a run without changes. */
const bake_condition *bake_conditions(size_t *ret_count);

/* Makes the environment of a program under the condition (NULL: no changes) from that of this
 * process. MAKEFLAGS is left out: the program cannot use the jobserver. The environment is valid as
 * long as the store. Returns NULL if memory runs out. */
char **bake_condition_environment(const bake_condition *condition, bake_store *store);

typedef struct bake_condition_state {
    mode_t mask;
    int personality;
    bool has_mask, has_personality;
} bake_condition_state;

/* Changes the umask and the address layout of programs that this process starts, until
 * bake_condition_end. `condition` may be NULL. Returns false with errno set if the system does not
 * permit it; everything else is changed nevertheless. */
bool bake_condition_begin(const bake_condition *condition, bake_condition_state *ret_before);
void bake_condition_end(const bake_condition_state *before);

#endif
