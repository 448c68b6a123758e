/* Commands print the same for every number of threads. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* What the sample is damaged with: every `step`th member from `from` on; 0: nothing. */
typedef struct damage {
    sample_kind kind;
    uint32_t from, step;
    bool is_index_broken, is_gap_broken;
} damage;

static const damage rows[] = {
    {SAMPLE_FULL, 0, 0, false, false},     {SAMPLE_PACKED, 0, 0, false, false},
    {SAMPLE_UNPACKED, 0, 0, false, false}, {SAMPLE_UNTYPED, 0, 0, false, false},
    {SAMPLE_UNSHARED, 0, 0, false, false}, {SAMPLE_BARE, 0, 0, false, false},
    {SAMPLE_UNPACKED, 0, 0, false, true},  {SAMPLE_PACKED, 0, 1, false, false},
    {SAMPLE_PACKED, 3, 7, false, false},   {SAMPLE_PACKED, 60, 7, false, false},
    {SAMPLE_UNPACKED, 0, 1, false, true},  {SAMPLE_UNPACKED, 5, 2, false, true},
    {SAMPLE_UNPACKED, 5, 9, true, false},  {SAMPLE_PACKED, 0, 3, true, false},
};

/* Breaks the last byte of members, and the first byte of each gap. */
static void write_damaged(const damage *row)
{
    kiln_buffer sample = sample_file(row->kind);
    const kiln_index *index = (const void *)(sample.data + KILN_HEADER_SIZE);
    for (uint32_t i = row->from; row->step && i < index->members.count; i += row->step) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        sample.data[member->place + member->stored_size - 1] ^= 1;
    }
    for (uint32_t i = 1; row->is_gap_broken && i < index->members.count; i++) {
        const kiln_index_member *before = kiln_index_member_at(index, i - 1);
        uint64_t end = before->place + before->stored_size;
        if (end < kiln_index_member_at(index, i)->place)
            sample.data[end] = 1;
    }
    if (row->is_index_broken)
        sample.data[KILN_HEADER_SIZE] ^= 1;
    inspect_write("it", sample.data, sample.size);
    kiln_buffer_fini(&sample);
}

static void output_does_not_depend_on_the_number_of_threads(void **state)
{
    static const int jobs[] = {2, 3, 64}, limits[] = {0, 1, 2, 5, 1000};
    char command[64];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_damaged(&rows[i]);
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            snprintf(command, sizeof command, "verify -j 1 --max-errors %d it", limits[k]);
            inspect_result one = inspect_call(command);
            assert_int_equal(
                rows[i].kind == SAMPLE_UNSHARED || rows[i].step || rows[i].is_gap_broken, one.code);
            for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
                snprintf(command, sizeof command, "verify --jobs %d --max-errors %d it", jobs[j],
                         limits[k]);
                inspect_result many = inspect_call(command);
                assert_int_equal(one.code, many.code);
                assert_string_equal(one.out, many.out);
                assert_string_equal(one.err, many.err);
                inspect_result_fini(&many);
            }
            inspect_result_fini(&one);
        }
    }
}

/* The order is that of the file. */
static void errors_are_in_the_order_of_members(void **state)
{
    unsigned before = 0, lines = 0;
    (void)state;
    write_damaged(&(damage){SAMPLE_PACKED, 1, 1, false, false});
    inspect_result result = inspect_call("verify -j 4 it");
    for (const char *at = result.out; *at; at = strchr(at, '\n') + 1) {
        unsigned number;
        const char *word = strstr(at, "(member ");
        assert_non_null(word);
        assert_int_equal(1, sscanf(word, "(member %u", &number));
        assert_true(number >= before);
        before = number;
        lines++;
    }
    assert_true(lines > 60);
    inspect_result_fini(&result);
}

static void each_broken_gap_is_an_error(void **state)
{
    unsigned gaps = 0, lines = 0;
    (void)state;
    write_damaged(&(damage){SAMPLE_UNPACKED, 0, 0, false, true});
    kiln_buffer sample = sample_file(SAMPLE_UNPACKED);
    const kiln_index *index = (const void *)(sample.data + KILN_HEADER_SIZE);
    for (uint32_t i = 1; i < index->members.count; i++) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        gaps += member[-1].place + member[-1].stored_size < member->place;
    }
    inspect_result result = inspect_call("verify it");
    for (const char *at = result.out; *at; at = strchr(at, '\n') + 1, lines++)
        assert_memory_equal("it: I8 at offset 0x", at, 19);
    assert_true(gaps > 2);
    assert_int_equal(gaps, lines);
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

