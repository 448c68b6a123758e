/* Assets that are not used in place: decompressed from compressed members, or converted from an
 * older layout. */
#include "asset_fixture.h"

#include <kiln/builder.h>
#include <kiln/type_table.h>
#include <string.h>

/* The fields of letters before stamps existed. */
enum { NEW_STAMP = 7 };

enum { T_STRING, T_U16, T_U32, T_MOOD, T_LETTER, T_COUNT };

typedef struct older_letter {
    kiln_string text;
    uint16_t number;
    uint8_t mood;
} older_letter;

typedef struct test_letter {
    uint32_t stamp;
    uint32_t number;
    kiln_string text;
    uint8_t mood;
} test_letter;

/* The letter type in a list of types. */
typedef enum letters {
    LETTERS_OLDER,    /* older_letter */
    LETTERS_NOW,      /* test_letter */
    LETTERS_MORE,     /* older_letter, whose mood has one more value */
    LETTERS_RENAMED,  /* older_letter with the name test.Note and its earlier name */
    LETTERS_NARROWER, /* older_letter with a number of 8 bits */
    LETTERS_OTHER     /* no letter type */
} letters;

static kiln_types *letter_types(letters which)
{
    static const kiln_member moods[] = {
        {.name = "dry", .value = 1}, {.name = "warm", .value = 2}, {.name = "wild", .value = 3}};
    static const kiln_member older[] = {{.name = "text", .type = T_STRING},
                                        {.name = "number", .type = T_U16},
                                        {.name = "mood", .type = T_MOOD}};
    static const kiln_member now[] = {{.name = "stamp", .type = T_U32},
                                      {.name = "number", .type = T_U32},
                                      {.name = "text", .type = T_STRING},
                                      {.name = "mood", .type = T_MOOD}};
    static const char *const was[] = {"test.Letter"};
    const kiln_type unnamed = {.element = KILN_TYPE_NONE, .key = KILN_TYPE_NONE};
    kiln_type types[T_COUNT] = {unnamed, unnamed, unnamed, unnamed, unnamed};
    types[T_STRING].kind = KILN_KIND_STRING;
    types[T_U16].kind = which == LETTERS_NARROWER ? KILN_KIND_U8 : KILN_KIND_U16;
    types[T_U32].kind = KILN_KIND_U32;
    types[T_MOOD].name = "test.Mood";
    types[T_MOOD].kind = KILN_KIND_ENUM;
    types[T_MOOD].base = KILN_KIND_U8;
    types[T_MOOD].members = moods;
    types[T_MOOD].member_count = which == LETTERS_MORE ? 3 : 2;
    types[T_LETTER].name = "test.Letter";
    types[T_LETTER].kind = KILN_KIND_STRUCT;
    types[T_LETTER].flags = KILN_TYPE_ASSET;
    types[T_LETTER].members = which == LETTERS_NOW ? now : older;
    types[T_LETTER].member_count = which == LETTERS_NOW ? 4 : 3;
    if (which == LETTERS_RENAMED) {
        types[T_LETTER].name = "test.Note";
        types[T_LETTER].was = was;
        types[T_LETTER].was_count = 1;
    }
    if (which == LETTERS_OTHER)
        types[T_LETTER].name = "test.Other";
    kiln_types *made = NULL;
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, types, T_COUNT, &made, NULL));
    static const uint32_t stamp = NEW_STAMP;
    if (which == LETTERS_NOW)
        EXPECT_STATUS(KILN_OK, kiln_types_set_default(made, T_LETTER, 0,
                                                      (kiln_span){&stamp, sizeof stamp}, NULL));
    return made;
}

/* Long enough to be worth compressing. */
static const char long_text[] =
    "The kiln is warm, the kiln is warm, the kiln is warm, and all the pots are in a row; the kiln "
    "is warm, the kiln is warm, the kiln is warm, and all the pots are in a row, a row, a row.";

