/* Failures inside SQLite: its allocations and its limits. The test configures the library that the
 * command loads. */
#include "inspect_call.h"
#include "sample_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sqlite3 sqlite3;

/* sqlite3_mem_methods of sqlite3.h, and constants. */
typedef struct memory_functions {
    void *(*alloc)(int size);
    void (*release)(void *memory);
    void *(*resize)(void *memory, int size);
    int (*size)(void *memory);
    int (*round)(int size);
    int (*start)(void *ctx);
    void (*stop)(void *ctx);
    void *ctx;
} memory_functions;
enum { CONFIG_MALLOC = 4, LIMIT_LENGTH = 0 };

typedef struct library {
    void *handle;
    int (*shutdown)(void);
    int (*config)(int option, ...);
    int (*auto_extension)(void (*function)(void));
    void (*reset_auto_extension)(void);
    int (*limit)(sqlite3 *db, int which, int value);
    void *(*update_hook)(sqlite3 *db,
                         void (*hook)(void *ctx, int action, const char *schema, const char *table,
                                      int64_t row),
                         void *ctx);
} library;

static library sqlite;

static void find_function(const char *name, void *to)
{
    void *found = dlsym(sqlite.handle, name);
    assert_non_null(found);
    memcpy(to, &found, sizeof found);
}

/* ---- memory ---- */

enum { BLOCK_HEADER = 16 };

static long allowed;  /* allocations that succeed; negative: all */
static bool fails_on; /* after them, all fail instead of one */

static bool may_allocate(void)
{
    if (allowed < 0)
        return true;
    if (allowed > 0) {
        allowed--;
        return true;
    }
    if (!fails_on)
        allowed = -1;
    return false;
}

static void *resize_block(void *memory, int size)
{
    char *block = memory ? (char *)memory - BLOCK_HEADER : NULL;
    if (!may_allocate())
        return NULL;
    block = realloc(block, (size_t)size + BLOCK_HEADER);
    if (!block)
        return NULL;
    memcpy(block, &size, sizeof size);
    return block + BLOCK_HEADER;
}

static void *alloc_block(int size)
{
    return resize_block(NULL, size);
}

static void release_block(void *memory)
{
    free(memory ? (char *)memory - BLOCK_HEADER : NULL);
}

static int size_of_block(void *memory)
{
    int size = 0;
    if (memory)
        memcpy(&size, (char *)memory - BLOCK_HEADER, sizeof size);
    return size;
}

static int round_size(int size)
{
    return (size + 7) & ~7;
}

static int start(void *ctx)
{
    (void)ctx;
    return 0;
}

static void stop(void *ctx)
{
    (void)ctx;
}

static int enter(void **state)
{
    static const memory_functions functions = {
        alloc_block, release_block, resize_block, size_of_block, round_size, start, stop, NULL};
    (void)state;
    allowed = -1;
    inspect_enter_folder();
    if (!inspect_is_possible("export --to sqlite"))
        return 0;
    sqlite.handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(sqlite.handle);
    find_function("sqlite3_shutdown", &sqlite.shutdown);
    find_function("sqlite3_config", &sqlite.config);
    find_function("sqlite3_auto_extension", &sqlite.auto_extension);
    find_function("sqlite3_reset_auto_extension", &sqlite.reset_auto_extension);
    find_function("sqlite3_limit", &sqlite.limit);
    find_function("sqlite3_update_hook", &sqlite.update_hook);
    assert_int_equal(0, sqlite.config(CONFIG_MALLOC, &functions));
    return 0;
}

static int leave(void **state)
{
    (void)state;
    if (sqlite.handle) {
        sqlite.reset_auto_extension();
        sqlite.shutdown();
        dlclose(sqlite.handle);
    }
    inspect_leave_folder();
    return 0;
}

/* ---- tests ---- */

static void write_samples(void)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    inspect_write("it", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    sample = sample_scene(SAMPLE_SCENE_PACKED);
    inspect_write("scenes", sample.data, sample.size);
    kiln_buffer_fini(&sample);
}

/* Whether the folder has only the files of write_samples. */
static bool is_clean(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    int count = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count == 2;
}

/* The first allocations, and then some of thousands. */
static long next_failure(long after)
{
    return after + (after < 12 ? 1 : 701);
}

/* Runs the command with a failure after that many allocations. Returns the exit code. */
static int export_failing(const char *command, long after, bool stays)
{
    inspect_result result;
    int code;
    sqlite.shutdown();
    allowed = after;
    fails_on = stays;
    result = inspect_call(command);
    allowed = -1;
    code = result.code;
    if (code) {
        assert_int_equal(2, code);
        assert_string_equal("kiln-inspect: out of memory\n", result.err);
    } else {
        remove("out.db");
    }
    assert_true(is_clean());
    inspect_result_fini(&result);
    return code;
}

static void every_allocation_of_sqlite_may_fail(void **state)
{
    static const char *const commands[] = {"export --to sqlite out.db it",
                                           "export --to sqlite out.db scenes"};
    if (!sqlite.handle)
        skip();
    (void)state;
    write_samples();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        long after = 0, end;
        while (export_failing(commands[i], after, true) == 2)
            after = next_failure(after);
        assert_true(after > 1000);
        for (end = after, after = 0; after < end; after = next_failure(after))
            export_failing(commands[i], after, false); /* SQLite can do without some of them */
    }
}

static int limited;     /* bytes of a row and of a value */
static bool is_limited; /* newer versions of SQLite refuse limits below 30 */

/* Called for each row that is inserted. The limit must not affect earlier rows and statements. */
static void limit_length(void *db, int action, const char *schema, const char *table, int64_t row)
{
    (void)action;
    (void)schema;
    (void)row;
    if (strncmp(table, "game_", 5) != 0)
        return;
    sqlite.limit(db, LIMIT_LENGTH, limited);
    is_limited = sqlite.limit(db, LIMIT_LENGTH, -1) == limited;
}

static int watch_rows(sqlite3 *db, char **message, const void *functions)
{
    (void)message;
    (void)functions;
    sqlite.update_hook(db, limit_length, db);
    return 0;
}

static void a_value_beyond_the_limit_of_sqlite_is_named(void **state)
{
    static const struct {
        int limit;
        const char *command, *where;
    } cases[] = {
        {1, "export --to sqlite out.db it", "Item/buckler: game.Item.name"},
        {30, "export --to sqlite out.db it", "Item/buckler: a row"},
        {110, "export --to sqlite out.db it", "Item/sword: a row"},
    };
    int (*function)(sqlite3 *, char **, const void *) = watch_rows;
    void (*erased)(void);
    (void)state;
    if (!sqlite.handle)
        skip();
    write_samples();
    memcpy(&erased, &function, sizeof erased);
    assert_int_equal(0, sqlite.auto_extension(erased));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        inspect_result result;
        char wanted[200];
        limited = cases[i].limit;
        result = inspect_call(cases[i].command);
        assert_int_equal(2, result.code);
        snprintf(wanted, sizeof wanted,
                 "kiln-inspect: out.db: cannot be written: %s is too large for SQLite, whose "
                 "limit is %d bytes\n",
                 cases[i].where, limited);
        if (is_limited)
            assert_string_equal(wanted, result.err);
        assert_true(is_limited || limited < 30);
        assert_true(is_clean());
        inspect_result_fini(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_sqlite_may_fail),
        cmocka_unit_test(a_value_beyond_the_limit_of_sqlite_is_named),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
