/* The option --timings, with a clock that advances by one millisecond whenever it is read. */
#include "failing_bake.h"
#include "timings.h"

#include <inttypes.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static uint64_t clock_time, clock_reads;

static uint64_t ticking_clock(void)
{
    clock_reads++;
    return clock_time += 1000000;
}

static int enter(void **state)
{
    clock_reads = 0;
    /* Near the end of its range, to show that only differences matter. */
    clock_time = UINT64_MAX - 5000000;
    bake_timings_set_clock(ticking_clock);
    return fixture_enter(state);
}

static int leave(void **state)
{
    bake_timings_set_clock(NULL);
    return fixture_leave(state);
}

static void write_inputs(void)
{
    fixture_write("s.yaml", "kiln: 1\n"
                            "include: [more.yaml]\n"
                            "types:\n"
                            "  Item: {struct: {name: Name, text: {type: string, default: ''}}, "
                            "asset: true, inherit: true}\n"
                            "importers:\n"
                            "  as: {command: [cat, --], output: yaml}\n"
                            "  of: {command: [cat], output: bytes}\n"
                            "files: [{match: '*.in', import: as, shape: kinds}]\n");
    fixture_write("more.yaml", "kiln: 1\ntypes: {Name: {wrap: string}}\n");
    fixture_write("a.yaml", "Item: {sword: {name: Sword}, axe: {name: Axe, text: !import:of b}}\n");
    fixture_write("b.in", "Item: {bow: {name: Bow}, base: {name: Base, abstract: true}}\n");
    fixture_write("b", "text");
}

/* Fails the test unless the program exits with `code` and standard error ends with `expected`. */
static void check_tables(const char *arguments, int code, const char *expected)
{
    char *err;
    int got = bake_code(arguments, &err);
    size_t size = strlen(err), wanted = strlen(expected);
    if (got != code || size < wanted || strcmp(err + size - wanted, expected) != 0)
        fail_msg("%s: code %d, expected:\n%sfound:\n%s", arguments, got, expected, err);
    free(err);
}

static void check_file(const char *path, const char *expected)
{
    char *text = fixture_read(path, NULL);
    if (!text || strcmp(text, expected) != 0)
        fail_msg("%s, expected:\n%sfound:\n%s", path, expected, text ? text : "no file");
    free(text);
}

static void tables_show_phases_files_importers_and_assets(void **state)
{
    (void)state;
    write_inputs();
    check_tables("-s s.yaml -o x.kiln --timings a.yaml b.in", 0,
                 "time: 33.000 ms\n"
                 "phases:\n"
                 "         5.000 ms  15.2 %  read schema\n"
                 "         7.000 ms  21.2 %  read inputs\n"
                 "        12.000 ms  36.4 %  bake\n"
                 "         2.000 ms   6.1 %  write\n"
                 "files: 4 in 6.000 ms:\n"
                 "         3.000 ms   9.1 %  b.in\n"
                 "         1.000 ms   3.0 %  a.yaml\n"
                 "         1.000 ms   3.0 %  more.yaml\n"
                 "         1.000 ms   3.0 %  s.yaml\n"
                 "importers: 2 in 2.000 ms:\n"
                 "         1.000 ms   3.0 %  cat -- b.in\n"
                 "         1.000 ms   3.0 %  cat b\n"
                 "assets: 4 in 6.000 ms:\n"
                 "         3.000 ms   9.1 %  Item/axe\n"
                 "         1.000 ms   3.0 %  Item/base\n"
                 "         1.000 ms   3.0 %  Item/bow\n"
                 "         1.000 ms   3.0 %  Item/sword\n");
}

static void a_check_has_no_phase_that_writes(void **state)
{
    (void)state;
    write_inputs();
    check_tables("check -s s.yaml --timings a.yaml b.in", 0,
                 "time: 30.000 ms\n"
                 "phases:\n"
                 "         5.000 ms  16.7 %  read schema\n"
                 "         7.000 ms  23.3 %  read inputs\n"
                 "        12.000 ms  40.0 %  bake\n"
                 "files: 4 in 6.000 ms:\n"
                 "         3.000 ms  10.0 %  b.in\n"
                 "         1.000 ms   3.3 %  a.yaml\n"
                 "         1.000 ms   3.3 %  more.yaml\n"
                 "         1.000 ms   3.3 %  s.yaml\n"
                 "importers: 2 in 2.000 ms:\n"
                 "         1.000 ms   3.3 %  cat -- b.in\n"
                 "         1.000 ms   3.3 %  cat b\n"
                 "assets: 4 in 6.000 ms:\n"
                 "         3.000 ms  10.0 %  Item/axe\n"
                 "         1.000 ms   3.3 %  Item/base\n"
                 "         1.000 ms   3.3 %  Item/bow\n"
                 "         1.000 ms   3.3 %  Item/sword\n");
}

