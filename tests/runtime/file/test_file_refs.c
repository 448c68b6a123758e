/* Hand-made files with one error in their references, or in members without assets: which of
 * several errors the full check reports, and for which asset. */
#include "file_fixture.h"

#include "file_member.h"

#include <kiln/blob_header.h>
#include <kiln/builder.h>
#include <string.h>

static const kiln_verify_level levels[3] = {KILN_VERIFY_NONE, KILN_VERIFY_HASH, KILN_VERIFY_DEEP};

typedef struct links {
    kiln_array first, second; /* kiln_id */
    uint32_t mark;            /* assets with the same value share a member */
} links;

enum { T_U32, T_REF, T_REFS, T_LINKS, T_COUNT };

static kiln_types *links_types(void)
{
    static const kiln_member fields[] = {{.name = "first", .type = T_REFS},
                                         {.name = "second", .type = T_REFS},
                                         {.name = "mark", .type = T_U32}};
    static const kiln_type described[T_COUNT] = {
        [T_U32] = {.kind = KILN_KIND_U32, .element = KILN_TYPE_NONE, .key = KILN_TYPE_NONE},
        [T_REF] = {.kind = KILN_KIND_REF, .element = T_LINKS, .key = KILN_TYPE_NONE},
        [T_REFS] = {.kind = KILN_KIND_ARRAY, .element = T_REF, .key = KILN_TYPE_NONE},
        [T_LINKS] = {.name = "test.Links",
                     .flags = KILN_TYPE_ASSET,
                     .kind = KILN_KIND_STRUCT,
                     .element = KILN_TYPE_NONE,
                     .key = KILN_TYPE_NONE,
                     .members = fields,
                     .member_count = 3}};
    kiln_types *types = NULL;
    assert_int_equal(KILN_OK, kiln_types_create(NULL, described, T_COUNT, &types, NULL));
    return types;
}

/* An asset with at most one reference in each list; NULL for an empty list. */
typedef struct made {
    const char *name, *first, *second;
    uint32_t mark;
} made;

static void refer(kiln_builder *builder, kiln_array *list, const char *name)
{
    if (!name)
        return;
    kiln_id *ref = kiln_builder_array(builder, list, 1, sizeof *ref, 8);
    assert_non_null(ref);
    *ref = kiln_asset_id(name, strlen(name));
}

/* A file with `count` assets. Links/x and Links/y become imports if something refers to them. */
static kiln_buffer make_file(const made *assets, size_t count)
{
    kiln_types *types = links_types();
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    builder_def.types = def.types = types;
    assert_int_equal(KILN_OK, kiln_builder_create(&builder_def, &builder));
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_import(writer, "Links/x"));
    assert_int_equal(KILN_OK, kiln_file_writer_import(writer, "Links/y"));
    for (size_t i = 0; i < count; i++) {
        kiln_buffer blob = {0};
        links *root = kiln_builder_root(builder, sizeof *root, _Alignof(links));
        assert_non_null(root);
        refer(builder, &root->first, assets[i].first);
        refer(builder, &root->second, assets[i].second);
        root->mark = assets[i].mark;
        assert_int_equal(KILN_OK,
                         kiln_builder_finish(builder, T_LINKS, KILN_FLAG_CANONICAL, &blob, NULL));
        assert_int_equal(KILN_OK, kiln_file_writer_add(writer, assets[i].name, T_LINKS,
                                                       (kiln_span){blob.data, blob.size}, NULL));
        kiln_buffer_fini(&blob);
        kiln_builder_reset(builder);
    }
    kiln_buffer image = {0};
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &image, NULL));
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
    return image;
}

static const kiln_index *index_of(const kiln_buffer *image)
{
    return (const void *)(image->data + KILN_HEADER_SIZE);
}

static uint32_t number_of(const kiln_buffer *image, const char *name)
{
    uint32_t number = kiln_index_find(index_of(image), kiln_asset_id(name, strlen(name)));
    assert_true(number != KILN_ASSET_NONE);
    return number;
}

