/* Trees of large, deep, random and hostile texts, and trees for which memory runs out. */
#define _POSIX_C_SOURCE 200809L

#include "tree_reading.h"

/* Writes `count` entries "k0: 0", "k1: 1", ... followed by `more`. */
static char *many_entries(unsigned count, const char *more)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "k%u: %u\n", i, i);
    fputs(more, out);
    fclose(out);
    return text;
}

static void check_lookups(const bake_tree *tree, unsigned count)
{
    bake_node_id root = bake_tree_document(tree, 0);
    assert_int_equal(bake_node_count(tree, root), count);
    bake_iterator it = bake_iterator_begin(tree, root);
    for (unsigned i = 0; i < count; i++) {
        char key[16];
        int length = snprintf(key, sizeof key, "k%u", i);
        bake_node_id value = bake_node_find(tree, root, key, (size_t)length);
        assert_int_not_equal(value, BAKE_NODE_NONE);
        assert_true(has_text(tree, value, key + 1));
        assert_true(bake_iterator_next(&it));
        assert_true(has_text(tree, it.key, key));
        assert_int_equal(it.value, value);
    }
    assert_false(bake_iterator_next(&it));
    assert_int_equal(bake_node_find(tree, root, "k", 1), BAKE_NODE_NONE);
    assert_int_equal(bake_node_find(tree, root, "", 0), BAKE_NODE_NONE);
    assert_int_equal(bake_node_find(tree, root, "k1\0", 3), BAKE_NODE_NONE);
}

static const uint64_t hash_masks[] = {UINT64_MAX, 3, 0};
static const unsigned entry_counts[] = {0,  1,  2,  11, 12,  13,  14,  15,  16,  17,
                                        31, 32, 33, 63, 100, 127, 128, 129, 1000};

static void lookups_find_every_key_despite_collisions(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        bake_tree_weaken_hash(hash_masks[m]);
        for (size_t i = 1; i < sizeof entry_counts / sizeof *entry_counts; i++) {
            char *text = many_entries(entry_counts[i], "");
            reading r = read_text(text);
            assert_int_equal(bake_diagnostics_errors(r.diagnostics), 0);
            check_lookups(r.tree, entry_counts[i]);
            reading_fini(&r);
            free(text);
        }
    }
    bake_tree_weaken_hash(UINT64_MAX);
}

static void duplicates_are_found_despite_collisions(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        bake_tree_weaken_hash(hash_masks[m]);
        for (size_t i = 1; i < sizeof entry_counts / sizeof *entry_counts; i++) {
            char *text = many_entries(entry_counts[i], "k0: again\nk0: and again\n");
            reading r = read_text(text);
            assert_int_equal(bake_diagnostics_errors(r.diagnostics), 2);
            check_lookups(r.tree, entry_counts[i]);
            char *said = printed(&r);
            assert_non_null(strstr(said, "hint: first given on line 1\n"));
            free(said);
            reading_fini(&r);
            free(text);
        }
    }
    bake_tree_weaken_hash(UINT64_MAX);
}

static void own_keys_and_then_the_first_merged_ones_win(void **state)
{
    (void)state;
    static const char yaml[] =
        "- &a {x0: a, x1: a, x2: a, x3: a, x4: a, x5: a, x6: a}\n"
        "- &b {x5: b, x6: b, x7: b, x8: b, x9: b, x10: b, x11: b, x12: b, x13: b}\n"
        "- {x13: own, <<: [*a, *b, *a], x0: own, y: own}\n";
    for (size_t m = 0; m < 3; m++) {
        bake_tree_weaken_hash(hash_masks[m]);
        reading r = read_text(yaml);
        assert_int_equal(bake_diagnostics_errors(r.diagnostics), 0);
        char *got = shown(r.tree);
        assert_non_null(strstr(got, "{x13:own,x0:own,y:own,x1:a,x2:a,x3:a,x4:a,x5:a,x6:a,"
                                    "x7:b,x8:b,x9:b,x10:b,x11:b,x12:b}]"));
        bake_node_id merged = at(r.tree, bake_tree_document(r.tree, 0), 2).value;
        bake_node_id value = bake_node_find(r.tree, merged, "x12", 3);
        assert_true(has_text(r.tree, value, "b"));
        free(got);
        reading_fini(&r);
    }
    bake_tree_weaken_hash(UINT64_MAX);
}

/* Returns `before`, `item` repeated `count` times, and `after`. */
static char *repeated(const char *before, unsigned count, const char *item, const char *after)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(before, out);
    for (unsigned i = 0; i < count; i++)
        fputs(item, out);
    fputs(after, out);
    fclose(out);
    return text;
}

