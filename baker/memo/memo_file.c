#include "memo_file.h"

#include "bake_memory.h"
#include "file_overwrite.h"
#include "folder_tree.h"
#include "hash.h"
#include "hash_equal.h"
#include "memo_memory.h"
#include "memo_paths.h"

#include <errno.h>
#include <string.h>

enum { VERSION = 8 };
static const char magic[8] = {'K', 'I', 'L', 'N', 'M', 'E', 'M', 'O'};

typedef struct memo_header {
    char magic[8];
    uint32_t version;
    uint32_t forms;                /* 0 or `rows` */
    KILN_ALIGNAS(8) uint64_t hash; /* of the rest of the header and of the lists */
    kiln_hash128 key;
    kiln_hash128 schema_rest;
    bake_memo_scenes scenes;
    uint32_t rows, assets, files, parents, targets, kinds, payloads, aliases, alias_text, paths,
        uses, zero;
    KILN_ALIGNAS(8) uint64_t text;
    KILN_ALIGNAS(8) uint64_t size; /* of the whole file */
} memo_header;

enum { HASHED_FROM = offsetof(memo_header, key) };
_Static_assert(sizeof(memo_header) == 152, "memo_file.h: header");
_Static_assert(sizeof(bake_memo_asset) == 64 && sizeof(bake_memo_source) == 16,
               "rows have no padding");
_Static_assert(sizeof(bake_memo_kind) == 40 && sizeof(bake_node_form) == 32 &&
                   sizeof(bake_memo_payload) == 32 && sizeof(bake_memo_alias) == 24 &&
                   sizeof(bake_memo_used) == 8 && sizeof(bake_memo_use) == 12,
               "rows have no padding");

/* A part of the file after the header. */
typedef struct memo_part {
    void *data;
    size_t size;
} memo_part;

enum { PARTS = 12 };

static void list_parts(const bake_memo *memo, memo_part parts[PARTS])
{
    parts[0] = (memo_part){memo->all, memo->count * sizeof *memo->all};
    parts[1] = (memo_part){memo->files, memo->file_count * sizeof *memo->files};
    parts[2] = (memo_part){memo->parents, memo->parent_count * sizeof *memo->parents};
    parts[3] = (memo_part){memo->targets, memo->target_count * sizeof *memo->targets};
    parts[4] = (memo_part){memo->kinds, memo->kind_count * sizeof *memo->kinds};
    parts[5] = (memo_part){memo->forms, memo->form_count * sizeof *memo->forms};
    parts[6] = (memo_part){memo->payloads, memo->payload_count * sizeof *memo->payloads};
    parts[7] = (memo_part){memo->aliases, memo->alias_count * sizeof *memo->aliases};
    parts[8] = (memo_part){memo->paths, memo->path_count * sizeof *memo->paths};
    parts[9] = (memo_part){memo->uses, memo->use_count * sizeof *memo->uses};
    parts[10] = (memo_part){memo->alias_texts, memo->alias_size};
    parts[11] = (memo_part){memo->texts, memo->text_size};
}

static uint64_t hash_of(const memo_header *header, const memo_part parts[PARTS])
{
    uint64_t hash =
        kiln_hash64((const char *)header + HASHED_FROM, sizeof *header - HASHED_FROM, VERSION);
    for (int i = 0; i < PARTS; i++)
        hash = kiln_hash64(parts[i].data, parts[i].size, hash);
    return hash;
}

/* ---- reading ---- */

static bool is_text(const bake_memo *memo, uint32_t at, uint32_t length)
{
    return at < memo->text_size && length < memo->text_size - at &&
           memo->texts[at + length] == '\0' && !memchr(memo->texts + at, 0, length);
}

static bool is_alias_text(const bake_memo *memo, uint32_t at, uint32_t length)
{
    return at < memo->alias_size && length < memo->alias_size - at &&
           memo->alias_texts[at + length] == '\0' && !memchr(memo->alias_texts + at, 0, length);
}

