/* Opens a file and reads as much as possible: the header, then the index or the type table.
 *
 * insp_file_init fails only if memory runs out. Violated rules are recorded in the insp_file, whose
 * other fields remain usable. The built-in types are created first, because the index is read as a
 * value of the built-in type kiln.Index. */
#include "insp_load.h"

#include "insp_index.h"
#include "insp_memory.h"
#include "insp_redirects.h"
#include "insp_unpack.h"

#include <kiln/cluster_plan.h>
#include <kiln/payload.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>

static kiln_status create_types(insp_file *file)
{
    kiln_types *fixed = NULL, *with_scene = NULL, *with_plan = NULL, *with_payloads = NULL;
    kiln_status status = kiln_types_create_builtin(insp_allocator(), &fixed, NULL);
    if (!status)
        status = kiln_types_with_scene(fixed, insp_allocator(), &with_scene, NULL);
    if (!status)
        status = kiln_types_with_clusters(with_scene, insp_allocator(), &with_plan, NULL);
    if (!status)
        status = kiln_types_with_payloads(with_plan, insp_allocator(), &with_payloads, NULL);
    if (!status)
        status = kiln_types_with_redirects(with_payloads, insp_allocator(), &file->builtin, NULL);
    kiln_types_destroy(fixed);
    kiln_types_destroy(with_scene);
    kiln_types_destroy(with_plan);
    kiln_types_destroy(with_payloads);
    return status;
}

/* The index states the size of the file, but may be truncated itself. A header that breaks other
 * rules than H1 states nothing. */
static void state_size(insp_file *file)
{
    uint64_t blob_size = kiln_header_blob_size(&file->header);
    if (file->stated_size < blob_size)
        file->stated_size = blob_size;
    if (file->header_error.status && file->header_error.status != KILN_H_TRUNCATED)
        file->stated_size = 0;
}

kiln_status insp_file_init(insp_file *file, const char *path, const unsigned char *data,
                           size_t size)
{
    uint64_t payload_at = 0, payload_size = 0;
    kiln_blob_header checked;
    kiln_status status;
    *file = (insp_file){.path = path, .data = data, .size = size, .table_member = KILN_ASSET_NONE};
    status = create_types(file);
    if (status)
        return status;
    /* insp_blob_payload only needs the magic, so a file with a broken header is still shown.
     * kiln_header_read checks all rules of the header, but its result is only recorded. */
    file->has_header = insp_blob_payload(data, size, &file->header, &payload_at, &payload_size);
    file->header_error.status = kiln_header_read(data, size, &checked, &file->header_error);
    if (!file->has_header)
        return KILN_OK;
    if (kiln_header_kind(&file->header) == KILN_BLOB_INDEX) {
        status = insp_index_read(file, payload_at, payload_size);
        state_size(file);
        return status ? status : insp_redirects_load(file);
    }
    state_size(file);
    if (kiln_header_kind(&file->header) == KILN_BLOB_TYPE_TABLE)
        return insp_index_types(file, data, size);
    return KILN_OK;
}

void insp_file_fini(insp_file *file)
{
    insp_redirects_fini(file);
    kiln_types_destroy(file->types);
    kiln_types_destroy(file->builtin);
    insp_unpacking_destroy(file->unpacking);
    insp_free(file->assets);
    insp_free(file->members);
    insp_free(file->type_names);
    insp_free(file->names);
    insp_free(file->by_name);
    insp_free(file->by_id);
    *file = (insp_file){0};
}
