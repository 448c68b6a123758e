/* Writes the seeds of the blob harness into a folder: one true example of everything it reads. */
#include "blob_patch.h"
#include "random_value.h"
#include "small_file.h"

#include <kiln/canonical.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (kiln_builder_finish(builder, type, KILN_BLOB_ASSET, canonical, &blob, NULL))
        exit(1);
    kiln_builder_destroy(builder);
    return blob;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    kiln_types *types = test_types_create(NULL), *builtin = NULL, *few = NULL;
    kiln_buffer bytes = small_file(types, false);
    seed("file", 0, 0, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    bytes = small_file(types, true);
    seed("file-without-types", 0, 0, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    if (kiln_types_create_builtin(NULL, &builtin, NULL) ||
        kiln_type_table_write(NULL, builtin, &bytes, NULL))
        return 1;
    seed("table-builtin", 1, 0, bytes.data, bytes.size);
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
        kiln_types_set_default(few, 3, 0, "\5", 1, NULL) ||
        kiln_type_table_write(NULL, few, &bytes, NULL))
        return 1;
    seed("table-small", 1, 0, bytes.data, bytes.size);
    kiln_buffer_fini(&bytes);
    for (unsigned i = 0; i < 4; i++) {
        char name[32];
        bytes = blob_of(types, T_ALL, i, i & 1);
        snprintf(name, sizeof name, "blob-%u", i);
        seed(name, i & 2 ? 4 : 2, 0, bytes.data, bytes.size);
        kiln_buffer_fini(&bytes);
    }
    for (uint32_t type = T_ITEM; type <= T_ALL; type++) {
        if (kiln_types_get(types, type)->kind != KILN_KIND_STRUCT)
            continue;
        char name[32];
        bytes = blob_of(types, type, 3, true);
        size_t skip = bytes.size > 64 && (bytes.data[6] & 15) == 6 ? 64 : 32;
        snprintf(name, sizeof name, "image-%u", (unsigned)type);
        seed(name, 3, type, bytes.data + skip, bytes.size - skip);
        if (type == T_ALL) {
            unsigned char text[8192] = "items[0].color";
            size_t length = strlen((char *)text) + 1, rest = bytes.size - skip;
            rest = rest < sizeof text - length ? rest : sizeof text - length;
            memcpy(text + length, bytes.data + skip, rest);
            seed("path", 5, 0, text, length + rest);
        }
        kiln_buffer_fini(&bytes);
    }
    seed("image-map", 3, T_MAP_STRING_U32,
         "\x8\0\0\0\2\0\0\0\x18\0\0\0\1\0\0\0\7\0\0\0\xe\0\0\0\2\0\0\0\7\0\0\0a\0ab", 37);
    kiln_types_destroy(few);
    kiln_types_destroy(builtin);
    kiln_types_destroy(types);
    return 0;
}
