/* Changes of one field: a pair of types for each rule of FORMAT.md section 17. */
#include "blob_patch.h"
#include "convert_pair.h"
#include "failing_memory.h"
#include "type_macros.h"
#include "verdict.h"

#include <kiln/verify.h>
#include <string.h>

/* Changes a field `f` from one type to another. */
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
        pair_open(&p, &older, 1, &newer, 1);
        assert_error(&p.error, rows[i].status, 0, rows[i].path);
        if (rows[i].status == KILN_OK)
            assert_int_equal(kiln_conversion_need(p.conversion), rows[i].need);
        assert_int_equal(kiln_status_is_unreadable(p.error.status), rows[i].status != KILN_OK);
        pair_close(&p);
    }
}

/* Changes all fields of a root. */
static void each_change_of_the_fields_is_judged(void **state)
{
    static const char *const was_old[] = {"old"};
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
        pair_open(&p, rows[i].from, rows[i].from_count, rows[i].to, rows[i].to_count);
        assert_error(&p.error, rows[i].status, 0, rows[i].path);
        if (rows[i].status == KILN_OK)
            assert_int_equal(kiln_conversion_need(p.conversion), rows[i].need);
        pair_close(&p);
    }
}

#define BLOB(text) (text), sizeof(text) - 1

/* Payloads of a root with the single field `f`, and their conversion. Offsets count from the
 * header. */
static void each_value_is_converted_as_the_rules_require(void **state)
{
    static const struct {
        uint32_t from, to;
        const char *older;
        size_t older_size;
        const char *newer; /* NULL if it is refused */
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
        pair_open(&p, &older, 1, &newer, 1);
        assert_error(&p.error, KILN_OK, 0, "");
        patched blob = patched_blob(p.older, ROOT, 4, rows[i].older, rows[i].older_size);
        kiln_verify_def def = kiln_verify_def_default();
        def.types = p.older;
        def.type = ROOT;
        assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_OK);
        (void)kiln_conversion_run(p.conversion, (kiln_span){blob.data, blob.size}, NULL, &made,
                                  &p.error);
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
        pair_close(&p);
    }
}

static void new_field_takes_its_default_with_its_objects(void **state)
{
    static const kiln_member older[] = {FIELD("a", U16)};
    static const kiln_member newer[] = {FIELD("name", STRING), FIELD("a", U32)};
    static const char expected[] = "\x0c\x00\x00\x00\x02\x00\x00\x00\x07\x00\x00\x00hi";
    pair p = {.older = pair_list(older, 1, false), .newer = pair_list(newer, 2, true)};
    kiln_conversion_def def = kiln_conversion_def_default();
    def.from = p.older;
    def.to = p.newer;
    def.from_type = ROOT;
    def.to_type = ROOT;
    def.skip_hash = true;
    kiln_buffer made = {0};
    (void)state;
    assert_int_equal(kiln_types_set_default(p.newer, ROOT, 0,
                                            (kiln_span){"\x08\x00\x00\x00\x02\x00\x00\x00hi", 11},
                                            NULL),
                     KILN_OK);
    assert_int_equal(kiln_conversion_create(&def, &p.conversion, NULL), KILN_OK);
    patched blob = patched_blob(p.older, ROOT, 4, "\x07", 2);
    assert_int_equal(
        kiln_conversion_run(p.conversion, (kiln_span){blob.data, blob.size}, NULL, &made, NULL),
        KILN_OK);
    const kiln_blob_header *header = (const void *)made.data;
    const unsigned char *payload = made.data + 32;
    assert_int_equal(header->hash, 0);
    assert_memory_equal(payload + 4, expected + 4, 8);
    uint32_t offset;
    memcpy(&offset, payload, 4);
    assert_string_equal((const char *)payload + offset, "hi");
    assert_int_equal(
        kiln_verify_image(p.newer, ROOT, (kiln_span){payload, made.size - 32}, NULL, NULL),
        KILN_OK);
    kiln_buffer_fini(&made);
    patched_fini(&blob);
    pair_close(&p);
}

