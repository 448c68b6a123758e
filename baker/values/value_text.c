/* Strings and bytes: inline, from files (`!file notes/intro.txt`) and from importers (`!import:png
 * icons/sword.svg`).
 *
 * A string or bytes value is a separate object, so it counts as a level of depth; an empty value is
 * a zero field without an object. Base64 is decoded twice, the first time only to determine the
 * length, so that the array can be allocated directly in the builder.
 *
 * File paths are relative to the folder of the document. With -C, documents can only use files
 * below that folder. Paths are built on the scratch stack, which bake_value_file restores. */
#include "value_scalar.h"

#include "bake_memory.h"
#include "excerpt.h"
#include "gateway.h"
#include "importer.h"
#include "scalar_parse.h"
#include "utf8.h"
#include "value_limits.h"
#include "value_mismatch.h"
#include "value_node.h"
#include "value_watch.h"

#include <errno.h>
#include <string.h>

void bake_value_string(bake_values *b, bake_node_id node, const char *text, size_t length,
                       const kiln_member *field, kiln_string *dst, const value_step *step)
{
    if (memchr(text, 0, length)) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "text", step,
                          "the string contains NUL (U+0000), which is not allowed");
        return;
    }
    bake_value_check_length(b, node, field, length, "byte", step);
    if (b->watch && field)
        bake_value_watch(b, node, text, length, field, step);
    if (length == 0 || !bake_value_size_fits(b, node, step, length) || !value_enter(b, node, step))
        return;
    if (!kiln_builder_string(b->builder, dst, text, length))
        value_stop(b);
    value_leave(b);
}

static void bytes_from_list(bake_values *b, bake_node_id node, unsigned char *data,
                            const value_step *step)
{
    uint32_t i = 0;
    for (bake_iterator it = bake_iterator_begin(b->tree, node); bake_iterator_next(&it); i++) {
        value_step inner = {step, STEP_NUMBER, NULL, 0, i};
        bake_node_id element = it.value;
        size_t length;
        uint64_t bits;
        if (!bake_value_check_tag_of(b, element, KILN_KIND_U8, "a byte", &inner))
            continue;
        if (bake_node_kind_of(b->tree, element) != BAKE_NODE_SCALAR) {
            bake_value_report(b, BAKE_ERROR, value_mark(b, element), "type", &inner,
                              "expected a byte, 0 to 255");
            continue;
        }
        const char *text = bake_node_text(b->tree, element, &length);
        if (bake_parse_integer(KILN_KIND_U8, text, length, &bits)) {
            char quote[VALUE_QUOTE_SIZE];
            bake_value_report(b, BAKE_ERROR, value_mark(b, element), "type", &inner,
                              "expected a byte, 0 to 255, found %s",
                              bake_value_quote(quote, text, length));
            continue;
        }
        data[i] = (unsigned char)bits;
    }
}

/* Gets the number of bytes that the node decodes to. Returns false after a report. */
static bool bytes_size(bake_values *b, bake_node_id node, uint32_t type, const value_step *step,
                       size_t *ret_size)
{
    size_t length, at;
    if (bake_node_kind_of(b->tree, node) == BAKE_NODE_SEQUENCE) {
        *ret_size = bake_node_count(b->tree, node);
        return true;
    }
    if (bake_node_kind_of(b->tree, node) == BAKE_NODE_MAPPING || bake_value_is_null(b, node))
        return bake_value_unexpected(b, node, type, step);
    const char *text = bake_node_text(b->tree, node, &length);
    if (bake_parse_base64(text, length, NULL, ret_size, &at) == BAKE_PARSE_OK)
        return true;
    char quote[VALUE_QUOTE_SIZE];
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "base64", step,
                             "expected base64 or a list of bytes, found %s (invalid at byte %zu)",
                             bake_value_quote(quote, text, length), at + 1);
}

/* Creates an array in the builder and enters its level of depth, which the caller leaves with
 * value_leave. Returns NULL, without entering the level, if there are no bytes, if the builder
 * failed, or after a report. */
static unsigned char *create_bytes(bake_values *b, bake_node_id node, size_t size, uint32_t type,
                                   const kiln_member *field, void *dst, const value_step *step)
{
    uint32_t align = value_type(b, type)->align_at;
    bake_value_check_length(b, node, field, size, "byte", step);
    if (size == 0 || !bake_value_size_fits(b, node, step, size) || !value_enter(b, node, step))
        return NULL;
    unsigned char *data = kiln_builder_array(b->builder, dst, (uint32_t)size, 1, align ? align : 1);
    if (!data) {
        value_stop(b);
        value_leave(b);
    }
    return data;
}

