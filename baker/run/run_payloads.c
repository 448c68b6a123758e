/* Equal data are added once, in the order of their hashes, so that neither the order of values nor
 * the way in which a bundle is divided into parts matters: plain if any value needs them plain,
 * otherwise in the smallest frames, with the largest alignment. `kiln-bake link` decides likewise.
 *
 * The writer reads the data of each payload twice: when it is added, and when the file is written.
 * Both passes read the file in parts, so memory does not depend on its size. */
#include "run_payloads.h"

#include "bake_memory.h"
#include "hash_equal.h"
#include "run_part.h"

#include <errno.h>
#include <kiln/payload.h>
#include <stdlib.h>
#include <string.h>

/* The context of a source of data. */
struct run_payload {
    run_payloads *all;
    const bake_payload *payload;
    bake_payload_form form; /* of all values with these data */
};

static bool read_payload(void *ctx, uint64_t offset, void *memory, size_t size)
{
    struct run_payload *item = ctx;
    const bake_payload *payload = item->payload;
    item->all->last = item;
    if (payload->bytes) {
        memcpy(memory, payload->bytes + offset, size);
        return true;
    }
    if (bake_gateway_read_range(item->all->run->gateway, payload->path, offset, memory, size))
        return true;
    item->all->failed = true;
    return false;
}

static bake_result report(bake_run *run, const bake_payload *payload, int system_error)
{
    bool has_changed = system_error == 0 || system_error == ESTALE;
    bake_report(run->diagnostics, BAKE_ERROR, payload->mark, "file", payload->where,
                has_changed ? "\"%.200s\" changed while it was read%s"
                            : "cannot read \"%.200s\": %s",
                payload->path, has_changed ? "" : strerror(system_error));
    return BAKE_BAD_INPUT;
}

static bake_result add_one(struct run_payload *item, kiln_file_writer *writer)
{
    bake_run *run = item->all->run;
    const bake_payload *payload = item->payload;
    kiln_hash128 content;
    kiln_error error;
    memset(&error, 0, sizeof error);
    kiln_payload_args args = {.read = read_payload,
                              .ctx = item,
                              .size = payload->size,
                              .alignment = item->form.alignment,
                              .frame_size = item->form.frame_size,
                              .level = (int)run->options->compress};
    if (bake_run_compress(run->options, writer, KILN_PAYLOAD_TYPE_NAME))
        return bake_fail_memory(&run->failure);
    kiln_status status = kiln_file_writer_payload(writer, &args, &content, &error);
    if (status == KILN_NO_MEMORY)
        return bake_fail_memory(&run->failure);
    if (status == KILN_IO)
        return report(run, payload, error.system_error);
    if (kiln_status_is_limit(status)) {
        bake_report(run->diagnostics, BAKE_ERROR, payload->mark, "size", payload->where,
                    "the frames of this payload are too small for its size: %s",
                    kiln_status_text(status));
        return BAKE_BAD_INPUT;
    }
    if (status)
        return bake_fail_bug(&run->failure, payload->path, status, &error);
    return bake_hash_equal(content, payload->content) ? BAKE_OK : report(run, payload, 0);
}

/* Values with equal data stay in the order of their positions, for reports. */
static int compare_payloads(const void *a, const void *b)
{
    const bake_payload *x = ((const struct run_payload *)a)->payload;
    const bake_payload *y = ((const struct run_payload *)b)->payload;
    int order = bake_hash_compare(x->content, y->content);
    return order ? order : (x > y) - (x < y);
}

static bool is_same(const bake_payload *a, const bake_payload *b)
{
    return bake_hash_equal(a->content, b->content);
}

bake_payload_form bake_payload_form_join(bake_payload_form a, bake_payload_form b)
{
    bool is_plain = a.frame_size == 0 || b.frame_size == 0;
    uint32_t smallest = a.frame_size < b.frame_size ? a.frame_size : b.frame_size;
    return (bake_payload_form){a.alignment > b.alignment ? a.alignment : b.alignment,
                               is_plain ? 0 : smallest};
}

/* Joins the values with equal data; `items` are sorted. Returns the number of different data. */
static size_t join(struct run_payload *items, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct run_payload *last = kept ? &items[kept - 1] : NULL;
        if (last && is_same(last->payload, items[i].payload))
            last->form = bake_payload_form_join(last->form, items[i].form);
        else
            items[kept++] = items[i];
    }
    return kept;
}

bake_result bake_run_payloads_add(run_payloads *payloads, bake_run *run, const bake_values *values,
                                  kiln_file_writer *writer)
{
    const bake_payload *all = bake_values_payloads(values, &payloads->count);
    bake_result result = BAKE_OK;
    payloads->run = run;
    if (payloads->count == 0)
        return BAKE_OK;
    payloads->items = bake_alloc_array(payloads->count, sizeof *payloads->items);
    if (!payloads->items)
        return bake_fail_memory(&run->failure);
    for (size_t i = 0; i < payloads->count; i++)
        payloads->items[i] = (struct run_payload){payloads, &all[i], all[i].form};
    qsort(payloads->items, payloads->count, sizeof *payloads->items, compare_payloads);
    payloads->count = join(payloads->items, payloads->count);
    for (size_t i = 0; i < payloads->count && !result; i++)
        result = add_one(&payloads->items[i], writer);
    return result;
}

bool bake_run_payloads_begin(run_payloads *payloads, bake_run *run, size_t most)
{
    payloads->run = run;
    payloads->items = bake_alloc_array(most + 1, sizeof *payloads->items);
    return payloads->items != NULL;
}

bake_result bake_run_payloads_put(run_payloads *payloads, const bake_new_payload *payload,
                                  kiln_file_writer *writer)
{
    struct run_payload *item = &payloads->items[payloads->count++];
    *item = (struct run_payload){payloads, payload->payload, payload->form};
    return add_one(item, writer);
}

bake_result bake_run_payloads_failed(const run_payloads *payloads, kiln_status status,
                                     int system_error)
{
    /* The writer writes one payload after another, and stops at the one that has changed. */
    if (payloads->failed || (status == KILN_CHANGED && payloads->last))
        return report(payloads->run, payloads->last->payload, system_error);
    return BAKE_OK;
}

bool bake_run_payloads_note(const run_payloads *payloads)
{
    bake_part *part = payloads->count ? payloads->run->part : NULL;
    if (!part)
        return true;
    bake_part_frames *frames =
        bake_store_alloc(&payloads->run->store, payloads->count, sizeof *frames);
    for (size_t i = 0; i < payloads->count && frames; i++) {
        const struct run_payload *item = &payloads->items[i];
        if (item->form.frame_size)
            frames[part->frame_count++] =
                (bake_part_frames){item->payload->content, item->form.frame_size};
    }
    part->frames = frames;
    return frames != NULL;
}

void bake_run_payloads_fini(run_payloads *payloads)
{
    bake_free(payloads->items);
    memset(payloads, 0, sizeof *payloads);
}
