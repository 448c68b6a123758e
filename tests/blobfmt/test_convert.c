/* One field and what it has become: each rule of FORMAT.md section 15 by a pair of types. */
#include "blob_patch.h"
#include "counting_allocator.h"
#include "type_macros.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/convert.h>
#include <kiln/verify.h>
#include <string.h>

enum {
    BOOL,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    STRING,
    BYTES,
    REF,
    REF_ITEM,
    REF_OTHER,
    ITEM,
    OTHER,
    COLOR,
    COLOR_LESS,  /* r.Color without its middle value */
    COLOR_MOVED, /* other numbers, another base */
    COLOR_MERGED,
    HUE, /* an enum of another name */
    BITS,
    BITS_MOVED,
    BITS_LESS,
    EFFECT,
    EFFECT_LESS,
    EFFECT_TYPED,
    WRAP,
    U16_ARRAY,
    U32_ARRAY,
    U8_ARRAY,
    STRING_ARRAY,
    U32_OPTIONAL,
    U16_2,
    U32_2,
    U32_3,
    ARRAY_2,
    ARRAY_3,
    COLORS,
    COLORS_MOVED,
    COLORS_MERGED,
    COLORS_LESS,
    BYTES_64,
    KEYS_U8,
    KEYS_U16,
    FIXED_TYPES,
    ROOT = FIXED_TYPES,
    TYPE_COUNT
};

static const char *const was_red[] = {"red"};
static const char *const was_old[] = {"old"};
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

/* The list with a root of these fields. In the newer list each of the changed forms of r.Color,
 * r.Bits and r.Effect was the plain one. */
static kiln_types *make(const kiln_member *members, uint32_t count, bool is_newer)
{
    static const char *const was_color[] = {"r.Color"}, *const was_bits[] = {"r.Bits"},
                             *const was_effect[] = {"r.Effect"};
    kiln_type types[TYPE_COUNT];
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
    assert_int_equal(kiln_types_create(NULL, types, TYPE_COUNT, &made, NULL), KILN_OK);
    return made;
}

typedef struct pair {
    kiln_types *older, *newer;
    kiln_conversion *conversion;
    kiln_error error;
} pair;

static void open_pair(pair *p, const kiln_member *older, uint32_t older_count,
                      const kiln_member *newer, uint32_t newer_count)
{
    kiln_conversion_def def = kiln_conversion_def_default();
    memset(p, 0, sizeof *p);
    def.from = p->older = make(older, older_count, false);
    def.to = p->newer = make(newer, newer_count, true);
    def.from_type = def.to_type = ROOT;
    (void)kiln_conversion_create(&def, &p->conversion, &p->error);
}

static void close_pair(pair *p)
{
    kiln_conversion_destroy(p->conversion);
    kiln_types_destroy(p->older);
    kiln_types_destroy(p->newer);
}

