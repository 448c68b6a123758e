/* Random scenes, written and read back, compared with a simple list of entities without chunks. */
#include "scene_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kiln_types *types;

static int set_up(void **state)
{
    (void)state;
    types = scene_types_create(NULL);
    return types == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    return 0;
}

static uint32_t random_below(uint64_t *random, uint32_t limit)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % limit);
}

/* ---- the model ---- */

enum { ENTITIES_MAX = 6000, ARCHETYPES_MAX = 24, IMPORTS = 3 };

static const char *const import_scenes[IMPORTS] = {"Scene/other", "Scene/other", "Level/a"};
static const char *const import_names[IMPORTS] = {"door", "b", "zed"};

/* In this file, the tag of an entity is the number by which the model identifies it. Its bytes and
 * references are computed from the tag. */
typedef struct model {
    uint64_t seed;
    uint32_t count;
    uint32_t set[ENTITIES_MAX];   /* bits of components */
    uint32_t order[ENTITIES_MAX]; /* order in which they are added to their archetype, as tags */
} model;

static uint64_t mix(const model *m, uint32_t tag, uint32_t what)
{
    uint64_t x = m->seed ^ (tag * UINT64_C(0x9e3779b97f4a7c15)) ^ ((uint64_t)what << 40);
    x ^= x >> 31;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

/* The meaning of a word, which writing and reading must not change. */
typedef struct meaning {
    enum { MEANS_NOTHING, MEANS_ENTITY, MEANS_IMPORT, MEANS_VALUE } kind;
    uint64_t number; /* tag, import, or the word's value */
} meaning;

static meaning entity_meant(const model *m, uint32_t tag, uint32_t what)
{
    uint64_t x = mix(m, tag, what);
    meaning none = {MEANS_NOTHING, 0}, local = {MEANS_ENTITY, x / 16 % m->count},
            import = {MEANS_IMPORT, x / 16 % IMPORTS};
    return x % 4 == 0 ? none : x % 4 == 1 ? import : local;
}

static meaning asset_meant(const model *m, uint32_t tag, uint32_t what)
{
    uint64_t item = mix(m, tag, what) % (SCENE_ITEMS + 1);
    meaning meant = {MEANS_VALUE, item ? scene_item((uint32_t)item - 1) : 0};
    return meant;
}

static uint64_t data_meant(const model *m, uint32_t tag, uint32_t what, const char *list)
{
    uint64_t most = strcmp(list, "names") == 0     ? SCENE_STRINGS
                    : strcmp(list, "numbers") == 0 ? SCENE_NUMBERS
                                                   : SCENE_TITLES;
    return mix(m, tag, what) % (most + 1);
}

/* The bytes of a component except its words. */
static void fill_bytes(const model *m, uint32_t tag, uint32_t number, unsigned char *bytes)
{
    uint32_t size = scene_components[number].component.size;
    for (uint32_t i = 0; i < size; i += 8) {
        uint64_t x = mix(m, tag, number * 4096 + i / 8);
        memcpy(bytes + i, &x, size - i < 8 ? size - i : 8);
    }
    if (number == C_DOOR) {
        static const unsigned char states[] = {1, 2, 5};
        uint64_t x = mix(m, tag, 77);
        memset(bytes, 0, 8);
        bytes[0] = x & 1;
        bytes[1] = states[x / 2 % 3];
        bytes[2] = (unsigned char)(x / 8 & 11);
        bytes[4] = x / 128 & 1;
    }
}

static void random_model(model *m, uint64_t seed)
{
    uint64_t random = seed;
    uint32_t sets[ARCHETYPES_MAX], count = 1 + random_below(&random, ARCHETYPES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        sets[i] = random_below(&random, 1u << C_COUNT) & random_below(&random, 1u << C_COUNT);
        if (sets[i] & 1u << C_HUGE)
            sets[i] &= 1u << C_HUGE | 1u << C_LIT | 1u << C_DARK;
    }
    m->seed = seed;
    m->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t few = random_below(&random, 3), rows;
        rows = few == 0 ? 1 : random_below(&random, few == 1 ? 40 : ENTITIES_MAX / ARCHETYPES_MAX);
        if (i == 0 && !(sets[i] & (1u << C_HUGE | 1u << C_LARGE)))
            rows = random_below(&random, ENTITIES_MAX / 2);
        if (sets[i] & 1u << C_HUGE && rows > 5)
            rows = 5;
        for (; rows > 0 && m->count < ENTITIES_MAX; rows--)
            m->set[m->count++] = sets[i];
    }
    if (m->count == 0)
        m->set[m->count++] = 0;
}

/* ---- writing ---- */

