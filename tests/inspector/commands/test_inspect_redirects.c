/* The commands on files with lists of redirects, valid and damaged. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"
#include "sample_redirects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const sample_redirect renamed[] = {{"Thing/first", "Thing/a"},
                                          {"Thing/old.name", "Thing/b"},
                                          {"Thing/gone", NULL},
                                          {"Thing/far", "Thing/elsewhere"},
                                          {"Thing/first.size", "Thing/b"}};
enum { RENAMED = sizeof renamed / sizeof renamed[0] };

static const char *const commands[] = {
    "info it",   "dump it", "dump -f yaml it",     "dump -f json it",
    "verify it", "ls it",   "get it Thing/first",  "get it Thing/gone.size",
    "hex it",    "type it", "dump it Thing/first", "hex it Thing/far",
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

typedef struct shown_row {
    const char *command;
    int code;
    const char *out, *err; /* parts of the outputs; NULL: empty */
} shown_row;

static void commands_follow_redirects(void **state)
{
    static const shown_row rows[] = {
        {"get it Thing/first", 0, "size: u32 = 1\n", "Thing/first was renamed to Thing/a\n"},
        /* If several earlier names match, the longest one is used. */
        {"get it Thing/first.size", 0, "size: u32 = 2\n",
         "Thing/first.size was renamed to Thing/b\n"},
        {"get it Thing/old.name.size", 0, "2\n", "Thing/old.name was renamed to Thing/b\n"},
        {"get it Thing/a.size", 0, "1\n", NULL},
        {"get it Thing/gone.size", 1, NULL, "Thing/gone was deleted\n"},
        {"get it Thing/far", 1, NULL,
         "Thing/far was renamed to Thing/elsewhere, which is not in the file\n"},
        {"get it Thing/firs", 1, NULL, "no such asset: Thing/firs"},
        {"dump it Thing/first", 0, "Thing/a: test.Thing\n", "renamed to Thing/a\n"},
        {"hex it Thing/gone", 1, NULL, "Thing/gone was deleted\n"},
        {"info it", 0, "redirects   4 renamed ids, 1 deleted id\n", NULL},
        {"verify it", 0, "ok (3 assets, 4 members)\n", NULL},
        {"dump -f yaml it", 0,
         "renames:\n  Thing:\n    far: elsewhere\n    first: a\n    first.size: b\n    gone: null\n"
         "    old.name: b\n",
         NULL},
    };
    (void)state;
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        kiln_buffer sample = sample_redirects(renamed, RENAMED, is_packed);
        inspect_write("it", sample.data, sample.size);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            inspect_result result = inspect_call(rows[i].command);
            if (result.code != rows[i].code ||
                !(rows[i].out ? strstr(result.out, rows[i].out) != NULL : !result.out_size) ||
                !(rows[i].err ? strstr(result.err, rows[i].err) != NULL : !result.err_size))
                fail_msg("%s: %d\n%s%s", rows[i].command, result.code, result.out, result.err);
            inspect_result_fini(&result);
        }
        kiln_buffer_fini(&sample);
    }
}

static void an_earlier_id_of_an_asset_is_reported(void **state)
{
    static const sample_redirect broken[] = {{"Thing/b", "Thing/a"}};
    kiln_buffer sample = sample_redirects(broken, 1, false);
    (void)state;
    inspect_write("it", sample.data, sample.size);
    inspect_result result = inspect_call("verify it");
    assert_int_equal(1, result.code);
    assert_non_null(strstr(result.out, "kiln.Redirects/ids): a redirected id is the id of an asset "
                                       "of the file [entries[0].id]"));
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

static void every_truncation_is_survived(void **state)
{
    kiln_buffer sample = sample_redirects(renamed, RENAMED, false);
    (void)state;
    for (size_t size = 0; size < sample.size; size += size < 400 ? 13 : 41)
        inspect_all(commands, COMMANDS, sample.data, size);
    kiln_buffer_fini(&sample);
}

static void every_changed_byte_is_survived(void **state)
{
    static const unsigned char changes[] = {0x01, 0x40, 0xff};
    (void)state;
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        kiln_buffer sample = sample_redirects(renamed, RENAMED, is_packed);
        for (size_t at = is_packed ? 0 : sample.size - 500; at < sample.size;
             at += is_packed ? 29 : 3) {
            sample.data[at] ^= changes[at % 3];
            inspect_all(commands, COMMANDS, sample.data, sample.size);
            sample.data[at] ^= changes[at % 3];
        }
        kiln_buffer_fini(&sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_follow_redirects),
        cmocka_unit_test(an_earlier_id_of_an_asset_is_reported),
        cmocka_unit_test(every_truncation_is_survived),
        cmocka_unit_test(every_changed_byte_is_survived),
    };
    return cmocka_run_group_tests(tests, inspect_setup, inspect_teardown);
}
