#include "format_example.h"

#include <inttypes.h>
#include <kiln/blob_header.h>
#include <kiln/path.h>
#include <kiln/type_table.h>
#include <kiln/value.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MAX = 512, NOTE_SIZE = 120, LINE_BYTES = 16 };

typedef struct note {
    uint64_t at, size;
    char text[NOTE_SIZE];
} note;

typedef struct notes {
    const unsigned char *file;
    note items[NOTES_MAX];
    size_t count;
} notes;

static void add(notes *n, const void *at, uint64_t size, const char *path, const char *what)
{
    uint64_t offset = (uint64_t)((const unsigned char *)at - n->file);
    for (size_t i = 0; i < n->count; i++)
        if (n->items[i].at == offset)
            return; /* a shared object is explained at its first reference */
    if (n->count == NOTES_MAX || size == 0)
        return;
    note *made = &n->items[n->count++];
    made->at = offset;
    made->size = size;
    if (*path)
        snprintf(made->text, sizeof made->text, "%.60s: %.50s", path, what);
    else
        snprintf(made->text, sizeof made->text, "%.110s", what);
}

static void add_header(notes *n, const unsigned char *at, const char *name)
{
    static const struct {
        uint32_t at, size;
        const char *what;
    } fields[] = {{0, 4, "magic"},
                  {4, 2, "format version " KILN_FORMAT_TEXT},
                  {6, 2, "flags: alignment 2^4, canonical, kind"},
                  {8, 8, "payload size"},
                  {16, 8, "layout hash"},
                  {24, 8, "hash of gap and payload"}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char what[64];
        snprintf(what, sizeof what, i == 0 ? "%s of the %s" : "%s", fields[i].what, name);
        if (i == 2)
            snprintf(what, sizeof what, "%s %u", fields[i].what, (unsigned)at[6] >> 5);
        add(n, at + fields[i].at, fields[i].size, "", what);
    }
}

static void add_value(notes *n, const kiln_value *value, const kiln_path *path);

static void add_children(notes *n, const kiln_value *value, const kiln_path *path)
{
    uint32_t count = kiln_value_count(value);
    for (uint32_t i = 0; i < count; i++) {
        kiln_value child, key;
        kiln_path step = *path;
        if (kiln_value_at(value, i, &child))
            return;
        if (value->of->kind == KILN_KIND_STRUCT) {
            const char *name = value->of->members[i].name;
            kiln_path_add_name(&step, name, strlen(name));
        } else if (value->of->kind == KILN_KIND_UNION) {
            const char *name = kiln_value_member(value)->name;
            kiln_path_add_name(&step, name, strlen(name));
        } else if (value->of->kind == KILN_KIND_MAP) {
            kiln_path by_number = *path;
            if (kiln_value_key(value, i, &key))
                return;
            kiln_path_add_number(&by_number, i);
            kiln_path_add_name(&by_number, "key", 3);
            add_value(n, &key, &by_number);
            kiln_path_add_key(&step, &key);
        } else if (value->of->kind != KILN_KIND_OPTIONAL) {
            kiln_path_add_number(&step, i);
        }
        add_value(n, &child, &step);
    }
}

static void add_value(notes *n, const kiln_value *value, const kiln_path *path)
{
    const unsigned char *target = NULL;
    uint64_t target_size = 0;
    char what[NOTE_SIZE];
    kiln_value_target(value, &target, &target_size);
    uint64_t at = target ? (uint64_t)(target - n->file) : 0;
    uint32_t counted = 0;
    if (value->of->size == 8)
        memcpy(&counted, value->data + 4, 4);
    switch (value->of->kind) {
    case KILN_KIND_STRUCT:
        break;
    case KILN_KIND_UNION: {
        const kiln_member *member = kiln_value_member(value);
        snprintf(what, sizeof what, member ? "%s, at %08" PRIx64 : "unset",
                 member ? member->name : "", at);
        add(n, value->data, 8, path->text, what);
        break;
    }
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP: {
        bool is_text = value->of->kind == KILN_KIND_STRING;
        snprintf(what, sizeof what, target ? "%s %" PRIu32 ", at %08" PRIx64 : "empty",
                 is_text ? "length" : "count", counted, at);
        add(n, value->data, 8, path->text, what);
        if (is_text && target) {
            snprintf(what, sizeof what, "\"%.*s\" and NUL", (int)counted, (const char *)target);
            add(n, target, target_size, "", what);
        }
        break;
    }
    default:
        snprintf(what, sizeof what,
                 value->of->size == 8 && kiln_value_uint(value) > 1 << 20 ? "%016" PRIx64
                                                                          : "%" PRIu64,
                 kiln_value_uint(value));
        add(n, value->data, value->of->size, path->text, what);
    }
    add_children(n, value, path);
}

static void add_payload(notes *n, const kiln_types *types, uint32_t type, const unsigned char *blob)
{
    kiln_blob_header header;
    kiln_value root;
    kiln_path path = {{0}, 0};
    memcpy(&header, blob, sizeof header);
    if (kiln_value_root(types, type, blob + kiln_header_payload_at(&header),
                        (size_t)header.payload_size, &root) == KILN_OK)
        add_value(n, &root, &path);
}

static int compare_notes(const void *a, const void *b)
{
    uint64_t left = ((const note *)a)->at, right = ((const note *)b)->at;
    return (left > right) - (left < right);
}

/* Splits bytes into lines of at most LINE_BYTES. The text is next to the first line. */
static size_t print_lines(const notes *n, uint64_t at, uint64_t size, const char *what, char *text,
                          size_t room)
{
    size_t used = 0;
    for (uint64_t line = at; line < at + size && used < room; line += LINE_BYTES) {
        char bytes[LINE_BYTES * 3 + 1] = "";
        uint64_t end = line + LINE_BYTES < at + size ? line + LINE_BYTES : at + size;
        for (uint64_t i = line; i < end; i++)
            sprintf(bytes + (i - line) * 3, "%02x ", n->file[i]);
        used += (size_t)snprintf(text + used, room - used, "%08" PRIx64 "  %-48s %s", line, bytes,
                                 line == at ? what : "");
        while (used < room && text[used - 1] == ' ')
            used--;
        if (used + 1 < room) {
            text[used++] = '\n';
            text[used] = '\0';
        }
    }
    return used;
}

bool format_example_print(const kiln_types *types, const kiln_buffer *file, char *text, size_t size)
{
    kiln_types *builtin = NULL;
    kiln_blob_header header;
    notes *n = calloc(1, sizeof *n);
    if (!n || kiln_types_create_builtin(NULL, &builtin, NULL)) {
        free(n);
        return false;
    }
    n->file = file->data;
    memcpy(&header, file->data, sizeof header);
    uint64_t member = (kiln_header_blob_size(&header) + 15) / 16 * 16;
    add_header(n, file->data, "index");
    add_payload(n, builtin, kiln_types_find(builtin, "kiln.Index"), file->data);
    add_header(n, file->data + member, "member");
    add_payload(n, types, format_example_root, file->data + member);
    qsort(n->items, n->count, sizeof *n->items, compare_notes);
    uint64_t at = 0;
    size_t used = 0;
    for (size_t i = 0; i <= n->count; i++) {
        uint64_t next = i < n->count ? n->items[i].at : file->size;
        if (next > at)
            used += print_lines(n, at, next - at, "padding", text + used, size - used);
        if (i < n->count) {
            used +=
                print_lines(n, next, n->items[i].size, n->items[i].text, text + used, size - used);
            at = next + n->items[i].size;
        }
    }
    kiln_types_destroy(builtin);
    free(n);
    return used + 1 < size;
}
