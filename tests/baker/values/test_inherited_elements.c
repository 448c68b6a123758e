/* Elements inherited by many assets are baked once. With a source map they are baked separately for
 * each asset, which must give the same bytes. */
#include "failing_bake.h"
#include "same_bake.h"

static const char schema_text[] =
    "kiln: 1\n"
    "types:\n"
    "  Vec: {struct: {x: {type: u8, default: 0}, y: {type: u8, was: z, default: 7}}}\n"
    "  Note:\n"
    "    struct:\n"
    "      text: {type: string, default: none}\n"
    "      item: {type: 'ref<Item>?'}\n"
    "      sizes: {type: 'map<string, u16>'}\n"
    "      own: {type: u8, default: 3, inherit: never}\n"
    "      inner: {type: 'Part[]', inherit: merge}\n"
    "  Part: {union: {vec: Vec, note: Note, none: , many: Many}, by: {key: type}}\n"
    "  Many: {struct: {all: 'u8[]'}}\n"
    "  Item:\n"
    "    struct:\n"
    "      parts: {type: 'Part[]', inherit: merge}\n"
    "      more: {type: 'Part[]', inherit: merge}\n"
    "    asset: true\n"
    "    inherit: true\n"
    "files:\n"
    "  - {match: '*.yaml', shape: map, type: Item}\n";

static unsigned random_state;

static unsigned under(unsigned limit)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % limit;
}

static void write_part(FILE *file, unsigned count, unsigned text_size)
{
    switch (under(6)) {
    case 0:
        fprintf(file, "{type: vec, x: %u}", under(9));
        return;
    case 1:
        fprintf(file, "none");
        return;
    case 2:
        fprintf(file, "{type: many, all: [1, %u]}", under(9));
        return;
    case 3:
        fprintf(file, "{type: note, sizes: {b: %u, a: 2}, inner: [{type: vec, y: %u}]}", under(9),
                under(9));
        return;
    case 4:
        fprintf(file, "{type: note, item: i%u, own: %u}", under(count), under(9));
        return;
    default:
        fprintf(file, "{type: note, text: \"%u", under(9));
        for (unsigned i = under(text_size); i > 0; i--)
            fputc('t', file);
        fprintf(file, "\", inner: [none, {type: note, item: i%u}]}", under(count));
    }
}

