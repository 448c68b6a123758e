/* Fields that are not written and whose defaults are plain bytes: these are copied, and in structs
 * with many fields of which little is written as one block. */
#include "value_baker.h"

#include "bake_memory.h"

/* Fewer fields are as quick one by one; a larger struct is not kept as a copy. */
enum { FIELDS_MIN = 16, SIZE_MAX_KEPT = 1 << 20 };

/* Stands for a struct that has none. */
static unsigned char no_image;

static value_absence absence_of(const bake_values *b, uint32_t type, uint32_t member,
                                value_field *field)
{
    uint32_t from, number;
    bool empty;
    const kiln_member *with = bake_value_left_out(b, type, member, &from, &number, &empty);
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

/* False where a field must be written, or has a default that is no plain bytes. */
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
    if (of->member_count < FIELDS_MIN || of->size > SIZE_MAX_KEPT || b->origins)
        return NULL;
    if (!b->images)
        b->images = bake_alloc_array(kiln_types_count(b->types), sizeof *b->images);
    if (!b->images)
        return NULL;
    if (!b->images[type]) {
        unsigned char *image = bake_alloc_array(of->size, 1);
        /* It is as well without. */
        if (!image)
            return NULL;
        if (!fill(b, type, image)) {
            bake_free(image);
            image = &no_image;
        }
        b->images[type] = image;
    }
    return b->images[type] == &no_image ? NULL : b->images[type];
}

void bake_value_images_fini(bake_values *b)
{
    for (uint32_t t = 0; b->images && t < kiln_types_count(b->types); t++)
        if (b->images[t] != &no_image)
            bake_free(b->images[t]);
    bake_free(b->images);
}
