/* Hand-written payloads for conditions of the fast verifiers (sweep.h, bounds.h) that random ones
 * do not reach: maximum nesting, alignments, arrays that just miss the fast path, promises that
 * conflict or collide, and running out of memory while types are planned. */
#include "arena.h"
#include "bounds.h"
#include "counting_allocator.h"
#include "guarded.h"
#include "promise_table.h"
#include "sweep.h"
#include "type_macros.h"
#include "value_program.h"
#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    U8,
    U32,
    F32,
    STRING,
    NUMBERS,  /* u32[] */
    SINGLES,  /* f32[] */
    ALIGNED,  /* u32[]@64 */
    STRINGS,  /* string[] */
    OPTIONAL, /* u32? */
    NINE_NUMBERS,
    PLAIN,
    ARRAY,
    POINTER,
    VALUES,
    CHOICE,
    UNION,
    TEXT,
    LEAF, /* string[], u32[] */
    NINE_LEAVES,
    DEEP_LEAVES,
    DEEP_LEAVES_NEXT,
    TWO_FORMS,
    ALIGNED_FIRST,
    TWO_TEXTS,
    TWO_TEXTS_ARRAY,
    WIDE,
    TWO_STRINGS,
    ROW, /* string[] */
    ROWS,
    ROWS_ARRAY,
    ONE_ROWS,
    ONE_ROWS_ARRAY,
    BIG,     /* u32[16] */
    BIGS_64, /* Big[]@64 */
    ONE_BIGS,
    TEN_BIGS, /* Big[10] */
    BROAD,
    BROADS,
    ONE_BROADS,
    NODES, /* three types for each of `tall_rows` from here on: a node, the node with its target,
              and an optional */
    TYPE_COUNT = NODES + 18
};

#define MEMBERS(list) .members = (list), .member_count = sizeof(list) / sizeof *(list)
#define PART(type_kind, part)                                                                      \
    {                                                                                              \
        .kind = (type_kind), .element = (part)                                                     \
    }

static const kiln_member plain[] = {FIELD("a", U32)}, array[] = {FIELD("a", NUMBERS)},
                         pointer[] = {FIELD("a", OPTIONAL)}, values[] = {FIELD("a", NINE_NUMBERS)},
                         choice[] = {{.name = "a", .value = 1, .type = ARRAY}},
                         of_union[] = {FIELD("a", CHOICE)}, text[] = {FIELD("a", STRING)},
                         leaf[] = {FIELD("a", STRINGS), FIELD("b", NUMBERS)},
                         deep[] = {FIELD("next", DEEP_LEAVES_NEXT), FIELD("all", NINE_LEAVES)},
                         two_forms[] = {FIELD("a", NUMBERS), FIELD("b", SINGLES)},
                         aligned_first[] = {FIELD("a", ALIGNED), FIELD("b", NUMBERS)},
                         two_texts[] = {FIELD("a", STRING), FIELD("b", STRING)},
                         wide[] = {FIELD("a", TWO_TEXTS_ARRAY)},
                         two_strings[] = {FIELD("a", STRINGS), FIELD("b", STRINGS)},
                         row[] = {FIELD("a", STRINGS)}, one_rows[] = {FIELD("a", ROWS)},
                         one_rows_array[] = {FIELD("a", ROWS_ARRAY)},
                         one_bigs[] = {FIELD("a", BIGS_64)},
                         broad[] = {FIELD("a", TEN_BIGS), FIELD("b", STRING)},
                         one_broads[] = {FIELD("a", BROADS)};

