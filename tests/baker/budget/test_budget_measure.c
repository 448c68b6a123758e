/* Measures of baked files, and of files that are damaged or cannot be read. */
#include "bake_call.h"

#include "budget_measure.h"

#include <kiln/blob_header.h>
#include <kiln/builder.h>
#include <kiln/payload.h>

static const char schema[] =
    "kiln: 1\ntypes:\n"
    "  Level: {struct: {rooms: \"ref<Room>[]\"}, asset: true, cluster: root}\n"
    "  Room: {struct: {text: string}, asset: true, cluster: member}\n"
    "  Place: {struct: {x: f32, name: string}, component: true}\n"
    "files:\n"
    "  - {match: \"*.scene.yaml\", shape: scene}\n"
    "  - {match: \"*.yaml\", shape: kinds}\n";
static const char assets[] =
    "Level: {mill: {rooms: [attic, cellar, attic2]}}\n"
    "Room:\n"
    "  attic: {text: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\n"
    "  attic2: {text: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\n"
    "  cellar: {text: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb}\n";
static const char scene[] = "entities:\n  - {name: a, components: {Place: {x: 1, name: one}}}\n"
                            "  - {name: b, components: {Place: {x: 2, name: two}}}\n";

/* A file in memory. */
typedef struct measured_file {
    unsigned char *data;
    size_t size;
    long reads_left; /* later reads fail; negative: no read fails */
} measured_file;

static bool read_file(void *ctx, uint64_t at, void *to, size_t size)
{
    measured_file *file = ctx;
    if (file->reads_left == 0)
        return false;
    file->reads_left -= file->reads_left > 0;
    if (at > file->size || size > file->size - at)
        return false;
    memcpy(to, file->data + at, size);
    return true;
}

static measured_file bake_file(const char *arguments)
{
    measured_file file = {.reads_left = -1};
    char line[200];
    fixture_write("s.yaml", schema);
    fixture_write("a.yaml", assets);
    fixture_write("s.scene.yaml", scene);
    snprintf(line, sizeof line, "-q -s s.yaml -o f.kiln a.yaml s.scene.yaml %s", arguments);
    bake_well(line);
    file.data = (unsigned char *)fixture_read("f.kiln", &file.size);
    assert_non_null(file.data);
    return file;
}

static kiln_status measure(measured_file *file, bake_measures *measures, kiln_error *reterr)
{
    return bake_measure_file(read_file, file, file->size, measures, reterr);
}

static bake_measures measure_well(measured_file *file)
{
    bake_measures measures = {0};
    kiln_error error;
    assert_int_equal(measure(file, &measures, &error), KILN_OK);
    return measures;
}

static const bake_measured *find(const bake_measures *measures, bake_budget_kind kind,
                                 const char *name)
{
    for (size_t i = 0; i < measures->count; i++)
        if (measures->items[i].kind == kind && strcmp(measures->items[i].name, name) == 0)
            return &measures->items[i];
    fail_msg("no item %s of kind %d", name, kind);
    return NULL;
}

static uint64_t used(const bake_measures *measures, bake_budget_kind kind, const char *name,
                     bake_measure measure)
{
    return find(measures, kind, name)->used[measure];
}

static uint64_t asset(const bake_measures *measures, const char *name, bake_measure measure)
{
    return used(measures, BAKE_BUDGET_ASSET, name, measure);
}

static void sums_count_equal_content_once(void **state)
{
    measured_file file = bake_file("");
    bake_measures m = measure_well(&file);
    (void)state;
    for (int i = 0; i < BAKE_MEASURES; i++) {
        bake_measure of = (bake_measure)i;
        uint64_t attic = asset(&m, "Room/attic", of), cellar = asset(&m, "Room/cellar", of);
        assert_int_equal(attic, asset(&m, "Room/attic2", of));
        assert_true(attic > 60 && cellar > attic);
        assert_int_equal(used(&m, BAKE_BUDGET_TYPE, "Room", of), attic + cellar);
        assert_int_equal(used(&m, BAKE_BUDGET_CLUSTER, "Level/mill", of),
                         asset(&m, "Level/mill", of) + attic + cellar);
    }
    assert_int_equal(find(&m, BAKE_BUDGET_TYPE, "Room")->part_count, 3);
    assert_int_equal(find(&m, BAKE_BUDGET_CLUSTER, "Level/mill")->part_count, 4);
    bake_measures_fini(&m);
    free(file.data);
}