static bool are_aliases_valid(const bake_memo *memo)
{
    bool ok = true;
    for (uint32_t i = 0; i < memo->alias_count && ok; i++) {
        const bake_memo_alias *alias = &memo->aliases[i];
        bool has_file = alias->kind >= BAKE_MEMO_GUID;
        ok = alias->kind <= BAKE_MEMO_CONTEXT &&
             (has_file ? alias->file < memo->file_count : alias->file == BAKE_MEMO_NO_FILE) &&
             is_alias_text(memo, alias->name, alias->name_length) &&
             is_alias_text(memo, alias->to, alias->to_length);
    }
    return ok;
}

static bool are_paths_valid(const bake_memo *memo)
{
    bool ok = true;
    for (uint32_t i = 0; i < memo->path_count && ok; i++)
        ok = is_alias_text(memo, memo->paths[i].path, memo->paths[i].path_length);
    for (uint32_t i = 0; i < memo->use_count && ok; i++) {
        const bake_memo_use *use = &memo->uses[i];
        ok = use->path < memo->path_count && use->kind <= BAKE_MEMO_BY_MESSAGES &&
             (use->kind != BAKE_MEMO_BY_FILE || use->number < memo->file_count) &&
             (use->kind != BAKE_MEMO_BY_ROW || use->number < memo->count);
    }
    return ok;
}

static bool are_valid(const bake_memo *memo)
{
    bool ok =
        memo->scenes.prefab_count <= memo->count && memo->asset_count <= bake_memo_prefabs_at(memo);
    for (uint32_t i = 0; i < memo->file_count && ok; i++)
        ok = is_text(memo, memo->files[i].path, memo->files[i].path_length);
    for (uint32_t i = 0; i < memo->parent_count && ok; i++)
        ok = memo->parents[i] < memo->count;
    for (uint32_t i = 0; i < memo->payload_count && ok; i++)
        ok = memo->payloads[i].row < memo->asset_count &&
             (i == 0 || memo->payloads[i - 1].row <= memo->payloads[i].row);
    for (uint32_t i = 0; i < memo->count && ok; i++) {
        const bake_memo_asset *row = &memo->all[i];
        ok = row->file < memo->file_count && row->first_parent <= memo->parent_count &&
             row->parent_count <= memo->parent_count - row->first_parent &&
             row->first_target <= memo->target_count &&
             row->target_count <= memo->target_count - row->first_target &&
             is_text(memo, row->name, row->name_length);
    }
    return ok;
}

static bool is_header(const memo_header *header, size_t size, kiln_hash128 key)
{
    return memcmp(header->magic, magic, sizeof magic) == 0 && header->version == VERSION &&
           (header->forms == 0 || header->forms == header->rows) && header->size == size &&
           bake_hash_equal(header->key, key);
}

bake_memo *bake_memo_read(const void *data, size_t size, kiln_hash128 key)
{
    memo_header header;
    memo_part parts[PARTS];
    errno = EINVAL;
    if (size < sizeof header)
        return NULL;
    memcpy(&header, data, sizeof header);
    const char *lists = (const char *)data + sizeof header;
    size -= sizeof header;
    memo_counts counts = {header.rows,    header.assets,     header.files,
                          header.parents, header.targets,    header.kinds,
                          header.text,    header.forms,      header.payloads,
                          header.aliases, header.alias_text, header.scenes.prefab_count,
                          header.paths,   header.uses};
    if (!is_header(&header, size + sizeof header, key) || header.text > size ||
        bake_memo_size(&counts) != size)
        return NULL;
    bake_memo *memo = bake_memo_create(&counts);
    if (!memo) {
        errno = ENOMEM;
        return NULL;
    }
    list_parts(memo, parts);
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].size)
            memcpy(parts[i].data, lists, parts[i].size);
        lists += parts[i].size;
    }
    memo->schema_rest = header.schema_rest;
    memo->scenes = header.scenes;
    if (header.hash == hash_of(&header, parts) && are_valid(memo) && are_aliases_valid(memo) &&
        are_paths_valid(memo))
        return memo;
    bake_memo_destroy(memo);
    errno = EINVAL;
    return NULL;
}