static uint64_t place_of(const kiln_buffer *image, const char *name)
{
    const kiln_index *index = index_of(image);
    uint32_t member = kiln_index_asset_at(index, number_of(image, name))->member;
    return kiln_index_member_at(index, member)->place;
}

/* The only reference in a list, as writable bytes of the image. */
static unsigned char *ref_at(const kiln_buffer *image, const kiln_array *list)
{
    assert_int_equal(1, list->count);
    return fixture_writable(image->data, kiln_relative_get(list, list->offset));
}

static links *links_of(const kiln_buffer *image, const char *name)
{
    return (void *)(image->data + place_of(image, name) + KILN_HEADER_SIZE);
}

static void set_edge(const kiln_buffer *image, uint32_t asset, uint32_t at, uint32_t number)
{
    uint32_t count = 0;
    const uint32_t *edges = kiln_index_edges(index_of(image), asset, &count);
    assert_true(at < count);
    memcpy(fixture_writable(image->data, edges + at), &number, sizeof number);
}

/* `at` and `name` are compared only for errors. */
static void expect_verify(const kiln_buffer *image, kiln_verify_level level, kiln_status status,
                          uint64_t at, const char *name)
{
    kiln_file *file = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    assert_int_equal(KILN_OK,
                     fixture_open(image->data, image->size, KILN_VERIFY_NONE, &file, NULL));
    kiln_status found = kiln_file_verify(file, level, &error);
    assert_string_equal(kiln_status_name(status), kiln_status_name(found));
    assert_int_equal(status, error.status);
    if (status != KILN_OK) {
        assert_int_equal(at, error.offset);
        assert_string_equal(name, error.path);
    }
    kiln_file_close(file);
}

static void the_first_unlisted_reference_is_reported(void **state)
{
    (void)state;
    static const made assets[] = {{"Links/a", "Links/x", "Links/y", 0}};
    for (int swapped = 0; swapped < 2; swapped++) {
        kiln_buffer image = make_file(assets, 1);
        expect_verify(&image, KILN_VERIFY_DEEP, KILN_OK, 0, "");
        links *root = links_of(&image, "Links/a");
        unsigned char *one = ref_at(&image, &root->first), *two = ref_at(&image, &root->second);
        uint64_t place = place_of(&image, "Links/a");
        one[0] ^= 1;
        two[0] ^= 1;
        /* Each list refers to the other's element. */
        uint32_t apart = offsetof(links, second) - offsetof(links, first);
        uint32_t from_first = root->second.offset + apart, from_second = root->first.offset - apart;
        if (swapped) {
            root->first.offset = from_first;
            root->second.offset = from_second;
        }
        fixture_rehash_member(image.data, place);
        expect_verify(&image, KILN_VERIFY_DEEP, KILN_I_REFS,
                      (uint64_t)((one < two ? one : two) - image.data), "Links/a");
        kiln_buffer_fini(&image);
    }
}

static void a_dangling_reference_is_found_in_a_file_without_imports(void **state)
{
    (void)state;
    static const made assets[] = {{"Links/a", "Links/b", NULL, 0}, {"Links/b", NULL, NULL, 1}};
    kiln_buffer image = make_file(assets, 2);
    assert_int_equal(0, index_of(&image)->imports.count);
    expect_verify(&image, KILN_VERIFY_DEEP, KILN_OK, 0, "");
    unsigned char *ref = ref_at(&image, &links_of(&image, "Links/a")->first);
    ref[0] ^= 1;
    fixture_rehash_member(image.data, place_of(&image, "Links/a"));
    expect_verify(&image, KILN_VERIFY_DEEP, KILN_I_REFS, (uint64_t)(ref - image.data), "Links/a");
    kiln_buffer_fini(&image);
}

/* Two assets share a member with two references. Each asset lists an edge to a different one of the
 * two targets, and no other edge. */
