/* Compares the two YAML readers: libyaml must accept what the quick reader accepts, and both trees
 * must be equal.
 *
 * With folders as arguments, it also reads their files and randomly changed slices of them. */
#define _GNU_SOURCE

#include "bake_memory.h"
#include "readers_agree.h"
#include "tree_quick.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    SLICE_SIZE = 1500,
    CHANGED_SIZE = 4 * SLICE_SIZE,
    SLICES_PER_FILE = 10,
    FILE_SIZE_MAX = 1 << 20,
    PATHS_MAX = 16
};

static bake_builder builder;
static const char *folders[PATHS_MAX];
static int folder_count;

/* Whether the quick reader accepted the text. */
static bool compare_readers(const char *text, size_t size)
{
    bool taken;
    if (!readers_agree(text, size, &taken))
        fail_msg("the readers differ");
    return taken;
}

/* Typical authoring data must not fall back to libyaml. */
static const char *const taken[] = {
    "",
    "\n",
    "# only a comment",
    "a: 1\n",
    "\xef\xbb\xbf"
    "a: 1\r\nb:\r\n  - x\r\n  - |\r\n    y\r\n",
    "a: 1\nb:\n  c: 2\n  d:\n    - e\n    - f: 1\n      g: 2\n",
    "a:\n- 1\n- 2\nb:\n-\n- c:\n  - d\n  e:\n",
    "- - - a\n    - b\n  - c\n- d\n",
    "-\n  a: 1\n-\n  - b\n- # c\n  d\n",
    "---\na: b\n---\n- c\n...\n---\n--- d\n--- |\n e\n...\n",
    "a: {b: 1, c: [d, e], f, g: , h : i, 'j':k, \"l\": {}, m: []}\n",
    "[a: b, c, 'd' : e, \"f\":g, h: ]\n",
    "a: [\n  b, # c\n  d,\n\n  e f\n  g,\n]\n",
    "{\n  \"a\": [1, 2.5, -3, true, null],\n  \"b\": {\"c\": \"d\\n\\u00e9\\\\\"}\n}\n",
    "a: b c  d   # e\nf: g#h\ni: j:k\nl: -m\nn: ?o\np: :q\n?r: s\n:t: u\n-v: w\n",
    "a: b\n  c\n\n\n  d\ne: 'f\n  g''h\n\n  i '\nj: \"k \\\n  l\\  \n  m\\n\"\n",
    "a: |\n  b\n   c\n\n  d\n\ne: >\n  f\n  g\n\n  h\n   i\n  j\nk: |-\n  l\nm: >+\n  n\n\n\no: "
    "|2\n    p\n",
    "a: |\nb: >-\nc: |+\n\n\nd: 1\n",
    "a: &b 1\nc: *b\nd: &e\n  f: 1\ng:\n  <<: *e\n  h: 2\ni: &j\n- 1\nk: [*b, &l m, *l]\n*b : 1\n",
    "a: !b c\nd: !!str 1\ne: !f\n  g: 1\nh: !i {j: k}\nl: !m\n- n\n",
    "- !type:A\n  b: 1\n- !type:B {c: 1}\n- !type:C\n- &d !e f\n- !g &h i\n- ! j\n",
    "'a b': 1\n\"c\\td\": 2\n'e''f' : 3\n",
    "k\xc3\xa4se: gr\xc3\xbcn\n\xe6\x97\xa5: [\xe6\x9c\xac, '\xf0\x9f\x98\x80']\n",
    "a:\tb\nc: d\t# e\n",
    "plain\n  text\nover lines\n",
    "{\n\t\"a\": [\n\t\t1\n\t],\n\tb: c\n\td\n}\n",
    "a: [\n \tb\n \tc\n ]\n",
    "a:\n    b: 1\n# c\n  # d\n    e: 2\n",
    "%YAML 1.1\n%TAG !u! tag:u,2011:\n--- !u!4 &1\nT:\n  a: {b: !u!x c}\n--- !u!1 &-2 "
    "stripped\nG:\n"
    "  d: [!u!y , !u!z e]\n---\nf\n--- &3 !u!5 stripped \nH: g\n",
    "\xef\xbb\xbf# a\r\n%TAG !u! tag:u\r\n\r\n%TAG !v-w! t,u:\r\n# b\r\n--- !u!4\r\nT: 1\r\n...\r\n"
    "--- !v-w!4 &a stripped\r\nT: !u!x 1\r\n",
    "%TAG !u! tag:u\n--- !u!a &a stripped  # b\nT: c\n",
    "%TAG !u! tag:u\n--- !u!a &a stripped\n",
    "%TAG !u! tag:u\n---\na\n  b\n--- &a stripped\n  text\n--- !u!a stripped\n--- !u!a &a "
    "strippedb\n",
};

