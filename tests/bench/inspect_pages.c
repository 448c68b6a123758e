/* Baselines of kiln-inspect on a large file, and the file itself:
 *
 *     inspect_pages write FILE COUNT SIZE [CHANGED]
 *                                            writes COUNT assets Note/0000000 and so on, of about
 *                                            SIZE bytes each; one contains `needle`, and the
 *                                            number of asset CHANGED is 0
 *     inspect_pages level FILE COUNT [CHANGED]
 *                                            writes the asset Level/large of COUNT spawns of about
 *                                            200 bytes each; spawn CHANGED has another count
 *     inspect_pages empty                    does nothing
 *     inspect_pages one FILE NAME            reads what is needed to find an asset by name, and
 *                                            its blob
 *     inspect_pages index FILE               reads the index
 *     inspect_pages types FILE               reads the type table
 *     inspect_pages hash FILE [OTHER]        hashes the file, or both files
 *
 * It is linked with the same libraries as kiln-inspect. */
#define _POSIX_C_SOURCE 200809L

#include "insp_main.h"

#include <kiln/builder.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>

#include "bench_types.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text of this asset contains `needle`. */
enum { MARKED = 1000 };

/* Numbers of no asset, and of no spawn. */
enum { UNCHANGED = -1 };

typedef struct mapping {
    const unsigned char *data;
    size_t size, index_size;
    const kiln_index *index;
} mapping;

static bool map(const char *path, mapping *ret)
{
    kiln_index_frame frame;
    struct stat facts;
    int file = open(path, O_RDONLY);
    void *data = MAP_FAILED;
    if (file >= 0 && fstat(file, &facts) == 0)
        data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED)
        return false;
    ret->data = data;
    ret->size = (size_t)facts.st_size;
    kiln_file_head head = {ret->data, ret->size, ret->size};
    if (kiln_index_frame_read(&head, false, &frame, NULL) != KILN_OK)
        return false;
    ret->index = frame.index;
    ret->index_size = (size_t)frame.index_size;
    return true;
}

static uint64_t sum(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t total = 0;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        total += word;
    }
    return total;
}

static uint64_t read_member(const mapping *file, uint32_t number)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    return sum(file->data + member->place, (size_t)member->stored_size);
}

static uint64_t read_one(const mapping *file, const char *name)
{
    uint32_t number = kiln_index_find_name(file->index, name, strlen(name));
    if (number == KILN_ASSET_NONE)
        return 0;
    const kiln_index_asset *asset = kiln_index_asset_at(file->index, number);
    uint64_t total = sum(kiln_string_get(&asset->name), asset->name.length);
    return total + read_member(file, asset->member) +
           read_member(file, file->index->type_table - 1);
}

static bool write_bytes(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size;
}

static bool add_note(kiln_builder *builder, kiln_file_writer *writer, uint32_t type,
                     uint32_t number, size_t size, bool is_changed)
{
    static char text[1 << 16];
    char name[32];
    snprintf(name, sizeof name, "Note/%07u", number % 10000000);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + (i * 7 + number) % 26);
    if (number == MARKED)
        memcpy(text + size / 2, "needle", 6);
    kiln_builder_reset(builder);
    bench_Note *note = bench_Note_new(builder);
    if (!note || !bench_Note_set_text(builder, note, text, size))
        return false;
    note->number = is_changed ? 0 : number;
    return kiln_file_writer_build(writer, name, type, builder, NULL) == KILN_OK;
}

static bool set_name(kiln_builder *builder, kiln_string *field, const char *form, uint32_t number)
{
    char text[64];
    int length = snprintf(text, sizeof text, form, number);
    return kiln_builder_string(builder, field, text, (size_t)length);
}

