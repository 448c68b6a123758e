/* Bakes a project with a cache: failed allocations and forged results never give wrong outputs. */
#include "failing_bake.h"

#include "bake_cache.h"
#include "cache_care.h"
#include "cached_file.h"
#include "checked_content.h"
#include "program_identity.h"
#include "record_bytes.h"
#include "record_version.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

enum { OBJECTS_MAX = 40, PATH_ROOM = 100 };

/* An object file of the cache `c`. */
typedef struct object_file {
    char path[PATH_ROOM];
    bake_cache_key key;
    char *data;
    size_t size;
} object_file;

static object_file objects[OBJECTS_MAX];
static size_t object_count;

static void write_project(void)
{
    fixture_write("kiln.yaml",
                  "kiln: 1\nschemas: s.yaml\nbundles:\n"
                  "  one: {sources: data/*.yaml, output: out/one.kiln, source_map: out/one.json}\n"
                  "cache: {local: c}\n");
    fixture_write("s.yaml", "kiln: 1\ntypes: {T: {struct: {n: u8, s: string}, asset: true}}\n");
    assert_int_equal(mkdir("data", 0700), 0);
    fixture_write("data/a.yaml", "T: {a: {n: 1, s: hello}, b: {n: 2, s: world}}\n");
}

static void forget(void)
{
    assert_int_equal(system("rm -rf out .kiln"), 0);
}

/* Bakes, and returns the messages, which the caller frees. */
static char *bake(void)
{
    char *err;
    assert_int_equal(bake_code("build", &err), 0);
    return err;
}

static bool comes_from_cache(void)
{
    forget();
    char *err = bake();
    bool is_cached = strstr(err, "from the cache") != NULL;
    free(err);
    return is_cached;
}

/* The hash of a file as text, which the caller frees. */
static char *hex_of(const char *path)
{
    size_t size = 0;
    char *data = fixture_read(path, &size), *text = malloc(40);
    assert_non_null(data);
    assert_non_null(text);
    kiln_hash128 hash = kiln_content_hash(data, size);
    snprintf(text, 40, "%016llx%016llx", (unsigned long long)hash.high,
             (unsigned long long)hash.low);
    free(data);
    return text;
}

static char *expected[2];

static void check_files(void)
{
    char *found[2] = {hex_of("out/one.kiln"), hex_of("out/one.json")};
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(found[i], expected[i]);
        free(found[i]);
    }
}

/* Makes the project and its expected outputs, and fills the cache. */
static void prepare(void)
{
    write_project();
    free(bake());
    expected[0] = hex_of("out/one.kiln");
    expected[1] = hex_of("out/one.json");
    assert_true(comes_from_cache());
    check_files();
}

static void finish(void)
{
    for (size_t i = 0; i < 2; i++)
        free(expected[i]);
    for (size_t i = 0; i < object_count; i++)
        free(objects[i].data);
    object_count = 0;
}

/* Reads all objects of the kind `ac` or `cas`. */
static void read_objects(const char *kind)
{
    char list[64], line[PATH_ROOM];
    snprintf(list, sizeof list, "find c/%s -type f", kind);
    FILE *names = popen(list, "r");
    assert_non_null(names);
    while (fgets(line, sizeof line, names)) {
        object_file *object = &objects[object_count++];
        unsigned long long high, low;
        assert_true(object_count < OBJECTS_MAX);
        line[strcspn(line, "\n")] = '\0';
        snprintf(object->path, sizeof object->path, "%s", line);
        assert_int_equal(sscanf(strrchr(line, '/') + 1, "%16llx%16llx", &high, &low), 2);
        object->key.kind = kind[1] == 'c' ? BAKE_CACHE_RESULT : BAKE_CACHE_CONTENT;
        object->key.hash.high = high;
        object->key.hash.low = low;
        object->data = fixture_read(line, &object->size);
        assert_non_null(object->data);
    }
    pclose(names);
}