static void put_bytes(bake_values *b, bake_node_id node, const void *bytes, size_t size,
                      uint32_t type, const kiln_member *field, void *dst, const value_step *step)
{
    unsigned char *data = create_bytes(b, node, size, type, field, dst, step);
    if (!data)
        return;
    memcpy(data, bytes, size);
    value_leave(b);
}

void bake_value_bytes(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                      void *dst, const value_step *step)
{
    size_t size, length, at;
    if (!bytes_size(b, node, type, step, &size))
        return;
    unsigned char *data = create_bytes(b, node, size, type, field, dst, step);
    if (!data)
        return;
    if (bake_node_kind_of(b->tree, node) == BAKE_NODE_SEQUENCE) {
        bytes_from_list(b, node, data, step);
    } else {
        const char *text = bake_node_text(b->tree, node, &length);
        bake_parse_base64(text, length, data, &size, &at);
    }
    value_leave(b);
}

/* ---- files and importers ---- */

void bake_values_set_files(bake_values *b, bake_gateway *gateway, const char *base)
{
    b->files.gateway = gateway;
    b->files.base = base;
}

static const char import_tag[] = "!import:";
enum { IMPORT_TAG_LENGTH = sizeof import_tag - 1 };

/* Whether a file node has an importer tag. */
bool bake_value_is_import(const bake_values *b, bake_node_id node)
{
    return strcmp(bake_node_tag(b->tree, node), "!file") != 0;
}

bool bake_value_is_file(const bake_values *b, bake_node_id node)
{
    const char *tag = bake_node_tag(b->tree, node);
    return tag && (strcmp(tag, "!file") == 0 || strncmp(tag, import_tag, IMPORT_TAG_LENGTH) == 0) &&
           !bake_value_tag_is_taken(b, node);
}

/* Removes `.` and `..` from a path and returns its new length. The result begins with `..` if the
 * path leaves the folder in which it starts. Symbolic links are not resolved, so that the result is
 * the same on every machine. */
static size_t normalize(char *path, size_t length)
{
    size_t at = path[0] == '/', kept = at, ups = 0;
    size_t start = kept;
    while (at < length) {
        size_t end = at;
        while (end < length && path[end] != '/')
            end++;
        size_t size = end - at;
        bool up = size == 2 && path[at] == '.' && path[at + 1] == '.';
        if (size == 0 || (size == 1 && path[at] == '.')) {
            size = 0;
        } else if (up && kept > start + ups) {
            while (kept > start + ups && path[kept - 1] != '/')
                kept--;
            kept -= kept > start + ups;
            size = 0;
        } else if (up && start) {
            size = 0;
        }
        if (size > 0) {
            if (kept > start)
                path[kept++] = '/';
            memmove(path + kept, path + at, size);
            kept += size;
            if (up)
                ups = kept - start;
        }
        at = end + 1;
    }
    path[kept] = '\0';
    return kept;
}

/* Whether a normalized path is below the -C folder. Always true without -C and in a default of the
 * schema. */
static bool is_below(const bake_values *b, const char *path, const char *base, size_t length)
{
    if (!b->files.base || value_is_of_schema(b, b->tree))
        return true;
    if (length == 0)
        return path[0] != '/' &&
               !(path[0] == '.' && path[1] == '.' && (!path[2] || path[2] == '/'));
    if (length == 1 && base[0] == '/')
        return path[0] == '/';
    return strncmp(path, base, length) == 0 && path[length] == '/';
}

/* Converts a path relative to the document to one relative to the current folder, on the scratch
 * stack. Returns NULL after a report. */
const char *bake_value_file_path(bake_values *b, bake_node_id node, const value_step *step)
{
    bake_mark mark = value_mark(b, node);
    const char *document = bake_diagnostics_source_name(b->report.sources, mark.source);
    const char *slash = strrchr(document, '/');
    size_t length, folder = slash ? (size_t)(slash - document) + 1 : 0;
    const char *text = bake_node_text(b->tree, node, &length);
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR || length == 0 ||
        memchr(text, 0, length) || text[0] == '/') {
        bake_value_report(b, BAKE_ERROR, mark, "file", step,
                          "expected a file path relative to the folder of this document");
        return NULL;
    }
    size_t base_length = b->files.base ? strlen(b->files.base) : 0;
    /* Reserve room for a leading `./`: a path `-` would mean standard input. */
    size_t at = bake_value_push(b, folder + length + 4);
    size_t base_at = at == SIZE_MAX ? at : bake_value_push(b, base_length + 1);
    if (base_at == SIZE_MAX)
        return NULL;
    char *path = (char *)b->scratch.bytes + at + 2, *base = (char *)b->scratch.bytes + base_at;
    memcpy(path, document, folder);
    memcpy(path + folder, text, length);
    normalize(path, folder + length);
    memcpy(base, b->files.base ? b->files.base : "", base_length);
    base_length = normalize(base, base_length);
    if (!is_below(b, path, base, base_length)) {
        bake_value_report(b, BAKE_ERROR, mark, "file", step,
                          "\"%.200s\" is outside the folder of the inputs", path);
        return NULL;
    }
    if (path[0] != '-')
        return path;
    memcpy(path - 2, "./", 2);
    return path - 2;
}