static const kiln_type fixed_types[NODES] = {
    [U8] = {.kind = KILN_KIND_U8},
    [U32] = {.kind = KILN_KIND_U32},
    [F32] = {.kind = KILN_KIND_F32},
    [STRING] = {.kind = KILN_KIND_STRING},
    [NUMBERS] = PART(KILN_KIND_ARRAY, U32),
    [SINGLES] = PART(KILN_KIND_ARRAY, F32),
    [ALIGNED] = {.kind = KILN_KIND_ARRAY, .element = U32, .align_at = 64},
    [STRINGS] = PART(KILN_KIND_ARRAY, STRING),
    [OPTIONAL] = PART(KILN_KIND_OPTIONAL, U32),
    [NINE_NUMBERS] = {.kind = KILN_KIND_FIXED, .element = NUMBERS, .count = 9},
    [PLAIN] = STRUCT("t.Plain", plain),
    [ARRAY] = STRUCT("t.Array", array),
    [POINTER] = STRUCT("t.Pointer", pointer),
    [VALUES] = STRUCT("t.Values", values),
    [CHOICE] = {.name = "t.Choice", .kind = KILN_KIND_UNION, MEMBERS(choice)},
    [UNION] = STRUCT("t.Union", of_union),
    [TEXT] = STRUCT("t.Text", text),
    [LEAF] = STRUCT("t.Leaf", leaf),
    [NINE_LEAVES] = {.kind = KILN_KIND_FIXED, .element = LEAF, .count = 9},
    [DEEP_LEAVES] = STRUCT("t.Deep", deep),
    [DEEP_LEAVES_NEXT] = PART(KILN_KIND_OPTIONAL, DEEP_LEAVES),
    [TWO_FORMS] = STRUCT("t.TwoForms", two_forms),
    [ALIGNED_FIRST] = STRUCT("t.AlignedFirst", aligned_first),
    [TWO_TEXTS] = STRUCT("t.TwoTexts", two_texts),
    [TWO_TEXTS_ARRAY] = PART(KILN_KIND_ARRAY, TWO_TEXTS),
    [WIDE] = STRUCT("t.Wide", wide),
    [TWO_STRINGS] = STRUCT("t.TwoStrings", two_strings),
    [ROW] = STRUCT("t.Row", row),
    [ROWS] = PART(KILN_KIND_ARRAY, ROW),
    [ROWS_ARRAY] = PART(KILN_KIND_ARRAY, ROWS),
    [ONE_ROWS] = STRUCT("t.OneRows", one_rows),
    [ONE_ROWS_ARRAY] = STRUCT("t.OneRowsArray", one_rows_array),
    [BIG] = {.kind = KILN_KIND_FIXED, .element = U32, .count = 16},
    [BIGS_64] = {.kind = KILN_KIND_ARRAY, .element = BIG, .align_at = 64},
    [ONE_BIGS] = STRUCT("t.OneBigs", one_bigs),
    [TEN_BIGS] = {.kind = KILN_KIND_FIXED, .element = BIG, .count = 10},
    [BROAD] = STRUCT("t.Broad", broad),
    [BROADS] = PART(KILN_KIND_ARRAY, BROAD),
    [ONE_BROADS] = STRUCT("t.OneBroads", one_broads),
};

/* A type, the bytes of a value including its targets, and the nesting depth of its objects. */
typedef struct tall_row {
    const char *name, *bytes;
    size_t size;
    uint32_t type, height;
} tall_row;

#define TALL(row_name, bytes, row_type, row_height)                                                \
    {                                                                                              \
        row_name, bytes, sizeof(bytes) - 1, row_type, row_height                                   \
    }
#define ZEROS_64                                                                                   \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"                             \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static const tall_row tall_rows[] = {
    TALL("t.NodePlain", "\1\0\0\0", PLAIN, 1),
    TALL("t.NodeArray", "\x8\0\0\0\1\0\0\0\1\0\0\0", ARRAY, 2),
    TALL("t.NodePointer", "\4\0\0\0\1\0\0\0", POINTER, 2),
    TALL("t.NodeValues", "\x48\0\0\0\1\0\0\0" ZEROS_64 "\1\0\0\0", VALUES, 2),
    TALL("t.NodeUnion", "\1\0\0\0\4\0\0\0\x8\0\0\0\1\0\0\0\1\0\0\0", UNION, 3),
    TALL("t.NodeText", "\x8\0\0\0\1\0\0\0a\0", TEXT, 2),
};
enum { TALL_ROWS = sizeof tall_rows / sizeof *tall_rows, NODE_SIZE = 16 };

static kiln_types *types;

