/* Field lookup: finds the field for a key, fills missing fields, and recognizes misspelt keys.
 *
 * A newtype is transparent: its default is that of its only field, unless the outer field has a
 * default or is required. bake_value_default_member decides this for all callers. */
#include "value_fields.h"

#include "bake_memory.h"
#include "similar.h"
#include "value_mismatch.h"
#include "value_node.h"

#include <string.h>

uint32_t bake_value_look_up_field(const bake_values *b, uint32_t type, const char *key,
                                  uint32_t length, bool *ret_was)
{
    const kiln_member *member = bake_schema_member(b->schema, type, key, length, ret_was);
    return member ? (uint32_t)(member - value_type(b, type)->members) : KILN_TYPE_NONE;
}

/* Unwraps newtypes until one level has a default. `required: true` on an outer level hides inner
 * defaults. */
const kiln_member *bake_value_default_member(const bake_values *b, uint32_t type, uint32_t member,
                                             uint32_t *ret_type, uint32_t *ret_member,
                                             bool *ret_empty)
{
    const bake_type_info *info = b->schema->info;
    bool required = false;
    *ret_empty = false;
    for (;;) {
        const kiln_member *field = &value_type(b, type)->members[member];
        *ret_type = type;
        *ret_member = member;
        if (!required &&
            b->schema->defaults[info[type].first_member + member].node != BAKE_NODE_NONE)
            return field;
        required = required || (field->flags & KILN_MEMBER_REQUIRED);
        if (!(value_type(b, field->type)->flags & KILN_TYPE_TRANSPARENT)) {
            *ret_empty = !required && bake_type_has_empty(b->types, field->type);
            return NULL;
        }
        type = field->type;
        member = 0;
    }
}

const bake_default *bake_value_default_of(const bake_values *b, uint32_t type, uint32_t member)
{
    bool empty;
    if (!bake_value_default_member(b, type, member, &type, &member, &empty))
        return NULL;
    return &b->schema->defaults[b->schema->info[type].first_member + member];
}

bool bake_value_may_be_missing(const bake_values *b, uint32_t type, uint32_t member)
{
    bool empty;
    return bake_value_default_member(b, type, member, &type, &member, &empty) || empty;
}

bool bake_value_null_is_default(const bake_values *b, bake_node_id node, uint32_t type,
                                uint32_t member)
{
    bool empty;
    if (!bake_value_is_null(b, node) ||
        bake_value_is_literal(b, value_type(b, type)->members[member].type) ||
        bake_type_has_empty(b->types, value_type(b, type)->members[member].type))
        return false;
    return bake_value_default_member(b, type, member, &type, &member, &empty) != NULL;
}

/* ---- defaults as bytes ----
 *
 * A default without relative fields and references is copied as bytes. If a struct has many fields
 * but few are set, runs of missing fields are copied from an image of the whole struct. */

/* With fewer fields an image saves nothing; for larger structs it is not worth the memory. */
enum { IMAGE_FIELDS_MIN = 16, IMAGE_SIZE_MAX = 1 << 20 };

/* Structs that cannot have an image have the address of this byte instead. NULL means that no image
 * has been created yet. */
static unsigned char no_image;

static value_absence absence_of(const bake_values *b, uint32_t type, uint32_t member,
                                value_field *field)
{
    uint32_t from, number;
    bool empty;
    const kiln_member *with = bake_value_default_member(b, type, member, &from, &number, &empty);
    if (!with)
        return empty ? ABSENCE_EMPTY : ABSENCE_OTHER;
    if (!b->schema->defaults[b->schema->info[from].first_member + number].is_plain ||
        !with->default_image)
        return ABSENCE_OTHER;
    field->image = with->default_image;
    field->image_size = value_type(b, with->type)->size;
    return ABSENCE_IMAGE;
}

bool bake_value_missing_quick(bake_values *b, uint32_t type, uint32_t member, void *dst)
{
    value_field *field = value_fields(b, type) + member;
    if (field->absence == ABSENCE_UNKNOWN)
        field->absence = absence_of(b, type, member, field);
    if (field->absence == ABSENCE_OTHER || b->origins)
        return false;
    if (field->absence == ABSENCE_IMAGE)
        memcpy(dst, field->image, field->image_size);
    return true;
}

/* Returns false if a field is required, or if a default is not plain bytes. */
static bool fill(bake_values *b, uint32_t type, unsigned char *image)
{
    const kiln_type *of = value_type(b, type);
    for (uint32_t m = 0; m < of->member_count; m++)
        if (m != b->schema->info[type].rest &&
            !bake_value_missing_quick(b, type, m, image + of->members[m].offset))
            return false;
    return true;
}