static void check_rule(const char *text, const char *rule)
{
    reading r = read_text(text);
    char *said = printed(&r);
    if (!rule)
        assert_string_equal(said, "");
    else if (!strstr(said, rule))
        fail_msg("%s is missing from: %s", rule, said);
    free(said);
    reading_fini(&r);
}

static void nesting_is_limited_also_through_aliases(void **state)
{
    (void)state;
    char *text = repeated("", BAKE_TREE_DEPTH_MAX, "- ", "x");
    check_rule(text, NULL);
    free(text);
    text = repeated("", BAKE_TREE_DEPTH_MAX + 1, "- ", "x");
    check_rule(text, ":1:1025: error: values are nested deeper than 512 levels [depth]");
    free(text);
    text = repeated("", 200000, "[", "");
    check_rule(text, "[depth]");
    free(text);
    text = repeated("a: &a ", 256, "[", "");
    char *closed = repeated(text, 256, "]", "\nb: ");
    char *fits = repeated(closed, 255, "[", "*a");
    char *fits_closed = repeated(fits, 255, "]", "\n");
    check_rule(fits_closed, NULL);
    char *deep = repeated(closed, 256, "[", "*a");
    char *deep_closed = repeated(deep, 256, "]", "\n");
    check_rule(deep_closed, "with this alias, values are nested deeper than 512 levels [depth]");
    free(text);
    free(closed);
    free(fits);
    free(fits_closed);
    free(deep);
    free(deep_closed);
}

static void alias_bombs_are_refused(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("- &a0 [x,x,x,x,x,x,x,x,x,x]\n", out);
    for (unsigned i = 0; i < 30; i++)
        fprintf(out, "- &a%u [*a%u,*a%u,*a%u,*a%u,*a%u]\n", i + 1, i, i, i, i, i);
    fclose(out);
    check_rule(text, "[alias-bomb]");
    free(text);
    /* Merging copies links, which count toward the same limit. */
    text = repeated("- &a {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, "
                    "i: [1,2,3,4,5,6,7,8,9,0]}\n- &l [*a",
                    999, ",*a", "]\n");
    char *merged = repeated(text, 100, "- {<<: *l}\n", "");
    check_rule(merged, "[alias-bomb]");
    free(text);
    free(merged);
}

static void aliases_fit_up_to_the_limit(void **state)
{
    (void)state;
    enum { ITEMS = 999, LISTS = 1100 };
    /* The nodes are the root, the anchored ones, the list of aliases, and their copies. */
    uint64_t values = 1 + (1 + ITEMS) + 1 + 1 + (uint64_t)LISTS * (1 + ITEMS);
    unsigned single = (unsigned)(16 - (values - BAKE_TREE_EXPANDED_MIN) % 16);
    char *items = repeated("- &a [x", ITEMS - 1, ",x", "]\n- &b x\n- [*a");
    char *lists = repeated(items, LISTS - 1, ",*a", "");
    char *whole = repeated(lists, single, ",*b", "]\n#");
    size_t fits = (size_t)(values + single - BAKE_TREE_EXPANDED_MIN) / 16, size = strlen(whole);
    assert_true(size < fits);
    char *text = repeated(whole, (unsigned)(fits - size), "#", "");
    check_rule(text, NULL);
    text[fits - 1] = '\0';
    check_rule(text, "[alias-bomb]");
    free(items);
    free(lists);
    free(whole);
    free(text);
}

static void a_tag_of_excessive_length_is_refused(void **state)
{
    (void)state;
    char *text = repeated("!", 254, "a", " x");
    check_rule(text, NULL);
    free(text);
    text = repeated("!", 255, "a", " x");
    check_rule(text, "the tag has 256 bytes, more than the maximum of 255 [tag]");
    free(text);
}

/* Combines every byte read, so that the compiler cannot remove the reads. */
static unsigned seen;

/* Visits every node up to a limit, so that a sanitizer checks every byte used. */
static void visit(const bake_tree *tree, bake_node_id node, unsigned *left)
{
    if (node == BAKE_NODE_NONE || *left == 0)
        return;
    --*left;
    bake_node_mark(tree, node);
    bake_node_is_null(tree, node);
    size_t length;
    const char *text = bake_node_text(tree, node, &length);
    for (size_t i = 0; i < length; i++)
        seen += (unsigned char)text[i];
    uint32_t count = 0;
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it); count++) {
        if (bake_node_kind_of(tree, node) == BAKE_NODE_MAPPING) {
            const char *key = bake_node_text(tree, it.key, &length);
            assert_int_equal(bake_node_find(tree, node, key, length), it.value);
        }
        visit(tree, it.value, left);
    }
    assert_int_equal(count, bake_node_count(tree, node));
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Pieces of YAML syntax, so that random texts get far into the reader. */
static const char *const pieces[] = {"a",     "b",        "<<",
                                     ": ",    ":\n",      "- ",
                                     "\n",    "\n  ",     "[",
                                     "]",     "{",        "}",
                                     ", ",    "&a",       "*a",
                                     " ",     "'",        "\"",
                                     "|",     ">",        "?",
                                     "!",     "!!x",      "---\n",
                                     "...\n", "#",        "\t",
                                     "\\0",   "~",        "%",
                                     "@",     "\r",       "é",
                                     "\xff",  "\x01",     "&b ",
                                     "*b",    "<<: *a\n", "\n--- !u!x &a stripped\nT: "};