static int set_up(void **state)
{
    (void)state;
    kiln_type list[TYPE_COUNT];
    kiln_member nodes[TALL_ROWS][3] = {{{0}}};
    memcpy(list, fixed_types, sizeof fixed_types);
    for (uint32_t i = 0; i < TALL_ROWS; i++) {
        uint32_t node = NODES + 3 * i;
        nodes[i][0] = (kiln_member)FIELD("next", node + 1);
        nodes[i][1] = (kiln_member)FIELD("more", NUMBERS);
        nodes[i][2] = (kiln_member)FIELD("tall", node + 2);
        list[node] = (kiln_type)STRUCT(tall_rows[i].name, nodes[i]);
        list[node + 1] = (kiln_type)PART(KILN_KIND_OPTIONAL, node);
        list[node + 2] = (kiln_type)PART(KILN_KIND_OPTIONAL, tall_rows[i].type);
    }
    return kiln_types_create(NULL, list, TYPE_COUNT, &types, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    return 0;
}

static payload_def def_of(uint32_t type, const patched *payload, uint32_t align)
{
    return (payload_def){.types = types,
                         .type = type,
                         .payload = payload->data,
                         .size = (uint32_t)payload->size,
                         .align = align};
}

/* Checks that all verifiers return this status. A valid payload must pass the fast path. */
static void check(const char *name, uint32_t type, const void *bytes, size_t size,
                  kiln_status status)
{
    patched payload = patched_copy(bytes, size);
    payload_def def = def_of(type, &payload, 16);
    kiln_status judged = kiln_judge(&def, NULL);
    bool swept = kiln_sweep(&def) == SWEEP_VALID, held = kiln_bounds_hold(&def);
    if (judged != status || swept != (status == KILN_OK) || held != (status == KILN_OK))
        fail_msg("%s: %s, %d, %d", name, kiln_status_name(judged), swept, held);
    patched_fini(&payload);
}

/* The innermost of `count` nested nodes refers to an object to which the first one also refers. The
 * object is then after everything claimed so far. */
static void check_tall(uint32_t which, uint32_t count, kiln_status status)
{
    const tall_row *tall = &tall_rows[which];
    unsigned char bytes[KILN_DEPTH_MAX * NODE_SIZE + 128] = {0};
    uint32_t more = count * NODE_SIZE, target = more + 4;
    for (uint32_t i = 0; i + 1 < count; i++)
        patch_number(bytes + (size_t)i * NODE_SIZE, NODE_SIZE, 4);
    unsigned char *last = bytes + (size_t)(count - 1) * NODE_SIZE, *before = last - NODE_SIZE;
    patch_number(last + 12, NODE_SIZE - 12 + 4, 4);
    patch_number(before + 4, 2 * NODE_SIZE - 4, 4);
    patch_number(before + 8, 1, 4);
    patch_number(bytes + 12, target - 12, 4);
    memcpy(bytes + target, tall->bytes, tall->size);
    check(tall->name, NODES + 3 * which, bytes, target + tall->size, status);
}

static void shared_objects_are_not_nested_too_deeply(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TALL_ROWS; i++) {
        check_tall(i, KILN_DEPTH_MAX - tall_rows[i].height, KILN_OK);
        check_tall(i, KILN_DEPTH_MAX - tall_rows[i].height + 1, KILN_V_DEPTH);
    }
}

/* The second link of a leaf would still fit. */
static void strings_of_arrays_are_not_nested_too_deeply(void **state)
{
    (void)state;
    enum { SIZE = 4 + 9 * 16 };
    static unsigned char bytes[KILN_DEPTH_MAX * SIZE];
    for (uint32_t count = KILN_DEPTH_MAX - 2; count < KILN_DEPTH_MAX; count++) {
        memset(bytes, 0, sizeof bytes);
        for (uint32_t i = 0; i + 1 < count; i++)
            patch_number(bytes + (size_t)i * SIZE, SIZE, 4);
        unsigned char *last = bytes + (size_t)(count - 1) * SIZE;
        patch_number(last + 4, SIZE - 4, 4);
        patch_number(last + 8, 1, 4);
        memcpy(last + SIZE, "\x8\0\0\0\1\0\0\0a\0", 10);
        check("leaves", DEEP_LEAVES, bytes, (size_t)count * SIZE + 10,
              count == KILN_DEPTH_MAX - 2 ? KILN_OK : KILN_V_DEPTH);
    }
}