static void a_table_lists_the_ten_slowest_of_many_files(void **state)
{
    (void)state;
    write_inputs();
    for (int i = 0; i < 12; i++) {
        char path[16], text[64];
        snprintf(path, sizeof path, "f%02d.yaml", i);
        snprintf(text, sizeof text, "Item: {item%d: {name: x}}\n", i);
        fixture_write(path, text);
    }
    check_tables(
        "-s s.yaml -o x.kiln --timings f00.yaml f01.yaml f02.yaml f03.yaml f04.yaml f05.yaml "
        "f06.yaml f07.yaml f08.yaml f09.yaml f10.yaml f11.yaml",
        0,
        "time: 65.000 ms\n"
        "phases:\n"
        "         5.000 ms   7.7 %  read schema\n"
        "        25.000 ms  38.5 %  read inputs\n"
        "        26.000 ms  40.0 %  bake\n"
        "         2.000 ms   3.1 %  write\n"
        "files: 14 in 14.000 ms, the slowest first:\n"
        "         1.000 ms   1.5 %  f00.yaml\n"
        "         1.000 ms   1.5 %  f01.yaml\n"
        "         1.000 ms   1.5 %  f02.yaml\n"
        "         1.000 ms   1.5 %  f03.yaml\n"
        "         1.000 ms   1.5 %  f04.yaml\n"
        "         1.000 ms   1.5 %  f05.yaml\n"
        "         1.000 ms   1.5 %  f06.yaml\n"
        "         1.000 ms   1.5 %  f07.yaml\n"
        "         1.000 ms   1.5 %  f08.yaml\n"
        "         1.000 ms   1.5 %  f09.yaml\n"
        "assets: 12 in 12.000 ms, the slowest first:\n"
        "         1.000 ms   1.5 %  Item/item0\n"
        "         1.000 ms   1.5 %  Item/item1\n"
        "         1.000 ms   1.5 %  Item/item10\n"
        "         1.000 ms   1.5 %  Item/item11\n"
        "         1.000 ms   1.5 %  Item/item2\n"
        "         1.000 ms   1.5 %  Item/item3\n"
        "         1.000 ms   1.5 %  Item/item4\n"
        "         1.000 ms   1.5 %  Item/item5\n"
        "         1.000 ms   1.5 %  Item/item6\n"
        "         1.000 ms   1.5 %  Item/item7\n");
}

static void a_run_that_fails_shows_what_it_did(void **state)
{
    (void)state;
    write_inputs();
    fixture_write("a.yaml", "Item: {sword: {nam: Sword}}\n");
    check_tables("-s s.yaml -o x.kiln --timings=t.json a.yaml", 1,
                 "time: 18.000 ms\n"
                 "phases:\n"
                 "         5.000 ms  27.8 %  read schema\n"
                 "         3.000 ms  16.7 %  read inputs\n"
                 "         4.000 ms  22.2 %  bake\n"
                 "files: 3 in 3.000 ms:\n"
                 "         1.000 ms   5.6 %  a.yaml\n"
                 "         1.000 ms   5.6 %  more.yaml\n"
                 "         1.000 ms   5.6 %  s.yaml\n"
                 "assets: 1 in 1.000 ms:\n"
                 "         1.000 ms   5.6 %  Item/sword\n");
    check_file("t.json", "[\n"
                         "{\"name\":\"kiln-bake\",\"cat\":\"run\",\"ph\":\"X\",\"ts\":0.000,"
                         "\"dur\":18000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"read "
                         "schema\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":1000.000,\"dur\":5000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"s.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":2000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"more.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":4000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"read "
                         "inputs\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":7000.000,\"dur\":3000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"a.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":8000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":11000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":13000.000,"
                         "\"dur\":3000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"Item/"
                         "sword\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":14000.000,\"dur\":1000.000,"
                         "\"pid\":1,\"tid\":1}]\n");
}

