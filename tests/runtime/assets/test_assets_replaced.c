/* The events of replacements: which are listed, in which order, and how a reader learns that it
 * missed some. */
#include "asset_fixture.h"

#include <kiln/blob_header.h>
#include <kiln/collector.h>
#include <kiln/replaced.h>
#include <stdio.h>
#include <string.h>

static const char path[] = "assets_replaced.kiln";
static bool uses_path; /* files are mapped from a path, and may become older versions */

static kiln_mount mount_file(scene *s, kiln_buffer image, int32_t order)
{
    return uses_path && order == 0 ? scene_mount_path(s, image, path)
                                   : scene_mount(s, image, order);
}

static kiln_status try_replace(scene *s, kiln_mount mount, kiln_buffer image)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.name = "new";
    if (uses_path && image.size > 0) {
        scene_save(image, path);
        image = (kiln_buffer){0};
        def.file.path = path;
    } else {
        def.file.source = KILN_SOURCE_COPY;
        def.file.data = image.data;
        def.file.size = image.size;
    }
    kiln_status status = kiln_assets_replace(s->assets, mount, &def, &s->error);
    scene_expect_valid(s);
    kiln_buffer_fini(&image);
    return status;
}

static uint64_t watch(scene *s)
{
    uint64_t cursor = UINT64_MAX;
    EXPECT_STATUS(KILN_OK, kiln_assets_watch(s->assets, &cursor, &s->error));
    return cursor;
}

/* Expects these events: the first letters of their kinds, with their names. */
static void expect_events(scene *s, uint64_t *cursor, const char *expected)
{
    static const char kinds[] = "carde";
    char text[1024] = "";
    kiln_replaced event;
    while (kiln_assets_next_replaced(s->assets, cursor, &event) == KILN_OK) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%c:%s", length ? " " : "",
                 event.kind == KILN_REPLACED_FAILED ? 'f' : kinds[event.kind], event.name);
        assert_true(event.kind == KILN_REPLACED_FAILED || event.id == scene_id(event.name));
        assert_int_equal(event.error.status != KILN_OK, event.kind == KILN_REPLACED_FAILED);
    }
    assert_string_equal(expected, text);
}

static void changes_and_dependents_are_listed_once_in_dependency_order(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount =
        mount_file(&s,
                   SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}, {"Th/b", 2, "Th/a", SCENE_THING},
                              {"Th/c", 3, "Th/b", SCENE_THING}, {"Th/d", 4, NULL, SCENE_THING},
                              {"Th/e", 5, "Th/d", SCENE_THING}, {"Th/gone", 6, NULL, SCENE_THING}),
                   0);
    mount_file(&s,
               SCENE_FILE({"Th/x", 7, "Th/c Th/y", SCENE_THING}, {"Th/y", 8, "Th/x", SCENE_THING},
                          {"Th/z", 9, "Th/d", SCENE_THING}, {"Th/idle", 10, "Th/a", SCENE_THING}),
               0);
    uint64_t cursor = watch(&s), other = watch(&s);
    expect_events(&s, &cursor, "");
    kiln_ref x = scene_load(&s, "Th/x"), z = scene_load(&s, "Th/z");
    EXPECT_STATUS(
        KILN_OK,
        try_replace(&s, mount,
                    SCENE_FILE({"Th/a", 11, NULL, SCENE_THING}, {"Th/b", 2, "Th/a", SCENE_THING},
                               {"Th/c", 33, "Th/b Th/new", SCENE_THING},
                               {"Th/d", 4, NULL, SCENE_THING}, {"Th/e", 5, "Th/d", SCENE_THING},
                               {"Th/new", 12, NULL, SCENE_THING})));
    kiln_replaced events[8];
    size_t count = 0, at_x = 0, at_y = 0, at_b = 0, at_c = 0, at_a = 0, at_new = 0;
    while (kiln_assets_next_replaced(s.assets, &cursor, &events[count]) == KILN_OK)
        count++;
    assert_int_equal(7, count);
    assert_string_equal("Th/gone", events[0].name);
    assert_int_equal(KILN_REPLACED_REMOVED, events[0].kind);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(mount.number, events[i].mount.number);
        assert_int_equal(mount.version, events[i].mount.version);
        assert_int_equal(events[0].replacement, events[i].replacement);
        const struct {
            const char *name;
            kiln_replaced_kind kind;
            size_t *at;
        } rows[] = {
            {"Th/a", KILN_REPLACED_CHANGED, &at_a},   {"Th/b", KILN_REPLACED_DEPENDENT, &at_b},
            {"Th/c", KILN_REPLACED_CHANGED, &at_c},   {"Th/new", KILN_REPLACED_ADDED, &at_new},
            {"Th/x", KILN_REPLACED_DEPENDENT, &at_x}, {"Th/y", KILN_REPLACED_DEPENDENT, &at_y}};
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (strcmp(rows[k].name, events[i].name) == 0) {
                assert_int_equal(rows[k].kind, events[i].kind);
                assert_int_equal(0, *rows[k].at);
                *rows[k].at = i;
            }
    }
    assert_true(at_a < at_b && at_b < at_c && at_new < at_c && at_c < at_x && at_y > 0);
    /* Readers do not affect each other. */
    kiln_replaced event;
    EXPECT_STATUS(KILN_OK, kiln_assets_next_replaced(s.assets, &other, &event));
    assert_string_equal("Th/gone", event.name);
    expect_events(&s, &cursor, "");
    scene_clear(&s, &x);
    scene_clear(&s, &z);
    scene_end(&s);
}

