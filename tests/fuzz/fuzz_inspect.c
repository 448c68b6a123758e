/* Arbitrary bytes, shown by the inspector. The first byte selects the command, and the rest are the
 * file. Only the exit codes for valid and for invalid files are allowed. */
#include "fuzz_target.h"
#include "memory_read.h"
#include "null_stream.h"

#include "insp_commands.h"
#include "insp_main.h"

#include <inttypes.h>
#include <kiln/blob_header.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hex prints about a hundred bytes for each byte of the file, so only part of a longer file is
 * shown. */
enum { WORDS_MAX = 8, HEX_WHOLE_MAX = 1024, HEX_PART = 256 };

static const char path[] = "f.kiln", other_path[] = "g.kiln", empty_path[] = "empty.kiln",
                  map_path[] = "f.kiln.map", source_path[] = "a.yaml",
                  database_path[] = "/tmp/kiln-fuzz-inspect.db";

/* `%` stands for the file. Each format of a command has a row. The inputs in the corpus select rows
 * by number, so append new rows. */
static const char *const commands[][WORDS_MAX] = {
    {"scene", "%"},
    {"scene", "--chunks", "%"},
    {"scene", "-f", "json", "--chunks", "--all", "%"},
    {"scene", "%", "Scene/harbour", "door", "4", "#0"},
    {"scene", "-f", "json", "%", "Scene/harbour", "door", "#4", "12"},
    {"forecast", "%"},
    {"verify", "%"},
    {"info", "%"},
    {"ls", "%"},
    {"dump", "%"},
    {"dump", "--format", "yaml", "%"},
    {"dump", "-f", "json", "%"},
    {"hex", "%"},
    {"type", "%"},
    {"ls", "-f", "json", "%", "S*e?"},
    {"du", "%", "I*"},
    {"du", "-f", "json", "%"},
    {"du", "%", "--compare", "%"},
    {"stats", "%", "*.*"},
    {"type", "--data", "%"},
    {"stats", "-f", "json", "%", "Item.*"},
    {"dump", "--all", "--color", "always", "%"},
    {"dump", "--max-bytes", "2000", "%", "Scene/test", "Item/1"},
    {"get", "%", "Item/1.price"},
    {"get", "-f", "yaml", "%", "Scene/test.archetypes[1].components[0]"},
    {"get", "-f", "json", "%", "SceneData/test.names[0]"},
    {"extract", "%", "Item/1"},
    {"forecast", "-f", "json", "%", "Scene/test"},
    {"hex", "%", "Scene/test"},
    {"hex", "%", "@0x80+200"},
    {"where", "%", "Item/1.price"},
    {"where", "-f", "json", "%", "0x300"},
    {"where", "-C", "there", "%", "Scene/test#door.Door"},
    {"type", "%", "game.Item"},
    {"verify", "%", "%"},
    {"scene", "%", "Scene/test", "door", "#1", "hall/lamp"},
    {"scene", "-f", "json", "--all", "%", "Scene/test", "door", "#1"},
    {"ref", "0x7c00000000000123"},
    {"ref", "-f", "json", "12"},
    {"dump", "--max-bytes", "300", "%"},
    {"scene", "-f", "json", "--max-bytes", "300", "%"},
    {"clusters", "--all", "%"},
    {"clusters", "-f", "json", "%"},
    {"clusters", "-f", "dot", "%"},
    {"clusters", "%", "Item/1"},
    {"clusters", "-f", "json", "%", "Scene/test"},
    {"extract", "%", "kiln.Payload/3d69126467198e8244e09205cfb301bc"},
    {"dump", "--flat", "%"},
    {"diff", "%", "g.kiln"},
    {"diff", "--stat", "--bytes", "g.kiln", "%"},
    {"diff", "-f", "json", "%", "g.kiln"},
    {"diff", "--all", "%", "g.kiln", "S*"},
    {"diff", "--tolerance", "1", "--ignore", "*.price", "g.kiln", "%"},
    {"diff", "empty.kiln", "%"},
    {"get", "%", "Item/1.price.low", "Item/1.parts[0]->name", "Item/1->", "--mount", "%"},
    {"refs", "%", "*"},
    {"refs", "-f", "json", "%", "Scene/*", "Item/1"},
    {"rdeps", "%", "*/*"},
    {"rdeps", "-f", "dot", "%", "Item/?", "--mount", "%"},
    {"why", "%", "*", "*"},
    {"orphans", "%"},
    {"orphans", "-f", "json", "%", "--root", "Scene/*"},
    {"cycles", "%"},
    {"cycles", "-f", "json", "%", "*"},
    {"find", "%", "1"},
    {"find", "%", "-f", "json", "3.5"},
    {"find", "%", "--match", "text", "a"},
    {"find", "%", "--match", "regex", "[a-m]+."},
    {"find", "%", "--match", "ref", "*", "-0"},
    {"find", "%", "--match", "type", "*", "-f=paths"},
    {"info", "-f", "json", "%"},
    {"verify", "-f", "json", "--max-errors", "3", "%"},
    {"verify", "--max-errors", "0", "%"},
    {"type", "-f", "json", "--data", "%"},
    {"hex", "-f", "json", "%", "@0x20+300"},
    {"hex", "--decompress", "%", "Item/1"},
    {"hex", "--decompress", "-f", "json", "%", "@0x400", "@0+99"},
    {"ls", "%", "--sort", "size", "--top", "3"},
    {"ls", "%", "--sort", "type", "--type", "I*"},
    {"ls", "%", "--sort", "stored", "--min-size", "9"},
    {"find", "%", "-f=offsets", "-0", "--match", "text", "e"},
    {"find", "%", "-0", "1"},
    {"stats", "%", "--top", "1", "*.*"},
    {"where", "%", "0x40", "Item/1.price.no", "600", "Scene/test#1"},
    {"verify", "-j", "3", "%"},
    {"export", "--to", "csv", "Item", "%"},
    {"export", "--to=csv", "Door", "%", "g.kiln"},
    {"export", "--to=ndjson", "Item", "%"},
    {"export", "--to=sqlite", database_path, "%", "--force"},
    {"export", "--to=sqlite", database_path, "%", "g.kiln", "--force"},
};

