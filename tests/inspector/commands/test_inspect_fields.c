/* Sets every number of a file's index, scenes and type table to extreme values, alone and in pairs,
 * and recomputes all hashes. Every command must exit with 0 or 1, and no message may have an empty
 * field.
 *
 *     test_inspect_fields [--full | --changes NUMBER] [FILE...]
 *
 * Without files the program changes the samples. `--full` runs every command on every change.
 * Otherwise changes are selected evenly, and each is tried with `verify` and with one of the other
 * commands in rotation. For `where`, each changed file gets a map with the hash of that file. */
#define _XOPEN_SOURCE 700
#include "file_fields.h"
#include "insp_finding_text.h"
#include "inspect_call.h"
#include "sample_scene.h"
#include "test_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <kiln/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    VALUES_MAX = 64,
    CHANGES = 800, /* default number per file */
    COMMAND_SIZE = 200,
    FILES_MAX = 16,
    CASES = 3 /* the test cases that use no file of the command line */
};

/* `%a` stands for an asset of the file, `%s` for a scene. */
static const char *const commands[] = {
    "verify it",
    "info it",
    "ls it",
    "ls -f json it",
    "dump it",
    "dump -f yaml it",
    "dump -f json it",
    "dump --all it %a",
    "get it %a",
    "scene it",
    "scene --chunks --all it",
    "scene -f json --chunks it",
    "scene it %s 0 #1 #4294967295",
    "scene -f json it %s #0 1",
    "forecast it",
    "hex it",
    "hex it %a",
    "refs -f json it *",
    "rdeps -f json it %a",
    "cycles it",
    "find it 1",
    "find it -f json --match text e",
    "find it --match type *",
    "find it --match ref *",
    "orphans it -f json",
    "why it %a %a",
    "type it",
    "where it %a",
    "where -f json it 0x100",
    "where it 0x1000",
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static char spelled[COMMANDS][COMMAND_SIZE];
static bool is_full;
static uint64_t most_changes = CHANGES;
static kiln_buffer files[FILES_MAX];
static char *file_names[FILES_MAX];

typedef struct trial {
    file_fields fields;
    uint64_t seen, total; /* changes */
    uint64_t ran;
    bool is_counting;
} trial;

/* ---- what is run ---- */

static void spell_commands(const kiln_index *index)
{
    const char *asset = "Item/none", *scene = "Scene/none", *from, *name;
    uint32_t i;
    for (i = 0; i < index->assets.count; i++) {
        const kiln_index_asset *at = kiln_index_asset_at(index, i);
        name = kiln_string_get(&at->name);
        if (!strchr(name, ' ') && strlen(name) < COMMAND_SIZE - 50)
            asset = name;
        if (strcmp(kiln_string_get(&kiln_index_type_at(index, at->type)->name),
                   KILN_SCENE_TYPE_NAME) == 0)
            scene = name;
    }
    for (i = 0; i < COMMANDS; i++) {
        from = strchr(commands[i], '%');
        if (from)
            snprintf(spelled[i], COMMAND_SIZE, "%.*s%s%s", (int)(from - commands[i]), commands[i],
                     from[1] == 'a' ? asset : scene, from + 2);
        else
            snprintf(spelled[i], COMMAND_SIZE, "%s", commands[i]);
    }
}

static bool has_empty_field(const char *text)
{
    static const char *const signs[] = {":  ", ": : ", ": \n", "()", "( ", "(, ",
                                        ", )", "<: ",  ", ,",  "''", "<>"};
    size_t i;
    for (i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strstr(text, signs[i]))
            return true;
    return false;
}

static void run(const char *command, const char *what)
{
    inspect_result result = inspect_call(command);
    bool is_verify = strncmp(command, "verify", 6) == 0;
    bool tells_on_output =
        is_verify || strncmp(command, "info", 4) == 0 || strncmp(command, "where", 5) == 0;
    if (result.code != 0 && result.code != 1)
        fail_msg("%s: %s: exit code %d: %s", what, command, result.code, result.err);
    if (result.code == 1 &&
        !(tells_on_output ? result.out_size + result.err_size : result.err_size))
        fail_msg("%s: %s: exit code 1 without a message", what, command);
    if (has_empty_field(result.err) || (is_verify && has_empty_field(result.out)))
        fail_msg("%s: %s: an empty field in: %s%s", what, command, is_verify ? result.out : "",
                 result.err);
    inspect_result_fini(&result);
}

static void write_map(const file_fields *f)
{
    char map[200];
    kiln_blob_header header;
    memcpy(&header, f->data, sizeof header);
    snprintf(map, sizeof map,
             "kiln-source-map\t3\nF\t0\ta.yaml\nA\tItem/none\nV\t\t0:1:1:0\town\nH\t%016llx\n",
             (unsigned long long)header.hash);
    inspect_write("it.map", map, strlen(map));
}

static void run_commands(trial *t, bool is_all, const char *what)
{
    size_t i;
    file_fields_repair(&t->fields);
    inspect_write("it", t->fields.data, t->fields.size);
    write_map(&t->fields);
    run(spelled[0], what);
    for (i = 1; i < COMMANDS; i++)
        if (is_all || i == 1 + t->ran % (COMMANDS - 1))
            run(spelled[i], what);
    t->ran++;
}

/* ---- what is changed ---- */

static bool is_chosen(trial *t)
{
    uint64_t number = t->seen++;
    return !t->is_counting &&
           (is_full || t->total <= most_changes ||
            number * most_changes / t->total != (number + 1) * most_changes / t->total);
}

static void add_value(uint64_t *values, size_t *count, uint64_t value, const file_field *field)
{
    size_t i = 0;
    if (field->size < 8)
        value &= (UINT64_C(1) << field->size * 8) - 1;
    while (i < *count && values[i] != value)
        i++;
    if (i == *count && i < VALUES_MAX)
        values[(*count)++] = value;
}

/* Lists values for a field. If `is_pair`, there are only a few, and all are out of range. */
static size_t list_values(const file_fields *f, const file_field *field, bool is_pair,
                          uint64_t *values)
{
    uint64_t before = file_field_get(f, field);
    size_t count = 0;
    uint32_t i;
    add_value(values, &count, UINT64_MAX, field);
    add_value(values, &count, 0x7fffffff, field);
    for (i = 0; i < f->length_count; i++) {
        add_value(values, &count, f->lengths[i], field);
        if (is_pair)
            return count;
        add_value(values, &count, f->lengths[i] - 1, field);
        add_value(values, &count, f->lengths[i] + 1, field);
    }
    add_value(values, &count, 0, field);
    add_value(values, &count, 1, field);
    add_value(values, &count, before - 1, field);
    add_value(values, &count, before + 1, field);
    add_value(values, &count, before + 4, field);
    return count;
}

static void change_one(trial *t, const file_field *field)
{
    uint64_t values[VALUES_MAX], before = file_field_get(&t->fields, field);
    size_t count = list_values(&t->fields, field, false, values), i;
    char what[160];
    for (i = 0; i < count; i++) {
        if (!is_chosen(t))
            continue;
        snprintf(what, sizeof what, "%s.%s at 0x%zx is %#llx", field->type, field->name, field->at,
                 (unsigned long long)values[i]);
        file_field_set(&t->fields, field, values[i]);
        run_commands(t, is_full, what);
        file_field_set(&t->fields, field, before);
    }
}

/* An asset's entry refers to its type and its member. All pairs of values for these two fields are
 * tried, even without `--full`. */
static void change_two(trial *t, const file_field *a, const file_field *b)
{
    uint64_t of_a[VALUES_MAX], of_b[VALUES_MAX];
    uint64_t a_before = file_field_get(&t->fields, a), b_before = file_field_get(&t->fields, b);
    size_t a_count = list_values(&t->fields, a, true, of_a), i, k;
    size_t b_count = list_values(&t->fields, b, true, of_b);
    bool is_entry = strcmp(a->name, "type") == 0 && strcmp(b->name, "member") == 0;
    char what[200];
    for (i = 0; i < a_count; i++)
        for (k = 0; k < b_count; k++) {
            if (is_entry ? t->is_counting : !is_chosen(t))
                continue;
            snprintf(what, sizeof what, "%s.%s at 0x%zx is %#llx, %s at 0x%zx %#llx", a->type,
                     a->name, a->at, (unsigned long long)of_a[i], b->name, b->at,
                     (unsigned long long)of_b[k]);
            file_field_set(&t->fields, a, of_a[i]);
            file_field_set(&t->fields, b, of_b[k]);
            run_commands(t, is_full, what);
            file_field_set(&t->fields, a, a_before);
            file_field_set(&t->fields, b, b_before);
        }
}

static void change_all(trial *t)
{
    uint32_t i, k;
    t->seen = 0;
    for (i = 0; i < t->fields.count; i++) {
        const file_field *field = &t->fields.items[i];
        change_one(t, field);
        for (k = i + 1; k < t->fields.count && t->fields.items[k].group == field->group; k++)
            change_two(t, field, &t->fields.items[k]);
    }
    t->total = t->seen;
}

static void every_number_is_survived(void **state)
{
    kiln_buffer *file = *state;
    trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    file_fields_find(&t->fields, file->data, file->size);
    spell_commands((const kiln_index *)(const void *)(file->data + KILN_HEADER_SIZE));
    t->is_counting = true;
    change_all(t);
    t->is_counting = false;
    change_all(t);
    print_message("%u numbers, %llu of %llu changes\n", (unsigned)t->fields.count,
                  (unsigned long long)t->ran, (unsigned long long)t->total);
    assert_true(t->fields.count > 20 && t->ran > 0);
    file_fields_repair(&t->fields);
    inspect_write("it", file->data, file->size);
    inspect_result result = inspect_call("verify it");
    assert_int_equal(0, result.code);
    inspect_result_fini(&result);
    file_fields_fini(&t->fields);
    free(t);
}

/* The asset's type and member do not exist, and a scene refers to it as its chunks. */
static void chunks_without_a_member_do_not_lead_outside_the_file(void **state)
{
    kiln_buffer file = sample_scene(SAMPLE_SCENE_SMALL);
    static const uint32_t numbers[] = {0x100, 0x7fffffff, 0xfffffffe, 0xffffffff};
    const kiln_index *index = (const kiln_index *)(const void *)(file.data + KILN_HEADER_SIZE);
    uint32_t number = kiln_index_find_name(index, "SceneChunks/harbour", 19);
    size_t at = (size_t)((const unsigned char *)kiln_index_asset_at(index, number) - file.data);
    trial *t = calloc(1, sizeof *t);
    inspect_result result;
    size_t i;
    (void)state;
    assert_non_null(t);
    file_fields_find(&t->fields, file.data, file.size);
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        memcpy(file.data + at + offsetof(kiln_index_asset, type), &numbers[i], 4);
        memcpy(file.data + at + offsetof(kiln_index_asset, member), &numbers[i], 4);
        file_fields_repair(&t->fields);
        inspect_write("it", file.data, file.size);
        result = inspect_call("verify it");
        assert_int_equal(1, result.code);
        assert_non_null(strstr(result.out, "SceneChunks/harbour): "));
        assert_false(has_empty_field(result.out));
        inspect_result_fini(&result);
    }
    file_fields_fini(&t->fields);
    free(t);
    kiln_buffer_fini(&file);
}