typedef struct writing {
    const model *m;
    kiln_scene_writer *writer;
    uint32_t components[C_COUNT];
    uint32_t numbers[ENTITIES_MAX]; /* entity numbers by tag */
    uint64_t items[SCENE_ITEMS];
    uint32_t imports[IMPORTS];
} writing;

static void put_entity(const writing *w, unsigned char *at, meaning meant)
{
    uint32_t word[2] = {0, KILN_SCENE_NULL};
    if (meant.kind == MEANS_ENTITY) {
        word[0] = w->numbers[meant.number];
        word[1] = KILN_SCENE_LOCAL;
    } else if (meant.kind == MEANS_IMPORT) {
        word[1] = KILN_SCENE_IMPORT + w->imports[meant.number];
    }
    memcpy(at, word, sizeof word);
}

static void put_row(const writing *w, uint32_t tag, uint32_t number, unsigned char *row)
{
    const kiln_scene_component_desc *desc = &scene_components[number];
    fill_bytes(w->m, tag, number, row);
    for (uint32_t i = 0; i < desc->component.entity_count; i++)
        put_entity(w, row + desc->component.entity_places[i],
                   entity_meant(w->m, tag, number * 8 + i));
    for (uint32_t i = 0; i < desc->component.asset_count; i++) {
        uint64_t id = asset_meant(w->m, tag, number * 8 + i).number, word = 0;
        for (uint32_t k = 0; k < SCENE_ITEMS; k++)
            if (id == scene_item(k))
                word = w->items[k];
        memcpy(row + desc->component.asset_places[i], &word, 8);
    }
    for (uint32_t i = 0; i < desc->field_count; i++) {
        uint64_t word = data_meant(w->m, tag, number * 8 + i, desc->field_names[i]);
        memcpy(row + desc->field_places[i], &word, 8);
    }
}

static void write_rows(const writing *w)
{
    for (uint32_t tag = 0; tag < w->m->count; tag++) {
        for (uint32_t number = 0; number < C_COUNT; number++) {
            uint32_t count = 0;
            unsigned char *row =
                kiln_scene_writer_at(w->writer, w->numbers[tag], w->components[number], &count);
            assert_int_equal(w->m->set[tag] >> number & 1, row != NULL);
            if (!row)
                continue;
            assert_true(count > 0);
            if (scene_components[number].component.size)
                put_row(w, tag, number, row);
        }
        char name[32];
        int length = snprintf(name, sizeof name, "%s%u", tag % 2 ? "odd " : "", (unsigned)tag);
        if (mix(w->m, tag, 99) % 3 == 0)
            assert_int_equal(
                kiln_scene_writer_name(w->writer, w->numbers[tag], name, (size_t)length), KILN_OK);
    }
}

static uint32_t archetype_of(const writing *w, uint32_t set, bool backwards)
{
    uint32_t components[C_COUNT], count = 0, archetype;
    for (uint32_t i = 0; i < C_COUNT; i++) {
        uint32_t number = backwards ? C_COUNT - 1 - i : i;
        if (set >> number & 1)
            components[count++] = w->components[number];
    }
    assert_int_equal(kiln_scene_writer_add_archetype(w->writer, components, count, &archetype),
                     KILN_OK);
    return archetype;
}

/* Adds everything: in order of tags in large steps, or one at a time with mixed archetypes. The
 * rows of an archetype have the same order both times. */
static void write_model(writing *w, const model *m, bool mixed)
{
    w->m = m;
    assert_int_equal(kiln_scene_writer_create(NULL, &w->writer), KILN_OK);
    for (uint32_t i = 0; i < C_COUNT; i++) {
        uint32_t number = mixed ? C_COUNT - 1 - i : i;
        assert_int_equal(kiln_scene_writer_add_component(w->writer, &scene_components[number],
                                                         &w->components[number]),
                         KILN_OK);
    }
    for (uint32_t i = 0; i < SCENE_ITEMS; i++) {
        uint32_t item = mixed ? SCENE_ITEMS - 1 - i : i;
        assert_int_equal(kiln_scene_writer_add_asset(w->writer, scene_item(item), &w->items[item]),
                         KILN_OK);
    }
    for (uint32_t i = 0; i < IMPORTS; i++) {
        uint32_t import = mixed ? IMPORTS - 1 - i : i;
        assert_int_equal(kiln_scene_writer_add_import(w->writer, import_scenes[import],
                                                      import_names[import], &w->imports[import]),
                         KILN_OK);
    }
    uint32_t first;
    if (!mixed) {
        for (uint32_t tag = 0; tag < m->count;) {
            uint32_t end = tag + 1;
            while (end < m->count && m->set[end] == m->set[tag])
                end++;
            assert_int_equal(kiln_scene_writer_add_rows(
                                 w->writer, archetype_of(w, m->set[tag], false), end - tag, &first),
                             KILN_OK);
            for (; tag < end; tag++)
                w->numbers[tag] = first++;
        }
    } else {
        /* Adds one entity at a time: of a random set, the one with the lowest tag that is left. */
        uint32_t done[ENTITIES_MAX] = {0}, at = 0, left = m->count;
        uint64_t random = m->seed + 1;
        while (left > 0) {
            at = random_below(&random, m->count);
            uint32_t set = m->set[at];
            for (at = 0; m->set[at] != set || done[at]; at++)
                if (at + 1 == m->count)
                    break;
            if (m->set[at] != set || done[at])
                continue;
            assert_int_equal(
                kiln_scene_writer_add_rows(w->writer, archetype_of(w, set, true), 1, &first),
                KILN_OK);
            w->numbers[at] = first;
            done[at] = 1;
            left--;
        }
    }
    write_rows(w);
}

