/* Finds the assets in the documents of an input, by the `files` rules of the schema.
 * document_reader.c has functions for all shapes; document_links.c reads documents that describe
 * ids. */
#ifndef BAKE_DOCUMENTS_H
#define BAKE_DOCUMENTS_H

#include "bake_inputs.h"

/* Adds the assets of an input and reports mistakes. Returns false if memory runs out. */
bool bake_documents_read(bake_inputs *inputs, uint32_t input, const bake_inputs_def *def);

#endif
