/* Replacing files that are mapped from a path: unchanged assets keep their bytes in older versions
 * of the file. Shows when they do, how many versions stay open, and what ends them. */
#include "asset_fixture.h"

#include <kiln/blob_header.h>
#include <kiln/collector.h>
#include <stdio.h>
#include <string.h>

static const char path[] = "assets_older.kiln";

enum { OLDER_MAX = 8, NAMES = 20 };

/* ---- files ---- */

static kiln_mount_def def_of_path(void)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.file.path = path;
    return def;
}

static kiln_status try_replace(scene *s, kiln_mount mount, kiln_buffer image,
                               kiln_verify_level level)
{
    kiln_mount_def def = def_of_path();
    def.file.level = level;
    scene_save(image, path);
    kiln_status status = kiln_assets_replace(s->assets, mount, &def, &s->error);
    scene_expect_valid(s);
    return status;
}

static void replace(scene *s, kiln_mount mount, kiln_buffer image)
{
    kiln_status status = try_replace(s, mount, image, KILN_VERIFY_DEEP);
    if (status != KILN_OK)
        fail_msg("%s: %s", kiln_status_name(status), s->error.path);
}

static const void *root_of(scene *s, kiln_ref ref)
{
    return kiln_ref_get(kiln_assets_get_slots(s->assets), ref);
}

static uint32_t older(scene *s)
{
    return (uint32_t)scene_stats(s).older_versions;
}

/* A file of many assets, with values that change one at a time. */
typedef struct many {
    scene s;
    kiln_mount mount;
    char names[NAMES][16];
    uint32_t values[NAMES]; /* 0: the file lacks the asset */
    bool has_extra;         /* one more asset, to which no other refers */
    kiln_ref refs[NAMES];   /* null for assets that are not loaded */
} many;

static kiln_buffer many_file(const many *m)
{
    scene_asset assets[NAMES + 1];
    size_t count = 0;
    for (uint32_t i = 0; i < NAMES; i++)
        if (m->values[i])
            assets[count++] = (scene_asset){m->names[i], m->values[i], m->names[(i + 1) % NAMES],
                                            i % 4 == 3 ? SCENE_PACKED : SCENE_THING};
    if (m->has_extra)
        assets[count++] = (scene_asset){"Thing/extra", 1, NULL, SCENE_THING};
    return scene_file(assets, count);
}

static void begin_many(many *m)
{
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(m->names[i], sizeof m->names[i], "Thing/%u", (unsigned)i);
        m->values[i] = 100 * (i + 1);
    }
    scene_begin(&m->s);
    m->mount = scene_mount_path(&m->s, many_file(m), path);
    for (uint32_t i = 0; i < NAMES; i++)
        m->refs[i] = scene_load(&m->s, m->names[i]);
}

static void change(many *m, uint32_t number)
{
    m->values[number]++;
    replace(&m->s, m->mount, many_file(m));
}

static void expect_values(many *m)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        assert_int_equal(m->values[i], scene_value_of(&m->s, m->refs[i]));
        assert_int_equal(m->values[i], scene_value_named(&m->s, m->names[i]));
    }
}

static void clear_many(many *m)
{
    for (uint32_t i = 0; i < NAMES; i++)
        if (m->refs[i].bits)
            scene_clear(&m->s, &m->refs[i]);
}

static void end_many(many *m)
{
    clear_many(m);
    scene_end(&m->s);
}

/* ---- which bytes an asset has ---- */

static void unchanged_assets_keep_their_bytes(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount_path(
        &s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}), path);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b"),
             indirect = scene_take(&s, b, KILN_REF_INDIRECT);
    const void *old_a = root_of(&s, a), *old_b = root_of(&s, b);
    kiln_mount_def def = def_of_path();
    def.name = "new";
    scene_save(SCENE_FILE({"Thing/a", 11, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}),
               path);
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(s.assets, mount, &def, &s.error));
    scene_expect_valid(&s);
    assert_ptr_not_equal(old_a, root_of(&s, a));
    assert_int_equal(11, scene_value_of(&s, a));
    assert_ptr_equal(old_b, root_of(&s, b));
    assert_ptr_equal(old_b, root_of(&s, indirect));
    assert_ptr_equal(old_b, kiln_assets_get(s.assets, scene_id("Thing/b")));
    assert_int_equal(1, older(&s));
    assert_int_equal(0, scene_stats(&s).deferred);
    assert_int_equal(1, scene_stats(&s).mounts);
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, b, &info));
    assert_string_equal("Thing/b", info.name);
    assert_string_equal("test.Thing", info.type);
    assert_string_equal("new", info.mount);
    EXPECT_FAILURE(&s, KILN_MAPPED, "Thing/b, by new", scene_dispose(&s, b));
    /* Nothing uses the first file once the other asset has changed, too. */
    replace(&s, mount,
            SCENE_FILE({"Thing/a", 11, NULL, SCENE_THING}, {"Thing/b", 22, NULL, SCENE_THING}));
    assert_int_equal(11, scene_value_of(&s, a));
    assert_int_equal(22, scene_value_of(&s, indirect));
    assert_int_equal(1, older(&s));
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    scene_end(&s);
}

