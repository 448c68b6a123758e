/* Recognizes paths of existing files and folders. The paths are relative to a folder that contains
 * inputs at any depth, or to a folder directly inside such a folder. */
#include "gateway.h"
#include "infer_form.h"

#include "ascii.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { ROOTS_MAX = 256, LOOKUPS_MAX = 2048, NAMES_MAX = 4096, PATH_LENGTH_MAX = 1000 };

/* A folder that contains a file or folder with a given name. */
typedef struct root_link {
    const char *root;
    uint32_t next; /* index of the next link plus one; 0: none */
} root_link;

struct infer_roots {
    infer_table folders;  /* relative to the base; "" is the base itself */
    infer_table by_names; /* their contents, with the index of the first link plus one */
    root_link *links;
    size_t link_count, link_capacity;
};

static const char *from_base(infer_forms *forms, const char *root, const char *path)
{
    const char *base = forms->base ? forms->base : ".";
    const char *folder = *root ? bake_store_join(forms->store, base, '/', root) : base;
    return folder && *path ? bake_store_join(forms->store, folder, '/', path) : folder;
}

static bool add_folder(infer_forms *forms, const char *path, size_t length)
{
    infer_roots *roots = forms->roots;
    infer_place nowhere = {0, 0};
    const char *text = bake_store_text(forms->store, path, length);
    return text && (roots->folders.count >= ROOTS_MAX ||
                    bake_infer_table_find_or_add(&roots->folders, forms->store, text,
                                                 (uint32_t)length, nowhere));
}

static bool add_link(infer_forms *forms, const char *name, const char *root)
{
    infer_roots *roots = forms->roots;
    infer_place nowhere = {0, 0};
    root_link *links = bake_store_grow(forms->store, roots->links, &roots->link_capacity,
                                       roots->link_count + 1, sizeof *links);
    infer_entry *entry = links ? bake_infer_table_find_or_add(&roots->by_names, forms->store, name,
                                                              (uint32_t)strlen(name), nowhere)
                               : NULL;
    if (!entry)
        return false;
    roots->links = links;
    links[roots->link_count].root = root;
    links[roots->link_count].next = (uint32_t)entry->count;
    entry->count = ++roots->link_count;
    return true;
}

/* Whether the errno of a file lookup can be treated like ENOENT. After any other error, the result
 * would not be deterministic, so the function fills the failure and returns false. */
static bool is_missing_file(infer_forms *forms, const char *path)
{
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == EFBIG)
        return true;
    bake_fail_errno(forms->failure, "access", path);
    forms->store->failed = true;
    return false;
}

/* Records the names in a folder. If `recursive`, adds its subfolders to the search. */
static bool read_folder(infer_forms *forms, const char *root, bool recursive,
                        uint32_t *lookups_left)
{
    size_t count;
    const char *path = from_base(forms, root, "");
    const char *const *names =
        path ? bake_gateway_names(forms->gateway, path, NAMES_MAX, &count) : NULL;
    if (path && !names && !is_missing_file(forms, path))
        return false;
    for (size_t i = 0; names && i < count; i++) {
        if (!add_link(forms, names[i], root))
            return false;
        if (!recursive || strchr(names[i], '.') || *lookups_left == 0)
            continue;
        --*lookups_left;
        const char *inner = bake_store_join(forms->store, root, '/', names[i]);
        const char *full = inner ? from_base(forms, inner, "") : NULL;
        bake_path_kind there =
            full ? bake_gateway_path_kind(forms->gateway, full) : BAKE_PATH_MISSING;
        if (!full || (there == BAKE_PATH_UNKNOWN && !is_missing_file(forms, full)) ||
            (there == BAKE_PATH_FOLDER && !add_folder(forms, inner, strlen(inner))))
            return false;
    }
    return path != NULL;
}

/* Collects the folders to search. Called once, for the first string that can be a path. */
static bool find_roots(infer_forms *forms)
{
    const bake_inputs *inputs = forms->ids->inputs;
    uint32_t lookups_left = LOOKUPS_MAX;
    forms->roots = bake_store_alloc(forms->store, 1, sizeof *forms->roots);
    if (!forms->roots || !add_folder(forms, "", 0))
        return false;
    for (size_t i = 0; i < inputs->count; i++) {
        const bake_input *input = &inputs->inputs[i];
        const char *slash = input->has_relative ? strchr(input->relative, '/') : NULL;
        for (; slash; slash = strchr(slash + 1, '/'))
            if (!add_folder(forms, input->relative, (size_t)(slash - input->relative)))
                return false;
    }
    uint32_t input_folders = forms->roots->folders.count;
    for (uint32_t i = 0; i < forms->roots->folders.count; i++)
        if (!read_folder(forms, forms->roots->folders.entries[i].name, i < input_folders,
                         &lookups_left))
            return false;
    return true;
}

static bool has_file_extension(const infer_value *value)
{
    uint32_t at = value->length, letters = 0;
    while (at > 0 && value->text[at - 1] != '.' && value->text[at - 1] != '/') {
        char c = value->text[--at];
        if (!bake_is_alphabetic(c) && !bake_is_digit(c))
            return false;
        letters++;
    }
    return at > 1 && value->text[at - 1] == '.' && letters >= 1 && letters <= 8;
}

/* Whether a string has the syntax of a path. */
static bool is_path(const infer_value *value)
{
    const char *text = value->text;
    uint32_t length = value->length;
    if (length < 3 || length > PATH_LENGTH_MAX || text[length - 1] == '/' || text[0] == '.' ||
        text[0] == '~')
        return false;
    for (uint32_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_repeated = i + 1 < length && text[i + 1] == text[i];
        if (c < ' ' || strchr("\\:*?\"<>|$%{}", c) || ((c == '/' || c == '.') && is_repeated))
            return false;
    }
    return memchr(text + 1, '/', length - 1) || has_file_extension(value);
}

