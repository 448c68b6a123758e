/* A pattern is compared with the qualified name first, and then without its first parts. */
#include "insp_type_names.h"

#include "insp_glob.h"
#include "insp_message.h"
#include "insp_similar.h"

bool insp_type_name_matches(const char *pattern, insp_text name)
{
    while (!insp_glob(pattern, name.data, name.length)) {
        const char *dot = name.length ? memchr(name.data, '.', name.length) : NULL;
        if (!dot)
            return false;
        name.length -= (uint32_t)(dot + 1 - name.data);
        name.data = dot + 1;
    }
    return true;
}

bool insp_type_matches(const char *pattern, const kiln_type *type)
{
    insp_text name = {type->name, (uint32_t)strlen(type->name)};
    return kiln_kind_is_named(type->kind) && insp_type_name_matches(pattern, name);
}

int insp_no_such_type(insp_run *run, const insp_file *file, const char *pattern)
{
    uint32_t count = file->types ? kiln_types_count(file->types) : 0, i;
    insp_similar similar;
    insp_similar_init(&similar, pattern, strlen(pattern));
    for (i = 0; i < count; i++) {
        const char *name = kiln_types_get(file->types, i)->name, *dot = strrchr(name, '.');
        name = dot && !strchr(pattern, '.') ? dot + 1 : name;
        insp_similar_offer(&similar, name, strlen(name));
    }
    if (similar.best)
        insp_complain(run, file->path, "no such type: %.300s; did you mean %.*s?", pattern,
                      (int)similar.best_length, similar.best);
    else
        insp_complain(run, file->path, "no such type: %.300s", pattern);
    return INSP_BAD;
}

int insp_no_such_struct(insp_run *run, const insp_file *file, const char *pattern)
{
    uint32_t count = file->types ? kiln_types_count(file->types) : 0, i;
    for (i = 0; i < count; i++) {
        const kiln_type *of = kiln_types_get(file->types, i);
        if (of->kind == KILN_KIND_STRUCT || !insp_type_matches(pattern, of))
            continue;
        insp_complain(run, file->path, "%.300s is not a struct; its kind is %s", of->name,
                      kiln_kind_name(of->kind));
        return INSP_BAD;
    }
    return insp_no_such_type(run, file, pattern);
}