static void write_bytes(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Writes a result whose header fits the body, as somebody who can write to the cache could. */
static void forge(const object_file *object, const char *body, size_t size)
{
    char *bytes = malloc(BAKE_CACHE_HEADER_SIZE + size);
    assert_non_null(bytes);
    bake_cache_put_header((unsigned char *)bytes, object->key, body, size);
    memcpy(bytes + BAKE_CACHE_HEADER_SIZE, body, size);
    write_bytes(object->path, bytes, BAKE_CACHE_HEADER_SIZE + size);
    free(bytes);
}

/* ---- cases ---- */

static void any_allocation_can_fail(void **state)
{
    (void)state;
    prepare();
    for (int fills = 0; fills < 2; fills++) {
        bool failed = true;
        for (long n = failing_first(); failed; n += failing_every()) {
            int code;
            char *err;
            forget();
            if (fills)
                assert_int_equal(system("rm -rf c"), 0);
            failed = failing_once(n, "build", &code, &err);
            if (code == 0)
                check_files();
            else if (code != 2 || !strstr(err, "out of memory"))
                fail_msg("allocation %ld: exit code %d: %s", n, code, err);
            assert_null(strstr(err, "is not used any more"));
            free(err);
        }
        bake_cache_totals totals;
        assert_true(bake_cache_count("c", &totals));
    }
    finish();
}

static void truncated_results_with_correct_hashes_are_not_used(void **state)
{
    (void)state;
    prepare();
    read_objects("ac");
    for (size_t i = 0; i < object_count; i++) {
        const char *body = objects[i].data + BAKE_CACHE_HEADER_SIZE;
        size_t size = objects[i].size - BAKE_CACHE_HEADER_SIZE;
        for (size_t left = 0; left <= size + 1; left += left % 8 == 7      ? 1
                                                        : left + 29 < size ? 23
                                                                           : 1) {
            if (left == size)
                continue;
            char *copy = calloc(size + 1, 1);
            assert_non_null(copy);
            memcpy(copy, body, size);
            forge(&objects[i], copy, left);
            comes_from_cache();
            check_files();
            free(copy);
        }
        write_bytes(objects[i].path, objects[i].data, objects[i].size);
    }
    assert_true(comes_from_cache());
    finish();
}

/* A changed bit of a message or a count of warnings cannot be found; outputs stay right. */
static void changed_results_with_correct_hashes_do_not_change_outputs(void **state)
{
    (void)state;
    prepare();
    read_objects("ac");
    for (size_t i = 0; i < object_count; i++) {
        size_t size = objects[i].size - BAKE_CACHE_HEADER_SIZE;
        for (size_t at = 0; at < size; at += 5 + at % 3) {
            char *copy = malloc(size);
            assert_non_null(copy);
            memcpy(copy, objects[i].data + BAKE_CACHE_HEADER_SIZE, size);
            copy[at] = (char)(copy[at] ^ 1 << at % 8);
            forge(&objects[i], copy, size);
            comes_from_cache();
            check_files();
            free(copy);
        }
        write_bytes(objects[i].path, objects[i].data, objects[i].size);
    }
    finish();
}

/* Replaces the first occurrence of `from`, which has the length of `to`, in a result. Returns
 * whether there is one. */
static bool replace_in_result(const object_file *object, const char *from, const char *to)
{
    size_t size = object->size - BAKE_CACHE_HEADER_SIZE, length = strlen(from);
    char *copy = malloc(size);
    bool found = false;
    assert_non_null(copy);
    memcpy(copy, object->data + BAKE_CACHE_HEADER_SIZE, size);
    for (size_t at = 0; at + length <= size && !found; at++)
        if (memcmp(copy + at, from, length) == 0) {
            memcpy(copy + at, to, length);
            found = true;
        }
    if (found)
        forge(object, copy, size);
    free(copy);
    return found;
}

static void forged_outputs_are_not_written(void **state)
{
    static const char *const names[] = {"out/two.kiln", "../xone.kiln", "/tmp/xx.kiln",
                                        "data/a.yaml\0", "out/one.json"};
    (void)state;
    prepare();
    read_objects("ac");
    fixture_write("victim", "old");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool found = false;
        for (size_t k = 0; k < object_count; k++)
            found = replace_in_result(&objects[k], "out/one.kiln", names[i]) || found;
        assert_true(found);
        assert_false(comes_from_cache());
        check_files();
        assert_int_equal(access("out/two.kiln", F_OK), -1);
        assert_int_equal(access("../xone.kiln", F_OK), -1);
    }
    finish();
}