static bool fill_spawn(kiln_builder *builder, bench_Spawn *spawn, uint32_t number, bool is_changed)
{
    kiln_string_view tags = bench_Spawn_new_tags(builder, spawn, 2);
    bench_Loot_view loot = bench_Spawn_new_loot(builder, spawn, 1);
    if (!tags.data || !loot.data)
        return false;
    spawn->pos.x = (float)number;
    spawn->hp = number % 100;
    loot.data[0].count = is_changed ? 1000 : number % 10;
    return set_name(builder, &spawn->name, "spawn %u", number) &&
           set_name(builder, &spawn->kind, "monster of kind %u", number) &&
           set_name(builder, &tags.data[0], "tag %u", number) &&
           set_name(builder, &tags.data[1], "another tag %u", number) &&
           set_name(builder, &loot.data[0].item, "item %u", number);
}

static bool add_level(kiln_builder *builder, kiln_file_writer *writer, uint32_t type,
                      uint32_t count, int64_t changed)
{
    bench_Level *level = bench_Level_new(builder);
    bench_Spawn_view spawns = bench_Level_new_spawns(builder, level, count);
    if (!spawns.data)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!fill_spawn(builder, &spawns.data[i], i, i == changed))
            return false;
    return kiln_file_writer_build(writer, "Level/large", type, builder, NULL) == KILN_OK;
}

/* With `size` 0: one level of `count` spawns. Otherwise `count` notes. */
static bool write_file(const char *path, uint32_t count, size_t size, int64_t changed)
{
    kiln_types *types = NULL;
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    FILE *out = fopen(path, "wb");
    if (!out || bench_types_create(NULL, &types, NULL) != KILN_OK)
        return false;
    builder_def.types = writer_def.types = types;
    bool good = kiln_builder_create(&builder_def, &builder) == KILN_OK &&
                kiln_file_writer_create(&writer_def, &writer, NULL) == KILN_OK;
    if (size == 0)
        good = good &&
               add_level(builder, writer, kiln_types_find(types, "bench.Level"), count, changed);
    for (uint32_t i = 0; size && good && i < count; i++)
        good = add_note(builder, writer, kiln_types_find(types, "bench.Note"), i, size - 48,
                        i == changed);
    good = good && kiln_file_writer_finish(writer, write_bytes, out, NULL) == KILN_OK;
    return fclose(out) == 0 && good;
}

static uint64_t hash(const mapping *file)
{
    return kiln_content_hash(file->data, file->size).low;
}

/* The number at an optional last place of the arguments. */
static int64_t changed_number(int argc, char **argv, int place)
{
    return argc > place ? (int64_t)strtoul(argv[place], NULL, 10) : UNCHANGED;
}

/* Returns the exit code; -1: another command. */
static int write_command(int argc, char **argv)
{
    uint32_t count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    size_t size = argc > 4 ? (size_t)strtoul(argv[4], NULL, 10) : 0;
    if ((argc == 5 || argc == 6) && strcmp(argv[1], "write") == 0)
        return size < 64 || size > 1 << 16 ||
               !write_file(argv[2], count, size, changed_number(argc, argv, 5));
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "level") == 0)
        return !write_file(argv[2], count, 0, changed_number(argc, argv, 4));
    return -1;
}

int main(int argc, char **argv)
{
    mapping file, other;
    uint64_t total = 0;
    /* The compiler cannot know that this is never called. */
    if (argc > 1000)
        return insp_main(argc, argv, stdout, stderr);
    int written = write_command(argc, argv);
    if (written >= 0)
        return written;
    if (argc == 2 && strcmp(argv[1], "empty") == 0)
        return 0;
    if (argc < 3 || !map(argv[2], &file))
        return 2;
    if (strcmp(argv[1], "one") == 0 && argc == 4)
        total = read_one(&file, argv[3]);
    else if (strcmp(argv[1], "index") == 0)
        total = sum(file.data, file.index_size);
    else if (strcmp(argv[1], "types") == 0)
        total = read_member(&file, file.index->type_table - 1);
    else if (strcmp(argv[1], "hash") == 0)
        total = hash(&file);
    if (strcmp(argv[1], "hash") == 0 && argc == 4 && map(argv[3], &other))
        total ^= hash(&other);
    return total == 0;
}