/* A limit of the address space stops the program from using threads by default. Hardly anything
 * reaches this one. */
static inspect_result call_with_one_thread(const char *command)
{
    struct rlimit usual, limit;
    assert_int_equal(0, getrlimit(RLIMIT_AS, &usual));
    limit = usual;
    if (limit.rlim_cur == RLIM_INFINITY)
        limit.rlim_cur = RLIM_INFINITY - 1;
    assert_int_equal(0, setrlimit(RLIMIT_AS, &limit));
    inspect_result result = inspect_call(command);
    assert_int_equal(0, setrlimit(RLIMIT_AS, &usual));
    return result;
}

/* The index of this file is large enough for a second thread. */
static void a_large_index_is_listed_in_the_same_way_by_threads(void **state)
{
    static const struct {
        bool is_id, is_name; /* what is broken */
        const char *rule;
    } breaks[] = {{false, false, NULL}, {true, false, "I2"}, {false, true, "I3"}};
    static const char *const commands[] = {"verify it", "verify -j 2 it", "orphans it",
                                           "dump --flat it"};
    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        kiln_buffer sample = sample_file(SAMPLE_MANY);
        const kiln_index *index = (const void *)(sample.data + KILN_HEADER_SIZE);
        kiln_id *ids = (void *)(sample.data + KILN_HEADER_SIZE + offsetof(kiln_index, ids) +
                                index->ids.offset);
        kiln_blob_header header;
        if (breaks[i].is_id)
            ids[5000] = ids[4999];
        if (breaks[i].is_name)
            ids[7000]++;
        memcpy(&header, sample.data, sizeof header);
        kiln_header_write(sample.data, header.flags, header.payload_size, header.layout);
        inspect_write("it", sample.data, sample.size);
        kiln_buffer_fini(&sample);
        for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
            inspect_result one = call_with_one_thread(commands[k]);
            inspect_result many = inspect_call(commands[k]);
            const char *rule = breaks[i].rule;
            /* The first two commands check the index. */
            assert_true(k > 1 || (rule != NULL) == one.code);
            assert_true(k > 1 || !rule || strstr(one.out, rule));
            assert_int_equal(one.code, many.code);
            assert_string_equal(one.out, many.out);
            assert_string_equal(one.err, many.err);
            inspect_result_fini(&one);
            inspect_result_fini(&many);
        }
    }
}

static void the_number_of_threads_is_from_1_to_64(void **state)
{
    static const struct {
        const char *value;
        bool is_good;
    } values[] = {{"1", true},
                  {"64", true},
                  {"65", false},
                  {"0", false},
                  {"1x", false},
                  {"x", false},
                  {"", false},
                  {"-1", false},
                  {"01", true},
                  {"", false},
                  {"18446744073709551617", false}};
    char command[64];
    (void)state;
    write_damaged(&(damage){SAMPLE_FULL, 0, 0, false, false});
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(command, sizeof command, "verify --jobs=%s it", values[i].value);
        inspect_result result = inspect_call(command);
        assert_int_equal(values[i].is_good ? 0 : 2, result.code);
        assert_int_equal(!values[i].is_good,
                         strstr(result.err, "--jobs takes a number from 1 to 64") != NULL);
        inspect_result_fini(&result);
    }
    inspect_result other = inspect_call("ls -j 2 it");
    assert_int_equal(2, other.code);
    inspect_result_fini(&other);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_does_not_depend_on_the_number_of_threads),
        cmocka_unit_test(errors_are_in_the_order_of_members),
        cmocka_unit_test(each_broken_gap_is_an_error),
        cmocka_unit_test(a_large_index_is_listed_in_the_same_way_by_threads),
        cmocka_unit_test(the_number_of_threads_is_from_1_to_64),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, inspect_setup, inspect_teardown);
}
