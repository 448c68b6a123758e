/* Lists redirects sorted by name, so that the text does not depend on hashes. kiln-bake reads the
 * list under the key `renames`. If a file has a kind of this name, its list is written as stored,
 * because the keys would collide. */
#include "insp_yaml_renames.h"

#include "insp_escape.h"
#include "insp_memory.h"
#include "insp_redirects.h"

#include <stdlib.h>

bool insp_yaml_has_renames(const insp_file *file)
{
    uint32_t i;
    for (i = 0; file->redirects && i < file->asset_count; i++)
        if (insp_text_is(insp_kind_word(insp_asset_at(file, i)->name), "renames"))
            return false;
    return file->redirects != NULL;
}

static int compare(const void *a, const void *b)
{
    return insp_text_compare(insp_redirect_name(*(const kiln_redirect *const *)a),
                             insp_redirect_name(*(const kiln_redirect *const *)b));
}

static void put_id(insp_printer *p, insp_text name, insp_text kind)
{
    insp_put_yaml_string(p->out, name.data + kind.length + 1, name.length - kind.length - 1);
}

static void put_all(insp_printer *p, const kiln_redirect *const *sorted, uint32_t count)
{
    enum { LONG_NAME = 120 };
    insp_text last = {NULL, 0};
    bool is_long;
    uint32_t i;
    insp_put(p->out, count ? "renames:\n" : "");
    for (i = 0; i < count && !p->out->error; i++) {
        insp_text name = insp_redirect_name(sorted[i]), target = insp_redirect_target(sorted[i]);
        insp_text kind = insp_kind_word(name);
        if (!insp_text_is_same(kind, last)) {
            insp_put(p->out, "  ");
            insp_put_yaml_string(p->out, kind.data, kind.length);
            insp_put(p->out, ":\n");
        }
        last = p->kind = kind;
        /* YAML limits the length of keys without `?`. */
        is_long = name.length > LONG_NAME;
        insp_put(p->out, is_long ? "    ? " : "    ");
        put_id(p, name, kind);
        insp_put(p->out, is_long ? "\n    : " : ": ");
        if (target.length)
            put_id(p, target, kind);
        else
            insp_put(p->out, "null");
        insp_put_char(p->out, '\n');
    }
}

bool insp_yaml_renames(insp_printer *p)
{
    const kiln_redirects *redirects = p->file->redirects;
    const kiln_redirect **sorted;
    uint32_t count = redirects ? redirects->entries.count : 0, i;
    if (p->stopped || !count)
        return true;
    sorted = insp_alloc_array(count, sizeof *sorted);
    if (!sorted)
        return false;
    for (i = 0; i < count; i++)
        sorted[i] = kiln_redirects_at(redirects, i);
    qsort(sorted, count, sizeof *sorted, compare);
    put_all(p, sorted, count);
    insp_free(sorted);
    return true;
}
