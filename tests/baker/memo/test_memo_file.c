/* Memos in files: what is written is read again, and nothing else is accepted. */
#include "gateway_fixture.h"

#include "hash.h"
#include "memo_aliases.h"
#include "memo_file.h"
#include "memo_fixture.h"
#include "memo_paths.h"

enum { HEADER_SIZE = 152, FILE_MAX = 1 << 12 };
static const kiln_hash128 key = {1, 2};

/* Two files with an asset each, and an abstract asset from which both inherit. */
static bake_memo *make_memo(void)
{
    static const char texts[] = "a.yaml\0b.yaml\0T/a\0T/b\0T/base";
    static const char alias_texts[] = "T/old\0T/a\0f00d\0x.png\0\0y.sh\0z.png";
    const memo_counts counts = {3, 2, 2, 2, 1, 1, sizeof texts, 3, 2, 3, sizeof alias_texts,
                                0, 2, 3};
    const bake_memo_asset rows[] = {
        {{3, 4}, 5, 14, 3, 1, 0, 0, 0, 1, BAKE_MEMO_PLAIN, 0, 0},
        {{5, 6}, 5, 18, 3, 1, 1, BAKE_MEMO_NO_RULE, 1, 1, BAKE_MEMO_PLAIN, 0, 0},
        {{7, 8}, 0, 22, 6, 1, 1, 0, 2, 0, 0, 0, 1}};
    bake_memo *memo = memo_fixture(&counts, texts, rows);
    memo->parents[0] = memo->parents[1] = 2;
    memo->targets[0] = 9;
    memo->kinds[0] = (bake_memo_kind){{1, 2}, {3, 4}, 5, 0};
    memo->schema_rest = (kiln_hash128){6, 7};
    memo->forms[2] = (bake_node_form){{1, 2}, 3, 4, 5, 0};
    memo->payloads[0] = (bake_memo_payload){{8, 9}, 0, 16, 0, 0};
    memo->payloads[1] = (bake_memo_payload){{8, 9}, 1, 0, 4096, 0};
    memcpy(memo->alias_texts, alias_texts, sizeof alias_texts);
    memo->aliases[0] = (bake_memo_alias){0, 5, 6, 3, BAKE_MEMO_NO_FILE, BAKE_MEMO_RENAMED};
    memo->aliases[1] = (bake_memo_alias){10, 4, 15, 5, 1, BAKE_MEMO_GUID};
    memo->aliases[2] = (bake_memo_alias){21, 0, 21, 0, 0, BAKE_MEMO_CONTEXT};
    memo->paths[0] = (bake_memo_used){22, 4};
    memo->paths[1] = (bake_memo_used){27, 5};
    memo->uses[0] = (bake_memo_use){0, BAKE_MEMO_BY_FILE, 1};
    memo->uses[1] = (bake_memo_use){1, BAKE_MEMO_BY_ROW, 0};
    memo->uses[2] = (bake_memo_use){1, BAKE_MEMO_BY_ROW, 2};
    return memo;
}

/* The bytes of a saved memo, which the caller frees. */
static unsigned char *saved(size_t *ret_size)
{
    bake_memo *memo = make_memo();
    bake_gateway *gateway = bake_gateway_create(NULL);
    assert_non_null(gateway);
    assert_true(bake_memo_save(memo, key, gateway, "memo"));
    bake_gateway_destroy(gateway);
    bake_memo_destroy(memo);
    unsigned char *bytes = malloc(FILE_MAX);
    FILE *file = fopen("memo", "rb");
    assert_true(bytes && file);
    *ret_size = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    assert_true(*ret_size > HEADER_SIZE && *ret_size < FILE_MAX);
    return bytes;
}

static void check_no_memo(const void *bytes, size_t size, kiln_hash128 wanted)
{
    errno = 0;
    assert_null(bake_memo_read(bytes, size, wanted));
    assert_int_equal(errno, EINVAL);
}