static kiln_buffer letter_blob(const kiln_types *types, uint32_t number, bool is_older)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = types;
    kiln_builder *builder = NULL;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    kiln_string *text;
    if (is_older) {
        older_letter *letter = kiln_builder_root(builder, sizeof *letter, 4);
        assert_non_null(letter);
        letter->number = (uint16_t)number;
        letter->mood = 2;
        text = &letter->text;
    } else {
        test_letter *letter = kiln_builder_root(builder, sizeof *letter, 4);
        assert_non_null(letter);
        letter->stamp = 9;
        letter->number = number;
        letter->mood = 2;
        text = &letter->text;
    }
    assert_true(kiln_builder_string(builder, text, long_text, strlen(long_text)));
    kiln_buffer blob = {0};
    EXPECT_STATUS(KILN_OK, kiln_builder_finish(builder, kiln_types_find(types, "test.Letter"),
                                               KILN_FLAG_CANONICAL, &blob, NULL));
    kiln_builder_destroy(builder);
    return blob;
}

/* `Letter/a` with the number, `Letter/b` with the same content, `Letter/c` with the number plus
 * one. */
static kiln_buffer letter_file(letters which, int level, uint32_t number, bool omit_type_table)
{
    static const char *const names[] = {"Letter/a", "Letter/b", "Letter/c"};
    kiln_types *types = letter_types(which);
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = types;
    def.omit_type_table = omit_type_table;
    kiln_file_writer *writer = NULL;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_compress(writer, level, NULL));
    for (uint32_t i = 0; i < 3; i++) {
        kiln_buffer blob = letter_blob(types, number + (i == 2), which != LETTERS_NOW);
        EXPECT_STATUS(KILN_OK,
                      kiln_file_writer_take(writer, names[i], kiln_types_find(types, "test.Letter"),
                                            &blob, NULL));
    }
    kiln_buffer image = {0};
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(writer, &image, NULL));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    return image;
}

static kiln_buffer program_table;

static void use_letters(kiln_assets_def *def)
{
    def->types = program_table.data;
    def->types_size = program_table.size;
}

static void forbid(kiln_assets_def *def)
{
    use_letters(def);
    def->forbid_conversion = true;
}

/* An asset table of a program with these types and one mounted file. */
static void begin(scene *s, letters program, void (*change)(kiln_assets_def *def),
                  kiln_buffer image)
{
    kiln_types *types = letter_types(program);
    program_table = (kiln_buffer){0};
    EXPECT_STATUS(KILN_OK, kiln_type_table_write(NULL, types, &program_table, NULL));
    kiln_types_destroy(types);
    scene_begin_with(s, change);
    scene_mount(s, image, 0);
}

static void end(scene *s)
{
    scene_end(s);
    kiln_buffer_fini(&program_table);
}

static kiln_asset_info info_of(scene *s, kiln_ref ref)
{
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s->assets, ref, &info));
    return info;
}

static void expect_now(scene *s, kiln_ref ref, uint32_t stamp, uint32_t number)
{
    const test_letter *letter = info_of(s, ref).root;
    assert_int_equal(stamp, letter->stamp);
    assert_int_equal(number, letter->number);
    assert_int_equal(2, letter->mood);
    assert_string_equal(long_text, kiln_string_get(&letter->text));
}

static void a_compressed_asset_has_memory_of_its_own(void **state)
{
    (void)state;
    scene s;
    begin(&s, LETTERS_NOW, use_letters, letter_file(LETTERS_NOW, 3, 40, false));
    uint64_t before = scene_stats(&s).bytes_owned;
    kiln_ref a = scene_load(&s, "Letter/a"), b = scene_load(&s, "Letter/b");
    expect_now(&s, a, 9, 40);
    assert_int_equal(KILN_ASSET_UNPACKED, info_of(&s, a).memory);
    /* Equal members are stored once in the file and once in memory. */
    assert_ptr_equal(info_of(&s, a).root, info_of(&s, b).root);
    assert_int_equal(before + info_of(&s, a).size, scene_stats(&s).bytes_owned);
    scene_clear(&s, &b);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, kiln_ref_move(&a)));
    assert_true(scene_stats(&s).bytes_owned > before); /* Letter/b still uses the bytes */
    b = scene_load(&s, "Letter/b");
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, kiln_ref_move(&b)));
    assert_int_equal(before, scene_stats(&s).bytes_owned);
    a = scene_load(&s, "Letter/a");
    expect_now(&s, a, 9, 40);
    scene_clear(&s, &a);
    end(&s);
}

