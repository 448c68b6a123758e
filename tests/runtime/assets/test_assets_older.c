/* Replacing files that are mapped from a path: unchanged assets keep their bytes in older versions
 * of the file. Shows when they do, how many versions stay open, and what ends them. */
#define OLDER_PATH "assets_older.kiln"
#include "older_files.h"

#include <kiln/collector.h>

enum { OLDER_MAX = 8, NAMES = 20 };

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
        cmocka_unit_test(every_allocation_may_fail_at_any_number_of_versions),
        cmocka_unit_test(random_histories_show_the_values_of_the_last_file),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