/* Where the old and the new file come from. */
static const struct {
    bool is_path;
    kiln_source source;
} sources[] = {{true, KILN_SOURCE_MAP},
               {true, KILN_SOURCE_COPY},
               {false, KILN_SOURCE_MAP},
               {false, KILN_SOURCE_COPY}};
enum { SOURCES = sizeof sources / sizeof *sources };

static kiln_mount_def def_of_source(scene *s, size_t which, uint32_t value)
{
    kiln_buffer image =
        SCENE_FILE({"Thing/a", value, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING});
    kiln_mount_def def = kiln_mount_def_default();
    def.file.source = sources[which].source;
    if (sources[which].is_path) {
        scene_save(image, path);
        def.file.path = path;
        return def;
    }
    s->images[s->image_count++] = image;
    def.file.data = image.data;
    def.file.size = image.size;
    return def;
}

/* A program may free memory of its own after the replacement, and copies would use memory. */
static void only_files_that_were_mapped_from_a_path_become_older_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < (size_t)SOURCES * SOURCES; i++) {
        scene s;
        kiln_mount mount;
        scene_begin(&s);
        kiln_mount_def old = def_of_source(&s, i / SOURCES, 1);
        EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &old, &mount, &s.error));
        kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b");
        kiln_mount_def fresh = def_of_source(&s, i % SOURCES, 11);
        EXPECT_STATUS(KILN_OK, kiln_assets_replace(s.assets, mount, &fresh, &s.error));
        scene_expect_valid(&s);
        assert_int_equal(i == 0, older(&s));
        assert_int_equal(0, scene_stats(&s).deferred);
        assert_int_equal(11, scene_value_of(&s, a));
        assert_int_equal(2, scene_value_of(&s, b));
        scene_clear(&s, &a);
        scene_clear(&s, &b);
        scene_end(&s);
    }
}

/* The numbers of assets then differ in both files. */
static void new_and_missing_assets_end_all_older_versions(void **state)
{
    (void)state;
    for (int is_longer = 0; is_longer < 2; is_longer++) {
        many m;
        begin_many(&m);
        if (is_longer) {
            scene_clear(&m.s, &m.refs[5]);
            m.refs[5] = (kiln_ref){0};
            m.values[5] = 0;
            replace(&m.s, m.mount, many_file(&m));
            assert_int_equal(0, scene_value_named(&m.s, m.names[5]));
        }
        change(&m, 0);
        change(&m, 1);
        assert_int_equal(2, older(&m.s));
        m.values[5] = is_longer ? 77 : 0;
        kiln_ref held = m.refs[5];
        replace(&m.s, m.mount, many_file(&m));
        assert_int_equal(0, older(&m.s));
        /* A missing asset stays readable while a handle holds it. */
        assert_int_equal(!is_longer, scene_stats(&m.s).deferred);
        assert_int_equal(is_longer ? 0 : 600, scene_value_of(&m.s, held));
        change(&m, 2);
        assert_int_equal(1, older(&m.s));
        for (uint32_t i = 0; i < NAMES; i++)
            if (i != 5)
                assert_int_equal(m.values[i], scene_value_of(&m.s, m.refs[i]));
        clear_many(&m);
        assert_int_equal(0, scene_stats(&m.s).deferred);
        end_many(&m);
    }
}

/* A shared member changes for one of two assets, so members get other numbers. */
static void assets_that_shared_a_member_can_part(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount_path(&s,
                                        SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING},
                                                   {"Thing/b", 1, NULL, SCENE_THING},
                                                   {"Thing/c", 3, NULL, SCENE_THING}),
                                        path);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b");
    const void *shared = root_of(&s, a);
    assert_ptr_equal(shared, root_of(&s, b));
    replace(&s, mount,
            SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING},
                       {"Thing/c", 3, NULL, SCENE_THING}));
    assert_ptr_equal(shared, root_of(&s, a));
    assert_int_equal(2, scene_value_of(&s, b));
    /* An asset that is loaded later has the bytes of the new file. */
    kiln_ref c = scene_load(&s, "Thing/c");
    assert_int_equal(3, scene_value_of(&s, c));
    replace(&s, mount,
            SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING},
                       {"Thing/c", 3, NULL, SCENE_THING}));
    assert_int_equal(2, scene_value_of(&s, a));
    assert_int_equal(2, scene_value_of(&s, b));
    assert_int_equal(3, scene_value_of(&s, c));
    assert_int_equal(1, older(&s));
    for (kiln_ref *ref[] = {&a, &b, &c, NULL}, **at = ref; *at; at++)
        scene_clear(&s, *at);
    assert_int_equal(1, scene_stats(&s).mounts);
    scene_end(&s);
}