/* A group of the paths of a field: either those that begin with a slash, or all others. */
typedef struct path_group {
    bool absolute;
    uint32_t count;
    const char *root; /* NULL: no folder contains all of them */
    bool files, folders;
} path_group;

/* Whether all paths of the group exist relative to a folder. */
static bool all_exist(infer_forms *forms, const infer_texts *texts, const char *root,
                      path_group *group)
{
    group->files = group->folders = false;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        uint32_t skip = value->text[0] == '/';
        if (group->absolute != (skip == 1))
            continue;
        const char *rest = bake_store_text(forms->store, value->text + skip, value->length - skip);
        const char *path = rest ? from_base(forms, root, rest) : NULL;
        bake_path_kind there =
            path ? bake_gateway_path_kind(forms->gateway, path) : BAKE_PATH_MISSING;
        if (there == BAKE_PATH_UNKNOWN)
            is_missing_file(forms, path);
        if (there != BAKE_PATH_FILE && there != BAKE_PATH_FOLDER)
            return false;
        group->files = group->files || there == BAKE_PATH_FILE;
        group->folders = group->folders || there == BAKE_PATH_FOLDER;
    }
    return true;
}

/* Of the folders that contain all paths of the group, finds the one with the shortest path. */
static void find_root(infer_forms *forms, const infer_texts *texts, path_group *group)
{
    const infer_value *first = NULL;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        if ((texts->values[i].text[0] == '/') != group->absolute)
            continue;
        first = first ? first : &texts->values[i];
        group->count++;
    }
    if (!first)
        return;
    const char *name = first->text + group->absolute;
    uint32_t left = first->length - group->absolute;
    const char *slash = memchr(name, '/', left);
    const infer_entry *entry = bake_infer_table_find(&forms->roots->by_names, name,
                                                     slash ? (uint32_t)(slash - name) : left);
    path_group best = *group;
    for (uint64_t at = entry ? entry->count : 0; at; at = forms->roots->links[at - 1].next) {
        const char *root = forms->roots->links[at - 1].root;
        if ((!best.root || strlen(root) < strlen(best.root)) &&
            all_exist(forms, texts, root, group)) {
            best = *group;
            best.root = root;
        }
    }
    *group = best;
}

static void write_root(infer_writer *w, const char *root)
{
    bake_infer_write_text(w, *root ? root : ".", *root ? strlen(root) : 1);
}

/* Adds the path type: `TexturePath` for `Resources/Textures`, `FilePath` for the base itself. */
static const char *path_type(infer_forms *forms, const path_group *relative_paths,
                             const path_group *absolute_paths)
{
    infer_writer w = {forms->store, NULL, 0, 0}, name = {forms->store, NULL, 0, 0};
    const char *root = relative_paths->root ? relative_paths->root : absolute_paths->root,
               *last = strrchr(root, '/');
    bool files = relative_paths->files || absolute_paths->files,
         folders = relative_paths->folders || absolute_paths->folders;
    last = last ? last + 1 : root;
    char *word =
        bake_infer_type_name(forms->store, *last ? last : "File", *last ? strlen(last) : 4);
    if (!word)
        return NULL;
    bake_infer_singular(word);
    bake_infer_write(&name, "%sPath", word);
    bake_infer_write(&w, "    wrap: string\n    path: ");
    if (relative_paths->root && !absolute_paths->root && !folders) {
        write_root(&w, relative_paths->root);
        bake_infer_write(&w, "\n");
    } else {
        bake_infer_write(&w, relative_paths->root ? "{roots: " : "{absolute: ");
        write_root(&w, root);
        if (relative_paths->root && absolute_paths->root) {
            bake_infer_write(&w, ", absolute: ");
            write_root(&w, absolute_paths->root);
        }
        bake_infer_write(&w, "%s}\n", !folders ? "" : files ? ", is: any" : ", is: folder");
    }
    return bake_infer_simple_type(forms, bake_infer_written(&name), "", bake_infer_written(&w));
}

bool bake_infer_decide_path(infer_forms *forms, const infer_texts *texts, infer_form *form)
{
    path_group relative_paths = {.absolute = false}, absolute_paths = {.absolute = true};
    infer_writer w = {forms->store, NULL, 0, 0};
    if (!forms->gateway || texts->many || texts->value_count == 0 || (texts->some & INFER_TEXT))
        return true;
    for (uint32_t i = 0; i < texts->value_count; i++)
        if (!is_path(&texts->values[i]))
            return true;
    /* A single file name can match an existing file by chance. */
    if (texts->value_count == 1 && !memchr(texts->values[0].text, '/', texts->values[0].length))
        return true;
    if (!forms->roots && !find_roots(forms))
        return false;
    find_root(forms, texts, &relative_paths);
    find_root(forms, texts, &absolute_paths);
    if (forms->store->failed)
        return false;
    if ((relative_paths.count && !relative_paths.root) ||
        (absolute_paths.count && !absolute_paths.root))
        return true;
    /* A single folder name can also match by chance. */
    if (texts->value_count == 1 && (relative_paths.folders || absolute_paths.folders))
        return true;
    bake_infer_write(&w, "%u existing path%s", texts->value_count,
                     texts->value_count == 1 ? "" : "s");
    form->note = bake_infer_written(&w);
    form->type = path_type(forms, &relative_paths, &absolute_paths);
    form->depth = 1;
    form->doubtful = texts->value_count == 1;
    if (texts->count >= 4)
        bake_infer_set_default(forms, form, texts, 2);
    return form->type != NULL;
}
