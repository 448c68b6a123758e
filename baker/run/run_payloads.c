/* The writer reads the data of each payload twice: when it is added, and when the file is written.
 * Both passes read the file in parts, so memory does not depend on its size. */
#include "run_payloads.h"

#include "bake_memory.h"

#include <errno.h>
#include <kiln/payload.h>
#include <string.h>

/* The context of a source of data. */
struct run_payload {
    run_payloads *all;
    const bake_payload *payload;
};

static bool read_payload(void *ctx, uint64_t offset, void *memory, size_t size)
{
    struct run_payload *item = ctx;
    const bake_payload *payload = item->payload;
    if (payload->bytes) {
        memcpy(memory, payload->bytes + offset, size);
        return true;
    }
    if (bake_gateway_read_range(item->all->run->gateway, payload->path, offset, memory, size))
        return true;
    item->all->failed = item;
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
                              .alignment = payload->form.alignment,
                              .frame_size = payload->form.frame_size};
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
    bool is_same = content.low == payload->content.low && content.high == payload->content.high;
    return is_same ? BAKE_OK : report(run, payload, 0);
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
    for (size_t i = 0; i < payloads->count && !result; i++) {
        payloads->items[i] = (struct run_payload){payloads, &all[i]};
        result = add_one(&payloads->items[i], writer);
    }
    return result;
}

bake_result bake_run_payloads_failed(const run_payloads *payloads, kiln_status status,
                                     int system_error)
{
    const bake_payload *payload = payloads->count ? payloads->items[0].payload : NULL;
    if (payloads->failed)
        return report(payloads->run, payloads->failed->payload, system_error);
    /* The writer does not state which data changed. */
    return status == KILN_CHANGED ? report(payloads->run, payload, 0) : BAKE_OK;
}

void bake_run_payloads_fini(run_payloads *payloads)
{
    bake_free(payloads->items);
    memset(payloads, 0, sizeof *payloads);
}
