/* The list is read once, when the file is opened, because any command may look up an earlier
 * name. */
#include "insp_redirects.h"

#include "insp_memory.h"
#include "insp_unpack.h"

#include <string.h>

const insp_asset *insp_redirects_asset(const insp_file *file)
{
    const insp_asset *asset = insp_identified_asset(
        file, kiln_asset_id(KILN_REDIRECTS_NAME, strlen(KILN_REDIRECTS_NAME)));
    return asset && insp_text_is(asset->name, KILN_REDIRECTS_NAME) &&
                   insp_text_is(insp_asset_type_name(file, asset), KILN_REDIRECTS_TYPE_NAME)
               ? asset
               : NULL;
}

kiln_status insp_redirects_load(insp_file *file)
{
    const insp_asset *asset = insp_redirects_asset(file);
    const unsigned char *blob;
    const kiln_redirects *redirects;
    uint64_t size;
    kiln_status status;
    if (!asset)
        return KILN_OK;
    status = insp_file_blob(file, asset->member, &blob, &size);
    if (!status) {
        file->redirects_blob = insp_file_take_blob(file, asset->member);
        status = kiln_redirects_read((kiln_span){blob, (size_t)size}, NULL, insp_allocator(),
                                     &redirects, NULL);
    }
    if (!status)
        file->redirects = redirects;
    return status == KILN_NO_MEMORY ? status : KILN_OK;
}

void insp_redirects_fini(insp_file *file)
{
    insp_free(file->redirects_blob);
    file->redirects = NULL;
    file->redirects_blob = NULL;
}

const kiln_redirect *insp_redirect_of(const insp_file *file, const char *name, size_t length)
{
    const kiln_redirect *found =
        file->redirects ? kiln_redirects_find(file->redirects, kiln_asset_id(name, length)) : NULL;
    return found && found->name.length == length &&
                   memcmp(kiln_string_get(&found->name), name, length) == 0
               ? found
               : NULL;
}

const kiln_redirect *insp_split_redirect(const insp_file *file, const char *path,
                                         const char **ret_rest)
{
    const kiln_redirect *best = NULL;
    size_t length = strlen(path);
    uint32_t i;
    for (i = 0; file->redirects && i < file->redirects->entries.count; i++) {
        const kiln_redirect *redirect = kiln_redirects_at(file->redirects, i);
        insp_text name = insp_redirect_name(redirect);
        if (name.length > length || memcmp(name.data, path, name.length) != 0)
            continue;
        if (path[name.length] && path[name.length] != '.' && path[name.length] != '[')
            continue;
        if (!best || name.length > best->name.length)
            best = redirect;
    }
    if (best)
        *ret_rest = path + best->name.length;
    return best;
}
