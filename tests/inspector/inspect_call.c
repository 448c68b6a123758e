#define _XOPEN_SOURCE 700
#include "inspect_call.h"

#include "insp_main.h"
#include "scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 16 };

bool inspect_is_possible(const char *arguments)
{
    static int has_sqlite = -1;
    if (strncmp(arguments, "export --to sqlite", 18) != 0)
        return true;
    if (has_sqlite < 0) {
        void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
        has_sqlite = library != NULL;
        if (library)
            dlclose(library);
        else
            print_message("# skipped: export --to sqlite: libsqlite3.so.0 cannot be loaded\n");
    }
    return has_sqlite;
}

void inspect_enter_folder(void)
{
    assert_non_null(scratch_folder_enter("kiln-inspect", SCRATCH_MEMORY));
}

void inspect_leave_folder(void)
{
    assert_true(scratch_folder_leave());
}

int inspect_setup(void **state)
{
    (void)state;
    inspect_enter_folder();
    return 0;
}

int inspect_teardown(void **state)
{
    (void)state;
    inspect_leave_folder();
    return 0;
}

void inspect_write(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_true(!size || fwrite(data, 1, size, file) == size);
    assert_int_equal(0, fclose(file));
}

static int split(char *text, char **words)
{
    int count = 0;
    char *at = text;
    words[count++] = (char *)"kiln-inspect";
    while (*at && count < ARGUMENTS_MAX) {
        words[count++] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
    return count;
}

inspect_result inspect_call(const char *arguments)
{
    inspect_result result = {0};
    char text[512], *words[ARGUMENTS_MAX];
    FILE *out = open_memstream(&result.out, &result.out_size);
    FILE *err = open_memstream(&result.err, &result.err_size);
    assert_non_null(out);
    assert_non_null(err);
    assert_true(strlen(arguments) < sizeof text);
    strcpy(text, arguments);
    result.code = insp_main(split(text, words), words, out, err);
    assert_int_equal(0, fclose(out));
    assert_int_equal(0, fclose(err));
    return result;
}

void inspect_result_fini(inspect_result *result)
{
    free(result->out);
    free(result->err);
}

void inspect_all(const char *const *commands, size_t count, const void *data, size_t size)
{
    size_t i;
    inspect_write("it", data, size);
    for (i = 0; i < count; i++) {
        char command[128];
        if (!inspect_is_possible(commands[i]))
            continue;
        snprintf(command, sizeof command, "%s%s", commands[i], (size + i) % 2 ? " --copy" : "");
        inspect_result result = inspect_call(command);
        assert_in_range(result.code, 0, 1);
        assert_true(result.out_size + result.err_size > 0 || strncmp(commands[i], "hex", 3) == 0 ||
                    strstr(commands[i], "ndjson"));
        inspect_result_fini(&result);
    }
}
