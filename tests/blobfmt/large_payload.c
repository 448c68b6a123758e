#include "large_payload.h"

#include <kiln/blob_header.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER,
    REAL,
    PAIR,
    TEXT,
    CHOICE,
    CHOICES,
    ROW,
    ROWS,
    TEXTS,
    ROOT,
    TYPE_COUNT,
    KINDS = 2000,
    FIELDS = 2 * KINDS
};

static void require(bool condition)
{
    if (!condition)
        abort();
}

kiln_types *large_types(void)
{
    static const kiln_member choices[] = {{.name = "number", .value = 1, .type = NUMBER},
                                          {.name = "real", .value = 2, .type = REAL},
                                          {.name = "pair", .value = 3, .type = PAIR}},
                             fields[] = {{.name = "choices", .type = CHOICES},
                                         {.name = "rows", .type = ROWS},
                                         {.name = "texts", .type = TEXTS}};
    static const kiln_type list[TYPE_COUNT] = {
        [NUMBER] = {.kind = KILN_KIND_U32},
        [REAL] = {.kind = KILN_KIND_F32},
        [PAIR] = {.kind = KILN_KIND_FIXED, .element = NUMBER, .count = 2},
        [TEXT] = {.kind = KILN_KIND_STRING},
        [CHOICE] = {.name = "C", .kind = KILN_KIND_UNION, .members = choices, .member_count = 3},
        [CHOICES] = {.kind = KILN_KIND_ARRAY, .element = CHOICE},
        [ROW] = {.kind = KILN_KIND_ARRAY, .element = NUMBER},
        [ROWS] = {.kind = KILN_KIND_ARRAY, .element = ROW},
        [TEXTS] = {.kind = KILN_KIND_ARRAY, .element = TEXT},
        [ROOT] = {.name = "R", .kind = KILN_KIND_STRUCT, .members = fields, .member_count = 3}};
    kiln_types *types = NULL;
    require(kiln_types_create(NULL, list, TYPE_COUNT, &types, NULL) == KILN_OK);
    return types;
}

/* The object to which field `i` refers: the first half of the fields refers to the objects in
 * reverse order, the second half in the order in which they are stored. */
static uint32_t object_of(uint32_t i)
{
    return i < KINDS ? KINDS - i : i - KINDS + 1;
}

payload_def large_payload(const kiln_types *types, kiln_buffer *ret_blob)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    require(kiln_builder_create(&def, &builder) == KILN_OK);
    kiln_array *root = kiln_builder_root(builder, 24, 4);
    unsigned char *choices = kiln_builder_array(builder, root, FIELDS, 8, 4);
    kiln_array *rows = kiln_builder_array(builder, root + 1, FIELDS, 8, 4);
    kiln_string *texts = kiln_builder_array(builder, root + 2, FIELDS, 8, 4);
    for (uint32_t i = 0; i < FIELDS; i++) {
        uint32_t number = object_of(i), kind = number % 3 + 1;
        char text[16];
        memcpy(kiln_builder_choose(builder, choices + (size_t)i * 8, kind, kind == 3 ? 8 : 4, 4),
               &number, sizeof number);
        memcpy(kiln_builder_array(builder, &rows[i], 1 + number % 4, 4, 4), &number, sizeof number);
        int length = snprintf(text, sizeof text, "text %u", (unsigned)number);
        kiln_builder_string(builder, &texts[i], text, (size_t)length);
    }
    require(kiln_builder_finish(builder, ROOT, KILN_FLAG_CANONICAL, ret_blob, NULL) == KILN_OK);
    kiln_builder_destroy(builder);
    kiln_blob_header header;
    memcpy(&header, ret_blob->data, sizeof header);
    payload_def payload = {.types = types,
                           .type = ROOT,
                           .payload = ret_blob->data + kiln_header_payload_at(&header),
                           .size = (uint32_t)header.payload_size,
                           .align = kiln_header_align(&header)};
    return payload;
}
