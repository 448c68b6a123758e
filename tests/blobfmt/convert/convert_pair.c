#include "convert_pair.h"

#include "type_macros.h"
#include "verdict.h"

#include <string.h>

static const char *const was_red[] = {"red"};
static const char *const was_green[] = {"green"};
static const kiln_member item_members[] = {FIELD("n", U32)};
static const kiln_member other_members[] = {FIELD("n", U32)};
static const kiln_member wrap_members[] = {FIELD("value", U16)};
static const kiln_member color[] = {
    {.name = "red", .value = 1}, {.name = "green", .value = 2}, {.name = "blue", .value = 3}};
static const kiln_member color_less[] = {{.name = "red", .value = 1}, {.name = "blue", .value = 3}};
static const kiln_member color_moved[] = {
    {.name = "crimson", .value = 9, .was = was_red, .was_count = 1},
    {.name = "green", .value = 2},
    {.name = "blue", .value = (uint64_t)-3}};
static const kiln_member color_merged[] = {
    {.name = "red", .value = 1, .was = was_green, .was_count = 1}, {.name = "blue", .value = 3}};
static const kiln_member bits[] = {
    {.name = "r", .value = 1}, {.name = "w", .value = 2}, {.name = "rw", .value = 3}};
static const kiln_member bits_moved[] = {{.name = "w", .value = 4}, {.name = "r", .value = 8}};
static const kiln_member bits_less[] = {{.name = "r", .value = 1}};
static const kiln_member effect[] = {{.name = "burn", .value = 1, .type = U16},
                                     {.name = "calm", .value = 2, .type = KILN_TYPE_NONE}};
static const kiln_member effect_less[] = {{.name = "burn", .value = 5, .type = U32}};
static const kiln_member effect_typed[] = {{.name = "burn", .value = 1, .type = U16},
                                           {.name = "calm", .value = 2, .type = U32}};