/* ---- reading ---- */

typedef struct reading {
    const model *m;
    const kiln_scene_view *view;
    uint32_t numbers[ENTITIES_MAX]; /* entity numbers in the file, by tag */
} reading;

static uint32_t set_of(const kiln_scene_view *view, const kiln_scene_rows *rows)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < rows->component_count; i++)
        for (uint32_t number = 0; number < C_COUNT; number++)
            if (strcmp(view->components[rows->components[i]].name,
                       scene_components[number].component.name) == 0)
                set |= 1u << number;
    return set;
}

/* The rows of a set are in the order of tags. */
static void number_all(reading *r)
{
    for (uint32_t a = 0; a < r->view->archetype_count; a++) {
        const kiln_scene_rows *rows = &r->view->archetypes[a];
        uint32_t set = set_of(r->view, rows), next = rows->first_entity;
        for (uint32_t tag = 0; tag < r->m->count; tag++)
            if (r->m->set[tag] == set)
                r->numbers[tag] = next++;
        assert_int_equal(next, rows->first_entity + rows->rows);
    }
}

static void check_entity(const reading *r, const unsigned char *at, meaning meant)
{
    uint32_t word[2];
    memcpy(word, at, sizeof word);
    if (meant.kind == MEANS_NOTHING) {
        assert_int_equal(word[0], 0);
        assert_int_equal(word[1], KILN_SCENE_NULL);
    } else if (meant.kind == MEANS_ENTITY) {
        assert_int_equal(word[0], r->numbers[meant.number]);
        assert_int_equal(word[1], KILN_SCENE_LOCAL);
    } else {
        const kiln_array *list = &r->view->scene->imports;
        assert_int_equal(word[0], 0);
        assert_true(word[1] >= KILN_SCENE_IMPORT && word[1] - KILN_SCENE_IMPORT < list->count);
        const kiln_scene_import *import =
            (const kiln_scene_import *)kiln_relative_get(list, list->offset) + word[1] -
            KILN_SCENE_IMPORT;
        assert_string_equal(kiln_string_get(&import->scene), import_scenes[meant.number]);
        assert_string_equal(kiln_string_get(&import->entity), import_names[meant.number]);
    }
}

static void check_row(const reading *r, uint32_t tag, uint32_t number, const unsigned char *row)
{
    const kiln_scene_component_desc *desc = &scene_components[number];
    unsigned char expected[KILN_CHUNK_SIZE], found[KILN_CHUNK_SIZE];
    fill_bytes(r->m, tag, number, expected);
    memcpy(found, row, desc->component.size);
    for (uint32_t i = 0; i < desc->component.entity_count; i++) {
        uint32_t place = desc->component.entity_places[i];
        check_entity(r, row + place, entity_meant(r->m, tag, number * 8 + i));
        memset(expected + place, 0, 8);
        memset(found + place, 0, 8);
    }
    for (uint32_t i = 0; i < desc->component.asset_count; i++) {
        uint64_t word, id = asset_meant(r->m, tag, number * 8 + i).number;
        uint32_t place = desc->component.asset_places[i];
        const kiln_array *list = &r->view->scene->assets;
        memcpy(&word, row + place, 8);
        assert_true(word <= list->count);
        const kiln_id *ids = kiln_relative_get(list, list->offset);
        assert_true(id == (word ? ids[word - 1] : 0));
        memset(expected + place, 0, 8);
        memset(found + place, 0, 8);
    }
    for (uint32_t i = 0; i < desc->field_count; i++) {
        uint64_t word = data_meant(r->m, tag, number * 8 + i, desc->field_names[i]);
        memcpy(expected + desc->field_places[i], &word, 8);
    }
    assert_memory_equal(expected, found, desc->component.size);
}

