/* The header is checked first: its hash finds every accidental change of the body. The reader of
 * the body still trusts nothing, because anybody can compute the hash. */
#define _POSIX_C_SOURCE 200809L

#include "record_file.h"

#include "bake_memory.h"
#include "file_overwrite.h"
#include "folder_tree.h"
#include "hash.h"
#include "record_bytes.h"
#include "record_store.h"

#include <errno.h>
#include <string.h>

enum { HEADER_SIZE = 32, VERSION = 1, BODY_MAX = 1 << 30, MORE = 4096 };
static const unsigned char magic[8] = {'K', 'I', 'L', 'N', 'S', 'T', 'E', 'P'};

/* ---- the body ---- */

static void put_state(record_writer *w, const bake_file_state *state)
{
    record_put(w, state->device);
    record_put(w, state->inode);
    record_put(w, state->size);
    record_put(w, (uint64_t)state->modified);
    record_put(w, (uint64_t)state->changed);
}

static void put_paths(record_writer *w, const record_path *paths, size_t count)
{
    record_put(w, count);
    for (size_t i = 0; i < count; i++) {
        record_put(w, (uint64_t)paths[i].execution << 1 | paths[i].is_read);
        record_put(w, (uint64_t)paths[i].kind);
        record_put_string(w, paths[i].path);
        if (!paths[i].is_read)
            continue;
        put_state(w, &paths[i].state);
        record_put(w, paths[i].hash.low);
        record_put(w, paths[i].hash.high);
    }
}

static void put_lists(record_writer *w, const bake_record *record)
{
    record_put(w, record->list_count);
    for (size_t i = 0; i < record->list_count; i++) {
        const bake_input_list *list = &record->lists[i];
        size_t suffixes = 0;
        while (list->suffixes[suffixes])
            suffixes++;
        record_put_string(w, list->path);
        record_put(w, suffixes);
        for (size_t s = 0; s < suffixes; s++)
            record_put_string(w, list->suffixes[s]);
        record_put(w, list->most);
        record_put(w, list->has_links);
        record_put(w, list->is_listed);
        put_state(w, &list->state);
        record_put_text(w, list->names, list->size);
    }
}

static void put_body(record_writer *w, const bake_record *record)
{
    record_put(w, (uint64_t)record->began);
    record_put_string(w, record->version);
    record_put(w, record->option_count);
    for (size_t i = 0; i < record->option_count; i++) {
        record_put_string(w, record->options[i].name);
        record_put_string(w, record->options[i].value);
    }
    record_put(w, record->variable_count);
    for (size_t i = 0; i < record->variable_count; i++) {
        const char *value = record->variables[i].value;
        record_put_string(w, record->variables[i].name);
        record_put(w, value ? 1u : 0u);
        record_put_string(w, value ? value : "");
    }
    put_paths(w, record->paths, record->path_count);
    put_lists(w, record);
    put_paths(w, record->outputs, record->output_count);
    record_put(w, record->warnings);
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++)
        record_put_text(w, record->messages[form].text, record->messages[form].size);
}

static void get_state(record_reader *r, bake_file_state *ret)
{
    ret->device = record_get(r);
    ret->inode = record_get(r);
    ret->size = record_get(r);
    ret->modified = record_get_time(r);
    ret->changed = record_get_time(r);
}

static record_path *get_paths(record_reader *r, bool are_outputs, size_t *ret_count)
{
    size_t count = record_get_count(r);
    record_path *paths = record_get_rows(r, count, sizeof *paths);
    for (size_t i = 0; i < count && paths; i++) {
        uint64_t use = record_get_below(r, (BAKE_EXECUTION_ALLOWED + 1) << 1);
        paths[i].is_read = use & 1;
        paths[i].execution = (bake_execution)(use >> 1);
        paths[i].kind = (bake_path_kind)record_get_below(r, BAKE_PATH_UNKNOWN);
        paths[i].path = record_get_string(r);
        if (paths[i].is_read ? paths[i].kind != BAKE_PATH_FILE : are_outputs)
            r->failed = true;
        if (!paths[i].is_read)
            continue;
        get_state(r, &paths[i].state);
        paths[i].hash.low = record_get(r);
        paths[i].hash.high = record_get(r);
    }
    *ret_count = count;
    return paths;
}