/* A file whose first two ids are equal. Only one of these assets is found. */
static kiln_buffer file_with_equal_ids(uint32_t value)
{
    kiln_blob_header header;
    kiln_buffer image =
        SCENE_FILE({"Th/a", value, NULL, SCENE_THING}, {"Th/b", value + 1, NULL, SCENE_THING});
    kiln_index *index = (void *)(image.data + KILN_HEADER_SIZE);
    kiln_id *ids = (kiln_id *)(uintptr_t)kiln_relative_get(&index->ids, index->ids.offset);
    ids[1] = ids[0];
    memcpy(&header, image.data, sizeof header);
    kiln_header_write(image.data, header.flags, header.payload_size, header.layout);
    return image;
}

static void an_id_that_a_file_has_twice_changes_once(void **state)
{
    (void)state;
    scene s;
    kiln_mount mount;
    scene_begin(&s);
    kiln_buffer images[] = {file_with_equal_ids(1), file_with_equal_ids(11)};
    kiln_mount_def def = kiln_mount_def_default();
    def.file.level = KILN_VERIFY_NONE;
    def.file.data = images[0].data;
    def.file.size = images[0].size;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, &s.error));
    uint64_t cursor = watch(&s);
    def.file.data = images[1].data;
    def.file.size = images[1].size;
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(s.assets, mount, &def, &s.error));
    scene_expect_valid(&s);
    expect_events(&s, &cursor, scene_id("Th/a") < scene_id("Th/b") ? "c:Th/a" : "c:Th/b");
    scene_end(&s);
    kiln_buffer_fini(&images[0]);
    kiln_buffer_fini(&images[1]);
}

static void a_long_chain_is_listed_from_its_end(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    scene s;
    char names[COUNT][8];
    scene_asset assets[COUNT];
    scene_begin(&s);
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "Th/%d", i);
        assets[i] =
            (scene_asset){names[i], 100 + (uint32_t)i, i ? names[i - 1] : NULL, SCENE_THING};
    }
    kiln_mount mount = mount_file(&s, scene_file(assets, COUNT), 0);
    kiln_ref last = scene_load(&s, names[COUNT - 1]);
    uint64_t cursor = watch(&s);
    assets[0].value = 1;
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, scene_file(assets, COUNT)));
    kiln_replaced event;
    for (int i = 0; i < COUNT; i++) {
        EXPECT_STATUS(KILN_OK, kiln_assets_next_replaced(s.assets, &cursor, &event));
        assert_string_equal(names[i], event.name);
        assert_int_equal(i ? KILN_REPLACED_DEPENDENT : KILN_REPLACED_CHANGED, event.kind);
    }
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_next_replaced(s.assets, &cursor, &event));
    scene_clear(&s, &last);
    scene_end(&s);
}

