/* Every command on truncated, changed or forged files: it must print something and exit with 0 or
 * 1. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"

#include "insp_commands.h"
#include "test_share.h"

#include <kiln/blob_header.h>
#include <kiln/index.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char *const commands[] = {
    "info it",
    "ls it",
    "dump it",
    "dump -f yaml it",
    "dump -f json it",
    "get it Node/n.children",
    "verify it",
    "hex it",
    "hex it Node/n",
    "type it",
    "dump --flat it",
    "du it",
    "stats it *.*",
    "type --data it",
    "refs -f json it *",
    "cycles it",
    "find it 1",
    "find it --match text a",
    "export --to sqlite it.db it --force",
    "export --to csv Node it",
    "export --to ndjson Node it",
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void every_command_survives(const void *data, size_t size)
{
    inspect_all(commands, COMMANDS, data, size);
}

static void every_truncation_is_survived(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_SMALL);
    size_t size;
    (void)state;
    for (size = 0; size < sample.size; size++)
        if (test_share_has(size))
            every_command_survives(sample.data, size);
    kiln_buffer_fini(&sample);
}

/* Calls a command on `it`, with the name of an asset if it needs a second argument. */
static inspect_result call_with_file(const insp_command *command)
{
    char text[64];
    snprintf(text, sizeof text, "%s it%s", command->name,
             command->min_arguments > 2   ? " Node/n Node/n"
             : command->min_arguments > 1 ? " Node/n"
                                          : "");
    return inspect_call(text);
}

/* A file that ends inside the header of its index states no size. */
static void every_command_states_how_much_of_a_truncated_file_is_missing(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_SMALL);
    const size_t index_size = (size_t)kiln_header_blob_size((const void *)sample.data);
    const struct {
        size_t size, stated;
    } rows[] = {{sample.size - 1, sample.size},      {index_size, sample.size},
                {index_size - 1, sample.size},       {KILN_HEADER_SIZE + 88, sample.size},
                {KILN_HEADER_SIZE + 87, index_size}, {KILN_HEADER_SIZE, index_size}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[96];
        snprintf(expected, sizeof expected, "kiln-inspect: it: truncated: %s%zu of %s%03zu bytes\n",
                 rows[i].size < 1000 ? "" : "1,", rows[i].size % 1000,
                 rows[i].stated < 1000 ? "" : "1,", rows[i].stated % 1000);
        inspect_write("it", sample.data, rows[i].size);
        for (int k = 0; k < insp_command_count; k++) {
            if (strncmp(insp_commands[k]->arguments, "FILE", 4) != 0)
                continue;
            inspect_result result = call_with_file(insp_commands[k]);
            assert_in_range(result.code, 1, 2); /* 2: `where` lacks a source map */
            if (!strstr(result.err, expected))
                fail_msg("%s: no %s in %s", insp_commands[k]->name, expected, result.err);
            inspect_result_fini(&result);
        }
    }
    inspect_write("it", sample.data, sample.size);
    inspect_result whole = inspect_call("info it");
    assert_string_equal("", whole.err);
    inspect_result_fini(&whole);
    kiln_buffer_fini(&sample);
}

static void every_changed_byte_is_survived_and_found(void **state)
{
    static const unsigned char changes[] = {0x01, 0xff};
    kiln_buffer sample = sample_file(SAMPLE_SMALL);
    size_t at, i;
    (void)state;
    for (at = 0; at < sample.size; at++) {
        for (i = 0; i < sizeof changes && test_share_has(at); i++) {
            inspect_result result;
            sample.data[at] ^= changes[i];
            every_command_survives(sample.data, sample.size);
            result = inspect_call("verify it");
            assert_int_equal(1, result.code);
            assert_non_null(strstr(result.out, "it: "));
            inspect_result_fini(&result);
            sample.data[at] ^= changes[i];
        }
    }
    kiln_buffer_fini(&sample);
}