enum { COMMANDS = sizeof commands / sizeof commands[0], MORE_MAX = 16, OTHER_BYTES = 4 };

/* The map for `where`, without the line that binds it to the file. */
static const char map[] = "kiln-source-map\t3\n"
                          "F\t0\ta.yaml\n"
                          "A\tItem/1\n"
                          "V\t\t0:1:1:3\town\n"
                          "V\t.price\t0:1:6:2\tinherited\tItem/0\n"
                          "L\t0:2:1:0\tdefault\n"
                          "A\tScene/test\n"
                          "V\t#door\t0:2:1:4\town\n"
                          "D\t#door.Label.names\t.names[0]\n";
static const char source[] = "a: {price: 1}\ndoor: {}\n";

/* The rows of `commands`, and a row `NAME %` for each command without one. */
static const char *rows[COMMANDS + MORE_MAX][WORDS_MAX];
static size_t row_count;

static void fill_rows(void)
{
    memcpy(rows, commands, sizeof commands);
    row_count = COMMANDS;
    for (int i = 0; i < insp_command_count; i++) {
        bool is_there = false;
        for (size_t row = 0; row < COMMANDS; row++)
            is_there = is_there || strcmp(rows[row][0], insp_commands[i]->name) == 0;
        if (is_there)
            continue;
        if (row_count == sizeof rows / sizeof rows[0])
            abort();
        rows[row_count][0] = insp_commands[i]->name;
        rows[row_count++][1] = "%";
    }
}

/* The arguments after the program's name. `part` is a buffer for an argument that is made here. */
static int choose_words(const uint8_t *data, size_t size, char *part, size_t part_size,
                        char **words)
{
    const char *const *row = rows[data[0] % row_count];
    int count = 0;
    for (int i = 0; i < WORDS_MAX && row[i]; i++)
        words[count++] = (char *)(uintptr_t)(row[i][0] == '%' ? path : row[i]);
    if (strcmp(row[0], "hex") == 0 && !row[2] && size > HEX_WHOLE_MAX) {
        snprintf(part, part_size, "@%zu+%d", (size / 7 + data[size / 2] * (size_t)64) % size,
                 HEX_PART);
        words[count++] = part;
    }
    return count;
}

static void put_map(const uint8_t *file, size_t size)
{
    static char bound[sizeof map + 32];
    uint64_t hash = 0;
    if (size >= sizeof(kiln_blob_header))
        memcpy(&hash, file + offsetof(kiln_blob_header, hash), sizeof hash);
    int length = snprintf(bound, sizeof bound, "%sH\t%016" PRIx64 "\n", map, hash);
    memory_read_put(map_path, bound, (size_t)length);
}

/* A second file for `diff`: the first with a few bytes changed. Their places depend only on the
 * input. */
static void put_other(const uint8_t *file, size_t size)
{
    static uint8_t *other;
    free(other);
    other = malloc(size + 1);
    uint32_t place = (uint32_t)size * 2654435761u;
    if (!other)
        abort();
    memcpy(other, file, size);
    for (int i = 0; i < OTHER_BYTES && size; i++) {
        other[place % size] = (uint8_t)(other[place % size] + 1 + i);
        place = place * 1664525u + 1013904223u;
    }
    memory_read_put(other_path, other, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[] = "kiln-inspect", copy[] = "--copy", part[32];
    char *words[WORDS_MAX + 2] = {name, copy};
    if (!row_count)
        fill_rows();
    if (size < 1)
        return 0;
    memory_read_reset();
    memory_read_put(path, data + 1, size - 1);
    put_map(data + 1, size - 1);
    put_other(data + 1, size - 1);
    memory_read_put(empty_path, "", 0);
    memory_read_put(source_path, source, sizeof source - 1);
    int count = choose_words(data, size, part, sizeof part, words + 2);
    /* insp_main moves the words. */
    bool is_diff = strcmp(words[2], "diff") == 0;
    bool is_database = strcmp(words[2], "export") == 0 && strcmp(words[3], "--to=sqlite") == 0;
    int code = insp_main(count + 2, words, null_stream(), null_stream());
    if (is_database)
        remove(database_path);
    /* Broken files are trouble for `diff`, and SQLite may be missing. */
    if (code != INSP_OK && code != INSP_BAD && !((is_diff || is_database) && code == INSP_TROUBLE))
        abort();
    return 0;
}