static void a_higher_file_hides_changes_and_a_lower_one_turns_removal_into_change(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    mount_file(&s, SCENE_FILE({"Th/low", 1, NULL, SCENE_THING}), -1);
    kiln_mount mount = mount_file(
        &s, SCENE_FILE({"Th/low", 2, NULL, SCENE_THING}, {"Th/high", 3, NULL, SCENE_THING}), 0);
    mount_file(&s, SCENE_FILE({"Th/high", 4, NULL, SCENE_THING}), 1);
    uint64_t cursor = watch(&s);
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, SCENE_FILE({"Th/high", 33, NULL, SCENE_THING})));
    expect_events(&s, &cursor, "c:Th/low");
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, SCENE_FILE({"Th/other", 5, NULL, SCENE_THING})));
    expect_events(&s, &cursor, "a:Th/other");
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount,
                                       SCENE_FILE({"Th/low", 2, NULL, SCENE_THING},
                                                  {"Th/other", 5, NULL, SCENE_THING})));
    expect_events(&s, &cursor, "c:Th/low");
    scene_end(&s);
}

static void references_of_added_blobs_count_with_a_collector(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = mount_file(&s, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}), 0);
    kiln_collector_def def = kiln_collector_def_default();
    kiln_collector *collector = NULL;
    def.assets = s.assets;
    def.allocator = &s.memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, &s.error));
    kiln_root_type type = scene_root_type(SCENE_THING);
    kiln_buffer blob = scene_blob(5, "Th/a", SCENE_THING);
    kiln_add_args args = {.name = "Th/made", .type = &type, .blob = blob.data, .size = blob.size};
    kiln_ref made = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s.assets, &args, &made, &s.error));
    kiln_buffer_fini(&blob);
    uint64_t cursor = watch(&s);
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, SCENE_FILE({"Th/a", 2, NULL, SCENE_THING})));
    expect_events(&s, &cursor, "c:Th/a d:Th/made");
    scene_clear(&s, &made);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void earlier_ids_lead_to_dependents(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount =
        mount_file(&s, SCENE_RENAMED("Th/was>Th/a", {"Th/a", 1, NULL, SCENE_THING}), 0);
    mount_file(&s, SCENE_FILE({"Th/b", 2, "Th/was", SCENE_THING}), 0);
    kiln_ref b = scene_load(&s, "Th/b");
    uint64_t cursor = watch(&s);
    EXPECT_STATUS(
        KILN_OK,
        try_replace(&s, mount, SCENE_RENAMED("Th/was>Th/a", {"Th/a", 3, NULL, SCENE_THING})));
    expect_events(&s, &cursor, "c:Th/a d:Th/b");
    assert_int_equal(3, scene_value(kiln_assets_get(s.assets, scene_id("Th/was"))));
    /* Without the redirect, the earlier id is unknown. */
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, SCENE_FILE({"Th/a", 3, NULL, SCENE_THING})));
    assert_int_equal(0, kiln_assets_find(s.assets, "Th/was"));
    EXPECT_STATUS(
        KILN_OK,
        try_replace(&s, mount, SCENE_RENAMED("Th/was>Th/a", {"Th/a", 4, NULL, SCENE_THING})));
    assert_int_equal(4, scene_value(kiln_assets_get(s.assets, scene_id("Th/was"))));
    scene_clear(&s, &b);
    scene_end(&s);
}