/* ---- how many versions stay open ---- */

static void many_replacements_keep_files_and_memory_bounded(void **state)
{
    (void)state;
    many m;
    begin_many(&m);
    size_t memory = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < 12 * NAMES; i++) {
        const void *roots[NAMES];
        uint32_t before = older(&m.s), kept = 0;
        for (uint32_t k = 0; k < NAMES; k++)
            roots[k] = root_of(&m.s, m.refs[k]);
        change(&m, i % NAMES);
        expect_values(&m);
        for (uint32_t k = 0; k < NAMES; k++)
            kept += roots[k] == root_of(&m.s, m.refs[k]);
        if (before < OLDER_MAX)
            assert_int_equal(NAMES - 1, kept);
        assert_true(older(&m.s) <= OLDER_MAX);
        most = older(&m.s) > most ? older(&m.s) : most;
        assert_int_equal(0, scene_stats(&m.s).deferred);
        if (i + 1 == 4 * NAMES)
            memory = m.s.memory.heap_bytes;
    }
    assert_int_equal(OLDER_MAX, most);
    assert_int_equal(memory, m.s.memory.heap_bytes);
    end_many(&m);
}

/* The asset changes, and the version that has its bytes ends, so both could plan to load it. */
static void an_asset_that_changes_when_its_version_ends_is_loaded_once(void **state)
{
    (void)state;
    many m;
    begin_many(&m);
    for (uint32_t i = 0; i < OLDER_MAX; i++)
        change(&m, i);
    const uint64_t loads = scene_stats(&m.s).loads;
    change(&m, 2);
    assert_int_equal(1, older(&m.s));
    assert_int_equal(loads + 1, scene_stats(&m.s).loads);
    expect_values(&m);
    end_many(&m);
}

/* Only the assets in the other versions move. */
static void the_version_with_the_most_assets_stays(void **state)
{
    (void)state;
    many m;
    begin_many(&m);
    const void *first[NAMES], *later[NAMES];
    for (uint32_t i = 0; i < NAMES; i++)
        first[i] = root_of(&m.s, m.refs[i]);
    for (uint32_t i = 0; i < OLDER_MAX; i++)
        change(&m, i);
    assert_int_equal(OLDER_MAX, older(&m.s));
    for (uint32_t i = 0; i < NAMES; i++)
        later[i] = root_of(&m.s, m.refs[i]);
    change(&m, OLDER_MAX);
    assert_int_equal(1, older(&m.s));
    expect_values(&m);
    for (uint32_t i = 0; i < NAMES; i++) {
        bool is_packed = i % 4 == 3;
        if (i > OLDER_MAX)
            assert_ptr_equal(first[i], root_of(&m.s, m.refs[i]));
        else
            assert_int_equal(is_packed, later[i] == root_of(&m.s, m.refs[i]));
    }
    end_many(&m);
}

/* ---- holds ---- */

static void borrowed_bytes_stay_across_replacements(void **state)
{
    (void)state;
    many m;
    begin_many(&m);
    const void *root = NULL;
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(m.s.assets, m.refs[0], "reader", &root, NULL));
    for (uint32_t i = 1; i <= 3; i++) {
        change(&m, i);
        assert_ptr_equal(root, root_of(&m.s, m.refs[0]));
    }
    /* The borrowed bytes are still those of an asset of the mounted file. */
    clear_many(&m);
    EXPECT_FAILURE(&m.s, KILN_HELD, "Thing/0, held by reader",
                   scene_try_unmount(&m.s, m.mount, KILN_UNMOUNT_REFUSE));
    m.refs[0] = scene_load(&m.s, m.names[0]);
    change(&m, 0);
    assert_int_equal(101, scene_value_of(&m.s, m.refs[0]));
    assert_int_equal(100, scene_value(root));
    clear_many(&m);
    /* The borrowed bytes no longer belong to an asset of the mounted file. */
    scene_unmount(&m.s, m.mount);
    assert_int_equal(0, older(&m.s));
    assert_int_equal(1, scene_stats(&m.s).deferred);
    assert_int_equal(100, scene_value(root));
    EXPECT_STATUS(KILN_OK, kiln_assets_release(m.s.assets, root, "reader"));
    assert_int_equal(0, scene_stats(&m.s).deferred);
    scene_end(&m.s);
}

/* Neither borrowed bytes nor a pointer can move to another file: the asset gets different bytes
 * with the same content. */
