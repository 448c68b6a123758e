/* Files with payloads, for tests that use them in a group with payload_set_up and
 * payload_tear_down. */
#ifndef PAYLOAD_FILES_H
#define PAYLOAD_FILES_H

#include "blob_patch.h"
#include "failing_memory.h"
#include "verdict.h"

#include <errno.h>
#include <kiln/path.h>
#include <kiln/payload_unpack.h>
#include <kiln/type_table.h>
#include <stdlib.h>
#include <string.h>

static kiln_types *types, *builtin;

/* Data for the tests: bytes that compress, and random bytes that do not. */
enum { DATA_MAX = 300000 };
static unsigned char text[DATA_MAX], noise[DATA_MAX];

static inline int payload_set_up(void **state)
{
    uint64_t random = 1;
    for (size_t i = 0; i < DATA_MAX; i++) {
        text[i] = (unsigned char)("kiln payload "[i % 13] + i / 4096);
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        noise[i] = (unsigned char)(random >> 56);
    }
    return verdict_set_up(state) || kiln_types_with_payloads(NULL, NULL, &types, NULL) != KILN_OK ||
           kiln_types_create_builtin(NULL, &builtin, NULL) != KILN_OK;
}

static inline int payload_tear_down(void **state)
{
    kiln_types_destroy(types);
    kiln_types_destroy(builtin);
    return verdict_tear_down(state);
}

/* ---- files ---- */

/* A source of data; `fails_at` is the number of the read that fails or differs. */
typedef struct source {
    const unsigned char *data;
    size_t size;
    unsigned reads, fails_at, differs_at;
    const unsigned char *later; /* the data from the second pass on; NULL: the same */
    uint64_t end;               /* of the last read */
    bool is_later;
} source;

static inline bool read_source(void *ctx, uint64_t offset, void *memory, size_t size)
{
    source *from = ctx;
    from->reads++;
    if (from->reads == from->fails_at) {
        errno = EIO;
        return false;
    }
    from->is_later = from->is_later || offset < from->end;
    from->end = offset + size;
    memcpy(memory, (from->is_later && from->later ? from->later : from->data) + offset, size);
    if (from->reads == from->differs_at)
        *(unsigned char *)memory ^= 1;
    return true;
}

static inline kiln_payload_args args_of(source *from, uint32_t alignment, uint32_t frame_size)
{
    return (kiln_payload_args){.read = read_source,
                               .ctx = from,
                               .size = from->size,
                               .alignment = alignment,
                               .frame_size = frame_size};
}

static inline kiln_status new_writer(const kiln_allocator *allocator, kiln_file_writer **ret_writer,
                                     kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = types;
    def.allocator = allocator;
    def.omit_type_table = true;
    return kiln_file_writer_create(&def, ret_writer, reterr);
}

/* Writes a file with up to two payloads. */
static inline kiln_status write_with(const kiln_payload_args *args, size_t count,
                                     const kiln_allocator *allocator, kiln_buffer *ret_file,
                                     kiln_error *reterr)
{
    kiln_file_writer *writer = NULL;
    kiln_status status = new_writer(allocator, &writer, reterr);
    for (size_t i = 0; i < count && !status; i++)
        status = kiln_file_writer_payload(writer, &args[i], NULL, reterr);
    if (!status)
        status = kiln_file_writer_finish_buffer(writer, ret_file, reterr);
    kiln_file_writer_destroy(writer);
    return status;
}

static inline kiln_buffer write_one(const unsigned char *data, size_t size, uint32_t alignment,
                                    uint32_t frame_size)
{
    source from = {.data = data, .size = size};
    kiln_payload_args args = args_of(&from, alignment, frame_size);
    kiln_buffer file = {0};
    assert_int_equal(write_with(&args, 1, NULL, &file, NULL), KILN_OK);
    return file;
}

/* Two plain payloads: members 2 and 3, after the blobs of their assets. */
static inline kiln_buffer write_two(void)
{
    source from[2] = {{.data = text, .size = 5000}, {.data = noise, .size = 100}};
    kiln_payload_args args[2] = {args_of(&from[0], 0, 0), args_of(&from[1], 4096, 0)};
    kiln_buffer file = {0};
    assert_int_equal(write_with(args, 2, NULL, &file, NULL), KILN_OK);
    return file;
}

static inline kiln_status check_index(const kiln_buffer *file, const kiln_index **ret_index,
                                      kiln_error *reterr)
{
    kiln_file_head head = {file->data, file->size, file->size};
    return kiln_index_check(builtin, NULL, &head, ret_index, reterr);
}

static inline const kiln_index *index_of(const kiln_buffer *file)
{
    const kiln_index *index = NULL;
    assert_int_equal(check_index(file, &index, NULL), KILN_OK);
    return index;
}

static inline kiln_index_frame frame_of(const kiln_buffer *file)
{
    kiln_index_frame frame;
    kiln_file_head head = {file->data, file->size, file->size};
    assert_int_equal(kiln_index_frame_read(&head, true, &frame, NULL), KILN_OK);
    return frame;
}

static inline kiln_span blob_of(const kiln_buffer *file, const kiln_index *index, uint32_t member)
{
    const kiln_index_member *entry = kiln_index_member_at(index, member);
    return (kiln_span){file->data + entry->place, (size_t)entry->size};
}

/* Checks everything that concerns payloads. */
static inline kiln_status check_all(const kiln_buffer *file, kiln_error *reterr)
{
    const kiln_index *index = NULL;
    kiln_status status = check_index(file, &index, reterr);
    if (!status)
        status = kiln_index_check_gaps(index, file->data, reterr);
    for (uint32_t i = 0; !status && i < kiln_index_asset_count(index); i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        kiln_index_frame frame = frame_of(file);
        kiln_payload_view view;
        status = kiln_index_check_member(index, asset->member, file->data, true, reterr);
        if (!status)
            status = kiln_payload_view_read(
                blob_of(file, index, asset->member),
                &(kiln_payload_read_args){&frame, kiln_string_get(&asset->name), NULL}, &view,
                reterr);
        if (!status)
            status = kiln_payload_check(&view, index, file->data, NULL, reterr);
    }
    return status;
}

static inline kiln_payload_view view_of(const kiln_buffer *file)
{
    const kiln_index *index = index_of(file);
    kiln_index_frame frame = frame_of(file);
    kiln_payload_view view;
    assert_int_equal(kiln_payload_view_read(blob_of(file, index, 0),
                                            &(kiln_payload_read_args){&frame, NULL, NULL}, &view,
                                            NULL),
                     KILN_OK);
    return view;
}

#endif
