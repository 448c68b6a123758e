/* Lists imports sorted by name, so that the same file always gives the same text. kiln-bake reads
 * the list under the key `accepted`. A file with a kind named `accepted` gets no list, because the
 * keys would collide. */
#include "insp_yaml_imports.h"

#include "insp_escape.h"
#include "insp_memory.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return insp_text_compare((*(const insp_name *const *)a)->name,
                             (*(const insp_name *const *)b)->name);
}

static bool has_accepted(const insp_file *file)
{
    bool found = false;
    uint32_t i;
    for (i = 0; i < file->asset_count && !found; i++)
        found = insp_text_is(insp_kind_word(insp_numbered_asset(file, i)->name), "accepted");
    for (i = 0; i < file->import_count && !found; i++)
        found = insp_text_is(insp_kind_word(insp_import_at(file, i)->name), "accepted");
    return found;
}

bool insp_imports_list(const insp_file *file, insp_imports *ret)
{
    uint32_t i;
    ret->count = 0;
    ret->names = insp_alloc_array((size_t)file->import_count + 1, sizeof(*ret->names));
    if (ret->names && has_accepted(file))
        return true;
    for (i = 0; ret->names && i < file->import_count; i++) {
        const insp_name *name = insp_import_at(file, i);
        if (insp_kind_word(name->name).length < name->name.length)
            ret->names[ret->count++] = name;
    }
    if (ret->count)
        qsort(ret->names, ret->count, sizeof(*ret->names), compare);
    return ret->names != NULL;
}

void insp_imports_fini(insp_imports *imports)
{
    insp_free(imports->names);
}

void insp_yaml_imports(insp_printer *p, const insp_imports *imports)
{
    insp_text last = {NULL, 0};
    uint32_t i;
    /* Without assets, the document would not have the shape `kinds`. */
    if (!p->kind.data || p->stopped)
        return;
    for (i = 0; i < imports->count && !p->out->error; i++) {
        insp_text name = imports->names[i]->name, kind = insp_kind_word(name);
        if (i == 0)
            insp_put(p->out, "accepted:\n");
        if (!insp_text_is_same(kind, last)) {
            insp_put(p->out, "  ");
            insp_put_yaml_string(p->out, kind.data, kind.length);
            insp_put(p->out, ":\n");
        }
        last = kind;
        insp_put(p->out, "    - ");
        insp_put_yaml_string(p->out, name.data + kind.length + 1, name.length - kind.length - 1);
        insp_put_char(p->out, '\n');
    }
}
