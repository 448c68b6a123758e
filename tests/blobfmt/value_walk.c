#include "value_walk.h"

#include <kiln/path.h>
#include <kiln/value.h>
#include <string.h>

enum { VERIFIED_STEPS = 200000, DEPTH = 200 };

typedef struct walk {
    size_t steps;
    kiln_status first; /* first failure */
    volatile unsigned char touched;
} walk;

static void note(walk *w, kiln_status status)
{
    if (status && !w->first)
        w->first = status;
}

static void touch(walk *w, const void *bytes, size_t size)
{
    unsigned char sum = 0;
    for (size_t i = 0; i < size; i++)
        sum ^= ((const unsigned char *)bytes)[i];
    w->touched ^= sum;
}

static void walk_value(walk *w, const kiln_value *value, unsigned depth)
{
    if (w->steps == 0 || depth == DEPTH)
        return;
    w->steps--;
    const unsigned char *target;
    uint64_t target_size;
    const char *text;
    uint32_t length;
    touch(w, value->data, value->of->size < 4096 ? value->of->size : 4096);
    (void)kiln_value_float(value);
    (void)kiln_value_int(value);
    (void)kiln_value_member(value);
    if (kiln_value_target(value, &target, &target_size) == KILN_OK && target)
        touch(w, target, target_size < 4096 ? (size_t)target_size : 4096);
    if (value->of->kind == KILN_KIND_STRING || value->of->kind == KILN_KIND_BYTES) {
        kiln_status status = kiln_value_text(value, &text, &length);
        note(w, status);
        if (!status)
            touch(w, text, length < 4096 ? length : 4096);
    }
    uint32_t count = kiln_value_count(value);
    kiln_value before = {0};
    for (uint32_t i = 0; i < count && w->steps > 0; i++) {
        kiln_value child, key;
        if (value->of->kind == KILN_KIND_MAP) {
            kiln_status status = kiln_value_key(value, i, &key);
            note(w, status);
            if (!status) {
                kiln_path path = {{0}, 0};
                kiln_path_add_key(&path, &key);
                touch(w, path.text, strlen(path.text));
                if (i > 0 && before.of && kiln_value_compare_keys(&before, &key) >= 0)
                    note(w, KILN_V_MAP_ORDER);
                before = key;
                walk_value(w, &key, depth + 1);
            }
        }
        kiln_status status = kiln_value_at(value, i, &child);
        note(w, status);
        if (status)
            break;
        walk_value(w, &child, depth + 1);
    }
    /* An index one past the end is always an argument error. */
    kiln_value none;
    if (kiln_value_at(value, count, &none) != KILN_BAD_ARGUMENT)
        note(w, KILN_BAD_ARGUMENT);
}

static kiln_status walk_all(const kiln_types *types, uint32_t type, const void *payload,
                            size_t size, size_t steps)
{
    walk w = {steps, KILN_OK, 0};
    kiln_value root;
    kiln_status status = kiln_value_root(types, type, payload, size, &root);
    if (status)
        return status;
    walk_value(&w, &root, 0);
    return w.first;
}

kiln_status walk_verified(const kiln_types *types, uint32_t type, const void *payload, size_t size)
{
    return walk_all(types, type, payload, size, VERIFIED_STEPS);
}

void walk_anything(const kiln_types *types, uint32_t type, const void *payload, size_t size,
                   size_t steps)
{
    walk_all(types, type, payload, size, steps);
}
