/* Checks the rules R1 to R4. */
#include "insp_redirects_check.h"

#include "insp_builtin_check.h"
#include "insp_memory.h"
#include "insp_redirects.h"

static kiln_status read_list(const insp_file *file, kiln_span blob, kiln_error *reterr)
{
    const kiln_redirects *redirects;
    return kiln_redirects_read(blob, file->index, insp_allocator(), &redirects, reterr);
}

kiln_status insp_check_redirects(insp_check *check)
{
    static const insp_builtin_rules rules = {KILN_REDIRECTS_LAYOUT, 'R', read_list};
    const insp_asset *asset = check->file->index ? insp_redirects_asset(check->file) : NULL;
    return asset ? insp_check_builtin(check, asset, &rules) : KILN_OK;
}
