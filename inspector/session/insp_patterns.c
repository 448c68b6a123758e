/* An argument that is the name of an asset selects only this asset, even if it contains `*`. */
#include "insp_patterns.h"

#include "insp_glob.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_redirects.h"

/* Finds the asset with this name, or the one to which its redirect leads. */
static bool find_name(insp_run *run, const insp_mounts *mounts, insp_pattern *pattern)
{
    size_t length = strlen(pattern->text);
    uint32_t i;
    for (i = mounts->count; i-- > 0;) {
        const insp_asset *asset = insp_file_asset(mounts->files[i], pattern->text, length);
        if (asset)
            pattern->name = asset->name;
        if (asset)
            return true;
    }
    for (i = mounts->count; i-- > 0;) {
        const insp_file *file = mounts->files[i];
        const insp_asset *asset = NULL;
        if (insp_redirect_of(file, pattern->text, length))
            asset = insp_find_asset(run, file, pattern->text, length);
        if (asset)
            pattern->name = asset->name;
        if (asset)
            return true;
    }
    return false;
}

static bool matches_any(const insp_mounts *mounts, const insp_pattern *pattern)
{
    uint32_t i, k;
    for (i = 0; i < mounts->count; i++) {
        const insp_file *file = mounts->files[i];
        for (k = 0; k < file->asset_count + file->import_count; k++) {
            insp_text name = k < file->asset_count
                                 ? insp_numbered_asset(file, k)->name
                                 : insp_import_at(file, k - file->asset_count)->name;
            if (insp_glob_asset(pattern->text, name.data, name.length))
                return true;
        }
    }
    return false;
}

static int complain(insp_run *run, const insp_mounts *mounts, const insp_pattern *pattern)
{
    if (!insp_glob_is_pattern(pattern->text))
        return insp_no_such_asset(run, mounts->files[0], pattern->text, false);
    return insp_no_match(run, mounts->files[0], pattern->text);
}

int insp_patterns_init(insp_patterns *patterns, insp_run *run, const insp_mounts *mounts,
                       const char *const *arguments, uint32_t count)
{
    int result = INSP_OK;
    uint32_t i;
    *patterns = (insp_patterns){insp_alloc_array(count, sizeof *patterns->rows), 0};
    if (!patterns->rows)
        return insp_no_memory(run);
    for (i = 0; i < count; i++) {
        insp_pattern *pattern = &patterns->rows[patterns->count];
        *pattern = (insp_pattern){arguments[i], {"", 0}};
        if (find_name(run, mounts, pattern) || matches_any(mounts, pattern))
            patterns->count++;
        else
            result = insp_worse(result, complain(run, mounts, pattern));
    }
    return result;
}

void insp_patterns_fini(insp_patterns *patterns)
{
    insp_free(patterns->rows);
    *patterns = (insp_patterns){NULL, 0};
}

bool insp_patterns_match(const insp_patterns *patterns, insp_text name)
{
    uint32_t i;
    for (i = 0; i < patterns->count; i++) {
        const insp_pattern *pattern = &patterns->rows[i];
        if (pattern->name.length ? insp_text_is_same(pattern->name, name)
                                 : insp_glob_asset(pattern->text, name.data, name.length))
            return true;
    }
    return false;
}
