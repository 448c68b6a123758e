/* A file with and without compressed members, and a larger one that is compressed with a
 * dictionary. */
#ifndef PACKED_FIXTURE_H
#define PACKED_FIXTURE_H

#include "file_fixture.h"

#include <kiln/index.h>

/* Created by the group setup, freed by the group teardown. The last one has a dictionary. */
extern kiln_buffer plain_image, packed_image, trained_image;
extern kiln_root_type packed_item_type, packed_page_type;
int packed_set_up(void **state);
int packed_tear_down(void **state);

/* Every verification level at which a file can be opened. */
extern const kiln_verify_level packed_levels[3];

const kiln_index *packed_index(const unsigned char *image);
/* The index entry of the member of asset `name`, for tests that change it. */
kiln_index_member *packed_entry(unsigned char *image, const char *name);
/* A copy of an image in a block of exactly its size. The caller may change it and calls free. */
unsigned char *packed_copy(const kiln_buffer *image);
/* Fails the test unless the file opens. `allocator` may be NULL. */
kiln_file *packed_open(const unsigned char *image, size_t size, kiln_verify_level level,
                       const kiln_allocator *allocator);
/* The root of the item or page with this name. */
const void *packed_root(kiln_file *file, const char *name, kiln_error *reterr);

#endif