static void check_entity_rows(const reading *r, uint32_t tag)
{
    uint32_t row;
    const kiln_scene_rows *rows = kiln_scene_find_row(r->view, r->numbers[tag], &row);
    assert_true(row < rows->rows);
    assert_int_equal(rows->first_entity + row, r->numbers[tag]);
    assert_int_equal(set_of(r->view, rows), r->m->set[tag]);
    for (uint32_t i = 0; i < rows->component_count; i++) {
        const char *name = r->view->components[rows->components[i]].name;
        uint32_t number = 0;
        while (strcmp(name, scene_components[number].component.name) != 0)
            number++;
        uint32_t size = scene_components[number].component.size;
        uint32_t chunk = row / rows->rows_per_chunk;
        const unsigned char *column = kiln_scene_column(r->view, rows, chunk, i);
        assert_int_equal(size == 0, column == NULL);
        if (!column)
            continue;
        assert_int_equal((uintptr_t)column % KILN_COLUMN_ALIGN, 0);
        check_row(r, tag, number, column + (size_t)(row % rows->rows_per_chunk) * size);
    }
    char name[32];
    int length = snprintf(name, sizeof name, "%s%u", tag % 2 ? "odd " : "", (unsigned)tag);
    bool is_named = mix(r->m, tag, 99) % 3 == 0;
    assert_int_equal(kiln_scene_find_name(r->view->scene, name, (size_t)length),
                     is_named ? r->numbers[tag] : UINT32_MAX);
    if (tag % 64 == 0) {
        const kiln_string *text = kiln_scene_entity_name(r->view->scene, r->numbers[tag]);
        assert_int_equal(text != NULL, is_named);
        if (text)
            assert_string_equal(kiln_string_get(text), name);
    }
}

/* A chunk is stored whole if it is full, or if its rows occupy more than three quarters of it. */
static void check_storage(const kiln_scene_view *view)
{
    uint32_t images = 0, entities = 0, chunks = 0;
    uint64_t tails = 0;
    for (uint32_t a = 0; a < view->archetype_count; a++) {
        const kiln_scene_rows *rows = &view->archetypes[a];
        uint32_t left = rows->rows % rows->rows_per_chunk,
                 whole = rows->rows / rows->rows_per_chunk;
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < rows->component_count; i++)
            bytes += ((uint64_t)view->components[rows->components[i]].size * left + 63) / 64 * 64;
        assert_int_equal(rows->first_entity, entities);
        assert_int_equal(rows->chunks, rows->component_count ? whole + (left > 0) : 0);
        whole = rows->row_size ? whole + (bytes > 12288) : 0;
        assert_int_equal(rows->whole, whole);
        assert_int_equal(rows->first_image, images);
        assert_int_equal(rows->tail, tails);
        assert_int_equal(rows->tail_size, bytes > 12288 ? 0 : bytes);
        images += whole;
        tails += rows->tail_size;
        entities += rows->rows;
        chunks += rows->chunks;
    }
    assert_int_equal(view->images_count, images);
    assert_int_equal(view->tails_size, tails);
    assert_int_equal(view->entities, entities);
    assert_int_equal(view->chunks, chunks);
}

static void check_file(const model *m, const kiln_buffer *file)
{
    static reading r;
    kiln_scene_view view;
    kiln_error error = {KILN_OK, 0, 0, ""};
    scene_parts parts = scene_parts_of(types, file);
    assert_non_null(parts.scene);
    (void)scene_view_of(&parts, NULL, &view, &error);
    assert_string_equal(kiln_status_name(error.status), "OK");
    assert_int_equal(view.entities, m->count);
    r.m = m;
    r.view = &view;
    check_storage(&view);
    kiln_scene_check_args args = {
        .view = &view, .types = types, .data = parts.data, .data_type = S_DATA};
    (void)kiln_scene_check(&args, &error);
    assert_string_equal(kiln_status_name(error.status), "OK");
    number_all(&r);
    for (uint32_t tag = 0; tag < m->count; tag++)
        check_entity_rows(&r, tag);
    kiln_scene_view_fini(&view);
}

static void random_scenes_read_as_they_were_written_in_any_order(void **state)
{
    (void)state;
    static model m;
    static writing w;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        kiln_buffer files[2] = {{0}, {0}};
        random_model(&m, seed);
        for (int mixed = 0; mixed <= 1; mixed++) {
            kiln_error error = {KILN_OK, 0, 0, ""};
            write_model(&w, &m, mixed);
            (void)scene_finish(w.writer, types, NULL, &files[mixed], &error);
            assert_string_equal(kiln_status_name(error.status), "OK");
            kiln_scene_writer_destroy(w.writer);
        }
        assert_int_equal(files[0].size, files[1].size);
        assert_memory_equal(files[0].data, files[1].data, files[0].size);
        check_file(&m, &files[0]);
        kiln_buffer_fini(&files[0]);
        kiln_buffer_fini(&files[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scenes_read_as_they_were_written_in_any_order),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
