#include "asset_fixture.h"

#include <kiln/builder.h>
#include <kiln/cluster_plan.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T_U32, T_REF, T_REFS, T_THING, T_PLATE, T_COUNT };

kiln_types *scene_types(bool is_older)
{
    static const kiln_member fields[] = {{.name = "refs", .type = T_REFS},
                                         {.name = "value", .type = T_U32},
                                         {.name = "check", .type = T_U32},
                                         {.name = "added", .type = T_REFS}};
    const kiln_type unnamed = {.element = KILN_TYPE_NONE, .key = KILN_TYPE_NONE};
    kiln_type types[T_COUNT] = {unnamed, unnamed, unnamed, unnamed, unnamed};
    types[T_U32].kind = KILN_KIND_U32;
    types[T_REF].kind = KILN_KIND_REF;
    types[T_REF].element = T_THING;
    types[T_REFS].kind = KILN_KIND_ARRAY;
    types[T_REFS].element = T_REF;
    for (uint32_t i = T_THING; i <= T_PLATE; i++) {
        types[i].name = i == T_THING ? "test.Thing" : "test.Plate";
        types[i].kind = KILN_KIND_STRUCT;
        types[i].flags = KILN_TYPE_ASSET;
        types[i].members = fields;
        types[i].member_count = is_older ? 3 : 4;
    }
    kiln_types *made = NULL;
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, types, T_COUNT, &made, NULL));
    return made;
}

static const char *type_name(scene_type type)
{
    return type == SCENE_PLATE ? "test.Plate" : "test.Thing";
}

kiln_root_type scene_root_type(scene_type type)
{
    kiln_types *types = scene_types(false);
    kiln_root_type root = {type_name(type), 0};
    root.layout = kiln_types_get(types, kiln_types_find(types, root.name))->layout;
    kiln_types_destroy(types);
    return root;
}

kiln_id scene_id(const char *name)
{
    return kiln_asset_id(name, strlen(name));
}

uint32_t scene_check(uint32_t value)
{
    return value * UINT32_C(2654435761) ^ UINT32_C(0x5ca1ab1e);
}

uint32_t scene_value(const void *root)
{
    const test_thing *thing = root;
    if (!thing)
        return 0;
    assert_int_equal(scene_check(thing->value), thing->check);
    return thing->value;
}

/* ---- files and blobs ---- */

/* Returns the next name in a list and advances past it; length 0 at the end. */
static size_t next_name(const char **list, const char **ret_name)
{
    *ret_name = *list;
    if (!*list)
        return 0;
    *ret_name += strspn(*ret_name, " ");
    *list = *ret_name;
    size_t length = strcspn(*list, " ");
    *list += length;
    return length;
}

static void set_refs(kiln_builder *builder, kiln_array *field, const char *refs)
{
    const char *rest = refs, *name;
    uint32_t count = 0;
    while (next_name(&rest, &name))
        count++;
    if (count == 0)
        return;
    kiln_id *ids = kiln_builder_array(builder, field, count, sizeof *ids, 8);
    assert_non_null(ids);
    for (size_t length; (length = next_name(&refs, &name)) != 0;)
        *ids++ = kiln_asset_id(name, length);
}

/* Fills `added` with copies of the first reference. */
static void set_alike(kiln_builder *builder, test_thing *thing, const char *refs)
{
    const char *name;
    size_t length = next_name(&refs, &name);
    kiln_id *ids = kiln_builder_array(builder, &thing->added, SCENE_ALIKE, sizeof *ids, 8);
    assert_non_null(ids);
    for (int i = 0; i < SCENE_ALIKE; i++)
        ids[i] = kiln_asset_id(name, length);
}

static kiln_buffer build(const kiln_types *types, const scene_asset *asset)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = types;
    kiln_builder *builder = NULL;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    uint32_t type = kiln_types_find(types, type_name(asset->type)),
             size = kiln_types_get(types, type)->size;
    test_thing *thing = kiln_builder_root(builder, size, 4);
    assert_non_null(thing);
    set_refs(builder, &thing->refs, asset->refs);
    if (asset->type == SCENE_PACKED)
        set_alike(builder, thing, asset->refs);
    thing->value = asset->value;
    thing->check = scene_check(asset->value);
    kiln_buffer blob = {0};
    EXPECT_STATUS(KILN_OK, kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, NULL));
    kiln_builder_destroy(builder);
    return blob;
}

static bool is_among(const scene_asset *assets, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(assets[i].name) == length && memcmp(assets[i].name, name, length) == 0)
            return true;
    return false;
}

/* ---- plans ---- */

enum { PLAN_MAX = 64 };

typedef struct plan_cluster {
    uint32_t root, count, members[PLAN_MAX];
} plan_cluster;

