/* An arbitrary source map, queried by `kiln-inspect where` for values and bytes of a fixed file.
 * The first byte selects the query, and the rest is the map. The line that binds the map to the
 * file is added unless the first byte's top bit is set. */
#include "fuzz_target.h"
#include "memory_read.h"
#include "null_stream.h"
#include "scene_fixture.h"

#include "insp_main.h"

#include <inttypes.h>
#include <kiln/blob_header.h>
#include <kiln/file_writer.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 6 };

static const char *const questions[][WORDS_MAX] = {
    {"Item/1"},
    {"Item/1.price"},
    {"-f", "json", "Item/3.price"},
    {"Scene/test"},
    {"Scene/test#door"},
    {"Scene/test#door.Position.x"},
    {"-f", "json", "Scene/test#1.Label.names"},
    {"Scene/test.names[\"door\"]"},
    {"SceneData/test.names[1]"},
    {"-f", "json", "SceneData/test.numbers[2]"},
    {"-C", "base", "Item/2.price"},
    {"0x180"},
    {"-f", "json", "700"},
    {"1500"},
    {"Item/nobody.price"},
};

enum { QUESTIONS = sizeof questions / sizeof *questions };

static kiln_types *types;
static kiln_buffer file;

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void end(void)
{
    kiln_buffer_fini(&file);
    kiln_types_destroy(types);
}

/* A scene with names, components with data, and the items to which they refer. */
static void write_file(void)
{
    static const uint32_t numbers[] = {C_POSITION, C_LABEL, C_SPRITE};
    kiln_scene_writer *writer = NULL;
    uint32_t set[3], archetype, first;
    types = scene_types_create(NULL);
    require(!kiln_scene_writer_create(NULL, &writer));
    for (uint32_t c = 0; c < 3; c++) {
        const kiln_scene_component_desc desc = scene_component(types, numbers[c]);
        require(!kiln_scene_writer_add_component(writer, &desc, &set[c]));
    }
    require(!kiln_scene_writer_add_archetype(writer, set, 3, &archetype));
    require(!kiln_scene_writer_add_rows(writer, archetype, 2, &first));
    for (uint32_t entity = 0; entity < 2; entity++) {
        unsigned char *at = kiln_scene_writer_at(writer, first + entity, set[2], NULL);
        for (uint32_t i = 0; i < scene_components[C_SPRITE].component.asset_count; i++) {
            uint64_t asset = 0;
            require(!kiln_scene_writer_add_asset(writer, scene_item(i + entity), &asset));
            memcpy(at + scene_components[C_SPRITE].component.asset_places[i], &asset, sizeof asset);
        }
        uint64_t word = 1 + entity;
        at = kiln_scene_writer_at(writer, first + entity, set[1], NULL);
        for (uint32_t i = 0; i < scene_components[C_LABEL].field_count; i++)
            memcpy(at + scene_components[C_LABEL].field_places[i], &word, sizeof word);
    }
    require(!kiln_scene_writer_name(writer, first, "door", 4));
    require(!scene_finish(writer, types, NULL, &file, NULL));
    kiln_scene_writer_destroy(writer);
    require(atexit(end) == 0);
}

/* Builds the map in a block that the caller frees. */
static char *bound_map(const uint8_t *data, size_t size, size_t *ret_size)
{
    enum { LINE_ROOM = 32 };
    uint64_t hash;
    char *map = malloc(size + LINE_ROOM);
    require(map != NULL);
    memcpy(map, data + 1, size - 1);
    *ret_size = size - 1;
    memcpy(&hash, file.data + offsetof(kiln_blob_header, hash), sizeof hash);
    if (!(data[0] & 0x80))
        *ret_size += (size_t)snprintf(map + size - 1, LINE_ROOM, "H\t%016" PRIx64 "\n", hash);
    return map;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char source[] = "a: {price: 1}\n\xc3\xa4: \ttab\r\nb: [x, y]\nlast";
    char name[] = "kiln-inspect", command[] = "where", copy[] = "--copy", path[] = "f.kiln";
    char *words[WORDS_MAX + 5] = {name, command, copy, path};
    int count = 4;
    if (size < 1)
        return 0;
    if (!file.data)
        write_file();
    size_t map_size;
    char *map = bound_map(data, size, &map_size);
    memory_read_reset();
    memory_read_put(path, file.data, file.size);
    memory_read_put("f.kiln.map", map, map_size);
    memory_read_put("a.yaml", source, sizeof source - 1);
    memory_read_put("base/b.yaml", source, sizeof source - 1);
    for (int i = 0; i < WORDS_MAX && questions[(data[0] & 0x7f) % QUESTIONS][i]; i++)
        words[count++] = (char *)(uintptr_t)questions[(data[0] & 0x7f) % QUESTIONS][i];
    int code = insp_main(count, words, null_stream(), null_stream());
    require(code == INSP_OK || code == INSP_BAD);
    free(map);
    return 0;
}
