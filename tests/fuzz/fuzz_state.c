/* Files that the baker writes for later runs, and objects of caches. The first byte selects one of
 * the kinds below; the rest is the file. Its size and hash are corrected first, so that the reader
 * sees a forged file and not only a damaged one. What is accepted is used, and must have the same
 * bytes when it is written, read and written again. */
#include "fuzz_target.h"
#include "memory_gateway.h"

#include "cache_object.h"
#include "cached_result.h"
#include "file_state.h"
#include "hash.h"
#include "memo_change.h"
#include "memo_file.h"
#include "memo_memory.h"
#include "memo_paths.h"
#include "part_names.h"
#include "record_check.h"
#include "record_file.h"
#include "record_shape.h"

#include "bake_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a file that was written. */
typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static uint64_t last_hash;
static unsigned variant; /* of a kind */
static volatile unsigned used;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void use(const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        used += ((const unsigned char *)data)[i];
}

/* A copy in a block of exactly its size. */
static bytes copy_of(const void *data, size_t size)
{
    bytes copy = {malloc(size + !size), size};
    require(copy.data != NULL, "no memory");
    if (size)
        memcpy(copy.data, data, size);
    return copy;
}

static void store(bytes file, size_t at, uint64_t number)
{
    for (size_t i = 0; i < sizeof number && at + i < file.size; i++)
        file.data[at + i] = (unsigned char)(number >> 8 * i);
}

/* ---- the rest of the world ---- */

__typeof__(kiln_hash64) __real_kiln_hash64, __wrap_kiln_hash64;
__typeof__(bake_file_look) __wrap_bake_file_look;
__typeof__(bake_file_hash) __wrap_bake_file_hash;
__typeof__(bake_file_hash_some) __wrap_bake_file_hash_some;
__typeof__(bake_list_names) __wrap_bake_list_names;

uint64_t __wrap_kiln_hash64(const void *data, size_t size, uint64_t seed)
{
    return last_hash = __real_kiln_hash64(data, size, seed);
}

/* The world depends only on paths: most are files, and every path is one of the kinds. */
static unsigned sum(const char *path)
{
    unsigned number = 0;
    for (; *path; path++)
        number = number * 31 + (unsigned char)*path;
    return number;
}

bake_path_kind __wrap_bake_file_look(bake_finder *finder, const char *path,
                                     bake_file_state *ret_state)
{
    unsigned number = sum(path) % 61;
    bake_path_kind kind = number <= BAKE_PATH_UNKNOWN ? (bake_path_kind)number : BAKE_PATH_FILE;
    (void)finder;
    errno = EACCES;
    *ret_state = (bake_file_state){1, sum(path), 3, 4, 5};
    return kind;
}

bool __wrap_bake_file_hash(bake_finder *finder, const char *path, unsigned char *buffer,
                           bake_file_state *ret_state, kiln_hash128 *ret_hash)
{
    (void)buffer;
    *ret_hash = (kiln_hash128){sum(path), 0};
    if (__wrap_bake_file_look(finder, path, ret_state) == BAKE_PATH_FILE)
        return true;
    errno = EISDIR;
    return false;
}

/* Half of the files have the same state, as one file with many paths. */
bool __wrap_bake_file_hash_some(const bake_hash_def *def, bake_file_state *ret_state,
                                kiln_hash128 *ret_hash)
{
    if (!__wrap_bake_file_hash(def->finder, def->path, def->buffer, ret_state, ret_hash))
        return false;
    ret_state->inode = sum(def->path) % 2 ? sum(def->path) : 0;
    if (def->is_known && def->is_known(def->ctx, ret_state, ret_hash))
        return true;
    uint64_t size = sum(def->path) % 100000;
    bool is_small = !def->left || size <= *def->left;
    if (def->left)
        *def->left -= is_small ? size : *def->left;
    errno = EFBIG;
    return is_small;
}

bool __wrap_bake_list_names(bake_input_list *list, char **ret_names)
{
    static const char names[] = "da\0fb";
    *ret_names = NULL;
    list->is_listed = sum(list->path) % 2;
    list->has_links = false;
    list->size = list->is_listed ? sizeof names : 0;
    list->scanned = 3;
    list->names = *ret_names = bake_alloc(list->size + 1);
    if (*ret_names)
        memcpy(*ret_names, names, list->size);
    return *ret_names != NULL;
}