static void borrowed_bytes_and_pointers_keep_a_version_that_ends(void **state)
{
    (void)state;
    for (int is_pointer = 0; is_pointer < 2; is_pointer++) {
        many m;
        begin_many(&m);
        const void *root = NULL;
        kiln_ref pointer = {0};
        change(&m, 0); /* the bytes are in the second file, which is not the largest */
        if (is_pointer) {
            pointer = scene_take(&m.s, m.refs[0], KILN_REF_POINTER);
            root = root_of(&m.s, pointer);
        } else {
            EXPECT_STATUS(KILN_OK,
                          kiln_assets_borrow(m.s.assets, m.refs[0], "reader", &root, NULL));
        }
        for (uint32_t i = 1; i <= OLDER_MAX; i++) {
            assert_ptr_equal(root, root_of(&m.s, m.refs[0]));
            change(&m, i);
        }
        assert_int_equal(1, older(&m.s));
        assert_int_equal(1, scene_stats(&m.s).deferred);
        assert_ptr_not_equal(root, root_of(&m.s, m.refs[0]));
        assert_int_equal(101, scene_value(root));
        expect_values(&m);
        if (is_pointer)
            scene_clear(&m.s, &pointer);
        else
            EXPECT_STATUS(KILN_OK, kiln_assets_release(m.s.assets, root, "reader"));
        assert_int_equal(0, scene_stats(&m.s).deferred);
        end_many(&m);
    }
}

static void unmounting_closes_all_versions(void **state)
{
    (void)state;
    for (int is_held = 0; is_held < 2; is_held++) {
        many m;
        begin_many(&m);
        for (uint32_t i = 0; i < 5; i++)
            change(&m, i);
        assert_int_equal(5, older(&m.s));
        kiln_ref first = m.refs[0], last = m.refs[10];
        if (is_held)
            m.refs[0] = m.refs[10] = (kiln_ref){0};
        clear_many(&m);
        EXPECT_STATUS(
            KILN_OK,
            scene_try_unmount(&m.s, m.mount, is_held ? KILN_UNMOUNT_DEFER : KILN_UNMOUNT_REFUSE));
        assert_int_equal(0, older(&m.s));
        assert_int_equal(is_held ? 2 : 0, scene_stats(&m.s).deferred);
        assert_int_equal(is_held ? 101 : 0, scene_value_of(&m.s, first));
        assert_int_equal(is_held ? 1100 : 0, scene_value_of(&m.s, last));
        if (is_held) {
            scene_clear(&m.s, &first);
            assert_int_equal(1, scene_stats(&m.s).deferred);
            scene_clear(&m.s, &last);
        }
        assert_int_equal(0, scene_stats(&m.s).deferred);
        assert_int_equal(0, scene_stats(&m.s).loaded);
        scene_end(&m.s);
    }
}

/* ---- other files above and below ---- */

static void a_patch_can_be_mounted_over_older_versions_and_unmounted(void **state)
{
    (void)state;
    many m;
    begin_many(&m);
    change(&m, 0);
    kiln_mount patch = scene_mount(
        &m.s,
        SCENE_FILE({"Thing/0", 7, "Thing/1", SCENE_THING}, {"Thing/1", 8, "Thing/2", SCENE_THING}),
        1);
    assert_int_equal(7, scene_value_of(&m.s, m.refs[0]));
    change(&m, 1);
    assert_int_equal(8, scene_value_of(&m.s, m.refs[1]));
    change(&m, 2);
    scene_unmount(&m.s, patch);
    expect_values(&m);
    kiln_mount below = scene_mount(&m.s, SCENE_FILE({"Thing/4", 9, NULL, SCENE_THING}), -1);
    change(&m, 3);
    clear_many(&m);
    m.refs[4] = scene_load(&m.s, m.names[4]);
    scene_unmount(&m.s, m.mount);
    assert_int_equal(9, scene_value_of(&m.s, m.refs[4]));
    assert_int_equal(0, scene_stats(&m.s).deferred);
    scene_clear(&m.s, &m.refs[4]);
    scene_unmount(&m.s, below);
    scene_end(&m.s);
}

/* The table has the removed asset until the file is replaced, but must not count it as present. */
static void a_removed_asset_in_an_older_version_is_missing(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount_path(
        &s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}), path);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b");
    replace(&s, mount,
            SCENE_FILE({"Thing/a", 11, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}));
    EXPECT_FAILURE(&s, KILN_MISSING, "Thing/a > Thing/b",
                   try_replace(&s, mount, SCENE_FILE({"Thing/a", 12, "Thing/b", SCENE_THING}),
                               KILN_VERIFY_DEEP));
    assert_int_equal(1, older(&s));
    assert_int_equal(11, scene_value_of(&s, a));
    replace(&s, mount,
            SCENE_RENAMED("Thing/b>Thing/c", {"Thing/a", 12, "Thing/b", SCENE_THING},
                          {"Thing/c", 3, NULL, SCENE_THING}));
    assert_int_equal(0, older(&s));
    assert_int_equal(3, scene_value_named(&s, "Thing/b"));
    assert_int_equal(2, scene_value_of(&s, b));
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    scene_end(&s);
}