static void a_failed_replacement_is_an_event_and_the_next_one_succeeds(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = mount_file(&s, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Th/a");
    uint64_t cursor = watch(&s);
    kiln_replaced event;
    kiln_buffer image = SCENE_FILE({"Th/a", 2, NULL, SCENE_THING});
    image.data[0] = 'X';
    EXPECT_STATUS(KILN_H_MAGIC, try_replace(&s, mount, image));
    EXPECT_STATUS(KILN_OK, kiln_assets_next_replaced(s.assets, &cursor, &event));
    assert_int_equal(KILN_REPLACED_FAILED, event.kind);
    assert_int_equal(mount.number, event.mount.number);
    assert_string_equal("new", event.name);
    assert_int_equal(KILN_H_MAGIC, event.error.status);
    EXPECT_STATUS(KILN_MISSING,
                  try_replace(&s, mount, SCENE_FILE({"Th/a", 2, "Th/none", SCENE_THING})));
    EXPECT_STATUS(KILN_OK, kiln_assets_next_replaced(s.assets, &cursor, &event));
    assert_string_equal("Th/a > Th/none", event.error.path);
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, SCENE_FILE({"Th/a", 2, NULL, SCENE_THING})));
    expect_events(&s, &cursor, "c:Th/a");
    assert_int_equal(2, scene_value_of(&s, a));
    /* There is no event for a mount that does not exist. */
    EXPECT_STATUS(KILN_DEAD,
                  try_replace(&s, (kiln_mount){9, 9}, SCENE_FILE({"Th/a", 2, NULL, SCENE_THING})));
    expect_events(&s, &cursor, "");
    scene_clear(&s, &a);
    scene_end(&s);
}

static void a_reader_that_is_too_slow_learns_that_it_missed_events(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = mount_file(&s, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}), 0);
    kiln_replaced event;
    uint64_t slow = 0, cursor;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_next_replaced(s.assets, &slow, &event));
    slow = watch(&s);
    cursor = slow + 1;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_next_replaced(s.assets, &cursor, &event));
    for (int i = 0; i < KILN_REPLACED_EVENTS; i++)
        EXPECT_STATUS(KILN_BAD_ARGUMENT, try_replace(&s, mount, (kiln_buffer){0}));
    cursor = slow;
    EXPECT_STATUS(KILN_OK, kiln_assets_next_replaced(s.assets, &cursor, &event));
    cursor = slow;
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, SCENE_FILE({"Th/a", 2, NULL, SCENE_THING})));
    EXPECT_STATUS(KILN_OVERRUN, kiln_assets_next_replaced(s.assets, &cursor, &event));
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_next_replaced(s.assets, &cursor, &event));
    /* The log has lost only the first event, so a reader of the second one misses nothing. */
    slow++;
    EXPECT_STATUS(KILN_OK, kiln_assets_next_replaced(s.assets, &slow, &event));
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, SCENE_FILE({"Th/a", 3, NULL, SCENE_THING})));
    expect_events(&s, &cursor, "c:Th/a");
    scene_end(&s);
}

static void a_replacement_with_too_many_events_overruns_every_reader(void **state)
{
    (void)state;
    enum { COUNT = KILN_REPLACED_EVENTS + 1 };
    static char names[COUNT][12];
    static scene_asset assets[COUNT];
    scene s;
    scene_begin(&s);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "Th/%u", (unsigned)i);
        assets[i] = (scene_asset){names[i], 1, NULL, SCENE_THING};
    }
    kiln_mount mount = mount_file(&s, scene_file(assets, 1), 0);
    uint64_t cursor = watch(&s);
    kiln_replaced event;
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, scene_file(assets, COUNT - 1)));
    EXPECT_STATUS(KILN_OK, kiln_assets_next_replaced(s.assets, &cursor, &event));
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, scene_file(assets, 1)));
    cursor = watch(&s);
    for (uint32_t i = 0; i < COUNT; i++)
        assets[i].value = 2;
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, scene_file(assets, COUNT)));
    EXPECT_STATUS(KILN_OVERRUN, kiln_assets_next_replaced(s.assets, &cursor, &event));
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, scene_file(assets, COUNT - 1)));
    EXPECT_STATUS(KILN_OK, kiln_assets_next_replaced(s.assets, &cursor, &event));
    assert_int_equal(KILN_REPLACED_REMOVED, event.kind);
    scene_end(&s);
}

static void an_event_for_which_there_is_no_memory_is_not_lost_silently(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = mount_file(&s, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}), 0);
    s.memory.fail_at = s.memory.calls + 1;
    uint64_t cursor;
    EXPECT_STATUS(KILN_NO_MEMORY, kiln_assets_watch(s.assets, &cursor, &s.error));
    cursor = watch(&s);
    kiln_buffer image = SCENE_FILE({"Th/a", 2, NULL, SCENE_THING});
    s.memory.fail_at = s.memory.calls + 1;
    s.memory.fail_rest = true;
    EXPECT_STATUS(KILN_NO_MEMORY, try_replace(&s, mount, image));
    s.memory.fail_at = 0;
    s.memory.fail_rest = false;
    kiln_replaced event;
    EXPECT_STATUS(KILN_OVERRUN, kiln_assets_next_replaced(s.assets, &cursor, &event));
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_next_replaced(s.assets, &cursor, &event));
    scene_end(&s);
}