static const char *const left[] = {
    "%YAML 1.1\n---\na\n",
    "? a\n: b\n",
    "a:\n\tb: 1\n",
    "!e!f g\n",
    "a: b: c\n",
    "a: 1\na: 2\n",
    "*a\n",
    "[a",
    "a: 1\n  b: 2\n",
    "a\n...\nb\n",
    "'a\n---\n'",
    "@a",
    "a: \"\\q\"\n",
    "a: \x01\n",
    "a\rb\n",
    "a: [b\n\tc]\n",
    "- {\n\ta: 1\n\t}\n",
    "a:\n  - [b\n \t]\n",
    "%TAG !u! t:\n---\na: !v!b c\n",
    "%TAG !u! t:\n%TAG !u! t:\n---\na\n",
    "%TAG !u! t:\n---\na: !u! c\n",
    "%TAG ! t:\n---\na\n",
    "%TAG !u! t:\n%FOO\n---\na\n",
    "%TAG !u! t:\n%YAML 1.3\n---\na\n",
    "%YAML 1.1\n%YAML 1.1\n%TAG !u! t:\n---\na\n",
    "%TAG !u! t:\n---\na: '\n%b'\n---\n!u!c d\n",
    "%TAG !u! t:\n---\na\n---\n%TAG !u! v:\n--- !u!a b\n",
    "%TAG !u! t:\na: !u!b c\n",
    "a: 1\n--- &a stripped\nb: 1\n",
};

static void typical_texts_use_the_quick_reader(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!compare_readers(taken[i], strlen(taken[i])))
            fail_msg("row %zu fell back to libyaml: %s", i, taken[i]);
}

static void rare_and_invalid_texts_fall_back_to_libyaml(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (compare_readers(left[i], strlen(left[i])))
            fail_msg("row %zu did not fall back: %s", i, left[i]);
}

static void both_readers_agree_on_every_prefix_of_a_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        for (size_t size = strlen(taken[i]); size-- > 0;)
            compare_readers(taken[i], size);
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Pieces of YAML syntax. */
static const char *const pieces[] = {
    "a",        "b c",    "<<",   ": ",          ":\n",     "- ",      "\n",     "\n  ",
    "\n    ",   "[",      "]",    "{",           "}",       ", ",      ",",      "&a ",
    "*a",       " ",      "'",    "\"",          "|\n",     ">\n  ",   "|-\n ",  "? ",
    "!",        "!!x ",   "!t ",  "---\n",       "...\n",   "# c",     " # c\n", "\t",
    "\\n",      "\\\n",   "~",    "%",           "-",       ":",       "?",      "\r\n",
    "\xc3\xa9", "--- ",   "\n- ", "\na: ",       "\n  b: ", "\n  - c", "|2\n",   ">+\n",
    "''",       "#",      "\\",   "\n\n",        "\n \n",   "a: ",     "b: ",    "key: value\n",
    "- item\n", "{a: b}", "[c]",  "\xef\xbb\xbf"};

/* Pieces of streams whose tags are declared once for all documents. */
static const char *const shared_pieces[] = {
    "--- !u!1 &1 stripped\nT:\n  ",
    "\n--- !u!1 &2\nT: ",
    "\n--- &3 stripped # c\nT:",
    "\n--- &3 stripped# c\nT:",
    "\n--- ",
    "\n---\n",
    "\n...\n",
    "stripped",
    " stripped\n",
    "&a ",
    "!u!x ",
    "!v!y ",
    "T: ",
    "\nT:",
    "\n%TAG !v! w:\n",
    "\n%",
    "# c\n",
    "\r\n",
    "  ",
};

static size_t add_piece(char *text, const char *const *from, size_t count, uint64_t *seed)
{
    const char *piece = from[next_random(seed) % count];
    memcpy(text, piece, strlen(piece));
    return strlen(piece);
}

static void both_readers_agree_on_texts_made_of_pieces(void **state)
{
    (void)state;
    uint64_t seed = 20260321;
    unsigned count = 0;
    for (unsigned round = 0; round < 60000; round++) {
        char text[512];
        size_t size = 0;
        uint32_t wanted = 1 + next_random(&seed) % 14;
        for (uint32_t i = 0; i < wanted; i++)
            size += add_piece(text + size, pieces, sizeof pieces / sizeof *pieces, &seed);
        count += compare_readers(text, size);
    }
    assert_true(count > 5000);
}

static void both_readers_agree_on_documents_that_share_directives(void **state)
{
    (void)state;
    uint64_t seed = 20261121;
    unsigned count = 0;
    for (unsigned round = 0; round < 60000; round++) {
        char text[1024] = "%TAG !u! tag:u,1:\n%TAG !v! tag:\n---";
        size_t size = strlen(text);
        uint32_t wanted = 1 + next_random(&seed) % 14;
        for (uint32_t i = 0; i < wanted; i++)
            size += next_random(&seed) % 3
                        ? add_piece(text + size, shared_pieces,
                                    sizeof shared_pieces / sizeof *shared_pieces, &seed)
                        : add_piece(text + size, pieces, sizeof pieces / sizeof *pieces, &seed);
        count += compare_readers(text, size);
    }
    assert_true(count > 3000);
}

