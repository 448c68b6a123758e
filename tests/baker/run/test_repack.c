/* Compressed output, and changes of a file's compression or order, which do not change its YAML. */
#include "bake_call.h"

#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <kiln/scene.h>

static const char schema_text[] =
    "kiln: 1\nnamespace: game\ntypes:\n"
    "  Item:\n    struct: {name: string, text: string, next: ref<Item>?}\n    asset: true\n"
    "  Note: {struct: {text: string}, asset: true}\n"
    "files:\n  - {match: \"*.items.yaml\", shape: map, type: Item}\n"
    "  - {match: \"*.notes.yaml\", shape: map, type: Note}\n";

enum { ITEMS = 60 };

static void write_inputs(void)
{
    char *text = malloc(64 * 1024), *notes = malloc(64 * 1024);
    size_t at = 0, noted = 0;
    for (int i = 0; i < ITEMS; i++) {
        at += (size_t)sprintf(text + at,
                              "i%02d:\n  name: the item of number %d, of oak and iron\n"
                              "  text: bound in %d hoops by the cooper of the village on day %d of "
                              "the long rain, and "
                              "oiled every winter since then\n  next: i%02d\n",
                              i, i, i * 7919 % 100, i * 31 % 366, (i + 7) % ITEMS);
        noted += (size_t)sprintf(notes + noted, "n%02d: {text: \"a note about %d, %d and %d\"}\n",
                                 i, i * 7919, i * 104729, i);
    }
    fixture_write("s.yaml", schema_text);
    fixture_write("a.items.yaml", text);
    fixture_write("b.notes.yaml", notes);
    free(text);
    free(notes);
}

/* Returns the exit code. The caller frees the diagnostics `*ret_err`. */
static int run(const char *arguments, char **ret_err)
{
    char *out;
    int code = bake_call(arguments, &out, ret_err);
    free(out);
    return code;
}

static void runs(const char *arguments)
{
    char *said;
    if (run(arguments, &said) != 0)
        fail_msg("%s: %s", arguments, said);
    free(said);
}

