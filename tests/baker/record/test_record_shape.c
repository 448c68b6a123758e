/* Shapes: the questions of a run are asked again, elsewhere and later, and any bytes are safe. */
#include "record_fixture.h"

#include "record_bytes.h"
#include "record_shape.h"

/* The shape of the run of the fixture. The caller frees it. */
static unsigned char *make_shape(size_t *ret_size, kiln_hash128 *ret_answers)
{
    make_inputs();
    bake_record *record = make_record();
    unsigned char *shape = bake_shape_make(record, "", ret_size);
    assert_non_null(shape);
    assert_true(bake_shape_hash_answers(record, ret_answers));
    bake_record_destroy(record);
    return shape;
}

/* Answers the shape. Returns 0 and the hash of the answers, or an error. */
static int answer(const void *shape, size_t size, const char *prefix, kiln_hash128 *ret_hash)
{
    bake_shape_files files = {0};
    errno = 0;
    bake_record *record = bake_shape_answer(shape, size, prefix, &record_def, &files);
    int error = record ? 0 : errno;
    if (record)
        assert_true(bake_shape_hash_answers(record, ret_hash));
    bake_record_destroy(record);
    bake_shape_files_fini(&files);
    return error;
}

static bool is_same(kiln_hash128 a, kiln_hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

static void the_same_files_give_the_same_answers(void **state)
{
    (void)state;
    size_t size, again_size;
    kiln_hash128 made, found;
    unsigned char *shape = make_shape(&size, &made);
    assert_int_equal(answer(shape, size, "", &found), 0);
    assert_true(is_same(made, found));
    bake_shape_files files = {0};
    bake_record *record = bake_shape_answer(shape, size, "", &record_def, &files);
    assert_non_null(record);
    assert_int_equal(record->path_count, 8);
    assert_int_equal(record->list_count, 3);
    assert_int_equal(record->variable_count, 3);
    unsigned char *again = bake_shape_make(record, "", &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, shape, size);
    bake_free(again);
    bake_record_destroy(record);
    bake_shape_files_fini(&files);
    bake_free(shape);
}

static void each_change_gives_other_answers(void **state)
{
    static const struct {
        const char *change, *back;
        int error; /* 0: the answers differ */
    } rows[] = {
        {"echo two > a.yaml", "printf one > a.yaml", 0},
        {"rm a.yaml", "printf one > a.yaml", ENOENT},
        {"mv a.yaml b; mkdir a.yaml", "rmdir a.yaml; mv b a.yaml", ENOENT},
        {"echo > missing.yaml", "rm missing.yaml", 0},
        {"mkdir missing.yaml", "rmdir missing.yaml", 0},
        {"echo > data/c.yaml", "rm data/c.yaml", 0},
        {"mkdir data/more", "rmdir data/more", 0},
        {"rm pic.png", "touch pic.png", 0},
        {"rm pic.png; mkdir pic.png", "rmdir pic.png; touch pic.png", 0},
        {"echo >> script", "printf more > script", 0},
        {"echo > bin/tool", "rm bin/tool", 0},
    };
    (void)state;
    size_t size;
    kiln_hash128 made, found;
    unsigned char *shape = make_shape(&size, &made);
    assert_int_equal(setenv("PATH", "/usr/bin:/bin", 1), 0);
    kiln_hash128 path_changed;
    assert_int_equal(answer(shape, size, "", &path_changed), 0);
    assert_false(is_same(path_changed, made));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(system(rows[i].change), 0);
        int error = answer(shape, size, "", &found);
        if (error != rows[i].error || (!error && is_same(found, path_changed)))
            fail_msg("%s: error %d", rows[i].change, error);
        assert_int_equal(system(rows[i].back), 0);
        assert_int_equal(answer(shape, size, "", &found), 0);
        if (!is_same(found, path_changed))
            fail_msg("not restored by %s", rows[i].back);
    }
    assert_int_equal(setenv(RECORD_VARIABLE, "y", 1), 0);
    assert_int_equal(answer(shape, size, "", &found), 0);
    assert_false(is_same(found, path_changed));
    assert_int_equal(unsetenv(RECORD_VARIABLE), 0);
    kiln_hash128 unset;
    assert_int_equal(answer(shape, size, "", &unset), 0);
    assert_false(is_same(unset, found) || is_same(unset, path_changed));
    bake_free(shape);
}