const unsigned char *bake_value_image(bake_values *b, uint32_t type)
{
    const kiln_type *of = value_type(b, type);
    if (of->member_count < IMAGE_FIELDS_MIN || of->size > IMAGE_SIZE_MAX || b->origins)
        return NULL;
    if (!b->fields.images)
        b->fields.images = bake_alloc_array(kiln_types_count(b->types), sizeof *b->fields.images);
    if (!b->fields.images)
        return NULL;
    if (!b->fields.images[type]) {
        unsigned char *image = bake_alloc_array(of->size, 1);
        /* The image only saves time. */
        if (!image)
            return NULL;
        if (!fill(b, type, image)) {
            bake_free(image);
            image = &no_image;
        }
        b->fields.images[type] = image;
    }
    return b->fields.images[type] == &no_image ? NULL : b->fields.images[type];
}

void bake_value_images_fini(bake_values *b)
{
    for (uint32_t t = 0; b->fields.images && t < kiln_types_count(b->types); t++)
        if (b->fields.images[t] != &no_image)
            bake_free(b->fields.images[t]);
    bake_free(b->fields.images);
}

/* ---- misspelt keys ----
 *
 * A required field with a misspelt key would be reported twice: as an unknown key and as missing.
 * The first report is enough. */

/* Limits of the search, which runs for each missing field and compares all keys with all field
 * names. Beyond them, both errors are reported. */
enum { KEYS_MAX = 32, NAMES_MAX = 64 };

/* Whether the key was reported as unknown: it names no field, and neither the asset nor an
 * enclosing union uses it. */
static bool is_unknown(const bake_values *b, bake_node_id node, uint32_t type, const char *text,
                       size_t length, const value_step *step)
{
    const bake_layer_asset *asset =
        b->merge.asset && !step ? b->merge.asset->layers[0]->asset : NULL;
    bool was;
    if (bake_schema_member(b->schema, type, text, length, &was) ||
        bake_value_key_is_taken(b, node, text, length))
        return false;
    if (asset)
        return !bake_schema_is_asset_key(b->schema, asset->rule, asset->type, text, length);
    return step || b->root.type == KILN_TYPE_NONE ||
           !bake_schema_is_asset_key(b->schema, b->root.rule, b->root.type, text, length);
}

bool bake_value_is_misspelt(const bake_values *b, bake_node_id node, uint32_t type,
                            const kiln_member *field, const value_step *step)
{
    /* Without errors, no unknown key was reported. */
    return b->report.errors > 0 && bake_hints_wanted(b->report.to) &&
           bake_value_has_misspelt(b, node, type, field, step);
}

bool bake_value_has_misspelt(const bake_values *b, bake_node_id node, uint32_t type,
                             const kiln_member *field, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    size_t count = 0;
    bool found = false;
    if (of->member_count > NAMES_MAX || b->schema->info[type].rest != KILN_TYPE_NONE ||
        bake_node_kind_of(b->tree, node) != BAKE_NODE_MAPPING ||
        bake_node_count(b->tree, node) > KEYS_MAX)
        return false;
    const char **names = bake_alloc_array(of->member_count, sizeof *names);
    if (!names)
        return false;
    for (uint32_t i = 0; i < of->member_count; i++)
        names[count++] = of->members[i].name;
    for (bake_iterator it = bake_iterator_begin(b->tree, node);
         !found && bake_iterator_next(&it);) {
        uint32_t length;
        const char *text = bake_scalar_text(b->tree, it.key, &length);
        found = is_unknown(b, node, type, text, length, step) &&
                ((!step && bake_value_is_like_parent(b, type, text, length)) ||
                 (bake_most_similar(text, length, &field->name, 1) &&
                  bake_most_similar(text, length, names, count) == field->name));
    }
    bake_free(names);
    return found;
}

void bake_value_unknown_key(bake_values *b, bake_node_id key, uint32_t type, const char *text,
                            size_t length, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    bake_value_report(b, BAKE_ERROR, value_mark(b, key), "unknown-key", step, "%s has no field %s",
                      value_type(b, value_shown_type(b, type))->name,
                      bake_value_quote(quote, text, length));
    bake_value_hint_members(b, type, text, length);
}

void bake_value_report_duplicate(bake_values *b, bake_node_id key, const kiln_member *member,
                                 const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    const char *text = bake_node_text(b->tree, key, &length);
    bake_value_report(b, BAKE_ERROR, value_mark(b, key), "duplicate", step,
                      "duplicate field \"%s\", here as %s", member->name,
                      bake_value_quote(quote, text, length));
}

bool bake_value_is_given(const bake_values *b, size_t given, uint32_t member)
{
    uint32_t head = UINT32_MAX;
    if (given != SIZE_MAX)
        memcpy(&head, b->scratch.bytes + given + member * sizeof head, sizeof head);
    return head != UINT32_MAX;
}