enum { CHAIN = 40 };

static kiln_ref add_referring(scene *s, const char *name)
{
    kiln_root_type type = scene_root_type(SCENE_THING);
    kiln_buffer blob = scene_blob(5, "Th/a", SCENE_THING);
    const kiln_add_args args = {.name = name, .type = &type, .blob = blob.data, .size = blob.size};
    kiln_ref ref = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s->assets, &args, &ref, &s->error));
    kiln_buffer_fini(&blob);
    return ref;
}

/* An added blob with two names refers to a changed asset. A chain of assets refers to its second
 * name. Returns the status of the replacement, whose allocation `fail_at` fails. */
static kiln_status replace_below_a_chain(size_t fail_at)
{
    scene s;
    kiln_collector_def def = kiln_collector_def_default();
    kiln_collector *collector = NULL;
    char names[CHAIN][16], expected[1024] = "c:Th/a d:Th/made";
    scene_asset chain[CHAIN];
    for (int i = 0; i < CHAIN; i++) {
        snprintf(names[i], sizeof names[i], "Th/%d", i);
        chain[i] = (scene_asset){names[i], 10, i ? names[i - 1] : "Th/also", SCENE_THING};
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), " d:%s",
                 names[i]);
    }
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}), 0);
    def.assets = s.assets;
    def.allocator = &s.memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, &s.error));
    kiln_ref made = add_referring(&s, "Th/made"), also = add_referring(&s, "Th/also");
    assert_int_equal(kiln_ref_slot_number(made), kiln_ref_slot_number(also));
    scene_mount(&s, scene_file(chain, CHAIN), 0);
    kiln_ref last = scene_load(&s, names[CHAIN - 1]);
    uint64_t cursor = watch(&s);
    kiln_buffer image = SCENE_FILE({"Th/a", 2, NULL, SCENE_THING});
    if (fail_at > 0)
        s.memory.fail_at = s.memory.calls + fail_at;
    kiln_status status = try_replace(&s, mount, image);
    s.memory.fail_at = 0;
    if (status == KILN_OK)
        expect_events(&s, &cursor, expected);
    scene_clear(&s, &made);
    scene_clear(&s, &also);
    scene_clear(&s, &last);
    kiln_collector_destroy(collector);
    scene_end(&s);
    return status;
}

static void a_failed_allocation_while_dependents_are_searched_fails_the_replacement(void **state)
{
    (void)state;
    EXPECT_STATUS(KILN_OK, replace_below_a_chain(0));
    kiln_status status = KILN_NO_MEMORY;
    for (size_t fail_at = 1; status != KILN_OK; fail_at++) {
        status = replace_below_a_chain(fail_at);
        if (status != KILN_OK)
            EXPECT_STATUS(KILN_NO_MEMORY, status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_and_dependents_are_listed_once_in_dependency_order),
        cmocka_unit_test(an_id_that_a_file_has_twice_changes_once),
        cmocka_unit_test(a_long_chain_is_listed_from_its_end),
        cmocka_unit_test(a_higher_file_hides_changes_and_a_lower_one_turns_removal_into_change),
        cmocka_unit_test(references_of_added_blobs_count_with_a_collector),
        cmocka_unit_test(earlier_ids_lead_to_dependents),
        cmocka_unit_test(a_failed_replacement_is_an_event_and_the_next_one_succeeds),
        cmocka_unit_test(a_reader_that_is_too_slow_learns_that_it_missed_events),
        cmocka_unit_test(a_replacement_with_too_many_events_overruns_every_reader),
        cmocka_unit_test(an_event_for_which_there_is_no_memory_is_not_lost_silently),
        cmocka_unit_test(a_failed_allocation_while_dependents_are_searched_fails_the_replacement),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    uses_path = true;
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