/* A separate generator, so that every host tries the same changes. */
static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void random_changes_of_members_are_survived(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    unsigned char *changed = malloc(sample.size);
    uint32_t seed = 1, round, i;
    (void)state;
    assert_non_null(changed);
    for (round = 0; round < test_share_of(150); round++) {
        memcpy(changed, sample.data, sample.size);
        for (i = 0; i < 1 + round % 8; i++) {
            size_t from = round % 2 ? 0x1a00 : 0x20, to = round % 2 ? sample.size : 0x300;
            changed[from + next_random(&seed) % (to - from)] = (unsigned char)next_random(&seed);
        }
        every_command_survives(changed, sample.size);
    }
    free(changed);
    kiln_buffer_fini(&sample);
}

static void arbitrary_bytes_are_survived(void **state)
{
    static const unsigned char zeros[5000] = {0};
    static const char magic[64] = "KILN";
    (void)state;
    every_command_survives("", 0);
    every_command_survives("KILN", 4);
    every_command_survives(magic, sizeof magic);
    every_command_survives(zeros, sizeof zeros);
    every_command_survives("name: text\n", 11);
}

/* Values cannot be compared without types, so files that cannot be compared are not equal. */
static void diff_reports_a_broken_type_table(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    inspect_result result;
    const kiln_index *index = (const void *)(sample.data + KILN_HEADER_SIZE);
    const kiln_index_member *table = kiln_index_member_at(index, index->type_table - 1);
    (void)state;
    inspect_write("whole", sample.data, sample.size);
    sample.data[table->place + KILN_HEADER_SIZE] ^= 1;
    inspect_write("it", sample.data, sample.size);
    result = inspect_call("diff whole it");
    assert_int_equal(2, result.code);
    assert_non_null(strstr(result.err, "kiln-inspect: it: the type table is broken: "));
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

static void verify_continues_after_a_broken_member(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    inspect_result result;
    (void)state;
    sample.data[sample.size - 1] ^= 1;
    sample.data[0x1a20 + 40] ^= 1;
    inspect_write("it", sample.data, sample.size);
    result = inspect_call("verify it");
    assert_int_equal(1, result.code);
    assert_non_null(strstr(result.out, "Item/buckler): "));
    assert_non_null(strstr(result.out, "Names/first): "));
    assert_null(strstr(result.out, "Item/sword"));
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

/* The sample has two broken members, with more than two errors. */
static void verify_prints_errors_up_to_a_limit_and_counts_the_others(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    size_t lines = 0;
    (void)state;
    sample.data[sample.size - 1] ^= 1;
    sample.data[0x1a20 + 40] ^= 1;
    inspect_write("it", sample.data, sample.size);
    inspect_result all = inspect_call("verify --max-errors 0 it");
    for (const char *at = all.out; *at; at++)
        lines += *at == '\n';
    assert_true(lines > 2);
    for (size_t limit = 1; limit <= lines + 1; limit++) {
        char command[64], rest[64];
        snprintf(command, sizeof command, "verify --max-errors %zu it", limit);
        snprintf(rest, sizeof rest, "it: %zu more error%s (--max-errors)\n", lines - limit,
                 lines - limit == 1 ? "" : "s");
        inspect_result some = inspect_call(command);
        const char *end = all.out;
        for (size_t i = 0; i < limit && i < lines; i++)
            end = strchr(end, '\n') + 1;
        assert_int_equal(1, some.code);
        assert_memory_equal(all.out, some.out, (size_t)(end - all.out));
        assert_string_equal(limit < lines ? rest : "", some.out + (end - all.out));
        inspect_result_fini(&some);
    }
    inspect_result_fini(&all);
    kiln_buffer_fini(&sample);
}

static void rehash(unsigned char *blob)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    kiln_header_write(blob, header.flags, header.payload_size, header.layout);
}

/* Replaces the id of an import in the member of Item/sword with the id of the asset `name`. */
static void refer_to(unsigned char *data, const char *name)
{
    const kiln_index *index = (const void *)(data + KILN_HEADER_SIZE);
    uint32_t sword = kiln_index_find_name(index, "Item/sword", 10);
    size_t number = kiln_index_asset_at(index, sword)->member;
    kiln_index_member *member =
        (void *)(data + KILN_HEADER_SIZE + offsetof(kiln_index, members) + index->members.offset);
    unsigned char *at = data + member[number].place;
    kiln_id music = kiln_asset_id("Music/theme", 11), id = kiln_asset_id(name, strlen(name));
    while (memcmp(at, &music, sizeof music) != 0)
        at++;
    memcpy(at, &id, sizeof id);
    rehash(data + member[number].place);
    member[number].content =
        kiln_content_hash(data + member[number].place, (size_t)member[number].size);
    rehash(data);
}

static void edges_are_those_of_the_references(void **state)
{
    static const struct {
        const char *refers_to, *rule;
    } rows[] = {{"Item/shield", "I21"}, {"Item/sword", "I15"}, {"Music/theme", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer sample = sample_file(SAMPLE_FULL);
        const kiln_index *index = (const void *)(sample.data + KILN_HEADER_SIZE);
        uint32_t sword = kiln_index_find_name(index, "Item/sword", 10), count;
        const uint32_t *edges = kiln_index_edges(index, sword, &count);
        const uint32_t *all = kiln_index_edges(index, 0, &count);
        char text[96];
        refer_to(sample.data, rows[i].refers_to);
        inspect_write("it", sample.data, sample.size);
        inspect_result result = inspect_call("verify it");
        assert_int_equal(rows[i].rule ? 1 : 0, result.code);
        snprintf(text, sizeof text, "it: %s at ", rows[i].rule ? rows[i].rule : "ok");
        assert_int_equal(rows[i].rule != NULL, strstr(result.out, text) != NULL);
        /* The edge to the import is the second one. */
        snprintf(text, sizeof text, "I21 at offset 0x%zx (index): ",
                 (size_t)((const unsigned char *)(edges + 1) - sample.data));
        assert_int_equal(i == 0, strstr(result.out, text) != NULL);
        snprintf(text, sizeof text, " [edges[%u]]\n", (unsigned)(edges + 1 - all));
        assert_int_equal(i == 0, strstr(result.out, text) != NULL);
        inspect_result_fini(&result);
        kiln_buffer_fini(&sample);
    }
}

static void expect_verify(const kiln_buffer *sample, const char *text)
{
    inspect_write("it", sample->data, sample->size);
    inspect_result result = inspect_call("verify it");
    assert_int_equal(1, result.code);
    if (!strstr(result.out, text))
        fail_msg("%s is missing from: %s", text, result.out);
    inspect_result_fini(&result);
}

/* An alignment that is larger than necessary is valid but not canonical, although the index is
 * flagged as canonical. */
static void an_index_that_is_flagged_canonical_must_be_canonical(void **state)
{
    static const sample_kind kinds[] = {SAMPLE_FULL, SAMPLE_UNTYPED, SAMPLE_PACKED};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kiln_buffer sample = sample_file(kinds[i]);
        kiln_blob_header header;
        memcpy(&header, sample.data, sizeof header);
        kiln_header_write(sample.data, 5 | KILN_FLAG_CANONICAL | kiln_kind_flags(KILN_BLOB_INDEX),
                          header.payload_size, header.layout);
        expect_verify(&sample, "C1 at offset 0x6 (index): ");
        kiln_header_write(sample.data, 5 | kiln_kind_flags(KILN_BLOB_INDEX), header.payload_size,
                          header.layout);
        inspect_write("it", sample.data, sample.size);
        inspect_result result = inspect_call("verify it");
        assert_int_equal(0, result.code);
        inspect_result_fini(&result);
        kiln_buffer_fini(&sample);
    }
}

/* Each asset's type in the index must match its blob, even if assets share bytes or the file has no
 * types. */
static void layouts_of_the_index_are_those_of_the_blobs(void **state)
{
    static const sample_kind kinds[] = {SAMPLE_FULL, SAMPLE_UNTYPED};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        kiln_buffer sample = sample_file(kinds[i]);
        const kiln_index *index = (const void *)(sample.data + KILN_HEADER_SIZE);
        kiln_index_asset *assets = (void *)(sample.data + KILN_HEADER_SIZE +
                                            offsetof(kiln_index, assets) + index->assets.offset);
        bool found = false;
        assert_true(index->types.count > 1);
        for (uint32_t a = 0; a < index->assets.count; a++) {
            uint32_t type = assets[a].type, sharing = 0;
            char text[64];
            for (uint32_t other = 0; other < index->assets.count; other++)
                sharing += assets[other].type == type;
            if (sharing < 2)
                continue;
            assets[a].type = (type + 1) % index->types.count;
            rehash(sample.data);
            snprintf(text, sizeof text, "H10 at offset 0x%llx (member ",
                     (unsigned long long)kiln_index_member_at(index, assets[a].member)->place + 16);
            expect_verify(&sample, text);
            assets[a].type = type;
            found = true;
        }
        assert_true(found);
        kiln_buffer_fini(&sample);
    }
}