static void objects_are_aligned_no_better_than_the_payload(void **state)
{
    (void)state;
    unsigned char bytes[68] = {64, 0, 0, 0, 1, 0, 0, 0};
    patched payload = patched_copy(bytes, sizeof bytes);
    payload_def def = def_of(ALIGNED_FIRST, &payload, 64);
    assert_int_equal(kiln_sweep(&def), SWEEP_VALID);
    assert_true(kiln_bounds_hold(&def));
    def.align = 16;
    assert_int_equal(kiln_sweep(&def), SWEEP_UNDECIDED);
    assert_false(kiln_bounds_hold(&def));
    def = def_of(PLAIN, &payload, 2);
    assert_false(kiln_bounds_hold(&def));
    def = def_of(PLAIN, &payload, 4);
    assert_true(kiln_bounds_hold(&def));
    def.size = 3;
    assert_false(kiln_bounds_hold(&def));
    patched_fini(&payload);
}

/* An alignment that no object requires has no effect. */
static void arrays_that_require_too_much_alignment_may_be_empty(void **state)
{
    (void)state;
    unsigned char bytes[128] = {0};
    for (uint32_t count = 0; count <= 1; count++) {
        patch_number(bytes, count ? 64 : 0, 4);
        patch_number(bytes + 4, count, 4);
        patched payload = patched_copy(bytes, count ? 128 : 8);
        payload_def def = def_of(ONE_BIGS, &payload, 64);
        assert_int_equal(kiln_sweep(&def), SWEEP_VALID);
        assert_true(kiln_bounds_hold(&def));
        def.align = 16;
        assert_int_equal(kiln_sweep(&def), count ? SWEEP_UNDECIDED : SWEEP_VALID);
        assert_int_equal(kiln_bounds_hold(&def), count == 0);
        assert_int_equal(kiln_judge(&def, NULL) == KILN_OK, count == 0);
        patched_fini(&payload);
    }
}

/* A list with too many types has no plans. */
static void types_without_plans_are_left_to_the_general_verifier(void **state)
{
    (void)state;
    kiln_types unplanned = *types;
    unsigned char bytes[4] = {0};
    patched payload = patched_copy(bytes, sizeof bytes);
    payload_def def = def_of(PLAIN, &payload, 16);
    unplanned.plans = NULL;
    def.types = &unplanned;
    assert_int_equal(kiln_sweep(&def), SWEEP_UNDECIDED);
    assert_false(kiln_bounds_hold(&def));
    assert_int_equal(kiln_judge(&def, NULL), KILN_OK);
    patched_fini(&payload);
}

static void an_object_has_one_type(void **state)
{
    (void)state;
    static const unsigned char own[24] = {16, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 1};
    static const unsigned char same[20] = {16, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 1};
    check("own", TWO_FORMS, own, sizeof own, KILN_OK);
    patched payload = patched_copy(same, sizeof same);
    payload_def def = def_of(TWO_FORMS, &payload, 16);
    assert_int_not_equal(kiln_judge(&def, NULL), KILN_OK);
    assert_int_equal(kiln_sweep(&def), SWEEP_UNDECIDED);
    patched_fini(&payload);
}

static void every_string_of_an_element_is_checked(void **state)
{
    (void)state;
    unsigned char bytes[28] = {8, 0, 0,  0, 1, 0, 0, 0, 16, 0, 0,   0, 1,   0,
                               0, 0, 10, 0, 0, 0, 1, 0, 0,  0, 'a', 0, 'b', 0};
    check("two strings", WIDE, bytes, sizeof bytes, KILN_OK);
    bytes[17] = 1;
    check("the second one out of bounds", WIDE, bytes, sizeof bytes, KILN_V_BOUNDS);
}

static void every_value_of_a_broad_array_is_checked(void **state)
{
    (void)state;
    enum { SIZE = 10 * 64 + 8, COUNT = 40 };
    static unsigned char bytes[8 + SIZE * COUNT];
    patch_number(bytes, 8, 4);
    patch_number(bytes + 4, COUNT, 4);
    check("a broad array", ONE_BROADS, bytes, sizeof bytes, KILN_OK);
    for (size_t i = 0; i < COUNT; i += 13) {
        unsigned char *place = bytes + 8 + i * SIZE + SIZE - 8;
        patch_number(place, sizeof bytes, 4);
        patch_number(place + 4, 1, 4);
        check("an element of a broad array out of bounds", ONE_BROADS, bytes, sizeof bytes,
              KILN_V_BOUNDS);
        memset(place, 0, 8);
    }
}