static void the_first_failure_among_assets_of_a_member_is_reported(void **state)
{
    (void)state;
    static const made assets[] = {{"Links/a", "Links/x", "Links/y", 0},
                                  {"Links/b", "Links/x", "Links/y", 0}};
    kiln_buffer image = make_file(assets, 2);
    const kiln_index *index = index_of(&image);
    assert_int_equal(4, index->edges.count);
    assert_int_equal(kiln_index_asset_at(index, 0)->member, kiln_index_asset_at(index, 1)->member);
    expect_verify(&image, KILN_VERIFY_DEEP, KILN_OK, 0, "");
    set_edge(&image, 0, 0, 0);
    set_edge(&image, 0, 1, 2);
    set_edge(&image, 1, 0, 0);
    set_edge(&image, 1, 1, 3);
    fixture_rehash(image.data);
    const links *root = links_of(&image, "Links/a");
    const unsigned char *missing = ref_at(&image, &root->first);
    kiln_id id = kiln_index_import_at(index, 1)->id;
    if (memcmp(missing, &id, sizeof id) != 0)
        missing = ref_at(&image, &root->second);
    expect_verify(&image, KILN_VERIFY_DEEP, KILN_I_REFS, (uint64_t)(missing - image.data),
                  kiln_string_get(&kiln_index_asset_at(index, 0)->name));
    kiln_buffer_fini(&image);
}

/* An asset may refer to itself, and then lists itself. */
static void an_asset_that_refers_to_itself_lists_itself(void **state)
{
    (void)state;
    static const made assets[] = {{"Links/a", "Links/a", NULL, 0}, {"Links/b", "Links/a", NULL, 1}};
    kiln_buffer image = make_file(assets, 2);
    uint32_t a = number_of(&image, "Links/a"), b = number_of(&image, "Links/b");
    expect_verify(&image, KILN_VERIFY_DEEP, KILN_OK, 0, "");
    set_edge(&image, a, 0, b);
    fixture_rehash(image.data);
    const unsigned char *ref = ref_at(&image, &links_of(&image, "Links/a")->first);
    expect_verify(&image, KILN_VERIFY_DEEP, KILN_I_REFS, (uint64_t)(ref - image.data), "Links/a");
    kiln_buffer_fini(&image);
}

static uint64_t edge_place(const kiln_buffer *image, uint32_t number)
{
    const kiln_index *index = index_of(image);
    const uint32_t *edges = kiln_relative_get(&index->edges, index->edges.offset);
    return (uint64_t)((const unsigned char *)&edges[number] - image->data);
}

/* Both references of an asset become the target of its first edge, or of its second. The other edge
 * is then not needed. */
static void an_edge_that_no_reference_needs_is_found(void **state)
{
    (void)state;
    static const made assets[] = {{"Links/a", "Links/x", "Links/y", 0},
                                  {"Links/b", "Links/a", NULL, 1}};
    for (uint32_t i = 0; i < 2; i++) {
        kiln_buffer image = make_file(assets, 2);
        links *root = links_of(&image, "Links/a");
        uint32_t count, a = number_of(&image, "Links/a");
        const uint32_t *edges = kiln_index_edges(index_of(&image), a, &count);
        kiln_id id = kiln_index_edge_id(index_of(&image), edges[i]);
        assert_int_equal(2, count);
        memcpy(ref_at(&image, &root->first), &id, sizeof id);
        memcpy(ref_at(&image, &root->second), &id, sizeof id);
        fixture_rehash_member(image.data, place_of(&image, "Links/a"));
        uint64_t at = (uint64_t)((const unsigned char *)(edges + 1 - i) - image.data);
        char path[] = "edges[0]";
        path[6] = (char)('0' + (at - edge_place(&image, 0)) / 4);
        expect_verify(&image, KILN_VERIFY_HASH, KILN_OK, 0, "");
        expect_verify(&image, KILN_VERIFY_DEEP, KILN_I_EDGE_UNUSED, at, path);
        kiln_buffer_fini(&image);
    }
}

/* Two assets share a member that refers to one import. One of them also lists an edge to another
 * import, before or after the needed edge. */