/* A status that is not a rule of the format is printed by name. */
static void a_finding_without_a_rule_names_its_status(void **state)
{
    insp_file file = {.path = "it", .size = 1};
    (void)state;
    for (int i = 0; i < KILN_STATUS_COUNT; i++) {
        kiln_status status = (kiln_status)i;
        insp_finding finding = {.error = {.status = status, .offset = 0x140},
                                .part = "type table",
                                .member = KILN_ASSET_NONE};
        insp_out out;
        char *text = NULL, wanted[300];
        const char *rule = kiln_status_rule(status);
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        insp_out_init(&out, stream, false);
        insp_put_finding(&out, &file, &finding);
        assert_true(insp_out_finish(&out));
        fclose(stream);
        snprintf(wanted, sizeof wanted, "%s at offset 0x140 (type table): %s",
                 rule[0] ? rule : kiln_status_name(status), kiln_status_text(status));
        assert_string_equal(wanted, text);
        assert_false(has_empty_field(text));
        free(text);
    }
}

/* The field of the struct whose `name` is this string. */
static const file_field *find_field(const file_fields *f, const char *text, const char *name)
{
    uint32_t i, group = UINT32_MAX;
    for (i = 0; i < f->count; i++) {
        const file_field *field = &f->items[i];
        const char *at = (const char *)f->data + field->at + file_field_get(f, field);
        if (strcmp(field->name, "name") == 0 && field->size == 4 && group == UINT32_MAX &&
            file_field_get(f, field) < f->size - field->at && strcmp(at, text) == 0)
            group = field->group;
    }
    for (i = 0; i < f->count; i++)
        if (f->items[i].group == group && strcmp(f->items[i].name, name) == 0)
            return &f->items[i];
    fail_msg("no field %s of %s", name, text);
    return NULL;
}

