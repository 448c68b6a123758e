/* Applying a new version of a scene: which values change, which stay, and which entities are
 * created and destroyed. */
#include "signs.h"

#include <stdio.h>
#include <string.h>

enum { SIGN = 1, SPOT = 2, LIT = 4, LINK = 8, COMPONENTS = 4 };

/* An entity of a scene. */
typedef struct sketch {
    const char *name; /* "" if it has none */
    uint32_t has;
    uint32_t size;    /* of its sign */
    const char *text; /* of its sign, or NULL */
    uint32_t spot;
    const char *link; /* name of an entity, or NULL */
} sketch;

typedef struct spot_row {
    uint32_t a, b;
} spot_row;

static const uint32_t link_place[] = {0};

static void add_components(signs_making *m, uint32_t *ret_components)
{
    const kiln_type *sign = kiln_types_get(m->types, kiln_types_find(m->types, "t.Sign"));
    const kiln_scene_component_desc descs[COMPONENTS] = {
        {{"t.Sign", sign->layout, sizeof(sign_row), 8, NULL, NULL, 0, 0},
         sign_text_place,
         sign_text_list,
         1},
        {{"t.Spot", 5, sizeof(spot_row), 4, NULL, NULL, 0, 0}, NULL, NULL, 0},
        {{"t.Lit", 6, 0, 1, NULL, NULL, 0, 0}, NULL, NULL, 0},
        {{"t.Link", 7, sizeof(kiln_entity), 4, link_place, NULL, 1, 0}, NULL, NULL, 0}};
    for (uint32_t i = 0; i < COMPONENTS; i++)
        EXPECT_STATUS(KILN_OK,
                      kiln_scene_writer_add_component(m->writer, &descs[i], &ret_components[i]));
}

static uint32_t find_sketch(const sketch *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return i;
    fail_msg("no entity %s", name);
    return 0;
}

static kiln_buffer make_scene(const sketch *list, uint32_t count)
{
    enum { MOST = 32 };
    signs_making m;
    uint32_t components[COMPONENTS], numbers[MOST];
    const char *texts[MOST];
    assert_true(count <= MOST);
    signs_begin(&m, signs_types(&(sign_types){.has_data = true}));
    add_components(&m, components);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t set[COMPONENTS], of = 0;
        for (uint32_t k = 0; k < COMPONENTS; k++)
            if (list[i].has >> k & 1)
                set[of++] = components[k];
        numbers[i] = signs_add(&m, set, of, 1);
        texts[i] = list[i].text ? list[i].text : "unused";
        if (list[i].name[0])
            EXPECT_STATUS(KILN_OK, kiln_scene_writer_name(m.writer, numbers[i], list[i].name,
                                                          strlen(list[i].name)));
    }
    for (uint32_t i = 0; i < count; i++) {
        sign_row *sign = kiln_scene_writer_at(m.writer, numbers[i], components[0], NULL);
        spot_row *spot = kiln_scene_writer_at(m.writer, numbers[i], components[1], NULL);
        kiln_entity *link = kiln_scene_writer_at(m.writer, numbers[i], components[3], NULL);
        if (sign)
            *sign = (sign_row){.size = list[i].size, .text = list[i].text ? i + 1 : 0};
        if (spot)
            *spot = (spot_row){list[i].spot, ~list[i].spot};
        if (link && list[i].link)
            *link =
                (kiln_entity){numbers[find_sketch(list, count, list[i].link)], KILN_SCENE_LOCAL};
    }
    return signs_end(&m, texts, count);
}
#define SCENE(...)                                                                                 \
    make_scene((const sketch[]){__VA_ARGS__},                                                      \
               sizeof((const sketch[]){__VA_ARGS__}) / sizeof(sketch))

/* A program with one instance of a scene. */
typedef struct program {
    signs_program p;
    kiln_mount mount;
    kiln_scene_instance *instance;
    kiln_component sign, spot, lit, link;
    char kept[512];
    kiln_scene_applied applied;
} program;

static const char path[] = "scenes_apply.kiln", path_of_new[] = "scenes_apply.new";
static bool uses_path; /* files are mapped from a path, and may become older versions */

/* Writes a new file, and renames it: parts of the mounted file may still be in use. */
static void save(const kiln_buffer *image)
{
    FILE *file = fopen(path_of_new, "wb");
    assert_non_null(file);
    assert_int_equal(image->size, fwrite(image->data, 1, image->size, file));
    assert_int_equal(0, fclose(file));
    assert_int_equal(0, rename(path_of_new, path));
}