static void an_edge_that_only_one_asset_of_a_member_has_is_found(void **state)
{
    (void)state;
    static const made assets[] = {{"Links/a", "Links/x", "Links/y", 0},
                                  {"Links/b", "Links/x", "Links/y", 0}};
    /* Imports have the numbers 2 and 3. The member refers to `needed`. */
    static const struct {
        uint32_t starts[3], edges[3], needed, unused;
    } rows[] = {{{0, 1, 3}, {2, 2, 3}, 2, 2},
                {{0, 1, 3}, {3, 2, 3}, 3, 1},
                {{0, 2, 3}, {2, 3, 2}, 2, 1},
                {{0, 2, 3}, {2, 3, 3}, 3, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer image = make_file(assets, 2);
        kiln_index *index = (void *)(image.data + KILN_HEADER_SIZE);
        links *root = links_of(&image, "Links/a");
        kiln_id id = kiln_index_edge_id(index, rows[i].needed);
        memcpy(ref_at(&image, &root->first), &id, sizeof id);
        memcpy(ref_at(&image, &root->second), &id, sizeof id);
        fixture_rehash_member(image.data, place_of(&image, "Links/a"));
        memcpy(image.data + edge_place(&image, 0), rows[i].edges, sizeof rows[i].edges);
        memset(image.data + edge_place(&image, 3), 0, 4);
        index->edges.count = 3;
        memcpy(fixture_writable(image.data,
                                kiln_relative_get(&index->edge_starts, index->edge_starts.offset)),
               rows[i].starts, sizeof rows[i].starts);
        fixture_rehash(image.data);
        char path[] = "edges[0]";
        path[6] = (char)('0' + rows[i].unused);
        expect_verify(&image, KILN_VERIFY_DEEP, KILN_I_EDGE_UNUSED,
                      edge_place(&image, rows[i].unused), path);
        kiln_buffer_fini(&image);
    }
}

static void set_kind(unsigned char *blob, kiln_blob_kind kind)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    kiln_header_write(blob, (header.flags & ~KILN_FLAG_KIND_MASK) | kiln_kind_flags(kind),
                      header.payload_size, header.layout);
}

/* A file in which the member of Links/b becomes a dictionary. The lists of dictionaries and of
 * edges share an array with a single number: that of the member, which is also that of the asset to
 * which Links/a refers. */
static kiln_buffer file_with_dictionary(uint64_t *ret_place)
{
    static const made assets[] = {
        {"Links/a", "Links/c", NULL, 0}, {"Links/b", NULL, NULL, 1}, {"Links/c", NULL, NULL, 2}};
    kiln_buffer image = make_file(assets, 3);
    kiln_index *index = (void *)(image.data + KILN_HEADER_SIZE);
    uint32_t b = number_of(&image, "Links/b"), c = number_of(&image, "Links/c");
    uint32_t number = kiln_index_asset_at(index, b)->member;
    uint32_t other = kiln_index_asset_at(index, c)->member;
    uint64_t place = kiln_index_member_at(index, number)->place;
    assert_true(number < 3);
    assert_int_equal(1, index->edges.count);
    memcpy(fixture_writable(image.data, &kiln_index_asset_at(index, b)->member), &other,
           sizeof other);
    set_edge(&image, number_of(&image, "Links/a"), 0, number);
    kiln_id id = kiln_index_id(index, number);
    memcpy(ref_at(&image, &links_of(&image, "Links/a")->first), &id, sizeof id);
    index->dictionaries = index->edges;
    index->dictionaries.offset -=
        (uint32_t)(offsetof(kiln_index, dictionaries) - offsetof(kiln_index, edges));
    set_kind(image.data + place, KILN_BLOB_DICTIONARY);
    fixture_rehash_member(image.data, place_of(&image, "Links/a"));
    fixture_rehash_member(image.data, place);
    *ret_place = place;
    return image;
}