static void messages_that_control_terminals_are_rejected(void **state)
{
    static const char *const texts[] = {"\033]0;x\a", "\033[2J\n ", "\rabc\n ", "\b\b\b\b\b\b",
                                        "\302\2332J\n "};
    (void)state;
    write_project();
    fixture_write("s.yaml", "kiln: 1\ntypes: {T: {struct: {n: u8, s: string, r: {type: "
                            "\"ref<T>?\"}}, asset: true}}\n");
    fixture_write("data/a.yaml", "T: {a: {n: 1, s: hello, r: nobody}}\n");
    fixture_write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles:\n  one: {sources: "
                               "data/*.yaml, output: out/one.kiln, dangling: warn}\n"
                               "cache: {local: c}\n");
    free(bake());
    assert_true(comes_from_cache());
    read_objects("ac");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool found = false;
        for (size_t k = 0; k < object_count; k++)
            found = replace_in_result(&objects[k], "nobody", texts[i]) || found;
        assert_true(found);
        assert_false(comes_from_cache());
        for (size_t k = 0; k < object_count; k++)
            write_bytes(objects[k].path, objects[k].data, objects[k].size);
    }
    assert_true(comes_from_cache());
    for (size_t i = 0; i < object_count; i++)
        free(objects[i].data);
    object_count = 0;
}

/* A file in memory. Reading outside of it fails the test. */
static bool read_memory(void *ctx, uint64_t offset, void *memory, size_t size)
{
    const kiln_span *file = ctx;
    assert_true(offset <= file->size && size <= file->size - offset);
    memcpy(memory, (const char *)file->data + offset, size);
    return true;
}

static kiln_status check_file(const void *data, size_t size, uint64_t most)
{
    kiln_span file = {data, size};
    return bake_cached_file_check(
        &(bake_cache_source){.size = size, .read = read_memory, .ctx = &file}, most);
}

/* Every wrong byte of a kiln file that has the right hash is found by the verifier, or the value is
 * a valid one. */
static void wrong_kiln_files_do_not_pass_the_verifier(void **state)
{
    (void)state;
    prepare();
    size_t size, rejected = 0;
    char *file = fixture_read("out/one.kiln", &size);
    cache_bytes bytes = {.most = size};
    assert_int_equal(bake_cache_bytes_add(&bytes, file, size), CACHE_DONE);
    unsigned char *data = bytes.block.data;
    assert_int_equal(check_file(bytes.block.data, size, UINT64_MAX), KILN_OK);
    for (size_t at = 0; at < size; at++) {
        data[at] ^= 1;
        rejected += check_file(bytes.block.data, size, UINT64_MAX) != KILN_OK;
        data[at] ^= 1;
    }
    assert_int_equal(rejected, size);
    for (size_t left = 0; left < size; left++)
        assert_int_not_equal(check_file(bytes.block.data, left, UINT64_MAX), KILN_OK);
    assert_int_equal(check_file(bytes.block.data, size, UINT64_MAX), KILN_OK);
    bake_cache_bytes_fini(&bytes);
    free(file);
    finish();
}

