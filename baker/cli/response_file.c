/* Response files (`@list`), which build systems use for long command lines. They are not expanded
 * recursively, so no file can include itself. */
#include "bake_options.h"
#include "gateway.h"

#include "bake_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct words {
    const char **items;
    size_t count, capacity;
    bake_store *store;
} words;

static bool add_word(words *w, const char *word)
{
    const char **items =
        word ? bake_grow(w->items, &w->capacity, w->count + 1, sizeof *items) : NULL;
    if (!items)
        return false;
    w->items = items;
    w->items[w->count++] = word;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Copies one word from `*text` to `word` and adds a NUL; the end of the file closes a quote.
 * Returns the position for the next word. A buffer of the size of the file plus one has room for
 * all words, because a separator or the end of the file follows each word. */
static char *copy_word(char *word, const char **text, const char *end)
{
    const char *at = *text;
    char quote = 0;
    size_t length = 0;
    for (; at < end && (quote || !is_space(*at)); at++) {
        if (quote ? *at == quote : (*at == '"' || *at == '\''))
            quote = quote ? 0 : *at;
        else if (*at == '\\' && quote != '\'' && at + 1 < end)
            word[length++] = *++at;
        else
            word[length++] = *at;
    }
    word[length] = '\0';
    *text = at;
    return word + length + 1;
}

static bake_result add_words(words *w, const char *text, const char *end, bake_failure *failure)
{
    char *free_room = bake_store_alloc(w->store, (size_t)(end - text) + 1, 1);
    if (!free_room)
        return bake_fail_memory(failure);
    for (const char *at = text;;) {
        while (at < end && is_space(*at))
            at++;
        if (at == end)
            return BAKE_OK;
        const char *word = free_room;
        free_room = copy_word(free_room, &at, end);
        if (!add_word(w, word))
            return bake_fail_memory(failure);
    }
}

/* Fails with the reason why a response file cannot be read. The message must not name --max-input,
 * which does not apply to response files. */
static bake_result fail_read(bake_failure *failure, const bake_gateway *gateway, const char *path)
{
    char why[100];
    /* If the system returned EFBIG, its own text is the reason. */
    if (errno != EFBIG || strcmp(bake_gateway_reason(gateway), strerror(EFBIG)) == 0)
        return bake_fail_read(failure, gateway, path);
    snprintf(why, sizeof why, "it is larger than the limit of %zu bytes for response files",
             BAKE_INPUT_MAX);
    return bake_fail_reason(failure, "read", path, why);
}

static bake_result add_file(words *w, const char *path, bake_failure *failure)
{
    bake_gateway *gateway = bake_gateway_create(NULL);
    if (!gateway)
        return bake_fail_memory(failure);
    size_t size = 0;
    const char *text = bake_gateway_read(gateway, path, &size);
    bake_result result =
        text ? add_words(w, text, text + size, failure) : fail_read(failure, gateway, path);
    bake_gateway_destroy(gateway);
    return result;
}

bake_result bake_options_expand(bake_store *store, size_t *count, const char *const **arguments,
                                bake_failure *failure)
{
    words w = {NULL, 0, 0, store};
    bake_result result = BAKE_OK;
    bool plain = false;
    for (size_t i = 0; i < *count && !result; i++) {
        const char *argument = (*arguments)[i];
        plain = plain || strcmp(argument, "--") == 0;
        if (!plain && argument[0] == '@' && argument[1])
            result = add_file(&w, argument + 1, failure);
        else if (!add_word(&w, argument))
            result = bake_fail_memory(failure);
    }
    const char **copy = bake_store_alloc(store, w.count + 1, sizeof *copy);
    if (copy && !result) {
        if (w.count)
            memcpy(copy, w.items, w.count * sizeof *copy);
        *count = w.count;
        *arguments = copy;
    } else {
        result = bake_fail_memory(failure);
    }
    bake_free(w.items);
    return result;
}