static void same_files(const char *one, const char *two)
{
    size_t sizes[2];
    char *texts[2] = {fixture_read(one, &sizes[0]), fixture_read(two, &sizes[1])};
    assert_non_null(texts[0]);
    assert_non_null(texts[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(texts[0], texts[1], sizes[0]);
    free(texts[0]);
    free(texts[1]);
}

/* Reads the index of a file. The caller frees the file. */
static const kiln_index *read_index(const char *path, char **ret_file, size_t *ret_size)
{
    *ret_size = 0;
    char *text = fixture_read(path, ret_size);
    assert_non_null(text);
    *ret_file = aligned_alloc(4096, (*ret_size + 4095) / 4096 * 4096);
    memcpy(*ret_file, text, *ret_size);
    free(text);
    return (const void *)(*ret_file + KILN_HEADER_SIZE);
}

static void options_select_what_is_compressed(void **state)
{
    static const struct {
        const char *options;
        uint32_t dictionaries;
        bool is_compressed;
    } rows[] = {{"", 0, false},
                {"--compress 0", 0, false},
                {"--compress 1 --dictionary none", 0, true},
                {"--compress 3", 1, true},
                {"--compress 19 --dictionary type", 1, true},
                {"--compress=22 --dictionary=all", 1, true}};
    (void)state;
    write_inputs();
    runs("-s s.yaml -o plain.kiln a.items.yaml b.notes.yaml");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[200], *file;
        size_t size, plain_size;
        snprintf(arguments, sizeof arguments, "-s s.yaml %s -o it.kiln a.items.yaml b.notes.yaml",
                 rows[i].options);
        runs(arguments);
        free(fixture_read("plain.kiln", &plain_size));
        const kiln_index *index = read_index("it.kiln", &file, &size);
        uint32_t compressed = 0;
        for (uint32_t k = 0; k < index->members.count; k++)
            compressed += kiln_index_member_at(index, k)->compression == KILN_COMPRESSION_ZSTD;
        assert_int_equal(index->dictionaries.count, rows[i].dictionaries);
        assert_int_equal(compressed > 0, rows[i].is_compressed);
        assert_int_equal(size < plain_size, rows[i].is_compressed);
        free(file);
        /* Compressing the plain file gives the same bytes, and decompressing restores the plain
         * file. */
        snprintf(arguments, sizeof arguments, "repack %s plain.kiln -o again.kiln",
                 rows[i].options);
        runs(arguments);
        same_files("it.kiln", "again.kiln");
        runs("repack it.kiln -o back.kiln");
        same_files("plain.kiln", "back.kiln");
    }
}

/* The names of a file's assets in file order, each followed by a space, without types. */
static void order_of(const char *path, char *names)
{
    char *file;
    size_t size = 0;
    const kiln_index *index = read_index(path, &file, &size);
    *names = '\0';
    for (uint32_t m = 0; m < index->members.count; m++) {
        for (uint32_t i = 0; i < index->assets.count; i++) {
            const kiln_index_asset *asset = kiln_index_asset_at(index, i);
            if (asset->member == m)
                strcat(strcat(names, strchr(kiln_string_get(&asset->name), '/') + 1), " ");
        }
    }
    free(file);
}

static void assets_are_stored_in_the_given_order(void **state)
{
    static const struct {
        const char *options, *order;
    } rows[] = {
        {"", "a b c d e f "},
        {"--order kept", "a b c d e f "},
        {"--order name", "a b c d e f "},
        /* a refers to e, e to b, b to a, and c to d; d and f have no references. */
        {"--order references", "a e b c d f "},
        {"--first list", "f c a b d e "},
        {"--first list --order references", "f c a e b d "},
    };
    char names[100], again[100];
    (void)state;
    fixture_write("s.yaml", schema_text);
    fixture_write("a.items.yaml",
                  "f: {name: F, text: f}\nd: {name: D, text: d}\ne: {name: E, text: e, next: b}\n"
                  "c: {name: C, text: c, next: d}\na: {name: A, text: a, next: e}\n"
                  "b: {name: B, text: b, next: a}\n");
    fixture_write("list", "Item/f\r\n\nItem/c\nItem/f\n");
    runs("-s s.yaml -o plain.kiln a.items.yaml");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "repack plain.kiln -o it.kiln %s", rows[i].options);
        runs(arguments);
        order_of("it.kiln", names);
        assert_string_equal(rows[i].order, names);
        runs("repack --compress 9 it.kiln -o packed.kiln");
        order_of("packed.kiln", again);
        assert_string_equal(names, again);
        runs("repack packed.kiln -o back.kiln --order name");
        same_files("plain.kiln", "back.kiln");
    }
    runs("repack plain.kiln -o it.kiln --order id");
    order_of("it.kiln", names);
    assert_int_equal(strlen(names), 12);
}

static void imports_are_kept(void **state)
{
    char *file;
    size_t size = 0;
    (void)state;
    write_inputs();
    fixture_write("b.items.yaml", "z: {name: Z, text: z, next: i05}\n");
    runs("-s s.yaml -o base.kiln --compress 5 a.items.yaml");
    runs("-s s.yaml -o more.kiln -x base.kiln b.items.yaml");
    runs("repack more.kiln --compress 5 -o it.kiln");
    const kiln_index *index = read_index("it.kiln", &file, &size);
    assert_int_equal(index->imports.count, 1);
    assert_string_equal("Item/i05", kiln_string_get(&kiln_index_import_at(index, 0)->name));
    free(file);
    runs("repack it.kiln -o back.kiln");
    same_files("more.kiln", "back.kiln");
}

/* Returns the offset in the file of a scene's chunk images, which can be mapped. */
static uint64_t images_place(const char *path, const char *name)
{
    char *file;
    size_t size = 0;
    uint64_t place = 0;
    const kiln_index *index = read_index(path, &file, &size);
    for (uint32_t i = 0; i < index->assets.count; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        if (strcmp(kiln_string_get(&asset->name), name) != 0)
            continue;
        place = kiln_index_member_at(index, asset->member)->place;
        const kiln_blob_header *header = (const void *)(file + place);
        place += kiln_header_payload_at(header);
        const kiln_scene_chunks *chunks = (const void *)(file + place);
        assert_true(chunks->images.count >= (uint32_t)KILN_SCENE_MAPPED_MIN * KILN_CHUNK_SIZE);
        place += offsetof(kiln_scene_chunks, images) + (uint64_t)chunks->images.offset;
    }
    free(file);
    return place;
}

