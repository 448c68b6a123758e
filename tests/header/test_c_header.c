/* The header writer on its own: what it refuses, that its bytes are reproducible, and that it
 * survives every failing allocation. */
#include "c_header.h"
#include "c_text.h"
#include "counting_allocator.h"
#include "header_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct sink {
    char *text;
    size_t size;
    unsigned calls;
    bool refuses;
} sink;

static bool sink_write(void *ctx, const void *data, size_t size)
{
    sink *s = ctx;
    s->calls++;
    if (s->refuses)
        return false;
    s->text = malloc(size + 1);
    assert_non_null(s->text);
    memcpy(s->text, data, size);
    s->text[size] = '\0';
    s->size = size;
    return true;
}

static const bake_c_header_options plain_options = {.guard_name = "out.h"};

static sink write_types(const kiln_types *types, const bake_c_header_options *options)
{
    sink s = {NULL, 0, 0, false};
    kiln_error error;
    assert_int_equal(bake_c_header_write(types, options, sink_write, &s, &error), KILN_OK);
    assert_int_equal(s.calls, 1);
    return s;
}

static void the_same_types_give_the_same_bytes(void **state)
{
    (void)state;
    kiln_types *first = header_game_types(), *second = header_game_types();
    assert_non_null(first);
    assert_non_null(second);
    sink a = write_types(first, &plain_options), b = write_types(second, &plain_options);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.text, b.text, a.size);
    free(a.text);
    free(b.text);
    kiln_types_destroy(first);
    kiln_types_destroy(second);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    kiln_types *types = header_game_types();
    assert_non_null(types);
    kiln_status status = KILN_NO_MEMORY;
    for (size_t n = 1; status; n++) {
        counting_allocator counter = {.fail_at = n};
        kiln_allocator allocator = counting_allocator_of(&counter);
        bake_c_header_options options = plain_options;
        options.allocator = &allocator;
        sink s = {NULL, 0, 0, false};
        kiln_error error;
        status = bake_c_header_write(types, &options, sink_write, &s, &error);
        assert_true(status == KILN_OK || (status == KILN_NO_MEMORY && s.calls == 0));
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.wrong_free);
        free(s.text);
        assert_true(n < 1000);
    }
    kiln_types_destroy(types);
}

static void a_failing_sink_is_an_io_error(void **state)
{
    (void)state;
    kiln_types *types = header_town_types();
    sink s = {NULL, 0, 0, true};
    kiln_error error;
    assert_int_equal(bake_c_header_write(types, &plain_options, sink_write, &s, &error), KILN_IO);
    kiln_types_destroy(types);
}

/* Two or three types, and the path in the error. */
typedef struct clash {
    const char *first;
    const char *second;
    bool as_array; /* the first type's array follows the second type */
    const char *path;
} clash;

static void types_that_share_a_name_in_c_are_refused_with_both_names(void **state)
{
    (void)state;
    static const clash clashes[] = {
        {"game.a_b", "game.a.b", false, "game.a_b and game.a.b (both game_a_b in C)"},
        {"game.Item", "game.Item_LAYOUT", false,
         "game.Item and game.Item_LAYOUT (both game_Item_LAYOUT in C)"},
        {"game.Item", "game.Item_COMPONENT", false,
         "game.Item and game.Item_COMPONENT (both game_Item_COMPONENT in C)"},
        {"game.Item_asset_places", "game.Item", false,
         "game.Item_asset_places and game.Item (both game_Item_asset_places in C)"},
        {"game.Item", "game.Item_new", false,
         "game.Item and game.Item_new (both game_Item_new in C)"},
        {"game.Item", "game.Item_array", true,
         "game.Item_array and game.Item[] (both game_Item_array in C)"},
        {"game.Item", "game.Item_view", true,
         "game.Item_view and game.Item (both game_Item_view in C)"},
        {"kiln.Item", "game.Item", false, "kiln.Item (kiln_Item in C)"},
        {"game.Item", "kiln_u32", false, "kiln_u32 (kiln_u32 in C)"},
    };
    for (size_t i = 0; i < sizeof clashes / sizeof *clashes; i++) {
        kiln_type list[3] = {{.kind = KILN_KIND_STRUCT, .name = clashes[i].first},
                             {.kind = KILN_KIND_STRUCT, .name = clashes[i].second},
                             {.kind = KILN_KIND_ARRAY, .element = 0}};
        kiln_types *types;
        kiln_error error;
        sink s = {NULL, 0, 0, false};
        assert_int_equal(kiln_types_create(NULL, list, clashes[i].as_array ? 3 : 2, &types, &error),
                         KILN_OK);
        assert_int_equal(bake_c_header_write(types, &plain_options, sink_write, &s, &error),
                         KILN_T_NAME);
        assert_string_equal(error.path, clashes[i].path);
        assert_int_equal(s.calls, 0);
        kiln_types_destroy(types);
    }
}

