/* Writes the seeds of the harnesses blob and file into a folder each: one valid example of
 * everything that they read. */
#include "blob_input.h"
#include "blob_patch.h"
#include "random_types.h"
#include "random_value.h"
#include "small_file.h"

#include <kiln/canonical.h>
#include <kiln/file_writer.h>
#include <kiln/payload.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_LISTS = 24 };

static const char *folder;

static void seed(const char *name, unsigned as, unsigned type, const void *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    unsigned char head[2] = {(unsigned char)as, (unsigned char)type};
    if (!file || fwrite(head, 1, 2, file) != 2 || fwrite(data, 1, size, file) != size ||
        fclose(file))
        exit(1);
}

static kiln_buffer blob_of(const kiln_types *types, uint32_t type, uint64_t number, bool canonical)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    def.types = types;
    if (kiln_builder_create(&def, &builder))
        exit(1);
    random_value_build(builder, types, type, number, 0);
    if (kiln_builder_finish(builder, type, canonical ? KILN_FLAG_CANONICAL : 0, &blob, NULL))
        exit(1);
    kiln_builder_destroy(builder);
    return blob;
}

static void write_random(uint64_t number)
{
    unsigned char bytes[1 << 16];
    kiln_types *types = random_types_create(number);
    kiln_buffer blob = blob_of(types, kiln_types_count(types) - 1, number, number & 1);
    char name[32];
    patch_number(bytes, number, BLOB_SEED_SIZE);
    if (blob.size > sizeof bytes - BLOB_SEED_SIZE)
        exit(1);
    memcpy(bytes + BLOB_SEED_SIZE, blob.data, blob.size);
    snprintf(name, sizeof name, "random-%u", (unsigned)number);
    seed(name, BLOB_AS_RANDOM, 1, bytes, BLOB_SEED_SIZE + blob.size);
    kiln_buffer_fini(&blob);
    kiln_types_destroy(types);
}

