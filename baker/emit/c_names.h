/* The identifiers of a generated header: a different one for each type, member and call.
 *
 * The identifier of a named type is its qualified name with `_` for `.`; that of an unnamed one
 * comes from its parts (`u32[]` is `kiln_u32_array`, `map<string, game.Item>` is
 * `kiln_string_game_Item_map`), so that the same unnamed type has the same name in every header.
 * Names of members can be any text: characters that C does not allow become `_`, keywords and names
 * that begin with `KILN_` get a `_` appended, and a name that is then taken, or is a macro of the
 * header, gets a number (`_2`).
 *
 * Part: c_reserved.c, the lists of names that are taken. */
#ifndef BAKE_C_NAMES_H
#define BAKE_C_NAMES_H

#include "hash_table.h"
#include "series.h"

#include <kiln/types.h>

typedef struct bake_c_type_name {
    /* The prefix of all names that belong to the type: `kiln_u32`, `game_Item`. */
    const char *stem;
    /* How C spells the type as an element: `uint32_t`, `game_Item`, `game_Item_array`. */
    const char *spelling;
    /* Named types, by member: a struct's fields as they are in the struct; an enum's constants
     * and a union's tags, whole (`game_Rarity_common`). */
    const char **members;
    /* By member, what calls are named after: `class` where the field is `class_`. */
    const char **words;
    /* Unions, by member: the builder's calls (`game_Effect_choose_damage`). */
    const char **choices;
    /* An earlier type of the list has the same name and the same definition in C (it differs in
     * `align_at`). */
    bool is_repeat;
    uint32_t repeats; /* the number of that type, if `is_repeat` */
    /* A fixed array in a place where C needs a struct around it, such as the element of an array.
     */
    bool is_wrapped;
    /* Elements of arrays: builder calls need a view of them. */
    bool is_listed;
    /* A struct that can be a component: its bytes mean the same wherever they are copied, and
     * chunks have room for them. */
    bool is_component;
} bake_c_type_name;

typedef struct bake_c_names {
    const kiln_types *types;
    kiln_allocator allocator;
    bake_c_type_name *of; /* by type number */
    uint32_t count;
    struct bake_c_name_block *blocks; /* the names' memory */
    series taken;                     /* identifiers with their owners */
    hash_table by_name;               /* of `taken` */
    bool failed;                      /* memory has run out */
} bake_c_names;

/* Names everything that a header for `types` defines. KILN_T_NAME, with both types in the path, if
 * two would get the same name; KILN_NO_MEMORY. Call `bake_c_names_fini` in any case. */
kiln_status bake_c_names_init(bake_c_names *names, const kiln_types *types,
                              const kiln_allocator *allocator, kiln_error *reterr);
void bake_c_names_fini(bake_c_names *names);

/* Memory that lives as long as `names`; NULL, and `failed` is set, when memory ran out. */
void *bake_c_name_alloc(bake_c_names *names, size_t size);

/* Formats a name into memory that lives as long as `names`; "" when memory has run out. */
const char *bake_c_name(bake_c_names *names, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Takes `name`, or `name` with the first number that makes it free, and returns it. */
const char *bake_c_name_unique(bake_c_names *names, const char *name);

/* `text` with `_` for each run of characters that identifiers cannot have. The result can begin
 * with a digit or be "". */
const char *bake_c_name_word(bake_c_names *names, const char *text);

/* c_reserved.c: whether `word` is a keyword of C or C++, or a macro of the headers that a generated
 * one includes, so that no field can have the name. */
bool bake_c_is_reserved(const char *word);
/* Whether no type can have the name. */
bool bake_c_is_reserved_global(const char *word);

#endif
