/* Adds the data of payloads to a file. */
#ifndef BAKE_RUN_PAYLOADS_H
#define BAKE_RUN_PAYLOADS_H

#include "bake_run.h"
#include "value_bake.h"

/* The payloads of one output. A zeroed struct is empty. */
typedef struct run_payloads {
    bake_run *run;
    struct run_payload *items;
    size_t count;
    const struct run_payload *last; /* the one whose data were read last */
    bool failed;                    /* they could not be read again */
} run_payloads;

/* How data are stored that one value needs as `a`, and another as `b`. */
bake_payload_form bake_payload_form_join(bake_payload_form a, bake_payload_form b);

/* Adds the payloads that the values of the current output use. They must stay in memory until the
 * file is finished. */
bake_result bake_run_payloads_add(run_payloads *payloads, bake_run *run, const bake_values *values,
                                  kiln_file_writer *writer);
/* The data of a payload that only this run has read; `payload` must outlive the run_payloads. */
typedef struct bake_new_payload {
    const bake_payload *payload;
    bake_payload_form form; /* of all values with these data */
} bake_new_payload;

/* Begins a list of at most `most` payloads, for bake_run_payloads_put. Returns false if memory runs
 * out. */
bool bake_run_payloads_begin(run_payloads *payloads, bake_run *run, size_t most);
/* Adds the data of one payload to a file. */
bake_result bake_run_payloads_put(run_payloads *payloads, const bake_new_payload *payload,
                                  kiln_file_writer *writer);

/* Reports the failure of kiln_file_writer_finish if payloads caused it. Returns BAKE_OK if they did
 * not. `system_error` is that of the writer. */
bake_result bake_run_payloads_failed(const run_payloads *payloads, kiln_status status,
                                     int system_error);
/* Lists the payloads that need frames for the notes of a part; nothing without a part. Returns
 * false if memory runs out. */
bool bake_run_payloads_note(const run_payloads *payloads);
void bake_run_payloads_fini(run_payloads *payloads);

#endif