static void scenes_count_with_their_world(void **state)
{
    measured_file file = bake_file("");
    bake_measures m = measure_well(&file);
    uint64_t blob = asset(&m, "Scene/s", BAKE_MEASURE_DISK);
    uint64_t data = asset(&m, "SceneData/s", BAKE_MEASURE_DISK);
    uint64_t rows = asset(&m, "SceneChunks/s", BAKE_MEASURE_DISK);
    /* One block of 8,192 records of 16 bytes, and a pair of mega chunks of 1 MiB; in them, one
     * chunk and two records. */
    uint64_t world = 8192 * 16 + (2 << 20), written = 16384 + 2 * 16;
    (void)state;
    assert_int_equal(asset(&m, "Scene/s", BAKE_MEASURE_RESIDENT), blob + world);
    assert_int_equal(asset(&m, "SceneChunks/s", BAKE_MEASURE_RESIDENT), 0);
    assert_int_equal(used(&m, BAKE_BUDGET_SCENE, "Scene/s", BAKE_MEASURE_DISK), blob + data + rows);
    assert_int_equal(used(&m, BAKE_BUDGET_SCENE, "Scene/s", BAKE_MEASURE_RESIDENT),
                     blob + data + world);
    assert_int_equal(used(&m, BAKE_BUDGET_SCENE, "Scene/s", BAKE_MEASURE_LOAD),
                     blob + data + rows + written);
    bake_measures_fini(&m);
    free(file.data);
}

static void a_bundle_has_its_index_and_all_assets(void **state)
{
    static const char *const names[] = {"Level/mill",        "Room/attic",  "Room/cellar",
                                        "Scene/s",           "SceneData/s", "SceneChunks/s",
                                        "kiln.Clusters/plan"};
    measured_file file = bake_file("");
    bake_measures m = measure_well(&file);
    kiln_blob_header header;
    (void)state;
    memcpy(&header, file.data, sizeof header);
    for (int i = 0; i < BAKE_MEASURES; i++) {
        uint64_t sum = kiln_header_blob_size(&header);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            sum += asset(&m, names[k], (bake_measure)i);
        assert_int_equal(m.items[0].used[i], i == BAKE_MEASURE_DISK ? file.size : sum);
    }
    assert_int_equal(m.items[0].part_count, 8);
    assert_int_equal(m.asset_count, 8);
    bake_measures_fini(&m);
    free(file.data);
}

static void compressed_assets_cost_both_sizes(void **state)
{
    measured_file plain = bake_file(""), packed = bake_file("--compress 5");
    bake_measures p = measure_well(&plain), c = measure_well(&packed);
    uint64_t size = asset(&p, "Room/cellar", BAKE_MEASURE_DISK);
    uint64_t stored = asset(&c, "Room/cellar", BAKE_MEASURE_DISK);
    (void)state;
    assert_true(stored < size);
    assert_int_equal(asset(&c, "Room/cellar", BAKE_MEASURE_RESIDENT), size);
    assert_int_equal(asset(&c, "Room/cellar", BAKE_MEASURE_LOAD), stored + size);
    assert_int_equal(asset(&p, "Room/cellar", BAKE_MEASURE_LOAD), size);
    assert_int_equal(asset(&c, "Scene/s", BAKE_MEASURE_RESIDENT),
                     asset(&p, "Scene/s", BAKE_MEASURE_RESIDENT));
    bake_measures_fini(&p);
    bake_measures_fini(&c);
    free(plain.data);
    free(packed.data);
}

static void an_empty_file_has_only_its_index(void **state)
{
    measured_file file = {.reads_left = -1};
    (void)state;
    fixture_write("s.yaml", schema);
    fixture_write("a.yaml", "{}\n");
    bake_well("-q -s s.yaml -o f.kiln a.yaml");
    file.data = (unsigned char *)fixture_read("f.kiln", &file.size);
    bake_measures m = measure_well(&file);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.items[0].used[BAKE_MEASURE_DISK], file.size);
    assert_true(m.items[0].used[BAKE_MEASURE_LOAD] < file.size);
    bake_measures_fini(&m);
    free(file.data);
}

/* ---- payloads ---- */

static bool read_zeros(void *ctx, uint64_t offset, void *memory, size_t size)
{
    (void)ctx;
    (void)offset;
    memset(memory, 0, size);
    return true;
}