/* A file with few types and two assets. One asset refers to the other, and one to an import. */
static kiln_buffer tiny_file(void)
{
    static const kiln_member fields[] = {
        {.name = "name", .type = 0}, {.name = "link", .type = 1}, {.name = "n", .type = 2}};
    static const kiln_type list[] = {
        {.kind = KILN_KIND_STRING},
        {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
        {.kind = KILN_KIND_U8},
        {.name = "S", .kind = KILN_KIND_STRUCT, .members = fields, .member_count = 3}};
    static const char *const names[] = {"S/a", "S/b", "S/c"};
    kiln_types *types = NULL;
    kiln_file_writer *writer = NULL;
    kiln_builder *builder = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_buffer file = {0};
    if (kiln_types_create(NULL, list, 4, &types, NULL))
        exit(1);
    def.types = builder_def.types = types;
    if (kiln_file_writer_create(&def, &writer, NULL) || kiln_builder_create(&builder_def, &builder))
        exit(1);
    for (unsigned i = 0; i < 2; i++) {
        const kiln_type *of = kiln_types_get(types, 3);
        unsigned char *root = kiln_builder_root(builder, of->size, of->align);
        kiln_id link = kiln_asset_id(names[i + 1], 3);
        kiln_buffer blob = {0};
        kiln_builder_string(builder, (kiln_string *)(void *)root, "text", 4 - i);
        memcpy(root + of->members[1].offset, &link, sizeof link);
        if (kiln_builder_finish(builder, 3, KILN_FLAG_CANONICAL, &blob, NULL) ||
            kiln_file_writer_add(writer, names[i], 3, (kiln_span){blob.data, blob.size}, NULL))
            exit(1);
        kiln_buffer_fini(&blob);
        kiln_builder_reset(builder);
    }
    if (kiln_file_writer_import(writer, names[2]) ||
        kiln_file_writer_finish_buffer(writer, &file, NULL))
        exit(1);
    kiln_builder_destroy(builder);
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    return file;
}

/* Similar assets of one type, compressed with or without a dictionary. The file has no other types,
 * to keep it short. */
static kiln_buffer packed_file(const kiln_types *all, const char *group, unsigned count)
{
    kiln_member field = *kiln_types_get(all, T_ONE_BYTES)->members;
    kiln_type list[] = {*kiln_types_get(all, field.type), *kiln_types_get(all, T_ONE_BYTES)};
    kiln_types *types = NULL;
    field.type = 0;
    list[1].members = &field;
    if (kiln_types_create(NULL, list, 2, &types, NULL))
        exit(1);
    kiln_file_writer *writer = NULL;
    kiln_builder *builder = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_buffer file = {0};
    def.types = builder_def.types = types;
    if (kiln_file_writer_create(&def, &writer, NULL) ||
        kiln_builder_create(&builder_def, &builder) || kiln_file_writer_compress(writer, 19, group))
        exit(1);
    for (unsigned i = 0; i < count; i++) {
        kiln_array *root = kiln_builder_root(builder, sizeof *root, 4);
        char name[32], text[200];
        snprintf(
            text, sizeof text,
            "Bytes of number %u: of oak, %u years old, oiled by hand, and sold with a cloth to "
            "keep them as bright as on the day they were made %u miles from here",
            i, i * 7919 % 1000, i * 104729 % 997);
        snprintf(name, sizeof name, "Bytes/%u", i);
        if (!root || !kiln_builder_bytes(builder, root, text, (uint32_t)strlen(text), 1) ||
            kiln_file_writer_build(writer, name, 1, builder, NULL))
            exit(1);
        kiln_builder_reset(builder);
    }
    if (kiln_file_writer_finish_buffer(writer, &file, NULL))
        exit(1);
    kiln_builder_destroy(builder);
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    return file;
}

static bool read_data(void *ctx, uint64_t offset, void *memory, size_t size)
{
    memcpy(memory, (const unsigned char *)ctx + offset, size);
    return true;
}

/* Payloads: plain, in frames, and without data. */
static kiln_buffer payload_file(void)
{
    static unsigned char data[9000];
    kiln_types *types = NULL;
    kiln_file_writer *writer = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_buffer file = {0};
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i % 97 + i / 500);
    const kiln_payload_args rows[] = {
        {.read = read_data, .ctx = data, .size = 50, .alignment = 64},
        {.read = read_data, .ctx = data, .size = sizeof data, .frame_size = 4096},
        {.size = 0}};
    if (kiln_types_with_payloads(NULL, NULL, &types, NULL))
        exit(1);
    def.types = types;
    if (kiln_file_writer_create(&def, &writer, NULL))
        exit(1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (kiln_file_writer_payload(writer, &rows[i], NULL, NULL))
            exit(1);
    if (kiln_file_writer_finish_buffer(writer, &file, NULL))
        exit(1);
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    return file;
}

static void write_payloads(void)
{
    kiln_buffer bytes = payload_file();
    for (unsigned way = 0; way < 32; way += 3) {
        char name[32];
        snprintf(name, sizeof name, "file-payloads-%u", way);
        seed(name, BLOB_AS_FILE, way, bytes.data, bytes.size);
    }
    kiln_buffer_fini(&bytes);
}

static void write_packed(const kiln_types *types)
{
    static const unsigned ways[] = {1, 7, 16, 17};
    kiln_buffer few = packed_file(types, NULL, 3), many = packed_file(types, "all", 40);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        char name[32];
        snprintf(name, sizeof name, "file-packed-%u", ways[i]);
        seed(name, BLOB_AS_FILE, ways[i], few.data, few.size);
        snprintf(name, sizeof name, "file-trained-%u", ways[i]);
        seed(name, BLOB_AS_FILE, ways[i], many.data, many.size);
    }
    kiln_buffer_fini(&few);
    kiln_buffer_fini(&many);
}