bake_memo *bake_memo_load(const char *path, kiln_hash128 key)
{
    bake_gateway *gateway = bake_gateway_create(NULL);
    bake_file_state state = {0};
    size_t size;
    if (!gateway) {
        errno = ENOMEM;
        return NULL;
    }
    (void)bake_file_look(NULL, path, &state);
    bake_gateway_set_input_max(gateway, 0);
    const char *data =
        bake_gateway_is_regular(gateway, path) ? bake_gateway_read(gateway, path, &size) : NULL;
    bake_memo *memo = data ? bake_memo_read(data, size, key) : NULL;
    int error = errno;
    /* A file that has changed since then has another state. */
    if (memo)
        memo->state = state;
    bake_gateway_destroy(gateway);
    errno = error;
    return memo;
}

/* ---- writing ---- */

/* Lists the lists in `parts`, too. */
static memo_header make_header(const bake_memo *memo, kiln_hash128 key, memo_part parts[PARTS])
{
    memo_counts counts = {memo->count,        memo->asset_count,  memo->file_count,
                          memo->parent_count, memo->target_count, memo->kind_count,
                          memo->text_size,    memo->form_count,   memo->payload_count,
                          memo->alias_count,  memo->alias_size,   memo->scenes.prefab_count,
                          memo->path_count,   memo->use_count};
    memo_header header = {.version = VERSION,
                          .key = key,
                          .forms = counts.forms,
                          .rows = counts.rows,
                          .assets = counts.assets,
                          .files = counts.files,
                          .parents = counts.parents,
                          .targets = counts.targets,
                          .kinds = counts.kinds,
                          .payloads = counts.payloads,
                          .aliases = counts.aliases,
                          .alias_text = counts.alias_text,
                          .paths = counts.paths,
                          .uses = counts.uses,
                          .schema_rest = memo->schema_rest,
                          .scenes = memo->scenes,
                          .text = counts.text,
                          .size = bake_memo_size(&counts) + sizeof header};
    memcpy(header.magic, magic, sizeof magic);
    list_parts(memo, parts);
    header.hash = hash_of(&header, parts);
    return header;
}

static bool write_file(const memo_header *header, const memo_part parts[PARTS],
                       bake_gateway *gateway, const char *path)
{
    const char *failed;
    bake_output *output = bake_output_begin(gateway, path);
    bool done = output && bake_output_write(output, header, sizeof *header);
    for (int i = 0; i < PARTS && done; i++)
        done = bake_output_write(output, parts[i].data, parts[i].size);
    if (done)
        return bake_gateway_commit(gateway, false, false, &failed);
    int error = errno;
    bake_gateway_discard_outputs(gateway);
    errno = error;
    return false;
}

bool bake_memo_save(const bake_memo *memo, kiln_hash128 key, bake_gateway *gateway,
                    const char *path)
{
    memo_part parts[PARTS];
    memo_header header = make_header(memo, key, parts);
    return write_file(&header, parts, gateway, path);
}

/* Changes the file of the memo `before`. */
static bool overwrite(const memo_header *header, const memo_part parts[PARTS],
                      const bake_memo *before, const char *path)
{
    memo_part old[PARTS];
    bake_overwrite_part all[PARTS + 1] = {{NULL, header, sizeof *header}};
    list_parts(before, old);
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].size != old[i].size)
            return false;
        all[i + 1] = (bake_overwrite_part){old[i].data, parts[i].data, parts[i].size};
    }
    return bake_file_overwrite(path, &before->state, all, PARTS + 1);
}

bool bake_memo_save_again(const bake_memo *memo, const bake_memo *before, kiln_hash128 key,
                          bake_gateway *gateway, const char *path)
{
    memo_part parts[PARTS];
    memo_header header = make_header(memo, key, parts);
    if (overwrite(&header, parts, before, path))
        return true;
    /* As in bake_record_save_again. */
    (void)bake_remove_file(path);
    return write_file(&header, parts, gateway, path);
}