static int compare_first(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The position of an id among those of all assets of the file, the plan included. */
static uint32_t number_of(const scene_asset *assets, size_t count, kiln_id id)
{
    uint32_t number = scene_id(KILN_CLUSTERS_ASSET_NAME) < id;
    for (size_t i = 0; i < count; i++)
        number += scene_id(assets[i].name) < id;
    return number;
}

static uint32_t parse_plan(plan_cluster *clusters, const char *plan, const scene_asset *assets,
                           size_t count)
{
    const char *cluster;
    uint32_t made = 0;
    for (size_t length; (length = next_name(&plan, &cluster)) != 0; made++) {
        plan_cluster *to = &clusters[made];
        size_t at = strcspn(cluster, ":");
        assert_true(made < PLAN_MAX);
        *to = (plan_cluster){.root = number_of(assets, count, kiln_asset_id(cluster, at))};
        while (at < length) {
            const char *name = cluster + at + 1;
            size_t size = strcspn(name, ", ");
            assert_true(to->count < PLAN_MAX);
            if (size > 0)
                to->members[to->count++] = number_of(assets, count, kiln_asset_id(name, size));
            at += 1 + size;
        }
        qsort(to->members, to->count, sizeof *to->members, compare_first);
    }
    qsort(clusters, made, sizeof *clusters, compare_first);
    return made;
}

static uint32_t *put_numbers(kiln_builder *builder, kiln_array *field, uint32_t count)
{
    uint32_t *to = kiln_builder_array(builder, field, count, sizeof *to, sizeof *to);
    assert_true(to || count == 0);
    return to;
}

static void set_plan(kiln_builder *builder, const plan_cluster *clusters, uint32_t count)
{
    kiln_cluster_plan *plan = kiln_builder_root(builder, sizeof *plan, 4);
    uint32_t total = 0, *roots = put_numbers(builder, &plan->roots, count),
             *starts = put_numbers(builder, &plan->member_starts, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        roots[i] = clusters[i].root;
        starts[i] = total;
        total += clusters[i].count;
    }
    starts[count] = total;
    uint32_t *members = put_numbers(builder, &plan->members, total);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < clusters[i].count; k++)
            *members++ = clusters[i].members[k];
    memset(put_numbers(builder, &plan->mutable_starts, count + 1), 0, (count + 1) * sizeof *roots);
    memset(put_numbers(builder, &plan->reference_starts, count + 1), 0,
           (count + 1) * sizeof *roots);
}

static void add_plan(kiln_file_writer *writer, const kiln_types *types, const char *plan,
                     const scene_asset *assets, size_t count)
{
    static plan_cluster clusters[PLAN_MAX];
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    const bool is_packed = *plan == '+';
    const uint32_t type = kiln_types_find(types, KILN_CLUSTERS_TYPE_NAME),
                   made = parse_plan(clusters, plan + is_packed, assets, count);
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    set_plan(builder, clusters, made);
    EXPECT_STATUS(KILN_OK, kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, NULL));
    kiln_builder_destroy(builder);
    EXPECT_STATUS(KILN_OK, kiln_file_writer_compress(writer, is_packed ? 3 : 0, "plan"));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_add(writer, KILN_CLUSTERS_ASSET_NAME, type,
                                                (kiln_span){blob.data, blob.size}, NULL));
    kiln_buffer_fini(&blob);
}

/* ---- whole files ---- */

/* What a file has besides its assets. */
typedef struct file_lists {
    const kiln_rename *renames;
    uint32_t rename_count;
    const char *plan; /* or NULL */
} file_lists;

static kiln_buffer make_file(const kiln_types *types, const scene_asset *assets, size_t count,
                             const file_lists *lists)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = types;
    kiln_file_writer *writer = NULL;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    for (size_t i = 0; i < count; i++) {
        kiln_buffer blob = build(types, &assets[i]);
        const char *name = type_name(assets[i].type);
        EXPECT_STATUS(KILN_OK, kiln_file_writer_compress(
                                   writer, assets[i].type == SCENE_PACKED ? 3 : 0, "things"));
        EXPECT_STATUS(KILN_OK,
                      kiln_file_writer_add(writer, assets[i].name, kiln_types_find(types, name),
                                           (kiln_span){blob.data, blob.size}, NULL));
        kiln_buffer_fini(&blob);
        const char *rest = assets[i].refs, *ref;
        for (size_t length; (length = next_name(&rest, &ref)) != 0;) {
            char import[64];
            assert_true(length < sizeof import);
            memcpy(import, ref, length);
            import[length] = '\0';
            if (!is_among(assets, count, ref, length))
                EXPECT_STATUS(KILN_OK, kiln_file_writer_import(writer, import));
        }
    }
    const kiln_redirects_finish_args args = {lists->renames, lists->rename_count, types, writer,
                                             NULL};
    if (lists->rename_count > 0)
        EXPECT_STATUS(KILN_OK, kiln_redirects_finish(&args, NULL));
    if (lists->plan)
        add_plan(writer, types, lists->plan, assets, count);
    kiln_buffer image = {0};
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(writer, &image, NULL));
    kiln_file_writer_destroy(writer);
    return image;
}