static void members_of_no_asset_are_checked(void **state)
{
    (void)state;
    enum { DICTIONARY, TABLE };
    static const struct {
        int which;
        kiln_blob_kind kind;
        unsigned char flip; /* in the hash */
        kiln_status found[3];
        uint64_t at;
    } rows[] = {
        {DICTIONARY, KILN_BLOB_DICTIONARY, 0, {KILN_OK, KILN_OK, KILN_OK}, 0},
        {DICTIONARY, KILN_BLOB_DICTIONARY, 1, {KILN_OK, KILN_H_HASH, KILN_H_HASH}, 24},
        {DICTIONARY, KILN_BLOB_ASSET, 0, {KILN_H_KIND, KILN_H_KIND, KILN_H_KIND}, 6},
        {TABLE, KILN_BLOB_TYPE_TABLE, 0, {KILN_OK, KILN_OK, KILN_OK}, 0},
        {TABLE, KILN_BLOB_TYPE_TABLE, 1, {KILN_OK, KILN_H_HASH, KILN_H_HASH}, 24},
        {TABLE, KILN_BLOB_ASSET, 0, {KILN_H_KIND, KILN_H_KIND, KILN_H_KIND}, 6},
    };
    for (size_t i = 0; i < 3 * (sizeof rows / sizeof *rows); i++) {
        size_t row = i / 3, level = i % 3;
        uint64_t place;
        kiln_buffer image = file_with_dictionary(&place);
        const kiln_index *index = index_of(&image);
        if (rows[row].which == TABLE)
            place = kiln_index_member_at(index, index->type_table - 1)->place;
        set_kind(image.data + place, rows[row].kind);
        fixture_rehash_member(image.data, place);
        image.data[place + 24] ^= rows[row].flip;
        expect_verify(&image, levels[level], rows[row].found[level], place + rows[row].at, "");
        kiln_buffer_fini(&image);
    }
}

/* No member is compressed with it, so the full check uses it first. */
static void a_dictionary_that_no_member_needs_is_checked(void **state)
{
    (void)state;
    static const unsigned char begins[4] = {0x37, 0xa4, 0x30, 0xec};
    uint64_t place;
    kiln_buffer image = file_with_dictionary(&place);
    memcpy(image.data + place + KILN_HEADER_SIZE, begins, sizeof begins);
    fixture_rehash_member(image.data, place);
    expect_verify(&image, KILN_VERIFY_HASH, KILN_OK, 0, "");
    expect_verify(&image, KILN_VERIFY_DEEP, KILN_I_DICTIONARY, place, "");
    kiln_buffer_fini(&image);
}

typedef struct watch {
    kiln_file *file;
    uint32_t member;
    int refs, busy;
} watch;

static void note_busy(void *ctx, kiln_id id, uint64_t offset)
{
    (void)id;
    (void)offset;
    watch *w = ctx;
    w->refs++;
    w->busy += (atomic_load(&w->file->verdicts[w->member]) & VERDICT_BUSY) != 0;
}

static void a_member_is_busy_only_while_it_is_checked(void **state)
{
    (void)state;
    static const made assets[] = {{"Links/a", "Links/x", "Links/y", 0}};
    kiln_buffer image = make_file(assets, 1);
    watch w = {.member = kiln_index_asset_at(index_of(&image), 0)->member};
    kiln_file_refs refs = {note_busy, &w};
    assert_int_equal(KILN_OK,
                     fixture_open(image.data, image.size, KILN_VERIFY_DEEP, &w.file, NULL));
    for (int again = 1; again <= 2; again++) {
        assert_int_equal(KILN_OK, kiln_file_check_asset(w.file, 0, LEVEL_VALUES, &refs, NULL));
        assert_int_equal(2 * again, w.refs);
        assert_int_equal(2 * again, w.busy);
        assert_int_equal(LEVEL_VALUES, atomic_load(&w.file->verdicts[w.member]));
    }
    kiln_file_close(w.file);
    kiln_buffer_fini(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_unlisted_reference_is_reported),
        cmocka_unit_test(a_dangling_reference_is_found_in_a_file_without_imports),
        cmocka_unit_test(the_first_failure_among_assets_of_a_member_is_reported),
        cmocka_unit_test(an_asset_that_refers_to_itself_lists_itself),
        cmocka_unit_test(an_edge_that_no_reference_needs_is_found),
        cmocka_unit_test(an_edge_that_only_one_asset_of_a_member_has_is_found),
        cmocka_unit_test(members_of_no_asset_are_checked),
        cmocka_unit_test(a_dictionary_that_no_member_needs_is_checked),
        cmocka_unit_test(a_member_is_busy_only_while_it_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