/* Writes items. Two thirds of them inherit from one or two earlier items. */
static void write_items(const char *path, unsigned count, unsigned text_size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < count; i++) {
        fprintf(file, "i%u:\n", i);
        if (i % 9 == 8)
            fprintf(file, "  abstract: true\n");
        if (i > 2 && under(3) > 0)
            fprintf(file, "  parent: [i%u, i%u]\n", under(i), (i - 1) / 2);
        for (int list = 0; list < 2; list++) {
            fprintf(file, "  %s: [", list ? "more" : "parts");
            for (unsigned p = under(4), k = 0; k < p; k++) {
                fprintf(file, k ? ", " : "");
                write_part(file, 8, text_size);
            }
            fprintf(file, "]\n");
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void both_ways_are_the_same(void)
{
    size_t size = 0, told_size = 0;
    char *bytes = same_bytes("-q -s s.yaml -o x.kiln a.yaml", "x.kiln", &size);
    char *told =
        same_bytes("-q -s s.yaml -o y.kiln --source-map y.map a.yaml", "y.kiln", &told_size);
    assert_int_equal(size, told_size);
    assert_memory_equal(bytes, told, size);
    free(bytes);
    free(told);
}

static void cached_elements_equal_separately_baked_ones(void **state)
{
    (void)state;
    fixture_write("s.yaml", schema_text);
    for (unsigned round = 0; round < 40; round++) {
        random_state = round;
        write_items("a.yaml", 8 + round * 3, 40);
        both_ways_are_the_same();
    }
}

/* There are more elements than the cache holds. While the cache is full, an asset bakes further
 * elements itself. The cache is then cleared before the next blob. */
static void elements_beyond_the_cache_are_baked_for_each_asset(void **state)
{
    (void)state;
    fixture_write("s.yaml", schema_text);
    random_state = 77;
    write_items("a.yaml", 120, 60000);
    both_ways_are_the_same();
}

/* Writes an item that inherits from the first `parents` items, and finally from `last`. */
static void write_child(FILE *file, const char *id, unsigned parents, unsigned last)
{
    fprintf(file, "%s: {parent: [", id);
    for (unsigned i = 0; i < parents; i++)
        fprintf(file, "p%u, ", i);
    fprintf(file, "p%u]}\n", last);
}

/* Two elements with many layers differ only in the lowest one. */
static void elements_differ_if_any_layer_differs(void **state)
{
    enum { PARENTS = 100 };
    (void)state;
    FILE *file = fopen("a.yaml", "wb");
    fixture_write("s.yaml", schema_text);
    assert_non_null(file);
    for (unsigned i = 0; i < PARENTS; i++)
        fprintf(file, "p%u: {abstract: true, parts: [{type: note}]}\n", i);
    for (unsigned i = PARENTS; i < PARENTS + 2; i++)
        fprintf(file, "p%u: {abstract: true, parts: [{type: note, text: t%u}]}\n", i, i);
    for (unsigned parents = 1; parents <= PARENTS; parents += 9) {
        char id[] = {'a', (char)('a' + parents / 9), '\0'};
        write_child(file, id, parents, PARENTS);
        id[0] = 'b';
        write_child(file, id, parents, PARENTS + 1);
    }
    assert_int_equal(fclose(file), 0);
    both_ways_are_the_same();
}

/* An output lists an import even if its assets inherit the reference from another output. */
static void every_output_lists_the_imports_that_it_inherits(void **state)
{
    (void)state;
    fixture_write("s.yaml", schema_text);
    fixture_write("a.yaml", "base: {parts: [{type: note, item: far}]}\n");
    fixture_write("b.yaml", "b: {parent: base}\nbb: {parent: base}\n");
    fixture_write("c.yaml", "c: {parent: b}\n");
    fixture_write("far.yaml", "far: {}\n");
    bake_well("-q -s s.yaml --each=. a.yaml b.yaml c.yaml far.yaml");
    for (char file[] = "a.kiln"; file[0] <= 'c'; file[0]++) {
        size_t size = 0;
        char *bytes = fixture_read(file, &size);
        assert_non_null(bytes);
        bool found = false;
        for (size_t i = 0; !found && i + 8 <= size; i++)
            found = memcmp(bytes + i, "Item/far", 8) == 0;
        assert_true(found);
        free(bytes);
    }
}

/* Returns the messages for a.yaml, which contains dangling names. */
static char *said_of_dangling(const char *arguments)
{
    char *out, *err, call[200];
    snprintf(call, sizeof call, "-q -s s.yaml --dangling=warn -o x.kiln %s a.yaml", arguments);
    assert_int_equal(bake_call(call, &out, &err), 0);
    free(out);
    return err;
}

/* A name counts once for each position in the files, however many assets inherit it. */
static void each_written_position_counts_once(void **state)
{
    static const struct {
        const char *text, *more;
    } rows[] = {
        {"a: {parts: [{type: note, item: far}]}\nb: {parent: a}\nc: {parent: [a, b]}\n", " [ref"},
        {"a: {parts: [{type: note, item: far}], more: [{type: note, item: far}]}\nb: {parent: a}\n",
         ", here and in 1 more place [ref"},
        {"a: {parts: [&n {type: note, item: far}, *n]}\nb: {parent: a, parts: [*n]}\n", " [ref"},
        {"a: {abstract: true, parts: [{type: note, item: far}]}\n"
         "b: {parent: a, parts: [{type: note, item: far}]}\nc: {parent: b}\n"
         "d: {parent: b, more: [{type: note, item: Item/far}, {type: note, item: far}]}\n",
         ", here and in 3 more places [ref"},
    };
    (void)state;
    fixture_write("s.yaml", schema_text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        fixture_write("a.yaml", rows[i].text);
        char *said = said_of_dangling(""), *told = said_of_dangling("--source-map y.map");
        const char *more = strstr(said, "\"Item/far\"");
        assert_non_null(more);
        if (strncmp(more + 10, rows[i].more, strlen(rows[i].more)) != 0)
            fail_msg("%zu: %s", i, said);
        assert_string_equal(said, told);
        free(said);
        free(told);
    }
    /* References name items up to i7, but each file has fewer items. */
    for (unsigned round = 0; round < 20; round++) {
        random_state = round;
        write_items("a.yaml", 4 + round % 4, 40);
        char *said = said_of_dangling(""), *told = said_of_dangling("--source-map y.map");
        assert_string_equal(said, told);
        free(said);
        free(told);
    }
}

/* An error in an element is reported once, where it is written, and fails every asset that inherits
 * it. */
static void elements_with_errors_are_not_cached(void **state)
{
    (void)state;
    char *out, *err;
    fixture_write("s.yaml", schema_text);
    fixture_write("a.yaml", "a: {parts: [{type: vec, x: 300}, {type: vec, z: 1}]}\n"
                            "b: {parent: a}\n"
                            "c: {parent: a}\n"
                            "d: {parent: [b, c]}\n");
    assert_int_equal(bake_call("-q -s s.yaml -o x.kiln a.yaml", &out, &err), 1);
    const char *first = strstr(err, ": error: ");
    assert_non_null(first);
    assert_null(strstr(first + 1, ": error: "));
    free(out);
    free(err);
}

static void no_failing_allocation_of(const char *arguments)
{
    size_t size = 0;
    char *out, *said;
    assert_int_equal(bake_call(arguments, &out, &said), 0);
    free(out);
    free(said);
    char *expected = fixture_read("x.kiln", &size);
    bool failed = true;
    for (long n = 0; failed; n++) {
        char *err;
        int code;
        failed = failing_call(n, arguments, &code, &err);
        if (code != 0 && !(code == 2 && failed && strstr(err, "out of memory")))
            fail_msg("allocation %ld: code %d, %s", n, code, err);
        free(err);
        if (code == 0) {
            size_t again = 0;
            char *bytes = fixture_read("x.kiln", &again);
            assert_int_equal(size, again);
            assert_memory_equal(expected, bytes, size);
            free(bytes);
        }
    }
    free(expected);
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    fixture_write("s.yaml", schema_text);
    random_state = 5;
    write_items("a.yaml", 12, 20);
    no_failing_allocation_of("-q -s s.yaml -o x.kiln a.yaml");
    random_state = 5;
    write_items("a.yaml", 6, 20);
    no_failing_allocation_of("-q -s s.yaml --dangling=warn -o x.kiln a.yaml");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(cached_elements_equal_separately_baked_ones),
        IN_FOLDER(elements_beyond_the_cache_are_baked_for_each_asset),
        IN_FOLDER(elements_differ_if_any_layer_differs),
        IN_FOLDER(every_output_lists_the_imports_that_it_inherits),
        IN_FOLDER(each_written_position_counts_once),
        IN_FOLDER(elements_with_errors_are_not_cached),
        IN_FOLDER(no_failing_allocation_is_fatal),
    };
    return cmocka_run_group_tests_name("inherited elements", tests, NULL, NULL);
}