static void scenes_stay_mappable(void **state)
{
    static const char *const orders[] = {"kept", "name", "id", "references"};
    char text[8192], arguments[200];
    size_t at = (size_t)sprintf(text, "prefabs:\n  p:\n    components:\n      Link: {to: last}\n"
                                      "      Big: {n: 0, room: [");
    (void)state;
    for (int i = 0; i < 900; i++)
        at += (size_t)sprintf(text + at, "%d,", i % 10);
    at += (size_t)sprintf(text + at, "]}\nentities:\n- {name: last}\n");
    for (int i = 0; i < 40; i++)
        at += (size_t)sprintf(text + at, "- {base: p, components: {Big: {n: %d}}}\n", i);
    fixture_write("s.yaml", "kiln: 1\nnamespace: game\ntypes:\n"
                            "  Big: {struct: {n: u32, room: \"u64[900]\"}}\n"
                            "  Link: {struct: {to: entity}}\n"
                            "  Item: {struct: {n: u32}, asset: true}\n"
                            "files:\n  - {match: \"*.scene.yaml\", shape: scene}\n");
    fixture_write("b.scene.yaml", text);
    fixture_write("a.scene.yaml", text);
    fixture_write("i.yaml", "Item: {a: {n: 1}, z: {n: 2}}\n");
    runs("-s s.yaml -o plain.kiln a.scene.yaml b.scene.yaml i.yaml");
    runs("-s s.yaml --compress 3 -o packed.kiln i.yaml b.scene.yaml a.scene.yaml");
    runs("repack --compress 3 plain.kiln -o again.kiln");
    same_files("packed.kiln", "again.kiln");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        snprintf(arguments, sizeof arguments, "repack packed.kiln -o it.kiln --order %s",
                 orders[i]);
        runs(arguments);
        assert_int_equal(images_place("it.kiln", "SceneChunks/a") % KILN_SCENE_IMAGES_ALIGN, 0);
        assert_int_equal(images_place("it.kiln", "SceneChunks/b") % KILN_SCENE_IMAGES_ALIGN, 0);
        if (i == 0)
            same_files("plain.kiln", "it.kiln");
        runs("repack it.kiln --compress 3 --dictionary all -o again.kiln");
        runs("repack again.kiln -o back.kiln");
        same_files("it.kiln", "back.kiln");
    }
}

static void small_scenes_share_a_dictionary_with_their_parts(void **state)
{
    char *file, name[32], text[512];
    size_t size = 0;
    (void)state;
    fixture_write("s.yaml", "kiln: 1\nnamespace: game\ntypes:\n"
                            "  Sign: {struct: {text: string}, component: true}\n"
                            "  Place: {struct: {x: u32, y: u32}}\n"
                            "files:\n  - {match: \"*.scene.yaml\", shape: scene}\n");
    assert_int_equal(system("rm -rf in && mkdir in"), 0);
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "in/r%02d.scene.yaml", i);
        snprintf(text, sizeof text,
                 "entities:\n- {name: door %d, components: {Place: {x: %d, y: 9}, Sign: {text: to "
                 "the long room of number %d}}}\n- {name: lamp, components: {Place: {x: 3, y: "
                 "%d}}}\n",
                 i, i * 7, i * 7919, i * 31);
        fixture_write(name, text);
    }
    runs("-s s.yaml -o plain.kiln in");
    runs("-s s.yaml --compress 9 -o it.kiln in");
    const kiln_index *index = read_index("it.kiln", &file, &size);
    assert_int_equal(index->dictionaries.count, 1);
    free(file);
    runs("repack --compress 9 plain.kiln -o again.kiln");
    same_files("it.kiln", "again.kiln");
    runs("repack it.kiln -o back.kiln");
    same_files("plain.kiln", "back.kiln");
}