#ifndef BAKE_WITHOUT_INFER
static void an_inference_has_its_own_phases(void **state)
{
    (void)state;
    write_inputs();
    check_tables("schema infer -o i.yaml --timings a.yaml", 0,
                 "time: 9.000 ms\n"
                 "phases:\n"
                 "         3.000 ms  33.3 %  read inputs\n"
                 "         1.000 ms  11.1 %  infer\n"
                 "         1.000 ms  11.1 %  write\n"
                 "files: 1 in 1.000 ms:\n"
                 "         1.000 ms  11.1 %  a.yaml\n");
}
#endif

static void write_project(void)
{
    write_inputs();
    fixture_write("kiln.yaml", "kiln: 1\n"
                               "schemas: [s.yaml]\n"
                               "bundles:\n"
                               "  one: {sources: [a.yaml], output: one.kiln}\n"
                               "  two: {sources: [b.in], output: two.kiln, externs: [one]}\n"
                               "headers: {new/s.h: {}}\n");
}

static void a_project_measures_all_steps_together(void **state)
{
    (void)state;
    write_project();
    check_tables("--timings=t.json", 0,
                 "time: 66.000 ms\n"
                 "steps: 3 in 62.000 ms:\n"
                 "        26.000 ms  39.4 %  one\n"
                 "        26.000 ms  39.4 %  two\n"
                 "        10.000 ms  15.2 %  new/s.h\n"
                 "phases:\n"
                 "        15.000 ms  22.7 %  read schema\n"
                 "         8.000 ms  12.1 %  read inputs\n"
                 "        14.000 ms  21.2 %  bake\n"
                 "         5.000 ms   7.6 %  write\n"
                 "files: 4 in 10.000 ms:\n"
                 "         3.000 ms   4.5 %  b.in\n"
                 "         3.000 ms   4.5 %  more.yaml\n"
                 "         3.000 ms   4.5 %  s.yaml\n"
                 "         1.000 ms   1.5 %  a.yaml\n"
                 "importers: 2 in 2.000 ms:\n"
                 "         1.000 ms   1.5 %  cat -- b.in\n"
                 "         1.000 ms   1.5 %  cat b\n"
                 "assets: 4 in 6.000 ms:\n"
                 "         3.000 ms   4.5 %  Item/axe\n"
                 "         1.000 ms   1.5 %  Item/base\n"
                 "         1.000 ms   1.5 %  Item/bow\n"
                 "         1.000 ms   1.5 %  Item/sword\n");
    check_file("t.json",
               "[\n"
               "{\"name\":\"kiln-bake\",\"cat\":\"run\",\"ph\":\"X\",\"ts\":0.000,"
               "\"dur\":66000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"one\",\"cat\":\"step\",\"ph\":\"X\",\"ts\":1000.000,\"dur\":"
               "26000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"read "
               "schema\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":2000.000,\"dur\":5000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"s.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":3000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"more.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":5000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"read "
               "inputs\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":8000.000,\"dur\":3000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"a.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":9000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":12000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":14000.000,"
               "\"dur\":7000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"Item/"
               "axe\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":15000.000,\"dur\":3000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"cat "
               "b\",\"cat\":\"importer\",\"ph\":\"X\",\"ts\":16000.000,\"dur\":1000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"Item/"
               "sword\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":19000.000,\"dur\":1000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":22000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":24000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"two\",\"cat\":\"step\",\"ph\":\"X\",\"ts\":28000.000,\"dur\":"
               "26000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"read "
               "schema\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":29000.000,\"dur\":5000."
               "000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"s.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":30000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"more.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":32000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"read "
               "inputs\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":35000.000,\"dur\":5000."
               "000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"b.in\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":36000.000,"
               "\"dur\":3000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"cat -- "
               "b.in\",\"cat\":\"importer\",\"ph\":\"X\",\"ts\":37000.000,\"dur\":1000."
               "000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":41000.000,"
               "\"dur\":3000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"Item/"
               "base\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":42000.000,\"dur\":1000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":45000.000,"
               "\"dur\":3000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"Item/"
               "bow\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":46000.000,\"dur\":1000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":49000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":51000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"new/s.h\",\"cat\":\"step\",\"ph\":\"X\",\"ts\":55000.000,\"dur\":"
               "10000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"read "
               "schema\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":56000.000,\"dur\":5000."
               "000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"s.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":57000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"more.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":59000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":62000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1}]\n");
}