static void every_value_in_a_long_row_is_checked(void **state)
{
    (void)state;
    unsigned char bytes[9 * 8] = {0};
    check("none", VALUES, bytes, sizeof bytes, KILN_OK);
    bytes[8 * 8 + 1] = bytes[8 * 8 + 4] = 1;
    check("the last value out of bounds", VALUES, bytes, sizeof bytes, KILN_V_BOUNDS);
}

static void a_waiting_string_is_checked(void **state)
{
    (void)state;
    enum { COUNT = 200, AT = 8 + COUNT * 8 };
    unsigned char two[16 + 8 + 5 * 8] = {16, 0, 0, 0, 1, 0, 0, 0, 16, 0, 0, 0, 5};
    check("a string before a long array", TWO_STRINGS, two, sizeof two, KILN_OK);
    two[17] = two[20] = 1;
    check("a string out of bounds before a long array", TWO_STRINGS, two, sizeof two,
          KILN_V_BOUNDS);
    unsigned char many[AT + 5 * 8] = {8, 0, 0, 0, COUNT};
    for (uint32_t i = 0, at = 8; i < COUNT; i++, at += 8) {
        patch_number(many + at, (i ? AT + 8 : AT) - at, 4);
        patch_number(many + at + 4, i ? 4 : 1, 4);
    }
    check("a string before many others", ONE_ROWS, many, sizeof many, KILN_OK);
    many[AT + 1] = many[AT + 4] = 1;
    check("a string out of bounds before many others", ONE_ROWS, many, sizeof many, KILN_V_BOUNDS);
}

/* Rows with `times` references each, which all refer to the same four strings. */
static bool rows_hold(uint32_t times)
{
    enum { COUNT = 100, FIRST = 8 + 2 * 8, AT = FIRST + COUNT * 8 };
    unsigned char bytes[AT + 4 * 8] = {8, 0, 0, 0};
    bytes[4] = (unsigned char)times;
    for (uint32_t i = 0, at = 8; i < times; i++, at += 8) {
        patch_number(bytes + at, FIRST - at, 4);
        patch_number(bytes + at + 4, COUNT, 4);
    }
    for (uint32_t i = 0, at = FIRST; i < COUNT; i++, at += 8) {
        patch_number(bytes + at, AT - at, 4);
        patch_number(bytes + at + 4, 4, 4);
    }
    patched payload = patched_copy(bytes, sizeof bytes);
    payload_def def = def_of(ONE_ROWS_ARRAY, &payload, 16);
    bool hold = kiln_bounds_hold(&def);
    patched_fini(&payload);
    return hold;
}

static void strings_reached_too_often_are_left_to_the_general_verifier(void **state)
{
    (void)state;
    assert_true(rows_hold(1));
    assert_false(rows_hold(2));
}

static void no_byte_after_the_payload_is_read(void **state)
{
    (void)state;
    static const char payloads[][13] = {"\x8\0\0\0\4\0\0\0abcd", "\x8\0\0\0\xff\xff\xff\xff|bcd",
                                        "\xb\0\0\0\1\0\0\0abcd", "\xc\0\0\0\1\0\0\0abcd"};
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        guarded bytes = guarded_copy(payloads[i], 12);
        payload_def def = {.types = types, .type = TEXT, .payload = bytes.data, .size = 12};
        def.align = 4;
        assert_int_equal(kiln_sweep(&def), SWEEP_UNDECIDED);
        assert_false(kiln_bounds_hold(&def));
        guarded_fini(&bytes);
    }
}

static bool make(promise_table *table, uint32_t start, uint32_t count)
{
    promise object = {start, count, 7};
    return promise_table_make(table, &object);
}