static void an_asset_that_a_patch_provides_is_not_loaded_again(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount_path(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), path);
    scene_mount(&s, SCENE_FILE({"Thing/a", 5, NULL, SCENE_THING}), 1);
    kiln_ref a = scene_load(&s, "Thing/a");
    replace(&s, mount, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}));
    assert_int_equal(5, scene_value_of(&s, a));
    assert_int_equal(1, scene_stats(&s).loads);
    scene_clear(&s, &a);
    scene_end(&s);
}

/* ---- forged indexes and levels ---- */

static kiln_index_member *member_of(const kiln_buffer *image, const char *name)
{
    kiln_index *index = (void *)(image->data + KILN_HEADER_SIZE);
    uint32_t number = kiln_index_find(index, scene_id(name));
    return (kiln_index_member *)(uintptr_t)kiln_index_member_at(
        index, kiln_index_asset_at(index, number)->member);
}

/* Makes the index valid again after a change. */
static void rehash(const kiln_buffer *image)
{
    kiln_blob_header header;
    memcpy(&header, image->data, sizeof header);
    kiln_header_write(image->data, header.flags, header.payload_size, header.layout);
}

typedef struct forged_kind {
    scene_type type;
    bool is_long;  /* many references */
    bool is_older; /* needs conversion */
} forged_kind;

/* A file with Thing/a and, if `has_other`, Thing/b. */
static kiln_buffer file_of(const forged_kind *kind, uint32_t value, bool has_other)
{
    char refs[4000] = "Thing/a";
    while (kind->is_long && strlen(refs) + sizeof " Thing/a" < sizeof refs)
        strcat(refs, " Thing/a");
    const scene_asset assets[] = {{"Thing/a", value, refs, kind->type},
                                  {"Thing/b", 2, NULL, SCENE_THING}};
    kiln_types *types = scene_types(kind->is_older);
    kiln_buffer image = scene_file_of(types, assets, has_other ? 2 : 1);
    kiln_types_destroy(types);
    return image;
}

/* A file that states the content hash of value 1 for an asset with a different value. */
static kiln_buffer forged_of(const forged_kind *kind, uint32_t value, bool has_other)
{
    kiln_buffer honest = file_of(kind, 1, false), image = file_of(kind, value, has_other);
    member_of(&image, "Thing/a")->content = member_of(&honest, "Thing/a")->content;
    rehash(&image);
    kiln_buffer_fini(&honest);
    return image;
}

static kiln_buffer forged_file(uint32_t value, bool has_other, bool is_damaged)
{
    kiln_buffer image = forged_of(&(forged_kind){.type = SCENE_THING}, value, has_other);
    if (is_damaged)
        image.data[member_of(&image, "Thing/a")->place + KILN_HEADER_SIZE] ^= 0xff;
    return image;
}

static void with_a_forged_hash_an_asset_keeps_its_verified_bytes(void **state)
{
    (void)state;
    for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
        scene s;
        scene_begin(&s);
        kiln_mount mount =
            scene_mount_path(&s, SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_THING}), path);
        kiln_ref a = scene_load(&s, "Thing/a");
        const void *root = root_of(&s, a);
        EXPECT_STATUS(KILN_OK,
                      try_replace(&s, mount, forged_file(9, false, is_damaged), KILN_VERIFY_DEEP));
        assert_ptr_equal(root, root_of(&s, a));
        assert_int_equal(1, scene_value_of(&s, a));
        /* The new file has one more asset, so the version ends, and the old and new bytes are
         * compared. They differ, so the new ones are verified. If they are damaged, the file is
         * refused. */
        kiln_status status =
            try_replace(&s, mount, forged_file(9, true, is_damaged), KILN_VERIFY_DEEP);
        assert_int_equal(is_damaged, status != KILN_OK);
        assert_int_equal(is_damaged ? 1 : 9, scene_value_of(&s, a));
        assert_int_equal(is_damaged, older(&s));
        /* A loaded asset always has verified bytes. */
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* The old index states the hash of the new content for its own, different content. The hash of a
 * large asset is checked only when its file is replaced. */