static void write_files(const kiln_types *types)
{
    write_packed(types);
    write_payloads();
    kiln_buffer bytes = small_file(types, false);
    seed("file", BLOB_AS_FILE, 1, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    bytes = small_file(types, true);
    seed("file-without-types", BLOB_AS_FILE, 7, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    bytes = tiny_file();
    for (unsigned way = 0; way < 32; way++) {
        char name[32];
        snprintf(name, sizeof name, "file-tiny-%u", way);
        seed(name, BLOB_AS_FILE, way, bytes.data, bytes.size);
    }
    kiln_buffer_fini(&bytes);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    folder = argv[1];
    kiln_types *types = test_types_create(NULL), *builtin = NULL, *few = NULL;
    kiln_buffer bytes = small_file(types, false);
    seed("file", BLOB_AS_FILE, 0, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    bytes = small_file(types, true);
    seed("file-without-types", BLOB_AS_FILE, 0, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    if (kiln_types_create_builtin(NULL, &builtin, NULL) ||
        kiln_type_table_write(NULL, builtin, &bytes, NULL))
        return 1;
    seed("table-builtin", BLOB_AS_TYPE_TABLE, 0, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    static const kiln_member values[] = {{.name = "a", .value = 1}, {.name = "b", .value = 4}};
    static const kiln_member fields[] = {
        {.name = "x", .type = 0, .flags = KILN_MEMBER_HAS_MAX, .max = 9}, {.name = "e", .type = 2}};
    static const kiln_type list[] = {
        {.kind = KILN_KIND_U8},
        {.kind = KILN_KIND_MAP, .key = 0, .element = 3},
        {.name = "E",
         .kind = KILN_KIND_FLAGS,
         .base = KILN_KIND_U16,
         .members = values,
         .member_count = 2},
        {.name = "S", .kind = KILN_KIND_STRUCT, .members = fields, .member_count = 2}};
    if (kiln_types_create(NULL, list, 4, &few, NULL) ||
        kiln_types_set_default(few, 3, 0, (kiln_span){"\5", 1}, NULL) ||
        kiln_type_table_write(NULL, few, &bytes, NULL))
        return 1;
    seed("table-small", BLOB_AS_TYPE_TABLE, 0, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    for (unsigned i = 0; i < 4; i++) {
        char name[32];
        bytes = blob_of(types, T_ALL, i, i & 1);
        snprintf(name, sizeof name, "blob-%u", i);
        seed(name, i & 2 ? BLOB_AS_CANONICAL : BLOB_AS_BLOB, 0, bytes.data, bytes.size);
        kiln_buffer_fini(&bytes);
    }
    for (uint32_t type = T_ITEM; type <= T_ALL; type++) {
        if (kiln_types_get(types, type)->kind != KILN_KIND_STRUCT)
            continue;
        char name[32];
        bytes = blob_of(types, type, 3, true);
        size_t skip = bytes.size > 64 && (bytes.data[6] & 15) == 6 ? 64 : 32;
        snprintf(name, sizeof name, "image-%u", (unsigned)type);
        seed(name, BLOB_AS_IMAGE, type, bytes.data + skip, bytes.size - skip);
        if (type == T_ALL) {
            unsigned char text[8192] = "items[0].color";
            size_t length = strlen((char *)text) + 1, rest = bytes.size - skip;
            rest = rest < sizeof text - length ? rest : sizeof text - length;
            memcpy(text + length, bytes.data + skip, rest);
            seed("path", BLOB_AS_PATH, 0, text, length + rest);
        }
        kiln_buffer_fini(&bytes);
    }
    seed("image-map", BLOB_AS_IMAGE, T_MAP_STRING_U32,
         "\x8\0\0\0\2\0\0\0\x18\0\0\0\1\0\0\0\7\0\0\0\xe\0\0\0\2\0\0\0\7\0\0\0a\0ab", 37);
    for (uint64_t number = 0; number < RANDOM_LISTS; number++)
        write_random(number);
    folder = argv[2];
    write_files(types);
    kiln_types_destroy(few);
    kiln_types_destroy(builtin);
    kiln_types_destroy(types);
    return 0;
}
