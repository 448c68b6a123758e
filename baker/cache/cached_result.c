#include "cached_result.h"

#include "bake_memory.h"
#include "record_bytes.h"

#include <string.h>

static const char *name_of(const char *path, const char *prefix)
{
    const char *inside = bake_shape_relative(path, prefix);
    return inside ? inside : path;
}

void *bake_cached_result_write(const cached_result *result, const char *prefix, size_t *ret_size)
{
    record_writer w = {0};
    record_put(&w, result->prefix ? 1u : 0u);
    record_put_string(&w, result->prefix ? result->prefix : "");
    record_put(&w, result->messages.warnings);
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++)
        record_put_text(&w, result->messages.texts[form], result->messages.sizes[form]);
    record_put(&w, result->output_count);
    for (size_t i = 0; i < result->output_count; i++) {
        const cached_output *output = &result->outputs[i];
        const char *name = name_of(output->path, prefix);
        record_put_string(&w, name);
        record_put(&w, output->hash.low);
        record_put(&w, output->hash.high);
        record_put(&w, output->size);
    }
    if (w.failed) {
        bake_free(w.data);
        return NULL;
    }
    *ret_size = w.size;
    return w.data;
}

/* Whether the text begins with one of U+0080 to U+009F in UTF-8. Terminals obey them, too: U+009B
 * is the beginning of an escape sequence. */
static bool is_wide_control(const char *text, size_t size)
{
    return size > 1 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] >= 0x80 &&
           (unsigned char)text[1] < 0xa0;
}

/* Whether a terminal shows the text without obeying it: control characters are only line breaks,
 * tabs, and with `color` the sequences that set colors. */
static bool is_plain(const char *text, size_t size, bool color)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == 0x1b && color && i + 1 < size && text[i + 1] == '[') {
            for (i += 2; i < size && (text[i] == ';' || (text[i] >= '0' && text[i] <= '9'));)
                i++;
            if (i == size || text[i] != 'm')
                return false;
        } else if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f ||
                   is_wide_control(text + i, size - i)) {
            return false;
        }
    }
    return true;
}

static void get_messages(record_reader *r, cached_result *ret)
{
    ret->messages.warnings = (size_t)record_get_below(r, SIZE_MAX);
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++) {
        size_t size;
        const char *text = record_get_text(r, &size);
        ret->messages.texts[form] = text;
        ret->messages.sizes[form] = size;
        if (!is_plain(text, size, form == BAKE_MESSAGES_COLORED))
            r->failed = true;
    }
}

/* Gets the outputs, which must have the expected paths in any order. */
static void get_outputs(record_reader *r, const char *prefix, cached_result *ret)
{
    bool is_set[CACHED_OUTPUTS_MAX] = {false};
    if (record_get(r) != ret->output_count)
        r->failed = true;
    for (size_t i = 0; i < ret->output_count && !r->failed; i++) {
        const char *name = record_get_string(r);
        size_t k = 0;
        while (k < ret->output_count &&
               (is_set[k] || strcmp(name_of(ret->outputs[k].path, prefix), name) != 0))
            k++;
        if (k == ret->output_count) {
            r->failed = true;
            return;
        }
        is_set[k] = true;
        ret->outputs[k].hash.low = record_get(r);
        ret->outputs[k].hash.high = record_get(r);
        ret->outputs[k].size = record_get(r);
    }
}

bool bake_cached_result_read(const void *body, size_t size, const char *prefix, bake_store *store,
                             cached_result *ret)
{
    char *bytes = bake_store_text(store, body, size);
    record_reader r = {(const unsigned char *)bytes, size, !bytes, store};
    bool is_bound = record_get_bool(&r);
    ret->prefix = record_get_string(&r);
    if (is_bound && strcmp(ret->prefix, prefix) != 0)
        r.failed = true;
    if (!is_bound)
        ret->prefix = NULL;
    get_messages(&r, ret);
    get_outputs(&r, prefix, ret);
    return !r.failed && r.left == 0;
}