/* An asset whose member does not exist has no bytes to share. */
static void info_counts_only_assets_that_share_an_existing_member(void **state)
{
    static const struct {
        sample_kind kind;
        const char *name, *shared; /* NULL: the line ends after the bytes */
    } rows[] = {
        {SAMPLE_SMALL, "Node/n", NULL},
        {SAMPLE_FULL, "Item/sword", "(1 shares its bytes with another asset)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer sample = sample_file(rows[i].kind);
        const kiln_index *index = (const void *)(sample.data + KILN_HEADER_SIZE);
        kiln_index_asset *assets = (void *)(sample.data + KILN_HEADER_SIZE +
                                            offsetof(kiln_index, assets) + index->assets.offset);
        assets[kiln_index_find_name(index, rows[i].name, strlen(rows[i].name))].member =
            index->members.count;
        rehash(sample.data);
        inspect_write("it", sample.data, sample.size);
        inspect_result result = inspect_call("info it");
        assert_int_equal(1, result.code);
        assert_int_equal(rows[i].shared != NULL, strstr(result.out, "share") != NULL);
        if (rows[i].shared)
            assert_non_null(strstr(result.out, rows[i].shared));
        inspect_result_fini(&result);
        kiln_buffer_fini(&sample);
    }
}

/* A dictionary may contain any bytes, unless it begins like a trained one. */
static void a_single_dictionary_is_checked(void **state)
{
    _Alignas(16) unsigned char blob[KILN_HEADER_SIZE + 100];
    kiln_buffer sample = {.data = blob, .size = sizeof blob};
    (void)state;
    memset(blob, 0xff, sizeof blob);
    kiln_header_write(blob, 4 | kiln_kind_flags(KILN_BLOB_DICTIONARY), 100, 0);
    inspect_write("it", blob, sizeof blob);
    inspect_result result = inspect_call("verify it");
    assert_int_equal(0, result.code);
    inspect_result_fini(&result);
    memcpy(blob + KILN_HEADER_SIZE, "\x37\xa4\x30\xec", 4);
    kiln_header_write(blob, 4 | kiln_kind_flags(KILN_BLOB_DICTIONARY), 100, 0);
    expect_verify(&sample, "I18 at offset 0x0 (blob");
}

/* The last blob of the file is the route, whose payload is aligned to 64. */
static void a_byte_in_a_gap_breaks_both_hashes_and_the_gap(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_LINKED);
    size_t blob = sample.size / 64 * 64;
    inspect_result result;
    char place[64];
    (void)state;
    while (memcmp(sample.data + blob, "KILN", 4) != 0)
        blob -= 64;
    sample.data[blob + 40] = 1;
    inspect_write("it", sample.data, sample.size);
    result = inspect_call("verify it");
    assert_int_equal(1, result.code);
    assert_non_null(strstr(result.out, "I12 at "));
    assert_non_null(strstr(result.out, "H8 at "));
    snprintf(place, sizeof place, "H9 at offset 0x%zx (member", blob + 40);
    assert_non_null(strstr(result.out, place));
    inspect_result_fini(&result);
    result = inspect_call("hex it");
    assert_non_null(strstr(result.out, "gap, not zero (H9)"));
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

/* The sample's index moves to an alignment of 64, after a gap. With a correct hash only the gap is
 * wrong, and it is reported once. */
static void a_byte_in_the_gap_of_an_index_is_reported_once(void **state)
{
    (void)state;
    kiln_buffer sample = sample_file(SAMPLE_SMALL);
    kiln_blob_header header;
    size_t size = sample.size + 32;
    unsigned char *moved = calloc(1, size);
    assert_non_null(moved);
    memcpy(&header, sample.data, sizeof header);
    memcpy(moved + 64, sample.data + KILN_HEADER_SIZE, sample.size - KILN_HEADER_SIZE);
    kiln_header_write(moved, 6 | kiln_kind_flags(KILN_BLOB_INDEX), header.payload_size,
                      header.layout);
    moved[40] = 1;
    uint64_t seed = XXH3_64bits(moved, 24);
    uint64_t hash = XXH3_64bits_withSeed(moved + 32, 32 + (size_t)header.payload_size, seed);
    memcpy(moved + 24, &hash, sizeof hash);
    inspect_write("it", moved, size);
    inspect_result result = inspect_call("verify it");
    assert_int_equal(1, result.code);
    const char *found = strstr(result.out, "H9 at offset 0x28 (index): ");
    if (!found || strstr(found + 1, "H9 at offset 0x28"))
        fail_msg("%s", result.out);
    inspect_result_fini(&result);
    free(moved);
    kiln_buffer_fini(&sample);
}

/* Printable ASCII; anything else is a dot. */
static void hex_shows_characters_that_can_be_printed(void **state)
{
    static const char shown[] = " ~\x7f\x1fx";
    kiln_buffer sample = sample_file(SAMPLE_BARE);
    (void)state;
    memcpy(sample.data + sample.size - sizeof shown, shown, sizeof shown);
    inspect_write("it", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    inspect_result result = inspect_call("hex it");
    assert_non_null(strstr(result.out, "20 7e 7f 1f 78 00        |........ ~..x.|\n"));
    inspect_result_fini(&result);
}

static void a_shared_value_of_exponential_size_stops_at_the_limit(void **state)
{
    static const char *const calls[] = {"dump --all it", "dump -f yaml it", "dump -f json it",
                                        "get --all it Node/deep.children",
                                        "get -f json it Node/deep"};
    static const char end[] = ": @ cut\n@ cut: output truncated\n";
    kiln_buffer sample = sample_file(SAMPLE_SHARED);
    size_t i, most = 256 * sample.size + (1 << 20) + sizeof end;
    (void)state;
    inspect_write("it", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    for (i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        inspect_result result = inspect_call(calls[i]);
        assert_int_equal(1, result.code);
        assert_non_null(strstr(result.err, "--max-bytes"));
        assert_in_range(result.out_size, most / 2, most);
        assert_string_equal(end, result.out + result.out_size - (sizeof end - 1));
        inspect_result_fini(&result);
    }
}

static void the_deepest_value_is_shown_completely(void **state)
{
    static const char *const calls[] = {"dump --all it", "dump -f yaml it", "dump -f json it",
                                        "hex it"};
    kiln_buffer sample = sample_file(SAMPLE_DEEP);
    size_t i;
    (void)state;
    inspect_write("it", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    for (i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        inspect_result result = inspect_call(calls[i]);
        assert_int_equal(0, result.code);
        assert_non_null(strstr(result.out, i == 3 ? "value: u32 = 7" : "7"));
        assert_string_equal("", result.err);
        inspect_result_fini(&result);
    }
}

/* Collects the bytes printed by hex and returns their number. Without sscanf, which reads the whole
 * rest of the text each time to find its end. */
static size_t collect_rows(const char *text, unsigned char *bytes, size_t size)
{
    size_t count = 0;
    while (*text) {
        char *end;
        unsigned long at = strtoul(text, &end, 16);
        if (text[0] != '-' && end == text + 8 && text[8] == ' ' && text[9] == ' ') {
            const char *cell = text + 10;
            assert_int_equal(count, at);
            while (cell < text + 59 && isxdigit((unsigned char)cell[0]) &&
                   isxdigit((unsigned char)cell[1])) {
                const char digits[] = {cell[0], cell[1], 0};
                assert_true(count < size);
                bytes[count++] = (unsigned char)strtoul(digits, NULL, 16);
                cell += cell[2] == ' ' && cell[3] == ' ' && count % 8 == at % 8 && cell[4] != ' '
                            ? 4
                            : 3;
            }
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return count;
}

static void hex_shows_every_byte_once(void **state)
{
    static const sample_kind kinds[] = {SAMPLE_FULL,  SAMPLE_UNTYPED,  SAMPLE_SMALL, SAMPLE_BARE,
                                        SAMPLE_TYPES, SAMPLE_CONTROLS, SAMPLE_DEEP,  SAMPLE_SHARED};
    size_t i, change;
    (void)state;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        kiln_buffer sample = sample_file(kinds[i]);
        for (change = 0; change < sample.size; change += 7) {
            if (change && !test_share_has(change / 7))
                continue;
            unsigned char *bytes = calloc(1, sample.size);
            inspect_result result;
            assert_non_null(bytes);
            sample.data[change] ^= change ? 0x55 : 0;
            inspect_write("it", sample.data, sample.size);
            result = inspect_call("hex it");
            assert_int_equal(sample.size, collect_rows(result.out, bytes, sample.size));
            assert_memory_equal(sample.data, bytes, sample.size);
            sample.data[change] ^= change ? 0x55 : 0;
            inspect_result_fini(&result);
            free(bytes);
            change += sample.size > 1000 ? 97 : 0;
        }
        kiln_buffer_fini(&sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_survived),
        cmocka_unit_test(every_command_states_how_much_of_a_truncated_file_is_missing),
        cmocka_unit_test(every_changed_byte_is_survived_and_found),
        cmocka_unit_test(random_changes_of_members_are_survived),
        cmocka_unit_test(arbitrary_bytes_are_survived),
        cmocka_unit_test(diff_reports_a_broken_type_table),
        cmocka_unit_test(verify_continues_after_a_broken_member),
        cmocka_unit_test(verify_prints_errors_up_to_a_limit_and_counts_the_others),
        cmocka_unit_test(edges_are_those_of_the_references),
        cmocka_unit_test(an_index_that_is_flagged_canonical_must_be_canonical),
        cmocka_unit_test(layouts_of_the_index_are_those_of_the_blobs),
        cmocka_unit_test(info_counts_only_assets_that_share_an_existing_member),
        cmocka_unit_test(a_single_dictionary_is_checked),
        cmocka_unit_test(a_byte_in_a_gap_breaks_both_hashes_and_the_gap),
        cmocka_unit_test(a_byte_in_the_gap_of_an_index_is_reported_once),
        cmocka_unit_test(a_shared_value_of_exponential_size_stops_at_the_limit),
        cmocka_unit_test(the_deepest_value_is_shown_completely),
        cmocka_unit_test(hex_shows_every_byte_once),
        cmocka_unit_test(hex_shows_characters_that_can_be_printed),
    };
    int failed;
    inspect_enter_folder();
    failed = cmocka_run_group_tests_name("inspect_damage", tests, NULL, NULL);
    inspect_leave_folder();
    return failed;
}
