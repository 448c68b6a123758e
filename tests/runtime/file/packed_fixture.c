#include "packed_fixture.h"

#include <kiln/blob_header.h>
#include <stdlib.h>
#include <string.h>

const kiln_verify_level packed_levels[3] = {KILN_VERIFY_NONE, KILN_VERIFY_HASH, KILN_VERIFY_DEEP};

kiln_buffer plain_image, packed_image, trained_image;
kiln_root_type packed_item_type, packed_page_type;

int packed_set_up(void **state)
{
    (void)state;
    packed_item_type = fixture_root_type("test.Item");
    packed_page_type = fixture_root_type("test.Page");
    plain_image = fixture_packed_file(false);
    packed_image = fixture_packed_file(true);
    trained_image = fixture_dictionary_file();
    return 0;
}

int packed_tear_down(void **state)
{
    (void)state;
    kiln_buffer_fini(&plain_image);
    kiln_buffer_fini(&packed_image);
    kiln_buffer_fini(&trained_image);
    return 0;
}

const kiln_index *packed_index(const unsigned char *image)
{
    return (const void *)(image + KILN_HEADER_SIZE);
}

kiln_index_member *packed_entry(unsigned char *image, const char *name)
{
    const kiln_index *index = packed_index(image);
    uint32_t asset = kiln_index_find_name(index, name, strlen(name));
    assert_true(asset != KILN_ASSET_NONE);
    return (void *)fixture_writable(
        image, kiln_index_member_at(index, kiln_index_asset_at(index, asset)->member));
}

unsigned char *packed_copy(const kiln_buffer *image)
{
    unsigned char *copy = aligned_alloc(4096, (image->size + 4095) / 4096 * 4096);
    assert_non_null(copy);
    memcpy(copy, image->data, image->size);
    return copy;
}

kiln_file *packed_open(const unsigned char *image, size_t size, kiln_verify_level level,
                       const kiln_allocator *allocator)
{
    kiln_file_def def = kiln_file_def_default();
    def.data = image;
    def.size = size;
    def.level = level;
    def.allocator = allocator;
    kiln_file *file = NULL;
    kiln_error error;
    if (kiln_file_open(&def, &file, &error) != KILN_OK)
        fail_msg("%s at %u", kiln_status_name(error.status), (unsigned)error.offset);
    return file;
}

const void *packed_root(kiln_file *file, const char *name, kiln_error *reterr)
{
    const kiln_root_type *type = name[0] == 'I' ? &packed_item_type : &packed_page_type;
    return kiln_file_root(file, kiln_file_find(file, name), type, reterr);
}
