/* Random schemas and values are baked, dumped as YAML, and baked again to the same bytes.
 *
 *     round_trips [--seed N] [--assets M] [--folder FOLDER]
 *
 * Each round uses a new schema, until M assets have been compared. Round R of seed N is the first
 * round of `--seed N+R`, so a failing round can be repeated alone. Its files stay in the folder. */
#define _XOPEN_SOURCE 700

#include "bake_main.h"
#include "insp_main.h"
#include "random_trace.h"
#include "scratch_folder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMED_TYPES = 50, ASSETS_A_TYPE = 48 };

typedef struct totals {
    uint64_t rounds, assets, values, bytes;
} totals;

static FILE *open_file(const char *name, const char *mode)
{
    FILE *file = fopen(name, mode);
    if (!file) {
        perror(name);
        exit(2);
    }
    return file;
}

static void count_values(const random_datum *datum, totals *t)
{
    t->values++;
    for (uint32_t i = 0; i < datum->count; i++) {
        count_values(datum->items[i], t);
        if (datum->keys)
            count_values(datum->keys[i], t);
    }
}

static void write_inputs(uint64_t seed, totals *t)
{
    random_schema *schema = random_schema_create(seed, NAMED_TYPES, ASSETS_A_TYPE);
    FILE *file = open_file("s.yaml", "wb");
    random_schema_write(schema, file);
    fclose(file);
    file = open_file("data.yaml", "wb");
    random_document_begin(schema);
    for (uint32_t i = 0; i < schema->named_count; i++) {
        const random_type *type = schema->named[i];
        if (type->asset_count)
            fprintf(file, "%s:\n", type->name);
        for (uint32_t j = 0; j < type->asset_count; j++) {
            random_datum *datum = random_datum_make(schema, type, 0);
            count_values(datum, t);
            t->assets++;
            fputs("  ", file);
            random_asset_id_write(schema, j, file);
            fputc(':', file);
            random_datum_write_block(schema, datum, NULL, 2, file);
        }
    }
    fclose(file);
    random_schema_destroy(schema);
}

static bool bake(char *from, char *to)
{
    char *arguments[] = {(char *)"kiln-bake", (char *)"-q", (char *)"-s", (char *)"s.yaml",
                         (char *)"-o",        to,           from,         NULL};
    return bake_main(7, arguments, stdout, stderr) == 0;
}

static bool dump(char *from, const char *to)
{
    char *arguments[] = {(char *)"kiln-inspect", (char *)"dump", (char *)"--format",
                         (char *)"yaml",         from,           NULL};
    FILE *file = open_file(to, "wb");
    int code = insp_main(5, arguments, file, stderr);
    return fclose(file) == 0 && code == INSP_OK;
}

static bool is_equal(const char *a_name, const char *b_name, totals *t)
{
    FILE *a = open_file(a_name, "rb"), *b = open_file(b_name, "rb");
    static char a_data[65536], b_data[65536];
    size_t a_size, b_size;
    bool equal = true;
    do {
        a_size = fread(a_data, 1, sizeof a_data, a);
        b_size = fread(b_data, 1, sizeof b_data, b);
        equal = equal && a_size == b_size && memcmp(a_data, b_data, a_size) == 0;
        t->bytes += a_size;
    } while (equal && a_size > 0);
    fclose(a);
    fclose(b);
    return equal;
}

/* Returns NULL if the bytes are the same, else the reason. */
static const char *go_around(uint64_t seed, totals *t)
{
    char data[] = "data.yaml", first[] = "first.kiln", dumped[] = "dump.yaml";
    char second[] = "second.kiln";
    t->rounds++;
    write_inputs(seed, t);
    if (!bake(data, first))
        return "baking the data failed";
    if (!dump(first, dumped))
        return "dumping the file failed";
    if (!bake(dumped, second))
        return "baking the dump failed";
    return is_equal(first, second, t) ? NULL : "first.kiln and second.kiln differ";
}

/* Enters `folder`, or a scratch folder if `folder` is NULL. Returns the absolute path, or NULL on
 * failure. */
static const char *enter(const char *folder)
{
    static char entered[4096];
    if (!folder)
        return scratch_folder_enter("kiln-round-trips", SCRATCH_MEMORY);
    mkdir(folder, 0777);
    return chdir(folder) == 0 ? getcwd(entered, sizeof entered) : NULL;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, assets = 1;
    const char *folder = NULL;
    totals t = {0};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--assets") == 0)
            assets = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--folder") == 0)
            folder = argv[i + 1];
        else
            return 2;
    }
    const char *entered = argc % 2 == 0 ? NULL : enter(folder);
    if (!entered)
        return 2;
    const char *wrong = NULL;
    while (!wrong && t.assets < assets) {
        wrong = go_around(seed + t.rounds, &t);
        if (wrong)
            fprintf(stderr, "seed %" PRIu64 ": %s; the files are in %s\n", seed + t.rounds - 1,
                    wrong, entered);
    }
    printf("%s: seeds %" PRIu64 " to %" PRIu64 ", %" PRIu64 " schemas, %" PRIu64 " assets, %" PRIu64
           " values, %" PRIu64 " bytes\n",
           wrong ? "FAILED" : "the same bytes", seed, seed + t.rounds - 1, t.rounds, t.assets,
           t.values, t.bytes);
    /* The files of a failure are kept, and so is a folder given with --folder. */
    bool is_left = wrong || folder || scratch_folder_leave();
    return wrong || !is_left;
}