static void random_texts_are_read_or_refused(void **state)
{
    (void)state;
    uint64_t seed = 20250611;
    for (unsigned round = 0; round < 20000; round++) {
        char text[256];
        size_t size = 0;
        uint32_t wanted = next_random(&seed) % 200;
        bool bytes = round % 8 == 0;
        if (round % 4 == 1)
            size = strlen(strcpy(text, "%TAG !u! t:\n---"));
        while (size < wanted) {
            if (bytes) {
                text[size++] = (char)next_random(&seed);
                continue;
            }
            const char *piece = pieces[next_random(&seed) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + size, piece, strlen(piece));
            size += strlen(piece);
        }
        reading r = read_bytes(text, size);
        unsigned left = 10000;
        for (uint32_t i = 0; i < bake_tree_document_count(r.tree); i++)
            visit(r.tree, bake_tree_document(r.tree, i), &left);
        free(printed(&r));
        reading_fini(&r);
    }
}

static const char rich[] =
    "%TAG !e! tag:e,1:\n---\nanchors: [&a {x: 1, y: [1, 2, 3]}, &b {z: !e!t 2}, *a]\n"
    "merged: {<<: [*a, *b], own: \"te\\0xt\"}\nblock: |\n  text\n"
    "many: {k0: 0, k1: 1, k2: 2, k3: 3, k4: 4, k5: 5, k6: 6, k7: 7, k8: 8, k9: 9, ka: 1, kb: 2, "
    "kc: 3, kd: 4, ke: 5}\n--- !e!x &s stripped\nsecond: document\ntwice: 1\ntwice: 2\nalias: "
    "*nothing\n"
    "? [key]\n: 1\n";

static void every_failing_allocation_ends_cleanly(void **state)
{
    (void)state;
    /* Large enough to make the arrays grow. */
    char *text = repeated("head: [", 300, "v, [[w]], ", "&z z]\n");
    char *padded = repeated(text, 1, rich + sizeof "%TAG !e! tag:e,1:\n---\n" - 1, "");
    static const char sound[] = "a: &b {c: 1}\nd: {<<: *b, e: !f g}\nh: |\n  i\nj: \"\\t\"\n";
    const char *const texts[] = {rich, padded, sound, "a: [1\n", "\xff"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool failed = true;
        for (long n = 0; failed; n++) {
            bake_memory_fail_after(n);
            bake_diagnostics *diagnostics = bake_diagnostics_create();
            bake_tree *tree = NULL;
            if (diagnostics) {
                size_t size = strlen(texts[i]);
                uint32_t source = bake_diagnostics_add_source(diagnostics, "t", texts[i], size);
                tree = bake_tree_read(diagnostics, source, texts[i], size);
            }
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            if (diagnostics && failed) {
                assert_true(bake_diagnostics_no_memory(diagnostics));
                assert_true(bake_diagnostics_errors(diagnostics) > 0);
            }
            assert_true(failed || tree);
            bake_tree_destroy(tree);
            bake_diagnostics_destroy(diagnostics);
        }
    }
    free(text);
    free(padded);
}

static void a_text_above_one_gibibyte_is_refused_unread(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    assert_non_null(diagnostics);
    bake_tree *tree = bake_tree_read(diagnostics, 0, "x", ((size_t)1 << 30) + 1);
    assert_non_null(tree);
    assert_int_equal(bake_tree_document_count(tree), 0);
    assert_int_equal(bake_diagnostics_errors(diagnostics), 1);
    bake_tree_destroy(tree);
    bake_diagnostics_destroy(diagnostics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups_find_every_key_despite_collisions),
        cmocka_unit_test(duplicates_are_found_despite_collisions),
        cmocka_unit_test(own_keys_and_then_the_first_merged_ones_win),
        cmocka_unit_test(nesting_is_limited_also_through_aliases),
        cmocka_unit_test(alias_bombs_are_refused),
        cmocka_unit_test(aliases_fit_up_to_the_limit),
        cmocka_unit_test(a_tag_of_excessive_length_is_refused),
        cmocka_unit_test(random_texts_are_read_or_refused),
        cmocka_unit_test(every_failing_allocation_ends_cleanly),
        cmocka_unit_test(a_text_above_one_gibibyte_is_refused_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
