/* Writes one file with every kind of value and reads it back, so that two hosts can be compared.
 *
 *     golden_bytes              makes the file in memory and reads it
 *     golden_bytes write FILE   makes the file and writes it to FILE
 *     golden_bytes read FILE    reads FILE, which another host may have written, and compares its
 *                               bytes with those made here
 *
 * Exits with 0 if everything is as expected. */
#include <inttypes.h>
#include <kiln/builder.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T_U8, T_U64, T_F32, T_F64, T_STRING, T_BYTES, T_U64_LIST, T_ENTRY_MAP, T_MAYBE, T_TRIPLE };
enum { T_REF = T_TRIPLE + 1, T_COLOUR, T_SHAPE, T_THING, T_COUNT };

typedef struct thing {
    uint8_t small;
    KILN_ALIGNAS(8) uint64_t wide;
    float single;
    KILN_ALIGNAS(8) double real;
    kiln_string text;
    kiln_bytes raw;
    kiln_u64_array list;
    kiln_array map;
    kiln_u64_optional maybe;
    uint8_t triple[3];
    KILN_ALIGNAS(8) kiln_id other;
    uint16_t colour;
    kiln_union shape;
} thing;

typedef struct entry {
    kiln_string key;
    KILN_ALIGNAS(8) double value;
} entry;

static const kiln_member colours[] = {{.name = "red", .value = 7}, {.name = "blue", .value = 300}};
static const kiln_member shapes[] = {{.name = "nothing", .value = 1, .type = KILN_TYPE_NONE},
                                     {.name = "round", .value = 2, .type = T_F64}};
static const kiln_member fields[] = {
    {.name = "small", .type = T_U8},      {.name = "wide", .type = T_U64},
    {.name = "single", .type = T_F32},    {.name = "real", .type = T_F64},
    {.name = "text", .type = T_STRING},   {.name = "raw", .type = T_BYTES},
    {.name = "list", .type = T_U64_LIST}, {.name = "map", .type = T_ENTRY_MAP},
    {.name = "maybe", .type = T_MAYBE},   {.name = "triple", .type = T_TRIPLE},
    {.name = "other", .type = T_REF},     {.name = "colour", .type = T_COLOUR},
    {.name = "shape", .type = T_SHAPE},
};
static const kiln_type descriptions[T_COUNT] = {
    [T_U8] = {.kind = KILN_KIND_U8},
    [T_U64] = {.kind = KILN_KIND_U64},
    [T_F32] = {.kind = KILN_KIND_F32},
    [T_F64] = {.kind = KILN_KIND_F64},
    [T_STRING] = {.kind = KILN_KIND_STRING},
    [T_BYTES] = {.kind = KILN_KIND_BYTES, .align_at = 64},
    [T_U64_LIST] = {.kind = KILN_KIND_ARRAY, .element = T_U64},
    [T_ENTRY_MAP] = {.kind = KILN_KIND_MAP, .key = T_STRING, .element = T_F64},
    [T_MAYBE] = {.kind = KILN_KIND_OPTIONAL, .element = T_U64},
    [T_TRIPLE] = {.kind = KILN_KIND_FIXED, .element = T_U8, .count = 3},
    [T_REF] = {.kind = KILN_KIND_REF, .element = T_THING},
    [T_COLOUR] = {.name = "g.Colour",
                  .kind = KILN_KIND_ENUM,
                  .base = KILN_KIND_U16,
                  .members = colours,
                  .member_count = 2},
    [T_SHAPE] = {.name = "g.Shape", .kind = KILN_KIND_UNION, .members = shapes, .member_count = 2},
    [T_THING] = {.name = "g.Thing",
                 .kind = KILN_KIND_STRUCT,
                 .flags = KILN_TYPE_ASSET,
                 .members = fields,
                 .member_count = sizeof fields / sizeof fields[0]},
};

static int fail(const char *what, kiln_status status, const kiln_error *error)
{
    fprintf(stderr, "%s: %s (%s)\n", what, kiln_status_text(status), error ? error->path : "");
    return 1;
}

static void fill(kiln_builder *builder, thing *root, const char *other)
{
    static const char *const keys[] = {"zeta", "alpha", "mid"};
    uint64_t *maybe;
    uint64_t *list;
    double *radius;
    entry *entries;

    root->small = 200;
    root->wide = UINT64_C(0x0123456789abcdef);
    root->single = 0.1f;
    root->real = 1.0 / 3.0;
    root->colour = 300;
    root->other = kiln_asset_id(other, strlen(other));
    memcpy(root->triple, "\1\2\3", 3);
    kiln_builder_string(builder, &root->text, "gr\xc3\xbc\xc3\x9f dich", 11);
    kiln_builder_bytes(builder, &root->raw, "\x00\xff\x80", 3, 64);
    maybe = kiln_builder_pointer(builder, &root->maybe, sizeof *maybe, 8);
    list = kiln_builder_array(builder, &root->list, 2, sizeof *list, 8);
    entries = kiln_builder_array(builder, &root->map, 3, sizeof *entries, 8);
    radius = kiln_builder_choose(builder, &root->shape, 2, sizeof *radius, 8);
    if (!maybe || !list || !entries || !radius)
        return;
    *maybe = 1;
    list[0] = UINT64_MAX;
    list[1] = strlen(other);
    *radius = -2.5;
    for (int i = 0; i < 3; i++) {
        kiln_builder_string(builder, &entries[i].key, keys[i], strlen(keys[i]));
        entries[i].value = i * 0.7;
    }
}