static kiln_mount_def def_of(const kiln_buffer *image)
{
    kiln_mount_def def = kiln_mount_def_default();
    if (uses_path) {
        save(image);
        def.file.path = path;
        return def;
    }
    def.file.source = KILN_SOURCE_COPY;
    def.file.data = image->data;
    def.file.size = image->size;
    return def;
}

/* `is_newer`: in the program, signs have a different layout from that in the files. */
static void begin_with(program *t, bool is_newer, kiln_buffer image)
{
    memset(t, 0, sizeof *t);
    signs_program_begin(&t->p, signs_types(&(sign_types){.is_newer = is_newer, .has_data = true}));
    kiln_mount_def def = def_of(&image);
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(t->p.assets, &def, &t->mount, &t->p.error));
    kiln_buffer_fini(&image);
    EXPECT_STATUS(KILN_OK, signs_program_load(&t->p, KILN_UNKNOWN_KEEP, &t->instance));
    t->sign = kiln_component_find(t->p.world, "t.Sign");
    t->spot = kiln_component_find(t->p.world, "t.Spot");
    t->lit = kiln_component_find(t->p.world, "t.Lit");
    t->link = kiln_component_find(t->p.world, "t.Link");
}

static void begin(program *t, kiln_buffer image)
{
    begin_with(t, false, image);
}

static void end(program *t)
{
    assert_true(kiln_world_is_valid(t->p.world));
    kiln_scene_unload(t->instance);
    kiln_assets_stats stats;
    kiln_assets_get_stats(t->p.assets, &stats);
    assert_int_equal(0, stats.deferred);
    signs_program_end(&t->p);
}

static void on_kept(void *ctx, const kiln_scene_kept *kept)
{
    program *t = ctx;
    size_t length = strlen(t->kept);
    snprintf(t->kept + length, sizeof t->kept - length, "%s%s%s%s", length ? " " : "",
             kept->component ? kept->component : "entity", kept->field ? "." : "",
             kept->field ? kept->field : "");
}

static kiln_status try_apply(program *t)
{
    kiln_scene_source *source = NULL;
    kiln_scene_source_args open = {.assets = t->p.assets, .name = "Scene/signs", .by = KILN_HERE};
    kiln_status status = kiln_scene_source_open(&open, &source, &t->p.error);
    const kiln_scene_apply_args args = {.instance = t->instance,
                                        .source = source,
                                        .unknown = KILN_UNKNOWN_KEEP,
                                        .on_kept = on_kept,
                                        .ctx = t};
    t->kept[0] = '\0';
    if (!status)
        status = kiln_scene_apply(&args, &t->applied, &t->p.error);
    kiln_scene_source_close(source);
    assert_true(kiln_world_is_valid(t->p.world));
    return status;
}

static void replace(program *t, kiln_buffer image)
{
    kiln_mount_def def = def_of(&image);
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(t->p.assets, t->mount, &def, &t->p.error));
    kiln_buffer_fini(&image);
}

static void apply(program *t, kiln_buffer image, const char *kept)
{
    replace(t, image);
    kiln_status status = try_apply(t);
    if (status)
        fail_msg("%s: %s", kiln_status_name(status), t->p.error.path);
    assert_string_equal(kept, t->kept);
}

static void expect_counts(const program *t, uint32_t added, uint32_t removed, uint32_t changed)
{
    assert_int_equal(added, t->applied.added);
    assert_int_equal(removed, t->applied.removed);
    assert_int_equal(changed, t->applied.changed);
}

static kiln_entity named(const program *t, const char *name)
{
    return kiln_scene_find(t->instance, name);
}

static sign_row *sign_of(const program *t, const char *name)
{
    return kiln_entity_write(t->p.world, named(t, name), t->sign);
}

static const char *text_of(const program *t, const char *name)
{
    const sign_row *sign = kiln_entity_read(t->p.world, named(t, name), t->sign);
    return sign->text ? kiln_string_get((const kiln_string *)(uintptr_t)sign->text) : "";
}

static uint32_t spot_of(const program *t, const char *name)
{
    const spot_row *spot = kiln_entity_read(t->p.world, named(t, name), t->spot);
    assert_int_equal(~spot->a, spot->b);
    return spot->a;
}

/* ---- values ---- */