static void a_saved_memo_is_read_again(void **state)
{
    (void)state;
    size_t size;
    uint32_t end;
    unsigned char *bytes = saved(&size);
    bake_memo *memo = bake_memo_load("memo", key), *before = make_memo();
    assert_non_null(memo);
    assert_int_equal(memo->count, 3);
    assert_int_equal(memo->asset_count, 2);
    assert_memory_equal(memo->all, before->all, 3 * sizeof *memo->all);
    assert_memory_equal(memo->files, before->files, 2 * sizeof *memo->files);
    assert_memory_equal(memo->parents, before->parents, 2 * sizeof *memo->parents);
    assert_int_equal(memo->target_count, 1);
    assert_int_equal(memo->targets[0], 9);
    assert_int_equal(memo->kind_count, 1);
    assert_memory_equal(memo->kinds, before->kinds, sizeof *memo->kinds);
    assert_int_equal(memo->schema_rest.high, 7);
    assert_int_equal(memo->payload_count, 2);
    assert_memory_equal(memo->payloads, before->payloads, 2 * sizeof *memo->payloads);
    assert_int_equal(memo->alias_count, 3);
    assert_memory_equal(memo->aliases, before->aliases, 3 * sizeof *memo->aliases);
    assert_string_equal(bake_memo_alias_name(memo, &memo->aliases[1]), "f00d");
    assert_string_equal(bake_memo_alias_to(memo, &memo->aliases[1]), "x.png");
    assert_int_equal(memo->use_count, 3);
    assert_memory_equal(memo->uses, before->uses, 3 * sizeof *memo->uses);
    assert_int_equal(bake_memo_find_path(memo, "z.png"), 1);
    assert_int_equal(bake_memo_find_path(memo, "x.png"), UINT32_MAX);
    assert_int_equal(bake_memo_path_uses(memo, 1, &end), 1);
    assert_int_equal(end, 3);
    assert_int_equal(memo->form_count, 3);
    assert_memory_equal(memo->forms, before->forms, 3 * sizeof *memo->forms);
    assert_string_equal(bake_memo_name(memo, 2), "T/base");
    assert_string_equal(bake_memo_path(memo, 1), "b.yaml");
    bake_memo_destroy(before);
    bake_memo_destroy(memo);
    free(bytes);
}

static void a_memo_of_another_record_is_no_memo(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = saved(&size);
    check_no_memo(bytes, size, (kiln_hash128){1, 3});
    check_no_memo(bytes, size, (kiln_hash128){0, 2});
    free(bytes);
}

static void every_truncation_is_no_memo(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = saved(&size);
    for (size_t left = 0; left < size; left++) {
        unsigned char *copy = malloc(left + !left);
        assert_non_null(copy);
        memcpy(copy, bytes, left);
        check_no_memo(copy, left, key);
        free(copy);
    }
    bytes[size] = 0;
    check_no_memo(bytes, size + 1, key);
    free(bytes);
}

static void every_bit_flip_is_no_memo(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = saved(&size);
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        check_no_memo(bytes, size, key);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(bytes);
}

/* Makes the hash fit the rest, as somebody who forges a memo would. The parts are hashed one after
 * the other. */
static void seal(unsigned char *bytes, size_t size)
{
    uint32_t counts[11], forms;
    memcpy(counts, bytes + 88, sizeof counts);
    memcpy(&forms, bytes + 12, sizeof forms);
    const size_t parts[] = {counts[0] * sizeof(bake_memo_asset),
                            counts[2] * sizeof(bake_memo_source),
                            counts[3] * sizeof(uint32_t),
                            counts[4] * sizeof(kiln_id),
                            counts[5] * sizeof(bake_memo_kind),
                            forms * sizeof(bake_node_form),
                            counts[6] * sizeof(bake_memo_payload),
                            counts[7] * sizeof(bake_memo_alias),
                            counts[9] * sizeof(bake_memo_used),
                            counts[10] * sizeof(bake_memo_use),
                            counts[8]};
    uint64_t hash = kiln_hash64(bytes + 24, HEADER_SIZE - 24, 8);
    size_t at = HEADER_SIZE;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && parts[i] <= size - at; i++) {
        hash = kiln_hash64(bytes + at, parts[i], hash);
        at += parts[i];
    }
    hash = kiln_hash64(bytes + at, size - at, hash);
    memcpy(bytes + 16, &hash, sizeof hash);
}

