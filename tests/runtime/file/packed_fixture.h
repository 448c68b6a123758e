/* Files whose members are stored compressed, beside the same one that is not. */
#ifndef PACKED_FIXTURE_H
#define PACKED_FIXTURE_H

#include "file_fixture.h"

#include <kiln/index.h>

/* Made by the group set-up, ended by the group tear-down; the last has a dictionary. */
extern kiln_buffer plain_image, packed_image, trained_image;
extern kiln_root_type packed_item_type, packed_page_type;
int packed_set_up(void **state);
int packed_tear_down(void **state);

/* Every tier that a file may be opened at. */
extern const kiln_verify_level packed_tiers[3];

const kiln_index *packed_index(const unsigned char *image);
/* What the index says of the member of the asset `name`, to be changed. */
kiln_index_member *packed_entry(unsigned char *image, const char *name);
/* A copy of an image, in a block of its size, to be changed; ended by free. */
unsigned char *packed_copy(const kiln_buffer *image);
/* Fails the test unless the file opens. `allocator` may be NULL. */
kiln_file *packed_open(const unsigned char *image, size_t size, kiln_verify_level level,
                       const kiln_allocator *allocator);
/* The root of an item or a page, by its name. */
const void *packed_root(kiln_file *file, const char *name, kiln_error *reterr);

#endif
