#include "old_outputs.h"

#include "file_hold.h"
#include "hash_equal.h"
#include "memo_file.h"

#include <string.h>

/* For fewer bytes, a thread takes longer to start than the output takes to read. */
enum { PART_SIZE = 1 << 19 };

/* Returns false if the file is another one now. */
static bool read_output(const bake_old_outputs *o, const char *path, kiln_span *ret_output)
{
    size_t size, number = 0, count = bake_record_output_count(o->record);
    uint64_t was_size;
    while (number < count && strcmp(bake_record_output(o->record, number), path) != 0)
        number++;
    const char *data = number < count ? bake_gateway_read(o->gateway, path, &size) : NULL;
    if (!data)
        return false;
    kiln_hash128 is = kiln_content_hash(data, size);
    kiln_hash128 was = bake_record_output_hash(o->record, number, &was_size);
    *ret_output = (kiln_span){data, size};
    return bake_hash_equal(is, was) && size == was_size;
}

static void read_outputs(bake_old_outputs *o)
{
    const char *map = o->options->source_map;
    o->is_read = true;
    if (!o->gateway || bake_record_output_count(o->record) != (map ? 2 : 1))
        return;
    bake_gateway_set_input_max(o->gateway, 0);
    o->are_same =
        read_output(o, o->options->output, &o->output) && (!map || read_output(o, map, &o->map));
}

/* Loads the memo if nobody has begun to. */
static void load_memo(bake_old_outputs *o)
{
    if (o->memo_path && !atomic_exchange(&o->is_memo_claimed, true))
        o->memo = bake_memo_load(o->memo_path, bake_record_key(o->record));
}

static void read_all(void *ctx, size_t number)
{
    (void)number;
    read_outputs(ctx);
    load_memo(ctx);
}

/* Starts a helper if the output is large. */
static void start(bake_old_outputs *o, void (*work)(void *ctx, size_t number))
{
    uint64_t size = 0;
    if (bake_record_output_count(o->record) > 0)
        (void)bake_record_output_hash(o->record, 0, &size);
    if (bake_threads_for(o->options->jobs, (size_t)(size / PART_SIZE), 1) > 1)
        bake_helpers_start(&o->helpers, o->options->jobs, 1, work, o);
}

void bake_old_outputs_begin(bake_old_outputs *outputs, const bake_record *record,
                            const bake_options *options, const char *memo_path)
{
    memset(outputs, 0, sizeof *outputs);
    outputs->record = record;
    outputs->options = options;
    outputs->gateway = bake_gateway_create(NULL);
    outputs->memo_path = memo_path;
    outputs->held = -1;
    start(outputs, read_all);
}

bool bake_old_outputs_get(bake_old_outputs *outputs)
{
    load_memo(outputs);
    bake_helpers_join(&outputs->helpers);
    if (!outputs->is_read)
        read_outputs(outputs);
    if (outputs->are_same && outputs->held < 0)
        outputs->held = bake_file_hold(outputs->options->output);
    return outputs->are_same;
}

static void let_go(void *ctx, size_t number)
{
    bake_old_outputs *o = ctx;
    int file = o->held;
    (void)number;
    o->held = -1;
    bake_file_let_go(file);
}

void bake_old_outputs_release(bake_old_outputs *outputs)
{
    start(outputs, let_go);
}

void bake_old_outputs_fini(bake_old_outputs *outputs)
{
    bake_helpers_join(&outputs->helpers);
    let_go(outputs, 0);
    bake_gateway_destroy(outputs->gateway);
    bake_memo_destroy(outputs->memo);
}