static pair starved;
static patched starved_blob;

static kiln_status convert_starved(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_conversion_def def = kiln_conversion_def_default();
    def.from = starved.older;
    def.to = starved.newer;
    def.from_type = ROOT;
    def.to_type = ROOT;
    def.allocator = allocator;
    kiln_conversion *conversion = NULL;
    kiln_buffer made = {0};
    kiln_status status = kiln_conversion_create(&def, &conversion, reterr);
    if (!status)
        status = kiln_conversion_run(conversion, (kiln_span){starved_blob.data, starved_blob.size},
                                     allocator, &made, reterr);
    kiln_buffer_fini(&made);
    kiln_conversion_destroy(conversion);
    return status;
}

static void memory_runs_out_at_each_allocation(void **state)
{
    static const kiln_member older[] = {FIELD("a", STRING_ARRAY), FIELD("b", COLORS),
                                        FIELD("c", EFFECT)};
    static const kiln_member newer[] = {FIELD("c", EFFECT_LESS), FIELD("b", COLORS_MOVED),
                                        FIELD("a", STRING_ARRAY), FIELD("n", STRING)};
    /* Two strings with a gap between them, a map with two entries, an alternative. */
    static const char payload[] = "\x18\0\0\0\2\0\0\0\x20\0\0\0\2\0\0\0\1\0\0\0\x18\0\0\0"
                                  "\x16\0\0\0\1\0\0\0\x11\0\0\0\1\0\0\0\1\x0a\3\x0b\7\0"
                                  "x\0\0y";
    (void)state;
    starved = (pair){.older = pair_list(older, 3, false), .newer = pair_list(newer, 4, true)};
    assert_int_equal(kiln_types_set_default(starved.newer, ROOT, 3,
                                            (kiln_span){"\x08\x00\x00\x00\x02\x00\x00\x00hi", 11},
                                            NULL),
                     KILN_OK);
    starved_blob = patched_blob(starved.older, ROOT, 4, payload, sizeof payload);
    kiln_verify_def verify = kiln_verify_def_default();
    verify.types = starved.older;
    verify.type = ROOT;
    assert_int_equal(kiln_verify(&verify, starved_blob.data, starved_blob.size, NULL), KILN_OK);
    check_each_failure(convert_starved);
    patched_fini(&starved_blob);
    pair_close(&starved);
}

static void blob_of_another_layout_is_refused(void **state)
{
    const kiln_member older = FIELD("f", U16), newer = FIELD("f", U32);
    pair p;
    kiln_buffer made = {0};
    (void)state;
    pair_open(&p, &older, 1, &newer, 1);
    patched blob = patched_blob(p.newer, ROOT, 4, "\0\0\0\0", 4);
    (void)kiln_conversion_run(p.conversion, (kiln_span){blob.data, blob.size}, NULL, &made,
                              &p.error);
    assert_error(&p.error, KILN_H_LAYOUT, 16, "");
    (void)kiln_conversion_run(p.conversion, (kiln_span){blob.data, 31}, NULL, &made, &p.error);
    assert_error(&p.error, KILN_H_TRUNCATED, 31, "");
    kiln_conversion_def def = kiln_conversion_def_default();
    def.from = p.older;
    def.to = p.newer;
    def.from_type = U16;
    def.to_type = ROOT;
    kiln_conversion *none = NULL;
    assert_int_equal(kiln_conversion_create(&def, &none, NULL), KILN_BAD_ARGUMENT);
    patched_fini(&blob);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_of_a_field_is_judged),
        cmocka_unit_test(each_change_of_the_fields_is_judged),
        cmocka_unit_test(each_value_is_converted_as_the_rules_require),
        cmocka_unit_test(new_field_takes_its_default_with_its_objects),
        cmocka_unit_test(memory_runs_out_at_each_allocation),
        cmocka_unit_test(blob_of_another_layout_is_refused),
    };
    return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