/* Whether the names are a sequence of kinds and strings, as bake_list_names returns them. */
static bool are_names(const char *names, size_t size)
{
    const char *end = names + size;
    while (names < end && *names && strchr("fdn", *names))
        names += strlen(names) + 1;
    return names == end;
}

static void get_lists(record_reader *r, bake_record *record)
{
    size_t count = record_get_count(r);
    record->lists = record_get_rows(r, count, sizeof *record->lists);
    for (size_t i = 0; i < count && record->lists && !r->failed; i++) {
        bake_input_list *list = &record->lists[i];
        list->path = record_get_string(r);
        size_t suffixes = record_get_count(r);
        const char **texts = record_get_rows(r, suffixes + 1, sizeof *texts);
        for (size_t s = 0; s < suffixes && texts; s++)
            texts[s] = record_get_string(r);
        list->suffixes = texts;
        list->most = (size_t)record_get_below(r, SIZE_MAX);
        list->has_links = record_get_bool(r);
        list->is_listed = record_get_bool(r);
        get_state(r, &list->state);
        list->names = record_get_text(r, &list->size);
        if (!r->failed && !are_names(list->names, list->size))
            r->failed = true;
    }
    record->list_count = count;
}

static void get_pairs(record_reader *r, bake_record *record)
{
    record->option_count = record_get_count(r);
    record->options = record_get_rows(r, record->option_count, sizeof *record->options);
    for (size_t i = 0; i < record->option_count && record->options; i++) {
        record->options[i].name = record_get_string(r);
        record->options[i].value = record_get_string(r);
    }
    record->variable_count = record_get_count(r);
    record->variables = record_get_rows(r, record->variable_count, sizeof *record->variables);
    for (size_t i = 0; i < record->variable_count && record->variables; i++) {
        record->variables[i].name = record_get_string(r);
        bool is_set = record_get_bool(r);
        const char *value = record_get_string(r);
        record->variables[i].value = is_set ? value : NULL;
    }
}

static void get_body(record_reader *r, bake_record *record)
{
    record->began = record_get_time(r);
    record->version = record_get_string(r);
    get_pairs(r, record);
    record->paths = get_paths(r, false, &record->path_count);
    get_lists(r, record);
    record->outputs = get_paths(r, true, &record->output_count);
    record->warnings = (size_t)record_get_below(r, SIZE_MAX);
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++)
        record->messages[form].text = record_get_text(r, &record->messages[form].size);
    if (r->left > 0)
        r->failed = true;
}

/* ---- files ---- */