static bool check_text(bake_values *b, bake_node_id node, const char *path, const char *text,
                       size_t size, const value_step *step)
{
    uint32_t code_point;
    for (size_t i = 0; i < size;) {
        size_t length = text[i] ? utf8_decode(text + i, size - i, &code_point) : 0;
        if (length == 0)
            return bake_value_report(
                b, BAKE_ERROR, value_mark(b, node), "file", step,
                text[i] ? "%s\"%.200s\" is not UTF-8: byte %zu is invalid"
                        : "%s\"%.200s\" contains NUL at byte %zu, which a string cannot contain",
                bake_value_is_import(b, node) ? "the importer's output for " : "", path, i + 1);
        i += length;
    }
    return true;
}

/* Reports why the last read failed, or that memory ran out. Call this before errno changes. Always
 * returns NULL. */
const char *bake_value_cannot_read(bake_values *b, bake_node_id node, const char *path,
                                   const value_step *step)
{
    if (b->files.gateway && errno == ENOMEM) {
        value_no_memory(b);
        return NULL;
    }
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "file", step,
                      "cannot read \"%.200s\": %s", path,
                      b->files.gateway ? bake_gateway_reason(b->files.gateway)
                                       : "no files are available to this value");
    return NULL;
}

static const char *read_file(bake_values *b, bake_node_id node, const char *path, size_t *ret_size,
                             const value_step *step)
{
    bool is_regular = b->files.gateway && bake_gateway_is_regular(b->files.gateway, path);
    const char *text = is_regular ? bake_gateway_read(b->files.gateway, path, ret_size) : NULL;
    return text ? text : bake_value_cannot_read(b, node, path, step);
}

/* Finds the importer that a tag names. Returns NULL after a report. */
static const bake_importer *find_importer(bake_values *b, bake_node_id node, const char *name,
                                          const value_step *step)
{
    const bake_schema *schema = b->schema;
    bake_mark mark = value_mark(b, node);
    size_t length = strlen(name);
    const bake_importer *importer = bake_schema_importer(schema, name, length);
    /* Loading a schema must not run programs. */
    if (value_is_of_schema(b, b->tree))
        bake_value_report(b, BAKE_ERROR, mark, "import", step, "a default cannot use an importer");
    else if (importer && importer->outputs_bytes)
        return importer;
    else if (importer)
        bake_value_report(
            b, BAKE_ERROR, mark, "import", step,
            "the importer \"%.100s\" produces YAML for file rules, but a value needs bytes", name);
    else
        bake_value_report(b, BAKE_ERROR, mark, "import", step,
                          "the schema has no importer \"%.100s\"", name);
    if (importer || value_is_of_schema(b, b->tree) || !bake_hints_wanted(b->report.to))
        return NULL;
    const char **names = bake_alloc_array(schema->importer_count, sizeof *names);
    for (size_t i = 0; names && i < schema->importer_count; i++)
        names[i] = schema->importers[i].name;
    if (names)
        bake_hint_similar(b->report.to, name, length, names, schema->importer_count);
    bake_free(names);
    return NULL;
}

const char *bake_value_import(bake_values *b, bake_node_id node, const char *path, size_t *ret_size,
                              const value_step *step)
{
    const char *name = bake_node_tag(b->tree, node) + IMPORT_TAG_LENGTH;
    const bake_importer *importer = find_importer(b, node, name, step);
    if (!importer)
        return NULL;
    const bake_program_end *end =
        b->files.gateway ? bake_importer_run(b->files.gateway, importer, b->files.base, path)
                         : NULL;
    if (!end)
        return bake_value_cannot_read(b, node, path, step);
    if (!end->output) {
        char why[BAKE_IMPORTER_REASON_SIZE];
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "import", step, "%s",
                          bake_importer_reason(importer, end, why));
        bake_importer_hint(b->report.to, end);
    }
    *ret_size = end->size;
    return end->output;
}

void bake_value_file(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                     void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    size_t used = b->scratch.used, size = 0;
    if (value_defer(b))
        return;
    const char *path = bake_value_file_path(b, node, step);
    const char *text = NULL;
    if (path)
        text = (bake_value_is_import(b, node) ? bake_value_import : read_file)(b, node, path, &size,
                                                                               step);
    if (text && of->kind == KILN_KIND_BYTES)
        put_bytes(b, node, text, size, type, field, dst, step);
    else if (text && check_text(b, node, path, text, size, step))
        bake_value_string(b, node, text, size, field, dst, step);
    b->scratch.used = used;
}
