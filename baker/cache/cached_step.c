#include "cached_step.h"

#include "bake_memory.h"
#include "cached_file.h"
#include "checked_content.h"
#include "file_part.h"
#include "hash_equal.h"
#include "program_identity.h"
#include "record_bytes.h"
#include "record_version.h"

#include <errno.h>
#include <string.h>

enum { SHAPES_MAX = 16, BODY_MAX = 64 << 20, HASH_SIZE = 2 * RECORD_NUMBER };

/* A step and everything that is known about it. */
typedef struct cached_step {
    const bake_cached_def *def;
    bake_store store;
    const char *identity;        /* of the program */
    kiln_hash128 key;            /* KEY1 */
    kiln_hash128 shape, answers; /* of the record */
    cache_bytes shape_bytes;
    cached_result result;
    bake_output *open[CACHED_OUTPUTS_MAX]; /* of the gateway; NULL: not begun */
} cached_step;

static void step_fini(cached_step *step)
{
    bake_cache_bytes_fini(&step->shape_bytes);
    bake_store_fini(&step->store);
}

/* ---- keys ---- */

/* Whether the values of an option are paths that begin at the current folder. */
static bool is_path(const char *name)
{
    static const char *const names[] = {"-s", "-I", "-x", "-o", "-C", "--source-map"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Makes KEY1. Returns false if memory runs out or the program cannot be read. */
static bool step_init(cached_step *step, const bake_cached_def *def)
{
    record_writer w = {0};
    memset(step, 0, sizeof *step);
    step->def = def;
    step->identity = bake_program_identity(def->cache, &step->store);
    if (!step->identity)
        return false;
    record_put_text(&w, "step 1", 6);
    record_put_string(&w, step->identity);
    for (size_t i = 0; i < def->record->option_count; i++) {
        const bake_record_option *option = &def->record->options[i];
        const char *inside =
            is_path(option->name) ? bake_shape_relative(option->value, def->prefix) : NULL;
        const char *value = inside ? inside : option->value;
        /* The folder of the project is the default. */
        if (inside && strcmp(option->name, "-C") == 0 && strcmp(inside, ".") == 0)
            continue;
        record_put_string(&w, option->name);
        record_put(&w, inside ? 1u : 0u);
        record_put_string(&w, value);
    }
    if (!w.failed)
        step->key = kiln_content_hash(w.data, w.size);
    bake_free(w.data);
    for (size_t i = 0; i < CACHED_OUTPUTS_MAX; i++)
        if (def->outputs[i])
            step->result.outputs[step->result.output_count++].path = def->outputs[i];
    return !w.failed;
}

static bake_cache_key list_key(const cached_step *step)
{
    return (bake_cache_key){BAKE_CACHE_RESULT, step->key};
}

/* KEY2; with `prefix`, of a result that contains paths. */
static bake_cache_key result_key(const cached_step *step, const char *prefix)
{
    unsigned char bytes[6 * RECORD_NUMBER];
    const uint64_t numbers[] = {step->key.low,    step->key.high,    step->shape.low,
                                step->shape.high, step->answers.low, step->answers.high};
    for (size_t i = 0; i < 6; i++)
        record_store(bytes + i * RECORD_NUMBER, numbers[i]);
    hash_stream stream;
    kiln_hash_stream_begin(&stream);
    kiln_hash_stream_add(&stream, bytes, sizeof bytes);
    if (prefix)
        kiln_hash_stream_add(&stream, prefix, strlen(prefix) + 1);
    return (bake_cache_key){BAKE_CACHE_RESULT, kiln_hash_stream_end128(&stream)};
}

static bake_cache_key content_key(kiln_hash128 hash)
{
    return (bake_cache_key){BAKE_CACHE_CONTENT, hash};
}

/* ---- lists of shapes ---- */

typedef struct shape_list {
    kiln_hash128 items[SHAPES_MAX];
    size_t count;
} shape_list;

/* Gets the list of a tier; an empty one if it has none. */
static void get_shapes(const cached_step *step, size_t tier, shape_list *ret)
{
    cache_bytes bytes = {0};
    ret->count = 0;
    if (!bake_cache_get(step->def->cache, tier, list_key(step), SHAPES_MAX * HASH_SIZE, &bytes))
        return;
    record_reader r = {bake_cache_bytes_at(&bytes), bytes.size, false, NULL};
    while (r.left >= HASH_SIZE) {
        kiln_hash128 *hash = &ret->items[ret->count++];
        hash->low = record_get(&r);
        hash->high = record_get(&r);
    }
    bake_cache_bytes_fini(&bytes);
}

/* Adds the shape at the front of the tier's list. Another process may do the same and overwrite
 * this list; the next run then adds its shape again. */
static void put_shapes(const cached_step *step, size_t tier)
{
    shape_list list;
    unsigned char bytes[SHAPES_MAX * HASH_SIZE];
    size_t count = 0;
    get_shapes(step, tier, &list);
    if (list.count && bake_hash_equal(list.items[0], step->shape))
        return;
    for (size_t i = 0; i <= list.count && count < SHAPES_MAX; i++) {
        kiln_hash128 hash = i ? list.items[i - 1] : step->shape;
        if (i && bake_hash_equal(hash, step->shape))
            continue;
        record_store(bytes + count * HASH_SIZE, hash.low);
        record_store(bytes + count * HASH_SIZE + RECORD_NUMBER, hash.high);
        count++;
    }
    bake_cache_put(step->def->cache, tier, list_key(step), bytes, count * HASH_SIZE);
}

/* ---- storing ---- */

/* An output that was written. It is read in parts, because it may be large. */
typedef struct output_file {
    int file;
} output_file;

static bool read_output(void *ctx, uint64_t offset, void *memory, size_t size)
{
    const output_file *output = ctx;
    return bake_file_read_part(output->file, offset, memory, size);
}

/* Stores an output in a tier. Returns whether the tier has it. It has not if the file was changed
 * since. */
static bool store_output(const cached_step *step, size_t tier, const cached_output *output)
{
    uint64_t size;
    output_file opened = {bake_file_open(output->path, &size)};
    const bake_cache_source source = {
        .size = (size_t)output->size, .read = read_output, .ctx = &opened};
    bool done = opened.file >= 0 && size == output->size && size <= BAKE_CACHE_OBJECT_MAX &&
                bake_cache_put_from(step->def->cache, tier, content_key(output->hash), &source);
    bake_file_close(opened.file);
    return done;
}

/* Stores everything in a tier. What others refer to comes first. */
static void store_in(const cached_step *step, size_t tier)
{
    bake_cache *cache = step->def->cache;
    size_t size;
    for (size_t i = 0; i < step->result.output_count; i++)
        if (!store_output(step, tier, &step->result.outputs[i]))
            return;
    void *body = bake_cached_result_write(&step->result, step->def->prefix, &size);
    bake_cache_put(cache, tier, content_key(step->shape), step->shape_bytes.block.data,
                   step->shape_bytes.size);
    if (body && size <= BODY_MAX)
        bake_cache_put(cache, tier, result_key(step, step->result.prefix), body, size);
    put_shapes(step, tier);
    bake_free(body);
}

/* ---- finding ---- */

/* Gets a content from any tier. Sets `*ret_tier` to the one that has it. */
static bool get_content(const cached_step *step, kiln_hash128 hash, size_t most, cache_bytes *ret)
{
    size_t count = bake_cache_tier_count(step->def->cache);
    for (size_t tier = 0; tier < count; tier++)
        if (bake_cache_get(step->def->cache, tier, content_key(hash), most, ret))
            return true;
    return false;
}

/* Gets the result for the current answers, with or without paths. */
static bool get_result(cached_step *step, size_t tier)
{
    const bake_cached_def *def = step->def;
    const char *const prefixes[] = {def->has_paths ? def->prefix : NULL, def->prefix};
    for (size_t i = def->has_paths; i < 2; i++) {
        cache_bytes bytes = {0};
        if (!bake_cache_get(def->cache, tier, result_key(step, prefixes[i]), BODY_MAX, &bytes))
            continue;
        bool ok = bake_cached_result_read(bake_cache_bytes_at(&bytes), bytes.size, def->prefix,
                                          &step->store, &step->result);
        bake_cache_bytes_fini(&bytes);
        return ok;
    }
    return false;
}

static bool restart_output(void *ctx)
{
    return bake_output_restart(ctx);
}

static bool read_back(void *ctx, uint64_t offset, void *memory, size_t size)
{
    return bake_output_read_back(ctx, offset, memory, size);
}

/* Gets an output from any tier into its temporary file. */
static bool get_output(cached_step *step, size_t number, const bake_record *record,
                       bake_gateway *gateway)
{
    const cached_output *output = &step->result.outputs[number];
    bake_cache *cache = step->def->cache;
    if (output->size > BAKE_CACHE_OBJECT_MAX || bake_record_reads(record, output->path))
        return false;
    if (!step->open[number])
        step->open[number] = bake_output_begin(gateway, output->path);
    if (!step->open[number])
        return false;
    const bake_cache_sink sink = {restart_output, bake_output_write, step->open[number]};
    for (size_t tier = 0; tier < bake_cache_tier_count(cache); tier++)
        if (bake_cache_get_to(cache, tier, content_key(output->hash), (size_t)output->size, &sink))
            return true;
    return false;
}

/* Whether the first output passes the verifier, now or in an earlier run. */
static bool is_checked(const cached_step *step)
{
    bake_cache *cache = step->def->cache;
    const cached_output *output = &step->result.outputs[0];
    const bake_cache_source file = {
        .size = (size_t)output->size, .read = read_back, .ctx = step->open[0]};
    if (bake_checked_find(cache, step->identity, output->hash))
        return true;
    bool done = bake_cached_file_check(&file, BAKE_CACHED_FILE_MAX) == KILN_OK;
    if (done)
        bake_checked_keep(cache, step->identity, output->hash);
    return done;
}

/* Gets the outputs, checks them and replaces the files. */
static bool get_outputs(cached_step *step, const bake_record *record, bake_gateway *gateway)
{
    const char *failed;
    for (size_t i = 0; i < step->result.output_count; i++)
        if (!get_output(step, i, record, gateway))
            return false;
    return (!step->def->is_kiln_file || is_checked(step)) &&
           bake_gateway_commit(gateway, step->def->durable, step->def->if_changed, &failed);
}

/* Looks for a result of one shape. Returns the finished record, or NULL. */
static bake_record *try_shape(cached_step *step, size_t tier, bake_shape_files *files,
                              bake_gateway *gateway)
{
    const bake_cached_def *def = step->def;
    cache_bytes bytes = {0};
    if (!get_content(step, step->shape, BODY_MAX, &bytes))
        return NULL;
    bake_record *record =
        bake_shape_answer(bytes.block.data, bytes.size, def->prefix, def->record, files);
    bool done = record && bake_shape_hash_answers(record, &step->answers) &&
                get_result(step, tier) && get_outputs(step, record, gateway) &&
                bake_shape_complete(record, gateway, &step->result.messages);
    if (done)
        step->shape_bytes = bytes;
    else
        bake_cache_bytes_fini(&bytes);
    if (done)
        return record;
    bake_record_destroy(record);
    return NULL;
}

static bake_record *find_in(cached_step *step, size_t tier, bake_shape_files *files,
                            bake_gateway *gateway)
{
    shape_list list;
    bake_record *record = NULL;
    get_shapes(step, tier, &list);
    for (size_t i = 0; i < list.count && !record; i++) {
        step->shape = list.items[i];
        record = try_shape(step, tier, files, gateway);
    }
    for (size_t nearer = 0; nearer < tier && record; nearer++)
        store_in(step, nearer);
    return record;
}

bake_record *bake_cached_find(const bake_cached_def *def, bake_gateway *gateway,
                              const char **ret_label)
{
    cached_step step;
    bake_shape_files files = {0};
    bake_record *record = NULL;
    size_t count = bake_cache_tier_count(def->cache);
    bool is_ready = step_init(&step, def);
    for (size_t tier = 0; tier < count && is_ready && !record; tier++) {
        record = find_in(&step, tier, &files, gateway);
        *ret_label = bake_cache_label(def->cache, tier);
    }
    bake_shape_files_fini(&files);
    step_fini(&step);
    return record;
}

/* ---- keeping ---- */

/* Finds the hash of an output. Returns false if the record does not contain it. */
static bool find_output(cached_output *output, const bake_record *record)
{
    size_t i = 0, count = bake_record_output_count(record);
    while (i < count && strcmp(bake_record_output(record, i), output->path) != 0)
        i++;
    if (i < count)
        output->hash = bake_record_output_hash(record, i, &output->size);
    return i < count;
}

static bool read_result(cached_step *step, const bake_record *record)
{
    cached_result *result = &step->result;
    bool done = bake_record_output_count(record) == result->output_count;
    for (size_t i = 0; i < result->output_count && done; i++)
        done = find_output(&result->outputs[i], record);
    result->messages.warnings = bake_record_warnings(record);
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++)
        result->messages.texts[form] =
            bake_record_messages(record, (bake_message_form)form, &result->messages.sizes[form]);
    bool has_paths = step->def->has_paths || result->messages.sizes[BAKE_MESSAGES_TEXT] > 0;
    result->prefix = has_paths ? step->def->prefix : NULL;
    return done;
}

/* Makes the shape and the keys. */
static bool make_shape(cached_step *step, const bake_record *record)
{
    size_t size;
    void *shape = bake_shape_make(record, step->def->prefix, &size);
    step->shape_bytes.most = BODY_MAX;
    bool done = shape && bake_cache_bytes_add(&step->shape_bytes, shape, size) == CACHE_DONE &&
                bake_shape_hash_answers(record, &step->answers);
    if (done)
        step->shape = kiln_content_hash(shape, size);
    bake_free(shape);
    return done;
}

void bake_cached_keep(const bake_cached_def *def, const bake_record *record)
{
    cached_step step;
    size_t count = bake_cache_tier_count(def->cache);
    bool is_writable = false;
    for (size_t tier = 0; tier < count; tier++)
        is_writable = is_writable || bake_cache_is_writable(def->cache, tier);
    if (!is_writable)
        return;
    bool done = step_init(&step, def) && read_result(&step, record) && make_shape(&step, record);
    for (size_t tier = 0; tier < count && done; tier++)
        if (bake_cache_is_writable(def->cache, tier))
            store_in(&step, tier);
    step_fini(&step);
}