static void a_trace_replaces_no_file_of_a_project(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        /* The folder does not exist before the first run. */
        {"--timings=./new/s.h", "cannot write ./new/s.h: it is an output of this run"},
        {"--timings=./new/s.h", "cannot write ./new/s.h: it is an output of the project"},
        {"--timings=b", "cannot write b: it is an input of this run"},
        {"--timings=./b.in", "cannot write ./b.in: it is an input of this run"},
        {"--timings=one.kiln", "cannot write one.kiln: it is an output of the project"},
        {"--timings=./two.kiln", "cannot write ./two.kiln: it is an output of the project"},
        {"--timings=no/t.json", "cannot write no/t.json: No such file or directory"},
    };
    write_project();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *err;
        assert_int_equal(bake_code(rows[i][0], &err), 2);
        check_said(err, &rows[i][1], 1);
        free(err);
        check_file("b", "text");
    }
}

static void a_trace_has_an_event_for_each_span(void **state)
{
    (void)state;
    write_inputs();
    bake_well("-q -s s.yaml -o x.kiln --timings=t.json a.yaml b.in");
    check_file("t.json", "[\n"
                         "{\"name\":\"kiln-bake\",\"cat\":\"run\",\"ph\":\"X\",\"ts\":0.000,"
                         "\"dur\":33000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"read "
                         "schema\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":1000.000,\"dur\":5000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"s.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":2000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"more.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":4000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"read "
                         "inputs\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":7000.000,\"dur\":7000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"a.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":8000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"b.in\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":10000.000,"
                         "\"dur\":3000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"cat -- "
                         "b.in\",\"cat\":\"importer\",\"ph\":\"X\",\"ts\":11000.000,\"dur\":1000."
                         "000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":15000.000,"
                         "\"dur\":3000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"Item/"
                         "base\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":16000.000,\"dur\":1000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":19000.000,"
                         "\"dur\":9000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"Item/"
                         "axe\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":20000.000,\"dur\":3000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"cat "
                         "b\",\"cat\":\"importer\",\"ph\":\"X\",\"ts\":21000.000,\"dur\":1000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"Item/"
                         "bow\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":24000.000,\"dur\":1000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"Item/"
                         "sword\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":26000.000,\"dur\":1000.000,"
                         "\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":29000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
                         "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":31000.000,"
                         "\"dur\":1000.000,\"pid\":1,\"tid\":1}]\n");
}

static void names_are_escaped(void **state)
{
    (void)state;
    write_inputs();
    fixture_write("q\"\\\033[31m\377\t.yaml", "Item: {\"quote \\\" \\\\ \\u202E\": {name: x}}\n");
    check_tables("-s s.yaml -o x.kiln --timings=t.json q\"\\\033[31m\377\t.yaml", 0,
                 "time: 21.000 ms\n"
                 "phases:\n"
                 "         5.000 ms  23.8 %  read schema\n"
                 "         3.000 ms  14.3 %  read inputs\n"
                 "         4.000 ms  19.0 %  bake\n"
                 "         2.000 ms   9.5 %  write\n"
                 "files: 3 in 3.000 ms:\n"
                 "         1.000 ms   4.8 %  more.yaml\n"
                 "         1.000 ms   4.8 %  q\"\\\\x1b[31m\\xff\\x09.yaml\n"
                 "         1.000 ms   4.8 %  s.yaml\n"
                 "assets: 1 in 1.000 ms:\n"
                 "         1.000 ms   4.8 %  Item/quote \" \\ \\u202e\n");
    check_file("t.json",
               "[\n"
               "{\"name\":\"kiln-bake\",\"cat\":\"run\",\"ph\":\"X\",\"ts\":0.000,"
               "\"dur\":21000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"read "
               "schema\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":1000.000,\"dur\":5000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"s.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":2000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"more.yaml\",\"cat\":\"file\",\"ph\":\"X\",\"ts\":4000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"read "
               "inputs\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":7000.000,\"dur\":3000.000,"
               "\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"q\\\"\\\\\\u001b[31m\\ufffd\\t.yaml\",\"cat\":\"file\",\"ph\":"
               "\"X\",\"ts\":8000.000,\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":11000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"bake\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":13000.000,"
               "\"dur\":3000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"Item/quote \\\" \\\\ "
               "\\u202e\",\"cat\":\"asset\",\"ph\":\"X\",\"ts\":14000.000,\"dur\":1000."
               "000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":17000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1},\n"
               "{\"name\":\"write\",\"cat\":\"phase\",\"ph\":\"X\",\"ts\":19000.000,"
               "\"dur\":1000.000,\"pid\":1,\"tid\":1}]\n");
}

