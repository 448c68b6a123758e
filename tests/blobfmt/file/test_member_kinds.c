/* Which kinds of blob can be members of a file. */
#include "small_file.h"
#include "verdict.h"

#include <kiln/blob_header.h>
#include <kiln/type_table.h>

static kiln_types *builtin;

static int set_up(void **state)
{
    (void)state;
    verdict_set_up(NULL);
    return kiln_types_create_builtin(NULL, &builtin, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(builtin);
    return verdict_tear_down(NULL);
}

/* The result of checking member `number` after its header's kind is set to `kind`. */
static kiln_status with_kind(uint32_t number, kiln_blob_kind kind, uint64_t *ret_distance)
{
    kiln_buffer file = small_file(verdict_types, false);
    const kiln_index *index;
    kiln_error error = {KILN_OK, 0, 0, ""};
    assert_int_equal(kiln_index_check(builtin, NULL,
                                      &(kiln_file_head){file.data, file.size, file.size}, &index,
                                      NULL),
                     KILN_OK);
    uint64_t place = kiln_index_member_at(index, number)->place;
    unsigned char *blob = file.data + place;
    blob[6] = (unsigned char)((blob[6] & ~KILN_FLAG_KIND_MASK) | kind << KILN_FLAG_KIND_SHIFT);
    kiln_status status = kiln_index_check_member(index, number, file.data, false, &error);
    *ret_distance = error.offset - (status ? place : 0);
    kiln_buffer_fini(&file);
    return status;
}

static void member_of_another_kind_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t member; /* the type table comes first */
        kiln_blob_kind kind;
        kiln_status status;
    } rows[] = {
        {0, KILN_BLOB_TYPE_TABLE, KILN_OK},     {0, KILN_BLOB_ASSET, KILN_H_KIND},
        {0, KILN_BLOB_INDEX, KILN_H_KIND},      {0, KILN_BLOB_DICTIONARY, KILN_H_KIND},
        {1, KILN_BLOB_ASSET, KILN_OK},          {1, KILN_BLOB_INDEX, KILN_H_KIND},
        {1, KILN_BLOB_TYPE_TABLE, KILN_H_KIND}, {1, KILN_BLOB_DICTIONARY, KILN_H_KIND},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t distance;
        assert_int_equal(with_kind(rows[i].member, rows[i].kind, &distance), rows[i].status);
        assert_int_equal(distance, rows[i].status ? 6 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(member_of_another_kind_is_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