static void the_prefix_comes_from_the_option_the_namespace_or_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *prefix, *type, *guard, *expected;
    } rows[] = {
        {NULL, "game.Item", "out.h", "KILN_GENERATED_GAME_OUT_H"},
        {"shop", "game.Item", "out.h", "KILN_GENERATED_SHOP_OUT_H"},
        {NULL, "a.b.Item", "out.h", "KILN_GENERATED_A_B_OUT_H"},
        {NULL, "Item", "my-types.v2.h", "KILN_GENERATED_MY_TYPES_MY_TYPES_V2_H"},
        {"", "Item", "\xc3\xa9", "KILN_GENERATED_SCHEMA_"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_type list[] = {{.kind = KILN_KIND_STRUCT, .name = rows[i].type}};
        kiln_types *types;
        assert_int_equal(kiln_types_create(NULL, list, 1, &types, NULL), KILN_OK);
        bake_c_header_options options = {.guard_name = rows[i].guard, .prefix = rows[i].prefix};
        sink s = write_types(types, &options);
        char line[128] = "\n#define ";
        strcat(line, rows[i].expected);
        strcat(line, "\n");
        if (!strstr(s.text, line))
            fail_msg("no line %s in %s", line, s.text);
        free(s.text);
        kiln_types_destroy(types);
    }
}

static void comments_end_only_where_they_should(void **state)
{
    (void)state;
    static const struct {
        const char *doc, *comment;
    } rows[] = {
        {"plain", "/* plain */\n"},
        {"", ""},
        {" \n\t", ""},
        {"*/", "/* * / */\n"},
        {"/*/", "/* / * / */\n"},
        {"**/", "/* ** / */\n"},
        {"a*", "/* a* */\n"},
        {"?"
         "?/",
         "/* ? ?/ */\n"},
        {"a\nb", "/* a\n * b */\n"},
        {"a\n\n/b\n", "/* a\n *\n * /b */\n"},
        {"\x01\x7f\x1b[0m", "/* ? ? ?[0m */\n"},
        {"\xff\xc3(\xe2\x98\x83", "/* ? ?(\xe2\x98\x83 */\n"},
        {"a\xe2\x80\xae"
         "b",
         "/* a?b */\n"},
        {"\xe2\x98", "/* ? ? */\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_c_text text;
        bake_c_text_init(&text, NULL);
        bake_c_put_comment(&text, 0, &rows[i].doc, 1);
        bake_c_put_bytes(&text, "", 1);
        assert_false(text.failed);
        assert_string_equal(text.data, rows[i].comment);
        bake_c_text_fini(&text);
    }
}

static void a_header_without_types_is_valid(void **state)
{
    (void)state;
    kiln_types *types;
    assert_int_equal(kiln_types_create(NULL, NULL, 0, &types, NULL), KILN_OK);
    sink s = write_types(types, &plain_options);
    assert_non_null(strstr(s.text, "#ifndef KILN_GENERATED_OUT_OUT_H\n"));
    free(s.text);
    kiln_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_types_give_the_same_bytes),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_failing_sink_is_an_io_error),
        cmocka_unit_test(types_that_share_a_name_in_c_are_refused_with_both_names),
        cmocka_unit_test(the_prefix_comes_from_the_option_the_namespace_or_the_file),
        cmocka_unit_test(comments_end_only_where_they_should),
        cmocka_unit_test(a_header_without_types_is_valid),
    };
    return cmocka_run_group_tests_name("c_header", tests, NULL, NULL);
}