static void the_clock_is_only_read_for_timings(void **state)
{
    static const struct {
        const char *arguments;
        bool is_measured;
    } rows[] = {
        {"-q -s s.yaml -o x.kiln a.yaml b.in", false},
        {"check -q -s s.yaml a.yaml b.in", false},
        {"header -q -s s.yaml -o x.h", false},
        {"-q -s s.yaml -o x.kiln --timings=t.json a.yaml b.in", true},
    };
    (void)state;
    write_inputs();
    for (size_t i = 0; i < COUNT(rows); i++) {
        clock_reads = 0;
        bake_well(rows[i].arguments);
        assert_int_equal(clock_reads > 0, rows[i].is_measured);
    }
}

static void mistakes_in_the_option_are_reported(void **state)
{
    static const struct {
        const char *arguments;
        int code;
        const char *said;
    } rows[] = {
        {"-s s.yaml -o x.kiln --timings= a.yaml", 2, "--timings= needs the name of a file"},
        {"-q -s s.yaml -o x.kiln --timings a.yaml", 2,
         "--timings prints nothing with -q; use --timings=FILE"},
        {"-s s.yaml -o x.kiln --timings --diagnostics json a.yaml", 2,
         "--timings prints nothing with --diagnostics; use --timings=FILE"},
        {"-s s.yaml -o x.kiln --timings=a.yaml a.yaml", 2, "cannot write a.yaml: it is an input"},
        {"-s s.yaml -o x.kiln --timings=new.yml a.yaml", 2,
         "the name of a timings file must not end in .yaml or .yml"},
        {"-s s.yaml -o x.kiln --timings=x.kiln a.yaml", 2,
         "cannot write x.kiln: it is an output of this run"},
        {"-s s.yaml -o x.kiln --timings=b a.yaml", 2, "cannot write b: it is an input of this run"},
        {"-s s.yaml -o x.kiln --timings=. a.yaml", 2, "cannot write .: Is a directory"},
        {"-s s.yaml -o x.kiln --timings=no/t.json a.yaml", 2,
         "cannot write no/t.json: No such file or directory"},
        {"-s s.yaml -o x.kiln --timings=d --diagnostics json --diagnostics-file d a.yaml", 2,
         "two outputs have the target d"},
        {"-s s.yaml -o x.kiln --timings=d --diagnostics json --diagnostics-file ./d a.yaml", 2,
         "cannot write ./d: it is an output of this run"},
        {"header -s s.yaml -o x.h --timings", 2, "header does not accept --timings"},
        {"-s s.yaml -o x.kiln --timing a.yaml", 2, "did you mean --timings?"},
        {"-s s.yaml -o x.kiln --timings --timings a.yaml", 0, "phases:"},
    };
    (void)state;
    write_inputs();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *err;
        int code = bake_code(rows[i].arguments, &err);
        if (code != rows[i].code || !strstr(err, rows[i].said))
            fail_msg("kiln-bake %s: %d, %s", rows[i].arguments, code, err);
        free(err);
    }
}

/* The outputs themselves are complete. */
static void a_full_disk_fails_the_run(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    write_inputs();
    char *err;
    assert_int_equal(bake_code("-s s.yaml -o x.kiln --timings=/dev/full a.yaml", &err), 2);
    check_said(err,
               (const char *const[]){"x.kiln: 2 assets",
                                     "cannot write /dev/full: No space left on device"},
               2);
    free(err);
    assert_int_equal(
        bake_code("-s s.yaml -o x.kiln --timings=/dev/full --diagnostics json a.yaml", &err), 2);
    check_said(err, (const char *const[]){"\"cannot write /dev/full: No space left on device\""},
               1);
    free(err);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    write_inputs();
    failing_bake("-s s.yaml -o x.kiln --timings=t.json a.yaml b.in", 0);
    write_project();
    failing_bake("--timings=t.json", 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(tables_show_phases_files_importers_and_assets),
        IN_FOLDER(a_check_has_no_phase_that_writes),
        IN_FOLDER(a_table_lists_the_ten_slowest_of_many_files),
        IN_FOLDER(a_run_that_fails_shows_what_it_did),
#ifndef BAKE_WITHOUT_INFER
        IN_FOLDER(an_inference_has_its_own_phases),
#endif
        IN_FOLDER(a_project_measures_all_steps_together),
        IN_FOLDER(a_trace_replaces_no_file_of_a_project),
        IN_FOLDER(a_trace_has_an_event_for_each_span),
        IN_FOLDER(names_are_escaped),
        IN_FOLDER(the_clock_is_only_read_for_timings),
        IN_FOLDER(mistakes_in_the_option_are_reported),
        IN_FOLDER(a_full_disk_fails_the_run),
        IN_FOLDER(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