/* ---- records ---- */

static const bake_record_option option = {"--compress", "3"};
static const char *const variables[] = {"PATH", "KILN_FUZZ_VARIABLE", NULL};
static const bake_record_def run = {
    .version = "0.1.0", .options = &option, .option_count = 1, .variables = variables};

static bytes written_record(const bake_record *record)
{
    size_t size = 0;
    memory_gateway_reset();
    require(bake_record_save(record, NULL, "r"), "a record cannot be written");
    const unsigned char *data = memory_gateway_output("r", &size);
    return copy_of(data, size);
}

static void use_record(bake_record *record)
{
    bool is_newer = false;
    size_t size = 0;
    bake_changes changes = {0};
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++) {
        const char *text = bake_record_messages(record, (bake_message_form)form, &size);
        use(text, size);
    }
    for (size_t i = 0; i < bake_record_output_count(record); i++) {
        uint64_t bytes_of_output = 0;
        kiln_hash128 hash = bake_record_output_hash(record, i, &bytes_of_output);
        const char *path = bake_record_output(record, i);
        use(path, strlen(path));
        use(&hash, sizeof hash);
        (void)bake_record_reads(record, path);
    }
    (void)bake_record_key(record);
    require(bake_record_check(record, &run, bake_record_warnings(record) % 2, &changes,
                              &is_newer) != BAKE_RECORD_NO_MEMORY,
            "no memory");
    for (size_t i = 0; i < changes.count; i++)
        use(changes.items[i].text, strlen(changes.items[i].text));
    bake_changes_fini(&changes);
}

static bytes again_record(bytes file)
{
    bake_record *record = bake_record_read(file.data, file.size);
    if (!record)
        return (bytes){NULL, 0};
    bytes written = written_record(record);
    use_record(record);
    bake_record_destroy(record);
    return written;
}

/* A shape asks, and is made again from the answers. */
static bytes again_shape(bytes file)
{
    bake_shape_files files = {.most = 1 << 20};
    size_t size = 0;
    kiln_hash128 hash;
    bytes made = {NULL, 0};
    bake_record *record =
        bake_shape_answer(file.data, file.size, variant ? "p/" : "", &run, &files);
    if (record) {
        require(bake_shape_hash_answers(record, &hash), "no memory");
        void *shape = bake_shape_make(record, variant ? "p/" : "", &size);
        require(shape != NULL, "no memory");
        made = copy_of(shape, size);
        bake_free(shape);
        bytes written = written_record(record);
        free(written.data);
    }
    bake_record_destroy(record);
    bake_shape_files_fini(&files);
    return made;
}

/* ---- memos ---- */

/* Where the header has the key, the counts and the size of the texts (memo_file.c). */
enum {
    MEMO_FORMS = 12,
    MEMO_KEY = 24,
    MEMO_PREFABS = 80,
    MEMO_COUNTS = 88,
    MEMO_TEXT = 136,
    MEMO_HEADER = 152
};

static kiln_hash128 memo_key(bytes file)
{
    kiln_hash128 key = {0, 0};
    if (file.size >= MEMO_KEY + sizeof key)
        memcpy(&key, file.data + MEMO_KEY, sizeof key);
    return key;
}

/* Whatever is not a row is text. */
static void fit_memo(bytes file)
{
    uint32_t counts[11], forms, prefabs;
    if (file.size < MEMO_HEADER)
        return;
    memcpy(&forms, file.data + MEMO_FORMS, sizeof forms);
    memcpy(&prefabs, file.data + MEMO_PREFABS, sizeof prefabs);
    memcpy(counts, file.data + MEMO_COUNTS, sizeof counts);
    const memo_counts rows = {counts[0], counts[1], counts[2], counts[3], counts[4],
                              counts[5], 0,         forms,     counts[6], counts[7],
                              counts[8], prefabs,   counts[9], counts[10]};
    store(file, MEMO_TEXT, file.size - MEMO_HEADER - bake_memo_size(&rows));
}

