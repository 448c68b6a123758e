/* Output arrives in order, whatever its size, and a failed write is recorded. */
#define _XOPEN_SOURCE 700
#include "insp_escape.h"
#include "insp_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

typedef struct sink {
    insp_out out;
    char *written;
    size_t size;
    char *expected;
    size_t expected_size;
} sink;

static void open_sink(sink *s, bool eager)
{
    FILE *file;
    s->written = NULL;
    s->expected = calloc(1, 16 * (size_t)INSP_OUT_SIZE);
    s->expected_size = 0;
    file = open_memstream(&s->written, &s->size);
    assert_non_null(s->expected);
    assert_non_null(file);
    insp_out_init(&s->out, file, false);
    s->out.eager = eager;
}

static void expect(sink *s, const char *text, size_t length)
{
    memcpy(s->expected + s->expected_size, text, length);
    s->expected_size += length;
}

static size_t expected_column(const sink *s)
{
    size_t column = 0;
    while (column < s->expected_size && s->expected[s->expected_size - 1 - column] != '\n')
        column++;
    return column;
}

static void close_sink(sink *s)
{
    assert_true(insp_out_finish(&s->out));
    fclose(s->out.file);
    assert_int_equal(s->expected_size, s->size);
    assert_memory_equal(s->expected, s->written, s->size);
    free(s->written);
    free(s->expected);
}

static void write_all_ways(bool eager)
{
    sink *s = malloc(sizeof *s);
    static char text[3 * INSP_ROOM];
    size_t i;
    assert_non_null(s);
    open_sink(s, eager);
    for (i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    for (i = 0; i < 80; i++) {
        size_t length = i * 37 % sizeof text;
        insp_put_word(&s->out, text, length);
        expect(s, text, length);
        assert_int_equal(expected_column(s), s->out.column);
        insp_put_bytes(&s->out, "one\ntwo", i % 8);
        expect(s, "one\ntwo", i % 8);
        assert_int_equal(expected_column(s), s->out.column);
        insp_put_char(&s->out, i % 3 ? '\n' : 'x');
        expect(s, i % 3 ? "\n" : "x", 1);
        insp_put(&s->out, "end");
        expect(s, "end", 3);
        insp_putf(&s->out, "%d", 1234);
        expect(s, "1234", 4);
        assert_int_equal(expected_column(s), s->out.column);
    }
    close_sink(s);
    free(s);
}

static void text_arrives_in_order_with_a_buffer(void **state)
{
    (void)state;
    write_all_ways(false);
}

static void text_arrives_in_order_without_a_buffer(void **state)
{
    (void)state;
    write_all_ways(true);
}

static void lines_may_be_indented_by_more_than_the_buffer_holds(void **state)
{
    static const size_t indents[] = {0, 1, INSP_ROOM - 1, INSP_ROOM, INSP_ROOM + 1, 3 * INSP_ROOM};
    sink *s = malloc(sizeof *s);
    size_t i, k;
    (void)state;
    assert_non_null(s);
    open_sink(s, false);
    for (i = 0; i < sizeof indents / sizeof indents[0]; i++) {
        insp_put_line(&s->out, indents[i]);
        assert_int_equal(indents[i], s->out.column);
        expect(s, "\n", 1);
        for (k = 0; k < indents[i]; k++)
            expect(s, " ", 1);
    }
    close_sink(s);
    free(s);
}

static void base64_continues_beyond_the_buffer(void **state)
{
    enum { SIZE = 2 * INSP_ROOM + 1 };
    static unsigned char data[SIZE];
    sink *s = malloc(sizeof *s);
    size_t i;
    (void)state;
    assert_non_null(s);
    open_sink(s, false);
    insp_put_base64(&s->out, data, SIZE);
    for (i = 0; i < (SIZE + 2) / 3 * 4; i++)
        expect(s, i + (3 - SIZE % 3) % 3 < (SIZE + 2) / 3 * 4 ? "A" : "=", 1);
    close_sink(s);
    free(s);
}

static void the_first_failed_write_is_remembered(void **state)
{
    FILE *file = fopen("/dev/full", "w");
    insp_out *out = malloc(sizeof *out);
    size_t i;
    (void)state;
    assert_non_null(out);
    if (!file) {
        free(out);
        skip();
    }
    insp_out_init(out, file, false);
    out->eager = false;
    insp_put(out, "waits");
    assert_int_equal(0, out->error);
    for (i = 0; i < 4 * (size_t)INSP_OUT_SIZE; i++)
        insp_put_char(out, 'x');
    assert_int_equal(ENOSPC, out->error);
    assert_false(insp_out_finish(out));
    assert_int_equal(ENOSPC, out->error);
    fclose(file);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_arrives_in_order_with_a_buffer),
        cmocka_unit_test(text_arrives_in_order_without_a_buffer),
        cmocka_unit_test(lines_may_be_indented_by_more_than_the_buffer_holds),
        cmocka_unit_test(base64_continues_beyond_the_buffer),
        cmocka_unit_test(the_first_failed_write_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
