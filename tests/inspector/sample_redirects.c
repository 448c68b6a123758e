#include "sample_redirects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/redirects.h>

enum { T_U32, T_THING, T_COUNT };

static kiln_types *make_types(void)
{
    static const kiln_member fields[] = {{.name = "size", .type = T_U32}};
    static const kiln_type described[T_COUNT] = {
        [T_U32] = {.kind = KILN_KIND_U32, .element = KILN_TYPE_NONE, .key = KILN_TYPE_NONE},
        [T_THING] = {.name = "test.Thing",
                     .flags = KILN_TYPE_ASSET,
                     .kind = KILN_KIND_STRUCT,
                     .element = KILN_TYPE_NONE,
                     .key = KILN_TYPE_NONE,
                     .members = fields,
                     .member_count = 1}};
    kiln_types *plain = NULL, *types = NULL;
    assert_int_equal(KILN_OK, kiln_types_create(NULL, described, T_COUNT, &plain, NULL));
    assert_int_equal(KILN_OK, kiln_types_with_redirects(plain, NULL, &types, NULL));
    kiln_types_destroy(plain);
    return types;
}

static void add_thing(kiln_file_writer *writer, const kiln_types *types, const char *name,
                      uint32_t size)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    assert_int_equal(KILN_OK, kiln_builder_create(&def, &builder));
    uint32_t *root = kiln_builder_root(builder, sizeof *root, _Alignof(uint32_t));
    assert_non_null(root);
    *root = size;
    assert_int_equal(KILN_OK, kiln_file_writer_build(writer, name, T_THING, builder, NULL));
    kiln_builder_destroy(builder);
}

kiln_buffer sample_redirects(const sample_redirect *list, unsigned count, bool is_packed)
{
    enum { RENAMES_MAX = 16 };
    kiln_types *types = make_types();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_rename renames[RENAMES_MAX];
    kiln_buffer file = {0};
    unsigned i;
    def.types = types;
    assert_in_range(count, 1, RENAMES_MAX);
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    add_thing(writer, types, "Thing/a", 1);
    add_thing(writer, types, "Thing/b", 2);
    for (i = 0; i < count; i++)
        renames[i] = (kiln_rename){list[i].name, list[i].target};
    assert_int_equal(KILN_OK, kiln_file_writer_compress(writer, is_packed ? 9 : 0, NULL));
    const kiln_redirects_finish_args args = {renames, count, types, writer, NULL};
    assert_int_equal(KILN_OK, kiln_redirects_finish(&args, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &file, NULL));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    return file;
}