static const kiln_allocator *below;
static size_t watched_size, watched;

static void *watching_alloc(void *ctx, size_t size, size_t align)
{
    watched += size == watched_size;
    return below->alloc(ctx, size, align);
}

static kiln_allocator watching;

static void watch(kiln_assets_def *def)
{
    use_letters(def);
    below = def->allocator;
    watching = *below;
    watching.alloc = watching_alloc;
    def->allocator = &watching;
}

static void a_shared_member_is_decompressed_once(void **state)
{
    (void)state;
    scene s;
    begin(&s, LETTERS_NOW, watch, letter_file(LETTERS_NOW, 0, 40, false));
    kiln_ref a = scene_load(&s, "Letter/a"), b = scene_load(&s, "Letter/b");
    kiln_ref c = scene_load(&s, "Letter/c");
    watched_size = (size_t)info_of(&s, a).size;
    watched = 0;
    kiln_mount patch = scene_mount(&s, letter_file(LETTERS_NOW, 3, 50, false), 0);
    assert_int_equal(2, watched); /* Letter/a, which shares with Letter/b, and Letter/c */
    expect_now(&s, a, 9, 50);
    expect_now(&s, b, 9, 50);
    expect_now(&s, c, 9, 51);
    assert_ptr_equal(info_of(&s, a).root, info_of(&s, b).root);
    scene_unmount(&s, patch);
    expect_now(&s, b, 9, 40);
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    scene_clear(&s, &c);
    watched_size = 0;
    end(&s);
}

static void an_older_layout_is_converted(void **state)
{
    (void)state;
    for (int level = 0; level <= 3; level += 3) {
        scene s;
        begin(&s, LETTERS_NOW, use_letters, letter_file(LETTERS_OLDER, level, 65535, false));
        kiln_ref a = scene_load(&s, "Letter/a"), c = scene_load(&s, "Letter/c");
        expect_now(&s, a, NEW_STAMP, 65535);
        expect_now(&s, c, NEW_STAMP, 0);
        assert_int_equal(KILN_ASSET_CONVERTED, info_of(&s, a).memory);
        assert_int_equal(2, scene_stats(&s).conversions);
        kiln_types *types = letter_types(LETTERS_NOW);
        kiln_root_type type = {"test.Letter", 0};
        type.layout = kiln_types_get(types, kiln_types_find(types, type.name))->layout;
        kiln_types_destroy(types);
        assert_non_null(kiln_assets_root(s.assets, a, &type, NULL));
        scene_clear(&s, &c);
        EXPECT_STATUS(KILN_OK, scene_dispose(&s, kiln_ref_move(&a)));
        end(&s);
    }
}

static void a_newer_patch_over_an_older_file_and_back(void **state)
{
    (void)state;
    scene s;
    begin(&s, LETTERS_NOW, use_letters, letter_file(LETTERS_OLDER, 0, 1, false));
    kiln_ref a = scene_load(&s, "Letter/a");
    kiln_mount patch = scene_mount(&s, letter_file(LETTERS_NOW, 3, 70000, false), 1);
    expect_now(&s, a, 9, 70000);
    scene_unmount(&s, patch);
    expect_now(&s, a, NEW_STAMP, 1);
    scene_clear(&s, &a);
    end(&s);
}

static void an_equal_layout_is_used_in_place(void **state)
{
    (void)state;
    scene s;
    begin(&s, LETTERS_MORE, use_letters, letter_file(LETTERS_OLDER, 0, 5, false));
    kiln_ref a = scene_load(&s, "Letter/a");
    assert_int_equal(KILN_ASSET_MAPPED, info_of(&s, a).memory);
    assert_int_equal(5, ((const older_letter *)info_of(&s, a).root)->number);
    scene_clear(&s, &a);
    end(&s);
}