static void a_forged_file_has_no_effect_on_the_next_one(void **state)
{
    (void)state;
    static const struct {
        kiln_verify_level level;
        uint32_t value;
    } rows[] = {{KILN_VERIFY_NONE, 9}, {KILN_VERIFY_HASH, 1}, {KILN_VERIFY_DEEP, 1}};
    static const forged_kind kinds[] = {{SCENE_THING, false, false},  {SCENE_THING, true, false},
                                        {SCENE_PACKED, false, false}, {SCENE_PACKED, true, false},
                                        {SCENE_THING, false, true},   {SCENE_THING, true, true}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    for (size_t i = 0; i < KINDS * sizeof rows / sizeof *rows; i++) {
        const forged_kind *kind = &kinds[i % KINDS];
        const kiln_verify_level level = rows[i / KINDS].level;
        scene s;
        scene_begin(&s);
        kiln_mount mount = {0};
        kiln_mount_def def = def_of_path();
        def.file.level = level;
        scene_save(forged_of(kind, 9, false), path);
        EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, &s.error));
        kiln_ref a = scene_load(&s, "Thing/a");
        assert_int_equal(9, scene_value_of(&s, a));
        for (int k = 0; k < 2; k++)
            EXPECT_STATUS(KILN_OK, try_replace(&s, mount, file_of(kind, 1, false), level));
        assert_int_equal(rows[i / KINDS].value, scene_value_of(&s, a));
        assert_int_equal(1, older(&s));
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* The first file is in memory of the program, so its hashes are not checked. Its asset moves to the
 * second file, which has the same bytes. */
static void an_asset_that_moves_is_proven_later(void **state)
{
    (void)state;
    static const forged_kind kind = {.type = SCENE_THING};
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, forged_of(&kind, 9, false), 0);
    kiln_ref a = scene_load(&s, "Thing/a");
    replace(&s, mount, forged_of(&kind, 9, false));
    assert_int_equal(9, scene_value_of(&s, a));
    replace(&s, mount, file_of(&kind, 1, false));
    assert_int_equal(1, scene_value_of(&s, a));
    scene_clear(&s, &a);
    scene_end(&s);
}

/* Borrowed bytes that no asset uses are not proven when a replacement is tried. */
static void borrowed_bytes_are_proven_when_an_asset_uses_them_again(void **state)
{
    (void)state;
    static const forged_kind kind = {.type = SCENE_THING, .is_long = true};
    scene s;
    scene_begin(&s);
    const void *root = NULL;
    kiln_mount mount = scene_mount_path(&s, forged_of(&kind, 9, true), path);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b");
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, a, "reader", &root, NULL));
    kiln_mount patch = scene_mount(&s, SCENE_FILE({"Thing/a", 5, NULL, SCENE_THING}), 1);
    kiln_buffer damaged = file_of(&kind, 1, true);
    kiln_index_member *member = member_of(&damaged, "Thing/b");
    member->content.low ^= 1;
    rehash(&damaged);
    damaged.data[member->place + KILN_HEADER_SIZE] ^= 1;
    EXPECT_STATUS(KILN_H_HASH, try_replace(&s, mount, damaged, KILN_VERIFY_HASH));
    scene_unmount(&s, patch);
    assert_int_equal(9, scene_value_of(&s, a));
    assert_ptr_equal(root, root_of(&s, a));
    replace(&s, mount, file_of(&kind, 1, true));
    assert_int_equal(1, scene_value_of(&s, a));
    assert_int_equal(9, scene_value(root));
    EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, root, "reader"));
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    scene_end(&s);
}

/* Both files state the same hash, which differs from the correct one in one half. */
static void both_halves_of_the_hash_are_checked(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        scene s;
        scene_begin(&s);
        kiln_buffer images[2];
        for (int i = 0; i < 2; i++) {
            images[i] = SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_THING});
            kiln_hash128 *content = &member_of(&images[i], "Thing/a")->content;
            *(half ? &content->high : &content->low) ^= 1;
            rehash(&images[i]);
        }
        kiln_mount mount = scene_mount_path(&s, images[0], path);
        kiln_ref a = scene_load(&s, "Thing/a");
        replace(&s, mount, images[1]);
        assert_int_equal(0, older(&s));
        assert_int_equal(1, scene_value_of(&s, a));
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* An index whose two ids are equal can be opened at the level `none`. Only one asset is found. */
static kiln_buffer file_with_equal_ids(uint32_t value)
{
    kiln_buffer image = SCENE_FILE({"Thing/a", value, NULL, SCENE_THING},
                                   {"Thing/b", value + 1, NULL, SCENE_THING});
    kiln_index *index = (void *)(image.data + KILN_HEADER_SIZE);
    kiln_id *ids = (kiln_id *)(uintptr_t)kiln_relative_get(&index->ids, index->ids.offset);
    ids[1] = ids[0];
    rehash(&image);
    return image;
}

static void an_id_that_a_file_has_twice_is_loaded_once(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = {0};
    kiln_mount_def def = def_of_path();
    def.file.level = KILN_VERIFY_NONE;
    scene_save(file_with_equal_ids(1), path);
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, &s.error));
    kiln_ref a = {0};
    const kiln_id ids[] = {scene_id("Thing/a"), scene_id("Thing/b")};
    const kiln_load_args args = {.id = ids[ids[1] < ids[0]], .by = "test"};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(s.assets, &args, &a, &s.error));
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, file_with_equal_ids(11), KILN_VERIFY_NONE));
    assert_int_equal(2, scene_stats(&s).loads);
    kiln_assets_clear_by(s.assets, &a, "test");
    scene_end(&s);
}

