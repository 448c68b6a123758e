/* The list of redirects of a file: earlier names of assets and the current ones. */
#ifndef INSP_REDIRECTS_H
#define INSP_REDIRECTS_H

#include "insp_file.h"

#include <kiln/redirects.h>

/* Reads the list into `redirects` of the file. A list that breaks a rule is ignored, because the
 * check of the file reports it. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_redirects_load(insp_file *file);
void insp_redirects_fini(insp_file *file);

/* The asset that contains the list; NULL if there is none. */
const insp_asset *insp_redirects_asset(const insp_file *file);

/* The redirect of an earlier name; NULL if there is none. */
const kiln_redirect *insp_redirect_of(const insp_file *file, const char *name, size_t length);
/* The redirect with the longest earlier name that `path` begins with; `ret_rest` is the rest of the
 * path. NULL if there is none. */
const kiln_redirect *insp_split_redirect(const insp_file *file, const char *path,
                                         const char **ret_rest);

/* The texts of a redirect; the target is empty if the asset was deleted. */
static inline insp_text insp_redirect_name(const kiln_redirect *redirect)
{
    insp_text text = {kiln_string_get(&redirect->name), redirect->name.length};
    return text;
}
static inline insp_text insp_redirect_target(const kiln_redirect *redirect)
{
    insp_text text = {kiln_string_get(&redirect->target), redirect->target.length};
    return text;
}

#endif
