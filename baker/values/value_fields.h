/* Fields of structs: which field a key names, and the value of one that is not written. */
#ifndef BAKE_VALUE_FIELDS_H
#define BAKE_VALUE_FIELDS_H

#include "value_mismatch.h"

/* By member; of a struct. */
static inline value_field *value_fields(const bake_values *b, uint32_t type)
{
    return b->fields.all + b->schema->info[type].first_member;
}

/* Whether a null is a text like any other in a value of the type. */
static inline bool bake_value_is_literal(const bake_values *b, uint32_t type)
{
    return (b->schema->info[type].forms & BAKE_LITERAL) != 0;
}

/* As value_find_field, without a guess. */
uint32_t bake_value_look_up_field(const bake_values *b, uint32_t type, const char *key,
                                  uint32_t length, bool *ret_was);

/* The number of the field that a key names; KILN_TYPE_NONE. `*guess` is the field that was at this
 * place in the previous struct of the type, since structs of a type are mostly written alike, and
 * is updated. Inline, since it runs once for each field of a file. */
static inline uint32_t value_find_field(const bake_values *b, uint32_t type, const char *key,
                                        uint32_t length, uint32_t *guess, bool *ret_was)
{
    *ret_was = false;
    if (*guess < value_type(b, type)->member_count) {
        const value_field *field = value_fields(b, type) + *guess;
        if (field->name_length == length && memcmp(field->name, key, length) == 0)
            return *guess;
    }
    uint32_t found = bake_value_look_up_field(b, type, key, length, ret_was);
    if (found != KILN_TYPE_NONE)
        *guess = found;
    return found;
}

/* The default of a field, its own or that of the newtype's field; NULL. */
const bake_default *bake_value_default_of(const bake_values *b, uint32_t type, uint32_t member);
/* The value of a field that is left out: the member with the default, which is the field or one in
 * its newtypes; or NULL, and then `*ret_empty` is whether its type has an empty value. */
const kiln_member *bake_value_left_out(const bake_values *b, uint32_t type, uint32_t member,
                                       uint32_t *ret_type, uint32_t *ret_member, bool *ret_empty);
/* Whether the field can be left out: it has a default or an empty value. */
bool bake_value_may_be_missing(const bake_values *b, uint32_t type, uint32_t member);
/* Whether the value of the field is null and its type has none, so that the default counts. */
bool bake_value_is_left_out(const bake_values *b, bake_node_id node, uint32_t type,
                            uint32_t member);
/* Whether a field that the mapping lacks is in it under a key that was reported as unknown. */
bool bake_value_is_misspelt(const bake_values *b, bake_node_id node, uint32_t type,
                            const kiln_member *field, const value_step *step);

/* bake_value_missing for a field whose value is a copy of bytes; false, with nothing done, for
 * others. */
bool bake_value_missing_quick(bake_values *b, uint32_t type, uint32_t member, void *dst);
/* The bytes of a struct without written fields, from which those that are not written can be
 * copied; NULL where fields have to be made one by one. */
const unsigned char *bake_value_image(bake_values *b, uint32_t type);
void bake_value_images_fini(bake_values *b);

/* Whether a layer above gives the field: at `given` on the scratch stack are 32 bits for each
 * member, all of them 1 where none does; SIZE_MAX: none gives any. */
bool bake_value_is_given(const bake_values *b, size_t given, uint32_t member);
void bake_value_unknown_key(bake_values *b, bake_node_id key, uint32_t type, const char *text,
                            size_t length, const value_step *step);
void bake_value_report_twice(bake_values *b, bake_node_id key, const kiln_member *member,
                             const value_step *step);

#endif
