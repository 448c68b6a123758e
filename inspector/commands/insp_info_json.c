/* The JSON of the `info` command. Unlike the text, it lists all types. */
#include "insp_info.h"

#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_redirects.h"

#include <inttypes.h>

static const char *kind_word(const insp_file *file)
{
    switch (kiln_header_kind(&file->header)) {
    case KILN_BLOB_ASSET:
        return "asset";
    case KILN_BLOB_INDEX:
        return "file with an index";
    case KILN_BLOB_TYPE_TABLE:
        return "type table";
    case KILN_BLOB_DICTIONARY:
        return "dictionary";
    default:
        return "unknown";
    }
}

static void put_header(insp_out *out, const insp_file *file)
{
    insp_put(out, "{\n  \"format\": 1,\n  \"file\": ");
    insp_put_json_string(out, file->path, strlen(file->path));
    insp_putf(out, ",\n  \"size\": %zu,\n  \"stated_size\": ", file->size);
    if (file->stated_size)
        insp_putf(out, "%" PRIu64, file->stated_size);
    else
        insp_put(out, "null");
    if (!file->has_header) {
        insp_put(out, ",\n  \"file_format\": null,\n  \"kind\": null,\n  \"layout\": null");
        return;
    }
    insp_putf(out, ",\n  \"file_format\": \"%u.%u\",\n  \"kind\": \"%s\"", file->header.major,
              file->header.minor, kind_word(file));
    insp_putf(out, ",\n  \"layout\": \"%016" PRIx64 "\"", file->header.layout);
}

static void put_types(insp_out *out, const insp_file *file, const insp_info *info)
{
    uint32_t i;
    insp_put(out, ",\n    \"types\": [");
    for (i = 0; i < file->type_name_count && !out->error; i++) {
        insp_text name = insp_type_name_at(file, info->types[i].type_name)->name;
        insp_put(out, i ? ",\n      {\"name\": " : "\n      {\"name\": ");
        insp_put_json_string(out, name.data, name.length);
        insp_putf(out, ", \"assets\": %" PRIu32 ", \"bytes\": %" PRIu64 "}", info->types[i].assets,
                  info->types[i].bytes);
    }
    insp_put(out, file->type_name_count ? "\n    ]" : "]");
}

static void put_table(insp_out *out, const insp_file *file, const insp_info *info)
{
    const insp_member *table = insp_member_at(file, file->table_member);
    insp_put(out, ",\n    \"type_table\": ");
    if (file->table_member == KILN_ASSET_NONE) {
        insp_put(out, "null");
        return;
    }
    insp_putf(out, "{\"bytes\": %" PRIu64 ", \"named_types\": ", table ? table->stored_size : 0);
    if (file->types)
        insp_putf(out, "%" PRIu32 "}", info->named);
    else
        insp_put(out, "null}");
}

static void put_redirects(insp_out *out, const insp_file *file)
{
    uint32_t i, deleted = 0, count = file->redirects ? file->redirects->entries.count : 0;
    for (i = 0; i < count; i++)
        deleted += kiln_redirects_at(file->redirects, i)->target.length == 0;
    insp_putf(out, ",\n    \"redirects\": {\"renamed\": %" PRIu32 ", \"deleted\": %" PRIu32 "}",
              count - deleted, deleted);
}

static void put_members(insp_out *out, const char *name, const insp_member_sum *sum)
{
    insp_putf(out,
              ",\n    \"%s\": {\"members\": %" PRIu32 ", \"size\": %" PRIu64
              ", \"stored\": %" PRIu64 "}",
              name, sum->count, sum->size, sum->stored);
}

static void put_index(insp_out *out, const insp_file *file, const insp_info *info)
{
    uint64_t index_size = kiln_header_blob_size(&file->header);
    uint64_t used = index_size + info->all.stored;
    insp_putf(out, "{\n    \"bytes\": %" PRIu64 ",\n    \"assets\": %" PRIu32, index_size,
              file->asset_count);
    insp_putf(out, ",\n    \"shared_assets\": %" PRIu32, info->shared);
    put_members(out, "asset_members", &info->used);
    put_members(out, "members", &info->all);
    put_members(out, "compressed", &info->compressed);
    put_members(out, "payloads", &info->payloads);
    insp_putf(out, ",\n    \"dictionaries\": %" PRIu32, file->dictionary_count);
    insp_put(out, ",\n    \"gaps\": ");
    /* In a broken file, members can overlap. */
    if (used <= file->size)
        insp_putf(out, "%" PRIu64, file->size - used);
    else
        insp_put(out, "null");
    insp_putf(out, ",\n    \"references\": %" PRIu64 ",\n    \"imports\": %" PRIu32,
              file->edge_count, file->import_count);
    put_redirects(out, file);
    put_table(out, file, info);
    put_types(out, file, info);
    insp_put(out, "\n  }");
}

void insp_info_put_json(insp_run *run, const insp_file *file, const insp_info *info)
{
    insp_out *out = &run->out;
    put_header(out, file);
    insp_put(out, ",\n  \"index\": ");
    if (info->has_index)
        put_index(out, file, info);
    else
        insp_put(out, "null");
    insp_putf(out, ",\n  \"checked\": \"%s\",\n  \"error\": ",
              info->has_index    ? "index"
              : info->is_untyped ? "all except values"
                                 : "all");
    if (info->finding.part)
        insp_put_finding_json(out, file, &info->finding);
    else
        insp_put(out, "null");
    insp_put(out, "\n}\n");
}
