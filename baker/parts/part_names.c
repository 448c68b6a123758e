#include "part_names.h"

#include "bake_memory.h"
#include "hash.h"
#include "record_bytes.h"

#include <errno.h>
#include <kiln/version.h>
#include <string.h>

enum { HEADER_SIZE = 32, VERSION = 1 };
static const unsigned char magic[8] = {'K', 'I', 'L', 'N', 'N', 'A', 'M', 'E'};

void bake_part_names_destroy(bake_part_names *names)
{
    if (!names)
        return;
    bake_store_fini(&names->store);
    bake_free(names);
}

/* ---- writing ---- */

static void put_body(record_writer *w, const bake_part_names *names)
{
    record_put_string(w, kiln_version());
    record_put(w, names->scene_work);
    record_put(w, names->has_scenes);
    record_put(w, names->has_redirects);
    record_put(w, names->has_clusters);
    record_put(w, names->name_count);
    for (size_t i = 0; i < names->name_count; i++) {
        const bake_part_name *name = &names->names[i];
        record_put_text(w, name->name, name->length);
        record_put_text(w, name->type, name->type_length);
        record_put(w, name->is_abstract);
        record_put(w, name->is_part);
        record_put(w, name->is_scene);
    }
    record_put(w, names->input_count);
    for (size_t i = 0; i < names->input_count; i++) {
        const bake_part_input *input = &names->inputs[i];
        record_put_string(w, input->path);
        record_put_string(w, input->argument);
        record_put(w, input->is_listed);
        record_put(w, input->is_context);
        record_put(w, input->need_count);
        for (size_t k = 0; k < input->need_count; k++)
            record_put(w, input->needs[k]);
    }
    record_put(w, names->guid_count);
    for (size_t i = 0; i < names->guid_count; i++) {
        record_put_text(w, names->guids[i].guid, names->guids[i].length);
        record_put_string(w, names->guids[i].path);
        record_put(w, names->guids[i].is_input);
    }
}

bool bake_part_names_write(const bake_part_names *names,
                           bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    unsigned char header[HEADER_SIZE] = {0};
    record_writer w = {0};
    put_body(&w, names);
    memcpy(header, magic, sizeof magic);
    header[8] = VERSION;
    record_store(header + 16, w.size);
    record_store(header + 24, w.failed ? 0 : kiln_hash64(w.data, w.size, 0));
    return record_write(&w, (kiln_span){header, sizeof header}, (kiln_span){0}, write, ctx);
}

/* ---- reading ---- */

static void get_names(record_reader *r, bake_part_names *names)
{
    size_t count = record_get_count(r);
    names->names = record_get_rows(r, count, sizeof *names->names);
    for (size_t i = 0; i < count && names->names && !r->failed; i++) {
        bake_part_name *name = &names->names[i];
        name->name = record_get_text(r, &name->length);
        name->type = record_get_text(r, &name->type_length);
        name->is_abstract = record_get_bool(r);
        name->is_part = record_get_bool(r);
        name->is_scene = record_get_bool(r);
        r->failed = r->failed || strlen(name->name) != name->length ||
                    strlen(name->type) != name->type_length ||
                    !kiln_asset_name_is_valid(name->name, name->length);
    }
    names->name_count = count;
}

static void get_inputs(record_reader *r, bake_part_names *names)
{
    size_t count = record_get_count(r);
    names->inputs = record_get_rows(r, count, sizeof *names->inputs);
    for (size_t i = 0; i < count && names->inputs && !r->failed; i++) {
        bake_part_input *input = &names->inputs[i];
        input->path = record_get_string(r);
        input->argument = record_get_string(r);
        input->is_listed = record_get_bool(r);
        input->is_context = record_get_bool(r);
        input->need_count = record_get_count(r);
        uint32_t *needs = record_get_rows(r, input->need_count + 1, sizeof *needs);
        for (size_t k = 0; k < input->need_count && needs; k++)
            needs[k] = (uint32_t)record_get_below(r, count);
        input->needs = needs;
    }
    names->input_count = count;
}

static void get_guids(record_reader *r, bake_part_names *names)
{
    size_t count = record_get_count(r);
    names->guids = record_get_rows(r, count, sizeof *names->guids);
    for (size_t i = 0; i < count && names->guids && !r->failed; i++) {
        names->guids[i].guid = record_get_text(r, &names->guids[i].length);
        names->guids[i].path = record_get_string(r);
        names->guids[i].is_input = record_get_bool(r);
    }
    names->guid_count = count;
}

static void get_body(record_reader *r, bake_part_names *names)
{
    r->failed = strcmp(record_get_string(r), kiln_version()) != 0 || r->failed;
    names->scene_work = record_get(r);
    names->has_scenes = record_get_bool(r);
    names->has_redirects = record_get_bool(r);
    names->has_clusters = record_get_bool(r);
    get_names(r, names);
    get_inputs(r, names);
    get_guids(r, names);
    r->failed = r->failed || r->left != 0;
}

/* Whether the header is that of a whole file of this version. */
static bool is_header(const unsigned char *bytes, size_t size)
{
    static const unsigned char version[8] = {VERSION};
    return size >= HEADER_SIZE && memcmp(bytes, magic, sizeof magic) == 0 &&
           memcmp(bytes + 8, version, sizeof version) == 0 &&
           record_load(bytes + 16) == size - HEADER_SIZE &&
           record_load(bytes + 24) == kiln_hash64(bytes + HEADER_SIZE, size - HEADER_SIZE, 0);
}

bake_part_names *bake_part_names_read(const void *data, size_t size)
{
    if (!is_header(data, size)) {
        errno = EINVAL;
        return NULL;
    }
    bake_part_names *names = bake_alloc_array(1, sizeof *names);
    if (!names) {
        errno = ENOMEM;
        return NULL;
    }
    record_reader r = {.next = (const unsigned char *)data + HEADER_SIZE,
                       .left = size - HEADER_SIZE,
                       .store = &names->store};
    get_body(&r, names);
    if (!r.failed && !names->store.failed)
        return names;
    int error = names->store.failed ? ENOMEM : EINVAL;
    bake_part_names_destroy(names);
    errno = error;
    return NULL;
}

/* ---- looking up ---- */

uint32_t bake_part_names_find(const bake_part_names *names, const char *argument, size_t first)
{
    for (size_t i = 0; i < names->input_count; i++) {
        size_t at = (first + i) % names->input_count;
        if (strcmp(names->inputs[at].argument, argument) == 0)
            return (uint32_t)at;
    }
    return UINT32_MAX;
}

bool bake_part_names_close(const bake_part_names *names, bool *wanted)
{
    uint32_t *stack = bake_alloc_array(names->input_count + 1, sizeof *stack);
    size_t top = 0;
    if (!stack)
        return false;
    for (size_t i = 0; i < names->input_count; i++) {
        wanted[i] = wanted[i] || names->inputs[i].is_context;
        if (wanted[i])
            stack[top++] = (uint32_t)i;
    }
    while (top > 0) {
        const bake_part_input *input = &names->inputs[stack[--top]];
        for (size_t k = 0; k < input->need_count; k++)
            if (!wanted[input->needs[k]]) {
                wanted[input->needs[k]] = true;
                stack[top++] = input->needs[k];
            }
    }
    bake_free(stack);
    return true;
}
