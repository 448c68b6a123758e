/* Payloads of loaded assets. Borrowed bytes stay on their mount, even if the file is replaced or
 * unmounted (asset_replacing.c moves no borrowed blob), so the file of the data stays open. */
#include "asset_keep.h"

#include <kiln/payloads.h>

kiln_status kiln_assets_borrow_payload(kiln_assets *assets, kiln_ref ref, const char *by,
                                       kiln_payload_data *ret_data, kiln_error *reterr)
{
    const asset_blob *blob;
    if (!assets || !ret_data)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = kiln_asset_borrow(assets, ref, by, &blob);
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    /* The borrowed blob does not change, so it can be read without the lock. */
    if (blob->mount)
        status =
            kiln_payload_open(blob->mount->file, (kiln_asset){blob->number + 1}, ret_data, reterr);
    else
        status = kiln_fail(reterr, KILN_NOT_FOUND, 0, blob->name);
    if (status == KILN_OK)
        ret_data->root = blob->root;
    else
        kiln_assets_release(assets, blob->root, by);
    return status;
}
