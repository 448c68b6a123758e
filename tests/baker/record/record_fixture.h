/* A small run whose gateway uses everything that a record contains, and its record. */
#ifndef RECORD_FIXTURE_H
#define RECORD_FIXTURE_H

#include "gateway_fixture.h"
#include "record_check.h"
#include "record_file.h"
#include "record_store.h"

static const bake_record_option record_options[] = {
    {"--compress", "3"}, {"source", "a.yaml"}, {"source", "data"}, {"--patch", ""}};
#define RECORD_VARIABLE "KILN_TEST_OF_RECORDS"
static const char *const record_variables[] = {"PATH", RECORD_VARIABLE, RECORD_VARIABLE "_2", NULL};
static const bake_record_def record_def = {.version = "0.1.0",
                                           .options = record_options,
                                           .option_count = 4,
                                           .variables = record_variables};

/* Creates the inputs of the run in the current folder. */
static inline void make_inputs(void)
{
    assert_int_equal(mkdir("data", 0777), 0);
    assert_int_equal(mkdir("data/sub", 0777), 0);
    assert_int_equal(mkdir("bin", 0777), 0);
    assert_int_equal(mkdir("bin2", 0777), 0);
    assert_int_equal(mkdir("out", 0777), 0);
    make_file("a.yaml", "one");
    make_file("data/b.yaml", "two");
    make_file("data/notes.txt", "");
    make_file("pic.png", "");
    make_file("table.csv", "1,2");
    make_file("script", "more");
    make_file("bin2/tool", "#!/bin/sh\nexec /bin/cat \"$1\" \"$2\"\n");
    assert_int_equal(chmod("bin2/tool", 0777), 0);
    assert_int_equal(setenv(RECORD_VARIABLE, "x", 1), 0);
    char path[1200];
    snprintf(path, sizeof path, "%s/bin:%s/bin2", scratch, scratch);
    assert_int_equal(setenv("PATH", path, 1), 0);
}

/* Uses the inputs and stages the output. Returns false if memory runs out. */
static inline bool use_inputs(bake_gateway *gateway)
{
    static const char *const tool[] = {"tool", "script", NULL};
    const char *value;
    size_t count;
    const char *failed;
    bool done = bake_gateway_read(gateway, "a.yaml", NULL) != NULL;
    done = done && bake_gateway_path_kind(gateway, "data") == BAKE_PATH_FOLDER;
    done = done && bake_gateway_list(gateway, "data", NULL, &count, &failed);
    done = done && bake_gateway_read(gateway, "data/b.yaml", NULL);
    done = done && !bake_gateway_read(gateway, "missing.yaml", NULL) && errno == ENOENT;
    done = done && bake_gateway_path_kind(gateway, "pic.png") == BAKE_PATH_FILE;
    done = done && bake_gateway_names(gateway, "data", 100, &count);
    done = done && bake_gateway_getenv(gateway, RECORD_VARIABLE, &value);
    done = done && bake_gateway_getenv(gateway, RECORD_VARIABLE "_2", &value);
    const bake_program_end *end =
        done ? bake_gateway_run(
                   gateway,
                   &(bake_program_call){.command = tool, .folder = NULL, .source = "table.csv"})
             : NULL;
    return end && end->output && strcmp(end->output, "more1,2") == 0;
}

static inline bool write_output(bake_gateway *gateway)
{
    const char *path;
    bake_output *output = bake_output_begin(gateway, "out/x.kiln");
    return output && bake_output_write(output, "bytes", 5) &&
           bake_gateway_commit(gateway, false, false, &path);
}

/* Runs the step. Returns its gateway, which keeps details; NULL if memory runs out. */
static inline bake_gateway *run_step(void)
{
    bake_gateway *gateway = bake_gateway_create(NULL);
    if (gateway && bake_gateway_keep_details(gateway) && use_inputs(gateway) &&
        write_output(gateway))
        return gateway;
    bake_gateway_destroy(gateway);
    return NULL;
}

/* A warning about line 1 of a source. */
static inline bake_diagnostics *make_diagnostics(void)
{
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    uint32_t source =
        diagnostics ? bake_diagnostics_add_source(diagnostics, "a.yaml", "one", 3) : 0;
    bake_mark mark = {source, 1, 1, 3};
    if (diagnostics)
        bake_report(diagnostics, BAKE_WARNING, mark, "rule", "path", "a message");
    return diagnostics;
}

/* The record of the run. */
static inline bake_record *make_record(void)
{
    const char *path;
    bake_gateway *gateway = run_step();
    assert_non_null(gateway);
    bake_diagnostics *diagnostics = make_diagnostics();
    bake_record *record = bake_record_make(&record_def, gateway, diagnostics, &path);
    assert_non_null(record);
    bake_diagnostics_destroy(diagnostics);
    bake_gateway_destroy(gateway);
    return record;
}

/* Sets the time of the run to an hour from now, so that all recorded times are old enough to be
 * trusted. */
static inline void make_old(bake_record *record)
{
    record->began = bake_file_time_now() + INT64_C(3600000000000);
}

#endif