/* The data of payloads are checked in parts, without being kept in memory. */
static void wrong_payloads_do_not_pass_the_verifier(void **state)
{
    static const char *const forms[] = {"payload", "{type: payload, align: 64}",
                                        "{type: payload, frames: 4096}"};
    (void)state;
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
        char schema[200], noise[4500];
        snprintf(
            schema, sizeof schema,
            "kiln: 1\ntypes: {T: {struct: {a: {type: U}, b: {type: U}}, asset: true}, U: {wrap: "
            "%s%s}}\n",
            *forms[form] == '{' ? "" : "{type: payload}", *forms[form] == '{' ? forms[form] : "");
        fixture_write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles:\n"
                                   "  one: {sources: a.yaml, output: one.kiln}\n");
        fixture_write("s.yaml", schema);
        fixture_write("a.yaml", "T: {a: {a: !file a.bin, b: !file b.bin}}\n");
        for (size_t i = 0; i < sizeof noise; i++)
            noise[i] = (char)(i * i * 2654435761u >> 13);
        write_bytes("a.bin", noise, sizeof noise);
        write_bytes("b.bin", noise, 101);
        free(bake());
        size_t size = 0;
        unsigned char *file = (unsigned char *)fixture_read("one.kiln", &size);
        assert_int_equal(check_file(file, size, UINT64_MAX), KILN_OK);
        for (size_t at = form; at < size; at += 7) {
            file[at] ^= 16;
            if (check_file(file, size, UINT64_MAX) == KILN_OK)
                fail_msg("%s: byte %zu of %zu", forms[form], at, size);
            file[at] ^= 16;
        }
        free(file);
    }
}

/* A compressed member counts with its whole size. */
static void checks_read_a_limited_number_of_bytes(void **state)
{
    (void)state;
    fixture_write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles:\n"
                               "  one: {sources: a.yaml, output: one.kiln, compress: 3}\n");
    fixture_write("s.yaml", "kiln: 1\ntypes: {T: {struct: {n: u8, s: string}, asset: true}}\n");
    char text[5000];
    snprintf(text, sizeof text, "T: {a: {n: 1, s: %02000d}, b: {n: 1, s: %02000d}}\n", 0, 0);
    fixture_write("a.yaml", text);
    free(bake());
    size_t size = 0;
    char *file = fixture_read("one.kiln", &size);
    cache_bytes bytes = {.most = size};
    assert_int_equal(bake_cache_bytes_add(&bytes, file, size), CACHE_DONE);
    uint64_t least = 0;
    while (check_file(bytes.block.data, size, least) == KILN_TOO_LARGE)
        least++;
    assert_int_equal(check_file(bytes.block.data, size, least), KILN_OK);
    /* Equal assets are checked once. The blob has the text, a header and a root. */
    assert_in_range(least, 2000, 2100);
    assert_true(size < 2000);
    bake_cache_bytes_fini(&bytes);
    free(file);
}

static bake_cache *open_cache(void)
{
    return bake_cache_create(&(bake_cache_settings){.local = "c"}, &(bake_failure){BAKE_OK, ""});
}

/* Makes the cache's result name a kiln file with the right hash, but wrong bytes. Returns the hash.
 */
static kiln_hash128 forge_kiln_file(void)
{
    prepare();
    read_objects("ac");
    size_t size = 0;
    char *file = fixture_read("out/one.kiln", &size), from[17] = "", to[17] = "";
    kiln_hash128 good = kiln_content_hash(file, size);
    file[size - 1] ^= 1;
    kiln_hash128 bad = kiln_content_hash(file, size);
    bake_cache *cache = open_cache();
    bake_cache_put(cache, 0, (bake_cache_key){BAKE_CACHE_CONTENT, bad}, file, size);
    bake_cache_destroy(cache);
    record_store((unsigned char *)from, good.low);
    record_store((unsigned char *)from + 8, good.high);
    record_store((unsigned char *)to, bad.low);
    record_store((unsigned char *)to + 8, bad.high);
    bool found = false;
    for (size_t k = 0; k < object_count; k++) {
        size_t body = objects[k].size - BAKE_CACHE_HEADER_SIZE;
        char *copy = malloc(body);
        assert_non_null(copy);
        memcpy(copy, objects[k].data + BAKE_CACHE_HEADER_SIZE, body);
        for (size_t at = 0; at + 16 <= body; at++)
            if (memcmp(copy + at, from, 16) == 0) {
                memcpy(copy + at, to, 16);
                forge(&objects[k], copy, body);
                found = true;
            }
        free(copy);
    }
    assert_true(found);
    free(file);
    return bad;
}