static void values_that_the_program_left_alone_become_the_new_ones(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SIGN | SPOT, 1, "old a", 10, NULL}, {"b", SIGN | LIT, 2, NULL, 0, NULL},
                    {"c", 0, 0, NULL, 0, NULL}));
    kiln_entity a = named(&t, "a"), b = named(&t, "b"), c = named(&t, "c");
    apply(&t,
          SCENE({"a", SIGN | SPOT, 11, "new a", 20, NULL}, {"b", SIGN | LIT, 2, "b", 0, NULL},
                {"c", 0, 0, NULL, 0, NULL}),
          "");
    expect_counts(&t, 0, 0, 2);
    assert_int_equal(11, sign_of(&t, "a")->size);
    assert_string_equal("new a", text_of(&t, "a"));
    assert_string_equal("b", text_of(&t, "b"));
    assert_int_equal(20, spot_of(&t, "a"));
    assert_int_equal(a.index, named(&t, "a").index);
    assert_int_equal(b.index, named(&t, "b").index);
    assert_int_equal(c.index, named(&t, "c").index);
    assert_true(kiln_entity_has(t.p.world, b, t.lit));
    kiln_scene_info info = kiln_scene_get_info(t.instance);
    assert_int_equal(3, info.entities);
    assert_int_equal(3, info.living);
    end(&t);
}

static void values_that_the_program_changed_stay_and_are_listed(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SIGN | SPOT, 1, "a", 10, NULL}, {"b", SIGN | SPOT, 2, "b", 20, NULL}));
    sign_of(&t, "a")->size = 100;
    *(spot_row *)kiln_entity_write(t.p.world, named(&t, "b"), t.spot) = (spot_row){200, ~200u};
    /* The new version does not change the spot of b, so the spot is not listed. */
    apply(&t, SCENE({"a", SIGN | SPOT, 11, "new", 11, NULL}, {"b", SIGN | SPOT, 22, "b", 20, NULL}),
          "t.Sign.size");
    assert_int_equal(100, sign_of(&t, "a")->size);
    assert_string_equal("new", text_of(&t, "a"));
    assert_int_equal(11, spot_of(&t, "a"));
    assert_int_equal(22, sign_of(&t, "b")->size);
    assert_int_equal(200, spot_of(&t, "b"));
    /* From now on, the world is compared with the new values. */
    apply(&t, SCENE({"a", SIGN | SPOT, 12, "new", 11, NULL}, {"b", SIGN | SPOT, 22, "b", 21, NULL}),
          "t.Sign.size t.Spot");
    assert_int_equal(100, sign_of(&t, "a")->size);
    sign_of(&t, "a")->size = 12;
    apply(&t, SCENE({"a", SIGN | SPOT, 13, "new", 11, NULL}, {"b", SIGN | SPOT, 22, "b", 21, NULL}),
          "");
    assert_int_equal(13, sign_of(&t, "a")->size);
    end(&t);
}

static void data_of_the_old_scene_stays_while_a_kept_field_refers_to_it(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SIGN, 1, "a", 0, NULL}, {"b", SIGN, 2, "b", 0, NULL}));
    sign_of(&t, "a")->text = sign_of(&t, "b")->text;
    apply(&t, SCENE({"a", SIGN, 1, "new a", 0, NULL}, {"b", SIGN, 2, "new b", 0, NULL}),
          "t.Sign.text");
    assert_string_equal("b", text_of(&t, "a"));
    assert_string_equal("new b", text_of(&t, "b"));
    sign_of(&t, "a")->text = 0;
    apply(&t, SCENE({"a", SIGN, 1, "newest", 0, NULL}, {"b", SIGN, 2, "b", 0, NULL}),
          "t.Sign.text");
    assert_string_equal("", text_of(&t, "a"));
    end(&t);
}

static void converted_values_are_compared_in_the_program_s_layout(void **state)
{
    (void)state;
    typedef struct wide_row {
        KILN_ALIGNAS(8) uint64_t size, text;
    } wide_row;
    program t;
    begin_with(&t, true, SCENE({"a", SIGN, 1, "a", 0, NULL}, {"b", SIGN, 2, "b", 0, NULL}));
    wide_row *a = kiln_entity_write(t.p.world, named(&t, "a"), t.sign);
    a->size = UINT64_C(1) << 40;
    apply(&t, SCENE({"a", SIGN, 11, "new a", 0, NULL}, {"b", SIGN, 22, "b", 0, NULL}),
          "t.Sign.size");
    const wide_row *b = kiln_entity_read(t.p.world, named(&t, "b"), t.sign);
    assert_true(a->size == UINT64_C(1) << 40);
    assert_true(b->size == 22);
    assert_string_equal("new a", text_of(&t, "a"));
    end(&t);
}

