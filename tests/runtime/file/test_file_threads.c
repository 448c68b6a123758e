/* Every pair of functions that may run concurrently does so on a newly opened file, so that first
 * checks coincide, too. A build with the thread sanitizer detects races. */
#define _POSIX_C_SOURCE 200809L

#include "file_fixture.h"

#include <kiln/blob_header.h>
#include <pthread.h>
#include <string.h>

enum { MEETINGS = 4, ROUNDS = 3, CROWD = 8 };

static kiln_buffer image,
    table;                  /* `Item/lamp` contains a value that only deep verification rejects */
static kiln_buffer damaged; /* also has a wrong hash */
static uint64_t bad_at, lamp_at;
static kiln_root_type item_type, page_type;

static int make_images(void **state)
{
    (void)state;
    item_type = fixture_root_type("test.Item");
    page_type = fixture_root_type("test.Page");
    image = fixture_file(false);
    table = fixture_type_table(LAYOUT_NOW);
    kiln_file *file = NULL;
    if (fixture_open(image.data, image.size, KILN_VERIFY_NONE, &file, NULL) != KILN_OK)
        return -1;
    uint64_t place = fixture_member(file, "Item/lamp")->place;
    kiln_file_close(file);
    bad_at = place + KILN_HEADER_SIZE + offsetof(test_item, kind);
    image.data[bad_at] ^= 9;
    fixture_rehash_member(image.data, place);
    damaged = fixture_file(false);
    memcpy(damaged.data, image.data, image.size);
    damaged.data[bad_at] ^= 1;
    lamp_at = place;
    return 0;
}

static int remove_images(void **state)
{
    (void)state;
    kiln_buffer_fini(&image);
    kiln_buffer_fini(&damaged);
    kiln_buffer_fini(&table);
    return 0;
}

static bool does_find(kiln_file *file)
{
    return kiln_file_find(file, "Item/oil").number != 0 &&
           kiln_file_find(file, "Item/none").number == 0;
}

static bool does_find_id(kiln_file *file)
{
    return kiln_file_find_id(file, kiln_asset_id("Item/oil", 8)).number != 0;
}

static bool does_list(kiln_file *file)
{
    for (uint32_t i = 0; i < kiln_file_asset_count(file); i++) {
        kiln_asset asset = kiln_file_asset_at(file, i);
        if (!kiln_file_asset_name(file, asset) || !kiln_file_asset_id(file, asset) ||
            !kiln_file_asset_type(file, asset))
            return false;
    }
    return true;
}

static bool does_index(kiln_file *file)
{
    return kiln_file_index(file, NULL)->file_size == image.size;
}

static bool does_root(kiln_file *file)
{
    const test_item *oil = kiln_file_root(file, kiln_file_find(file, "Item/oil"), &item_type, NULL);
    return oil && strcmp(kiln_string_get(&oil->name), "Oil") == 0;
}

static bool does_root_of_the_same_member(kiln_file *file)
{
    const test_item *tar = kiln_file_root(file, kiln_file_find(file, "Item/tar"), &item_type, NULL);
    return tar && tar->hp == 7;
}

static bool does_root_of_another_type(kiln_file *file)
{
    const test_page *page =
        kiln_file_root(file, kiln_file_find(file, "Page/intro"), &page_type, NULL);
    return page && page->text.length == strlen("Once upon a time");
}

static bool does_refused_root(kiln_file *file)
{
    kiln_error error = {.status = KILN_OK};
    kiln_asset lamp = kiln_file_find(file, "Item/lamp");
    return !kiln_file_root(file, lamp, &item_type, &error) && error.status == KILN_V_ENUM &&
           error.offset == bad_at && strcmp(error.path, "kind") == 0;
}

static bool does_mismatched_root(kiln_file *file)
{
    kiln_error error = {.status = KILN_OK};
    kiln_asset oil = kiln_file_find(file, "Item/oil");
    return !kiln_file_root(file, oil, &page_type, &error) && error.status == KILN_TYPE_MISMATCH;
}

static bool does_verify(kiln_file *file)
{
    kiln_error error = {.status = KILN_OK};
    return kiln_file_verify(file, KILN_VERIFY_DEEP, &error) == KILN_V_ENUM &&
           error.offset == bad_at;
}

static bool does_refuse_hash(const kiln_error *error)
{
    return error->status == KILN_H_HASH &&
           error->offset == lamp_at + offsetof(kiln_blob_header, hash);
}

static bool does_damaged_root(kiln_file *file)
{
    kiln_error error = {.status = KILN_OK};
    kiln_asset lamp = kiln_file_find(file, "Item/lamp");
    return !kiln_file_root(file, lamp, &item_type, &error) && does_refuse_hash(&error);
}

static bool does_verify_hashes(kiln_file *file)
{
    kiln_error error = {.status = KILN_OK};
    return kiln_file_verify(file, KILN_VERIFY_HASH, &error) == KILN_H_HASH &&
           does_refuse_hash(&error);
}

static bool does_verify_damaged(kiln_file *file)
{
    kiln_error error = {.status = KILN_OK};
    return kiln_file_verify(file, KILN_VERIFY_DEEP, &error) == KILN_H_HASH &&
           does_refuse_hash(&error);
}

typedef bool action(kiln_file *file);