static void a_result_with_a_wrong_kiln_file_is_not_used(void **state)
{
    (void)state;
    forge_kiln_file();
    assert_false(comes_from_cache());
    check_files();
    finish();
}

/* The path of the verdict on a content, the only object that `forge_kiln_file` has not seen. */
static void find_verdict(char path[PATH_ROOM])
{
    char line[PATH_ROOM];
    FILE *names = popen("find c/ac -type f -newer kept", "r");
    assert_non_null(names);
    assert_non_null(fgets(line, sizeof line, names));
    line[strcspn(line, "\n")] = '\0';
    memcpy(path, line, sizeof line);
    assert_null(fgets(line, sizeof line, names));
    pclose(names);
}

/* A wrong kiln file shows whether the verifier has run. */
static void a_verdict_counts_only_for_its_content_and_program_and_user(void **state)
{
    static const struct {
        const char *name;
        bool is_other_content, is_other_program, is_changed;
        mode_t mode;
        bool counts;
    } rows[] = {
        {"own", false, false, false, 0644, true},
        {"private", false, false, false, 0600, true},
        {"of another content", true, false, false, 0644, false},
        {"of another program", false, true, false, 0644, false},
        {"with another body", false, false, true, 0644, false},
        {"that the group can write", false, false, false, 0664, false},
        {"that everybody can write", false, false, false, 0646, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_store store = {0};
        char path[PATH_ROOM];
        kiln_hash128 bad = forge_kiln_file();
        const char *own = bake_record_identity(&store);
        assert_non_null(own);
        assert_int_equal(system("find c -type f -exec touch -d '1 hour ago' {} + && "
                                "touch -d '1 minute ago' kept"),
                         0);
        bake_cache *cache = open_cache();
        bad.low ^= rows[i].is_other_content;
        bake_checked_keep(cache, rows[i].is_other_program ? "other" : own, bad);
        bake_cache_destroy(cache);
        find_verdict(path);
        if (rows[i].is_changed) {
            size_t size = 0;
            char *data = fixture_read(path, &size);
            object_file object = {.key = {BAKE_CACHE_RESULT, {0, 0}}};
            unsigned long long high, low;
            assert_int_equal(sscanf(strrchr(path, '/') + 1, "%16llx%16llx", &high, &low), 2);
            object.key.hash = (kiln_hash128){low, high};
            memcpy(object.path, path, sizeof path);
            data[BAKE_CACHE_HEADER_SIZE] ^= 1;
            forge(&object, data + BAKE_CACHE_HEADER_SIZE, size - BAKE_CACHE_HEADER_SIZE);
            free(data);
        }
        assert_int_equal(chmod(path, rows[i].mode), 0);
        if (comes_from_cache() != rows[i].counts)
            fail_msg("a verdict %s", rows[i].name);
        bake_store_fini(&store);
        finish();
        assert_int_equal(system("rm -rf c out .kiln data kiln.yaml s.yaml"), 0);
    }
}

static void a_file_from_the_cache_is_checked_once(void **state)
{
    bake_store store = {0};
    (void)state;
    write_project();
    free(bake());
    size_t size = 0;
    char *file = fixture_read("out/one.kiln", &size);
    kiln_hash128 content = kiln_content_hash(file, size);
    const char *identity = bake_record_identity(&store);
    for (int i = 0; i < 2; i++) {
        bake_cache *cache = open_cache();
        assert_int_equal(bake_checked_find(cache, identity, content), i);
        bake_cache_destroy(cache);
        assert_true(comes_from_cache());
    }
    free(file);
    bake_store_fini(&store);
}

/* Whether everything in the cache is as it was when a run ended. */
static bool is_cache_unchanged_by(bool (*run)(void))
{
    assert_int_equal(system("find c -type f | sort | xargs ls -i > before"), 0);
    assert_true(run());
    return system("find c -type f | sort | xargs ls -i | cmp -s before -") == 0;
}

static void verdicts_count_whatever_the_umask_is(void **state)
{
    static const mode_t masks[] = {0, 002, 022, 077};
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        mode_t before = umask(masks[i]);
        write_project();
        free(bake());
        bool is_found = comes_from_cache();
        if (!is_found || !is_cache_unchanged_by(comes_from_cache))
            fail_msg("umask %o", (unsigned)masks[i]);
        umask(before);
        assert_int_equal(system("rm -rf c out .kiln data kiln.yaml s.yaml before"), 0);
    }
}