static void a_deeper_level_verifies_the_bytes_of_older_versions_again(void **state)
{
    (void)state;
    static const struct {
        kiln_verify_level levels[3]; /* of three files, the second and third with damaged bytes */
        kiln_status status;          /* of the third */
        uint32_t older;              /* afterwards */
    } rows[] = {
        {{KILN_VERIFY_DEEP, KILN_VERIFY_DEEP, KILN_VERIFY_DEEP}, KILN_OK, 1},
        {{KILN_VERIFY_DEEP, KILN_VERIFY_NONE, KILN_VERIFY_NONE}, KILN_OK, 1},
        {{KILN_VERIFY_DEEP, KILN_VERIFY_HASH, KILN_VERIFY_NONE}, KILN_OK, 1},
        {{KILN_VERIFY_DEEP, KILN_VERIFY_NONE, KILN_VERIFY_HASH}, KILN_H_HASH, 1},
        {{KILN_VERIFY_HASH, KILN_VERIFY_NONE, KILN_VERIFY_DEEP}, KILN_H_HASH, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        scene_begin(&s);
        kiln_mount mount =
            scene_mount_path(&s, SCENE_FILE({"Thing/z", 1, NULL, SCENE_THING}), path);
        EXPECT_STATUS(KILN_OK,
                      try_replace(&s, mount, SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_THING}),
                                  rows[i].levels[0]));
        kiln_ref a = scene_load(&s, "Thing/a");
        const void *root = root_of(&s, a);
        EXPECT_STATUS(KILN_OK,
                      try_replace(&s, mount, forged_file(1, false, true), rows[i].levels[1]));
        EXPECT_STATUS(rows[i].status,
                      try_replace(&s, mount, forged_file(1, false, true), rows[i].levels[2]));
        assert_ptr_equal(root, root_of(&s, a));
        assert_int_equal(1, scene_value_of(&s, a));
        assert_int_equal(rows[i].older, older(&s));
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* ---- failures ---- */

static void every_allocation_may_fail_at_any_number_of_versions(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, OLDER_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        bool has_failed = true;
        for (size_t fail_at = 1; has_failed; fail_at++) {
            many m;
            begin_many(&m);
            for (uint32_t k = 0; k < counts[i]; k++)
                change(&m, k);
            kiln_mount_def def = def_of_path();
            m.values[15]++;
            scene_save(many_file(&m), path);
            m.s.memory.fail_at = m.s.memory.calls + fail_at;
            kiln_status status = kiln_assets_replace(m.s.assets, m.mount, &def, &m.s.error);
            m.s.memory.fail_at = 0;
            scene_expect_valid(&m.s);
            has_failed = m.s.memory.failed > 0;
            EXPECT_STATUS(has_failed ? KILN_NO_MEMORY : KILN_OK, status);
            m.values[15] -= has_failed;
            expect_values(&m);
            assert_int_equal(has_failed               ? counts[i]
                             : counts[i] == OLDER_MAX ? 1
                                                      : counts[i] + 1,
                             older(&m.s));
            end_many(&m);
        }
    }
}

/* ---- random histories ---- */

typedef struct random_many {
    many m;
    uint64_t random;
    const void *borrowed[NAMES];
    uint32_t borrowed_value[NAMES];
    kiln_collector *collector;
} random_many;

static uint32_t random_below(random_many *r, uint32_t below)
{
    r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->random >> 33) % below);
}

static void replace_randomly(random_many *r)
{
    many *m = &r->m;
    scene *s = &m->s;
    for (uint32_t i = random_below(r, 3); i > 0; i--)
        m->values[random_below(r, NAMES)] += 1;
    if (random_below(r, 12) == 0)
        m->has_extra = !m->has_extra;
    kiln_mount_def def = def_of_path();
    def.file.level = (kiln_verify_level)random_below(r, 3);
    def.file.source = random_below(r, 8) ? KILN_SOURCE_MAP : KILN_SOURCE_COPY;
    scene_save(many_file(m), path);
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(s->assets, m->mount, &def, &s->error));
}

static void hold_randomly(random_many *r)
{
    many *m = &r->m;
    uint32_t at = random_below(r, NAMES);
    if (m->refs[at].bits) {
        kiln_assets_clear(m->s.assets, &m->refs[at]);
        m->refs[at] = (kiln_ref){0};
        return;
    }
    kiln_load_args args = {.name = m->names[at], .by = "test"};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(m->s.assets, &args, &m->refs[at], &m->s.error));
}

static void borrow_randomly(random_many *r)
{
    many *m = &r->m;
    uint32_t at = random_below(r, NAMES);
    if (r->borrowed[at]) {
        assert_int_equal(r->borrowed_value[at], scene_value(r->borrowed[at]));
        EXPECT_STATUS(KILN_OK, kiln_assets_release(m->s.assets, r->borrowed[at], m->names[at]));
        r->borrowed[at] = NULL;
    } else if (m->refs[at].bits) {
        EXPECT_STATUS(KILN_OK, kiln_assets_borrow(m->s.assets, m->refs[at], m->names[at],
                                                  &r->borrowed[at], NULL));
        r->borrowed_value[at] = m->values[at];
    }
}