/* Changes a text in `out` (CHANGED_SIZE) at a few positions: inserts a piece, removes bytes, or
 * repeats a part elsewhere. */
static size_t change(char *out, size_t size, uint64_t *seed)
{
    for (uint32_t changes = next_random(seed) % 4; changes > 0; changes--) {
        size_t at = size ? next_random(seed) % size : 0;
        size_t length = next_random(seed) % 8;
        const char *piece = pieces[next_random(seed) % (sizeof pieces / sizeof *pieces)];
        char copy[64];
        switch (next_random(seed) % 3) {
        case 0:
            length = length < size - at ? length : size - at;
            memmove(out + at, out + at + length, size - at - length);
            size -= length;
            continue;
        case 1:
            length = next_random(seed) % sizeof copy;
            length = length < size - at ? length : size - at;
            memcpy(copy, out + at, length);
            piece = copy;
            at = size ? next_random(seed) % size : 0;
            break;
        default:
            length = strlen(piece);
            break;
        }
        memmove(out + at + length, out + at, size - at);
        memcpy(out + at, piece, length);
        size += length;
    }
    return size;
}

static unsigned files_read, files_taken, slices_read, slices_taken;
static uint64_t file_seed = 7;

/* A slice that starts at the beginning of a line. */
static void compare_slice(const char *text, size_t size)
{
    static char changed[CHANGED_SIZE];
    size_t at = size ? next_random(&file_seed) % size : 0;
    while (at > 0 && text[at - 1] != '\n')
        at--;
    size_t length = next_random(&file_seed) % SLICE_SIZE;
    length = length < size - at ? length : size - at;
    memcpy(changed, text + at, length);
    slices_read++;
    slices_taken += compare_readers(changed, change(changed, length, &file_seed));
}

static int compare_file(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)place;
    const char *dot = strrchr(path, '.');
    static const char *const endings[] = {".yaml",  ".yml", ".unity", ".prefab",
                                          ".asset", ".mat", ".meta",  ".json"};
    bool wanted = false;
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        wanted = wanted || strcmp(dot, endings[i]) == 0;
    if (kind != FTW_F || !wanted || info->st_size > FILE_SIZE_MAX)
        return 0;
    FILE *file = fopen(path, "rb");
    char *text = malloc((size_t)info->st_size + 1);
    if (!file || !text)
        fail_msg("cannot read %s", path);
    size_t size = fread(text, 1, (size_t)info->st_size, file);
    fclose(file);
    files_read++;
    files_taken += compare_readers(text, size);
    for (int i = 0; i < SLICES_PER_FILE; i++)
        compare_slice(text, size);
    free(text);
    return 0;
}

static void both_readers_agree_on_files_and_changed_slices(void **state)
{
    (void)state;
    for (int i = 0; i < folder_count; i++)
        assert_int_equal(nftw(folders[i], compare_file, 16, FTW_PHYS), 0);
    print_message("the quick reader accepted %u of %u files and %u of %u slices\n", files_taken,
                  files_read, slices_taken, slices_read);
    assert_true(files_taken > 0 && slices_taken > 0);
}

static void every_failing_allocation_ends_the_quick_reader(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        bool failed = true;
        for (long n = 0; failed; n++) {
            bake_tree *tree = bake_tree_create(0, taken[i], strlen(taken[i]));
            assert_non_null(tree);
            /* Makes the words grow as well. */
            tree->word_capacity = 0;
            bake_memory_fail_after(n);
            bake_builder_init(&builder, tree, NULL);
            bake_build result = bake_read_quick(&builder);
            bake_builder_fini(&builder);
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            assert_int_equal(result, failed ? BAKE_BUILD_NO_MEMORY : BAKE_BUILD_OK);
            bake_tree_destroy(tree);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typical_texts_use_the_quick_reader),
        cmocka_unit_test(rare_and_invalid_texts_fall_back_to_libyaml),
        cmocka_unit_test(both_readers_agree_on_every_prefix_of_a_text),
        cmocka_unit_test(both_readers_agree_on_texts_made_of_pieces),
        cmocka_unit_test(both_readers_agree_on_documents_that_share_directives),
        cmocka_unit_test(every_failing_allocation_ends_the_quick_reader),
    };
    const struct CMUnitTest with_files[] = {
        cmocka_unit_test(both_readers_agree_on_files_and_changed_slices)};
    for (int i = 1; i < argc && folder_count < PATHS_MAX; i++) {
        struct stat info;
        if (stat(argv[i], &info) != 0) {
            printf("skipped: %s does not exist\n", argv[i]);
            return 77;
        }
        folders[folder_count++] = argv[i];
    }
    return folder_count ? cmocka_run_group_tests(with_files, NULL, NULL)
                        : cmocka_run_group_tests(tests, NULL, NULL);
}
