#include "bench_text.h"

#include "bench_random.h"

#include <inttypes.h>
#include <stdio.h>

enum { TAG_COUNT = 40, KIND_COUNT = 30, ITEM_COUNT = 200, LOOT_MAX = 3 };
enum { TAG_WORDS = 8, KIND_WORDS = 6, ITEM_WORDS = 10 };

static const char *const first_words[] = {"amber", "birch",  "clay",  "dusk", "ember",
                                          "frost", "gravel", "heath", "iron", "jade"};
static const char *const last_words[] = {"wolf",   "mender", "gate",   "lamp",  "kiln",
                                         "spring", "road",   "hollow", "watch", "stone"};
static const char *const kind_words[KIND_WORDS] = {"guard", "scout", "trader",
                                                   "beast", "chest", "torch"};
static const char *const tag_words[TAG_WORDS] = {"alone", "armed", "calm",  "cursed",
                                                 "fast",  "heavy", "night", "shy"};
static const char *const item_words[ITEM_WORDS] = {"arrow", "bread", "coin", "dagger", "flask",
                                                   "gem",   "key",   "lamp", "map",    "ring"};

typedef struct level_text {
    FILE *yaml, *json;
    uint64_t random;
} level_text;

static uint32_t below(level_text *text, uint32_t limit)
{
    return (uint32_t)(bench_random(&text->random) % limit);
}

static void both(level_text *text, const char *yaml, const char *json)
{
    fputs(yaml, text->yaml);
    fputs(json, text->json);
}

/* Writes a number between -limit and limit with `digits` digits after the point. */
static void number(level_text *text, uint32_t limit, int digits)
{
    const char *sign = below(text, 2) ? "-" : "";
    uint32_t whole = below(text, limit), part = below(text, digits == 1 ? 10 : 100);
    fprintf(text->yaml, "%s%" PRIu32 ".%0*" PRIu32, sign, whole, digits, part);
    fprintf(text->json, "%s%" PRIu32 ".%0*" PRIu32, sign, whole, digits, part);
}

/* Everything stands upright, so it is rotated about one axis only. */
static void place(level_text *text)
{
    both(text, "  pos: {x: ", "\"pos\": {\"x\": ");
    number(text, 4000, 1);
    both(text, ", y: ", ", \"y\": ");
    number(text, 100, 1);
    both(text, ", z: ", ", \"z\": ");
    number(text, 4000, 1);
    both(text, "}\n  rot: {x: 0, y: ", "}, \"rot\": {\"x\": 0, \"y\": ");
    number(text, 1, 2);
    both(text, ", z: 0, w: ", ", \"z\": 0, \"w\": ");
    number(text, 1, 2);
}

/* A word and a number, for example `dusk7`: element `which` of a set in which every word occurs
 * with several numbers. */
static void word(level_text *text, const char *const *words, uint32_t count, uint32_t which)
{
    fprintf(text->yaml, "%s%" PRIu32, words[which % count], which / count);
    fprintf(text->json, "\"%s%" PRIu32 "\"", words[which % count], which / count);
}

/* Writes two different tags, and the kind. */
static void tags(level_text *text)
{
    uint32_t first = below(text, TAG_COUNT);
    uint32_t second = (first + 1 + below(text, TAG_COUNT - 1)) % TAG_COUNT;
    both(text, "}\n  tags: [", "}, \"tags\": [");
    word(text, tag_words, TAG_WORDS, first);
    both(text, ", ", ", ");
    word(text, tag_words, TAG_WORDS, second);
    both(text, "]\n  kind: ", "], \"kind\": ");
    word(text, kind_words, KIND_WORDS, below(text, KIND_COUNT));
}

static void loot(level_text *text)
{
    uint32_t count = below(text, LOOT_MAX + 1);
    both(text, count ? "\n  loot:\n" : "\n  loot: []\n", ", \"loot\": [");
    for (uint32_t i = 0; i < count; i++) {
        both(text, "  - {item: ", i ? ", {\"item\": " : "{\"item\": ");
        word(text, item_words, ITEM_WORDS, below(text, ITEM_COUNT));
        uint32_t pieces = 1 + below(text, 9);
        fprintf(text->yaml, ", count: %" PRIu32 "}\n", pieces);
        fprintf(text->json, ", \"count\": %" PRIu32 "}", pieces);
    }
    fputs("]}", text->json);
}

static void spawn(level_text *text, uint32_t i)
{
    char name[64];
    uint32_t hp = below(text, 1000);
    snprintf(name, sizeof name, "%s_%s_%" PRIu32, first_words[below(text, 10)],
             last_words[below(text, 10)], i);
    fprintf(text->yaml, "- name: %s\n  hp: %" PRIu32 "\n", name, hp);
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
            spawn(&text, i);
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

bool bench_text_scene(const char *path, uint32_t count)
{
    FILE *file = fopen(path, "w");
    if (file)
        fputs("entities:\n", file);
    for (uint32_t i = 0; file && i < count; i++)
        fprintf(file,
                "  - components:\n"
                "      Position: {x: %" PRIu32 ".5, y: %" PRIu32 ", z: -%" PRIu32 ".25}\n"
                "      Rotation: {x: 0, y: 0.%03" PRIu32 ", z: 0, w: 1}\n"
                "      Velocity: {x: 1.5, y: %" PRIu32 "}\n",
                i, i % 1000, i % 64, i % 1000, i % 16);
    return finish(file);
}
