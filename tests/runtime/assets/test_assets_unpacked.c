/* Compressed members that an asset table decompresses itself. Damage in a blob is found and
 * reported each time, even if the stored bytes match their hash. */
#include "asset_fixture.h"

#include <kiln/blob_header.h>
#include <kiln/compression.h>
#include <string.h>

enum { ROOM = 4096 };

typedef enum harm { HARM_NONE, HARM_OFFSET, HARM_COUNT, HARM_HASH, HARM_KIND } harm;

static const struct {
    harm harm;
    kiln_status found;
    size_t at; /* offset in the blob */
} harms[] = {
    {HARM_NONE, KILN_OK, 0},
    {HARM_OFFSET, KILN_V_BOUNDS, KILN_HEADER_SIZE + offsetof(test_thing, refs)},
    {HARM_COUNT, KILN_V_BOUNDS, KILN_HEADER_SIZE + offsetof(test_thing, refs)},
    {HARM_HASH, KILN_H_HASH, offsetof(kiln_blob_header, hash)},
    {HARM_KIND, KILN_H_KIND, offsetof(kiln_blob_header, flags)},
};

static void rehash(unsigned char *blob)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    kiln_header_write(blob, header.flags, header.payload_size, header.layout);
}

static void do_harm(unsigned char *blob, harm how)
{
    test_thing *thing = (void *)(blob + KILN_HEADER_SIZE);
    if (how == HARM_OFFSET)
        thing->refs.offset = UINT32_MAX - 7;
    if (how == HARM_COUNT)
        thing->refs.count = 1 << 20;
    if (how == HARM_KIND)
        blob[offsetof(kiln_blob_header, flags)] |= KILN_BLOB_DICTIONARY << KILN_FLAG_KIND_SHIFT;
    rehash(blob);
    if (how == HARM_HASH)
        blob[offsetof(kiln_blob_header, hash)] ^= 1;
}

static kiln_index *index_of(const kiln_buffer *image)
{
    return (void *)(image->data + KILN_HEADER_SIZE);
}

static kiln_index_member *member_of(const kiln_buffer *image, const char *name)
{
    kiln_index *index = index_of(image);
    uint32_t number = kiln_index_find(index, scene_id(name));
    assert_true(number != KILN_ASSET_NONE);
    uint32_t member = kiln_index_asset_at(index, number)->member;
    return (kiln_index_member *)(uintptr_t)kiln_index_member_at(index, member);
}

/* Writes the frame of a damaged blob to `memory`. */
static size_t forge(const unsigned char *frame, const kiln_index_member *member, harm how,
                    unsigned char *memory, size_t room)
{
    static _Alignas(ROOM) unsigned char blob[ROOM];
    kiln_decompressor *in = NULL;
    kiln_compressor *out = NULL;
    size_t size = 0;
    assert_true(member->size <= ROOM);
    EXPECT_STATUS(KILN_OK, kiln_decompressor_create(NULL, &in));
    EXPECT_STATUS(KILN_OK, kiln_compressor_create(NULL, 3, NULL, 0, &out));
    EXPECT_STATUS(KILN_OK,
                  kiln_decompress(in, NULL, (kiln_span){frame, (size_t)member->stored_size}, blob,
                                  (size_t)member->size));
    do_harm(blob, how);
    EXPECT_STATUS(KILN_OK,
                  kiln_compress(out, (kiln_span){blob, (size_t)member->size}, memory, room, &size));
    kiln_decompressor_destroy(in);
    kiln_compressor_destroy(out);
    return size;
}

/* A file with `Thing/a`, compressed, and a second frame after it that contains its damaged blob. */
static kiln_buffer make_image(harm how, size_t *ret_frame_size)
{
    kiln_buffer good = SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_PACKED}), made = {0};
    kiln_index_member *member = member_of(&good, "Thing/a");
    assert_int_equal(KILN_COMPRESSION_ZSTD, member->compression);
    assert_int_equal(good.size, member->place + member->stored_size);
    made.allocator = kiln_allocator_default();
    made.size = good.size + ROOM;
    made.data = made.allocator.alloc(made.allocator.ctx, made.size, ROOM);
    assert_non_null(made.data);
    memset(made.data, 0, made.size);
    memcpy(made.data, good.data, good.size);
    *ret_frame_size = forge(good.data + member->place, member, how, made.data + good.size, ROOM);
    index_of(&made)->file_size = made.size;
    rehash(made.data);
    kiln_buffer_fini(&good);
    return made;
}

/* Makes the index refer to the frame at `place` as the member, with a correct hash. */
static void point_to(kiln_buffer *image, uint64_t place, uint64_t size)
{
    kiln_index_member *member = member_of(image, "Thing/a");
    member->place = place;
    member->stored_size = size;
    member->stored = kiln_content_hash(image->data + place, (size_t)size);
    rehash(image->data);
}

static void have_no_types(kiln_assets_def *def)
{
    def->types = NULL;
    def->types_size = 0;
}

static void damage_after_decompression_is_reported_each_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof harms / sizeof *harms; i++) {
        scene s;
        kiln_ref ref = {0};
        kiln_status found = harms[i / 2].found;
        scene_begin_with(&s, i % 2 ? have_no_types : NULL);
        size_t bad_size;
        kiln_buffer image = make_image(harms[i / 2].harm, &bad_size);
        const kiln_index_member good = *member_of(&image, "Thing/a");
        uint64_t bad = good.place + good.stored_size;
        point_to(&image, bad, bad_size);
        scene_mount(&s, image, 0);
        kiln_assets_stats before = scene_stats(&s);
        for (int again = 0; again < 3 && found != KILN_OK; again++) {
            EXPECT_STATUS(found, scene_try_load(&s, "Thing/a", &ref));
            assert_int_equal(bad + harms[i / 2].at, s.error.offset);
            assert_int_equal(0, ref.bits);
            assert_int_equal(before.bytes_owned, scene_stats(&s).bytes_owned);
        }
        /* Correcting the bytes later does not change the result. */
        point_to(&image, good.place, good.stored_size);
        EXPECT_STATUS(found, scene_try_load(&s, "Thing/a", &ref));
        assert_int_equal(found == KILN_OK ? 1 : 0, scene_value_of(&s, ref));
        scene_clear(&s, &ref);
        scene_end(&s);
    }
}

static void nothing_is_decompressed_without_types_to_check(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        scene s;
        kiln_ref ref = {0};
        kiln_status found = known ? KILN_OK : KILN_NO_TYPES;
        scene_begin_with(&s, known ? NULL : have_no_types);
        size_t unused;
        kiln_buffer image = make_image(HARM_NONE, &unused);
        index_of(&image)->type_table = 0;
        rehash(image.data);
        scene_mount(&s, image, 0);
        for (int again = 0; again < 2; again++) {
            EXPECT_STATUS(found, scene_try_load(&s, "Thing/a", &ref));
            assert_int_equal(known, scene_value_of(&s, ref));
            scene_clear(&s, &ref);
        }
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_after_decompression_is_reported_each_time),
        cmocka_unit_test(nothing_is_decompressed_without_types_to_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