static void only_chunks_with_changed_rows_get_a_new_tick(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SIGN, 1, NULL, 0, NULL}, {"b", SPOT, 0, NULL, 2, NULL},
                    {"c", SPOT | LIT, 0, NULL, 3, NULL}));
    kiln_row a = kiln_entity_row(t.p.world, named(&t, "a")),
             b = kiln_entity_row(t.p.world, named(&t, "b")),
             c = kiln_entity_row(t.p.world, named(&t, "c"));
    uint64_t since = kiln_world_tick(t.p.world);
    apply(&t,
          SCENE({"a", SIGN, 1, NULL, 0, NULL}, {"b", SPOT, 0, NULL, 20, NULL},
                {"c", SPOT | LIT, 0, NULL, 3, NULL}),
          "");
    expect_counts(&t, 0, 0, 1);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(a.chunk->ticks[i] <= since);
        assert_true(c.chunk->ticks[i] <= since);
    }
    assert_true(b.chunk->ticks[0] <= since);
    assert_true(b.chunk->ticks[kiln_chunk_column(b.chunk, t.spot)->number] > since);
    end(&t);
}

/* ---- entities ---- */

static void entities_come_and_go_by_name(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"door", SIGN | LINK, 1, "door", 0, "key"}, {"key", SPOT, 0, NULL, 2, NULL},
                    {"door/knob", SPOT | LINK, 0, NULL, 3, "door"}));
    kiln_entity door = named(&t, "door"), knob = named(&t, "door/knob"), key = named(&t, "key");
    kiln_entity own;
    EXPECT_STATUS(KILN_OK, kiln_entity_create_empty(t.p.world, 1, &own));
    apply(&t,
          SCENE({"bell", SPOT | LINK, 0, NULL, 4, "door"},
                {"door", SIGN | LINK, 1, "door", 0, "bell"},
                {"door/knob", SPOT | LINK, 0, NULL, 3, "door"}),
          "");
    expect_counts(&t, 1, 1, 1);
    kiln_entity bell = named(&t, "bell");
    assert_false(kiln_entity_exists(t.p.world, key));
    assert_true(kiln_entity_is_null(named(&t, "key")));
    assert_int_equal(door.index, named(&t, "door").index);
    assert_int_equal(knob.index, named(&t, "door/knob").index);
    const kiln_entity *to = kiln_entity_read(t.p.world, door, t.link);
    assert_memory_equal(&bell, to, sizeof bell);
    to = kiln_entity_read(t.p.world, bell, t.link);
    assert_memory_equal(&door, to, sizeof door);
    assert_int_equal(4, spot_of(&t, "bell"));
    assert_true(kiln_entity_exists(t.p.world, own));
    EXPECT_STATUS(KILN_OK, kiln_entity_destroy(t.p.world, own));
    end(&t);
}

static void entities_without_names_are_identified_by_their_order(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"", SPOT, 0, NULL, 1, NULL}, {"", SPOT | LIT, 0, NULL, 2, NULL},
                    {"x", SPOT, 0, NULL, 3, NULL}, {"", SPOT, 0, NULL, 4, NULL}));
    kiln_entity before[4];
    for (uint32_t i = 0; i < 4; i++)
        before[i] = kiln_scene_entity(t.instance, i);
    apply(&t,
          SCENE({"", SPOT, 0, NULL, 11, NULL}, {"", SPOT | LIT, 0, NULL, 22, NULL},
                {"x", SPOT, 0, NULL, 33, NULL}, {"", SPOT, 0, NULL, 44, NULL},
                {"", SPOT, 0, NULL, 55, NULL}),
          "");
    expect_counts(&t, 1, 0, 4);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const spot_row *spot = kiln_entity_read(t.p.world, before[i], t.spot);
        assert_int_equal(0, spot->a % 11);
        sum += spot->a / 11;
    }
    assert_int_equal(1 + 2 + 3 + 4, sum);
    apply(&t, SCENE({"", SPOT, 0, NULL, 11, NULL}), "");
    expect_counts(&t, 0, 4, 0);
    end(&t);
}