/* A later run in which every second file is unchanged and one asset is found. */
static void change_memo(const bake_memo *memo)
{
    uint32_t *kept = calloc((size_t)memo->file_count + 1, sizeof *kept);
    uint32_t *from = calloc((size_t)memo->count + 3, sizeof *from);
    const char **paths = calloc((size_t)memo->file_count + 1, sizeof *paths);
    uint64_t *sizes = calloc((size_t)memo->file_count + 1, sizeof *sizes);
    require(kept && from && paths && sizes, "no memory");
    for (uint32_t i = 0; i < memo->file_count; i++) {
        kept[i] = i % 2 ? i : UINT32_MAX;
        paths[i] = bake_memo_path(memo, i);
    }
    bake_memo_found found[] = {{.name = "Item/x", .name_length = 6, .rule = BAKE_MEMO_NO_RULE},
                               {.name = "lamp", .name_length = 4, .section = BAKE_SECTION_PREFABS}};
    const bake_memo_change change = {.before = memo,
                                     .paths = paths,
                                     .sizes = sizes,
                                     .file_count = memo->file_count,
                                     .kept = kept,
                                     .found = found,
                                     .found_count = memo->file_count > 0 ? 2 : 0};
    bake_memo *changed = bake_memo_change_apply(&change, from);
    for (uint32_t i = 0; changed && i < changed->count; i++)
        require(from[i] == UINT32_MAX || from[i] < memo->count, "a row comes from nowhere");
    bake_memo_destroy(changed);
    free(kept);
    free(from);
    free(paths);
    free(sizes);
}

static void use_memo(bake_memo *memo)
{
    unsigned char *flags = calloc((size_t)memo->count + 1, 1);
    unsigned char *files = calloc((size_t)memo->file_count + 1, 1);
    require(flags && files, "no memory");
    for (uint32_t i = 0; i < memo->count; i++) {
        const bake_memo_asset *row = &memo->all[i];
        use(bake_memo_name(memo, i), row->name_length);
        (void)bake_memo_find(memo, bake_memo_name(memo, i), row->name_length);
        (void)bake_memo_find_prefab(memo, bake_memo_name(memo, i), row->name_length);
        flags[i] = i % 3 == 0;
    }
    for (uint32_t i = 0; i < memo->file_count; i++) {
        (void)bake_memo_find_file(memo, bake_memo_path(memo, i), i);
        files[i] = i % 2;
    }
    for (uint32_t i = 0, end; i < memo->path_count; i++) {
        (void)bake_memo_find_path(memo, memo->alias_texts + memo->paths[i].path);
        require(bake_memo_path_uses(memo, i, &end) <= end && end <= memo->use_count,
                "the uses of a path are outside of the list");
    }
    bake_memo_add_descendants(memo, flags);
    bake_memo_add_ancestors(memo, files);
    change_memo(memo);
    const uint32_t parents[] = {0, memo->count / 2};
    const kiln_id target = {0};
    for (uint32_t i = 0; i < memo->count && i < 4; i++)
        require(bake_memo_set_parents(memo, i, parents, i % 3) &&
                    bake_memo_set_targets(memo, i, &target, 1),
                "no memory");
    free(flags);
    free(files);
}

static bytes again_memo(bytes file)
{
    size_t size = 0;
    kiln_hash128 key = memo_key(file);
    bake_memo *memo = bake_memo_read(file.data, file.size, key);
    if (!memo)
        return (bytes){NULL, 0};
    memory_gateway_reset();
    require(bake_memo_save(memo, key, NULL, "m"), "a memo cannot be written");
    const unsigned char *data = memory_gateway_output("m", &size);
    bytes written = copy_of(data, size);
    use_memo(memo);
    bake_memo_destroy(memo);
    return written;
}

/* ---- names of bundles ---- */

static bool append(void *ctx, const void *data, size_t size)
{
    bytes *file = ctx;
    unsigned char *grown = realloc(file->data, file->size + size + 1);
    require(grown != NULL, "no memory");
    memcpy(grown + file->size, data, size);
    file->data = grown;
    file->size += size;
    return true;
}

