/* Structs with many fields of which little is written: the others are copied as one block, where
 * they are plain bytes. */
#include "value_baker.h"

#include "bake_memory.h"

/* Fewer fields are as quick one by one; a larger struct is not kept as a copy. */
enum { FIELDS_MIN = 16, SIZE_MAX_KEPT = 1 << 20 };

/* Stands for a struct that has none. */
static unsigned char no_image;

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