/* A field `f` of one type that has become another. */
static void each_change_of_a_field_is_judged(void **state)
{
    static const struct {
        uint32_t from, to;
        kiln_status status;
        int need;
        const char *path;
    } rows[] = {
        {U32, U32, KILN_OK, KILN_CONVERT_SAME, ""},
        {BOOL, U8, KILN_OK, KILN_CONVERT_SAME, ""},
        {BOOL, I32, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {BOOL, F32, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {U8, BOOL, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {U8, I8, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {I8, U8, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {I8, U64, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {U8, I16, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {U16, I16, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {U32, U16, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {U32, I64, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {U64, I64, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {I16, F32, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {I32, F32, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {I32, F64, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {U32, F64, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {I64, F64, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {F32, F64, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {F64, F32, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {F32, I64, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {STRING, BYTES, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {U32, STRING, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {STRING, U32, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {BYTES, U8_ARRAY, KILN_OK, KILN_CONVERT_SAME, ""},
        {U8_ARRAY, BYTES, KILN_OK, KILN_CONVERT_SAME, ""},
        {BYTES, BYTES_64, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {BYTES, U16_ARRAY, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {REF_ITEM, REF, KILN_OK, KILN_CONVERT_SAME, ""},
        {REF, REF_ITEM, KILN_UNREADABLE_TYPE, 0, "r.Root.f"},
        {REF_ITEM, REF_OTHER, KILN_UNREADABLE_TYPE, 0, "r.Root.f"},
        {REF, U64, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {ITEM, OTHER, KILN_UNREADABLE_TYPE, 0, "r.Root.f"},
        {ITEM, U32, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {COLOR, HUE, KILN_UNREADABLE_TYPE, 0, "r.Root.f"},
        {COLOR, U8, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {COLOR, COLOR_LESS, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {COLOR_LESS, COLOR, KILN_UNREADABLE_TYPE, 0, "r.Root.f"},
        {COLOR, COLOR_MOVED, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {BITS, BITS_MOVED, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {BITS, COLOR, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {EFFECT, EFFECT_LESS, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {EFFECT, EFFECT_TYPED, KILN_UNREADABLE_KIND, 0, "r.EffectTyped.calm"},
        {U16, WRAP, KILN_OK, KILN_CONVERT_SAME, ""},
        {WRAP, U16, KILN_OK, KILN_CONVERT_SAME, ""},
        {WRAP, U32, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {U32, WRAP, KILN_UNREADABLE_NARROW, 0, "r.Wrap.value"},
        {U16, U32_OPTIONAL, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {U64, U32_OPTIONAL, KILN_UNREADABLE_NARROW, 0, "r.Root.f"},
        {U32_OPTIONAL, U32, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {U16, U16_ARRAY, KILN_UNREADABLE_KIND, 0, "r.Root.f"},
        {U16_ARRAY, U32_ARRAY, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {U32_ARRAY, U16_ARRAY, KILN_UNREADABLE_NARROW, 0, "r.Root.f[]"},
        {STRING_ARRAY, U16_ARRAY, KILN_UNREADABLE_KIND, 0, "r.Root.f[]"},
        {U16_2, U32_2, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {U32_2, U16_2, KILN_UNREADABLE_NARROW, 0, "r.Root.f[]"},
        {U32_3, U32_2, KILN_UNREADABLE_SHORTER, 0, "r.Root.f"},
        {U32_2, U32_3, KILN_UNREADABLE_MISSING, 0, "r.Root.f"},
        {ARRAY_2, ARRAY_3, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {KEYS_U8, KEYS_U16, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {KEYS_U16, KEYS_U8, KILN_UNREADABLE_NARROW, 0, "r.Root.f[key]"},
        {KEYS_U8, COLORS, KILN_UNREADABLE_KIND, 0, "r.Root.f[key]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const kiln_member older = FIELD("f", rows[i].from), newer = FIELD("f", rows[i].to);
        pair p;
        open_pair(&p, &older, 1, &newer, 1);
        assert_error(&p.error, rows[i].status, 0, rows[i].path);
        if (rows[i].status == KILN_OK)
            assert_int_equal(kiln_conversion_need(p.conversion), rows[i].need);
        assert_int_equal(kiln_status_is_unreadable(p.error.status), rows[i].status != KILN_OK);
        close_pair(&p);
    }
}

/* What a root's fields have become. */
static void each_change_of_the_fields_is_judged(void **state)
{
    static const kiln_member one[] = {FIELD("a", U32)};
    static const kiln_member two[] = {FIELD("a", U32), FIELD("b", U32)};
    static const kiln_member swapped[] = {FIELD("b", U32), FIELD("a", U32)};
    static const kiln_member list[] = {FIELD("a", U32), FIELD("b", U32_ARRAY)};
    static const kiln_member must[] = {
        FIELD("a", U32), {.name = "b", .type = U32_ARRAY, .flags = KILN_MEMBER_REQUIRED}};
    static const kiln_member old[] = {FIELD("old", U32)};
    static const kiln_member renamed[] = {
        {.name = "new", .type = U32, .was = was_old, .was_count = 1}};
    static const kiln_member twice[] = {{.name = "x", .type = U32, .was = was_old, .was_count = 1},
                                        {.name = "y", .type = U32, .was = was_old, .was_count = 1}};
    static const kiln_member still[] = {
        FIELD("old", U32), {.name = "y", .type = U32_ARRAY, .was = was_old, .was_count = 1}};
    static const kiln_member single[] = {
        {.name = "a", .type = U32_ARRAY, .flags = KILN_MEMBER_SINGLE}};
    static const struct {
        const kiln_member *from, *to;
        uint32_t from_count, to_count;
        kiln_status status;
        int need;
        const char *path;
    } rows[] = {
        {two, two, 2, 2, KILN_OK, KILN_CONVERT_SAME, ""},
        {two, one, 2, 1, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {two, swapped, 2, 2, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {one, two, 1, 2, KILN_UNREADABLE_MISSING, 0, "r.Root.b"},
        {one, list, 1, 2, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {one, must, 1, 2, KILN_UNREADABLE_MISSING, 0, "r.Root.b"},
        {one, single, 1, 1, KILN_OK, KILN_CONVERT_NEEDED, ""},
        {old, renamed, 1, 1, KILN_OK, KILN_CONVERT_SAME, ""},
        {old, twice, 1, 2, KILN_UNREADABLE_TWICE, 0, "r.Root.y"},
        {old, still, 1, 2, KILN_OK, KILN_CONVERT_NEEDED, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair p;
        open_pair(&p, rows[i].from, rows[i].from_count, rows[i].to, rows[i].to_count);
        assert_error(&p.error, rows[i].status, 0, rows[i].path);
        if (rows[i].status == KILN_OK)
            assert_int_equal(kiln_conversion_need(p.conversion), rows[i].need);
        close_pair(&p);
    }
}

#define BLOB(text) (text), sizeof(text) - 1

/* Payloads of a root with the one field `f`, and what they become. Places count from the header. */
static void each_value_becomes_what_it_should(void **state)
{
    static const struct {
        uint32_t from, to;
        const char *older;
        size_t older_size;
        const char *newer; /* NULL: refused */
        size_t newer_size;
        kiln_status status;
        uint64_t at;
        const char *path;
    } rows[] = {
        {I8, I16, BLOB("\xfe"), BLOB("\xfe\xff"), KILN_OK, 0, ""},
        {I16, F32, BLOB("\xfe\xff"), BLOB("\x00\x00\x00\xc0"), KILN_OK, 0, ""},
        {F32, F64, BLOB("\x01\x00\x80\xff"), BLOB("\x00\x00\x00\x00\x00\x00\xf8\x7f"), KILN_OK, 0,
         ""},
        {F32, F64, BLOB("\x00\x00\x00\x80"), BLOB("\x00\x00\x00\x00\x00\x00\x00\x80"), KILN_OK, 0,
         ""},
        {COLOR, COLOR_MOVED, BLOB("\x01"), BLOB("\x09\x00"), KILN_OK, 0, ""},
        {COLOR, COLOR_MOVED, BLOB("\x03"), BLOB("\xfd\xff"), KILN_OK, 0, ""},
        {COLOR, COLOR_LESS, BLOB("\x02"), NULL, 0, KILN_UNREADABLE_VALUE, 32, "f"},
        {COLOR, COLOR_LESS, BLOB("\x03"), BLOB("\x03"), KILN_OK, 0, ""},
        {COLOR, COLOR_MERGED, BLOB("\x02"), BLOB("\x01"), KILN_OK, 0, ""},
        {BITS, BITS_MOVED, BLOB("\x03"), BLOB("\x0c\x00\x00\x00"), KILN_OK, 0, ""},
        {BITS, BITS_MOVED, BLOB("\x01"), BLOB("\x08\x00\x00\x00"), KILN_OK, 0, ""},
        {BITS, BITS_LESS, BLOB("\x03"), NULL, 0, KILN_UNREADABLE_VALUE, 32, "f"},
        {BITS, BITS_LESS, BLOB("\x01"), BLOB("\x01"), KILN_OK, 0, ""},
        {EFFECT, EFFECT_LESS, BLOB("\x00\x00\x00\x00\x00\x00\x00\x00"),
         BLOB("\x00\x00\x00\x00\x00\x00\x00\x00"), KILN_OK, 0, ""},
        {EFFECT, EFFECT_LESS, BLOB("\x01\x00\x00\x00\x04\x00\x00\x00\x07\x08"),
         BLOB("\x05\x00\x00\x00\x04\x00\x00\x00\x07\x08\x00\x00"), KILN_OK, 0, ""},
        {EFFECT, EFFECT_LESS, BLOB("\x02\x00\x00\x00\x00\x00\x00\x00"), NULL, 0,
         KILN_UNREADABLE_VALUE, 32, "f"},
        {U16, U32_OPTIONAL, BLOB("\x07\x08"), BLOB("\x04\x00\x00\x00\x07\x08\x00\x00"), KILN_OK, 0,
         ""},
        {U16_2, U32_2, BLOB("\x01\x02\x03\x04"), BLOB("\x01\x02\x00\x00\x03\x04\x00\x00"), KILN_OK,
         0, ""},
        {BYTES, U8_ARRAY, BLOB("\x08\x00\x00\x00\x02\x00\x00\x00xy"),
         BLOB("\x08\x00\x00\x00\x02\x00\x00\x00xy"), KILN_OK, 0, ""},
        {STRING, STRING, BLOB("\x0a\x00\x00\x00\x01\x00\x00\x00\x00\x00z\x00"),
         BLOB("\x08\x00\x00\x00\x01\x00\x00\x00z\x00"), KILN_OK, 0, ""},
        {COLORS, COLORS_MOVED, BLOB("\x08\x00\x00\x00\x02\x00\x00\x00\x01\x0a\x03\x0b"),
         BLOB("\x08\x00\x00\x00\x02\x00\x00\x00\xfd\xff\x0b\x00\x09\x00\x0a\x00"), KILN_OK, 0, ""},
        {COLORS, COLORS_MERGED, BLOB("\x08\x00\x00\x00\x02\x00\x00\x00\x01\x0a\x02\x0b"), NULL, 0,
         KILN_UNREADABLE_KEYS, 42, "f[\"green\"]"},
        {COLORS, COLORS_LESS, BLOB("\x08\x00\x00\x00\x02\x00\x00\x00\x01\x0a\x02\x0b"), NULL, 0,
         KILN_UNREADABLE_VALUE, 42, "f[\"green\"]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const kiln_member older = FIELD("f", rows[i].from), newer = FIELD("f", rows[i].to);
        pair p;
        kiln_buffer made = {0};
        open_pair(&p, &older, 1, &newer, 1);
        assert_error(&p.error, KILN_OK, 0, "");
        patched blob = patched_blob(p.older, ROOT, 4, rows[i].older, rows[i].older_size);
        kiln_verify_def def = kiln_verify_def_default();
        def.types = p.older;
        def.type = ROOT;
        assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_OK);
        (void)kiln_conversion_run(p.conversion, blob.data, blob.size, NULL, &made, &p.error);
        assert_error(&p.error, rows[i].status, rows[i].at, rows[i].path);
        if (rows[i].newer) {
            assert_int_equal(made.size, 32 + rows[i].newer_size);
            assert_memory_equal(made.data + 32, rows[i].newer, rows[i].newer_size);
            def.types = p.newer;
            assert_int_equal(kiln_verify(&def, made.data, made.size, NULL), KILN_OK);
        } else {
            assert_null(made.data);
            assert_true(kiln_conversion_may_refuse(p.conversion));
        }
        kiln_buffer_fini(&made);
        patched_fini(&blob);
        close_pair(&p);
    }
}

static void new_field_takes_its_default_with_its_objects(void **state)
{
    static const kiln_member older[] = {FIELD("a", U16)};
    static const kiln_member newer[] = {FIELD("name", STRING), FIELD("a", U32)};
    static const char expected[] = "\x0c\x00\x00\x00\x02\x00\x00\x00\x07\x00\x00\x00hi";
    pair p = {.older = make(older, 1, false), .newer = make(newer, 2, true)};
    kiln_conversion_def def = {p.older, p.newer, ROOT, ROOT, NULL, true};
    kiln_buffer made = {0};
    (void)state;
    assert_int_equal(
        kiln_types_set_default(p.newer, ROOT, 0, "\x08\x00\x00\x00\x02\x00\x00\x00hi", 11, NULL),
        KILN_OK);
    assert_int_equal(kiln_conversion_create(&def, &p.conversion, NULL), KILN_OK);
    patched blob = patched_blob(p.older, ROOT, 4, "\x07", 2);
    assert_int_equal(kiln_conversion_run(p.conversion, blob.data, blob.size, NULL, &made, NULL),
                     KILN_OK);
    const kiln_blob_header *header = (const void *)made.data;
    const unsigned char *payload = made.data + 32;
    assert_int_equal(header->hash, 0);
    assert_memory_equal(payload + 4, expected + 4, 8);
    uint32_t offset;
    memcpy(&offset, payload, 4);
    assert_string_equal((const char *)payload + offset, "hi");
    assert_int_equal(kiln_verify_image(p.newer, ROOT, payload, made.size - 32, NULL, NULL),
                     KILN_OK);
    kiln_buffer_fini(&made);
    patched_fini(&blob);
    close_pair(&p);
}

static void memory_runs_out_at_each_allocation(void **state)
{
    static const kiln_member older[] = {FIELD("a", STRING_ARRAY), FIELD("b", COLORS),
                                        FIELD("c", EFFECT)};
    static const kiln_member newer[] = {FIELD("c", EFFECT_LESS), FIELD("b", COLORS_MOVED),
                                        FIELD("a", STRING_ARRAY), FIELD("n", STRING)};
    /* Two strings with a gap between them, a map of two entries, an alternative. */
    static const char payload[] = "\x18\0\0\0\2\0\0\0\x20\0\0\0\2\0\0\0\1\0\0\0\x18\0\0\0"
                                  "\x16\0\0\0\1\0\0\0\x11\0\0\0\1\0\0\0\1\x0a\3\x0b\7\0"
                                  "x\0\0y";
    pair p = {.older = make(older, 3, false), .newer = make(newer, 4, true)};
    (void)state;
    assert_int_equal(
        kiln_types_set_default(p.newer, ROOT, 3, "\x08\x00\x00\x00\x02\x00\x00\x00hi", 11, NULL),
        KILN_OK);
    patched blob = patched_blob(p.older, ROOT, 4, payload, sizeof payload);
    kiln_verify_def verify = kiln_verify_def_default();
    verify.types = p.older;
    verify.type = ROOT;
    assert_int_equal(kiln_verify(&verify, blob.data, blob.size, NULL), KILN_OK);
    for (size_t at = 1, done = 0; !done; at++) {
        counting_allocator counter = {.fail_at = at};
        kiln_allocator allocator = counting_allocator_of(&counter);
        kiln_conversion_def def = {p.older, p.newer, ROOT, ROOT, &allocator, false};
        kiln_buffer made = {0};
        kiln_error error = {KILN_OK, 0, ""};
        p.conversion = NULL;
        kiln_status status = kiln_conversion_create(&def, &p.conversion, &error);
        if (!status)
            status =
                kiln_conversion_run(p.conversion, blob.data, blob.size, &allocator, &made, &error);
        done = counter.calls < at;
        assert_error(&error, done ? KILN_OK : KILN_NO_MEMORY, 0, "");
        assert_int_equal(status, error.status);
        kiln_buffer_fini(&made);
        kiln_conversion_destroy(p.conversion);
        assert_int_equal(counter.live_blocks, 0);
        assert_false(counter.wrong_free);
    }
    p.conversion = NULL;
    patched_fini(&blob);
    close_pair(&p);
}

/* A chain of so many nodes; in the newer layout each node's number is an object of its own. */
static kiln_status convert_chain(uint32_t count, kiln_error *reterr)
{
    enum { NUMBER, NODE, NODE_OPTIONAL, NUMBER_OPTIONAL, COUNT };
    const kiln_member older[] = {FIELD("next", NODE_OPTIONAL), FIELD("n", NUMBER)};
    const kiln_member newer[] = {FIELD("next", NODE_OPTIONAL), FIELD("n", NUMBER_OPTIONAL)};
    kiln_type list[COUNT] = {[NUMBER] = {.kind = KILN_KIND_U32},
                             [NODE] = STRUCT("r.Node", older),
                             [NODE_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = NODE},
                             [NUMBER_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = NUMBER}};
    uint32_t payload[2 * KILN_DEPTH_MAX];
    pair p = {0};
    kiln_buffer made = {0};
    for (uint32_t i = 0; i < count; i++) {
        payload[2 * i] = i + 1 < count ? 8 : 0;
        payload[2 * i + 1] = i;
    }
    assert_int_equal(kiln_types_create(NULL, list, COUNT, &p.older, NULL), KILN_OK);
    list[NODE].members = newer;
    assert_int_equal(kiln_types_create(NULL, list, COUNT, &p.newer, NULL), KILN_OK);
    kiln_conversion_def def = {p.older, p.newer, NODE, NODE, NULL, false};
    assert_int_equal(kiln_conversion_create(&def, &p.conversion, NULL), KILN_OK);
    patched blob = patched_blob(p.older, NODE, 4, payload, (size_t)count * 8);
    kiln_status status =
        kiln_conversion_run(p.conversion, blob.data, blob.size, NULL, &made, reterr);
    kiln_verify_def verify = kiln_verify_def_default();
    verify.types = p.newer;
    verify.type = NODE;
    if (!status)
        assert_int_equal(kiln_verify(&verify, made.data, made.size, NULL), KILN_OK);
    kiln_buffer_fini(&made);
    patched_fini(&blob);
    close_pair(&p);
    return status;
}

static void value_that_would_nest_too_deep_is_refused(void **state)
{
    kiln_error error = {KILN_OK, 0, ""};
    (void)state;
    assert_int_equal(convert_chain(KILN_DEPTH_MAX - 1, NULL), KILN_OK);
    assert_int_equal(convert_chain(KILN_DEPTH_MAX, &error), KILN_TOO_LARGE);
    assert_int_equal(error.offset, 32 + 8 * (KILN_DEPTH_MAX - 1) + 4);
    assert_string_equal(error.path + strlen(error.path) - 7, ".next.n");
}

/* A chain of so many nodes, the last one with a list of one text; in the newer layout each node's
 * list lies in an object of its own. */
static kiln_status convert_chain_with_text(uint32_t count, kiln_error *reterr)
{
    enum { TEXT, TEXTS, INNER, NODE, NODE_OPTIONAL, INNER_OPTIONAL, COUNT };
    const kiln_member inner = FIELD("list", TEXTS);
    const kiln_member older[] = {FIELD("next", NODE_OPTIONAL), FIELD("n", INNER)};
    const kiln_member newer[] = {FIELD("next", NODE_OPTIONAL), FIELD("n", INNER_OPTIONAL)};
    kiln_type list[COUNT] = {[TEXT] = {.kind = KILN_KIND_STRING},
                             [TEXTS] = {.kind = KILN_KIND_ARRAY, .element = TEXT},
                             [INNER] = {.kind = KILN_KIND_STRUCT,
                                        .name = "r.Inner",
                                        .members = &inner,
                                        .member_count = 1},
                             [NODE] = STRUCT("r.Node", older),
                             [NODE_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = NODE},
                             [INNER_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = INNER}};
    uint32_t payload[3 * KILN_DEPTH_MAX + 3] = {0};
    pair p = {0};
    kiln_buffer made = {0};
    for (uint32_t i = 0; i + 1 < count; i++)
        payload[3 * i] = 12;
    uint32_t *last = &payload[3 * (count - 1)];
    last[1] = 8;
    last[2] = 1;
    last[3] = 8;
    last[4] = 1;
    memcpy(&last[5], "x", 2);
    assert_int_equal(kiln_types_create(NULL, list, COUNT, &p.older, NULL), KILN_OK);
    list[NODE].members = newer;
    assert_int_equal(kiln_types_create(NULL, list, COUNT, &p.newer, NULL), KILN_OK);
    kiln_conversion_def def = {p.older, p.newer, NODE, NODE, NULL, false};
    assert_int_equal(kiln_conversion_create(&def, &p.conversion, NULL), KILN_OK);
    patched blob = patched_blob(p.older, NODE, 4, payload, (size_t)count * 12 + 10);
    kiln_verify_def verify = kiln_verify_def_default();
    verify.types = p.older;
    verify.type = NODE;
    assert_int_equal(kiln_verify(&verify, blob.data, blob.size, NULL), KILN_OK);
    kiln_status status =
        kiln_conversion_run(p.conversion, blob.data, blob.size, NULL, &made, reterr);
    verify.types = p.newer;
    if (!status)
        assert_int_equal(kiln_verify(&verify, made.data, made.size, NULL), KILN_OK);
    kiln_buffer_fini(&made);
    patched_fini(&blob);
    close_pair(&p);
    return status;
}

static void text_in_a_list_that_would_nest_too_deep_is_refused(void **state)
{
    kiln_error error = {KILN_OK, 0, ""};
    (void)state;
    assert_int_equal(convert_chain_with_text(KILN_DEPTH_MAX - 3, NULL), KILN_OK);
    assert_int_equal(convert_chain_with_text(KILN_DEPTH_MAX - 2, &error), KILN_TOO_LARGE);
    assert_int_equal(error.offset, 32 + 12 * (KILN_DEPTH_MAX - 2));
    assert_string_equal(error.path + strlen(error.path) - 10, ".n.list[0]");
}

static void blob_of_another_layout_is_refused(void **state)
{
    const kiln_member older = FIELD("f", U16), newer = FIELD("f", U32);
    pair p;
    kiln_buffer made = {0};
    (void)state;
    open_pair(&p, &older, 1, &newer, 1);
    patched blob = patched_blob(p.newer, ROOT, 4, "\0\0\0\0", 4);
    (void)kiln_conversion_run(p.conversion, blob.data, blob.size, NULL, &made, &p.error);
    assert_error(&p.error, KILN_H_LAYOUT, 16, "");
    (void)kiln_conversion_run(p.conversion, blob.data, 31, NULL, &made, &p.error);
    assert_error(&p.error, KILN_H_TRUNCATED, 31, "");
    kiln_conversion_def def = {p.older, p.newer, U16, ROOT, NULL, false};
    kiln_conversion *none = NULL;
    assert_int_equal(kiln_conversion_create(&def, &none, NULL), KILN_BAD_ARGUMENT);
    patched_fini(&blob);
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_of_a_field_is_judged),
        cmocka_unit_test(each_change_of_the_fields_is_judged),
        cmocka_unit_test(each_value_becomes_what_it_should),
        cmocka_unit_test(new_field_takes_its_default_with_its_objects),
        cmocka_unit_test(memory_runs_out_at_each_allocation),
        cmocka_unit_test(value_that_would_nest_too_deep_is_refused),
        cmocka_unit_test(text_in_a_list_that_would_nest_too_deep_is_refused),
        cmocka_unit_test(blob_of_another_layout_is_refused),
    };
    return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