/* Reads bytes that may be a memo, and uses all its relations. Returns whether they are one. */
static bool use(const unsigned char *bytes, size_t size)
{
    unsigned char rows[3] = {0, 0, 1}, files[2] = {1, 0};
    const uint32_t parents[] = {0, 1, 2};
    const kiln_id targets[] = {1, 2};
    bake_memo *memo = bake_memo_read(bytes, size, key);
    if (!memo)
        return false;
    assert_true(memo->count <= 3 && memo->file_count <= 2);
    for (uint32_t i = 0; i < memo->count; i++)
        assert_int_equal(strlen(bake_memo_name(memo, i)), memo->all[i].name_length);
    (void)bake_memo_find(memo, "T/b", 3);
    (void)bake_memo_find_file(memo, "b.yaml", 0);
    bake_memo_add_descendants(memo, rows);
    bake_memo_add_ancestors(memo, files);
    assert_true(bake_memo_set_parents(memo, 0, parents, 3));
    assert_true(bake_memo_set_targets(memo, 0, targets, 2));
    bake_memo_drop_payloads(memo, rows);
    for (uint32_t i = 0; i < memo->alias_count; i++)
        assert_int_equal(strlen(bake_memo_alias_to(memo, &memo->aliases[i])),
                         memo->aliases[i].to_length);
    for (uint32_t i = 0, end; i < memo->path_count; i++) {
        (void)bake_memo_find_path(memo, memo->alias_texts + memo->paths[i].path);
        assert_true(bake_memo_path_uses(memo, i, &end) <= end && end <= memo->use_count);
    }
    bake_memo_sort_aliases(memo);
    bake_memo_destroy(memo);
    return true;
}