/* Replaces the only object of the cache. */
static void forge_only_object(const char *body, size_t size, mode_t mode)
{
    object_count = 0;
    read_objects("ac");
    assert_int_equal(object_count, 1);
    forge(&objects[0], body, size);
    assert_int_equal(chmod(objects[0].path, mode), 0);
    free(objects[0].data);
    object_count = 0;
}

static void the_identity_of_the_program_is_kept_for_its_user(void **state)
{
    static const char large[1001] = {'x'};
    static const struct {
        const char *body;
        size_t size;
        mode_t mode;
        bool counts;
    } rows[] = {{"other", 5, 0644, true},  {"other", 5, 0600, true},   {"other", 5, 0664, false},
                {"other", 5, 0646, false}, {"oth\0r", 5, 0644, false}, {"", 0, 0644, false},
                {large, 1001, 0644, false}};
    bake_store store = {0};
    kiln_hash128 states, again;
    const char *own = bake_record_identity(&store);
    (void)state;
    assert_non_null(own);
    /* A program that was built just now may change again without another time. */
    if (!bake_record_states(&states))
        skip();
    assert_true(bake_record_states(&again));
    assert_memory_equal(&states, &again, sizeof states);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_cache *cache = open_cache();
        assert_string_equal(bake_program_identity(cache, &store), own);
        forge_only_object(rows[i].body, rows[i].size, rows[i].mode);
        const char *found = bake_program_identity(cache, &store);
        assert_string_equal(found, rows[i].counts ? rows[i].body : own);
        bake_cache_destroy(cache);
        assert_int_equal(system("rm -rf c"), 0);
    }
    assert_string_equal(bake_program_identity(NULL, &store), own);
    bake_store_fini(&store);
}

static void without_a_local_folder_there_are_no_verdicts(void **state)
{
    const kiln_hash128 content = {1, 2};
    (void)state;
    assert_int_equal(mkdir("shared", 0700), 0);
    bake_cache *cache =
        bake_cache_create(&(bake_cache_settings){.shared = "shared"}, &(bake_failure){BAKE_OK, ""});
    bake_checked_keep(cache, "program", content);
    assert_false(bake_checked_find(cache, "program", content));
    bake_cache_destroy(cache);
    assert_int_equal(rmdir("shared"), 0);
    bake_checked_keep(NULL, "program", content);
    assert_false(bake_checked_find(NULL, "program", content));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(any_allocation_can_fail),
        TEST(truncated_results_with_correct_hashes_are_not_used),
        TEST(changed_results_with_correct_hashes_do_not_change_outputs),
        TEST(forged_outputs_are_not_written),
        TEST(messages_that_control_terminals_are_rejected),
        TEST(wrong_kiln_files_do_not_pass_the_verifier),
        TEST(wrong_payloads_do_not_pass_the_verifier),
        TEST(checks_read_a_limited_number_of_bytes),
        TEST(a_result_with_a_wrong_kiln_file_is_not_used),
        TEST(a_verdict_counts_only_for_its_content_and_program_and_user),
        TEST(a_file_from_the_cache_is_checked_once),
        TEST(verdicts_count_whatever_the_umask_is),
        TEST(the_identity_of_the_program_is_kept_for_its_user),
        TEST(without_a_local_folder_there_are_no_verdicts),
    };
    unsetenv("KILN_CACHE");
    unsetenv("KILN_CACHE_SHARED");
    unsetenv("KILN_CACHE_URL");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