static void a_type_is_found_by_its_earlier_name(void **state)
{
    (void)state;
    scene s;
    begin(&s, LETTERS_RENAMED, use_letters, letter_file(LETTERS_OLDER, 0, 5, false));
    kiln_ref a = scene_load(&s, "Letter/a");
    assert_string_equal("test.Note", info_of(&s, a).type);
    assert_int_equal(5, ((const older_letter *)info_of(&s, a).root)->number);
    scene_clear(&s, &a);
    end(&s);
}

static void a_type_unknown_to_the_program_stays_unchanged(void **state)
{
    (void)state;
    scene s;
    begin(&s, LETTERS_OTHER, use_letters, letter_file(LETTERS_OLDER, 0, 5, false));
    kiln_ref a = scene_load(&s, "Letter/a");
    assert_int_equal(KILN_ASSET_MAPPED, info_of(&s, a).memory);
    scene_clear(&s, &a);
    end(&s);
}

/* Fails to load `Letter/a` and leaves the table unchanged. */
static void expect_refusal(letters program, void (*change)(kiln_assets_def *def), kiln_buffer image,
                           kiln_status status, const char *path)
{
    scene s;
    kiln_ref ref = {0};
    begin(&s, program, change, image);
    kiln_assets_stats before = scene_stats(&s);
    EXPECT_FAILURE(&s, status, path, scene_try_load(&s, "Letter/a", &ref));
    kiln_assets_stats after = scene_stats(&s);
    assert_memory_equal(&before, &after, sizeof before);
    end(&s);
}

static void inconvertible_assets_are_rejected_with_the_reason(void **state)
{
    (void)state;
    expect_refusal(LETTERS_NARROWER, use_letters, letter_file(LETTERS_OLDER, 0, 5, false),
                   KILN_UNREADABLE_NARROW, "Letter/a: test.Letter.number");
    expect_refusal(LETTERS_NOW, forbid, letter_file(LETTERS_OLDER, 0, 5, false), KILN_TYPE_MISMATCH,
                   "Letter/a");
    expect_refusal(LETTERS_NOW, use_letters, letter_file(LETTERS_OLDER, 0, 5, true), KILN_NO_TYPES,
                   "Letter/a: test.Letter");
}

/* The offset and size of the last member in the file. */
static const kiln_index_member *last_member(const kiln_buffer *image)
{
    kiln_index_frame frame;
    EXPECT_STATUS(KILN_OK,
                  kiln_index_frame_read(&(kiln_file_head){image->data, image->size, image->size},
                                        true, &frame, NULL));
    return kiln_index_member_at(frame.index, frame.index->members.count - 1);
}

static void every_flipped_stored_byte_is_rejected(void **state)
{
    (void)state;
    kiln_buffer image = letter_file(LETTERS_NOW, 3, 40, false);
    const kiln_index_member *member = last_member(&image);
    size_t place = (size_t)member->place, size = (size_t)member->stored_size;
    kiln_buffer_fini(&image);
    for (size_t i = 0; i < size; i++) {
        scene s;
        kiln_ref ref = {0};
        image = letter_file(LETTERS_NOW, 3, 40, false);
        image.data[place + i] ^= (unsigned char)(1u << (i % 8));
        begin(&s, LETTERS_NOW, use_letters, image);
        EXPECT_FAILURE(&s, KILN_I_STORED, "Letter/c", scene_try_load(&s, "Letter/c", &ref));
        kiln_ref a = scene_load(&s, "Letter/a");
        scene_clear(&s, &a);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compressed_asset_has_memory_of_its_own),
        cmocka_unit_test(a_shared_member_is_decompressed_once),
        cmocka_unit_test(an_older_layout_is_converted),
        cmocka_unit_test(a_newer_patch_over_an_older_file_and_back),
        cmocka_unit_test(an_equal_layout_is_used_in_place),
        cmocka_unit_test(a_type_is_found_by_its_earlier_name),
        cmocka_unit_test(a_type_unknown_to_the_program_stays_unchanged),
        cmocka_unit_test(inconvertible_assets_are_rejected_with_the_reason),
        cmocka_unit_test(every_flipped_stored_byte_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