/* Adds an asset that refers to a payload. */
static void add_texture(kiln_file_writer *writer, const kiln_types *types, const char *name,
                        kiln_id payload)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    uint32_t type = kiln_types_find(types, "Texture");
    kiln_error error;
    def.types = types;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    uint64_t *root = kiln_builder_root(builder, 16, 8);
    root[0] = payload;
    root[1] = (uint64_t)name[8];
    assert_int_equal(kiln_file_writer_build(writer, name, type, builder, &error), KILN_OK);
    kiln_builder_destroy(builder);
}

/* A file with 100,000 plain bytes, to which two textures refer, and 50,000 in frames. */
static measured_file write_payloads(void)
{
    static const kiln_member fields[] = {{.name = "data", .type = 1}, {.name = "n", .type = 2}};
    static const kiln_type list[] = {
        {.name = "Texture", .kind = KILN_KIND_STRUCT, .members = fields, .member_count = 2},
        {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
        {.kind = KILN_KIND_U64}};
    const kiln_payload_args args[] = {{.read = read_zeros, .size = 100000},
                                      {.read = read_zeros, .size = 50000, .frame_size = 4096}};
    static const char *const names[] = {"Texture/a", "Texture/b", "Texture/c"};
    kiln_types *plain = NULL, *types = NULL;
    kiln_file_writer *writer = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_buffer buffer = {0};
    kiln_error error;
    measured_file file = {.reads_left = -1};
    assert_int_equal(kiln_types_create(NULL, list, 3, &plain, &error), KILN_OK);
    assert_int_equal(kiln_types_with_payloads(plain, NULL, &types, &error), KILN_OK);
    def.types = types;
    assert_int_equal(kiln_file_writer_create(&def, &writer, &error), KILN_OK);
    for (size_t i = 0; i < 3; i++) {
        kiln_hash128 content;
        char name[KILN_PAYLOAD_NAME_SIZE];
        assert_int_equal(kiln_file_writer_payload(writer, &args[i / 2], &content, &error), KILN_OK);
        kiln_payload_name(content, name);
        add_texture(writer, types, names[i], kiln_asset_id(name, strlen(name)));
    }
    assert_int_equal(kiln_file_writer_finish_buffer(writer, &buffer, &error), KILN_OK);
    file.data = malloc(buffer.size);
    file.size = buffer.size;
    assert_non_null(file.data);
    memcpy(file.data, buffer.data, buffer.size);
    kiln_buffer_fini(&buffer);
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(plain);
    kiln_types_destroy(types);
    return file;
}

static void assets_count_with_their_payloads(void **state)
{
    measured_file file = write_payloads();
    bake_measures m = measure_well(&file);
    uint64_t plain = asset(&m, "Texture/a", BAKE_MEASURE_DISK);
    uint64_t frames = asset(&m, "Texture/c", BAKE_MEASURE_DISK);
    (void)state;
    assert_true(plain > 100000 && plain < 101000 && frames < 10000);
    assert_int_equal(asset(&m, "Texture/b", BAKE_MEASURE_DISK), plain);
    assert_int_equal(asset(&m, "Texture/a", BAKE_MEASURE_RESIDENT), plain);
    assert_int_equal(asset(&m, "Texture/a", BAKE_MEASURE_LOAD), plain);
    assert_true(asset(&m, "Texture/c", BAKE_MEASURE_RESIDENT) > 50000);
    assert_int_equal(asset(&m, "Texture/c", BAKE_MEASURE_LOAD), frames + 50000);
    /* Two blobs, but the data only once. */
    uint64_t blob = used(&m, BAKE_BUDGET_TYPE, "Texture", BAKE_MEASURE_DISK) - plain - frames;
    assert_true(blob >= 48 && blob < 100);
    assert_int_equal(used(&m, BAKE_BUDGET_TYPE, "kiln.Payload", BAKE_MEASURE_DISK),
                     plain + frames - 2 * blob);
    bake_measures_fini(&m);
    free(file.data);
}

static void payload_names_are_not_trusted(void **state)
{
    measured_file file = write_payloads();
    kiln_blob_header header;
    (void)state;
    memcpy(&header, file.data, sizeof header);
    for (size_t at = kiln_header_payload_at(&header); at < kiln_header_blob_size(&header); at++) {
        bake_measures m = {0};
        kiln_error error;
        file.data[at] ^= 0x10;
        kiln_header_write(file.data, header.flags, header.payload_size, header.layout);
        measure(&file, &m, &error);
        bake_measures_fini(&m);
        file.data[at] ^= 0x10;
    }
    free(file.data);
}

/* ---- hostile files ---- */

/* Measures a copy that ends at the end of a heap block, so that sanitizers see reads beyond it. */
static kiln_status measure_part(const measured_file *whole, size_t size)
{
    measured_file part = {malloc(size + !size), size, -1};
    bake_measures m = {0};
    kiln_error error;
    assert_non_null(part.data);
    memcpy(part.data, whole->data, size);
    kiln_status status = measure(&part, &m, &error);
    assert_int_equal(error.status, status);
    bake_measures_fini(&m);
    free(part.data);
    return status;
}

static void every_truncation_is_rejected(void **state)
{
    measured_file whole = bake_file("--compress 5");
    (void)state;
    for (size_t size = 0; size < whole.size; size++)
        if (!measure_part(&whole, size))
            fail_msg("%zu bytes were measured", size);
    free(whole.data);
}

static void every_damaged_byte_is_harmless(void **state)
{
    measured_file file = bake_file("--compress 5");
    kiln_blob_header header;
    size_t rejected = 0;
    (void)state;
    memcpy(&header, file.data, sizeof header);
    for (size_t at = 0; at < file.size; at++) {
        /* Most zeros are in gaps, which are not read. */
        if (at >= kiln_header_blob_size(&header) && file.data[at] == 0)
            continue;
        file.data[at] ^= (unsigned char)(1u << (at % 8));
        rejected += measure_part(&file, file.size) != KILN_OK;
        file.data[at] ^= (unsigned char)(1u << (at % 8));
    }
    /* Each byte of the index but the hash of its header, which kiln_index_check also compares, and
     * the bytes of the scene and the plan. */
    assert_true(rejected > kiln_header_blob_size(&header) + 200);
    free(file.data);
}

/* Later checks must find damage of the index if its hash is correct. */
static void a_forged_index_is_harmless(void **state)
{
    measured_file file = bake_file("--compress 5");
    kiln_blob_header header;
    (void)state;
    memcpy(&header, file.data, sizeof header);
    size_t end = (size_t)kiln_header_blob_size(&header);
    for (size_t at = kiln_header_payload_at(&header); at < end; at++) {
        unsigned char change = at % 3 == 0 ? 0xff : at % 3 == 1 ? 0x01 : 0x80;
        file.data[at] ^= change;
        kiln_header_write(file.data, header.flags, header.payload_size, header.layout);
        measure_part(&file, file.size);
        file.data[at] ^= change;
    }
    free(file.data);
}

static void every_failed_read_is_reported(void **state)
{
    measured_file file = bake_file("--compress 5");
    kiln_status status = KILN_IO;
    long reads = 0;
    (void)state;
    for (; status; reads++) {
        bake_measures m = {0};
        kiln_error error;
        file.reads_left = reads;
        status = measure(&file, &m, &error);
        assert_true(status == KILN_OK || status == KILN_IO);
        bake_measures_fini(&m);
    }
    /* The header, the index, the scene and the plan. */
    assert_true(reads > 4);
    free(file.data);
}

static void any_allocation_can_fail(void **state)
{
    measured_file file = bake_file("--compress 5");
    kiln_status status = KILN_NO_MEMORY;
    (void)state;
    for (long n = 0; status; n++) {
        bake_measures m = {0};
        kiln_error error;
        bake_memory_fail_after(n);
        status = measure(&file, &m, &error);
        bake_memory_fail_after(-1);
        assert_true(status == KILN_OK || status == KILN_NO_MEMORY);
        bake_measures_fini(&m);
    }
    free(file.data);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(sums_count_equal_content_once),
        IN_FOLDER(scenes_count_with_their_world),
        IN_FOLDER(a_bundle_has_its_index_and_all_assets),
        IN_FOLDER(compressed_assets_cost_both_sizes),
        IN_FOLDER(an_empty_file_has_only_its_index),
        cmocka_unit_test(assets_count_with_their_payloads),
        cmocka_unit_test(payload_names_are_not_trusted),
        IN_FOLDER(every_truncation_is_rejected),
        IN_FOLDER(every_damaged_byte_is_harmless),
        IN_FOLDER(a_forged_index_is_harmless),
        IN_FOLDER(every_failed_read_is_reported),
        IN_FOLDER(any_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