static void an_entity_that_the_program_destroyed_stays_dead(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SPOT, 0, NULL, 1, NULL}, {"b", SPOT, 0, NULL, 2, NULL}));
    EXPECT_STATUS(KILN_OK, kiln_entity_destroy(t.p.world, named(&t, "a")));
    apply(&t, SCENE({"a", SPOT, 0, NULL, 3, NULL}, {"b", SPOT, 0, NULL, 4, NULL}), "entity");
    assert_true(kiln_entity_is_null(named(&t, "a")));
    assert_int_equal(4, spot_of(&t, "b"));
    assert_int_equal(1, kiln_scene_get_info(t.instance).living);
    end(&t);
}

/* ---- components ---- */

static void components_come_and_go_and_the_handle_stays(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SPOT, 0, NULL, 1, NULL}, {"b", SIGN | SPOT, 2, "b", 2, NULL},
                    {"c", 0, 0, NULL, 0, NULL}, {"d", LIT, 0, NULL, 0, NULL}));
    kiln_entity a = named(&t, "a"), b = named(&t, "b"), c = named(&t, "c"), d = named(&t, "d");
    apply(&t,
          SCENE({"a", SIGN | SPOT | LIT, 7, "a", 10, NULL}, {"b", SPOT, 0, NULL, 2, NULL},
                {"c", SPOT, 0, NULL, 3, NULL}, {"d", 0, 0, NULL, 0, NULL}),
          "");
    expect_counts(&t, 0, 0, 4);
    assert_int_equal(a.index, named(&t, "a").index);
    assert_int_equal(7, sign_of(&t, "a")->size);
    assert_string_equal("a", text_of(&t, "a"));
    assert_int_equal(10, spot_of(&t, "a"));
    assert_true(kiln_entity_has(t.p.world, a, t.lit));
    assert_false(kiln_entity_has(t.p.world, b, t.sign));
    assert_int_equal(2, spot_of(&t, "b"));
    assert_int_equal(3, ((const spot_row *)kiln_entity_read(t.p.world, c, t.spot))->a);
    assert_int_equal(0, kiln_entity_archetype(t.p.world, d).number);
    assert_true(kiln_entity_exists(t.p.world, d));
    end(&t);
}

static void components_that_the_program_changed_stay_as_they_are(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SIGN | SPOT, 1, "a", 1, NULL}, {"b", SIGN | SPOT, 2, "b", 2, NULL},
                    {"c", SPOT, 0, NULL, 3, NULL}));
    sign_of(&t, "a")->size = 100;
    EXPECT_STATUS(KILN_OK, kiln_entity_remove(t.p.world, named(&t, "b"), t.spot));
    const sign_row added = {.size = 77};
    EXPECT_STATUS(KILN_OK, kiln_entity_add(t.p.world, named(&t, "c"), t.sign, &added));
    EXPECT_STATUS(KILN_OK, kiln_entity_add(t.p.world, named(&t, "c"), t.lit, NULL));
    /* The scene removes the sign of a, changes the spot of b, and adds a sign to c. */
    apply(&t,
          SCENE({"a", SPOT, 0, NULL, 11, NULL}, {"b", SIGN | SPOT, 22, "b", 22, NULL},
                {"c", SIGN | SPOT, 3, "c", 33, NULL}),
          "t.Spot t.Sign t.Sign");
    assert_int_equal(100, sign_of(&t, "a")->size);
    assert_string_equal("a", text_of(&t, "a"));
    assert_int_equal(11, spot_of(&t, "a"));
    assert_int_equal(22, sign_of(&t, "b")->size);
    assert_false(kiln_entity_has(t.p.world, named(&t, "b"), t.spot));
    assert_int_equal(77, sign_of(&t, "c")->size);
    assert_true(kiln_entity_has(t.p.world, named(&t, "c"), t.lit));
    assert_int_equal(33, spot_of(&t, "c"));
    end(&t);
}

static void count_removal(void *ctx, const kiln_world *world, const kiln_removal *removal)
{
    (void)world;
    *(uint32_t *)ctx += removal->count;
}

static void functions_for_removal_are_called_for_removed_components_only(void **state)
{
    (void)state;
    program t;
    uint32_t signs = 0, spots = 0;
    begin(&t, SCENE({"a", SIGN | SPOT, 1, "a", 1, NULL}, {"b", SPOT, 0, NULL, 2, NULL},
                    {"gone", SPOT, 0, NULL, 3, NULL}));
    EXPECT_STATUS(KILN_OK, kiln_component_set_on_remove(t.p.world, t.sign, count_removal, &signs));
    EXPECT_STATUS(KILN_OK, kiln_component_set_on_remove(t.p.world, t.spot, count_removal, &spots));
    apply(&t,
          SCENE({"a", SPOT, 0, NULL, 1, NULL}, {"b", SPOT | LIT, 0, NULL, 2, NULL},
                {"new", SPOT, 0, NULL, 3, NULL}),
          "");
    expect_counts(&t, 1, 1, 2);
    assert_int_equal(1, signs);
    assert_int_equal(1, spots);
    end(&t);
}

