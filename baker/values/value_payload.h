/* Values of the type `payload`: references to the data of files or importers. */
#ifndef BAKE_VALUE_PAYLOAD_H
#define BAKE_VALUE_PAYLOAD_H

#include "value_baker.h"

/* Whether values of this type are payloads. */
static inline bool bake_value_is_payload(const bake_values *b, const kiln_type *of)
{
    return of->kind == KILN_KIND_REF && of->element != KILN_TYPE_NONE &&
           of->element == b->schema->payload;
}

/* Lists the fields with attributes of payloads. Returns false if memory runs out. Free the list
 * with bake_free(b->payload_fields.all). */
bool bake_values_list_payloads(bake_values *b);

/* Bakes the data of a file or importer. */
void bake_value_payload(bake_values *b, bake_node_id node, const kiln_member *field, void *dst,
                        const value_step *step);
/* Reports a payload that is written without a tag, unless it is the name of a payload asset.
 * Returns false after the report. */
bool bake_value_check_payload_name(bake_values *b, bake_node_id node, const value_step *step);

/* Forgets the payloads of the current output. */
void bake_value_payloads_fini(value_payloads *payloads);

#endif