static void forged_memos_are_rejected_or_safe(void **state)
{
    (void)state;
    size_t size, accepted = 0;
    unsigned char *bytes = saved(&size);
    seal(bytes, size);
    assert_true(use(bytes, size));
    for (size_t bit = 24 * 8; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        seal(bytes, size);
        accepted += use(bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    /* Most bits are those of hashes and sizes, which can have any value. */
    assert_true(accepted > 0);
    free(bytes);
}

static void relations_follow_parents(void **state)
{
    (void)state;
    bake_memo *memo = make_memo();
    unsigned char rows[3] = {0, 0, 1}, files[2] = {1, 0};
    const uint32_t own[] = {0, 2};
    assert_int_equal(bake_memo_find(memo, "T/b", 3), 1);
    assert_int_equal(bake_memo_find(memo, "T/base", 6), 2);
    assert_int_equal(bake_memo_find(memo, "T/bas", 5), UINT32_MAX);
    assert_int_equal(bake_memo_find_file(memo, "b.yaml", 0), 1);
    assert_int_equal(bake_memo_find_file(memo, "b.yaml", 1), 1);
    assert_int_equal(bake_memo_find_file(memo, "b.yaml", 2), 1);
    assert_int_equal(bake_memo_find_file(memo, "b.yaml", UINT32_MAX), 1);
    assert_int_equal(bake_memo_find_file(memo, "b.yam", 0), UINT32_MAX);
    bake_memo_add_descendants(memo, rows);
    assert_int_equal(rows[0] + rows[1] * 2 + rows[2] * 4, 7);
    bake_memo_add_ancestors(memo, files);
    assert_int_equal(files[1], 1);
    /* A cycle cannot cause an endless loop. */
    assert_true(bake_memo_set_parents(memo, 2, own, 2));
    memset(rows, 0, sizeof rows);
    rows[1] = 1;
    bake_memo_add_descendants(memo, rows);
    assert_int_equal(rows[0] + rows[1] * 2 + rows[2] * 4, 2);
    bake_memo_destroy(memo);
}

static text_key text_of(const char *text)
{
    return (text_key){text, strlen(text)};
}

/* Links before guids, and those before missing names and contexts; each by name. */
static void aliases_are_sorted(void **state)
{
    (void)state;
    static const struct {
        bake_memo_alias_kind kind;
        const char *name;
    } added[] = {{BAKE_MEMO_CONTEXT, ""},        {BAKE_MEMO_DANGLING, "T/x"},
                 {BAKE_MEMO_GUID, "b"},          {BAKE_MEMO_ACCEPTED, "T/c"},
                 {BAKE_MEMO_RENAMED, "T/d"},     {BAKE_MEMO_DELETED, "T/b"},
                 {BAKE_MEMO_GUID_OF_INPUT, "a"}, {BAKE_MEMO_DANGLING, "T/w"}};
    static const char *const expected[] = {"T/b", "T/c", "T/d", "a", "b", "T/w", "T/x", ""};
    enum { COUNT = sizeof added / sizeof *added };
    const memo_counts counts = {0};
    bake_memo *memo = bake_memo_create(&counts);
    assert_non_null(memo);
    bake_memo_sort_aliases(memo);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(bake_memo_add_alias(memo, added[i].kind, BAKE_MEMO_NO_FILE,
                                        text_of(added[i].name), text_of("to")));
    bake_memo_sort_aliases(memo);
    for (size_t i = 0; i < COUNT; i++) {
        const bake_memo_alias *alias = &memo->aliases[i];
        assert_string_equal(bake_memo_alias_name(memo, alias), expected[i]);
        assert_string_equal(bake_memo_alias_to(memo, alias), "to");
        assert_int_equal(bake_memo_is_guid(alias), i == 3 || i == 4);
    }
    bake_memory_fail_after(0);
    for (int n = 0;
         bake_memo_add_alias(memo, BAKE_MEMO_DELETED, BAKE_MEMO_NO_FILE, text_of("x"), text_of(""));
         n++)
        assert_true(n < 100);
    bake_memory_fail_after(-1);
    bake_memo_destroy(memo);
}

static void any_allocation_can_fail(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = saved(&size);
    bake_memo *memo = NULL;
    for (long n = 0; !memo; n++) {
        assert_true(n < 100);
        bake_memory_fail_after(n);
        errno = 0;
        memo = bake_memo_load("memo", key);
        bake_memory_fail_after(-1);
        assert_true(memo || errno == ENOMEM);
    }
    bake_memo_destroy(memo);
    free(bytes);
}

static void other_files_are_no_memos(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    make_file("empty", "");
    static const struct {
        const char *path;
        int error;
    } rows[] = {{"folder", EISDIR}, {"empty", EINVAL}, {"none", ENOENT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        errno = 0;
        assert_null(bake_memo_load(rows[i].path, key));
        assert_int_equal(errno, rows[i].error);
    }
}

static void a_memo_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    bake_memo *memo = make_memo();
    bake_gateway *gateway = bake_gateway_create(NULL);
    assert_non_null(gateway);
    errno = 0;
    assert_false(bake_memo_save(memo, key, gateway, "none/memo"));
    assert_int_equal(errno, ENOENT);
    assert_true(bake_memo_save(memo, key, gateway, "memo"));
    bake_gateway_destroy(gateway);
    bake_memo_destroy(memo);
}

static ino_t inode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_ino;
}

/* Loads the memo, changes a row and the parents of another, and saves it for another record.
 * Returns whether the file is still the same one. */
static bool save_again(const uint32_t *parents, uint32_t count)
{
    static const kiln_hash128 next = {8, 9};
    bake_memo *before = bake_memo_load("memo", key), *memo = bake_memo_load("memo", key);
    bake_gateway *gateway = bake_gateway_create(NULL);
    /* While the old file is open, no other file gets its number. */
    FILE *old = fopen("memo", "rb");
    ino_t inode = inode_of("memo");
    assert_true(before && memo && gateway && old);
    memo->all[1].meaning.low = 77;
    assert_true(bake_memo_set_parents(memo, 0, parents, count));
    assert_true(bake_memo_save_again(memo, before, next, gateway, "memo"));
    bool is_same = inode_of("memo") == inode;
    fclose(old);
    bake_gateway_destroy(gateway);
    bake_memo_destroy(before);
    bake_memo *again = bake_memo_load("memo", next);
    assert_non_null(again);
    assert_memory_equal(again->all, memo->all, memo->count * sizeof *memo->all);
    assert_int_equal(again->parent_count, memo->parent_count);
    bake_memo_destroy(again);
    bake_memo_destroy(memo);
    assert_null(bake_memo_load("memo", key));
    return is_same;
}

static void a_memo_is_saved_in_place_if_its_lists_keep_their_sizes(void **state)
{
    (void)state;
    static const uint32_t parents[] = {1, 2};
    size_t size;
    free(saved(&size));
    assert_true(save_again(parents, 1));
    free(saved(&size));
    assert_false(save_again(parents, 2));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_saved_memo_is_read_again),
        TEST(a_memo_of_another_record_is_no_memo),
        TEST(every_truncation_is_no_memo),
        TEST(every_bit_flip_is_no_memo),
        TEST(forged_memos_are_rejected_or_safe),
        cmocka_unit_test(relations_follow_parents),
        TEST(aliases_are_sorted),
        TEST(any_allocation_can_fail),
        TEST(other_files_are_no_memos),
        TEST(a_memo_that_cannot_be_written_is_an_error),
        TEST(a_memo_is_saved_in_place_if_its_lists_keep_their_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