/* ---- failures ---- */

static void a_source_of_another_scene_is_refused(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SPOT, 0, NULL, 1, NULL}));
    kiln_scene_apply_args args = {.instance = t.instance};
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_apply(&args, NULL, &t.p.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_apply(NULL, NULL, NULL));
    args.unknown = KILN_UNKNOWN_KEEP;
    EXPECT_STATUS(KILN_OK, try_apply(&t));
    expect_counts(&t, 0, 0, 0);
    end(&t);
}

static void whichever_allocation_fails_the_world_is_unchanged(void **state)
{
    (void)state;
    bool has_failed = true;
    for (size_t fail_at = 1; has_failed; fail_at++) {
        program t;
        kiln_world_stats before, after;
        begin(&t, SCENE({"a", SPOT, 0, NULL, 1, NULL}, {"b", SIGN | SPOT, 2, "b", 2, NULL},
                        {"gone", SPOT, 0, NULL, 5, NULL}));
        kiln_world_get_stats(t.p.world, &before);
        replace(&t, SCENE({"a", SIGN | SPOT | LIT, 7, "a", 10, NULL},
                          {"b", SIGN | SPOT, 22, "new", 22, NULL},
                          {"new", SPOT | LINK, 0, NULL, 6, "a"}));
        t.p.memory.failed = 0;
        t.p.memory.fail_at = t.p.memory.calls + fail_at;
        kiln_status status = try_apply(&t);
        t.p.memory.fail_at = 0;
        has_failed = t.p.memory.failed > 0;
        EXPECT_STATUS(has_failed ? KILN_NO_MEMORY : KILN_OK, status);
        kiln_world_get_stats(t.p.world, &after);
        assert_int_equal(before.live, after.live);
        assert_int_equal(has_failed ? 1 : 10, spot_of(&t, "a"));
        assert_int_equal(has_failed ? 2 : 22, sign_of(&t, "b")->size);
        assert_string_equal(has_failed ? "b" : "new", text_of(&t, "b"));
        assert_int_equal(has_failed, !kiln_entity_is_null(named(&t, "gone")));
        assert_int_equal(has_failed, kiln_entity_is_null(named(&t, "new")));
        end(&t);
    }
}

static void many_applications_leave_no_memory_behind(void **state)
{
    (void)state;
    program t;
    begin(&t, SCENE({"a", SIGN | SPOT, 1, "a", 1, NULL}));
    size_t memory = 0;
    for (uint32_t i = 0; i < 60; i++) {
        if (i % 2)
            apply(&t, SCENE({"a", SIGN | SPOT, 1, "a", 1, NULL}), "");
        else
            apply(&t, SCENE({"a", SIGN, 2, "b", 1, NULL}, {"c", SPOT, 0, NULL, 2, NULL}), "");
        if (i == 21)
            memory = t.p.memory.heap_bytes;
    }
    assert_int_equal(memory, t.p.memory.heap_bytes);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_the_program_left_alone_become_the_new_ones),
        cmocka_unit_test(values_that_the_program_changed_stay_and_are_listed),
        cmocka_unit_test(data_of_the_old_scene_stays_while_a_kept_field_refers_to_it),
        cmocka_unit_test(converted_values_are_compared_in_the_program_s_layout),
        cmocka_unit_test(only_chunks_with_changed_rows_get_a_new_tick),
        cmocka_unit_test(entities_come_and_go_by_name),
        cmocka_unit_test(entities_without_names_are_identified_by_their_order),
        cmocka_unit_test(an_entity_that_the_program_destroyed_stays_dead),
        cmocka_unit_test(components_come_and_go_and_the_handle_stays),
        cmocka_unit_test(components_that_the_program_changed_stay_as_they_are),
        cmocka_unit_test(functions_for_removal_are_called_for_removed_components_only),
        cmocka_unit_test(a_source_of_another_scene_is_refused),
        cmocka_unit_test(whichever_allocation_fails_the_world_is_unchanged),
        cmocka_unit_test(many_applications_leave_no_memory_behind),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    uses_path = true;
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