/* A shape from a cache must not bring secrets into keys. */
static void only_variables_that_a_run_reads_are_answered(void **state)
{
    static const struct {
        const char *variable;
        int error;
    } rows[] = {
        {"PATH", 0},
        {RECORD_VARIABLE, 0},
        {RECORD_VARIABLE "_3", EINVAL},
        {"KILN_CACHE_TOKEN", EINVAL},
        {"KILN_TEST_SECRET", EINVAL},
        {"", EINVAL},
    };
    (void)state;
    assert_int_equal(setenv("KILN_TEST_SECRET", "sesame", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        record_writer w = {0};
        kiln_hash128 found;
        record_put(&w, 0);
        record_put(&w, 0);
        record_put(&w, 1);
        record_put_text(&w, rows[i].variable, strlen(rows[i].variable));
        assert_int_equal(answer(w.data, w.size, "", &found), rows[i].error);
        bake_record_def none = record_def;
        none.variables = NULL;
        bake_shape_files files = {0};
        assert_null(bake_shape_answer(w.data, w.size, "", &none, &files));
        bake_shape_files_fini(&files);
        bake_free(w.data);
    }
    assert_int_equal(unsetenv("KILN_TEST_SECRET"), 0);
}

typedef enum question { READ, LOOK, LIST } question;

/* Answers a shape that asks about `path`, `./path`, `././path`, ... Returns 0 or an error. */
static int answer_spellings(const char *path, size_t count, question asks, bake_shape_files *files)
{
    char text[2100] = "";
    record_writer w = {0};
    assert_true(2 * count + strlen(path) < sizeof text);
    record_put(&w, asks == LIST ? 0 : count);
    if (asks == LIST)
        record_put(&w, count);
    for (size_t i = 0; i < count; i++) {
        strcpy(text + 2 * i, path);
        if (asks != LIST)
            record_put(&w, asks == READ);
        record_put(&w, 0);
        record_put_text(&w, text, strlen(text));
        for (int zeros = 0; asks == LIST && zeros < 2; zeros++)
            record_put(&w, 0);
        memcpy(text + 2 * i, "./", 3);
    }
    if (asks != LIST)
        record_put(&w, 0);
    record_put(&w, 0);
    errno = 0;
    bake_record *record = bake_shape_answer(w.data, w.size, "", &record_def, files);
    int error = record ? 0 : errno;
    bake_record_destroy(record);
    bake_free(w.data);
    return error;
}

/* However a shape names it. */
static void a_file_is_read_once(void **state)
{
    (void)state;
    bake_shape_files files = {0};
    make_file("large", "");
    assert_int_equal(truncate("large", 3000000), 0);
    assert_int_equal(system("cp large other; ln large link"), 0);
    assert_int_equal(answer_spellings("large", 1000, READ, &files), 0);
    assert_int_equal(files.done, 3000000 + 1000 * BAKE_SHAPE_UNIT);
    /* Another file of the same content is another file. */
    assert_int_equal(answer_spellings("link", 10, READ, &files), 0);
    assert_int_equal(files.done, 3000000 + 1010 * BAKE_SHAPE_UNIT);
    assert_int_equal(answer_spellings("other", 10, READ, &files), 0);
    assert_int_equal(files.done, 6000000 + 1020 * BAKE_SHAPE_UNIT);
    bake_shape_files_fini(&files);
}

static void the_work_of_all_shapes_is_limited(void **state)
{
    static const struct {
        const char *path;
        question asks;
        size_t units; /* of work for 10 spellings */
    } rows[] = {{"file", READ, 11}, {"file", LOOK, 10}, {"missing", LOOK, 10}, {"d", LIST, 70}};
    (void)state;
    make_file("file", "");
    assert_int_equal(truncate("file", BAKE_SHAPE_UNIT), 0);
    assert_int_equal(system("mkdir d && touch d/a d/.b d/c.yaml d/d"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t most = rows[i].units * BAKE_SHAPE_UNIT;
        bake_shape_files files = {.most = most}, fewer = {.most = most - 1};
        assert_int_equal(answer_spellings(rows[i].path, 10, rows[i].asks, &files), 0);
        assert_int_equal(files.done, most);
        assert_int_equal(answer_spellings(rows[i].path, 1, rows[i].asks, &files), EFBIG);
        bake_shape_files_fini(&files);
        assert_int_equal(answer_spellings(rows[i].path, 10, rows[i].asks, &fewer), EFBIG);
        bake_shape_files_fini(&fewer);
    }
    /* A file without an end. */
    bake_shape_files files = {.most = 1 << 20};
    if (access("/proc/self/pagemap", R_OK) == 0)
        assert_int_equal(answer_spellings("/proc/self/pagemap", 1, READ, &files), EFBIG);
    bake_shape_files_fini(&files);
}

static void a_shape_is_answered_in_another_folder(void **state)
{
    (void)state;
    size_t size;
    kiln_hash128 made, found;
    unsigned char *shape = make_shape(&size, &made);
    assert_int_equal(setenv("PATH", "/usr/bin:/bin", 1), 0);
    assert_int_equal(answer(shape, size, "", &made), 0);
    assert_int_equal(system("mkdir -p copy/of && cp -r a.yaml data pic.png table.csv script "
                            "bin bin2 copy/of/"),
                     0);
    assert_int_equal(answer(shape, size, "copy/of/", &found), 0);
    assert_true(is_same(made, found));
    assert_int_equal(answer(shape, size, "copy/", &found), ENOENT);
    bake_free(shape);
}

static void paths_are_relative_to_the_prefix(void **state)
{
    static const struct {
        const char *path, *prefix, *relative;
    } rows[] = {
        {"a", "", "a"},           {"a/b", "", "a/b"},   {"/a", "", NULL},   {"..", "", ".."},
        {"p/a", "p/", "a"},       {"p", "p/", "."},     {"p/", "p/", ""},   {"pa", "p/", NULL},
        {"q/p/a", "p/", NULL},    {"/p/a", "/p/", "a"}, {"/p", "/p/", "."}, {"/./a", "/./", "a"},
        {"p/../a", "p/", "../a"}, {"", "p/", NULL},     {"/", "/./", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *relative = bake_shape_relative(rows[i].path, rows[i].prefix);
        if (!relative != !rows[i].relative || (relative && strcmp(relative, rows[i].relative) != 0))
            fail_msg("%s under %s: %s", rows[i].path, rows[i].prefix, relative ? relative : "none");
    }
}

static void truncated_and_longer_shapes_are_rejected(void **state)
{
    (void)state;
    size_t size;
    kiln_hash128 made;
    unsigned char *shape = make_shape(&size, &made);
    for (size_t left = 0; left < size; left++) {
        unsigned char *copy = malloc(left + !left);
        assert_non_null(copy);
        memcpy(copy, shape, left);
        assert_int_equal(answer(copy, left, "", &made), EINVAL);
        free(copy);
    }
    unsigned char *longer = malloc(size + 1);
    assert_non_null(longer);
    memcpy(longer, shape, size);
    longer[size] = 0;
    assert_int_equal(answer(longer, size + 1, "", &made), EINVAL);
    free(longer);
    bake_free(shape);
}

static void changed_bits_are_rejected_or_safe(void **state)
{
    (void)state;
    size_t size;
    kiln_hash128 made;
    unsigned char *shape = make_shape(&size, &made);
    /* Hashing programs for each bit takes long. */
    assert_int_equal(setenv("PATH", "/usr/bin:/bin", 1), 0);
    for (size_t bit = 0; bit < size * 8; bit++) {
        shape[bit / 8] ^= (unsigned char)(1u << bit % 8);
        int error = answer(shape, size, "", &made);
        assert_true(error == 0 || error == EINVAL || error == ENOENT);
        shape[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    bake_free(shape);
}

/* Makes a shape, answers it twice with the same files, and completes the record. Returns false if
 * memory runs out. */
static bool everything(const bake_record *record, const bake_gateway *gateway)
{
    size_t size;
    kiln_hash128 hash;
    bake_shape_files files = {0};
    const bake_record_result result = {1, {"", "", "", ""}, {0, 0, 0, 0}};
    void *shape = bake_shape_make(record, "", &size);
    bake_record *first = shape ? bake_shape_answer(shape, size, "", &record_def, &files) : NULL;
    bake_record *second = first ? bake_shape_answer(shape, size, "", &record_def, &files) : NULL;
    bool done = second && bake_shape_hash_answers(second, &hash) &&
                bake_shape_complete(second, gateway, &result);
    if (done)
        assert_true(bake_record_warnings(second) == 1 && bake_record_output_count(second) == 1);
    bake_record_destroy(first);
    bake_record_destroy(second);
    bake_shape_files_fini(&files);
    bake_free(shape);
    return done;
}

static void no_failed_allocation_leaks_or_is_ignored(void **state)
{
    (void)state;
    make_inputs();
    bake_record *record = make_record();
    bake_gateway *gateway = run_step();
    assert_non_null(gateway);
    for (int once = 0; once < 2; once++) {
        bool failed = true;
        for (long n = 0; failed; n++) {
            (once ? bake_memory_fail_at : bake_memory_fail_after)(n);
            bool done = everything(record, gateway);
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            if (!failed || !once)
                assert_true(done == !failed);
        }
    }
    bake_gateway_destroy(gateway);
    bake_record_destroy(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_files_give_the_same_answers),
        TEST(each_change_gives_other_answers),
        TEST(only_variables_that_a_run_reads_are_answered),
        TEST(a_file_is_read_once),
        TEST(the_work_of_all_shapes_is_limited),
        TEST(a_shape_is_answered_in_another_folder),
        TEST(paths_are_relative_to_the_prefix),
        TEST(truncated_and_longer_shapes_are_rejected),
        TEST(changed_bits_are_rejected_or_safe),
        TEST(no_failed_allocation_leaks_or_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