/* Bounds are f64 in the type table. These cannot be represented as f32, where they would be 0 and
 * infinity. */
static void a_bound_that_no_f32_represents_is_shown_exactly(void **state)
{
    static const double bounds[] = {1e-300, -1e300};
    static const char *const shown[] = {"range: [1.0e-300, null]", "range: [-1.0e+300, null]"};
    size_t i;
    (void)state;
    for (i = 0; i < 2; i++) {
        kiln_buffer file = sample_file(SAMPLE_FULL);
        trial *t = calloc(1, sizeof *t);
        uint64_t bits;
        inspect_result result;
        assert_non_null(t);
        file_fields_find(&t->fields, file.data, file.size);
        memcpy(&bits, &bounds[i], sizeof bits);
        file_field_set(&t->fields, find_field(&t->fields, "scale", "min"), bits);
        file_field_set(&t->fields, find_field(&t->fields, "scale", "flags"), KILN_MEMBER_HAS_MIN);
        file_fields_repair(&t->fields);
        inspect_write("it", file.data, file.size);
        result = inspect_call("type it game.Item");
        assert_int_equal(0, result.code);
        assert_non_null(strstr(result.out, shown[i]));
        inspect_result_fini(&result);
        file_fields_fini(&t->fields);
        free(t);
        kiln_buffer_fini(&file);
    }
}