kiln_buffer scene_file_of(const kiln_types *types, const scene_asset *assets, size_t count)
{
    return make_file(types, assets, count, &(file_lists){0});
}

kiln_buffer scene_planned_of(const kiln_types *types, const char *plan, const scene_asset *assets,
                             size_t count)
{
    kiln_types *all = NULL;
    if (!plan)
        return scene_file_of(types, assets, count);
    EXPECT_STATUS(KILN_OK, kiln_types_with_clusters(types, NULL, &all, NULL));
    kiln_buffer image = make_file(all, assets, count, &(file_lists){.plan = plan});
    kiln_types_destroy(all);
    return image;
}

kiln_buffer scene_planned(const char *plan, const scene_asset *assets, size_t count)
{
    kiln_types *types = scene_types(false);
    kiln_buffer image = scene_planned_of(types, plan, assets, count);
    kiln_types_destroy(types);
    return image;
}

kiln_buffer scene_renamed(const char *renames, const scene_asset *assets, size_t count)
{
    enum { RENAMES_MAX = 128 };
    kiln_types *plain = scene_types(false), *types = NULL;
    kiln_rename list[RENAMES_MAX];
    uint32_t rename_count = 0;
    size_t size = strlen(renames) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memcpy(text, renames, size);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *arrow = strchr(word, '>');
        assert_non_null(arrow);
        *arrow = '\0';
        assert_true(rename_count < RENAMES_MAX);
        list[rename_count++] = (kiln_rename){word, arrow + 1};
    }
    EXPECT_STATUS(KILN_OK, kiln_types_with_redirects(plain, NULL, &types, NULL));
    kiln_buffer image = make_file(types, assets, count, &(file_lists){list, rename_count, NULL});
    kiln_types_destroy(types);
    kiln_types_destroy(plain);
    free(text);
    return image;
}

kiln_buffer scene_file(const scene_asset *assets, size_t count)
{
    kiln_types *types = scene_types(false);
    kiln_buffer image = scene_file_of(types, assets, count);
    kiln_types_destroy(types);
    return image;
}

kiln_buffer scene_blob(uint32_t value, const char *refs, scene_type type)
{
    kiln_types *types = scene_types(false);
    kiln_buffer blob = build(types, &(scene_asset){"", value, refs, type});
    kiln_types_destroy(types);
    return blob;
}

kiln_buffer scene_type_table(void)
{
    kiln_types *types = scene_types(false);
    kiln_buffer table = {0};
    EXPECT_STATUS(KILN_OK, kiln_type_table_write(NULL, types, &table, NULL));
    kiln_types_destroy(types);
    return table;
}

/* ---- the table ---- */

static void on_report(void *ctx, const kiln_report *report)
{
    scene *s = ctx;
    assert_true(s->report_count < SCENE_REPORTS);
    scene_report *is = &s->reports[s->report_count++];
    is->kind = report->kind;
    is->count = report->count;
    snprintf(is->what, sizeof is->what, "%s", report->what);
    snprintf(is->asset, sizeof is->asset, "%s", report->asset);
    snprintf(is->by, sizeof is->by, "%s", report->by);
}

void scene_begin_with(scene *s, void (*change)(kiln_assets_def *def))
{
    memset(s, 0, sizeof *s);
    world_memory_init(&s->memory);
    s->types = scene_type_table();
    kiln_assets_def def = kiln_assets_def_default();
    def.types = s->types.data;
    def.types_size = s->types.size;
    def.max_assets = 64;
    def.track_pointers = def.track_takers = true;
    def.on_report = on_report;
    def.report_ctx = s;
    def.pages = &s->memory.pages;
    def.allocator = &s->memory.allocator;
    if (change)
        change(&def);
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&def, &s->assets, NULL));
    scene_expect_valid(s);
}

void scene_begin(scene *s)
{
    scene_begin_with(s, NULL);
}

void scene_end_reporting(scene *s, size_t count)
{
    scene_expect_valid(s);
    s->report_count = 0;
    kiln_assets_destroy(s->assets);
    assert_int_equal(count, s->report_count);
    assert_int_equal(0, s->memory.heap_bytes);
    assert_int_equal(0, s->memory.page_bytes);
    for (size_t i = 0; i < s->image_count; i++)
        kiln_buffer_fini(&s->images[i]);
    kiln_buffer_fini(&s->types);
}

void scene_end(scene *s)
{
    scene_end_reporting(s, 0);
}

