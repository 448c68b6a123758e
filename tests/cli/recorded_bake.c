/* Runs kiln-bake with a record, as a project runs a step, and prints records.
 *
 * `recorded_bake bake ARGUMENT...` stores the record in state/steps/step. `recorded_bake dump
 * FILE...` prints a line for each path of the records: a kind and the path in hexadecimal. The
 * kinds are `read`; `missing`, `file`, `folder`, `other` (examined); `list` (with names); `names`
 * (read for hints); and `output`. */
#include "bake_options.h"
#include "record_file.h"
#include "record_store.h"
#include "recorded_run.h"

#include <stdio.h>
#include <string.h>

static void print(const char *kind, const char *path)
{
    printf("%s ", kind);
    for (; *path; path++)
        printf("%02x", (unsigned)(unsigned char)*path);
    putchar('\n');
}

static const char *kind_of(const record_path *path)
{
    static const char *const kinds[] = {"missing", "file", "folder", "other"};
    return path->is_read ? "read" : kinds[path->kind];
}

static int dump(const char *path)
{
    bake_record *record = bake_record_load(path);
    if (!record) {
        fprintf(stderr, "%s is not a record\n", path);
        return 1;
    }
    for (size_t i = 0; i < record->path_count; i++)
        print(kind_of(&record->paths[i]), record->paths[i].path);
    for (size_t i = 0; i < record->list_count; i++)
        print(record->lists[i].most ? "names" : "list", record->lists[i].path);
    for (size_t i = 0; i < record->output_count; i++)
        print("output", record->outputs[i].path);
    bake_record_destroy(record);
    return 0;
}

static int bake(size_t count, const char *const *arguments)
{
    bake_store store = {0};
    bake_failure failure = {BAKE_OK, ""};
    bake_options options;
    bake_result result = bake_options_parse(&options, &store, count, arguments, &failure);
    bake_recorded_def def = {&options, "state", "step", false, true, NULL, ""};
    if (result)
        fprintf(stderr, "%s\n", failure.text);
    else
        result = bake_recorded_run(&def, stderr);
    bake_store_fini(&store);
    return (int)result;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "bake") == 0)
        return bake((size_t)argc - 2, (const char *const *)argv + 2);
    int result = argc > 2 ? 0 : 2;
    for (int i = 2; i < argc && !result; i++)
        result = dump(argv[i]);
    return result;
}
