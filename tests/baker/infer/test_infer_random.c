/* Any data bakes with the schema inferred from it: random documents with unusual scalars, keys and
 * tags. KILN_SEED=N sets the first seed, KILN_COUNT=N the number of seeds. */
#include "bake_call.h"

#include <sys/stat.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const words[] = {"red",
                                    "Red",
                                    "blue",
                                    "yes",
                                    "on",
                                    "null",
                                    "~",
                                    "true",
                                    "False",
                                    "0",
                                    "1",
                                    "2",
                                    "007",
                                    "-5",
                                    "3.25",
                                    "1e3",
                                    ".inf",
                                    "nan",
                                    "0x1F",
                                    "0o17",
                                    "1_000",
                                    "+5",
                                    "1.",
                                    "18446744073709551615",
                                    "-9223372036854775808",
                                    "123456789012345678901234567890",
                                    "\"a b\"",
                                    "'12'",
                                    "''",
                                    "\"#ff0000\"",
                                    "\"#abc\"",
                                    "\"1,2\"",
                                    "\"1, 2.5\"",
                                    "\"1,2,3\"",
                                    "250ms",
                                    "3s",
                                    "90deg",
                                    "5%",
                                    "10m",
                                    "2026-01-01",
                                    "a/b.png",
                                    "item",
                                    "struct",
                                    "12:30",
                                    "0123456789abcdef0123456789abcdef",
                                    "aGVsbG8gd29ybGQgdGhpcyBpcyBsb25nIGVub3VnaCB0byBiZSBiYXNlNjQ=",
                                    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                                    "red|blue",
                                    "\"red, blue\"",
                                    "\"k1,k2,None\"",
                                    "None",
                                    "enum.Layer.Top",
                                    "enum.Light.Top",
                                    "Layer.Top",
                                    "BrassCog",
                                    "!!str 5",
                                    "\"two\\nlines\"",
                                    "\"\\u2028\"",
                                    "\"\\\"q\\\"\"",
                                    "n1",
                                    "n2",
                                    "k1",
                                    "k2",
                                    "!type:A",
                                    "!type:B 3",
                                    "!Ref x"};
static const char *const keys[] = {"id",        "name",    "type",
                                   "kind",      "parent",  "abstract",
                                   "x",         "y",       "z",
                                   "r",         "g",       "b",
                                   "a",         "value",   "rest",
                                   "plain",     "items",   "1",
                                   "2",         "\"0,1\"", "true",
                                   "\"a b\"",   "\"\"",    "struct",
                                   "ref",       "\"\\n\"", "size",
                                   "null",      "data",    "children",
                                   "\"q\\\"\"", "a.b",     "SceneData",
                                   "base",      "default", "slots",
                                   "flags",     "mode",    "spawnPrototype",
                                   "BrassCog",  "colour",  "prototype"};

static uint64_t state_word;

static unsigned roll(unsigned below)
{
    state_word ^= state_word << 13;
    state_word ^= state_word >> 7;
    state_word ^= state_word << 17;
    return (unsigned)((state_word >> 33) % below);
}

static void write_value(FILE *file, int depth);

/* Starts at a random key and steps through the table, so that no key occurs twice. */
static void write_mapping(FILE *file, int depth)
{
    unsigned count = roll(6), at = roll(COUNT(keys));
    fputs("{", file);
    for (unsigned i = 0; i < count; i++, at = (at + 4) % COUNT(keys)) {
        fprintf(file, "%s%s: ", i ? ", " : "", keys[at]);
        write_value(file, depth - 1);
    }
    fputs("}", file);
}

static void write_value(FILE *file, int depth)
{
    unsigned kind = depth > 0 ? roll(100) : 0, count = roll(5);
    if (kind < 50) {
        fputs(words[roll(COUNT(words))], file);
        return;
    }
    if (roll(15) == 0)
        fputs(roll(2) ? "!type:A " : "!Sub ", file);
    if (kind >= 72) {
        write_mapping(file, depth);
        return;
    }
    const char *word = roll(2) ? words[roll(COUNT(words))] : NULL;
    fputs("[", file);
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? ", " : "", file);
        if (word && roll(5))
            fputs(word, file);
        else
            write_value(file, depth - 1);
    }
    fputs("]", file);
}

