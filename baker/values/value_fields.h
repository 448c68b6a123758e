/* Struct fields: lookup by key, and the values of missing fields. */
#ifndef BAKE_VALUE_FIELDS_H
#define BAKE_VALUE_FIELDS_H

#include "value_mismatch.h"

/* Returns the fields of a struct, indexed by member. */
static inline value_field *value_fields(const bake_values *b, uint32_t type)
{
    return b->fields.all + b->schema->info[type].first_member;
}

/* Whether `null` is an ordinary string in values of this type. */
static inline bool bake_value_is_literal(const bake_values *b, uint32_t type)
{
    return (b->schema->info[type].forms & BAKE_LITERAL) != 0;
}

/* Like value_find_field, without a guess. */
uint32_t bake_value_look_up_field(const bake_values *b, uint32_t type, const char *key,
                                  uint32_t length, bool *ret_was);

/* Returns the index of the field for a key, or KILN_TYPE_NONE. Tries `*guess` first, the field at
 * this position in the previous struct of the type, and updates it: fields are mostly in the same
 * order in all structs of a type. Inline, since it runs once for each field of a file. */
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

/* Returns the default of a field, its own or that of its newtype, or NULL. */
const bake_default *bake_value_default_of(const bake_values *b, uint32_t type, uint32_t member);
/* Returns the member that has the default for a missing field: the field itself or one inside its
 * newtypes. If there is none, returns NULL and sets `*ret_empty` to whether the type has an empty
 * value. */
const kiln_member *bake_value_default_member(const bake_values *b, uint32_t type, uint32_t member,
                                             uint32_t *ret_type, uint32_t *ret_member,
                                             bool *ret_empty);
/* Whether the field may be missing, because it has a default or an empty value. */
bool bake_value_may_be_missing(const bake_values *b, uint32_t type, uint32_t member);
/* Whether the node is null, the type has neither a null nor an empty value, and there is a default.
 * Then the default applies. */
bool bake_value_null_is_default(const bake_values *b, bake_node_id node, uint32_t type,
                                uint32_t member);
/* Whether a missing field is in the mapping under a misspelt key, which was reported as unknown. */
bool bake_value_is_misspelt(const bake_values *b, bake_node_id node, uint32_t type,
                            const kiln_member *field, const value_step *step);
/* The same without the check whether an error was reported, for a mapping of another asset. */
bool bake_value_has_misspelt(const bake_values *b, bake_node_id node, uint32_t type,
                             const kiln_member *field, const value_step *step);

/* Like bake_value_missing, for a field whose default is plain bytes or whose type has an empty
 * value. Does nothing and returns false for others, and if origins are recorded. */
bool bake_value_missing_quick(bake_values *b, uint32_t type, uint32_t member, void *dst);
/* Returns an image of the struct with only defaults, from which missing fields can be copied.
 * Returns NULL if fields must be baked one by one. */
const unsigned char *bake_value_image(bake_values *b, uint32_t type);
void bake_value_images_fini(bake_values *b);

/* Whether a higher layer sets the field. `given` is the offset of an array of 32-bit words on the
 * scratch stack, one for each member; a word with all bits set means that no layer sets the member.
 * If `given` is SIZE_MAX, no field is set. */
bool bake_value_is_given(const bake_values *b, size_t given, uint32_t member);
void bake_value_unknown_key(bake_values *b, bake_node_id key, uint32_t type, const char *text,
                            size_t length, const value_step *step);
void bake_value_report_duplicate(bake_values *b, bake_node_id key, const kiln_member *member,
                                 const value_step *step);

#endif
