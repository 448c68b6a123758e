#include "bench_text.h"

#include "bench_random.h"

#include <inttypes.h>
#include <stdio.h>

enum { TAG_COUNT = 40, KIND_COUNT = 30, ITEM_COUNT = 200, TAGS_MAX = 3, LOOT_MAX = 3 };

static const char *const first_words[] = {"amber", "birch",  "clay",  "dusk", "ember",
                                          "frost", "gravel", "heath", "iron", "juniper"};
static const char *const last_words[] = {"wolf",   "mender", "gate",   "lantern", "kiln",
                                         "spring", "road",   "hollow", "watch",   "stone"};

typedef struct level_text {
    FILE *yaml, *json;
    uint64_t random;
} level_text;

static uint32_t below(level_text *text, uint32_t limit)
{
    return (uint32_t)(bench_random(&text->random) % limit);
}

/* A number with two digits after the point, the same in both texts. */
static void number(level_text *text, const char *key, const char *end, uint32_t limit)
{
    int whole = (int)below(text, 2 * limit) - (int)limit;
    uint32_t part = below(text, 100);
    fprintf(text->yaml, "%s: %d.%02" PRIu32 "%s", key, whole, part, end);
    fprintf(text->json, "\"%s\": %d.%02" PRIu32 "%s", key, whole, part, end);
}

static void place(level_text *text)
{
    fputs("    pos: {", text->yaml);
    fputs("\"pos\": {", text->json);
    number(text, "x", ", ", 4000);
    number(text, "y", ", ", 200);
    number(text, "z", "}", 4000);
    fputs("\n    rot: {", text->yaml);
    fputs(", \"rot\": {", text->json);
    number(text, "x", ", ", 1);
    number(text, "y", ", ", 1);
    number(text, "z", ", ", 1);
    number(text, "w", "}", 1);
}

/* `tag_frost7`: a word for each of the set's members. */
static void word(level_text *text, const char *set, uint32_t limit)
{
    uint32_t which = below(text, limit);
    const char *end = first_words[which % 10];
    fprintf(text->yaml, "%s_%s%" PRIu32, set, end, which);
    fprintf(text->json, "\"%s_%s%" PRIu32 "\"", set, end, which);
}

static void tags(level_text *text)
{
    uint32_t count = below(text, TAGS_MAX + 1);
    fputs("\n    tags: [", text->yaml);
    fputs(", \"tags\": [", text->json);
    for (uint32_t i = 0; i < count; i++) {
        if (i) {
            fputs(", ", text->yaml);
            fputs(", ", text->json);
        }
        word(text, "tag", TAG_COUNT);
    }
    fputs("]\n    kind: ", text->yaml);
    fputs("], \"kind\": ", text->json);
    word(text, "kind", KIND_COUNT);
}

static void loot(level_text *text)
{
    uint32_t count = below(text, LOOT_MAX + 1);
    fputs(count ? "\n    loot:\n" : "\n    loot: []\n", text->yaml);
    fputs(", \"loot\": [", text->json);
    for (uint32_t i = 0; i < count; i++) {
        fputs("      - {item: ", text->yaml);
        fputs(i ? ", {\"item\": " : "{\"item\": ", text->json);
        word(text, "item", ITEM_COUNT);
        uint32_t pieces = 1 + below(text, 99);
        fprintf(text->yaml, ", count: %" PRIu32 "}\n", pieces);
        fprintf(text->json, ", \"count\": %" PRIu32 "}", pieces);
    }
    fputs("]}", text->json);
}

static void spawn(level_text *text, uint32_t i, uint64_t salt)
{
    char name[64];
    uint32_t hp = below(text, 1000);
    snprintf(name, sizeof name, "%s_%s_%" PRIu64 "_%" PRIu32, first_words[below(text, 10)],
             last_words[below(text, 10)], salt, i);
    fprintf(text->yaml, "  - name: %s\n    hp: %" PRIu32 "\n", name, hp);
    fprintf(text->json, "%s{\"name\": \"%s\", \"hp\": %" PRIu32 ", ", i ? ",\n" : "", name, hp);
    place(text);
    tags(text);
    loot(text);
}

static bool finish(FILE *file)
{
    if (!file)
        return false;
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

bool bench_text_level(const char *yaml_path, const char *json_path, uint32_t spawns, uint64_t salt)
{
    level_text text = {fopen(yaml_path, "w"), fopen(json_path, "w"), BENCH_SEED + salt};
    if (text.yaml && text.json) {
        fputs("spawns:\n", text.yaml);
        fputs("{\"spawns\": [\n", text.json);
        for (uint32_t i = 0; i < spawns; i++)
            spawn(&text, i, salt);
        fputs("\n]}\n", text.json);
    }
    bool yaml_good = finish(text.yaml);
    return finish(text.json) && yaml_good;
}

void bench_text_note_name(char *buffer, uint32_t i)
{
    snprintf(buffer, 32, "%s/%s-%06" PRIu32, first_words[i % 10], last_words[i / 10 % 10], i);
}

bool bench_text_notes(const char *path, uint32_t count)
{
    FILE *file = fopen(path, "w");
    for (uint32_t i = 0; file && i < count; i++) {
        char name[32];
        bench_text_note_name(name, i);
        fprintf(file, "%s: {number: %" PRIu32 ", text: note %" PRIu32 "}\n", name, i, i * 7);
    }
    return finish(file);
}