static void promises_are_kept_only_by_the_promised_object(void **state)
{
    (void)state;
    promise_table table;
    kiln_allocator allocator = allocator_or_default(NULL);
    kiln_promise_table_init(&table, &allocator);
    /* The byte of the filter may have been set for a different start. */
    assert_true(kiln_promise_table_keep(&table, 8, 1, 7));
    assert_true(make(&table, 4, 1));
    assert_true(kiln_promise_table_keep(&table, 8, 1, 7));
    assert_false(kiln_promise_table_is_kept(&table));
    assert_true(kiln_promise_table_keep(&table, 4, 1, 7));
    assert_true(kiln_promise_table_is_kept(&table));
    assert_true(make(&table, 12, 1));
    assert_false(kiln_promise_table_is_kept(&table));
    kiln_promise_table_fini(&table);
    kiln_promise_table_init(&table, &allocator);
    assert_true(make(&table, 4, 1));
    assert_true(make(&table, 4, 2));
    assert_false(kiln_promise_table_keep(&table, 4, 1, 7));
    kiln_promise_table_fini(&table);
    /* A promise that is made again after it was kept stays open. */
    kiln_promise_table_init(&table, &allocator);
    assert_true(make(&table, 4, 1));
    assert_true(kiln_promise_table_keep(&table, 4, 1, 7));
    assert_true(make(&table, 4, 2));
    assert_false(kiln_promise_table_is_kept(&table));
    kiln_promise_table_fini(&table);
}

/* 0xe8b2f51 times the table's factor is 1, so small multiples of it all hash to the first slot. */
static void promises_that_collide_too_often_are_refused(void **state)
{
    (void)state;
    promise_table table;
    kiln_allocator allocator = allocator_or_default(NULL);
    uint32_t i;
    kiln_promise_table_init(&table, &allocator);
    for (i = 1; i <= 64; i++)
        assert_true(make(&table, i * UINT32_C(0xe8b2f51), 1));
    assert_true(kiln_promise_table_flush(&table));
    assert_false(kiln_promise_table_keep(&table, i * UINT32_C(0xe8b2f51), 1, 7));
    assert_true(make(&table, i * UINT32_C(0xe8b2f51), 1));
    assert_false(kiln_promise_table_flush(&table));
    assert_false(table.no_memory);
    kiln_promise_table_fini(&table);
}

/* Makes a promise for the offset whose product with the table's factor is this. */
static bool make_at(promise_table *table, uint32_t product)
{
    return make(table, product * UINT32_C(0xe8b2f51), 1);
}

/* Two runs of promises: one wraps from the end of the table to its beginning. When the table grows,
 * the entries at the beginning are inserted first and take the slots of those from the end. */
static void promises_that_collide_when_the_table_grows_are_refused(void **state)
{
    (void)state;
    promise_table table;
    kiln_allocator allocator = allocator_or_default(NULL);
    const uint32_t others = UINT32_C(0x20000000), step = UINT32_C(0xc00000);
    uint32_t i;
    bool good = true;
    kiln_promise_table_init(&table, &allocator);
    for (i = 0; i < 64; i++)
        assert_true(make_at(&table, others + i * step));
    for (uint32_t k = 0; k < 32; k++)
        assert_true(make_at(&table, UINT32_C(0xff7fffff) - k));
    assert_true(kiln_promise_table_flush(&table));
    for (uint32_t k = 1; k <= 34; k++)
        assert_true(make_at(&table, k));
    assert_true(kiln_promise_table_flush(&table));
    assert_int_equal(table.slot_bits, 9);
    for (; i < 256 && good; i++)
        good = make_at(&table, others + i * step);
    assert_false(good && kiln_promise_table_flush(&table));
    assert_int_equal(table.slot_bits, 11);
    assert_false(table.no_memory);
    kiln_promise_table_fini(&table);
}

/* Names and members of many types. */
enum { MANY = 12000, CHAIN = 100000, DIAMOND = 60, MAPS = 1500 };
static char names[CHAIN][12];

static void name_all(void)
{
    for (uint32_t i = 0; i < CHAIN; i++)
        (void)snprintf(names[i], sizeof names[i], "t.N%u", (unsigned)i);
}

static void check_each_failure(const kiln_type *list, uint32_t count)
{
    for (size_t at = 1;; at++) {
        counting_allocator counter = {.fail_at = at};
        kiln_allocator allocator = counting_allocator_of(&counter);
        kiln_types *made = NULL;
        kiln_status status = kiln_types_create(&allocator, list, count, &made, NULL);
        kiln_types_destroy(made);
        assert_int_equal(counter.live_blocks, 0);
        if (counter.calls < at) {
            assert_int_equal(status, KILN_OK);
            return;
        }
        assert_int_equal(status, KILN_NO_MEMORY);
    }
}