/* Adds the asset `name`, which refers to `other`. */
static kiln_status add(kiln_file_writer *writer, const kiln_types *types, const char *name,
                       const char *other, kiln_error *reterr)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    kiln_status status;
    thing *root;

    def.types = types;
    status = kiln_builder_create(&def, &builder);
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    root = kiln_builder_root(builder, sizeof *root, 8);
    if (root)
        fill(builder, root, other);
    status = kiln_builder_finish(builder, kiln_types_find(types, "g.Thing"), KILN_FLAG_CANONICAL,
                                 &blob, reterr);
    if (status == KILN_OK)
        status = kiln_file_writer_add(writer, name, kiln_types_find(types, "g.Thing"),
                                      (kiln_span){blob.data, blob.size}, reterr);
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(builder);
    return status;
}

static kiln_status make(const kiln_types *types, kiln_buffer *ret_file, kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_status status;

    def.types = types;
    status = kiln_file_writer_create(&def, &writer, reterr);
    if (status != KILN_OK)
        return status;
    status = add(writer, types, "Thing/one", "Thing/two", reterr);
    if (status == KILN_OK)
        status = add(writer, types, "Thing/two", "Thing/one", reterr);
    if (status == KILN_OK)
        status = kiln_file_writer_finish_buffer(writer, ret_file, reterr);
    kiln_file_writer_destroy(writer);
    return status;
}

/* Checks the index and every value of a file in aligned memory. */
static int read_all(const kiln_types *types, const unsigned char *data, size_t size)
{
    kiln_verify_def def = kiln_verify_def_default();
    kiln_types *builtin = NULL;
    const kiln_index *index = NULL;
    kiln_error error;
    kiln_status status = kiln_types_create_builtin(NULL, &builtin, &error);

    if (status == KILN_OK)
        status =
            kiln_index_check(builtin, NULL, &(kiln_file_head){data, size, size}, &index, &error);
    def.types = types;
    def.type = kiln_types_find(types, "g.Thing");
    for (uint32_t i = 0; status == KILN_OK && i < kiln_index_asset_count(index); i++) {
        const kiln_index_member *member =
            kiln_index_member_at(index, kiln_index_asset_at(index, i)->member);
        status = kiln_verify(&def, data + member->place, (size_t)member->size, &error);
    }
    kiln_types_destroy(builtin);
    return status == KILN_OK ? 0 : fail("read", status, &error);
}

static int compare_with(const char *path, const kiln_types *types, const kiln_buffer *made)
{
    FILE *stream = fopen(path, "rb");
    unsigned char *data = aligned_alloc(4096, (made->size / 4096 + 2) * 4096);
    size_t size = stream && data ? fread(data, 1, made->size + 1, stream) : 0;
    int result = 1;

    if (size != made->size || memcmp(data, made->data, size) != 0)
        fprintf(stderr, "%s: differs from the bytes written on this host\n", path);
    else
        result = read_all(types, data, size);
    if (stream)
        fclose(stream);
    free(data);
    return result;
}

static int write_to(const char *path, const kiln_buffer *made)
{
    FILE *stream = fopen(path, "wb");
    bool good = stream && fwrite(made->data, 1, made->size, stream) == made->size;

    if (!stream || fclose(stream) != 0 || !good) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    kiln_types *types = NULL;
    kiln_buffer file = {0};
    kiln_error error = {0};
    kiln_status status;
    int result;

    status = kiln_types_create(NULL, descriptions, T_COUNT, &types, &error);
    if (status == KILN_OK)
        status = make(types, &file, &error);
    if (status != KILN_OK) {
        result = fail("make", status, &error);
    } else if (strcmp(command, "write") == 0 && argc == 3) {
        result = write_to(argv[2], &file);
    } else if (strcmp(command, "read") == 0 && argc == 3) {
        result = compare_with(argv[2], types, &file);
    } else {
        result = read_all(types, file.data, file.size);
    }
    if (result == 0) {
        kiln_hash128 hash = kiln_content_hash(file.data, file.size);
        printf("%016" PRIx64 "%016" PRIx64 "\n", hash.high, hash.low);
    }
    kiln_buffer_fini(&file);
    kiln_types_destroy(types);
    return result;
}
