/* The `verify` command: checks every rule on the given files.
 *
 * Findings are results, so they are printed to standard output, unlike the messages of other
 * commands. All files are checked, even after a broken one, and the most severe exit code is
 * returned. */
#include "insp_check.h"
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_message.h"
#include "insp_number.h"
#include "insp_open.h"

#include <inttypes.h>
#include <string.h>

static void put_path(insp_out *out, const char *path)
{
    insp_put_escaped(out, path, strlen(path));
    insp_put(out, ": ");
}

/* The findings of one file that have been printed. */
typedef struct printed {
    insp_run *run;
    uint64_t count;
} printed;

/* The command_data of a run. */
typedef struct verified {
    uint32_t files; /* whose JSON has begun */
} verified;

static void on_finding(void *ctx, const insp_file *file, const insp_finding *finding)
{
    printed *p = ctx;
    insp_run *run = p->run;
    if (run->options.max_errors && p->count == run->options.max_errors)
        return;
    p->count++;
    if (insp_wants_json(run)) {
        insp_put(&run->out, p->count > 1 ? ",\n      " : "\n      ");
        insp_put_finding_json(&run->out, file, finding);
        return;
    }
    put_path(&run->out, file->path);
    insp_put_finding(&run->out, file, finding);
    insp_put_char(&run->out, '\n');
}

static const char *blob_word(const insp_file *file)
{
    switch (kiln_header_kind(&file->header)) {
    case KILN_BLOB_ASSET:
        return "single asset blob";
    case KILN_BLOB_TYPE_TABLE:
        return "type table";
    case KILN_BLOB_DICTIONARY:
        return "dictionary";
    default:
        return "blob";
    }
}

static void print_good(insp_run *run, const insp_check *check)
{
    const insp_file *file = check->file;
    char assets[INSP_NUMBER_SIZE], members[INSP_NUMBER_SIZE];
    put_path(&run->out, file->path);
    insp_format_count(assets, file->asset_count);
    insp_format_count(members, file->member_count);
    if (kiln_header_kind(&file->header) == KILN_BLOB_INDEX)
        insp_putf(&run->out, "ok (%s asset%s, %s member%s)", assets,
                  file->asset_count == 1 ? "" : "s", members, file->member_count == 1 ? "" : "s");
    else
        insp_putf(&run->out, "ok (%s)", blob_word(file));
    /* State what `ok` does not cover. */
    if (check->untyped)
        insp_put(&run->out, "; values not checked: their types are not in the file");
    if (check->unchecked_scenes)
        insp_putf(&run->out,
                  "; rows of %" PRIu32 " scene%s not checked: "
                  "chunks in another file, or shared by too many scenes",
                  check->unchecked_scenes, check->unchecked_scenes == 1 ? "" : "s");
    insp_put_char(&run->out, '\n');
}

static void begin_json(insp_run *run, const insp_file *file)
{
    verified *v = run->command_data;
    bool is_file = file->has_header && kiln_header_kind(&file->header) == KILN_BLOB_INDEX;
    insp_put(&run->out, v->files++ ? ",\n    {\"file\": " : "\n    {\"file\": ");
    insp_put_json_string(&run->out, file->path, strlen(file->path));
    insp_putf(&run->out, ", \"size\": %zu, \"kind\": ", file->size);
    insp_putf(&run->out, file->has_header ? "\"%s\"" : "null",
              is_file ? "file with an index" : blob_word(file));
    insp_putf(&run->out, ", \"assets\": %" PRIu32 ", \"members\": %" PRIu32 ", \"errors\": [",
              file->asset_count, file->member_count);
}

static void end_json(insp_run *run, const insp_check *check, uint64_t count)
{
    insp_putf(&run->out,
              "%s], \"error_count\": %" PRIu32 ", \"untyped\": %" PRIu32
              ", \"unchecked_scenes\": %" PRIu32 "}",
              count ? "\n    " : "", check->findings, check->untyped, check->unchecked_scenes);
}

static int verify_file(insp_run *run, const insp_file *file)
{
    printed p = {run, 0};
    insp_check check = {.file = file,
                        .on_finding = on_finding,
                        .ctx = &p,
                        .jobs = run->options.jobs,
                        .max_findings = run->options.max_errors};
    char more[INSP_NUMBER_SIZE];
    if (insp_wants_json(run))
        begin_json(run, file);
    if (insp_check_file(&check) != KILN_OK)
        return insp_no_memory(run);
    if (insp_wants_json(run)) {
        end_json(run, &check, p.count);
        return check.findings ? INSP_BAD : INSP_OK;
    }
    if (check.findings > p.count) {
        insp_format_count(more, check.findings - p.count);
        put_path(&run->out, file->path);
        insp_putf(&run->out, "%s more error%s (--max-errors)\n", more,
                  check.findings - p.count == 1 ? "" : "s");
    }
    if (check.findings)
        return INSP_BAD;
    print_good(run, &check);
    return INSP_OK;
}

static int verify_files(insp_run *run)
{
    int worst = INSP_OK, i;
    verified v = {0};
    run->command_data = &v;
    if (insp_wants_json(run))
        insp_put(&run->out, "{\n  \"format\": 1,\n  \"files\": [");
    for (i = 0; i < run->options.argument_count; i++)
        worst = insp_worse(worst, insp_with_file(run, run->options.arguments[i], verify_file));
    if (insp_wants_json(run))
        insp_put(&run->out, v.files ? "\n  ]\n}\n" : "]\n}\n");
    run->command_data = NULL;
    return worst;
}

const insp_command insp_verify_command = {
    .name = "verify",
    .arguments = "FILE...",
    .help = "check every rule on every byte",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json ",
    .options = "--max-errors --jobs -j ",
    .run = verify_files,
};
