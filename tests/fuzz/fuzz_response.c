/* A response file, `@file`. Its arguments must survive quoting and parsing again, and are then
 * parsed like any arguments, but not executed. */
#include "fuzz_target.h"
#include "memory_gateway.h"

#include "bake_options.h"

#include <stdlib.h>
#include <string.h>

typedef struct words {
    bake_store store;
    const char *const *items;
    size_t count;
} words;

static bool expand(words *w, const void *text, size_t size)
{
    static const char *const argument[] = {"@r"};
    bake_failure failure = {BAKE_OK, ""};
    memset(w, 0, sizeof *w);
    w->items = argument;
    w->count = 1;
    memory_gateway_reset();
    memory_gateway_put("r", text, size);
    return bake_options_expand(&w->store, &w->count, &w->items, &failure) == BAKE_OK;
}

/* Escapes each byte with a backslash, so that none separates or quotes. An empty argument is
 * quoted. */
static char *quote(const words *w, size_t *ret_size)
{
    size_t room = 1, size = 0;
    for (size_t i = 0; i < w->count; i++)
        room += 2 * strlen(w->items[i]) + 3;
    char *text = malloc(room);
    if (!text)
        abort();
    for (size_t i = 0; i < w->count; i++) {
        for (const char *at = w->items[i]; *at; at++) {
            text[size++] = '\\';
            text[size++] = *at;
        }
        if (!w->items[i][0]) {
            text[size++] = '"';
            text[size++] = '"';
        }
        text[size++] = '\n';
    }
    *ret_size = size;
    return text;
}

static void compare(const words *w)
{
    words again;
    size_t size = 0;
    char *text = quote(w, &size);
    bool is_same = expand(&again, text, size) && again.count == w->count;
    for (size_t i = 0; is_same && i < w->count; i++)
        is_same = strcmp(w->items[i], again.items[i]) == 0;
    if (!is_same)
        abort();
    bake_store_fini(&again.store);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    words w;
    bake_options options;
    bake_failure failure = {BAKE_OK, ""};
    if (expand(&w, data, size)) {
        compare(&w);
        bake_result result = bake_options_parse(&options, &w.store, w.count, w.items, &failure);
        if ((result != BAKE_OK && result != BAKE_FAILED) || (result && !failure.text[0]))
            abort();
    }
    bake_store_fini(&w.store);
    return 0;
}