static bytes again_names(bytes file)
{
    bytes written = {NULL, 0};
    bake_part_names *names = bake_part_names_read(file.data, file.size);
    if (!names)
        return written;
    bool *wanted = calloc(names->input_count + 1, sizeof *wanted);
    require(wanted != NULL, "no memory");
    for (size_t i = 0; i < names->name_count; i++)
        use(names->names[i].name, names->names[i].length);
    for (size_t i = 0; i < names->input_count; i++) {
        wanted[i] = i % 3 == 0;
        (void)bake_part_names_find(names, names->inputs[i].argument, i);
    }
    require(bake_part_names_close(names, wanted) && bake_part_names_write(names, append, &written),
            "no memory");
    free(wanted);
    bake_part_names_destroy(names);
    return written;
}

/* ---- results ---- */

/* Whether no terminal obeys the text; only colored text has escape sequences. */
static bool is_harmless(const char *text, size_t size, bool color)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_control = (c < ' ' && c != '\n' && c != '\t') || c == 0x7f ||
                          (c >= 0x80 && c < 0xa0 && i > 0 && (unsigned char)text[i - 1] == 0xc2);
        if (is_control && !(color && c == 0x1b && i + 1 < size && text[i + 1] == '['))
            return false;
    }
    return true;
}

static bytes again_result(bytes file)
{
    bake_store kept = {0};
    size_t size = 0;
    bytes written = {NULL, 0};
    const char *first = variant == 1 ? "two.kiln" : "p/out/a.kiln";
    const char *prefix = variant == 2 ? "p/" : "";
    cached_result result = {.output_count = variant == 1 ? 1 : 2};
    result.outputs[0].path = first;
    result.outputs[1].path = "b.json";
    if (bake_cached_result_read(file.data, file.size, prefix, &kept, &result)) {
        for (int form = 0; form < BAKE_MESSAGE_FORMS; form++)
            require(is_harmless(result.messages.texts[form], result.messages.sizes[form],
                                form == BAKE_MESSAGES_COLORED),
                    "a message with control characters was accepted");
        require(strcmp(result.outputs[0].path, first) == 0 &&
                    strcmp(result.outputs[1].path, "b.json") == 0,
                "a result changed a path");
        void *body = bake_cached_result_write(&result, prefix, &size);
        require(body != NULL, "no memory");
        written = copy_of(body, size);
        bake_free(body);
    }
    bake_store_fini(&kept);
    return written;
}

/* An object of a folder: the header is checked with its own key. */
static bytes again_object(bytes file)
{
    bake_cache_key key = {BAKE_CACHE_RESULT, {0, 0}};
    cache_bytes object = {.most = file.size};
    if (file.size >= BAKE_CACHE_HEADER_SIZE)
        memcpy(&key.hash, file.data + 16, sizeof key.hash);
    require(bake_cache_bytes_add(&object, file.data, file.size) == CACHE_DONE, "no memory");
    if (bake_cache_check(key, &object))
        use(bake_cache_bytes_at(&object), object.size);
    bake_cache_bytes_fini(&object);
    return (bytes){NULL, 0};
}

/* ---- all kinds ---- */

typedef struct kind {
    bytes (*again)(bytes file); /* reads, uses and writes a file; no data: it was refused */
    size_t hash_at;             /* of the 64-bit hash in the header; 0: there is none */
    size_t size_at;             /* of the size in the header; 0: there is none */
    size_t size_of_header;      /* is not counted by that size */
} kind;

static const kind kinds[] = {{again_record, 24, 16, 32}, {again_shape, 0, 0, 0},
                             {again_memo, 16, 72, 0},    {again_names, 24, 16, 32},
                             {again_result, 0, 0, 0},    {again_object, 0, 0, 0}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    enum { KINDS = sizeof kinds / sizeof *kinds, VARIANTS = 3 };
    const kind *as = &kinds[data[0] % KINDS];
    variant = data[0] / KINDS % VARIANTS;
    bytes file = copy_of(data + 1, size - 1);
    if (as->size_at)
        store(file, as->size_at, file.size - as->size_of_header);
    if (as->again == again_memo)
        fit_memo(file);
    bytes once = as->again(file);
    /* The reader has computed the hash of the file, even if it refused the file. */
    if (as->hash_at && !once.data) {
        store(file, as->hash_at, last_hash);
        once = as->again(file);
    }
    free(file.data);
    if (once.data) {
        bytes twice = as->again(once);
        require(twice.data && twice.size == once.size &&
                    memcmp(once.data, twice.data, once.size) == 0,
                "what was written is read or written differently");
        free(twice.data);
    }
    free(once.data);
    return 0;
}
