#include "old_outputs.h"

#include "hash_equal.h"

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

static void read_all(void *ctx, size_t number)
{
    bake_old_outputs *o = ctx;
    const char *map = o->options->source_map;
    (void)number;
    o->is_read = true;
    if (!o->gateway || bake_record_output_count(o->record) != (map ? 2 : 1))
        return;
    bake_gateway_set_input_max(o->gateway, 0);
    o->are_same =
        read_output(o, o->options->output, &o->output) && (!map || read_output(o, map, &o->map));
}

void bake_old_outputs_begin(bake_old_outputs *outputs, const bake_record *record,
                            const bake_options *options)
{
    uint64_t size = 0;
    memset(outputs, 0, sizeof *outputs);
    outputs->record = record;
    outputs->options = options;
    outputs->gateway = bake_gateway_create(NULL);
    if (bake_record_output_count(record) > 0)
        (void)bake_record_output_hash(record, 0, &size);
    if (bake_threads_for(options->jobs, (size_t)(size / PART_SIZE), 1) > 1)
        bake_helpers_start(&outputs->helpers, options->jobs, 1, read_all, outputs);
}

bool bake_old_outputs_get(bake_old_outputs *outputs)
{
    bake_helpers_join(&outputs->helpers);
    if (!outputs->is_read)
        read_all(outputs, 0);
    return outputs->are_same;
}

void bake_old_outputs_fini(bake_old_outputs *outputs)
{
    bake_helpers_join(&outputs->helpers);
    bake_gateway_destroy(outputs->gateway);
}
