/* The `find` command: lists the values that match.
 *
 * Only assets that can contain a match are read as values. For a text, these are the assets whose
 * blobs contain its bytes, which a search at the speed of memory finds; for references, those with
 * such an edge in the index. In these assets, types that cannot contain a match are skipped. */
#include "insp_commands.h"
#include "insp_find_list.h"
#include "insp_glob.h"
#include "insp_match.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_type_names.h"
#include "insp_type_reach.h"
#include "insp_unpack.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STEPS_PER_BYTE = 4, STEPS_MIN = 100000, FIRST_PATTERN = 2 };

typedef struct finder {
    insp_run *run;
    const insp_mounts *mounts;
    insp_match match;
    insp_patterns patterns; /* of assets; none: all */
    insp_find_list list;
    insp_walk walk;
    bool *wanted; /* for `type`: the matching types of the current file */
    bool *reach;  /* the types of the current file that can contain a match */
    insp_hit hit; /* with the current asset */
    uint32_t unread;
    bool failed; /* memory ran out */
} finder;

static bool visit_value(insp_walk *walk, const insp_step *step, const kiln_value *value,
                        bool is_key)
{
    finder *f = walk->ctx;
    if (f->wanted ? f->wanted[value->type] : insp_match_is(&f->match, value)) {
        f->hit.step = step;
        f->hit.value = value;
        f->hit.is_key = is_key;
        f->failed = f->failed || !insp_find_list_put(&f->list, &f->hit);
    }
    f->failed = f->failed || f->match.failed;
    walk->stopped = walk->stopped || f->failed || f->run->out.error;
    return true;
}

/* ---- selection of assets ---- */

/* Whether the blob contains the bytes of the text. */
static bool blob_has_text(finder *f, const insp_file *file, uint32_t member)
{
    const unsigned char *blob;
    uint64_t size;
    kiln_status status = insp_file_blob(file, member, &blob, &size);
    f->failed = f->failed || status == KILN_NO_MEMORY;
    return status == KILN_OK && insp_needle_is_in(&f->match.needle, blob, (size_t)size);
}

/* What is known about the assets of a member. */
enum { UNREADABLE, EXCLUDED, POSSIBLE };

/* For each member, whether an asset with it can match. Members are in the order of the file, so a
 * search reads it from the beginning to the end. Members that are not in this order are not read,
 * so that the work is linear. */
static unsigned char *select_members(finder *f, const insp_file *file)
{
    unsigned char *states = insp_alloc_array(file->member_count, sizeof *states);
    uint64_t end = 0;
    uint32_t i;
    for (i = 0; states && i < file->member_count && !f->failed; i++) {
        const insp_member *member = insp_member_at(file, i);
        if (!member->in_place || member->place < end)
            continue;
        end = member->place + member->stored_size;
        states[i] =
            f->match.kind != INSP_MATCH_TEXT || blob_has_text(f, file, i) ? POSSIBLE : EXCLUDED;
    }
    f->failed = f->failed || !states;
    return states;
}

static bool has_edge(finder *f, const insp_file *file, const insp_asset *asset)
{
    uint32_t count = 0, i;
    const uint32_t *edges;
    if (f->match.kind != INSP_MATCH_REF || !file->index)
        return true;
    edges = kiln_index_edges(file->index, asset->number, &count);
    for (i = 0; edges && i < count; i++) {
        uint64_t id = kiln_index_edge_id(file->index, edges[i]);
        insp_mounted to = insp_mounts_target(f->mounts, id);
        if (insp_patterns_match(&f->match.patterns,
                                to.asset ? to.asset->name : insp_mounts_name(f->mounts, id)))
            return true;
    }
    return false;
}

static bool is_candidate(finder *f, const insp_file *file, const insp_asset *asset,
                         const unsigned char *members)
{
    insp_mounted at = {file, asset};
    int state = asset->member < file->member_count ? members[asset->member] : UNREADABLE;
    if (f->patterns.count && !insp_patterns_match(&f->patterns, asset->name))
        return false;
    f->unread += state == UNREADABLE;
    return state == POSSIBLE && has_edge(f, file, asset) && insp_mounts_is_visible(f->mounts, at);
}

