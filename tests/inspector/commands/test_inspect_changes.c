/* Every command that shows a file, on a file that another program changes after it was opened. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"

#include "insp_commands.h"
#include "insp_open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a command wrote to standard error. */
typedef struct messages {
    char *text;
    size_t size;
} messages;

static off_t size_left;
static const insp_command *shown;

static int truncate_and_show(insp_run *run, const insp_file *file)
{
    assert_int_equal(0, truncate(file->path, size_left));
    return shown->show(run, file);
}

/* Shows the file `it` with a command. Returns the exit code. */
static int show(const insp_command *command, bool copy, messages *ret_err)
{
    static char path[] = "it", name[] = "Item/sword.tags", *arguments[] = {path, name, NULL};
    insp_run run;
    FILE *out = tmpfile(), *err = open_memstream(&ret_err->text, &ret_err->size);
    assert_true(out && err);
    memset(&run, 0, sizeof run);
    run.options.command = command;
    run.options.arguments = arguments;
    run.options.argument_count = command->min_arguments > 1 ? 2 : 1;
    run.options.copy = copy;
    insp_out_init(&run.out, out, false);
    insp_out_init(&run.err, err, false);
    run.out.limit = 1 << 20;
    shown = command;
    int code = insp_with_file(&run, "it", truncate_and_show);
    insp_out_finish(&run.out);
    insp_out_finish(&run.err);
    fclose(out);
    fclose(err);
    return code;
}

/* Valgrind replaces memcmp and similar functions by its own, and a program cannot continue after a
 * handled signal in one of them. */
static bool is_below_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "vgpreload");
}

static void each_command_reports_that_its_file_was_truncated(void **state)
{
    static const off_t sizes[] = {0, 1, 4096, 8192};
    kiln_buffer sample;
    (void)state;
    if (is_below_valgrind())
        skip();
    sample = sample_file(SAMPLE_FULL);
    for (int i = 0; i < insp_command_count; i++) {
        for (size_t k = 0; insp_commands[i]->show && k < sizeof sizes / sizeof *sizes; k++) {
            messages err = {NULL, 0};
            inspect_write("it", sample.data, sample.size);
            size_left = sizes[k] < (off_t)sample.size ? sizes[k] : 0;
            assert_int_equal(2, show(insp_commands[i], false, &err));
            if (!strstr(err.text, "it: cannot be read: it was truncated while it was being read\n"))
                fail_msg("%s: %s", insp_commands[i]->name, err.text);
            free(err.text);
        }
    }
    kiln_buffer_fini(&sample);
}

static void a_copy_does_not_change(void **state)
{
    static const char *const names[] = {"info", "dump", "hex", "type"};
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    (void)state;
    for (int i = 0; i < insp_command_count; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            messages err = {NULL, 0};
            if (strcmp(names[k], insp_commands[i]->name) != 0)
                continue;
            inspect_write("it", sample.data, sample.size);
            size_left = 0;
            assert_int_equal(0, show(insp_commands[i], true, &err));
            assert_string_equal("", err.text);
            free(err.text);
        }
    }
    kiln_buffer_fini(&sample);
}

static int truncate_and_compare(insp_run *run, insp_file *before, insp_file *after)
{
    (void)run;
    assert_int_equal(0, truncate(before->path, 0));
    return before->size == after->size && memcmp(before->data, after->data, after->size) == 0
               ? INSP_OK
               : INSP_BAD;
}

static void a_copy_of_a_compared_file_does_not_change(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    insp_run run;
    FILE *err = tmpfile();
    (void)state;
    assert_non_null(err);
    memset(&run, 0, sizeof run);
    for (int i = 0; i < insp_command_count; i++)
        if (strcmp(insp_commands[i]->name, "diff") == 0)
            run.options.command = insp_commands[i];
    assert_non_null(run.options.command);
    run.options.copy = true;
    insp_out_init(&run.err, err, false);
    inspect_write("it", sample.data, sample.size);
    inspect_write("other", sample.data, sample.size);
    assert_int_equal(INSP_OK, insp_with_pair(&run, "it", "other", truncate_and_compare));
    fclose(err);
    kiln_buffer_fini(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_command_reports_that_its_file_was_truncated),
        cmocka_unit_test(a_copy_does_not_change),
        cmocka_unit_test(a_copy_of_a_compared_file_does_not_change),
    };
    int failed;
    inspect_enter_folder();
    failed = cmocka_run_group_tests_name("inspect_changes", tests, NULL, NULL);
    inspect_leave_folder();
    return failed;
}