/* Checks the header of a file of `size` bytes. */
static bool is_record(const unsigned char *bytes, size_t size)
{
    if (size < HEADER_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
        return false;
    record_reader r = {.next = bytes + sizeof magic, .left = HEADER_SIZE - sizeof magic};
    uint64_t version = record_get(&r);
    uint64_t body = record_get(&r);
    uint64_t hash = record_get(&r);
    return version == VERSION && body == size - HEADER_SIZE &&
           hash == kiln_hash64(bytes + HEADER_SIZE, size - HEADER_SIZE, 0);
}

/* `bytes` belong to the record. */
static bool read_record(bake_record *record, const unsigned char *bytes, size_t size)
{
    if (!is_record(bytes, size)) {
        errno = EINVAL;
        return false;
    }
    record->bytes = bytes;
    record->byte_count = size;
    record_reader r = {bytes + HEADER_SIZE, size - HEADER_SIZE, false, &record->store};
    get_body(&r, record);
    errno = record->store.failed ? ENOMEM : EINVAL;
    return !r.failed && !record->store.failed;
}

bake_record *bake_record_read(const void *data, size_t size)
{
    bake_record *record = bake_record_create();
    char *bytes = record ? bake_store_text(&record->store, data, size) : NULL;
    errno = ENOMEM;
    if (bytes && read_record(record, (const unsigned char *)bytes, size))
        return record;
    int error = errno;
    bake_record_destroy(record);
    errno = error;
    return NULL;
}

bake_record *bake_record_load(const char *path)
{
    bake_record *record = bake_record_create();
    bake_gateway *gateway = record ? bake_gateway_create(NULL) : NULL;
    size_t size;
    errno = ENOMEM;
    if (gateway) {
        record->gateway = gateway;
        /* A file that changes after this has another state. */
        (void)bake_file_look(NULL, path, &record->state);
        bake_gateway_set_input_max(gateway, BODY_MAX);
        const char *data =
            bake_gateway_is_regular(gateway, path) ? bake_gateway_read(gateway, path, &size) : NULL;
        if (data && read_record(record, (const unsigned char *)data, size))
            return record;
    }
    int error = errno;
    bake_record_destroy(record);
    errno = error;
    return NULL;
}

static void put_header(unsigned char *bytes, size_t size)
{
    const unsigned char *body = bytes + HEADER_SIZE;
    memcpy(bytes, magic, sizeof magic);
    record_store(bytes + 8, VERSION);
    record_store(bytes + 16, size - HEADER_SIZE);
    record_store(bytes + 24, kiln_hash64(body, size - HEADER_SIZE, 0));
}

static bool write_file(bake_gateway *gateway, const char *path, const void *data, size_t size)
{
    const char *failed;
    bake_output *output = bake_make_folders(path) ? bake_output_begin(gateway, path) : NULL;
    if (!output || !bake_output_write(output, data, size)) {
        int error = errno;
        bake_gateway_discard_outputs(gateway);
        errno = error;
        return false;
    }
    return bake_gateway_commit(gateway, false, false, &failed);
}

/* Returns the bytes of the file, which the caller frees; NULL if memory runs out. */
static char *make_bytes(const bake_record *record, size_t *ret_size)
{
    static const char room[HEADER_SIZE];
    record_writer w = {0};
    /* A little more than before. */
    w.data = bake_grow(NULL, &w.capacity, record->byte_count + MORE, 1);
    w.failed = !w.data;
    record_put_bytes(&w, room, sizeof room);
    put_body(&w, record);
    if (w.failed) {
        bake_free(w.data);
        errno = ENOMEM;
        return NULL;
    }
    put_header((unsigned char *)w.data, w.size);
    *ret_size = w.size;
    return w.data;
}

bool bake_record_save(const bake_record *record, bake_gateway *gateway, const char *path)
{
    size_t size;
    char *bytes = make_bytes(record, &size);
    bool done = bytes && write_file(gateway, path, bytes, size);
    int error = errno;
    bake_free(bytes);
    errno = error;
    return done;
}

static bool overwrite(const bake_record *record, const char *path, const char *bytes, size_t size)
{
    const bake_overwrite_part whole = {record->bytes, bytes, size};
    return record->byte_count == size && bake_file_overwrite(path, &record->state, &whole, 1);
}

bool bake_record_save_again(const bake_record *record, bake_gateway *gateway, const char *path)
{
    size_t size;
    char *bytes = make_bytes(record, &size);
    bool done = bytes && overwrite(record, path, bytes, size);
    if (bytes && !done) {
        /* Some file systems begin to write the content of a file to the disk when it replaces
         * another, so this file replaces none. */
        (void)bake_remove_file(path);
        done = write_file(gateway, path, bytes, size);
    }
    int error = errno;
    bake_free(bytes);
    errno = error;
    return done;
}

/* ---- names of files ---- */

/* File systems limit names to 255 bytes. */
enum { STEM_MAX = 150, KIND_MAX = 8 };

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

char *bake_record_path(const char *folder, const char *name)
{
    return bake_state_path(folder, "steps", name);
}

char *bake_state_path(const char *folder, const char *kind, const char *name)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(folder);
    char *path = bake_alloc(length + KIND_MAX + STEM_MAX + 66);
    if (!path)
        return NULL;
    memcpy(path, folder, length);
    char *to = path + length + sprintf(path + length, "/%.*s/", KIND_MAX, kind), *first = to;
    const char *from = name;
    for (; *from && to - first < STEM_MAX; from++) {
        unsigned char c = (unsigned char)*from;
        if (is_plain(*from)) {
            *to++ = *from;
        } else {
            *to++ = '%';
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
        }
    }
    /* A name that does not fit ends with its hash. No escape contains two percent signs. */
    if (*from) {
        kiln_hash128 hash = kiln_content_hash(name, strlen(name));
        sprintf(to, "%%%%%016llx%016llx", (unsigned long long)hash.high,
                (unsigned long long)hash.low);
        return path;
    }
    if (!*name)
        *to++ = '%';
    *to = '\0';
    return path;
}