static void planning_may_run_out_of_memory_anywhere(void **state)
{
    (void)state;
    static kiln_member many[MANY];
    static kiln_type maps[2 * MAPS + 2];
    static const kiln_kind kinds[] = {KILN_KIND_STRING, KILN_KIND_BOOL};
    static const kiln_member inner[] = {FIELD("a", 2), FIELD("b", 2)}, eight[] = {FIELD("a", 1)};
    static kiln_type strings[MAPS + 2];
    name_all();
    for (uint32_t i = 0; i < MANY; i++)
        many[i] = (kiln_member)FIELD(names[i] + 2, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kiln_type list[] = {
            {.kind = kinds[i]}, STRUCT("t.Outer", inner), STRUCT("t.Many", many)};
        check_each_failure(list, 3);
    }
    maps[0] = (kiln_type){.kind = KILN_KIND_BOOL};
    maps[1] = (kiln_type){.kind = KILN_KIND_U8};
    for (uint32_t i = 0; i < MAPS; i++) {
        maps[2 + 2 * i] = (kiln_type){.kind = KILN_KIND_FIXED, .element = 0, .count = i + 1};
        maps[3 + 2 * i] = (kiln_type){.kind = KILN_KIND_MAP, .key = 1, .element = 2 + 2 * i};
    }
    check_each_failure(maps, 2 * MAPS + 2);
    strings[0] = (kiln_type){.kind = KILN_KIND_STRING};
    strings[1] = (kiln_type){.kind = KILN_KIND_FIXED, .element = 0, .count = 8};
    for (uint32_t i = 0; i < MAPS; i++)
        strings[i + 2] = (kiln_type)STRUCT(names[i], eight);
    check_each_failure(strings, MAPS + 2);
}

/* `count` structs, each with `ways` fields that refer to the next one. */
static void check_chain(uint32_t count, uint32_t ways)
{
    kiln_type *list = calloc((size_t)count * 2 + 1, sizeof *list);
    kiln_member *members = calloc((size_t)count * 2, sizeof *members);
    assert_non_null(list);
    assert_non_null(members);
    list[0].kind = KILN_KIND_U32;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = i + 1 < count ? 2 * i + 3 : 0;
        members[2 * i] = (kiln_member)FIELD("a", next);
        members[2 * i + 1] = (kiln_member)FIELD("b", next);
        list[2 * i + 1] = (kiln_type)PART(KILN_KIND_OPTIONAL, 2 * i + 2);
        list[2 * i + 2] = (kiln_type){.name = names[i],
                                      .kind = KILN_KIND_STRUCT,
                                      .members = members + 2 * (size_t)i,
                                      .member_count = ways};
    }
    kiln_types *made = NULL;
    assert_int_equal(kiln_types_create(NULL, list, 2 * count + 1, &made, NULL), KILN_OK);
    kiln_types_destroy(made);
    free(members);
    free(list);
}

static void long_chains_of_types_are_planned_in_linear_time(void **state)
{
    (void)state;
    name_all();
    check_chain(DIAMOND, 2);
    check_chain(CHAIN, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_objects_are_not_nested_too_deeply),
        cmocka_unit_test(strings_of_arrays_are_not_nested_too_deeply),
        cmocka_unit_test(objects_are_aligned_no_better_than_the_payload),
        cmocka_unit_test(arrays_that_require_too_much_alignment_may_be_empty),
        cmocka_unit_test(types_without_plans_are_left_to_the_general_verifier),
        cmocka_unit_test(an_object_has_one_type),
        cmocka_unit_test(every_string_of_an_element_is_checked),
        cmocka_unit_test(every_value_of_a_broad_array_is_checked),
        cmocka_unit_test(every_value_in_a_long_row_is_checked),
        cmocka_unit_test(a_waiting_string_is_checked),
        cmocka_unit_test(strings_reached_too_often_are_left_to_the_general_verifier),
        cmocka_unit_test(no_byte_after_the_payload_is_read),
        cmocka_unit_test(promises_are_kept_only_by_the_promised_object),
        cmocka_unit_test(promises_that_collide_too_often_are_refused),
        cmocka_unit_test(promises_that_collide_when_the_table_grows_are_refused),
        cmocka_unit_test(planning_may_run_out_of_memory_anywhere),
        cmocka_unit_test(long_chains_of_types_are_planned_in_linear_time),
    };
    return cmocka_run_group_tests_name("sweep limits", tests, set_up, tear_down);
}
