/* Rules of files that name other files by a text, and of files that are so named. */
#include "path_match.h"
#include "schema_reader.h"

#include "bake_text.h"
#include "scalar_parse.h"

#include <string.h>

static bool report(schema_reader *reader, const schema_file *file, bake_node_id node,
                   const char *text)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "%s", text);
}

/* Whether the attribute is there, and the rule of that shape. */
static bool is_for(schema_reader *reader, const schema_file *file, bake_node_id node,
                   const bake_file_rule *rule, bake_shape shape, const char *otherwise)
{
    if (node == BAKE_NODE_NONE || rule->shape == shape)
        return node != BAKE_NODE_NONE;
    return report(reader, file, node, otherwise);
}

/* What the names of files end in that the pattern fits, unless the rule says it. */
static void read_suffix(schema_reader *reader, const schema_file *file, bake_node_id rule,
                        bake_node_id node, bake_file_rule *ret)
{
    ret->suffix = bake_path_ending(ret->match);
    if (node != BAKE_NODE_NONE) {
        const char *text = bake_schema_read_text(reader, file, node, "files", "a suffix", NULL);
        ret->suffix = text ? text : "";
        if (text && (!*text || strchr(text, '/')))
            report(reader, file, node, "a suffix is the end of a file's name, as `.meta`");
    } else if (!*ret->suffix) {
        report(reader, file, rule,
               "a rule of shape guids needs a `suffix`, what its files are called behind the name "
               "of the file that they are beside");
    }
}

void bake_schema_read_guids(schema_reader *reader, const schema_file *file, bake_node_id rule,
                            bake_node_id key, bake_node_id suffix, bake_file_rule *ret)
{
    bake_schema *schema = reader->schema;
    bool has_key =
        is_for(reader, file, key, ret, BAKE_SHAPE_GUIDS, "`key` is for rules of shape guids");
    is_for(reader, file, suffix, ret, BAKE_SHAPE_GUIDS, "`suffix` is for rules of shape guids");
    if (ret->shape != BAKE_SHAPE_GUIDS)
        return;
    ret->key = has_key ? bake_schema_read_text(reader, file, key, "files", "a key", NULL) : NULL;
    if (!has_key)
        report(reader, file, rule,
               "a rule of shape guids needs a `key`, whose value names the file beside");
    read_suffix(reader, file, rule, suffix, ret);
    schema->has_links = true;
    if (schema->file_kind && strcmp(schema->file_kind, ret->kind) != 0)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                    "the files that guids name have the kind \"%s\" already", schema->file_kind);
    schema->file_kind = ret->kind;
}

void bake_schema_read_whole(schema_reader *reader, const schema_file *file, bake_node_id node,
                            bake_file_rule *ret)
{
    size_t length;
    if (!is_for(reader, file, node, ret, BAKE_SHAPE_OBJECTS,
                "`whole` is for rules of shape objects"))
        return;
    const char *text = bake_schema_read_text(reader, file, node, "files", "a number", &length);
    if (text && (bake_parse_integer(KILN_KIND_I64, text, length, &ret->whole) || ret->whole == 0))
        report(reader, file, node, "`whole` is the number that means the file itself, and not 0");
}

bool bake_schema_is_file_kind(const bake_schema *schema, const char *name, size_t length)
{
    const char *kind = schema->file_kind;
    return kind && bake_text_is(name, length, kind);
}