#define LIST(list) .members = (list), .member_count = sizeof(list) / sizeof *(list)
static const kiln_type fixed_types[FIXED_TYPES] = {
    [BOOL] = {.kind = KILN_KIND_BOOL},
    [I8] = {.kind = KILN_KIND_I8},
    [I16] = {.kind = KILN_KIND_I16},
    [I32] = {.kind = KILN_KIND_I32},
    [I64] = {.kind = KILN_KIND_I64},
    [U8] = {.kind = KILN_KIND_U8},
    [U16] = {.kind = KILN_KIND_U16},
    [U32] = {.kind = KILN_KIND_U32},
    [U64] = {.kind = KILN_KIND_U64},
    [F32] = {.kind = KILN_KIND_F32},
    [F64] = {.kind = KILN_KIND_F64},
    [STRING] = {.kind = KILN_KIND_STRING},
    [BYTES] = {.kind = KILN_KIND_BYTES},
    [REF] = {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
    [REF_ITEM] = {.kind = KILN_KIND_REF, .element = ITEM},
    [REF_OTHER] = {.kind = KILN_KIND_REF, .element = OTHER},
    [ITEM] = STRUCT("r.Item", item_members),
    [OTHER] = STRUCT("r.Other", other_members),
    [COLOR] = {.name = "r.Color", .kind = KILN_KIND_ENUM, .base = KILN_KIND_U8, LIST(color)},
    [COLOR_LESS] = {.name = "r.ColorLess",
                    .kind = KILN_KIND_ENUM,
                    .base = KILN_KIND_U8,
                    LIST(color_less)},
    [COLOR_MOVED] = {.name = "r.ColorMoved",
                     .kind = KILN_KIND_ENUM,
                     .base = KILN_KIND_I16,
                     LIST(color_moved)},
    [COLOR_MERGED] = {.name = "r.ColorMerged",
                      .kind = KILN_KIND_ENUM,
                      .base = KILN_KIND_U8,
                      LIST(color_merged)},
    [HUE] = {.name = "r.Hue", .kind = KILN_KIND_ENUM, .base = KILN_KIND_U8, LIST(color)},
    [BITS] = {.name = "r.Bits", .kind = KILN_KIND_FLAGS, .base = KILN_KIND_U8, LIST(bits)},
    [BITS_MOVED] = {.name = "r.BitsMoved",
                    .kind = KILN_KIND_FLAGS,
                    .base = KILN_KIND_U32,
                    LIST(bits_moved)},
    [BITS_LESS] = {.name = "r.BitsLess",
                   .kind = KILN_KIND_FLAGS,
                   .base = KILN_KIND_U8,
                   LIST(bits_less)},
    [EFFECT] = {.name = "r.Effect", .kind = KILN_KIND_UNION, LIST(effect)},
    [EFFECT_LESS] = {.name = "r.EffectLess", .kind = KILN_KIND_UNION, LIST(effect_less)},
    [EFFECT_TYPED] = {.name = "r.EffectTyped", .kind = KILN_KIND_UNION, LIST(effect_typed)},
    [WRAP] = {.name = "r.Wrap",
              .kind = KILN_KIND_STRUCT,
              .flags = KILN_TYPE_TRANSPARENT,
              LIST(wrap_members)},
    [U16_ARRAY] = {.kind = KILN_KIND_ARRAY, .element = U16},
    [U32_ARRAY] = {.kind = KILN_KIND_ARRAY, .element = U32},
    [U8_ARRAY] = {.kind = KILN_KIND_ARRAY, .element = U8},
    [STRING_ARRAY] = {.kind = KILN_KIND_ARRAY, .element = STRING},
    [U32_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = U32},
    [U16_2] = {.kind = KILN_KIND_FIXED, .element = U16, .count = 2},
    [U32_2] = {.kind = KILN_KIND_FIXED, .element = U32, .count = 2},
    [U32_3] = {.kind = KILN_KIND_FIXED, .element = U32, .count = 3},
    [ARRAY_2] = {.kind = KILN_KIND_FIXED, .element = U16_ARRAY, .count = 2},
    [ARRAY_3] = {.kind = KILN_KIND_FIXED, .element = U32_ARRAY, .count = 3},
    [COLORS] = {.kind = KILN_KIND_MAP, .key = COLOR, .element = U8},
    [COLORS_MOVED] = {.kind = KILN_KIND_MAP, .key = COLOR_MOVED, .element = U16},
    [COLORS_MERGED] = {.kind = KILN_KIND_MAP, .key = COLOR_MERGED, .element = U8},
    [COLORS_LESS] = {.kind = KILN_KIND_MAP, .key = COLOR_LESS, .element = U8},
    [BYTES_64] = {.kind = KILN_KIND_BYTES, .align_at = 64},
    [KEYS_U8] = {.kind = KILN_KIND_MAP, .key = U8, .element = U8},
    [KEYS_U16] = {.kind = KILN_KIND_MAP, .key = U16, .element = U8},
};

kiln_types *pair_list(const kiln_member *members, uint32_t count, bool is_newer)
{
    static const char *const was_color[] = {"r.Color"}, *const was_bits[] = {"r.Bits"},
                             *const was_effect[] = {"r.Effect"};
    kiln_type types[FIXED_TYPES + 1];
    kiln_types *made = NULL;
    memcpy(types, fixed_types, sizeof fixed_types);
    for (uint32_t i = COLOR_LESS; i <= EFFECT_TYPED && is_newer; i++) {
        if (i == HUE || i == BITS || i == EFFECT)
            continue;
        types[i].was = i < HUE ? was_color : i < EFFECT ? was_bits : was_effect;
        types[i].was_count = 1;
    }
    kiln_type root = {
        .name = "r.Root", .kind = KILN_KIND_STRUCT, .members = members, .member_count = count};
    types[ROOT] = root;
    assert_int_equal(kiln_types_create(NULL, types, FIXED_TYPES + 1, &made, NULL), KILN_OK);
    return made;
}

void pair_open(pair *p, const kiln_member *older, uint32_t older_count, const kiln_member *newer,
               uint32_t newer_count)
{
    kiln_conversion_def def = kiln_conversion_def_default();
    memset(p, 0, sizeof *p);
    def.from = p->older = pair_list(older, older_count, false);
    def.to = p->newer = pair_list(newer, newer_count, true);
    def.from_type = def.to_type = ROOT;
    (void)kiln_conversion_create(&def, &p->conversion, &p->error);
}

void pair_close(pair *p)
{
    kiln_conversion_destroy(p->conversion);
    kiln_types_destroy(p->older);
    kiln_types_destroy(p->newer);
}
