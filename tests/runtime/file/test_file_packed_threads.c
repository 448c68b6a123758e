/* Threads that use the same compressed members: they share the work, and none sees a partial
 * result. A build with the thread sanitizer detects races. */
#define _POSIX_C_SOURCE 200809L

#include "file_fixture.h"
#include "file_member.h"
#include "file_unpack.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CROWD = 6, ROUNDS = 6 };

static kiln_buffer image;
static kiln_root_type item_type;

static int make_image(void **state)
{
    (void)state;
    item_type = fixture_root_type("test.Item");
    image = fixture_dictionary_file();
    return 0;
}

static int remove_image(void **state)
{
    (void)state;
    kiln_buffer_fini(&image);
    return 0;
}

typedef struct job {
    kiln_file *file;
    pthread_barrier_t *start;
    unsigned way, number;
    const void *roots[PACKED_ITEMS];
    bool is_good;
} job;

static kiln_asset item(kiln_file *file, unsigned i)
{
    char name[32];
    snprintf(name, sizeof name, "Item/%u", i);
    return kiln_file_find(file, name);
}

static bool unpack_all(job *j)
{
    kiln_allocator libc = kiln_allocator_default();
    for (unsigned i = 0; i < PACKED_ITEMS; i++) {
        kiln_unpacked unpacked;
        if (kiln_file_unpack(j->file, item(j->file, i).number - 1, LEVEL_VALUES, &libc, &unpacked,
                             NULL) != KILN_OK)
            return false;
        libc.free(libc.ctx, unpacked.blob, unpacked.size);
    }
    return true;
}

static bool prepare_part(job *j)
{
    kiln_asset part[PACKED_ITEMS];
    uint32_t count = 0;
    for (unsigned i = j->number % 2; i < PACKED_ITEMS; i += 2)
        part[count++] = item(j->file, i);
    return kiln_file_prepare(j->file, part, count, NULL) == KILN_OK;
}

static void *work(void *ctx)
{
    job *j = ctx;
    pthread_barrier_wait(j->start);
    j->is_good = true;
    if (j->way == 1)
        j->is_good = unpack_all(j);
    else if (j->way == 2)
        j->is_good = prepare_part(j);
    else if (j->way == 3)
        j->is_good = kiln_file_verify(j->file, KILN_VERIFY_DEEP, NULL) == KILN_OK;
    for (unsigned i = 0; i < PACKED_ITEMS; i++) {
        const test_item *root = kiln_file_root(j->file, item(j->file, i), &item_type, NULL);
        j->roots[i] = root;
        j->is_good &= root && memcmp(kiln_string_get(&root->name), "Number", 6) == 0;
    }
    return NULL;
}

static void concurrent_threads_get_the_same_roots(void **state)
{
    (void)state;
    static job jobs[CROWD];
    for (unsigned round = 0; round < ROUNDS * 4; round++) {
        kiln_file *file = NULL;
        pthread_barrier_t start;
        pthread_t threads[CROWD];
        assert_int_equal(KILN_OK, fixture_open(image.data, image.size,
                                               (kiln_verify_level)(round % 3), &file, NULL));
        pthread_barrier_init(&start, NULL, CROWD);
        for (unsigned i = 0; i < CROWD; i++) {
            jobs[i] = (job){.file = file, .start = &start, .number = i};
            jobs[i].way = round < 4 ? round : (round * 7 + i) % 4;
            assert_int_equal(0, pthread_create(&threads[i], NULL, work, &jobs[i]));
        }
        for (unsigned i = 0; i < CROWD; i++)
            pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&start);
        for (unsigned i = 0; i < CROWD; i++) {
            assert_true(jobs[i].is_good);
            assert_memory_equal(jobs[0].roots, jobs[i].roots, sizeof jobs[0].roots);
        }
        kiln_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(concurrent_threads_get_the_same_roots)};
    return cmocka_run_group_tests(tests, make_image, remove_image);
}
