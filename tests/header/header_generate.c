/* Writes the header of one of the two schemas, including its type table: header_generate game|town
 * OUT */
#include "c_header.h"
#include "header_types.h"

#include <kiln/type_table.h>

#include <stdio.h>
#include <string.h>

static bool write_file(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size;
}

static kiln_status generate(const kiln_types *types, const char *name, FILE *out,
                            kiln_error *reterr)
{
    kiln_buffer table = {NULL, 0, {NULL, NULL, NULL}};
    kiln_status status = kiln_type_table_write(NULL, types, &table, reterr);
    bake_c_header_options options = {.guard_name = name,
                                     .source_name = "header_types.c",
                                     .prefix = strcmp(name, "game.h") == 0 ? "game" : NULL,
                                     .type_table = table.data,
                                     .type_table_size = table.size};
    if (!status)
        status = bake_c_header_write(types, &options, write_file, out, reterr);
    kiln_buffer_fini(&table);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    bool is_game = strcmp(argv[1], "game") == 0;
    kiln_types *types = is_game ? header_game_types() : header_town_types();
    FILE *out = types ? fopen(argv[2], "wb") : NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status = KILN_IO;
    if (out) {
        status = generate(types, is_game ? "game.h" : "town.h", out, &error);
        if (fclose(out) != 0)
            status = KILN_IO;
    }
    kiln_types_destroy(types);
    if (status)
        fprintf(stderr, "%s: %s: %s\n", argv[1], error.path, kiln_status_text(status));
    return status ? 2 : 0;
}
