/* A random schema and random values of its types, made from a seed. The values are written as YAML,
 * and every reader of the baked file must find the same values.
 *
 * Uses nothing of the baker, and of blobfmt only kinds and the ids of asset names. The schema owns
 * all memory. The program aborts if memory runs out. */
#ifndef AGREEMENT_RANDOM_SCHEMA_H
#define AGREEMENT_RANDOM_SCHEMA_H

#include <kiln/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { RANDOM_NAME_SIZE = 72 };

typedef struct random_type random_type;
typedef struct random_datum random_datum;

/* A field, an alternative, or a value of an enum or flag set. */
typedef struct random_member {
    char name[RANDOM_NAME_SIZE];
    const random_type *type; /* NULL for an alternative without a value */
    uint64_t value; /* of an enum value (sign-extended) or flag; the tag of an alternative */
    random_datum *default_value; /* NULL if none */
    bool is_required;
    bool is_single;
    bool is_rest;
} random_member;

struct random_type {
    kiln_kind kind;
    char name[RANDOM_NAME_SIZE]; /* of a named type, without the namespace */
    const random_type *element;
    const random_type *key;
    uint32_t count; /* of a fixed array */
    uint32_t align_at;
    kiln_kind base;
    random_member *members;
    uint32_t member_count;
    bool is_asset;
    bool is_wrap;
    bool is_filled; /* its fields have been made */
    bool states_base;
    bool states_values;
    uint32_t asset_count; /* number of assets of this type, see random_asset_id */
    uint32_t size_bound;  /* upper bound of the size of a value that is stored inline */
    uint32_t depth;       /* levels of types that are stored inline, with this one */
    bool has_empty;       /* can be absent without an optional */
};

/* A value; its type's kind selects the members in use. Map entries are sorted by key. */
struct random_datum {
    const random_type *type;
    uint64_t bits; /* bool, integers, enums, flags, floats (of the kind's width) */
    char *text;    /* string, bytes; `Kind/id` for a ref */
    uint32_t length;
    random_datum *
        *items; /* values of fields, elements or map entries; the value of an optional or union */
    random_datum **keys;
    uint32_t count;
    uint32_t choice; /* of a union: index of the alternative plus 1, 0 if unset */
    bool is_default; /* of a field: omitted, because it has the default value */
    /* A value used more than once is written with an anchor the first time, then as an alias. */
    bool is_shared;
    uint32_t height;   /* levels of values below this one */
    uint32_t document; /* the document that contains its anchor */
    uint32_t anchor;
};

enum { RANDOM_RECENT = 32 };

typedef struct random_schema {
    uint64_t state;
    random_datum *recent[RANDOM_RECENT]; /* values that may be reused */
    uint32_t key_turn, relative_turn, number_turn;
    uint32_t made;              /* values made so far below the current root */
    uint32_t document, anchors; /* number of the current document, and of its anchors */
    char space[32];             /* the namespace */
    random_type *named[64];
    uint32_t named_count;
    struct random_block *blocks;
} random_schema;

/* `named_count` is at most 64. The namespace is `s` followed by the seed. */
random_schema *random_schema_create(uint64_t seed, uint32_t named_count, uint32_t assets_a_type);
void random_schema_destroy(random_schema *schema);
/* Writes the schema file. */
void random_schema_write(random_schema *schema, FILE *out);

/* Returns zeroed memory. */
void *random_alloc(random_schema *schema, size_t size);
uint64_t random_bits(random_schema *schema);
/* Returns a number below `limit`, which must be above 0. */
uint32_t random_below(random_schema *schema, uint32_t limit);
/* Returns true with a probability of `percent`. */
bool random_chance(random_schema *schema, uint32_t percent);

/* Gives a type `count` named members. */
void random_members_make(random_schema *schema, random_type *type, uint32_t count);
/* Give an enum or a flag set its members and its base type. */
void random_enum_make(random_schema *schema, random_type *type);
void random_flags_make(random_schema *schema, random_type *type);

typedef struct random_id {
    char text[48];
} random_id;

/* The id of asset `i` of any type. */
random_id random_asset_id(uint32_t i);
/* Writes the same id as a YAML key. */
void random_asset_id_write(random_schema *schema, uint32_t i, FILE *out);

/* Returns a new value of the type, or reuses an earlier one. `depth` is 0 for a root. */
random_datum *random_datum_make(random_schema *schema, const random_type *type, unsigned depth);
/* The number in a float value. */
double random_number_of(const random_datum *datum);
/* Compares two keys in the order of map entries. Returns <0, 0 or >0. */
int random_datum_compare(const random_datum *a, const random_datum *b);

/* Call this at the start of each document, because anchors are valid only within their document. */
void random_document_begin(random_schema *schema);
/* Writes a value as a flow node in one of the forms of the data language. `member` is the field
 * that contains the value, or NULL. */
void random_datum_write(random_schema *schema, random_datum *datum, const random_member *member,
                        FILE *out);
/* Writes a value as a block after `key:`, and ends the line. */
void random_datum_write_block(random_schema *schema, random_datum *datum,
                              const random_member *member, unsigned indent, FILE *out);
/* Writes a string as a YAML scalar. */
void random_text_write(random_schema *schema, const char *text, size_t length, FILE *out);
/* Write a value without parts, and a fixed array of such values as a key. */
void random_scalar_write(random_schema *schema, const random_datum *datum, FILE *out);
void random_parts_write(const random_datum *datum, FILE *out);

#endif
