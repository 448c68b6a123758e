/* The identifiers of a generated header, unique for each type, member and function.
 *
 * The identifier of a named type is its qualified name with `_` for `.`. The identifier of an
 * unnamed type is composed of its parts: `u32[]` is `kiln_u32_array`, `map<string, game.Item>` is
 * `kiln_string_game_Item_map`. So an unnamed type has the same name in every header. Names of
 * members can be any string. Each run of characters that C does not allow becomes one `_`; at the
 * end of a name it is dropped. A leading digit gets a `_` before it; a `_` before a leading capital
 * letter is dropped. Keywords and names that begin with `KILN_` get a trailing `_`. A result that
 * is already taken, or is a macro of the header, gets a number (`_2`).
 *
 * Part: c_reserved.c, the lists of reserved names. */
#ifndef BAKE_C_NAMES_H
#define BAKE_C_NAMES_H

#include "hash_table.h"
#include "series.h"

#include <kiln/types.h>

typedef struct bake_c_type_name {
    /* The prefix of all names that belong to the type: `kiln_u32`, `game_Item`. */
    const char *stem;
    /* The C type of an element: `uint32_t`, `game_Item`, `game_Item_array`. */
    const char *spelling;
    /* Named types, by member: the field names of a struct, or the constants of an enum or union
     * (`game_Rarity_common`). */
    const char **members;
    /* By member, the part of function names: `class` for the field `class_`. */
    const char **words;
    /* Unions, by member: the builder functions (`game_Effect_choose_damage`). */
    const char **choices;
    /* An earlier type has the same C name and definition, and differs only in `align_at`. */
    bool is_repeat;
    uint32_t repeats; /* the index of that type, if `is_repeat` */
    /* A fixed array that needs a wrapper struct in C, such as the element of an array. */
    bool is_wrapped;
    /* An element of an array, for which builder functions need a view. */
    bool is_listed;
    /* A struct that can be a component: it has no relative fields and fits into a chunk. */
    bool is_component;
} bake_c_type_name;

typedef struct bake_c_names {
    const kiln_types *types;
    kiln_allocator allocator;
    bake_c_type_name *of; /* by type index */
    uint32_t count;
    struct bake_c_name_block *blocks; /* the names' memory */
    series taken;                     /* identifiers with their owners */
    hash_table by_name;               /* of `taken` */
    bool failed;                      /* memory ran out */
} bake_c_names;

/* Chooses the names of everything that a header for `types` defines. Returns KILN_T_NAME on a name
 * conflict, with both types in the error path, or KILN_NO_MEMORY if memory runs out. Call
 * bake_c_names_fini in any case. */
kiln_status bake_c_names_init(bake_c_names *names, const kiln_types *types,
                              const kiln_allocator *allocator, kiln_error *reterr);
void bake_c_names_fini(bake_c_names *names);

/* Allocates memory that lives as long as `names`. On failure sets `failed` and returns NULL. */
void *bake_c_name_alloc(bake_c_names *names, size_t size);

/* Formats a name that lives as long as `names`. Returns "" if memory runs out. */
const char *bake_c_name(bake_c_names *names, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Claims and returns `name`, or `name` with the first suffix `_2`, `_3`, ... that is free. */
const char *bake_c_name_unique(bake_c_names *names, const char *name);

/* Replaces each run of characters that C identifiers cannot contain with one `_`, and drops a run
 * at the end. The result can begin with a digit or be "". */
const char *bake_c_name_word(bake_c_names *names, const char *text);

/* c_reserved.c: whether the name is unusable for fields, because it is a keyword of C or C++ or a
 * macro of an included header. */
bool bake_c_is_reserved(const char *word);
/* Whether the name is unusable for a type without a namespace. */
bool bake_c_is_reserved_global(const char *word);

#endif