static void usage_errors_take_one_line(void **state)
{
    static const struct {
        const char *arguments;
        int code;
        const char *said;
    } rows[] = {
        {"repack", 2, "needs exactly one kiln file, 0 given"},
        {"repack plain.kiln", 2, "no output given"},
        {"repack plain.kiln plain.kiln -o x", 2, "needs exactly one kiln file, 2 given"},
        {"repack -s s.yaml plain.kiln -o x", 2, "repack does not accept -s"},
        {"repack --each . plain.kiln", 2, "repack does not accept --each"},
        {"repack -MD plain.kiln -o x", 2, "repack does not accept -MD"},
        {"repack --no-types plain.kiln -o x", 2, "repack does not accept --no-types"},
        {"repack --source-map m plain.kiln -o x", 2, "repack does not accept --source-map"},
        {"repack --namespace n plain.kiln -o x", 2, "repack does not accept --namespace"},
        {"repack none.kiln -o x", 2, "cannot read none.kiln"},
        {"repack plain.kiln -o plain.kiln", 2, "it is an input of this run"},
        {"repack plain.kiln -o x --first none", 2, "cannot read none"},
        {"repack plain.kiln -o x --first s.yaml", 2, "s.yaml:1: no asset is named 'kiln: 1'"},
        {"repack plain.kiln -o x --order size", 2,
         "--order takes kept, name, id or references, not 'size'"},
        {"repack plain.kiln -o x --dictionary yes", 2,
         "--dictionary takes type, all or none, not 'yes'"},
        {"repack plain.kiln -o x --compress 23", 2, "--compress takes a level from 0 to 22"},
        {"repack plain.kiln -o x --compress -1", 2, "--compress takes a level from 0 to 22"},
        {"repack plain.kiln -o x --compress 3x", 2, "--compress takes a level from 0 to 22"},
        {"-s s.yaml --order id a.items.yaml -o x", 2, "only repack does"},
        {"-s s.yaml --first s.yaml a.items.yaml -o x", 2, "only repack does"},
        {"repack untyped.kiln -o x", 1, "untyped.kiln: error: the file has no type table"},
        {"repack s.yaml -o x", 1, "not a valid kiln file"},
        {"repack plain.kiln -n", 0, "not written: 120 assets"},
        {"repack plain.kiln -o y --compress 3", 0, "y: 120 assets"},
        {"repack plain.kiln -q -o y", 0, ""},
    };
    (void)state;
    write_inputs();
    runs("-s s.yaml -o plain.kiln a.items.yaml b.notes.yaml");
    runs("-s s.yaml --no-types -o untyped.kiln b.notes.yaml");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *said;
        int code = run(rows[i].arguments, &said);
        if (code != rows[i].code || !strstr(said, rows[i].said))
            fail_msg("%s: %d: %s", rows[i].arguments, code, said);
        free(said);
        assert_null(fixture_read("x", NULL));
    }
}

static void every_changed_byte_is_refused(void **state)
{
    size_t size = 0;
    (void)state;
    write_inputs();
    runs("-s s.yaml --compress 3 -o it.kiln a.items.yaml");
    char *text = fixture_read("it.kiln", &size);
    for (size_t at = 0; at < size; at += 1 + size / 700) {
        char *said;
        text[at] = (char)(text[at] ^ 1);
        FILE *file = fopen("bad.kiln", "wb");
        assert_non_null(file);
        assert_int_equal(size, fwrite(text, 1, size, file));
        assert_int_equal(0, fclose(file));
        if (run("repack bad.kiln -o x", &said) != 1 || !strstr(said, "not a valid kiln file"))
            fail_msg("byte %zu: %s", at, said);
        free(said);
        assert_null(fixture_read("x", NULL));
        text[at] = (char)(text[at] ^ 1);
    }
    free(text);
}

static void failing_allocations_end_a_run_cleanly(void **state)
{
    char *said;
    (void)state;
    write_inputs();
    runs("-s s.yaml --compress 1 -o it.kiln a.items.yaml");
    for (long n = 0;; n += 1 + n / 8) {
        bake_memory_fail_after(n);
        int code = run("repack it.kiln --compress 1 --order references -o x", &said);
        bool has_failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        free(said);
        assert_int_equal(code, has_failed ? 2 : 0);
        if (!has_failed)
            break;
        assert_null(fixture_read("x", NULL));
    }
    runs("repack it.kiln --compress 1 --order references -o y");
    same_files("x", "y");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(options_select_what_is_compressed),
        TEST(assets_are_stored_in_the_given_order),
        TEST(imports_are_kept),
        TEST(scenes_stay_mappable),
        TEST(small_scenes_share_a_dictionary_with_their_parts),
        TEST(usage_errors_take_one_line),
        TEST(every_changed_byte_is_refused),
        TEST(failing_allocations_end_a_run_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
