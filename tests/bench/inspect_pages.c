/* Baselines of kiln-inspect on a large file, and the file itself:
 *
 *     inspect_pages write FILE COUNT SIZE    writes COUNT assets Note/0000000 and so on, of about
 *                                            SIZE bytes each; one contains `needle`
 *     inspect_pages empty                    does nothing
 *     inspect_pages one FILE NAME            reads what is needed to find an asset by name, and
 *                                            its blob
 *     inspect_pages index FILE               reads the index
 *     inspect_pages types FILE               reads the type table
 *     inspect_pages hash FILE                hashes the file
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
                     uint32_t number, size_t size)
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
    note->number = number;
    return kiln_file_writer_build(writer, name, type, builder, NULL) == KILN_OK;
}

static bool write_file(const char *path, uint32_t count, size_t size)
{
    kiln_types *types = NULL;
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    FILE *out = fopen(path, "wb");
    if (!out || size < 64 || size > 1 << 16 || bench_types_create(NULL, &types, NULL) != KILN_OK)
        return false;
    builder_def.types = writer_def.types = types;
    bool good = kiln_builder_create(&builder_def, &builder) == KILN_OK &&
                kiln_file_writer_create(&writer_def, &writer, NULL) == KILN_OK;
    for (uint32_t i = 0; good && i < count; i++)
        good = add_note(builder, writer, kiln_types_find(types, "bench.Note"), i, size - 48);
    good = good && kiln_file_writer_finish(writer, write_bytes, out, NULL) == KILN_OK;
    return fclose(out) == 0 && good;
}

int main(int argc, char **argv)
{
    mapping file;
    uint64_t total = 0;
    /* The compiler cannot know that this is never called. */
    if (argc > 1000)
        return insp_main(argc, argv, stdout, stderr);
    if (argc == 5 && strcmp(argv[1], "write") == 0)
        return !write_file(argv[2], (uint32_t)strtoul(argv[3], NULL, 10),
                           (size_t)strtoul(argv[4], NULL, 10));
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
        total = kiln_content_hash(file.data, file.size).low;
    return total == 0;
}