void scene_expect_valid(scene *s)
{
    kiln_error error = {0};
    if (!kiln_assets_is_valid(s->assets, &error))
        fail_msg("the table is invalid: %s", error.path);
}

kiln_status scene_try_mount(scene *s, kiln_buffer image, int32_t order, kiln_mount *ret_mount)
{
    assert_true(s->image_count < SCENE_MOUNTS);
    char name[16];
    snprintf(name, sizeof name, "file %zu", s->image_count);
    s->images[s->image_count++] = image;
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = image.data;
    def.file.size = image.size;
    def.order = order;
    def.name = name;
    kiln_status status = kiln_assets_mount(s->assets, &def, ret_mount, &s->error);
    scene_expect_valid(s);
    return status;
}

kiln_mount scene_mount(scene *s, kiln_buffer image, int32_t order)
{
    kiln_mount mount = {0};
    kiln_status status = scene_try_mount(s, image, order, &mount);
    if (status != KILN_OK)
        fail_msg("%s: %s", kiln_status_name(status), s->error.path);
    assert_true(mount.number != 0);
    return mount;
}

void scene_save(kiln_buffer image, const char *path)
{
    char fresh[64];
    int length = snprintf(fresh, sizeof fresh, "%s.new", path);
    assert_true(length > 0 && (size_t)length < sizeof fresh);
    FILE *file = fopen(fresh, "wb");
    assert_non_null(file);
    assert_int_equal(image.size, fwrite(image.data, 1, image.size, file));
    assert_int_equal(0, fclose(file));
    assert_int_equal(0, rename(fresh, path));
    kiln_buffer_fini(&image);
}

kiln_mount scene_mount_path(scene *s, kiln_buffer image, const char *path)
{
    kiln_mount mount = {0};
    kiln_mount_def def = kiln_mount_def_default();
    scene_save(image, path);
    def.file.path = path;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s->assets, &def, &mount, &s->error));
    scene_expect_valid(s);
    return mount;
}

kiln_status scene_try_unmount(scene *s, kiln_mount mount, kiln_unmount how)
{
    kiln_status status = kiln_assets_unmount(s->assets, mount, how, &s->error);
    scene_expect_valid(s);
    return status;
}

void scene_unmount(scene *s, kiln_mount mount)
{
    EXPECT_STATUS(KILN_OK, scene_try_unmount(s, mount, KILN_UNMOUNT_REFUSE));
}

kiln_status scene_try_load(scene *s, const char *name, kiln_ref *ret_ref)
{
    kiln_load_args args = {.name = name, .by = "the test"};
    kiln_status status = kiln_assets_load(s->assets, &args, ret_ref, &s->error);
    scene_expect_valid(s);
    return status;
}

kiln_ref scene_load(scene *s, const char *name)
{
    kiln_ref ref = {0};
    kiln_status status = scene_try_load(s, name, &ref);
    if (status != KILN_OK)
        fail_msg("%s: %s: %s", name, kiln_status_name(status), s->error.path);
    assert_int_equal(KILN_REF_STRONG, kiln_ref_get_form(ref));
    return ref;
}

kiln_ref scene_take(scene *s, kiln_ref ref, kiln_ref_form form)
{
    kiln_ref taken = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_take(s->assets, ref, form, "the test", &taken));
    assert_int_equal(form, kiln_ref_get_form(taken));
    scene_expect_valid(s);
    return taken;
}

kiln_ref scene_add(scene *s, const char *name, uint32_t value)
{
    kiln_root_type type = scene_root_type(SCENE_THING);
    kiln_buffer blob = scene_blob(value, NULL, SCENE_THING);
    kiln_add_args args = {
        .name = name, .type = &type, .blob = blob.data, .size = blob.size, .by = "the test"};
    kiln_ref ref = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s->assets, &args, &ref, &s->error));
    assert_int_equal(KILN_REF_STRONG, kiln_ref_get_form(ref));
    kiln_buffer_fini(&blob);
    scene_expect_valid(s);
    return ref;
}

kiln_status scene_dispose(scene *s, kiln_ref ref)
{
    kiln_status status = kiln_assets_dispose(s->assets, ref, &s->error);
    scene_expect_valid(s);
    return status;
}

void scene_clear(scene *s, kiln_ref *ref)
{
    kiln_assets_clear(s->assets, ref);
    assert_int_equal(0, ref->bits);
    scene_expect_valid(s);
}

uint32_t scene_value_of(scene *s, kiln_ref ref)
{
    return scene_value(kiln_ref_get(kiln_assets_get_slots(s->assets), ref));
}

uint32_t scene_value_named(scene *s, const char *name)
{
    return scene_value(kiln_assets_get(s->assets, kiln_assets_find(s->assets, name)));
}

kiln_assets_stats scene_stats(scene *s)
{
    kiln_assets_stats stats;
    kiln_assets_get_stats(s->assets, &stats);
    return stats;
}