static void remount(random_many *r)
{
    many *m = &r->m;
    for (uint32_t i = 0; i < NAMES; i++)
        if (m->refs[i].bits)
            kiln_assets_clear(m->s.assets, &m->refs[i]);
    memset(m->refs, 0, sizeof m->refs);
    EXPECT_STATUS(KILN_OK, kiln_assets_unmount(m->s.assets, m->mount, KILN_UNMOUNT_DEFER, NULL));
    assert_int_equal(0, older(&m->s));
    kiln_mount_def def = def_of_path();
    scene_save(many_file(m), path);
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(m->s.assets, &def, &m->mount, &m->s.error));
}

static void step(random_many *r)
{
    uint32_t what = random_below(r, 40);
    if (what == 0)
        remount(r);
    else if (what < 16)
        replace_randomly(r);
    else if (what < 26)
        hold_randomly(r);
    else if (what < 34)
        borrow_randomly(r);
    else
        EXPECT_STATUS(KILN_OK, kiln_collector_step(r->collector, 0, NULL));
}

static void expect_current(random_many *r)
{
    many *m = &r->m;
    scene_expect_valid(&m->s);
    if (!kiln_collector_is_valid(r->collector, &m->s.error))
        fail_msg("the collector is invalid: %s", m->s.error.path);
    assert_true(older(&m->s) <= OLDER_MAX);
    for (uint32_t i = 0; i < NAMES; i++) {
        uint32_t value = scene_value_named(&m->s, m->names[i]);
        assert_true(value == 0 || value == m->values[i]);
        if (m->refs[i].bits)
            assert_int_equal(m->values[i], scene_value_of(&m->s, m->refs[i]));
        if (r->borrowed[i])
            assert_int_equal(r->borrowed_value[i], scene_value(r->borrowed[i]));
    }
}

static void random_histories_show_the_values_of_the_last_file(void **state)
{
    (void)state;
    enum { HISTORIES = 6, STEPS = 400 };
    for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
        static random_many r;
        memset(&r, 0, sizeof r);
        begin_many(&r.m);
        r.random = seed;
        kiln_collector_def def = kiln_collector_def_default();
        def.assets = r.m.s.assets;
        def.allocator = &r.m.s.memory.allocator;
        EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &r.collector, &r.m.s.error));
        for (uint32_t i = 0; i < STEPS; i++) {
            if (i % 100 == 0)
                kiln_collector_start(r.collector);
            step(&r);
            expect_current(&r);
        }
        for (uint32_t i = 0; i < NAMES; i++)
            if (r.borrowed[i])
                kiln_assets_release(r.m.s.assets, r.borrowed[i], r.m.names[i]);
        clear_many(&r.m);
        EXPECT_STATUS(KILN_OK, kiln_collector_run(r.collector));
        assert_int_equal(0, scene_stats(&r.m.s).loaded);
        assert_int_equal(0, scene_stats(&r.m.s).deferred);
        kiln_collector_destroy(r.collector);
        scene_end(&r.m.s);
    }
}

static int remove_file(void **state)
{
    (void)state;
    return remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_assets_keep_their_bytes),
        cmocka_unit_test(only_files_that_were_mapped_from_a_path_become_older_versions),
        cmocka_unit_test(new_and_missing_assets_end_all_older_versions),
        cmocka_unit_test(assets_that_shared_a_member_can_part),
        cmocka_unit_test(many_replacements_keep_files_and_memory_bounded),
        cmocka_unit_test(an_asset_that_changes_when_its_version_ends_is_loaded_once),
        cmocka_unit_test(the_version_with_the_most_assets_stays),
        cmocka_unit_test(borrowed_bytes_stay_across_replacements),
        cmocka_unit_test(borrowed_bytes_and_pointers_keep_a_version_that_ends),
        cmocka_unit_test(unmounting_closes_all_versions),
        cmocka_unit_test(a_patch_can_be_mounted_over_older_versions_and_unmounted),
        cmocka_unit_test(an_asset_that_a_patch_provides_is_not_loaded_again),
        cmocka_unit_test(a_removed_asset_in_an_older_version_is_missing),
        cmocka_unit_test(with_a_forged_hash_an_asset_keeps_its_verified_bytes),
        cmocka_unit_test(a_forged_file_has_no_effect_on_the_next_one),
        cmocka_unit_test(an_asset_that_moves_is_proven_later),
        cmocka_unit_test(borrowed_bytes_are_proven_when_an_asset_uses_them_again),
        cmocka_unit_test(both_halves_of_the_hash_are_checked),
        cmocka_unit_test(an_id_that_a_file_has_twice_is_loaded_once),
        cmocka_unit_test(a_deeper_level_verifies_the_bytes_of_older_versions_again),
        cmocka_unit_test(every_allocation_may_fail_at_any_number_of_versions),
        cmocka_unit_test(random_histories_show_the_values_of_the_last_file),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