/* A field of records. Its values are a few repeated words, or arbitrary. */
typedef struct field {
    const char *key, *words[3];
    unsigned often; /* probability of the field, in tenths */
} field;

static void write_record(FILE *file, const field *fields, unsigned count, const char *before)
{
    fprintf(file, "{%s", before);
    for (unsigned i = 0; i < count; i++) {
        if (roll(10) >= fields[i].often)
            continue;
        fprintf(file, "%s: ", fields[i].key);
        if (fields[i].words[0])
            fputs(fields[i].words[roll(3)], file);
        else
            write_value(file, 2);
        fputs(", ", file);
    }
    fputs("}", file);
}

static void write_document(FILE *file)
{
    static const unsigned often[] = {10, 10, 5, 2};
    static const char *const kinds[] = {"alpha", "beta", "gamma"};
    field fields[7];
    unsigned kind = roll(10), count = 2 + roll(5), records = 1 + roll(12), at = roll(COUNT(keys));
    char before[40];
    for (unsigned i = 0; i < count; i++, at = (at + 4) % COUNT(keys)) {
        bool any = roll(4) == 0;
        memset(&fields[i], 0, sizeof fields[i]);
        fields[i].key = keys[at];
        fields[i].often = often[roll(4)];
        for (unsigned w = 0; w < 3 && !any; w++)
            fields[i].words[w] =
                strcmp(keys[at], "type") == 0 ? kinds[w] : words[roll(COUNT(words))];
    }
    if (kind < 2) {
        write_value(file, 4);
    } else if (kind == 2) {
        write_record(file, fields, count, "");
    } else {
        fputs(kind < 6 ? "[" : "{", file);
        for (unsigned i = 0; i < records; i++) {
            snprintf(before, sizeof before, kind < 6 ? "key: n%u, " : "k%u: ", i);
            if (kind >= 6)
                fputs(before, file);
            write_record(file, fields, count, kind < 6 ? before : "");
            fputs(", ", file);
        }
        fputs(kind < 6 ? "]" : "}", file);
    }
    fputs("\n", file);
}

static void write_files(uint64_t seed)
{
    char path[32];
    state_word = seed * 0x9E3779B97F4A7C15u + 1;
    for (int i = 0; i < 8; i++)
        roll(2);
    mkdir("data", 0777);
    unsigned files = 1 + roll(3);
    for (unsigned i = 0; i < files; i++) {
        snprintf(path, sizeof path, "data/n%u.yaml", i);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        write_document(file);
        if (roll(4) == 0) {
            fputs("---\n", file);
            write_document(file);
        }
        fclose(file);
    }
}

static void random_data_bakes_with_its_inferred_schema(void **state)
{
    const char *given = getenv("KILN_SEED"), *many = getenv("KILN_COUNT");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1,
             count = many ? strtoull(many, NULL, 10) : 300;
    unsigned baked = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        char *out, *err;
        fixture_enter(state);
        write_files(seed);
        int code = bake_call("schema infer -q -C data . -o s.yaml", &out, &err);
        if (code > 1)
            fail_msg("seed %llu: infer: %d, %s", (unsigned long long)seed, code, err);
        free(out);
        free(err);
        /* Exit code 1 means that the YAML is invalid, for example because of two equal keys. */
        if (code == 0) {
            baked++;
            code = bake_call("check -q -s s.yaml -C data .", &out, &err);
            if (code != 0)
                fail_msg("seed %llu: check: %d, %s", (unsigned long long)seed, code, err);
            free(out);
            free(err);
        }
        fixture_leave(state);
    }
    assert_true(baked * 2 > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_data_bakes_with_its_inferred_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
