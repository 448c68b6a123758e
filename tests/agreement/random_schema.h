/* A random schema and random values of its types, made from a seed and known from within: what is
 * written as YAML here must be what every reader of the baked bytes finds.
 *
 * Nothing here uses the baker, and of blobfmt only the numbers of kinds and the ids of names.
 * Memory is the schema's and goes with it; where there is none, the program ends. */
#ifndef AGREEMENT_RANDOM_SCHEMA_H
#define AGREEMENT_RANDOM_SCHEMA_H

#include <kiln/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { RANDOM_NAME_SIZE = 72 };

typedef struct random_type random_type;
typedef struct random_datum random_datum;

/* A field, an alternative or a value of an enum or flag set. */
typedef struct random_member {
    char name[RANDOM_NAME_SIZE];
    const random_type *type;     /* NULL: an alternative without a value */
    uint64_t value;              /* of an enum (sign-extended) or flag set; an alternative's tag */
    random_datum *default_value; /* NULL: none */
    bool is_required;
    bool is_single;
    bool is_rest;
} random_member;

struct random_type {
    kiln_kind kind;
    char name[RANDOM_NAME_SIZE]; /* of named types, without the namespace */
    const random_type *element;
    const random_type *key;
    uint32_t count; /* fixed */
    uint32_t align_at;
    kiln_kind base;
    random_member *members;
    uint32_t member_count;
    bool is_asset;
    bool is_wrap;
    bool is_filled; /* its fields are made */
    bool states_base;
    bool states_values;
    uint32_t asset_count; /* how many assets of the type there are; see random_asset_id */
    /* Of what lies in place. */
    uint32_t size_bound;
    uint32_t depth;
    bool has_empty; /* may be absent already */
};

/* A value: by kind. Entries of maps are ascending by key. */
struct random_datum {
    const random_type *type;
    uint64_t bits; /* bool, integers, enums, flags, floats (of the kind's width) */
    char *text;    /* string, bytes; ref: `Kind/id` */
    uint32_t length;
    random_datum **items; /* of fields, elements, values; one of an optional or union */
    random_datum **keys;
    uint32_t count;
    uint32_t choice; /* union: the alternative's number plus 1; 0: unset */
    bool is_default; /* of a field: left out, as its default says it */
    /* Used more than once: written once with an anchor, then by its alias. */
    bool is_shared;
    uint32_t height;   /* of what lies below it */
    uint32_t document; /* in which it has an anchor */
    uint32_t anchor;
};

enum { RANDOM_RECENT = 32 };

typedef struct random_schema {
    uint64_t state;
    random_datum *recent[RANDOM_RECENT]; /* values that may be used again */
    uint32_t key_turn, relative_turn, number_turn;
    uint32_t made;              /* values below the root being made */
    uint32_t document, anchors; /* being written */
    char space[32];             /* the namespace */
    random_type *named[64];
    uint32_t named_count;
    struct random_block *blocks;
} random_schema;

/* `named_count` below 60; `seed` also gives the namespace, `s` and the seed. */
random_schema *random_schema_create(uint64_t seed, uint32_t named_count, uint32_t assets_a_type);
void random_schema_destroy(random_schema *schema);
/* The schema file. */
void random_schema_write(random_schema *schema, FILE *out);

/* Zeroed. */
void *random_alloc(random_schema *schema, size_t size);
uint64_t random_bits(random_schema *schema);
/* Below `limit`, which is above 0. */
uint32_t random_below(random_schema *schema, uint32_t limit);
/* True in `percent` of a hundred cases. */
bool random_chance(random_schema *schema, uint32_t percent);

/* Gives a type so many members, with names. */
void random_members_make(random_schema *schema, random_type *type, uint32_t count);
/* Gives an enum or a flag set its members and its base. */
void random_enum_make(random_schema *schema, random_type *type);
void random_flags_make(random_schema *schema, random_type *type);

typedef struct random_id {
    char text[48];
} random_id;

/* The id of asset number `i` of any type. */
random_id random_asset_id(uint32_t i);
/* The same as a key. */
void random_asset_id_write(random_schema *schema, uint32_t i, FILE *out);

/* A value of a type, or one of that type that was made before; `depth` 0 for a root. */
random_datum *random_datum_make(random_schema *schema, const random_type *type, unsigned depth);
/* Of a float. */
double random_number_of(const random_datum *datum);
/* In the order of keys: <0, 0, >0. */
int random_datum_compare(const random_datum *a, const random_datum *b);

/* Anchors stay within a document: to be called where one begins. */
void random_document_begin(random_schema *schema);
/* Writes a value in one of the ways that the data language has, as a flow node; `member` is the
 * field that it is the value of, or NULL. */
void random_datum_write(random_schema *schema, random_datum *datum, const random_member *member,
                        FILE *out);
/* The same as a block, for a value behind `key:`; ends the line. */
void random_datum_write_block(random_schema *schema, random_datum *datum,
                              const random_member *member, unsigned indent, FILE *out);
/* A text as a YAML scalar. */
void random_text_write(random_schema *schema, const char *text, size_t length, FILE *out);
/* A value without parts, and those of a fixed array as a key. */
void random_scalar_write(random_schema *schema, const random_datum *datum, FILE *out);
void random_parts_write(const random_datum *datum, FILE *out);

#endif