static int compare_assets(const void *a, const void *b)
{
    const insp_asset *left = *(const insp_asset *const *)a, *right = *(const insp_asset *const *)b;
    int order = insp_text_compare(left->name, right->name);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

/* ---- search ---- */

static void search_asset(finder *f, insp_mounted at)
{
    kiln_value root;
    uint64_t size;
    kiln_status status = insp_asset_root(at.file, at.asset, &root);
    f->failed = f->failed || status == KILN_NO_MEMORY;
    if (status) {
        f->unread++;
        return;
    }
    f->hit = (insp_hit){.at = at};
    /* Succeeds, because the blob of the root was found before. */
    if (insp_file_blob(at.file, at.asset->member, &f->hit.blob, &size) == KILN_OK)
        insp_walk_value(&f->walk, &root);
}

static void search_assets(finder *f, const insp_file *file, const unsigned char *members)
{
    const insp_asset **found = insp_alloc_array(file->asset_count, sizeof *found);
    uint32_t count = 0, i;
    f->failed = f->failed || !found;
    for (i = 0; !f->failed && i < file->asset_count; i++) {
        const insp_asset *asset = insp_numbered_asset(file, i);
        if (is_candidate(f, file, asset, members))
            found[count++] = asset;
    }
    if (count > 1)
        qsort((void *)found, count, sizeof *found, compare_assets);
    for (i = 0; i < count && !f->walk.stopped && !f->failed; i++)
        search_asset(f, (insp_mounted){file, found[i]});
    insp_free((void *)found);
}

/* Finds the types of a file that matter. */
static bool prepare_types(finder *f, const insp_file *file)
{
    uint32_t count = kiln_types_count(file->types), i;
    if (f->match.kind == INSP_MATCH_TYPE) {
        f->wanted = insp_alloc_array(count, sizeof *f->wanted);
        for (i = 0; f->wanted && i < count; i++)
            f->wanted[i] = insp_type_matches(f->match.text, kiln_types_get(file->types, i));
        f->reach = f->wanted ? insp_type_reach(file->types, f->wanted) : NULL;
    } else {
        f->reach = insp_type_reach_kinds(file->types, insp_match_kinds(&f->match));
    }
    f->walk.inside = f->reach;
    return f->reach != NULL;
}

static void search_file(finder *f, const insp_file *file)
{
    unsigned char *members;
    if (!file->types) {
        f->unread += file->asset_count;
        return;
    }
    members = select_members(f, file);
    if (members && prepare_types(f, file))
        search_assets(f, file, members);
    else
        f->failed = true;
    insp_free(members);
    insp_free(f->wanted);
    insp_free(f->reach);
    f->wanted = f->reach = NULL;
}

static int complain(const finder *f)
{
    insp_run *run = f->run;
    if (f->walk.broken)
        insp_complain(run, NULL, "%" PRIu32 " broken value%s; see kiln-inspect verify",
                      f->walk.broken, f->walk.broken == 1 ? "" : "s");
    if (f->unread)
        insp_complain(run, NULL, "the values of %" PRIu32 " asset%s cannot be read", f->unread,
                      f->unread == 1 ? "" : "s");
    if (!f->list.count && !run->out.error)
        insp_complain(run, f->mounts->files[0]->path, "no value matches %.300s", f->match.text);
    return f->walk.broken || f->unread || !f->list.count ? INSP_BAD : INSP_OK;
}

static int search(finder *f)
{
    uint32_t i;
    insp_find_list_begin(&f->list);
    for (i = 0; i < f->mounts->count && !f->walk.stopped && !f->failed; i++)
        search_file(f, f->mounts->files[i]);
    insp_find_list_end(&f->list);
    if (f->failed)
        return insp_no_memory(f->run);
    if (f->walk.stopped)
        insp_out_cut(&f->run->out);
    return complain(f);
}

/* Reads the arguments. Sets `ret_is_ready` if there is something to search. */
static int read_arguments(finder *f, bool *ret_is_ready)
{
    const insp_options *options = &f->run->options;
    int more = options->argument_count - FIRST_PATTERN;
    int result = insp_patterns_init(&f->patterns, f->run, f->mounts,
                                    (const char *const *)options->arguments + FIRST_PATTERN,
                                    more > 0 ? (uint32_t)more : 0);
    int matched = result < INSP_TROUBLE
                      ? insp_match_init(&f->match, f->run, f->mounts, options->arguments[1])
                      : result;
    *ret_is_ready = matched == INSP_OK && (f->patterns.count || more <= 0);
    return insp_worse(result, matched);
}

static int find_values(insp_run *run, const insp_mounts *mounts)
{
    finder f = {.run = run, .mounts = mounts};
    uint64_t limit = run->out.limit;
    bool is_ready;
    int result = read_arguments(&f, &is_ready);
    insp_find_list_init(&f.list, run, mounts);
    f.walk.visit = visit_value;
    f.walk.ctx = &f;
    f.walk.left = limit < UINT64_MAX / STEPS_PER_BYTE - STEPS_MIN
                      ? STEPS_MIN + limit * STEPS_PER_BYTE
                      : UINT64_MAX;
    if (is_ready)
        result = insp_worse(result, search(&f));
    insp_find_list_fini(&f.list);
    insp_match_fini(&f.match);
    insp_patterns_fini(&f.patterns);
    return result;
}

static int find(insp_run *run)
{
    return insp_with_mounts(run, find_values);
}

/* References are selected with the checked index; everything else reads the entries one by one. */
static bool reads_part(const insp_options *options)
{
    return !options->match || strcmp(options->match, "ref") != 0;
}

const insp_command insp_find_command = {
    .name = "find",
    .arguments = "FILE WHAT [PATTERN...]",
    .help = "list values, with paths and offsets",
    .min_arguments = 2,
    .max_arguments = -1,
    .formats = "text json paths offsets ",
    .options = "--match --mount --null -0 ",
    .reads_part = reads_part,
    .run = find,
};