static kiln_buffer read_file(const char *path)
{
    kiln_buffer buffer = {0};
    struct stat facts;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(0, fstat(fileno(file), &facts));
    buffer.size = (size_t)facts.st_size;
    buffer.data = aligned_alloc(4096, (buffer.size + 4095) / 4096 * 4096);
    assert_non_null(buffer.data);
    assert_int_equal(buffer.size, fread(buffer.data, 1, buffer.size, file));
    fclose(file);
    return buffer;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int number;
    } samples[] = {
        {"full", SAMPLE_FULL},
        {"packed", SAMPLE_PACKED},
        {"linked", SAMPLE_LINKED},
        {"scene", SAMPLE_SCENES + SAMPLE_SCENE_SMALL},
        {"scene_full", SAMPLE_SCENES + SAMPLE_SCENE_FULL},
        {"scene_packed", SAMPLE_SCENES + SAMPLE_SCENE_PACKED},
        {"scene_apart", SAMPLE_SCENES + SAMPLE_SCENE_APART},
    };
    struct CMUnitTest tests[FILES_MAX + CASES] = {
        cmocka_unit_test(chunks_without_a_member_do_not_lead_outside_the_file),
        cmocka_unit_test(a_finding_without_a_rule_names_its_status),
        cmocka_unit_test(a_bound_that_no_f32_represents_is_shown_exactly)};
    int first = 1, failed, i, count = 0;
    is_full = argc > 1 && strcmp(argv[1], "--full") == 0;
    if (argc > 2 && strcmp(argv[1], "--changes") == 0)
        most_changes = strtoull(argv[first++ + 1], NULL, 10);
    else
        most_changes = test_share_of(CHANGES);
    if (first == 2 || is_full)
        first++;
    for (i = first; i < argc && count < FILES_MAX; i++, count++) {
        files[count] = read_file(argv[i]);
        file_names[count] = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
    }
    for (i = 0; argc == first && i < (int)(sizeof samples / sizeof samples[0]); i++, count++) {
        files[count] = sample_of_number(samples[i].number);
        file_names[count] = (char *)(uintptr_t)samples[i].name;
    }
    for (i = 0; i < count; i++)
        tests[i + CASES] =
            (struct CMUnitTest){file_names[i], every_number_is_survived, NULL, NULL, &files[i]};
    inspect_enter_folder();
    failed = _cmocka_run_group_tests("inspect_fields", tests, (size_t)count + CASES, NULL, NULL);
    inspect_leave_folder();
    for (i = 0; i < count; i++)
        if (argc == first)
            kiln_buffer_fini(&files[i]);
        else
            free(files[i].data);
    return failed;
}