static action *const actions[] = {
    does_find,
    does_find_id,
    does_list,
    does_index,
    does_root,
    does_root_of_the_same_member,
    does_root_of_another_type,
    does_refused_root,
    does_mismatched_root,
    does_verify,
};

enum { ACTIONS = sizeof actions / sizeof *actions };

typedef struct runner {
    kiln_file *file;
    pthread_barrier_t *start;
    action *act;
    bool ok;
} runner;

static void *run(void *ctx)
{
    runner *r = ctx;
    pthread_barrier_wait(r->start);
    r->ok = true;
    for (int i = 0; i < ROUNDS; i++)
        r->ok = r->act(r->file) && r->ok;
    return NULL;
}

typedef enum meeting { MEET_DEEP, MEET_OWN_TYPES, MEET_DAMAGED } meeting;

static kiln_file *open_fresh(meeting how)
{
    kiln_file_def def = kiln_file_def_default();
    def.data = how == MEET_DAMAGED ? damaged.data : image.data;
    def.size = image.size;
    def.level = how == MEET_DAMAGED ? KILN_VERIFY_HASH : KILN_VERIFY_DEEP;
    if (how == MEET_OWN_TYPES)
        def.types = table.data, def.types_size = table.size;
    kiln_file *file = NULL;
    assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
    return file;
}

/* Runs `count` actions concurrently on a new file. Returns true if each had the expected result. */
static bool meet(action *const *act, unsigned count, meeting how)
{
    pthread_barrier_t start;
    pthread_t threads[CROWD];
    runner runners[CROWD];
    kiln_file *file = open_fresh(how);
    assert_int_equal(0, pthread_barrier_init(&start, NULL, count));
    for (unsigned i = 0; i < count; i++) {
        runners[i] = (runner){file, &start, act[i], false};
        assert_int_equal(0, pthread_create(&threads[i], NULL, run, &runners[i]));
    }
    bool ok = true;
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        ok = ok && runners[i].ok;
    }
    pthread_barrier_destroy(&start);
    kiln_file_close(file);
    return ok;
}

static void every_pair_of_functions_may_run_together(void **state)
{
    (void)state;
    for (int a = 0; a < ACTIONS; a++) {
        for (int b = a; b < ACTIONS; b++) {
            action *const pair[] = {actions[a], actions[b]};
            for (int i = 0; i < MEETINGS; i++)
                if (!meet(pair, 2, i % 2 ? MEET_OWN_TYPES : MEET_DEEP))
                    fail_msg("actions %d and %d", a, b);
        }
    }
}

static void many_threads_share_the_verdict_on_one_member(void **state)
{
    (void)state;
    action *const same[] = {does_refused_root, does_root};
    for (int i = 0; i < 40; i++) {
        action *crowd[CROWD];
        for (int k = 0; k < CROWD; k++)
            crowd[k] = same[(k ^ i) & i & 1];
        assert_true(meet(crowd, CROWD, i % 3 == 0 ? MEET_OWN_TYPES : MEET_DEEP));
    }
}

static void many_threads_may_do_everything_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        action *crowd[CROWD];
        for (int k = 0; k < CROWD; k++)
            crowd[k] = actions[(i + k * 3) % ACTIONS];
        assert_true(meet(crowd, CROWD, i % 2 ? MEET_OWN_TYPES : MEET_DEEP));
    }
}

/* Members are hashed without a lock, while full checks of the same members hold it. In any order,
 * the damaged member is refused and the others are accepted. */
static void hashes_and_full_checks_of_a_member_may_coincide(void **state)
{
    (void)state;
    static action *const some[] = {
        does_root,
        does_damaged_root,
        does_root_of_the_same_member,
        does_verify_hashes,
        does_verify_damaged,
        does_damaged_root,
        does_mismatched_root,
        does_root_of_another_type,
    };
    for (int i = 0; i < 80; i++) {
        action *crowd[CROWD];
        for (int k = 0; k < CROWD; k++)
            crowd[k] = some[i % 4 == 0 ? k % 2 : (i + k * (1 + i % 3)) % CROWD];
        assert_true(meet(crowd, CROWD, MEET_DAMAGED));
    }
}

/* Open and close are exclusive for one file, but two files share nothing. */
static void *open_and_read(void *ctx)
{
    bool *ok = ctx;
    kiln_file *file = NULL;
    *ok = fixture_open(image.data, image.size, KILN_VERIFY_DEEP, &file, NULL) == KILN_OK &&
          does_root(file) && does_refused_root(file);
    kiln_file_close(file);
    return NULL;
}

static void two_files_may_be_opened_together(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        pthread_t threads[2];
        bool ok[2] = {false, false};
        for (int k = 0; k < 2; k++)
            assert_int_equal(0, pthread_create(&threads[k], NULL, open_and_read, &ok[k]));
        for (int k = 0; k < 2; k++)
            pthread_join(threads[k], NULL);
        assert_true(ok[0] && ok[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_functions_may_run_together),
        cmocka_unit_test(many_threads_share_the_verdict_on_one_member),
        cmocka_unit_test(many_threads_may_do_everything_at_once),
        cmocka_unit_test(hashes_and_full_checks_of_a_member_may_coincide),
        cmocka_unit_test(two_files_may_be_opened_together),
    };
    return cmocka_run_group_tests(tests, make_images, remove_images);
}
